"""What is wrong with an argument is one exception that says so: never a crash, a guess or a wrong answer."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Callable

import pytest

import robomaton
from robomaton import Image, Robots, Store
from support import package

np = package("numpy")
pa = package("pyarrow")
pd = package("pandas")
pl = package("polars")

URL = "https://www.ed.ac.uk/search/x"
SURROGATE = "https://www.ed.ac.uk/\ud800"
#: Questions that take one URL.
SINGLE = ["allowed", "decide", "explain"]
BATCH = ["allowed_batch", "decide_batch"]


@pytest.fixture(params=["image", "text"])
def asked(request: pytest.FixtureRequest, image: Image) -> Image | Robots:
    """What both answer questions."""
    return image if request.param == "image" else Robots("User-agent: *\nDisallow: /search\n", URL)


@pytest.mark.parametrize("method", SINGLE)
@pytest.mark.parametrize("url", [None, 1, 1.5, True, [URL], (URL,), bytearray(b"x"), Path("/x"), object()])
def test_a_url_is_a_string(asked: Image | Robots, method: str, url: object) -> None:
    with pytest.raises(TypeError, match=f"expected str or bytes, not {type(url).__name__}"):
        getattr(asked, method)(url, "GPTBot")


@pytest.mark.parametrize("method", SINGLE)
def test_surrogates_are_refused_with_their_place(asked: Image | Robots, method: str) -> None:
    with pytest.raises(UnicodeEncodeError) as raised:
        getattr(asked, method)(SURROGATE, "GPTBot")
    assert raised.value.start == len(SURROGATE) - 1


@pytest.mark.parametrize("method", SINGLE + BATCH)
@pytest.mark.parametrize("agent", [None, 1, 1.5, object()])
def test_an_agent_is_a_string_or_several(asked: Image | Robots, method: str, agent: object) -> None:
    with pytest.raises(TypeError, match=f"agent: expected str, bytes or a list of them, not {type(agent).__name__}"):
        getattr(asked, method)([URL] if method in BATCH else URL, agent)


@pytest.mark.parametrize("method", SINGLE + BATCH)
@pytest.mark.parametrize("agent", ["", " ", ",", "(compatible)", "——", b"\xbf", [""], ["GPTBot", ""], ["GPTBot", "?"]])
def test_names_that_name_nobody(asked: Image | Robots, method: str, agent: object) -> None:
    with pytest.raises(ValueError, match="agent: .* names no crawler"):
        getattr(asked, method)([URL] if method in BATCH else URL, agent)


@pytest.mark.parametrize("agents", [[], ()])
def test_a_list_of_no_names(asked: Image | Robots, agents: object) -> None:
    with pytest.raises(ValueError, match="agent: an empty list names no crawler"):
        asked.decide(URL, agents)


def test_a_list_of_no_strings(asked: Image | Robots) -> None:
    with pytest.raises(TypeError, match="not int"):
        asked.decide(URL, ["GPTBot", 1])


@pytest.mark.parametrize("method", ["decide", "explain"])
def test_names_that_come_once(asked: Image | Robots, method: str) -> None:
    expected = getattr(asked, method)(URL, ["nobody", "GPTBot"])
    told = getattr(asked, method)(URL, iter(["nobody", "GPTBot"]))
    assert told == expected or told.as_dict() == expected.as_dict()


@pytest.mark.parametrize("agent", ["GPTBot\ud800", ["GPTBot\ud800"]])
def test_surrogates_in_names(asked: Image | Robots, agent: object) -> None:
    with pytest.raises(UnicodeEncodeError):
        asked.decide(URL, agent)


@pytest.mark.parametrize("key", ["usage", "purpose"])
def test_usages_are_strings(asked: Image | Robots, key: str) -> None:
    for method, url in (("decide", URL), ("allowed", URL), ("explain", URL), ("decide_batch", [URL])):
        with pytest.raises(TypeError):
            getattr(asked, method)(url, "GPTBot", **{key: 1})
        with pytest.raises(UnicodeEncodeError):
            getattr(asked, method)(url, "GPTBot", **{key: "\ud800"})
        with pytest.raises(TypeError):
            getattr(asked, method)(url, "GPTBot", "train")


@pytest.mark.parametrize("usage", ["trian", "", "crwal", "present-snipet"])
def test_usages_that_nobody_knows(asked: Image | Robots, usage: str) -> None:
    for method, url in (("decide", URL), ("allowed", URL), ("explain", URL), ("decide_batch", [URL])):
        with pytest.raises(ValueError, match="^usage: .* is not a known usage"):
            getattr(asked, method)(url, "GPTBot", usage=usage)


def test_a_misspelt_usage_has_a_guess(asked: Image | Robots) -> None:
    with pytest.raises(ValueError, match='did you mean "train"'):
        asked.allowed(URL, "GPTBot", usage="trian")


def test_documents_have_names(image: Image) -> None:
    with pytest.raises(ValueError, match="document"):
        image.decide(URL, "GPTBot", document="humans.txt")


WRONG_COLUMNS: dict[str, Callable[[], object]] = {
    "str": lambda: URL,
    "bytes": lambda: URL.encode(),
    "None": lambda: None,
    "int": lambda: 1,
    "numbers": lambda: [1],
    "nested": lambda: [[URL]],
    "numpy int": lambda: np.array([1]),
    "numpy float": lambda: np.array([1.5]),
    "numpy time": lambda: np.array(["2020-01-01"], dtype="datetime64[s]"),
    "numpy record": lambda: np.array([(URL,)], dtype=[("url", "U40")]),
    "numpy object": lambda: np.array([1], dtype=object),
    "arrow int": lambda: pa.array([1]),
    "arrow list": lambda: pa.array([[URL]]),
    "arrow dictionary of int": lambda: pa.array([1]).dictionary_encode(),
    "arrow table": lambda: pa.table({"url": [URL]}),
    "arrow batch": lambda: pa.record_batch({"url": [URL]}),
    "pandas int": lambda: pd.Series([1]),
    "pandas frame": lambda: pd.DataFrame({"url": [URL]}),
    "polars int": lambda: pl.Series([1]),
    "polars frame": lambda: pl.DataFrame({"url": [URL]}),
    "polars list": lambda: pl.Series([[URL]]),
}


@pytest.mark.parametrize("method", BATCH)
@pytest.mark.parametrize("kind", WRONG_COLUMNS)
def test_columns_of_something_else(asked: Image | Robots, method: str, kind: str) -> None:
    with pytest.raises(TypeError, match=r"^urls"):
        getattr(asked, method)(WRONG_COLUMNS[kind](), "GPTBot")


@pytest.mark.parametrize("shape", [(), (1, 1), (2, 0)])
def test_arrays_of_other_dimensions(asked: Image | Robots, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"one dimension, not of {len(shape)}"):
        asked.decide_batch(np.full(shape, URL), "GPTBot")


ROWS = ["https://a.example/x", "https://a.example/yy"]


def lying(data_type: pa.DataType, code: str) -> pa.Table:
    """Columns of a damaged IPC stream, whose last row is a byte longer than their buffer."""
    plain = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(ROWS, data_type))
    table = pa.table({"dictionary": plain, "plain": pa.array(ROWS, data_type)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream = sink.getvalue().to_pybytes()
    offsets = struct.pack(f"<3{code}", 0, 19, 39)
    assert stream.count(offsets) == 2
    return pa.ipc.open_stream(stream.replace(offsets, struct.pack(f"<3{code}", 0, 19, 40))).read_all()


def of_buffers(data_type: pa.DataType, rows: int, *buffers: bytes) -> pa.Array:
    return pa.Array.from_buffers(data_type, rows, [None, *map(pa.py_buffer, buffers)])


def offsets(code: str, *numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}{code}", *numbers)


#: Columns whose rows are not where they say, or whose text is not UTF-8, and a word of the error.
LIES: dict[str, tuple[Callable[[], object], str]] = {
    "string not UTF-8": (lambda: of_buffers(pa.string(), 2, offsets("i", 0, 3, 5), b"abc\xff\xfe"), "UTF8"),
    "large string not UTF-8": (
        lambda: of_buffers(pa.large_string(), 1, offsets("q", 0, 2), b"\xff\xfe"),
        "UTF8",
    ),
    "string cut in a character": (
        lambda: of_buffers(pa.string(), 2, offsets("i", 0, 1, 2), "é".encode()),
        "utf-8",
    ),
    "view not UTF-8": (lambda: of_buffers(pa.string_view(), 1, struct.pack("<i12s", 2, b"\xff\xfe")), "UTF-8"),
    "dictionary not UTF-8": (
        lambda: pa.DictionaryArray.from_arrays(
            pa.array([0]), of_buffers(pa.string(), 1, offsets("i", 0, 2), b"\xff\xfe")
        ),
        "UTF8",
    ),
    "offsets back and forth": (lambda: of_buffers(pa.string(), 2, offsets("i", 0, 90, 5), b"abcde"), "ffset"),
    "binary offsets back and forth": (lambda: of_buffers(pa.binary(), 2, offsets("i", 0, 90, 5), b"abcde"), "ffset"),
    "key without a value": (
        lambda: pa.DictionaryArray.from_arrays(pa.array([0, 100], pa.int8()), pa.array([URL]), safe=False),
        "100",
    ),
    "pandas not UTF-8": (
        lambda: pd.Series(
            of_buffers(pa.string(), 1, offsets("i", 0, 2), b"\xff\xfe"), dtype=pd.ArrowDtype(pa.string())
        ),
        "UTF8",
    ),
    **{
        f"{name} {form} longer than its buffer": (
            lambda data_type=data_type, code=code, form=form: form_of(lying(data_type, code), form),
            "larger than values array",
        )
        for name, data_type, code in [
            ("string", pa.string(), "i"),
            ("large string", pa.large_string(), "q"),
            ("binary", pa.binary(), "i"),
            ("large binary", pa.large_binary(), "q"),
        ]
        for form in ["plain", "dictionary", "array", "pandas"]
    },
}


def form_of(table: pa.Table, form: str) -> object:
    if form == "array":
        return table["plain"].chunk(0)
    if form == "pandas":
        return pd.Series(pd.arrays.ArrowExtensionArray(table["plain"]))
    return table[form]


@pytest.mark.parametrize("method", BATCH)
@pytest.mark.parametrize("kind", LIES)
def test_columns_that_lie(asked: Image | Robots, method: str, kind: str) -> None:
    column, what = LIES[kind]
    with pytest.raises(ValueError, match=rf"^urls(\[0\.\.\])?: .*{what}"):
        getattr(asked, method)(column(), "GPTBot")


@pytest.mark.parametrize("kind", LIES)
def test_names_of_crawlers_that_lie(image: Image, kind: str) -> None:
    column, what = LIES[kind]
    lies = column()
    with pytest.raises(ValueError, match=rf"^agents(\[0\.\.\])?: .*{what}"):
        image.decide_batch([URL] * len(lies), agents=lies)


STRINGS = np.dtypes.StringDType
NULLS: dict[str, tuple[object, int]] = {
    "list": ([URL, None], 1),
    "tuple": ((URL, URL, None), 2),
    "numpy object": (np.array([URL, None], dtype=object), 1),
    "arrow": (pa.array([URL, None, URL]), 1),
    "arrow view": (pa.array([URL, None], pa.string_view()), 1),
    "arrow binary": (pa.array([URL, None]).cast(pa.binary()), 1),
    "arrow null": (pa.array([None, None]), 0),
    "arrow slice": (pa.array([None, URL, URL, None])[1:], 2),
    "arrow second chunk": (pa.chunked_array([[URL, URL], [URL, None]]), 3),
    "arrow dictionary": (pa.array([URL, URL, None]).dictionary_encode(), 2),
    "arrow null of a dictionary": (pa.DictionaryArray.from_arrays(pa.array([0, 0, 1]), pa.array([URL, None])), 2),
    "arrow dictionary, second chunk": (
        pa.chunked_array([pa.array([URL]).dictionary_encode(), pa.array([URL, None]).dictionary_encode()]),
        2,
    ),
    "pandas": (pd.Series([URL, None]), 1),
    "pandas, with an index": (pd.Series([URL, URL, None], index=[7, 8, 9]), 2),
    "pandas object": (pd.Series([URL, None], dtype=object), 1),
    "polars": (pl.Series([URL, None]), 1),
    "numpy StringDType": (np.array([URL, None], dtype=STRINGS(na_object=None)), 1),
    "numpy StringDType, later": (np.array([URL] * 5_000 + [None], dtype=STRINGS(na_object=None)), 5_000),
}


@pytest.mark.parametrize("kind", NULLS)
def test_nulls_have_the_number_of_their_row(asked: Image | Robots, kind: str) -> None:
    column, row = NULLS[kind]
    with pytest.raises((TypeError, ValueError), match=rf"^urls\[{row}\]: "):
        asked.decide_batch(column, "GPTBot")


def test_a_null_that_no_row_has(asked: Image | Robots) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array([URL, None]))
    assert asked.decide_batch(column, "GPTBot").to_pylist() == ["disallowed"] * 2


@pytest.mark.parametrize(
    "column",
    [[URL, SURROGATE], np.array([URL, SURROGATE]), np.array([URL, SURROGATE], dtype=object)],
    ids=["list", "numpy U", "numpy object"],
)
def test_surrogates_have_the_number_of_their_row(asked: Image | Robots, column: object) -> None:
    with pytest.raises(ValueError, match=r"^urls\[1\]: "):
        asked.decide_batch(column, "GPTBot")


@pytest.mark.parametrize(
    ("argument", "number", "what"),
    [("threads", 1 << 70, "too large"), ("threads", -(1 << 70), "negative")],
)
def test_numbers_out_of_range_name_their_argument(asked: Image | Robots, argument: str, number: int, what: str) -> None:
    for method in BATCH:
        with pytest.raises(OverflowError, match=f"^{argument}: the number is {what}"):
            getattr(asked, method)([URL], "GPTBot", **{argument: number})


@pytest.mark.parametrize("argument", ["max_bytes", "max_groups", "max_rules", "max_stars"])
def test_limits_out_of_range_name_their_argument(sample: Path, tmp_path: Path, argument: str) -> None:
    for number, what in ((-1, "negative"), (1 << 70, "too large")):
        with pytest.raises(OverflowError, match=f"^{argument}: the number is {what}"):
            robomaton.compile([sample], tmp_path / "x", **{argument: number})
    with pytest.raises(TypeError, match=f"^{argument}: "):
        robomaton.compile([sample], tmp_path / "x", **{argument: "many"})


def test_no_text_is_read_without_a_byte(sample: Path, tmp_path: Path) -> None:
    for question in (
        lambda: robomaton.compile([sample], tmp_path / "x", max_bytes=0),
        lambda: robomaton.Store(tmp_path / "s", max_bytes=0),
    ):
        with pytest.raises(ValueError, match="^max_bytes: at least 1$"):
            question()


def test_other_numbers_out_of_range_name_their_argument(sample: Path, tmp_path: Path) -> None:
    for number, what in ((-1, "negative"), (1 << 70, "too large")):
        with pytest.raises(OverflowError, match=f"^now: the number is {what}"):
            Image(sample, now=number)
    with pytest.raises(OverflowError, match="^shards: the number is too large"):
        robomaton.merge([sample], tmp_path / "x", shards=1 << 70)


def test_types_name_their_argument(image: Image) -> None:
    robots = Robots("")
    for question, argument in [
        (lambda: image.allowed(None, "GPTBot"), "url"),
        (lambda: robots.can_fetch(None, "GPTBot"), "url"),
        (lambda: robots.allowed("/", None), "agent"),
        (lambda: robots.can_fetch("/", None), "agent"),
        (lambda: image.site(None), "url"),
        (lambda: image.sitemaps(1), "url"),
        (lambda: image.canonical_url(1), "url"),
        (lambda: robots.canonical_url(1), "url"),
        (lambda: robomaton.merge(None, "x"), "images"),
        (lambda: robomaton.compile(["x"], None), "output"),
        (lambda: Image(None), "path"),
        (lambda: image.decide_batch([], "a", nulls=None), "nulls"),
        (lambda: robomaton.compile(["x"], "y", crawlers="GPTBot"), "crawlers"),
        (lambda: robomaton.compile(["x"], "y", vocabulary="bing-2023"), "vocabulary"),
        (lambda: robomaton.compile(["x"], "y", control_tokens="T=tdm"), "control_tokens"),
    ]:
        with pytest.raises(TypeError, match=f"^(argument '{argument}': |{argument}: )"):
            question()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"vocabulary": ["nothing"]}, "vocabulary: there is no table"),
        ({"control_tokens": ["T"]}, "control_tokens: a name, `=`"),
        ({"control_tokens": ["T=nothing"]}, "is not a standard usage"),
    ],
)
def test_vocabularies_that_do_not_exist(tmp_path: Path, options: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        robomaton.compile([tmp_path], tmp_path / "x", **options)


@pytest.mark.parametrize(
    "url", ["www.ed.ac.uk/search/x", "/search/x", "ftp://www.ed.ac.uk/x", "//www.ed.ac.uk/x", "", "\0"]
)
def test_what_is_no_url_is_warned_of_once(image: Image, url: str) -> None:
    with pytest.warns(UserWarning, match="the answer is unknown") as warned:
        assert not image.allowed(url, "GPTBot")
    assert len(warned) == 1 and str(warned[0].message).startswith('"')
    with pytest.warns(UserWarning) as warned:
        assert image.decide(url, "GPTBot").basis == "no-url"
    assert len(warned) == 1
    with pytest.warns(UserWarning, match=r"^urls\[1\] and 2 more rows: ") as warned:
        verdicts = image.decide_batch([URL, url, URL, url, url], "GPTBot")
    assert len(warned) == 1 and verdicts == [verdicts[0], "unknown", verdicts[0], "unknown", "unknown"]


def test_a_warning_says_what_to_write(image: Image) -> None:
    with pytest.warns(UserWarning, match="https://www.ed.ac.uk/search/x"):
        image.allowed("www.ed.ac.uk/search/x", "GPTBot")


@pytest.mark.filterwarnings("error")
def test_a_site_that_is_not_held_is_no_warning(image: Image) -> None:
    assert not image.allowed("https://unknown.example/", "GPTBot")
    assert image.decide_batch(["https://unknown.example/"], "GPTBot") == ["unknown"]
    assert Robots("").allowed("www.ed.ac.uk/x", "GPTBot")
    with pytest.raises(UserWarning):
        image.allowed("www.ed.ac.uk/x", "GPTBot")


@pytest.mark.parametrize("threads", [-1])
def test_threads_are_a_number(asked: Image | Robots, threads: int) -> None:
    with pytest.raises(ValueError, match="threads"):
        asked.decide_batch([URL], "GPTBot", threads=threads)


@pytest.mark.parametrize(
    ("keywords", "raised"),
    [
        ({"on_forbidden": "yes"}, ValueError),
        ({"on_throttled": ""}, ValueError),
        ({"on_long_unreachable": "Allow"}, ValueError),
        ({"on_forbidden": None}, TypeError),
        ({"elements": "yes"}, TypeError),
        ({"now": "today"}, TypeError),
        ({"now": 1.5}, TypeError),
        ({"nobody": 1}, TypeError),
    ],
)
def test_terms_that_mean_nothing(sample: Path, keywords: dict, raised: type[Exception]) -> None:
    with pytest.raises(raised):
        Image(sample, **keywords)


@pytest.mark.parametrize(
    ("arguments", "keywords", "raised"),
    [
        ((None,), {}, TypeError),
        ((1,), {}, TypeError),
        (("\ud800",), {}, UnicodeEncodeError),
        (("", "::"), {}, ValueError),
        (("", 1), {}, TypeError),
        (("",), {"profile": "rfc"}, ValueError),
        (("",), {"profile": None}, TypeError),
        (("",), {"files": ["/x"]}, TypeError),
        (("",), {"files": {"/x": 1}}, TypeError),
        (("",), {"files": {1: "x"}}, TypeError),
    ],
)
def test_texts_that_are_none(arguments: tuple, keywords: dict, raised: type[Exception]) -> None:
    with pytest.raises(raised):
        Robots(*arguments, **keywords)


@pytest.mark.parametrize("text", ["", b"", "\0", b"\xff\xfe", "<html></html>", "x" * 1_000_000, "\n" * 100_000])
def test_any_text_is_read(text: str | bytes) -> None:
    robots = Robots(text)
    assert robots.outcome in ("empty", "not-robots")
    assert robots.allowed("/x", "GPTBot")


def test_answers_are_not_made_by_hand() -> None:
    with pytest.raises(TypeError):
        robomaton.Answer()


def test_verdicts_cannot_be_changed() -> None:
    assert robomaton.VERDICTS == ("allowed", "disallowed", "conditional", "unknown")


def test_objects_have_no_other_attributes(image: Image) -> None:
    for thing in (image, image.decide(URL, "GPTBot"), Robots("")):
        with pytest.raises(AttributeError):
            thing.note = 1
    with pytest.raises(AttributeError):
        image.decide(URL, "GPTBot").verdict = "allowed"


@pytest.mark.parametrize(
    "urls",
    [{URL}, frozenset([URL]), {URL: 1}, np.ma.masked_array([URL, URL], mask=[0, 1])],
    ids=["set", "frozenset", "dict", "masked"],
)
def test_rows_without_an_order_or_behind_a_mask(asked: Image | Robots, urls: object) -> None:
    with pytest.raises(TypeError, match="^urls: expected "):
        asked.decide_batch(urls, "GPTBot")


@pytest.mark.parametrize("rows", [list, tuple, iter, np.array, pa.array, pd.Series, pl.Series])
def test_a_null_is_one_error_in_every_kind_of_column(asked: Image | Robots, rows: Callable[[list], Any]) -> None:
    with pytest.raises(ValueError, match=r"^urls\[1\]: is null"):
        asked.decide_batch(rows([URL, None]), "GPTBot")
    with pytest.raises(ValueError, match=r"^agents\[1\]: is null"):
        asked.decide_batch([URL, URL], agents=rows(["a", None]))


@pytest.mark.parametrize("names", [{"a", "b"}, frozenset(["a"]), {"a": 1}], ids=["set", "frozenset", "dict"])
def test_names_without_an_order(asked: Image | Robots, names: Any, tmp_path: Path) -> None:
    store = Store(tmp_path / "crawl.store")
    no_order = "^agent: expected .* not what has no order of its own"
    for of in (asked, store):
        with pytest.raises(TypeError, match=no_order):
            of.allowed(URL, names)
        with pytest.raises(TypeError, match=no_order):
            of.decide(URL, names)
        with pytest.raises(TypeError, match=no_order):
            of.decide_batch([URL], names)


def test_strings_of_arrow_that_are_no_text(asked: Image | Robots) -> None:
    broken = pa.array([URL.encode(), b"\xff"]).view(pa.string())
    with pytest.raises(ValueError, match=r"^urls\[3\.\.\]: .*UTF-8|^urls\[3\.\.\]: .*UTF8"):
        asked.decide_batch(pa.chunked_array([pa.array([URL] * 3), broken]), "GPTBot")


def test_conditions_are_handed_out(asked: Image | Robots) -> None:
    answer = asked.decide(URL, "GPTBot")
    answer.conditions.append("none")
    assert answer.conditions == []
