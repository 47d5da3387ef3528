"""The wheel asks every URL of a file many times: IMAGE AGENT URLS REPEATS [batch]."""

import sys
from pathlib import Path

import robomaton

image = robomaton.Image(sys.argv[1])
agent, repeats = sys.argv[2], int(sys.argv[4])
urls = Path(sys.argv[3]).read_text().splitlines()
if sys.argv[5:] == ["batch"]:
    print(sum(sum(image.allowed_batch(urls, agent)) for _ in range(repeats)))
else:
    print(sum(sum(image.allowed(url, agent) for url in urls) for _ in range(repeats)))
