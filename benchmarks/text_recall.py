"""Recall and precision of text scrubbing on labelled corpora, beside Presidio and, where installed, datafog, scrubadub.

    python benchmarks/text_recall.py [FOLDER] [--only NAME …]

FOLDER (default: $ANONYM_BENCH_DATA/text) holds gzipped JSON lines of `text` and `spans`, and texts that are credentials
or are none (`--only` with none of their names leaves them out). Presidio runs with the same
spaCy model as ours and with organisations on. Peers that conflict with our environment are run by another interpreter:
set ANONYM_PEER_PYTHON to a Python that has them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from anonym.errors import CallError
from anonym.text.labelled import read
from anonym.text.options import TextOptions
from anonym.text.recall import Mask, Recall, measure
from anonym.text.scrub import Scrubber
from anonym.text.spacy_ner import spacy_package

CORPORA = {
    "tab_dev": "en",
    "presidio_synth_even": "en",
    "uner_ewt_dev": "en",
    "btc_dev": "en",
    "wnut17_dev": "en",
    "hard_dev": "en",
    "echr_fr_dev": "fr",
    "echr_es_dev": "es",
    "meddocan_es_dev": "es",
}

SECRETS = ("secrets_positive", "secrets_negative", "uner_ewt_dev")
"""Credentials, what looks like one, and prose: all of the first are to be found and none of the others."""

PEERS = {
    "datafog": """
import sys, json
from datafog.services.text_service import TextService
service = TextService(engine="regex")
for text in json.load(sys.stdin):
    found = service.annotate_text_sync(text, structured=True)
    print(json.dumps([[s.start, s.end, s.label] for s in found]), flush=True)
""",
    "scrubadub": """
import sys, json
import scrubadub
scrubber = scrubadub.Scrubber()
for text in json.load(sys.stdin):
    print(json.dumps([[f.beg, f.end, f.type] for f in scrubber.iter_filth(text)]), flush=True)
""",
}

Masks = list[list[Mask]]


def ours(texts: Sequence[str], language: str, ner: tuple[str, ...] | None) -> Masks:
    found: Masks = [[] for _ in texts]
    spans = Scrubber(TextOptions(language=language, ner=ner)).scrub(pl.Series(texts)).spans
    for row, start, end, entity in spans.select("row", "start", "end", "entity").iter_rows():
        found[row].append((start, end, entity))
    return found


@cache
def engine(language: str) -> Any:
    """Presidio's batch engine, as its documentation has it, with ORGANIZATION on."""
    from presidio_analyzer import AnalyzerEngine, BatchAnalyzerEngine
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine

    ignored = [
        "CARDINAL",
        "ORDINAL",
        "QUANTITY",
        "PERCENT",
        "MONEY",
        "WORK_OF_ART",
        "LANGUAGE",
        "LAW",
        "PRODUCT",
        "EVENT",
    ]
    names = {"PER": "PERSON", "PERSON": "PERSON", "NORP": "NRP", "FAC": "LOCATION", "LOC": "LOCATION"}
    names |= {"GPE": "LOCATION", "ORG": "ORGANIZATION", "DATE": "DATE_TIME", "TIME": "DATE_TIME"}
    named = NerModelConfiguration(
        labels_to_ignore=ignored, model_to_presidio_entity_mapping=names, low_score_entity_names=[]
    )
    model = [{"lang_code": language, "model_name": spacy_package(language)}]
    spacy = SpacyNlpEngine(models=model, ner_model_configuration=named)
    return BatchAnalyzerEngine(AnalyzerEngine(nlp_engine=spacy, supported_languages=[language]))


def presidio(texts: Sequence[str], language: str) -> Masks:
    results = engine(language).analyze_iterator(texts, language=language, batch_size=64)
    return [[(found.start, found.end, found.entity_type) for found in each] for each in results]


def patterns(texts: Sequence[str], language: str) -> Masks:
    """Presidio's recognisers of a language without a model, on a blank pipeline: for languages that have none here."""
    import spacy
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    blank = SpacyNlpEngine(models=[{"lang_code": language, "model_name": "blank"}])
    blank.nlp = {language: spacy.blank(language)}
    analyzer = AnalyzerEngine(nlp_engine=blank, supported_languages=[language])
    return [[(each.start, each.end, each.entity_type) for each in analyzer.analyze(text, language)] for text in texts]


def peer(name: str) -> Callable[[Sequence[str], str], Masks]:
    def run(texts: Sequence[str], _language: str) -> Masks:
        python = os.environ.get("ANONYM_PEER_PYTHON", sys.executable)
        done = subprocess.run(
            [python, "-c", PEERS[name]], input=json.dumps(list(texts)), capture_output=True, text=True, check=True
        )
        return [[tuple(mask) for mask in json.loads(line)] for line in done.stdout.splitlines()]

    return run


TOOLS: dict[str, Callable[[Sequence[str], str], Masks]] = {
    "anonym, spaCy": lambda texts, language: ours(texts, language, ("spacy",)),
    "anonym, spaCy + Rampart": lambda texts, language: ours(texts, language, ("spacy", "rampart")),
    "anonym, Rampart": lambda texts, language: ours(texts, language, ("rampart",)),
    "anonym, rules": lambda texts, language: ours(texts, language, None),
    "Presidio": presidio,
    "Presidio, no model": patterns,
    "datafog": peer("datafog"),
    "scrubadub": peer("scrubadub"),
}


SCANNERS = (("detect-secrets",), ("detect-secrets", "kingfisher"))


def with_secrets(texts: Sequence[str], scanners: tuple[str, ...]) -> int:
    """Texts in which a secret is found, by rules and scanners without models."""
    spans = Scrubber(TextOptions(ner=None, secrets=scanners)).scrub(pl.Series(texts)).spans
    return spans.filter(pl.col("entity") == "SECRET")["row"].n_unique()


def texts_of(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def line(corpus: str, tool: str, found: Recall) -> str:
    parts = (found.touched, found.whole, found.token_precision, found.direct, found.quasi)
    return f"| {corpus} | {tool} | " + " | ".join("" if p.rate is None else f"{p.rate:.3f}" for p in parts) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("ANONYM_BENCH_DATA", "../shared/data")) / "text"
    parser.add_argument("folder", nargs="?", type=Path, default=default)
    parser.add_argument("--only", nargs="*", default=list(dict.fromkeys([*CORPORA, *SECRETS])))
    arguments = parser.parse_args()
    print(
        "| corpus | tool | touched | fully masked | token precision | direct | quasi |\n|---|---|---|---|---|---|---|"
    )
    for corpus in filter(CORPORA.__contains__, arguments.only):
        sample = read(arguments.folder / f"{corpus}.jsonl.gz")
        texts = [document.text for document in sample]
        for tool, detect in TOOLS.items():
            try:
                print(line(corpus, tool, measure(sample, detect(texts, CORPORA[corpus]))), flush=True)
            except Exception as error:  # a peer or a model that is not installed is said, and the rest goes on
                print(f"| {corpus} | {tool} | not run: {type(error).__name__} |", flush=True)
    print("\n| texts | rules and | with a secret | of |\n|---|---|---|---|")
    for corpus in filter(SECRETS.__contains__, arguments.only):
        texts = texts_of(arguments.folder / f"{corpus}.jsonl.gz")
        for scanners in SCANNERS:
            try:
                found = str(with_secrets(texts, scanners))
            except CallError:
                found = "not run: not installed"
            print(f"| {corpus} | {', '.join(scanners)} | {found} | {len(texts)} |", flush=True)


if __name__ == "__main__":
    main()
