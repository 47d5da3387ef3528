"""What type checkers make of the stubs: read by mypy and pyright, run by nobody."""

from __future__ import annotations

from datetime import datetime
from typing import Any, List, Literal, Tuple

import numpy as np
import polars as pl
import pyarrow as pa
from typing_extensions import assert_type

import robomaton

Verdict = Literal["allowed", "disallowed", "conditional", "unknown"]


def columns(image: robomaton.Image, robots: robomaton.Robots) -> None:
    for column in (pa.array(["/x"]), pa.chunked_array([["/x"]]), np.array(["/x"]), pl.Series(["/x"])):
        assert_type(image.allowed_batch(column, "GPTBot"), Any)
    # Of an argument whose type nobody knows, the answer is no list.
    assert_type(image.allowed_batch(pa.array(["/x"]), "GPTBot"), Any)
    assert_type(image.decide_batch(pa.array(["/x"]), agents=pa.array(["GPTBot"])), Any)
    assert_type(robots.allowed_batch(np.array(["/x"]), "GPTBot"), Any)


def lists(image: robomaton.Image, robots: robomaton.Robots) -> None:
    assert_type(image.allowed_batch(["/x"], ["googlebot-news", "googlebot"]), List[bool])
    assert_type(image.decide_batch(("/x",), agents=["GPTBot"]), List[Verdict])
    assert_type(robots.allowed_batch(["/x", None], "GPTBot", nulls="keep"), "List[bool | None]")
    assert_type(robots.decide_batch(iter(["/x"]), agents=("GPTBot",), nulls="error"), List[Verdict])


def sites(image: robomaton.Image) -> None:
    for site in image:
        assert_type(site, "dict[str, Any]")
    assert_type(len(image), int)


def stores(store: robomaton.Store, reader: robomaton.StoreReader, at: datetime) -> None:
    store.put("https://a.example/robots.txt", 200, b"", headers={"ETag": "x"}, fetched_at=at)
    store.put("https://a.example/robots.txt", 200, headers={b"ETag": [b"x"]}, fetched_at=1.5)
    reader.hand("https://a.example/robots.txt", 0, headers=[("ETag", b"x")])
    assert_type(store.state("https://a.example/", at).state, Literal["unknown", "fresh", "stale", "unreachable"])
    assert_type(reader.due(), List[Tuple[str, robomaton.SiteState]])
    assert_type(store.decide("https://a.example/", "GPTBot").verdict, Verdict)
    with robomaton.Store("crawl.store", durability=100) as opened:
        assert_type(opened, robomaton.Store)


class Own(robomaton.Protego):
    def can_fetch(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return super().can_fetch(url, user_agent)


class OwnRobots(robomaton.Robots):
    note = ""


def subclasses() -> None:
    assert_type(Own.parse("").can_fetch("/x", "GPTBot"), bool)
    assert_type(Own.parse(""), Own)
    assert_type(OwnRobots(""), OwnRobots)
