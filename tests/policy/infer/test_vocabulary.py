"""What column names say."""

from __future__ import annotations

import pytest

from anonym.policy.infer.vocabulary import agreement, concepts, folded, heads, qualifiers, tokens


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("PatDOB", "birth"),
        ("cust_ID", "person_id"),
        ("Kundennummer", "person_id"),
        ("Straße", "address"),
        ("código postal", "postcode"),
        ("age_at_admission", "age"),
        ("MaritalStatus", "marital"),
        ("client_ip", "ip"),
        ("Wohnfläche", "household"),
        ("revenu", "money"),
        ("co2", "reading"),
        ("AgeAtDx", "age"),
        ("customer_zip_code", "postcode"),
        ("TumorSite", "health"),
        ("MRTL_CD", "marital"),
        ("CRDT_SCR_NBR", "judgement"),
        ("BRTH_CTRY", "country"),
        ("relig", "judgement"),
        ("ACCT_NBR", "account"),
        ("numer_klienta", "person_id"),
        ("remote_user", "person_id"),
        ("PID.8", "sex"),
        ("PID-11.5", "postcode"),
        ("PID_5_FamilyName", "person_name"),
        ("dg1-3", "health"),
    ],
)
def test_a_name_says(name: str, concept: str) -> None:
    assert concepts(name)[0][0] == concept


@pytest.mark.parametrize(
    ("name", "concept", "is_head"),
    [
        ("sku_category", "offer", True),
        ("channel_xq", "offer", False),
        ("http_status_code", "technical", True),
        ("temp_c", "reading", True),
        ("", "offer", False),
    ],
)
def test_what_a_name_is_about(name: str, concept: str, is_head: bool) -> None:
    assert (concept in heads(name)) is is_head


@pytest.mark.parametrize("name", ["xq7", "", "___", "17", "PID.30", "days_xq"])
def test_a_name_says_nothing(name: str) -> None:
    assert concepts(name) == []


def test_words_of_names() -> None:
    assert tokens("custHomeZIPCode2") == ["cust", "home", "zip", "code"]
    assert folded("Größe Año Łódź") == "grosse ano lodz"


def test_a_generic_word_yields_to_another() -> None:
    assert concepts("diagnosis_date")[0][0] == "health"
    assert concepts("date")[0][0] == "date"


def test_values_agree() -> None:
    assert agreement(["Male", "FEMALE"], "sex") == 1
    assert agreement(["Male", "blue"], "sex") == 0.5
    assert agreement(["United States", "united-kingdom"], "country") == 1


def test_a_generic_word_is_too_little_to_keep_a_column() -> None:
    assert dict(concepts("service_affecte")).get("offer", 0) < 2.5
    assert dict(concepts("residency_status")).get("offer", 0) < 2.5


@pytest.mark.parametrize(
    ("name", "concept", "said"),
    [("mrtl_sts", "technical", {"marital"}), ("skin_colour", "offer", {"ethnicity"}), ("order_status", "offer", set())],
)
def test_what_qualifies_a_word(name: str, concept: str, said: set[str]) -> None:
    assert qualifiers(name, concept) >= said
    assert said or not qualifiers(name, concept)
