"""Distinct numbers and units, against sets of Python's."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.hierarchy.holders import distinct, units_by
from anonym.hierarchy.model import Cells

NOTHING = np.empty(0, np.int64)


@given(st.lists(st.integers(-3, 9) | st.sampled_from([2**62, -(2**62)])))
def test_distinct_numbers_are_those_of_a_set(numbers: list[int]) -> None:
    assert distinct(np.array(numbers, np.int64)).tolist() == sorted(set(numbers))


@settings(max_examples=60, deadline=None)
@given(
    entries=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=20),
    place=st.lists(st.integers(0, 2), min_size=6, max_size=6),
    chosen=st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_a_unit_counts_once_in_a_group(entries: list[tuple[int, int]], place: list[int], chosen: list[bool]) -> None:
    """Entries are (unit, cell); every cell has one more unit that is in no other."""
    listed = sorted(set(entries))
    units, held = (np.array([entry[i] for entry in listed], np.int32) for i in (0, 1))
    one = np.ones(6, np.int64)
    cells = Cells(np.zeros((6, 1), np.int32), one, one, units, held, np.ones(len(listed), np.int64), ())
    expected = [
        sum(at == group and is_in for at, is_in in zip(place, chosen, strict=True))
        + len({unit for unit, cell in listed if chosen[cell] and place[cell] == group})
        for group in range(3)
    ]
    assert units_by(cells, np.array(place), 3, np.array(chosen)).tolist() == expected
