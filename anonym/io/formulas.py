"""Cells of a CSV file that a spreadsheet would run as formulas, and a way to write them that can be undone.

Sources: OWASP, "CSV Injection" (owasp.org/www-community/attacks/CSV_Injection), and OWASP ASVS 5.0, 1.2.10: a text is a
formula where it begins with = + - @, their full-width forms, a tab, a line's end or NUL; an apostrophe before it keeps
a spreadsheet from running it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import polars as pl

from anonym.errors import CallError

Formulas = Literal["keep", "quote", "refuse"]

_SIGN = "[=+\\-@＝＋－＠\t\r\n\\x00]"
_FORMULA = f"^{_SIGN}"
_TO_QUOTE = f"^('*{_SIGN})"  # with what would look like one that was quoted: so that no two texts become one
_QUOTED = f"^'('*{_SIGN})"


def is_formula(column: str) -> pl.Expr:
    """Whether a spreadsheet would take the text for a formula; null for null."""
    return pl.col(column).str.contains(_FORMULA)


def quoted(column: str) -> pl.Expr:
    """The text with an apostrophe before what is a formula, or is one after apostrophes: one to one."""
    return pl.col(column).str.replace(_TO_QUOTE, "'${1}")


def unquoted(column: str) -> pl.Expr:
    """The text that `quoted` was given."""
    return pl.col(column).str.replace(_QUOTED, "${1}")


def texts_of(schema: Mapping[str, pl.DataType]) -> list[str]:
    """The columns that are text: a number that is negative is no formula."""
    return [name for name, dtype in schema.items() if dtype == pl.String]


def refuse_names(schema: Mapping[str, pl.DataType]) -> None:
    """Raises CallError where a column's name, which is the first cell of its column, is a formula."""
    named = pl.DataFrame({"name": list(schema)}, schema={"name": pl.String})
    found = named.filter(is_formula("name"))["name"].to_list()
    if found:
        raise CallError(
            f"the names of {len(found)} columns begin like formulas ({', '.join(map(repr, found))}), and names are not "
            "quoted: rename them, write to a .parquet file, or set output.formulas: keep"
        )
