"""The answers are those of the conformance file, which every reader gives."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Callable

import pytest

import robomaton
from support import DATA

#: The lines are of several kinds: each has the key of its kind, and none of those before it.
KINDS = ("patches", "answers", "known", "outcome", "url", "canonical")
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


def ask(image: robomaton.Image, line: dict) -> None:
    crawler, to = line["crawler"], {"usage": line["usage"], "purpose": line.get("purpose")}
    urls = [url for url, *_ in line["answers"]]
    told = [image.decide(url, crawler, document=line.get("document"), **to) for url in urls]
    assert [row(answer) for answer in told] == line["answers"]
    if "document" not in line:
        assert image.decide_batch(urls, crawler, **to) == [answer.verdict for answer in told]
        assert [image.allowed(url, crawler, **to) for url in urls] == [answer.allowed for answer in told]


def answers_are_equal(line: dict, _: Path) -> None:
    ask(image_of(line), line)


def misspelt_usages_are_refused(line: dict, _: Path) -> None:
    try:
        image_of(line).decide("http://a.example/", "a", usage=line["usage"])
        known = True
    except ValueError as error:
        assert "is not a known usage" in str(error)
        known = False
    assert known is line["known"]


def facts_of_sites_are_equal(line: dict, _: Path) -> None:
    image = image_of(line)
    url = line["site"] if "://" in line["site"] else f"http://{line['site']}"
    assert image.crawl_delay(url, line["crawler"]) == line["crawl_delay"]
    assert image.sitemaps(url) == line["sitemaps"]
    site = image.site(url)
    assert site is not None
    fetched = site["fetched_at"] and datetime.fromisoformat(site["fetched_at"]).timestamp()
    facts = (site["site"], site["outcome"], site["status"] or 0, fetched, site["fresh_for"])
    assert facts == tuple(line[key] for key in ("site", "outcome", "status", "fetched_at", "fresh_for"))


def sites_of_urls_are_equal(line: dict, _: Path) -> None:
    image = image_of(line)
    assert (image.decide(line["url"], "a").basis == "no-url") is (line["site"] is None)
    # Without `://`, `site` takes a text for a host.
    if line["site"] is not None and "://" in line["url"]:
        site = image.site(line["url"])
        assert site is not None
        assert (site["site"], site["fresh_for"]) == (line["site"], line["fresh_for"])


def damage_is_found(line: dict, folder: Path) -> None:
    damaged = bytearray((DATA / "conformance" / line["image"]).read_bytes())
    for at, text in line["patches"]:
        put = bytes.fromhex(text)
        damaged[at : at + len(put)] = put
    path = folder / "damaged.rimg"
    path.write_bytes(damaged[: line.get("length")])
    opens, rule = False, None
    try:
        with robomaton.Image(path) as image:
            opens = True
            if "answers" in line:
                ask(image, line)
            image.verify(texts=True)
    except robomaton.ImageError as error:
        rule = error.rule
    assert (opens, rule) == (line["opens"], line["rule"])


#: How this reader asks each kind of lines.
ASKED: dict[str, Callable[[dict, Path], None]] = {
    "patches": damage_is_found,
    "answers": answers_are_equal,
    "known": misspelt_usages_are_refused,
    "outcome": facts_of_sites_are_equal,
    "url": sites_of_urls_are_equal,
}


def kind_of(line: dict) -> str:
    return next(kind for kind in KINDS if kind in line)


@pytest.mark.parametrize("kind", ASKED)
def test_lines_are_answered(kind: str, tmp_path: Path) -> None:
    for line in LINES:
        if kind_of(line) == kind:
            try:
                ASKED[kind](line, tmp_path)
            except AssertionError as error:
                raise AssertionError(f"{line}: {error}") from error


def test_lines_that_are_not_asked_are_listed() -> None:
    listed = json.loads((DATA / "conformance-unasked.json").read_text(encoding="utf-8"))
    unasked = {row["lines"]: row["count"] for row in listed if "Python" in row["readers"]}
    counts = Counter(map(kind_of, LINES))
    assert {kind: count for kind, count in counts.items() if kind not in ASKED} == unasked
    assert set(ASKED) <= set(counts)
