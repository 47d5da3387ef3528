"""What an agent may be: a name of any kind, a whole header, and crawlers that only heed groups that name them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import robomaton
from robomaton import Protego, Robots
from robomaton.scrapy import RobotParser

GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
ODD = ["360Spider", "008", "80legs", "404checker", "_x", "-y", ".z"]


@pytest.mark.parametrize("name", ODD)
def test_names_that_begin_with_no_letter(name: str) -> None:
    text = f"User-agent: {name}\nDisallow: /"
    assert not Protego.parse(text).can_fetch("https://a.example/x", name)
    assert not Protego.parse(text).can_fetch("https://a.example/x", f"Mozilla/5.0 (compatible; {name}/1.0)")
    assert not RobotParser.from_crawler(None, text.encode()).allowed("https://a.example/x", name)
    assert not Robots(text).allowed("/x", name)
    assert Robots(text).allowed("/x", "another")


def test_a_header_is_the_crawler_that_it_names(tmp_path: Path) -> None:
    text = "User-agent: GPTBot\nDisallow: /\nUser-agent: Mozilla\nAllow: /"
    captures = tmp_path / "a.jsonl"
    captures.write_text('{"url": "https://a.example/robots.txt", "body": %s}' % json.dumps(text))
    robomaton.compile([captures], tmp_path / "a.rimg")
    image = robomaton.Image(tmp_path / "a.rimg")
    assert not Robots(text).allowed("/x", GPTBOT)
    assert not image.allowed("https://a.example/x", GPTBOT)
    assert image.allowed_batch(["https://a.example/x"], GPTBOT) == [False]
    answer = image.decide("https://a.example/x", GPTBOT)
    assert (answer.choice, answer.name, answer.as_dict()["looked_for"]) == ("named", "gptbot", ["gptbot"])
    for ask in (Robots(text).allowed, image.allowed):
        with pytest.raises(ValueError, match="names no crawler"):
            ask("https://a.example/x", BROWSER)


def test_to_protego_every_word_of_a_header_is_a_name() -> None:
    rules = Protego.parse("User-agent: Mozilla\nDisallow: /")
    assert not rules.can_fetch("https://a.example/x", BROWSER)
    assert Protego.parse("User-agent: a\nDisallow: /").can_fetch("https://a.example/x", "()")


def test_to_protego_a_name_is_one_as_everywhere() -> None:
    acap = "ACAP-crawler: {}\nACAP-disallow-crawl: /\n\nUser-agent: *\nAllow: /"
    versions = "ACAP-crawler: *\nACAP-disallow-crawl: /\nACAP-crawler: Bot/1.0\nACAP-allow-crawl: /"
    conventional = "User-agent: foo\nDisallow: /"
    header = "Mozilla/5.0 (compatible; Bot/1.0)"
    asked = [(acap.format(name), name) for name in ("Acme News", header, "Bot/1.0")]
    asked += [(versions, "Bot/2.0"), *((conventional, f"foo{end}") for end in (":1.0", "+bar", "@x", "~", "/1.0"))]
    for text, name in asked:
        for robots in (Robots(text), Robots(text, headers=True), RobotParser(text.encode()).robots):
            assert not robots.allowed("/x", name), (text, name)
        assert not Protego.parse(text).can_fetch("https://a.example/x", name)
    assert not Robots(conventional, profile="google", headers=True).allowed("/x", "foo/1.0")


def test_only_groups_that_name_the_crawler_count(tmp_path: Path) -> None:
    text = "User-agent: *\nDisallow: /\nUser-agent: AdsBot-Google\nDisallow: /a"
    robots = Robots(text, named_only=True)
    for same in (robots, pickle.loads(pickle.dumps(robots))):
        assert same.allowed("/x", "GPTBot")
        assert not same.allowed("/a", "AdsBot-Google")
        assert same.decide("/x", "GPTBot").choice == "nobody"
    assert Robots(text).decide("/x", "GPTBot").choice == "default"
    captures = tmp_path / "a.jsonl"
    captures.write_text('{"url": "https://a.example/robots.txt", "body": %s}' % json.dumps(text))
    robomaton.compile([captures], tmp_path / "a.rimg")
    image = robomaton.Image(tmp_path / "a.rimg", named_only=True)
    for same in (image, pickle.loads(pickle.dumps(image))):
        assert same.allowed("https://a.example/x", "GPTBot")
        assert not same.allowed("https://a.example/a", "AdsBot-Google")
    assert not robomaton.Image(tmp_path / "a.rimg").allowed("https://a.example/x", "GPTBot")
