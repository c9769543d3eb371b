"""Recall: each label once, no rate without a label, Wilson's interval."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import InputError
from anonym.text.options import TextOptions
from anonym.text.recall import Labelled, Proportion, measure, read, recall
from anonym.text.scrub import Scrubber


def test_nested_labels_and_split_masks_count_once() -> None:  # T70
    text = "Odalys Brenthwick of Avel rang +1 202-555-0143."
    gold = ((0, 17, "PERSON"), (7, 17, "SURNAME"), (21, 25, "PLACE"), (31, 46, "PHONE"))
    masks = [(0, 25, "PERSON"), (31, 35, "PHONE"), (35, 46, "PHONE")]
    found = measure([Labelled(text, gold)], [masks])
    assert (found.whole.found, found.whole.of) == (4, 4)
    assert (found.exact.found, found.exact.of) == (0, 4)
    assert (found.characters.found, found.characters.of) == (36, 36)
    assert found.character_precision.of - found.character_precision.found == 4
    assert found.character_precision.rate == pytest.approx(0.9)


def test_no_label_no_rate() -> None:  # T73
    documents = [Labelled("nothing here", ()), Labelled("call 202-555-0143", ((5, 17, "PHONE"),))]
    found = measure(documents, [[], []], ["PERSON", "PHONE"])
    assert found.entities["PHONE"].rate == 0.0
    assert found.entities["PERSON"].rate is None
    assert (found.whole.found, found.whole.of) == (0, 1)
    assert (found.clean.found, found.clean.of) == (0, 1)
    assert found.holds(0.9, ["PERSON", "PHONE"]) is False
    assert found.missed == ((1, 5, 17, "PHONE"),)
    assert measure(documents[:1], [[]]).holds(0.9) is None
    assert measure(documents[:1], [[]]).evidence()["overall"]["rate"] is None


@settings(deadline=None)
@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_contains_the_rate_and_solves_its_equation(a: int, b: int) -> None:
    part = Proportion(min(a, b), max(a, b))
    if not part.of:
        assert part.low is part.high is None
        return
    assert part.rate is not None
    assert part.low is not None
    assert part.high is not None
    assert 0 <= part.low <= part.rate <= part.high <= 1
    for end in (part.low, part.high):
        if 0 < end < 1:  # |p - end| = z sqrt(end (1 - end) / n)
            assert (part.rate - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / part.of, rel=1e-3, abs=1e-9)


def test_a_gate_is_on_the_lower_bound() -> None:
    text = "ab" * 100
    gold = tuple((i, i + 1, "X") for i in range(50))
    all_found = measure([Labelled(text, gold)], [[(0, 50, "X")]])
    assert all_found.whole.rate == 1.0
    assert all_found.holds(0.9) is True
    assert all_found.holds(0.99) is False
    assert all_found.holds(0.9, ["Y"]) is None


def test_a_scrubber_is_measured_and_a_withheld_text_hides_all() -> None:
    text = "mail odalys@x.example now"
    sample = [Labelled(text, ((5, 21, "EMAIL"),)), Labelled("Odalys", ((0, 6, "PERSON"),))]
    found = recall(Scrubber(TextOptions(ner=None)), sample)
    assert (found.whole.found, found.whole.of) == (1, 2)
    withheld = recall(Scrubber(TextOptions(ner=None, longest=3)), sample)
    assert (withheld.whole.found, withheld.whole.of) == (2, 2)


def test_samples_are_read_with_either_names(tmp_path: Path) -> None:
    lines = [
        {"text": "a b", "spans": [{"start": 0, "end": 1, "label": "X"}]},
        {"text": "a b", "gold": [{"start": 2, "end": 3, "type": "Y"}]},
    ]
    plain, packed = tmp_path / "s.jsonl", tmp_path / "s.jsonl.gz"
    content = "\n".join(map(json.dumps, lines)) + "\n\n"
    plain.write_text(content, encoding="utf-8")
    packed.write_bytes(gzip.compress(content.encode()))
    assert read(plain) == read(packed) == [Labelled("a b", ((0, 1, "X"),)), Labelled("a b", ((2, 3, "Y"),))]


@pytest.mark.parametrize("line", ["{", '{"text": "secret"}', '{"text": "secret", "spans": [{"start": 0, "end": 99}]}'])
def test_a_line_that_does_not_fit_is_named_without_its_text(tmp_path: Path, line: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"text": "a", "spans": []}\n' + line, encoding="utf-8")
    with pytest.raises(InputError, match="line 2") as refused:
        read(path)
    assert "secret" not in str(refused.value)
