"""YAML by the 1.2 core schema, and what is refused of it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.policy import plain
from anonym.policy.plain import MAX_DEPTH
from anonym.policy.yaml_reader import MAX_BYTES, MAX_FINDINGS, read, resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("no", "no"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("TRUE", True),
        ("tRue", "tRue"),
        ("~", None),
        ("Null", None),
        ("", None),
        ("1e-6", Decimal("1e-6")),
        ("1.0e-6", Decimal("1.0e-6")),
        ("1E3", Decimal(1000)),
        (".5", Decimal("0.5")),
        ("5.", Decimal(5)),
        ("0.1", Decimal("0.1")),
        ("0.10000000000000000001", Decimal("0.10000000000000000001")),
        ("-0", 0),
        ("+12", 12),
        ("01234", 1234),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("017_0", "017_0"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2026-11-30", "2026-11-30"),
        ("=", "="),
        ("<<", "<<"),
        ("1e", "1e"),
        (".", "."),
        ("env:KEY", "env:KEY"),
    ],
)
def test_plain_scalars(text: str, value: Any) -> None:
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", [".inf", "-.INF", ".nan", "9" * 5_000, "1e99999999999999999999"])
def test_numbers_without_bounds_are_reported_and_not_read(text: str) -> None:
    document = read(f"a: {text}\n".encode())
    assert document.value == {"a": None}
    assert [finding.at for finding in document.findings] == [("a",)]
    assert document.unread == {("a",)}


def test_quoted_scalars_are_text() -> None:
    assert read(b"a: '12'\nb: \"no\"\nc: |\n  1\n").value == {"a": "12", "b": "no", "c": "1\n"}


def test_keys_are_text_whatever_they_look_like() -> None:
    assert read(b"{no: 1, 2020: 2, 1.0: 3, null: 4, ~: 5}").value == {"no": 1, "2020": 2, "1.0": 3, "null": 4, "~": 5}


def _refused(content: str) -> list[tuple[tuple[str | int, ...], int | None]]:
    return [(finding.at, finding.line) for finding in read(content.encode()).findings]


@pytest.mark.parametrize(
    ("content", "at", "line"),
    [
        ("a: 1\nb:\n  c: &x 2\n", ("b", "c"), 3),
        ("a: 1\nb: [1, &x {c: 2}]\n", ("b", 1), 2),
        ("a: 1\nb: !!str 2\n", ("b",), 2),
        ("a: 1\nb: ! 2\n", ("b",), 2),
        ("a: 1\nb: !!python/object/apply:os.system ['false']\n", ("b",), 2),
        ("a: !local {b: 1}\n", ("a",), 1),
        ("a: 1\nb: 2\na: 3\n", ("a",), 3),
        ("a:\n  x: 1\n  'x': 2\n", ("a", "x"), 3),
        ("1: x\n'1': y\n", ("1",), 2),
        ("? [a, b]\n: 1\n", (), 1),
        ("a: 1\n---\nb: 2\n", (), 2),
        ("a: 1\n!!str b: 2\n", (), 2),
    ],
)
def test_form_is_refused_with_its_line(content: str, at: tuple[str | int, ...], line: int) -> None:
    assert _refused(content) == [(at, line)]


def test_an_alias_is_refused_and_its_value_unknown() -> None:
    document = read(b"a: &x 1\nb: *x\n*x : 3\n")
    assert [(f.at, f.line) for f in document.findings] == [(("a",), 1), (("b",), 2), ((), 3)]
    assert document.value == {"a": 1, "b": None}
    assert document.unread == {("b",)}


def test_the_first_of_two_equal_keys_stays() -> None:
    assert read(b"{a: 1, a: {b: [2, {c: 3}]}, d: 4}").value == {"a": 1, "d": 4}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty file"),
        (b"# only a remark\n", "empty file"),
        (b"\xff\xfea\x00", "UTF-8"),
        ("ä: 1".encode("latin-1"), "byte 0 is not"),
        (b"a: [1, 2\nb: 3", "valid YAML"),
        (b"a: 'x", "valid YAML"),
        (b"a: \x07", "valid YAML"),
        (b'a: "\\UFFFFFFFF"', "valid YAML"),
        (b"%YAML 9999999999999999999999999.1\n---\na: 1", "valid YAML"),
        (b"a: 1\n\tb: 2", "valid YAML"),
        (b"[" * 5_000, "levels of nesting"),
        (b"- " * 5_000, "levels of nesting"),
        (b" " * (MAX_BYTES + 1), "KiB"),
        (b"a: !handle!x y", "valid YAML"),
    ],
)
def test_what_cannot_be_read_is_one_fault(content: bytes, words: str) -> None:
    document = read(content)
    assert not document.whole
    assert len(document.findings) == 1
    assert words in document.findings[0].expected


def test_a_file_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "MAX_NODES", 100)
    assert read(b"a: [" + b"1," * 97 + b"]").whole
    document = read(b"a: [" + b"1," * 98 + b"]")
    assert not document.whole
    assert document.findings[0].expected == "expected a policy of at most 100 values"


def test_a_syntax_error_does_not_quote_the_file() -> None:
    for content in (
        b"a: !secrethandle!x y",
        b'a: "\\q secret"',
        b"secret: [",
        b"a: b: secret",
        b"%secret x\n--- 'secret",
    ):
        for finding in read(content).findings:
            assert "secret" not in finding.expected


def test_depth_is_allowed_up_to_its_bound() -> None:
    deepest = b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH
    assert read(deepest).whole
    assert not read(b"[" + deepest + b"]").whole


def test_a_bomb_of_aliases_is_read_no_further_than_its_first_faults() -> None:
    rows = [
        f"{'abcdefghij'[i]}: &{'abcdefghij'[i]} [{','.join(['*' + 'abcdefghij'[i - 1]] * 9)}]" for i in range(1, 10)
    ]
    document = read("\n".join(["a: &a [x]", *rows]).encode())
    assert not document.whole
    assert len(document.findings) == MAX_FINDINGS + 1


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read("\ufeffa: 1".encode()).value == {"a": 1}


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_without_an_exception(text: str) -> None:
    read(text.encode(errors="surrogatepass"))


_TOKENS = [
    "a",
    "1",
    "0.5",
    ": ",
    "- ",
    "\n",
    "  ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&x ",
    "*x",
    "!t ",
    "'",
    '"',
    "? ",
    "|\n",
    "#",
    "---\n",
    "\\U",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(_TOKENS), max_size=40).map("".join))
def test_any_yaml_like_text_is_read_without_an_exception(text: str) -> None:
    document = read(text.encode())
    assert document.whole or document.findings


# beyond U+FFFF, JSON escapes a character as two halves, which YAML reads as two characters
_TEXT = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]))
_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.decimals(allow_nan=False, allow_infinity=False, places=4)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


def _flow(value: Any) -> str:
    """A value in flow style, everything textual in JSON's quotes."""
    import json

    if isinstance(value, dict):
        return "{" + ", ".join(f"? {json.dumps(key)} : {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return json.dumps(value)


@settings(deadline=None)
@given(_PLAIN)
def test_what_was_written_is_read_back(value: Any) -> None:
    document = read(_flow(value).encode())
    assert not document.findings
    assert document.value == value
