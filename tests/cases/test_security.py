"""Reported failures where somebody means harm: row order that links, patterns that never end, policies that explode."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from cases.desk import AS_IS, SENSITIVE, Case, Run, nothing_released, present, promise

Load = Callable[[str], Case]
Call = Callable[..., Run]


def test_t35_no_position_of_a_row_is_told(case: Load, run: Call) -> None:
    t35 = case("T35")
    columns = {"name": {"role": "identifier"}, "town": AS_IS, "dx": SENSITIVE}
    table = t35.table("t35_row_order.parquet")
    rows = []
    for shuffled, name in [
        (table, "first.parquet"),
        (table.sample(fraction=1, shuffle=True, seed=1), "second.parquet"),
    ]:
        shuffled.write_parquet(name)
        done = run("apply", promise(columns, 2, 0.1), name, "--quiet", "--force")
        assert done.status == 0
        assert done.released.columns == ["town", "dx"]
        assert done.released.height == t35.expect["rows_out"]
        rows.append(list(done.released.iter_rows()))
    given = list(table.filter(pl.col("town").is_in(["Avel", "Brun"])).select("town", "dx").iter_rows())
    assert rows[0] != given
    assert Counter(rows[0]) == Counter(rows[1]) == Counter(given)
    assert present(table["name"], done.said()) == []
    assert present(["Cort", "Dorn"], done.said()) == []


def test_t87_a_slow_pattern_is_refused_or_ends_with_nothing_left(case: Load, run: Call) -> None:
    columns = {"columns": {"note": {"role": "text"}}}
    policy = columns | {"text": {"ner": "none", "patterns": {"SLOW": "(a+)+$"}}}
    start = time.monotonic()
    done = run("apply", policy, case("T87").file("t87_redos.parquet"))
    assert time.monotonic() - start < 30
    assert present(["odalys", "brenthwick"], done.said()) == []
    if done.status == 0:
        assert not done.released["note"].str.contains("odalys|brenthwick").any()
    else:
        assert done.status == 2
        assert "text.patterns" in done.err
        nothing_released(done)


def test_t87_the_rules_of_our_own_end_on_the_same_text(case: Load, run: Call) -> None:
    start = time.monotonic()
    policy = {"columns": {"note": {"role": "text"}}, "text": {"ner": "none"}, "order": "keep"}
    done = run("apply", policy, case("T87").file("t87_redos.parquet"), "--quiet")
    assert time.monotonic() - start < 30
    assert done.status == 0
    first, second = done.released["note"]
    assert first.startswith("a" * 40 + "! mail ")
    assert not {"odalys", "brenthwick", "@"} & set(first.replace("@", " @ ").replace(".", " ").split())
    assert second == "short aaaa"


BOMB = """
import re, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from anonym import cli
sys.argv = ["anonym", "explain", sys.argv[1]]
try:
    cli.main()
finally:
    print(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[0])
"""


@pytest.mark.parametrize("name", ["t88_laughs.yaml", "t88_python_tag.yaml"])
def test_t88_a_policy_that_explodes_or_runs_code_is_a_fault(case: Load, tmp_path: Path, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BOMB, case("T88").file(name)], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "policy" in done.stderr
    assert len(done.stdout + done.stderr) < 5_000
    assert int(done.stdout.split()[-2]) < 300 * 1024
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["t88_laughs.yaml", "t88_python_tag.yaml"])
def test_t88_no_verb_takes_it(case: Load, run: Call, name: str) -> None:
    t88 = case("T88")
    for verb in ("apply", "check"):
        start = time.process_time()
        refused = run(verb, t88.file(name), t88.file("t35_row_order.parquet"))
        assert time.process_time() - start < 5, "CPU seconds, imports included"
        assert refused.status == 2
        nothing_released(refused)
