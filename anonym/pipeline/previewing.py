"""`preview`: a few rows before and after, with what was found in their texts. Holds values; for a terminal only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from anonym.attacks.options import AttackOptions
from anonym.errors import CallError
from anonym.io import PrivateFolder, Source, guarded, open_paths
from anonym.pipeline.applying import Made, make, read_options
from anonym.pipeline.evidence import Clock
from anonym.pipeline.progress import Progress
from anonym.pipeline.write import ROW
from anonym.policy import Policy
from anonym.policy.model import Drop, Identifier, Quasi, Role, Sensitive, Text

if TYPE_CHECKING:
    from anonym.text.scrub import Scrubbed


@dataclass(frozen=True)
class Found:
    """A stretch of a text, code points, end exclusive; what it was taken for, and by which rule."""

    start: int
    end: int
    entity: str
    rule: str


@dataclass(frozen=True)
class Cell:
    """One value before and after; `after` None where nothing is released. `name` may be one of two of form bounds."""

    name: str
    role: str
    before: str | None
    after: str | None
    found: tuple[Found, ...] = ()


@dataclass(frozen=True)
class PreviewRow:
    """An input row, numbered from 0; suppressed rows have no cell after."""

    row: int
    suppressed: bool
    cells: tuple[Cell, ...]


def preview_rows(
    policy: str | Path, paths: Sequence[str | Path], count: int, *, progress: Progress | None = None
) -> list[PreviewRow]:
    """`count` rows, spread evenly over the input, as a release of the whole input would have them.

    Raises what `apply` raises. Nothing is written but in a private folder that is gone afterwards.
    """
    if count < 1:
        raise CallError("expected at least one row to show: -n 1 or more")
    loaded = Policy.load(policy)
    source = open_paths(paths, read_options(loaded))
    with PrivateFolder() as private:
        part = private.file("preview.parquet")
        made = make(_without_texts(loaded), source, part, private, Clock(), progress or Progress())
        chosen = _chosen(source, count)
        released = pl.read_parquet(part).with_columns(made.written.alignment[ROW])
    (progress or Progress()).stage("scrubbing the texts of these rows", len(chosen))
    texts = dict(_texts(loaded, made, chosen))
    return [_row(loaded, source, chosen, place, released, texts) for place in range(chosen.height)]


def _without_texts(policy: Policy) -> Policy:
    """Texts are scrubbed for the shown rows alone, and no gate runs: that would take minutes and show no more."""
    roles = {name: Drop() if isinstance(role, Text) else role for name, role in policy.columns.items()}
    return replace(
        policy, columns=roles, text=replace(policy.text, recall=None), attacks=AttackOptions(), training=None
    )


def _chosen(source: Source, count: int) -> pl.DataFrame:
    with guarded("reading the rows to show"):
        rows = int(source.frame.select(pl.len()).collect().item())
        shown = min(count, rows)
        places = [rows * place // shown for place in range(shown)]
        return source.frame.with_row_index(ROW).filter(pl.col(ROW).is_in(places)).collect()


def _texts(policy: Policy, made: Made, chosen: pl.DataFrame) -> Iterator[tuple[str, Scrubbed]]:
    """Each text column of the chosen rows, scrubbed as in a release."""
    names = [column.name for column in policy.resolve(dict(chosen.drop(ROW).schema)) if isinstance(column.role, Text)]
    if not names:
        return
    from anonym.text.scrub import Scrubber

    scrubber = Scrubber(policy.text)
    for name in names:
        known = [column for column in _also_from(policy, made) if column != name]
        yield name, scrubber.scrub(chosen[name].cast(pl.String), chosen.select(pl.col(known).cast(pl.String)))


def _also_from(policy: Policy, made: Made) -> list[str]:
    """The row's own columns that are scrubbed from its texts, as `transform` takes them."""
    if policy.text.also_from is not None:
        return list(policy.text.also_from)
    recoding = made.run.recoding
    return [
        column.name
        for column in made.run.profile.columns
        if not column.dtype.is_nested()
        and column.dtype != pl.Binary
        and (
            isinstance(column.role, Identifier)
            or (isinstance(column.role, Quasi) and recoding is not None and recoding.coarser(column.name))
        )
    ]


def _row(
    policy: Policy,
    source: Source,
    chosen: pl.DataFrame,
    place: int,
    released: pl.DataFrame,
    texts: Mapping[str, Scrubbed],
) -> PreviewRow:
    before = chosen.row(place, named=True)
    number = int(before[ROW])
    after = released.filter(pl.col(ROW) == number)
    gone = after.is_empty()
    cells = []
    for column in policy.resolve(source.schema):
        if column.name in texts:
            cells.append(_text_cell(column.name, before, texts[column.name], place, gone))
        else:
            cells += _cells(column.name, column.role, before, after)
    return PreviewRow(number, gone, tuple(cells))


def _text_cell(name: str, before: Mapping[str, Any], scrubbed: Scrubbed, place: int, gone: bool) -> Cell:
    spans = scrubbed.spans.filter(pl.col("row") == place)
    found = tuple(Found(*values) for values in spans.select("start", "end", "entity", "rule").iter_rows())
    return Cell(name, "text", _shown(before[name]), None if gone else scrubbed.text[place], found)


def _cells(name: str, role: Role, before: Mapping[str, Any], after: pl.DataFrame) -> Iterator[Cell]:
    names = [name]
    if isinstance(role, Quasi) and role.form == "bounds":
        names = [f"{name}_low", f"{name}_high"]
    for released in names:
        there = released in after.columns and not after.is_empty()
        value = _shown(after[released][0]) or "null" if there else None
        yield Cell(released, _role(role), _shown(before[name]), value)


def _role(role: Role) -> str:
    return (
        "quasi"
        if isinstance(role, Quasi)
        else "sensitive"
        if isinstance(role, Sensitive)
        else type(role).__name__.lower()
    )


def _shown(value: Any) -> str | None:
    if isinstance(value, pl.Series):
        value = value.to_list()
    return None if value is None else str(value)
