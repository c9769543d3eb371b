"""Many runs of one release, each killed at a random moment or with its n-th write failing; what stands is judged.

    python drive.py FOLDER RUNS SEED kill,fail        (either or both in turn; preloaded with faults.so for `fail`)

Runs are forked from a process that has imported everything and used nothing, so that one costs a second. Prints JSON:
how often the path was absent, old or new, the exit statuses, and every run after which it was anything else.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import random
import select
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import anonym.cli
import anonym.pipeline.applying
import anonym.report.html
import anonym.search.global_
from anonym.pipeline import write

K = 5
CANARY = b"canary"
POLICY = """
anonym: 1
name: soak
unit: id
columns:
  id: {role: identifier}
  age: {role: quasi, hierarchy: {interval: [5, 10, 20]}}
  zip: {role: quasi, hierarchy: {prefix: [3, 2]}}
  dx: {role: sensitive, l: {distinct: 2}}
guarantee: {k: 5, suppression: {max: 0.2}}
search: {strategy: global}
"""


def table(rows: int = 4000) -> None:
    """In a process of its own: the parent must not have started the engine's threads."""
    import polars as pl

    draw = random.Random(4)
    pl.DataFrame(
        {
            "id": [f"canary-{draw.randrange(rows)}" for _ in range(rows)],
            "age": [draw.randint(18, 90) for _ in range(rows)],
            "zip": [str(draw.randint(1000, 1399)) for _ in range(rows)],
            "dx": [draw.choice("aabcd") for _ in range(rows)],
        }
    ).write_parquet("in.parquet")


def release(arm: tuple[int, int, int] | None, said: int) -> None:
    """The command, in a child. The shuffle goes through the disk, as that of a large table does."""
    write.IN_MEMORY = 1500
    os.dup2(said, 2)
    sys.argv = ["anonym", *"apply policy.yaml in.parquet -o out.parquet --force --again --quiet".split()]  # noqa: SIM905
    if arm is not None:
        ctypes.CDLL(None).arm(*map(ctypes.c_long, arm))
    anonym.cli.main()


def is_good() -> None:
    """In a child: k holds in what stands there."""
    import polars as pl

    found = pl.read_parquet("out.parquet")
    sizes = found.group_by("age", "zip").len()["len"]
    if found.columns != ["age", "zip", "dx"] or found.height < 3000 or sizes.min() < K:  # type: ignore[operator]
        sys.exit(1)


def child(work: Any, *given: Any) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work(*given)
        status = 0
    except SystemExit as stop:
        status = int(stop.code or 0)
    finally:
        os._exit(status)


def ended(pid: int, after: float | None = None) -> int:
    """The status of a child, killed after that many seconds unless it has ended; -9 for a killed one."""
    if after is not None:
        handle = os.pidfd_open(pid)
        if not select.select([handle], [], [], after)[0]:
            os.kill(pid, signal.SIGKILL)
        os.close(handle)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def digest() -> str | None:
    place = Path("out.parquet")
    return hashlib.sha256(place.read_bytes()).hexdigest() if place.exists() else None


def run(arm: tuple[int, int, int] | None, after: float | None) -> tuple[int, str]:
    reading, writing = os.pipe()
    pid = child(release, arm, writing)
    os.close(writing)
    status = ended(pid, after)
    with open(reading, "rb") as pipe:
        said = pipe.read().decode()
    return status, said


def judge(before: str | None, status: int, said: str, kind: str) -> tuple[str, str | None]:
    """What stands there, and what is wrong with it or with what was said."""
    after = digest()
    state = "absent" if after is None else "old" if after == before else "new"
    allowed = {"kill": {-9, 0}, "fail": {0, 6}}[kind]
    if status not in allowed or CANARY.decode() in said:
        return state, f"status {status}: {said.strip()[:300]}"
    if before is not None and after is None:
        return state, "the old release is gone"
    if status != -9 and (state == "new") != (status == 0):
        return state, f"status {status}, and the release is {state}: {said.strip()[:300]}"
    if state == "new":
        files = json.loads(Path("out.report.json").read_text())["environment"]["files"]
        if files["release"] != after or ended(child(is_good)):
            return state, "the new release is not the verified one"
    leaks = [path.name for path in Path().glob("[.o]*") if CANARY in path.read_bytes()]
    return state, f"{leaks} hold raw values" if leaks else None


def drive(runs: int, seed: int, kinds: list[str]) -> dict[str, Any]:
    draw, found, statuses = random.Random(seed), Counter[str](), Counter[int]()
    Path("policy.yaml").write_text(POLICY, encoding="utf-8")
    ended(child(table))
    run(None, None)  # what is compiled and kept at first use is no part of the runs below
    begun = time.monotonic()
    writes = writes_of_a_run() if "fail" in kinds else run(None, None)[0]
    duration = time.monotonic() - begun
    wrong = []
    for number in range(runs):
        if draw.random() < 0.2:
            Path("out.parquet").unlink(missing_ok=True)
        kind, before = kinds[number % len(kinds)], digest()
        moment = broken = None
        if kind == "kill":
            moment = draw.random() * 1.1 * duration
        else:
            broken = (draw.randint(1, writes), draw.randint(0, 1), draw.choice([errno.ENOSPC, errno.EIO]))
        status, said = run(broken, moment)
        state, fault = judge(before, status, said, kind)
        found[state] += 1
        statuses[status] += 1
        if fault:
            wrong.append(f"run {number}, {moment} s, fault {broken}: {fault}")
    assert (done := run(None, None))[0] == 0, f"the next run succeeds and cleans up: {done}"
    left = sorted(path.name for path in Path().iterdir() if path.name.startswith("."))
    left += [str(path) for path in Path(os.environ["TMPDIR"]).rglob("run-*")]
    return {"runs": runs, "writes": writes, "found": found, "statuses": statuses, "wrong": wrong, "left": left}


def writes_of_a_run() -> int:
    """How many writes, syncs and renames of files a run makes that nobody interferes with."""
    reading, writing = os.pipe()

    def work() -> None:
        library = ctypes.CDLL(None)
        release((0, 0, 0), 2)
        os.write(writing, str(library.counted()).encode())

    assert ended(child(work)) == 0
    os.close(writing)
    with open(reading) as pipe:
        return int(pipe.read())


if __name__ == "__main__":
    folder, runs, seed, kinds = sys.argv[1:]
    os.chdir(folder)
    print(json.dumps(drive(int(runs), int(seed), kinds.split(","))))  # noqa: T201
