"""The ledger: its chain, its composition, crashes, locks, and a policy that was changed."""

from __future__ import annotations

import json
import multiprocessing
import stat
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dp_accounting", reason="pip install 'anonym[dp]'")

from anonym.dp import Ledger, TrainingOptions
from anonym.dp.accounting import compose
from anonym.dp.events import Laplace, SampledGaussian
from anonym.dp.ledger import spent
from anonym.errors import CallError, InputError, OutputError

TRAINING, COUNT = SampledGaussian(1.1, 1 / 31, 93), Laplace(2.0)
OPTIONS = TrainingOptions("api", {"internal": 8.0, "api": 2.0}, 1e-5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spent.jsonl"


def _spend(ledger: Ledger) -> None:
    ledger.fix(OPTIONS, "customer_id")
    ledger.append("tuning", {"run": "a", "events": spent([TRAINING])})
    ledger.append("training", {"run": "b", "events": spent([TRAINING])})
    ledger.append("statistic", {"name": "count", "events": spent([COUNT])})


def test_training_tuning_and_counts_compose_and_are_recomputed_from_the_file(path: Path) -> None:
    _spend(Ledger(path))
    found = Ledger(path)
    assert found.epsilon() == compose([TRAINING, TRAINING, COUNT], 1e-5)
    assert found.epsilon() > compose([TRAINING, TRAINING], 1e-5) > compose([TRAINING], 1e-5)
    by_hand = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["kind"] for line in by_hand] == ["policy", "tuning", "training", "statistic"]
    assert by_hand[-1]["hash"] == found.head
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("line", range(4))
def test_a_changed_line_is_seen(path: Path, line: int) -> None:
    _spend(Ledger(path))
    lines = path.read_bytes().splitlines(keepends=True)
    changed = lines[line].replace(b'"delta":1e-05', b'"delta":1e-03').replace(b"93", b"92").replace(b"2.0", b"9.0")
    assert changed != lines[line]
    path.write_bytes(b"".join([*lines[:line], changed, *lines[line + 1 :]]))
    with pytest.raises(InputError, match=f"line {line + 1}"):
        Ledger(path)


@pytest.mark.parametrize("order", [(0, 2, 3), (0, 2, 1, 3), (0, 1, 1, 2, 3), (1, 2, 3)])
def test_lines_left_out_swapped_or_repeated_are_seen(path: Path, order: tuple[int, ...]) -> None:
    _spend(Ledger(path))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[index] for index in order))
    with pytest.raises(InputError, match="does not follow"):
        Ledger(path)


def test_lines_cut_off_the_end_change_the_head(path: Path) -> None:
    ledger = Ledger(path)
    _spend(ledger)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert Ledger(path).head != ledger.head


@pytest.mark.parametrize("content", [b"[]\n", b"{}\n", b"\xff\n", b"null\n", b'{"number":1}\n'])
def test_another_file_is_no_ledger(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(InputError, match="no sealed entry"):
        Ledger(path)


def test_a_line_torn_by_a_crash_is_no_entry_and_is_replaced(path: Path) -> None:
    _spend(Ledger(path))
    before = path.read_bytes()
    for torn in (before[-1:] and before + b'{"facts":{"run":"c"', before[:-1], before[:-40]):
        path.write_bytes(torn)
        whole = Ledger(path)
        count = len(whole.entries)
        whole.append("closed", {"run": "b", "steps": 93})
        again = Ledger(path)
        assert len(again.entries) == count + 1
        assert again.head == whole.head


def test_a_run_closed_before_its_first_step_costs_nothing_and_a_stopped_one_all(path: Path) -> None:
    ledger = Ledger(path)
    _spend(ledger)
    ledger.append("closed", {"run": "a", "steps": 0})
    ledger.append("closed", {"run": "b", "steps": 5})
    assert ledger.epsilon() == compose([TRAINING, COUNT], 1e-5)


def test_a_changed_epsilon_policy_is_refused_and_with_a_reason_shown(path: Path) -> None:
    ledger = Ledger(path)
    _spend(ledger)
    ledger.fix(OPTIONS, "customer_id")
    assert ledger.changes() == []
    raised = TrainingOptions("api", {"internal": 8.0, "api": 6.0}, 1e-5)
    with pytest.raises(CallError, match="policy_change"):
        ledger.fix(raised, "customer_id")
    with pytest.raises(CallError, match="policy_change"):
        ledger.fix(OPTIONS, "household")
    ledger.fix(raised, "customer_id", reason="accuracy was too low")
    assert Ledger(path).changes() == [{"entry": 5, "reason": "accuracy was too low", "after_spending": True}]


def test_a_policy_changed_before_anything_was_spent_says_so(path: Path) -> None:
    ledger = Ledger(path)
    ledger.fix(OPTIONS, "customer_id")
    ledger.fix(TrainingOptions("weights", {"weights": 1.0}), "customer_id", reason="exposure widened")
    assert ledger.changes()[0]["after_spending"] is False


def test_a_head_that_moved_stops_an_entry_that_relied_on_it(path: Path) -> None:
    ours, theirs = Ledger(path), Ledger(path)
    ours.fix(OPTIONS, "customer_id")
    head = ours.head
    theirs.append("statistic", {"name": "count", "events": spent([COUNT])})
    with pytest.raises(CallError, match="meanwhile"):
        ours.append("training", {"run": "a", "events": spent([TRAINING])}, after=head)
    assert len(Ledger(path).entries) == 2


def _many(path: Path) -> None:
    ledger = Ledger(path)
    for _ in range(20):
        ledger.append("statistic", {"name": "count", "events": spent([COUNT])})


def test_two_writers_leave_one_chain(path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_many, args=(path,)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(Ledger(path).entries) == 40


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"spent\.jsonl could not be written"):
        Ledger(tmp_path / "none" / "spent.jsonl").append("closed", {"run": "a", "steps": 0})


def test_in_memory_it_is_the_same_chain(path: Path) -> None:
    memory, disk = Ledger(None), Ledger(path)
    _spend(memory)
    _spend(disk)
    assert memory.entries == disk.entries


def test_facts_that_are_no_json_are_refused(path: Path) -> None:
    facts: dict[str, Any] = {"run": "a", "steps": float("nan")}
    with pytest.raises(ValueError, match="JSON"):
        Ledger(path).append("closed", facts)
