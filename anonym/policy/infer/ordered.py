"""Labels of texts that have an order: dates, periods, times of day and amounts as people write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime

from anonym.policy.infer import shapes

Read = Callable[[str], tuple[str, ...] | None]


_FORMATS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y-%m-%d", "%Y.%m.%d"),
    *("%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d/%b/%Y", "%d%b%Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%y", "%d%b%y"),
)
"""How people write a day. Where days and months cannot be told apart in any value, days are taken to come first."""


def _day_in(form: str) -> Read:
    """Month, year and decade of a date in one form: a column whose values need two has none of them."""

    def read(text: str) -> tuple[str, ...] | None:
        try:
            day = datetime.strptime(_day_part(text.strip()), form).date()
        except ValueError:
            return None
        year = day.year - 100 * (form.endswith("%y") and day > date.today())
        return f"{year}-{day:%m}", str(year), f"{year // 10 * 10}s"

    return read


def _day_part(text: str) -> str:
    """Without weekday and time; the year, where it stands behind the time, comes before it."""
    plain = re.sub(r"^[A-Za-z]{2,9},? (?=[A-Za-z]{3} +\d|\d)", "", text)
    moved = re.sub(r"^([A-Za-z]{3}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) (?:[A-Z]{3,4} )?(\d{4})$", r"\1 \2 \4", plain)
    return re.split(r"[T ,:]+(?=\d{1,2}[:.h]\d{2})|(?<=^\d{4}.\d{2}.\d{2})[-_](?=\d{2}\D\d{2})", moved)[0]


def compact_day(text: str) -> tuple[str, ...] | None:
    """Month, year and decade of 20240131, whatever time follows."""
    return _day_in("%Y%m%d")(text.strip()[:8]) if shapes.COMPACT.fullmatch(text.strip()) else None


def _as_period(text: str) -> tuple[str, ...] | None:
    """Year and decade of a month, a week or a quarter: `2024-05`, `Q1 2024`."""
    if shapes.PERIOD.fullmatch(text.strip()) is None:
        return None
    year = int(next(part for part in re.findall(r"\d+", text) if len(part) == 4))
    return str(year), f"{year // 10 * 10}s"


_CLOCK = re.compile(r"(\d{1,2})[:h]\d{2}[:.\d]*\s?(?:([AaPp])\.?[Mm]\.?)?")


def _as_clock(text: str) -> tuple[str, ...] | None:
    """Hour and quarter of the day of a time: `09:00-09:59`, `06:00-11:59`."""
    found = _CLOCK.fullmatch(text.strip())
    if found is None or int(found[1]) > 23:
        return None
    hour = int(found[1]) if found[2] is None else int(found[1]) % 12 + 12 * (found[2] in "Pp")
    part = hour // 6 * 6
    return f"{hour:02d}:00-{hour:02d}:59", f"{part:02d}:00-{part + 5:02d}:59"


def _as_number(text: str) -> tuple[str, ...] | None:
    """Powers of two of an amount with its own marks: `1.234,50 €`."""
    if shapes.AMOUNT.fullmatch(text.strip()) is None:
        return None
    digits = re.sub(r"[^\d.,]", "", text)
    whole = re.sub(r"\D", "", re.sub(r"[.,]\d{1,2}$", "", digits))
    if not whole or text.strip().startswith("-"):
        return None
    power = int(whole).bit_length()
    return f"{1 << power >> 1}-{(1 << power) - 1}", f"below {1 << (power + 3) // 4 * 4}"


READS: tuple[tuple[Read, str], ...] = (
    *((_day_in(form), "months, years and decades") for form in _FORMATS),
    (compact_day, "months, years and decades"),
    (_as_period, "years and decades"),
    (_as_clock, "hours and quarters of a day"),
    (_as_number, "values grouped by size"),
)
"""What is tried on texts, in this order; each reads labels from fine to coarse, or None."""
