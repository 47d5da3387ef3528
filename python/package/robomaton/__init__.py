"""May this crawler use this URL in this way, and under what conditions?

robots.txt files of many sites, compiled into one memory-mapped image (`compile`, `merge`), which any number of threads and
processes ask (`Image`); a store that answers while captures go in (`Store`, `StoreReader`); single files (`Robots`, `lint`); images for those who count (`export`, `diff`, `report`); and classes in the shape of others' (`Protego`, `robomaton.scrapy`). Jobs
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
    SiteState,
    Store,
    StoreError,
    StoreLocked,
    StoreReader,
    __version__,
    compile,
    merge,
)
from robomaton.commands import Access, Change, Place, Remark, Table, Use, diff, export, lint, report
from robomaton.protego import Protego

__all__ = [
    "VERDICTS",
    "Access",
    "Answer",
    "Change",
    "Error",
    "Image",
    "ImageError",
    "Place",
    "Protego",
    "Remark",
    "Robots",
    "SiteState",
    "Store",
    "StoreError",
    "StoreLocked",
    "StoreReader",
    "Table",
    "Use",
    "__version__",
    "compile",
    "diff",
    "export",
    "lint",
    "merge",
    "report",
]
