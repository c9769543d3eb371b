"""The whole `apply` of a generated table beside a plain scan → sink copy of the same file, in the same run.

    python benchmarks/scale.py                  1M rows
    python benchmarks/scale.py 1M 10M 30M       as many tables, one after the other
    python benchmarks/scale.py 1M --local       local recoding as well
    python benchmarks/scale.py 30M --once       one run instead of the median of three

Nine quasi-identifiers and five other columns. Every run is a process of its own: CPU is its user and system time,
memory its peak resident size. Copies and releases are interleaved. A release is told less its search and the
compilation for it, of which the first ends with its budget whatever the rows; the steps are its stages, each with its
CPU seconds, their ratio to the copy's, and the peak of memory up to its end. What comes after the last stage's checks
(evidence, report, plan) is part of it; the first begins with the process, imports and all. Byte code and compiled loops
are kept, as they are where the package is installed: a run on a small table, which is not counted, makes them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

RUNS = 3
WARM = 400_000  # rows of the table that is not counted: enough for loops to be compiled
SEARCH = ("searching", "compiling")  # how the stages begin whose CPU the evidence tells better
BATCH = 1_000_000
REST = "around the search, and at the end"
POLICY = """
anonym: 1
name: scale
columns:
  age:      {role: quasi, hierarchy: {interval: [5, 10, 20]}, top: 90}
  zip:      {role: quasi, hierarchy: {prefix: [4, 3, 2, 1]}}
  sex:      {role: quasi, hierarchy: suppress}
  born:     {role: quasi, hierarchy: {date: [month, year, decade]}}
  job:      {role: quasi, hierarchy: suppress}
  race:     {role: quasi, hierarchy: suppress}
  children: {role: quasi, hierarchy: {breaks: [[1, 2, 3], [1]]}}
  income:   {role: quasi, hierarchy: {interval: [10000, 50000]}}
  marital:  {role: quasi, hierarchy: suppress}
  dx:       {role: sensitive}
  weight:   {role: keep, allow_unique: generated}
  visits:   {role: keep, allow_unique: generated}
  ward:     {role: keep}
  record:   {role: identifier}
guarantee: {k: 5, suppression: {max: LIMIT}}
search: {strategy: STRATEGY}
order: ORDER
"""
CASES = {
    "global, keep, no suppression": ("0", "global", "keep"),
    "global, keep, 2 %": ("0.02", "global", "keep"),
    "global, shuffle, 2 %": ("0.02", "global", "shuffle"),
}
LOCAL = {"local, keep, 2 %": ("0.02", "local", "keep")}


def generate(path: Path, rows: int) -> None:
    """Skewed columns, written in batches so that the generator needs little memory."""
    parts = []
    for number, start in enumerate(range(0, rows, BATCH)):
        part = path.with_name(f"{path.stem}.{number}.parquet")
        _batch(np.random.default_rng(number), start, min(BATCH, rows - start)).write_parquet(part)
        parts.append(part)
    pl.scan_parquet(parts).sink_parquet(path, compression="zstd")
    for part in parts:
        part.unlink()


def _batch(draw: np.random.Generator, start: int, rows: int) -> pl.DataFrame:
    zips = np.minimum(draw.zipf(1.2, rows), 900) + 9999
    codes = {name: draw.choice(size, rows, p=_skew(size)) for name, size in (("job", 15), ("race", 5), ("marital", 7))}
    return pl.DataFrame(
        {
            "age": pl.Series(np.clip(draw.normal(45, 18, rows), 0, 105).astype(np.int16)),
            "zip": pl.Series(zips).cast(pl.String),
            "sex": pl.Series(draw.integers(0, 2, rows)).replace_strict({0: "f", 1: "m"}),
            "born": pl.Series(draw.integers(0, 20_000, rows)).cast(pl.Int32).cast(pl.Date),
            **{name: pl.Series(code).cast(pl.String) for name, code in codes.items()},
            "children": pl.Series(draw.poisson(1.2, rows).astype(np.int8)),
            "income": pl.Series(np.minimum(draw.lognormal(10.3, 0.6, rows), 400_000).astype(np.int32) // 500 * 500),
            "dx": pl.Series(draw.integers(0, 40, rows)).cast(pl.String),
            "weight": pl.Series(draw.normal(75, 15, rows).round(1)),
            "visits": pl.Series(draw.poisson(4, rows)),
            "ward": pl.Series(draw.integers(0, 12, rows)).cast(pl.String),
            "record": pl.Series(np.arange(start, start + rows)),
        }
    ).select(
        "age", "zip", "sex", "born", "job", "race", "children", "income", "marital",
        "dx", "weight", "visits", "ward", "record",
    )  # fmt: skip


def _skew(size: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    weight: np.ndarray[Any, np.dtype[np.float64]] = 1 / np.arange(1, size + 1)
    return np.asarray(weight / weight.sum())


def measured(words: list[str], folder: Path) -> dict[str, Any]:
    """CPU seconds and peak megabytes of one process, and what it printed as JSON. Its byte code is kept in `folder`."""
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    settings["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(write, 1)
        os.execve(sys.executable, [sys.executable, __file__, *words], settings)
    os.close(write)
    said = b"".join(iter(lambda: os.read(read, 65536), b""))
    os.close(read)
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{' '.join(words)}: exit status {status >> 8}")
    return {"cpu": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss / 1024, **json.loads(said or b"{}")}


def copy(source: str, target: str) -> None:
    pl.scan_parquet(source).sink_parquet(target, compression="zstd")


def release(policy: str, source: str, target: str) -> None:
    """One `apply`; prints its stages and what the search took."""
    from anonym.pipeline import apply_files
    from anonym.pipeline.progress import Progress

    class Stages(Progress):
        def __init__(self) -> None:
            self.begun: list[tuple[str, float, float]] = [("starting", 0.0, 0.0)]

        def stage(self, name: str, _total: int | None = None) -> None:
            used = resource.getrusage(resource.RUSAGE_SELF)
            name = SEARCH[0] if name.startswith(SEARCH) else name
            self.begun.append((name, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))

    stages = Stages()
    outcome = apply_files(policy, [source], Path(target), force=True, progress=stages)
    stages.stage("end")
    steps: dict[str, tuple[float, float]] = {}
    for (name, began, _), (_, ended, peak) in zip(stages.begun, stages.begun[1:], strict=False):
        steps[name] = steps.get(name, (0.0, 0.0))[0] + ended - began, peak
    environment, loss = outcome.evidence["environment"], outcome.evidence["loss"]["ncp"]
    found = {"search": environment["search_cpu_s"], "compile": environment["search_compile_s"]}
    print(json.dumps({"steps": steps, "loss": loss, **found}))


def run(rows: int, folder: Path, cases: dict[str, tuple[str, str, str]], runs: int) -> None:
    source = _generated(folder, rows)
    for name, case in cases.items():
        copies, releases = [], []
        for _ in range(runs):
            copies.append(measured(["--copy", str(source), str(folder / "copy.parquet")], folder))
            releases.append(_released(folder, source, *case))
        _show(rows, name, copies, releases)
    source.unlink()


def warm(folder: Path, cases: dict[str, tuple[str, str, str]]) -> None:
    """Whatever is made once and kept is made now."""
    source = _generated(folder, WARM)
    for strategy in {strategy for _, strategy, _ in cases.values()}:
        _released(folder, source, "0.02", strategy, "keep")
    source.unlink()


def _generated(folder: Path, rows: int) -> Path:
    source = folder / f"{rows}.parquet"
    subprocess.run([sys.executable, __file__, "--generate", str(source), str(rows)], check=True)
    return source


def _released(folder: Path, source: Path, limit: str, strategy: str, order: str) -> dict[str, Any]:
    policy = POLICY.replace("LIMIT", limit).replace("STRATEGY", strategy).replace("ORDER", order)
    (folder / "policy.yaml").write_text(policy, encoding="utf-8")
    return measured(["--release", str(folder / "policy.yaml"), str(source), str(folder / "out.parquet")], folder)


def _show(rows: int, name: str, copies: list[dict[str, Any]], releases: list[dict[str, Any]]) -> None:
    plain, whole = (statistics.median(one["cpu"] for one in found) for found in (copies, releases))
    search = statistics.median(one["search"] for one in releases)
    rest = statistics.median(one["cpu"] - one["search"] - one["compile"] for one in releases)
    peak = max(one["mb"] for one in releases)
    cells = (
        f"{rows / 1e6:g}M",
        name,
        f"{plain:.1f}",
        f"{whole:.1f}",
        f"{rest / plain:.2f}",
        f"{search:.1f}",
        f"{peak:,.0f}",
        f"{rest / rows * 1e6:.1f}",
        f"{releases[-1]['loss']:.4f}",
    )
    print(f"| {' | '.join(cells)} |", flush=True)
    for step, mb in [
        *((step, mb) for step, (_, mb) in releases[-1]["steps"].items() if step not in SEARCH),
        (REST, peak),
    ]:
        cpu = statistics.median(_spent(one, step) for one in releases)
        print(f"| | {step} | | {cpu:.1f} | {cpu / plain:.2f} | | {mb:,.0f} | {cpu / rows * 1e6:.2f} | |", flush=True)


def _spent(one: dict[str, Any], step: str) -> float:
    """CPU seconds of a step; REST is what a run took beside its steps, its search, and the compilation for it."""
    known = {name: cpu for name, (cpu, _) in one["steps"].items() if name not in SEARCH}
    rest = one["cpu"] - one["search"] - one["compile"] - sum(known.values())
    return float(rest if step == REST else known.get(step, 0.0))


def options(words: list[str]) -> argparse.Namespace:
    about, _, more = (__doc__ or "").partition("\n")
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, epilog=more, formatter_class=raw)
    parser.add_argument("rows", nargs="*", type=_rows, default=[1_000_000], help="rows of each table: 1M, 0.5M, 2000")
    parser.add_argument("--local", action="store_true", help="local recoding as well")
    parser.add_argument("--once", action="store_true", help=f"one run instead of the median of {RUNS}")
    parser.add_argument("--case", metavar="WORDS", default="", help="only releases whose names hold this: shuffle")
    return parser.parse_args(words)


def _rows(word: str) -> int:
    return round(float(word.removesuffix("M")) * (1_000_000 if word.endswith("M") else 1))


def main(words: list[str]) -> None:
    asked = options(words)
    cases = {name: case for name, case in (CASES | (LOCAL if asked.local else {})).items() if asked.case in name}
    head = (
        "rows",
        "release",
        "copy CPU s",
        "whole CPU s",
        "÷ copy, less search",
        "search CPU s",
        "MB",
        "µs a row, less search",
        "NCP",
    )
    with tempfile.TemporaryDirectory() as folder:
        warm(Path(folder), cases)
        print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
        for rows in asked.rows:
            run(rows, Path(folder), cases, 1 if asked.once else RUNS)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--copy", source, target]:
            copy(source, target)
        case ["--release", policy, source, target]:
            release(policy, source, target)
        case ["--generate", path, count]:
            generate(Path(path), int(count))
        case words:
            main(words)
