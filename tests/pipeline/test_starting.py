"""`init`: a policy that runs at once, gives nothing away and overwrites nothing."""

from __future__ import annotations

import json
import random
import stat
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest

from anonym.errors import CallError
from anonym.pipeline.starting import language_of, start_policy
from anonym.policy import Policy
from anonym.policy.infer import sniff

Command = Callable[..., tuple[int, str, str]]


def visits(n: int = 500) -> pl.DataFrame:
    draw = random.Random(3)
    return pl.DataFrame(
        {
            "patient_id": [f"canary-p{draw.randint(0, 150)}" for _ in range(n)],
            "born": [date(1940, 1, 1) + timedelta(days=draw.randint(0, 22_000)) for _ in range(n)],
            "town": [f"canary-town{int(draw.random() ** 3 * 40)}" for _ in range(n)],
            "weight": [round(draw.gauss(75, 12), 1) for _ in range(n)],
            "dx": [draw.choice(["flu", "asthma", "gout"]) for _ in range(n)],
            "plan": [draw.choice(["basic", "plus"]) for _ in range(n)],
            "remark": [f"canary remark number {i} about a visit" for i in range(n)],
        }
    )


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_the_policy_runs_at_once_and_holds(command: Command, tmp_path: Path, ending: str) -> None:
    data = tmp_path / f"visits.{ending}"
    {"csv": lambda f: f.write_csv(data, separator=";"), "parquet": lambda f: f.write_parquet(data),
     "jsonl": lambda f: f.write_ndjson(data)}[ending](visits().drop("remark"))  # fmt: skip
    status, said, _ = command("init", data, "-o", "policy.yaml")
    assert status == 0
    assert "unit: patient_id" in said
    assert command("apply", "policy.yaml", data, "-o", "release.parquet", "--quiet")[0] == 0
    assert command("check", "policy.yaml", "release.parquet", "--quiet")[0] == 0


def test_no_value_of_the_data_is_in_the_policy_and_the_files_are_private(tmp_path: Path) -> None:
    data = tmp_path / "visits.parquet"
    visits().write_parquet(data)
    started = start_policy([data], tmp_path / "policy.yaml")
    text = started.policy.read_text(encoding="utf-8")
    assert "canary" not in text
    assert "canary" not in json.dumps(started.as_dict())
    assert Policy.load(started.policy).reviewed is None
    assert [stat.S_IMODE(file.stat().st_mode) for file in started.files] == [0o600]
    assert "canary-town0" in started.files[0].read_text(encoding="utf-8")


def test_every_line_has_a_reason(tmp_path: Path) -> None:
    data = tmp_path / "visits.parquet"
    visits().write_parquet(data)
    start_policy([data], tmp_path / "policy.yaml")
    lines = (tmp_path / "policy.yaml").read_text(encoding="utf-8").splitlines()
    columns = lines[
        lines.index("columns:") + 1 : lines.index(
            "unlisted: refuse               # a column that is not listed stops the run"
        )
    ]
    assert len(columns) == visits().width
    assert all(line.partition("    # ")[2][:2] in ("0.", "1.") for line in columns)


def test_nothing_is_overwritten(command: Command, tmp_path: Path) -> None:
    visits().drop("remark").write_parquet(tmp_path / "visits.parquet")
    (tmp_path / "policy.yaml").write_text("mine", encoding="utf-8")
    status, _, said = command("init", "visits.parquet")
    assert (status, (tmp_path / "policy.yaml").read_text(encoding="utf-8")) == (2, "mine")
    assert "--force" in said
    assert command("init", "visits.parquet", "--force")[0] == 0


def test_a_kept_column_with_rare_values_is_grouped_instead(tmp_path: Path) -> None:
    data = tmp_path / "visits.parquet"
    visits().with_columns(
        plan=pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("rare")).otherwise("plan")
    ).write_parquet(data)
    started = start_policy([data], tmp_path / "policy.yaml")
    assert next(entry.guess.role for entry in started.draft.entries if entry.name == "plan") == "quasi"


def test_too_few_rows_for_any_release_are_told(command: Command, tmp_path: Path) -> None:
    pl.DataFrame({"age": [1, 2, 3]}).write_parquet(tmp_path / "three.parquet")
    status, said, _ = command("init", "three.parquet")
    assert status == 0
    assert "too few" in said


def test_asking_needs_a_terminal(command: Command, tmp_path: Path) -> None:
    visits().write_parquet(tmp_path / "visits.parquet")
    assert command("init", "visits.parquet", "--ask")[0] == 2


def test_an_answer_is_taken(tmp_path: Path) -> None:
    data = tmp_path / "odd.parquet"
    draw = random.Random(1)
    pl.DataFrame(
        {"zq": [draw.randint(0, 9) for _ in range(200)], "age": [draw.randint(18, 80) for _ in range(200)]}
    ).write_parquet(data)
    started = start_policy([data], tmp_path / "policy.yaml", ask=lambda _question: "drop")
    assert {entry.name: entry.guess.role for entry in started.draft.entries} == {"zq": "drop", "age": "quasi"}
    assert started.draft.questions == ()


@pytest.mark.parametrize(("mark", "encoding"), [(";", "utf-8"), ("|", "cp1252"), ("\t", "utf-16"), (",", "utf-8")])
def test_separator_encoding_and_types_are_found(tmp_path: Path, mark: str, encoding: str) -> None:
    rows = [
        ["größe", "tag", "plz", "gewicht"],
        ["170", "2024-01-31", "01234", "NA"],
        ["181", "2024-02-28", "99999", "7.5"],
    ]
    (tmp_path / "x.csv").write_bytes("\n".join(mark.join(row) for row in rows).encode(encoding))
    found = sniff([tmp_path / "x.csv"])
    assert (found.separator, found.encoding) == (mark, encoding)
    assert dict(found.types) == {"tag": "date", "plz": "str", "gewicht": "float"}
    assert found.null_values == ("NA",)


def test_a_folder_and_a_glob_are_read_by_their_first_file(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text("x;y\n1;2\n", encoding="utf-8")
    assert sniff([folder]).separator == sniff([folder / "*.csv"]).separator == ";"
    assert sniff([tmp_path / "absent.csv"]).separator == ","


def test_languages_are_told_by_function_words() -> None:
    assert language_of(["Der Kunde ist mit dem Preis nicht zufrieden und ruft an"]) == "de"
    assert language_of(["El paciente no refiere dolor en la rodilla"]) == "es"
    assert language_of(["12345"]) == "en"


def test_refusals_come_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").touch()
    with pytest.raises(CallError):
        start_policy([tmp_path / "absent.csv"], tmp_path / "policy.yaml")


def test_a_table_of_texts_alone_is_drafted_and_not_tried(command: Command, tmp_path: Path) -> None:
    data = tmp_path / "visits.parquet"
    visits().select(id=pl.int_range(pl.len()), remark="remark").write_parquet(data)
    status, said, _ = command("init", data, "-o", "policy.yaml")
    assert status == 0
    assert "not tried" in said
    assert "role: text" in Path("policy.yaml").read_text(encoding="utf-8")


def test_a_table_without_rows_is_refused(command: Command, tmp_path: Path) -> None:
    data = tmp_path / "visits.csv"
    visits(0).write_csv(data)
    status, _, said = command("init", data, "-o", "policy.yaml")
    assert status == 4
    assert "no rows" in said
    assert not Path("policy.yaml").exists()


@pytest.mark.parametrize(("days", "status"), [(2_932_897 + 400, 0), (2**31 - 1, 4)])
def test_dates_after_python_and_after_the_calendar(command: Command, days: int, status: int) -> None:
    """The year 10001 is a date like others; what has no year is refused in words."""
    day = pl.Series([days, 0, 5] * 20, dtype=pl.Int32).cast(pl.Date)
    pl.DataFrame({"age": [20, 21, 22] * 20, "born": day}).write_parquet("in.parquet")
    found, _, err = command("init", "in.parquet", "-o", "p.yaml", "--quiet")
    assert (found, "internal" in err) == (status, False), err
    assert (status == 0) or "beyond the calendar's years (1 distinct" in err
