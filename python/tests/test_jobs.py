"""Images that the wheel makes: byte for byte those of the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import robomaton
from captures import Question
from support import ACAP, DATA, SAMPLE, run

#: Two crawls of the same sites.
CRAWLS = sorted((DATA / "common-crawl").glob("**/*.warc.gz"))


def timeless(summary: dict) -> dict:
    """A summary without its clocks."""
    return {key: value for key, value in summary.items() if "seconds" not in key}


OPTIONS: dict[str, tuple[dict, list[str]]] = {
    "default": ({}, []),
    "rfc9309": ({"profile": "rfc9309"}, ["--profile", "rfc9309"]),
    "google": ({"profile": "google"}, ["--profile", "google"]),
    "koster": ({"profile": "koster"}, ["--profile", "koster"]),
    "vocabulary": ({"vocabulary": ["cloudflare-2026-07"]}, ["--vocabulary", "cloudflare-2026-07"]),
    "control_tokens": ({"control_tokens": ["T=tdm:GPTBot"]}, ["--control-token", "T=tdm:GPTBot"]),
    "crawlers": ({"crawlers": ["GPTBot", "CCBot"]}, ["--crawler", "GPTBot", "--crawler", "CCBot"]),
    "no sources": ({"sources": False}, ["--no-sources"]),
    "pages": ({"pages": True}, ["--pages"]),
    "one thread": ({"threads": 1}, ["--threads", "1"]),
    "limits": (
        {"max_bytes": 2000, "max_groups": 3, "max_rules": 20, "max_stars": 5},
        ["--max-bytes", "2000", "--max-groups", "3", "--max-rules", "20", "--max-stars", "5"],
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_compiles_what_the_command_compiles(tmp_path: Path, name: str) -> None:
    keywords, options = OPTIONS[name]
    inputs = [SAMPLE, *ACAP]
    summary = robomaton.compile(inputs, tmp_path / "ours", **keywords)
    told = json.loads(run("compile", *inputs, "-o", tmp_path / "theirs", "--json", *options))
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    assert timeless(summary) == timeless(told)
    robomaton.Image(tmp_path / "ours").verify(texts=True)


def test_options_change_the_image(tmp_path: Path) -> None:
    images = set()
    for keywords, _ in OPTIONS.values():
        robomaton.compile([SAMPLE, *ACAP], tmp_path / "image", **keywords)
        images.add((tmp_path / "image").read_bytes())
    # There are no pages in the sample, and threads show in no image.
    assert len(images) >= len(OPTIONS) - 2


def test_shards_are_the_commands(tmp_path: Path, image: robomaton.Image, questions: list[Question]) -> None:
    robomaton.compile([SAMPLE], tmp_path / "ours", shards=3)
    run("compile", SAMPLE, "-o", tmp_path / "theirs", "--shards", "3")
    files = sorted(file.name for file in (tmp_path / "ours").iterdir())
    assert files == sorted(file.name for file in (tmp_path / "theirs").iterdir())
    assert len(files) == 3
    for file in files:
        assert (tmp_path / "ours" / file).read_bytes() == (tmp_path / "theirs" / file).read_bytes()
    with robomaton.Image(tmp_path / "ours") as shards:
        assert shards.nbytes == sum((tmp_path / "ours" / file).stat().st_size for file in files)
        shards.verify(texts=True)
        for question in questions[::10]:
            asked = (question.url, question.agent)
            assert shards.decide(*asked).as_dict() == image.decide(*asked).as_dict()


def test_byte_ranges_below_a_root(tmp_path: Path) -> None:
    index = DATA / "common-crawl" / "index.cdxj"
    summary = robomaton.compile([index], tmp_path / "ours", warc_root=DATA / "common-crawl")
    run("compile", index, "-o", tmp_path / "theirs", "--warc-root", DATA / "common-crawl")
    assert summary["sites"] > 0
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_inputs_of_any_kind_of_path(tmp_path: Path) -> None:
    for inputs in ([str(SAMPLE)], (SAMPLE,), iter([SAMPLE])):
        robomaton.compile(inputs, str(tmp_path / "image"))
        assert len(robomaton.Image(str(tmp_path / "image"))) == 302


def test_merging_gives_what_compiling_together_gives(tmp_path: Path) -> None:
    together, parts = tmp_path / "together", [tmp_path / "crawls", tmp_path / "sample", tmp_path / "acap"]
    robomaton.compile([*CRAWLS, SAMPLE, *ACAP], together)
    # The second crawl has a revisit of what the first captured: they stay together.
    for inputs, part in zip((CRAWLS, [SAMPLE], ACAP), parts):
        robomaton.compile(inputs, part)
    for order in (parts, parts[::-1], [*parts, parts[0]]):
        summary = robomaton.merge(order, tmp_path / "merged")
        told = json.loads(run("merge", *order, "-o", tmp_path / "theirs", "--json"))
        assert timeless(summary) == timeless(told)
        assert (tmp_path / "merged").read_bytes() == together.read_bytes()
        assert (tmp_path / "merged").read_bytes() == (tmp_path / "theirs").read_bytes()
    robomaton.merge(parts, tmp_path / "shards", shards=2)
    run("merge", *parts, "-o", tmp_path / "their-shards", "--shards", "2")
    for ours, theirs in zip(sorted((tmp_path / "shards").iterdir()), sorted((tmp_path / "their-shards").iterdir())):
        assert ours.read_bytes() == theirs.read_bytes()


def test_an_output_over_another_file_needs_force(tmp_path: Path) -> None:
    captures, other = tmp_path / "captures.warc.gz", tmp_path / "other"
    whole = SAMPLE.read_bytes()
    captures.write_bytes(whole)
    other.write_text("no image")
    for refused in (
        lambda: robomaton.compile([captures], captures),
        lambda: robomaton.compile([captures], other),
        lambda: robomaton.merge([tmp_path / "image"], other),
    ):
        robomaton.compile([captures], tmp_path / "image")
        with pytest.raises(robomaton.Error, match="exists and is not an image"):
            refused()
    assert (captures.read_bytes(), other.read_text()) == (whole, "no image")
    robomaton.compile([captures], other, force=True)
    image = (tmp_path / "image").read_bytes()
    assert other.read_bytes() == image
    other.write_text("no image")
    robomaton.merge([tmp_path / "image"], other, force=True)
    robomaton.Image(other).verify()
    robomaton.compile([captures], captures, force=True)
    assert captures.read_bytes() == image


def test_what_an_image_tells_of_itself(tmp_path: Path) -> None:
    robomaton.compile([SAMPLE], tmp_path / "image", profile="google")
    image = robomaton.Image(tmp_path / "image")
    assert image.profile == "google"
    assert image.nbytes == (tmp_path / "image").stat().st_size
    assert len(image) == 302
    assert not image.closed
    assert repr(image) == f'<robomaton.Image "{tmp_path / "image"}">'


@pytest.mark.parametrize("path", [str, Path])
def test_the_path_is_a_string(sample: Path, path: type) -> None:
    assert robomaton.Image(path(sample)).path == str(sample)
