"""The blocks that the sections of the page are built of: sections, tables, lists of facts, statuses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anonym.report import figures
from anonym.report.markup import Markup, join, tag

HELD = {True: ("good", "✓ holds"), False: ("bad", "✗ fails"), None: ("none", figures.NOT_MEASURED)}


@dataclass(frozen=True)
class Section:
    """One numbered section of the page."""

    key: str
    title: str
    body: Markup

    def render(self, number: int) -> Markup:
        heading = tag("h2", tag("span", str(number), class_="no"), self.title, id=f"{self.key}-h")
        return tag("section", heading, self.body, id=self.key, aria_labelledby=f"{self.key}-h")


@dataclass(frozen=True)
class Heading:
    """A table column: its heading and the class of its cells."""

    label: str
    kind: str = ""


def table(caption: str, headings: Sequence[Heading], rows: Iterable[Sequence[object]], unseen: bool = False) -> Markup:
    """A table whose first cell in each row is the row's heading; an unseen caption is for screen readers only."""
    body = tag("tbody", [row(headings, cells) for cells in rows])
    return framed(caption, headings, body, unseen=unseen)


def framed(caption: str, headings: Sequence[Heading], *bodies: Markup, unseen: bool = False) -> Markup:
    """A table in a frame that scrolls sideways where the page is too narrow for it."""
    head = tag("thead", tag("tr", [tag("th", one.label, scope="col", class_=one.kind or None) for one in headings]))
    inner = tag("table", tag("caption", caption, class_="unseen" if unseen else None), head, *bodies)
    return tag("div", inner, class_="scroll", tabindex="0", role="group", aria_label=caption)


def row(headings: Sequence[Heading], cells: Sequence[object]) -> Markup:
    first, *others = cells
    named = tag("th", first, scope="row")
    rest = [tag("td", cell, class_=one.kind or None) for one, cell in zip(headings[1:], others, strict=True)]
    return tag("tr", named, rest)


def facts(pairs: Iterable[tuple[str, object]]) -> Markup:
    """A list of terms and what is said of them."""
    return tag("dl", [join(tag("dt", term), tag("dd", said)) for term, said in pairs], class_="facts")


def absent(said: str = figures.NOT_MEASURED) -> Markup:
    """What stands where there is no figure."""
    return tag("span", said, class_="none")


def figure(value: float | None, printed: str, missing: str = figures.NOT_MEASURED) -> str | Markup:
    """The printed figure, or that it was not measured."""
    return absent(missing) if value is None else printed


def status(held: bool | None, missing: str = figures.NOT_MEASURED) -> Markup:
    kind, said = HELD[held]
    return tag("span", missing if held is None else said, class_=f"status {kind}")


def sub(said: str) -> Markup:
    """A second, quieter line in a cell."""
    return tag("span", said, class_="sub")


def between(low: float | None, high: float | None) -> Markup | None:
    """The ends of an interval on a second line; nothing where there is none."""
    return None if low is None or high is None else sub(f"{figures.share(low)} – {figures.share(high)}")


def line(said: str) -> Markup:
    """A line of its own in a cell."""
    return tag("span", said, class_="line")


def note(said: str) -> Markup:
    return tag("p", said, class_="note")


def quiet_name(said: str) -> Markup:
    """A name on a second, quieter line."""
    return tag("span", name(said), class_="sub")


def name(said: str, width: int = 120) -> Markup:
    """A name, shortened in the middle where it is very long, which may break at its joints."""
    shown = figures.shortened(figures.visible(said), width)
    parts = [join(part, tag("wbr")) for part in re.findall(r"[^_./-]*[_./-]?", shown)]
    return tag("span", parts, class_="name", title=said if len(said) > width else None)
