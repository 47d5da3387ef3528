"""The test suites of protego and Scrapy, run against the shapes that this package has of their parsers.

Their source distributions lie in the folder that ROBOMATON_SDISTS names, as `pip download --no-binary :all: --no-deps` puts
them there; the tests in them are unpacked to a temporary folder and run by a pytest of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import tomllib

from support import lacking

#: What is listed of differences; README.md's table is made from it.
LISTED = Path(__file__).with_name("expected_failures.toml")
README = Path(__file__).parents[1] / "README.md"
#: Between these lines of README.md.
MARKS = ("<!-- the table of tests/expected_failures.toml -->", "<!-- its end -->")

#: Puts our class in the place of protego's before its tests are read. With a file of differences to write, the class of the
#: tests asks both, answers as protego does, so that every test goes on to its end, and notes where the two differ.
PROTEGO = """
import json, os
import protego, pytest, robomaton

class Both(protego.Protego):
    found = []

    @classmethod
    def parse(cls, content):
        rules = super().parse(content)
        rules.ours = robomaton.Protego.parse(content)
        return rules

    def can_fetch(self, url, user_agent):
        theirs, ours = super().can_fetch(url, user_agent), self.ours.can_fetch(url, user_agent)
        if ours != theirs:
            module, *names = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0].split("::")
            module = module.removeprefix("tests/").removesuffix(".py")
            test = "::".join([".".join([module, *names[:-1]]), names[-1]])
            self.found.append({"test": test, "url": url, "agent": user_agent, "ours": ours})
        return theirs

def pytest_sessionfinish():
    if out := os.environ.get("FOUND"):
        with open(out, "w") as file:
            json.dump(Both.found, file)

protego.Protego = Both if "FOUND" in os.environ else robomaton.Protego
"""

#: Scrapy's tests of any parser, and those of its middleware, with ours.
SCRAPY = """
from tests import test_downloadermiddleware_robotstxt as middleware, test_robotstxt_interface as interface
from robomaton.scrapy import RobotParser

class TestInterface(interface.BaseRobotParserTest):
    def setup_method(self):
        super()._setUp(RobotParser)

class TestMiddleware(middleware.TestRobotsTxtMiddleware):
    def setup_method(self):
        super().setup_method()
        self.crawler.settings.set("ROBOTSTXT_PARSER", "robomaton.scrapy.RobotParser")
"""


@cache
def listed() -> dict[str, list[dict[str, Any]]]:
    """What is listed: the kinds of `difference` from protego, in the order of the table, and tests of `scrapy`."""
    return tomllib.loads(LISTED.read_text())


def failing() -> dict[str, dict[str, Any]]:
    """protego's tests that fail, each with its kind of difference."""
    tests = [(test, kind) for kind in listed()["difference"] for test in kind.get("protego_tests", [])]
    assert len(tests) == len(dict(tests)), "a test is listed twice"
    return dict(tests)


def unpacked(name: str, to: Path) -> Path:
    """The tests of a source distribution in a folder."""
    folder = os.environ.get("ROBOMATON_SDISTS")
    found = sorted(Path(folder).glob(f"{name}-*.tar.gz")) if folder else []
    if len(found) != 1:
        lacking(f"source distribution of {name}: ROBOMATON_SDISTS does not name a folder with one")
    with tarfile.open(found[0]) as archive:
        archive.extractall(to, filter="data")
    return next(to.glob(f"{name}-*"))


def run(folder: Path, *arguments: str, **environment: str) -> dict[str, bool]:
    """Runs tests; tells of each whether it passed. Those that were skipped are not told of."""
    report = folder / "report.xml"
    called = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", f"--junitxml={report}"]
    ended = subprocess.run(
        [*called, *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        timeout=600,
    )
    # 0 and 1: all tests were run.
    assert ended.returncode in (0, 1), ended.stdout + ended.stderr
    results = {}
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("skipped") is None:
            name = f"{case.get('classname').removeprefix('tests.')}::{case.get('name')}"
            results[name] = case.find("failure") is None and case.find("error") is None
    return results


def protego(folder: Path) -> dict[str, bool]:
    """protego's tests with our class."""
    root = unpacked("protego", folder)
    # What is tested is what is installed.
    (root / "src").rename(root / "unused")
    (root / "tests" / "conftest.py").write_text(PROTEGO)
    return run(root, "tests")


def differences(folder: Path) -> list[dict[str, Any]]:
    """The questions of protego's tests that our class answers otherwise."""
    root = unpacked("protego", folder)
    (root / "src").rename(root / "unused")
    (root / "tests" / "conftest.py").write_text(PROTEGO)
    results = run(root, "tests", FOUND=str(root / "found.json"))
    assert all(results.values()), [test for test, passed in results.items() if not passed]
    return json.loads((root / "found.json").read_text())


def scrapy(folder: Path) -> dict[str, bool]:
    """Scrapy's tests of parsers and of its middleware, with our parser."""
    root = unpacked("scrapy", folder)
    (root / "scrapy").rename(root / "unused")
    (root / "tests" / "test_robomaton.py").write_text(SCRAPY)
    # Without Scrapy's reactor, which its tests need another plugin for.
    loop = "asyncio_default_fixture_loop_scope=function"
    return run(root, "--reactor=none", "-o", loop, "-o", "filterwarnings=", "tests/test_robomaton.py")


def table() -> str:
    """The table of README.md."""
    rows = ["| where protego 0.7 says otherwise | protego | here, and the section of RFC 9309 |", "|---|---|---|"]
    for kind in listed()["difference"]:
        count = f" ({kind['sample']:,} of the differences)" if "sample" in kind else ""
        rfc = f" ({kind['rfc']})" if "rfc" in kind else ""
        rows.append(f"| {kind['where']} | {kind['protego']}{count} | {kind['here']}{rfc} |")
    return "\n".join(rows) + "\n"


def with_table(text: str) -> str:
    """The text of README.md with the table as it is to be."""
    before, rest = text.split(MARKS[0] + "\n")
    return f"{before}{MARKS[0]}\n{table()}{rest[rest.index(MARKS[1]) :]}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text()))
