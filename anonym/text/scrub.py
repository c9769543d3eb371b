"""Scrubbing a column of text: detect over distinct values, resolve, replace, and do it again until nothing is found."""

from __future__ import annotations

import gc
import secrets as entropy
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import polars as pl

from anonym.errors import CallError
from anonym.text.backends import backend
from anonym.text.lexicon import lexicon, plausible
from anonym.text.names import aliases, known, occurrences, repeated, with_gaps
from anonym.text.ner import NerBackend
from anonym.text.options import TextOptions
from anonym.text.patterns import UserPatterns
from anonym.text.presidio import recognisers
from anonym.text.reading import for_model, paragraphs
from anonym.text.recognisers import RuleSet, packs
from anonym.text.replace import mask, tag
from anonym.text.resolve import resolve
from anonym.text.scanner import Column, Regex, scanner
from anonym.text.secrets import Secrets
from anonym.text.spans import Span, frame
from anonym.text.splice import merged, replaced, splice
from anonym.text.structure import NO_ZONES, STRUCTURED, zones
from anonym.text.styles import replacement
from anonym.text.views import ENCODED, View, decoded, unmarked
from anonym.text.words import words
from anonym.text.workers import CHARACTERS, ROWS, TASKS, WORTH, Workers

BATCH_ROWS, BATCH_CHARACTERS = 32_768, 4_000_000
"""Distinct texts handled together: enough for the models' batches, little enough for memory."""

PASSES = 8
"""A replaced text is read again until nothing more is found, so that scrubbing it once more changes nothing. Two passes
nearly always do; a text that still changes after the last one is withheld."""

_ALONE = threading.RLock()
"""Models and Faker are one per process and made for one thread, and engines call from several: two columns scrubbed at
once gave one value two surrogates (10 of 400 texts)."""

OURS = "Then Angela Merkel wrote to press@brenthwick.example on 3 May 2001 that password: hunter2-9x is hers."
"""A text that any model can read: one that fails on it is broken."""

CASED, LETTER = r"\p{Lu}|\p{Lo}", r"\p{L}"
"""Rows a cased model, and any other, must see: without a capital or a caseless script there is no name to find."""


class Detector(Protocol):
    """Anything that finds spans in a column by expressions."""

    @property
    def expressions(self) -> tuple[Regex, ...]:
        """What the column must have been scanned for before."""
        ...

    def detect(self, column: Column) -> Iterator[tuple[int, Span]]:
        """Every finding with its row."""
        ...


@dataclass
class Counts:
    """What a Scrubber has seen and done so far, summed over its calls."""

    documents: int = 0
    distinct: int = 0
    withheld: int = 0
    spans: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Scrubbed:
    """`text`: the column with every span replaced, null where it was null or where the text was withheld.
    `spans`: row, start, end (code points of the original, end exclusive), entity, score, rule.
    """

    text: pl.Series
    spans: pl.DataFrame
    withheld: int = 0


class Scrubber:
    """Finds and replaces personal data and secrets in text, by the options of a policy.

    `key` makes surrogates and pseudonyms equal across columns and tables; without one they are equal within this
    Scrubber only. Everything that reads text is loaded here: raises PolicyError or CallError at once where a declared
    pack, recogniser, language or model does not exist, so that only a text's own fault can withhold it later.
    """

    def __init__(self, options: TextOptions, key: bytes | None = None) -> None:
        self.options = options
        self._key = key or entropy.token_bytes(32)
        self._workers: Workers | None = None
        self.counts = Counts()
        chosen = packs(options.packs)
        language = options.language
        self._rules = RuleSet([rule for pack in chosen for rule in pack.rules], language)
        self._presidio = recognisers([entry for pack in chosen for entry in pack.predefined], language)
        self._lexicon = lexicon(language)
        self._common = self._lexicon.common if self._lexicon else words("also_words").__contains__
        self._backends: tuple[NerBackend, ...] = tuple(backend(name, language) for name in options.ner or ())
        self._replace = replacement(options.replace, self._key, language)
        self._secrets = Secrets(language, options.secrets) if options.secrets else None
        sources = (self._rules, UserPatterns(options.patterns), *((self._secrets,) if self._secrets else ()))
        self._sources: tuple[Detector, ...] = sources
        expressions = [regex for source in sources for regex in source.expressions]
        expressions += [each.trigger for each in self._presidio if each.trigger]
        self._scanner = scanner(tuple(expressions))
        self._probe = mask if options.replace == "mask" else tag

    @property
    def ner(self) -> tuple[dict[str, str], ...]:
        """The models that ran, with their versions."""
        return tuple({"name": each.name, "version": each.version} for each in self._backends)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What looked for secrets, with versions; empty where nothing did."""
        return self._secrets.ran if self._secrets else ()

    def scrub(self, texts: pl.Series, known: pl.DataFrame | None = None, days: pl.Series | None = None) -> Scrubbed:
        """`texts` (String) scrubbed. `known` has a String column for every identifier or quasi-identifier of the same
        rows that must not be left in its row's text. `days` (integers), if given, is by how much surrogates of dates
        are moved in each row.
        """
        rows = pl.DataFrame({"text": texts.cast(pl.String)})
        if days is not None:
            rows = rows.with_columns(days=days.cast(pl.Int32))
        if known is not None:
            rows = rows.with_columns(known.cast(pl.String).rename({name: f"known.{name}" for name in known.columns}))
        groups = _distinct(rows)
        released: list[str | None] = []
        found: list[list[Span]] = []
        for results in self._results(groups):
            for text, spans in results:
                released.append(text)
                found.append(spans)
        return self._expanded(texts, groups, released, found)

    def _results(self, groups: pl.DataFrame) -> Iterator[list[tuple[str | None, list[Span]]]]:
        if self.options.processes == 1 or groups["text"].str.len_chars().sum() < WORTH:
            yield from map(self.batch, _batches(groups, BATCH_ROWS, BATCH_CHARACTERS))
            return
        with _ALONE:
            if self._workers is None:
                self._workers = Workers(Scrubber, self.options, self._key)
        share = -(-groups.height // (TASKS * self.options.processes))
        batches = _batches(groups, min(share, ROWS), CHARACTERS)
        yield from self._workers.scrub([batch.drop("members") for batch in batches])

    def close(self) -> None:
        """End the processes, if there are any."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None

    def _expanded(
        self, texts: pl.Series, groups: pl.DataFrame, released: list[str | None], found: list[list[Span]]
    ) -> Scrubbed:
        members = groups.select("members", text=pl.Series(released, dtype=pl.String), group=pl.int_range(pl.len()))
        placed = members.explode("members").drop_nulls("members")
        column = pl.Series(texts.name, [None] * len(texts), dtype=pl.String)
        if placed.height:
            everywhere = pl.DataFrame({"members": pl.int_range(len(texts), dtype=pl.UInt32, eager=True)})
            column = everywhere.join(placed, on="members", how="left", maintain_order="left")["text"].rename(texts.name)
        spans = frame(enumerate(found)).rename({"row": "group"})
        owners = placed.select(pl.col("group").cast(pl.UInt32), row=pl.col("members").cast(pl.UInt32))
        table = owners.join(spans, on="group").drop("group").sort("row", "start")
        withheld = column.null_count() - texts.null_count()
        with _ALONE:
            self.counts.documents += len(texts) - texts.null_count()
            self.counts.distinct += groups.height
            self.counts.withheld += withheld
            self.counts.spans.update(dict(table["entity"].value_counts().iter_rows()))
        return Scrubbed(column, table, withheld)

    def batch(self, batch: pl.DataFrame) -> list[tuple[str | None, list[Span]]]:
        """Each text of a batch with its replacements; a text that fails alone as well is withheld.

        Raises CallError where a text of ours fails too, for then no text is at fault.
        """
        try:
            with _ALONE:
                return self._settled(batch)
        except ImportError as missing:  # a fault of the installation and of no text
            raise CallError(
                f"scrubbing text needs {missing.name or 'a module'}, which cannot be imported; install anonym again"
            ) from None
        except Exception as fault:  # a recogniser or model may raise anything; what was not read must not be released
            if batch.height == 1:
                self._refuse_if_broken(fault)
                return [(None, [])]
            return [result for row in range(batch.height) for result in self.batch(batch[row])]

    def _refuse_if_broken(self, fault: Exception) -> None:
        try:
            with _ALONE:
                self._settled(pl.DataFrame({"text": [OURS]}))
        except Exception:  # whatever it is, it is not the text's fault
            raise CallError(
                f"scrubbing fails on every text, also on one of ours ({type(fault).__name__}): a model or recogniser "
                f"of the policy does not work here ({', '.join(each.name for each in self._backends) or 'no model'}); "
                "install it again, or take it out of `text`"
            ) from None

    def _settled(self, batch: pl.DataFrame) -> list[tuple[str | None, list[Span]]]:
        originals: list[str] = batch["text"].to_list()
        spans: list[list[Span]] = [[] for _ in originals]
        new: list[list[str]] = [[] for _ in originals]
        memory: Memory = {}
        pending = [row for row, text in enumerate(originals) if len(text) <= self.options.longest]
        withheld = set(range(len(originals))) - set(pending)
        current = list(originals)
        for _ in range(PASSES):
            if not pending:
                break
            read = batch[pending].with_columns(text=pl.Series([current[row] for row in pending], dtype=pl.String))
            changed = []
            for row, found in zip(pending, self._detect(read, memory), strict=True):
                if found:
                    text = originals[row]
                    spans[row] = merged(spans[row], [len(each) for each in new[row]], found)
                    new[row] = replaced(text, spans[row], self._probe)
                    current[row] = splice(text, spans[row], new[row])
                    changed.append(row)
            pending = changed
        withheld |= set(pending)
        days = batch["days"].to_list() if "days" in batch.columns else [None] * len(originals)
        return [
            (None, []) if row in withheld else (self._released(text, spans[row], current[row], days[row]), spans[row])
            for row, text in enumerate(originals)
        ]

    def _released(self, text: str, spans: Sequence[Span], probed: str, days: int | None) -> str:
        if self._replace is self._probe:
            return probed
        replace = self._replace
        if days is not None and hasattr(replace, "moving"):
            replace = replace.moving(days)
        return splice(text, spans, replaced(text, spans, replace))

    def _detect(self, batch: pl.DataFrame, memory: Memory) -> list[list[Span]]:
        """The spans of each text of a batch, resolved, in the text's own offsets."""
        texts: list[str] = batch["text"].to_list()
        encoded = batch["text"].str.contains(ENCODED).to_list()
        structured = batch["text"].str.contains(STRUCTURED).to_list()
        found: list[list[Span]] = [[] for _ in texts]
        with _uncollected():
            views = [decoded(text) if coded else None for text, coded in zip(texts, encoded, strict=True)]
            read = [view.text if view else text for view, text in zip(views, texts, strict=True)]
            column = Column(read, self._scanner)
            self._by_rules(column, found)
            _by_known_values(batch, column, found)
        for each in self._backends:
            self._by_model(each, column, found, memory)
        if self._lexicon and self._backends:
            for row, text in enumerate(column.texts):
                found[row] += self._lexicon.names(text)
        with _uncollected():
            return [
                _resolved(text, column.texts[row], views[row], found[row], self._common, structured=structured[row])
                for row, text in enumerate(texts)
            ]

    def _by_rules(self, column: Column, found: list[list[Span]]) -> None:
        for source in self._sources:
            for row, span in source.detect(column):
                found[row].append(span)
        for recogniser in self._presidio:
            for row, span in list(recogniser.detect(column, found)):
                found[row].append(span)

    def _by_model(self, model: NerBackend, column: Column, found: list[list[Span]], memory: Memory) -> None:
        """A model reads every text that could hold a name, with stand-ins for what is already found; what it has read
        once in this form it need not read again.
        """
        lexicon = self._lexicon if model.cased else None
        rows = column.holding(CASED if model.cased else LETTER)
        views = {row: for_model(column.texts[row], found[row], lexicon) for row in rows}
        views = {row: view for row, view in views.items() if view.text.strip()}
        read = memory.setdefault(model.name, {})
        pieces = {row: paragraphs(view.text) for row, view in views.items()}
        new = list(dict.fromkeys(piece for each in pieces.values() for _, piece in each if piece not in read))
        read.update(zip(new, model.entities(new), strict=True))
        for row, view in views.items():
            spans = (span.at(span.start + at, span.end + at) for at, piece in pieces[row] for span in read[piece])
            kept = [tidy for span in spans if (tidy := plausible(view.text, span, self._lexicon))]
            if self._lexicon:
                extended = [self._lexicon.extended(view.text, span) for span in kept]
                kept = [span for span in extended if not self._lexicon.generic(view.text, span)]
            found[row] += [view.original(span) for span in kept]


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without collections of cyclic garbage: spans and matches make none, but are so many that Python goes through all
    models and rules again and again, 0.2 s each time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


Memory = dict[str, dict[str, list[Span]]]
"""By model: what it found in which paragraph."""


def _by_known_values(batch: pl.DataFrame, column: Column, found: list[list[Span]]) -> None:
    columns = [name for name in batch.columns if name.startswith("known.")]
    if not columns:
        return
    named = batch.select(columns).rename(lambda name: name.removeprefix("known."))
    for row, values in enumerate(named.iter_rows(named=True)):
        view = unmarked(column.texts[row])
        spans = list(occurrences(view.text, known(values)))
        found[row] += (view.original(span) for span in with_gaps(view.text, spans))


def _resolved(
    original: str, read: str, view: View | None, found: list[Span], common: Callable[[str], bool], *, structured: bool
) -> list[Span]:
    if not found:
        return []
    spans = [*found, *aliases(read, found)]
    spans += repeated(read, spans, common)
    if view:
        spans = [view.original(span) for span in spans]
    return resolve(original, spans, zones(original) if structured else NO_ZONES)


def _distinct(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per distinct text and known values, nulls left out, with the rows that hold it."""
    keyed = rows.with_row_index("row").filter(pl.col("text").is_not_null())
    names = [name for name in keyed.columns if name != "row"]
    return keyed.group_by(names, maintain_order=True).agg(members="row")


def _batches(groups: pl.DataFrame, rows: int, most: int) -> Iterator[pl.DataFrame]:
    start = 0
    lengths = groups["text"].str.len_chars().to_list()
    while start < groups.height:
        end, characters = start, 0
        while end < groups.height and end - start < rows and (end == start or characters + lengths[end] <= most):
            characters += lengths[end]
            end += 1
        yield groups[start:end]
        start = end
