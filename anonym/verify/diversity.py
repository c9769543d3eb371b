"""l-diversity of every class (Machanavajjhala et al. 2007), by formulas of its own.

All three take a histogram and `fold`, (values,): values equal after trim, casefold and NFKC share a number, null has -1
and adds no diversity. Each returns (classes,) float64.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import polars as pl

from anonym.verify.codes import Integers
from anonym.verify.histogram import Floats, Histogram, summed


def folded(text: str) -> str:
    """Unicode's compatibility caseless match (definition D146), blanks at both ends aside."""
    return _compatible(_compatible(text).casefold()).strip()


def _compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def fold(values: pl.Series) -> Integers:
    """The fold of distinct `values`, null last in them or absent."""
    present = values.drop_nulls()
    texts = [folded(text) for text in present.to_list()] if present.dtype == pl.String else range(len(present))
    numbers = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    return np.array([numbers[text] for text in texts] + [-1] * values.null_count(), dtype=np.int64)


def _folded_entries(histogram: Histogram, fold: Integers) -> tuple[Integers, Floats]:
    """Class and weight of each distinct (class, folded value), sorted by class."""
    number = fold[histogram.value]
    present = number >= 0
    size = int(fold.max(initial=0)) + 1
    pair, place = np.unique(histogram.owner[present] * size + number[present], return_inverse=True)
    return pair // size, summed(histogram.weight[present], place, len(pair))


def distinct(histogram: Histogram, fold: Integers) -> Floats:
    """The smaller of distinct folded values and members."""
    owner, _ = _folded_entries(histogram, fold)
    values = np.bincount(owner, minlength=histogram.classes)
    return np.minimum(values, histogram.members).astype(np.float64)


def entropy(histogram: Histogram, fold: Integers) -> Floats:
    """exp of the entropy of the non-null values; 0 for a class of nulls only."""
    owner, weight = _folded_entries(histogram, fold)
    total = summed(weight, owner, histogram.classes)
    share = weight / total[owner]
    nats = summed(-share * np.log(share), owner, histogram.classes)
    return np.where(total > 0, np.exp(nats), 0.0)


def recursive(histogram: Histogram, fold: Integers, least: int) -> Floats:
    """r1 / (r_l + ... + r_m), counts in falling order, l being `least`: (c, l)-diversity holds for every c above it.

    Infinite for a class of fewer than l values.
    """
    owner, weight = _folded_entries(histogram, fold)
    order = np.lexsort((-weight, owner))
    owner, weight = owner[order], weight[order]
    begin = np.searchsorted(owner, np.arange(histogram.classes))
    rank = np.arange(len(owner)) - begin[owner] + 1
    head = summed(weight[rank == 1], owner[rank == 1], histogram.classes)
    tail = summed(weight[rank >= least], owner[rank >= least], histogram.classes)
    bound: Floats = np.divide(head, tail, out=np.full(histogram.classes, np.inf), where=tail > 0)
    return bound
