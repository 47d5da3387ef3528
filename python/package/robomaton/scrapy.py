"""The robots.txt parser of a Scrapy project: `ROBOTSTXT_PARSER = "robomaton.scrapy.RobotParser"`.

Scrapy's middleware fetches robots.txt, hands its bytes over, and asks before each request. A body that is no robots.txt, such
as an error page, forbids nothing, as with Scrapy's own parsers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from scrapy.robotstxt import RobotParser as _RobotParser

from robomaton._robomaton import Robots

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_Parser = TypeVar("_Parser", bound="RobotParser")


class RobotParser(_RobotParser):
    """One robots.txt. A user agent may be a whole `User-Agent` header: every token in it is a name, the longest first."""

    def __init__(self, robotstxt_body: bytes) -> None:
        #: The compiled text.
        self.robots = Robots(robotstxt_body, headers=True)
        if type(self) is RobotParser:
            # The question of every request goes straight to the native object.
            self.allowed = self.robots.can_fetch  # type: ignore[method-assign]

    @classmethod
    def from_crawler(cls: type[_Parser], crawler: Crawler | None, robotstxt_body: bytes) -> _Parser:
        """Compiles the body of a robots.txt."""
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the crawler may fetch the URL."""
        return self.robots.can_fetch(url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """The seconds between fetches that the file asks for, if it does."""
        return self.robots.crawl_delay(user_agent)
