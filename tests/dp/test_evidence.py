"""From the policy to the report: training under a loaded policy, its statement in the release's evidence."""

from __future__ import annotations

import importlib
import json
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

pytest.importorskip("torch", reason="pip install 'anonym[dp]'")
pytest.importorskip("opacus", reason="pip install 'anonym[dp]'")

from click.testing import CliRunner
from naive import private

import anonym
from anonym.cli import cli
from anonym.cli.audit import audit as audit_command
from anonym.cli.ledger import ledger as ledger_command
from anonym.dp import TrainingOptions, accounting, extra
from anonym.errors import CallError, InputError
from anonym.pipeline import auditing
from anonym.pipeline.training import read_ledger, record_training, state_ledger
from anonym.report.evidence import validate

TRAINING = {"exposure": "customer_hosted", "epsilon": {"customer_hosted": 60, "weights": 1}, "delta": 1e-5}
PLAIN = {
    "anonym": 1,
    "name": "tickets",
    "unit": "customer",
    "columns": {"customer": {"role": "identifier"}, "age": {"role": "keep", "allow_unique": "test"}},
    "training": {**TRAINING, "max_records_per_unit": 4, "accountant": "rdp"},
}


def _released(folder: Path, declared: dict[str, Any]) -> tuple[Any, Path]:
    policy = anonym.Policy.load(declared)
    frame = pl.DataFrame({"customer": [row // 4 for row in range(400)], "age": [20 + row % 40 for row in range(400)]})
    anonym.apply(policy, frame.lazy()).write(folder / "release.parquet")
    return policy, folder / "release.report.json"


def test_a_policy_says_who_may_spend_how_much() -> None:
    training = anonym.Policy.load(PLAIN).training
    assert training is not None
    assert (training.limit, training.delta, training.max_records_per_unit) == (60.0, 1e-5, 4)
    without = {key: value for key, value in PLAIN.items() if key != "training"}
    assert anonym.Policy.load(without).training is None


def test_a_training_run_reaches_the_report_of_its_release(tmp_path: Path) -> None:
    policy, report = _released(tmp_path, PLAIN)
    before = json.loads(report.read_text())
    assert before["training"] is None
    private.train(declared=policy, ledger=tmp_path / "spent.jsonl", steps=2)
    audit = tmp_path / "audit.json"
    audit.write_text(json.dumps({"audit": "tabular", "models": {}}))
    call = [str(tmp_path / "spent.jsonl"), "--report", str(report), "--audit", str(audit), "--outside", "tuning by eye"]
    done = CliRunner().invoke(ledger_command, call)
    assert done.exit_code == 0, done.output
    assert "odds ×" in done.output
    after = json.loads(report.read_text())
    assert validate(after) == []
    stated = after["training"]
    assert stated["unit"] == "customer"
    assert stated["exposure"] == "customer_hosted"
    assert stated["outside"][0] == "tuning by eye"
    assert stated["ledger"]["head"] == read_ledger(tmp_path / "spent.jsonl").head
    assert stated["audits"] == [{"audit": "tabular", "models": {}}]
    assert stated["end_to_end"] is True
    assert stated["for_release"] is False
    assert not any("No private training" in limit for limit in after["limits"])
    assert {key: after[key] for key in ("output", "columns", "verdict")} == {
        key: before[key] for key in ("output", "columns", "verdict")
    }
    page = report.with_suffix(".html").read_text()
    assert "Odds factor" in page
    assert "the odds of every conclusion" in page


def test_end_to_end_is_not_claimed_where_rows_had_a_part_in_the_plan(tmp_path: Path) -> None:
    declared = {
        **PLAIN,
        "columns": {"customer": {"role": "identifier"}, "age": {"role": "quasi", "hierarchy": {"interval": [10]}}},
        "guarantee": {"k": 5},
    }
    policy, report = _released(tmp_path, declared)
    run = private.train(declared=policy, ledger=tmp_path / "spent.jsonl", steps=2)
    report.chmod(0o640)
    before = sorted(tmp_path.iterdir())
    evidence = record_training(report, run.statement())
    assert stat.S_IMODE(report.stat().st_mode) == 0o640
    assert sorted(tmp_path.iterdir()) == before
    assert evidence["training"]["end_to_end"] is False
    assert any("relative to the released table" in said for said in evidence["training"]["says"])


def test_what_is_no_ledger_no_training_and_no_audit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no ledger"):
        read_ledger(tmp_path / "none.jsonl")
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    with pytest.raises(CallError, match="no training run"):
        state_ledger(empty)


def test_without_the_optional_part_both_verbs_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = TrainingOptions("internal", {"internal": 50}, 3e-5, "pld", 4)
    private.train(declared=SimpleNamespace(unit="customer", training=training), ledger=tmp_path / "spent.jsonl")
    accounting._pld.cache_clear()
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with pytest.raises(CallError, match=r"dp_accounting.* is missing.*pip install 'anonym\[dp\]'"):
        state_ledger(tmp_path / "spent.jsonl")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(CallError, match=r"torch is missing.*pip install 'anonym\[dp\]'"):
        auditing.audit("tabular", seeds=1)


def test_a_missing_module_of_ours_is_no_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError), extra.needed():
        importlib.import_module("anonym.dp.nothing")


def test_an_audit_is_told_in_words_and_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    from anonym.dp.audits import tabular

    small = tabular.Setting(records=200, references=2, epochs=2, private_epochs=1, noise=2.0)
    monkeypatch.setattr(tabular, "Setting", lambda: small)
    told = CliRunner().invoke(audit_command, ["tabular", "--seeds", "1"])
    assert told.exit_code == 0, told.output
    assert "median of 1 run on 200 records" in told.output
    assert "per person (odds ×" in told.output
    assert "at δ 1e-05, PLD; add or remove one unit; Poisson over units" in told.output
    assert "at δ 1e-05, add or remove one record, 95% confidence" in told.output
    assert "small group" in told.output
    assert "learnt nothing passes every test" in told.output
    found = json.loads(CliRunner().invoke(audit_command, ["tabular", "--seeds", "1", "--json"]).output)
    assert found["models"].keys() == {"non-private", "private"}


def test_the_language_audit_scrubs_with_our_own_scrubber(monkeypatch: pytest.MonkeyPatch) -> None:
    from anonym.dp.audits import corpus, language

    small = language.Setting(width=16, epochs=1, private_epochs=1, noise=2.0, probes=20, candidates=15)
    monkeypatch.setattr(language, "Setting", lambda probes: small)
    whole = corpus.corpus
    monkeypatch.setattr(corpus, "corpus", lambda customers=0, seed=0: whole(40, seed, 1))
    found = auditing.audit("language")
    assert found["recall"]["rate"] > 0.9
    told = "\n".join(auditing.lines(found))
    assert "identifiers masked" in told
    useful = found["models"]["private"]["accuracy"]
    assert useful["small_group_lines"] > 0
    assert f"small group {useful['small_group']:.3f}" in told


def test_both_verbs_are_on_the_command_line() -> None:
    assert {"audit", "ledger"} <= set(cli.commands)
