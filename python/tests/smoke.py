"""The wheel alone, without any other package, on whatever Python runs this: `python tests/smoke.py`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import robomaton

SAMPLE = Path(__file__).parents[2] / "tests" / "data" / "sample.warc.gz"

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "sample.rimg")
    assert robomaton.compile([SAMPLE], path)["sites"] == 302
    with robomaton.Image(path) as image:
        image.verify()
        urls = ["https://www.ed.ac.uk/search/x", "https://www.ed.ac.uk/about", "https://unknown.example/\u00e9"]
        assert image.decide_batch(urls, "GPTBot") == ["disallowed", "allowed", "unknown"]
        assert [image.allowed(url, ["GPTBot", "*"]) for url in urls] == [False, True, False]
        assert image.decide(urls[0].encode(), "GPTBot").rule == "Disallow: /search/"
        try:
            image.allowed("https://www.ed.ac.uk/\ud800", "GPTBot")
        except UnicodeEncodeError as error:
            assert error.start == 21
        else:
            raise AssertionError("a surrogate was taken for a character")

rules = robomaton.Protego.parse("User-agent: *\nDisallow: /private\nRequest-rate: 1/10s 1300-1659\nHost: example.com")
assert not rules.can_fetch("https://example.com/private/x", "Mozilla/5.0 (compatible; Foobot/1.0)")
assert rules.request_rate("Foobot").seconds == 10
assert rules.preferred_host == "example.com"
print(f"robomaton {robomaton.__version__} on Python {sys.version.split()[0]}: 1 passed, 0 failed")
