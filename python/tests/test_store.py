"""A store: captures go in while questions are answered, in threads, processes and forks; nothing crashes it."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
import warnings
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

import robomaton
from robomaton import Image, Store, StoreError, StoreLocked, StoreReader
from support import lacking, python, ran_meanwhile

NOW = 1_800_000_000
DAY = 86_400
URL = "https://a.example/robots.txt"
TEXT = "User-agent: *\nDisallow: /private\nCrawl-delay: 2\n"
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store(tmp_path / "store", durability=None) as store:
        yield store


def site(number: int) -> str:
    """The robots.txt of a site."""
    return f"https://site{number}.example/robots.txt"


def test_a_capture_counts_at_once(store: Store) -> None:
    assert store.state(URL).state == "unknown"
    assert not store.allowed("https://a.example/x", "mybot")
    assert store.put(URL, 200, TEXT, fetched_at=NOW)
    assert not store.put(URL, 200, b"", fetched_at=NOW - 1), "an older one changes nothing"
    assert store.allowed("https://a.example/x", "mybot")
    assert not store.allowed(b"https://a.example/private/x", ["mybot", "*"], usage="index")
    assert store.crawl_delay("https://a.example/x", "mybot") == 2
    assert store.crawl_delay("https://b.example/", "mybot") is None
    with pytest.warns(UserWarning, match="has no scheme"):
        assert not store.allowed("a.example/x", "mybot")


def test_answers_are_those_of_an_image(store: Store, tmp_path: Path) -> None:
    text = "User-agent: a\nDisallow: /x\nContent-Usage: train-ai=n\n\nUser-agent: *\nDisallow: /\n"
    store.put(URL, 200, text, headers={"Cache-Control": "max-age=60"}, fetched_at=NOW)
    alone = store.decide("https://a.example/x", "a")
    store.flush()
    robomaton.merge([store.path], tmp_path / "a.rimg")
    image, stack = robomaton.Image(tmp_path / "a.rimg"), robomaton.Image(store.path)
    for usage in (None, "index", "train-ai"):
        for url in ("https://a.example/x", "https://a.example/y", "https://a.example/robots.txt", "https://b.example/"):
            for agent in ("a", "b", ["c", "a"], "Mozilla/5.0 (compatible; a/1.0)"):
                told, expected = store.decide(url, agent, usage=usage), image.decide(url, agent, usage=usage)
                # A store has no clock: `state` says how fresh a site is.
                assert told.as_dict() == expected.as_dict()
                assert (told.verdict, told.line, told.rule) == (expected.verdict, expected.line, expected.rule)
                assert stack.decide(url, agent, usage=usage).as_dict() == expected.as_dict()
                assert store.allowed(url, agent, usage=usage) is bool(expected)
    # An answer is that of its moment.
    store.put(URL, 200, "", fetched_at=NOW + 1)
    assert (alone.verdict, alone.line) == ("disallowed", 2)


def test_what_is_held_is_that_of_an_image(store: Store, tmp_path: Path) -> None:
    text = "User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /\nSitemap: https://a.example/s.xml\n"
    store.put(URL, 200, "User-agent: *\nDisallow: /old\n", fetched_at=NOW - 1)
    store.put(site(1), 404, fetched_at=NOW)
    store.flush()
    # The newer text is in memory, on top of a layer.
    store.put(URL, 200, text, fetched_at=NOW)
    urls = ["https://a.example/x", "https://a.example/y", "https://site1.example/", "https://b.example/"]
    reader = StoreReader(store.path)

    def held(of: Any) -> list[Any]:
        explained = [of.explain(url, agent, usage=usage) for url in urls for agent in "ab" for usage in (None, "index")]
        sites = [of.site(url) for url in [*urls, "a.example"]]
        # The number of a document is the image's own.
        sites = [site and {**site, "document": None} for site in sites]
        return [explained, sites, [of.sitemaps(url) for url in urls]]

    def batches(of: Any) -> list[Any]:
        column = ["b", "a", "b", "c"]
        return [
            of.decide_batch(urls, "a"),
            of.decide_batch(urls * 50, "a", usage="index", threads=2),
            of.decide_batch([*urls, None], agents=[*column, "a"], nulls="keep"),
            of.allowed_batch(urls, ["zbot", "a"], purpose="news"),
            of.decide_batch([], agents=[]),
        ]

    from_memory = held(store), held(reader), batches(store), batches(reader)
    store.flush()
    robomaton.merge([store.path], tmp_path / "a.rimg")
    image = robomaton.Image(tmp_path / "a.rimg")
    assert from_memory == (held(image), held(image), batches(image), batches(image))
    assert (held(store), batches(store)) == (held(image), batches(image))
    assert store.sitemaps(URL) == ["https://a.example/s.xml"]
    assert store.explain("https://a.example/x", "a").splitlines()[-1].startswith("verdict  disallowed: line 2")
    with pytest.warns(UserWarning, match="no URL of a site"):
        assert store.allowed_batch(["x"], "a") == [False]
    for wrong in (
        {"agent": ""},
        {"agents": ["a"]},
        {"usage": "trian"},
        {"nulls": "drop"},
        {"agent": "a", "agents": ["a"]},
    ):
        with pytest.raises((ValueError, TypeError)):
            store.decide_batch(urls, **wrong)
    with pytest.raises(ValueError, match="usage"):
        store.explain(URL, "a", usage="trian")


def test_a_batch_in_numpy_has_the_codes_of_an_image(store: Store) -> None:
    numpy = pytest.importorskip("numpy")
    store.put(URL, 200, TEXT, fetched_at=NOW)
    urls = numpy.array(["https://a.example/private", "https://a.example/", "https://b.example/"])
    codes = store.decide_batch(urls, "mybot")
    assert [robomaton.VERDICTS[code] for code in codes] == ["disallowed", "allowed", "unknown"]
    assert store.allowed_batch(urls, "mybot").tolist() == [False, True, False]


def test_damaged_layers_are_left_out_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with Store(path) as store:
        for number in range(2):
            store.put(site(number), 200, TEXT, fetched_at=NOW)
            store.flush()
        assert store.left_out == []
    newest = max(path.glob("*.rimg"), key=lambda layer: int(layer.stem))
    newest.write_bytes(b"no image")
    with pytest.raises(robomaton.ImageError, match=newest.name):
        robomaton.Image(path)
    for map_above in (0, 1 << 20):
        image = robomaton.Image(path, without_damaged_layers=True, map_above=map_above)
        again = pickle.loads(pickle.dumps(image))
        for opened in (image, again):
            assert [name for name, _ in opened.left_out] == [newest.name]
            assert not opened.allowed("https://site0.example/private", "mybot")
            assert opened.decide("https://site1.example/", "mybot").verdict == "unknown"
    with pytest.raises((StoreError, robomaton.ImageError), match=newest.name):
        Store(path)
    with pytest.raises((StoreError, robomaton.ImageError), match=newest.name):
        StoreReader(path)
    with StoreReader(path, without_damaged_layers=True) as reader:
        assert [name for name, _ in reader.left_out] == [newest.name]
        assert reader.state(site(0)).state != "unknown" and reader.state(site(1)).state == "unknown"
    with pytest.raises(robomaton.Error, match=newest.name):
        robomaton.merge([path], tmp_path / "merged")
    summary = robomaton.merge([path], tmp_path / "merged", without_damaged_layers=True)
    assert summary["sites"] == 1 and [name for name, _ in summary["left_out"]] == [str(newest)]
    with Store(path, without_damaged_layers=True) as store:
        ((name, reason),) = store.left_out
        assert name == newest.name and reason
        assert store.state(site(0)).state != "unknown" and store.state(site(1)).state == "unknown"
    with Store(path) as store:
        assert store.left_out == []
    assert robomaton.merge([path], tmp_path / "merged", without_damaged_layers=True)["left_out"] == []
    assert newest.with_suffix(".rimg.damaged").read_bytes() == b"no image"


def test_another_document_explains(tmp_path: Path) -> None:
    captures = tmp_path / "captures.jsonl"
    texts = {"robots.txt": "User-agent: *\nDisallow: /r", "data.txt": "User-agent: *\nDisallow: /d"}
    lines = [{"url": f"https://a.example/{name}", "body": text} for name, text in texts.items()]
    captures.write_text("\n".join(map(json.dumps, lines)))
    path = tmp_path / "store"
    Store(path).close()
    (layer,) = path.glob("*.rimg")
    robomaton.compile([captures], layer)
    image = robomaton.Image(path)
    with Store(path) as store:
        for document in (None, "robots.txt", "data.txt"):
            for page in ("https://a.example/r", "https://a.example/d"):
                expected = image.explain(page, "mybot", document=document)
                assert store.explain(page, "mybot", document=document) == expected
        assert "verdict  disallowed" in store.explain("https://a.example/d", "mybot", document="data.txt")
        with pytest.raises(ValueError, match="document: expected"):
            store.explain("https://a.example/d", "mybot", document="humans.txt")


def test_names_and_options(tmp_path: Path) -> None:
    text = "User-agent: Mozilla\nDisallow: /\nUser-agent: *\nDisallow: /x\n"
    with Store(tmp_path / "a", headers=True, on_forbidden="deny") as store:
        store.put(URL, 200, text)
        store.put("https://b.example/robots.txt", 403)
        assert not store.allowed("https://a.example/", "Mozilla/5.0 (compatible; foo/1.0)")
        assert not store.allowed("https://b.example/", "foo")
        assert store.allowed("https://a.example/", "()")
    with Store(tmp_path / "b", named_only=True) as store:
        store.put(URL, 200, text)
        assert store.allowed("https://a.example/x", "foo") and not store.allowed("https://a.example/x", "mozilla")
        store.flush()
        assert store.allowed("https://a.example/x", "foo") and not store.allowed("https://a.example/x", "mozilla")
        store.put("https://b.example/robots.txt", 403)
        assert store.allowed("https://b.example/", "foo")


def test_states_and_times(store: Store) -> None:
    headers = {b"ETag": [b'"v1"'], b"Last-Modified": ["Tue, 24 Nov 2026 18:00:00 GMT"]}
    at = datetime.fromtimestamp(NOW, timezone(timedelta(hours=9)))
    assert store.begin(URL, NOW) and not store.begin(URL, at)
    unknown = store.state(URL, NOW)
    assert (unknown.state, unknown.in_flight, unknown.fetched_at, unknown.fetch_at) == ("unknown", True, None, None)
    assert unknown.conditions == {} and repr(unknown) == "<robomaton.SiteState unknown in flight>"
    store.put(URL, 200, TEXT, headers=headers, fetched_at=at)
    fresh = store.state("https://A.example:443/x", NOW + 0.9)
    assert (fresh.state, fresh.in_flight, fresh.fetched_at, fresh.fetch_at) == ("fresh", False, NOW, NOW + DAY)
    assert (fresh.etag, fresh.since) == ('"v1"', None)
    assert fresh.conditions == {"If-None-Match": '"v1"', "If-Modified-Since": fresh.last_modified}
    assert fresh == store.state(URL, NOW) and fresh != unknown
    assert store.state(URL, at + timedelta(days=2)).state == "stale"
    assert store.put(URL, 304, fetched_at=NOW + DAY)
    assert store.state(URL, NOW + 2 * DAY).state == "fresh"
    assert not store.allowed("https://a.example/private", "mybot")
    for status, since in ((0, NOW + 2 * DAY), (503, NOW + 2 * DAY)):
        assert store.put(URL, status, fetched_at=since + status)
        state = store.state(URL, since + status)
        assert (state.state, state.since) == ("unreachable", since)
        assert not store.allowed("https://a.example/", "mybot")


def test_sites_that_are_unreachable_for_long(tmp_path: Path) -> None:
    page, urls = "https://a.example/x", ["https://a.example/x", "https://b.example/x"]
    now = int(time.time())
    with Store(tmp_path, on_long_unreachable="allow") as store:
        for host, days in (("a", 31), ("b", 29), ("a", 1)):
            store.put(f"https://{host}.example/robots.txt", 503, fetched_at=now - days * DAY)
        with StoreReader(tmp_path) as strict, StoreReader(tmp_path, on_long_unreachable="allow") as reader:
            for opened, word in ((store, "allowed"), (reader, "allowed"), (strict, "disallowed")):
                assert opened.allowed(page, "mybot") == (word == "allowed")
                assert opened.decide(page, "mybot").as_dict()["verdict"] == word
                assert opened.allowed_batch(urls, "mybot") == [word == "allowed", False]
                assert f"verdict  {word}" in opened.explain(page, "mybot")
                assert opened.state(page).verdict == word
                assert opened.state("https://b.example/").verdict == "disallowed"
                assert opened.state(page, now - 2 * DAY).verdict == "disallowed"
        store.put(URL, 200, TEXT)
        assert store.state(page).verdict is None


def test_what_is_due(store: Store) -> None:
    for number in range(10):
        store.put(site(number), 200, TEXT, fetched_at=NOW + number)
    store.flush()
    due = store.due(NOW + 2 * DAY, most=3)
    assert [(url, state.fetched_at) for url, state in due] == [(site(number), NOW + number) for number in range(3)]
    assert len(store.due(NOW + 2 * DAY)) == 7 and store.due(NOW + 2 * DAY) == []
    with StoreReader(store.path) as reader:
        assert len(reader.due(NOW + 2 * DAY)) == len(reader.due(NOW + 2 * DAY)) == 10
    assert store.due(NOW) == []


def test_it_is_compacted_and_evicted(store: Store) -> None:
    for number in range(100):
        store.put(site(number), 200, TEXT, fetched_at=NOW + number)
    assert store.stats()["memory_sites"] == 100
    store.flush()
    store.compact()
    store.sync()
    stats = store.stats()
    assert (stats["memory_sites"], stats["layer_sites"]) == (0, 100)
    store.evict(datetime.fromtimestamp(NOW + 40, timezone.utc))
    assert (store.stats()["layers"], store.stats()["layer_sites"]) == (1, 60)
    assert store.state(site(39)).state == "unknown" and store.state(site(40)).fetched_at == NOW + 40


def test_an_image_of_a_store_warns_of_its_log(tmp_path: Path) -> None:
    with Store(tmp_path / "store", durability=None) as store:
        store.put(site(1), 200, TEXT, fetched_at=NOW)
        store.flush()
    with warnings.catch_warnings(action="error"):
        assert len(Image(tmp_path / "store")) == 1
    with Store(tmp_path / "store", durability=None) as store:
        store.put(site(2), 200, TEXT, fetched_at=NOW)
    with pytest.warns(UserWarning, match="captures since the last flush do not count"):
        assert len(Image(tmp_path / "store")) == 1


@pytest.mark.parametrize("durability", ["each", 1, 100, None])
def test_it_is_there_when_it_is_opened_again(tmp_path: Path, durability: Any) -> None:
    for number in range(3):
        with Store(tmp_path / "store", durability=durability, memory_captures=2) as store:
            assert store.put(site(number), 200, TEXT, fetched_at=NOW)
            assert [store.state(site(of)).fetched_at for of in range(number + 1)] == [NOW] * (number + 1)
        assert store.closed and repr(store).endswith("closed>")


def test_a_second_writer_is_refused(store: Store) -> None:
    with pytest.raises(StoreLocked, match=f"open for writing by process {os.getpid()}; open a StoreReader") as raised:
        Store(store.path)
    assert (raised.value.path, raised.value.holder) == (store.path, os.getpid())
    assert isinstance(raised.value, StoreError) and isinstance(raised.value, robomaton.Error)
    program = """
import sys, robomaton
try:
    robomaton.Store(sys.argv[1])
except robomaton.StoreLocked as error:
    print(error.holder)
with robomaton.StoreReader(sys.argv[1]) as reader:
    print(reader.allowed("https://a.example/", "mybot"))
"""
    store.put(URL, 200, TEXT)
    ended = python(program, store.path)
    assert (ended.stdout, ended.stderr) == (f"{os.getpid()}\nTrue\n", "")
    assert store.put(URL, 404, fetched_at=2 * NOW), "the first one goes on"
    store.close()
    Store(store.path).close()


def test_readers_follow(store: Store) -> None:
    with StoreReader(store.path) as reader:
        assert not reader.refresh() and not store.refresh()
        for number in range(30):
            store.put(site(number), 200, TEXT, fetched_at=NOW)
            assert reader.state(site(number)).state == "unknown"
            assert reader.refresh()
            assert reader.state(site(number)).fetched_at == NOW
            if number % 10 == 9:
                store.flush()
                store.compact()
        assert reader.allowed("https://site0.example/", "mybot")
        assert not reader.decide("https://site0.example/private", "mybot")
        reader.refresh()
        store.close()
        assert not reader.refresh() and reader.allowed("https://site0.example/", "mybot")


def test_readers_hand_over(store: Store) -> None:
    one, other = StoreReader(store.path), StoreReader(store.path)
    assert one.hand(URL, 200, TEXT, headers=[("ETag", b"x")], fetched_at=NOW)
    assert not one.hand(URL, 200, "", fetched_at=NOW - 1)
    with pytest.raises(ValueError, match="304"):
        one.hand(URL, 304)
    assert one.allowed("https://a.example/", "mybot") and not one.allowed("https://a.example/private", "mybot")
    assert store.state(URL).state == "unknown" and not other.refresh()
    assert store.take_handed() == 1 and store.take_handed() == 0
    assert other.refresh() and other.state(URL).etag == store.state(URL).etag == "x"
    assert store.hand(site(1), 404, fetched_at=NOW), "that of a store is put"
    assert store.state(site(1)).fetched_at == NOW


def test_other_options_are_refused(store: Store) -> None:
    for other in ({"profile": "rfc9309"}, {"crawlers": ["a"]}, {"max_rules": 7}, {"vocabulary": ["bing-2023"]}):
        with pytest.raises(StoreError, match="must be the same") as raised:
            StoreReader(store.path, **other)
        assert raised.value.path == store.path


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda store: store.put(None, 200), TypeError, "url: expected str or bytes"),
        (lambda store: store.put("https://\ud800/robots.txt", 200), UnicodeEncodeError, "surrogates"),
        (lambda store: store.put("https://a.example/x", 404), ValueError, "not the URL of a robots.txt"),
        (lambda store: store.put("ftp://a/robots.txt", 200), ValueError, "."),
        (lambda store: store.put("", 200), ValueError, "."),
        (lambda store: store.put(URL, 304), ValueError, "304"),
        (lambda store: store.put(URL, -1), OverflowError, "status: the number is negative"),
        (lambda store: store.put(URL, 1 << 70), OverflowError, "status: the number is too large"),
        (lambda store: store.put(URL, None), TypeError, "status"),
        (lambda store: store.put(URL, 200, 5), TypeError, "body: expected bytes or str, not int"),
        (lambda store: store.put(URL, 200), ValueError, "body: status 200, and no body; that of an empty text is b''"),
        (lambda store: store.put(URL, 204, None), ValueError, "body: status 204, and no body"),
        (lambda store: store.hand(URL, 200), ValueError, "body: status 200, and no body"),
        (lambda store: store.put(URL, 206, "User-agent: *"), ValueError, "the body is cut inside its first line"),
        (lambda store: store.put(URL, 200, "\udfff"), UnicodeEncodeError, "surrogates"),
        (lambda store: store.put(URL, 200, redirects=1 << 16), OverflowError, "redirects: the number is too large"),
        (lambda store: store.put(URL, 200, headers="ETag: x"), TypeError, "headers: expected a mapping"),
        (lambda store: store.put(URL, 200, headers=5), TypeError, "headers: expected a mapping"),
        (lambda store: store.put(URL, 200, headers=["ab"]), TypeError, "headers: expected a mapping"),
        (lambda store: store.put(URL, 200, headers=[("a", 1)]), TypeError, "headers: expected str or bytes, not int"),
        (lambda store: store.put(URL, 200, headers={"a": [["b"]]}), TypeError, "headers: expected str or bytes"),
        (lambda store: store.put(URL, 200, headers={"a": "x" * 300_000}), ValueError, "headers: longer than 262144"),
        (lambda store: store.put(URL, 200, headers=(("", []) for _ in iter(int, 1))), ValueError, "headers: longer"),
        (lambda store: store.put(URL, 200, headers={"a": ["x"] * 999_999}), ValueError, "headers: longer"),
        (lambda store: store.put(URL, 200, fetched_at="now"), TypeError, "fetched_at: expected seconds since 1970"),
        (lambda store: store.put(URL, 200, fetched_at=-1), OverflowError, "fetched_at: the number is negative"),
        (lambda store: store.put(URL, 200, fetched_at=1e300), OverflowError, "fetched_at: the number is too large"),
        (lambda store: store.put(URL, 200, fetched_at=10**400), OverflowError, "fetched_at: the number is too large"),
        (lambda store: store.put(URL, 200, fetched_at=datetime(2026, 1, 1)), ValueError, "needs a time zone"),
        (lambda store: store.put(URL, 200, fetched_at=datetime.max.replace(tzinfo=timezone.min)), Exception, "."),
        (lambda store: store.state(URL, float("nan")), ValueError, "now: no number"),
        (lambda store: store.state("nonsense"), ValueError, "."),
        (lambda store: store.begin("nonsense"), ValueError, "."),
        (lambda store: store.due(most=-1), OverflowError, "most: the number is negative"),
        (lambda store: store.evict(None), TypeError, "oldest: expected seconds since 1970 or a datetime, not NoneType"),
        (lambda store: store.evict("x"), TypeError, "oldest: expected seconds"),
        (lambda store: store.allowed(URL, ""), ValueError, "agent: .* names no crawler"),
        (lambda store: store.allowed(URL, []), ValueError, "agent: an empty list"),
        (lambda store: store.allowed(URL, "a", usage="traim-ai"), ValueError, "usage: .*is not a known usage"),
        (lambda store: Store(store.path, durability="never"), ValueError, "durability: expected 'each'"),
        (lambda store: Store(store.path, durability=0), ValueError, "durability: expected 'each'"),
        (lambda store: Store(store.path, durability=-5), OverflowError, "durability: the number is negative"),
        (lambda store: Store(store.path, durability=1.5), TypeError, "durability"),
        (lambda store: Store(store.path, memory_captures=0), ValueError, "memory_captures: expected 1 or more"),
        (lambda store: Store(store.path, profile="rfc"), ValueError, "profile: "),
        (lambda store: Store(store.path, on_forbidden="no"), ValueError, "on_forbidden: expected 'allow' or 'deny'"),
        (lambda store: Store(5), TypeError, "path: "),
        (lambda store: Store("a\0b"), ValueError, "null byte"),
        (lambda store: Store(__file__), OSError, "."),
        (lambda store: StoreReader(__file__), OSError, "."),
        (lambda store: StoreReader(Path(store.path).parent), FileNotFoundError, "layers.manifest"),
        (lambda store: Store.put(StoreReader(store.path), URL, 200), TypeError, "."),
        (lambda store: Store.__new__(StoreReader, store.path), TypeError, "."),
    ],
)
def test_bad_arguments(store: Store, call: Callable[[Store], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call(store)
    assert store.state(URL).state == "unknown"


@pytest.mark.parametrize(
    "body", [b"", bytearray(b"User-agent: *"), memoryview(b"abc")[::2], "é", b"\xff" * 100, b"\n" * 9_999_999]
)
def test_bodies(store: Store, body: Any) -> None:
    assert store.put(URL, 200, body)
    assert store.allowed("https://a.example/", "mybot")


def test_a_closed_store_is_an_error(store: Store) -> None:
    reader = StoreReader(store.path)
    answer = store.decide(URL, "mybot")
    for closed in (store, reader):
        closed.close()
        closed.close()
        assert closed.closed
        for call in (
            lambda of: of.allowed(URL, "a"),
            lambda of: of.decide(URL, "a"),
            lambda of: of.state(URL),
            lambda of: of.due(),
            lambda of: of.stats(),
            lambda of: of.refresh(),
            lambda of: of.hand(URL, 404),
            lambda of: of.__enter__(),
        ):
            with pytest.raises(ValueError, match="the store is closed"):
                call(closed)
    for write in (
        store.flush,
        store.compact,
        store.sync,
        store.take_handed,
        lambda: store.begin(URL),
        lambda: store.evict(0),
    ):
        with pytest.raises(ValueError, match="the store is closed"):
            write()
    assert answer.as_dict()["verdict"] == "unknown", "an answer keeps its moment"
    with pytest.raises(TypeError, match="pickle"):
        __import__("pickle").dumps(store)


def test_damage_is_an_error_that_names_the_file(store: Store) -> None:
    for number in range(3):
        store.put(site(number), 200, TEXT)
        store.sync()
    store.close()
    log = next(Path(store.path).glob("*.log"))
    good = log.read_bytes()
    log.write_bytes(good[:60] + bytes([good[60] ^ 1]) + good[61:])
    for way in (Store, StoreReader):
        with pytest.raises(StoreError, match="damaged at byte") as raised:
            way(store.path)
        assert raised.value.path == str(log)
    log.write_bytes(good)
    Path(store.path, "layers.manifest").write_text("robomaton")
    for way in (Store, StoreReader):
        with pytest.raises(OSError, match="damaged"):
            way(store.path)


def test_threads_put_and_ask(store: Store) -> None:
    reader, failed = StoreReader(store.path), []

    def work(number: int) -> None:
        try:
            for step in range(200):
                url = site(number * 1_000 + step)
                assert store.put(url, 200, TEXT, fetched_at=NOW)
                assert store.allowed(url, "mybot") and not store.allowed(url[:-10] + "private", "mybot")
                reader.refresh()
                assert reader.state(url).fetched_at == NOW
                if step % 50 == number:
                    store.compact()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and store.stats()["memory_sites"] == 1_200


def test_it_is_closed_while_threads_use_it(tmp_path: Path) -> None:
    for round in range(5):
        store, said = Store(tmp_path / "store", durability=1), []

        def work(number: int, store: Store = store, said: list = said, round: int = round) -> None:
            try:
                for step in range(100_000):
                    store.put(site(number), 200, TEXT, fetched_at=NOW + round * 100_000 + step)
                    store.allowed(site(number), "mybot")
            except ValueError as error:
                said.append(str(error))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        threading.Event().wait(0.02)
        store.close()
        for thread in threads:
            thread.join()
        assert said == ["the store is closed"] * 4


@forks
def test_a_fork_leaves_the_store_of_its_parent(tmp_path: Path) -> None:
    program = """
import os, sys, robomaton
from robomaton import Store, StoreError, StoreReader
url = "https://a.example/robots.txt"
store = Store(sys.argv[1], durability=20)
reader = StoreReader(sys.argv[1])
store.put(url, 200, "", fetched_at=1)
def refused(call):
    try:
        call()
    except StoreError as error:
        return "a fork opens it as StoreReader" in str(error)
child = os.fork()
if child == 0:
    assert refused(lambda: store.put(url, 404)) and refused(lambda: store.allowed(url, "a"))
    assert refused(lambda: store.state(url)) and refused(store.compact)
    # A reader is opened again, and sees what was put before the fork.
    assert reader.allowed(url, "a") and reader.refresh() is False
    assert reader.hand("https://b.example/robots.txt", 404, fetched_at=2)
    store.close()
    del store
    print("child", flush=True)
    sys.exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert store.put(url, 404, fetched_at=3) and store.take_handed() == 1
assert reader.refresh() and reader.state("https://b.example/").fetched_at == 2
store.close()
Store(sys.argv[1]).close()
print("parent")
"""
    ended = python(program, tmp_path / "store")
    assert (ended.stdout, ended.stderr) == ("child\nparent\n", "")


def test_other_threads_go_on_meanwhile(store: Store) -> None:
    for number in range(3_000):
        store.put(site(number), 200, f"{TEXT}Disallow: /{number}\n", fetched_at=NOW)
    # One call, which writes all sites again.
    during, taken = ran_meanwhile(lambda: store.evict(0))
    assert during > 5, (during, taken)


# A store whose last sync takes a second, and a thread that wants to run meanwhile.
CLOSING = """
import sys, threading, time, robomaton
store = robomaton.Store(sys.argv[1], durability=3_600_000)
store.put("https://a.example/robots.txt", 200, "", fetched_at=2)
longest, done = 0, threading.Event()
def run():
    global longest
    last = time.monotonic()
    while not done.wait(0.01):
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
other = threading.Thread(target=run)
other.start()
begun = time.monotonic()
{end}
taken = time.monotonic() - begun
done.set()
other.join()
assert taken > 0.9, taken
assert longest < 0.5, longest
"""


@pytest.mark.parametrize("end", ["del store", "store.close()"])
def test_other_threads_go_on_while_a_store_is_closed(tmp_path: Path, end: str) -> None:
    strace = shutil.which("strace")
    if strace is None:
        lacking("program strace")
    directory = tmp_path / "store"
    Store(directory).close()
    slow = [strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync"]
    slow += ["-e", "inject=fdatasync:delay_enter=1000000"]
    called = [*slow, sys.executable, "-c", CLOSING.replace("{end}", end), str(directory)]
    ended = subprocess.run(called, capture_output=True, encoding="utf-8", timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    with StoreReader(directory) as reader:
        assert reader.state(URL).fetched_at == 2
