"""What the reported cases are judged by: the case itself, one run of the command line, and counts made by hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

SHORTEST = 4
"""Values of fewer characters, such as `a` or `mid`, are in any text: their absence says nothing."""


@dataclass(frozen=True)
class Case:
    """One reported failure: what is right, in words and numbers, and its files."""

    id: str
    right: str
    expect: dict[str, Any]
    folder: Path

    def file(self, name: str) -> Path:
        return self.folder / "files" / name

    def table(self, name: str) -> pl.DataFrame:
        return pl.read_parquet(self.file(name))


@dataclass(frozen=True)
class Run:
    """One call of the command line: its exit status, what it printed, and the folder it ran in."""

    status: int
    out: str
    err: str
    folder: Path

    @property
    def released(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "out.parquet")

    @property
    def evidence(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "out.report.json").read_text(encoding="utf-8")))

    @property
    def rejected(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "out.rejected.report.json").read_text(encoding="utf-8")))

    @property
    def printed(self) -> dict[str, Any]:
        """What `--json` printed."""
        return dict(json.loads(self.out))

    def names(self) -> set[str]:
        """Every file that a run left, the policy apart."""
        return {path.name for path in self.folder.iterdir()} - {"policy.yaml"}

    def said(self) -> str:
        """All words of the run: both streams, reports and plan, as text."""
        texts = [path.read_text(encoding="utf-8") for path in self.folder.glob("out.*") if path.suffix != ".parquet"]
        return "\n".join([self.out, self.err, *texts])


AS_IS = {"role": "quasi", "hierarchy": "suppress", "coarsest": 0}
SENSITIVE = {"role": "sensitive"}


def promise(columns: dict[str, Any], k: int, limit: float = 0, **more: Any) -> dict[str, Any]:
    """A policy of these columns, without its version and name."""
    return {"columns": columns, "guarantee": {"k": k, "suppression": {"max": limit}}, **more}


def present(values: Iterable[object], text: str) -> list[str]:
    """Those values that stand in `text` as words of their own."""
    words = {str(value) for value in values if value is not None and len(str(value)) >= SHORTEST}
    return sorted(word for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text))


def class_sizes(table: pl.DataFrame, quasi: Sequence[str]) -> list[int]:
    """Sizes of the classes of equal quasi-identifiers, by counting tuples; null equals null."""
    return sorted(Counter(table.select(quasi).iter_rows()).values())


def nothing_released(run: Run, *, beside: tuple[str, ...] = ()) -> None:
    """Assert a refusal: no release, no report or plan of one, nothing hidden; only the evidence of the refusal."""
    refusal = {"out.rejected.report.html", "out.rejected.report.json"} if run.status in (3, 5) else set()
    assert run.names() == refusal | set(beside)
