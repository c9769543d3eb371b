"""Dates keep their form and the days between them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonym.text.dates import shifted

FORTY = [
    ("27 February 2003", "8 April 2003"),
    ("February 27, 2003", "April 8, 2003"),
    ("Feb 27", "Apr 8"),
    ("2003-02-27T10:00:00Z", "2003-04-08T10:00:00Z"),
    ("2003-02-27 18:22", "2003-04-08 18:22"),
    ("27/02/03", "8/04/03"),
    ("2/8/1935", "3/20/1935"),
    ("Thursday, 27 February 2003", "Tuesday, 8 April 2003"),
    ("MARCH 3rd, 2011", "APRIL 12th, 2011"),
    ("June 1995", "July 1995"),
    ("09/2027", "10/2027"),
    ("28 mai 1996", "7 juillet 1996"),
    ("between 3 May 1990 and 5 May 1990", "between 12 June 1990 and 14 June 1990"),
    ("1977", "1977"),
    ("yesterday", None),
    ("18:22", None),
    ("30 February 2003", None),
    ("3 Apr\u0131l 2003", None),  # a dotless i, which a pattern takes for an i
    ("3 May and 17 other days", None),  # what is left unread must not stay
]


@pytest.mark.parametrize(("found", "expected"), FORTY)
def test_dates_are_written_as_they_were(found: str, expected: str | None) -> None:
    assert shifted(found, 40, "en") == expected


def test_other_languages_read_the_day_first() -> None:
    assert shifted("28 de junio de 2006", 40, "es") == "7 de agosto de 2006"
    assert shifted("03.02.2019", 10, "de") == "13.02.2019"
    assert shifted("03/02/2019", 10, "en") == "03/12/2019"


@given(
    st.dates(date(1990, 1, 1), date(2030, 1, 1)),
    st.dates(date(1990, 1, 1), date(2030, 1, 1)),
    st.integers(1, 3_000),
    st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%m/%d/%Y", "%A %d %B %Y"]),
)
def test_the_days_between_two_dates_stay(a: date, b: date, days: int, form: str) -> None:
    for each in (a, b):
        moved = shifted(each.strftime(form), days, "en")
        assert moved is not None
        wanted = each + timedelta(days=days)
        assert moved.replace(" 0", " ").replace("/0", "/").lstrip("0") == wanted.strftime(form).replace(
            " 0", " "
        ).replace("/0", "/").lstrip("0")
