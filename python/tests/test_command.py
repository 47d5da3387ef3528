"""The command that the wheel brings: what it prints is the binary's, and it ends as the binary does."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import robomaton
from support import command

MODULE = [sys.executable, "-m", "robomaton"]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the module."""
    return subprocess.run([*MODULE, *map(str, arguments)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    """A file that disallows one path."""
    path = tmp_path / "robots.txt"
    path.write_text("User-agent: *\nDisallow: /x\n")
    return path


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """An image of one site."""
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "example.com.txt").write_text("User-agent: *\nDisallow: /x\n")
    path = tmp_path / "one.rimg"
    robomaton.compile([tmp_path / "sites"], path)
    return path


def test_exit_codes(robots: Path) -> None:
    assert run("check", robots, "bot", "/y").returncode == 0
    assert run("check", robots, "bot", "/x").returncode == 1
    missing = run("check", robots.with_name("missing"), "bot", "/x")
    assert missing.returncode == 2 and missing.stderr.startswith("robomaton: cannot read ")
    assert run("no-such-command").returncode == 2


def test_script_is_on_the_path() -> None:
    script = shutil.which("robomaton", path=str(Path(sys.executable).parent))
    assert script is not None
    said = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60)
    assert said.stdout == f"robomaton {robomaton.__version__}\n" and said.returncode == 0


def test_every_feature_is_in() -> None:
    said = run("--help").stdout
    assert "serve" in said and "Left out" not in said


def test_same_words_as_the_binary(robots: Path) -> None:
    for arguments in (["--help"], ["lint", "--json", str(robots)], ["explain", str(robots), "-a", "bot", "/x"]):
        binary = subprocess.run([command(), *arguments], capture_output=True, text=True, timeout=60)
        module = run(*arguments)
        assert (module.stdout, module.returncode) == (binary.stdout, binary.returncode)


def test_a_closed_pipe_is_success(image: Path) -> None:
    process = subprocess.Popen(
        [*MODULE, "query", str(image)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    try:
        process.stdin.write(b"https://example.com/x\n" * 200_000)
        process.stdin.close()
    except BrokenPipeError:
        pass
    assert process.wait(60) == 0 and process.stderr.read() == b""
    process.stderr.close()


def test_ctrl_c_ends_it_at_once(image: Path) -> None:
    lines = image.with_name("urls.txt")
    lines.write_bytes(b"https://example.com/x\n" * 200_000)
    with lines.open("rb") as urls:
        process = subprocess.Popen([*MODULE, "query", str(image)], stdin=urls, stdout=subprocess.PIPE)
    assert process.stdout
    # It has begun, and waits for a reader of the rest.
    assert process.stdout.read(10) == b"disallowed"
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == -signal.SIGINT
    process.stdout.close()
