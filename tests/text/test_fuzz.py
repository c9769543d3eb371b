"""Generated texts: spans in order, the rest byte for byte the same, a second scrub changes nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Literal

import polars as pl
import pytest

from anonym.text.options import TextOptions
from anonym.text.scrub import Scrubber
from anonym.text.structure import MASK

PARTS = (
    "a.one@x.example", "+1 202-555-0143", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "41.173.96.26",
    "Mr Brenthwick", "odalys", "27 February 2003", "2003-02-27", "64 years old", "1668 Glyn St", "PO Box 4411",
    "password is Kestrel-91-Harbour", "AKIAQJZ7W5TN2X4M6R3P", "@OdalysB_99", "https://x.example/a?b=17",
    "NHS 943 476 5919",
    "the", "limit", "of", "Rose", "May", "said", "no.", "316/07", "😀", "é", "e\u0301", "\u200b", "\u202e", "שלום",
    "中文", "\r\n", "\n", "\t", "<b>", "</b>", "<PERSON>", "█████", '{"a": 1}', "[", "]", "&#64;", "\\u0040", "%40",
    "«", "»", "\ufdd0", "\ufdd1", "\x00", "::", "--", "=", "(", ")", "12", "3.14", "A.", "I. THE",
    "\U0001f469\u200d\U0001f52c",
)  # fmt: skip


def texts(count: int, seed: int) -> Iterator[str]:
    dice = random.Random(seed)
    for _ in range(count):
        parts = dice.choices(PARTS, k=dice.randrange(1, 14))
        yield "".join(part + dice.choice(("", " ", " ", ", ", ". ")) for part in parts)


def hold(count: int, seed: int, style: Literal["tag", "mask"]) -> None:
    scrubber = Scrubber(TextOptions(ner=None, replace=style))
    given = list(texts(count, seed))
    found = scrubber.scrub(pl.Series(given, dtype=pl.String))
    rows: dict[int, list[tuple[int, int, str]]] = {}
    for row, start, end, entity in found.spans.select("row", "start", "end", "entity").iter_rows():
        rows.setdefault(row, []).append((start, end, entity))
    for row, (text, new) in enumerate(zip(given, found.text, strict=True)):
        if new is None:
            continue  # withheld, and counted so
        at, rest, spans = 0, new, rows.get(row, [])
        for start, end, entity in spans:
            assert at <= start < end <= len(text)
            outside = text[at:start]
            assert rest.startswith(outside)
            rest = rest[len(outside) :]
            marks = {MASK} if style == "mask" else {f"<{entity}>", f"&lt;{entity}&gt;"}
            marks |= {f'"{mark}"' for mark in marks}
            mark = max((mark for mark in marks if rest.startswith(mark)), key=len)
            rest = rest[len(mark) :]
            at = end
        assert rest == text[at:]
    again = scrubber.scrub(found.text)
    assert again.text.equals(found.text)
    assert found.withheld <= count // 1_000


@pytest.mark.parametrize("style", ["tag", "mask"])
def test_generated_texts(style: Literal["tag", "mask"]) -> None:
    hold(1_500, 11, style)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("style", ["tag", "mask"])
def test_a_hundred_thousand_generated_texts(style: Literal["tag", "mask"], seed: int) -> None:
    hold(2_000, 100 + seed, style)
