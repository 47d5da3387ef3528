"""Spiders in several processes share one store: robots.txt is fetched once, whoever fetches it, and counts for all."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Callable, Iterator

import pytest

from robomaton import Store, StoreLocked, StoreReader
from support import ROOT, package

package("scrapy")

ROBOTS = "User-agent: *\nDisallow: /private\n"
PAGES = ["/a", "/private", "/b", "/c"]

#: The settings of the guide, which are those of README.md.
SETTINGS, IN_README = (
    re.search(r"```python\n(# settings.py\nROBOTSTXT_OBEY = True\nROBOTSTXT_USER_AGENT.*?)```", path.read_text(), re.S)
    for path in (ROOT / "docs" / "crawlers.md", ROOT / "python" / "README.md")
)

#: A spider that asks for pages.
SPIDER = """
import json, sys
import scrapy
from scrapy import crawler

class Spider(scrapy.Spider):
    name = "spider"
    allowed_domains = ["127.0.0.1"]
    start_urls = json.loads(sys.argv[2])

    def parse(self, response):
        pass

settings = {"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "RETRY_ENABLED": False}
exec(sys.argv[1], {}, settings)
process = getattr(crawler, settings.pop("PROCESS", "CrawlerProcess"))(settings)
process.crawl(Spider)
process.start()
"""


class Server(ThreadingHTTPServer):
    """Serves a robots.txt, and pages under all other paths; `/wait` waits."""

    daemon_threads = True

    def __init__(self, status: int = 200, text: str = ROBOTS, headers: dict[str, str] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.text, self.headers = status, text, headers or {}
        #: Texts of paths.
        self.texts: dict[str, str] = {}
        self.asked: list[str] = []
        self.conditions: list[str | None] = []
        self.go_on = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """Keeps quiet about spiders that were killed."""

    def url(self, path: str) -> str:
        """The URL of a path."""
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        status, text, headers = 200, "<html><body>a page</body></html>", {"Content-Type": "text/html"}
        if self.path in self.server.texts:
            text = self.server.texts[self.path]
        if self.path.startswith("/robots"):
            self.server.conditions.append(self.headers["If-None-Match"])
            status, text, headers = self.server.status, self.server.text, self.server.headers
        if self.path == "/wait":
            self.server.go_on.wait(60)
        self.send_response(status)
        for name, value in headers.items():
            for line in value.split("\n"):
                self.send_header(name, line)
        self.end_headers()
        if status != 304:
            self.wfile.write(text.encode("latin-1"))

    def log_message(self, format: str, *arguments: object) -> None:
        """Keeps quiet."""


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """Starts servers."""
    servers: list[Server] = []

    def start(*arguments: object) -> Server:
        server = Server(*arguments)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.go_on.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def spider(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts spiders that share a store."""
    begun: list[subprocess.Popen] = []

    def spider(*urls: str, settings: str = "") -> subprocess.Popen:
        assert SETTINGS is not None
        called = [sys.executable, "-c", SPIDER, f"{SETTINGS[1]}\n{settings}", json.dumps(urls)]
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        begun.append(subprocess.Popen(called, cwd=tmp_path, **output))
        return begun[-1]

    yield spider
    for process in begun:
        process.kill()
        process.wait()


def end(process: subprocess.Popen) -> None:
    """Waits for the end of a spider that has nothing to complain of."""
    said, _ = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")


def until(true: Callable[[], bool]) -> None:
    """Waits for something."""
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def is_fresh(store: StoreReader, server: Server) -> bool:
    """Whether the rules of a server are known by now."""
    store.refresh()
    return store.state(server.url("/")).state == "fresh"


def robots(server: Server) -> int:
    """How often robots.txt was asked for."""
    return server.asked.count("/robots.txt")


def test_two_processes_share_a_store(start: Callable[..., Server], spider: Callable, tmp_path: Path) -> None:
    one, other = start(), start()
    writer = spider(one.url("/a"), one.url("/private"), one.url("/wait"))
    until(lambda: "/wait" in one.asked)
    with pytest.raises(StoreLocked) as raised:
        Store(tmp_path / "crawl.store", headers=True)
    assert raised.value.holder == writer.pid
    # The second process reads what the first one fetched, and hands over the robots.txt that it fetches.
    end(spider(*(server.url(path) for path in PAGES for server in (one, other))))
    assert writer.poll() is None
    with StoreReader(tmp_path / "crawl.store") as reader:
        until(lambda: is_fresh(reader, other))
    end(spider(*(server.url(path) for path in ["/d", "/private"] for server in (one, other))))
    one.go_on.set()
    end(writer)
    for server, others in ((one, {"/wait"}), (other, set())):
        assert robots(server) == 1 and server.asked[0] == "/robots.txt"
        assert set(server.asked) == {"/robots.txt", "/a", "/b", "/c", "/d", *others}
    # It outlives all of them.
    end(spider(other.url("/e"), other.url("/private")))
    assert other.asked[-1] == "/e" and robots(other) == 1


def test_another_process_writes_when_the_writer_is_killed(
    start: Callable[..., Server], spider: Callable, tmp_path: Path
) -> None:
    one, other, third = start(), start(), start()
    writer = spider(one.url("/wait"))
    until(lambda: "/wait" in one.asked)
    reader = spider(other.url("/wait"))
    until(lambda: "/wait" in other.asked)

    def holder() -> int | None:
        try:
            Store(tmp_path / "crawl.store", headers=True).close()
        except StoreLocked as error:
            return error.holder
        return None

    assert holder() == writer.pid
    writer.kill()
    writer.wait()
    until(lambda: holder() == reader.pid)
    with StoreReader(tmp_path / "crawl.store") as store:
        until(lambda: is_fresh(store, other))
        assert is_fresh(store, one)
    end(spider(third.url("/a"), other.url("/private")))
    other.go_on.set()
    end(reader)
    with Store(tmp_path / "crawl.store") as store:
        store.take_handed()
        assert is_fresh(store, third)
    assert robots(one) == robots(other) == robots(third) == 1 and "/private" not in other.asked


def test_every_status_has_its_meaning(start: Callable[..., Server], spider: Callable) -> None:
    # A redirect that leads nowhere is no answer.
    expected = {200: True, 404: True, 410: True, 403: True, 429: True, 301: False, 500: False, 503: False}
    servers = {status: start(status, "User-agent: *\nDisallow:\n") for status in expected}
    for _ in range(2):
        end(spider(*(server.url(path) for path in PAGES for server in servers.values())))
    for status, server in servers.items():
        pages = [path for path in server.asked if path != "/robots.txt"]
        assert sorted(pages) == (sorted(PAGES * 2) if expected[status] else []), status
        assert robots(server) == 1, "failures are remembered, too"


@pytest.mark.parametrize("text", ["User-agent: *", ""])
def test_a_part_of_a_line_is_no_answer(start: Callable[..., Server], spider: Callable, text: str) -> None:
    server = start(206, text)
    for _ in range(2):
        end(spider(*(server.url(path) for path in PAGES)))
    assert server.asked == ["/robots.txt"], "remembered as a failure"


def test_a_body_that_is_still_encoded_is_no_answer(start: Callable[..., Server], spider: Callable) -> None:
    server = start(200, "\x1f\x9d\x90A\xe6\xcc\x01", {"Content-Encoding": "compress"})
    for _ in range(2):
        end(spider(*(server.url(path) for path in PAGES)))
    assert server.asked == ["/robots.txt"], "remembered as a failure"


def test_a_text_with_the_name_of_no_coding_is_read(start: Callable[..., Server], spider: Callable) -> None:
    server = start(200, ROBOTS, {"Content-Encoding": "utf-8"})
    end(spider(*(server.url(path) for path in PAGES)))
    assert sorted(server.asked) == ["/a", "/b", "/c", "/robots.txt"]


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
@pytest.mark.parametrize("text", [b"", ROBOTS.strip().encode()])
def test_a_compressed_text_counts_if_it_is_whole(
    start: Callable[..., Server], spider: Callable, coding: str, text: bytes
) -> None:
    packed = gzip.compress(text) if coding == "gzip" else zlib.compress(text)
    for length in (len(packed), len(packed) - 5):
        headers = {"Content-Encoding": coding, "Content-Length": str(length)}
        server = start(200, packed[:length].decode("latin-1"), headers)
        end(spider(server.url("/a"), server.url("/private")))
        pages = {"/a"} if text else {"/a", "/private"}
        assert set(server.asked) == {"/robots.txt", *(pages if length == len(packed) else ())}


def test_no_other_cache_answers(start: Callable[..., Server], spider: Callable, tmp_path: Path) -> None:
    server = start()
    settings = f"HTTPCACHE_ENABLED = True\nHTTPCACHE_DIR = {str(tmp_path / 'cache')!r}"
    end(spider(server.url("/a"), settings=settings))
    server.text = "User-agent: *\nDisallow: /\n"
    shutil.rmtree(tmp_path / "crawl.store")
    end(spider(server.url("/b"), settings=settings))
    assert server.asked == ["/robots.txt", "/a", "/robots.txt"]


def test_a_body_that_was_cut_counts_up_to_its_last_line(start: Callable[..., Server], spider: Callable) -> None:
    server = start(200, "User-agent: *\nDisallow: /\nAllow: /", {"Content-Length": "400"})
    end(spider(server.url("/a"), settings="DOWNLOAD_FAIL_ON_DATALOSS = False"))
    assert server.asked == ["/robots.txt"]


def with_handler(library: str) -> str:
    """The settings with which Scrapy fetches by a library, by Twisted without one."""
    if not library:
        return ""
    package(library)
    handler = f"scrapy.core.downloader.handlers._{library}.{library.capitalize()}DownloadHandler"
    # That of aiohttp wants the loop to run before it is made.
    return f"DOWNLOAD_HANDLERS = {{'http': {handler!r}}}\nPROCESS = 'AsyncCrawlerProcess'\n"


@pytest.mark.parametrize("library", ["", "aiohttp", "httpx"])
@pytest.mark.parametrize(
    ("rules", "of_whole"), [("Disallow: /p\nAllow: /private", {"/private"}), ("Disallow: /private", set())]
)
def test_a_body_whose_end_is_not_known_permits_no_more(
    start: Callable[..., Server], spider: Callable, tmp_path: Path, rules: str, of_whole: set[str], library: str
) -> None:
    text = f"User-agent: *\nContent-Signal: ai-train=yes\n{rules}"
    for headers, verdict, more in (
        ({}, "unknown", set()),
        ({"Content-Length": str(len(text))}, "allowed", of_whole),
    ):
        server = start(200, text, headers)
        end(spider(server.url("/a"), server.url("/private"), settings=with_handler(library)))
        assert set(server.asked) == {"/robots.txt", "/a", *more}
        with Store(tmp_path / "crawl.store", headers=True) as store:
            assert store.decide(server.url("/a"), "mybot", usage="ai-train").verdict == verdict


def test_a_body_that_is_too_large_when_it_is_decoded_is_no_answer(
    start: Callable[..., Server], spider: Callable
) -> None:
    packed = gzip.compress(ROBOTS.encode() + b"#" * 100_000).decode("latin-1")
    server = start(200, packed, {"Content-Encoding": "gzip", "Content-Length": str(len(packed))})
    for _ in range(2):
        end(spider(*(server.url(path) for path in PAGES), settings="DOWNLOAD_MAXSIZE = 10_000"))
    assert server.asked == ["/robots.txt"], "remembered as a failure"


def test_a_user_in_a_url_is_no_part_of_its_site(start: Callable[..., Server], spider: Callable) -> None:
    server = start()
    # Scrapy refuses to fetch such a page, and says so.
    spider(server.url("/a").replace("//", "//user:password@")).communicate(timeout=60)
    end(spider(server.url("/b")))
    assert server.asked == ["/robots.txt", "/b"]


def test_a_server_that_is_not_there(start: Callable[..., Server], spider: Callable, tmp_path: Path) -> None:
    server = start()
    gone = server.url("/a")
    server.shutdown()
    server.server_close()
    end(spider(gone))
    with Store(tmp_path / "crawl.store") as store:
        state = store.state(gone)
        assert (state.state, state.fetched_at) == ("unreachable", state.since)


def test_redirects_are_followed_five_times_and_never_to_files(
    start: Callable[..., Server], spider: Callable, tmp_path: Path
) -> None:
    good = start()
    # On a host whose pages are not crawled.
    offsite = good.url("/robots.txt").replace("127.0.0.1", "localhost")
    moved = start(302, "", {"Location": offsite})
    circle = start(302, "", {"Location": "/robots.txt"})
    local = tmp_path / "robots.txt"
    local.write_text("User-agent: *\nDisallow: /\n")
    nowhere = (f"file://{local}", "http://[", "data:text/plain,x", "http://127.0.0.1:99999/robots.txt")
    odd = [start(302, "", {"Location": to}) for to in nowhere]
    end(spider(*(server.url(path) for server in (moved, circle, *odd) for path in PAGES)))
    assert robots(good) == robots(moved) == 1 and robots(circle) == 6
    assert sorted(moved.asked) == ["/a", "/b", "/c", "/robots.txt"], "the rules are those of the site that redirects"
    assert sorted(circle.asked[6:]) == sorted(PAGES)
    for server in odd:
        assert server.asked == ["/robots.txt"]


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/r/\u00e9.txt".encode().decode("latin-1"), "/r/%C3%A9.txt"),
        ("/r/\u00e9.txt", "/r/%E9.txt"),
        ("/r/a.txt\n/r/b.txt", "/r/a.txt"),
    ],
)
def test_a_redirect_leads_where_captures_find_it(
    start: Callable[..., Server], spider: Callable, location: str, path: str
) -> None:
    server = start(301, "", {"Location": location})
    server.texts[path] = ROBOTS
    end(spider(*(server.url(path) for path in PAGES)))
    assert server.asked[:2] == ["/robots.txt", path] and "/private" not in server.asked


def test_a_text_is_renewed(start: Callable[..., Server], spider: Callable, tmp_path: Path) -> None:
    server = start(304, "", {})
    old = int(time.time()) - 2 * 86_400
    with Store(tmp_path / "crawl.store") as store:
        store.put(server.url("/robots.txt"), 200, ROBOTS, headers={"ETag": '"v1"'}, fetched_at=old)
        assert store.state(server.url("/")).state == "stale"
    end(spider(*(server.url(path) for path in PAGES)))
    assert server.conditions == ['"v1"'] and sorted(server.asked) == ["/a", "/b", "/c", "/robots.txt"]
    with Store(tmp_path / "crawl.store") as store:
        assert (store.state(server.url("/")).state, store.state(server.url("/")).etag) == ("fresh", '"v1"')


def test_a_url_is_asked_as_it_is_sent(start: Callable[..., Server], spider: Callable) -> None:
    server = start(200, "User-agent: *\nDisallow: /a$\nDisallow: /b;\n")
    end(spider(*(server.url(path) for path in ("/a;", "/b;", "/c;"))))
    assert server.asked == ["/robots.txt", "/c"]


@pytest.mark.parametrize("library", ["aiohttp", "httpx"])
def test_a_url_is_asked_as_a_handler_sends_it(start: Callable[..., Server], spider: Callable, library: str) -> None:
    settings = with_handler(library) + "CONCURRENT_REQUESTS = 1"
    server = start()
    end(spider(*(server.url(path) for path in ("/./private", "/a/%2e%2e/b", "/a/../private")), settings=settings))
    assert server.asked[0] == "/robots.txt" and "/private" not in server.asked and len(server.asked) == 2


def test_validators_are_not_sent_behind_a_redirect(
    start: Callable[..., Server], spider: Callable, tmp_path: Path
) -> None:
    other = start()
    server = start(301, "", {"Location": other.url("/robots.txt")})
    with Store(tmp_path / "crawl.store") as store:
        old = int(time.time()) - 2 * 86_400
        store.put(server.url("/robots.txt"), 200, "", headers={"ETag": '"v1"'}, redirects=1, fetched_at=old)
    end(spider(server.url("/private"), server.url("/b")))
    assert (server.conditions, other.conditions) == (['"v1"'], [None]) and "/private" not in server.asked


def test_a_304_is_no_redirect(start: Callable[..., Server], spider: Callable, tmp_path: Path) -> None:
    server = start(304, "", {"Location": "/a"})
    with Store(tmp_path / "crawl.store") as store:
        old = int(time.time()) - 2 * 86_400
        store.put(server.url("/robots.txt"), 200, ROBOTS, headers={"ETag": '"v1"'}, fetched_at=old)
    end(spider(server.url("/private"), server.url("/b")))
    # The text that is due answers while it is fetched: either may be asked for first.
    assert sorted(server.asked) == ["/b", "/robots.txt"]


def test_an_escape_in_a_host_says_nothing_about_another(start: Callable[..., Server], spider: Callable) -> None:
    server = start()
    end(spider(server.url("/a").replace("0.0.1", "0.0%2E1"), settings="CONCURRENT_REQUESTS = 1"))
    end(spider(server.url("/b")))
    assert server.asked == ["/robots.txt", "/b"]


def test_a_304_without_conditions_is_no_answer(start: Callable[..., Server], spider: Callable, tmp_path: Path) -> None:
    server = start(304, "", {})
    end(spider(server.url("/a")))
    assert server.asked == ["/robots.txt"]
    with Store(tmp_path / "crawl.store") as store:
        assert store.state(server.url("/")).state == "unreachable"


def test_the_settings_are_written_once() -> None:
    assert SETTINGS is not None and IN_README is not None and SETTINGS[1] == IN_README[1]


def test_settings_that_turn_it_off() -> None:
    settings = package("scrapy.settings").Settings
    test = package("scrapy.utils.test")
    middleware = package("robomaton.scrapy").StoreMiddleware
    for given in ({"ROBOTSTXT_OBEY": True}, {"ROBOMATON_STORE": "crawl.store"}):
        assert settings(given)
        with pytest.raises(package("scrapy.exceptions").NotConfigured):
            middleware.from_crawler(test.get_crawler(settings_dict=given))
