"""The examples of README.md do what it says."""

from __future__ import annotations

import doctest
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "tests" / "data" / "sample.warc.gz", tmp_path)
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(ROOT / "python" / "README.md"), module_relative=False)
    assert tried > 10 and not failed
