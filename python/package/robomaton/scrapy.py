"""What a Scrapy project needs: a parser of robots.txt, and a middleware whose store many processes share.

`ROBOTSTXT_PARSER = "robomaton.scrapy.RobotParser"` is for Scrapy's own middleware, which fetches each robots.txt once in
each process, hands its bytes over, and asks before each request. A body that is no robots.txt, such as an error page,
forbids nothing, as with Scrapy's own parsers. `StoreMiddleware` stands in place of Scrapy's, and remembers.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any, Mapping, TypeVar
from urllib.parse import urljoin, urlparse, urlsplit

from scrapy import signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser as _RobotParser
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred
from w3lib.url import safe_url_string

from robomaton._robomaton import Robots, SiteState, Store, StoreLocked, StoreReader

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_Parser = TypeVar("_Parser", bound="RobotParser")
_Middleware = TypeVar("_Middleware", bound="StoreMiddleware")

logger = logging.getLogger(__name__)

#: Redirects of a robots.txt that are followed (RFC 9309 2.3.1.2).
_REDIRECTS = 5
#: Milliseconds after which a capture is durable.
_DURABILITY = 100
#: Seconds between two looks at the store, and to wait for its writer to create it.
_PAUSE = 1.0
_CREATED = 10.0
#: The key of `Request.meta` under which a body is kept as it was sent, with its codings.
_SENT = "robomaton_sent"
#: The codings that Scrapy decodes, with the window sizes of zlib for those whose end zlib knows.
_CODINGS = {b"gzip": (31,), b"x-gzip": (31,), b"deflate": (15, -15), b"br": (), b"zstd": ()}
#: Bytes that are decompressed at once.
_PART = 1 << 14
#: The libraries of download handlers that send a URL as their class `URL` writes it, such as `/./a` as `/a`.
_REWRITING = ("yarl", "httpx", "httpx2")


class RobotParser(_RobotParser):
    """One robots.txt. A user agent may be a whole `User-Agent` header: every token in it is a name, the longest first."""

    def __init__(self, robotstxt_body: bytes) -> None:
        #: The compiled text.
        self.robots = Robots(robotstxt_body, headers=True)

    @classmethod
    def from_crawler(cls: type[_Parser], crawler: Crawler | None, robotstxt_body: bytes) -> _Parser:
        """Compiles the body of a robots.txt."""
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the crawler may fetch the URL, also as Scrapy sends it."""
        # A generator would take longer than the answers.
        for sent in _as_sent(url):
            if not self.robots.can_fetch(sent, user_agent):
                return False
        return True

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """The seconds between fetches that the file asks for, if it does."""
        return self.robots.crawl_delay(user_agent)


class StoreMiddleware:
    """A downloader middleware in place of Scrapy's `RobotsTxtMiddleware`, with the store of the setting `ROBOMATON_STORE`.

    The first process that opens the store writes it; all others read it, fetch what it lacks, and hand that over. When the
    writer ends, another process takes its place. Before a request, robots.txt is fetched if the store does not know the
    site, or if its text is due again; every answer goes into the store, and so does a failure to connect.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        directory = settings.get("ROBOMATON_STORE")
        if not directory or not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.crawler = crawler
        self._directory: str = directory
        self._options: dict[str, Any] = {"headers": True, **settings.getdict("ROBOMATON_STORE_OPTIONS")}
        self._user_agent: str | None = settings["ROBOTSTXT_USER_AGENT"]
        self._default_user_agent: str = settings["USER_AGENT"]
        #: A `Store` in the process that writes, and a `StoreReader` in all others.
        self.store: StoreReader = self._open()
        #: Requests that wait for the robots.txt of a site that is being fetched.
        self._waiting: dict[str, list[Deferred[None]]] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="robomaton-store", daemon=True)
        self._thread.start()

    @classmethod
    def from_crawler(cls: type[_Middleware], crawler: Crawler) -> _Middleware:
        """A middleware that ends with the spider."""
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        crawler.signals.connect(middleware.response_downloaded, signals.response_downloaded)
        return middleware

    def spider_closed(self) -> None:
        """Closes the store, so that another process writes it."""
        self._stopped.set()
        self._thread.join()
        if isinstance(self.store, Store):
            self.store.take_handed()
        self.store.close()

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Keeps the body of a robots.txt as it was sent: of one that is cut, Scrapy decodes what is there."""
        if _SENT in request.meta:
            lines = response.headers.getlist(b"Content-Encoding")
            codings = [coding.strip().lower() for line in lines for coding in line.split(b",")]
            request.meta[_SENT] = (codings, response.body)
            if not self._is_ended(response, urlparse_cached(request).scheme):
                # As Scrapy's own handler does.
                response.flags.append("partial")

    def _is_ended(self, response: Response, scheme: str) -> bool:
        """Whether it is known where a body ends, or the handler itself flags one that may be a part."""
        handler = self.crawler.settings.getwithbase("DOWNLOAD_HANDLERS").get(scheme)
        if handler is not None and issubclass(load_object(handler), HTTP11DownloadHandler):
            return True
        # HTTP/2 and later tell the end of each answer, and these have no body.
        if response.protocol not in (None, "HTTP/1.0", "HTTP/1.1") or response.status in (204, 304):
            return True
        return b"Content-Length" in response.headers or b"Transfer-Encoding" in response.headers

    async def process_request(self, request: Request) -> None:
        """Asks the store, and fetches robots.txt first where that is due."""
        if request.meta.get("dont_obey_robotstxt") or urlparse_cached(request).scheme not in ("http", "https"):
            return
        store = await self._prepared(request)
        user_agent = self._user_agent or request.headers.get(b"User-Agent") or self._default_user_agent
        if not all(store.allowed(url, user_agent) for url in _as_sent(request.url)):
            logger.debug("Forbidden by robots.txt: %s", request, extra={"spider": self.crawler.spider})
            self._count("forbidden")
            raise IgnoreRequest("Forbidden by robots.txt")

    async def _prepared(self, request: Request) -> StoreReader:
        """The store, once it knows the site of a request."""
        url = urlparse_cached(request)
        # A user and a password are no part of a site.
        host = url.netloc.rpartition("@")[2]
        site = f"{url.scheme}://{host}"
        store = self.store
        if "%" in host:
            # Scrapy looks up an escape as it stands, and the store decodes it: that failure would count for another host.
            return store
        # Whoever waits may find that the fetch of another request failed, or that the store is another one now.
        for _ in range(3):
            store = self.store
            state = store.state(request.url)
            if _is_due(state) and store.refresh():
                state = store.state(request.url)
            waiting = self._waiting.get(site)
            if not _is_due(state) or (waiting is not None and state.state != "unknown"):
                break
            if waiting is None:
                await self._fetch(store, site, state)
            else:
                # One for each: the callbacks of a Deferred pass their results on to the next.
                waiter: Deferred[None] = Deferred()
                waiting.append(waiter)
                await maybe_deferred_to_future(waiter)
        return store

    async def _fetch(self, store: StoreReader, site: str, state: SiteState) -> None:
        """Fetches the robots.txt of a site, and puts the answer into the store, whatever it is."""
        self._waiting[site] = []
        try:
            begun = int(time.time())
            url = f"{site}/robots.txt"
            # The writer may have another text by the time it takes a capture that was handed over.
            conditions = state.conditions if isinstance(store, Store) else {}
            status, response, redirects = await self._download(url, conditions)
            if status == 304 and (redirects or not conditions):
                status = 0
            put = partial(store.hand, url, status, redirects=redirects, fetched_at=begun)
            if response is not None:
                # Parts of bodies that Scrapy hands over when a setting or a signal says so, and those that may be parts.
                truncated = not {"dataloss", "download_stopped", "partial"}.isdisjoint(response.flags)
                body = _with_refusal(response.body) if "partial" in response.flags else response.body
                headers = response.headers.copy()
                # That of the bytes that Scrapy has received, and decoded since.
                headers.pop(b"Content-Length", None)
                put = partial(put, body, headers=headers, truncated=truncated)
            try:
                await run_in_thread(put)
            except ValueError as error:
                # A 304 may say nothing about a text that came in meanwhile.
                if status != 304:
                    # Any other answer that the store refuses, such as a part of a text, counts as none.
                    logger.warning("No use for the answer of %s: %s", url, error, extra={"spider": self.crawler.spider})
                    await run_in_thread(partial(store.hand, url, 0, fetched_at=begun))
        finally:
            for waiter in self._waiting.pop(site):
                waiter.callback(None)

    async def _download(self, url: str, conditions: Mapping[str, str]) -> tuple[int, Response | None, int]:
        """The last answer with its status, and the number of redirects that led to it. Status 0 is no answer."""
        engine = self.crawler.engine
        assert engine is not None
        redirects = 0
        self._count("request_count")
        while True:
            meta = {
                "dont_obey_robotstxt": True,
                "dont_redirect": True,
                "handle_httpstatus_all": True,
                # The robots.txt of a site may stand on a host whose pages are not crawled.
                "allow_offsite": True,
                # The store is the cache: a text of another one would have a wrong time.
                "dont_cache": True,
                _SENT: None,
            }
            # Validators are those of a text under the URL itself.
            headers = {"Accept-Encoding": "identity", **({} if redirects else conditions)}
            request = Request(url, headers=headers, meta=meta, priority=1000, callback=NO_CALLBACK)
            try:
                response = await engine.download_async(request)
            except Exception as error:
                # Of an answer that is ignored, such as one that is too large when it is decoded, nothing is known.
                if isinstance(error, IgnoreRequest) and request.meta[_SENT] is None:
                    raise
                logger.warning("No answer for %s: %s", request, error, extra={"spider": self.crawler.spider})
                self._count(f"exception_count/{type(error)}")
                return 0, None, redirects
            # Of several, the first counts, as in captures that are compiled.
            location = next(iter(response.headers.getlist(b"Location")), b"")
            # An answer 304 is no redirect, whatever its headers say.
            is_redirect = response.status in range(300, 400) and response.status != 304
            if not location or not is_redirect or redirects == _REDIRECTS:
                break
            target = _joined(response.url, location)
            if target is None:
                break
            url = target
            redirects += 1
        self._count("response_count")
        self._count(f"response_status_count/{response.status}")
        codings, sent = response.meta.get(_SENT) or ([], b"")
        if response.status in range(200, 300) and not _is_whole(codings, sent):
            logger.warning("%s is compressed, and may be cut", request, extra={"spider": self.crawler.spider})
            return 0, None, redirects
        return response.status, response, redirects

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"robotstxt/{name}")

    def _open(self) -> StoreReader:
        """Opens the store: for writing, if no other process does."""
        try:
            return Store(self._directory, durability=_DURABILITY, **self._options)
        except StoreLocked:
            pass
        end = time.monotonic() + _CREATED
        while True:
            try:
                return StoreReader(self._directory, **self._options)
            except FileNotFoundError:
                # The writer is about to create it.
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def _run(self) -> None:
        """Tends the store until the spider is closed; the crawl goes on whatever happens."""
        last = None
        while not self._stopped.wait(_PAUSE):
            try:
                self._tend()
                last = None
            except Exception as error:
                if repr(error) != last:
                    logger.error("The store: %s", error)
                last = repr(error)

    def _tend(self) -> None:
        store = self.store
        if isinstance(store, Store):
            store.take_handed()
            store.compact()
            return
        store.refresh()
        try:
            writer = Store(self._directory, durability=_DURABILITY, **self._options)
        except StoreLocked:
            return
        # With the captures of this process that nobody took.
        writer.take_handed()
        self.store = writer


def _as_sent(url: str | bytes) -> list[str | bytes]:
    """A URL, and as the download handlers that may be in use send it: all of them are to be allowed."""
    urls = [url]
    if ";" in str(url):
        # Twisted drops an empty one at the end of a path.
        urls.append(urlparse(url).geturl())
    for name in _REWRITING:
        # A library that nobody has loaded sends nothing.
        if name in sys.modules:
            try:
                urls.append(str(sys.modules[name].URL(safe_url_string(url))))
            except Exception:
                # Nor does one that refuses the URL.
                pass
    return urls


def _with_refusal(body: bytes) -> bytes:
    """A body of which nothing tells whether it is whole: half a Disallow counts as a line, and no other half does.

    `Allow: /a` may be the half of `Allow: /a/b`, but a Disallow only ever refuses.
    """
    key, _, value = body[max(body.rfind(b"\n"), body.rfind(b"\r")) + 1 :].partition(b":")
    return body + b"\n" if b"disallow" in key.lower() and value.strip().startswith(b"/") else body


def _is_due(state: SiteState) -> bool:
    return state.fetch_at is None or state.fetch_at <= time.time()


def _is_whole(codings: list[bytes], body: bytes) -> bool:
    """Whether a body is known to be whole, of those that Scrapy decodes: one stream, up to its end."""
    if _CODINGS.keys().isdisjoint(codings):
        return True
    return len(codings) == 1 and any(_ends(body, window) for window in _CODINGS[codings[0]])


def _ends(body: bytes, window: int) -> bool:
    stream = zlib.decompressobj(window)
    try:
        for at in range(0, len(body), _PART):
            stream.decompress(body[at : at + _PART])
            if stream.eof:
                return at + _PART >= len(body) and not stream.unused_data
    except zlib.error:
        pass
    return False


def _joined(url: str, location: bytes) -> str | None:
    """The target of a redirect. Files of this machine are none."""
    try:
        target = urljoin(url, safe_url_string(location))
        # Raises an error for a port that is none.
        _ = urlsplit(target).port
    except ValueError:
        return None
    return target if target.lower().startswith(("http://", "https://")) else None
