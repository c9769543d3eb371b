"""The intruder pack: what a motivated-intruder exercise needs, and the score of the claims that come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from anonym.attacks.intruder import NO, YES, sample, scored
from anonym.attacks.outcome import AttackResult, Gate
from anonym.errors import CallError, InputError, OutputError, type_name
from anonym.io import guarded, open_paths, private_file
from anonym.io.source import file_sha256
from anonym.pipeline.applying import read_options
from anonym.pipeline.attack_tables import RISK
from anonym.pipeline.checking import release_options
from anonym.pipeline.column_evidence import role_name
from anonym.policy.globs import entries_of, is_glob
from anonym.policy.model import Identifier, Policy

ROWS = 50
FORM = ("row", "who", "sure", "how", "right")
PACK = "pack.json"

GUIDE = """Find out whom these rows are about
==================================

sample.csv holds {rows} rows of a release, columns.csv says what its columns mean. Try to name the people in it, by any
means that someone with time, wit and the usual sources has: search engines, registers, newspapers, social networks,
what you know of people. Break no law, and ask nobody who may be in the data.

Write every name into claims.csv, a line each:
  row    the number in front of the row in sample.csv
  who    the person, as fully as you can: name, address, number
  sure   how sure you are, 0 to 100
  how    how you found it, in words
  right  leave this empty: the referee fills in yes or no

Several claims on a row are several lines. Note also where you tried and found nothing, in your own words.
Keep this folder to yourself and delete it when you are done.
"""


def write_pack(
    policy: str | Path, release: Path, folder: Path, *, rows: int = ROWS, seed: int | None = None
) -> list[Path]:
    """Write a sample, a sheet of the columns, an empty form for claims and a guide into the new folder `folder`.

    Nothing but the release is in it; only its owner can read it, as claims will name people. Raises CallError where
    the folder already holds something.
    """
    loaded = Policy.load(policy)
    seed = loaded.seed if seed is None else seed
    with guarded("reading the release"):
        released = open_paths([release], release_options(loaded)).frame.collect()
    if not released.height:
        raise InputError("the release has no rows: there is nobody to look for")
    drawn = sample(released, rows, seed)
    with guarded("writing the intruder pack", OutputError):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CallError(f"{folder} is not an empty folder: name a new one")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        told = {"release": file_sha256(release), "rows": drawn["row"].to_list(), "seed": seed}
        contents = {
            "sample.csv": _flat(drawn).write_csv(),
            "columns.csv": _sheet(loaded, released).write_csv(),
            "claims.csv": pl.DataFrame(schema=dict.fromkeys(FORM, pl.String)).write_csv(),
            "README.txt": GUIDE.format(rows=drawn.height),
            PACK: json.dumps(told) + "\n",
        }
        for name, content in contents.items():
            with private_file(folder / name) as file:
                file.write(content.encode())
    return sorted(folder.iterdir())


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists as text, so that a sheet can hold them."""
    nested = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    return frame.with_columns(pl.col(name).cast(pl.List(pl.String)).list.join(", ") for name in nested)


def _sheet(policy: Policy, released: pl.DataFrame) -> pl.DataFrame:
    globs = tuple(name for name in policy.columns if is_glob(name))
    lines = []
    for name, dtype in released.schema.items():
        entries = entries_of(name, policy.columns, globs)
        role = role_name(policy.columns[entries[0]]) if entries else "quasi"
        lines.append((name, type_name(dtype), role, released[name].n_unique(), MEANING[role]))
    schema = {"column": pl.String, "type": pl.String, "role": pl.String, "distinct": pl.Int64, "meaning": pl.String}
    return pl.DataFrame(lines, schema=schema, orient="row")


MEANING = {
    "quasi": "something others may know of a person; made coarser",
    "sensitive": "as it was recorded",
    "identifier": "a token or an invented value in the place of an identifier",
    "text": "text from which names and numbers were taken out",
    "keep": "as it was recorded",
    "drop": "not released",
}


def score_claims(
    policy: str | Path,
    release: Path,
    pack: Path,
    *,
    claims: Path | None = None,
    original: Path | None = None,
    truth: str | None = None,
) -> AttackResult:
    """Score `claims` (default: claims.csv of the pack) on the sampled rows.

    With `original` and `truth`, a column of it and of the release that says who is who, a claim is right if it is a
    value of an identifier of that person; else the referee's column `right` must say yes or no of every claim.
    """
    loaded = Policy.load(policy)
    told = _told(pack, release)
    made = _claims(claims or pack / "claims.csv", set(told["rows"]), judged=original is None)
    truths = None
    if original is not None:
        truths = _truths(loaded, release, original, truth, told["rows"])
    limit = loaded.attacks.linkage.max_risk if loaded.attacks.linkage else None
    k = loaded.guarantee.k if loaded.guarantee else None
    gate = Gate(float(limit) if limit is not None else 1 / k if k else RISK)
    knows = ("what people and public sources tell",)
    return scored(made, len(told["rows"]), truths, knows=knows, gate=gate, seed=told["seed"])


def _told(pack: Path, release: Path) -> dict[str, Any]:
    try:
        told = json.loads((pack / PACK).read_text(encoding="utf-8"))
        found = {"release": str(told["release"]), "rows": [int(row) for row in told["rows"]], "seed": int(told["seed"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{pack} is no intruder pack: its {PACK} is missing or damaged") from None
    if found["release"] != file_sha256(release):
        raise InputError("the pack was drawn from another release than this one")
    return found


def _claims(path: Path, rows: set[int], *, judged: bool) -> pl.DataFrame:
    with guarded("reading the claims"):
        claims = pl.read_csv(path, infer_schema=False)
    if lacking := [name for name in FORM if name not in claims.columns]:
        raise InputError(f"the claims lack the column {', '.join(lacking)}")
    numbered = claims.with_columns(
        pl.col("row").str.strip_chars().cast(pl.UInt32, strict=False), pl.col("sure").cast(pl.Float64, strict=False)
    )
    made = numbered.filter(pl.col("who").str.strip_chars().fill_null("") != "")
    if strange := made.filter(pl.col("row").is_null() | ~pl.col("row").is_in(list(rows))).height:
        raise InputError(f"{strange} claims are on rows that are not in the sample: see the column row of sample.csv")
    word = pl.col("right").str.strip_chars().str.to_lowercase()
    if judged and (open_ := made.filter(~word.is_in([*YES, *NO]).fill_null(False)).height):
        raise InputError(
            f"the referee has not judged {open_} claims: column right must say yes or no, or give --original"
        )
    return numbered


def _truths(policy: Policy, release: Path, original: Path, truth: str | None, rows: list[int]) -> pl.DataFrame:
    """[row, name] of the sampled rows: the identifiers of the person, by the column that says who is who."""
    source, target = open_paths([original], read_options(policy)), open_paths([release], release_options(policy))
    if truth is None or truth not in source.schema or truth not in target.schema:
        raise CallError("--original needs --truth, a column of the release and of the original that says who is who")
    globs = tuple(name for name in policy.columns if is_glob(name))
    names = [
        name
        for name in source.schema
        if any(isinstance(policy.columns[entry], Identifier) for entry in entries_of(name, policy.columns, globs))
    ]
    if not names:
        raise InputError("the original has no column of role identifier that a claim could name")
    with guarded("reading who is who"):
        asked = target.frame.select(truth).with_row_index("row", offset=1).filter(pl.col("row").is_in(rows)).collect()
        people = source.frame.select(
            truth=pl.col(truth), **{f"name{i}": pl.col(n) for i, n in enumerate(names)}
        ).collect()
        met = asked.rename({truth: "truth"}).join(people, on="truth")
        parts = [met.select("row", name=pl.col(f"name{i}").cast(pl.String)) for i in range(len(names))]
    return pl.concat(parts)
