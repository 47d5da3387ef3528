"""Past one machine: Apache Spark around `compile`, `merge` and `Image`.

Captures → parts → image: executors compile lists of files to images, the parts, in a folder that all machines see, and the
driver merges them. What comes out is, byte for byte, what one machine makes of all captures, if what redirects and references
lead to is in the same part as the site, and no two captures of a site were made in the same second. Image → rows: an executor
maps the image once in each Python worker, and asks it about whole Arrow batches.

A part is a function of its captures and options, and so is its name; it appears whole or not at all. Tasks that Spark
repeats, or runs twice at a time, write the same bytes to the same name. It knows no format and no rule.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import json
import os
import random
import shutil
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Union

import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext, SparkFiles
from pyspark.sql import SparkSession

import robomaton

__all__ = ["Part", "add_verdicts", "compile", "compile_partition", "filter_urls"]

Path = Union[str, os.PathLike[str]]
"""What names a file."""

Fetch = Callable[[str, str], str]
"""Puts what a path names into a folder, and returns the name of the file there."""

Batches = Iterator[pa.RecordBatch]
"""What `DataFrame.mapInArrow` hands to a function, and takes back."""

OPTIONS = frozenset(inspect.signature(robomaton.compile).parameters) - {
    *("inputs", "output", "shards", "allow_empty", "force"),
}
"""The options of `robomaton.compile` that speak of a part as of the whole."""

VERDICTS = (*robomaton.VERDICTS, None)
"""What a row may get; None is for a URL that is null."""


class Part(NamedTuple):
    """One image of some of the captures."""

    path: str
    summary: dict[str, Any]
    """As `robomaton.compile` returns it."""


def compile(
    spark: SparkSession | SparkContext,
    paths: Iterable[Path],
    output: Path,
    *,
    to: Path,
    partitions: int | None = None,
    shards: int | None = None,
    fetch: Fetch | None = None,
    allow_empty: bool = False,
    force: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Compiles files on executors, merges their parts on the driver, and writes the image to `output`, on the driver.

    `to` is a folder that the driver and all executors see under one name; the parts stay there. `partitions` is how many
    parts there are, by default four for each core that Spark knows of; files that stand beside each other in `paths` share a
    part. Without `fetch`, paths are names of files on every machine. Relative names, that of `warc_root` too, are meant from
    the driver's current folder. `force` is that of `robomaton.merge`, and `options` are those of `compile_partition`.

    Returns the summary of `robomaton.merge`, with the sums of `captures` and `skipped` (by reason), and `parts`.
    """
    _check_options(options)
    # Executors work in folders of their own.
    to, root = os.path.abspath(to), os.path.abspath(options.get("warc_root") or ".")
    names = _names(paths)
    if not names:
        raise ValueError("no path to compile")
    if not fetch:
        names = [os.path.abspath(name) for name in names]
    if partitions is not None and partitions < 1:
        raise ValueError(f"partitions is {partitions}, and at least 1 is needed")
    os.makedirs(to, exist_ok=True)
    context = spark.sparkContext if isinstance(spark, SparkSession) else spark
    count = min(len(names), partitions or 4 * context.defaultParallelism)
    slices = [names[len(names) * i // count : len(names) * (i + 1) // count] for i in range(count)]
    task = functools.partial(compile_partition, to=to, fetch=fetch, **{**options, "warc_root": root})
    try:
        parts = context.parallelize(slices, count).flatMap(task).collect()
    except Py4JJavaError as error:
        raise robomaton.Error(f"an executor failed: {_cause(error)}") from error
    for part in parts:
        if not os.path.exists(part.path):
            raise robomaton.Error(f"{part.path} is not seen by the driver; {to} must be one folder for all machines")
    summaries = [part.summary for part in parts]
    if not allow_empty and not any(summary["sites"] or summary["data_txt"] for summary in summaries):
        raise robomaton.Error("the paths contain no capture of a robots.txt; allow_empty=True writes an empty image")
    skipped = sum((Counter(summary["skipped"]) for summary in summaries), Counter())
    return {
        **robomaton.merge([part.path for part in parts], output, shards=shards, force=force),
        "captures": sum(summary["captures"] for summary in summaries),
        "skipped": dict(skipped),
        "parts": parts,
    }


def compile_partition(paths: Iterable[Path], to: Path, *, fetch: Fetch | None = None, **options: Any) -> list[Part]:
    """Compiles files to one part in the folder `to`, for `RDD.mapPartitions`: one part, or none if there is no path.

    A part without captures is an image that holds nothing. What is read and written until the part is whole lies on the
    executor's own disk. `options` are those of `robomaton.compile`, such as `profile` and `crawlers`; `threads` is 1 by
    default, since Spark gives a task one core.
    """
    _check_options(options)
    names = _names(paths)
    if not names:
        return []
    if not os.path.isdir(to):
        raise robomaton.Error(f"no folder {to} on this machine; all machines must see it under this name")
    options = {"threads": 1, **options}
    part = os.path.join(to, _part_name(names, options))
    with tempfile.TemporaryDirectory(prefix="robomaton-", dir=_scratch()) as scratch:
        files = (
            [_fetched(fetch, name, os.path.join(scratch, str(i))) for i, name in enumerate(names)] if fetch else names
        )
        image = os.path.join(scratch, "image")
        try:
            summary = robomaton.compile(files, image, allow_empty=True, **options)
        except (robomaton.Error, OSError) as error:
            said = str(error)
            for file, name in zip(files, names):
                said = said.replace(file, name)
            raise robomaton.Error(f"cannot compile {len(names)} files, the first {names[0]}: {said}") from error
        _publish(image, part)
    return [Part(part, summary)]


def filter_urls(
    agent: str | Sequence[str],
    *,
    image: str,
    column: str = "url",
    usage: str = "crawl",
    purpose: str | None = None,
    keep: Iterable[str | None] = ("allowed",),
) -> Callable[[Batches], Batches]:
    """A function for `DataFrame.mapInArrow` that keeps the rows whose URL has one of the verdicts `keep`.

    `image` is the name of a file that `SparkContext.addFile` brought to the executors, or an absolute path that all of them
    see. A row whose URL is null has no verdict, and goes as with SQL's WHERE, unless None is one of `keep`.
    """
    kept = list(keep)
    for verdict in kept:
        if verdict not in VERDICTS:
            raise ValueError(f"no verdict {verdict!r}; there are {', '.join(map(str, VERDICTS))}")

    def kept_rows(batches: Batches) -> Batches:
        for batch in batches:
            verdicts = _verdicts(batch, column, image, agent, usage, purpose)
            # pyarrow makes its functions when it is imported.
            wanted = pc.is_in(verdicts, value_set=pa.array(kept, pa.string()))  # pyright: ignore[reportAttributeAccessIssue]
            yield batch.filter(wanted)

    return kept_rows


def add_verdicts(
    agent: str | Sequence[str],
    *,
    image: str,
    column: str = "url",
    usage: str = "crawl",
    purpose: str | None = None,
    name: str = "verdict",
) -> Callable[[Batches], Batches]:
    """A function for `DataFrame.mapInArrow` that adds a last column, of strings: the verdict of each row, null where the URL
    is. The rest is as with `filter_urls`."""

    def rows(batches: Batches) -> Batches:
        for batch in batches:
            if name in batch.schema.names:
                raise ValueError(f"there is a column {name!r} already")
            verdicts = _verdicts(batch, column, image, agent, usage, purpose)
            yield pa.RecordBatch.from_arrays([*batch.columns, verdicts], names=[*batch.schema.names, name])

    return rows


def _verdicts(
    batch: pa.RecordBatch,
    column: str,
    image: str,
    agent: str | Sequence[str],
    usage: str,
    purpose: str | None,
) -> pa.Array:
    """The verdict of each row as a string, null where the URL is null."""
    if batch.schema.names.count(column) != 1:
        raise ValueError(f"not one column {column!r} among {', '.join(batch.schema.names)}")
    urls = batch.column(batch.schema.get_field_index(column))
    verdicts = _image(image).decide_batch(urls, agent, usage=usage, purpose=purpose, nulls="keep")
    return verdicts.cast(pa.string())


@functools.cache
def _image(name: str) -> robomaton.Image:
    """An image, opened once in a process: Spark gives a Python worker one task after the other."""
    # An absolute path stays what it is.
    return robomaton.Image(SparkFiles.get(name))


def _names(paths: Iterable[Path]) -> list[str]:
    # A string can be gone through, too, and its first letter may well be the root of the machine.
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError("expected a list of paths, not a single one")
    return [os.fspath(path) for path in paths]


def _check_options(options: dict[str, Any]) -> None:
    for name in options:
        if name not in OPTIONS:
            raise TypeError(f"no option {name!r} here, only {', '.join(sorted(OPTIONS))}")


def _part_name(names: list[str], options: dict[str, Any]) -> str:
    """The name of a part: another one for other files and for other options, but for threads, which make no difference."""
    said = {name: value for name, value in options.items() if name != "threads"}
    text = json.dumps([names, said], sort_keys=True, default=os.fspath)
    return f"part-{hashlib.sha256(text.encode()).hexdigest()[:16]}.rimg"


def _scratch() -> str | None:
    """One of the folders that Spark gives an executor for such ends, if it does."""
    folders = [folder for folder in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if folder]
    return random.choice(folders) if folders else None


def _fetched(fetch: Fetch, name: str, folder: str) -> str:
    """The file that a path names, in a folder of its own."""
    os.mkdir(folder)
    try:
        return os.fspath(fetch(name, folder))
    except Exception as error:
        raise robomaton.Error(f"cannot fetch {name}: {error}") from error


def _publish(file: str, path: str) -> None:
    """Copies a file to where others see it, whole or not at all."""
    folder, name = os.path.split(path)
    new = os.path.join(folder, f".{name}.{uuid.uuid4().hex}")
    try:
        with open(file, "rb") as source, open(new, "xb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
            target.flush()
            os.fsync(target.fileno())
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)
        raise


def _cause(error: Py4JJavaError) -> str:
    """What a job failed of: the last line of the Python traceback in Spark's message, or else Spark's own first line."""
    message = str(error.java_exception.getMessage())
    before_java = message.partition("\n\tat ")[0].partition("\nDriver stacktrace:")[0]
    return before_java.strip().splitlines()[-1]
