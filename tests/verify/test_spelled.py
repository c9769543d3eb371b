"""Networks, codes and the rest of the frequent: what covers a value, and what must not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from anonym.verify.covers import uncovered_rows
from anonym.verify.facts import QuasiFact


@pytest.fixture
def codes(tmp_path: Path) -> Path:
    path = tmp_path / "codes.csv"
    path.write_text("E,E,E00,all\nE1,E1,E00,all\nF,F,F00,all\n", encoding="utf-8")
    return path


def covered(original: str | None, label: str | None, fact: QuasiFact) -> bool:
    released = pl.DataFrame({"q": pl.Series([label], dtype=pl.String)})
    return uncovered_rows(pl.Series([original], dtype=pl.String), released, fact) == 0


NETWORKS = {
    "its own network": ("192.0.2.7", "192.0.2.0/24", True),
    "the network beside": ("192.0.3.7", "192.0.2.0/24", False),
    "itself": ("192.0.2.7", "192.0.2.7", True),
    "another address": ("192.0.2.7", "192.0.2.8", False),
    "version 6": ("2001:db8::1", "2001:db8::/32", True),
    "version 6 elsewhere": ("2001:db9::1", "2001:db8::/32", False),
    "version 4 as version 6": ("::ffff:192.0.2.7", "192.0.2.0/24", True),
    "another version": ("192.0.2.7", "::/0", False),
    "a zone and blanks": (" fe80::1%eth0", "fe80::/64", True),
    "bits behind the length": ("192.0.2.7", "192.0.2.7/24", False),
    "no network": ("192.0.2.7", "192.0.2.*", False),
    "the top": ("192.0.2.7", "*", True),
    "the top over what is no address": ("localhost", "*", False),
    "null": (None, None, True),
    "null by a network": (None, "192.0.2.0/24", False),
}


@pytest.mark.parametrize("case", NETWORKS)
def test_networks(case: str) -> None:
    original, label, expected = NETWORKS[case]
    assert covered(original, label, QuasiFact("q", ("q",), kind="ip", parameters=(24,))) is expected


def test_what_is_no_address_may_be_sent_to_the_top() -> None:
    assert covered("localhost", "*", QuasiFact("q", ("q",), kind="ip", parameters=(24,), uncovered_top=True))


CODES = {
    "the longest leaf": ("E11.9", "E1", True),
    "a shorter leaf": ("E11.9", "E", False),
    "where no longer one begins it": ("E20", "E", True),
    "its block": ("E11.9", "E00", True),
    "another block": ("E11.9", "F00", False),
    "itself": ("E11.9", "E11.9", True),
    "the top": ("E11.9", "*", True),
    "the top over what no leaf begins": ("X1", "*", False),
    "a block over what no leaf begins": ("X1", "E00", False),
    "null": (None, None, True),
}


@pytest.mark.parametrize("case", CODES)
def test_codes_by_their_beginning(codes: Path, case: str) -> None:
    original, label, expected = CODES[case]
    assert covered(original, label, QuasiFact("q", ("q",), kind="codes", parameters=(codes,))) is expected


AUTO = {
    "itself": ("berlin", "berlin", True),
    "another": ("berlin", "bonn", False),
    "the rest": ("berlin", "other than top 3", True),
    "the rest in brackets": ("berlin", "((other than top 12))", True),
    "a rest of something": ("berlin", "other than top", False),
    "a prefix": ("60614", "606**", True),
    "another prefix": ("60614", "607**", False),
    "a network": ("10.0.0.1", "10.0.0.0/8", True),
    "null by the rest": (None, "other than top 3", False),
}


@pytest.mark.parametrize("case", AUTO)
def test_auto_on_text(case: str) -> None:
    original, label, expected = AUTO[case]
    assert covered(original, label, QuasiFact("q", ("q",), kind="auto")) is expected


LINES = {"inside": (34, "30-39", True), "outside": (40, "30-39", False), "open": (95, ">=90", True)}


@pytest.mark.parametrize("case", LINES)
def test_auto_on_numbers_reads_ranges(case: str) -> None:
    value, label, expected = LINES[case]
    released = pl.DataFrame({"q": [label]})
    assert (uncovered_rows(pl.Series([value]), released, QuasiFact("q", ("q",), kind="auto")) == 0) is expected
