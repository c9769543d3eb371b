"""Kingfisher, the real package: offsets in code points, what it adds, a clear refusal where it is missing."""

from __future__ import annotations

import base64
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from anonym.errors import CallError, PolicyError
from anonym.policy.model import Policy
from anonym.text.kingfisher import Kingfisher, _native
from anonym.text.options import TextOptions
from anonym.text.scanner import Column, scanner
from anonym.text.scrub import Scrubber

TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
needs_kingfisher = pytest.mark.skipif(
    importlib.util.find_spec("kingfisher_sdk") is None, reason="kingfisher-secret-scanner is not installed"
)


def found_in(*texts: str) -> list[tuple[int, str]]:
    column = Column(texts, scanner(()))
    return [(row, texts[row][span.start : span.end]) for row, span in Kingfisher().detect(column)]


@needs_kingfisher
@pytest.mark.parametrize(
    "before",
    ["", "é ", "key 😀 👩‍👩‍👧 ", "m\u0301 ", "a\r\nb\r\n", "\u202eשלום ", "\ufeff", "x\x00y ", "\u200b", "𝔘𝔫𝔦 "],
)
def test_offsets_are_code_points(before: str) -> None:
    assert (0, TOKEN) in found_in(f"{before}{TOKEN} 😀 after")


@needs_kingfisher
def test_every_text_has_its_own_findings_and_an_empty_one_none() -> None:
    assert found_in("", TOKEN, "a sentence on harbours", f"x {TOKEN}") == [(1, TOKEN), (3, TOKEN)]


@needs_kingfisher
def test_an_encoded_token_is_found_as_the_whole_encoded_run() -> None:
    encoded = base64.b64encode(f"the token {TOKEN} of the build".encode()).decode()
    assert (0, encoded) in found_in(f"é payload: {encoded} end")


@needs_kingfisher
def test_half_of_a_pair_of_keys_counts() -> None:
    key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzq9zKEa"
    assert (0, key) in found_in(f'aws_secret = "{key}"')


@needs_kingfisher
def test_it_adds_to_what_is_found_and_leaves_prose_alone(bench_data: Path) -> None:
    def flagged(name: str, providers: tuple[str, ...]) -> int:
        texts = pl.read_ndjson(bench_data / "text" / f"{name}.jsonl.gz")["text"]
        spans = Scrubber(TextOptions(packs=("health",), ner=None, secrets=providers)).scrub(texts).spans
        return spans.filter(pl.col("entity") == "SECRET")["row"].n_unique()

    both = ("detect-secrets", "kingfisher")
    assert flagged("secrets_positive", both) >= flagged("secrets_positive", ("detect-secrets",)) + 5
    assert flagged("uner_ewt_dev", both) <= 2


@needs_kingfisher
def test_the_evidence_names_what_ran() -> None:
    named = Scrubber(TextOptions(ner=None, secrets=("kingfisher",))).secrets
    assert [entry.split()[0] for entry in named] == ["rules", "kingfisher"]
    assert named[1].split()[1][0].isdigit()
    assert Scrubber(TextOptions(ner=None, secrets=())).secrets == ()


@pytest.fixture
def without_kingfisher(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    _native.cache_clear()
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", None)
    yield
    _native.cache_clear()


@pytest.mark.usefixtures("without_kingfisher")
def test_a_missing_package_is_said_before_any_text() -> None:
    with pytest.raises(CallError, match=r"kingfisher-secret-scanner.*pip install 'anonym\[kingfisher\]'"):
        Scrubber(TextOptions(ner=None, secrets=("kingfisher",)))


@pytest.mark.parametrize(
    ("declared", "providers"),
    [
        (True, ("detect-secrets",)),
        (False, ()),
        (["kingfisher"], ("kingfisher",)),
        (["detect-secrets", "kingfisher", "kingfisher"], ("detect-secrets", "kingfisher")),
    ],
)
def test_a_policy_declares_who_looks(declared: object, providers: tuple[str, ...]) -> None:
    declaration = {"anonym": 1, "columns": {"note": {"role": "text"}}, "text": {"secrets": declared}}
    assert Policy.load(declaration).text.secrets == providers


@pytest.mark.parametrize("declared", ["kingfisher", [], ["trufflehog"], {"kingfisher": True}, None, 1])
def test_other_declarations_are_refused_with_the_names_that_exist(declared: object) -> None:
    declaration = {"anonym": 1, "columns": {"note": {"role": "text"}}, "text": {"secrets": declared}}
    with pytest.raises(PolicyError, match=r"text\.secrets"):
        Policy.load(declaration)
