"""The starter policy as text: every column with its role, its reason and how sure that is."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anonym.policy.infer.concepts import Guess
from anonym.policy.infer.facts import Facts
from anonym.policy.infer.guess import guess
from anonym.policy.infer.reading import Reading
from anonym.policy.infer.recode import Recode, recode
from anonym.policy.infer.unit import Unit, unit
from anonym.policy.infer.vocabulary import tokens

K = 5
SUPPRESSION = "0.05"
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ ]*[A-Za-z0-9_]|[A-Za-z]")
WORDS = {"null", "true", "false", "y", "n", "yes", "no", "on", "off"}
UNKNOWN = 12
"""Columns of unknown meaning that are taken for quasi-identifiers; in a wider table the rest is not released."""

UNSURE = 0.4
"""Confidence up to which a person is asked."""

CLINICAL = 3
"""Columns about health that make the table one about health."""


@dataclass(frozen=True)
class Entry:
    """A column of the draft. `diversity` is the l that is asked of it, `rare` why its rare values may be released."""

    facts: Facts
    guess: Guess
    recode: Recode | None = None
    diversity: int | None = None
    rare: str | None = None

    @property
    def name(self) -> str:
        return self.facts.name


@dataclass(frozen=True)
class Question:
    """What a person should decide: the choices (the first is what the draft does), and the column it is about."""

    words: str
    choices: tuple[str, ...]
    column: str


@dataclass(frozen=True)
class Draft:
    """A starter policy before it is written."""

    entries: tuple[Entry, ...]
    reading: Reading
    unit: Unit | None
    language: str = "en"
    ner: str = "none"

    @property
    def questions(self) -> tuple[Question, ...]:
        """At most two."""
        return tuple(_questions(self))[:2]

    def changed(self, changes: Mapping[str, Guess]) -> Draft:
        """With other guesses for some columns."""
        entries = tuple(_entry(e.facts, changes[e.name]) if e.name in changes else e for e in self.entries)
        return replace(self, entries=entries)

    def with_less_diversity(self) -> Draft | None:
        """With no l asked of the columns whose role is unsure, else of none; None where none is asked."""
        asked = [entry.guess.confidence for entry in self.entries if entry.diversity is not None]
        if not asked:
            return None
        least = UNSURE if min(asked) <= UNSURE else 1.0
        entries = tuple(replace(e, diversity=None) if e.guess.confidence <= least else e for e in self.entries)
        return replace(self, entries=entries)

    def files(self, stem: str) -> dict[str, str]:
        """Name and content of each hierarchy file. They hold values of the data."""
        return {name: _table(entry.recode.lines) for name, entry in _named(self, stem).items() if entry.recode}

    def render(self, stem: str, source: str) -> str:
        """The policy. `stem` is its file's name without ending; no value of the data is in it."""
        return "\n".join(_document(self, stem, source)) + "\n"


def draft(
    columns: Sequence[Facts], reading: Reading, *, models: Callable[[str], str] | None = None, language: str = "en"
) -> Draft:
    """A draft from the columns' facts. `models` gives the value of `text.ner` for a language."""
    guesses = _narrowed(_clinical([(facts, guess(facts)) for facts in columns]))
    entries = tuple(_entry(facts, found) for facts, found in guesses)
    found = unit(columns, {facts.name: guessed for facts, guessed in guesses})
    return Draft(entries, reading, found, language, models(language) if models else "none")


def _clinical(guesses: list[tuple[Facts, Guess]]) -> list[tuple[Facts, Guess]]:
    """Temperatures and pressures in a table about health are those of a body."""
    if sum(found.concept == "health" for _, found in guesses) < CLINICAL:
        return guesses
    why = "a reading, in a table about health"
    return [
        (facts, Guess("sensitive", "health", 0.6, why) if found.concept == "reading" and _of_a_body(facts) else found)
        for facts, found in guesses
    ]


def _of_a_body(facts: Facts) -> bool:
    return facts.is_number and any(word.startswith(("temp", "press", "tens")) for word in tokens(facts.name))


def _narrowed(guesses: list[tuple[Facts, Guess]]) -> list[tuple[Facts, Guess]]:
    """No more unknown quasi-identifiers than a search can serve."""
    unknown = [facts.name for facts, found in guesses if found.concept == "unknown"]
    gone = set(unknown[UNKNOWN:])
    why = f"unknown, and {len(unknown)} such columns are too many to generalise; give it a role to release it"
    return [(f, Guess("drop", "unknown", 0.3, why) if f.name in gone else found) for f, found in guesses]


def _entry(facts: Facts, found: Guess) -> Entry:
    if found.role == "keep" and facts.rarest < K:
        found, rare = _scattered(facts, found)
        if found.role == "keep":
            return Entry(facts, found, rare=rare)
    if found.role == "quasi":
        return Entry(facts, found, recode(facts, found.concept))
    if found.role == "sensitive":
        return Entry(facts, found, diversity=_diversity(facts, found))
    return Entry(facts, found)


def _scattered(facts: Facts, found: Guess) -> tuple[Guess, str | None]:
    """A column to keep with rare values, which are refused: a machine's readings may stay, the rest is coarsened."""
    if found.concept == "reading" and facts.is_number:
        return found, "a reading of a machine, which nobody is known by; confirm this or give it another role"
    why = f"{found.why}; but some values are rare, so that they are grouped"
    return replace(found, role="quasi", confidence=min(found.confidence, 0.6), why=why), None


def _diversity(facts: Facts, found: Guess) -> int | None:
    """Two distinct values a class, unless the column is too lopsided for that to cost little."""
    most = 0.75 if found.concept == "answer" else 0.9
    if found.concept == "usage" or facts.filled < 0.5 * facts.rows or facts.commonest > most:
        return None
    spellings = {text.strip().casefold() for text in facts.sample}
    return 2 if len(spellings) >= 2 and facts.rows >= 2 * K else None


def _named(draft: Draft, stem: str) -> dict[str, Entry]:
    """Each hierarchy file's name with its column."""
    names: dict[str, Entry] = {}
    for entry in draft.entries:
        if entry.recode is not None and entry.recode.lines:
            slug = re.sub(r"[^A-Za-z0-9]+", "_", entry.name).strip("_")[:40] or "column"
            name = f"{stem}.{slug}.csv"
            while name in names:
                slug += "_"
                name = f"{stem}.{slug}.csv"
            names[name] = entry
    return names


def _table(lines: Sequence[Sequence[str]]) -> str:
    content = io.StringIO(newline="")
    csv.writer(content, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(lines)
    return content.getvalue()


def _document(draft: Draft, stem: str, source: str) -> Iterator[str]:
    yield f"# A starter policy for {source}, written by `anonym init`. It holds no value of the data."
    yield "# After each column: how sure the guess is (0 to 1) and why. Read every line, then fill in `reviewed`."
    yield "# Next: anonym explain, anonym preview, anonym apply. Keys and roles: anonym help policy."
    yield "anonym: 1"
    yield f"name: {_scalar(stem)}"
    yield 'reviewed: null                 # a person\'s: {by: "name, office", date: YYYY-MM-DD}'
    yield from _input(draft.reading)
    if draft.unit is not None:
        yield f"unit: {_scalar(draft.unit.column)}    # {draft.unit.why}"
    else:
        yield "# unit: absent, every row is taken for a person; name a column if one person can have several rows"
    yield "columns:"
    files = {entry.name: name for name, entry in _named(draft, stem).items()}
    for entry in draft.entries:
        yield f"  {_scalar(entry.name)}: {_column(entry, files)}    # {_reason(entry)}"
    yield "unlisted: refuse               # a column that is not listed stops the run"
    yield from _rest(draft)


def _rest(draft: Draft) -> Iterator[str]:
    roles = {entry.guess.role for entry in draft.entries}
    if roles & {"quasi", "keep"}:
        yield f"guarantee: {{k: {K}, suppression: {{max: {SUPPRESSION}}}}}    # anonym tune shows what others cost"
    if {"quasi", "sensitive"} <= roles:
        yield "# attacks: {inference: {max_advantage: 0.1}, hold_out: 0.1}    # a tenth of the people as a control"
    if "text" in roles:
        without = (
            ""
            if draft.ner != "none"
            else "    # no model for this language is installed: names are found by rules only"
        )
        yield f"text: {{language: {draft.language}, ner: {draft.ner}}}{without}"


def _input(reading: Reading) -> Iterator[str]:
    parts = []
    if reading.separator != ",":
        parts.append(f"separator: {json.dumps(reading.separator)}")
    if reading.encoding != "utf-8":
        parts.append(f"encoding: {reading.encoding}")
    if reading.null_values:
        parts.append(f"null_values: {json.dumps(list(reading.null_values))}")
    if reading.types:
        typed = ", ".join(f"{_scalar(name)}: {kind}" for name, kind in reading.types.items())
        parts.append(f"types: {{{typed}}}")
    if parts:
        yield f"input: {{{', '.join(parts)}}}"


def _column(entry: Entry, files: Mapping[str, str]) -> str:
    found = entry.guess
    if found.role == "quasi" and entry.recode is not None:
        name = files.get(entry.name)
        hierarchy = f"{{file: {_scalar(name)}}}" if name else entry.recode.hierarchy
        options = "".join(f", {key}: {value}" for key, value in entry.recode.options.items())
        return f"{{role: quasi, hierarchy: {hierarchy}{options}}}"
    if found.role == "sensitive" and entry.diversity:
        return f"{{role: sensitive, l: {{distinct: {entry.diversity}}}}}"
    if found.role == "keep" and entry.rare:
        return f"{{role: keep, allow_unique: {json.dumps(entry.rare)}}}"
    return f"{{role: {found.role}}}"


def _reason(entry: Entry) -> str:
    words = f"{entry.guess.confidence:.2f} {entry.guess.why}"
    if entry.guess.role == "quasi" and entry.recode is not None:
        words += f"; {entry.recode.why}"
    if entry.guess.role == "sensitive" and entry.diversity is None and entry.guess.concept != "usage":
        words += "; no l is asked, as one value or null fills most rows"
    return words


def _scalar(text: str) -> str:
    """A YAML word, in quotes where it could be read as something else."""
    return text if PLAIN.fullmatch(text) and text.casefold() not in WORDS else json.dumps(text, ensure_ascii=False)


def _questions(draft: Draft) -> Iterator[Question]:
    if draft.unit is not None and draft.unit.rivals:
        choices = (draft.unit.column, *draft.unit.rivals[:3])
        yield Question("Whom should the release protect? Rows of one value of this column count once.", choices, "")
    unsure = sorted((e for e in draft.entries if e.guess.confidence <= UNSURE), key=lambda e: e.guess.confidence)
    for entry in unsure:
        words = f"What is the column {entry.name}? Could somebody outside know its value for a person (quasi)?"
        yield Question(words, (entry.guess.role, *(r for r in _ROLES if r != entry.guess.role)), entry.name)


_ROLES = ("quasi", "sensitive", "identifier", "text", "drop")
"""What may be answered; `keep` only by writing it into the policy oneself."""
