"""The sites of an image, one after another."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import robomaton
from robomaton import Image


def key(site: dict[str, Any]) -> str | None:
    """A site's URL; of one without a robots.txt that of its data.txt."""
    return site.get("site") or site["data_txt"]["site"]


def test_sites_are_as_site_gives_them(image: Image) -> None:
    sites = list(image)
    assert len(sites) == len(image) > 300
    assert all(site == image.site(site["site"]) for site in sites)
    hosts = [site["site"].split("://")[-1] for site in sites]
    assert hosts == sorted(hosts) and len({site["site"] for site in sites}) == len(sites)


def test_a_site_has_its_documents(tmp_path: Path) -> None:
    captures = tmp_path / "captures.jsonl"
    captures.write_text(
        '{"url": "https://a.example/robots.txt", "body": "User-agent: *\\nDisallow: /x"}\n'
        '{"url": "https://a.example/data.txt", "body": "User-agent: *\\nDisallow: /y"}\n'
        '{"url": "https://b.example/data.txt", "body": "User-agent: *\\nDisallow: /z"}\n'
        '{"host": "c.example", "body": "User-agent: *\\nDisallow:"}\n'
    )
    robomaton.compile([captures], tmp_path / "a.rimg")
    with Image(tmp_path / "a.rimg") as image:
        sites = list(image)
        assert sorted(map(key, sites)) == sorted(["https://a.example", "https://b.example/data.txt", sites[-1]["site"]])
        assert sites[0]["data_txt"]["site"] == "https://a.example/data.txt"
        assert all(site == image.site(url) for site, url in zip(sites, ("https://a.example", "https://b.example")))
        assert len(image) == 4


def test_shards(sample: Path, tmp_path: Path, image: Image) -> None:
    robomaton.merge([sample], tmp_path / "shards", shards=3)
    with Image(tmp_path / "shards") as shards:
        assert [site["site"] for site in shards] == [site["site"] for site in image]


def test_two_at_once(image: Image) -> None:
    first, second = iter(image), iter(image)
    assert next(first) == next(second) and next(first) == next(second)
    assert iter(first) is first
    assert len(list(first)) == len(list(second)) == len(image) - 2
    assert next(first, None) is None


def test_threads_share_the_sites_of_one(image: Image) -> None:
    sites, found = iter(image), []
    threads = [threading.Thread(target=lambda: found.extend(site["site"] for site in sites)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(site["site"] for site in image)


def test_sites_hold_a_closed_image_open(sample: Path) -> None:
    image = Image(sample)
    sites = iter(image)
    image.close()
    assert len(list(sites)) > 300
    with pytest.raises(ValueError, match="closed"):
        iter(image)
