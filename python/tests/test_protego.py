"""The class in the shape of protego's, beside protego itself.

They agree but where protego departs from RFC 9309, or the RFC is silent. Each kind of difference is a case below, by a small
text; on the files of the sample every difference is of one of these kinds, and they are counted.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from datetime import time

import pytest

import captures
import robomaton
from support import package

protego = package("protego")

HEADER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
SITE = "https://a.example"

#: What a text says of a path to an agent: the kind of difference, text, path, agent, and whether the RFC lets it through.
#: protego says the contrary.
DIFFERENCES = [
    # 2.2.3: `$` at the end is the end of the match. protego reads it as a dollar sign, too.
    ("dollar", "User-agent: *\nDisallow: /a$", "/a$", "x", True),
    ("dollar", "User-agent: *\nDisallow: /\nAllow: /a$", "/a$b", "x", False),
    # 2.2: a pattern begins with a slash. protego looks for a URL in the path.
    ("URL", "User-agent: *\nDisallow: https://a.example/x", "/https://a.example/x", "x", True),
    # Beyond the RFC: a URL in a rule may be one of the site of the text, which is not known.
    ("URL rule", "User-agent: *\nDisallow: https://a.example/x", "/x", "x", False),
    # Beyond the RFC: a slash that was forgotten is put in front. To protego such a pattern matches nothing.
    ("no slash", "User-agent: *\nDisallow: x", "/x", "x", False),
    # 2.2.4: other records do not end the names of a group. To protego Crawl-delay and unknown records do.
    ("other record", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /", "/x", "a", False),
    ("other record", "User-agent: a\nUnheard-of: 1\nUser-agent: b\nDisallow: /", "/x", "a", False),
    # 2.2.1: a name is a product token, and stands for itself. To protego all of the value is to stand in the agent, and may
    # be the beginning of a name.
    ("name", "User-agent: foo/2.0\nDisallow: /", "/x", "foo/1.0", False),
    ("name", "User-agent: foo bot\nDisallow: /", "/x", "foo", False),
    ("name", "User-agent: goog\nDisallow: /", "/x", "googlebot", True),
    ("name", "User-agent: foo*\nDisallow: /", "/x", "foobot", True),
    ("name", "User-agent: *foo\nDisallow: /", "/x", "foo", True),
    ("name", "User-agent: Mozilla/4.0 (compatible; Bar)\nDisallow: /", "/x", HEADER, False),
    # 2.2.2: an Allow is for what it matches. protego takes one of index.html for one of its folder.
    ("index", "User-agent: *\nDisallow: /\nAllow: /index.html", "/", "x", False),
    # 2.2.2: the longest match in octets of the path. protego counts `(`, `?` and others three times, as it encodes them.
    ("length", "User-agent: *\nAllow: /a*\nDisallow: /a(", "/a(", "x", True),
    # ... and matches within what it has encoded: the path is /%2A.
    ("encoded", "User-agent: *\nDisallow: /*A", "/*", "x", True),
    # 2.2.2: what is encoded and reserved is not what is not encoded.
    ("reserved", "User-agent: *\nDisallow: /a%3Db", "/a=b", "x", True),
    # 2.2.2: /robots.txt is allowed; with a query it is another URL.
    ("robots.txt", "User-agent: *\nDisallow: /", "/robots.txt?x", "x", False),
    # 2.2: a line ends with CR or LF. protego ends it with whatever ends a line of a str.
    ("line", "User-agent: *\nDisallow: /x\u2028Disallow: /y", "/y", "x", True),
    # 2.3: the text is UTF-8, and may begin with the mark of that. To protego it is part of the first word.
    ("mark", "\ufeffUser-agent: *\nDisallow: /x", "/x", "x", False),
]

#: What both say.
AGREED = [
    ("User-agent: *\nDisallow: /a$", "/a", "x", False),
    ("User-agent: *\nDisallow: /a$b", "/a$b", "x", False),
    ("User-agent: *\nDisallow: *x", "/ax", "x", False),
    ("User-agent: *\nDisallow: /x?", "/x?", "x", False),
    ("User-agent: *\nDisallow: /%7ea", "/~a", "x", False),
    ("User-agent: *\nDisallow: /a%2fb", "/a/b", "x", True),
    ("User-agent: *\nDisallow: /%C3%A9", "/é", "x", False),
    ("User-agent: *\nDisallow: /x # remark", "/x", "x", False),
    ("User-agent: *\nDisallow: /", "/robots.txt", "x", True),
    ("User-agent: *\nDisallow: /x\nAllow: /x", "/x", "x", True),
    ("User-agent: a\nSitemap: https://a.example/s\nUser-agent: b\nDisallow: /", "/x", "a", False),
    ("User-agent: a\nDisallow:\n\nUser-agent: *\nDisallow: /", "/x", "a", True),
    ("User-agent: a\nDisallow: /x\n\nUser-agent: A\nDisallow: /y", "/y", "a", False),
    ("User-agent: Mozilla\nDisallow: /", "/x", HEADER, False),
    ("User-agent: Googlebot\nDisallow: /", "/x", HEADER, False),
    ("User-agent: Googlebot\nDisallow: /\n\nUser-agent: Mozilla\nDisallow:", "/x", HEADER, False),
    ("User-agent: compatible\nDisallow: /\n\nUser-agent: *\nDisallow:", "/x", "(compatible)", False),
    ("User-agent: foo*\nDisallow: /", "/x", "foo", False),
    ("User agent: *\nDisalow /x", "/x", "x", False),
    ("<html>User-agent: *\nDisallow: /x", "/x", "x", True),
    ("User-agent: *\nDisallow: /", "/x", "", False),
]


@pytest.mark.parametrize(("kind", "text", "path", "agent", "allowed"), DIFFERENCES)
def test_a_difference(kind: str, text: str, path: str, agent: str, allowed: bool) -> None:
    assert robomaton.Protego.parse(text).can_fetch(SITE + path, agent) is allowed
    assert protego.Protego.parse(text).can_fetch(SITE + path, agent) is not allowed


@pytest.mark.parametrize(("text", "path", "agent", "allowed"), AGREED)
def test_what_both_say(text: str, path: str, agent: str, allowed: bool) -> None:
    for parser in (robomaton.Protego, protego.Protego):
        assert parser.parse(text).can_fetch(SITE + path, agent) is allowed


#: Crawl-delay, or another record that is no rule, before another name of the same group.
UNENDED = re.compile(
    r"^\s*(crawl-delay|request-rate)\b[^\n]*\n(\s*(#[^\n]*)?\n)*\s*user-agent", re.IGNORECASE | re.MULTILINE
)


def kind_of(text: str, path: str, agent: str) -> str:
    """The kind of difference that is expected of a question."""
    if "$" in path:
        return "dollar"
    if path.startswith("/http"):
        return "URL"
    if agent == HEADER and re.search(r"user-agent:\s*mozilla/", text, re.IGNORECASE):
        return "name"
    if "(" in path and re.search(r"^disallow: *\(", text, re.IGNORECASE | re.MULTILINE):
        return "no slash"
    if re.search(r"^disallow: *https?:", text, re.IGNORECASE | re.MULTILINE):
        return "URL rule"
    return "other record" if UNENDED.search(text) else "none"


def test_files_of_the_sample() -> None:
    agents = ["GPTBot", "bingbot/2.0", "nobody-names-me", HEADER, "CCBot/2.0 (https://commoncrawl.org/faq/)"]
    asked, differ, delays = 0, Counter(), Counter()
    for site, body in captures.texts().items():
        text = body.decode("utf-8-sig", "ignore")
        ours, theirs = robomaton.Protego.parse(text), protego.Protego.parse(text)
        assert list(ours.sitemaps) == list(theirs.sitemaps)
        assert ours.preferred_host == theirs.preferred_host
        paths = [*captures.targets(body), *captures.ODD]
        for agent in agents + captures.NAME.findall(text)[:3]:
            assert ours.request_rate(agent) == theirs.request_rate(agent)
            assert ours.visit_time(agent) == theirs.visit_time(agent)
            if ours.crawl_delay(agent) != theirs.crawl_delay(agent):
                delays[kind_of(text, "", agent)] += 1
            for path in paths:
                asked += 1
                if ours.can_fetch(site + path, agent) != theirs.can_fetch(site + path, agent):
                    differ[kind_of(text, path, agent)] += 1
    assert asked > 80_000
    assert differ == {"URL": 130, "URL rule": 130, "dollar": 2203, "name": 97, "no slash": 25, "other record": 208}
    assert delays == {"name": 1, "other record": 13}


def test_random_files() -> None:
    chance = random.Random(9309)
    pieces = ["a", "b", "ab", "/", "*", "=", "%61", ".", "_", "~", "-", "é", "%c3%a9"]
    names = ["*", "foobot", "bar", "baz-bot", "qux_"]
    agents = ["foobot", "Bar", "baz-bot/1.0", "Mozilla/5.0 (compatible; FooBot/2.1; +http://x)", "nobody", "qux_ bar"]

    def path(length: int) -> str:
        return "/" + "".join(chance.choices(pieces, k=chance.randrange(length)))

    allowed = 0
    for _ in range(4_000):
        lines = []
        for name in chance.sample(names, chance.randrange(1, 4)):
            lines.append(f"User-agent: {name}")
            lines += (f"{chance.choice(['Allow', 'Disallow'])}: {path(6)}" for _ in range(chance.randrange(1, 5)))
        text = "\n".join(lines)
        ours, theirs = robomaton.Protego.parse(text), protego.Protego.parse(text)
        for _ in range(10):
            url, agent = SITE + path(9).replace("*", "x"), chance.choice(agents)
            expected = theirs.can_fetch(url, agent)
            assert ours.can_fetch(url, agent) is expected, (text, url, agent)
            allowed += expected
    assert 20_000 < allowed < 39_000


@pytest.mark.parametrize(
    "value", ["0", "1", "1.5", "10", "0.25", "1000000000", "-1", "5s", "inf", "nan", "5,5", "x", ""]
)
def test_crawl_delay(value: str) -> None:
    text = f"User-agent: *\nCrawl-delay: {value}\n\nUser-agent: b\nDisallow: /\n"
    for agent in ("a", "b", HEADER):
        delay = robomaton.Protego.parse(text).crawl_delay(agent)
        assert delay == protego.Protego.parse(text).crawl_delay(agent)
        assert delay is None or isinstance(delay, float)


RATES = ["1/10", "1/10s", "1/1m", "2/1h", "3/15S", "60/60", "1/10s 1300-1659", "1/10 0900-1730", "1/10s 2300-0100"]


@pytest.mark.parametrize("value", [*RATES, "0/5", "1/0", "1/1.5", "x", "", "-1/5"])
def test_request_rate(value: str) -> None:
    text = f"User-agent: *\nRequest-rate: {value}\n"
    rate, theirs = robomaton.Protego.parse(text).request_rate("a"), protego.Protego.parse(text).request_rate("a")
    assert rate == theirs
    assert (rate is not None) is (value in RATES)
    assert rate is None or rate._asdict() == theirs._asdict()


@pytest.mark.parametrize(
    "value", ["0400-0845", "0400 0845", "2200-0400", "0000-2359", "0400-0400", "x", "2500-2600", ""]
)
def test_visit_time(value: str) -> None:
    text = f"User-agent: *\nVisit-time: {value}\n"
    times, theirs = robomaton.Protego.parse(text).visit_time("a"), protego.Protego.parse(text).visit_time("a")
    assert times == theirs
    assert times is None or times._asdict() == theirs._asdict()


#: Values that one of the two reads, or reads in another way: field, value, ours and theirs.
VALUES = [
    # Of several the longest; protego takes the last.
    ("crawl_delay", "Crawl-delay: 5\nCrawl-delay: 3", 5.0, 3.0),
    ("crawl_delay", "Crawl-delay: 1e3", None, 1000.0),
    # Delays are kept in thousandths, rounded up.
    ("crawl_delay", "Crawl-delay: 0.123456", 0.124, 0.123456),
    ("request_rate", "Request-rate: 1/1d", None, (1, 86400, None, None)),
    ("request_rate", "Request-rate: 10", (1, 10, None, None), None),
    ("request_rate", "Request-rate: 10/1m 13:00-16:59", (10, 60, time(13), time(16, 59)), None),
    ("request_rate", "Request-rate: 1/10s 1300 1659", (1, 10, time(13), time(16, 59)), (1, 10, None, None)),
    # Of several the slowest; protego takes the last.
    ("request_rate", "Request-rate: 1/10\nRequest-rate: 1/5", (1, 10, None, None), (1, 5, None, None)),
    ("visit_time", "Visit-time: 400-845", None, (time(4), time(8, 45))),
    ("visit_time", "Visit-time: 04:00-08:45", (time(4), time(8, 45)), None),
    ("visit_time", "Visit-time: 0400-0845 UTC", (time(4), time(8, 45)), None),
    # Of several the first; protego takes the last.
    ("visit_time", "Visit-time: 0100-0200\nVisit-time: 0300-0400", (time(1), time(2)), (time(3), time(4))),
]


@pytest.mark.parametrize(("field", "records", "ours", "theirs"), VALUES)
def test_values_that_differ(field: str, records: str, ours: object, theirs: object) -> None:
    text = f"User-agent: *\n{records}\n"
    assert getattr(robomaton.Protego.parse(text), field)("a") == ours
    assert getattr(protego.Protego.parse(text), field)("a") == theirs


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sitemap: https://a.example/1\nSitemap: https://a.example/2\nSitemap: https://a.example/1",
        "User-agent: *\nSitemap: /s.xml\nsite-map: b # c",
        "Host: a.example\nHost: b.example",
        "User-agent: *\nHOST: x # y",
        "Sitemap:",
    ],
)
def test_records_of_no_crawler(text: str) -> None:
    ours, theirs = robomaton.Protego.parse(text), protego.Protego.parse(text)
    assert list(ours.sitemaps) == list(theirs.sitemaps)
    assert ours.preferred_host == theirs.preferred_host


def test_a_host_without_a_name() -> None:
    assert robomaton.Protego.parse("Host:").preferred_host is None


def test_a_visit_time_of_the_whole_day() -> None:
    times = robomaton.Protego.parse("User-agent: *\nVisit-time: 0000-2400").visit_time("a")
    assert times != (time(0), time(0))


def test_texts_are_strings_or_bytes() -> None:
    assert not robomaton.Protego.parse(b"User-agent: *\nDisallow: /\xe9").can_fetch(f"{SITE}/%E9", "a")
    with pytest.raises(TypeError):
        robomaton.Protego.parse(None)
    with pytest.raises(TypeError):
        robomaton.Protego.parse("").can_fetch(None, "a")
    with pytest.raises(TypeError):
        robomaton.Protego.parse("").can_fetch("/", None)


def test_all_that_protego_has_is_here() -> None:
    theirs = {name for name in dir(protego.Protego) if not name.startswith("_")}
    assert theirs <= set(dir(robomaton.Protego.parse("")))


def test_what_is_explained_is_what_is_answered() -> None:
    robots = robomaton.Protego.parse("User-agent: Foobot\nDisallow: /").robots
    header = "Mozilla/5.0 (compatible; Foobot/1.0)"
    assert not robots.allowed("/x", header)
    assert robots.explain("/x", header).splitlines()[-1].startswith("verdict  disallowed")


#: URLs that are no whole ones of http, and what both take for the path.
PATHS = {
    "ftp://h/x": "/x",
    "FTP://u@h:21/x?q#f": "/x?q",
    "//h/x": "/x",
    "//h": "/",
    "///x": "/x",
    "https:///x": "/x",
    "http:/x": "/x",
    "http:x": "/x",
    "https://": "/",
    "mailto:x": "/x",
    "data:text/plain,x": "/text/plain,x",
    "file:///x": "/x",
    "x": "/x",
    "?x": "/?x",
    "": "/",
    " ftp://h/x": "/x",
    "ft\tp:/\n/h/x": "/x",
    "x-y+z.1://h/x": "/x",
    "1x://h/y": "/1x://h/y",
    "a/b://h/y": "/a/b://h/y",
    "javascript:ftp://h/x": "/ftp://h/x",
    "/x://h/y": "/x://h/y",
}


@pytest.mark.parametrize("url", PATHS)
def test_urls_that_are_not_of_http(url: str) -> None:
    path = PATHS[url]
    for rule in (f"User-agent: *\nDisallow: {path}$", f"User-agent: *\nDisallow: /\nAllow: {path}$"):
        for parser in (robomaton.Protego, protego.Protego):
            assert parser.parse(rule).can_fetch(url, "x") is ("Allow:" in rule)


@pytest.mark.parametrize("url", PATHS)
def test_no_url_is_allowed_where_protego_refuses(url: str) -> None:
    text = "User-agent: *\nDisallow: /"
    assert not robomaton.Protego.parse(text).can_fetch(url, "x")
    assert not protego.Protego.parse(text).can_fetch(url, "x")


class Own(robomaton.Protego):
    """Lets one more path through."""

    def can_fetch(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return url == "/own" or super().can_fetch(url, user_agent)


def test_a_subclass_may_override() -> None:
    rules = Own.parse("User-agent: *\nDisallow: /")
    assert type(rules) is Own
    assert rules.can_fetch("/own", "x") and not rules.can_fetch("/x", "x")
    assert not robomaton.Protego.can_fetch(rules, "/own", "x")


def test_the_class_itself_asks_the_native_object() -> None:
    rules = robomaton.Protego.parse("")
    assert rules.can_fetch.__self__ is rules.robots
