"""How files are to be read."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from anonym.errors import Fault, PolicyError

TYPES: Mapping[str, pl.DataType] = {
    "str": pl.String(),
    "int": pl.Int64(),
    "float": pl.Float64(),
    "bool": pl.Boolean(),
    "date": pl.Date(),
    "datetime": pl.Datetime("us"),
}


@dataclass(frozen=True)
class ReadOptions:
    separator: str = ","
    encoding: str = "utf-8"
    null_values: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    as_text: Callable[[str], bool] = lambda _name: False  # CSV columns that stay text whatever they look like
    as_number: Callable[[str], bool] = lambda _name: False  # those that are numbers though zeros stand before them
    flatten: tuple[str, ...] = ()  # struct columns that become one column a field
    quoted: bool = False  # formulas of a CSV file have an apostrophe before them, which is taken away
    hive_ok: bool = False  # a file in a folder `name=value` is read as it is: right for a release of one file

    def typed(self, names: list[str]) -> dict[str, pl.DataType]:
        """The declared types of those of `names` that have one."""
        return {name: TYPES[kind] for name, kind in self.types.items() if name in names}


def codec(encoding: str) -> str:
    """Python's name of an encoding, a byte order mark allowed under UTF-8. Raises PolicyError if there is none."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise PolicyError([Fault("input.encoding", "no encoding of that name is known to Python")]) from None
    return "utf-8-sig" if name == "utf-8" else name


def refuse_separator(separator: str) -> None:
    """Raise PolicyError for what cannot separate the fields of a CSV file."""
    if len(separator.encode()) != 1 or separator in '"\r\n':
        raise PolicyError(
            [Fault("input.separator", "expected one ASCII character that is neither a quote nor a line's end")]
        )
