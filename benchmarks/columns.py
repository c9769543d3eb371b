"""What each column action costs beside a plain copy of the same column, from Parquet to Parquet.

    python benchmarks/columns.py                 one million values an action
    python benchmarks/columns.py --rows 10000000 --only surrogate

CPU seconds of this process, all threads, medians of five runs after one to warm up, in turns with the copies: of the
columns that the action reads, and of what it releases (labels are text, and text is more to write).
`first` is what is done once per distinct value or per table (domains, hierarchies, tokens, surrogates) and not per row,
beside it the same for one distinct value, in millionths of a second. The peak is of all memory during one more run.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from anonym.columns import actions, forms
from anonym.columns.actions import Action, Table
from anonym.columns.identifiers import Key, Pseudonym, Redact
from anonym.columns.keys import Keyring, SecretKey
from anonym.columns.shift import Shift
from anonym.columns.surrogate import Surrogate
from anonym.hierarchy import encode
from anonym.hierarchy.bins import binned, bins_of
from anonym.hierarchy.build import build
from anonym.hierarchy.model import Auto, Dates, Declaration, Interval, Networks, Prefix, Rounded
from anonym.hierarchy.packs import taxonomy
from anonym.hierarchy.places import finder

RUNS = 5
KEY = Key("env:BENCH")
KEYRING = Keyring({KEY: SecretKey(bytes(range(32)))})

Made = Callable[[pl.LazyFrame], pl.LazyFrame]


@dataclass(frozen=True)
class Job:
    """An action on a column: `make` does what is done once, and gives what is done to the rows."""

    words: str
    column: str
    make: Callable[[pl.LazyFrame], Made]
    unit: str | None = None  # a column that is read beside it

    @property
    def reads(self) -> list[str]:
        return [self.column, *([self.unit] if self.unit else [])]


@dataclass(frozen=True)
class Measures:
    """CPU seconds of copying what is read and what is released, of the rows, and of what is done once; peak in MB."""

    copied: float
    result: float
    rows: float
    first: float
    distinct: int
    peak: float

    @property
    def ratio(self) -> float:
        return self.rows / max(self.copied, self.result)


Draw = np.random.Generator


def _some(values: Sequence[object], draw: Draw, rows: int) -> pl.Series:
    return pl.Series(values).gather(draw.integers(0, len(values), rows))


COLUMNS: dict[str, Callable[[Draw, int], pl.Series]] = {
    "age": lambda draw, rows: pl.Series(draw.integers(0, 100, rows)),
    "income": lambda draw, rows: pl.Series(np.round(draw.lognormal(10, 1, rows), -1)),
    "lat": lambda draw, rows: pl.Series(np.round(draw.uniform(-60, 60, rows), 3)),
    "zip": lambda draw, rows: _some(["10001", "60614", "94110", "03601", "77005", "33101"], draw, rows),
    "postcode": lambda draw, rows: pl.Series(draw.integers(10_000, 99_999, rows)).cast(pl.String),
    "born": lambda draw, rows: _some([date(1940, 1, 1) + timedelta(days=i) for i in range(25_000)], draw, rows),
    "seen": lambda draw, rows: _some([datetime(2024, 1, 1) + timedelta(minutes=i) for i in range(50_000)], draw, rows),
    "zoned": lambda draw, rows: (
        COLUMNS["seen"](draw, rows).dt.replace_time_zone("UTC").dt.convert_time_zone("America/New_York")
    ),
    "at": lambda draw, rows: _some([time(i // 60, i % 60) for i in range(1440)], draw, rows),
    "stay": lambda draw, rows: _some([timedelta(minutes=i) for i in range(50_000)], draw, rows),
    "ip": lambda draw, rows: _some([f"10.{i // 250}.{i % 250}.7" for i in range(50_000)], draw, rows),
    "email": lambda draw, rows: _some([f"u{i}@mail.test" for i in range(rows // 10)], draw, rows),
    "name": lambda draw, rows: _some([f"{a} {b}" for a in NAMES for b in NAMES], draw, rows),
    "customer": lambda draw, rows: pl.Series(draw.integers(0, rows // 10, rows)),
}
NAMES = [
    f"{a}{b}{c}" for a in ("An", "Be", "Ca", "Do", "El") for b in ("ra", "li", "mo", "nu") for c in "abdefgiklmnoprst"
]


def table(rows: int, names: Iterable[str]) -> pl.DataFrame:
    """Invented columns; a tenth as many e-mail addresses and customers as rows."""
    return pl.DataFrame({name: COLUMNS[name](np.random.default_rng(20260101), rows) for name in names})


def generalised(words: str, column: str, declared: Declaration, level: int, form: forms.Form = "label") -> Job:
    def make(frame: pl.LazyFrame) -> Made:
        counts = encode.domain(frame, column, frame.collect_schema()[column])
        hierarchy = build(column, declared, counts["value"], rows=counts["rows"], k=5)
        code = encode.leaf_code(hierarchy.domain, column)  # once for all that is released of it, as in a run
        released = forms.release(hierarchy, level, form, pl.col("code"))
        return lambda rows: rows.select(code.alias("code")).select(released)

    return Job(words, column, make)


def identifier(words: str, column: str, action: Action) -> Job:
    def make(frame: pl.LazyFrame) -> Made:
        schema = frame.collect_schema()
        distinct: Callable[[str], pl.Series] = lambda name: frame.select(pl.col(name).unique()).collect().to_series()  # noqa: E731
        known = Table(KEYRING, distinct, ("customer", schema["customer"]))
        released = actions.release(column, schema[column], action, known).columns
        return lambda rows: rows.select(released)

    return Job(words, column, make, unit="customer" if isinstance(action, Shift) else None)


def in_bins(words: str, column: str, width: int) -> Job:
    def make(frame: pl.LazyFrame) -> Made:
        values = encode.domain(frame, column, frame.collect_schema()[column])["value"]
        bins = bins_of(column, Interval((Decimal(width),)), values)
        return lambda rows: binned(rows, {column: bins}).select(column)

    return Job(words, column, make)


JOBS = (
    generalised("`interval`, label", "age", Interval((Decimal(5),)), 1),
    generalised("`interval`, bounds", "age", Interval((Decimal(5),)), 1, "bounds"),
    generalised("`interval` on floats", "income", Interval((Decimal(5000),)), 1),
    generalised("`round`", "lat", Rounded((1, 0)), 1),
    generalised("`date`, year", "born", Dates(("year",)), 1),
    generalised("`date` of timestamps", "seen", Dates(("day",)), 1),
    generalised("`interval` of times", "at", Interval((Decimal(900),), "length"), 1),
    generalised("`interval` of durations", "stay", Interval((Decimal(86_400),), "length"), 1),
    generalised("`prefix`", "postcode", Prefix((3,)), 1),
    generalised("`ip`", "ip", Networks((24, 16)), 1),
    generalised("`taxonomy` us-zip3", "zip", taxonomy("us-zip3"), 2),
    generalised("`auto` on numbers", "income", Auto(), 1),
    generalised("`auto` on codes", "postcode", Auto(), 1),
    in_bins("`bins`", "income", 5000),
    identifier("`redact`", "email", Redact()),
    identifier("`pseudonym`", "email", Pseudonym(KEY)),
    identifier("`surrogate` e-mail", "email", Surrogate("email", KEY)),
    identifier("`surrogate` name", "name", Surrogate("person_name", KEY)),
    identifier("`surrogate` code", "postcode", Surrogate("code", KEY)),
    identifier("`shift`", "seen", Shift(180, KEY)),
    identifier("`shift` in a time zone", "zoned", Shift(180, KEY)),
)


def cpu(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began


def medians(*works: Callable[[], object]) -> list[float]:
    """CPU seconds of each, taken in turns, so that what else the machine does falls on all of them."""
    for work in works:
        work()
    spent = [[cpu(work) for work in works] for _ in range(RUNS)]
    return [statistics.median(of_one) for of_one in zip(*spent, strict=True)]


def measured(job: Job, source: Path, target: Path) -> Measures:
    frame, copied, again = (
        pl.scan_parquet(source),
        target.with_name("copied.parquet"),
        target.with_name("again.parquet"),
    )
    distinct = frame.select(pl.col(job.unit or job.column).n_unique()).collect().item()  # what is worked out once
    began = process_time()
    made = job.make(frame)
    made(frame).sink_parquet(target)
    first = process_time() - began
    rows, copy, result = medians(
        lambda: made(frame).sink_parquet(target),
        lambda: frame.select(job.reads).sink_parquet(copied),
        lambda: pl.scan_parquet(target).sink_parquet(again),
    )
    peak = peak_of(lambda: made(frame).sink_parquet(target))
    return Measures(copy, result, rows, max(first - rows, 0), distinct, peak)


def peak_of(work: Callable[[], object]) -> float:
    """Megabytes that the process held at most meanwhile, by Linux; nan elsewhere."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        work()
        status = Path("/proc/self/status").read_text()
    except OSError:
        return float("nan")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def lines(rows: int, only: str) -> Iterator[str]:
    finder(pl.Series([1]))(pl.Series([1]))  # compiles, which is no action's cost
    yield f"{rows:,} values; {pl.thread_pool_size()} threads"
    yield (
        "| action | columns copied, CPU s | result copied, CPU s | rows, CPU s | rows / larger copy "
        "| first, CPU s | a distinct value, us | peak, MB |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
        for job in (job for job in JOBS if only in job.words):
            table(rows, dict.fromkeys([job.column, "customer"])).write_parquet(source)
            found = measured(job, source, target)
            yield (
                f"| {job.words} | {found.copied:.3f} | {found.result:.3f} | {found.rows:.3f} | {found.ratio:.1f} "
                f"| {found.first:.3f} | {found.first / found.distinct * 1e6:.1f} | {found.peak:.0f} |"
            )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--only", default="", help="actions whose name has this in it")
    chosen = options.parse_args()
    for line in lines(chosen.rows, chosen.only):
        print(line, flush=True)


if __name__ == "__main__":
    main()
