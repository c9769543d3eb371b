"""The search on UCI Adult: CPU seconds and loss, beside anjana where it is installed (pip install anjana).

    python benchmarks/search.py

Search CPU is this process's, one thread, warm (compiled before); the first call's compilation is printed apart.
anjana is given the same table, hierarchies, k and suppression limit; its loss is computed by the same NCP as ours.
With --readme the tables also replace those in the README.
"""

from __future__ import annotations

import csv
import os
import re
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

import anonym

DATA = Path(os.environ.get("ANONYM_BENCH_DATA", Path(__file__).parents[2] / "shared" / "data")) / "adult"
LIMITS = (0.0, 0.02, 0.05, 1.0)
ARX = {0.0: 0.6355, 0.02: 0.3686, 0.05: 0.2804, 1.0: 0.2380}  # its optima at the same task, measured once elsewhere
RUNS = 3


def table() -> pl.DataFrame:
    frame = pl.read_csv(DATA / "adult.csv", separator=";", infer_schema_length=0)
    return frame.with_columns(pl.col("age").cast(pl.Int64))


def policy(frame: pl.DataFrame, limit: float, sensitive: dict[str, Any] | None = None) -> dict[str, Any]:
    columns = {
        name: {"role": "quasi", "hierarchy": {"file": str(DATA / f"adult_hierarchy_{name}.csv")}}
        for name in frame.columns
    }
    if sensitive is not None:
        columns["occupation"] = {"role": "sensitive", **sensitive}
    return {
        "anonym": 1,
        "columns": columns,
        "guarantee": {"k": 5, "suppression": {"max": limit}},
        "search": {"strategy": "global"},
    }


def ours(frame: pl.DataFrame, limit: float, sensitive: dict[str, Any] | None = None) -> dict[str, Any]:
    cpu, whole = [], []
    for _ in range(RUNS):
        began = time.process_time()
        evidence = anonym.apply(policy(frame, limit, sensitive), frame).evidence
        whole.append(time.process_time() - began)
        cpu.append(evidence["environment"]["search_cpu_s"])
    return {
        "search": statistics.median(cpu),
        "whole": statistics.median(whole),
        "compile": evidence["environment"]["search_compile_s"],
        "ncp": evidence["loss"]["ncp"],
        "suppressed": evidence["suppression"]["rate"],
        "classes": evidence["classes"]["count"],
        "optimal": evidence["search"]["optimal"],
    }


def anjana(frame: pl.DataFrame, limit: float) -> dict[str, Any] | None:
    """The same task by anjana 0.2 or later; None where it is not installed."""
    try:
        from anjana.anonymity import k_anonymity
    except ImportError:
        return None
    data = frame.to_pandas()
    hierarchies = {name: _levels(name) for name in frame.columns}
    data["age"] = data["age"].astype(str)
    began = time.process_time()
    released = k_anonymity(data, [], list(frame.columns), 5, 100 * limit, hierarchies)
    cpu = time.process_time() - began
    return {"search": cpu, "ncp": _ncp(frame, released), "suppressed": 1 - len(released) / len(data)}


def _levels(name: str) -> dict[int, list[str]]:
    with open(DATA / f"adult_hierarchy_{name}.csv", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter=";"))
    return {level: [row[level] for row in rows] for level in range(len(rows[0]))}


def _ncp(frame: pl.DataFrame, released: Any) -> float:
    """NCP of another tool's release, by the hierarchies: one level a column, suppressed rows cost 1."""
    total = 0.0
    for name in frame.columns:
        levels = _levels(name)
        cost = _costs(frame[name], levels, name == "age")
        total += sum(cost[str(value)] for value in released[name])
    n, m = frame.height, frame.width
    return (total + (n - len(released)) * m) / (n * m)


def _costs(values: pl.Series, levels: dict[int, list[str]], numeric: bool) -> dict[str, float]:
    present = set(values.cast(pl.String))
    covered: dict[str, set[str]] = {}
    for labels in levels.values():
        for leaf, label in zip(levels[0], labels, strict=True):
            if leaf in present:
                covered.setdefault(label, set()).add(leaf)
    if not numeric:
        return {label: (len(leaves) - 1) / max(len(present) - 1, 1) for label, leaves in covered.items()}
    span = max(map(int, present)) - min(map(int, present))
    return {label: (max(map(int, leaves)) - min(map(int, leaves))) / span for label, leaves in covered.items()}


def lines() -> Iterator[str]:
    frame = table()
    ours(frame, 0.0)
    yield "| promise | suppression limit | search CPU s | suppressed | NCP | ARX's optimum | anjana: CPU s, NCP |"
    yield "|---|---|---|---|---|---|---|"
    for limit in LIMITS:
        mine = ours(frame, limit)
        peer = anjana(frame, limit) if limit in (0.02, 0.05) else None
        theirs = f"{peer['search']:.1f}, {peer['ncp']:.4f}" if peer else "not run"
        yield f"| k = 5, 9 QIs | {limit:.0%} | {_measures(mine)} | {ARX[limit]:.4f} | {theirs} |"
    for words, promise in (
        ("k = 5, l = 3 distinct, 8 QIs", {"l": {"distinct": 3}}),
        ("k = 5, t = 0.2 equal, 8 QIs", {"t": {"max": 0.2, "distance": "equal"}}),
    ):
        yield f"| {words} | 5% | {_measures(ours(frame, 0.05, promise))} | not run | not run |"


def _measures(mine: dict[str, Any]) -> str:
    proven = "" if mine["optimal"] else " (not proven optimal)"
    return f"{mine['search']:.2f} | {mine['suppressed']:.2%} | {mine['ncp']:.4f}{proven}"


def main() -> None:
    text = "\n".join(lines())
    print(text)
    if "--readme" in sys.argv:
        readme = Path(__file__).parents[1] / "README.md"
        mark = re.compile(r"(<!-- benchmarks/search.py -->\n).*?(\n<!-- end -->)", re.DOTALL)
        readme.write_text(mark.sub(lambda found: found[1] + text + found[2], readme.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
