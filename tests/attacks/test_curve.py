"""The curve of risk against k that the benchmark draws: every point at the height of its rate."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

RATES = {"global": (0.2, 0.03, 0.001), "local": (0.3, 0.05, 0.01)}


def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("attacks", Path(__file__).parents[2] / "benchmarks" / "attacks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_curve_has_every_risk_at_its_height() -> None:
    drawing = benchmark()
    shown = [
        (1, "raw", 0.6),
        *((k, way, rate) for way, of in RATES.items() for k, rate in zip((2, 5, 20), of, strict=True)),
    ]
    points = [{"k": k, "strategy": way, "linkage": SimpleNamespace(rate=rate)} for k, way, rate in shown]
    circles = re.findall(r'<circle cx="(\d+)" cy="([\d.]+)" r="4" fill="(#\w+)"', drawing.drawn(points))
    assert [float(height) for _, height, _ in circles] == pytest.approx(
        [drawing.high(rate) for way in RATES for rate in (0.6, *RATES[way])], abs=0.06
    )
    assert len({colour for _, _, colour in circles}) == 2
    assert [drawing.high(rate) for rate in (1, 0.1, 0.001)] == pytest.approx([20, 100, 260])
