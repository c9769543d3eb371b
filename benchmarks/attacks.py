"""The attacks: CPU and memory against rows, the same neighbour search by others, and the risk on UCI Adult.

    python benchmarks/attacks.py [--rows 10000,100000,1000000] [--svg risk.svg]

Every measurement runs in a process of its own, on one thread, warm (compiled before). Memory is the peak of that
process, tables included. scikit-learn (pip install scikit-learn) searches the same neighbours: numbers over their
range, texts as indicators of half a mismatch each, under the Manhattan distance. So does Anonymeter, whose measure is
the same: it pins an older NumPy and wants an environment of its own (pip install anonymeter), whose interpreter
ANONYMETER_PYTHON names. All find the same distances.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import polars as pl

TARGETS = 10_000
DATA = Path(os.environ.get("ANONYM_BENCH_DATA", Path(__file__).parents[2] / "shared" / "data")) / "adult"
ADULT = ("sex", "age", "race", "marital-status", "education", "workclass")
KS = (2, 5, 20)
PEERS = ("scikit", "anonymeter")
PEER_ROWS = 100_000  # a minute or two each; ten times as many take ten times as long

# tables --------------------------------------------------------------------------------------------------------------


def people(rows: int, seed: int) -> pl.DataFrame:
    """Invented people: five columns that others may know, one sensitive."""
    draw = np.random.default_rng(seed)
    zips = np.minimum(draw.gamma(2, 9000, rows).astype(int), 99_999)
    return pl.DataFrame(
        {
            "age": draw.integers(0, 95, rows),
            "zip": pl.Series(zips).cast(pl.String).str.zfill(5),
            "sex": draw.choice(["f", "m"], rows),
            "job": draw.choice([f"job{i}" for i in range(40)], rows),
            "born": pl.Series(draw.integers(0, 365 * 60, rows)).cast(pl.Int32).cast(pl.Date),
            "dx": draw.choice(list("abcdefgh"), rows, p=[0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05]),
        }
    )


def generalised(table: pl.DataFrame) -> pl.DataFrame:
    decade = pl.col("age") // 20 * 20
    return table.with_columns(
        age=pl.format("{}-{}", decade, decade + 19),
        zip=pl.col("zip").str.head(1) + "****",
        born=pl.col("born").dt.year().cast(pl.String).str.head(3) + "0s",
        job=pl.lit("*"),
    ).sample(fraction=1, shuffle=True, seed=1)


def known() -> tuple[Any, ...]:
    from anonym.attacks.cover import Known

    kinds = {"age": "interval", "zip": "prefix", "sex": "none", "job": "suppress", "born": "date"}
    return tuple(Known(name, (name,), name, kind) for name, kind in kinds.items())  # type: ignore[arg-type]


# one measurement, in its own process ---------------------------------------------------------------------------------


def linkage(rows: int) -> Any:
    from anonym.attacks.linkage import Tables, linkage
    from anonym.attacks.outcome import Gate

    table = people(rows, 1)
    tables = Tables(generalised(table), table.sample(min(TARGETS, rows), seed=2), known())
    return lambda: linkage(tables, gate=Gate(0.1), control=people(TARGETS, 3), seed=1).rate


def inference(rows: int) -> Any:
    from anonym.attacks.inference import inference
    from anonym.attacks.linkage import Tables
    from anonym.attacks.outcome import Gate

    table = people(rows, 1)
    tables = Tables(generalised(table), table.sample(min(TARGETS, rows), seed=2), known())
    return lambda: inference(tables, "dx", gate=Gate(0.1, "advantage"), control=people(TARGETS, 3), seed=1).rate


def membership(rows: int) -> Any:
    from anonym.attacks.linkage import Tables
    from anonym.attacks.membership import membership

    table = people(rows, 1)
    tables = Tables(generalised(table), table.sample(min(TARGETS, rows), seed=2), known())
    return lambda: membership(tables, people(TARGETS, 3), gate=None, seed=1).rate


def neighbours(rows: int) -> Any:
    """Raw rows, where every one is a class of its own."""
    from anonym.attacks.neighbours import nearest_to

    table, targets = sought(rows)
    plain = [one for one in known() if one.name in ("age", "sex", "job", "born")]
    return lambda: float(np.mean(nearest_to(table, targets, plain, table).distance))


def sought(rows: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A table, and people to search for in it: inside its ranges, over which all divide."""
    table = people(rows, 1)
    inside = [pl.col(name).clip(table[name].min(), table[name].max()) for name in ("age", "born")]
    return table, people(min(TARGETS, rows), 3).with_columns(inside)


def scikit(rows: int) -> Any:
    """The same neighbours: brute force, and as fast a tree as there is."""
    from sklearn.neighbors import NearestNeighbors

    table, targets = sought(rows)
    both = [indicators(side, table) for side in (table, targets)]

    def search() -> float:
        found = NearestNeighbors(n_neighbors=2, metric="manhattan", algorithm="auto", n_jobs=1).fit(both[0])
        return float(np.mean(found.kneighbors(both[1])[0][:, 0])) / 4

    return search


def indicators(side: pl.DataFrame, table: pl.DataFrame) -> np.ndarray[Any, Any]:
    columns = []
    for name in ("age", "born"):
        whole = table[name].to_physical().cast(pl.Float64)
        low, high = whole.min(), whole.max()
        columns.append((side[name].to_physical().cast(pl.Float64) - low) / (high - low))  # type: ignore[operator]
    for name in ("sex", "job"):
        columns += [(side[name] == value).cast(pl.Float64) / 2 for value in table[name].unique().sort()]
    return np.column_stack([column.to_numpy() for column in columns])


def anonymeter(rows: int) -> Any:
    """The neighbour search of its linkability and inference attacks."""
    from anonymeter.evaluators.linkability_evaluator import MixedTypeKNeighbors

    kinds = {"num": ["age", "born"], "cat": ["sex", "job"]}
    texts = dict.fromkeys(kinds["cat"], object)
    table, targets = (
        side.select("age", pl.col("born").to_physical(), "sex", "job").to_pandas().astype(texts)
        for side in sought(rows)
    )
    search = MixedTypeKNeighbors(n_neighbors=2, n_jobs=1).fit(table, ctypes=kinds)
    return lambda: float(np.mean(search.kneighbors(targets, return_distance=True)[0][:, 0])) / 4


def scoreboard(rows: int) -> Any:
    from anonym.attacks.scoreboard import Events, scoreboard

    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from naive.events import ratings

    events = ratings(max(rows // 85, 100), 4_000, seed=7)
    columns = Events("person", "item", "rating", "day")
    return lambda: scoreboard(events, events, columns, gate=None, seed=1, targets=1_000).rate


MEASURED = {f.__name__: f for f in (linkage, inference, membership, scoreboard, neighbours, scikit, anonymeter)}


def measure(name: str, rows: int) -> dict[str, Any]:
    """CPU seconds and peak memory of one attack, in this process."""
    MEASURED[name](200)()  # compiles
    run = MEASURED[name](rows)
    began = time.process_time()
    found = run()
    cpu = time.process_time() - began
    return {"cpu": cpu, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, "found": found}


def measured(name: str, rows: int) -> dict[str, Any] | None:
    """`measure` in a new process; None where the peer is not installed."""
    python = os.environ.get("ANONYMETER_PYTHON", sys.executable) if name == "anonymeter" else sys.executable
    done = subprocess.run(
        [python, __file__, "--measure", name, "--rows", str(rows)], capture_output=True, text=True, check=False
    )
    return json.loads(done.stdout) if done.returncode == 0 else None


# tables of results ---------------------------------------------------------------------------------------------------


def scale(sizes: list[int]) -> Iterator[str]:
    yield f"| attack, {TARGETS:,} targets | " + " | ".join(f"{rows:,} rows" for rows in sizes) + " |"
    yield "|---|" + "---|" * len(sizes)
    found = {
        name: [measured(name, rows) if name not in PEERS or rows <= PEER_ROWS else None for rows in sizes]
        for name in MEASURED
    }
    for name, cells in found.items():
        yield f"| {name} | " + " | ".join(f"{c['cpu']:.2f} s, {c['mb']} MB" if c else "not run" for c in cells) + " |"
    for peer in PEERS:
        both = list(zip(found["neighbours"], found[peer], strict=True))
        ratios = [f"{them['cpu'] / us['cpu']:.0f} times ours" if them and us else "not run" for us, them in both]
        yield f"| CPU of {peer} for the same neighbours | " + " | ".join(ratios) + " |"
        same = all(abs(us["found"] - them["found"]) < 1e-9 for us, them in both if us and them)
        assert same, "all find the same distances"


def adult() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """People to release, people held out, and what an attacker noted: a year off, mistyped, or missing, one in ten."""
    table = pl.read_csv(DATA / "adult.csv", separator=";").sample(fraction=1, shuffle=True, seed=1)
    table = table.select(*ADULT, "salary-class")
    held, released = table.head(3_000), table.slice(3_000).with_row_index("number")
    draw = np.random.default_rng(1)
    chance = pl.Series(draw.random(released.height))
    noted = released.with_columns(
        age=pl.col("age") + (chance < 0.1),
        workclass=pl.when((chance > 0.1) & (chance < 0.2))
        .then(pl.col("workclass").str.replace("a", "e"))
        .otherwise("workclass"),
        race=pl.when((chance < 0.2) | (chance > 0.3)).then("race"),
    )
    return released, held, noted


def risks() -> Iterator[dict[str, Any]]:
    import anonym

    released, held, noted = adult()
    columns: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": {"file": str(DATA / f"adult_hierarchy_{name}.csv")}} for name in ADULT
    }
    columns |= {"number": {"role": "drop"}, "salary-class": {"role": "sensitive"}}
    for k, strategy in ((1, "raw"), *((k, strategy) for strategy in ("global", "local") for k in KS)):
        search = {"strategy": "global" if strategy == "raw" else strategy}
        policy = {
            "anonym": 1,
            "columns": columns,
            "guarantee": {"k": k, "suppression": {"max": 0.05}},
            "search": search,
        }
        out, loss = released.drop("number"), 0.0
        if strategy != "raw":
            made = anonym.apply(policy, released)
            out, loss = made.data.collect(), made.evidence["loss"]["ncp"]
        found = {one.name: one for one in anonym.attack(policy, out, original=released, auxiliary=noted, control=held)}
        yield {
            "k": k,
            "strategy": strategy,
            "loss": loss,
            "linkage": found["linkage"],
            "inference": found["inference of salary-class"],
            "membership": found["membership by distance"],
        }


def curve(points: list[dict[str, Any]]) -> Iterator[str]:
    yield "| UCI Adult, 6 QIs | NCP | linked at most | inferred: rate, control, advantage | membership: advantage |"
    yield "|---|---|---|---|---|"
    for one in points:
        linked, inferred, member = one["linkage"], one["inference"], one["membership"]
        name = "raw" if one["strategy"] == "raw" else f"k = {one['k']}, {one['strategy']}"
        yield (
            f"| {name} | {one['loss']:.3f} | {linked.rate:.4f} (to {linked.high:.4f}) "
            f"| {inferred.rate:.4f}, {inferred.control:.4f}, {inferred.advantage:+.4f} | {member.advantage:+.4f} |"
        )


def drawn(points: list[dict[str, Any]]) -> str:
    """Linkage risk against k as an SVG: a line for each strategy, the bound 1 / k dashed, on a logarithmic scale."""
    place = {1: 60, **{k: 60 + 130 * (i + 1) for i, k in enumerate(KS)}}
    raw = points[0]["linkage"].rate
    bound = line(place, [(k, 1 / k) for k in (1, *KS)])
    parts = [f'<path d="M{bound}" fill="none" stroke="#999" stroke-dasharray="4 4"/>']
    for strategy, colour in (("global", "#1f6fb2"), ("local", "#c2571a")):
        series = [(1, raw), *((one["k"], one["linkage"].rate) for one in points if one["strategy"] == strategy)]
        parts.append(f'<path d="M{line(place, series)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{place[k]}" cy="{high(rate):.1f}" r="4" fill="{colour}"/>' for k, rate in series]
        parts.append(
            f'<text x="{place[KS[-1]] + 10}" y="{high(series[-1][1]) + 4:.1f}" fill="{colour}">{strategy}</text>'
        )
    parts += [
        f'<text x="{x}" y="285" text-anchor="middle">{"raw" if k == 1 else f"k = {k}"}</text>' for k, x in place.items()
    ]
    parts += [
        f'<text x="50" y="{high(rate) + 4:.1f}" text-anchor="end">{rate:g}</text>' for rate in (1, 0.1, 0.01, 0.001)
    ]
    title = "<title>Share of UCI Adult linked with a noisy auxiliary table, upper bound; dashed: 1 / k</title>"
    font = 'font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 540 300" {font} role="img">'
    return f"{head}{title}{''.join(parts)}</svg>\n"


def high(rate: float) -> float:
    """The height of a rate on a logarithmic scale of three decades."""
    return 20 + 240 * -float(np.log10(max(rate, 1e-3))) / 3


def line(place: dict[int, int], series: list[tuple[int, float]]) -> str:
    return " L".join(f"{place[k]} {high(rate):.1f}" for k, rate in series)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--rows", default="10000,100000,1000000")
    asked.add_argument("--svg", type=Path)
    asked.add_argument("--measure", choices=MEASURED)
    given = asked.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, int(given.rows))))
        return
    print("\n".join(scale([int(rows) for rows in given.rows.split(",") if rows])))
    if DATA.is_dir():
        points = list(risks())
        print("\n" + "\n".join(curve(points)))
        if given.svg:
            given.svg.write_text(drawn(points), encoding="utf-8")


if __name__ == "__main__":
    main()
