"""`robomaton.spark` on a cluster of two executors that Spark starts on this machine, one of which is killed.

Needs pyspark 3.5, pyarrow, pandas and Java; without them the tests are skipped, unless ROBOMATON_REQUIRE=1 says that they must
run.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

LACKING = [name for name in ("pyspark", "pyarrow", "pandas") if importlib.util.find_spec(name) is None]
LACKING += [] if shutil.which("java") or os.environ.get("JAVA_HOME") else ["java"]
if LACKING:
    if os.environ.get("ROBOMATON_REQUIRE") == "1":
        raise RuntimeError(f"ROBOMATON_REQUIRE=1, but there is no {', '.join(LACKING)}")
    pytest.skip(f"no {', '.join(LACKING)}", allow_module_level=True)

import pyarrow as pa
import pyspark
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType

import robomaton
import robomaton.spark
import warc_split

DATA = Path(__file__).parents[2] / "tests" / "data"
SOURCES = [DATA / "sample.warc.gz", *sorted(DATA.glob("common-crawl/**/*.warc.gz"))]
AGENT = ["GPTBot", "CCBot"]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """Two executors of one core each, with workers of this Python that find the modules that this process finds."""
    # Executors work in a folder of the home, which must not be that of the installed package.
    home = tmp_path_factory.mktemp("spark")
    for name in ("bin", "jars", "sbin"):
        (home / name).symlink_to(Path(pyspark.__file__).parent / name)
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    options = {
        "spark.driver.extraJavaOptions": quick,
        "spark.driver.host": "127.0.0.1",
        "spark.executor.extraJavaOptions": quick,
        "spark.executor.memory": "512m",
        "spark.local.dir": str(home),
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        session = builder.config(map=options).getOrCreate()
        yield session
        session.stop()


@pytest.fixture(scope="module")
def groups():
    found = warc_split.groups(record for source in SOURCES for record in warc_split.records(source))
    # Else the condition of merging would be held by chance.
    assert any(record.target not in (None, record.host) for group in found for record in group)
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The image that one machine makes of all captures, and what it says of them."""
    path = tmp_path_factory.mktemp("whole") / "whole.rimg"
    summary = robomaton.compile(SOURCES, path)
    assert summary["references"] == {"found": 0, "missing": 0, "over_limit": 0}
    assert summary["revisits"] == 1
    return path, summary


@pytest.fixture(scope="module")
def urls(groups):
    """URLs of all sites and of none, with nulls among them."""
    hosts = [group[0].host for group in groups] + ["nobody.example"]
    paths = ("", "search/x", "admin/", "wp-admin/a.php", "images/a.png?b=c", "de/")
    found = [f"https://{host}/{path}" for host in hosts for path in paths]
    return [None if number % 100 == 7 else url for number, url in enumerate(found)]


def faulty(marks: Path, kills: str, fails: str):
    """A fetch that ends the executor's JVM at one path and fails at another, the first time, and marks every attempt."""

    def first_time(what):
        try:
            (marks / what).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def parent(process):
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])

    def fetch(path, folder):
        # The JVM starts a daemon, and that its workers.
        jvm = parent(os.getppid())
        (marks / f"{os.path.basename(path)} {TaskContext.get().attemptNumber()} {jvm}").touch()
        if path == kills and first_time("killed"):
            os.kill(jvm, signal.SIGKILL)
            os._exit(1)
        if path == fails and first_time("failed"):
            raise OSError("the network is away")
        return shutil.copy(path, folder)

    return fetch


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="the JVM of a worker is found by /proc")
def test_an_executor_is_killed_and_the_image_is_the_same(session, groups, whole, tmp_path):
    nothing = tmp_path / "nothing.warc"
    nothing.touch()
    files = [nothing, *warc_split.split(groups, tmp_path, 8)]
    marks = tmp_path / "marks"
    marks.mkdir()
    # Slices of nine files in five: the first holds nothing, and those of two files are hit at the second.
    kills, fails = str(files[4]), str(files[8])
    to, image = tmp_path / "parts", tmp_path / "image.rimg"

    fetch = faulty(marks, kills, fails)
    summary = robomaton.spark.compile(session, map(str, files), image, to=to, partitions=5, fetch=fetch)

    executors = session.sparkContext._jsc.sc().statusStore().executorList(False)
    lost = [executors.apply(i) for i in range(executors.size()) if not executors.apply(i).isActive()]
    assert lost
    attempts = [mark.name.split() for mark in marks.glob("*.warc.gz *")]
    of_killed = {(attempt, jvm) for name, attempt, jvm in attempts if name == os.path.basename(kills)}
    assert {attempt for attempt, _ in of_killed} >= {"0", "1"}
    assert len({jvm for _, jvm in of_killed}) >= 2, "the second attempt was made elsewhere"
    of_failed = {attempt for name, attempt, _ in attempts if name == os.path.basename(fails)}
    assert len(of_failed) >= 2

    path, expected = whole
    assert image.read_bytes() == path.read_bytes()
    assert summary["captures"] == expected["captures"] > 300
    assert summary["sites"] == expected["sites"]
    assert [part.summary["captures"] > 0 for part in summary["parts"]] == [False, True, True, True, True]
    assert sorted(os.listdir(to)) == sorted(os.path.basename(part.path) for part in summary["parts"])


def test_a_failure_names_the_path(session, groups, tmp_path):
    present, missing = *warc_split.split(groups, tmp_path, 1), tmp_path / "missing.warc.gz"
    image = tmp_path / "image.rimg"
    with pytest.raises(robomaton.Error, match=f"an executor failed: .*{missing}.*No such file"):
        robomaton.spark.compile(session, [present, missing], image, to=tmp_path / "parts")

    def fetch(path, folder):
        raise OSError("forbidden")

    with pytest.raises(robomaton.Error, match="cannot fetch s3://crawl/1.warc.gz: forbidden"):
        robomaton.spark.compile(session, ["s3://crawl/1.warc.gz"], image, to=tmp_path / "parts", fetch=fetch)
    assert not image.exists()


def test_no_other_file_is_replaced_unless_asked(session, tmp_path):
    image, to = tmp_path / "image.rimg", tmp_path / "parts"
    image.write_text("a file of another kind")
    with pytest.raises(robomaton.Error):
        robomaton.spark.compile(session, SOURCES, image, to=to)
    assert image.read_text() == "a file of another kind"
    robomaton.spark.compile(session, SOURCES, image, to=to, force=True)
    assert len(robomaton.Image(image)) > 0


def test_what_is_skipped_is_counted(session, tmp_path):
    bytes = SOURCES[0].read_bytes()
    files = [tmp_path / "1.warc.gz", tmp_path / "2.warc.gz"]
    files[0].write_bytes(bytes[: len(bytes) // 2])
    files[1].write_bytes(bytes[: len(bytes) // 3])
    image, alone = tmp_path / "image.rimg", tmp_path / "alone.rimg"
    summary = robomaton.spark.compile(session, files, image, to=tmp_path / "parts", partitions=2)
    expected = robomaton.compile(files, alone)
    # The record that is cut in one file is whole in the other.
    assert summary["skipped"] == expected["skipped"] == {"gzip": 2, "record-cut": 2}
    assert summary["captures"] == expected["captures"] > 0
    assert len(summary["parts"]) == 2


def test_no_capture_at_all(session, tmp_path):
    nothing, image = tmp_path / "nothing.warc", tmp_path / "image.rimg"
    nothing.touch()
    with pytest.raises(robomaton.Error, match="no capture"):
        robomaton.spark.compile(session, [nothing], image, to=tmp_path / "parts")
    assert not image.exists()
    summary = robomaton.spark.compile(session.sparkContext, [nothing], image, to=tmp_path / "parts", allow_empty=True)
    assert summary["sites"] == 0 and image.exists()


def test_the_filter_equals_one_machine(session, whole, urls):
    path, _ = whole
    session.sparkContext.addFile(str(path))
    rows = session.createDataFrame(list(enumerate(urls)), "id long, url string").repartition(6).cache()

    def kept(**options):
        keep = robomaton.spark.filter_urls(AGENT, image=path.name, **options)
        return {row.id for row in rows.mapInArrow(keep, rows.schema).collect()}

    asked = [(number, url) for number, url in enumerate(urls) if url is not None]
    answers = robomaton.Image(path).allowed_batch(pa.array([url for _, url in asked]), AGENT)
    allowed = {number for (number, _), answer in zip(asked, answers.to_pylist()) if answer}
    assert 0 < len(allowed) < len(asked) < len(urls)
    assert kept() == allowed
    rest = ("disallowed", "conditional", "unknown", None)
    assert kept(keep=rest) == set(range(len(urls))) - allowed

    keep = robomaton.spark.filter_urls(AGENT, image=path.name)

    def watched(batches):
        for _ in keep(batches):
            info = robomaton.spark._image.cache_info()
            task = TaskContext.get().partitionId()
            row = {"worker": [os.getpid()], "task": [task], "opened": [info.misses], "asked": [info.hits + info.misses]}
            yield pa.RecordBatch.from_pydict(row)

    seen = rows.mapInArrow(watched, "worker long, task long, opened long, asked long").collect()
    workers = {row.worker for row in seen}
    assert len(workers) < len({row.task for row in seen}) == 6, "a worker has several tasks"
    for worker in workers:
        assert len({row.opened for row in seen if row.worker == worker}) == 1, "and maps the image for the first alone"
        assert len({row.asked for row in seen if row.worker == worker}) > 1


def test_verdicts_from_shards(session, whole, urls, tmp_path):
    shards = tmp_path / "shards"
    robomaton.merge([whole[0]], shards, shards=3)
    rows = session.createDataFrame(list(enumerate(urls)), "id long, url string")
    add = robomaton.spark.add_verdicts("GPTBot", image=str(shards), name="may")
    schema = StructType([*rows.schema.fields, StructField("may", StringType())])
    found = {row.id: row.may for row in rows.mapInArrow(add, schema).collect()}

    asked = [url for url in urls if url is not None]
    verdicts = iter(robomaton.Image(shards).decide_batch(pa.array(asked), "GPTBot").to_pylist())
    assert found == {number: None if url is None else next(verdicts) for number, url in enumerate(urls)}
    assert set(found.values()) == {"allowed", "disallowed", "unknown", None}


def test_a_column_that_is_not_there(session, whole):
    rows = session.createDataFrame([("https://www.ed.ac.uk/",)], "url string")
    keep = robomaton.spark.filter_urls("GPTBot", image=str(whole[0]), column="link")
    with pytest.raises(Exception, match="not one column 'link' among url"):
        rows.mapInArrow(keep, rows.schema).collect()
    add = robomaton.spark.add_verdicts("GPTBot", image=str(whole[0]), name="url")
    with pytest.raises(Exception, match="there is a column 'url' already"):
        rows.mapInArrow(add, rows.schema).collect()


def test_a_part_is_the_same_each_time(tmp_path):
    def compiled(**options):
        [part] = robomaton.spark.compile_partition([SOURCES[0]], tmp_path, **options)
        return part.path

    with ThreadPoolExecutor(2) as pool:
        paths = {task.result() for task in [pool.submit(compiled) for _ in range(4)]}
    [path] = paths
    bytes = Path(path).read_bytes()
    assert compiled(threads=2) == path and Path(path).read_bytes() == bytes
    assert compiled(crawlers=["GPTBot"]) != path
    assert compiled(profile="google") != path
    assert Path(path).read_bytes() == bytes
    assert len(os.listdir(tmp_path)) == 3, "and nothing else is left"


def test_a_part_of_no_path_and_a_folder_that_is_not_there(tmp_path):
    assert robomaton.spark.compile_partition([], tmp_path) == []
    with pytest.raises(robomaton.Error, match=f"no folder {tmp_path}/none on this machine"):
        robomaton.spark.compile_partition([SOURCES[0]], tmp_path / "none")
    assert os.listdir(tmp_path) == []


def test_what_is_no_option_is_refused_on_the_driver(tmp_path):
    with pytest.raises(TypeError, match="no option 'shard' here"):
        robomaton.spark.compile(None, SOURCES, tmp_path / "image.rimg", to=tmp_path, shard=2)
    with pytest.raises(ValueError, match="no path"):
        robomaton.spark.compile(None, [], tmp_path / "image.rimg", to=tmp_path)
    with pytest.raises(ValueError, match="partitions is 0"):
        robomaton.spark.compile(None, SOURCES, tmp_path / "image.rimg", to=tmp_path, partitions=0)
    with pytest.raises(ValueError, match="no verdict 'allow'"):
        robomaton.spark.filter_urls("GPTBot", image="image.rimg", keep=["allow"])


def test_a_single_path_is_no_list(session, tmp_path):
    for paths in ("/x.warc.gz", b"/x.warc.gz", tmp_path):
        with pytest.raises(TypeError, match="not a single one"):
            robomaton.spark.compile_partition(paths, tmp_path)
        with pytest.raises(TypeError, match="not a single one"):
            robomaton.spark.compile(session, paths, tmp_path / "image", to=tmp_path)
