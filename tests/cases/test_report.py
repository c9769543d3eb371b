"""Reported leaks of raw values by what is printed about a release."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pyarrow.parquet as pq
import pytest
from cases.desk import AS_IS, SENSITIVE, Case, Run, nothing_released, present, promise

Load = Callable[[str], Case]
Call = Callable[..., Run]

SECRETS = (
    "odalys",
    "jorik",
    "ileana",
    "brenthwick",
    "vanterpool",
    "duskova",
    "Port-Vellamo-Lighthouse",
    "Zellweger-9921",
)
COLUMNS = {"email": {"role": "identifier"}, "town": AS_IS, "dx": SENSITIVE, "note": {"role": "text"}}


def _leaks(text: str) -> list[str]:
    """Secrets in the text, in any case, also in base64 at each of its three alignments."""
    encoded = {
        secret: [base64.b64encode(b"x" * pad + secret.encode())[pad + 1 : -4].decode() for pad in range(3)]
        for secret in SECRETS
    }
    return [s for s in SECRETS if s.lower() in text.lower() or any(e in text for e in encoded[s] if len(e) > 5)]


def test_t85_the_report_of_a_release_holds_no_raw_value(case: Load, run: Call) -> None:
    t85 = case("T85")
    policy = promise(COLUMNS, 2, 0.2, text={"ner": "none"})
    done = run("apply", policy, t85.file("t85_report_leak.parquet"), "--verbose")
    assert done.status == 0
    assert done.released.height == 5
    assert _leaks(done.said() + done.released.write_csv()) == []
    assert present(t85.table("t85_report_leak.parquet")["dx"], done.said()) == []
    raw = (done.folder / "out.parquet").read_bytes()
    assert [secret for secret in SECRETS if secret.encode() in raw] == []
    assert set(pq.ParquetFile(done.folder / "out.parquet").metadata.metadata or {}) <= {b"ARROW:schema"}
    assert "town" in done.said()


@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_t85_no_summary_holds_one(case: Load, run: Call, kind: str) -> None:
    policy = promise(COLUMNS, 2, 0.2, text={"ner": "none"})
    done = run("apply", policy, case("T85").file("t85_report_leak.parquet"), "--json")
    assert done.status == 0
    assert _leaks(done.out) == []
    summary = run("report", done.folder / "out.report.json", "--format", kind)
    assert summary.status == 0
    assert _leaks(summary.out) == []


def test_t85_nor_does_a_refusal(case: Load, run: Call) -> None:
    policy = promise(COLUMNS, 2, 0, text={"ner": "none"})
    refused = run("apply", policy, case("T85").file("t85_report_leak.parquet"), "--verbose")
    assert refused.status == 3
    assert _leaks(refused.said()) == []
    nothing_released(refused)


def test_t85_nor_a_check_of_the_raw_table(case: Load, run: Call) -> None:
    policy = promise(COLUMNS | {"email": {"role": "keep"}}, 2, 0.2)
    checked = run("check", policy, case("T85").file("t85_report_leak.parquet"), "--json")
    assert checked.status == 3
    assert _leaks(checked.said()) == []
