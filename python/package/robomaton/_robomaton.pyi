"""The native module. What is documented there is not repeated here."""

from os import PathLike
from types import TracebackType
from typing import Any, Iterable, List, Literal, Sequence, Tuple, Type, TypeVar, Union, overload

_Path = Union[str, "PathLike[str]"]
_Text = Union[str, bytes]
_Agent = Union[_Text, Sequence[_Text]]
_Verdict = Literal["allowed", "disallowed", "conditional", "unknown"]
_Profile = Literal["full", "rfc9309", "google", "koster"]
_Permission = Literal["allow", "deny"]
_Times = Tuple[int, int]
_Image = TypeVar("_Image", bound="Image")

__version__: str
#: The verdicts; in NumPy arrays each is told by its place here.
VERDICTS: Tuple[_Verdict, ...]

class Error(Exception): ...

class ImageError(Error):
    path: str | None
    offset: int | None
    rule: int | None

class Answer:
    @property
    def url(self) -> str: ...
    @property
    def verdict(self) -> _Verdict: ...
    @property
    def decision(self) -> _Verdict: ...
    @property
    def allowed(self) -> bool: ...
    @property
    def incomplete(self) -> bool: ...
    @property
    def basis(self) -> str: ...
    @property
    def line(self) -> int | None: ...
    @property
    def rule(self) -> str | None: ...
    @property
    def conditions(self) -> List[str]: ...
    def as_dict(self) -> dict[str, Any]: ...
    def __bool__(self) -> bool: ...

class Image:
    def __new__(
        cls: Type[_Image],
        path: _Path,
        *,
        on_forbidden: _Permission = "allow",
        on_throttled: _Permission = "allow",
        on_long_unreachable: _Permission = "deny",
        elements: bool = False,
        now: int | None = None,
    ) -> _Image: ...
    @property
    def path(self) -> str: ...
    @property
    def profile(self) -> _Profile: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def __len__(self) -> int: ...
    def __enter__(self: _Image) -> _Image: ...
    def __exit__(
        self,
        exception: Type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
    def allowed(self, url: _Text, agent: _Agent, *, usage: str | None = None, purpose: str | None = None) -> bool: ...
    def decide(
        self,
        url: _Text,
        agent: _Agent,
        *,
        usage: str | None = None,
        purpose: str | None = None,
        document: str | None = None,
    ) -> Answer: ...
    @overload
    def decide_batch(
        self,
        urls: Sequence[_Text],
        agent: _Agent,
        *,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
    ) -> List[_Verdict]: ...
    @overload
    def decide_batch(
        self, urls: Any, agent: _Agent, *, usage: str | None = None, purpose: str | None = None, threads: int = 1
    ) -> Any: ...
    @overload
    def allowed_batch(
        self,
        urls: Sequence[_Text],
        agent: _Agent,
        *,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
    ) -> List[bool]: ...
    @overload
    def allowed_batch(
        self, urls: Any, agent: _Agent, *, usage: str | None = None, purpose: str | None = None, threads: int = 1
    ) -> Any: ...
    def explain(
        self,
        url: _Text,
        agent: _Agent,
        *,
        usage: str | None = None,
        purpose: str | None = None,
        document: str | None = None,
    ) -> str: ...
    def site(self, url: _Text) -> dict[str, Any] | None: ...
    def crawl_delay(self, url: _Text, agent: _Agent) -> float | None: ...
    def sitemaps(self, url: _Text) -> List[str]: ...
    def verify(self, *, texts: bool = False) -> None: ...

class Robots:
    def __new__(
        cls,
        text: _Text,
        url: _Text | None = None,
        *,
        profile: _Profile = "full",
        files: dict[str, _Text] | None = None,
        headers: bool = False,
    ) -> Robots: ...
    @property
    def outcome(self) -> Literal["rules", "empty", "not-robots", "over-limit"]: ...
    @property
    def sitemaps(self) -> List[str]: ...
    @property
    def extensions(self) -> List[Tuple[int, str, str]]: ...
    def allowed(self, url: _Text, agent: _Agent, *, usage: str | None = None, purpose: str | None = None) -> bool: ...
    def can_fetch(self, url: _Text, user_agent: _Text) -> bool: ...
    def decide(self, url: _Text, agent: _Agent, *, usage: str | None = None, purpose: str | None = None) -> Answer: ...
    @overload
    def decide_batch(
        self,
        urls: Sequence[_Text],
        agent: _Agent,
        *,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
    ) -> List[_Verdict]: ...
    @overload
    def decide_batch(
        self, urls: Any, agent: _Agent, *, usage: str | None = None, purpose: str | None = None, threads: int = 1
    ) -> Any: ...
    @overload
    def allowed_batch(
        self,
        urls: Sequence[_Text],
        agent: _Agent,
        *,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
    ) -> List[bool]: ...
    @overload
    def allowed_batch(
        self, urls: Any, agent: _Agent, *, usage: str | None = None, purpose: str | None = None, threads: int = 1
    ) -> Any: ...
    def explain(self, url: _Text, agent: _Agent, *, usage: str | None = None, purpose: str | None = None) -> str: ...
    def crawl_delay(self, agent: _Agent) -> float | None: ...
    def request_rates(self, agent: _Agent) -> List[Tuple[int, int, _Times | None]]: ...
    def visit_times(self, agent: _Agent) -> List[_Times]: ...

def compile(
    inputs: Iterable[_Path],
    output: _Path,
    *,
    profile: _Profile = "full",
    crawlers: Sequence[str] = (),
    pages: bool = False,
    sources: bool = True,
    shards: int | None = None,
    threads: int = 0,
    warc_root: _Path | None = None,
    allow_empty: bool = False,
    max_bytes: int | None = None,
    max_groups: int | None = None,
    max_rules: int | None = None,
    max_stars: int | None = None,
) -> dict[str, Any]: ...
def merge(images: Iterable[_Path], output: _Path, *, shards: int | None = None) -> dict[str, Any]: ...
