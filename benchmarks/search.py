"""The search on UCI Adult and on generated tables, beside its peers: CPU seconds, memory, loss, classes.

    python benchmarks/search.py global           UCI Adult, one level a column, beside anjana
    python benchmarks/search.py local            the same, each class as little as it needs
    python benchmarks/search.py mondrian         the first rows of it, beside two Mondrians
    python benchmarks/search.py compiling        what compiling costs, at first and later
    python benchmarks/search.py shapes           generated tables of several shapes, beside all peers
    python benchmarks/search.py rows columns k   curves of CPU and loss (--large: 1M and 10M rows, too)

Options: `--peers DIR` is where each peer's environment is looked for, and built where absent. `--readme` puts the
tables of the parts named into the README; curves go into search.json, from which the picture is drawn again.

Each measurement runs in a process of its own, on one thread: search CPU is warm (median of RUNS, compiled before),
memory the peak of the process. Compilation is printed apart, as it is with an empty cache. Peers get the same table,
hierarchies, k and suppression limit as codes (`search_tables.py`), run in their own environments (`search_peers.py`),
and their releases are measured by the same NCP. pycanon counts k, l and t of each release of ours again.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import polars as pl
from readme import into_readme
from search_picture import picture
from search_tables import DATA, SHAPES, Columns, adult, coded, measured, mixed

import anonym

HERE = Path(__file__).parent
PEERS = ("anjana", "anonypy", "anonypyx", "pycanon")
LIMITS = (0.0, 0.02, 0.05, 1.0)
ARX = {0.0: 0.6355, 0.02: 0.3686, 0.05: 0.2804, 1.0: 0.2380}  # its optima at the same task, measured once elsewhere
RUNS = 3
SECONDS = 120  # of CPU, after which a peer is ended
FIRST = 3_000  # rows of Adult for the Mondrians, which take minutes for all
SHAPE_ROWS = 2_000
FEW = 20_000  # rows of the curves over columns and k
ROWS, LARGE = (10_000, 30_000, 100_000), (1_000_000, 10_000_000)
COLUMNS, KS = (4, 8, 16, 30), (2, 10, 50, 100)
FORMS = (None, "label", "set")
OCCUPATION = {"file": str(DATA / "adult_hierarchy_occupation.csv")}
PROMISES: dict[str, dict[str, Any] | None] = {
    "k = 5, 9 QIs": None,
    "k = 5, l = 3 distinct, 8 QIs": {"l": {"distinct": 3}},
    "k = 5, t = 0.2 hierarchical, 8 QIs": {"t": {"max": 0.2, "distance": "hierarchical", "hierarchy": OCCUPATION}},
    "k = 5, t = 0.2 equal, 8 QIs": {"t": {"max": 0.2, "distance": "equal"}},
}
Table = tuple[pl.DataFrame, Columns]
TABLES: dict[str, Callable[[dict[str, Any]], Table]] = {
    "adult": lambda task: adult(task.get("rows")),
    "mixed": lambda task: mixed(task["rows"], task["columns"]),
    **{name: lambda task, make=make: make(task["rows"]) for name, make in SHAPES.items()},  # type: ignore[misc]
}

# one measurement, in this process -------------------------------------------------------------------------------------


def one(task: dict[str, Any]) -> dict[str, Any]:
    """`task`: table, form (None: global), k, limit, promise (of occupation), runs, release (a path, or None)."""
    frame, columns = TABLES[task["table"]](task)
    if task["form"] is not None:
        columns = {name: {**column, "form": task["form"]} for name, column in columns.items()}
    if task["promise"] is not None:
        columns["occupation"] = {"role": "sensitive", **task["promise"]}
    said = {
        "anonym": 1,
        "columns": columns,
        "guarantee": {"k": task["k"], "suppression": {"max": task["limit"]}},
        "search": {"strategy": "global" if task["form"] is None else "local"},
    }
    compiled, cpu, whole = 0.0, [], []
    for _ in range(task["runs"]):
        began = time.process_time()
        release = anonym.apply(said, frame)
        whole.append(time.process_time() - began)
        evidence = release.evidence
        cpu.append(evidence["environment"]["search_cpu_s"])
        compiled += evidence["environment"]["search_compile_s"]
    mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if task["release"]:
        _texts(release.data.collect()).write_csv(task["release"])
    return {
        "search": statistics.median(cpu),
        "whole": statistics.median(whole),
        "compile": compiled,
        "ncp": evidence["loss"]["ncp"],
        "suppressed": evidence["suppression"]["rate"],
        "classes": evidence["classes"]["count"],
        "optimal": evidence["search"]["optimal"],
        "bound": evidence["search"]["bound"],
        "discernibility": evidence["loss"]["discernibility"],
        "mb": mb,
    }


def _texts(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists as text, and null as a value, as the peers read it."""
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    joined = frame.with_columns(pl.col(lists).cast(pl.List(pl.String)).list.join(",")) if lists else frame
    return joined.select(pl.all().cast(pl.String).fill_null(""))


def ours(folder: Path, cache: Path | None = None, **task: Any) -> dict[str, Any]:
    """The measurement in a new process; `cache` is where compiled code is kept instead of where it is by default."""
    told = {"form": None, "k": 5, "limit": 0.0, "promise": None, "runs": 1, "release": None, **task}
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": str(cache)} if cache else {})}
    command = [sys.executable, __file__, "--one", json.dumps(told)]
    return _last_line(command, subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment))


def _last_line(command: list[str], run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    if run.returncode:
        raise SystemExit(f"{' '.join(command)} failed\n{run.stderr}")
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


# peers ----------------------------------------------------------------------------------------------------------------


class Peers:
    """The environments of the peers under one folder. `missing` names those that were asked for and are not there."""

    def __init__(self, folder: Path | None, work: Path) -> None:
        self.folder, self.work = folder, work
        self.missing: set[str] = set()

    def build(self) -> None:
        """An environment for each peer that has none (each pins its own NumPy)."""
        assert self.folder is not None
        for peer in PEERS:
            if not (self.folder / peer).exists():
                venv.create(self.folder / peer, with_pip=True)
                needed = [peer, "pandas"]  # which anonypy does not ask for
                subprocess.run([str(self._python(peer)), "-m", "pip", "install", "-q", *needed], check=True)

    def release(self, peer: str, table: Table, k: int, limit: float) -> dict[str, Any] | str:
        """What the peer's release of a table costs, or why there is none."""
        frame, columns = table
        codes = coded(frame, columns)
        pl.DataFrame({name: column.rows for name, column in codes.items()}).write_csv(self.work / "peer.csv")
        said = {name: {"numeric": column.numeric, "levels": column.levels} for name, column in codes.items()}
        found = self._run({"peer": peer, "columns": said, "k": k, "limit": limit})
        if isinstance(found, str):
            return found
        released = pl.read_csv(self.work / "peer.released.csv", schema_overrides=dict.fromkeys(codes, pl.String))
        return found | measured(codes, released, frame.height, k)

    def count(self, names: list[str], sensitive: str | None, release: Path) -> str:
        """k of a release of ours, with its l and t where one is sensitive, as pycanon counts them."""
        release.replace(self.work / "peer.csv")
        found = self._run({"peer": "pycanon", "columns": dict.fromkeys(names), "sensitive": sensitive})
        if isinstance(found, str):
            return found
        return f"{found['k']}" + (f", {found['l']}, {found['t']:.3f}" if sensitive else "")

    def _python(self, peer: str) -> Path:
        assert self.folder is not None
        return self.folder / peer / "bin" / "python"

    def _run(self, task: dict[str, Any]) -> dict[str, Any] | str:
        if self.folder is None or not self._python(task["peer"]).exists():
            self.missing.add(task["peer"])
            return "not installed"
        path = self.work / "peer.json"
        path.write_text(json.dumps({**task, "seconds": SECONDS}), encoding="utf-8")
        command = [str(self._python(task["peer"])), str(HERE / "search_peers.py"), str(path)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"no result in {SECONDS} CPU s"
        return _last_line(command, run)


# tables ---------------------------------------------------------------------------------------------------------------


def global_lines(peers: Peers) -> Iterator[str]:
    release = peers.work / "ours.csv"
    names = list(adult()[1])
    yield (
        "| promise, one level a column | suppression limit | search CPU s | peak MB | suppressed | NCP | classes "
        "| pycanon counts k (l, t) | ARX's optimum | anjana: CPU s, NCP |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for limit in LIMITS:
        mine = ours(peers.work, table="adult", limit=limit, runs=RUNS, release=str(release))
        peer = peers.release("anjana", adult(), 5, limit) if limit in (0.02, 0.05) else "not run"
        theirs = peer if isinstance(peer, str) else f"{peer['search']:.1f}, {peer['ncp']:.4f}"
        counted = peers.count(names, None, release)
        yield f"| k = 5, 9 QIs | {limit:.0%} | {_global(mine)} | {counted} | {ARX[limit]:.4f} | {theirs} |"
    quasi = [name for name in names if name != "occupation"]
    for words, promise in list(PROMISES.items())[1:]:
        mine = ours(peers.work, table="adult", limit=0.05, promise=promise, runs=RUNS, release=str(release))
        yield f"| {words} | 5% | {_global(mine)} | {peers.count(quasi, 'occupation', release)} | not run | not run |"


def local_lines(peers: Peers) -> Iterator[str]:
    release = peers.work / "ours.csv"
    names = list(adult()[1])
    quasi = [name for name in names if name != "occupation"]
    yield (
        "| promise, each class as little as it needs, all rows kept | cells | search CPU s | peak MB | NCP "
        "| proven lower bound | classes | discernibility | pycanon counts k |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for form in ("label", "set"):
        for words, promise in PROMISES.items():
            mine = ours(peers.work, table="adult", promise=promise, form=form, release=str(release))
            counted = peers.count(quasi if promise else names, None, release)
            yield f"| {words} | {form} | {_local(mine)} | {counted} |"


def mondrian_lines(peers: Peers) -> Iterator[str]:
    yield f"| the first {FIRST:,} rows, k = 5, 9 QIs, all kept | CPU s | peak MB | NCP | classes | discernibility |"
    yield "|---|---|---|---|---|---|"
    for words, form in (("anonym, label", "label"), ("anonym, set", "set")):
        yield f"| {words} | {_beside(ours(peers.work, table='adult', rows=FIRST, form=form))} |"
    for peer in ("anonypy", "anonypyx"):
        yield f"| {peer}, Mondrian | {_beside(peers.release(peer, adult(FIRST), 5, 0.0))} |"


def compiling_lines(peers: Peers) -> Iterator[str]:
    """What compiling costs where nothing is kept yet, and in a later process."""
    yield "| compiling, CPU s | first run of a fresh install | a later process |"
    yield "|---|---|---|"
    for words, form in (("global", None), ("local", "set")):
        with tempfile.TemporaryDirectory() as cache:
            first, later = (
                ours(peers.work, Path(cache), table="adult", rows=FIRST, form=form)["compile"] for _ in "12"
            )
        yield f"| {words}, k | {first:.1f} | {later:.1f} |"


def shape_lines(peers: Peers) -> Iterator[str]:
    yield f"| {SHAPE_ROWS:,} rows, k = 5, 2 % | tool | CPU s | peak MB | NCP | classes | discernibility |"
    yield "|---|---|---|---|---|---|---|"
    for shape, make in SHAPES.items():
        for words, form in (("anonym, global", None), ("anonym, label", "label"), ("anonym, set", "set")):
            mine = ours(peers.work, table=shape, rows=SHAPE_ROWS, limit=0.02, form=form)
            yield f"| {shape} | {words} | {_beside(mine)} |"
        for peer in ("anjana", "anonypy", "anonypyx"):
            yield f"| {shape} | {peer} | {_beside(peers.release(peer, make(SHAPE_ROWS), 5, 0.02))} |"


def _global(mine: dict[str, Any]) -> str:
    proven = "" if mine["optimal"] else " (not proven optimal)"
    return (
        f"{mine['search']:.2f} | {mine['mb']:.0f} | {mine['suppressed']:.2%} | {mine['ncp']:.4f}{proven} "
        f"| {mine['classes']:,}"
    )


def _local(mine: dict[str, Any]) -> str:
    return (
        f"{mine['search']:.1f} | {mine['mb']:.0f} | {mine['ncp']:.4f} | {mine['bound']:.4f} | {mine['classes']:,} "
        f"| {mine['discernibility']:,}"
    )


def _beside(found: dict[str, Any] | str) -> str:
    if isinstance(found, str):
        return f"{found} | | | | "
    return (
        f"{found['search']:.2f} | {found['mb']:.0f} | {found['ncp']:.4f} | {found['classes']:,} "
        f"| {found['discernibility']:,}"
    )


# curves ---------------------------------------------------------------------------------------------------------------

CURVES: dict[str, tuple[int, ...]] = {"rows": ROWS, "columns": COLUMNS, "k": KS}


def curve(name: str, values: tuple[int, ...], folder: Path) -> Iterator[dict[str, Any]]:
    """Points of the curve over `name`, each with its task."""
    for value in values:
        for form in FORMS:
            task: dict[str, Any] = {"rows": FEW, "columns": 8, "k": 5, "form": form, name: value}
            yield task | ours(folder, table="mixed", limit=0.02, **task)


def curve_lines(name: str, values: tuple[int, ...], folder: Path, points: list[dict[str, Any]]) -> Iterator[str]:
    yield f"generated tables over {name}; the others are {FEW:,} rows, 8 QIs, k = 5; 2 %"
    yield f"| {name} | strategy | search CPU s | compile s | whole CPU s | NCP | bound | classes | peak MB |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for point in curve(name, values, folder):
        points.append(point)
        words = "global" if point["form"] is None else f"local, {point['form']}"
        yield (
            f"| {point[name]:,} | {words} | {point['search']:.1f} | {point['compile']:.1f} | {point['whole']:.1f} "
            f"| {point['ncp']:.4f} | {point['bound']:.4f} | {point['classes']:,} | {point['mb']:.0f} |"
        )


# the run --------------------------------------------------------------------------------------------------------------

PARTS: dict[str, Callable[[Peers], Iterator[str]]] = {
    "global": global_lines,
    "local": local_lines,
    "mondrian": mondrian_lines,
    "compiling": compiling_lines,
    "shapes": shape_lines,
}


def printed(lines: Iterator[str]) -> str:
    """Every line at once to the terminal, all of them in the end."""
    kept = []
    for line in lines:
        print(line, flush=True)
        kept.append(line)
    return "\n".join(kept)


def into_picture(name: str, points: list[dict[str, Any]]) -> None:
    kept = HERE / "search.json"
    curves = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    curves[name] = points
    kept.write_text(json.dumps(curves, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if curves.keys() == CURVES.keys():
        (HERE / "search.svg").write_text(picture(curves), encoding="utf-8")


def main() -> None:
    asked = argparse.ArgumentParser(description="The search beside its peers.")
    asked.add_argument("parts", nargs="*", metavar="|".join([*PARTS, *CURVES]))
    asked.add_argument("--peers", type=Path, help="the folder of the peers' environments; built where absent")
    asked.add_argument("--large", action="store_true", help="rows: 1 and 10 million, too")
    asked.add_argument("--readme", action="store_true")
    asked.add_argument("--one", type=json.loads, help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.one:
        print(json.dumps(one(given.one)))
        return
    if not given.parts or not {*given.parts} <= {*PARTS, *CURVES}:
        asked.error(f"expected one or more of {', '.join([*PARTS, *CURVES])}")
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers(given.peers, Path(folder))
        if given.peers:
            peers.build()
        texts = {part: printed(PARTS[part](peers)) for part in given.parts if part in PARTS}
        for name in (part for part in given.parts if part in CURVES):
            points: list[dict[str, Any]] = []
            values = (*CURVES[name], *LARGE) if given.large and name == "rows" else CURVES[name]
            printed(curve_lines(name, values, peers.work, points))
            if given.readme:
                into_picture(name, points)
    if given.readme and peers.missing:
        raise SystemExit(f"the README stays as it is: not installed: {', '.join(sorted(peers.missing))}; give --peers")
    for part in texts if given.readme else ():
        into_readme(f"search.py {part}", texts[part])


if __name__ == "__main__":
    main()
