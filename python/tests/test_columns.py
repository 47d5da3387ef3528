"""Many URLs at once, in every kind that they come in: each row is answered as it would be alone."""

from __future__ import annotations

from typing import Callable, Iterable

import pytest

import robomaton
from captures import Question
from support import ACAP_SITE, package

np = package("numpy")
pa = package("pyarrow")
pd = package("pandas")
pl = package("polars")

KINDS: dict[str, Callable[[list[str]], object]] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda urls: (url for url in urls),
    "list of bytes": lambda urls: [url.encode() for url in urls],
    "keys": lambda urls: dict.fromkeys(urls).keys(),
    "numpy U": np.array,
    "numpy U of the other order": lambda urls: np.array(urls).astype(np.array(urls).dtype.newbyteorder("S")),
    "numpy U, every other": lambda urls: np.repeat(np.array(urls), 2)[::2],
    "numpy U, backwards": lambda urls: np.array(urls[::-1])[::-1],
    "numpy U, a column": lambda urls: np.array([[url, "x"] for url in urls])[:, 0],
    "numpy S": lambda urls: np.array([url.encode() for url in urls]),
    "numpy object": lambda urls: np.array(urls, dtype=object),
    "numpy object of bytes": lambda urls: np.array([url.encode() for url in urls], dtype=object),
    "numpy StringDType": lambda urls: np.array(urls, dtype=np.dtypes.StringDType()),
    "arrow string": lambda urls: pa.array(urls, pa.string()),
    "arrow large_string": lambda urls: pa.array(urls, pa.large_string()),
    "arrow string_view": lambda urls: pa.array(urls, pa.string_view()),
    "arrow binary": lambda urls: pa.array(urls, pa.binary()),
    "arrow large_binary": lambda urls: pa.array(urls, pa.large_binary()),
    "arrow binary_view": lambda urls: pa.array([url.encode() for url in urls], pa.binary_view()),
    "arrow dictionary": lambda urls: pa.array(urls * 2).dictionary_encode()[: len(urls)],
    "arrow slice": lambda urls: pa.array([None, "x", *urls, None])[2:-1],
    "arrow slice of views": lambda urls: pa.array([None, "x", *urls, None], pa.string_view())[2:-1],
    "arrow chunked": lambda urls: pa.chunked_array([urls[:1], [], urls[1:]], pa.string()),
    "arrow chunked dictionary": lambda urls: pa.chunked_array(
        [pa.array(urls[:5]).dictionary_encode(), pa.array(urls[5:]).dictionary_encode()]
    ),
    "arrow column of a table": lambda urls: pa.table({"url": urls})["url"],
    "pandas": pd.Series,
    "pandas, with an index": lambda urls: pd.Series(urls, index=range(7, len(urls) + 7)),
    "pandas object": lambda urls: pd.Series(urls, dtype=object),
    "pandas arrow": lambda urls: pd.Series(urls, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda urls: pd.Series(urls, dtype="category"),
    "pandas index": pd.Index,
    "polars": pl.Series,
    "polars category": lambda urls: pl.Series(urls, dtype=pl.Categorical),
    "polars, grown": lambda urls: pl.Series(urls[:3]).append(pl.Series(urls[3:])),
}


def listed(answers: Iterable) -> list:
    """Answers of any kind as Python's own objects."""
    if isinstance(answers, np.ndarray) and answers.dtype == np.uint8:
        return [robomaton.VERDICTS[code] for code in answers]
    return answers.to_pylist() if hasattr(answers, "to_pylist") else list(answers)


@pytest.fixture(scope="module")
def urls(questions: list[Question]) -> list[str]:
    """Distinct URLs of all kinds, none of them very long: NumPy makes all rows as long as the longest."""
    chosen = [question.url for question in questions[::9] if len(question.url) < 300]
    return list(dict.fromkeys([*chosen, "", f"{ACAP_SITE}/news/1", *(question.url for question in questions[-30:])]))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_answered_as_alone(image: robomaton.Image, urls: list[str], kind: str) -> None:
    column = KINDS[kind]
    for agent, usage in (("GPTBot", None), ("googlebot-news,googlebot", "present")):
        alone = [image.decide(url, agent, usage=usage) for url in urls]
        assert {answer.verdict for answer in alone} >= {"allowed", "disallowed", "unknown"} or usage
        assert listed(image.decide_batch(column(urls), agent, usage=usage)) == [answer.verdict for answer in alone]
        assert listed(image.allowed_batch(column(urls), agent, usage=usage)) == [answer.allowed for answer in alone]


EMPTY: dict[str, object] = {
    "list": [],
    "numpy U": np.array([], "U"),
    "numpy S": np.array([], "S"),
    "numpy object": np.array([], object),
    "numpy StringDType": np.array([], np.dtypes.StringDType()),
    "arrow string": pa.array([], pa.string()),
    "arrow of no type": pa.array([]),
    "arrow chunked": pa.chunked_array([], pa.string()),
    "pandas": pd.Series([], dtype=str),
    "pandas object": pd.Series([]),
    "polars": pl.Series([], dtype=pl.String),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_no_rows(image: robomaton.Image, kind: str) -> None:
    assert listed(image.decide_batch(EMPTY[kind], "GPTBot")) == []
    assert listed(image.allowed_batch(EMPTY[kind], "GPTBot")) == []


@pytest.mark.parametrize(
    "empty",
    [
        pa.array([], pa.string()).dictionary_encode(),
        pa.chunked_array([], pa.dictionary(pa.int32(), pa.string())).combine_chunks(),
        pl.Series([], dtype=pl.Categorical),
    ],
    ids=["arrow", "arrow chunked", "polars"],
)
def test_no_rows_of_a_dictionary(image: robomaton.Image, empty: object) -> None:
    assert listed(image.decide_batch(empty, "GPTBot")) == []


def test_conditions_are_no_permission(image: robomaton.Image) -> None:
    asked = [f"{ACAP_SITE}/news/1", f"{ACAP_SITE}/x"]
    assert image.decide_batch(asked, "GPTBot", usage="present") == ["conditional", "allowed"]
    assert image.allowed_batch(asked, "GPTBot", usage="present") == [False, True]


def test_answers_come_in_the_kind_of_the_urls(image: robomaton.Image, urls: list[str]) -> None:
    codes = image.decide_batch(np.array(urls), "GPTBot")
    assert codes.dtype == np.uint8 and codes.shape == (len(urls),)
    assert image.allowed_batch(np.array(urls), "GPTBot").dtype == np.bool_
    array = pa.array(urls)
    assert image.decide_batch(array, "GPTBot").type == pa.dictionary(pa.int8(), pa.string())
    assert image.allowed_batch(array, "GPTBot").type == pa.bool_()
    chunks = pa.chunked_array([urls[:2], urls[2:]])
    assert [len(chunk) for chunk in image.decide_batch(chunks, "GPTBot").chunks] == [2, len(urls) - 2]
    assert pa.table({"url": chunks}).filter(image.allowed_batch(chunks, "GPTBot")).num_rows > 0


def test_answers_fit_into_a_table_of_pandas(image: robomaton.Image, urls: list[str]) -> None:
    table = pd.DataFrame({"url": urls}, index=range(7, len(urls) + 7))
    table["verdict"] = image.decide_batch(table["url"], "GPTBot")
    assert table["verdict"].tolist() == image.decide_batch(urls, "GPTBot")
    kept = table[image.allowed_batch(table["url"], "GPTBot")]
    assert set(kept["verdict"]) == {"allowed"}


def test_answers_fit_into_a_table_of_polars(image: robomaton.Image, urls: list[str]) -> None:
    table = pl.DataFrame({"url": urls})
    table = table.with_columns(verdict=image.decide_batch(table["url"], "GPTBot"))
    assert table["verdict"].to_list() == image.decide_batch(urls, "GPTBot")
    kept = table.filter(image.allowed_batch(table["url"], "GPTBot"))
    assert set(kept["verdict"]) == {"allowed"}


def test_columns_of_one_text(urls: list[str]) -> None:
    robots = robomaton.Robots("User-agent: *\nDisallow: /*x\n\nUser-agent: a\nDisallow: /\n")
    for agent in ("*", "a"):
        alone = [robots.decide(url, agent).verdict for url in urls]
        assert {"allowed", "disallowed"} >= set(alone) - {"unknown"}
        for kind in ("list", "numpy U", "arrow string_view", "arrow chunked", "polars"):
            assert listed(robots.decide_batch(KINDS[kind](urls), agent)) == alone
            assert listed(robots.allowed_batch(KINDS[kind](urls), agent)) == [verdict == "allowed" for verdict in alone]


def test_strings_of_any_length_in_blocks(image: robomaton.Image) -> None:
    asked = [f"https://www.ed.ac.uk/search/{'x' * (row % 97)}" if row % 3 else "" for row in range(10_000)]
    codes = image.decide_batch(np.array(asked, dtype=np.dtypes.StringDType()), "GPTBot")
    assert listed(codes) == image.decide_batch(asked, "GPTBot")


def test_a_million_rows_of_few_urls_are_answered_once(image: robomaton.Image) -> None:
    few = pa.array(["https://www.ed.ac.uk/search/x", "https://www.ed.ac.uk/about"])
    places = pa.array(np.arange(1_000_000, dtype=np.int32) % 2)
    verdicts = image.allowed_batch(pa.DictionaryArray.from_arrays(places, few), "GPTBot")
    assert verdicts.true_count == 500_000 and not verdicts[0].as_py() and verdicts[1].as_py()


def test_a_few_rows_of_a_large_dictionary(image: robomaton.Image, urls: list[str]) -> None:
    values = pa.array(urls + [f"https://www.ed.ac.uk/search/{number}" for number in range(20_000)])
    places = pa.array(range(len(urls)), pa.int32())
    few = pa.DictionaryArray.from_arrays(places, values)
    assert image.decide_batch(few, "GPTBot").to_pylist() == image.decide_batch(urls, "GPTBot")
    many = pa.DictionaryArray.from_arrays(pa.array(list(range(len(values))) * 2, pa.int32()), values)
    expected = image.decide_batch(values, "GPTBot").to_pylist() * 2
    assert image.decide_batch(many, "GPTBot", threads=3).to_pylist() == expected


def test_one_long_row_among_short_ones(image: robomaton.Image) -> None:
    asked = ["https://www.ed.ac.uk/about"] * 5_000 + ["https://www.ed.ac.uk/search/" + "x" * 100_000]
    codes = image.decide_batch(np.array(asked, dtype=np.dtypes.StringDType()), "GPTBot")
    assert listed(codes) == ["allowed"] * 5_000 + ["disallowed"]


def test_rows_of_no_character(image: robomaton.Image) -> None:
    empty = np.zeros(3, dtype=[("url", "U0"), ("number", "i4")])["url"]
    assert listed(image.decide_batch(empty, "GPTBot")) == ["unknown"] * 3


def test_a_series_with_labels(image: robomaton.Image, urls: list[str]) -> None:
    labels = ["chunks", "to_numpy", *range(len(urls) - 2)]
    allowed = image.allowed_batch(pd.Series(urls, index=labels), "GPTBot")
    assert allowed.index.tolist() == labels and allowed.tolist() == image.allowed_batch(urls, "GPTBot")
