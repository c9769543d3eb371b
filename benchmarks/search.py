"""The search on UCI Adult and on generated tables: CPU seconds, loss, classes, memory.

    python benchmarks/search.py             Adult, global and local, beside anjana where it is installed
    python benchmarks/search.py --curves    also curves over rows, quasi-identifiers and k, each point a process
    python benchmarks/search.py --large     the same with 10 million rows
    python benchmarks/search.py --readme    the Adult tables also replace those in the README

Search CPU is this process's, one thread, warm (compiled before); compilation, of a run or read from the cache, is
printed apart. anjana is given the same table, hierarchies, k and suppression limit; its loss is computed by the same
NCP as ours.
"""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import anonym

DATA = Path(os.environ.get("ANONYM_BENCH_DATA", Path(__file__).parents[2] / "shared" / "data")) / "adult"
LIMITS = (0.0, 0.02, 0.05, 1.0)
ARX = {0.0: 0.6355, 0.02: 0.3686, 0.05: 0.2804, 1.0: 0.2380}  # its optima at the same task, measured once elsewhere
RUNS = 3
OCCUPATION = {"file": str(DATA / "adult_hierarchy_occupation.csv")}
LOCAL: dict[str, dict[str, Any] | None] = {
    "k = 5, 9 QIs": None,
    "k = 5, l = 3 distinct, 8 QIs": {"l": {"distinct": 3}},
    "k = 5, t = 0.2 hierarchical, 8 QIs": {"t": {"max": 0.2, "distance": "hierarchical", "hierarchy": OCCUPATION}},
    "k = 5, t = 0.2 equal, 8 QIs": {"t": {"max": 0.2, "distance": "equal"}},
}
ROWS, LARGE, COLUMNS, KS = (10_000, 100_000, 1_000_000), 10_000_000, (4, 8, 16, 24, 30), (2, 5, 10, 25, 100)
FEW = 20_000  # rows of the curves over columns and k


def table() -> pl.DataFrame:
    frame = pl.read_csv(DATA / "adult.csv", separator=";", infer_schema_length=0)
    return frame.with_columns(pl.col("age").cast(pl.Int64))


def policy(
    frame: pl.DataFrame, limit: float, sensitive: dict[str, Any] | None = None, form: str | None = None
) -> dict[str, Any]:
    """Global, or local with cells of a form."""
    columns: dict[str, dict[str, Any]] = {
        name: {"role": "quasi", "hierarchy": {"file": str(DATA / f"adult_hierarchy_{name}.csv")}}
        for name in frame.columns
    }
    if form is not None:
        columns = {name: {**column, "form": form} for name, column in columns.items()}
    if sensitive is not None:
        columns["occupation"] = {"role": "sensitive", **sensitive}
    return {
        "anonym": 1,
        "columns": columns,
        "guarantee": {"k": 5, "suppression": {"max": limit}},
        "search": {"strategy": "global" if form is None else "local"},
    }


def ours(
    frame: pl.DataFrame,
    limit: float,
    sensitive: dict[str, Any] | None = None,
    form: str | None = None,
    runs: int = RUNS,
) -> dict[str, Any]:
    return measured(policy(frame, limit, sensitive, form), frame, runs)


def measured(said: dict[str, Any], frame: pl.DataFrame, runs: int) -> dict[str, Any]:
    cpu, whole = [], []
    for _ in range(runs):
        began = time.process_time()
        evidence = anonym.apply(said, frame).evidence
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
        "bound": evidence["search"]["bound"],
        "discernibility": evidence["loss"]["discernibility"],
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
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


def local_lines() -> Iterator[str]:
    frame = table()
    yield "| promise, all rows kept | cells | search CPU s | NCP | proven lower bound | classes | discernibility |"
    yield "|---|---|---|---|---|---|---|"
    for form in ("label", "set"):
        for words, promise in LOCAL.items():
            mine = ours(frame, 0.0, promise, form, runs=1)
            yield (
                f"| {words} | {form} | {mine['search']:.1f} | {mine['ncp']:.4f} | {mine['bound']:.4f} | "
                f"{mine['classes']:,} | {mine['discernibility']:,} |"
            )


def generated(rows: int, columns: int, seed: int = 0) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table of skewed, wide, deep and dated columns in turn, and their roles."""
    draw = np.random.default_rng(seed)
    made: dict[str, tuple[pl.Series, dict[str, Any]]] = {}
    while len(made) < columns:
        age = pl.Series(np.clip(draw.normal(45, 18, rows), 0, 105).astype(np.int16))
        zips = pl.Series(np.minimum(draw.zipf(1.2, rows), 900) + 9999).cast(pl.String)
        sex, born = pl.Series(draw.integers(0, 2, rows)).cast(pl.String), pl.Series(draw.integers(0, 9_000, rows))
        for name, values, hierarchy in (
            ("age", age, {"interval": [5, 10, 20]}),
            ("zip", zips, {"prefix": [4, 3, 2, 1]}),
            ("sex", sex, "suppress"),
            ("born", born.cast(pl.Int32).cast(pl.Date), {"date": ["month", "quarter", "year", "decade"]}),
        ):
            made[f"{name}{len(made)}"] = (values, {"role": "quasi", "hierarchy": hierarchy})
    chosen = dict(list(made.items())[:columns])
    frame = pl.DataFrame({name: values for name, (values, _) in chosen.items()})
    return frame, {name: role for name, (_, role) in chosen.items()}


def one(task: dict[str, Any]) -> dict[str, Any]:
    """A point of a curve, in this process."""
    frame, columns = generated(task["rows"], task["columns"])
    if task["form"] is not None:
        columns = {name: {**column, "form": task["form"]} for name, column in columns.items()}
    said = {
        "anonym": 1,
        "columns": columns,
        "guarantee": {"k": task["k"], "suppression": {"max": 0.02}},
        "search": {"strategy": "global" if task["form"] is None else "local"},
    }
    return measured(said, frame, 1)


def curve(name: str, tasks: list[dict[str, Any]]) -> Iterator[str]:
    yield f"| {name} | strategy | search CPU s | compile s | whole CPU s | NCP | bound | classes | peak MB |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for task in tasks:
        run = subprocess.run(
            [sys.executable, __file__, "--one", json.dumps(task)], capture_output=True, text=True, check=True
        )
        mine = json.loads(run.stdout.splitlines()[-1])
        words = "global" if task["form"] is None else f"local, {task['form']}"
        yield (
            f"| {task[name]:,} | {words} | {mine['search']:.1f} | {mine['compile']:.1f} | {mine['whole']:.1f} | "
            f"{mine['ncp']:.4f} | {mine['bound']:.4f} | {mine['classes']:,} | {mine['mb']:.0f} |"
        )


def curves(large: bool) -> Iterator[str]:
    forms = (None, "label", "set")
    sizes = (*ROWS, LARGE) if large else ROWS
    yield from curve("rows", [{"rows": n, "columns": 8, "k": 5, "form": f} for n in sizes for f in forms])
    yield ""
    yield from curve("columns", [{"rows": FEW, "columns": n, "k": 5, "form": f} for n in COLUMNS for f in forms])
    yield ""
    yield from curve("k", [{"rows": FEW, "columns": 8, "k": n, "form": f} for n in KS for f in forms])


def _measures(mine: dict[str, Any]) -> str:
    proven = "" if mine["optimal"] else " (not proven optimal)"
    return f"{mine['search']:.2f} | {mine['suppressed']:.2%} | {mine['ncp']:.4f}{proven}"


def main() -> None:
    if "--one" in sys.argv:
        print(json.dumps(one(json.loads(sys.argv[sys.argv.index("--one") + 1]))))
        return
    text = "\n".join([*lines(), "", *local_lines()])
    print(text)
    if "--curves" in sys.argv or "--large" in sys.argv:
        for line in curves("--large" in sys.argv):
            print(line, flush=True)
    if "--readme" in sys.argv:
        readme = Path(__file__).parents[1] / "README.md"
        mark = re.compile(r"(<!-- benchmarks/search.py -->\n).*?(\n<!-- end -->)", re.DOTALL)
        readme.write_text(mark.sub(lambda found: found[1] + text + found[2], readme.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
