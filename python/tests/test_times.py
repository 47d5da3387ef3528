"""A permission that has ended is none, also for an image or a store that was open before."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import time
from email.utils import formatdate
from pathlib import Path

import pytest

import robomaton
from robomaton import Image, StoreReader

PAGE = "https://a.example/page"


@pytest.fixture
def ending(tmp_path: Path) -> tuple[Path, int]:
    """An image with a page that is available for some seconds, and the time until which it is."""
    end = int(time.time()) + 3
    tag = f"unavailable_after: {formatdate(end, usegmt=True)}"
    robots = "User-agent: *\nContent-Usage: search=y\nAllow: /\n"
    lines = [
        {"url": "https://a.example/robots.txt", "body": robots},
        {"url": PAGE, "headers": {"Content-Type": "text/html", "X-Robots-Tag": tag}, "body": "<html></html>"},
    ]
    captures, image = tmp_path / "captures.jsonl", tmp_path / "image.rimg"
    captures.write_text("".join(json.dumps({**line, "status": 200, "fetched_at": end - 60}) + "\n" for line in lines))
    robomaton.compile([captures], image, pages=True)
    return image, end


def verdicts(of: Image | StoreReader) -> set[str]:
    """The answer of every question about one URL."""
    answer = of.decide(PAGE, "bot", usage="index")
    return {answer.verdict, answer.as_dict()["verdict"], *of.decide_batch([PAGE], "bot", usage="index")}


def test_what_ends_while_it_is_open(ending: tuple[Path, int]) -> None:
    path, end = ending
    image, before, after = Image(path), Image(path, now=end - 1), Image(path, now=end + 1)
    known = [image.decide(PAGE, "bot", usage="index"), before.decide(PAGE, "bot", usage="index")]
    assert [answer.verdict for answer in known] == ["conditional"] * 2
    time.sleep(max(0.0, end + 1.2 - time.time()))
    for of in (image, after, pickle.loads(pickle.dumps(image))):
        assert verdicts(of) == {"disallowed"}
        assert "disallowed" in of.explain(PAGE, "bot", usage="index")
    # A time that was given stays, and so does an answer.
    assert verdicts(before) == {"conditional"} == {answer.as_dict()["verdict"] for answer in known}
    image.close()
    with pytest.raises(ValueError, match="the image is closed"):
        image.allowed(PAGE, "bot")


def test_what_has_ended_in_a_store(ending: tuple[Path, int], tmp_path: Path) -> None:
    path, end = ending
    store = tmp_path / "crawl.store"
    subprocess.run([sys.executable, "-m", "robomaton", "store", "seed", store, path], check=True, capture_output=True)
    with StoreReader(store) as reader:
        assert verdicts(reader) == {"conditional"}
        time.sleep(max(0.0, end + 1.2 - time.time()))
        assert verdicts(reader) == {"disallowed"}
        assert "disallowed" in reader.explain(PAGE, "bot", usage="index")
