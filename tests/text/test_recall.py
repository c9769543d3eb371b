"""Recall: each label once, no rate without a label, Wilson's interval."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive.text import recall_counts

from anonym.errors import InputError
from anonym.text.labelled import Mention
from anonym.text.options import TextOptions
from anonym.text.recall import Labelled, Missed, Proportion, f2, measure, read, recall
from anonym.text.scrub import Scrubber
from anonym.text.words import words


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
    assert found.missed == (Missed(1, 5, 17, "PHONE"),)
    assert measure(documents[:1], [[]]).holds(0.9) is None
    unlabelled = measure(documents[:1], [[(0, 7, "X")]]).evidence()
    assert all(part["rate"] is None for name, part in unlabelled.items() if isinstance(part, dict) and "rate" in part)
    assert unlabelled["token_f2"] is None


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
    assert all_found.holds(0.99) is None  # 50 of 50 show 0.929 at least
    assert all_found.holds(0.9, ["Y"]) is None
    assert measure([Labelled(text, gold)], [[(0, 40, "X")]]).holds(0.99) is False  # 40 of 50: 0.888 at most


def test_an_entity_is_found_when_all_its_mentions_are_and_small_words_do_not_count() -> None:
    text = "Mr Odalys of Avel; Odalys; the Hague"
    mentions = (
        Mention(0, 17, "direct", "e1"),
        Mention(19, 25, "direct", "e1"),
        Mention(27, 36, "quasi", "e2"),
    )
    document = Labelled(text, ((0, 17, "PERSON"), (27, 36, "PLACE"), (27, 30, "WORD")), mentions, ((19, 25),))
    found = measure([document], [[(3, 9, "PERSON", "a"), (13, 17, "PERSON", "b"), (31, 36, "X", "c")]])
    assert (found.direct.found, found.direct.of) == (0, 1)
    assert (found.quasi.found, found.quasi.of) == (1, 1)
    assert (found.whole.found, found.whole.of) == (2, 3)  # a label that is a small word alone must be masked
    assert found.missed == (Missed(0, 27, 30, "WORD"),)
    both = measure([document], [[(3, 9, "PERSON"), (13, 17, "PERSON"), (19, 25, "PERSON")]])
    assert both.direct.rate == 1.0
    assert both.token_precision.rate == 1.0  # what need not be masked may be


def test_f2_and_the_precision_of_a_type_and_of_a_rule() -> None:
    assert f2(0.8, 0.5) == pytest.approx(5 * 0.5 * 0.8 / (4 * 0.5 + 0.8))
    assert f2(0.0, 0.0) == 0.0
    assert f2(None, 0.5) is f2(0.5, None) is None
    text = "Odalys met Avel and Berg"
    document = Labelled(text, ((0, 6, "PER"), (11, 15, "LOC")))
    found = measure([document], [[(0, 6, "PERSON", "a"), (20, 24, "PERSON", "b"), (11, 13, "LOCATION", "b")]])
    assert (found.precisions["PER"].found, found.precisions["PER"].of) == (1, 2)
    assert found.evidence()["f2"] == {"PER": pytest.approx(f2(1.0, 0.5)), "LOC": 0.0}
    assert (found.rules["b"].found, found.rules["b"].of) == (1, 2)
    assert found.missed == (Missed(0, 11, 15, "LOC", ("b",)),)


def test_a_token_is_masked_when_all_that_is_labelled_of_it_is() -> None:
    document = Labelled("OdalysBrenthwick rang_Avel", ((0, 16, "PERSON"), (22, 26, "PLACE")))
    half = measure([document], [[(0, 6, "PERSON"), (22, 26, "PLACE")]])
    assert (half.tokens.found, half.tokens.of) == (1, 2)
    assert (half.token_precision.found, half.token_precision.of) == (2, 2)


def test_a_mask_on_what_need_not_be_masked_is_no_trial_of_its_type() -> None:
    document = Labelled("Odalys, Berg, Avel", ((0, 6, "PERSON"),), allowed=((8, 12),))
    masks = [(0, 6, "PERSON", "a"), (8, 12, "PERSON", "a"), (14, 18, "PERSON", "a")]
    found = measure([document], [masks])
    assert (found.precisions["PERSON"].found, found.precisions["PERSON"].of) == (1, 2)
    assert (found.rules["a"].found, found.rules["a"].of) == (2, 3)


def test_a_scrubber_is_measured_and_a_withheld_text_hides_all() -> None:
    text = "mail odalys@x.example now"
    sample = [Labelled(text, ((5, 21, "EMAIL"),)), Labelled("Odalys", ((0, 6, "PERSON"),))]
    found = recall(Scrubber(TextOptions(ner=None)), sample)
    assert (found.whole.found, found.whole.of) == (1, 2)
    withheld = recall(Scrubber(TextOptions(ner=None, longest=3)), sample)
    assert (withheld.whole.found, withheld.whole.of) == (2, 2)
    assert (found.withheld, withheld.withheld) == (0, 2)
    assert withheld.evidence()["withheld"] == 2


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


def test_the_interval_covers_where_misses_of_a_text_come_together() -> None:
    dice = random.Random(4)
    text = " ".join(f"n{i:02}" for i in range(20))
    spans = tuple((4 * i, 4 * i + 3, "PERSON") for i in range(20))
    covered = independent = 0
    for _ in range(60):
        sample = [Labelled(text, spans) for _ in range(30)]
        shares = [dice.choice((0.5, 1.0)) for _ in sample]  # 0.75 of all, 30 texts and not 600 labels
        masks = [[span for span in spans if dice.random() < share] for share in shares]
        whole = measure(sample, masks).whole
        assert whole.low is not None
        assert whole.high is not None
        plain = Proportion(whole.found, whole.of)
        assert plain.low is not None
        assert plain.high is not None
        covered += whole.low <= 0.75 <= whole.high
        independent += plain.low <= 0.75 <= plain.high
    assert covered >= 52  # of 60 at 95 %: fewer once in 300 seeds
    assert independent < 44  # what labels counted as independent would give


def test_labels_in_texts_that_are_alike_count_each_for_itself() -> None:
    sample = [Labelled("a b", ((0, 1, "X"), (2, 3, "X"))) for _ in range(200)]
    dice = random.Random(6)
    masks = [[span for span in document.spans if dice.random() < 0.8] for document in sample]
    whole = measure(sample, masks).whole
    assert 1.0 <= whole.effect < 1.3


TEXTS = st.lists(st.sampled_from([*"aB1é😀\u0301_ \r\n.-中", "of ", "the "]), min_size=1).map("".join)
SPANS = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 8), st.sampled_from(["PER", "LOC"])), max_size=5)


@given(TEXTS, SPANS, SPANS)
def test_counting_agrees_with_sets_of_positions(
    text: str, labelled: list[tuple[int, int, str]], masked: list[tuple[int, int, str]]
) -> None:
    def inside(spans: list[tuple[int, int, str]]) -> tuple[tuple[int, int, str], ...]:
        """Nested, overlapping, touching, as they come; each once."""
        ends = [(start % len(text), min(start % len(text) + size, len(text)), kind) for start, size, kind in spans]
        return tuple(dict.fromkeys(ends))

    labels, masks = inside(labelled), inside(masked)
    assume(labels)
    found = measure([Labelled(text, labels)], [masks])
    for name, counts in recall_counts(text, labels, masks, words("small")).items():
        part = getattr(found, name)
        assert (part.found, part.of) == counts, name
