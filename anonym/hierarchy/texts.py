"""Hierarchies over the printed value: prefixes, and hierarchy files."""

from __future__ import annotations

import numpy as np
import polars as pl

from anonym.hierarchy.files import read_hierarchy
from anonym.hierarchy.labels import leaf_text, printed
from anonym.hierarchy.model import FileHierarchy, Prefix
from anonym.hierarchy.steps import ROOT, Step, Window


def prefix_steps(declared: Prefix, values: pl.Series, window: Window) -> list[Step]:
    """The first characters (code points), then `*` up to the longest value's length."""
    del window
    text = printed(values)
    longest = text.str.len_chars().max() or 0
    return [_by_label(text.str.head(length).str.pad_end(longest, "*")) for length in declared.lengths]  # type: ignore[arg-type]


def file_steps(declared: FileHierarchy, values: pl.Series, window: Window) -> list[Step]:
    """The file's columns but the last, which is the root; ROOT where the file lacks a value."""
    del window
    table = read_hierarchy(declared.path).rows
    leaves = pl.DataFrame({"level_0": leaf_text(values)})
    found = leaves.join(table, on="level_0", how="left", maintain_order="left")
    is_covered = found[table.columns[-1]].is_not_null()
    levels = [_by_label(found[name].zip_with(is_covered, pl.Series([None], dtype=pl.String))) for name in table.columns]
    return levels[:-1]


def _by_label(labels: pl.Series) -> Step:
    """Values of one label are one node; null is ROOT."""
    frame = pl.DataFrame({"label": labels}).with_row_index("leaf")
    nodes = frame.drop_nulls("label").group_by("label", maintain_order=True).first().with_row_index("node")
    node = frame.join(nodes.select("label", "node"), on="label", how="left", maintain_order="left")["node"]
    return Step(node.cast(pl.Int64).fill_null(ROOT).to_numpy().astype(np.int64), nodes["label"])
