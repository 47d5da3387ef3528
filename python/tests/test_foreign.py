"""protego's and Scrapy's own tests pass with our shapes, but for those that are listed, each with its reason."""

from __future__ import annotations

from pathlib import Path

import foreign


def test_protegos_tests(tmp_path: Path) -> None:
    results = foreign.protego(tmp_path)
    assert len(results) > 4_300
    assert {test for test, passed in results.items() if not passed} == set(foreign.failing())


def test_what_protego_forbids_is_permitted_by_the_rfc_alone(tmp_path: Path) -> None:
    kinds = foreign.failing()
    permitted = [difference for difference in foreign.differences(tmp_path) if difference["ours"]]
    assert permitted
    for difference in permitted:
        assert "rfc" in kinds.get(difference["test"], {}), difference


def test_scrapys_tests(tmp_path: Path) -> None:
    results = foreign.scrapy(tmp_path)
    assert len(results) > 20
    listed = [test for kind in foreign.listed()["scrapy"] for test in kind["tests"]]
    assert sorted(test for test, passed in results.items() if not passed) == sorted(listed)


def test_each_difference_has_a_reason() -> None:
    for kind in foreign.listed()["difference"]:
        assert (
            {"where", "protego", "here"} <= set(kind) <= {"where", "protego", "here", "rfc", "sample", "protego_tests"}
        )
    assert all(kind["why"] for kind in foreign.listed()["scrapy"])


def test_what_is_counted_is_what_differs() -> None:
    assert sum(kind.get("sample", 0) for kind in foreign.listed()["difference"]) == 2793


def test_the_table_of_the_readme() -> None:
    text = foreign.README.read_text()
    assert foreign.with_table(text) == text
