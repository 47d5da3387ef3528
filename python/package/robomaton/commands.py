"""What the command does with images and texts, for Python: tables, differences, a report, and remarks about a text.

`export`, `diff` and `report` run the command of this package in a process of its own, so they are the command; `lint` asks the
native module.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Literal, Sequence, Union

from robomaton._robomaton import Error, Image, _lint

__all__ = ["Access", "Change", "Place", "Remark", "Table", "Use", "diff", "export", "lint", "report"]

_Image = Union[str, "os.PathLike[str]", Image]
_Share = Literal["none", "some", "all", "unknown"]


@dataclass(frozen=True)
class Table:
    """A table that was written."""

    table: str
    rows: int
    file: Path


@dataclass(frozen=True)
class Access:
    """Who may use more or less of a site than before."""

    crawler: str
    usage: str
    share_from: _Share
    share_to: _Share
    #: Whether a group names the crawler.
    explicit_from: bool
    explicit_to: bool
    #: The line of the rule for all of the site, if there is one.
    line_from: int | None
    line_to: int | None


@dataclass(frozen=True)
class Use:
    """Who gets another answer about a usage of a site, such as ai-train, than before."""

    crawler: str
    usage: str
    share_from: _Share
    share_to: _Share
    #: The languages that state something about the usage.
    languages_from: tuple[str, ...]
    languages_to: tuple[str, ...]
    #: Whether a part of the site is permitted under conditions only.
    conditional_from: bool
    conditional_to: bool


@dataclass(frozen=True)
class Change:
    """A site that changed."""

    site: str
    change: Literal["added", "gone", "outcome", "rules", "uses", "records", "text"]
    outcome_from: str | None
    outcome_to: str | None
    text_changed: bool | None
    access: tuple[Access, ...]
    uses: tuple[Use, ...]


@dataclass(frozen=True)
class Place:
    """A place in a text, in bytes: line and column from 1, start and end from 0."""

    line: int
    column: int
    start: int
    end: int
    message: str


@dataclass(frozen=True)
class Remark(Place):
    """What there is to say about a place of a text."""

    severity: Literal["error", "warning", "note"]
    code: str
    #: The number of the rule it rests on, as in RULES.md.
    source: str
    #: Another place that explains this one.
    second: Place | None

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity}: {self.message} [{self.code}]"


def export(
    images: _Image | Iterable[_Image],
    to: str | os.PathLike[str],
    *,
    tables: Sequence[str] = (),
    format: Literal["parquet", "csv", "jsonl"] = "parquet",
    crawlers: Sequence[str] = (),
    usages: Sequence[str] = (),
    force: bool = False,
) -> list[Table]:
    """Writes an image, or several over time, as tables into a folder; `tables` are some of them, else all.

    The table `policy` says how much of each site each crawler may use: the well-known ones for crawling, unless `crawlers` and
    `usages` name others. `force` replaces files that are inputs, or no tables.
    """
    options = [*_each("--table", tables), *_about(crawlers, usages), *_each("--format", [format]), *_force(force)]
    lines = _run("export", _paths(images), "--json", *_each("--to", [to]), *options)
    rows = map(json.loads, lines.splitlines())
    return [Table(row["table"], row["rows"], Path(row["file"])) for row in rows]


def diff(old: _Image, new: _Image, *, crawlers: Sequence[str] = (), usages: Sequence[str] = ()) -> list[Change]:
    """The sites that two images differ in, which crawlers may use more or less of them, and who gets other answers about uses."""
    lines = _run("diff", [_path(old), _path(new)], "--json", *_about(crawlers, usages))
    changes = map(json.loads, lines.splitlines())
    return [_change(change) for change in changes]


def _change(change: dict[str, Any]) -> Change:
    access = tuple(Access(**access) for access in change["access"])
    return Change(**{**change, "access": access, "uses": tuple(map(_use, change["uses"]))})


def _use(use: dict[str, Any]) -> Use:
    languages = {key: tuple(use[key]) for key in ("languages_from", "languages_to")}
    return Use(**{**use, **languages})


def report(
    images: _Image | Iterable[_Image],
    output: str | os.PathLike[str],
    *,
    title: str | None = None,
    sites: int | None = None,
    force: bool = False,
) -> None:
    """Writes one HTML page with pictures of what an image holds, or several over time; `sites` are in its search at most.

    `force` replaces a file that is an input, or no such page.
    """
    options = [
        *_each("--title", [] if title is None else [title]),
        *_each("--sites", [] if sites is None else [str(sites)]),
        *_force(force),
    ]
    _run("report", _paths(images), *_each("--output", [output]), *options)


def lint(
    text: str | bytes,
    url: str | bytes | None = None,
    *,
    profile: Literal["full", "rfc9309", "google", "koster"] = "full",
    files: dict[str, str | bytes] | None = None,
) -> list[Remark]:
    """What there is to say about a robots.txt, in the order of places; `url` is a URL of its site, `files` as of `Robots`."""
    return [_remark(remark) for remark in _lint(text, url, profile, files)]


def _remark(remark: dict[str, Any]) -> Remark:
    second = remark["second"]
    return Remark(**{**remark, "second": second and Place(**second)})


def _path(image: _Image) -> str:
    if not isinstance(image, Image):
        # What is wrong with it is an error of its kind.
        with Image(image) as opened:
            image = opened
    # An option begins with a dash.
    return os.path.join(os.curdir, image.path) if image.path.startswith("-") else image.path


def _paths(images: Any) -> list[str]:
    if isinstance(images, (str, os.PathLike, Image)):
        return [_path(images)]
    return [_path(image) for image in images]


def _each(option: str, values: Iterable[object]) -> list[str]:
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{option.lstrip('-')}s: expected a list of names, not a single one")
    return [f"{option}={os.fspath(value)}" for value in values]  # type: ignore[call-overload]


def _force(force: bool) -> list[str]:
    return ["--force"] if force else []


def _about(crawlers: Sequence[str], usages: Sequence[str]) -> list[str]:
    return [*_each("--crawler", crawlers), *_each("--usage", usages)]


def _run(command: str, paths: list[str], *options: str) -> str:
    """What the command prints; what it complains of is an error."""
    called = [sys.executable, "-m", "robomaton", command, *options, *paths]
    ended = subprocess.run(called, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace")
    if ended.returncode != 0:
        said = ended.stderr.strip() or f"the command ended with {ended.returncode}"
        raise Error(said.removeprefix("robomaton: "))
    return ended.stdout
