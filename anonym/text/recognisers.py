"""Rule packs: patterns as data under `rules/recognisers/`, in the shape of Presidio's recogniser files.

Where in a column a pattern may match is read off the pattern itself (see `scanner`); a rule says nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from anonym.errors import Fault, PolicyError
from anonym.rules import rules_folder
from anonym.text.scanner import Column, Regex
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

_PRESIDIO_FLAGS = 26  # DOTALL | MULTILINE | IGNORECASE, the default of Presidio's files


@dataclass(frozen=True, slots=True)
class Pattern:
    """One regular expression of a rule; a group called `pii` narrows the span."""

    name: str
    regex: Regex
    score: float


@dataclass(frozen=True, slots=True)
class Rule:
    """What to look for, what must be near it, what must hold of it.

    `examples` are texts that must match, the expected spans in «», and `counterexamples` texts that must not.
    """

    name: str
    entity: str
    patterns: tuple[Pattern, ...]
    context: Regex | None
    needs_context: bool
    validator: Validator | None
    firm: bool
    languages: tuple[str, ...]
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Predefined:
    """A recogniser of Presidio's, by class name, run on windows around the matches of its trigger, if it has one."""

    class_name: str
    trigger: Regex | None
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
    fragments = _fragments(content)
    rules, predefined = [], []
    for entry in content["recognizers"]:
        if entry.get("type") == "predefined":
            predefined.append(_predefined(entry))
        else:
            rules.append(_rule(entry, flags, fragments))
    return Pack(name, tuple(rules), tuple(predefined))


def _fragments(content: Mapping[str, Any]) -> dict[str, str]:
    fragments = {key: _tree(words) for key, words in content.get("lists", {}).items()}
    for key, regex in content.get("fragments", {}).items():
        fragments[key] = _filled(regex, fragments)
    return fragments


def _tree(words: Sequence[str]) -> str:
    """Any of the words, blanks in them of any width, as a tree of beginnings: where none begins, Python's engine gives
    up after the first letters and not after all words (brand names: 5 times as fast).
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


def _rule(entry: Mapping[str, Any], flags: int, fragments: Mapping[str, str]) -> Rule:
    patterns = [
        Pattern(part["name"], re.compile(_filled(part["regex"], fragments), flags), float(part["score"]))
        for part in entry.get("patterns", ())
    ]
    if entry.get("deny_list"):
        words = rf"(?<!\w){_tree(entry['deny_list'])}(?!\w)"
        patterns.append(Pattern("deny_list", re.compile(words, flags), float(entry.get("deny_list_score", 1.0))))
    context = entry.get("context")
    examples = entry.get("examples", {})
    return Rule(
        name=entry["name"],
        entity=entry["supported_entity"],
        patterns=tuple(patterns),
        context=re.compile(rf"(?i)(?<![^\W_]){_tree(context)}(?:s|es)?(?![^\W_])") if context else None,
        needs_context=bool(entry.get("needs_context", False)),
        validator=validator(entry["validator"]) if "validator" in entry else None,
        firm=bool(entry.get("firm", True)),
        languages=_languages(entry),
        examples=tuple(examples.get("match", ())),
        counterexamples=tuple(examples.get("no_match", ())),
    )


def _predefined(entry: Mapping[str, Any]) -> Predefined:
    return Predefined(
        class_name=entry.get("class_name", entry["name"]),
        trigger=re.compile(entry["trigger"]) if "trigger" in entry else None,
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
    """The spans of `rule` in one text."""
    for pattern in rule.patterns:
        for match in pattern.regex.finditer(text):
            if span := _span(rule, pattern, match):
                yield span


def _span(rule: Rule, pattern: Pattern, match: re.Match[str]) -> Span | None:
    start, end = _extent(match)
    score = confirmed(rule, match.string, start, end, pattern.score) if end > start else None
    return None if score is None else Span(start, end, rule.entity, score, rule.name, rule.firm)


class RuleSet:
    """Rules over a column of texts, in one language."""

    def __init__(self, rules: Iterable[Rule], language: str) -> None:
        self.rules = tuple(rule for rule in rules if not rule.languages or language in rule.languages)

    @property
    def expressions(self) -> tuple[Regex, ...]:
        """What a column must have been scanned for before `detect`."""
        return tuple(pattern.regex for rule in self.rules for pattern in rule.patterns)

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding in a column with its row."""
        for rule in self.rules:
            for pattern in rule.patterns:
                for row, match in column.matches(pattern.regex):
                    if span := _span(rule, pattern, match):
                        yield row, span
