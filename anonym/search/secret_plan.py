"""The secret plan of a local recoding: which raw combinations went to which class. It is raw data, never published."""

from __future__ import annotations

import hashlib
import io
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import polars as pl

from anonym.errors import CallError
from anonym.hierarchy.model import Breaks, Dates, Declaration, Groups, Networks, Prefix, Suppress
from anonym.search.plan import Plan, PlanColumn

MAGIC = b"anonym.secret-plan/"
FIRST_LINE = MAGIC + b"1 "
KINDS = {"interval": 0, "alone": 1, "star": 2}  # `alone`: null, and nothing else
SHARES = {"combination": pl.Int64(), "class": pl.Int32(), "rows": pl.Int64()}
NOT_ONE = "not a secret plan of version 1: it was cut off, changed, or is another file"


@dataclass(frozen=True)
class SecretPlan:
    """A local recoding with the raw values that it was found for.

    `combinations` holds the distinct raw tuples of the quasi-identifiers (canonical values, a row each) that some
    released row had. `shares` says where their rows went, in the order of the records of the first table: DataFrame[
    combination, class, rows], class null for rows that were given up. `classes` has a row a class: the released
    columns by their names, but for those of form `representative`, which are found anew in each batch. `cells` has as
    many rows: `level:NAME` is the level of a label; `kind:NAME` (see KINDS), `low:NAME` and `high:NAME`
    (null: open) or `members:NAME` (null: all) are what a cell of another form covers.
    """

    plan: Plan  # what may be published of it
    combinations: pl.DataFrame
    shares: pl.DataFrame
    classes: pl.DataFrame
    cells: pl.DataFrame
    drawn: Mapping[str, Declaration] = field(default_factory=dict)  # what `auto` became in the first table
    salt: str = field(default_factory=lambda: secrets.token_hex(32))  # so that the file's hash tells no value
    loaded: str | None = None  # SHA-256 of the file that it was loaded from

    @property
    def count(self) -> int:
        """Raw combinations."""
        return self.combinations.height

    @cached_property
    def content(self) -> bytes:
        """The file: a line with the SHA-256 of all that follows, a line of JSON, four tables in Arrow's format."""
        tables = [_packed(frame) for frame in (self.combinations, self.shares, self.classes, self.cells)]
        head = {
            "plan": self.plan.dump(),
            "drawn": {name: _as_json(declaration) for name, declaration in self.drawn.items()},
            "salt": self.salt,
            "bytes": list(map(len, tables)),
        }
        body = json.dumps(head, sort_keys=True).encode() + b"\n" + b"".join(tables)
        return FIRST_LINE + hashlib.sha256(body).hexdigest().encode() + b"\n" + body

    @cached_property
    def sha256(self) -> str:
        """Of the file."""
        return self.loaded or hashlib.sha256(self.content).hexdigest()

    @staticmethod
    def load(content: bytes) -> SecretPlan:
        """Raises CallError for anything but a whole secret plan of this version."""
        first, _, body = content.partition(b"\n")
        if first != FIRST_LINE + hashlib.sha256(body).hexdigest().encode():
            raise CallError(NOT_ONE)
        try:
            line, _, packed = body.partition(b"\n")
            head: dict[str, Any] = json.loads(line)
            combinations, shares, classes, cells = (pl.read_ipc(part) for part in _cut(packed, head["bytes"]))
            drawn = {name: _declared(*one) for name, one in head["drawn"].items()}
            plan, loaded = Plan.load(head["plan"]), hashlib.sha256(content).hexdigest()
            found = SecretPlan(plan, combinations, shares, classes, cells, drawn, head["salt"], loaded)
            sound = all(found._sound())
        except (ValueError, KeyError, TypeError, ArithmeticError, RecursionError, OSError, pl.exceptions.PolarsError):
            raise CallError(NOT_ONE) from None  # written by hand: its own hash is right
        if not sound:
            raise CallError(NOT_ONE)
        return found

    def _sound(self) -> Iterator[bool]:
        """What must hold of the tables for every place in one to be there in the others."""
        names = [column.name for column in self.plan.columns]
        yield self.combinations.columns == names and not self.combinations.is_duplicated().any()
        yield self.shares.schema == SHARES and bool((self.shares["rows"] > 0).all())
        yield self.shares["combination"].is_sorted() and self.shares["combination"].n_unique() == self.count
        yield bool(self.shares["combination"].is_between(0, self.count - 1).all())
        yield bool(self.shares["class"].drop_nulls().is_between(0, self.cells.height - 1).all())
        yield self.classes.height == self.cells.height or not self.classes.width  # all are representatives
        for column in self.plan.columns:
            yield set(_released(column)) <= set(self.classes.columns)
            yield self._has_cells(column)

    def _has_cells(self, column: PlanColumn) -> bool:
        name = column.name
        if column.form == "label":
            levels = self.cells[f"level:{name}"]
            return levels.dtype == pl.Int32 and bool((levels >= 0).all())
        if f"members:{name}" in self.cells.columns:
            return self.cells[f"members:{name}"].dtype == pl.List(self.combinations[name].dtype)
        ends = [self.cells[f"{end}:{name}"].dtype for end in ("low", "high")]
        kinds = self.cells[f"kind:{name}"]
        return ends == [self.combinations[name].dtype] * 2 and bool(kinds.is_in(list(KINDS.values())).all())


def _released(column: PlanColumn) -> tuple[str, ...]:
    """The released columns that `classes` has of a quasi-identifier."""
    if column.form == "representative":
        return ()
    return (f"{column.name}_low", f"{column.name}_high") if column.form == "bounds" else (column.name,)


def is_secret_plan(content: bytes) -> bool:
    """Whether a file begins like a secret plan, of whatever version."""
    return content.startswith(MAGIC)


def _packed(frame: pl.DataFrame) -> bytes:
    written = io.BytesIO()
    frame.write_ipc(written, compression="zstd")
    return written.getvalue()


def _cut(packed: bytes, sizes: list[int]) -> Iterator[bytes]:
    at = 0
    for size in sizes:
        yield packed[at : at + size]
        at += size


def _as_json(declaration: Declaration) -> tuple[str, list[Any]]:
    """What `auto` may become, by name."""
    match declaration:
        case Breaks(levels, of):
            return "breaks", [[list(map(str, cuts)) for cuts in levels], of]
        case Groups(kept, other):
            return "groups", [kept, other]
        case Prefix(lengths):
            return "prefix", [lengths]
        case Networks(lengths):
            return "networks", [lengths]
        case Dates(units):
            return "dates", [units]
        case Suppress():
            return "suppress", []
    raise TypeError(f"`auto` became {type(declaration).__name__}, which no secret plan can hold")


def _declared(name: str, given: list[Any]) -> Declaration:
    match name, given:
        case "breaks", [levels, of]:
            return Breaks(tuple(tuple(map(Decimal, cuts)) for cuts in levels), of)
        case "groups", [kept, other]:
            return Groups(tuple(map(tuple, kept)), tuple(other))
        case "prefix", [lengths]:
            return Prefix(tuple(lengths))
        case "networks", [lengths]:
            return Networks(tuple(lengths))
        case "dates", [units]:
            return Dates(tuple(units))
        case "suppress", []:
            return Suppress()
    raise ValueError(name)
