"""What the labels of corpora and of foreign models mean among our entities."""

from __future__ import annotations

import re

SAME = {
    "PER": "PERSON",
    "NAME": "PERSON",
    "NAME_STUDENT": "PERSON",
    "ORG": "ORGANIZATION",
    "CORPORATION": "ORGANIZATION",
    "GROUP": "ORGANIZATION",
    "LOC": "LOCATION",
    "GPE": "LOCATION",
    "CITY": "LOCATION",
    "COUNTRY": "LOCATION",
    "DATE": "DATE_TIME",
    "TIME": "DATE_TIME",
    "DATETIME": "DATE_TIME",
    "PHONE": "PHONE_NUMBER",
    "EMAIL": "EMAIL_ADDRESS",
    "IP": "IP_ADDRESS",
    "IBAN": "IBAN_CODE",
    "SSN": "US_SSN",
    "ZIP_CODE": "POSTCODE",
    "ADDRESS": "STREET_ADDRESS",
    "CODE": "CASE_NUMBER",
    "DEM": "NRP",
    "NORP": "NRP",
    "NATIONALITY": "NRP",
    "FIRST_NAME": "PERSON",
    "LAST_NAME": "PERSON",
    "FULL_NAME": "PERSON",
    "SURNAME": "PERSON",
    "GIVEN_NAME": "PERSON",
    "PATIENT": "PERSON",
    "DOCTOR": "PERSON",
    "HOSPITAL": "ORGANIZATION",
    "PROFESSION": "OCCUPATION",
    "FAC": "LOCATION",
    "STATE": "LOCATION",
    "STREET": "STREET_ADDRESS",
    "E_MAIL": "EMAIL_ADDRESS",
    "TELEPHONE": "PHONE_NUMBER",
    "PASSWORD": "SECRET",
    "USER": "USERNAME",
}
"""Usual names of labels and the entity of ours that they mean."""


def meaning(label: str) -> str:
    """The entity that a label means, or the label itself in capitals."""
    plain = re.sub(r"^[BI]-(?=\w)", "", label.upper()).replace("-", "_").replace(" ", "_")  # of IOB, or as it is
    return SAME.get(plain, plain)


def entity_of(label: str) -> str:
    """The entity that a model's label means, in letters, digits and underscores that a tag may have."""
    plain = meaning(label.removeprefix("private_"))  # OpenAI's Privacy Filter says private_person
    named = re.sub(r"[^A-Z0-9_]", "_", plain)[:48].strip("_")
    return named if re.match("[A-Z]", named) else f"ENTITY_{named}".strip("_")
