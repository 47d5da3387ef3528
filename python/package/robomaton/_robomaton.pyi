"""The native module. What is documented there is not repeated here.

Columns come before lists among overloads: pyarrow has no types, and of an argument of unknown type the first is taken.
"""

from datetime import datetime
from os import PathLike
from types import TracebackType
from typing import (
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Literal,
    Mapping,
    Protocol,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    overload,
)

_Path = Union[str, "PathLike[str]"]
_Text = Union[str, bytes]
_Agent = Union[_Text, Sequence[_Text]]
_Verdict = Literal["allowed", "disallowed", "conditional", "unknown"]
_Profile = Literal["full", "rfc9309", "google", "koster"]
_Permission = Literal["allow", "deny"]
_Nulls = Literal["error", "keep"]
_Times = Tuple[int, int]
#: Seconds since 1970, or a datetime with a time zone.
_Time = Union[int, float, datetime]
_Body = Union[str, bytes, bytearray, memoryview]
_Values = Union[_Text, Sequence[_Text]]
_Headers = Union[Mapping[str, _Values], Mapping[bytes, _Values], Iterable[Tuple[_Text, _Values]]]
_Image = TypeVar("_Image", bound="Image")
_Robots = TypeVar("_Robots", bound="Robots")
_Store = TypeVar("_Store", bound="Store")
_StoreReader = TypeVar("_StoreReader", bound="StoreReader")

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

class _Array(Protocol):
    def __array__(self, dtype: Any = ..., /) -> Any: ...

#: What answers are columns for: of NumPy, of Arrow, and series.
_Column = Union[_ArrowArray, _ArrowStream, _Array]
_Agents = Union[_Column, Iterable[Union[_Text, None]]]

__version__: str
#: The verdicts; in NumPy arrays each is told by its place here.
VERDICTS: Tuple[_Verdict, ...]

class Error(Exception): ...

class ImageError(Error):
    path: str | None
    offset: int | None
    rule: int | None

class StoreError(Error):
    path: str

class StoreLocked(StoreError):
    holder: int | None

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
    def choice(self) -> str | None: ...
    @property
    def name(self) -> str | None: ...
    @property
    def conditions(self) -> List[str]: ...
    @property
    def language(self) -> str | None: ...
    @property
    def carrier(self) -> str | None: ...
    @property
    def crawl(self) -> _Verdict | None: ...
    @property
    def statements(self) -> List[dict[str, Any]]: ...
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
        named_only: bool = False,
        now: int | None = None,
        map_above: int = 67108864,
        without_damaged_layers: bool = False,
    ) -> _Image: ...
    @property
    def path(self) -> str: ...
    @property
    def profile(self) -> _Profile: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def left_out(self) -> List[Tuple[str, str]]: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
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
        urls: _Column,
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: _Nulls = "error",
    ) -> Any: ...
    @overload
    def decide_batch(
        self,
        urls: Iterable[_Text | None],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["keep"],
    ) -> List[_Verdict | None]: ...
    @overload
    def decide_batch(
        self,
        urls: Iterable[_Text],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["error"] = "error",
    ) -> List[_Verdict]: ...
    @overload
    def allowed_batch(
        self,
        urls: _Column,
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: _Nulls = "error",
    ) -> Any: ...
    @overload
    def allowed_batch(
        self,
        urls: Iterable[_Text | None],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["keep"],
    ) -> List[bool | None]: ...
    @overload
    def allowed_batch(
        self,
        urls: Iterable[_Text],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["error"] = "error",
    ) -> List[bool]: ...
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
    def canonical_url(self, url: _Text) -> str: ...
    def verify(self, *, texts: bool = False) -> None: ...

class Robots:
    def __new__(
        cls: Type[_Robots],
        text: _Text,
        url: _Text | None = None,
        *,
        profile: _Profile = "full",
        files: dict[str, _Text] | None = None,
        headers: bool = False,
        named_only: bool = False,
    ) -> _Robots: ...
    def __getnewargs_ex__(self) -> Tuple[Tuple[bytes, str | None], dict[str, Any]]: ...
    @property
    def outcome(self) -> Literal["rules", "empty", "not-robots", "over-limit"]: ...
    @property
    def sitemaps(self) -> List[str]: ...
    @property
    def extensions(self) -> List[Tuple[int, str, str]]: ...
    def canonical_url(self, url: _Text) -> str: ...
    def allowed(self, url: _Text, agent: _Agent, *, usage: str | None = None, purpose: str | None = None) -> bool: ...
    def can_fetch(self, url: _Text, user_agent: _Text) -> bool: ...
    def decide(self, url: _Text, agent: _Agent, *, usage: str | None = None, purpose: str | None = None) -> Answer: ...
    @overload
    def decide_batch(
        self,
        urls: _Column,
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: _Nulls = "error",
    ) -> Any: ...
    @overload
    def decide_batch(
        self,
        urls: Iterable[_Text | None],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["keep"],
    ) -> List[_Verdict | None]: ...
    @overload
    def decide_batch(
        self,
        urls: Iterable[_Text],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["error"] = "error",
    ) -> List[_Verdict]: ...
    @overload
    def allowed_batch(
        self,
        urls: _Column,
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: _Nulls = "error",
    ) -> Any: ...
    @overload
    def allowed_batch(
        self,
        urls: Iterable[_Text | None],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["keep"],
    ) -> List[bool | None]: ...
    @overload
    def allowed_batch(
        self,
        urls: Iterable[_Text],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["error"] = "error",
    ) -> List[bool]: ...
    def explain(self, url: _Text, agent: _Agent, *, usage: str | None = None, purpose: str | None = None) -> str: ...
    def crawl_delay(self, agent: _Agent) -> float | None: ...
    def request_rates(self, agent: _Agent) -> List[Tuple[int, int, _Times | None]]: ...
    def visit_times(self, agent: _Agent) -> List[_Times]: ...

class SiteState:
    @property
    def state(self) -> Literal["unknown", "fresh", "stale", "unreachable"]: ...
    @property
    def in_flight(self) -> bool: ...
    @property
    def fetched_at(self) -> int | None: ...
    @property
    def fetch_at(self) -> int | None: ...
    @property
    def since(self) -> int | None: ...
    @property
    def verdict(self) -> Literal["allowed", "disallowed"] | None: ...
    @property
    def etag(self) -> str | None: ...
    @property
    def last_modified(self) -> str | None: ...
    @property
    def conditions(self) -> Dict[str, str]: ...

class StoreReader:
    def __new__(
        cls: Type[_StoreReader],
        path: _Path,
        *,
        without_damaged_layers: bool = False,
        profile: _Profile = "full",
        crawlers: Sequence[str] = (),
        vocabulary: Sequence[str] = (),
        control_tokens: Sequence[str] = (),
        max_bytes: int | None = None,
        max_groups: int | None = None,
        max_rules: int | None = None,
        max_stars: int | None = None,
        on_forbidden: _Permission = "allow",
        on_throttled: _Permission = "allow",
        on_long_unreachable: _Permission = "deny",
        elements: bool = False,
        named_only: bool = False,
        headers: bool = False,
    ) -> _StoreReader: ...
    @property
    def path(self) -> str: ...
    @property
    def left_out(self) -> List[Tuple[str, str]]: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def __enter__(self: _StoreReader) -> _StoreReader: ...
    def __exit__(
        self,
        exception: Type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
    def refresh(self) -> bool: ...
    def allowed(self, url: _Text, agent: _Agent, *, usage: str | None = None, purpose: str | None = None) -> bool: ...
    def decide(self, url: _Text, agent: _Agent, *, usage: str | None = None, purpose: str | None = None) -> Answer: ...
    @overload
    def decide_batch(
        self,
        urls: _Column,
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: _Nulls = "error",
    ) -> Any: ...
    @overload
    def decide_batch(
        self,
        urls: Iterable[_Text | None],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["keep"],
    ) -> List[_Verdict | None]: ...
    @overload
    def decide_batch(
        self,
        urls: Iterable[_Text],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["error"] = "error",
    ) -> List[_Verdict]: ...
    @overload
    def allowed_batch(
        self,
        urls: _Column,
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: _Nulls = "error",
    ) -> Any: ...
    @overload
    def allowed_batch(
        self,
        urls: Iterable[_Text | None],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["keep"],
    ) -> List[bool | None]: ...
    @overload
    def allowed_batch(
        self,
        urls: Iterable[_Text],
        agent: _Agent | None = None,
        *,
        agents: _Agents | None = None,
        usage: str | None = None,
        purpose: str | None = None,
        threads: int = 1,
        nulls: Literal["error"] = "error",
    ) -> List[bool]: ...
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
    def sitemaps(self, url: _Text) -> List[str]: ...
    def crawl_delay(self, url: _Text, agent: _Agent) -> float | None: ...
    def state(self, url: _Text, now: _Time | None = None) -> SiteState: ...
    def due(self, now: _Time | None = None, *, most: int = 1000) -> List[Tuple[str, SiteState]]: ...
    def hand(
        self,
        url: _Text,
        status: int,
        body: _Body | None = None,
        *,
        headers: _Headers = (),
        redirects: int = 0,
        fetched_at: _Time | None = None,
        truncated: bool = False,
    ) -> bool: ...
    def stats(self) -> Dict[str, int]: ...

class Store(StoreReader):
    def __new__(
        cls: Type[_Store],
        path: _Path,
        *,
        durability: Literal["each"] | int | None = "each",
        memory_captures: int | None = None,
        without_damaged_layers: bool = False,
        profile: _Profile = "full",
        crawlers: Sequence[str] = (),
        vocabulary: Sequence[str] = (),
        control_tokens: Sequence[str] = (),
        max_bytes: int | None = None,
        max_groups: int | None = None,
        max_rules: int | None = None,
        max_stars: int | None = None,
        on_forbidden: _Permission = "allow",
        on_throttled: _Permission = "allow",
        on_long_unreachable: _Permission = "deny",
        elements: bool = False,
        named_only: bool = False,
        headers: bool = False,
    ) -> _Store: ...
    def put(
        self,
        url: _Text,
        status: int,
        body: _Body | None = None,
        *,
        headers: _Headers = (),
        redirects: int = 0,
        fetched_at: _Time | None = None,
        truncated: bool = False,
    ) -> bool: ...
    def begin(self, url: _Text, now: _Time | None = None) -> bool: ...
    def take_handed(self) -> int: ...
    def compact(self) -> None: ...
    def evict(self, oldest: _Time) -> None: ...
    def flush(self) -> None: ...
    def sync(self) -> None: ...

def _command(arguments: Sequence[str]) -> int: ...
def compile(
    inputs: Iterable[_Path],
    output: _Path,
    *,
    profile: _Profile = "full",
    crawlers: Sequence[str] = (),
    vocabulary: Sequence[str] = (),
    control_tokens: Sequence[str] = (),
    pages: bool = False,
    sources: bool = True,
    shards: int | None = None,
    threads: int = 0,
    warc_root: _Path | None = None,
    allow_empty: bool = False,
    force: bool = False,
    max_bytes: int | None = None,
    max_groups: int | None = None,
    max_rules: int | None = None,
    max_stars: int | None = None,
) -> dict[str, Any]: ...
def merge(
    images: Iterable[_Path],
    output: _Path,
    *,
    shards: int | None = None,
    force: bool = False,
    without_damaged_layers: bool = False,
) -> dict[str, Any]: ...
def _lint(
    text: _Text, url: _Text | None, profile: _Profile, files: dict[str, _Text] | None
) -> List[dict[str, Any]]: ...
