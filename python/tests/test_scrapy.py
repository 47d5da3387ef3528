"""The parser of robots.txt within Scrapy: a spider crawls a server on this machine, whose log tells what was fetched."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Iterator

import pytest

from support import package, python

ScrapysRobotParser = package("scrapy.robotstxt").RobotParser
RobotParser = package("robomaton.scrapy").RobotParser

ROBOTS = """\ufeff# for all
User-agent: *
Disallow: /

User-agent: otherbot
Disallow: /public/

User-agent: TestSpider
Disallow: /private/
Allow: /private/open
Disallow: /*.pdf$
Disallow: /search?*q=
Disallow: /caf%C3%A9
Crawl-delay: 0.01
"""
PAGES = {
    "/": True,
    "/public/a": True,
    "/public/paper.pdf": False,
    "/public/paper.pdf?page=2": True,
    "/private/": False,
    "/private/x": False,
    "/private/open": True,
    "/private/open/x": True,
    "/search?page=1": True,
    "/search?page=1&q=x": False,
    "/caf%C3%A9/menu": False,
    "/cafe": True,
}

#: A spider that asks for pages, one after another, without any rule of its own.
SPIDER = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Spider(scrapy.Spider):
    name = "spider"
    start_urls = json.loads(sys.argv[1])

    def parse(self, response):
        pass

process = CrawlerProcess(
    {
        "LOG_LEVEL": "ERROR",
        "ROBOTSTXT_OBEY": True,
        "ROBOTSTXT_PARSER": "robomaton.scrapy.RobotParser",
        "USER_AGENT": sys.argv[2],
        "TELNETCONSOLE_ENABLED": False,
        "RETRY_ENABLED": False,
        # Scrapy 2.19.0 lets requests through, unasked, that wait for robots.txt behind two others, with its own parsers, too.
        "CONCURRENT_REQUESTS": 1,
    }
)
process.crawl(Spider)
process.start()
"""


class Server(ThreadingHTTPServer):
    """Serves a robots.txt, and pages under all other paths; keeps what was asked for."""

    robots: tuple[int, str] = (200, "")

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        status, text = self.server.robots if self.path == "/robots.txt" else (200, "<html><body>a page</body></html>")
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if text.startswith("<") else "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *arguments: object) -> None:
        """Keeps quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that runs."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def crawl(server: Server, user_agent: str) -> set[str]:
    """The pages that a spider fetches under a name; robots.txt first, and once."""
    urls = [f"http://127.0.0.1:{server.server_port}{path}" for path in PAGES]
    ended = python(SPIDER, json.dumps(urls), user_agent)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert server.asked[0] == "/robots.txt"
    pages = server.asked[1:]
    assert len(pages) == len(set(pages))
    return set(pages)


@pytest.mark.parametrize("user_agent", ["TestSpider", "Mozilla/5.0 (compatible; testspider/1.0; +https://a.example)"])
def test_a_spider_fetches_what_is_allowed_to_it(server: Server, user_agent: str) -> None:
    server.robots = (200, ROBOTS)
    assert crawl(server, user_agent) == {path for path, allowed in PAGES.items() if allowed}


def test_a_spider_that_no_group_names(server: Server) -> None:
    server.robots = (200, ROBOTS)
    assert crawl(server, "nobody") == set()


@pytest.mark.parametrize(
    "robots",
    [
        (404, "<html><body>User-agent: *\nDisallow: /\nnot found</body></html>"),
        (200, ""),
        (200, "<!DOCTYPE html><html><body><h1>Welcome</h1></body></html>"),
    ],
    ids=["not found", "empty", "a page"],
)
def test_a_site_that_disallows_nothing(server: Server, robots: tuple[int, str]) -> None:
    server.robots = robots
    assert crawl(server, "TestSpider") == set(PAGES)


def test_the_parser_is_one_of_scrapys() -> None:
    parser = RobotParser.from_crawler(None, ROBOTS.encode())
    assert issubclass(RobotParser, ScrapysRobotParser) and isinstance(parser, ScrapysRobotParser)
    for path, allowed in PAGES.items():
        url = f"https://a.example{path}"
        assert parser.allowed(url, "TestSpider") is allowed
        assert parser.allowed(url.encode(), b"TestSpider") is allowed
    assert parser.crawl_delay("TestSpider") == parser.crawl_delay(b"TestSpider/1.0") == 0.01
    assert parser.crawl_delay("otherbot") is None


@pytest.mark.parametrize("body", [b"", b"\xff\xfe\x00", b"\x1f\x8b\x08", b"<html>", bytes(1_000), b"\n" * 10_000])
def test_bodies_that_are_no_rules(body: bytes) -> None:
    parser = RobotParser.from_crawler(None, body)
    assert parser.allowed("https://a.example/", "TestSpider") is True
    assert parser.crawl_delay("TestSpider") is None


class Own(RobotParser):
    """Lets one more path through, and says so."""

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        return str(url).endswith("/own") or super().allowed(url, user_agent)


def test_a_subclass_may_override() -> None:
    parser = Own.from_crawler(None, ROBOTS.encode())
    assert type(parser) is Own
    assert parser.allowed("https://a.example/private/own", "TestSpider")
    assert not parser.allowed("https://a.example/private/x", "TestSpider")


def test_a_url_is_asked_as_it_is_sent() -> None:
    parser = RobotParser.from_crawler(None, b"User-agent: *\nDisallow: /a$\nDisallow: /b;\n")
    for path, allowed in {"/a;": False, "/a;?x": True, "/a;#x": False, "/a;x": True, "/b;": False, "/c;": True}.items():
        assert parser.allowed(f"https://a.example{path}", "x") is allowed, path
        assert parser.allowed(f"https://a.example{path}".encode(), b"x") is allowed, path


@pytest.mark.parametrize("library", ["yarl", "httpx"])
def test_a_url_is_asked_as_a_library_sends_it(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://a.example/./private"
    parser = RobotParser.from_crawler(None, b"User-agent: *\nDisallow: /private\n")
    for name in ("yarl", "httpx", "httpx2"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert parser.allowed(url, "x") and parser.allowed(url.encode(), "x")
    monkeypatch.setitem(sys.modules, library, package(library))
    assert not parser.allowed(url, "x") and not parser.allowed(url.encode(), "x")
    # What it refuses is not sent.
    assert parser.allowed("https://a.example:99999999/x", "x")
