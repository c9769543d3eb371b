"""Each kernel of the local search beside what it should say, worked out slowly."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from naive import criteria, search_local
from naive import search as naive
from naive.search_problems import VALUES, problem_of, skewed_table, tables

from anonym.search.local.apart import APART, TILE, Sides, costs_apart
from anonym.search.local.atoms import KINDS
from anonym.search.local.blocks import LINES
from anonym.search.local.bound import priced
from anonym.search.local.cells import UNIT, lattice_of, tuples_of
from anonym.search.local.jit import kernel
from anonym.search.local.lines import Lines, find, lines
from anonym.search.local.nearest import by_nearest
from anonym.search.local.neighbours import KEEP, REACH, digits, keep_nearest, near
from anonym.search.local.peel import chunks, peeled, recodings, signatures
from anonym.search.local.price import COST, SCALE, absorb, begin, price
from anonym.search.local.promises import aimed, fault, faults, lift
from anonym.search.local.space import Layout, layout, sorted_by, world_of
from anonym.search.local.world import World
from anonym.search.problem import Problem

EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hierarchies")


@kernel
def built(w: World, members: np.ndarray) -> tuple[int, int, int]:  # type: ignore[type-arg]
    """Slot 0 of the members: what the last would cost, what it then costs, and what the slot says that it costs."""
    begin(w, 0, members[0])
    foretold = w.slots[0, COST]
    cost = w.slots[0, COST]
    for i in range(1, members.size):
        foretold = price(w, 0, members[i])
        cost = absorb(w, 0, members[i])
    return foretold, cost, w.slots[0, COST]


@kernel
def lacking(w: World, members: np.ndarray, rows: int, whole: int) -> tuple[float, float]:  # type: ignore[type-arg]
    """How far a slot of the members, so many rows each, is from holding now, and at best as a whole."""
    for b in range(w.slots.shape[1]):
        w.slots[0, b] = 0
    for i in range(members.size):
        lift(w, 0, members[i], rows)
    return fault(w, 0, rows * members.size), aimed(w, 0, rows * members.size, whole)


@kernel
def found_at(along: Lines, line: int, kind: int, t: int) -> int:
    return find(along, line, kind, t)


def laid_out(table: naive.Table, folder: Path, kinds: tuple[str, ...]) -> tuple[Problem, Layout, search_local.Words]:
    table = replace(table, units=False, columns=[replace(c, lost=frozenset()) for c in table.columns])
    is_text = tuple(
        kind == "text" or not search_local.is_numeric(column)
        for kind, column in zip(kinds, table.columns, strict=False)
    )
    words = search_local.Words(tuple("label" if k == "label" else "set" for k in kinds[: len(is_text)]), is_text)
    problem = problem_of(replace(table, columns=[replace(c, weight=Fraction(1)) for c in table.columns]), folder)
    hierarchies = tuple(
        replace(h, domain=search_local.domain(h.leaves, text))
        for h, text in zip(problem.hierarchies, words.is_text, strict=True)
    )
    problem = replace(problem, hierarchies=hierarchies)
    return problem, layout(problem, search_local.records_of(table, VALUES)[0], words.vocabulary), words  # type: ignore[arg-type]


def world(laid: Layout, k: int = 2) -> World:
    space = laid.space
    none = np.full((space.count, 2 * KEEP), -1, np.int32)
    return world_of(space, none, k, 0, laid.gone, 1, 4)


KINDS_OF_COLUMN = st.tuples(*[st.sampled_from(["label", "text", "number"])] * 3)


@EXAMPLES
@given(table=tables(asked=False), kinds=KINDS_OF_COLUMN, data=st.data())
def test_price_is_what_the_least_cell_costs(
    folder: Path, table: naive.Table, kinds: tuple[str, ...], data: st.DataObject
) -> None:
    table = replace(table, units=False, columns=[replace(c, lost=frozenset()) for c in table.columns])
    _, laid, words = laid_out(table, folder, kinds)
    space = laid.space
    members = data.draw(st.lists(st.sampled_from(range(space.count)), min_size=1, max_size=6))
    assume(len({int(space.part[t]) for t in members}) == 1)
    records = search_local.records_of(table, VALUES)[0]
    leaves = [
        {int(records.codes[r, j]) for r in np.flatnonzero(np.isin(laid.tuple_of, members))}
        for j in range(len(table.columns))
    ]
    expected = Fraction(0)
    for j in range(len(table.columns)):
        held = search_local.held_in(table, words, j)
        least = search_local.least_cell(table, words, j, leaves[j], held)
        assert least is not None
        expected += least
    foretold, cost, kept = built(world(laid), np.array(members))
    assert foretold == cost == kept
    assert cost / SCALE == pytest.approx(float(expected), abs=1e-5)


@EXAMPLES
@given(seed=st.integers(0, 2**32), data=st.data())
def test_fault_is_zero_where_the_criteria_hold(folder: Path, seed: int, data: st.DataObject) -> None:
    table = replace(skewed_table(seed, units=False), units=False)
    _, laid, _ = laid_out(table, folder, ("label",) * 3)
    space, records = laid.space, search_local.records_of(table, VALUES)[0]
    members = data.draw(st.lists(st.sampled_from(range(space.count)), min_size=1, max_size=6, unique=True))
    rows = data.draw(st.integers(1, 3))
    counts: Counter[object] = Counter()
    for t in members:
        counts[VALUES[int(records.sensitive[np.flatnonzero(laid.tuple_of == t)[0], 0])]] += rows
    own = {value: Fraction(count) for value, count in counts.items()}
    asked = table.asked[0]
    if asked.kind in naive.DIVERSITY:
        fake = naive.Table([((), i, (v,)) for i, v in enumerate(counts.elements())], [], False, 1, 0, [asked])
        holds = naive.is_diverse(fake, range(len(fake.rows)), asked)
    else:
        whole = criteria.pooled([naive.histogram(table, range(len(table.rows)), 0)])
        far = naive.distance(asked, own, whole)
        assume(abs(far - Fraction(asked.value)) > 1e-6)
        holds = far <= asked.value
    now, then = lacking(world(laid), np.array(members), rows, 4 * rows * len(members))
    assert (now == 0) == holds
    assert then <= now + 1e-12
    width = space.width
    w = world(laid)
    lacking(w, np.array(members), rows, 100)
    table_ = np.asarray(w.slots[0, width:], np.int64)[None]
    vectorised = faults(space.promise, table_, np.array([rows * len(members)]))[0]
    assert (vectorised == 0) == (now == 0)
    if asked.kind != "recursive":  # where nulls count in one and not in the other
        assert vectorised == pytest.approx(now, abs=1e-9)


@settings(EXAMPLES, max_examples=25)
@given(table=tables(asked=False), k=st.integers(1, 3))
def test_each_row_is_priced_at_its_cheapest_class(folder: Path, table: naive.Table, k: int) -> None:
    """By every class of at most k tuples; more tuples cost no less."""
    problem, laid, _ = laid_out(table, folder, ("label",) * 3)
    tuples, columns = tuples_of(laid), len(problem.hierarchies)
    assume(tuples.rows.size <= 7)
    lattice = lattice_of(problem, laid, tuples)
    prices, w = priced(lattice, k, UNIT * columns, 10**9), world(laid)
    for t in range(tuples.rows.size):
        costs = [
            built(w, tuples.first[list(some)])[1]
            for size in range(1, k + 1)
            for some in combinations(range(tuples.rows.size), size)
            if t in some and tuples.rows[list(some)].sum() >= k and np.unique(tuples.part[list(some)]).size == 1
        ]
        least = min([cost / SCALE for cost in costs] + [prices.most / UNIT])
        assert prices.price[t] / UNIT == pytest.approx(least, abs=1e-5)
    assert not priced(lattice, k, UNIT * columns, 0).price.any()


@settings(EXAMPLES, max_examples=25)
@given(table=tables(asked=False), k=st.integers(1, 4), kinds=KINDS_OF_COLUMN, limit=st.floats(0, 3))
def test_nearest_rows_are_those_that_cost_least_beside_a_tuple(
    folder: Path, table: naive.Table, k: int, kinds: tuple[str, ...], limit: float
) -> None:
    problem, laid, _ = laid_out(table, folder, kinds)
    tuples = tuples_of(laid)
    most = np.full(tuples.rows.size, int(limit * UNIT))
    found = by_nearest(problem, laid, tuples, np.zeros_like(most), most, k, 10**9)
    none = by_nearest(problem, laid, tuples, np.zeros_like(most), most, k, 0)
    assert not none.any()
    has_sets, w = any(column.kind == KINDS[3] for column in laid.columns), world(laid)
    for t in range(tuples.rows.size):
        beside = [u for u in range(tuples.rows.size) if tuples.part[u] == tuples.part[t]]
        costs = sorted(built(w, tuples.first[[t, u]])[1] / SCALE for u in beside for _ in range(int(tuples.rows[u])))
        expected = min(costs[k - 1] if len(costs) >= k else limit, limit)
        if has_sets:
            assert found[t] / UNIT <= expected + 1e-5
        else:
            assert found[t] / UNIT == pytest.approx(expected, abs=1e-5)


@EXAMPLES
@given(table=tables(asked=False), k=st.integers(1, 4))
def test_peeled_groups_share_a_recoding_and_are_large_enough(folder: Path, table: naive.Table, k: int) -> None:
    problem, laid, _ = laid_out(table, folder, ("label",) * 3)
    space = laid.space
    levels = recodings(laid, problem.hierarchies, 10_000)
    assert levels is not None
    owner = peeled(space, levels, *signatures(laid, problem.hierarchies, np.random.default_rng(1)), k)
    for group in set(owner.tolist()) - {-1}:
        members = np.flatnonzero(owner == group)
        assert int(space.rows[members].sum()) >= k
        assert np.unique(space.part[members]).size == 1
    for part in np.unique(space.part):  # the coarsest recoding comes last: only what is too few in all is left
        left = int(space.rows[(owner < 0) & (space.part == part)].sum())
        assert left < k


@EXAMPLES
@given(rows=st.lists(st.integers(1, 9), min_size=1, max_size=8), k=st.integers(1, 4), data=st.data())
def test_chunks_cut_all_rows_into_pieces_of_k(rows: list[int], k: int, data: st.DataObject) -> None:
    owner = np.array(sorted(data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))), np.int64)
    cls, entry, taken = chunks(owner, np.array(rows, np.int64), k)
    assert np.bincount(entry, taken, len(rows)).tolist() == rows
    assert (taken > 0).all()
    for c in np.unique(cls):
        size = int(taken[cls == c].sum())
        whole = int(np.array(rows)[owner == owner[entry[cls == c][0]]].sum())
        assert size >= min(k, whole)
        assert np.unique(owner[entry[cls == c]]).size == 1


@EXAMPLES
@given(table=tables(asked=False), kinds=KINDS_OF_COLUMN)
def test_near_tuples_are_those_that_cost_least_together(
    folder: Path, table: naive.Table, kinds: tuple[str, ...]
) -> None:
    """So few tuples that the approximation sees them all."""
    problem, laid, _ = laid_out(table, folder, kinds)
    space = laid.space
    found = near(space, digits(laid, problem.hierarchies), np.random.default_rng(0))
    assume(space.count <= 9)
    for t in range(space.count):
        others = {u for u in range(space.count) if u != t and space.part[u] == space.part[t]}
        seen = found[t, :KEEP][found[t, :KEEP] >= 0]
        assert set(seen.tolist()) == others
        costs = found[t, KEEP:][: seen.size]
        assert (np.diff(costs) >= 0).all()
        has_sets = any(column.kind == KINDS[3] for column in laid.columns)
        for u, cost in zip(seen.tolist(), costs.tolist(), strict=True):
            exact = built(world(laid), np.array([t, u]))[1]
            assert cost <= exact if has_sets else cost == exact


@pytest.mark.parametrize("count", [0, 1, REACH, TILE, TILE + 1, 2 * TILE + REACH])
def test_costs_of_tuples_places_apart_are_sums_over_columns(count: int) -> None:
    draw = np.random.default_rng(count)
    tab = draw.integers(0, 100, 30).astype(np.int32)
    low = draw.integers(0, 50, (1, count)).astype(np.int32)
    sides = Sides(
        draw.integers(0, 5, (2, count)).astype(np.uint32) * np.uint32(5),
        draw.integers(0, 5, (2, count)).astype(np.uint32),
        draw.integers(0, 9, count).astype(np.int32),
        draw.integers(0, 3, (3, count)).astype(np.int32),
        draw.integers(-9, 0, (3, count)).astype(np.int32),
        low,
        low + draw.integers(0, 9, (1, count)).astype(np.int32),
        np.array([40]),
        np.sort(draw.integers(0, 3, count)).astype(np.int32),
    )
    cost = np.zeros((REACH, count), np.int32)
    costs_apart(tab, sides, cost)
    for step in range(1, REACH + 1):
        one, other = np.arange(count)[: max(count - step, 0)], np.arange(count)[step:]
        expected = sides.base[one] + tab[sides.row[:, one] + sides.atom[:, other]].sum(axis=0)
        expected += (sides.drop[:, one] * (sides.node[:, one] == sides.node[:, other])).sum(axis=0)
        ends = np.maximum(sides.high[0, one], sides.high[0, other]) - np.minimum(sides.low[0, one], sides.low[0, other])
        expected = np.where(sides.part[one] == sides.part[other], expected + np.minimum(ends, 40), APART)
        assert np.array_equal(cost[step - 1, : one.size], expected)


@EXAMPLES
@given(seed=st.integers(0, 2**32), count=st.integers(1, 60), costs=st.integers(1, 40))
def test_kept_are_the_least_of_all_seen_and_of_equal_ones_the_first(seed: int, count: int, costs: int) -> None:
    draw = np.random.default_rng(seed)
    between = draw.integers(0, costs, (count, count))
    between = np.maximum(between, between.T)
    found = np.full((count, 2 * KEEP), -1, np.int32)
    found[:, KEEP:] = APART
    seen: list[list[int]] = [[] for _ in range(count)]
    for _ in range(4):
        turn = draw.permutation(count).astype(np.int32)
        cost = np.zeros((REACH, count), np.int32)
        for i in range(count):
            for j in range(i + 1, min(i + REACH + 1, count)):
                cost[j - i - 1, i] = between[turn[i], turn[j]]
            seen[turn[i]] += [int(turn[j]) for j in range(max(i - REACH, 0), min(i + REACH + 1, count)) if j != i]
        keep_nearest(found, turn, cost)
    for t in range(count):
        least = sorted(dict.fromkeys(seen[t]), key=lambda u: int(between[t, u]))[:KEEP]
        assert found[t, : len(least)].tolist() == least
        assert found[t, KEEP : KEEP + len(least)].tolist() == [between[t, u] for u in least]
        assert (found[t, len(least) : KEEP] == -1).all()


@EXAMPLES
@given(seed=st.integers(0, 2**32), count=st.integers(0, 50), values=st.integers(1, 60), words=st.integers(1, 3))
def test_sorting_by_words_keeps_equal_ones_in_order(seed: int, count: int, values: int, words: int) -> None:
    draw = np.random.default_rng(seed)
    keys = [draw.integers(-values, values, count) for _ in range(words)]
    assert sorted_by(keys).tolist() == sorted(range(count), key=lambda i: [int(key[i]) for key in keys])


@EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_find_is_a_binary_search_among_one_kind(folder: Path, seed: int) -> None:
    problem, laid, _ = laid_out(skewed_table(seed, units=False), folder, ("label",) * 3)
    space = laid.space
    along = lines(space, digits(laid, problem.hierarchies), np.random.default_rng(0), LINES)
    for line in range(LINES):
        assert sorted(along.tuple[line].tolist()) == list(range(space.count))
        for kind in range(along.start.size - 1):
            own = along.tuple[line, along.start[kind] : along.start[kind + 1]]
            assert (space.promise.kinds[own] == kind).all()
            for t in range(space.count):
                mine = (int(space.part[t]), int(along.own[line, t]))
                before = sum((int(space.part[u]), int(along.own[line, u])) < mine for u in own.tolist())
                assert found_at(along, line, kind, t) == int(along.start[kind]) + before
