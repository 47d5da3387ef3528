"""Texts, and what is made of them, go through pickle and copy: with their options, and with what subclasses add."""

from __future__ import annotations

import copy
import pickle
from typing import Any, Callable

import pytest

from robomaton import Protego, Robots
from support import package

COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda thing, protocol=protocol: pickle.loads(pickle.dumps(thing, protocol))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
}
TEXT = "User-agent: Foobot\nDisallow: /private\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /\n"
HEADER = "Mozilla/5.0 (compatible; Foobot/1.0)"


@pytest.fixture(params=COPIES)
def copied(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    """A way to copy."""
    return COPIES[request.param]


class Noted(Robots):
    """Has a dictionary of its own."""

    note = "none"


class Counting(Protego):
    """Counts what it is asked."""

    def __init__(self, robots: Robots) -> None:
        super().__init__(robots)
        self.asked = 0

    def can_fetch(self, url: str | bytes, user_agent: str | bytes) -> bool:
        self.asked += 1
        return super().can_fetch(url, user_agent)


def test_a_text_is_copied_with_its_options(copied: Callable[[Any], Any]) -> None:
    acap = "##ACAP version=1.0\nACAP-crawler: *\nACAP-disallow-crawl: https://a.example/x\nACAP-resource-set: s ref=/s.txt\n"
    for text, keywords in [
        (TEXT, {"headers": True}),
        (TEXT, {"headers": False, "url": "https://a.example/x"}),
        (b"User-agent: *\nDisallow: /\xe9\xff", {"profile": "google"}),
        ("User-agent: *\nDisallow: /%61", {"profile": "koster", "url": b"http://a.example"}),
        (acap, {"url": "https://a.example/", "files": {"/s.txt": "/b\n", "/t.txt": b"\xff"}}),
    ]:
        robots = Robots(text, **keywords)
        again = copied(robots)
        assert type(again) is Robots and again is not robots
        assert again.__getnewargs_ex__() == robots.__getnewargs_ex__()
        for url in ("https://a.example/x", "/private", "/a", "/%E9%FF"):
            for agent in ("Foobot", HEADER if keywords.get("headers") else "other"):
                assert again.explain(url, agent) == robots.explain(url, agent)
                assert again.allowed(url, agent) == robots.allowed(url, agent)


def test_options_make_a_difference(copied: Callable[[Any], Any]) -> None:
    assert copied(Robots(TEXT, headers=True)).allowed("/x", HEADER)
    assert not copied(Robots(TEXT)).allowed("/x", "Mozilla")


def test_a_subclass_of_robots_keeps_its_attributes(copied: Callable[[Any], Any]) -> None:
    robots = Noted(TEXT, headers=True)
    robots.note = "mine"
    again = copied(robots)
    assert type(again) is Noted and again.note == "mine"
    assert not again.allowed("/private", HEADER)


def test_protego(copied: Callable[[Any], Any]) -> None:
    again = copied(Protego.parse(TEXT))
    assert type(again) is Protego
    assert again.can_fetch("https://a.example/x", HEADER) and not again.can_fetch("https://a.example/private", HEADER)
    assert again.crawl_delay("Foobot") == 3
    # What answers is its own text.
    assert again.can_fetch.__self__ is again.robots


def test_a_subclass_of_protego(copied: Callable[[Any], Any]) -> None:
    rules = Counting.parse(TEXT)
    assert not rules.can_fetch("/private", "Foobot")
    again = copied(rules)
    assert type(again) is Counting and again.asked == 1
    assert not again.can_fetch("/private", "Foobot")
    assert (rules.asked, again.asked) == (1, 2)


def test_the_parser_of_scrapy(copied: Callable[[Any], Any]) -> None:
    parser = package("robomaton.scrapy").RobotParser(TEXT.encode())
    again = copied(parser)
    assert again.allowed("https://a.example/x", HEADER) and not again.allowed("https://a.example/private", HEADER)


def test_a_pickle_is_about_as_long_as_the_text() -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: /{number}\n" for number in range(10_000))
    assert len(text) < len(pickle.dumps(Robots(text))) < len(text) + 300
    assert len(text) < len(pickle.dumps(Protego.parse(text))) < len(text) + 500
