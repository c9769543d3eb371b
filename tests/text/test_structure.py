"""JSON stays JSON: nested in strings, with numbers and literals under the names of secrets."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.text.options import TextOptions
from anonym.text.scrub import Scrubber
from anonym.text.structure import bare_numbers, zones

NAMES = ["user", "mail", "password", "api_key", "name", "note", "phone", "n", "url", "token", "id"]
LEAVES: list[Any] = [
    *("jane@corp.example", "+1 202-555-0143", 'say "hi" to jane@corp.example', "a\nb jane@corp.example\tc"),
    *("é jane@corp.example ü", "C:\\Users\\Odalys\\x", 'pass\\"word', "https://jane:pw123456@x.example/a?b=c"),
    *("-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7d8Zq3xk2mVb9Yt\n-----END PRIVATE KEY-----\n", "plain", ""),
    *(482139, 12025550143, 1.5, True, None),
]


def _objects(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.sampled_from(NAMES), values, min_size=1, max_size=4)


def _nested(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    written = st.builds(lambda value, plain: json.dumps(value, ensure_ascii=not plain), _objects(values), st.booleans())
    return st.one_of(st.lists(values, max_size=3), _objects(values), written)


DOCUMENTS = _objects(st.recursive(st.sampled_from(LEAVES), _nested, max_leaves=8))


@cache
def _scrubber() -> Scrubber:
    return Scrubber(TextOptions(ner=None))


def _names(value: Any) -> Any:
    """The names in a document, in place, also of documents in its strings."""
    if isinstance(value, dict):
        return [(name, _names(each)) for name, each in value.items()]
    if isinstance(value, list):
        return [_names(each) for each in value]
    if isinstance(value, str) and value.startswith("{"):
        return _names(json.loads(value))
    return None


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.booleans(), st.sampled_from([None, 2]))
def test_a_scrubbed_document_has_the_same_names_and_no_address(document: Any, plain: bool, indent: int | None) -> None:
    text = json.dumps(document, ensure_ascii=not plain, indent=indent)
    scrubbed = _scrubber().scrub(pl.Series([text])).text[0]
    assert _names(json.loads(scrubbed)) == _names(document)
    assert "jane@" not in scrubbed
    assert "555-0143" not in scrubbed


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ('{"password": 482139}', '{"password": "<SECRET>"}'),
        ('{"api_key":null,"n":1}', '{"api_key":null,"n":1}'),
        ('{"secret": [1.5, true]}', '{"secret": [1.5, true]}'),
        (r'{"b": "{\"phone\": 12025550143}"}', r'{"b": "{\"phone\": \"<PHONE_NUMBER>\"}"}'),
        (r'["{\"a\": \"{\\\"phone\\\": 12025550143}\"}"]', r'["{\"a\": \"{\\\"phone\\\": \\\"<PHONE_NUMBER>\\\"}\"}"]'),
        (r'{"name": "\u00e9 jane@corp.example"}', r'{"name": "<PERSON> <EMAIL_ADDRESS>"}'),
        ('INFO {"api_key": null, "n": 1} done', 'INFO {"api_key": null, "n": 1} done'),
    ],
)
def test_what_holds_a_document_together_stays(text: str, scrubbed: str) -> None:
    assert _scrubber().scrub(pl.Series([text])).text[0] == scrubbed


def test_numbers_and_walls_of_a_document_in_a_string() -> None:
    text = r'{"b": "{\"n\": 12}", "c": 3}'
    assert {text[start:end]: quote for (start, end), quote in bare_numbers(text).items()} == {"12": r"\"", "3": '"'}
    found = zones(text)
    assert [text[start:end] for start, end in found.numbers] == ["12", "3"]
    assert [text[start:end] for start, end in found.fixed] == ['"b"', r"\"n\"", '"c"']
    assert [text[start:end] for start, end in found.tags] == ['{"', r'": "{\"', r"\": ", '}", "', '": ', "}"]
