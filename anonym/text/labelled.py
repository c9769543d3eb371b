"""Labelled samples: texts in which a person marked what must not remain, in the formats that tools export.

Whatever the format, a sample becomes `Labelled` values in code points. Offsets may be declared as UTF-16 code units
(JavaScript, Java, .NET) or UTF-8 bytes (Rust, Go); where a format repeats the marked text, it must fit the offsets.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, get_args

from anonym.errors import InputError

Offsets = Literal["code-points", "utf-16", "bytes"]
OFFSETS: tuple[str, ...] = get_args(Offsets)
Style = Literal["auto", "lines", "presidio", "conll", "tab", "label-studio"]
STYLES: tuple[str, ...] = get_args(Style)

NEED_NOT = "NO_MASK"
"""TAB's word for what was annotated and need not be masked: no trial of recall, right where it is masked."""


@dataclass(frozen=True)
class Mention:
    """One place where an entity of a document is named. The entity is found when all its mentions are."""

    start: int
    end: int
    kind: Literal["direct", "quasi"]
    entity: str


@dataclass(frozen=True)
class Labelled:
    """One text with what a person marked in it: start, end (code points, end exclusive) and type. `allowed` are marked
    stretches that may be masked and need not be. `known` are the row's own values, which are scrubbed from its text.
    `stratum` and `weight` say how the text was drawn: it stands for `weight` texts.
    """

    text: str
    spans: tuple[tuple[int, int, str], ...]
    mentions: tuple[Mention, ...] = ()
    allowed: tuple[tuple[int, int], ...] = ()
    known: Mapping[str, str | None] = field(default_factory=dict)
    stratum: str = ""
    weight: float = 1.0

    def __post_init__(self) -> None:
        """A label given twice, as by two people, is one label."""
        object.__setattr__(self, "spans", tuple(dict.fromkeys(self.spans)))


class _Misfit(ValueError):
    """What is wrong with one document, in words without its text."""


def read(path: Path, style: Style = "auto", offsets: Offsets | None = None) -> list[Labelled]:
    """The labelled sample in a file, gzipped or not.

    `style`: JSON lines of our own (text and spans, or gold, each with start, end, label), Presidio-evaluator's and
    TAB's JSON, Label Studio's JSON and JSON-MIN, CoNLL or IOB columns; `auto` tells them apart. `offsets` default to
    code points, for Label Studio to UTF-16. Raises InputError that names the document or line.
    """
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name}: the labelled sample cannot be read ({type(error).__name__})") from None
    return list(documents(text, path.name, style, offsets))


def documents(text: str, name: str, style: Style = "auto", offsets: Offsets | None = None) -> Iterator[Labelled]:
    """The documents in the content of a file called `name`."""
    start = text.lstrip()[:1]
    if style == "conll" or (style == "auto" and start not in ("{", "[", "")):
        yield from _conll(text, name)
        return
    for place, entry in _objects(text, name):
        try:
            known = style if style != "auto" else _style_of(entry)
            document = _READERS[known](entry, offsets)
        except _Misfit as misfit:
            raise InputError(f"{name}, {place}: {misfit}") from None
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(
                f"{name}, {place}: expected an object with text and spans, each with start, end and label, or a "
                f"document of another known format ({', '.join(STYLES[2:])})"
            ) from None
        if document is not None:
            yield document


def _objects(text: str, name: str) -> Iterator[tuple[str, Any]]:
    """Every JSON object with where it stands: of an array, of one object, of lines."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, list):
        yield from ((f"document {number}", entry) for number, entry in enumerate(whole, 1))
        return
    for number, line in enumerate(text.split("\n"), 1) if whole is None else ((1, text),):
        if line.strip():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                raise InputError(f"{name}, line {number}: expected a JSON object") from None
            yield f"line {number}", entry


def _style_of(entry: Mapping[str, Any]) -> str:
    if "full_text" in entry:
        return "presidio"
    if isinstance(entry.get("annotations"), dict):
        return "tab"
    if "data" in entry or "annotations" in entry or "label" in entry:
        return "label-studio"
    return "lines"


def from_mapping(entry: Mapping[str, Any], offsets: Offsets | None = None) -> Labelled:
    """A document of our own form. Raises InputError."""
    return next(documents(json.dumps(dict(entry)), "the labelled sample", "lines", offsets))


# offsets -------------------------------------------------------------------------------------------------------------


class _Ruler:
    """From declared offsets of one text to its code points."""

    def __init__(self, text: str, offsets: Offsets) -> None:
        self._length, self._text = len(text), text
        self._places: dict[int, int] | None = None
        if offsets != "code-points" and not text.isascii():
            width: Callable[[str], int] = _utf16 if offsets == "utf-16" else _bytes
            self._places = {at: i for i, at in enumerate(accumulate((width(c) for c in text), initial=0))}

    def span(self, start: Any, end: Any, said: Any = None) -> tuple[int, int]:
        left, right = self._place(_whole(start)), self._place(_whole(end))
        if not 0 <= left < right <= self._length:
            raise _Misfit("a span lies outside its text; offsets are code points unless declared, end exclusive")
        if isinstance(said, str) and said.split() != self._text[left:right].split():
            raise _Misfit(f"a span does not fit the text it names; declare its offsets (one of {', '.join(OFFSETS)})")
        return left, right

    def _place(self, at: int) -> int:
        if self._places is None:
            return at
        if at not in self._places:
            raise _Misfit("a span begins or ends inside a character, or outside its text, under the declared offsets")
        return self._places[at]


def _whole(offset: Any) -> int:
    if isinstance(offset, bool) or int(offset) != float(offset):
        raise _Misfit("an offset is no whole number")
    return int(offset)


def _utf16(character: str) -> int:
    return 2 if ord(character) > 0xFFFF else 1


def _bytes(character: str) -> int:
    return len(character.encode("utf-8", errors="surrogatepass"))


# JSON formats --------------------------------------------------------------------------------------------------------


def _lines(entry: Mapping[str, Any], offsets: Offsets | None) -> Labelled:
    text = _text(entry["text"])
    ruler = _Ruler(text, offsets or "code-points")
    marked = entry["spans"] if "spans" in entry else entry["gold"]
    spans, mentions, allowed = [], [], []
    for number, each in enumerate(marked):
        start, end = ruler.span(each["start"], each["end"])
        kind = str(each.get("identifier_type", "")).casefold()
        if kind == NEED_NOT.casefold():
            allowed.append((start, end))
            continue
        spans.append((start, end, _label(each.get("label", each.get("type", "ANY")))))
        if kind in ("direct", "quasi"):
            mentions.append(Mention(start, end, kind, str(each.get("entity_id", number))))  # type: ignore[arg-type]
    known = {str(name): None if value is None else str(value) for name, value in entry.get("known", {}).items()}
    weight = float(entry.get("weight", 1.0))
    if not 0 < weight < math.inf:
        raise _Misfit("a weight must be a number above 0")
    stratum = str(entry.get("stratum", ""))
    return Labelled(text, tuple(spans), tuple(mentions), tuple(allowed), known, stratum, weight)


def _presidio(entry: Mapping[str, Any], offsets: Offsets | None) -> Labelled:
    text = _text(entry["full_text"])
    ruler = _Ruler(text, offsets or "code-points")
    return Labelled(
        text,
        tuple(
            (
                *ruler.span(each["start_position"], each["end_position"], each.get("entity_value")),
                _label(each["entity_type"]),
            )
            for each in entry["spans"] or ()
        ),
    )


def _tab(entry: Mapping[str, Any], offsets: Offsets | None) -> Labelled:
    """One document of the Text Anonymization Benchmark (Pilán et al. 2022): entities of every annotator count, a span
    that several marked alike is one label.
    """
    text = _text(entry["text"])
    ruler = _Ruler(text, offsets or "code-points")
    spans: dict[tuple[int, int, str], None] = {}
    mentions: list[Mention] = []
    allowed: list[tuple[int, int]] = []
    for annotator, annotated in entry["annotations"].items():
        for each in annotated["entity_mentions"]:
            start, end = ruler.span(each["start_offset"], each["end_offset"], each.get("span_text"))
            kind = str(each["identifier_type"]).casefold()
            if kind not in ("direct", "quasi"):
                allowed.append((start, end))
                continue
            spans[start, end, _label(each["entity_type"])] = None
            mentions.append(Mention(start, end, kind, f"{annotator}/{each['entity_id']}"))  # type: ignore[arg-type]
    return Labelled(text, tuple(spans), tuple(mentions), tuple(allowed))


def _label_studio(entry: Mapping[str, Any], offsets: Offsets | None) -> Labelled | None:
    """A task of Label Studio's JSON export or a line of JSON-MIN; cancelled annotations do not count, several
    annotators' labels are united. None for a task that nobody has labelled: it says nothing of what is in it.
    """
    done = [each for each in entry.get("annotations", ()) if not each.get("was_cancelled")]
    if not done and "label" not in entry:
        return None
    values: list[Mapping[str, Any]] = list(entry.get("label") or ())
    values += [result["value"] for annotation in done for result in annotation["result"] if "value" in result]
    if not all(isinstance(value, Mapping) for value in values):
        raise _Misfit("expected each label as an object with start, end and labels, as Label Studio exports it")
    marked = [value for value in values if "labels" in value or "hypertextlabels" in value]
    return _fitting(_texts_of(entry.get("data", entry)), marked, offsets or "utf-16")


def _texts_of(data: Mapping[str, Any]) -> list[str]:
    """What may be the labelled text, which the export does not say: the field `text`, or else any."""
    if "text" in data:
        return [_text(data["text"])]
    return [value for value in data.values() if isinstance(value, str)]


def _fitting(texts: Sequence[str], marked: Sequence[Mapping[str, Any]], offsets: Offsets) -> Labelled:
    """The longest of the texts that all labels fit; raises what is wrong with the longest where none is."""
    faults: list[_Misfit] = []
    for text in sorted(texts, key=len, reverse=True):
        ruler = _Ruler(_text(text), offsets)
        spans: dict[tuple[int, int, str], None] = {}
        try:
            for value in marked:
                where = value.get("globalOffsets", value)
                start, end = ruler.span(where["start"], where["end"], value.get("text"))
                spans |= {
                    (start, end, _label(label)): None for label in value.get("labels", value.get("hypertextlabels"))
                }
        except _Misfit as misfit:
            faults.append(misfit)
            continue
        return Labelled(text, tuple(spans))
    raise faults[0] if faults else _Misfit("expected the text as a string")


_READERS: dict[str, Callable[[Mapping[str, Any], Offsets | None], Labelled | None]] = {
    "lines": _lines,
    "presidio": _presidio,
    "tab": _tab,
    "label-studio": _label_studio,
}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Misfit("expected the text as a string")
    if _HALF.search(value):
        raise _Misfit("the text holds half of a surrogate pair, which is no character")
    return value


_HALF = re.compile("[\ud800-\udfff]")


def _label(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Misfit("a label is a text that is not empty")
    return value


# columns -------------------------------------------------------------------------------------------------------------

_TAG = re.compile(r"O|[BIESLUM]-\S+")
_START, _ALONE = frozenset("BSU"), frozenset("SU")


def _conll(text: str, name: str) -> Iterator[Labelled]:
    """Sentences of CoNLL, IOB1, IOB2 or BIOES columns, a token a line, a blank line between them; the text is the
    tokens with blanks between. The tag is in the last column that holds only tags, the token in the first that is not
    a number.
    """
    rows: list[list[str]] = []
    found = False
    for number, line in enumerate((*text.splitlines(), ""), 1):
        plain = line.strip("\r\n")
        if not plain.strip() or plain.startswith("-DOCSTART-"):
            if rows:
                yield _sentence(rows, name, number)
                found = True
            rows = []
        elif not plain.startswith("# "):
            rows.append(plain.split("\t") if "\t" in plain else plain.split())
    if not found and text.strip():
        raise InputError(f"{name}: expected JSON, or columns with a token and its tag (O, B-PER, I-PER) on every line")


def _sentence(rows: Sequence[Sequence[str]], name: str, line: int) -> Labelled:
    width = min(map(len, rows))
    tagged = [c for c in range(1, width) if all(_TAG.fullmatch(row[c]) for row in rows)]
    if not tagged:
        raise InputError(f"{name}, before line {line}: expected a column of tags such as O, B-PER, I-PER")
    column = 1 if tagged[-1] > 1 and all(re.fullmatch(r"\d+(?:[.\-]\d+)?", row[0]) for row in rows) else 0
    tokens = [row[column] for row in rows]
    starts = [0, *accumulate(len(token) + 1 for token in tokens)]
    spans: list[tuple[int, int, str]] = []
    last = "O"
    for token, start, tag in zip(tokens, starts, (row[tagged[-1]] for row in rows), strict=False):
        kind = tag[2:]
        if tag == "O":
            last = tag
            continue
        goes_on = last != "O" and kind == last[2:] and tag[0] not in _START and last[0] not in _ALONE
        begin = spans.pop()[0] if goes_on else start
        spans.append((begin, start + len(token), kind))
        last = tag
    return Labelled(" ".join(tokens), tuple(spans))


def write_lines(documents: Iterable[Mapping[str, Any]]) -> str:
    """JSON lines of our own form."""
    return "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents)
