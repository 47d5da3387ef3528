"""The captures of the sample, and questions about them that do not come from the image.

A small reader of WARC files, and regular expressions, stand in place of the project's own readers: what they find is only
material for questions, and needs to be neither exact nor complete.
"""

from __future__ import annotations

import gzip
import re
from itertools import cycle
from typing import Iterator, NamedTuple

from support import SAMPLE

RULE = re.compile(r"^[ \t]*(?:dis)?allow[ \t]*:[ \t]*([^#\s]+)", re.IGNORECASE | re.MULTILINE)
NAME = re.compile(r"^[ \t]*user-agent[ \t]*:[ \t]*([A-Za-z_-]+)[ \t]*$", re.IGNORECASE | re.MULTILINE)
#: Rules of a site that are asked about.
RULES = 40
#: URLs that are odd on any site.
ODD = [
    "",
    "/",
    "/robots.txt",
    "?",
    "/?",
    "/%",
    "/%zz/%2F%2f/%41",
    "/é/%C3%A9/%c3%a9/日本語",
    "/a b\tc",
    "//x//y",
    "/../a/./b",
    "/x#y",
    "/x;y=1?z=%20&z=+#",
    "/" + "a" * 3000,
]
#: URLs of no site of the sample, and what is no URL.
NOWHERE = [
    "",
    " ",
    "x",
    "/x",
    "http:",
    "https://",
    "https:///x",
    "mailto:a@example.com",
    "https://nobody.example/",
    "https://NOBODY.example:443/x",
    "https://bücher.example/",
    "https://a b/",
    "https://www.ed.ac.uk:99999/",
    "https://user:secret@www.ed.ac.uk:443/search/x",
    "HTTPS://WWW.ED.AC.UK/search/x",
    "http://www.ed.ac.uk/search/x",
    "https://[::1]/x",
    "https://[::1/x",
]
#: Who asks, and for what.
ASKERS = [
    ("GPTBot", None, None),
    ("Googlebot", None, None),
    ("*", None, None),
    ("nobody-names-me", None, None),
    ("googlebot-news,googlebot", None, None),
    ("CCBot", "crawl", "news"),
    ("GPTBot", "train", None),
    ("Googlebot", "index", None),
    ("bingbot", "present-snippet", "news"),
    ("*", "index", "search"),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", None, None),
]


class Question(NamedTuple):
    """What is asked."""

    url: str
    agent: str
    usage: str | None
    purpose: str | None


def texts() -> dict[str, bytes]:
    """Sites of the sample that were captured once, and their robots.txt."""
    found: dict[str, list[bytes]] = {}
    with gzip.open(SAMPLE) as stream:
        data = stream.read()
    start = 0
    while start < len(data):
        head_end = data.index(b"\r\n\r\n", start) + 4
        lines = data[start:head_end].decode().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines if ": " in line)
        end = head_end + int(fields["content-length"])
        if fields["warc-type"] == "response":
            body = data[head_end:end].partition(b"\r\n\r\n")[2]
            found.setdefault(fields["warc-target-uri"].removesuffix("/robots.txt"), []).append(body)
        start = end + 4
    return {site: bodies[0] for site, bodies in found.items() if len(bodies) == 1}


def targets(body: bytes) -> Iterator[str]:
    """Paths that the rules of a text speak of: as they stand, with a tail, with something for their wildcards."""
    patterns = dict.fromkeys(RULE.findall(body.decode("utf-8", "replace")))
    for pattern in list(patterns)[:RULES]:
        path = pattern if pattern.startswith("/") else f"/{pattern}"
        yield path
        yield f"{path}tail?x=1"
        if "*" in path or "$" in path:
            yield path.replace("*", "").replace("$", "")
            yield path.replace("*", "x-y/").replace("$", "")


def questions() -> list[Question]:
    """Questions about every site of the sample, by various crawlers."""
    asked = []
    askers = cycle(ASKERS)
    for site, body in texts().items():
        named = NAME.findall(body.decode("utf-8", "replace"))[:3]
        own = cycle([(name, None, None) for name in named] or [("*", None, None)])
        for path in [*targets(body), *ODD]:
            asked.append(Question(site + path, *next(askers)))
            asked.append(Question(site + path, *next(own)))
    return asked + [Question(url, *asker) for url in NOWHERE for asker in ASKERS]
