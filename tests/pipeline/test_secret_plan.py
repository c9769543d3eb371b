"""A local recoding applied to a new batch by its secret plan: what is listed goes where it went, the rest goes away."""

from __future__ import annotations

import hashlib
import json
import os
import random
import stat
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import anonym
from anonym.errors import AnonymError, CallError, GuaranteeError, InputError
from anonym.report.evidence import validate
from anonym.search.secret_plan import FIRST_LINE, MAGIC, SecretPlan

Run = Callable[..., tuple[int, str, str]]
K = 5
FIRST = ("apply", "policy.yaml", "in.parquet", "-o", "out/a.parquet", "--secret-plan", "kept/a.secret")
NEXT = ("apply", "policy.yaml", "new.parquet", "-o", "out/b.parquet", "--plan", "kept/a.secret")


def clinic(n: int = 500, seed: int = 7) -> pl.DataFrame:
    """Few enough combinations that a second draw has most of them; no ward is held by k rows of one age."""
    draw = random.Random(seed)
    return pl.DataFrame(
        {
            "age": [draw.choice(range(20, 60, 4)) for _ in range(n)],
            "ward": [f"canary{draw.randint(0, 2)}{draw.randint(0, 9)}" for _ in range(n)],
            "dx": [draw.choice("aaabbcd") for _ in range(n)],
        }
    )


def local(**changes: Any) -> dict[str, Any]:
    return {
        "anonym": 1,
        "name": "clinic",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"interval": [10, 20]}, "finest": 1},
            "ward": {"role": "quasi", "hierarchy": {"prefix": [7, 6]}, "finest": 1},
            "dx": {"role": "sensitive"},
        },
        "guarantee": {"k": K, "suppression": {"max": 0.2}},
        "search": {"strategy": "local"},
        "order": "keep",
        **changes,
    }


def write(policy: dict[str, Any], table: pl.DataFrame, batch: pl.DataFrame | None = None) -> None:
    for folder in ("out", "kept"):
        Path(folder).mkdir(exist_ok=True)
    Path("policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    table.write_parquet("in.parquet")
    (table if batch is None else batch).write_parquet("new.parquet")


def report(name: str) -> dict[str, Any]:
    evidence = json.loads(Path(f"out/{name}.report.json").read_text(encoding="utf-8"))
    assert validate(evidence) == []
    return dict(evidence)


# what is kept --------------------------------------------------------------------------------------------------------


def test_it_is_private_and_the_evidence_tells_its_hash_and_size_only(command: Run) -> None:
    write(local(), clinic())
    status, said, _ = command(*FIRST)
    assert status == 0
    kept = Path("kept/a.secret")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    combinations = clinic().select("age", "ward").n_unique()
    assert report("a")["environment"]["secret_plan"] == {
        "use": "written",
        "sha256": hashlib.sha256(kept.read_bytes()).hexdigest(),
        "combinations": combinations,
    }
    assert f"secret   kept/a.secret: {combinations} raw combinations, for --plan; hand it to nobody" in said
    assert os.listdir("kept") == ["a.secret"]
    assert f"Secret plan, written: {combinations} raw combinations, private" in Path("out/a.report.html").read_text()


def test_no_byte_beside_the_release_holds_what_the_secret_plan_does(command: Run) -> None:
    write(local(), clinic())
    assert command(*FIRST)[0] == 0
    raw = [ward.encode() for ward in clinic()["ward"].unique()]
    plan = SecretPlan.load(Path("kept/a.secret").read_bytes())
    assert {ward.encode() for ward in plan.combinations["ward"]} == set(raw)
    files = [path.read_bytes() for path in sorted(Path("out").iterdir())]
    assert len(files) == 4
    assert not [ward for ward in raw if any(ward in content for content in files)]
    assert not [path for path in (b"a.secret", b"kept/") if any(path in content for content in files)]


def test_its_hash_tells_nobody_who_guesses_at_the_values(tmp_path: Path) -> None:
    for name in "ab":
        anonym.apply(local(), clinic(), secret_plan=tmp_path / name)
    one, other = (SecretPlan.load((tmp_path / name).read_bytes()) for name in "ab")
    assert one.combinations.equals(other.combinations)
    assert one.shares.equals(other.shares)
    assert one.sha256 != other.sha256


# what is done with it ------------------------------------------------------------------------------------------------


def test_the_same_batch_is_released_the_same(command: Run) -> None:
    write(local(), clinic())
    assert command(*FIRST)[0] == 0
    assert command(*NEXT, "--quiet") == (0, "", "")
    assert pl.read_parquet("out/a.parquet").equals(pl.read_parquet("out/b.parquet"))
    before, after = report("a"), report("b")
    assert before["output"] == after["output"]
    assert before["loss"] == after["loss"]
    assert before["suppression"] | {"unlisted": 0} == after["suppression"]
    assert after["search"]["why"] == "the classes of an earlier secret plan"
    assert after["search"]["bound"] is None
    assert after["environment"]["secret_plan"] == before["environment"]["secret_plan"] | {"use": "followed"}
    assert Path("out/a.plan.json").read_bytes() == Path("out/b.plan.json").read_bytes()


def by_hand(plan: SecretPlan, batch: pl.DataFrame, l: int) -> Counter[tuple[Any, ...]]:  # noqa: E741
    """The released rows: those of one raw tuple in the order of dx, each sent by its place among them."""
    shares: dict[int, list[int | None]] = defaultdict(list)
    for combination, cls, rows in plan.shares.select("combination", "class", "rows").iter_rows():
        shares[combination] += [cls] * rows
    number = {raw: i for i, raw in enumerate(plan.combinations.select("age", "ward").iter_rows())}
    together = defaultdict(list)
    for age, ward, dx in batch.select("age", "ward", "dx").iter_rows():
        together[age, ward].append(dx)
    classes: dict[int, list[str]] = defaultdict(list)
    for raw, found in together.items():
        then = shares[number[raw]] if raw in number else [None]
        for place, dx in enumerate(sorted(found)):
            cls = then[(2 * place + 1) * len(then) // (2 * len(found))]
            if cls is not None:
                classes[cls].append(dx)
    labels = plan.classes.select("age", "ward").rows()
    held = {cls: found for cls, found in classes.items() if len(found) >= K and len(set(found)) >= l}
    return Counter((*labels[cls], dx) for cls, found in held.items() for dx in found)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6), rows=st.integers(60, 400), other=st.integers(0, 10**6), more=st.integers(1, 500))
@example(seed=1, rows=600, other=2, more=600)
def test_a_batch_goes_where_the_plan_says_and_nowhere_else(
    seed: int, rows: int, other: int, more: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("kept") / "plan"
    policy = local(guarantee={"k": K, "suppression": {"max": 1}})
    for name in ("age", "ward"):
        policy["columns"][name]["finest"] = 0  # classes of few rows, and combinations of several classes
    policy["columns"]["dx"]["l"] = {"distinct": 2}
    anonym.apply(policy, clinic(rows, seed), secret_plan=place)
    batch = pl.concat([clinic(more, other), pl.DataFrame({"age": [99] * 6, "ward": ["other01"] * 6, "dx": ["a"] * 6})])
    release = anonym.apply(policy, batch, plan=place)
    found = Counter(release.data.collect().select("age", "ward", "dx").iter_rows())
    plan = SecretPlan.load(place.read_bytes())
    assert found == by_hand(plan, batch, 2)
    assert rows < 600 or plan.shares["combination"].is_duplicated().sum() > 20, "no combination has several classes"
    listed = set(plan.combinations.select("age", "ward").iter_rows())
    strange = sum(raw not in listed for raw in batch.select("age", "ward").iter_rows())
    assert release.evidence["suppression"]["unlisted"] == strange >= 6


def test_what_is_not_listed_is_suppressed_within_the_limit_or_the_run_refused(command: Run) -> None:
    strangers = pl.DataFrame({"age": [41] * 60, "ward": ["canary00"] * 60, "dx": ["a"] * 60})
    write(local(), clinic(), pl.concat([clinic(), strangers]))
    assert command(*FIRST)[0] == 0
    assert command(*NEXT, "--quiet") == (0, "", "")
    evidence = report("b")
    assert evidence["suppression"]["unlisted"] == evidence["suppression"]["rows"] == 60
    assert "Of 60 of these rows the secret plan does not list the combination" in Path("out/b.report.html").read_text()
    pl.concat([clinic(), strangers, strangers, strangers]).write_parquet("new.parquet")
    status, _, err = command(*NEXT, "--force")
    assert status == 3
    assert "180 rows of 680 would have to be suppressed, and 136 may be: 180 (26.5%) have combinations" in err
    assert report("b") == evidence, "the older release stands"


def test_l_and_t_hold_in_the_batch(tmp_path: Path) -> None:
    policy = local(guarantee={"k": K, "suppression": {"max": 1}})
    policy["columns"]["dx"] |= {"l": {"distinct": 3}, "t": {"max": 0.4, "distance": "equal"}}
    anonym.apply(policy, clinic(800), secret_plan=tmp_path / "plan")
    release = anonym.apply(policy, clinic(800, seed=8), plan=tmp_path / "plan")
    classes = defaultdict(list)
    for *raw, dx in release.data.collect().select("age", "ward", "dx").iter_rows():
        classes[tuple(raw)].append(dx)
    assert classes
    assert min(len(set(found)) for found in classes.values()) >= 3
    assert release.evidence["guarantee"]["t"]["dx"]["achieved"] <= 0.4


def test_k_counts_people_of_the_batch(tmp_path: Path) -> None:
    policy = local(unit="who", guarantee={"k": K, "suppression": {"max": 1}})
    policy["columns"]["who"] = {"role": "identifier"}
    table = clinic(600).with_columns(who=pl.int_range(pl.len()) // 2)
    anonym.apply(policy, table, secret_plan=tmp_path / "plan")
    four = pl.when(pl.col("age") < 40).then("who").otherwise(-1 - pl.col("who") % 4)
    release = anonym.apply(policy, table.with_columns(who=four), plan=tmp_path / "plan")
    young = table.filter(pl.col("age") < 40)
    assert release.data.collect()["dx"].equals(young["dx"]), "four people in hundreds of rows are four"
    assert release.evidence["guarantee"]["k"]["units"] >= K


# forms and types -----------------------------------------------------------------------------------------------------

VALUES: dict[str, tuple[pl.DataType, list[Any], Any]] = {
    "number": (pl.Int32(), [None, *range(20, 60, 4)], {"interval": [10, 20]}),
    "float": (pl.Float64(), [float("nan"), 0.0, -0.0, 1.5, 2.25, 7.0, None], "auto"),
    "decimal": (pl.Decimal(10, 2), [Decimal("1.10"), Decimal("2.20"), Decimal("9.99")], {"interval": [5]}),
    "day": (pl.Date(), [date(2020, 1, 1) + timedelta(days=40 * i) for i in range(10)], {"date": ["quarter", "year"]}),
    "time": (
        pl.Datetime("us", "Europe/Berlin"),
        [datetime(2021, 3, 28, hour) for hour in (0, 1, 3, 9)],
        "auto",
    ),
    "length": (pl.Duration("ms"), [timedelta(minutes=7 * i) for i in range(8)], {"interval": ["15m", "1h"]}),
    "category": (pl.Categorical(), ["a", "b", "c", "dd", None], "suppress"),
    "enum": (pl.Enum(["x", "y", "unused", "z"]), ["x", "y", "z"], "suppress"),
    "word": (pl.String(), [f"w{i}" for i in range(12)], "auto"),
    "truth": (pl.Boolean(), [True, False, None], "suppress"),
}


def drawn(kinds: tuple[str, ...], n: int, seed: int) -> pl.DataFrame:
    draw = random.Random(seed)
    columns = {}
    for kind in kinds:
        dtype, values, _ = VALUES[kind]
        of = pl.Datetime("us") if isinstance(dtype, pl.Datetime) else dtype
        column = pl.Series([draw.choice(values) for _ in range(n)], dtype=of, strict=False)
        columns[kind] = column.dt.replace_time_zone("Europe/Berlin") if isinstance(dtype, pl.Datetime) else column
    return pl.DataFrame(columns).with_columns(dx=pl.Series([draw.choice("aab") for _ in range(n)]))


@pytest.mark.parametrize("form", ["label", "set", "bounds", "representative"])
@pytest.mark.parametrize(
    "kinds", [("number", "category"), ("float", "enum"), ("decimal", "day"), ("time", "word"), ("length", "truth")]
)
def test_every_form_of_every_type_is_applied_again(form: str, kinds: tuple[str, ...], tmp_path: Path) -> None:
    on_line = ("number", "float", "decimal", "day", "time", "length")
    columns: dict[str, Any] = {
        kind: {
            "role": "quasi",
            "hierarchy": VALUES[kind][2],
            "form": form if form != "bounds" or kind in on_line else "set",
        }
        for kind in kinds
    }
    policy = local(columns={**columns, "dx": {"role": "sensitive"}}, guarantee={"k": 12, "suppression": {"max": 1}})
    table = drawn(kinds, 400, 1)
    first = anonym.apply(policy, table, secret_plan=tmp_path / "plan")
    again = anonym.apply(policy, table.sample(fraction=1, shuffle=True, seed=2), plan=tmp_path / "plan")
    assert first.evidence["output"]["digest"] == again.evidence["output"]["digest"]
    assert first.evidence["loss"]["ncp"] == again.evidence["loss"]["ncp"]
    other = anonym.apply(policy, drawn(kinds, 500, 3), plan=tmp_path / "plan")
    assert other.evidence["output"]["rows"] > 0
    assert other.data.collect_schema() == first.data.collect_schema()
    if form != "representative":  # whose values are those of their own batch
        released = [name for name in first.data.collect_schema().names() if name != "dx"]
        assert set(map(str, other.data.select(released).collect().rows())) <= set(
            map(str, first.data.select(released).collect().rows())
        )


def test_zeros_and_missing_values_are_found_as_they_are_compared(tmp_path: Path) -> None:
    """NaN is null and -0.0 is 0.0 in the next batch, too; a category may be text there."""
    policy = local(columns={"float": {"role": "quasi"}, "enum": {"role": "quasi"}, "dx": {"role": "sensitive"}})
    table = drawn(("float", "enum"), 300, 1)
    anonym.apply(policy, table, secret_plan=tmp_path / "plan")
    turned = table.with_columns(
        pl.when(pl.col("float").is_nan())
        .then(None)
        .when(pl.col("float") == 0)
        .then(-0.0)
        .otherwise("float")
        .alias("float"),
        pl.col("enum").cast(pl.String),
    )
    assert anonym.apply(policy, turned, plan=tmp_path / "plan").evidence["suppression"]["rows"] == 0


def test_prefixes_are_as_wide_as_then(tmp_path: Path) -> None:
    table = clinic().with_columns(
        ward=pl.when(pl.col("ward") == "canary00").then(pl.lit("canary00-longest")).otherwise("ward")
    )
    anonym.apply(local(), table, secret_plan=tmp_path / "plan")
    batch = table.filter(pl.col("ward") != "canary00-longest")
    release = anonym.apply(local(), batch, plan=tmp_path / "plan")
    assert set(release.data.collect()["ward"].str.len_chars()) <= {len("canary00-longest"), 1}


# what is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "words", "status", "said"),
    [
        ("out/a.secret", (), 2, "not in the release's folder nor below it"),
        ("out/below/a.secret", (), 2, "not in the release's folder nor below it"),
        ("link/a.secret", (), 2, "not in the release's folder nor below it"),
        ("kept/there", (), 2, "exists: choose another name, or say --force"),
        ("kept", ("--force",), 2, "is a folder: name a file"),
        ("in.parquet", ("--force",), 2, "in the place of a file that is read"),
        ("policy.yaml", ("--force",), 2, "in the place of a file that is read"),
        ("nowhere/a.secret", (), 6, "folder does not exist"),
        ("kept/a.secret", ("--plan", "kept/there"), 2, "makes no new one"),
    ],
)
def test_places_where_it_may_not_stand(
    command: Run, place: str, words: tuple[str, ...], status: int, said: str
) -> None:
    write(local(), clinic(60))
    Path("out/below").mkdir()
    Path("link").symlink_to("out/below")
    Path("kept/there").write_text("theirs")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    found = command("apply", "policy.yaml", "in.parquet", "-o", "out/a.parquet", "--secret-plan", place, *words)
    assert (found[0], said in found[2]) == (status, True), found
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_a_policy_without_classes_has_none(command: Run) -> None:
    policy = {"anonym": 1, "name": "none", "columns": {"dx": {"role": "keep"}}, "unlisted": "drop"}
    write(policy, clinic(60))
    status, _, err = command(*FIRST)
    assert (status, "without quasi-identifiers has no plan" in err) == (2, True)


def test_a_link_is_replaced_and_what_it_leads_to_is_not_written_into(command: Run) -> None:
    write(local(), clinic())
    Path("out/other").write_text("theirs")
    Path("kept/a.secret").symlink_to(Path("out/other").absolute())
    assert command(*FIRST, "--force")[0] == 0
    assert Path("out/other").read_text() == "theirs"
    assert not Path("kept/a.secret").is_symlink()


def _forged(body: bytes) -> bytes:
    return FIRST_LINE + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


@pytest.mark.parametrize(
    "spoil",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:-1],
        lambda whole: whole + b" ",
        lambda whole: whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:],
        lambda whole: whole.replace(b'"local', b'"globa', 1),
        lambda whole: MAGIC + b"2" + whole[len(FIRST_LINE) - 1 :],
        lambda whole: MAGIC,
        lambda whole: _forged(b""),
        lambda whole: _forged(b"{}\n"),
        lambda whole: _forged(b'{"plan": 1, "drawn": {}, "salt": "", "bytes": [1, 1, 1, 1]}\nabcd'),
        lambda whole: _forged(whole.split(b"\n", 1)[1][:-300]),
    ],
)
def test_what_is_no_whole_secret_plan_is_refused(command: Run, spoil: Callable[[bytes], bytes]) -> None:
    write(local(), clinic())
    assert command(*FIRST)[0] == 0
    place = Path("kept/a.secret")
    place.write_bytes(spoil(place.read_bytes()))
    status, _, err = command(*NEXT)
    assert (status, "not a secret plan of version 1: it was cut off, changed, or is another file" in err) == (
        2,
        True,
    ), err
    assert not list(Path("out").glob("b.*"))


FORGED: dict[str, Callable[[SecretPlan], SecretPlan]] = {
    "fewer classes": lambda plan: replace(plan, classes=plan.classes.head(1)),
    "no such class": lambda plan: replace(plan, shares=plan.shares.with_columns(pl.col("class") + 10**6)),
    "no such combination": lambda plan: replace(plan, shares=plan.shares.with_columns(pl.col("combination") - 1)),
    "no rows": lambda plan: replace(plan, shares=plan.shares.with_columns(rows=pl.lit(0, pl.Int64))),
    "text for numbers": lambda plan: replace(plan, shares=plan.shares.cast(pl.String)),
    "another column": lambda plan: replace(plan, combinations=plan.combinations.rename({"ward": "age2"})),
    "a combination twice": lambda plan: replace(plan, combinations=plan.combinations.with_columns(pl.all().first())),
    "no level": lambda plan: replace(plan, cells=plan.cells.drop("level:age")),
    "no such level": lambda plan: replace(plan, cells=plan.cells.with_columns(pl.lit(-9, pl.Int32).alias("level:age"))),
    "no labels": lambda plan: replace(plan, classes=plan.classes.drop("age")),
}


@pytest.mark.parametrize("how", FORGED)
def test_a_plan_written_by_hand_is_refused_where_it_cannot_be_one(command: Run, how: str) -> None:
    write(local(), clinic())
    assert command(*FIRST)[0] == 0
    place = Path("kept/a.secret")
    place.write_bytes(FORGED[how](replace(SecretPlan.load(place.read_bytes()), loaded=None)).content)
    status, _, err = command(*NEXT)
    assert (status, "not a secret plan of version 1" in err) == (2, True), err
    assert not list(Path("out").glob("b.*"))


def test_a_plan_that_lies_about_labels_releases_nothing(command: Run) -> None:
    """Well-formed, its hash right: the labels are compared with the hierarchy's."""
    write(local(), clinic())
    assert command(*FIRST)[0] == 0
    place = Path("kept/a.secret")
    plan = SecretPlan.load(place.read_bytes())
    lying = replace(plan, classes=plan.classes.with_columns(age=pl.lit("20-29")), loaded=None)
    place.write_bytes(lying.content)
    status, _, err = command(*NEXT)
    assert (status, "its hierarchy gives other labels than those of the plan" in err) == (2, True), err
    assert not list(Path("out").glob("b.*"))


def test_another_policy_table_or_type_is_refused(command: Run) -> None:
    write(local(), clinic())
    assert command(*FIRST)[0] == 0
    for batch, status, said in (
        (
            clinic().with_columns(pl.col("age").cast(pl.Int32)),
            4,
            "column age: it was Int64 when the secret plan was made, and is Int32",
        ),
        (clinic().drop("ward"), 4, "ward"),
        (clinic().with_columns(more=1), 4, "more"),
    ):
        batch.write_parquet("new.parquet")
        found = command(*NEXT)
        assert (found[0], said in found[2]) == (status, True), found
        assert not list(Path("out").glob("b.*"))
    write(local(guarantee={"k": K - 1, "suppression": {"max": 0.2}}), clinic())
    status, _, err = command(*NEXT)
    assert (status, "the plan is of another policy" in err) == (2, True)


def test_columns_of_a_glob_must_be_those_of_the_plan(tmp_path: Path) -> None:
    policy = local(columns={"q*": {"role": "quasi", "hierarchy": "suppress"}, "dx": {"role": "sensitive"}})
    table = clinic().select(q1=pl.col("age") % 3, dx="dx")
    anonym.apply(policy, table, secret_plan=tmp_path / "plan")
    with pytest.raises(CallError, match="of another table"):
        anonym.apply(policy, table.with_columns(q2=1), plan=tmp_path / "plan")


def test_a_changed_hierarchy_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "wards.csv"
    lines = [f"{ward},{ward[:7]},*" for ward in sorted(set(clinic()["ward"]))]
    file.write_text("\n".join(lines), encoding="utf-8")
    policy = local()
    policy["columns"]["ward"] = {"role": "quasi", "hierarchy": {"file": str(file)}}
    anonym.apply(policy, clinic(), secret_plan=tmp_path / "plan")
    file.write_text("\n".join(lines).replace("canary1,", "canary2,"), encoding="utf-8")
    with pytest.raises(CallError, match="column ward: its hierarchy is not the one of the plan"):
        anonym.apply(policy, clinic(), plan=tmp_path / "plan")


def test_the_publishable_plan_of_local_recoding_says_what_would_do(command: Run) -> None:
    write(local(), clinic())
    assert command(*FIRST)[0] == 0
    status, _, err = command(*NEXT[:-1], "out/a.plan.json")
    assert (status, "--secret-plan keeps one that does" in err) == (2, True)


# other strategies and verbs ------------------------------------------------------------------------------------------


def test_of_a_global_recoding_it_is_the_publishable_plan(command: Run) -> None:
    """So that a script need not know what `auto` chose."""
    write(local(search={"strategy": "global"}), clinic())
    status, said, _ = command(*FIRST)
    assert (status, "no raw value is in it, for recoding is global" in said) == (0, True)
    assert Path("kept/a.secret").read_bytes() == Path("out/a.plan.json").read_bytes()
    assert report("a")["environment"]["secret_plan"]["combinations"] == 0
    assert command(*NEXT, "--quiet") == (0, "", "")
    assert report("a")["output"]["digest"] == report("b")["output"]["digest"]


def test_auto_hierarchies_are_those_that_were_drawn_up_then(tmp_path: Path) -> None:
    policy = local(columns={"age": {"role": "quasi", "hierarchy": "auto", "finest": 1}, "dx": {"role": "sensitive"}})
    table = clinic(800).drop("ward")
    first = anonym.apply(policy, table, secret_plan=tmp_path / "plan")
    batch = pl.concat(
        [table.with_columns(age=pl.col("age") - 4).filter(pl.col("age") > 35), table.filter(pl.col("age") > 35)]
    )
    again = anonym.apply(policy, batch, plan=tmp_path / "plan")
    assert set(again.data.collect()["age"]) <= set(first.data.collect()["age"])


def test_a_finished_run_is_repeated_only_where_its_secret_plan_is_gone(command: Run) -> None:
    write(local(), clinic())
    assert command(*FIRST)[0] == 0
    kept = Path("kept/a.secret").read_bytes()
    assert "nothing was done" in command(*FIRST, "--force")[1]
    assert Path("kept/a.secret").read_bytes() == kept
    assert "nothing was done" not in command(*FIRST[:-1], "kept/b.secret", "--force")[1], "asked for in another place"
    Path("kept/b.secret").unlink()
    assert "nothing was done" not in command(*FIRST[:-1], "kept/b.secret", "--force")[1]
    assert Path("kept/b.secret").exists()
    assert command(*NEXT[:-1], "kept/b.secret", "--quiet")[0] == 0
    assert "nothing was done" in command(*NEXT[:-1], "kept/b.secret", "--force")[1]
    assert "nothing was done" not in command(*NEXT, "--force")[1], "another plan"


def test_a_release_under_a_secret_plan_is_rebuilt_and_verified_with_it_only(command: Run) -> None:
    write(local(guarantee={"k": K, "suppression": {"max": 0.9}}), clinic(), clinic(520))
    assert command(*FIRST)[0] == 0
    assert command(*NEXT, "--quiet")[0] == 0
    check = ("verify", "out/b.report.json", "--original", "new.parquet")
    rebuild = ("rederive", "out/b.report.json", "new.parquet", "-o", "out/c.parquet", "--policy", "policy.yaml")
    for words in (check, rebuild):
        status, _, err = command(*words)
        assert (status, "made under a secret plan: name its file with --plan" in err) == (2, True), err
        status, _, err = command(*words, "--plan", "out/b.plan.json")
        assert status == 2, err
    assert command(*check, "--plan", "kept/a.secret", "--quiet") == (0, "", "")
    assert command(*rebuild, "--plan", "kept/a.secret", "--quiet") == (0, "", "")
    assert report("b")["output"] == report("c")["output"]
    first = ("verify", "out/a.report.json", "--original", "in.parquet")
    assert command(*first, "--quiet") == (0, "", "")
    status, _, err = command(*first, "--plan", "kept/a.secret")
    assert (status, "was not made under a secret plan" in err) == (2, True)


def test_people_who_withdrew_are_left_out_of_a_planned_batch(command: Run) -> None:
    policy = local(unit="who")
    policy["columns"]["who"] = {"role": "identifier"}
    write(policy, clinic().with_columns(who=pl.int_range(pl.len())))
    assert command(*FIRST)[0] == 0
    Path("gone.txt").write_text("3\n4\n", encoding="utf-8")
    assert command(*NEXT, "--exclude-units", "gone.txt", "--quiet")[0] == 0
    assert report("b")["input"]["excluded_units"] == 2
    assert report("b")["input"]["rows"] == 498


def test_the_next_run_removes_what_a_killed_one_left_of_it(command: Run) -> None:
    write(local(), clinic())
    left = Path("kept/.a.secret.anonym-private-killed")
    left.write_bytes(b"raw")
    assert command(*FIRST)[0] == 0
    assert os.listdir("kept") == ["a.secret"]


def test_tables_without_rows_have_plans_and_follow_them(command: Run) -> None:
    write(local(), clinic().clear(), clinic())
    status, said, _ = command(*FIRST)
    assert (status, "secret   kept/a.secret: 0 raw combinations" in said) == (0, True), said
    status, _, err = command(*NEXT)
    assert (status, "500 (100.0%) have combinations of values that the plan does not list" in err) == (3, True)
    write(local(), clinic(), clinic().clear())
    assert command(*FIRST, "--force", "--quiet")[0] == 0
    assert command(*NEXT, "--quiet") == (0, "", "")
    assert pl.read_parquet("out/b.parquet").height == 0


def test_bins_count_in_the_batch(tmp_path: Path) -> None:
    """Numbers of one bin are one value for l, in the next batch too."""
    policy = local(guarantee={"k": K, "suppression": {"max": 1}})
    policy["columns"]["pay"] = {"role": "sensitive", "bins": {"interval": [100]}, "l": {"distinct": 2}}
    del policy["columns"]["dx"]
    table = clinic(600).drop("dx").with_columns(pay=pl.int_range(pl.len()) % 1000)
    anonym.apply(policy, table, secret_plan=tmp_path / "plan")
    one_bin = table.with_columns(pay=pl.when(pl.col("age") < 40).then(pl.col("pay") % 100).otherwise("pay"))
    found = anonym.apply(policy, one_bin, plan=tmp_path / "plan").data.collect()
    assert found.height == table.filter(pl.col("age") >= 40).height


def test_masked_rows_stay_empty(tmp_path: Path) -> None:
    policy = local(guarantee={"k": K, "suppression": {"max": 0.5, "action": "mask"}})
    anonym.apply(policy, clinic(), secret_plan=tmp_path / "plan")
    strange = pl.DataFrame({"age": [41] * 9, "ward": ["canary00"] * 9, "dx": ["a"] * 9})
    found = anonym.apply(policy, pl.concat([clinic(), strange]), plan=tmp_path / "plan").data.collect()
    assert found.tail(9)["suppressed"].all()
    assert found.tail(9).drop("suppressed").null_count().row(0) == (9, 9, 9)


# in Python -----------------------------------------------------------------------------------------------------------


def test_python_keeps_and_takes_what_the_command_does(command: Run) -> None:
    write(local(guarantee={"k": K, "suppression": {"max": 0.9}}), clinic(), clinic(520))
    release = anonym.apply("policy.yaml", clinic(), secret_plan="kept/a.secret")
    assert stat.S_IMODE(Path("kept/a.secret").stat().st_mode) == 0o600
    for place in ("kept/a.parquet", "a.parquet"):
        with pytest.raises(CallError, match="not in the release's folder"):
            release.write(place)
    release.write("out/a.parquet")
    assert report("a")["environment"]["secret_plan"] == release.evidence["environment"]["secret_plan"]
    with pytest.raises(CallError, match="exists"):
        anonym.apply("policy.yaml", clinic(), secret_plan="kept/a.secret")
    anonym.apply("policy.yaml", clinic(), secret_plan="kept/a.secret", force=True)
    plan = SecretPlan.load(Path("kept/a.secret").read_bytes())
    assert command(*NEXT, "--quiet")[0] == 0
    for one in (plan, "kept/a.secret", Path("kept/a.secret")):
        again = anonym.apply("policy.yaml", clinic(520), plan=one)
        assert again.evidence["output"] == report("b")["output"]
    with pytest.raises(InputError, match="column age"):
        anonym.apply("policy.yaml", clinic().with_columns(pl.col("age").cast(pl.Float64)), plan=plan)
    with pytest.raises(GuaranteeError):
        anonym.apply("policy.yaml", clinic().with_columns(age=pl.col("age") + 1), plan=plan)  # none of it is listed


# union ---------------------------------------------------------------------------------------------------------------


def test_a_batch_that_is_small_alone_holds_together_with_those_before(command: Run) -> None:
    write(local(batch="union"), clinic(), clinic(60, seed=8))
    status, _, err = command("apply", "policy.yaml", "in.parquet", "-o", "out/a.parquet")
    assert (status, "--secret-plan is not there to keep a local one" in err) == (2, True)
    assert command(*FIRST)[0] == 0
    status, _, err = command(*NEXT)
    assert (status, "--earlier" in err) == (2, True)
    assert command(*NEXT, "--earlier", "out/a.parquet", "--quiet") == (0, "", "")
    alone, before = (Counter(pl.read_parquet(f"out/{name}.parquet").select("age", "ward").rows()) for name in "ba")
    joint = alone + before
    assert min(alone.values()) < K <= min(joint.values())
    assert report("b")["guarantee"]["k"]["achieved"] == min(joint.values())
    plan = SecretPlan.load(Path("kept/a.secret").read_bytes())
    listed = set(plan.combinations.select("age", "ward").rows())
    kept = sum(raw in listed for raw in clinic(60, seed=8).select("age", "ward").rows())
    assert sum(alone.values()) == kept == 60 - report("b")["suppression"]["unlisted"]
    check = ("verify", "out/b.report.json", "--original", "new.parquet", "--earlier", "out/a.parquet")
    assert command(*check, "--plan", "kept/a.secret", "--quiet") == (0, "", "")


def test_l_holds_over_all_files_and_classes_that_fail_go_whole(command: Run) -> None:
    policy = local(batch="union", guarantee={"k": K, "suppression": {"max": 1}})
    policy["columns"]["dx"] |= {"t": {"max": 0.35, "distance": "equal"}}
    one_sided = clinic(200, seed=9).with_columns(dx=pl.when(pl.col("age") < 40).then(pl.lit("d")).otherwise("dx"))
    write(policy, clinic(800), one_sided)
    assert command(*FIRST)[0] == 0
    status, _, err = command(*NEXT, "--earlier", "out/a.parquet", "--quiet")
    assert status in (0, 3), err
    if status == 3:
        assert "what was released cannot be taken back" in err
    else:
        assert report("b")["guarantee"]["t"]["dx"]["achieved"] <= 0.35
        assert report("b")["suppression"]["rows"] > 0


def test_errors_name_no_value(command: Run, tmp_path: Path) -> None:
    write(local(guarantee={"k": K, "suppression": {"max": 0}}), clinic(), clinic(30, seed=11))
    assert command(*FIRST)[0] == 0
    status, _, err = command(*NEXT, "--verbose")
    assert status == 3
    assert "canary" not in err
    with pytest.raises(AnonymError) as refused:
        anonym.apply("policy.yaml", clinic(30, seed=11), plan="kept/a.secret")
    assert "canary" not in repr(refused.value) + repr(refused.value.__cause__)


def test_python_names_files_released_before_by_their_paths(command: Run) -> None:
    """A frame has no hash by which the evidence could say what it was judged with."""
    write(local(batch="union"), clinic(), clinic(60, seed=8))
    assert command(*FIRST)[0] == 0
    given: list[Any] = ["out/a.parquet", Path("out/a.parquet"), ["out/a.parquet"]]
    found = [
        anonym.apply("policy.yaml", clinic(60, seed=8), plan="kept/a.secret", earlier=one).evidence for one in given
    ]
    assert all(one["batch"] == found[0]["batch"] for one in found)
    assert found[0]["batch"]["rows"] == pl.read_parquet("out/a.parquet").height
    for frame in (pl.read_parquet("out/a.parquet"), [pl.read_parquet("out/a.parquet")]):
        with pytest.raises(CallError, match="expected paths of released files"):
            anonym.apply("policy.yaml", clinic(60, seed=8), plan="kept/a.secret", earlier=frame)  # type: ignore[arg-type]
