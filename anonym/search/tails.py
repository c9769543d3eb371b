"""What the axes not decided on cost at least, whatever has been decided before them: the bound of large lattices.

Russian doll search (G. Verfaillie, M. Lemaître, T. Schiex, Russian doll search for solving constraint optimization
problems, AAAI 1996): the last axis is searched alone, then the last two, and so on, every search with what the ones
before have proven. It asks for k only. What a recoding costs on some axes is no less than their own optimum: with all
other axes at their coarsest its classes only grow, and no more rows need be dropped.

When the next search may take more than half of what is left to be spent, a new group of axes begins: what disjoint
groups cost adds up.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from anonym.search.branch import BranchAndBound
from anonym.search.budget import Meter
from anonym.search.incumbent import Levels
from anonym.search.judge import judge_of
from anonym.search.lattice import Axis, Lattice, lattice_of
from anonym.search.problem import Problem

GROWTH = 3  # how much longer a search takes with one axis more
BUILD = 20  # prefixes that are read in the time it takes to sort a cell


def tails(problem: Problem, lattice: Lattice, meter: Meter, share: float) -> list[float]:
    """(axes + 1,) what all rows cost at least on the axes from each depth on, within `share` of the budget."""
    axes = lattice.axes
    least = [0.0] * (len(axes) + 1)
    end, own, best, took = len(axes), [0.0], Levels(), 0.0  # the group: axes up to `end`, and what is known of it
    for first in reversed(range(len(axes))):
        before, least[first] = meter.used(), least[first + 1]
        if before >= share:
            continue
        if GROWTH * took > (share - before) / 2:
            end, own, best = first + 1, [0.0], ()
        search = _searched(problem, axes[first:end], own, best, meter, share)
        least[first] = max(least[first], least[end] + search.bound)
        own, best, took = [search.bound, *own], search.best.chosen, meter.used() - before
        if not math.isinf(search.open):
            took = math.inf
    return least


def _searched(
    problem: Problem, axes: tuple[Axis, ...], own: list[float], best: Levels, meter: Meter, share: float
) -> BranchAndBound:
    """The axes searched alone, the first of them at every level above the best of the others to begin with."""
    columns = [axis.column for axis in axes]
    part = replace(
        problem,
        cells=replace(problem.cells, codes=np.ascontiguousarray(problem.cells.codes[:, columns])),
        hierarchies=tuple(problem.hierarchies[column] for column in columns),
        weights=tuple(problem.weights[column] for column in columns) if problem.weights else (),
        diversity=(),
        closeness=(),
    )
    lattice = lattice_of(part)
    used = meter.used()
    step = meter.part(used + (share - used) / 2)
    step(BUILD * problem.cells.count)
    search = BranchAndBound(lattice, judge_of(part, lattice, {}), part.rows, part.limit, step)
    search.tails = [0.0, *own]
    for level in range(len(lattice.axes[0].levels)):
        search.offer((level, *best))
    search.run()
    return search
