"""Earth mover's distances against exact twins, and the numbers of Li et al. 2007."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import criteria as naive

from anonym.criteria import ClassHistograms, Ground, TCloseness
from anonym.errors import PolicyError
from anonym.hierarchy.model import FileHierarchy

PATHS = {0: (0, "x", "*"), 1: (1, "x", "*"), 2: (2, "y", "*"), 3: (3, "y", "*"), 4: (4, "z", "*")}
TREE = np.array([[0, 1, 2, 3, 4], [5, 5, 6, 6, 7]], np.int32)
ORDER = [3, 0, 4, 1, 2]
GROUNDS = [Ground("equal", 5), Ground("ordered", 5), Ground("hierarchical", 5, tree=TREE)]
COUNTS = st.lists(st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(any), min_size=1, max_size=5)


def histograms(counts: list[list[int]], size: int = 5) -> ClassHistograms:
    owner, value = np.nonzero(np.array(counts))
    weight = np.array(counts, float)[owner, value]
    return ClassHistograms.of(owner.astype(np.int32), value.astype(np.int32), weight, len(counts), size)


def exact(row: list[int]) -> dict[Any, Fraction]:
    return {value: Fraction(count) for value, count in enumerate(row) if count}


def distances(ground: Ground, counts: list[list[int]]) -> list[float]:
    table = histograms(counts, ground.size)
    return ground.distances(table, table.pooled(np.ones(len(counts), np.bool_))).tolist()


@settings(max_examples=300, deadline=None)
@given(counts=COUNTS)
def test_distances_are_exact(counts: list[list[int]]) -> None:
    reference = naive.pooled(map(exact, counts))
    equal = [float(naive.equal_distance(exact(row), reference)) for row in counts]
    ordered = [float(naive.ordered_distance(exact(row), reference, ORDER)) for row in counts]
    tree = [float(naive.hierarchical_distance(exact(row), reference, PATHS)) for row in counts]
    assert distances(Ground("equal", 5), counts) == pytest.approx(equal, abs=1e-12)
    assert distances(Ground("ordered", 5, order=np.array(ORDER, np.int32)), counts) == pytest.approx(ordered, abs=1e-12)
    assert distances(Ground("hierarchical", 5, tree=TREE), counts) == pytest.approx(tree, abs=1e-12)


def test_salaries_of_the_paper() -> None:
    """Salaries 3k to 11k: {3, 4, 5} is .375 away, {6, 8, 11} .167; with equal distance all are 2/3."""
    counts = [[int(v in row) for v in range(3, 12)] for row in ((3, 4, 5), (6, 8, 11), (7, 9, 10))]
    assert distances(Ground("ordered", 9), counts) == pytest.approx([0.375, 1 / 6, 17 / 72])
    assert distances(Ground("equal", 9), counts) == pytest.approx([2 / 3] * 3)


def test_diseases_of_the_paper() -> None:
    """Tables 3 and 4 with the tree of figure 2, of height 3: of nine patients three lie in each class.

    Flu, pneumonia, bronchitis are respiratory infections; gastric ulcer, stomach cancer, gastritis stomach diseases.
    """
    tree = np.array([[0, 1, 2, 3, 4, 5], [6, 6, 6, 7, 7, 7], [8, 8, 8, 9, 9, 9]], np.int32)
    counts = [[0, 0, 0, 1, 1, 1], [1, 0, 1, 0, 0, 1], [0, 1, 1, 0, 1, 0]]
    assert distances(Ground("hierarchical", 6, tree=tree), counts) == pytest.approx([12 / 27, 8 / 27, 8 / 27])


def test_values_a_class_lacks_count() -> None:
    assert distances(Ground("equal", 2), [[4, 0], [0, 4]]) == [0.5, 0.5]


def test_one_value_is_no_distance() -> None:
    assert distances(Ground("ordered", 3), [[0, 4, 0], [0, 2, 0]]) == [0.0, 0.0]


def test_holds_within_a_billionth() -> None:
    assert TCloseness(0.2).holds(np.array([0.2, 0.2 + 5e-10, 0.2 + 5e-9])).tolist() == [True, True, False]


@settings(max_examples=200, deadline=None)
@given(
    counts=COUNTS,
    ground=st.sampled_from([Ground("equal", 5), Ground("ordered", 5), Ground("hierarchical", 5, tree=TREE)]),
)
def test_a_union_is_no_farther_than_the_farthest_part(counts: list[list[int]], ground: Ground) -> None:
    """generalise, for an unchanged reference."""
    union = [sum(column) for column in zip(*counts, strict=True)]
    parts = histograms(counts)
    reference = parts.pooled(np.ones(len(counts), np.bool_)) + 1.0  # some other reference with every value
    assert ground.distances(histograms([union]), reference)[0] <= ground.distances(parts, reference).max() + 1e-9


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"max": -0.1}, "max"),
        ({"max": 1.1}, "max"),
        ({"max": float("nan")}, "max"),
        ({"max": 0.2, "distance": "euclid"}, "distance"),
        ({"max": 0.2, "order": ("a", "b")}, "order"),
        ({"max": 0.2, "distance": "ordered", "order": ("a", "a")}, "order"),
        ({"max": 0.2, "distance": "ordered", "order": ()}, "order"),
        ({"max": 0.2, "distance": "hierarchical"}, "hierarchy"),
        ({"max": 0.2, "hierarchy": FileHierarchy(Path("x"))}, "hierarchy"),
    ],
)
def test_refuses_what_makes_no_sense(arguments: dict[str, Any], path: str) -> None:
    with pytest.raises(PolicyError) as error:
        TCloseness(**arguments)
    assert error.value.faults[0].path == path
