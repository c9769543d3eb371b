"""`recall` on the command line and in Python, its gate in `apply`, and drawn samples."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import anonym
from anonym.errors import GuaranteeError, InconclusiveError, InputError

POLICY: dict[str, Any] = {
    "anonym": 1,
    "name": "notes",
    "columns": {"who": {"role": "identifier"}, "note": {"role": "text"}},
    "text": {"ner": "none"},
}
MAIL = {"text": "mail odalys@x.example now", "spans": [{"start": 5, "end": 21, "label": "EMAIL"}]}
NAME = {"text": "met Odalys", "spans": [{"start": 4, "end": 10, "label": "PERSON"}]}


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., Path]:
    """A folder with a policy (its gate as given), a sample (its documents as given) and a table."""

    def write(documents: list[dict[str, Any]], **gate: Any) -> Path:
        policy = POLICY | {"text": {"ner": "none", **({"recall": {"labelled": "s.jsonl", **gate}} if gate else {})}}
        (tmp_path / "policy.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
        (tmp_path / "s.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents), encoding="utf-8")
        notes = [f"call {i} mail a{i}@x.example" if i % 3 else "nothing here" for i in range(300)]
        pl.DataFrame({"who": [f"id-{i}" for i in range(300)], "note": notes}).write_parquet(tmp_path / "t.parquet")
        return tmp_path

    return write


def test_the_command_prints_rates_and_positions_and_no_text(
    files: Callable[..., Path], command: Callable[..., Any]
) -> None:
    folder = files([MAIL] * 30 + [NAME])
    status, out, _ = command("recall", folder / "policy.yaml", folder / "s.jsonl", "--show-text")
    assert status == 0
    assert "0.9677 [0.8349, 0.9944], 30 of 31" in out
    assert "text 31, 4 to 10, PERSON" in out
    assert "Odalys" not in out  # no terminal
    status, out, _ = command("recall", folder / "policy.yaml", folder / "s.jsonl", "--json")
    facts = json.loads(out)
    assert facts["missed"] == [{"document": 30, "start": 4, "end": 10, "entity": "PERSON", "rules": []}]
    assert facts["rules"]["email"]["rate"] == 1.0
    assert "Odalys" not in out


@pytest.mark.parametrize(
    ("documents", "least", "status"),
    [
        ([MAIL] * 60, 0.9, 0),
        ([MAIL] * 60 + [NAME] * 60, 0.9, 3),
        ([MAIL] * 5, 0.9, 5),  # all found, and 5 show no more than 0.57
        ([{"text": "nothing", "spans": []}], 0.1, 5),
    ],
)
def test_the_gate_stops_a_release_and_says_why(
    files: Callable[..., Path], command: Callable[..., Any], documents: list[dict[str, Any]], least: float, status: int
) -> None:
    folder = files(documents, min=least)
    got, _, said = command("apply", folder / "policy.yaml", folder / "t.parquet", "-o", folder / "o.parquet", "--quiet")
    assert got == status
    assert (folder / "o.parquet").exists() == (status == 0)
    report = folder / ("o.report.json" if status == 0 else "o.rejected.report.json")
    recall = json.loads(report.read_text(encoding="utf-8"))["recall"]
    assert recall["holds"] is {0: True, 3: False, 5: None}[status]
    assert recall["required"] == least
    assert status == 0 or "recall" in said
    assert command("recall", folder / "policy.yaml")[0] == status


@pytest.mark.parametrize(("least", "status"), [("1", 5), ("0.5", 0), ("1.1", 2), ("nan", 2), ("much", 2)])
def test_a_bound_of_the_call_is_a_share(
    files: Callable[..., Path], command: Callable[..., Any], least: str, status: int
) -> None:
    folder = files([MAIL] * 30, min=0.9)
    assert command("recall", folder / "policy.yaml", "--min", least, "--quiet")[0] == status


def test_a_label_of_which_the_sample_has_none_is_no_evidence(files: Callable[..., Path]) -> None:  # T73
    folder = files([MAIL] * 60, min=0.5, entities=["PASSPORT"])
    with pytest.raises(InconclusiveError, match="PASSPORT not measured"):
        anonym.apply(folder / "policy.yaml", pl.read_parquet(folder / "t.parquet"))
    folder = files([MAIL] * 60 + [NAME] * 20, min=0.5, entities=["PERSON", "PASSPORT"])
    with pytest.raises(GuaranteeError, match=r"PERSON 0\.000"):
        anonym.apply(folder / "policy.yaml", pl.read_parquet(folder / "t.parquet"))


def test_in_python_from_a_file_and_from_mappings(files: Callable[..., Path]) -> None:
    folder = files([MAIL, NAME])
    for found in (
        anonym.recall(folder / "policy.yaml", folder / "s.jsonl"),
        anonym.recall(POLICY, [MAIL, NAME]),
        anonym.recall(POLICY, [MAIL, NAME | {"known": {"who": "Odalys Berg"}}]),
    ):
        assert found.whole.of == 2
    assert found.whole.found == 2  # the row's own name is looked for
    with pytest.raises(anonym.errors.CallError, match="name a labelled sample"):
        anonym.recall(POLICY)
    with pytest.raises(InputError):
        anonym.recall(POLICY, [{"text": "x"}])


def test_a_drawn_sample_is_private_weighted_and_can_be_measured(
    files: Callable[..., Path], command: Callable[..., Any]
) -> None:
    folder = files([MAIL])
    arguments = (
        "recall",
        folder / "policy.yaml",
        folder / "t.parquet",
        "--draw-sample",
        "20",
        "-o",
        folder / "d.jsonl",
    )
    assert command(*arguments)[0] == 0
    assert stat.S_IMODE((folder / "d.jsonl").stat().st_mode) == 0o600
    lines = [json.loads(line) for line in (folder / "d.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 20
    assert sum(line["weight"] for line in lines) == pytest.approx(300)
    assert all(line["known"]["who"].startswith("id-") for line in lines)
    assert command(*arguments)[0] == 2  # it exists
    other = folder / "other"
    other.write_text("kept", encoding="utf-8")
    (folder / "d.jsonl").unlink()
    (folder / "d.jsonl").symlink_to(other)
    assert command(*arguments, "--force", "--seed", "3")[0] == 0
    assert other.read_text(encoding="utf-8") == "kept"
    assert stat.S_IMODE((folder / "d.jsonl").lstat().st_mode) == 0o600
    status, out, _ = command("recall", folder / "policy.yaml", folder / "d.jsonl")
    assert status == 0
    assert "not measured" in out
