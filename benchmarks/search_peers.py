"""A peer of the search on one task, run by the peer's own Python: it imports the peer and pandas, nothing of anonym.

    DIR/anjana/bin/python benchmarks/search_peers.py TASK.json

The task names the peer, a table of codes (CSV), its quasi-identifiers, k and the suppression limit; the release is
written beside it with the rows of each class, and the CPU seconds and peak memory are printed as JSON. pycanon is given
a release and tells the k, l and t that it finds there.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd

NOBODY = "nobody"  # a sensitive column of one value, which Mondrian's interfaces ask for


def anjana(task: dict[str, Any], table: pd.DataFrame) -> tuple[float, pd.DataFrame]:
    from anjana.anonymity import k_anonymity

    names = list(task["columns"])
    hierarchies = {
        name: {int(level): labels for level, labels in column["levels"].items()}
        for name, column in task["columns"].items()
    }
    began = time.process_time()
    released = k_anonymity(table.astype(str), [], names, task["k"], 100 * task["limit"], hierarchies)
    cpu = time.process_time() - began
    return cpu, released.groupby(names).size().reset_index(name="rows")


def anonypy(task: dict[str, Any], table: pd.DataFrame) -> tuple[float, pd.DataFrame]:
    import anonypy

    names, data = list(task["columns"]), _typed(task, table)
    began = time.process_time()
    released = pd.DataFrame(anonypy.Preserver(data, names, NOBODY).anonymize_k_anonymity(k=task["k"]))
    cpu = time.process_time() - began
    return cpu, released.explode(names).rename(columns={"count": "rows"})  # a cell is a list of one text


def anonypyx(task: dict[str, Any], table: pd.DataFrame) -> tuple[float, pd.DataFrame]:
    import anonypyx

    names, data = list(task["columns"]), _typed(task, table)
    began = time.process_time()
    anonymiser = anonypyx.Anonymiser(data, k=task["k"], feature_columns=names, generalisation_strategy="human-readable")
    released = anonymiser.anonymise()
    cpu = time.process_time() - began
    return cpu, released.groupby(names, observed=True)["count"].sum().reset_index(name="rows")


def _typed(task: dict[str, Any], table: pd.DataFrame) -> pd.DataFrame:
    """Numbers as integers, everything else as pandas categories."""
    kinds = {name: "int64" if column["numeric"] else "category" for name, column in task["columns"].items()}
    return table.astype(kinds).assign(**{NOBODY: 0})


def pycanon(task: dict[str, Any], table: pd.DataFrame) -> dict[str, Any]:
    from pycanon import anonymity

    names, sensitive = list(task["columns"]), task["sensitive"]
    found: dict[str, Any] = {"k": int(anonymity.k_anonymity(table, names))}
    if sensitive:
        found["l"] = int(anonymity.l_diversity(table, names, [sensitive]))
        found["t"] = float(anonymity.t_closeness(table, names, [sensitive]))
    return found


def main() -> None:
    path = Path(sys.argv[1])
    task = json.loads(path.read_text(encoding="utf-8"))
    resource.setrlimit(resource.RLIMIT_CPU, (task["seconds"], task["seconds"]))
    table = pd.read_csv(path.with_suffix(".csv"), dtype=str, keep_default_na=False)
    if task["peer"] == "pycanon":
        print(json.dumps(pycanon(task, table)))
        return
    cpu, released = {"anjana": anjana, "anonypy": anonypy, "anonypyx": anonypyx}[task["peer"]](task, table)
    released.to_csv(path.with_suffix(".released.csv"), index=False)
    print(json.dumps({"search": cpu, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
