"""Shipped taxonomies: each is whole, says where it is from, and covers what it claims to cover."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from phonenumbers import SUPPORTED_REGIONS

from anonym.errors import InputError
from anonym.hierarchy.build import build
from anonym.hierarchy.files import read_hierarchy
from anonym.hierarchy.packs import pack, pack_names, packs_folder, taxonomy
from anonym.rules import rules_folder


def path_of(name: str, value: str) -> list[str | None]:
    """The labels of one value from level 1 up."""
    hierarchy = build("c", taxonomy(name), pl.Series([value]))
    return hierarchy.labels.gather(hierarchy.ancestor[1:, 0].astype(np.int64)).to_list()


@pytest.mark.parametrize("name", pack_names())
def test_every_pack_is_a_sound_hierarchy_with_its_source(name: str) -> None:
    found = pack(name)
    table = read_hierarchy(found.path)
    assert table.rows["level_0"].is_unique().all()
    assert len(found.levels) == table.levels - 2 + found.by_prefix
    assert found.title
    assert found.values
    assert len(found.source) > 40
    assert found.licence


def test_no_table_lies_about_without_its_source() -> None:
    assert {path.stem for path in packs_folder().iterdir()} == set(pack_names())


_HEALTHCARE = "29 Healthcare Practitioners and Technical"
PATHS: dict[str, tuple[str, str, list[str]]] = {
    "a country by two letters": ("countries", "DE", ["Western Europe", "Europe", "*"]),
    "by three letters": ("countries", "BRA", ["South America", "Americas", "*"]),
    "by number": ("countries", "392", ["Eastern Asia", "Asia", "*"]),
    "by name": ("countries", "United Kingdom", ["Northern Europe", "Europe", "*"]),
    "a state": ("us-states", "CA", ["Pacific", "West", "*"]),
    "a state by name": ("us-states", "New York", ["Middle Atlantic", "Northeast", "*"]),
    "a category of diseases": ("icd10-cm", "E11", ["E11", "E08-E13", "E00-E89", "*"]),
    "a disease with a dot": ("icd10-cm", "E11.65", ["E11", "E08-E13", "E00-E89", "*"]),
    "a disease without": ("icd10-cm", "S72001A", ["S72", "S70-S79", "S00-T88", "*"]),
    "a new category with letters": ("icd10-cm", "C7A.1", ["C7A", "C7A", "C00-D49", "*"]),
    "an industry of America": (
        "naics",
        "541511",
        ["5415", "541", "54 Professional, Scientific, and Technical Services", "*"],
    ),
    "a sector that is a range": ("naics", "44-45", ["44-45", "44-45", "44-45 Retail Trade", "*"]),
    "an industry in such a sector": ("naics", "455110", ["4551", "455", "44-45 Retail Trade", "*"]),
    "an industry of Europe": ("nace", "62.01", ["62", "J Information and communication", "*"]),
    "with its letter": ("nace", "J62.01", ["J62", "J Information and communication", "*"]),
    "an occupation": ("isco-08", "2512", ["251", "25", "2 Professionals", "*"]),
    "an occupation of America": ("soc-2018", "15-1252", ["15-125", "15-1200", "15 Computer and Mathematical", "*"]),
    "as O*NET writes it": ("soc-2018", "29-1229.01", ["29-122", "29-1000", _HEALTHCARE, "*"]),
    "without its dash": ("soc-2018", "291221", ["29122", "29-1000", _HEALTHCARE, "*"]),
    "a minor group": ("soc-2018", "31-1100", ["31-110", "31-1100", "31 Healthcare Support", "*"]),
    "a major group": ("soc-2018", "55-0000", ["55-000", "55-0000", "55 Military Specific", "*"]),
    "a region of Europe": ("nuts", "DE212", ["DE21", "DE2", "DE", "*"]),
    "a larger region": ("nuts", "DE2", ["DE2", "DE2", "DE", "*"]),
    "a level of education": ("isced-2011", "6", ["high (levels 5-8)", "high (levels 5-8)", "*"]),
    "a ZIP code": ("us-zip3", "60614", ["606", "606", "*"]),
    "a ZIP code with four more": ("us-zip3", "10001-1234", ["100", "100", "*"]),
    "a ZIP code of a small area": ("us-zip3", "03601", ["036", "000", "*"]),
}


@pytest.mark.parametrize("case", PATHS)
def test_a_value_has_its_place(case: str) -> None:
    name, value, expected = PATHS[case]
    assert path_of(name, value) == expected


NOT_COVERED = {
    "a country that is none": ("countries", "XX"),
    "a state of another country": ("us-states", "BY"),
    "a disease in small letters": ("icd10-cm", "e11"),
    "an industry that is none": ("naics", "99"),
    "a group that is none": ("isco-08", "O5"),
    "an occupation of no group": ("soc-2018", "11-4011"),
    "a level that is none": ("isced-2011", "9"),
    "half a ZIP code": ("us-zip3", "12"),
}


@pytest.mark.parametrize("case", NOT_COVERED)
def test_other_values_are_refused(case: str) -> None:
    name, value = NOT_COVERED[case]
    with pytest.raises(InputError, match="1 distinct value not covered"):
        build("c", taxonomy(name), pl.Series([value]))


SIZES = {
    "countries": ("level_0", r"^[A-Z]{2}$", 249 + 3),  # ISO 3166-1, with Kosovo and the European Union's EL and UK
    "us-states": ("level_0", r"^[A-Z]{2}$", 56),
    "icd10-cm": ("level_2", "", 22),
    "naics": ("level_2", "", 20),
    "nace": ("level_0", r"^\d\d$", 88),
    "isco-08": ("level_0", r"^\d{3}$", 130),
    "soc-2018": ("level_0", r"^\d\d-\d\d[1-9]$", 459 + 1),  # 29-1210 stands as 29-121 and 29-122
    "nuts": ("level_3", r"^[A-Z]{2}$", 34),
    "isced-2011": ("level_0", r"^\d$", 9),
    "us-zip3": ("level_0", r"^\d{3}$", 1000),
}


@pytest.mark.parametrize("name", pack_names())
def test_a_pack_is_complete(name: str) -> None:
    """The number of entries that its source counts."""
    level, pattern, count = SIZES[name]
    entries = read_hierarchy(pack(name).path).rows[level].unique()
    assert int(entries.str.contains(pattern).sum()) == count


def test_groups_of_occupations_are_as_many_as_their_bureau_counts() -> None:
    """SOC 2018: 98 minor and 23 major groups, with one title each."""
    table = read_hierarchy(pack("soc-2018").path).rows
    minor = table["level_1"].unique()
    assert int((~minor.str.ends_with("-0000")).sum()) == 98
    assert int(minor.str.ends_with("-0000").sum()) == table["level_2"].n_unique() == 23


def test_regions_of_the_union_are_those_that_the_regulation_counts() -> None:
    """NUTS 2024: 92, 244 and 1165 regions."""
    codes = read_hierarchy(pack("nuts").path).rows["level_0"]
    union = codes.filter(~codes.str.head(2).is_in(["CH", "IS", "LI", "MK", "NO", "RS", "TR"]))
    assert [int((union.str.len_chars() == length).sum()) for length in (3, 4, 5)] == [92, 244, 1165]


def test_countries_are_those_of_iso_3166() -> None:
    """By a list that somebody else keeps: every country with telephone numbers of its own."""
    leaves = set(read_hierarchy(pack("countries").path).rows["level_0"])
    assert set(SUPPORTED_REGIONS) - leaves == {"AC", "TA"}  # Ascension and Tristan da Cunha have reserved codes only


# Office for Civil Rights, Guidance regarding methods for de-identification (2012), from the Census of 2000
SMALL_IN_2000 = {"036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831"} | {
    "878",
    "879",
    "884",
    "890",
    "893",
}
SMALL_IN_2010 = {"036", "059", "102", "203", "205", "369", "556", "692", "821", "823", "878", "879", "884", "893"}
NOBODY = {"000", "099", "340", "343", "375", "519", "842", "962", "987"}
PEOPLE = ["006", "010", "100", "331", "606", "770", "945", "967", "995"]


@pytest.mark.parametrize("zip3", sorted(SMALL_IN_2000 | SMALL_IN_2010 | NOBODY))
def test_areas_of_few_people_are_merged(zip3: str) -> None:
    assert path_of("us-zip3", f"{zip3}01") == [zip3, "000", "*"]


@pytest.mark.parametrize("zip3", PEOPLE)
def test_areas_of_many_people_stay(zip3: str) -> None:
    assert path_of("us-zip3", f"{zip3}01") == [zip3, zip3, "*"]


def test_most_areas_stay() -> None:
    table = read_hierarchy(pack("us-zip3").path).rows
    # not lived in; at most 20,000 in 2000 or 2010; nobody in 2022 (single firms and offices)
    assert int((table["level_1"] != "000").sum()) == 1000 - 101 - 21 - 5


def test_the_zip_rule_is_right_against_the_people_of_the_survey() -> None:
    people = pl.read_csv(rules_folder() / "populations" / "us-zip3.csv", schema={"zip3": pl.String, "people": pl.Int64})
    table = read_hierarchy(pack("us-zip3").path).rows.join(people, left_on="level_0", right_on="zip3", how="left")
    own = table.filter(pl.col("level_1") != "000")
    assert people.height == 1000
    assert people["people"].sum() == 334_365_877  # the survey counts 331.1 million in the states and 3.3 in Puerto Rico
    assert own.filter(pl.col("people") <= 20_000).is_empty()
    assert set(own.filter(pl.col("people").is_null())["level_0"]) == {"008", "969"}
    merged = table.filter((pl.col("level_1") == "000") & (pl.col("people") > 20_000))
    assert set(merged["level_0"]) == {"063", "790", "830", "831", "890"}  # at most 20,000 in 2000
