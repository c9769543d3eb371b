"""Presidio's recognisers: really run, on windows, without a network."""

from __future__ import annotations

import pytest

from anonym.errors import CallError
from anonym.text import presidio
from anonym.text.options import TextOptions
from anonym.text.presidio import WINDOW_LIMIT, recognisers, windows
from anonym.text.recognisers import load, packs
from anonym.text.scanner import Column, scanner
from anonym.text.scrub import Scrubber


def found(text: str, pack: str) -> set[tuple[str, str]]:
    chosen = recognisers(load(pack).predefined, "en")
    column = Column([text], scanner(tuple(each.trigger for each in chosen if each.trigger)))
    return {
        (span.rule.removeprefix("presidio:"), text[span.start : span.end])
        for recogniser in chosen
        for _, span in recogniser.detect(column, [[]])
    }


@pytest.mark.parametrize(
    ("pack", "text", "recogniser", "value"),
    [
        ("general", "mail ode@brenthwick.com now", "EmailRecognizer", "ode@brenthwick.com"),
        ("general", "iban GB59IFUE40226315499137 ok", "IbanRecognizer", "GB59IFUE40226315499137"),
        ("general", "card 4454794511390933 ok", "CreditCardRecognizer", "4454794511390933"),
        ("general", "phone +1 202-555-0143 ok", "PhoneRecognizer", "+1 202-555-0143"),
        ("us", "social security ssn 125-17-4954", "UsSsnRecognizer", "125-17-4954"),
        ("uk", "nhs number 943 476 5919", "NhsRecognizer", "943 476 5919"),
    ],
)
def test_recognisers_run(pack: str, text: str, recogniser: str, value: str) -> None:
    assert (recogniser, value) in found(text, pack)


def test_the_suffix_list_is_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a network call")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert ("EmailRecognizer", "ode@brenthwick.com") in found("mail ode@brenthwick.com", "general")


def test_every_declared_class_exists_and_can_be_made() -> None:
    for pack in packs(["default"]):
        for recogniser in recognisers(pack.predefined, "en"):
            list(recogniser._find("x 1", [(0, 3)], []))


def test_a_class_that_the_installed_presidio_lacks_stops_the_run_before_any_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    classes = dict(presidio._classes())
    del classes["PhoneRecognizer"]
    monkeypatch.setattr(presidio, "_classes", lambda: classes)
    with pytest.raises(CallError, match=r"PhoneRecognizer.*--upgrade presidio-analyzer"):
        Scrubber(TextOptions(ner=None))

    def missing() -> dict[str, object]:
        raise ImportError("presidio_analyzer")

    monkeypatch.setattr(presidio, "_classes", missing)
    with pytest.raises(CallError, match="presidio-analyzer"):
        Scrubber(TextOptions(ner=None))
    Scrubber(TextOptions(ner=None, packs=("court",)))  # nothing of Presidio's is asked for


def test_windows_are_bounded_and_cover_every_trigger() -> None:
    text = "x" * 300 + "1" * 5_000 + "y" * 300 + "2"
    digits = [(place, place + 1) for place, character in enumerate(text) if character.isdigit()]
    parts = list(windows(len(text), digits, 20))
    assert all(end - start <= WINDOW_LIMIT for start, end in parts)
    assert all(any(start <= i < end for start, end in parts) for i, c in enumerate(text) if c.isdigit())
    assert parts[0][0] == 280


def test_what_a_rule_has_found_is_not_looked_at_again() -> None:
    assert not list(windows(8, [(2, 6)], 5, [(2, 6)]))
    assert list(windows(8, [(2, 6)], 5, [(2, 5)]))


def test_decimal_fractions_are_not_shown_to_the_slowest_recogniser() -> None:
    (phone,) = (each for each in recognisers(load("general").predefined, "en") if "Phone" in each.declared.class_name)
    assert phone.trigger
    for text in ("a slope of 0.1171 (0.0022)", '{"score": 0.8374659265}'):
        assert not phone.trigger.search(text)
    for text in ("202.555.0143", "1.800.555.0143", "0 800 555 0143", "tel.0301234567", "+1 (202) 555-0143"):
        assert phone.trigger.search(text)
