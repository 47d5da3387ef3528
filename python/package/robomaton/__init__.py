"""May this crawler use this URL in this way, and under what conditions?

robots.txt files of many sites, compiled into one memory-mapped image (`compile`, `merge`), which any number of threads and
processes ask (`Image`); single files (`Robots`); and classes in the shape of others' (`Protego`, `robomaton.scrapy`). Jobs
over many machines are in `robomaton.spark`.

The work is done by the native module; this package gives it its names.
"""

from robomaton._robomaton import (
    VERDICTS,
    Answer,
    Error,
    Image,
    ImageError,
    Robots,
    __version__,
    compile,
    merge,
)
from robomaton.protego import Protego

__all__ = [
    "VERDICTS",
    "Answer",
    "Error",
    "Image",
    "ImageError",
    "Protego",
    "Robots",
    "__version__",
    "compile",
    "merge",
]
