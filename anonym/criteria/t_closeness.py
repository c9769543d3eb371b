"""t-closeness (Li, Li and Venkatasubramanian 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.faults import real, refuse
from anonym.criteria.histograms import ClassHistograms
from anonym.criteria.monotone import Operation
from anonym.hierarchy.model import FileHierarchy

Distance = Literal["equal", "ordered", "hierarchical"]
FAVOUR = 1e-9  # how far a computed distance may exceed what was asked and still hold


@dataclass(frozen=True)
class Ground:
    """How far two values of a sensitive column lie apart, by value code.

    equal: 1. ordered: the difference of their ranks among the values present in the reference, over the number of
    those less 1. hierarchical: the height of their common ancestor over the height of the tree.
    """

    distance: Distance
    size: int  # values
    order: NDArray[np.int32] | None = None  # (size,) ordered: the value codes in their order
    tree: NDArray[np.int32] | None = None  # (levels below the root, size) hierarchical: node of each value, numbered
    # through all levels, leaves first

    def distances(self, classes: ClassHistograms, reference: NDArray[np.float64]) -> NDArray[np.float64]:
        """The earth mover's distance of each class from `reference` (size,), weights of all rows: (classes,).

        A value of a class must be present in the reference.
        """
        from anonym.criteria import kernels

        share = _shares(reference)
        if self.distance == "equal":
            return kernels.equal_distance(classes.start, classes.value, classes.weight, share)
        if self.tree is not None:
            nodes = self._node_shares(share)
            return kernels.tree_distance(classes.start, classes.value, classes.weight, nodes, self.tree)
        present = self._present(reference)
        return self._line(classes, share, present, np.full(present.size, 1.0 / max(present.size - 1, 1)))

    def low_distances(
        self, classes: ClassHistograms, reference: NDArray[np.float64], budget: float
    ) -> NDArray[np.float64]:
        """As `distances`, under a ground distance that no suppression of at most `budget` weight can undercut.

        Equal and hierarchical distances do not depend on which values are present. Ranks do: a value vanishes with
        its last row. Only values of more than `budget` weight surely stay; counting only their steps, over the most
        values that can remain, gives a distance never above any that the release can have.
        """
        if self.distance != "ordered":
            return self.distances(classes, reference)
        present = self._present(reference)
        stays = np.append(reference[present] > budget, False)[1:]
        share = _shares(reference)
        return self._line(classes, share, present, stays / max(present.size - 1, 1))

    def _present(self, reference: NDArray[np.float64]) -> NDArray[np.int32]:
        order = np.arange(self.size, dtype=np.int32) if self.order is None else self.order
        return order[reference[order] > 0]

    def _line(
        self,
        classes: ClassHistograms,
        share: NDArray[np.float64],
        present: NDArray[np.int32],
        gap: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        from anonym.criteria import kernels

        rank = np.zeros(self.size, np.int32)
        rank[present] = np.arange(present.size, dtype=np.int32)
        return kernels.line_distance(classes.start, classes.value, classes.weight, share[present], rank, gap)

    def _node_shares(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self.tree is not None
        nodes = np.zeros(int(self.tree.max(initial=-1)) + 1)
        for level in self.tree:
            np.add.at(nodes, level, share)
        return nodes


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = float(weights.sum())
    return weights / total if total > 0 else weights


@dataclass(frozen=True)
class TCloseness:
    """The earth mover's distance of every class's sensitive values from all released rows' is at most `max`.

    Within 1e-9 in favour of holding. Against an attacker who knows the release's distribution, finding a person's
    class shifts the belief about the sensitive value by at most that distance. With units, a unit weighs 1 in a class,
    shared equally over its distinct values there, and the reference is the sum over the released classes.

    Classes that are merged stay close (the distance is convex), but only against an unchanged reference: suppressing
    rows moves it, so `suppress` is not among what t is monotone under.

    N. Li, T. Li, S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007.
    """

    max: float
    distance: Distance = "equal"
    order: tuple[str, ...] | None = None
    hierarchy: FileHierarchy | None = None

    monotone: ClassVar[frozenset[Operation]] = frozenset({"generalise"})

    def __post_init__(self) -> None:
        refuse("max", "a number from 0 to 1", unless=real(self.max) and 0 <= self.max <= 1)
        refuse(
            "distance", "equal, ordered or hierarchical", unless=self.distance in ("equal", "ordered", "hierarchical")
        )
        order = self.order
        refuse("order", "nothing unless `distance` is ordered", unless=order is None or self.distance == "ordered")
        refuse("order", "distinct values, at least one", unless=order is None or 0 < len(order) == len(set(order)))
        needs = self.distance == "hierarchical"
        refuse(
            "hierarchy",
            "a file if, and only if, `distance` is hierarchical",
            unless=needs == (self.hierarchy is not None),
        )

    def holds(self, distances: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(classes,) bool, given each class's distance (`Ground.distances`)."""
        return distances <= self.max + FAVOUR

    def least_removal(
        self, classes: ClassHistograms, ground: Ground, keep: NDArray[np.bool_], budget: float
    ) -> NDArray[np.float64]:
        """The least weight that must leave each class of `keep` for the rest to split into classes that hold.

        `budget` bounds the weight that leaves the classes of `keep` together; the other classes are gone already (0).
        Weights must add up: rows, or units that lie in one class only however the classes are split.

        Proof. Let d be a metric, of diameter at most 1, never above the release's own ground distance, P the class, Q
        the pool of those kept, N its weight, P' and Q' what is released of them. P' is a mixture of classes that
        hold, and the distance is convex: d(P', Q') <= t. Taking weight x out of a histogram of weight n moves it by at
        most x / n (the share moved times the diameter). By the triangle inequality
            d(P, Q) <= d(P, P') + d(P', Q') + d(Q', Q) <= x / n + t + budget / N,
        which is solved for x. A class that vanishes altogether has x = n, which is no less.
        """
        weight = np.where(keep, classes.totals(), 0.0)
        allowed = self.max + FAVOUR + budget / max(float(weight.sum()), 1.0)
        excess = ground.low_distances(classes, classes.pooled(keep), budget) - allowed
        removal: NDArray[np.float64] = weight * np.clip(excess, 0.0, None)
        return removal
