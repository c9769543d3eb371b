"""The shipped sample: invented support tickets, what is planted in them, and a policy for them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from anonym.demo.tickets import ROWS, SEED, tickets
from anonym.errors import InternalError, OutputError

POLICY = "support-tickets.yaml"
DEVICES = "support-tickets.devices.csv"


@dataclass(frozen=True)
class DemoFiles:
    """Where the sample was written."""

    table: Path  # tickets.parquet
    spans: Path  # tickets.spans.jsonl: labelled notes, as `anonym recall` reads them
    policy: Path  # policy.yaml
    devices: Path  # the hierarchy that the policy names


def write_demo(folder: Path, rows: int = ROWS, seed: int = SEED) -> DemoFiles:
    """Write table, labelled notes and policy into `folder`, which is made. Files of these names are replaced.

    Raises OutputError where the folder cannot be written.
    """
    files = DemoFiles(
        folder / "tickets.parquet", folder / "tickets.spans.jsonl", folder / "policy.yaml", folder / DEVICES
    )
    table, spans = tickets(rows, seed)
    source = policy_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        table.write_parquet(files.table)
        files.spans.write_text("".join(labelled(table, spans)), encoding="utf-8")
        shutil.copyfile(source / POLICY, files.policy)
        shutil.copyfile(source / DEVICES, files.devices)
    except OSError as error:
        raise OutputError(f"the sample cannot be written to {folder} ({error.strerror})") from None
    return files


def labelled(table: pl.DataFrame, spans: pl.DataFrame) -> Iterator[str]:
    """One JSON line for each note that is not null: row, text, spans to find, near-misses to leave alone."""
    by_row: dict[int, list[tuple[int, int, str, bool]]] = {}
    for row, start, end, entity, masked in spans.iter_rows():
        by_row.setdefault(row, []).append((start, end, entity, masked))
    for row, text in enumerate(table["notes"].to_list()):
        if text is not None:
            planted = by_row.get(row, [])
            line = {"id": f"tickets-{row}", "lang": "en", "row": row, "text": text}
            line["spans"] = [{"start": s, "end": e, "label": label} for s, e, label, masked in planted if masked]
            line["near_misses"] = [
                {"start": s, "end": e, "label": label} for s, e, label, masked in planted if not masked
            ]
            yield json.dumps(line, ensure_ascii=False) + "\n"


def policy_folder() -> Path:
    """The folder of the shipped policies: in an installed package, or beside it in a working copy."""
    package = Path(__file__).parents[1]
    for folder in (package / "rules" / "policies", package.parent / "rules" / "policies"):
        if (folder / POLICY).is_file():
            return folder
    raise InternalError("the shipped policies are missing: install anonym again")
