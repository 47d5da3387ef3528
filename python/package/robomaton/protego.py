"""A class in the shape of protego's, so that one import is all that changes.

`can_fetch`, `crawl_delay`, `request_rate`, `visit_time`, `sitemaps` and `preferred_host` are asked and answered as those of
protego. What they say follows RFC 9309 as `Robots` does; README.md lists where protego says otherwise. `can_fetch` of the
class itself goes straight to the native object: nothing of Python stands between. A subclass may override it.
"""

from __future__ import annotations

from datetime import time
from typing import Any, Iterator, NamedTuple, TypeVar

from robomaton._robomaton import Robots

_Protego = TypeVar("_Protego", bound="Protego")


class RequestRate(NamedTuple):
    """Documents in seconds, and the time of the day for which that is meant, in UTC."""

    requests: int
    seconds: int
    start_time: time | None
    end_time: time | None


class VisitTime(NamedTuple):
    """A time of the day at which visits are welcome, in UTC."""

    start_time: time
    end_time: time


class Protego:
    """One robots.txt. A user agent may be a whole `User-Agent` header: every token in it is a name, the longest first."""

    #: The compiled text, with everything that this class does not tell.
    robots: Robots

    def __init__(self, robots: Robots) -> None:
        self.__setstate__({"robots": robots})

    @classmethod
    def parse(cls: type[_Protego], content: str | bytes) -> _Protego:
        """Compiles the text of a robots.txt."""
        return cls(Robots(content, headers=True))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "can_fetch"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if type(self) is Protego:
            # The question that is asked most, without a step in Python.
            vars(self)["can_fetch"] = self.robots.can_fetch

    def can_fetch(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the crawler may fetch the URL: whatever its scheme and its host, what follows them."""
        return self.robots.can_fetch(url, user_agent)

    def crawl_delay(self, user_agent: str) -> float | None:
        """The seconds between fetches that the file asks for, if it does."""
        return self.robots.crawl_delay(user_agent)

    def request_rate(self, user_agent: str) -> RequestRate | None:
        """The Request-rate that the file asks for, of several the slowest."""
        rates = self.robots.request_rates(user_agent)
        if not rates:
            return None
        requests, seconds, window = max(rates, key=lambda rate: rate[1] / rate[0])
        return RequestRate(requests, seconds, *(_times(window) if window else (None, None)))

    def visit_time(self, user_agent: str) -> VisitTime | None:
        """The Visit-time that the file asks for, of several the first."""
        windows = self.robots.visit_times(user_agent)
        return VisitTime(*_times(windows[0])) if windows else None

    @property
    def sitemaps(self) -> Iterator[str]:
        """The URLs of sitemaps, in file order."""
        return iter(self.robots.sitemaps)

    @property
    def preferred_host(self) -> str | None:
        """The value of the last `Host` record."""
        hosts = [value for _, key, value in self.robots.extensions if key == "host"]
        return hosts[-1] or None if hosts else None


def _times(window: tuple[int, int]) -> tuple[time, time]:
    return _time(window[0]), _time(window[1])


def _time(minutes: int) -> time:
    # A day ends at 24:00, which is no time of Python's.
    return time(minutes // 60, minutes % 60) if minutes < 24 * 60 else time(23, 59)
