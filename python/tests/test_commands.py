"""Tables, differences, reports and remarks out of Python: what the command says."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest

import captures
import robomaton
from robomaton import Image
from support import ACAP, run

TEXT = "User-agent: *\nDisalow: /x\nDisallow: /y\n\nUser-agent: Foobot\n"


@pytest.fixture
def images(tmp_path: Path) -> tuple[Path, Path]:
    """Two images of a few sites; GPTBot loses one of them."""
    paths = []
    for name, rule in (("old", "Allow"), ("new", "Disallow")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.example.txt").write_text(f"User-agent: GPTBot\n{rule}: /\n")
        (tmp_path / name / "b.example.txt").write_text("User-agent: *\nDisallow: /b\n")
        robomaton.compile([tmp_path / name], tmp_path / f"{name}.rimg")
        paths.append(tmp_path / f"{name}.rimg")
    return paths[0], paths[1]


def test_an_image_as_tables(images: tuple[Path, Path], tmp_path: Path) -> None:
    written = robomaton.export(images[0], tmp_path / "tables")
    assert [table.table for table in written] == [
        *("sites", "groups", "rules", "crawlers", "sitemaps", "extensions", "policy", "usages")
    ]
    assert all(table.file.stat().st_size > 0 and table.file.suffix == ".parquet" for table in written)
    assert written[0].rows == 2
    with Image(images[1]) as image:
        (policy,) = robomaton.export(
            image,
            tmp_path / "csv",
            tables=["policy"],
            format="csv",
            crawlers=["GPTBot", "*"],
            usages=["crawl", "train"],
        )
    rows = policy.file.read_text().splitlines()
    assert policy.rows == len(rows) - 1 == 2 * 2 * 2


def test_an_output_over_another_file_needs_force(images: tuple[Path, Path], tmp_path: Path) -> None:
    image = images[0].read_bytes()
    (tmp_path / "csv").mkdir()
    table = tmp_path / "csv" / "sites.csv"
    table.write_bytes(image)
    with pytest.raises(robomaton.Error, match="sites.csv: exists and is not"):
        robomaton.export(images[0], tmp_path / "csv", tables=["sites"], format="csv")
    with pytest.raises(robomaton.Error, match="is one of the inputs"):
        robomaton.report(images[0], images[0])
    assert (table.read_bytes(), images[0].read_bytes()) == (image, image)
    (written,) = robomaton.export(images[0], tmp_path / "csv", tables=["sites"], format="csv", force=True)
    assert written.file == table and len(table.read_text().splitlines()) == 3
    robomaton.report(images[1], images[0], force=True)
    assert images[0].read_text().startswith("<!DOCTYPE html>")


def test_tables_are_those_of_the_command(sample: Path, tmp_path: Path) -> None:
    ours = robomaton.export(sample, tmp_path / "ours", format="jsonl")
    theirs = run("export", sample, "--to", tmp_path / "theirs", "--format", "jsonl", "--json").splitlines()
    assert [table.table for table in ours] == [json.loads(line)["table"] for line in theirs]
    for table in ours:
        assert table.file.read_bytes() == (tmp_path / "theirs" / table.file.name).read_bytes()


def test_other_answers_about_uses(tmp_path: Path) -> None:
    paths = []
    for name, value in (("old", "yes"), ("new", "no")):
        text = f"User-agent: *\nContent-Signal: ai-train={value}\nAllow: /\n"
        captures = tmp_path / f"{name}.jsonl"
        captures.write_text(json.dumps({"url": "https://a.example/robots.txt", "body": text}))
        paths.append(tmp_path / f"{name}.rimg")
        run("compile", captures, "-o", paths[-1])
    (change,) = robomaton.diff(*paths, usages=["ai-train"])
    signals = ("content-signals",)
    assert change.change == "uses" and change.access == ()
    assert change.uses == (robomaton.Use("*", "ai-train", "all", "none", signals, signals, False, False),)


def test_what_changed(images: tuple[Path, Path]) -> None:
    (change,) = robomaton.diff(*images, crawlers=["GPTBot", "*"])
    assert (change.site, change.change, change.text_changed) == ("a.example", "rules", True)
    (access,) = change.access
    assert (access.crawler, access.usage, access.share_from, access.share_to) == ("GPTBot", "crawl", "all", "none")
    assert access.explicit_to and access.line_to == 2
    assert change.uses == ()
    assert robomaton.diff(images[0], images[0]) == []
    with Image(images[0]) as old, Image(images[1]) as new:
        assert robomaton.diff(old, new, crawlers=["GPTBot"]) == [change]
    with pytest.raises(dataclasses.FrozenInstanceError):
        change.site = "b.example"


def test_a_report(images: tuple[Path, Path], tmp_path: Path) -> None:
    robomaton.report(images[0], tmp_path / "report.html", sites=1)
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and len(page) > 10_000


def test_a_path_may_look_like_an_option(
    images: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.rename(images[0], "--json")
    assert robomaton.export("--json", "--to", tables=["sites"])[0].rows == 2
    assert Path("--to", "sites.parquet").exists()


def test_errors_of_commands(images: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        robomaton.export(tmp_path / "none.rimg", tmp_path / "tables")
    with pytest.raises(robomaton.ImageError):
        robomaton.diff(images[0], __file__)
    with pytest.raises(robomaton.Error, match="nowhere"):
        robomaton.export(images[0], tmp_path / "tables", tables=["nowhere"])
    with pytest.raises(robomaton.Error, match="report.html"):
        robomaton.report(images[0], tmp_path / "none" / "report.html")
    with pytest.raises(TypeError, match="crawlers: expected a list"):
        robomaton.diff(*images, crawlers="GPTBot")
    with pytest.raises(TypeError):
        robomaton.export(None, tmp_path)
    assert not (tmp_path / "tables").exists()


def test_remarks() -> None:
    misspelt, empty = robomaton.lint(TEXT)
    assert (misspelt.line, misspelt.column, misspelt.code) == (2, 1, "misspelled-key")
    assert misspelt.severity in ("warning", "note") and "disallow" in misspelt.message.lower()
    assert str(misspelt).startswith("2:1: ") and str(misspelt).endswith("[misspelled-key]")
    assert (empty.line, empty.code) == (5, "group-without-rules")
    assert robomaton.lint(TEXT.encode()) == [misspelt, empty]


def test_remarks_about_files_and_hosts() -> None:
    acap = "ACAP-permissions-reference: https://a.example/p.txt\n"
    assert robomaton.lint(acap, "https://a.example/") != robomaton.lint(acap, "https://b.example/")
    with pytest.raises(ValueError, match="^url: "):
        robomaton.lint("", "::")
    with pytest.raises(ValueError, match="^profile: "):
        robomaton.lint("", profile="none")
    with pytest.raises(TypeError, match="^text: expected str or bytes, not NoneType"):
        robomaton.lint(None)


#: Texts whose lines end otherwise, that have too much, or that are no text.
ODD = [
    b"\xef\xbb\xbfDisalow: /\rUser-agent: *\r\n\nDisallow /x",
    b"\xff\xfe\x00",
    b"<html><body>",
    b"User-agent: *\n" + b"Disallow: /x*y*z*a\n" * 70_000,
    b"User-agent: *\nDisallow: /" + b"x" * 600_000 + b"\nDisalow: /",
    b"\n" * 10_000 + b"Disalow: /",
    b"no colon",
]


def test_remarks_are_those_of_the_command(tmp_path: Path) -> None:
    texts = [*captures.texts().values(), *(path.read_bytes() for path in ACAP), *ODD]
    files = []
    for number, text in enumerate(texts):
        files.append(tmp_path / f"{number}.robots")
        files[-1].write_bytes(text)
    said: dict[str, list[dict]] = {}
    for line in run("lint", "--json", *files, codes=(0, 1)).splitlines():
        remark = json.loads(line)
        said.setdefault(remark.pop("file"), []).append(remark)
    assert sum(map(len, said.values())) > 100
    for file, text in zip(files, texts):
        ours = [dataclasses.asdict(remark) for remark in robomaton.lint(text)]
        assert ours == said.get(str(file), []), text[:200]
