"""Beginning from coarser tables: what is merged says the same, and what is found in the end is no worse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive import search as naive
from naive.search_problems import problem_of, tables

from anonym.errors import GuaranteeError
from anonym.hierarchy.floors import floors
from anonym.search import coarser, global_
from anonym.search.budget import Meter
from anonym.search.coarser import CoarserTables
from anonym.search.global_ import solve

EXAMPLES = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hierarchies")


@EXAMPLES
@given(table=tables(weighted=False), room=st.sampled_from([0, 2, 10]))
def test_the_optimum_is_found_from_coarser_tables_too(folder: Path, table: naive.Table, room: int) -> None:
    expected = naive.best(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coarser, "ROOM", room)
        patch.setattr(coarser, "LARGE", 4)
        patch.setattr(global_, "LARGE", 4)
        if expected is None:
            with pytest.raises(GuaranteeError):
                solve(problem_of(table, folder))
            return
        solution = solve(problem_of(table, folder))
    assert solution.objective == pytest.approx(float(expected.objective), abs=1e-12)
    assert solution.levels == expected.levels


@EXAMPLES
@given(table=tables(weighted=False), data=st.data())
def test_a_merged_table_has_the_recodings_of_the_whole_from_its_levels_on(
    folder: Path, table: naive.Table, data: st.DataObject
) -> None:
    levels = tuple(data.draw(st.integers(column.finest, column.coarsest)) for column in table.columns)
    problem = problem_of(table, folder)
    if any(hierarchy.suppressed.any() for hierarchy in problem.hierarchies):
        return  # which leaf stands for a node matters where some are lost: such tables are not merged
    part = CoarserTables(problem, Meter("default", None)).at(levels, coarser.LARGE)
    assert part is not None
    assert part.cells.total_rows == problem.cells.total_rows
    columns = [replace(column, finest=level) for column, level in zip(table.columns, levels, strict=True)]
    expected = naive.best(replace(table, columns=columns))
    if expected is None:
        with pytest.raises(GuaranteeError):
            solve(part)
        return
    found = solve(part)
    assert (found.suppressed_rows, found.levels) == (expected.suppressed, expected.levels)
    assert found.objective == pytest.approx(float(expected.objective), abs=1e-12)


def test_a_table_of_more_cells_than_asked_for_is_none(folder: Path) -> None:
    column = naive.Column([[0, 1, 2, 3], [4, 4, 5, 5], [6, 6, 6, 6]], [0, 0, 0, 0, 1, 1, 3], 0, 2)
    rows = [((i % 4, i // 4, i % 3), i, ("a", "a")) for i in range(16)]
    tables = CoarserTables(problem_of(naive.Table(rows, [column] * 3, False, 2, 0)), Meter("default", None))
    for levels in ((0, 0, 0), (1, 0, 2), (1, 1, 1), (2, 2, 2)):
        cells = len({tuple(column.ancestor[at][leaf] for at, leaf in zip(levels, row[0], strict=True)) for row in rows})
        exact = tables.at(levels, cells)
        assert exact is not None
        assert exact.cells.count == cells
        assert tables.at(levels, cells - 1) is None


def test_opened_levels_are_two_columns_finer(folder: Path) -> None:
    column = naive.Column([[0, 1, 2, 3], [4, 4, 5, 5], [6, 6, 6, 6]], [0, 0, 0, 0, 1, 1, 3], 0, 2)
    rows = [((i % 4, i // 4, i % 3), i, ("a", "a")) for i in range(16)]
    problem = problem_of(naive.Table(rows, [column] * 3, False, 2, 0))
    opened = list(CoarserTables(problem, Meter("default", None)).opened((2, 1, 1)))
    assert sorted(opened) == [(1, 0, 1), (1, 1, 0), (2, 0, 0)]
    assert list(CoarserTables(problem, Meter("default", None)).opened((0, 1, 0))) == [(0, 0, 0)]
    assert not list(CoarserTables(problem, Meter("default", None)).opened((0, 0, 0)))


def test_the_first_table_is_the_finest_that_has_room(folder: Path) -> None:
    column = naive.Column([[0, 1, 2, 3], [4, 4, 5, 5], [6, 6, 6, 6]], [0, 0, 0, 0, 1, 1, 3], 0, 2)
    rows = [((i % 4, i // 4, i % 3), i, ("a", "a")) for i in range(16)]
    problem = problem_of(naive.Table(rows, [column] * 3, False, 2, 0))
    tables = CoarserTables(problem, Meter("default", None))
    every = [tuple(h.finest for h in problem.hierarchies), *floors(problem.hierarchies, tables.rows, [False] * 3)]
    found = [tables.at(levels, coarser.LARGE) for levels in every]
    counts = [table.cells.count for table in found if table]
    assert len(counts) == len(every)
    with pytest.MonkeyPatch.context() as patch:
        for room in (1, 4, 8, 100):
            patch.setattr(coarser, "ROOM", room)
            first = tables.first()
            assert first is not None
            assert first.cells.count == next(count for count in counts if count <= room)
    assert np.all(np.diff(counts) <= 0)


def test_a_table_that_no_level_makes_small_is_searched_as_it_is(folder: Path) -> None:
    """Its coarsest levels leave more cells than a large table has: a coarser one would be searched for ever."""
    column = naive.Column([[0, 1, 2, 3], [4, 4, 5, 5], [6, 6, 6, 6]], [0, 0, 0, 0, 1, 1, 3], 0, 1)
    rows = [((i % 4, i // 4 % 4, i % 3), i, ("a", "a")) for i in range(48)]
    table = naive.Table(rows, [column] * 3, False, 2, 0)
    expected = naive.best(table)
    assert expected is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coarser, "LARGE", 4)
        patch.setattr(global_, "LARGE", 4)
        assert solve(problem_of(table, folder)).levels == expected.levels
