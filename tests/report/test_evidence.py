"""Evidence is made complete, plain and the same for the same run."""

from __future__ import annotations

import json
import os
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.report import examples
from golden.report.examples import EXAMPLES

from anonym.errors import InternalError
from anonym.report.evidence import complete, dump, plain
from anonym.report.summary import render_markdown, render_text

GOLDEN = Path(__file__).parents[1] / "golden" / "report"


def backwards(value: Any) -> Any:
    """The same value with every mapping's keys in reverse."""
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(list(value))}
    return [backwards(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", EXAMPLES)
def test_dump_is_deterministic_and_survives_a_round_trip(name: str) -> None:
    text = dump(complete(EXAMPLES[name]()))
    assert text.endswith("}\n")
    assert dump(complete(backwards(EXAMPLES[name]()))) == text
    assert dump(json.loads(text)) == text


def test_levels_sort_by_number_and_other_keys_by_name() -> None:
    facts = examples.wide()
    column = next(one for one in complete(facts)["columns"] if len(one["levels"] or {}) == 14)
    assert list(column["levels"] or {}) == [str(level) for level in range(14)]
    assert list(complete(examples.tickets())["search"]["levels"]) == ["age", "device", "joined", "zip"]  # type: ignore[index]
    assert list(complete(examples.tickets()))[:3] == ["schema", "verdict", "policy"]


def test_values_become_plain() -> None:
    given = {
        "decimal": Decimal("0.02"),
        "date": date(2026, 11, 30),
        "numpy": np.int64(3),
        "float32": np.float64(0.1234567891234),
        "infinite": float("inf"),
        "nan": np.float64("nan"),
        "negative zero": -0.0,
        "tuple": (1, 2),
        7: True,
    }
    found = plain(given)
    assert found == {
        "decimal": 0.02,
        "date": "2026-11-30",
        "numpy": 3,
        "float32": 0.123456789,
        "infinite": None,
        "nan": None,
        "negative zero": 0.0,
        "tuple": [1, 2],
        "7": True,
    }
    assert str(found["negative zero"]) == "0.0"
    assert type(found["7"]) is bool


def test_facts_out_of_shape_are_refused_by_path() -> None:
    facts = examples.tickets()
    facts["suppression"]["row"] = 3
    with pytest.raises(InternalError, match=r"suppression\.row: is not known here"):
        complete(facts)


def test_what_the_caller_knows_comes_first_and_stays() -> None:
    facts = examples.tickets() | {"limits": ["Rows were sampled."], "verdict": {"reasons": ["the gate is shut"]}}
    evidence = complete(facts)
    assert evidence["limits"][0] == "Rows were sampled."
    assert evidence["verdict"]["reasons"] == ["the gate is shut"]
    assert evidence["verdict"]["holds"] is False
    assert complete(evidence) == evidence


@pytest.mark.parametrize("name", ["tickets", "signed", "refused", "checked", "empty", "text_only"])
def test_golden(name: str) -> None:
    evidence = complete(EXAMPLES[name]())
    written = {"json": dump(evidence), "txt": render_text(evidence), "md": render_markdown(evidence)}
    for suffix, text in written.items():
        path = GOLDEN / f"{name}.{suffix}"
        if os.environ.get("ANONYM_WRITE_GOLDEN"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text
