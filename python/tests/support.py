"""What tests need beside the package, and what becomes of them without it.

A package or a program that is not there skips the tests that need it and says so; with ROBOMATON_REQUIRE=1 it fails them.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Callable, NoReturn

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
SAMPLE = DATA / "sample.warc.gz"
#: Texts of ACAP of real sites.
ACAP = sorted((DATA / "acap").glob("*.txt"))
#: A site whose answers have conditions, and its text.
ACAP_SITE = "https://acap.example"
ACAP_TEXT = """##ACAP version=1.0
ACAP-crawler: *
ACAP-disallow-crawl: /private/
ACAP-allow-index: /news/ time-limit=3-days
ACAP-allow-present: /news/ max-length=250-chars
"""


def lacking(what: str) -> NoReturn:
    """Ends a test, or a file of tests, that needs something that is not there."""
    if os.environ.get("ROBOMATON_REQUIRE") == "1":
        pytest.fail(f"ROBOMATON_REQUIRE=1, but there is no {what}", pytrace=False)
    pytest.skip(f"there is no {what}", allow_module_level=True)


def package(name: str) -> ModuleType:
    """A package that the wheel does not depend on."""
    try:
        return importlib.import_module(name)
    except ImportError:
        lacking(f"package {name}")


def command() -> str:
    """The path of the command `robomaton`."""
    path = os.environ.get("ROBOMATON_COMMAND")
    if not path:
        lacking("command: ROBOMATON_COMMAND does not name it")
    return path


def ran_meanwhile(call: Callable[[], object]) -> tuple[int, float]:
    """The number of times that another thread ran while a call was made, and the seconds that it took."""
    counted, done = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    other = threading.Thread(target=count)
    other.start()
    before, begun = counted, time.monotonic()
    call()
    during, taken = counted - before, time.monotonic() - begun
    done.set()
    other.join()
    return during, taken


def run(*arguments: object, text: str | None = None, codes: tuple[int, ...] = (0,)) -> str:
    """What the command prints, if it ends with one of these codes."""
    called = [command(), *map(str, arguments)]
    ended = subprocess.run(called, input=text, capture_output=True, encoding="utf-8")
    assert ended.returncode in codes, ended.stderr
    return ended.stdout


def python(program: str, *arguments: object, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs a program in an interpreter of its own, which may crash."""
    called = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(called, capture_output=True, encoding="utf-8", timeout=timeout)
