"""Local recoding: each class generalised as little as it needs, every row kept unless suppression pays."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonym.errors import Fault, InternalError, PolicyError
from anonym.search.budget import Budget, Progress
from anonym.search.global_ import grounds_of
from anonym.search.infeasible import refusal
from anonym.search.local.blocks import Effort, Outcome, Shared, Steps, solve_block
from anonym.search.local.bound import bound_of
from anonym.search.local.leftover import histogram, rehomed
from anonym.search.local.neighbours import digits, order
from anonym.search.local.promises import faults, referred
from anonym.search.local.records import SUPPRESSED, LocalSolution, Parts, Records, Vocabulary
from anonym.search.local.rehearsal import rehearse, start_of
from anonym.search.local.release import Entries, Released, loss, parts, released
from anonym.search.local.space import Layout, Space, layout, numbered, parts_of, sorted_groups
from anonym.search.local.units import pairs_of, settled
from anonym.search.problem import Problem, Solution

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

BLOCK = 40_000  # tuples searched together: their tables stay in a cache of a few megabytes
TRIES = {"default": 25, "thorough": 600}  # moves a class of k rows
LEAST, LEAST_ROWS = 2_000, 100_000  # moves of a block at least, but so many times k
TIGHT = 0.25  # as many, where l or t make a move slow
MOST = {"default": 2_000_000, "thorough": 50_000_000}  # moves in all
VISITS = {"default": 4_000, "thorough": 100_000}
PEELS = {"default": 150_000_000, "thorough": 6_000_000_000}  # recodings peeled times tuples
PASSES, COMPARED = (3, 20), 4_000_000  # orders along which near tuples are sought: so many in all, within limits
LOOK = {"default": 12, "thorough": 24}
READS = {"default": 60_000_000, "thorough": 400_000_000}  # for the bound
NEAREST = 200


@dataclass(frozen=True)
class Run:
    """How the search is to go."""

    budget: Budget
    seed: int
    threads: int
    progress: Progress | None


@dataclass(frozen=True)
class Found:
    """Classes for all rows but those suppressed, and what they cost."""

    release: Released
    parts: Parts
    loss: float
    worth: float  # the loss by weights

    @staticmethod
    def of(problem: Problem, records: Records, laid: Layout, entries: Entries) -> Found:
        release, merged, _ = released(problem, records, laid, entries)
        return Found(release, parts(records, laid, merged), *_losses(problem, release))


def solve(
    problem: Problem,
    records: Records,
    *,
    vocabulary: Sequence[Vocabulary] | None = None,
    budget: Budget = "default",
    seed: int = 0,
    threads: int = 1,
    start: Solution | None = None,
    progress: Progress | None = None,
) -> LocalSolution:
    """The least loss found for `records`, which must be those of `problem.cells`; the objective is always loss.

    `vocabulary` has a word a quasi-identifier (default: all `label`). `budget` counts moves; `nodes` are taken as
    moves. The same seed gives the same solution, whatever the order of the records and the number of threads, but for
    a budget of seconds. `start` is a global solution of the problem: by the weighted loss the result is no worse.

    With a unit the records must tell theirs. Raises GuaranteeError if no recoding was found that keeps the promise,
    PolicyError for k over unit profiles, InputError if a sensitive value is missing from a declared order or a
    hierarchy file.
    """
    _refuse_profiles(problem, records)
    began = time.process_time()
    labels: list[Vocabulary] = ["label"] * len(problem.hierarchies)
    by_code = _by_code(records)
    ordered = records.at(by_code)
    laid = layout(problem, ordered, vocabulary or labels)
    compile_s = rehearse(start_of(laid), progress)
    found, tries = _searched(problem, ordered, laid, Run(budget, seed, threads, progress))
    given = _given(problem, ordered, laid, start) if start is not None else None
    if found is None or (given is not None and given.worth < found.worth):
        found = given
    if found is None:
        raise refusal(problem, grounds_of(problem), proven=False)
    bound = _bound(problem, laid, found, READS[budget if isinstance(budget, str) else "default"])
    return LocalSolution(
        nodes=found.release.nodes,
        sets=found.release.sets,
        rows=found.release.rows,
        costs=found.release.costs,
        parts=_in_order(found.parts, by_code),
        suppressed_rows=problem.rows - int(found.release.rows.sum()),
        loss=found.loss,
        bound=min(bound, found.loss),
        tries=tries,
        cpu_s=time.process_time() - began - compile_s,
        compile_s=compile_s,
        is_reproducible=not (isinstance(budget, tuple) and budget[0] == "seconds"),
        why=f"best of {tries:,} moves from a start of classes grown one by one",
    )


def _by_code(records: Records) -> Ints:
    """The order of the records by what they hold."""
    own = [] if records.unit is None else [records.unit]
    return sorted_groups([*records.codes.T, *records.sensitive.T, *own], records.count)[0]


def _refuse_profiles(problem: Problem, records: Records) -> None:
    if problem.profiles:
        why = "k over unit profiles, the tuples of all rows of a unit, needs one level a column"
        raise PolicyError([Fault("search.strategy", f"expected `global`: {why}")])
    if (problem.cells.units is None) != (records.unit is None):
        raise InternalError("records must tell their units where these count, and only there")


def _searched(problem: Problem, records: Records, laid: Layout, run: Run) -> tuple[Found | None, int]:
    """Own classes, None if some rows have no home within the limit; moves tried."""
    allowed = problem.limit - problem.lost
    if allowed < 0:
        return None, 0
    search = _search if records.unit is None else _search_units
    return search(problem, records, laid, allowed, run)


def _search(problem: Problem, records: Records, laid: Layout, allowed: int, run: Run) -> tuple[Found | None, int]:
    space = laid.space
    optional = max(allowed - _hopeless(space, problem.k), 0)
    if space.promise.needs_reference:
        optional = 0  # rows that leave move what all classes are compared with, and many that held no longer do
    blocks = _run_blocks(problem, laid, optional, run)
    best: Found | None = None
    for entries, kept in ((blocks.entries, space.rows - blocks.gone), (blocks.whole, space.rows)):
        homes = _settled(space, entries, kept, problem.k)
        if int(space.rows.sum() - homes.rows.sum()) <= allowed:
            best = _better(best, Found.of(problem, records, laid, homes))
        if not blocks.gone.any():
            break
    return best, blocks.tries


def _better(one: Found | None, other: Found) -> Found:
    return other if one is None or other.worth < one.worth else one


def _search_units(problem: Problem, records: Records, laid: Layout, allowed: int, run: Run) -> tuple[Found | None, int]:
    """Over the distinct tuples of each unit, then joined until units hold."""
    pairs = pairs_of(records)
    words: list[Vocabulary] = ["label" if column.kind in ("pair", "path") else "set" for column in laid.columns]
    inner = layout(problem, pairs.records, words)
    share = allowed * pairs.records.count // max(records.total_rows, 1)
    blocks = _run_blocks(problem, inner, share, run)
    best: Found | None = None
    for entries in (blocks.entries, blocks.whole) if blocks.gone.any() else (blocks.entries,):
        cls = parts(pairs.records, inner, entries).cls[pairs.of_record].astype(np.int64)
        for alone in (SUPPRESSED, entries.classes + pairs.of_record):
            found = _joined(problem, records, laid, np.where(cls == SUPPRESSED, alone, cls), run.seed)
            if int(records.rows.sum() - found.release.rows.sum()) <= allowed:
                best = _better(best, found)
    return best, blocks.tries


def _joined(problem: Problem, records: Records, laid: Layout, cls: Ints, seed: int) -> Found:
    """The classes (records,) joined until all hold by their units."""
    place = np.empty(laid.space.count, np.int64)
    steps = digits(laid, problem.hierarchies)
    place[order(laid.space, steps, np.random.default_rng(seed))] = np.arange(laid.space.count)
    release, cls = settled(problem, grounds_of(problem), records, laid, cls, place)
    own = Parts(np.arange(records.count), cls.astype(np.int32), records.rows)
    return Found(release, own, *_losses(problem, release))


def _losses(problem: Problem, release: Released) -> tuple[float, float]:
    return loss(problem, release), loss(problem, release, weighted=True)


def _bound(problem: Problem, laid: Layout, found: Found, reads: int) -> float:
    """As `bound_of`. Under `set` the k-th nearest row is found by insertion, which takes k steps: beyond NEAREST rows
    a nearer one has to do, which costs no more, for as many tuples as there is time for."""
    if any(column.kind in ("span", "member") for column in laid.columns) and problem.k > NEAREST:
        problem, reads = replace(problem, k=NEAREST), reads * NEAREST // (4 * problem.k)
    return bound_of(problem, laid, _by_tuple(found, laid), reads)


def _by_tuple(found: Found, laid: Layout) -> Floats:
    """(tuples,) what a row of each costs in its cheapest class, summed over the columns; infinite if in none."""
    kept = found.parts.cls != SUPPRESSED
    costs = np.full(laid.space.count, np.inf)
    own = found.release.costs.sum(axis=1)[found.parts.cls[kept]]
    np.minimum.at(costs, laid.tuple_of[found.parts.record[kept]], own)
    return costs


def _settled(space: Space, entries: Entries, kept: Ints, k: int) -> Entries:
    """A home for the rows kept, as far as there is one, in classes that hold with just those rows as the reference."""
    while True:
        space = replace(space, promise=referred(space.promise, kept))
        entries = rehomed(space, entries, kept, k)
        now = np.bincount(entries.member, entries.rows, space.count).astype(np.int64)
        if not space.promise.needs_reference or np.array_equal(now, kept):
            return entries
        kept = now


@dataclass(frozen=True)
class Blocks:
    """As `Outcome`, of all blocks in one numbering; `gone` (tuples,) are rows given up."""

    entries: Entries
    whole: Entries
    gone: Ints
    tries: int


def _run_blocks(problem: Problem, laid: Layout, limit: int, run: Run) -> Blocks:
    space = laid.space
    words = run.budget if isinstance(run.budget, str) else "default"
    visits = min(VISITS[words], PEELS[words] // max(space.count, 1) + 1)
    shared = Shared.of(laid, problem.hierarchies, visits)
    blocks, total = _blocks(space, shared.steps, run.seed), max(int(space.rows.sum()), 1)
    efforts = [_effort(run.budget, space, members, problem.k, len(blocks)) for members in blocks]
    done = 0

    def tick(moves: int) -> None:
        nonlocal done
        done += moves
        if run.progress is not None:
            run.progress(f"searching: {done:,} moves")

    def solved(at: int) -> Outcome:
        members = blocks[at]
        share = limit * int(space.rows[members].sum()) // total
        return solve_block(shared, members, problem.k, share, run.seed + at, efforts[at], tick)

    if run.threads == 1 or len(blocks) <= 1:
        return _together([solved(at) for at in range(len(blocks))], space.count)
    with ThreadPoolExecutor(run.threads) as pool:
        return _together(list(pool.map(solved, range(len(blocks)))), space.count)


def _blocks(space: Space, steps: Steps, seed: int) -> list[Ints]:
    """Tuples in blocks of about BLOCK, cut from one order of all."""
    count = -(-space.count // BLOCK)
    if count == 0:
        return []
    if count == 1:
        return [np.arange(space.count)]
    along = order(space, steps, np.random.default_rng(seed)).astype(np.int64)
    return [np.sort(part) for part in np.array_split(along, count)]


def _effort(budget: Budget, space: Space, members: Ints, k: int, blocks: int) -> Effort:
    """For one of the blocks, whose tuples are `members`."""
    total, rows = max(int(space.rows.sum()), 1), int(space.rows[members].sum())
    words = budget if isinstance(budget, str) else "default"
    passes = min(max(COMPARED // space.count, PASSES[0]), PASSES[1])
    if isinstance(budget, tuple):
        kind, amount = budget
        seconds = amount / blocks if kind == "seconds" else None
        tries = -(-amount * rows // total) if seconds is None else 0
        return Effort(tries, seconds, LOOK[words], passes)
    each = TRIES[words] * (1.0 if space.promise.is_monotone else TIGHT)
    tries = int(min(each * rows / k, MOST[words] * rows / total))
    return Effort(max(tries, min(LEAST, LEAST_ROWS // k)), None, LOOK[words], passes)


def _hopeless(space: Space, k: int) -> int:
    """Rows in parts that do not hold even as one class."""
    found = 0
    for members in parts_of(space.part):
        rows = space.rows[members]
        counts = histogram(space.promise, members, rows)
        if rows.sum() < k or faults(space.promise, counts[None], rows.sum()[None])[0] > 0:
            found += int(rows.sum())
    return found


def _together(outcomes: Sequence[Outcome], tuples: int) -> Blocks:
    gone = np.zeros(tuples, np.int64)
    for outcome in outcomes:
        gone[outcome.gone.member] = outcome.gone.rows  # blocks share no tuples
    entries, whole = _joint([each.entries for each in outcomes]), _joint([each.whole for each in outcomes])
    return Blocks(entries, whole, gone, sum(outcome.tries for outcome in outcomes))


def _joint(found: Sequence[Entries]) -> Entries:
    """The entries of all, their classes numbered on."""
    none = np.empty(0, np.int64)
    shift = np.cumsum([0] + [part.classes for part in found])
    return Entries(
        np.concatenate([none, *(part.owner + shift[i] for i, part in enumerate(found))]),
        np.concatenate([none, *(part.member for part in found)]),
        np.concatenate([none, *(part.rows for part in found)]),
    )


def _given(problem: Problem, records: Records, laid: Layout, start: Solution) -> Found | None:
    """The classes of a global solution, each cell as fine as its class allows."""
    cells, codes = problem.cells.count, np.concatenate([problem.cells.codes, records.codes])
    number = numbered(list(codes.T), len(codes))
    is_kept = np.zeros(len(codes), np.bool_)
    is_kept[number[:cells][start.kept]] = True
    kept = is_kept[number[cells:]]
    nodes = [h.ancestor[level] for h, level in zip(problem.hierarchies, start.levels, strict=True)]
    owner = numbered([node[records.codes[:, j]] for j, node in enumerate(nodes)], records.count)
    if records.unit is not None:
        return _joined(problem, records, laid, np.where(kept, owner, SUPPRESSED), 0)
    return Found.of(problem, records, laid, Entries.of(owner[kept], laid.tuple_of[kept], records.rows[kept]))


def _in_order(found: Parts, by_code: Ints) -> Parts:
    """The parts of sorted records, for the records as they were given."""
    record = by_code[found.record]
    sort = np.argsort(record, kind="stable")
    return Parts(record[sort], found.cls[sort], found.rows[sort])
