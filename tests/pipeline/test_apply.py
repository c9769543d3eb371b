"""The main job from outside: what is released, what is said, what is left when it fails."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.errors import CallError, GuaranteeError, InputError, PolicyError, VerificationError
from anonym.pipeline import write
from anonym.report.evidence import validate

Run = Callable[..., tuple[int, str, str]]


def _files(table: pl.DataFrame, policy: dict[str, Any]) -> None:
    table.write_parquet("in.parquet")
    Path("policy.yaml").write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")


def test_a_release_holds_what_it_promises(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    _files(table, policy)
    status, said, _ = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet")
    assert status == 0
    assert "The promise holds on the written file" in said
    released = pl.read_parquet("out.parquet")
    assert released.columns == ["age", "zip", "dx", "plan"]
    assert min(Counter(released.select("age", "zip").iter_rows()).values()) >= 5
    assert released.height >= 0.95 * table.height
    evidence = json.loads(Path("out.report.json").read_text())
    assert validate(evidence) == []
    assert evidence["suppression"]["rows"] == table.height - released.height
    assert evidence["output"]["rows"] == released.height
    assert sorted(path.name for path in Path().iterdir()) == [
        "in.parquet",
        "out.parquet",
        "out.plan.json",
        "out.report.html",
        "out.report.json",
        "policy.yaml",
    ]


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".arrow"])
def test_every_format_comes_out_and_can_be_checked(
    command: Run, table: pl.DataFrame, policy: dict[str, Any], ending: str
) -> None:
    _files(table, policy)
    assert command("apply", "policy.yaml", "in.parquet", "-o", f"out{ending}", "--quiet")[0] == 0
    assert command("check", "policy.yaml", f"out{ending}", "--quiet") == (0, "", "")


def test_canaries_are_in_no_byte_of_anything(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    rare = table.with_columns(zip=pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("9canary")).otherwise("zip"))
    _files(rare.cast({"zip": pl.Categorical}), policy)
    status, said, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--verbose")
    assert status == 0
    for path in Path().glob("out.*"):
        assert b"canary" not in path.read_bytes(), path.name
    assert "canary" not in said + err
    assert "canary" not in pl.read_parquet("out.parquet").write_csv()


def test_order_is_shuffled_unless_kept(table: pl.DataFrame, policy: dict[str, Any]) -> None:
    policy["guarantee"]["suppression"]["max"] = 0
    shuffled = anonym.apply(policy, table).data.collect()
    kept = anonym.apply({**policy, "order": "keep"}, table).data.collect()
    assert kept["dx"].to_list() == table["dx"].to_list()
    assert shuffled["dx"].to_list() != table["dx"].to_list()
    assert Counter(shuffled.iter_rows()) == Counter(kept.iter_rows())


def test_row_order_and_file_layout_change_nothing(tmp_path: Path, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    table.write_parquet(tmp_path / "one.parquet", row_group_size=50)
    first = anonym.apply(policy, table)
    second = anonym.apply(policy, pl.scan_parquet(tmp_path / "one.parquet").reverse())
    assert Counter(first.data.collect().iter_rows()) == Counter(second.data.collect().iter_rows())
    for evidence in (first.evidence, second.evidence):
        evidence.pop("environment")
    assert first.evidence == second.evidence


def test_a_release_in_memory_is_written_like_the_command_does(
    tmp_path: Path, table: pl.DataFrame, policy: dict[str, Any]
) -> None:
    release = anonym.apply(policy, table)
    release.write(tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").equals(release.data.collect())
    assert anonym.check(policy, release.data).holds
    with pytest.raises(CallError, match="--force"):
        release.write(tmp_path / "out.parquet")


def test_a_changed_part_is_not_published(
    tmp_path: Path, table: pl.DataFrame, policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verification stands between the written file and its name."""
    release = anonym.apply(policy, table)
    (tmp_path / "out.parquet").write_bytes(b"old")

    def careless(frame: pl.LazyFrame, part: Path) -> None:
        frame.with_columns(dx=pl.col("dx").reverse()).collect().write_parquet(part)

    monkeypatch.setattr(write, "sink", careless)
    with pytest.raises(VerificationError, match="values of dx unchanged"):
        release.write(tmp_path / "out.parquet", force=True)
    assert (tmp_path / "out.parquet").read_bytes() == b"old"


def test_a_unit_is_counted_once(policy: dict[str, Any]) -> None:
    """One person three times is not three people (DESIGN section 2)."""
    table = pl.DataFrame({"pid": [1, 1, 1, 2, 3, 4], "zone": list("AAABBB"), "dx": list("xyzxyz")})
    policy |= {
        "unit": "pid",
        "columns": {
            "pid": {"role": "identifier"},
            "zone": {"role": "quasi", "hierarchy": "suppress", "coarsest": 0},
            "dx": {"role": "sensitive"},
        },
        "guarantee": {"k": 3, "suppression": {"max": 0.5}},
    }
    release = anonym.apply(policy, table)
    assert set(release.data.collect()["zone"]) == {"B"}
    assert release.evidence["guarantee"]["k"]["units"] == 3
    assert release.evidence["suppression"] | {"groups": []} == {
        "rows": 3, "rate": 0.5, "units": 1, "units_rate": 0.25, "limit": 0.5, "limit_rows": 3,
        "uncovered": 0, "action": "drop", "groups": [],
    }  # fmt: skip


def test_zero_rows_are_a_release_with_nulls_in_the_evidence(
    command: Run, table: pl.DataFrame, policy: dict[str, Any]
) -> None:
    _files(table.head(0), policy)
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    released = pl.read_parquet("out.parquet")
    assert released.schema == pl.Schema({"age": pl.String, "zip": pl.String, "dx": pl.String, "plan": pl.String})
    assert released.height == 0
    evidence = json.loads(Path("out.report.json").read_text())
    assert evidence["guarantee"]["k"]["achieved"] is None
    assert evidence["verdict"]["holds"] is None
    assert evidence["loss"]["ncp"] is None


def _with(policy: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    *outer, last = path.split(".")
    place = policy
    for key in outer:
        place = place.setdefault(key, {})
    place[last] = value
    return policy


def _csv(text: str) -> Callable[[pl.DataFrame], str]:
    def write(_: pl.DataFrame) -> str:
        Path("in.csv").write_text(text)
        return "in.csv"

    return write


def _changed(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Callable[[pl.DataFrame], str]:
    def write(table: pl.DataFrame) -> str:
        change(table).write_parquet("in.parquet")
        return "in.parquet"

    return write


def _garbage(_: pl.DataFrame) -> str:
    Path("in.parquet").write_bytes(b"PAR1 canary-garbage PAR1")
    return "in.parquet"


MISFITS: dict[str, tuple[Callable[[pl.DataFrame], str], str]] = {
    "no file": (lambda _: "none.parquet", "no such file"),
    "garbage": (_garbage, "not readable as Parquet"),
    "a column more": (_changed(lambda t: t.with_columns(mail=pl.lit("canary@x.example"))), "mail"),
    "a column less": (_changed(lambda t: t.drop("dx")), "dx"),
    "text for numbers": (_changed(lambda t: t.with_columns(age=pl.lit("canary"))), "age"),
    "numbers for text": (_changed(lambda t: t.with_columns(zip=pl.lit(5))), "zip"),
    "nested": (_changed(lambda t: t.with_columns(dx=pl.lit([["canary"]]))), "dx"),
    "infinite": (_changed(lambda t: t.with_columns(age=pl.lit(float("inf")))), "age"),
    "twice the same name": (_csv("id,age,zip,dx,dx,plan\ncanary,1,2,3,4,5\n"), "duplicate column name dx"),
    "another table": (_csv("a,b\n1,2\n"), "lacks"),
}


@pytest.mark.parametrize("case", MISFITS)
def test_input_that_does_not_fit_is_refused(
    command: Run, table: pl.DataFrame, policy: dict[str, Any], case: str
) -> None:
    make, words = MISFITS[case]
    _files(table, policy)
    Path("in.parquet").unlink()
    name = make(table)
    status, said, err = command("apply", "policy.yaml", name, "-o", "out.parquet")
    assert status == 4
    assert words in err
    assert "canary" not in said + err
    assert "Traceback" not in err
    assert not list(Path().glob("out*")) + list(Path().glob(".out*"))


BROKEN: dict[str, tuple[str, object, str]] = {
    "unknown role": ("columns.age.role", "quazi", "columns.age.role"),
    "unknown key": ("columns.age.hierachy", {"interval": [5]}, "columns.age.hierachy"),
    "intervals that do not nest": ("columns.age.hierarchy.interval", [5, 7], "columns.age.hierarchy.interval"),
    "k of nothing": ("guarantee.k", 0, "guarantee.k"),
    "a share over one": ("guarantee.suppression.max", 1.5, "guarantee.suppression.max"),
    "a key in the policy": ("columns.id", {"role": "identifier", "action": "pseudonym", "key": "canary" * 8}, "key"),
    "a hierarchy file that is not there": ("columns.zip.hierarchy", {"file": "none.csv"}, "columns.zip.hierarchy"),
    "no such unit": ("unit", "person", "unit"),
    "another version": ("anonym", 2, "anonym"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_policy_is_refused(command: Run, table: pl.DataFrame, policy: dict[str, Any], case: str) -> None:
    path, value, words = BROKEN[case]
    _files(table, _with(policy, path, value))
    status, said, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet")
    assert status == 2
    assert words in err
    assert "canary" not in said + err
    assert not list(Path().glob("out*")) + list(Path().glob(".out*"))


def test_an_impossible_promise_is_refused_with_its_evidence(
    command: Run, table: pl.DataFrame, policy: dict[str, Any]
) -> None:
    _files(table.head(4), policy)
    Path("out.parquet").write_bytes(b"old")
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--force")
    assert status == 3
    assert "4" in err
    assert Path("out.parquet").read_bytes() == b"old"
    evidence = json.loads(Path("out.rejected.report.json").read_text())
    assert validate(evidence) == []
    assert evidence["verdict"]["holds"] is False
    assert Path("out.rejected.report.html").exists()


def test_kept_values_of_too_few_are_refused_unless_allowed(table: pl.DataFrame, policy: dict[str, Any]) -> None:
    rare = table.with_columns(plan=pl.when(pl.int_range(pl.len()) < 2).then(pl.lit("canary")).otherwise("plan"))
    with pytest.raises(GuaranteeError, match=r"column plan: 1 values \(2 rows\)") as caught:
        anonym.apply(policy, rare)
    assert "canary" not in str(caught.value)
    allowed = _with(policy, "columns.plan.allow_unique", "contract numbers are needed")
    assert anonym.apply(allowed, rare).data.collect().height > 0


def test_the_output_is_never_an_input(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    _files(table, policy)
    before = Path("in.parquet").read_bytes()
    assert command("apply", "policy.yaml", "in.parquet", "-o", "in.parquet", "--force")[0] == 2
    assert Path("in.parquet").read_bytes() == before


def test_an_existing_output_needs_force(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    _files(table, policy)
    run = ("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")
    assert command(*run)[0] == 0
    status, _, err = command(*run)
    assert (status, "--force" in err) == (2, True)
    assert command(*run, "--force", "--again")[0] == 0


def test_check_finds_what_a_later_change_broke(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    _files(table, policy)
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    released = pl.read_parquet("out.parquet")
    released.with_columns(age=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("1-1")).otherwise("age")).write_parquet(
        "out.parquet"
    )
    status, _, err = command("check", "policy.yaml", "out.parquet", "--quiet")
    assert status == 3
    assert "k over rows: required 5, reached 1" in err
    released.with_columns(mail=pl.lit("x")).write_parquet("out.parquet")
    status, _, err = command("check", "policy.yaml", "out.parquet", "--quiet")
    assert (status, "mail" in err) == (4, True)


def test_json_on_standard_output_is_the_evidence(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    _files(table, policy)
    status, said, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--json")
    assert (status, err) == (0, "")
    assert said == Path("out.report.json").read_text()
    status, said, _ = command("check", "policy.yaml", "out.parquet", "--json")
    assert status == 0
    assert json.loads(said)["holds"] is True


def test_a_report_is_drawn_again_from_its_evidence(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    _files(table, policy)
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    assert command("report", "out.report.json")[0] == 2
    page = Path("out.report.html").read_text()
    assert command("report", "out.report.json", "--force", "--quiet")[0] == 0
    assert Path("out.report.html").read_text() == page
    assert "loss" in command("report", "out.report.json", "--format", "markdown")[1]
    assert command("report", "policy.yaml")[0] == 4


def test_the_policy_is_explained_with_and_without_data(
    command: Run, table: pl.DataFrame, policy: dict[str, Any]
) -> None:
    Path("zip.csv").write_text("".join(f"{zip_},{zip_[:2]},*\n" for zip_ in table["zip"].unique().sort()[1:]))
    _files(table, _with(policy, "columns.zip.hierarchy", {"file": "zip.csv"}))
    assert "quasi-identifier" in command("explain", "policy.yaml")[1]
    status, said, _ = command("explain", "policy.yaml", "in.parquet", "--show-values")
    assert status == 0
    assert "zip: 1 distinct values in" in said
    assert table["zip"].min() not in said.split("hierarchy lacks")[1]  # piped: no value
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet")
    assert status == 4
    assert "zip" in err


def test_errors_in_python_are_the_documented_ones(table: pl.DataFrame, policy: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        anonym.apply({**policy, "anonym": 2}, table)
    with pytest.raises(InputError):
        anonym.apply(policy, table.drop("dx"))
    with pytest.raises(InputError):
        anonym.apply(policy, 5)


IDENTIFIERS: dict[str, Any] = {
    "anonym": 1,
    "name": "visits",
    "unit": "pid",
    "columns": {
        "pid": {"role": "identifier", "action": "pseudonym", "key": "env:ANONYM_TEST_KEY", "scope": "project"},
        "name": {"role": "identifier", "action": "surrogate", "kind": "person_name", "key": "env:ANONYM_TEST_KEY"},
        "card": {"role": "identifier", "action": "redact"},
        "seen": {"role": "identifier", "action": "shift", "days": 90},
        "age": {"role": "quasi", "hierarchy": {"interval": [5, 10, 20]}},
    },
    "guarantee": {"k": 3, "suppression": {"max": 0.1}, "linkable": "the visits of a person belong together"},
}


def _visits() -> pl.DataFrame:
    from datetime import date, timedelta

    people_ = [i // 3 for i in range(240)]
    return pl.DataFrame(
        {
            "pid": people_,
            "name": [f"Canary Person{p:03d}" for p in people_],
            "card": [f"4000-{p:04d}" for p in people_],
            "seen": [date(2024, 1, 1) + timedelta(days=(37 * i) % 300) for i in range(240)],
            "age": [20 + p % 40 for p in people_],
        }
    )


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANONYM_TEST_KEY", "not-a-secret-" * 4)


@pytest.mark.usefixtures("key")
def test_every_identifier_action_does_what_it_says() -> None:
    visits = _visits()
    release = anonym.apply({**IDENTIFIERS, "order": "keep"}, visits)
    released = release.data.collect()
    assert released.schema == pl.Schema(
        {"pid": pl.String, "name": pl.String, "card": pl.String, "seen": pl.Date, "age": pl.String}
    )
    both = visits.select(pl.all().name.prefix("was_")).hstack(released)
    assert both.select("was_pid", "pid").n_unique() == visits["pid"].n_unique() == released["pid"].n_unique()
    assert both.select("was_name", "name").n_unique() == visits["name"].n_unique()
    assert not set(released["name"]) & set(visits["name"])
    assert released["card"].unique().to_list() == ["[REDACTED]"]
    days = both.with_columns(days=(pl.col("seen") - pl.col("was_seen")).dt.total_days())
    assert days.group_by("pid").agg(pl.col("days").n_unique())["days"].max() == 1
    assert days["days"].min() >= 1
    assert days["days"].max() <= 90
    again = anonym.apply({**IDENTIFIERS, "order": "keep"}, visits).data.collect()
    assert again["pid"].equals(released["pid"]), "scope project"
    assert not again["name"].equals(released["name"]), "scope release"


@pytest.mark.usefixtures("key")
def test_rows_that_a_token_joins_are_counted_as_profiles() -> None:
    policy = {**IDENTIFIERS, "guarantee": {"k": 3, "suppression": {"max": 0.5}}}
    release = anonym.apply(policy, _visits())
    assert release.evidence["guarantee"]["k"]["counted"] == "profiles"
    profiles = release.data.collect().group_by("pid").agg(pl.col("age").sort()).group_by("age").len()
    assert release.evidence["guarantee"]["k"]["achieved"] == profiles["len"].min() >= 3


def test_a_missing_key_and_a_shift_without_a_unit_are_refused(policy: dict[str, Any], table: pl.DataFrame) -> None:
    shifted = _with(policy, "columns.id", {"role": "identifier", "action": "shift", "days": 5})
    with pytest.raises(PolicyError, match=r"columns\.id\.action: needs a unit"):
        anonym.apply(shifted, table)
    keyed = _with(policy, "columns.id", {"role": "identifier", "action": "pseudonym", "key": "env:NO_SUCH_KEY"})
    with pytest.raises(CallError, match="NO_SUCH_KEY"):
        anonym.apply(keyed, table)


def test_kept_values_that_suppression_made_rare_are_the_policys_fault(policy: dict[str, Any]) -> None:
    """Five hold the plan, one of them is suppressed: status 3, not 1."""
    table = pl.DataFrame(
        {
            "id": [str(i) for i in range(40)],
            "age": [30] * 39 + [90],
            "zip": ["1001"] * 40,
            "dx": ["a", "b"] * 20,
            "plan": ["free"] * 35 + ["canary"] * 5,
        }
    )
    _with(policy, "columns.age", {"role": "quasi", "hierarchy": "suppress", "coarsest": 0})
    with pytest.raises(GuaranteeError, match="after suppression, rare keep values") as caught:
        anonym.apply(policy, table)
    assert caught.value.evidence["verdict"]["holds"] is False
    assert "canary" not in str(caught.value)


def test_the_categories_of_an_enum_are_in_no_report(command: Run, table: pl.DataFrame, policy: dict[str, Any]) -> None:
    names = [f"canary-{i:05d}" for i in range(table.height)]
    _files(table.with_columns(pl.col("id").cast(pl.Enum(names))), policy)
    assert command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet", "--quiet")[0] == 0
    for path in Path().glob("out.*"):
        assert b"canary" not in path.read_bytes(), path.name


@pytest.mark.parametrize("name", ["*", "^a.*$", "\0row", ""])
def test_names_that_the_engine_reads_as_patterns_are_refused(
    table: pl.DataFrame, policy: dict[str, Any], name: str
) -> None:
    with pytest.raises(InputError, match="name that cannot be used"):
        anonym.apply({**policy, "unlisted": "drop"}, table.with_columns(pl.lit(1).alias(name)))


def test_a_refused_run_tells_what_fails_and_what_would_hold(
    command: Run, table: pl.DataFrame, policy: dict[str, Any]
) -> None:
    _with(policy, "columns.plan", {"role": "drop"})
    _files(table.head(8), _with(policy, "guarantee.k", 9))
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "out.parquet")
    assert status == 3
    reasons = json.loads(Path("out.rejected.report.json").read_text())["verdict"]["reasons"]
    assert any("what holds instead" in reason for reason in reasons)
    assert "what holds instead" in err
