"""Rule packs: patterns as data under `rules/recognisers/`, in the shape of Presidio's recogniser files.

A rule is cheap to refuse: its `trigger` (Rust syntax, evaluated by Polars over the whole column) says which rows could
hold a match at all, and only those are shown to the pattern and to its validator.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import yaml

from anonym.errors import Fault, PolicyError
from anonym.rules import rules_folder
from anonym.text.spans import Span
from anonym.text.syntax import beginnings, usual_width
from anonym.text.triggers import Column, column_trigger
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
    """One regular expression of a rule; a group called `pii` narrows the span. `beginnings`: how a match may begin."""

    name: str
    regex: re.Pattern[str]
    score: float
    beginnings: re.Pattern[str] | None


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
    reach: int  # characters from its trigger in which a match and its context lie
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
    patterns, triggers = (_fragments(content, any_of) for any_of in (_tree, _alternatives))
    rules, predefined = [], []
    for entry in content["recognizers"]:
        if entry.get("type") == "predefined":
            predefined.append(_predefined(entry))
        else:
            rules.append(_rule(entry, flags, patterns, triggers))
    return Pack(name, tuple(rules), tuple(predefined))


def _fragments(content: Mapping[str, Any], any_of: Callable[[Sequence[str]], str]) -> dict[str, str]:
    fragments = {key: any_of(words) for key, words in content.get("lists", {}).items()}
    for key, regex in content.get("fragments", {}).items():
        fragments[key] = _filled(regex, fragments)
    return fragments


def _alternatives(words: Sequence[str]) -> str:
    longest_first = sorted({str(word) for word in words}, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s{1,40}") for word in longest_first) + ")"


def _tree(words: Sequence[str]) -> str:
    """What `_alternatives` matches, as a tree of beginnings: where no word begins, Python's engine gives up after the
    first letters and not after all words (brand names: 5 times as fast).
    """
    tree: _Tree = {}
    for word in words:
        node = tree
        for part in str(word):
            node = node.setdefault(r"\s+" if part == " " else re.escape(part), {})
        node[""] = {}
    return f"(?:{_spelled_out(tree)})"


_Tree = dict[str, "_Tree"]


def _spelled_out(tree: _Tree) -> str:
    ways = [part + _spelled_out(rest) for part, rest in tree.items() if part]
    if not ways:
        return ""
    joined = ways[0] if len(ways) == 1 and "" not in tree else f"(?:{'|'.join(ways)})"
    return joined + "?" * ("" in tree)


def _filled(regex: str, fragments: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda match: fragments[match.group(1)], regex)


def _languages(entry: Mapping[str, Any]) -> tuple[str, ...]:
    declared = entry.get("supported_languages") or [entry[key] for key in ("supported_language",) if key in entry]
    return tuple(item["language"] if isinstance(item, dict) else item for item in declared)


def _rule(entry: Mapping[str, Any], flags: int, fragments: Mapping[str, str], triggers: Mapping[str, str]) -> Rule:
    patterns = [
        _pattern(part["name"], _filled(part["regex"], fragments), flags, part["score"])
        for part in entry.get("patterns", ())
    ]
    if entry.get("deny_list"):
        words = rf"(?<!\w){_tree(entry['deny_list'])}(?!\w)"
        patterns.append(_pattern("deny_list", words, flags, entry.get("deny_list_score", 1.0)))
    context = entry.get("context")
    examples = entry.get("examples", {})
    return Rule(
        name=entry["name"],
        entity=entry["supported_entity"],
        patterns=tuple(patterns),
        trigger=_filled(entry.get("trigger", ""), triggers),
        context=re.compile(rf"(?i)(?<![^\W_]){_tree(context)}(?:s|es)?(?![^\W_])") if context else None,
        needs_context=bool(entry.get("needs_context", False)),
        validator=validator(entry["validator"]) if "validator" in entry else None,
        firm=bool(entry.get("firm", True)),
        reach=max(usual_width(part.regex) for part in patterns) + CONTEXT_BEFORE,
        languages=_languages(entry),
        examples=tuple(examples.get("match", ())),
        counterexamples=tuple(examples.get("no_match", ())),
    )


def _pattern(name: str, regex: str, flags: int, score: Any) -> Pattern:
    compiled = re.compile(regex, flags)
    return Pattern(name, compiled, float(score), beginnings(compiled))


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


def find(rule: Rule, text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """The spans of `rule` in one text, or those that begin in a part of it, without asking its trigger."""
    for pattern in rule.patterns:
        for match in _matches(pattern, text, start, len(text) if end is None else end):
            left, right = _extent(match)
            score = confirmed(rule, text, left, right, pattern.score) if right > left else None
            if score is not None:
                yield Span(left, right, rule.entity, score, rule.name, rule.firm)


def _matches(pattern: Pattern, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """As `finditer` between two places, but a match that the end may have cut, or hidden something from, is made with
    all of the text.
    """
    for found in _tried(pattern, text, start, end):
        if found.start() < start:
            continue
        match: re.Match[str] | None = found
        if end < len(text) and found.end() > end - CONTEXT_BEFORE:
            match = pattern.regex.match(text, found.start())
        if match:
            yield match
            start = match.end()


def _tried(pattern: Pattern, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Matches that may overlap, the first at each place."""
    if pattern.beginnings is None:
        yield from pattern.regex.finditer(text, start, end)
        return
    for place in pattern.beginnings.finditer(text, start, end):
        if place.start() >= start and (match := pattern.regex.match(text, place.start(), end)):
            yield match
            start = match.end()


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
        """Every finding in a column with its row. Of a long text, a rule reads what is in its reach of its trigger."""
        for trigger, rules in self._by_trigger.items():
            whole, parts = column.places(trigger)
            buffer = _Joined(whole, [column.texts[row] for row in whole])
            for rule in rules:
                yield from buffer.find(rule)
                for row, stretches in parts.items():
                    for start, end in _widened(stretches, rule.reach, len(column.texts[row])):
                        for span in find(rule, column.texts[row], start, end):
                            yield row, span


def _widened(stretches: Iterable[tuple[int, int]], reach: int, length: int) -> Iterator[tuple[int, int]]:
    """Stretches (ordered) with so much more on either side, those that then meet as one."""
    left = right = -1
    for start, end in stretches:
        if start - reach > right >= 0:
            yield left, right
            left = -1
        left = max(0, start - reach) if left < 0 else left
        right = min(length, end + reach)
    if right >= 0:
        yield left, right


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
            for match in _matches(pattern, self._text, 0, len(self._text)):
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
