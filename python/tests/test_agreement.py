"""The wheel says what the command says: answers, stories, sites, schedules.

The command is held against independent evaluators by the tests of the workspace; here it is the measure.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import captures
import robomaton
from captures import Question
from support import ACAP, ACAP_SITE, run

SITE = "https://www.ed.ac.uk"


def line(question: Question) -> str:
    """A question as the command reads it: a list of names is a list."""
    asked = {key: value for key, value in question._asdict().items() if value is not None}
    return json.dumps({**asked, "agent": question.agent.split(",")})


def answers(image: Path, questions: list[Question], *options: str) -> list[dict]:
    """What the command says to questions."""
    printed = run("query", image, "--json", *options, text="\n".join(map(line, questions)), codes=(0, 2))
    return [json.loads(answer) for answer in printed.split("\n")[:-1]]


def ask(image: robomaton.Image, question: Question) -> robomaton.Answer:
    """The wheel's answer."""
    return image.decide(question.url, question.agent, usage=question.usage, purpose=question.purpose)


def acap_questions() -> list[Question]:
    """Questions about the texts of ACAP."""
    urls = [f"https://{file.stem}{path}" for file in ACAP for path in ["/", *captures.targets(file.read_bytes())]]
    urls += [f"{ACAP_SITE}/{path}" for path in ("", "news/1", "private/x", "news/private")]
    usages = ["crawl", "index", "present", "present-snippet", "preserve", "train"]
    return [Question(url, "googlebot", usage, None) for url in urls for usage in usages]


def test_every_answer_is_the_commands(sample: Path, image: robomaton.Image, questions: list[Question]) -> None:
    asked = questions + acap_questions()
    expected = answers(sample, asked)
    assert len(expected) == len(asked) > 10_000
    for question, told in zip(asked, expected):
        assert ask(image, question).as_dict() == told, question
    assert set(Counter(told["verdict"] for told in expected)) == set(robomaton.VERDICTS)


def test_attributes_are_those_of_the_dict(image: robomaton.Image, questions: list[Question]) -> None:
    for question in questions[::7] + acap_questions():
        answer = ask(image, question)
        told = answer.as_dict()
        for key in ("url", "verdict", "decision", "incomplete", "basis", "line", "rule", "conditions"):
            assert getattr(answer, key) == told[key], (question, key)
        plain = told["verdict"] == "allowed"
        assert answer.allowed is bool(answer) is plain
        assert image.allowed(question.url, question.agent, usage=question.usage, purpose=question.purpose) is plain


def test_a_dict_is_the_askers_own(image: robomaton.Image) -> None:
    answer = image.decide(SITE, "GPTBot")
    answer.as_dict().clear()
    assert answer.as_dict()["verdict"] == "allowed"


def test_terms_are_the_commands(tmp_path: Path) -> None:
    statuses = {"forbidden": 403, "throttled": 429, "unreachable": 503}
    rows = ({"url": f"{name}.example", "status": status, "fetched_at": 1} for name, status in statuses.items())
    (tmp_path / "captures.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    robomaton.compile([tmp_path / "captures.jsonl"], tmp_path / "image")
    asked = [Question(f"https://{name}.example/", "GPTBot", None, None) for name in statuses]
    verdicts = set()
    for word, other in (("allow", "deny"), ("deny", "allow")):
        terms = {"on_forbidden": word, "on_throttled": word, "on_long_unreachable": other}
        options = [part for key, value in terms.items() for part in (f"--{key.replace('_', '-')}", value)]
        image = robomaton.Image(tmp_path / "image", **terms)
        told = [ask(image, question).as_dict() for question in asked]
        assert told == answers(tmp_path / "image", asked, *options)
        verdicts.update((answer["url"], answer["verdict"]) for answer in told)
    assert len(verdicts) == 6, "each term changes an answer"


def test_time_of_asking_makes_answers_stale(sample: Path) -> None:
    fetched = robomaton.Image(sample).site(SITE)["fetched_at"]
    assert fetched == "2019-08-20T00:00:00Z"
    seconds = 1_566_259_200
    for now, stale in ((seconds + 60, False), (seconds + 90_000, True)):
        image = robomaton.Image(sample, now=now)
        assert image.decide(SITE, "GPTBot").as_dict()["stale"] is stale
        assert image.site(SITE)["stale"] is stale


@pytest.mark.parametrize("agents", [["googlebot-news", "googlebot"], ["*"], ["GPTBot"], ["CCBot/2.0", "nobody"]])
def test_lists_of_names(sample: Path, image: robomaton.Image, agents: list[str]) -> None:
    urls = [f"{SITE}/search/x", f"{SITE}/about"]
    options = [part for agent in agents for part in ("--agent", agent)]
    told = [json.loads(line) for line in run("query", sample, "--json", *options, *urls).splitlines()]
    for names in (agents, tuple(agents), [agent.encode() for agent in agents]):
        assert [image.decide(url, names).as_dict() for url in urls] == told


def test_a_changed_list_is_another_asker(image: robomaton.Image) -> None:
    url = f"{SITE}/search/x"
    agents = ["nobody"]
    assert image.decide(url, agents).as_dict()["agent"] == "nobody"
    agents[0] = "GPTBot"
    assert image.decide(url, agents).as_dict()["agent"] == "GPTBot"
    assert image.decide(url, "a,b").as_dict()["agent"] == image.decide(url, ["a", "b"]).as_dict()["agent"] == "a,b"


def test_bytes_are_text(image: robomaton.Image, questions: list[Question]) -> None:
    for question in questions[::11]:
        bytes = image.decide(question.url.encode(), question.agent.encode(), usage=question.usage)
        assert bytes.as_dict() == image.decide(question.url, question.agent, usage=question.usage).as_dict()
    latin = image.decide(f"{SITE}/é".encode("latin-1"), "GPTBot")
    assert latin.url == f"{SITE}/%E9"


def test_one_text_says_what_an_image_says(image: robomaton.Image, questions: list[Question]) -> None:
    of_site = {"stale", "status", "fetched_at", "url"}
    texts = captures.texts()
    robots = {site: robomaton.Robots(body, site) for site, body in texts.items()}
    asked = [question for question in questions[::3] if question.url.startswith(tuple(f"{site}/" for site in texts))]
    assert len(asked) > 3_000
    for question in asked:
        site = "/".join(question.url.split("/")[:3])
        told = ask(robots[site], question).as_dict()
        expected = ask(image, question).as_dict()
        assert {key: told[key] for key in told.keys() - of_site} == {
            key: expected[key] for key in expected.keys() - of_site
        }, question
        path = question.url[len(site) :]
        if not path.startswith("//"):
            short = robots[site].decide(path, question.agent, usage=question.usage, purpose=question.purpose)
            assert (short.verdict, short.line) == (told["verdict"], told["line"]), question


def test_schedules_of_one_text_are_those_of_an_image(image: robomaton.Image) -> None:
    delays = 0
    for site, body in captures.texts().items():
        robots = robomaton.Robots(body, site)
        assert robots.sitemaps == image.sitemaps(site)
        for agent in ("*", "bingbot", "GPTBot"):
            assert robots.crawl_delay(agent) == image.crawl_delay(site, agent)
            delays += robots.crawl_delay(agent) is not None
    assert delays > 20


def test_canonical_urls_are_the_commands(tmp_path: Path) -> None:
    text = "Clean-param: ref&sid /shop/\nUser-agent: *\nDisallow: /x\n"
    (tmp_path / "a.example.txt").write_text(text)
    path = tmp_path / "a.rimg"
    robomaton.compile([tmp_path / "a.example.txt"], path)
    urls = ["https://a.example/shop/?ref=1&id=2", "https://a.example/?ref=1", "https://b.example/shop/?ref=1"]
    told = run("canonical", path, *urls).splitlines()
    assert told == ["https://a.example/shop/?id=2", *urls[1:]]
    image = robomaton.Image(path)
    assert [image.canonical_url(url) for url in urls] == told
    assert robomaton.Robots(text, "https://a.example/").canonical_url(urls[0]) == told[0]


def test_sites_are_the_commands(sample: Path, image: robomaton.Image) -> None:
    for site in [*list(captures.texts())[::20], *(f"https://{file.stem}" for file in ACAP)]:
        told = json.loads(run("inspect", sample, "--site", site, "--json"))
        assert image.site(site) == told
        assert image.sitemaps(site) == told["sitemaps"]
    assert image.site("https://nobody.example") is None
    assert image.sitemaps("https://nobody.example") == []
    assert image.crawl_delay("https://nobody.example", "*") is None


@pytest.mark.parametrize(
    "asker",
    [
        (f"{SITE}/search/x", "GPTBot", None, None),
        (f"{SITE}/search/x", "googlebot-news,googlebot", "index", "news"),
        (f"{ACAP_SITE}/news/1", "googlebot", "present-snippet", "news"),
        ("https://nobody.example/", "*", None, None),
    ],
)
def test_stories_are_the_commands(sample: Path, image: robomaton.Image, asker: tuple) -> None:
    url, agent, usage, purpose = asker
    options = [part for key, value in (("--usage", usage), ("--purpose", purpose)) if value for part in (key, value)]
    told = run("explain", sample, "--agent", agent, *options, url)
    assert image.explain(url, agent, usage=usage, purpose=purpose) == told


def test_stories_of_texts_are_the_commands(tmp_path: Path) -> None:
    text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 3\n"
    (tmp_path / "robots.txt").write_text(text)
    told = run("explain", tmp_path / "robots.txt", "--agent", "GPTBot", "/a/b/c")
    assert robomaton.Robots(text).explain("/a/b/c", "GPTBot") == told


@pytest.mark.parametrize("own", [None, "https://a.example/robots.txt", "https://b.example/robots.txt"])
@pytest.mark.parametrize("text", ["Disallow: /\nAllow: https://a.example/x", "Disallow: https://a.example/x"])
def test_stories_of_texts_are_about_their_own_site(text: str, own: str | None) -> None:
    robots = robomaton.Robots(f"User-agent: *\n{text}\n", own)
    for url in ("/x", "https://a.example/x", "https://b.example/x"):
        told = robots.explain(url, "GPTBot").splitlines()
        verdict = robots.decide(url, "GPTBot").verdict
        assert any(line.split()[:2] == ["verdict", f"{verdict}:"] for line in told), (url, told)


def test_the_other_document(tmp_path: Path) -> None:
    rows = [
        {"url": "https://a.example/robots.txt", "body": "User-agent: *\nDisallow: /r"},
        {"url": "https://a.example/data.txt", "body": "User-agent: *\nDisallow: /d"},
    ]
    (tmp_path / "captures.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    robomaton.compile([tmp_path / "captures.jsonl"], tmp_path / "image")
    image = robomaton.Image(tmp_path / "image")
    verdicts = {
        document: [image.decide(f"https://a.example/{path}", "GPTBot", document=document).verdict for path in "rd"]
        for document in (None, "robots.txt", "data.txt")
    }
    assert verdicts == {
        None: ["disallowed", "allowed"],
        "robots.txt": ["disallowed", "allowed"],
        "data.txt": ["allowed", "disallowed"],
    }
    told = run("explain", tmp_path / "image", "--document", "data.txt", "--agent", "GPTBot", "https://a.example/d")
    assert image.explain("https://a.example/d", "GPTBot", document="data.txt") == told
