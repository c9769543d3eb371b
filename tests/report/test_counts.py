"""Small counts stay unknown, whatever a reader adds, subtracts or knows of the method."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.report.counts import MOST_LABELS, Group, class_histogram, natural, protect
from anonym.report.evidence import json_schema
from anonym.report.schema import faults

LABELS = "abcdefgh"


def groups(rows: list[int] | tuple[int, ...], k: int, units: list[int] | None = None) -> list[Group]:
    """One column; every group has 100 rows and is common in the release."""
    shared = [None] * len(rows) if units is None else units
    return [
        Group("c", label, count, 100, released=k + 1, units=unit)
        for label, count, unit in zip(LABELS, rows, shared, strict=False)
    ]


def printed_rows(rows: list[int] | tuple[int, ...], k: int) -> tuple[int | None, ...]:
    return tuple(group["rows"] for group in protect(groups(rows, k), k))


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("number", [2, 3, 4])
def test_no_withheld_small_count_can_be_inferred_even_by_inverting_the_method(k: int, number: int) -> None:
    """Brute force: all tables with the same total and the same print; a withheld small count must vary among them."""
    alike: dict[tuple[int, tuple[int | None, ...]], list[tuple[int, ...]]] = defaultdict(list)
    for rows in product(range(8), repeat=number):
        if sum(rows):
            alike[sum(rows), printed_rows(rows, k)].append(rows)
    for (total, printed), tables in alike.items():
        if total == 7 * number:
            continue  # the only table of this range with this total; real tables have no such ceiling
        for index, count in enumerate(printed):
            if count is None and min(table[index] for table in tables) < k:
                assert len({table[index] for table in tables}) > 1, (k, total, printed, tables)


def by_subtraction(printed: list[int | None], total: int) -> dict[int, int]:
    """The withheld counts that nonnegative integers with this total leave no choice for."""
    withheld = [index for index, count in enumerate(printed) if count is None]
    rest = total - sum(count or 0 for count in printed)
    if len(withheld) == 1 or rest == 0:
        return dict.fromkeys(withheld, rest)
    return {}


counts = st.lists(st.integers(0, 40), min_size=2, max_size=8)


@settings(deadline=None)
@given(counts, st.integers(2, 12))
def test_nothing_small_is_printed_nor_found_by_subtraction(rows: list[int], k: int) -> None:
    printed = [group["rows"] for group in protect(groups(rows, k), k)]
    if not sum(rows):
        assert printed == []
        return
    assert len(printed) == len(rows)
    assert all(count is None or count >= k for count in printed)
    assert by_subtraction(printed, sum(rows)) == {}
    withheld = sum(rows) - sum(count or 0 for count in printed)
    assert withheld == 0 or withheld >= k or all(count is None for count in printed)


@settings(deadline=None)
@given(counts, st.integers(2, 12))
def test_large_counts_are_printed_where_nothing_is_small(rows: list[int], k: int) -> None:
    large = [count + k for count in rows]
    assert [group["rows"] for group in protect(groups(large, k), k)] == large


@settings(deadline=None)
@given(counts, st.integers(2, 12), st.randoms(use_true_random=False))
def test_groups_are_treated_alike_whatever_they_are_called(rows: list[int], k: int, random: object) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    printed = {g["group"]: g["rows"] for g in protect(groups(rows, k), k)}
    moved = {g["group"]: g["rows"] for g in protect(groups([rows[index] for index in order], k), k)}
    assert [moved[LABELS[place]] for place in range(len(order)) if moved] == [
        printed[LABELS[index]] for index in order if printed
    ]


@settings(deadline=None)
@given(counts, st.data(), st.integers(2, 6))
def test_with_a_unit_few_units_are_withheld_however_many_rows_they_have(
    rows: list[int], data: st.DataObject, k: int
) -> None:
    units = [data.draw(st.integers(1 if count else 0, max(count, 1) if count else 0)) for count in rows]
    for group in protect(groups(rows, k, units), k):
        index = LABELS.index(str(group["group"]))
        assert group["rows"] is None or units[index] >= k


# several columns -----------------------------------------------------------------------------------------------------

NESTED = [(0, 0), (0, 1), (1, 2), (1, 3), (2, 3)]  # cells: a group of each column, as ZIP codes lie in states
CROSSED = [(0, 0), (0, 1), (1, 1), (2, 2), (2, 3)]
TWINS = [(0, 0), (1, 1), (2, 2), (2, 3)]
PARTS = [(0, 0, 1), (0, 1, 0), (1, 1, 1)]  # the first group of the first column is those of the others: A = B + C
FOUR = [(0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0), (1, 1, 1, 1)]  # A = B + C + D
WEIGHED = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2)]  # the third column counts how often 1 is in the others


Cells = list[tuple[int, ...]]


def sums(cells: Cells, rows: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The counts of each column's groups."""
    return tuple(
        tuple(sum(count for cell, count in zip(cells, rows, strict=True) if cell[side] == label) for label in labels)
        for side, labels in enumerate(labels_of(cells))
    )


def labels_of(cells: Cells) -> list[range]:
    return [range(1 + max(cell[side] for cell in cells)) for side in range(len(cells[0]))]


def print_of(cells: Cells, rows: tuple[int, ...], k: int) -> tuple[tuple[int | None, ...], ...]:
    """What is printed of each column, each as far as it is."""
    names = LABELS[: len(cells[0])]
    found = [
        Group(name, f"{label}", count, 100, released=k)
        for name, counted in zip(names, sums(cells, rows), strict=True)
        for label, count in enumerate(counted)
    ]
    places = {name: np.array([cell[side] for cell in cells]) for side, name in enumerate(names)}
    printed = {(one["column"], one["group"]): one["rows"] for one in protect(found, k, places)}
    return tuple(
        tuple(printed.get((name, str(label))) for label in labels)
        for name, labels in zip(names, labels_of(cells), strict=True)
    )


@pytest.mark.parametrize(
    ("cells", "k"),
    [(NESTED, 2), (CROSSED, 3), (TWINS, 2), (TWINS, 3), (PARTS, 2), (PARTS, 3), (FOUR, 2), (WEIGHED, 2), (WEIGHED, 3)],
)
def test_columns_that_add_up_to_each_other_do_not_give_small_counts_away(cells: Cells, k: int) -> None:
    """Brute force: of all tables with these cells, this total and these printed counts, a small count must vary."""
    by_total: dict[int, list[tuple[tuple[int, ...], ...]]] = defaultdict(list)
    for rows in product(range(5), repeat=len(cells)):
        by_total[sum(rows)].append(sums(cells, rows))
    seen = set()
    for rows in product(range(4), repeat=len(cells)):
        truth, printed = sums(cells, rows), print_of(cells, rows, k)
        if not sum(rows) or (truth, printed) in seen:
            continue
        seen.add((truth, printed))
        alike = [table for table in by_total[sum(rows)] if agrees(table, printed)]
        small = [(side, label) for side in range(len(truth)) for label, count in enumerate(truth[side]) if count < k]
        for at, label in small:
            assert printed[at][label] is None
            assert len({table[at][label] for table in alike}) > 1, (rows, printed)


def agrees(table: tuple[tuple[int, ...], ...], printed: tuple[tuple[int | None, ...], ...]) -> bool:
    return all(
        told is None or told == count
        for counts_, tolds in zip(table, printed, strict=True)
        for count, told in zip(counts_, tolds, strict=True)
    )


def test_three_columns_do_not_give_a_small_count_away_that_no_two_of_them_tell() -> None:
    """Alone the first two would print (23, 40) and (20, 43), and the third withhold 3, which is 23 - 20."""
    rows = (20, 3, 40)
    assert sums(PARTS, rows) == ((23, 40), (20, 43), (3, 60))
    pairs = [[tuple(cell[side] for side in pair) for cell in PARTS] for pair in ((0, 1), (0, 2), (1, 2))]
    assert [print_of(cells, rows, 5) for cells in pairs] == [
        ((23, 40), (20, 43)),
        ((23, 40), (None, None)),
        ((20, 43), (None, None)),
    ]
    printed = print_of(PARTS, rows, 5)
    assert printed[2] == (None, None)
    assert None in printed[0] or None in printed[1]


def test_columns_that_tell_nothing_of_each_other_are_printed_as_before() -> None:
    everywhere = [(a, b) for a in range(3) for b in range(3)]
    assert print_of(everywhere, (1, 1, 20, 3, 20, 20, 20, 20, 20), 5) == ((22, 43, 60), (24, 41, 60))


def test_a_state_and_its_areas_do_not_give_a_small_area_away() -> None:
    """Alone, the areas would print all but 3 and 7; the other area of each state would give those away."""
    areas = [Group("b", str(at), rows, 100, released=10) for at, rows in enumerate((3, 40, 7, 50))]
    assert [one["rows"] for one in protect(areas, 10)] == [None, 40, None, 50]
    assert print_of([(0, 0), (0, 1), (1, 2), (1, 3)], (3, 40, 7, 50), 10) == ((43, 57), (None, None, None, None))


def test_rate_and_size_are_withheld_with_the_count() -> None:
    """The release tells how many rows of a group are left, so the group's size would give the count away."""
    for group in protect(groups([3, 4, 50], 5), 5):
        assert (group["rows"] is None) == (group["rate"] is None) == (group["of"] is None)
        if group["rows"] is not None:
            assert group["rate"] == group["rows"] / 100


def test_a_single_small_count_takes_another_one_with_it() -> None:
    assert printed_rows([2, 40, 11], 10) == (None, 40, None)


def test_equal_withheld_counts_take_another_one_with_them() -> None:
    assert printed_rows([0, 0, 0, 12, 30], 5) == (None, None, None, None, 30)


def test_withheld_counts_are_not_few_together() -> None:
    assert printed_rows([0, 1, 12, 30], 5) == (None, None, None, 30)


def test_rare_labels_are_merged_and_never_printed() -> None:
    rare = [Group("town", f"hamlet {index}", 9, 10, released=1) for index in range(3)]
    common = [Group("town", "city", 20, 900, released=880), Group("town", None, 30, 300, released=270)]
    printed = protect([*rare, *common], 5)
    assert [(group["group"], group["rows"], group.get("rest")) for group in printed] == [
        ("city", 20, None),
        (None, 30, None),
        ("other", 27, True),
    ]


def test_very_many_labels_are_cut_at_the_most_frequent_and_the_total_stays_exact() -> None:
    many = [Group("town", f"t{index}", 10 + index % 7, 100, released=1000 - index) for index in range(700)]
    printed = protect(many, 5)
    assert len(printed) == MOST_LABELS + 1
    assert printed[-1]["group"] == "other"
    assert printed[-1]["rows"] == sum(group.rows for group in many[MOST_LABELS:])
    assert sum(group["rows"] or 0 for group in printed) == sum(group.rows for group in many)


def test_a_column_with_one_group_and_a_run_without_suppression_print_no_groups() -> None:
    assert protect(groups([40], 5), 5) == []
    assert protect(groups([0, 0, 0], 5), 5) == []


def test_columns_keep_their_order_and_labels_sort_by_their_numbers() -> None:
    labels = ["100-109", "9-10", "20-29", ">=90"]
    mixed = [Group(column, label, 50, 100, 10) for column in ("z", "a") for label in labels]
    printed = [(group["column"], group["group"]) for group in protect(mixed, 5)]
    assert printed == [(column, label) for column in ("z", "a") for label in ("9-10", "20-29", "100-109", ">=90")]
    assert natural("7" * 5000) > natural("6" * 5000)


@settings(deadline=None)
@given(st.dictionaries(st.integers(1, 5000), st.tuples(st.integers(1, 9), st.integers(1, 999))), st.integers(1, 60))
def test_bins_of_class_sizes_are_adjacent_hold_everything_and_split_at_k(
    sizes: dict[int, tuple[int, int]], k: int
) -> None:
    bins = class_histogram(sizes, k)
    assert sum(one["classes"] for one in bins) == sum(classes for classes, _ in sizes.values())
    assert sum(one["rows"] for one in bins) == sum(rows for _, rows in sizes.values())
    assert all(after["from"] == before["to"] + 1 for before, after in pairwise(bins))
    assert all(one["to"] < k or one["from"] >= k for one in bins)
    assert not bins or (bins[0]["classes"] and bins[-1]["classes"])
    definitions = json_schema()["$defs"]
    assert all(not faults(one, {"$ref": "#/$defs/SizeBin", "$defs": definitions}) for one in bins)
