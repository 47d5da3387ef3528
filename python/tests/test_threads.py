"""Many threads and processes ask at once; the interpreter is let go meanwhile; nothing is kept that is done with."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

import pytest

import robomaton
from captures import Question
from robomaton import Image, Robots
from support import SAMPLE, package, python, ran_meanwhile

THREADS = 8
URL = "https://www.ed.ac.uk/search/x"
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def at_once(work: Callable[[int], object]) -> list:
    """What the work gives on several threads, all of which begin together."""
    begun = threading.Barrier(THREADS)

    def run(number: int) -> object:
        begun.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def verdicts(image: Image, questions: list[Question]) -> list[str]:
    """The verdicts, one by one."""
    return [image.decide(url, agent, usage=usage, purpose=purpose).verdict for url, agent, usage, purpose in questions]


def test_threads_ask_one_by_one(sample: Path, questions: list[Question]) -> None:
    asked = questions[::20]
    image = Image(sample)
    expected = verdicts(Image(sample), asked)

    def work(number: int) -> bool:
        mixed = list(zip(asked, expected))
        random.Random(number).shuffle(mixed)
        return verdicts(image, [question for question, _ in mixed]) == [verdict for _, verdict in mixed]

    assert all(at_once(work))


def test_threads_ask_in_batches(image: Image, questions: list[Question]) -> None:
    urls = [question.url for question in questions]
    agents = ["GPTBot", "Googlebot", "*", "nobody"]
    expected = {agent: image.decide_batch(urls, agent) for agent in agents}
    told = at_once(lambda number: image.decide_batch(urls, agents[number % 4]))
    assert told == [expected[agents[number % 4]] for number in range(THREADS)]


def test_a_batch_on_several_threads(image: Image, questions: list[Question]) -> None:
    urls = [question.url for question in questions]
    robots = Robots("User-agent: *\nDisallow: /*a", URL)
    for asked in (image, robots):
        alone = asked.decide_batch(urls, "GPTBot")
        for threads in (0, 1, 2, 3, 7, 1_000):
            assert asked.decide_batch(urls, "GPTBot", threads=threads) == alone
            assert asked.decide_batch(urls[:5], "GPTBot", threads=threads) == alone[:5]
            assert asked.allowed_batch([], "GPTBot", threads=threads) == []


def test_threads_share_one_text(questions: list[Question]) -> None:
    robots = Robots("User-agent: a\nDisallow: /*a\n\nUser-agent: b\nDisallow: /*b\n", URL)
    urls = [question.url for question in questions[::20]]
    expected = {agent: [robots.allowed(url, agent) for url in urls] for agent in "ab"}
    # The agents alternate: what was resolved last is another's each time.
    told = at_once(lambda number: [robots.allowed(url, "ab"[number % 2]) for url in urls])
    assert told == [expected["ab"[number % 2]] for number in range(THREADS)]
    assert expected["a"] != expected["b"]


def test_an_image_is_closed_while_threads_ask(sample: Path, questions: list[Question]) -> None:
    urls = [question.url for question in questions[::20]]
    expected = Image(sample).decide_batch(urls, "GPTBot")
    for _ in range(10):
        image = Image(sample)

        def work(number: int, image: Image = image) -> str:
            try:
                while True:
                    if number == 0:
                        time.sleep(0.005)
                        image.close()
                    if number % 2:
                        assert image.decide_batch(urls, "GPTBot") == expected
                    else:
                        assert image.decide(urls[number], "GPTBot").as_dict()["verdict"] == expected[number]
            except ValueError as error:
                return str(error)

        assert at_once(work) == ["the image is closed"] * THREADS


def test_threads_compile(tmp_path: Path) -> None:
    at_once(lambda number: robomaton.compile([SAMPLE], tmp_path / f"image{number}"))
    images = {(tmp_path / f"image{number}").read_bytes() for number in range(THREADS)}
    assert len(images) == 1


def test_other_threads_go_on_during_a_batch() -> None:
    pa = package("pyarrow")
    robots = Robots("User-agent: *\n" + "".join(f"Disallow: /*{number}*x*y\n" for number in range(50)), URL)
    # Arrow's rows are read where they lie: all of the call is the batch.
    urls = pa.array([f"{URL}/{'x' * 1_000}/{number}" for number in range(1_000)] * 50)
    during, taken = ran_meanwhile(lambda: robots.allowed_batch(urls, "GPTBot"))
    # A call that kept the interpreter would let the other thread run at its two ends alone.
    assert taken > 0.05 and during > 10


def in_a_fork(work: Callable[[], bool]) -> bool:
    """Whether the work is well done in a child of this process, within a minute."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


@forks
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_fork_asks_and_compiles(tmp_path: Path, sample: Path, questions: list[Question]) -> None:
    asked = questions[::50]
    image = Image(sample)
    expected = verdicts(image, asked)
    # Whatever threads compiling and batches leave behind is there before the fork.
    before = robomaton.compile([SAMPLE], tmp_path / "before")["sites"]
    image.decide_batch([question.url for question in asked], "GPTBot", threads=0)

    def work() -> bool:
        again = verdicts(image, asked) == expected
        batch = image.decide_batch([URL] * 20_000, "GPTBot", threads=2) == ["disallowed"] * 20_000
        compiled = robomaton.compile([SAMPLE], tmp_path / "after")["sites"] == before
        merged = robomaton.merge([sample, tmp_path / "after"], tmp_path / "merged")["sites"] >= before
        image.close()
        return again and batch and compiled and merged

    assert in_a_fork(work)
    assert verdicts(image, asked) == expected
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()


@forks
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_fork_while_threads_ask(image: Image, questions: list[Question]) -> None:
    asked = questions[::50]
    expected, done = verdicts(image, asked), threading.Event()

    def ask() -> None:
        while not done.is_set():
            for number, (url, *_) in enumerate(asked):
                image.allowed(url, f"bot-{number % 50}")
            image.decide_batch([URL] * 1_000, "GPTBot")

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            assert in_a_fork(lambda: verdicts(image, asked) == expected)
    finally:
        done.set()
        for thread in threads:
            thread.join()


def ask_elsewhere(image: Image, url: str) -> dict:
    """What another process is asked to do."""
    return image.decide(url, "GPTBot").as_dict()


def test_an_image_goes_to_other_processes(sample: Path) -> None:
    image = Image(sample, now=1_566_259_300)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        told = pool.apply(ask_elsewhere, (image, URL))
    assert told == image.decide(URL, "GPTBot").as_dict()
    assert told["stale"] is False


def test_pickling_keeps_path_and_terms(tmp_path: Path) -> None:
    (tmp_path / "captures.jsonl").write_text('{"url": "a.example", "status": 403, "fetched_at": 1}')
    robomaton.compile([tmp_path / "captures.jsonl"], tmp_path / "image")
    image = Image(tmp_path / "image", on_forbidden="deny", now=5)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        other = pickle.loads(pickle.dumps(image, protocol))
        assert other.path == image.path
        assert not other.allowed("https://a.example/", "GPTBot")
        assert other.decide("https://a.example/", "GPTBot").as_dict()["stale"] is False
    data = pickle.dumps(image)
    (tmp_path / "image").unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(data)


#: Prints by how many bytes the process grew, from one round of questions to the next.
GROWTH = """
import gc, sys, robomaton
def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
path, url = sys.argv[1:]
image = robomaton.Image(path)
robots = robomaton.Robots("User-agent: *\\nDisallow: /search", url)
urls = [url] * 10_000
def ask(questions, batches):
    for number in range(questions):
        image.allowed(url, "GPTBot")
        image.decide(f"{url}/{number}", f"bot-{number % 100}").as_dict() if number % 10 == 0 else None
        robots.allowed(url, "a" if number % 2 else "b")
    for number in range(batches):
        image.decide_batch(urls, "GPTBot")
        robots.allowed_batch(urls, "GPTBot")
    for number in range(batches):
        robomaton.Image(path).explain(url, "GPTBot")
        robomaton.Protego.parse("User-agent: *\\nDisallow: /x").can_fetch(url, "a")
        try:
            image.decide_batch([url, None], "GPTBot")
        except ValueError:
            pass
ask(10_000, 20)
before = resident()
ask(100_000, 200)
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not tell the memory of a process")
def test_nothing_is_kept(sample: Path) -> None:
    ended = python(GROWTH, sample, URL)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert int(ended.stdout) < 4 << 20


LONG_NAMES = """
import sys, robomaton
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
path, url = sys.argv[1:]
image = robomaton.Image(path)
before = resident()
for number in range(500):
    image.allowed(url, "x" * 100_000 + str(number))
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not tell the memory of a process")
def test_long_names_do_not_fill_the_memory(sample: Path) -> None:
    ended = python(LONG_NAMES, sample, URL)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert int(ended.stdout) < 10 << 20


ASKS_WHEN_IT_GOES = """
import sys, robomaton
path, url = sys.argv[1:]
for asked in (robomaton.Image(path), robomaton.Robots("")):
    class Name(str):
        def __del__(self):
            asked.allowed(url, "another")
    asked.allowed(url, Name("one"))
    asked.allowed(url, "two")
"""


def test_a_name_that_asks_when_it_is_let_go(sample: Path) -> None:
    ended = python(ASKS_WHEN_IT_GOES, sample, URL, timeout=3)
    assert (ended.returncode, ended.stderr) == (0, "")
