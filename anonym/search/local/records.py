"""What local recoding is given beside the problem, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from anonym.hierarchy.model import Cells

Vocabulary = Literal["label", "set"]
SUPPRESSED = -1  # the class of rows that are given up


@dataclass(frozen=True)
class Records:
    """Distinct (quasi-identifiers, sensitive values, unit) tuples of the table with their rows, in any order.

    Rows whose leaf is `suppressed` in its hierarchy are left out, as in `Cells`.
    """

    codes: NDArray[np.int32]  # (records, quasi-identifiers): leaf codes
    sensitive: NDArray[np.int32]  # (records, sensitive columns): value codes of `Cells.sensitive`
    rows: NDArray[np.int64]  # (records,)
    unit: NDArray[np.int32] | None = None  # (records,) numbers of the units, where they count; one more of the tuple

    @property
    def count(self) -> int:
        return int(self.rows.size)

    @property
    def total_rows(self) -> int:
        return int(self.rows.sum())

    def at(self, chosen: NDArray[np.int64]) -> Records:
        """Those chosen, in that order."""
        unit = None if self.unit is None else self.unit[chosen]
        return Records(self.codes[chosen], self.sensitive[chosen], self.rows[chosen], unit)

    @classmethod
    def of_cells(cls, cells: Cells) -> Records:
        """From cells without a unit and with at most one sensitive column: several say nothing of joint values."""
        if not cells.sensitive:
            return cls(cells.codes, np.empty((cells.count, 0), np.int32), cells.rows)
        if len(cells.sensitive) > 1 or cells.units is not None:
            raise ValueError("cells with several sensitive columns or units do not determine their records")
        counts = cells.sensitive[0]
        return cls(cells.codes[counts.cell], counts.value[:, None], np.rint(counts.weight).astype(np.int64))


@dataclass(frozen=True)
class Parts:
    """Which rows of which record go to which class, sorted by record, then class; suppressed rows last.

    A record's rows are its parts' rows in that order: the first `rows` of them (in any fixed order of the table) go to
    the first part's class, and so on.
    """

    record: NDArray[np.int64]  # (parts,)
    cls: NDArray[np.int32]  # (parts,) class, SUPPRESSED for rows given up
    rows: NDArray[np.int64]  # (parts,) at least 1


@dataclass(frozen=True)
class SetColumn:
    """The cells of one column under the vocabulary `set`, a row a class.

    Numbers and dates: `low` and `high` (classes,) are the first and last leaf covered; -1 twice is `*`, the null leaf
    twice is null alone. Categories: `members` (classes, words) holds a bit a leaf, 64 a word; all bits set is `*`.
    """

    low: NDArray[np.int32] | None = None
    high: NDArray[np.int32] | None = None
    members: NDArray[np.uint64] | None = None


@dataclass(frozen=True)
class LocalSolution:
    """A local recoding: the released classes, distinct in what they release, and which rows they take.

    `nodes` (classes, quasi-identifiers) is the hierarchy node of each cell under the vocabulary `label`, -1 for `set`,
    whose cells stand in `sets` under the column's index. `rows` (classes,) are the rows in each class and `costs`
    (classes, quasi-identifiers) the normalised certainty penalty of its cells. `loss` is the
    unweighted NCP of DESIGN over all input rows, of exactly what is released; `bound` a proven lower bound of it for
    any recoding of the same vocabulary under k.
    """

    nodes: NDArray[np.int32]
    sets: dict[int, SetColumn]
    rows: NDArray[np.int64]
    costs: NDArray[np.float64]
    parts: Parts
    suppressed_rows: int  # with those lost before the search
    loss: float
    bound: float
    tries: int
    cpu_s: float
    compile_s: float
    is_reproducible: bool = True  # False under a budget of seconds
    why: str = ""

    @property
    def classes(self) -> int:
        return int(self.rows.size)
