"""Samples in every format come to the same labels, in code points, each once."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import InputError
from anonym.text.labelled import Labelled, Mention, Offsets, documents, from_mapping, read

TEXT = "😀 Odalys of Avel"
SPANS = ((2, 8, "PER"), (12, 16, "LOC"))
UTF16 = ((3, 9, "PER"), (13, 17, "LOC"))
BYTES = ((5, 11, "PER"), (15, 19, "LOC"))


def lines(spans: Any) -> str:
    return json.dumps({"text": TEXT, "spans": [{"start": s, "end": e, "label": t} for s, e, t in spans]})


def presidio(spans: Any) -> dict[str, Any]:
    marked = [
        {"start_position": s, "end_position": e, "entity_type": t, "entity_value": TEXT[a:b]}
        for (s, e, t), (a, b, _) in zip(spans, SPANS, strict=True)
    ]
    return {"full_text": TEXT, "masked": None, "spans": marked, "template_id": 3}


def studio(spans: Any, **more: Any) -> dict[str, Any]:
    result = [
        {"type": "labels", "from_name": "label", "value": {"start": s, "end": e, "labels": [t], "text": TEXT[a:b]}}
        for (s, e, t), (a, b, _) in zip(spans, SPANS, strict=True)
    ]
    result.append({"type": "choices", "value": {"choices": ["good"]}})
    return {"id": 1, "data": {"text": TEXT}, "annotations": [{"result": result, **more}]}


def one(content: str, offsets: Offsets | None = None) -> Labelled:
    [document] = documents(content, "sample", "auto", offsets)
    return document


@pytest.mark.parametrize(
    ("content", "offsets"),
    [
        (lines(SPANS), None),
        (lines(UTF16), "utf-16"),
        (lines(BYTES), "bytes"),
        (json.dumps([presidio(SPANS)]), None),
        (json.dumps(presidio(SPANS)) + "\n", None),
        (json.dumps([presidio(BYTES)]), "bytes"),
        (json.dumps([studio(UTF16)]), None),
        (json.dumps([studio(SPANS)]), "code-points"),
        (json.dumps([{"text": TEXT, "label": [{"start": s, "end": e, "labels": [t]} for s, e, t in UTF16]}]), None),
    ],
)
def test_every_json_format_gives_the_same_labels(content: str, offsets: Offsets | None) -> None:
    assert one(content, offsets) == Labelled(TEXT, SPANS)


def test_two_annotators_of_one_span_are_one_label_and_a_cancelled_one_none() -> None:
    task = studio(UTF16)
    cancelled = studio(((0, 1, "X"), (0, 1, "X")), was_cancelled=True)  # its text does not fit: nobody may read it
    task["annotations"] += [studio(UTF16)["annotations"][0], cancelled["annotations"][0]]
    assert one(json.dumps([task])).spans == SPANS


@pytest.mark.parametrize(
    ("content", "offsets"),
    [
        (json.dumps([studio(SPANS)]), None),  # code points where UTF-16 is meant: the repeated text does not fit
        (json.dumps([presidio(UTF16)]), None),
        (lines(((3, 4, "X"),)), "bytes"),  # inside a character
        (lines(((2, 99, "X"),)), "utf-16"),
    ],
)
def test_offsets_that_do_not_fit_are_refused_without_text(content: str, offsets: Offsets | None) -> None:
    with pytest.raises(InputError) as refused:
        one(content, offsets)
    assert "offsets" in str(refused.value)
    assert "Odalys" not in str(refused.value)


def test_tab_keeps_entities_by_annotator_and_counts_no_mask_as_allowed() -> None:
    def mention(start: int, end: int, kind: str, entity: str) -> dict[str, Any]:
        return {
            "start_offset": start,
            "end_offset": end,
            "span_text": TEXT[start:end],
            "entity_type": "PERSON",
            "identifier_type": kind,
            "entity_id": entity,
            "entity_mention_id": "m",
        }

    annotations = {
        "a1": {"entity_mentions": [mention(2, 8, "DIRECT", "e1"), mention(12, 16, "NO_MASK", "e2")]},
        "a2": {"entity_mentions": [mention(2, 8, "DIRECT", "e9"), mention(12, 16, "QUASI", "e2")]},
    }
    document = one(json.dumps([{"doc_id": "1", "text": TEXT, "annotations": annotations}]))
    assert document.spans == ((2, 8, "PERSON"), (12, 16, "PERSON"))
    assert document.mentions == (
        Mention(2, 8, "direct", "a1/e1"),
        Mention(2, 8, "direct", "a2/e9"),
        Mention(12, 16, "quasi", "a2/e2"),
    )
    assert document.allowed == ((12, 16),)


CONLL = """-DOCSTART- -X- -X- O

Odalys NNP B-NP I-PER
Brenthwick NNP I-NP I-PER
saw VBD B-VP O
Avel NNP B-NP I-LOC
Berg NNP B-NP B-LOC

EU NNP B-NP S-ORG
"""
UNER = "# sent_id = 1\n# text = Avel sings\n1\tAvel\tB-PER\t-\tann\n2\tsings\tO\t-\tann\n"


def test_columns_of_iob1_bioes_and_numbered_tokens() -> None:
    first, second = documents(CONLL, "x.conll")
    assert first == Labelled("Odalys Brenthwick saw Avel Berg", ((0, 17, "PER"), (22, 26, "LOC"), (27, 31, "LOC")))
    assert second == Labelled("EU", ((0, 2, "ORG"),))
    assert list(documents(UNER, "x.iob2")) == [Labelled("Avel sings", ((0, 4, "PER"),))]


def test_text_that_is_no_sample_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tags"):
        list(documents("some prose\nmore prose\n", "x.txt"))
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "absent.jsonl")
    assert list(documents("\n\n", "empty")) == []


def test_a_gzipped_sample_with_weights_and_the_rows_own_values(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl.gz"
    line = {"text": "a b", "spans": [], "weight": 3.5, "stratum": "0", "known": {"name": "Li", "age": 7, "x": None}}
    path.write_bytes(gzip.compress(json.dumps(line).encode()))
    [document] = read(path)
    assert (document.weight, document.stratum) == (3.5, "0")
    assert document.known == {"name": "Li", "age": "7", "x": None}
    with pytest.raises(InputError, match="weight"):
        from_mapping(line | {"weight": 0})


@settings(deadline=None)
@given(st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=30), st.data())
def test_offsets_of_every_kind_agree_with_encoding(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    for offsets, width in (("utf-16", lambda t: len(t.encode("utf-16-le")) // 2), ("bytes", lambda t: len(t.encode()))):
        marked = [{"start": width(text[:start]), "end": width(text[:end]), "label": "X"}]
        found = from_mapping({"text": text, "spans": marked}, offsets)  # type: ignore[arg-type]
        assert found.spans == ((start, end, "X"),)


def test_a_label_given_twice_is_one_label() -> None:
    assert one(lines([*SPANS, SPANS[0]])).spans == SPANS
    assert len(one(lines([*SPANS, (2, 8, "NAME")])).spans) == 3


@pytest.mark.parametrize("start", [2.5, "2.5", None, "two"])
def test_an_offset_that_is_no_whole_number_is_refused(start: Any) -> None:
    with pytest.raises(InputError, match="line 1"):
        one(lines([(start, 8, "PER")]))
    assert one(lines([(2.0, "8", "PER")])).spans == SPANS[:1]


def line(**changed: Any) -> str:
    return json.dumps({"text": "mail a@x.example", "spans": [{"start": 5, "end": 16, "label": "EMAIL"}]} | changed)


def span(**changed: Any) -> str:
    return line(spans=[{"start": 5, "end": 16, "label": "EMAIL"} | changed])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (span(label=None), "a label is a text"),
        (span(label=""), "a label is a text"),
        (span(label=["EMAIL"]), "a label is a text"),
        (span(start=True), "no whole number"),
        (span(start=5.5), "no whole number"),
        (span(end=5), "outside its text"),
        (span(start=-2), "outside its text"),
        (span(start="five"), "expected an object"),
        (line(weight=float("inf")), "a weight must be"),
        (line(weight="nan"), "a weight must be"),
        (line(text="\ud800mail a@x.example"), "surrogate"),
        (line(text=None), "as a string"),
        (line(spans=None), "expected an object"),
        (line(spans=[[5, 16, "EMAIL"]]), "expected an object"),
        (json.dumps({"text": "mail a@x.example", "label": [[5, 16, "EMAIL"]]}), "each label as an object"),  # doccano
        (json.dumps({"text": "mail a@x.example", "entities": []}), "expected an object"),
        (json.dumps(["mail"]), "expected an object"),
        (line() + "\n{", "line 2: expected a JSON object"),
        ("Anna B-PER\nBell\n", "a column of tags"),
        ("Anna PERSON\nBell PERSON\n", "a column of tags"),
        ("text,label\nmail,EMAIL\n", "a column of tags"),
    ],
)
def test_malformed_samples_are_refused_with_what_is_wrong_and_no_text(content: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        list(documents(content, "sample"))
    assert "a@x" not in str(refused.value)


def task(data: dict[str, str], *annotations: dict[str, Any]) -> str:
    return json.dumps([{"id": 1, "data": data, "annotations": list(annotations)}])


EMAIL = {"result": [{"type": "labels", "value": {"start": 5, "end": 16, "text": "a@x.example", "labels": ["EMAIL"]}}]}


def test_the_labelled_text_of_a_task_is_the_one_that_its_labels_fit() -> None:
    data = {"customer": "a number that is longer than the note", "note": "mail a@x.example", "id": "zz9"}
    assert one(task(data, EMAIL)) == Labelled("mail a@x.example", ((5, 16, "EMAIL"),))
    with pytest.raises(InputError, match="does not fit the text"):
        one(task({"note": "mail b@y.example and more"}, EMAIL))


def test_a_task_that_nobody_has_labelled_is_no_text_without_labels() -> None:
    note = {"text": "mail a@x.example"}
    assert list(documents(task(note), "sample")) == []
    assert list(documents(task(note, EMAIL | {"was_cancelled": True}), "sample")) == []
    assert one(task(note, {"result": []})) == Labelled("mail a@x.example", ())


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_and_line_ends_of_windows_change_nothing(tmp_path: Path, mark: str, end: str) -> None:
    text = "é😀\r\nm\u0301 Odalys"
    start = text.index("Odalys")
    entry = json.dumps({"text": text, "spans": [{"start": start, "end": start + 6, "label": "PER"}]})
    path = tmp_path / "sample.jsonl"
    path.write_bytes((mark + entry + end + end + entry + end).encode())
    assert read(path) == [Labelled(text, ((start, start + 6, "PER"),))] * 2
    path.write_bytes((mark + f"Anna B-PER{end}Bell I-PER{end}{end}x O{end}").encode())
    assert read(path) == [Labelled("Anna Bell", ((0, 9, "PER"),)), Labelled("x", ())]
