"""The bounds that let a search cut: whatever is released of a class, at least so much must have left it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonym.criteria import ClassHistograms, DistinctL, EntropyL, Ground, RecursiveL, TCloseness

SIZE = 5
GROUNDS = {
    "equal": Ground("equal", SIZE),
    "ordered": Ground("ordered", SIZE, order=np.array([3, 0, 4, 1, 2], np.int32)),
    "hierarchical": Ground("hierarchical", SIZE, tree=np.array([[0, 1, 2, 3, 4], [5, 5, 6, 6, 7]], np.int32)),
}
Table = NDArray[np.int64]


@st.composite
def split_classes(draw: st.DrawFn) -> tuple[Table, NDArray[np.int32], NDArray[np.bool_]]:
    """Histograms (parts, SIZE) of the parts that classes are split into, the class of each, and which are released."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    parts = int(rng.integers(1, 9))
    table = rng.poisson(rng.choice([0.3, 1, 5, 30]), (parts, SIZE)) * (
        rng.random((parts, SIZE)) < rng.choice([0.4, 0.9])
    )
    if rng.random() < 0.3:
        table[:] = table[0]  # alike but for one: what leaves moves the reference, and little else
        table[-1] = rng.poisson(5, SIZE)
    table[np.arange(parts), rng.integers(SIZE, size=parts)] += 1
    owner = np.sort(rng.integers(0, 3, parts))
    owner = np.unique(owner, return_inverse=True)[1].astype(np.int32)
    kept = rng.random(parts) < 0.7
    kept[rng.integers(parts)] = True
    return table, owner, kept


def sparse(table: Table) -> ClassHistograms:
    owner, value = np.nonzero(table)
    return ClassHistograms.of(
        owner.astype(np.int32), value.astype(np.int32), table[owner, value].astype(float), len(table), SIZE
    )


def merged(table: Table, owner: NDArray[np.int32]) -> Table:
    out = np.zeros((owner.max() + 1, SIZE), np.int64)
    np.add.at(out, owner, table)
    return out


def left(table: Table, owner: NDArray[np.int32], kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Rows that left each class."""
    return merged(table * ~kept[:, None], owner).sum(axis=1)


@settings(max_examples=1500, deadline=None)
@given(case=split_classes(), distance=st.sampled_from(sorted(GROUNDS)))
def test_under_t(case: tuple[Table, NDArray[np.int32], NDArray[np.bool_]], distance: str) -> None:
    """With t what the released parts just reach, no class may be said to lose more than it lost."""
    table, owner, kept = case
    ground, released = GROUNDS[distance], sparse(table[kept])
    reached = float(ground.distances(released, table[kept].sum(axis=0).astype(float)).max())
    t = TCloseness(min(reached, 1.0))
    gone = left(table, owner, kept)
    classes = sparse(merged(table, owner))
    bound = t.least_removal(classes, ground, np.ones(classes.classes, np.bool_), float(gone.sum()))
    assert (bound <= gone + 1e-6).all()


@pytest.mark.parametrize(
    ("reach", "make"),
    [
        (lambda h: EntropyL(1).achieved(h).min(), EntropyL),
        (lambda h: DistinctL(1).achieved(h).min(), lambda least: DistinctL(int(least))),
        (lambda h: RecursiveL(1, 1).achieved(h).max(), lambda c: RecursiveL(c + 1e-9, 1)),
        (lambda h: RecursiveL(1, 2).achieved(h).max(), lambda c: RecursiveL(c + 1e-9, 2)),
        (lambda h: RecursiveL(1, 3).achieved(h).max(), lambda c: RecursiveL(c + 1e-9, 3)),
    ],
)
@settings(max_examples=500, deadline=None)
@given(case=split_classes())
def test_under_l(
    reach: Callable[[ClassHistograms], float],
    make: Callable[[float], EntropyL | DistinctL | RecursiveL],
    case: tuple[Table, NDArray[np.int32], NDArray[np.bool_]],
) -> None:
    table, owner, kept = case
    worst = float(reach(sparse(table[kept])))
    if not 0 < worst < np.inf:
        return
    gone = left(table, owner, kept)
    vanished = merged(table * kept[:, None], owner).sum(axis=1) == 0
    bound = make(worst).least_removal(sparse(merged(table, owner)))
    assert (bound[~vanished] <= gone[~vanished] + 1e-6).all()


def test_ordered_ranks_close_up_where_values_vanish() -> None:
    """The values 1 to 4 leave with their four rows, and 0 and 5 become neighbours: A comes closer than it was."""
    apart = [[50, 0, 0, 0, 0, 30], [30, 0, 0, 0, 0, 50], [0, 1, 1, 1, 1, 0]]
    table = np.array([[*row, *[20 * (i < 2)] * 5] for i, row in enumerate(apart)])
    owner, value = np.nonzero(table)
    classes = ClassHistograms.of(
        owner.astype(np.int32), value.astype(np.int32), table[owner, value].astype(float), 3, 11
    )
    ground = Ground("ordered", 11)
    kept = np.array([True, True, False])
    reached = ground.distances(classes, classes.pooled(kept))[:2].max()
    everything = np.ones(3, np.bool_)
    assert ground.distances(classes, classes.pooled(everything))[0] > reached + 4 / 364
    bound = TCloseness(float(reached), "ordered").least_removal(classes, ground, everything, 4.0)
    assert (bound <= [0, 0, 4]).all()


def test_entropy_removal_is_the_least() -> None:
    """8, 4, 4 of which the 8 is cut to 4: the entropy of three equal counts is reached, and not a row before."""
    table = sparse(np.array([[8, 4, 4, 0, 0]]))
    assert EntropyL(3.0).least_removal(table) == pytest.approx([4.0], abs=1e-3)
    assert EntropyL(2.5).least_removal(table)[0] < 4.0
    assert EntropyL(3.01).least_removal(table) == [np.inf]


def test_recursive_removal_is_the_least() -> None:
    """r1 < 1.2 r3 of 5, 3, 2 asks for r1 below 2.4: 2.6 and .6 rows must leave."""
    table = sparse(np.array([[5, 3, 2, 0, 0]]))
    assert RecursiveL(1.2, 3).least_removal(table) == pytest.approx([3.2])
    assert RecursiveL(0.9, 3).least_removal(table) == [np.inf]
