"""What a released cell says, read as a person would, value by value: nothing is taken from the code that writes it."""

from __future__ import annotations

import csv
import ipaddress
import math
import re
from calendar import monthrange
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
LENGTH = r"-?(?:\d+(?:\.\d+)?[dhms])+"
END = rf"({NUMBER}|{CLOCK}|{LENGTH}|\d{{4}}-\d\d-\d\d)"
SIZES = {"d": 86_400, "h": 3600, "m": 60, "s": 1}


def line(value: Any) -> Fraction:
    """Where a number, a moment by its own clock, a time or a length lies."""
    if isinstance(value, datetime):
        return Fraction((value.replace(tzinfo=None) - datetime(1, 1, 1)) // timedelta(microseconds=1), 10**6)
    if isinstance(value, date):
        return Fraction(value.toordinal() - 1) * 86_400
    if isinstance(value, time):
        return Fraction(value.hour * 3600 + value.minute * 60 + value.second) + Fraction(value.microsecond, 10**6)
    if isinstance(value, timedelta):
        return Fraction(value // timedelta(microseconds=1), 10**6)
    return Fraction(value) if isinstance(value, Decimal) else Fraction(str(value))


def end(text: str) -> Fraction:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return line(date.fromisoformat(text))
    if re.fullmatch(CLOCK, text):
        return sum(
            (Fraction(part) * size for part, size in zip(text.split(":"), (3600, 60, 1), strict=False)), Fraction()
        )
    if re.fullmatch(LENGTH, text):
        size = sum(
            (Fraction(number) * SIZES[unit] for number, unit in re.findall(r"([\d.]+)([dhms])", text)), Fraction()
        )
        return -size if text.startswith("-") else size
    return Fraction(text)


def period(text: str) -> tuple[date, date] | None:
    """First and last day of a month, quarter, year, decade or day."""
    if found := re.fullmatch(r"(\d{3}0)s", text):
        return date(int(found[1]), 1, 1), date(int(found[1]) + 9, 12, 31)
    if re.fullmatch(r"\d{4}", text):
        return date(int(text), 1, 1), date(int(text), 12, 31)
    if found := re.fullmatch(r"(\d{4})-Q([1-4])", text):
        year, last = int(found[1]), 3 * int(found[2])
        return date(year, last - 2, 1), date(year, last, monthrange(year, last)[1])
    if found := re.fullmatch(r"(\d{4})-(\d\d)", text):
        year, month = int(found[1]), int(found[2])
        return date(year, month, 1), date(year, month, monthrange(year, month)[1])
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return date.fromisoformat(text), date.fromisoformat(text)
    return None


def is_null(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def says(label: str | None, value: Any, printed: str | None = None) -> bool:
    """Whether a label may stand for the value; `printed` is how it is written as it is."""
    if label == "*":
        return True
    if label is None or is_null(value):
        return label is None and is_null(value)
    if label == printed or isinstance(value, bool):
        return label == printed
    return _says_of_text(label, value) if isinstance(value, str) else _says_of_line(label, value)


def _says_of_text(label: str, value: str) -> bool:
    if re.fullmatch(r"[0-9a-f.:]+/\d+", label):
        return in_network(label, value)
    begins = re.sub(r"\*+$", "", label)
    return (begins != label and value.startswith(begins)) or label.startswith("other than top")


def _says_of_line(label: str, value: Any) -> bool:
    at = line(value)
    if isinstance(value, date) and (days := period(label)):
        return days[0] <= (value.date() if isinstance(value, datetime) else value) <= days[1]
    if found := re.fullmatch(rf"([\[(]){END}, {END}\)", label):
        low, high = end(found[2]), end(found[3])
        return low <= at < high if found[1] == "[" else low < at < high
    if found := re.fullmatch(rf"(<=|>=|<|>){END}", label):
        edge = end(found[2])
        if isinstance(value, datetime) and found[1] == "<=":
            edge += 86_399 + Fraction(999_999, 10**6)  # the whole day
        return {"<=": at <= edge, ">=": at >= edge, "<": at < edge, ">": at > edge}[found[1]]
    if found := re.fullmatch(r"(-?\d+)-(-?\d+)", label):
        return int(found[1]) <= at <= int(found[2])
    return bool(re.fullmatch(END, label)) and end(label) == at


def in_network(label: str | None, value: str | None) -> bool:
    """Whether a label is the address, its network, or `*`; what is no address has `*` alone."""
    if label == "*" or label is None or value is None:
        return label == "*" or (label is None and value is None)
    return label == value or ipaddress.ip_address(value) in ipaddress.ip_network(label)


def families(path: Path) -> dict[str, list[str]]:
    """Of a hierarchy file: each leaf with all that stands above it."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row[0]: row[:-1] for row in csv.reader(file)}


def rounds(label: str | None, value: Any, decimals: int) -> bool:
    """Whether a number without interval stands for the value: within a unit of the last decimal kept."""
    if label is None or is_null(value) or not re.fullmatch(NUMBER, label):
        return says(label, value)
    return abs(Fraction(label) - line(value)) <= Fraction(10) ** -decimals


def between(low: Any, high: Any, value: Any) -> bool:
    """Whether inclusive ends, null being open, hold the value between them; two nulls are `*` or null."""
    if low is None and high is None:
        return True
    return not is_null(value) and (low is None or low <= value) and (high is None or value <= high)
