"""The page of a 10M-row release with 60 columns, from its evidence: CPU seconds, and bytes of page and evidence.

    python benchmarks/report.py             columns with 20, 500 and 50,000 labels each
    python benchmarks/report.py --labels N  one run

Every run is a process of its own: it reads the evidence from its file, checks it against its schema, draws and writes
the page, as `anonym report` does. Evidence is invented; the number of rows changes figures, not work. Bounds: page
below 1 MB, below 10 CPU seconds.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from anonym.pipeline.words import draw_report
from anonym.report.evidence import Group, class_histogram, complete, dump, protect

COLUMNS, ROWS, K = 60, 10_000_000, 10
LABELS = (20, 500, 50_000)
MOST_BYTES, MOST_CPU = 1_000_000, 10.0
LEVELS = {str(level): f"step {level} of a hierarchy of product categories" for level in range(8)}
SHA = "5e" * 32


def tree() -> dict[str, Any]:
    """Forty groups under eight, as many as the evidence names."""
    groups = [{"label": f"category {at:05d} of the product tree", "level": 3} for at in range(40)]
    inner = [{"label": f"branch {at} of the product tree", "level": 5, "below": groups[at::8]} for at in range(8)]
    sizes = {str(level): 50_000 >> 2 * level for level in range(8)}
    return {"level": 3, "groups": sizes, "below": [{"label": "*", "level": 7, "below": inner, "more": 900}]}


def column(place: int) -> dict[str, Any]:
    """Forty quasi-identifiers, the others sensitive, kept and text."""
    name = f"column_{place:02d}_with_a_long_descriptive_name_from_its_source"
    plain: dict[str, Any] = {"name": name, "action": "keep", "form": None, "loss": None, "levels": None}
    if place < 40:
        more = {"form": "label", "loss": place / 60, "levels": LEVELS, "tree": tree()}
        return plain | {"role": "quasi", "action": "generalise", **more}
    if place < 56:
        return plain | {"role": "sensitive" if place % 2 else "keep", "k_if_known": place}
    return plain | {"role": "text", "action": "scrub"}


def groups(names: list[str], labels: int) -> list[Group]:
    return [
        Group(
            name, f"category {label:05d} of the product tree", (7 * place + 13 * label) % 900, 4000, 3000 + label % 97
        )
        for place, name in enumerate(names)
        for label in range(labels)
    ]


def facts(labels: int) -> dict[str, Any]:
    """The facts of a run over `ROWS` rows."""
    columns = [column(place) for place in range(COLUMNS)]
    quasi = [one["name"] for one in columns if one["role"] == "quasi"]
    sensitive = [one["name"] for one in columns if one["role"] == "sensitive"]
    gone = 129_888
    return {
        "policy": {"name": "interactions", "sha256": SHA, "reviewed": None},
        "threat_model": {},
        "input": {"rows": ROWS, "units": None, "digest": None},
        "output": {"rows": ROWS - gone, "units": None, "digest": SHA, "paths": ["release.parquet"]},
        "guarantee": {
            "k": {"required": K, "achieved": K, "rows": K, "units": None, "profiles": None},
            "l": {name: {"kind": "distinct", "required": 3, "achieved": 3} for name in sensitive},
            "t": {
                name: {"distance": "equal", "required": 0.3, "achieved": 0.2, "against_input": 0.2}
                for name in sensitive
            },
        },
        "classes": {
            "count": 400_000,
            "average": 24.7,
            "sizes": class_histogram({K << i: (200_000 >> i, (200_000 >> i) * K << i) for i in range(15)}, K),
        },
        "suppression": {
            "rows": gone,
            "rate": gone / ROWS,
            "units_rate": None,
            "limit": 0.02,
            "limit_rows": ROWS // 50,
            "groups": protect(groups(quasi, labels), K),
        },
        "loss": {"ncp": 0.31, "discernibility": 1e12, "average_class_size": 2.47},
        "risk": {"prosecutor_max": 0.1, "prosecutor_mean": 0.04, "journalist": None, "marketer": 0.04},
        "columns": columns,
        "text": {
            one["name"]: {"documents": ROWS, "withheld": 0, "spans": {f"KIND_{i}": i for i in range(40)}, "ner": None}
            for one in columns
            if one["role"] == "text"
        },
        "recall": None,
        "attacks": [],
        "training": None,
        "search": {
            "strategy": "global",
            "why": "asked for",
            "objective": "loss",
            "optimal": True,
            "bound": None,
            "levels": dict.fromkeys(quasi, 3),
            "reproducible": True,
        },
        "verification": {"checks": [{"name": f"check {i}", "held": True, "detail": "0 rows"} for i in range(150)]},
        "environment": {},
    }


def run(labels: int) -> dict[str, float]:
    """One page from its file, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        evidence = Path(folder) / "release.report.json"
        evidence.write_text(dump(complete(facts(labels))), encoding="utf-8")
        before = time.process_time()
        text, _ = draw_report(evidence, "html", None, force=False)
        seconds = time.process_time() - before
        size = evidence.stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu": seconds, "page": len(text.encode()), "evidence": size, "peak": peak}


def main() -> int:
    if "--labels" in sys.argv:
        print(json.dumps(run(int(sys.argv[sys.argv.index("--labels") + 1]))))
        return 0
    print(f"| labels a column, {COLUMNS} columns | evidence MB | page kB | CPU s | holds |\n|---:|---:|---:|---:|---|")
    held = True
    for labels in LABELS:
        done = subprocess.run([sys.executable, __file__, "--labels", str(labels)], capture_output=True, check=True)
        one = json.loads(done.stdout)
        fits = one["page"] < MOST_BYTES and one["cpu"] < MOST_CPU
        held &= fits
        kilobytes = one["page"] / 1000
        print(f"| {labels:,} | {one['evidence'] / 1e6:.1f} | {kilobytes:.0f} | {one['cpu']:.2f} | {fits} |", flush=True)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
