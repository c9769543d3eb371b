"""Errors of the engines below come out without the values they print."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from anonym.errors import AnonymError, InputError, InternalError, OutputError
from anonym.io import guarded
from anonym.io.guard import explain

CANARY = "alice@canary.example"
FRAME = pl.DataFrame({"a": [CANARY, "1"], "b": [1, 2]})


def _raise_ours(_: pl.Series) -> pl.Series:
    raise InternalError("ours")


FAILURES: dict[str, Callable[[], object]] = {
    "cast": lambda: FRAME.select(pl.col("a").cast(pl.Int64)),
    "replace_strict": lambda: FRAME.select(pl.col("a").replace_strict({"x": "y"})),
    "to_date": lambda: FRAME.select(pl.col("a").str.to_date("%Y")),
    "missing column": lambda: FRAME.select("none"),
    "enum": lambda: FRAME.select(pl.col("a").cast(pl.Enum(["x"]))),
    "shape": lambda: FRAME.hstack([pl.Series("c", [CANARY])]),
}


@pytest.mark.parametrize("case", FAILURES)
def test_no_value_survives_in_message_or_cause(case: str) -> None:
    with pytest.raises(InputError) as caught, guarded("testing"):
        FAILURES[case]()
    error: BaseException | None = caught.value
    assert "while testing" in str(error)
    assert CANARY not in str(error)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_an_error_of_ours_inside_an_engine_comes_out_as_itself() -> None:
    with pytest.raises(AnonymError) as caught, guarded("testing"):
        FRAME.lazy().select(pl.col("a").map_batches(_raise_ours, return_dtype=pl.String)).collect()
    assert isinstance(caught.value, InternalError)


def test_the_system_is_quoted_by_its_own_words() -> None:
    with pytest.raises(OutputError, match="No space left on device"), guarded("testing", OutputError):
        FRAME.lazy().sink_csv("/dev/full")
    with pytest.raises(InputError, match="missing"), guarded("testing"):
        open("/no/such/file")  # noqa: SIM115


def test_a_full_disk_is_told_as_such_whatever_the_engine_calls_it() -> None:
    error = pl.exceptions.ComputeError("parquet: File out of specification: canary (os error 28)")
    assert explain(error) == "the system reports “No space left on device”"
