"""A stratified draw: its weights add up, its interval is narrower than that of a draw at random."""

from __future__ import annotations

import random
from itertools import product

import pytest

from anonym.text.drawing import allocate, draw
from anonym.text.recall import Labelled, measure


def variance(sizes: dict[int, int], spreads: dict[int, float], taken: dict[int, int]) -> float:
    return sum((sizes[h] * spreads[h]) ** 2 / taken[h] for h in sizes)


@pytest.mark.parametrize("n", [6, 9, 14])
def test_the_allocation_is_the_best_of_all(n: int) -> None:
    sizes, spreads = {0: 30, 1: 10, 2: 4}, {0: 0.2, 1: 1.0, 2: 4.0}
    taken = allocate(sizes, spreads, n)
    assert sum(taken.values()) == n
    every = (dict(enumerate(c)) for c in product(range(2, 13), range(2, 11), range(2, 5)) if sum(c) == n)
    assert variance(sizes, spreads, taken) == pytest.approx(min(variance(sizes, spreads, one) for one in every))


def test_weights_add_up_and_the_same_seed_draws_the_same() -> None:
    texts = [f"text {i} of words" for i in range(500)]
    found = [0 if i % 5 else i % 20 for i in range(500)]
    drawn = draw(texts, found, 60, seed=4, population=5_000)
    assert len(drawn) == 60
    assert sum(each.weight for each in drawn) == pytest.approx(5_000)
    assert drawn == draw(texts, found, 60, seed=4, population=5_000)
    assert drawn != draw(texts, found, 60, seed=5, population=5_000)
    assert len(draw(texts[:9], found[:9], 60, seed=1)) == 9
    assert [(each.weight, each.stratum) for each in draw(texts, found, 1, seed=1)] == [(500, "all texts")]
    assert {each.stratum for each in drawn} > {"0 to 0 found", "8 to 15 found"}


def population(dice: random.Random) -> list[Labelled]:
    """Texts of letters, each a label; most texts hold none. One label in ten is missed (upper case)."""
    sizes = [dice.choice([0] * 16 + [1, 2, 6, 30]) for _ in range(2_000)]
    texts = ["".join(dice.choice("aaaaaaaaaA") for _ in range(size)) or "." for size in sizes]
    return [Labelled(text, tuple((i, i + 1, "X") for i in range(len(text)) if text != ".")) for text in texts]


def test_the_weighted_rate_is_unbiased_and_its_interval_covers_and_is_narrower_than_at_random() -> None:
    dice = random.Random(7)
    everything = population(dice)
    masks = {id(d): [(i, i + 1, "X") for i, c in enumerate(d.text) if c == "a"] for d in everything}
    truth = measure(everything, [masks[id(d)] for d in everything]).whole.rate
    assert truth is not None
    found = [len(d.spans) for d in everything]
    covered, widths, plain_widths, rates = 0, [], [], []
    for seed in range(60):
        drawn = draw([d.text for d in everything], found, 100, seed)
        sample = [
            Labelled(d.text, d.spans, stratum=each.stratum, weight=each.weight)
            for each in drawn
            for d in [everything[each.index]]
        ]
        part = measure(sample, [masks[id(everything[each.index])] for each in drawn]).whole
        at_random = random.Random(seed).sample(everything, 100)
        plain = measure(at_random, [masks[id(d)] for d in at_random]).whole
        assert part.low is not None
        assert part.high is not None
        assert part.rate is not None
        assert plain.low is not None
        assert plain.high is not None
        covered += part.low <= truth <= part.high
        rates.append(part.rate)
        widths.append(part.high - part.low)
        plain_widths.append(plain.high - plain.low)
    assert covered >= 52  # 60 draws at 95 %: 51 or fewer has a chance below 1 in 1,000
    assert sum(rates) / 60 == pytest.approx(truth, abs=0.01)
    assert sum(widths) < 0.8 * sum(plain_widths)
