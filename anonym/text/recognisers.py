"""Rule packs: patterns as data under `rules/recognisers/`, in the shape of Presidio's recogniser files.

A rule is cheap to refuse: its `trigger` (Rust syntax, evaluated by Polars over the whole column) says which rows could
hold a match at all, and only those are shown to the pattern and to its validator.
"""

from __future__ import annotations

import re
import re._parser as re_parser  # type: ignore[import-not-found]
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from anonym.errors import Fault, PolicyError
from anonym.rules import rules_folder
from anonym.text.spans import Span
from anonym.text.validators import Validator, validator

PACKS_OF: dict[str, tuple[str, ...]] = {
    "default": (
        "general",
        "dates",
        "people",
        "places",
        "network",
        "handles",
        "court",
        "health",
        "demographics",
        "organisations",
        "quantities",
        "us",
        "uk",
        "eu",
        "india",
    ),
}
"""Names that stand for several packs."""

CONTEXT_BEFORE, CONTEXT_AFTER = 64, 24
"""Characters around a match in which its context words are looked for."""

CONTEXT_BOOST = 0.35
THRESHOLD = 0.4
"""As Presidio's context enhancer: a context word adds 0.35, and what stays below 0.4 is not reported."""

_BARRIER = "\n\ufdd0\n"  # between the rows of a joined buffer: a noncharacter, neither word nor blank
_PRESIDIO_FLAGS = 26  # DOTALL | MULTILINE | IGNORECASE, the default of Presidio's files


@dataclass(frozen=True, slots=True)
class Pattern:
    """One regular expression of a rule; a group called `pii` narrows the span."""

    name: str
    regex: re.Pattern[str]
    score: float


@dataclass(frozen=True, slots=True)
class Rule:
    """What to look for, what must be near it, what must hold of it.

    `examples` are texts that must match, the expected spans in «», and `counterexamples` texts that must not.
    """

    name: str
    entity: str
    patterns: tuple[Pattern, ...]
    trigger: str
    context: re.Pattern[str] | None
    needs_context: bool
    validator: Validator | None
    firm: bool
    crosses: bool  # matches over blank lines
    languages: tuple[str, ...]
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Predefined:
    """A recogniser of Presidio's, by class name, run on windows around its trigger only."""

    class_name: str
    trigger: str
    needs_context: bool
    languages: tuple[str, ...]
    entity: str | None
    validator: Validator | None
    window: int


@dataclass(frozen=True, slots=True)
class Pack:
    """One file of rules."""

    name: str
    rules: tuple[Rule, ...]
    predefined: tuple[Predefined, ...]


def packs_folder() -> Path:
    """`rules/recognisers`."""
    return rules_folder() / "recognisers"


def pack_names() -> tuple[str, ...]:
    """The packs that ship, and the names that stand for several."""
    return (*PACKS_OF, *sorted(path.stem for path in packs_folder().glob("*.yaml")))


@cache
def load(name: str) -> Pack:
    """The shipped pack `name`. Raises PolicyError naming the packs that exist."""
    path = packs_folder() / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(pack_names())
        raise PolicyError([Fault("text.packs", f"expected one of {known}; found another name")])
    return parse(path.stem, yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))


def packs(names: Iterable[str]) -> tuple[Pack, ...]:
    """The packs behind `names`, each once, in order."""
    single = [part for name in names for part in PACKS_OF.get(name, (name,))]
    return tuple(load(name) for name in dict.fromkeys(single))


def parse(name: str, content: Mapping[str, Any]) -> Pack:
    """A pack from the content of its file."""
    flags = int(content.get("global_regex_flags", _PRESIDIO_FLAGS))
    lists = {key: _alternatives(words) for key, words in content.get("lists", {}).items()}
    fragments: dict[str, str] = dict(lists)
    for key, regex in content.get("fragments", {}).items():
        fragments[key] = _filled(regex, fragments)
    rules, predefined = [], []
    for entry in content["recognizers"]:
        if entry.get("type") == "predefined":
            predefined.append(_predefined(entry))
        else:
            rules.append(_rule(entry, flags, fragments))
    return Pack(name, tuple(rules), tuple(predefined))


def _alternatives(words: Sequence[str]) -> str:
    longest_first = sorted({str(word) for word in words}, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first) + ")"


def _filled(regex: str, fragments: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda match: fragments[match.group(1)], regex)


def _languages(entry: Mapping[str, Any]) -> tuple[str, ...]:
    declared = entry.get("supported_languages") or [entry[key] for key in ("supported_language",) if key in entry]
    return tuple(item["language"] if isinstance(item, dict) else item for item in declared)


def _rule(entry: Mapping[str, Any], flags: int, fragments: Mapping[str, str]) -> Rule:
    patterns = [
        Pattern(part["name"], re.compile(_filled(part["regex"], fragments), flags), float(part["score"]))
        for part in entry.get("patterns", ())
    ]
    if entry.get("deny_list"):
        words = rf"(?<!\w){_alternatives(entry['deny_list'])}(?!\w)"
        patterns.append(Pattern("deny_list", re.compile(words, flags), float(entry.get("deny_list_score", 1.0))))
    context = entry.get("context")
    examples = entry.get("examples", {})
    return Rule(
        name=entry["name"],
        entity=entry["supported_entity"],
        patterns=tuple(patterns),
        trigger=_filled(entry.get("trigger", ""), fragments),
        context=re.compile(rf"(?i)(?<![^\W_]){_alternatives(context)}(?:s|es)?(?![^\W_])") if context else None,
        needs_context=bool(entry.get("needs_context", False)),
        validator=validator(entry["validator"]) if "validator" in entry else None,
        firm=bool(entry.get("firm", True)),
        crosses=bool(entry.get("crosses_paragraphs", False)),
        languages=_languages(entry),
        examples=tuple(examples.get("match", ())),
        counterexamples=tuple(examples.get("no_match", ())),
    )


def _predefined(entry: Mapping[str, Any]) -> Predefined:
    return Predefined(
        class_name=entry.get("class_name", entry["name"]),
        trigger=entry.get("trigger", ""),
        needs_context=bool(entry.get("needs_context", False)),
        languages=_languages(entry),
        entity=entry.get("supported_entity"),
        validator=validator(entry["validator"]) if "validator" in entry else None,
        window=int(entry.get("window", 64)),
    )


_TAG_PART = re.compile(r"<?[A-Z][A-Z0-9_]*>")


def named_near(context: re.Pattern[str], text: str, start: int, end: int) -> bool:
    """Whether a context word stands near text[start:end]; the words of our own tags are none."""
    around = (text[max(0, start - CONTEXT_BEFORE) : start], text[end : end + CONTEXT_AFTER])
    return any(context.search(_TAG_PART.sub(" ", part)) for part in around)


def confirmed(rule: Rule, text: str, start: int, end: int, score: float) -> float | None:
    """The score of a match after validator and context, or None where it is refused."""
    if rule.validator is not None and not rule.validator(text[start:end]):
        return None
    if rule.context is None:
        return score if score >= THRESHOLD else None
    near = named_near(rule.context, text, start, end)
    if not near and rule.needs_context:
        return None
    score = min(1.0, score + CONTEXT_BOOST) if near else score
    return score if score >= THRESHOLD else None


def _extent(match: re.Match[str]) -> tuple[int, int]:
    """Where the group `pii` is, or the whole match where the pattern has none or its match went another way."""
    return match.span("pii") if "pii" in match.re.groupindex and match["pii"] is not None else match.span()


def find(rule: Rule, text: str) -> Iterator[Span]:
    """The spans of `rule` in one text, without asking its trigger."""
    for pattern in rule.patterns:
        for match in pattern.regex.finditer(text):
            start, end = _extent(match)
            score = confirmed(rule, text, start, end, pattern.score) if end > start else None
            if score is not None:
                yield Span(start, end, rule.entity, score, rule.name, rule.firm)


LONG = 2_000
"""Characters of a text from which its paragraphs are read one by one, so that a trigger shows a rule less of it."""

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*")


class RuleSet:
    """Rules over a column of texts, in one language."""

    def __init__(self, rules: Iterable[Rule], language: str) -> None:
        self.rules = tuple(rule for rule in rules if not rule.languages or language in rule.languages)
        self._by_trigger: dict[str, list[Rule]] = {}
        for rule in self.rules:
            self._by_trigger.setdefault(column_trigger(rule.trigger), []).append(rule)

    @property
    def triggers(self) -> tuple[str, ...]:
        """The triggers to evaluate over a column before `detect`."""
        return tuple(self._by_trigger)

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row. Long texts are read by paragraphs, but for rules that cross them."""
        yield from self._detect(column, [rule for rule in self.rules if rule.crosses or not column.long])
        if column.long:
            pieces = [(row, *piece) for row, text in enumerate(column.texts) for piece in paragraphs(text)]
            inside = [rule for rule in self.rules if not rule.crosses]
            for index, span in self._detect(Column([text for _, _, text in pieces], self.triggers), inside):
                row, start, _ = pieces[index]
                yield row, span.at(span.start + start, span.end + start)

    def _detect(self, column: Column, rules: Sequence[Rule]) -> Iterator[tuple[int, Span]]:
        wanted = set(map(id, rules))
        for trigger, triggered in self._by_trigger.items():
            chosen = [rule for rule in triggered if id(rule) in wanted]
            rows = column.rows(trigger) if chosen else []
            if rows:
                buffer = _Joined(rows, [column.texts[row] for row in rows])
                for rule in chosen:
                    yield from buffer.find(rule)


def paragraphs(text: str) -> list[tuple[int, str]]:
    """The paragraphs of a long text with their offsets; a short text whole."""
    if len(text) <= LONG:
        return [(0, text)]
    starts = [0, *(match.end() for match in _BLANK_LINE.finditer(text))]
    return [(start, text[start:end]) for start, end in zip(starts, (*starts[1:], len(text)), strict=True)]


def column_trigger(trigger: str) -> str:
    """A trigger as Polars is given it: with ASCII word boundaries, twice as fast over a column, true wherever Unicode's
    are beside an ASCII character, and now and then where they are not, which only shows a row to its rule in vain.
    """
    return trigger.replace(r"\b", r"(?-u:\b)")


_NESTED = re.compile(r"\[\^?\]?[^\]\[]*\[")  # a class inside a class, which only Rust's syntax has


@cache
def needs_digit(trigger: str) -> bool:
    """Whether every match of a trigger holds a digit, as far as its syntax tells."""
    plain = re.sub(r"\(\?-u:\\b\)", r"\\b", re.sub(r"\\[pP]\{?\w+\}?", "x", trigger))
    if _NESTED.search(re.sub(r"\\.", "x", plain)):
        return False
    try:
        return _holds_digit(re_parser.parse(plain))
    except re.error:  # flags inside, which Rust allows
        return False


def _holds_digit(parsed: Any) -> bool:
    return any(_is_digit(str(operator), argument) for operator, argument in parsed)


def _is_digit(operator: str, argument: Any) -> bool:
    match operator:
        case "LITERAL":
            return bool(48 <= argument <= 57)
        case "IN":
            return all(_is_digit(str(part), value) for part, value in argument)
        case "CATEGORY":
            return str(argument) == "CATEGORY_DIGIT"
        case "RANGE":
            return bool(48 <= argument[0] <= argument[1] <= 57)
        case "BRANCH":
            return all(_holds_digit(part) for part in argument[1])
        case "SUBPATTERN":
            return _holds_digit(argument[-1])
        case "MAX_REPEAT" | "MIN_REPEAT":
            return bool(argument[0] > 0) and _holds_digit(argument[2])
    return False


SMALL, SMALL_CHARACTERS = 64, 20_000
"""Size up to which every trigger counts as fired: compiling a hundred of them takes 0.1 s, reading the rows less."""


class Column:
    """Texts (no nulls) with the rows in which each trigger fired, all evaluated in one pass of Polars."""

    def __init__(self, texts: Sequence[str], triggers: Iterable[str]) -> None:
        self.texts = list(texts)
        self.long = any(len(text) > LONG for text in self.texts)
        self._all = list(range(len(self.texts)))
        self._rows: dict[str, list[int]] = {}
        if len(self.texts) > SMALL or sum(map(len, self.texts)) > SMALL_CHARACTERS:
            self._evaluate([trigger for trigger in dict.fromkeys(triggers) if trigger])

    def _evaluate(self, triggers: Sequence[str]) -> None:
        """Triggers that need a digit are asked of the rows that have one only: half of them, on a fifth of prose."""
        frame = pl.DataFrame({"text": pl.Series(self.texts, dtype=pl.String)}).with_row_index("row")
        digits = [trigger for trigger in triggers if needs_digit(trigger)]
        others = [trigger for trigger in triggers if not needs_digit(trigger)]
        for part, asked in ((frame, others), (frame.filter(pl.col("text").str.contains(r"\d")), digits)):
            fired = part.select(
                pl.col("row").filter(pl.col("text").str.contains(trigger)).implode().alias(str(i))
                for i, trigger in enumerate(asked)
            )
            self._rows |= {trigger: fired[str(i)][0].to_list() for i, trigger in enumerate(asked)}

    def rows(self, trigger: str) -> list[int]:
        """Rows in which `trigger` (Rust syntax; empty: every row) matches, and perhaps others where there are few."""
        return self._rows.get(trigger, self._all)

    def holding(self, regex: str) -> list[int]:
        """Rows in which `regex` (Rust syntax) matches, exactly."""
        rows: list[int] = pl.Series(self.texts, dtype=pl.String).str.contains(regex).arg_true().to_list()
        return rows


class _Joined:
    """Rows joined into one buffer, so that a pattern is started once and not once per row."""

    def __init__(self, rows: list[int], texts: list[str]) -> None:
        self._rows, self._texts = rows, texts
        self._text = _BARRIER.join(texts)
        lengths = [len(text) + len(_BARRIER) for text in texts]
        self._starts = [0, *accumulate(lengths[:-1])]

    def find(self, rule: Rule) -> Iterator[tuple[int, Span]]:
        alone: set[int] = set()
        for pattern in rule.patterns:
            for match in pattern.regex.finditer(self._text):
                index = bisect_right(self._starts, match.start()) - 1
                base, text = self._starts[index], self._texts[index]
                if match.end() > base + len(text):
                    # The match ran over the end of its row and may hide others: those rows are read by themselves.
                    alone.update(range(index, bisect_right(self._starts, match.end() - 1)))
                    continue
                start, end = _extent(match)
                score = confirmed(rule, text, start - base, end - base, pattern.score) if end > start else None
                if score is not None:
                    yield self._rows[index], Span(start - base, end - base, rule.entity, score, rule.name, rule.firm)
        for index in alone:
            for span in find(rule, self._texts[index]):
                yield self._rows[index], span
