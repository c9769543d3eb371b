"""What pairs of columns cost, against the cost of every recoding column by column."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import HealthCheck, given, settings
from naive import search as naive
from naive.search_problems import problem_of, tables

from anonym.search.judge import judge_of
from anonym.search.lattice import lattice_of
from anonym.search.pairs import READS, Pairs, pairs_of

EXAMPLES = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def pairs_for(table: naive.Table, reads: int = READS) -> tuple[Pairs, list[tuple[int, tuple[int, ...]]]]:
    """The pairs, and of each axis its column and its levels."""
    problem = problem_of(table)
    lattice = lattice_of(problem)
    members = judge_of(problem, lattice, {}).at_most()
    axes = [(axis.column, axis.levels) for axis in lattice.axes]
    return pairs_of(lattice, members, table.k, len(table.rows), table.limit, reads), axes


def column_cost(table: naive.Table, kept: naive.Classes, column: int) -> Fraction:
    own = table.columns[column]
    total = naive.suppressed(table, kept) * own.weight
    for key, rows in kept.items():
        total += len(rows) * own.weight * own.cost[key[column]]
    return total


@EXAMPLES
@given(table=tables(asked=False))
def test_no_recoding_costs_less_in_a_column_than_pairs_say(table: naive.Table) -> None:
    pairs, axes = pairs_for(table)
    for numbers in itertools.product(*(range(len(levels)) for _, levels in axes)):
        chosen = [0] * len(axes)
        for (column, levels), number in zip(axes, numbers, strict=True):
            chosen[column] = levels[number]
        kept = naive.released(table, chosen)
        if naive.suppressed(table, kept) > table.limit:
            continue
        for j, (column, _) in enumerate(axes):
            least = max(pairs.cost[i, numbers[i], j, numbers[j]] for i in range(len(axes)))
            assert least <= float(column_cost(table, kept, column)) + 1e-12
        depth = len(axes) // 2
        rest = sum(float(column_cost(table, kept, column)) for column, _ in axes[depth:])
        lower = pairs.lower(numbers[:depth])
        assert pairs.rest(lower, depth, 0) <= rest + 1e-9
        if depth < len(axes):
            assert pairs.by_level(lower, depth, 0)[numbers[depth]] <= rest + 1e-9


@EXAMPLES
@given(table=tables(asked=False, units=False))
def test_pairs_cost_what_the_two_columns_cost_by_themselves(table: naive.Table) -> None:
    pairs, axes = pairs_for(table)
    if len(axes) < 2 or any(len(levels) < 2 for _, levels in axes[:2]):  # without a choice a pair is not read
        return
    two = [axes[0][0], axes[1][0]]
    others = {code for column in set(range(len(axes))) - set(two) for code in table.columns[column].lost}
    if others:
        return
    rows = [(tuple(codes[j] for j in two), unit, values) for codes, unit, values in table.rows]
    part = naive.Table(rows, [table.columns[j] for j in two], False, table.k, table.limit)
    for one, other in itertools.product(range(len(axes[0][1])), range(len(axes[1][1]))):
        kept = naive.released(part, (axes[0][1][one], axes[1][1][other]))
        found = pairs.cost[0, one, 1, other]
        if naive.suppressed(part, kept) > table.limit:
            assert np.isinf(found)
        else:
            assert abs(found - float(column_cost(part, kept, 1))) < 1e-6


@EXAMPLES
@given(table=tables(asked=False))
def test_what_is_not_read_is_bounded_by_each_column_alone(table: naive.Table) -> None:
    whole, axes = pairs_for(table)
    none, _ = pairs_for(table, reads=0)
    for i, (_, levels) in enumerate(axes):
        assert np.array_equal(none.alone[i, : len(levels)], whole.alone[i, : len(levels)])
    assert (none.cost <= whole.cost).all()
