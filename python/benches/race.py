"""The race: this package against protego, on the same questions, in one run.

    python benches/race.py [CAPTURES.warc.gz] [--rounds N] [--sites N]

Every file that is rules is asked for URLs made of its own patterns. Rounds are interleaved, so that what else the machine does
meets all alike, and the median counts. Before anything is timed the answers are compared; where the two differ is counted
(README.md says why). One thread.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

import protego
import pyarrow as pa
from scrapy.robotstxt import ProtegoRobotParser

import robomaton
from robomaton.scrapy import RobotParser

SAMPLE = Path(__file__).parents[2] / "tests" / "data" / "sample.warc.gz"
AGENT = "GPTBot"
#: URLs that each file is asked for.
URLS = 20
#: How often each is asked for in a batch.
REPEATED = 500
TAILS = ["", "/index.html", "?a=b", "/some/page/2024/x.html"]


class Site(NamedTuple):
    """A file and the questions about it."""

    address: str
    text: bytes
    urls: list[str]


def texts(captures: Path) -> Iterator[tuple[str, bytes]]:
    """The robots.txt files that were answered with 200, by the addresses of their sites."""
    records = gzip.open(captures).read().split(b"WARC/1.0\r\n")
    for record in records:
        head, _, rest = record.partition(b"\r\n\r\n")
        address = re.search(rb"WARC-Target-URI: <?(\S+?)/robots\.txt>?\r", head)
        answer, _, body = rest.partition(b"\r\n\r\n")
        if b"WARC-Type: response" in head and address and b" 200" in answer[:13]:
            yield address[1].decode(), body.removesuffix(b"\r\n\r\n")


def sites(captures: Path, most: int) -> list[Site]:
    """Files with rules, and URLs of their own patterns."""
    chance = random.Random(1)
    found = []
    for address, text in texts(captures):
        patterns = re.findall(rb"(?im)^\s*(?:dis)?allow:[ \t]*(/\S*)", text)
        if not patterns or robomaton.Robots(text).outcome != "rules":
            continue
        literals = [pattern.decode("utf-8", "ignore").replace("*", "x").rstrip("$") for pattern in patterns]
        urls = [address + chance.choice(literals) + chance.choice(TAILS) for _ in range(URLS)]
        found.append(Site(address, text, urls))
        if len(found) == most:
            break
    return found


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def each(questions: list[tuple[Callable[[str, str], bool], str]]) -> None:
    """Asks one by one."""
    for ask, url in questions:
        ask(url, AGENT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="?", type=Path, default=SAMPLE)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--sites", type=int, default=1000)
    parser.add_argument("--command", help="time `compile` of this command, too")
    arguments = parser.parse_args()

    asked = sites(arguments.captures, arguments.sites)
    theirs = [protego.Protego.parse(site.text.decode("utf-8-sig", "ignore")) for site in asked]
    ours = [robomaton.Protego.parse(site.text) for site in asked]
    their_parsers = [ProtegoRobotParser(site.text, None) for site in asked]
    our_parsers = [RobotParser(site.text) for site in asked]

    def questions(askers: list[Callable[[str, str], bool]]) -> list[tuple[Callable[[str, str], bool], str]]:
        return [(ask, url) for ask, site in zip(askers, asked) for url in site.urls]

    singles = {
        "protego: can_fetch": questions([each.can_fetch for each in theirs]),
        "robomaton: can_fetch": questions([each.can_fetch for each in ours]),
        "Scrapy with protego: allowed": questions([each.allowed for each in their_parsers]),
        "Scrapy with robomaton: allowed": questions([each.allowed for each in our_parsers]),
    }
    columns = [(mine.robots, pa.array(site.urls * REPEATED)) for mine, site in zip(ours, asked)]

    answers = {name: [ask(url, AGENT) for ask, url in of] for name, of in singles.items()}
    of_theirs, of_ours = answers["protego: can_fetch"], answers["robomaton: can_fetch"]
    differ = sum(a != b for a, b in zip(of_theirs, of_ours))
    batches = [flag for robots, column in columns for flag in robots.allowed_batch(column, AGENT).to_pylist()[:URLS]]
    assert batches == of_ours == answers["Scrapy with robomaton: allowed"], "ways of asking that must agree differ"
    print(f"{len(asked)} files, {len(of_ours)} questions; {differ} answers differ from protego's")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "race.rimg")
        summary = robomaton.compile([arguments.captures], path)
        image = robomaton.Image(path)
        urls = [url for site in asked for url in site.urls]
        by_image = [(image.allowed, url) for url in urls]
        in_order = pa.array(urls * REPEATED)
        shuffled = pa.array(random.Random(2).sample(urls * REPEATED, len(in_order)))
        timed: dict[str, tuple[Callable[[], object], int]] = {
            name: (lambda of=of: each(of), len(of)) for name, of in singles.items()
        }
        rows = sum(len(column) for _, column in columns)
        timed |= {
            "one file, Arrow: allowed_batch": (
                lambda: [robots.allowed_batch(column, AGENT) for robots, column in columns],
                rows,
            ),
            "the same on all cores": (
                lambda: [robots.allowed_batch(column, AGENT, threads=0) for robots, column in columns],
                rows,
            ),
            "image, Arrow in file order": (lambda: image.allowed_batch(in_order, AGENT), len(in_order)),
            "image, Arrow shuffled": (lambda: image.allowed_batch(shuffled, AGENT), len(in_order)),
            "the same, on all cores": (lambda: image.allowed_batch(shuffled, AGENT, threads=0), len(in_order)),
            "image, list": (lambda: image.allowed_batch(urls, AGENT), len(urls)),
            "image: allowed": (lambda: each(by_image), len(urls)),
        }
        rounds: dict[str, list[float]] = {name: [] for name in timed}
        for _ in range(arguments.rounds + 1):
            for name, (work, count) in timed.items():
                rounds[name].append(seconds(work) / count)
        medians = {name: statistics.median(times[1:]) for name, times in rounds.items()}
        base = medians["protego: can_fetch"]
        for name, median in medians.items():
            print(f"{name:<32} {median * 1e9:9.1f} ns {1e-6 / median:8.2f} M/s {base / median:8.1f} x")

        mine = [seconds(lambda: robomaton.compile([arguments.captures], path)) for _ in range(5)]
        print(f"compile, {summary['captures']} captures: {statistics.median(mine):.3f} s")
        if arguments.command:
            line = [arguments.command, "compile", str(arguments.captures), "-o", str(path)]
            command = [seconds(lambda: subprocess.run(line, check=True, stdout=subprocess.DEVNULL)) for _ in range(5)]
            print(f"the command: {statistics.median(command):.3f} s")


if __name__ == "__main__":
    sys.exit(main())
