"""WARC files → more WARC files that hold the same records, for tests of merging.

Records of hosts that lead to each other stand in the same file: those of one host, and those of a redirect and of its target.
So what the files give, merged, must equal what they give together. It knows no references but redirects.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit


class Record(NamedTuple):
    """A record as it stands in the file, and what of it leads to a host."""

    content: bytes
    host: str
    target: str | None
    """The host that a redirect leads to."""


def records(file: Path) -> Iterator[Record]:
    """The records of a WARC file that are about a URL."""
    with gzip.open(file) as stream:
        data = stream.read()
    start = 0
    while start < len(data):
        head_end = data.index(b"\r\n\r\n", start)
        fields = _fields(data[start:head_end])
        block_end = head_end + 4 + int(fields["content-length"])
        block = data[head_end + 4 : block_end]
        end = block_end + 4
        if "warc-target-uri" in fields:
            url = fields["warc-target-uri"]
            http = _fields(block.partition(b"\r\n\r\n")[0]) if fields["warc-type"] == "response" else {}
            target = urlsplit(urljoin(url, http["location"])).netloc if "location" in http else None
            yield Record(data[start:end], urlsplit(url).netloc, target)
        start = end


def groups(found: Iterable[Record]) -> list[list[Record]]:
    """The records in groups, none of which leads to another."""
    leads_to: dict[str, str] = {}

    def first(host: str) -> str:
        while leads_to.setdefault(host, host) != host:
            host = leads_to[host]
        return host

    kept = list(found)
    for record in kept:
        leads_to[first(record.target or record.host)] = first(record.host)
    by_host: dict[str, list[Record]] = {}
    for record in kept:
        by_host.setdefault(first(record.host), []).append(record)
    return list(by_host.values())


def split(parts: Iterable[list[Record]], folder: Path, count: int) -> list[Path]:
    """Writes groups to so many files of about the same size."""
    files: list[list[bytes]] = [[] for _ in range(count)]
    for part in parts:
        smallest = min(files, key=lambda file: sum(map(len, file)))
        smallest += [record.content for record in part]
    paths = [folder / f"{number}.warc.gz" for number in range(count)]
    for path, file in zip(paths, files):
        path.write_bytes(gzip.compress(b"".join(file)))
    return paths


def _fields(head: bytes) -> dict[str, str]:
    """The fields of a head, by their names in small letters, without its first line."""
    lines = head.decode("latin-1").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}
