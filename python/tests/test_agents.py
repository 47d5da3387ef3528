"""One agent for each row, in every kind of column; nulls that are kept; and what is refused because it is surely a slip."""

from __future__ import annotations

from typing import Any, Callable

import pytest

import robomaton
from captures import Question
from robomaton import Image, Robots
from support import package
from test_columns import KINDS, listed

np = package("numpy")
pa = package("pyarrow")
pd = package("pandas")
pl = package("polars")

NAMES = ["GPTBot", "nobody-names-me", "googlebot-news,googlebot", "CCBot/2.0", "*", "GPTBot"]
URL = "https://www.ed.ac.uk/search/x"
OPEN = "https://www.ed.ac.uk/about"
TEXT = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /search\n"


@pytest.fixture(scope="module")
def rows(questions: list[Question]) -> tuple[list[str], list[str]]:
    """URLs, each of them several times, and an agent for each."""
    urls = [question.url for question in questions[::17] if len(question.url) < 300] * 2
    return urls, [NAMES[row % 5 if row < len(urls) / 2 else row % 6] for row in range(len(urls))]


@pytest.fixture(params=["image", "text"])
def asked(request: pytest.FixtureRequest, image: Image) -> Image | Robots:
    """What both answer questions."""
    return image if request.param == "image" else Robots(TEXT)


# Keys are distinct.
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"keys"}))
def test_each_row_is_answered_for_its_agent(
    asked: Image | Robots, rows: tuple[list[str], list[str]], kind: str
) -> None:
    urls, agents = rows
    alone = [asked.decide(url, agent).verdict for url, agent in zip(urls, agents)]
    assert len(set(alone)) > 1 and alone != asked.decide_batch(urls, NAMES[0])
    for column in (urls, KINDS[kind](urls)):
        assert listed(asked.decide_batch(column, agents=KINDS[kind](agents))) == alone
    allowed = asked.allowed_batch(KINDS["arrow dictionary"](urls), agents=KINDS[kind](agents), threads=3)
    assert listed(allowed) == [verdict == "allowed" for verdict in alone]


def test_chunks_need_not_be_alike(asked: Image | Robots, rows: tuple[list[str], list[str]]) -> None:
    urls, agents = rows
    expected = asked.decide_batch(urls, agents=agents)
    first = pa.chunked_array([urls[:3], urls[3:]])
    second = pa.chunked_array([agents[:7], [], agents[7:9], agents[9:]])
    assert listed(asked.decide_batch(first, agents=second)) == expected


def test_many_rows_on_several_threads(asked: Image | Robots) -> None:
    urls = pa.array([URL, OPEN] * 10_000)
    agents = pa.array(["GPTBot"] * 10_000 + ["CCBot"] * 10_000).dictionary_encode()
    verdicts = asked.decide_batch(urls, agents=agents, threads=3)
    assert verdicts.to_pylist()[:2] == asked.decide_batch([URL, OPEN], "GPTBot")
    assert verdicts.to_pylist()[-2:] == asked.decide_batch([URL, OPEN], "CCBot")
    assert verdicts.to_pylist() == asked.decide_batch(urls.to_pylist(), agents=agents.to_pylist())


def test_an_agent_that_no_row_has_is_not_looked_at(asked: Image | Robots) -> None:
    agents = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["GPTBot", "(nobody)"]))
    assert asked.decide_batch([URL, URL], agents=agents) == asked.decide_batch([URL, URL], "GPTBot")


def test_no_rows(asked: Image | Robots) -> None:
    assert asked.decide_batch([], agents=[]) == []
    assert asked.decide_batch([], agents=[], nulls="keep") == []


@pytest.mark.parametrize("agents", [["GPTBot"], ["GPTBot"] * 3, [], pa.array(["GPTBot"])])
def test_columns_of_other_lengths(asked: Image | Robots, agents: object) -> None:
    with pytest.raises(ValueError, match=r"^agents: has \d rows, and urls 2"):
        asked.decide_batch([URL, URL], agents=agents)


@pytest.mark.parametrize(
    ("agents", "row", "raised"),
    [
        (["GPTBot", "(nobody)"], 1, ValueError),
        (["", "GPTBot"], 0, ValueError),
        (["GPTBot", None], 1, ValueError),
        (["GPTBot", 1], 1, TypeError),
        (["GPTBot", ["CCBot"]], 1, TypeError),
        (["GPTBot", "\ud800"], 1, ValueError),
        (pa.array(["GPTBot", None]), 1, ValueError),
        (pa.chunked_array([["GPTBot"], ["?"]]), 1, ValueError),
        (pl.Series(["GPTBot", None]), 1, ValueError),
    ],
)
def test_a_wrong_agent_has_the_number_of_its_row(
    asked: Image | Robots, agents: object, row: int, raised: type[Exception]
) -> None:
    with pytest.raises(raised, match=rf"^agents\[{row}\]: "):
        asked.decide_batch([URL, URL], agents=agents)


@pytest.mark.parametrize("agents", ["GPTBot", b"GPTBot", 1, {"GPTBot"}, {"GPTBot": 1}, np.array([["GPTBot"]])])
def test_agents_are_a_column(asked: Image | Robots, agents: object) -> None:
    with pytest.raises((TypeError, ValueError), match="^agents: expected"):
        asked.decide_batch([URL], agents=agents)


def test_one_of_the_two(asked: Image | Robots) -> None:
    with pytest.raises(TypeError, match="not both"):
        asked.decide_batch([URL], "GPTBot", agents=["GPTBot"])
    with pytest.raises(TypeError, match="^agent: expected"):
        asked.decide_batch([URL])


COLUMNS: dict[str, Callable[[list[str]], object]] = {
    "numpy": np.array,
    "arrow": pa.array,
    "chunked": lambda names: pa.chunked_array([names]),
    "pandas": pd.Series,
    "index": pd.Index,
    "polars": pl.Series,
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_is_no_list_of_preferences(asked: Image | Robots, kind: str) -> None:
    with pytest.raises(TypeError, match="agent: .* agents= takes one agent a row"):
        asked.decide_batch([URL, URL, OPEN], COLUMNS[kind](["GPTBot", "CCBot"]))


def test_a_list_is_one_crawler(asked: Image | Robots) -> None:
    # As long as urls, and yet names of one crawler: nothing in it says otherwise.
    two = asked.decide_batch([URL, OPEN], ["nobody-names-me", "GPTBot"])
    assert two == [asked.decide(url, ["nobody-names-me", "GPTBot"]).verdict for url in (URL, OPEN)]
    with pytest.raises(ValueError, match="agent: .* 'GPTBot' twice; agents= takes one agent a row|GPTBot"):
        asked.decide_batch([URL, OPEN, URL], ["GPTBot", "CCBot", "GPTBot"])
    assert asked.decide_batch([URL], ["GPTBot", "GPTBot"]) == asked.decide_batch([URL], "GPTBot")


def test_a_name_of_numpy_is_a_name(asked: Image | Robots) -> None:
    assert asked.decide_batch([URL], np.array(["GPTBot"])[0]) == asked.decide_batch([URL], "GPTBot")


def test_series_of_pandas_with_other_labels(asked: Image | Robots) -> None:
    urls = pd.Series([URL, OPEN], index=[1, 2])
    with pytest.raises(ValueError, match="^agents: has another index than urls"):
        asked.decide_batch(urls, agents=pd.Series(["GPTBot", "CCBot"], index=[2, 1]))
    agents = pd.Series(["GPTBot", "CCBot"], index=[1, 2])
    assert list(asked.decide_batch(urls, agents=agents)) == asked.decide_batch([URL, OPEN], agents=["GPTBot", "CCBot"])


HOLES = [URL, None, OPEN, None, URL]
WITH_NULLS: dict[str, Callable[[], Any]] = {
    "list": lambda: HOLES,
    "list with nan": lambda: [URL, float("nan"), OPEN, None, URL],
    "generator": lambda: iter(HOLES),
    "numpy object": lambda: np.array(HOLES, dtype=object),
    "numpy StringDType": lambda: np.array(HOLES, dtype=np.dtypes.StringDType(na_object=None)),
    "numpy masked": lambda: np.ma.masked_array([URL, "x", OPEN, "", URL], mask=[0, 1, 0, 1, 0]),
    "numpy masked bytes": lambda: np.ma.masked_array([URL, "x", OPEN, "", URL], mask=[0, 1, 0, 1, 0]).astype("S"),
    "numpy masked objects": lambda: np.ma.masked_array([URL, None, OPEN, "x", URL], mask=[0, 0, 0, 1, 0], dtype=object),
    "arrow": lambda: pa.array(HOLES),
    "arrow view": lambda: pa.array(HOLES, pa.string_view()),
    "arrow binary": lambda: pa.array(HOLES).cast(pa.binary()),
    "arrow slice": lambda: pa.array(["x", None, *HOLES])[2:],
    "arrow dictionary": lambda: pa.array(HOLES).dictionary_encode(),
    "arrow null in a dictionary": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 1, 0]), pa.array([URL, None, OPEN])
    ),
    "arrow chunked": lambda: pa.chunked_array([HOLES[:1], HOLES[1:3], [], HOLES[3:]]),
    "pandas": lambda: pd.Series(HOLES, index=range(7, 12), name="url"),
    "pandas object": lambda: pd.Series(HOLES, dtype=object),
    "polars": lambda: pl.Series("url", HOLES),
    "polars category": lambda: pl.Series("url", HOLES, dtype=pl.Categorical),
}


def nulled(answers: Any) -> list:
    """Answers of any kind as Python's own objects, None for a null."""
    if isinstance(answers, np.ma.MaskedArray):
        return [None if masked else robomaton.VERDICTS[code] for code, masked in zip(answers.data, answers.mask)]
    if isinstance(answers, pd.Series):
        return [None if pd.isna(answer) else answer for answer in answers]
    return listed(answers)


@pytest.mark.parametrize("kind", WITH_NULLS)
@pytest.mark.filterwarnings("error")
def test_nulls_are_kept(asked: Image | Robots, kind: str) -> None:
    verdicts = asked.decide_batch([URL, OPEN], "GPTBot")
    assert len(set(verdicts)) == 2 or isinstance(asked, Robots)
    expected = [verdicts[0], None, verdicts[1], None, verdicts[0]]
    for threads in (1, 2):
        assert nulled(asked.decide_batch(WITH_NULLS[kind](), "GPTBot", nulls="keep", threads=threads)) == expected
    # A null agent is a null answer, too.
    agents = pa.array(["GPTBot", "GPTBot", None, "GPTBot", "GPTBot"])
    kept = asked.decide_batch(WITH_NULLS[kind](), agents=agents, nulls="keep")
    assert nulled(kept) == [*expected[:2], None, *expected[3:]]
    allowed = asked.allowed_batch(WITH_NULLS[kind](), "GPTBot", nulls="keep")
    flags = [None if verdict is None else verdict == "allowed" for verdict in expected]
    if isinstance(allowed, np.ma.MaskedArray):
        assert allowed.dtype == np.bool_ and allowed.tolist() == flags
    else:
        assert nulled(allowed) == flags


@pytest.mark.parametrize(
    "column", [pa.nulls(3), pa.nulls(3, pa.string()), pa.nulls(3, pa.dictionary(pa.int8(), pa.string()))]
)
def test_nothing_but_nulls(asked: Image | Robots, column: pa.Array) -> None:
    assert asked.decide_batch(column, "GPTBot", nulls="keep").to_pylist() == [None] * 3
    assert asked.decide_batch([URL] * 3, agents=column, nulls="keep") == [None] * 3
    assert asked.allowed_batch([None], agents=[None], nulls="keep") == [None]


def test_answers_of_one_kind_whether_rows_are_null_or_not(asked: Image | Robots) -> None:
    assert asked.allowed_batch(pd.Series([URL]), "GPTBot", nulls="keep").dtype == "boolean"
    assert isinstance(asked.allowed_batch(np.array([URL]), "GPTBot", nulls="keep"), np.ma.MaskedArray)


def test_a_mask_of_pandas_filters(asked: Image | Robots) -> None:
    urls = pd.Series([URL, None, OPEN])
    allowed = asked.allowed_batch(urls, "nobody", nulls="keep")
    assert urls[allowed].tolist() == [url for url in (URL, OPEN) if asked.allowed(url, "nobody")]


@pytest.mark.parametrize("nulls", ["", "drop", "Keep"])
def test_another_word_for_nulls(asked: Image | Robots, nulls: str) -> None:
    with pytest.raises(ValueError, match="^nulls: expected 'error' or 'keep', not"):
        asked.decide_batch([URL], "GPTBot", nulls=nulls)


def test_series_keep_their_names(asked: Image | Robots) -> None:
    for column in (pl.Series("url", [URL, OPEN]), pd.Series([URL, OPEN], name="url")):
        assert asked.allowed_batch(column, "GPTBot").name == "url"
        assert asked.decide_batch(column, "GPTBot").name == "url"
    assert pd.DataFrame({"u": asked.decide_batch(pd.Series([URL]), "GPTBot")}).columns.tolist() == ["u"]
    table = pl.DataFrame({"url": [URL, OPEN]}).with_columns(asked.decide_batch(pl.Series("url", [URL, OPEN]), "GPTBot"))
    assert table.columns == ["url"]


def test_a_name_that_is_not_utf_8_is_latin_1() -> None:
    robots = Robots("User-agent: Jävla-bot\nDisallow: /\n\nUser-agent: J\nDisallow:\n")
    name = "Jävla-bot".encode("latin-1")
    assert not robots.allowed(URL, name) and not robots.allowed(URL, [name])
    assert robots.decide(URL, name).verdict == robots.decide(URL, "Jävla-bot").verdict == "disallowed"
    columns = [[name], np.array([name]), np.array([name], dtype=object), pa.array([name]), pa.array([name] * 2)[:1]]
    columns.append(pa.array([name]).dictionary_encode())
    for column in columns:
        assert listed(robots.decide_batch([URL], agents=column)) == ["disallowed"], column
    # The bytes of a URL are percent-encoded.
    assert not Robots("User-agent: *\nDisallow: /%E4\n").allowed(b"https://a.example/\xe4", "bot")


def test_every_word_of_a_long_header_is_a_name() -> None:
    robots = Robots("User-agent: foo\nDisallow: /\n", headers=True)
    longer = " ".join(f"longer{n}/1.0" for n in range(100))
    assert not robots.can_fetch(URL, f"foo/1.0 {longer}")
