"""The shipped sample: the same everywhere, honest about what it planted, and free of anybody's real details."""

from __future__ import annotations

import hashlib
import json
import re

import polars as pl
import pytest
from stdnum import iban, luhn

from anonym.demo.dice import Dice
from anonym.demo.people import person
from anonym.demo.templates import RULES
from anonym.demo.tickets import SCHEMA, SPANS, tickets
from anonym.demo.values import VALUES

Sample = tuple[pl.DataFrame, pl.DataFrame]


@pytest.fixture(scope="module")
def sample() -> Sample:
    return tickets()


@pytest.fixture(scope="module")
def planted(sample: Sample) -> pl.DataFrame:
    """Spans with the text they cut out of their note."""
    table, spans = sample
    notes = table["notes"].to_list()
    texts = [notes[row][start:end] for row, start, end in spans.select("row", "start", "end").iter_rows()]
    return spans.with_columns(pl.Series("text", texts))


def digest(frame: pl.DataFrame) -> str:
    return hashlib.sha256(json.dumps(frame.rows(), default=str, ensure_ascii=True).encode()).hexdigest()


def test_the_default_sample_is_the_same_everywhere(sample: Sample) -> None:
    assert [digest(frame)[:16] for frame in sample] == ["e5a240176cec859c", "571a6ae5ce9f979a"]


def test_a_seed_gives_one_sample_and_another_seed_another() -> None:
    assert digest(tickets(50, 1)[0]) == digest(tickets(50, 1)[0])
    assert digest(tickets(50, 1)[0]) != digest(tickets(50, 2)[0])


@pytest.mark.parametrize("n_rows", [0, 1, 7, 300])
def test_any_number_of_rows(n_rows: int) -> None:
    table, spans = tickets(n_rows)
    assert table.height == n_rows
    assert (table.schema, spans.schema) == (SCHEMA, SPANS)


def test_spans_are_sorted_apart_and_inside_their_note(sample: Sample) -> None:
    table, spans = sample
    lengths = table["notes"].str.len_chars().fill_null(0).to_list()
    last = (-1, 0)
    for row, start, end in spans.select("row", "start", "end").iter_rows():
        assert start < end <= lengths[row]
        assert (row, start) >= last
        last = (row, end)


PATTERNS = {
    "EMAIL_ADDRESS": r"[a-z0-9._]+@([a-z]+\.)?example(\.(com|org|net))?",
    "PHONE_NUMBER": r"[+(]?[\d ()/.-]{9,}",
    "IP_ADDRESS": r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}|2001:db8:[0-9a-f:]+",
    "UUID": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "COLOUR": r"#[0-9a-f]{6}",
    "HASH": r"[0-9a-f]{7,40}",
    "CODE": r"C-\d{6}",
    "UK_NINO": r"QQ 12 34 56 [A-D]",
}


@pytest.mark.parametrize("entity", PATTERNS)
def test_a_span_cuts_out_exactly_what_was_planted(entity: str, planted: pl.DataFrame) -> None:
    found = planted.filter(entity=entity)["text"].to_list()
    assert len(found) > 10
    assert [text for text in found if not re.fullmatch(PATTERNS[entity], text, re.IGNORECASE)] == []


def test_phones_are_from_ranges_kept_for_fiction(sample: Sample, planted: pl.DataFrame) -> None:
    fictional = re.compile(r"(1?\d{3}55501\d\d|02079460\d{3}|447700900\d{3}|063998\d{4}|03023125\d{3})")
    numbers = sample[0]["phone"].drop_nulls().to_list() + planted.filter(entity="PHONE_NUMBER")["text"].to_list()
    assert [n for n in numbers if not fictional.fullmatch(re.sub(r"\D", "", n))] == []


def test_e_mail_addresses_are_under_reserved_domains(sample: Sample) -> None:
    domains = sample[0]["email"].drop_nulls().str.split("@").list.last().unique().to_list()
    assert all(d.endswith(".example") or d in ("example.com", "example.org", "example.net") for d in domains)


def test_cards_and_accounts_pass_their_checks(planted: pl.DataFrame) -> None:
    cards = planted.filter(entity="CREDIT_CARD")["text"].to_list()
    assert cards
    assert all(luhn.is_valid(re.sub(r"\D", "", card)) for card in cards)
    accounts = planted.filter(entity="IBAN_CODE")["text"].to_list()
    assert accounts
    assert all(iban.is_valid(account, check_country=False) for account in accounts)


def test_every_kind_of_secret_and_near_miss_is_there(planted: pl.DataFrame) -> None:
    secrets = "\n".join(planted.filter(entity="SECRET")["text"])
    for shape in ("AKIA", "ghp_", "xoxb-", "sk_live_", "eyJ", "-----BEGIN", "PRIVATE KEY-----"):
        assert shape in secrets
    near = planted.filter(~pl.col("masked"))
    assert near["entity"].n_unique() == 13
    assert {"may", "will", "mark"} <= set(near.filter(entity="WORD")["text"].str.to_lowercase())


def test_it_looks_like_a_real_table(sample: Sample) -> None:
    table, _ = sample
    notes = table["notes"]
    assert notes.null_count() > 50
    assert (notes.str.strip_chars() == "").sum() > 20
    assert notes.value_counts()["count"].max() > 20
    assert notes.str.contains("(?m)^> ").sum() > 50
    assert notes.str.contains(r"\p{Emoji_Presentation}").sum() > 50
    assert (notes.str.contains("[A-Z]{4}") & ~notes.str.contains("[a-z]{4}")).sum() > 20
    assert notes.str.len_chars().mean() < 150  # the demo has a minute
    assert table["full_name"].null_count() > 0
    by_customer = table.group_by("customer_id").len()["len"]
    assert 1500 < by_customer.len() < 2200
    assert by_customer.max() >= 8


def test_the_sensitive_column_is_skewed(sample: Sample) -> None:
    shares = sample[0]["accommodation"].value_counts(normalize=True, sort=True)["proportion"].to_list()
    assert len(shares) == 6
    assert shares[0] > 0.5
    assert shares[-1] < 0.07


def test_what_is_constant_of_a_person_is_constant(sample: Sample) -> None:
    constant = ["phone", "birth_date", "postcode", "device", "plan", "accommodation"]
    assert sample[0].group_by("customer_id").agg(pl.col(constant).n_unique()).select(constant).max().row(0) == (1,) * 6


def test_customer_ids_are_unique() -> None:
    dice = Dice(5)
    people = [person(n, dice) for n in range(2000)]
    assert len({p.customer_id for p in people}) == 2000


def test_weighted_choice_keeps_its_shares() -> None:
    dice, n = Dice(7), 20_000
    drawn = [dice.weighted([("a", 3), ("b", 1)]) for _ in range(n)]
    share, tolerance = drawn.count("a") / n, 0.02  # six standard deviations of 0.003
    assert abs(share - 0.75) < tolerance
    assert abs(share - 0.70) > tolerance


def test_every_slot_of_the_grammar_is_one_rule_or_one_value() -> None:
    slots = set(re.findall(r"\[\[(\w+)\]\]", "\n".join(text for rule in RULES.values() for text in rule)))
    assert slots <= RULES.keys() | VALUES.keys()
    assert not RULES.keys() & VALUES.keys()
