"""The terminal's text stays short and plain; Markdown stays Markdown whatever a column is called."""

from __future__ import annotations

import re

import pytest
from golden.report.examples import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.report.evidence import complete
from anonym.report.summary import escape, render_markdown, render_text


@pytest.mark.parametrize("name", EXAMPLES)
def test_text_is_at_most_25_lines_of_78_characters_without_control_codes(name: str) -> None:
    text = render_text(complete(EXAMPLES[name]()))
    lines = text.removesuffix("\n").split("\n")
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 78
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


def test_nulls_read_as_not_measured_or_not_applicable() -> None:
    empty = render_text(complete(EXAMPLES["empty"]()))
    for label in ("k", "l topic", "t topic", "loss (NCP)", "text recall"):
        assert re.search(rf"^  {re.escape(label)} +not applicable", empty, re.MULTILINE), label
    infeasible = render_text(complete(EXAMPLES["infeasible"]()))
    for label in ("l topic", "t topic", "loss (NCP)", "text recall"):
        assert re.search(rf"^  {re.escape(label)} +not measured", infeasible, re.MULTILINE), label
    assert "checks            none\n" in infeasible


@pytest.mark.parametrize("name", EXAMPLES)
def test_markdown_tables_keep_their_cells(name: str) -> None:
    page = render_markdown(complete(EXAMPLES[name]()))
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len(rows) > 10
    assert all(len(re.findall(r"(?<!\\)\|", row)) in (3, 5) for row in rows)
    assert not re.search(r"(?<!\\)<(?!\d)", page)


@settings(deadline=None)
@given(st.text())
def test_escaped_text_holds_no_live_markup(text: str) -> None:
    escaped = escape(text)
    assert "<" not in escaped
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]|~#!]", escaped)
