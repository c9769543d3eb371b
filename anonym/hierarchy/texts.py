"""Hierarchies over the printed value: prefixes, hierarchy files, frequent categories."""

from __future__ import annotations

import numpy as np
import polars as pl

from anonym.hierarchy.files import read_hierarchy
from anonym.hierarchy.labels import leaf_text, printed
from anonym.hierarchy.model import FileHierarchy, Groups, Prefix
from anonym.hierarchy.steps import ROOT, Step, Window


def prefix_steps(declared: Prefix, values: pl.Series, window: Window) -> list[Step]:
    """The first characters (code points), then `*` up to the longest value's length."""
    del window
    text = printed(values)
    longest = text.str.len_chars().max() or 0
    return [_by_label(text.str.head(length).str.pad_end(longest, "*")) for length in declared.lengths]  # type: ignore[arg-type]


def file_steps(declared: FileHierarchy, values: pl.Series, window: Window) -> list[Step]:
    """The file's columns but the last, which is the root; ROOT where the file lacks a value.

    With `by_prefix` the value itself comes first, and values that the file lacks are ROOT there too.
    """
    del window
    table = read_hierarchy(declared.path).rows
    text = leaf_text(values)
    leaf = listed_beginning(text, table["level_0"]) if declared.by_prefix else text
    found = pl.DataFrame({"level_0": leaf}).join(table, on="level_0", how="left", maintain_order="left")
    is_covered = found[table.columns[-1]].is_not_null()
    columns = [*([text] if declared.by_prefix else []), *(found[name] for name in table.columns[:-1])]
    return [_by_label(column.zip_with(is_covered, pl.Series([None], dtype=pl.String))) for column in columns]


def listed_beginning(texts: pl.Series, listed: pl.Series) -> pl.Series:
    """The longest beginning of each text that is listed, null where none is."""
    found = pl.repeat(None, len(texts), dtype=pl.String, eager=True)
    for length in sorted(listed.str.len_chars().unique().to_list()):
        beginning = texts.str.head(length)
        found = beginning.zip_with(beginning.is_in(listed.implode()).fill_null(False), found)
    return found


def group_steps(declared: Groups, values: pl.Series, window: Window) -> list[Step]:
    """The kept categories as they are, one label for the rest."""
    del window
    text = printed(values)
    return [
        _by_label(text.zip_with(text.is_in(list(kept)), pl.Series([other], dtype=pl.String)))
        for kept, other in zip(declared.kept, declared.other, strict=True)
    ]


def _by_label(labels: pl.Series) -> Step:
    """Values of one label are one node; null is ROOT."""
    frame = pl.DataFrame({"label": labels}).with_row_index("leaf")
    nodes = frame.drop_nulls("label").group_by("label", maintain_order=True).first().with_row_index("node")
    node = frame.join(nodes.select("label", "node"), on="label", how="left", maintain_order="left")["node"]
    return Step(node.cast(pl.Int64).fill_null(ROOT).to_numpy().astype(np.int64), nodes["label"])
