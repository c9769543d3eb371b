"""Invented support lines of invented customers, with canaries: what the language example trains on.

Domains and numbers are of ranges that belong to nobody (RFC 2606, Ofcom's drama numbers).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST = _words(
    "anna ben carla david elena felix greta henry ines jonas karin lukas mona nils olga paul rosa simon "
    "tara vera walter yara zoe amir bela chen dana emil fatima ulrich"
)
LAST = _words(
    "adler berg costa diaz evans fischer gruber hansen ito jansen kaya lang moreau novak olsen petrov "
    "quinn rossi silva toth unger vogel weber xu young zeman abbot brandt cruz dunn"
)
OPENINGS = (
    ("please mail ", "mail"),
    ("reply goes to ", "mail"),
    ("she wrote from ", "mail"),
    ("call back on ", "phone"),
    ("reached at ", "phone"),
    ("new number ", "phone"),
)
RARE_OPENINGS = (("bitte an ", "mail"), ("antwort an ", "mail"), ("anruf unter ", "phone"), ("neue nummer ", "phone"))
RARE = 0.08  # of the customers write in German: the small group
TAILS = (".", " today.", " at noon.", ", twice.")
CANARY = "the door code is "
REPEATS = (1, 4, 16)
LONGEST = 64


@dataclass(frozen=True)
class Corpus:
    """Lines with their owners, the identifiers in them, and the canaries: (code, how often it was planted)."""

    lines: tuple[str, ...]
    owners: tuple[int, ...]
    prompts: tuple[str, ...]  # what stands before an identifier, of lines that have one
    identifiers: tuple[str, ...]
    canaries: tuple[tuple[str, int], ...]
    rare: tuple[bool, ...]  # whether a line is of the small group


def corpus(customers: int = 400, seed: int = 0, canaries: int = 3) -> Corpus:
    """Up to four lines of each customer, and `canaries` for each number of repetitions, each of one more customer.

    A share RARE of the customers are a small group whose lines begin otherwise.
    """
    draw = np.random.default_rng(seed)
    lines: list[str] = []
    owners: list[int] = []
    prompts: list[str] = []
    identifiers: list[str] = []
    rare: list[bool] = []
    for owner in range(customers):
        held = _identifiers(draw)
        openings = RARE_OPENINGS if (is_rare := bool(draw.random() < RARE)) else OPENINGS
        for _ in range(int(draw.integers(1, 5))):
            opening, kind = openings[draw.integers(len(openings))]
            before = f"{held['name']}: {opening}"
            lines.append(before + held[kind] + TAILS[draw.integers(len(TAILS))])
            prompts.append(before)
            identifiers.append(held[kind])
            owners.append(owner)
            rare.append(is_rare)
    planted = [(code(draw), times) for times in REPEATS for _ in range(canaries)]
    for place, (secret, times) in enumerate(planted):
        lines += [CANARY + secret + "."] * times
        owners += [customers + place] * times
        rare += [False] * times
    told = tuple(dict.fromkeys(identifiers))
    return Corpus(tuple(lines), tuple(owners), tuple(prompts), told, tuple(planted), tuple(rare))


def _identifiers(draw: np.random.Generator) -> dict[str, str]:
    first, last = FIRST[draw.integers(len(FIRST))], LAST[draw.integers(len(LAST))]
    number = int(draw.integers(10, 100))
    return {
        "name": f"{first} {last}",
        "mail": f"{first}.{last}{number}@mail.example",
        "phone": f"+44 7700 900{int(draw.integers(1000)):03d}",
    }


def code(draw: np.random.Generator) -> str:
    """Nine digits in three groups."""
    return "-".join(f"{int(group):03d}" for group in draw.integers(0, 1000, 3))
