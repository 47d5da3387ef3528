"""The answers are those of the conformance file, which every reader gives."""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache

import pytest

import robomaton
from support import DATA

LINES = [json.loads(line) for line in (DATA / "conformance.jsonl").read_text(encoding="utf-8").splitlines()]
pytestmark = pytest.mark.filterwarnings(r"ignore:[\s\S]*the answer is unknown:UserWarning")


@lru_cache(maxsize=None)
def opened(name: str, elements: bool, named_only: bool) -> robomaton.Image:
    """An image of the file."""
    return robomaton.Image(DATA / "conformance" / name, elements=elements, named_only=named_only)


def image_of(line: dict) -> robomaton.Image:
    """The image of a line, as the file asks it."""
    return opened(line["image"], line.get("elements", False), line.get("named_only", False))


def row(answer: robomaton.Answer) -> list:
    """An answer as the file has it."""
    told = answer.as_dict()
    basis = answer.basis if told["outcome"] is None or answer.basis != "outcome" else f"outcome:{told['outcome']}"
    row: list = [answer.url, answer.decision, basis]
    lines = [rule["line"] for rule in told["rules"]]
    more = [*answer.conditions, *(["incomplete"] if answer.incomplete else [])]
    if lines or more:
        row.append(lines)
    if more:
        row.append(more)
    return row


def test_answers_are_equal() -> None:
    asked = 0
    for line in LINES:
        if "answers" not in line:
            continue
        image, crawler = image_of(line), line["crawler"]
        to = {"usage": line["usage"], "purpose": line.get("purpose")}
        urls = [url for url, *_ in line["answers"]]
        told = [image.decide(url, crawler, document=line.get("document"), **to) for url in urls]
        assert [row(answer) for answer in told] == line["answers"], line
        if "document" not in line:
            assert image.decide_batch(urls, crawler, **to) == [answer.verdict for answer in told]
            assert [image.allowed(url, crawler, **to) for url in urls] == [answer.allowed for answer in told]
        asked += len(urls)
    assert asked > 5_000


def test_misspelt_usages_are_refused() -> None:
    asked = 0
    for line in LINES:
        if "known" not in line:
            continue
        try:
            image_of(line).decide("http://a.example/", "a", usage=line["usage"])
            known = True
        except ValueError as error:
            assert "is not a known usage" in str(error)
            known = False
        assert known is line["known"], line
        asked += 1
    assert asked > 50


def test_facts_of_sites_are_equal() -> None:
    asked = 0
    for line in LINES:
        if "outcome" not in line:
            continue
        image = image_of(line)
        url = line["site"] if "://" in line["site"] else f"http://{line['site']}"
        assert image.crawl_delay(url, line["crawler"]) == line["crawl_delay"]
        assert image.sitemaps(url) == line["sitemaps"]
        site = image.site(url)
        assert site is not None
        fetched = site["fetched_at"] and datetime.fromisoformat(site["fetched_at"]).timestamp()
        facts = (site["site"], site["outcome"], site["status"] or 0, fetched, site["fresh_for"])
        keys = ("site", "outcome", "status", "fetched_at", "fresh_for")
        assert facts == tuple(line[key] for key in keys)
        asked += 1
    assert asked > 50


def test_urls_without_a_site_have_no_answer() -> None:
    image = opened("small.rimg", False, False)
    for line in LINES:
        if "url" in line:
            assert (image.decide(line["url"], "a").basis == "no-url") is (line["site"] is None), line["url"]
