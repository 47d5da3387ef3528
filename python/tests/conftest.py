"""Fixtures: the image of the sample, compiled once, and the questions that are put to it."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

import captures
import robomaton
from support import ACAP, ACAP_TEXT, SAMPLE


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image of the sample, and of texts of ACAP. Tests that write to images take a copy."""
    folder = tmp_path_factory.mktemp("image")
    acap = folder / "acap.example.txt"
    acap.write_text(ACAP_TEXT)
    robomaton.compile([SAMPLE, *ACAP, acap], folder / "sample.rimg")
    return folder / "sample.rimg"


@pytest.fixture(scope="session")
def image(sample: Path) -> Iterator[robomaton.Image]:
    """The image of the sample, open."""
    with robomaton.Image(sample) as image:
        yield image


@pytest.fixture(scope="session")
def questions() -> list[captures.Question]:
    """Questions about every site of the sample."""
    return captures.questions()
