"""Files that are not there, are no images, are damaged, or change while they are open.

What may end the process runs in one of its own, whose end is looked at. A file that is cut short in the middle of a call is
not tried: it does end the process, as the README says.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
from pathlib import Path

import pytest

import robomaton
from captures import Question
from robomaton import Image, ImageError
from support import SAMPLE, python

URL = "https://www.ed.ac.uk/search/x"
#: What asks an image, and needs it open.
QUESTIONS = {
    "allowed": lambda image: image.allowed(URL, "GPTBot"),
    "decide": lambda image: image.decide(URL, "GPTBot"),
    "allowed_batch": lambda image: image.allowed_batch([URL], "GPTBot"),
    "decide_batch": lambda image: image.decide_batch([URL], "GPTBot"),
    "explain": lambda image: image.explain(URL, "GPTBot"),
    "site": lambda image: image.site(URL),
    "crawl_delay": lambda image: image.crawl_delay(URL, "GPTBot"),
    "sitemaps": lambda image: image.sitemaps(URL),
    "canonical_url": lambda image: image.canonical_url(URL),
    "verify": lambda image: image.verify(),
    "len": len,
    "nbytes": lambda image: image.nbytes,
    "profile": lambda image: image.profile,
    "pickle": lambda image: image.__reduce__(),
}


@pytest.fixture
def copy(sample: Path, tmp_path: Path) -> Path:
    """A copy of the image, to be damaged."""
    return Path(shutil.copy(sample, tmp_path / "copy.rimg"))


@pytest.mark.parametrize("method", QUESTIONS)
def test_a_closed_image(sample: Path, method: str) -> None:
    with Image(sample) as image:
        QUESTIONS[method](image)
        answer = image.decide(URL, "GPTBot")
    assert image.closed
    assert image.path == str(sample)
    assert "closed" in repr(image)
    image.close()
    with pytest.raises(ValueError, match="closed"):
        QUESTIONS[method](image)
    # An answer holds what it was asked of open.
    assert answer.line == 76


def test_a_closed_image_is_not_entered(sample: Path) -> None:
    image = Image(sample)
    image.close()
    with pytest.raises(ValueError, match="closed"), image:
        pass


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.rimg", str(tmp_path / "none.rimg"), tmp_path / "none" / "x"):
        with pytest.raises(FileNotFoundError) as raised:
            Image(path)
        assert raised.value.filename == str(path)


def test_a_file_that_is_no_image(tmp_path: Path) -> None:
    for content in (b"", b"x", b"User-agent: *\n", bytes(100_000)):
        (tmp_path / "text").write_bytes(content)
        with pytest.raises(ImageError) as raised:
            Image(tmp_path / "text")
        assert raised.value.path == str(tmp_path / "text")
        assert str(tmp_path / "text") in str(raised.value)
        assert isinstance(raised.value, robomaton.Error) and not isinstance(raised.value, OSError)


def test_a_file_that_is_no_image_breaks_the_first_rule(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(bytes(100_000))
    with pytest.raises(ImageError, match="not a robomaton image") as raised:
        Image(tmp_path / "text")
    assert raised.value.rule == 1


def test_a_folder_that_is_no_image(tmp_path: Path, sample: Path) -> None:
    with pytest.raises(ImageError) as raised:
        Image(tmp_path)
    assert raised.value.path == str(tmp_path)
    robomaton.merge([sample], tmp_path / "shards", shards=3)
    next((tmp_path / "shards").iterdir()).unlink()
    with pytest.raises(ImageError) as raised:
        Image(tmp_path / "shards")
    assert raised.value.path == str(tmp_path / "shards")


@pytest.mark.parametrize("path", [None, 1, 1.5, []])
def test_a_path_is_a_path(path: object) -> None:
    with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object"):
        Image(path)


def test_a_path_may_be_bytes(sample: Path) -> None:
    assert Image(os.fsencode(sample)).path == str(sample)


def test_a_path_with_a_zero(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="null|NUL"):
        Image(f"{tmp_path}/a\0b")


def test_an_image_is_replaced_by_renaming(copy: Path, tmp_path: Path) -> None:
    old = Image(copy)
    row = {"url": "https://www.ed.ac.uk/robots.txt", "body": "User-agent: *\nDisallow:"}
    (tmp_path / "new.jsonl").write_text(json.dumps(row))
    answer = old.decide(URL, "GPTBot")
    robomaton.compile([tmp_path / "new.jsonl"], copy)
    new = Image(copy)
    assert [old.allowed(URL, "GPTBot"), new.allowed(URL, "GPTBot")] == [False, True]
    assert (len(old) > 300, len(new)) == (True, 1)
    assert answer.line == 76
    copy.unlink()
    assert [old.allowed(URL, "GPTBot"), new.allowed(URL, "GPTBot")] == [False, True]


CHANGED = """
import os, shutil, sys, time, robomaton
sample, folder, change, map_above, tests = sys.argv[1:]
sys.path.insert(0, tests)
from test_bad_files import QUESTIONS
images = {}
for method, ask in QUESTIONS.items():
    path = shutil.copy(sample, os.path.join(folder, method))
    images[method] = robomaton.Image(path, map_above=int(map_above))
    ask(images[method])
time.sleep(0.02)
for method, ask in QUESTIONS.items():
    path = os.path.join(folder, method)
    with open(path, "r+b") as file:
        if change == "short":
            file.truncate(100)
        elif change == "empty":
            file.truncate(0)
        elif change == "long":
            file.seek(0, 2)
            file.write(b"x")
        else:
            file.write(bytes(os.path.getsize(path)))
    for _ in range(2):
        try:
            ask(images[method])
        except robomaton.ImageError as error:
            assert error.path == path
            print(error)
"""


@pytest.mark.parametrize("change", ["short", "empty", "long", "zeros"])
def test_a_file_that_is_written_to_while_it_is_open(sample: Path, tmp_path: Path, change: str) -> None:
    ended = python(CHANGED, sample, tmp_path, change, "0", Path(__file__).parent)
    assert (ended.returncode, ended.stderr) == (0, "")
    for method in QUESTIONS:
        assert ended.stdout.count(f"{tmp_path / method}: was written to since it was opened") == 2


@pytest.mark.parametrize("change", ["short", "empty", "long", "zeros"])
def test_what_happens_to_the_file_of_a_copy_makes_no_difference(sample: Path, tmp_path: Path, change: str) -> None:
    ended = python(CHANGED, sample, tmp_path, change, "1000000000", Path(__file__).parent)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_the_answers_of_a_copy_are_those_of_the_image(sample: Path, copy: Path, questions: list[Question]) -> None:
    mapped, copied = Image(sample, map_above=0), Image(copy)
    copy.write_bytes(bytes(copy.stat().st_size))
    for question in questions[::50]:
        asked = (question.url, question.agent)
        assert copied.allowed(*asked) == mapped.allowed(*asked)
        assert copied.decide(*asked).as_dict() == mapped.decide(*asked).as_dict()
    copied.verify(texts=True)
    with pytest.raises(ImageError):
        Image(copy)


def is_mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="this system does not tell the maps of a process")
def test_the_size_above_which_an_image_is_mapped(copy: Path) -> None:
    size = copy.stat().st_size
    for keywords, mapped in (({}, False), ({"map_above": size}, False), ({"map_above": size - 1}, True)):
        image = Image(copy, **keywords)
        again = pickle.loads(pickle.dumps(image))
        image.close()
        assert is_mapped(copy) == mapped
        assert not again.allowed(URL, "GPTBot")
        again.close()
        assert not is_mapped(copy)


def test_pickles_without_the_size_are_read(copy: Path) -> None:
    image = Image._of(str(copy), "allow", "allow", "deny", False, False, None)
    assert not image.allowed(URL, "GPTBot")


@pytest.mark.parametrize("size", [-1, 1 << 64])
def test_a_size_out_of_range(copy: Path, size: int) -> None:
    with pytest.raises(OverflowError, match="^map_above: "):
        Image(copy, map_above=size)


ANSWERED = """
import os, sys, time, robomaton
image = robomaton.Image(sys.argv[1], map_above=0)
answer = image.decide(sys.argv[2], "GPTBot")
time.sleep(0.02)
os.truncate(sys.argv[1], 100)
assert answer.verdict == "disallowed" and not answer.allowed
try:
    answer.line
except robomaton.ImageError as error:
    print(error)
"""


def test_an_answer_of_a_file_that_was_cut_short(copy: Path) -> None:
    ended = python(ANSWERED, copy, URL)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "was written to" in ended.stdout


def test_a_shard_that_is_written_to_while_it_is_open(sample: Path, tmp_path: Path) -> None:
    robomaton.merge([sample], tmp_path / "shards", shards=2)
    image = Image(tmp_path / "shards", map_above=0)
    copied = Image(tmp_path / "shards")
    assert not image.allowed(URL, "GPTBot")
    shard = max((tmp_path / "shards").iterdir())
    shard.write_bytes(shard.read_bytes())
    os.utime(shard, (1, 1))
    with pytest.raises(ImageError, match="was written to"):
        image.allowed(URL, "GPTBot")
    assert not copied.allowed(URL, "GPTBot")


def test_damage_anywhere_is_found_and_never_a_crash(sample: Path, tmp_path: Path, questions: list[Question]) -> None:
    whole = sample.read_bytes()
    chance = random.Random(9309)
    places = [*range(0, 512, 16), *(chance.randrange(len(whole)) for _ in range(120))]
    asked, opened = questions[::700], 0
    for number, place in enumerate(places):
        damaged = bytearray(whole)
        damaged[place : place + 1 + number % 5] = chance.randbytes(1 + number % 5)
        if damaged == whole:
            continue
        path = tmp_path / f"damaged{number}"
        path.write_bytes(damaged)
        try:
            image = Image(path)
        except ImageError as error:
            assert error.path == str(path)
            continue
        opened += 1
        with pytest.raises(ImageError) as raised:
            image.verify()
        assert raised.value.path == str(path)
        assert 0 <= raised.value.offset < len(whole)
        assert f"(I{raised.value.rule})" in str(raised.value)
        for url, agent, usage, purpose in asked:
            answer = image.decide(url, agent, usage=usage, purpose=purpose)
            assert answer.as_dict()["verdict"] == answer.verdict in robomaton.VERDICTS
            assert image.decide_batch([url], agent, usage=usage, purpose=purpose) == [answer.verdict]
            try:
                image.explain(url, agent, usage=usage, purpose=purpose)
            except robomaton.Error:
                pass
            image.site(url)
        path.unlink()
    assert opened > 100


def test_damage_from_end_to_end_is_no_crash(sample: Path, tmp_path: Path, questions: list[Question]) -> None:
    """Every byte behind header and section table is random: an image as bad as one that opens can be."""
    whole = sample.read_bytes()
    chance = random.Random(1994)
    for number in range(20):
        start = 4096 if number % 2 else chance.randrange(4096, len(whole))
        path = tmp_path / f"random{number}"
        path.write_bytes(whole[:start] + chance.randbytes(len(whole) - start))
        image = Image(path)
        with pytest.raises(ImageError):
            image.verify(texts=True)
        for url, agent, usage, purpose in questions[::500]:
            image.decide(url, agent, usage=usage, purpose=purpose).as_dict()
            image.site(url)


def test_images_cut_short_do_not_open(sample: Path, tmp_path: Path) -> None:
    whole = sample.read_bytes()
    for length in [*range(0, 600, 7), *range(600, len(whole), 40_001), len(whole) - 1]:
        (tmp_path / "short").write_bytes(whole[:length])
        with pytest.raises(ImageError):
            Image(tmp_path / "short")
        with pytest.raises(ImageError):
            robomaton.merge([sample, tmp_path / "short"], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_jobs_whose_inputs_are_not_there(tmp_path: Path, copy: Path) -> None:
    before = copy.read_bytes()
    for job in (robomaton.compile, robomaton.merge):
        with pytest.raises(FileNotFoundError) as raised:
            job([tmp_path / "none"], copy)
        assert raised.value.filename == str(tmp_path / "none")
    assert copy.read_bytes() == before


def test_jobs_whose_inputs_are_no_list(tmp_path: Path) -> None:
    for job in (robomaton.compile, robomaton.merge):
        for inputs in (None, 1, "x", b"x"):
            with pytest.raises(TypeError, match="list of paths"):
                job(inputs, tmp_path / "image")
        for inputs in ([1], [None]):
            with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object"):
                job(inputs, tmp_path / "image")
        with pytest.raises(ValueError, match="empty"):
            job([], tmp_path / "image")
        with pytest.raises(TypeError):
            job([SAMPLE], None)
    assert not list(tmp_path.iterdir())


def test_jobs_whose_output_has_no_folder(tmp_path: Path, sample: Path) -> None:
    target = tmp_path / "none" / "image"
    for job, inputs in ((robomaton.compile, [SAMPLE]), (robomaton.merge, [sample])):
        for shards in (None, 2):
            with pytest.raises(FileNotFoundError) as raised:
                job(inputs, target, shards=shards)
            assert raised.value.filename == str(target)
            assert ".part" not in str(raised.value)


def test_jobs_whose_output_is_a_folder(tmp_path: Path, sample: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_text("x")
    for job, inputs in ((robomaton.compile, [SAMPLE]), (robomaton.merge, [sample])):
        for shards in (None, 2):
            with pytest.raises((OSError, robomaton.Error)):
                job(inputs, tmp_path / "folder", shards=shards)
    assert [file.name for file in (tmp_path / "folder").iterdir()] == ["mine"]
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


def test_nothing_to_compile(tmp_path: Path, copy: Path) -> None:
    before = copy.read_bytes()
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "bad.jsonl").write_text("{\nnothing\n")
    for name in ("empty.jsonl", "bad.jsonl"):
        with pytest.raises(robomaton.Error):
            robomaton.compile([tmp_path / name], copy)
        assert copy.read_bytes() == before
    robomaton.compile([tmp_path / "empty.jsonl"], copy, allow_empty=True)
    image = Image(copy)
    assert len(image) == 0 and image.decide(URL, "GPTBot").verdict == "unknown"


@pytest.mark.parametrize("shards", [0, -1, 256, 1 << 40])
def test_shards_out_of_range(tmp_path: Path, sample: Path, shards: int) -> None:
    for job, inputs in ((robomaton.compile, [SAMPLE]), (robomaton.merge, [sample])):
        with pytest.raises(ValueError, match=f"shards: 1 to 255, not {shards}"):
            job(inputs, tmp_path / "image", shards=shards)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("keywords", "raised"),
    [
        ({"profile": "rfc"}, ValueError),
        ({"crawlers": ["?"]}, ValueError),
        ({"crawlers": "GPTBot"}, TypeError),
        ({"crawlers": [1]}, TypeError),
        ({"shards": "2"}, TypeError),
        ({"threads": -1}, (ValueError, OverflowError)),
        ({"max_rules": -1}, (ValueError, OverflowError)),
        ({"max_bytes": 1.5}, TypeError),
        ({"warc_root": 1}, TypeError),
        ({"pages": "yes"}, TypeError),
        ({"nobody": 1}, TypeError),
    ],
)
def test_options_that_mean_nothing(tmp_path: Path, keywords: dict, raised: type[Exception]) -> None:
    with pytest.raises(raised):
        robomaton.compile([SAMPLE], tmp_path / "image", **keywords)
    assert not list(tmp_path.iterdir())


def test_images_that_cannot_be_merged(tmp_path: Path, sample: Path) -> None:
    robomaton.compile([SAMPLE], tmp_path / "google", profile="google")
    with pytest.raises(ValueError, match="profile"):
        robomaton.merge([sample, tmp_path / "google"], tmp_path / "image")
    assert not (tmp_path / "image").exists()


def test_inputs_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    (tmp_path / "some.jsonl").write_text('{"url": "a.example", "body": ""}\nnothing\n{"status": 200}\n')
    summary = robomaton.compile([tmp_path / "some.jsonl"], tmp_path / "image")
    assert summary["sites"] == 1
    assert sum(summary["skipped"].values()) == 2


def test_an_image_without_texts_explains_nothing(tmp_path: Path) -> None:
    robomaton.compile([SAMPLE], tmp_path / "image", sources=False)
    image = Image(tmp_path / "image")
    assert image.decide(URL, "GPTBot").line == 76
    with pytest.raises(robomaton.Error):
        image.explain(URL, "GPTBot")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_no_image(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="neither a file nor a directory"):
        Image(tmp_path / "pipe")


def test_shards_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "shards").mkdir()
    (tmp_path / "link").symlink_to("shards")
    robomaton.compile([SAMPLE], tmp_path / "link", shards=2)
    assert (tmp_path / "link").is_symlink() and len(list((tmp_path / "shards").iterdir())) == 2


def test_an_output_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        robomaton.compile([SAMPLE], tmp_path / "file" / "image.rimg")


def test_reasons_why_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    with pytest.raises(robomaton.Error, match="allow_empty=True writes.*\nskipped .*names no host"):
        robomaton.compile([tmp_path / "f"], tmp_path / "image.rimg")
