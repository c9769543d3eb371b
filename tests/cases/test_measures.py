"""Linkage, recall and ε of a few rows, against numbers counted by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases.desk import Run, promise

from anonym.errors import CallError, GuaranteeError

Call = Callable[..., Run]

LINKED: dict[str, tuple[list[Any], list[Any], dict[str, Any], int, int, float]] = {
    "null matches nothing": (["30-39", None], [35, None], {"interval": [10]}, 2, 1, 1),
    "two candidates are half a hit": (["112**", "112**"], ["11201", "11299", "94110"], {"prefix": [3]}, 2, 2, 1),
    "`*` covers all": (["*", "*"], ["11201", "11299"], {"prefix": [3]}, 2, 2, 1),
    "an open end": ([">=90", "0-9"], [104, 5], {"interval": [10]}, 2, 2, 2),
    "a half-open end": (["[0.3, 0.4)"], [0.3, 0.4], {"interval": [0.1]}, 1, 1, 1),
    "months and years": (
        ["2024-01", "2024"],
        [date(2024, 1, 31), date(2024, 2, 1)],
        {"date": ["month", "year"]},
        2,
        2,
        1.5,
    ),
    "below zero": (["-10--1"], [-1, 0, -10, -11], {"interval": [10]}, 1, 1, 0.5),
    "networks": (["10.0.0.0/24"], ["10.0.0.7", "10.0.1.7"], {"ip": [24]}, 1, 1, 1),
    "one person is hit once": (["30-39"] * 5, [35], {"interval": [10]}, 5, 5, 1),
    "nobody there": (["30-39"] * 2, [99], {"interval": [10]}, 2, 0, 0),
}


def _linkage(run: Call, released: pl.DataFrame, known: pl.DataFrame, hierarchy: dict[str, Any]) -> dict[str, Any]:
    released.write_parquet("released.parquet")
    known.write_parquet("known.parquet")
    policy = promise({"q": {"role": "quasi", "hierarchy": hierarchy}}, 1)
    words = ["--original", "known.parquet", "--auxiliary", "known.parquet", "--json"]
    attacked = run("attack", policy, "released.parquet", *words)
    assert attacked.status in (0, 3, 5), attacked.err
    return next(result for result in json.loads(attacked.out) if result["name"] == "linkage")


@pytest.mark.parametrize(("released", "known", "hierarchy", "targets", "attempts", "hits"), LINKED.values(), ids=LINKED)
def test_linkage_by_hand(
    run: Call,
    released: list[Any],
    known: list[Any],
    hierarchy: dict[str, Any],
    targets: int,
    attempts: int,
    hits: float,
) -> None:
    found = _linkage(run, pl.DataFrame({"q": released}), pl.DataFrame({"q": known}), hierarchy)
    assert (found["targets"], found["attempts"]) == (targets, attempts)
    assert found["correct"] == pytest.approx(hits)
    assert found["rate"] == pytest.approx(hits / targets) if attempts else found["rate"] in (0, None)


@pytest.mark.parametrize("none", ["released", "known"])
def test_linkage_of_nobody_proves_nothing(run: Call, none: str) -> None:
    labels = pl.DataFrame({"q": ["30-39"] * 2}).head(0 if none == "released" else 2)
    values = pl.DataFrame({"q": [31, 32]}).head(0 if none == "known" else 2)
    found = _linkage(run, labels, values, {"interval": [10]})
    assert not found["correct"]
    assert found["verdict"] != "pass" or none == "known"


TEXT = "mail jane@corp.example now"
MARKED = {"start": 5, "end": 22, "label": "EMAIL"}


def _recall(run: Call, content: bytes | list[Any], *words: str) -> Run:
    given = content if isinstance(content, bytes) else "\n".join(map(json.dumps, content)).encode()
    Path("labelled.jsonl").write_bytes(given)
    policy = {"columns": {"t": {"role": "text"}}, "text": {"ner": "none"}}
    return run("recall", policy, "labelled.jsonl", "--json", *words)


SAMPLES: dict[str, tuple[bytes | list[Any], list[str], int, int]] = {
    "found": ([{"text": TEXT, "spans": [MARKED]}], [], 1, 1),
    "marked twice": ([{"text": TEXT, "spans": [MARKED, MARKED]}], [], 1, 1),
    "UTF-16": (
        [{"text": f"😀😀 {TEXT}", "spans": [{"start": 10, "end": 27, "label": "EMAIL"}]}],
        ["--offsets", "utf-16"],
        1,
        1,
    ),
    "a mark and CR LF": (f"\ufeff{json.dumps({'text': TEXT, 'spans': [MARKED]})}\r\n".encode(), [], 1, 1),
    "CR LF in the text": ([{"text": f"a\r\n{TEXT}", "spans": [{"start": 8, "end": 25, "label": "E"}]}], [], 1, 1),
    "half of it": ([{"text": f"call canary {TEXT[5:]}", "spans": [{"start": 5, "end": 29, "label": "E"}]}], [], 0, 1),
    "a document without labels": ([{"text": TEXT, "spans": [MARKED]}, {"text": "nothing", "spans": []}], [], 1, 1),
    "columns, I without B": (b"jane I-P\nx I-P\n\n", ["--format", "conll"], 0, 1),
    "columns, two entities side by side": (b"jane B-P\nx B-P\n\n", ["--format", "conll"], 0, 2),
    "columns, BILOU": (b"jane B-P\nx L-P\ny U-P\n\n", ["--format", "conll"], 0, 2),
}


@pytest.mark.parametrize(("content", "words", "found", "of"), SAMPLES.values(), ids=SAMPLES)
def test_recall_by_hand(run: Call, content: bytes | list[Any], words: list[str], found: int, of: int) -> None:
    measured = _recall(run, content, *words)
    assert measured.status == 0, measured.err
    assert (measured.printed["overall"]["found"], measured.printed["overall"]["of"]) == (found, of)
    assert "canary" not in measured.out + measured.err


@pytest.mark.parametrize(
    "span",
    [
        {"start": 5, "end": 99},
        {"start": 9, "end": 5},
        {"start": -1, "end": 5},
        {"start": 5, "end": 5},
        {"start": 5.5, "end": 9},
        {"start": 5},
    ],
    ids=str,
)
def test_a_label_that_is_nowhere_is_refused_without_the_text(run: Call, span: dict[str, Any]) -> None:
    refused = _recall(run, [{"text": TEXT, "spans": [span | {"label": "E"}]}])
    assert refused.status == 4
    assert "jane" not in refused.out + refused.err


@pytest.mark.parametrize("content", [[{"text": "nothing", "spans": []}], [{"text": TEXT, "spans": [MARKED]}]])
def test_too_few_labels_meet_no_bound(run: Call, content: list[Any]) -> None:
    """One of one found shows 0.2 at least, none of none nothing."""
    assert _recall(run, content, "--min", "0.95").status == 5


# ε: of full batches a closed form exists (Balle and Wang 2018); the upper ends are those of zCDP ----------------------

GAUSSIAN = [
    (4.0, 10, 1e-5, 3.341409, 4.106068),
    (1.0, 1, 1e-5, 4.377178, 5.298526),
    (10.0, 100, 1e-6, 4.886554, 5.756522),
]


@pytest.fixture
def dp() -> Any:
    pytest.importorskip("dp_accounting", reason="pip install 'anonym[dp]'")
    from anonym import dp

    return dp


@pytest.mark.parametrize("accountant", ["pld", "rdp", "prv"])
@pytest.mark.parametrize(("noise", "steps", "delta", "low", "high"), GAUSSIAN)
def test_epsilon_is_never_below_the_exact_one(
    dp: Any, noise: float, steps: int, delta: float, low: float, high: float, accountant: str
) -> None:
    found = dp.epsilon(noise, 1.0, steps, delta, accountant)
    assert low - 1e-6 <= found <= high + 1e-6
    assert dp.epsilon(noise, 1.0, steps, delta, accountant) == found


NAN = float("nan")


@pytest.mark.parametrize(
    "call",
    [
        (0, 0.1, 1, 1e-5),
        (-1, 0.1, 1, 1e-5),
        (NAN, 0.1, 1, 1e-5),
        (1, 1.5, 1, 1e-5),
        (1, 0, 1, 1e-5),
        (1, NAN, 1, 1e-5),
        (1, 0.1, -1, 1e-5),
        (1, 0.1, 1.5, 1e-5),
        (1, 0.1, 1, 0),
        (1, 0.1, 1, 1),
        (1, 0.1, 1, NAN),
    ],
    ids=str,
)
def test_no_epsilon_of_what_is_no_training(dp: Any, call: tuple[Any, ...]) -> None:
    with pytest.raises(CallError):
        dp.epsilon(*call)


@pytest.mark.parametrize("target", [0.5, 4.0, 8.0])
def test_noise_for_a_target_stays_below_it(dp: Any, target: float) -> None:
    assert dp.epsilon(dp.noise_for(target, 1e-5, 1.0, 10), 1.0, 10, 1e-5) <= target


@pytest.mark.parametrize("target", [1e-6, 0, -1, NAN])
def test_a_target_out_of_reach_is_refused(dp: Any, target: float) -> None:
    with pytest.raises((CallError, GuaranteeError)):
        dp.noise_for(target, 1e-5, 1.0, 10)
