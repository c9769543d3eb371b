"""The shipped policies on invented tables: they load, run, hold, and leave no identifier."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.cli import cli
from anonym.hierarchy.files import read_hierarchy
from anonym.hierarchy.packs import pack
from anonym.rules import rules_folder

POLICIES = rules_folder() / "policies"
SMALL = ["036", "059", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884", "890", "893"]


def patients(rows: int = 300, seed: int = 3) -> pl.DataFrame:
    """A patient table with all eighteen kinds of identifiers; each value of theirs holds the word canary."""
    draw = random.Random(seed)
    day = date(2019, 1, 1)

    def mark(kind: str) -> list[str]:
        return [f"canary-{kind}-{i:05d}" for i in range(rows)]

    born = [date(2026 - draw.choice([34, 45, 52, 61, 70, 93, 97, 104]), 6, draw.randint(1, 28)) for _ in range(rows)]
    admitted = [day + timedelta(days=draw.randint(0, 1400)) for _ in range(rows)]
    identifiers = (
        "patient_id full_name relative_name street city county phone fax email ssn mrn health_plan_id account "
        "license_no license_plate device_serial portal_url last_ip fingerprint"
    )
    return pl.DataFrame(
        {name: mark(name) for name in identifiers.split()}
        | {
            "photo": [f"canary-photo-{i}".encode() for i in range(rows)],
            "zip": [draw.choice(["10001", "60614", "94110-1234", *(f"{z}07" for z in SMALL[:4])]) for _ in range(rows)],
            "state": [draw.choice(["NY", "IL", "CA"]) for _ in range(rows)],
            "birth_date": born,
            "age": [2026 - each.year for each in born],
            "admitted": admitted,
            "discharged": [each + timedelta(days=draw.randint(1, 9)) for each in admitted],
            "died": [admitted[i] + timedelta(days=400) if draw.random() < 0.2 else None for i in range(rows)],
            "sex": [draw.choice("fm") for _ in range(rows)],
            "diagnosis": [draw.choice(["E11.9", "I10", "J45.20", "M54.5"]) for _ in range(rows)],
            "notes": [
                f"Seen on {admitted[i]:%Y-%m-%d}; call 555-01{i % 100:02d}, see canary-mrn-{i:05d}."
                for i in range(rows)
            ],
        }
    )


@pytest.fixture(scope="module")
def safe_harbor() -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Any]]:
    table = patients()
    release = anonym.apply(POLICIES / "hipaa-safe-harbor.yaml", table)
    return table, release.data.collect(), dict(release.evidence)


Harbor = tuple[pl.DataFrame, pl.DataFrame, dict[str, Any]]


def test_every_kind_of_identifier_is_handled(safe_harbor: Harbor) -> None:
    """Each of the eighteen letters stands beside a column of the table, which is not released, or by years (C)."""
    table, released, _ = safe_harbor
    text = (POLICIES / "hipaa-safe-harbor.yaml").read_text(encoding="utf-8")
    columns = {letter: name for name, letter in re.findall(r"^  (\w+): .*# +\(([A-R])\)", text, re.MULTILINE)}
    assert sorted(columns) == list("ABCDEFGHIJKLMNOPQR")
    assert set(columns.values()) <= set(table.columns)
    assert set(columns.values()) & set(released.columns) == {columns["C"]} == {"birth_date"}


def test_no_identifier_is_left(safe_harbor: Harbor) -> None:
    _, released, _ = safe_harbor
    assert "canary" not in released.write_csv()
    gone = {"full_name", "street", "city", "county", "ssn", "mrn", "photo", "last_ip", "patient_id"}
    assert not gone & set(released.columns)


@pytest.mark.parametrize("name", ["birth_date", "admitted", "discharged", "died"])
def test_dates_are_years_at_most(safe_harbor: Harbor, name: str) -> None:
    _, released, _ = safe_harbor
    labels = released[name].drop_nulls().unique()
    assert len(labels)
    assert labels.str.contains(r"^(\d{4}|\d{3}0s|<=1936-12-31|\*)$").all()


def test_ages_over_89_are_one(safe_harbor: Harbor) -> None:
    """And no year of birth tells such an age."""
    table, released, _ = safe_harbor
    assert (table["age"] > 89).any()
    for label in released["age"].unique().to_list():
        assert label in ("*", ">=90") or max(map(int, label.split("-"))) <= 89, label
    years = released["birth_date"].str.extract(r"^(\d{4})$").drop_nulls().cast(pl.Int32)
    decades = released["birth_date"].str.extract(r"^(\d{3}0)s$").drop_nulls().cast(pl.Int32)
    assert (years > 1936).all()
    assert (decades >= 1930).all()


def test_three_digits_of_large_areas_only(safe_harbor: Harbor) -> None:
    table, released, _ = safe_harbor
    shipped = read_hierarchy(pack("us-zip3").path).rows
    allowed = set(shipped.filter(pl.col("level_0") == pl.col("level_1"))["level_0"]) | {"000", "*"}
    assert set(released["zip"]) <= allowed
    assert not set(released["zip"]) & set(SMALL)
    assert table["zip"].str.head(3).is_in(SMALL).any()


def test_the_policy_keeps_its_promise(safe_harbor: Harbor) -> None:
    _, released, evidence = safe_harbor
    assert evidence["guarantee"]["k"]["achieved"] >= 5
    assert evidence["suppression"]["rate"] <= 0.05
    assert anonym.check(POLICIES / "hipaa-safe-harbor.yaml", released).holds
    assert released["notes"].str.contains("<").mean() > 0.9  # type: ignore[operator]


def test_a_zip_rule_by_prefix_alone_would_break_the_rule() -> None:
    """What the test above would find if the policy cut ZIP codes to three digits and left it there."""
    policy = yaml.safe_load((POLICIES / "hipaa-safe-harbor.yaml").read_text(encoding="utf-8"))
    policy["columns"] = {
        "zip": {"role": "quasi", "hierarchy": {"prefix": [3]}, "finest": 1, "coarsest": 1},
    }
    del policy["unit"], policy["text"], policy["input"]
    released = anonym.apply({**policy, "unlisted": "drop"}, patients().select("zip")).data.collect()
    assert released["zip"].str.head(3).is_in(SMALL).any()


def stays(rows: int = 1500) -> pl.DataFrame:
    draw = random.Random(1)
    people = [(draw.randint(18, 95), draw.choice("fm"), draw.choice(["DE", "FR", "AT"])) for _ in range(rows // 3)]
    who = [draw.randrange(len(people)) for _ in range(rows)]
    first = [date(2023, 1, 1) + timedelta(days=draw.randint(0, 700)) for _ in range(rows)]
    return pl.DataFrame(
        {
            "patient_id": who,
            "stay_id": [f"canary-{i}" for i in range(rows)],
            "admitted": first,
            "discharged": [each + timedelta(days=draw.randint(0, 20)) for each in first],
            "age": [people[i][0] for i in who],
            "sex": [people[i][1] for i in who],
            "country": [people[i][2] for i in who],
            "procedure": [f"{draw.choice('58')}-{draw.choice([47, 81])}{draw.randint(0, 1)}" for _ in range(rows)],
            "diagnosis": [draw.choice(["E11", "I10", "J45", "M54", "K35"]) for _ in range(rows)],
            "cost": [draw.randint(500, 30_000) for _ in range(rows)],
            "outcome": [draw.choice(["home", "transfer"]) for _ in range(rows)],
        }
    )


def employees(rows: int = 600) -> pl.DataFrame:
    draw = random.Random(2)
    return pl.DataFrame(
        {
            "employee_id": [f"canary-{i}" for i in range(rows)],
            "full_name": [f"Canary Person {i}" for i in range(rows)],
            "email": [f"canary{i}@example.com" for i in range(rows)],
            "iban": [f"DE00canary{i:010d}" for i in range(rows)],
            "born": [date(draw.randint(1962, 2002), draw.randint(1, 12), 5) for _ in range(rows)],
            "hired": [date(draw.randint(2004, 2024), draw.randint(1, 12), 1) for _ in range(rows)],
            "gender": [draw.choice("fmd") for _ in range(rows)],
            "nationality": [draw.choice(["DE", "FR", "PL", "TR"]) for _ in range(rows)],
            "occupation": [draw.choice(["2512", "2411", "3313", "4110", "8211"]) for _ in range(rows)],
            "education": [draw.choice("3567") for _ in range(rows)],
            "site": [draw.choice(["north", "south", "west"]) for _ in range(rows)],
            "salary": [draw.randint(30_000, 120_000) for _ in range(rows)],
            "rating": [draw.choice(["a", "b", "c"]) for _ in range(rows)],
            "full_time": [draw.random() < 0.8 for _ in range(rows)],
        }
    )


def views(rows: int = 3000) -> pl.DataFrame:
    draw = random.Random(4)
    who = [draw.randrange(400) for _ in range(rows)]
    towns = [("DE", 52.52, 13.4), ("FR", 48.85, 2.35), ("AT", 48.2, 16.37)]
    home = [towns[i % 3] for i in who]
    return pl.DataFrame(
        {
            "visitor_id": who,
            "session_id": [f"canary-{i}" for i in range(rows)],
            "user_agent": [f"canary/{i}" for i in range(rows)],
            "ip": [f"10.{i % 3}.{i % 7}.{i % 250}" if i % 40 else "unknown" for i in who],
            "time": [datetime(2024, 3, 1) + timedelta(minutes=draw.randint(0, 60_000)) for _ in range(rows)],
            "lat": [round(place[1] + draw.random() / 10, 4) for place in home],
            "lon": [round(place[2] + draw.random() / 10, 4) for place in home],
            "country": [place[0] for place in home],
            "referrer": [draw.choice(["search", "search", "mail", "ad"]) for _ in range(rows)],
            "section": [draw.choice(["shop", "help"]) for _ in range(rows)],
            "seconds": [draw.randint(1, 300) for _ in range(rows)],
        }
    )


TABLES: dict[str, Callable[[], pl.DataFrame]] = {"health-table": stays, "hr-table": employees, "clickstream": views}


@pytest.mark.parametrize("name", TABLES)
def test_a_shipped_policy_runs_and_holds(name: str) -> None:
    table, policy = TABLES[name](), yaml.safe_load((POLICIES / f"{name}.yaml").read_text(encoding="utf-8"))
    policy["search"]["budget"] = {"tries" if policy["search"]["strategy"] == "local" else "nodes": 3}
    release = anonym.apply(policy, table)
    released = release.data.collect()
    assert "anary" not in released.write_csv()
    assert released.height >= 0.95 * table.height
    assert release.evidence["guarantee"]["k"]["achieved"] >= 5
    assert all(promise["holds"] for kind in "lt" for promise in release.evidence["guarantee"][kind].values())


@pytest.mark.parametrize("name", [*TABLES, "hipaa-safe-harbor"])
def test_a_table_from_csv_is_read_as_one_from_parquet(name: str, tmp_path: Path) -> None:
    """Dates as ISO text, codes that look like numbers: the policy says what they are."""
    table = (TABLES | {"hipaa-safe-harbor": lambda: patients().drop("photo")})[name]()
    policy = yaml.safe_load((POLICIES / f"{name}.yaml").read_text(encoding="utf-8"))
    policy |= {"search": {"strategy": "global", "budget": {"nodes": 3}}, "unlisted": "drop"}
    plain = ("quasi", "sensitive")
    columns = {of: policy["columns"][of] for of in table.columns}
    policy["columns"] = {of: role if role["role"] in plain else {"role": "drop"} for of, role in columns.items()}
    for section in ("unit", "text"):
        policy.pop(section, None)
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    table.write_csv(tmp_path / "in.csv")
    table.write_parquet(tmp_path / "in.parquet")
    released = []
    for kind in ("csv", "parquet"):
        target = tmp_path / f"of_{kind}.parquet"
        words = ["apply", str(tmp_path / "policy.yaml"), str(tmp_path / f"in.{kind}"), "-o", str(target), "--quiet"]
        cli.main(words, standalone_mode=False)
        released.append(pl.read_parquet(target))
    one, other = released
    assert one.sort(one.columns).equals(other.sort(one.columns))


def test_every_shipped_policy_is_run_somewhere() -> None:
    elsewhere = {"support-tickets": "tests/demo/test_write_demo.py", "survey": "tests/policy/test_load.py"}
    assert {path.stem for path in POLICIES.glob("*.yaml")} == {*TABLES, *elsewhere, "hipaa-safe-harbor"}
    root = Path(__file__).parents[2]
    assert all((root / place).is_file() for place in elsewhere.values())
