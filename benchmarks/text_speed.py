"""Speed of text scrubbing on one core, in texts and megabytes per CPU second, beside Presidio's batch engine.

    POLARS_MAX_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/text_speed.py [FOLDER] [--megabytes 1]

Texts are distinct, made of shuffled sentences of the corpora in FOLDER (default: $ANONYM_BENCH_DATA/text): short ones
of about 84 characters, long ones of about 4,000; and a column in which one text in ten is distinct. Both sides read
the same texts with the same spaCy model after a warm-up. CPU time is of the process, best of three.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
from text_recall import presidio

from anonym.text.labelled import read
from anonym.text.options import TextOptions
from anonym.text.scrub import Scrubber

REPEAT = 3


def prose(folder: Path, characters: int, size: int, seed: int) -> list[str]:
    dice = random.Random(seed)
    texts = [document.text for document in read(folder / "uner_ewt_dev.jsonl.gz")]
    sentences = [part.strip() for text in texts for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]
    made: list[str] = []
    while characters > 0:
        parts: list[str] = []
        while sum(map(len, parts)) < size:
            parts.append(dice.choice(sentences))
        made.append(" ".join(parts))
        characters -= len(made[-1])
    return made


def cpu(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(REPEAT):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def row(name: str, tool: str, texts: Sequence[str], seconds: float) -> str:
    size = sum(map(len, texts)) / 1e6
    return f"| {name} | {tool} | {len(texts) / seconds:,.0f} | {size / seconds:.2f} |"


def processes(texts: Sequence[str], options: TextOptions) -> float:
    """How much faster two processes are than one, by the clock."""
    taken = []
    for count in (1, 2):
        scrubber = Scrubber(replace(options, processes=count))
        scrubber.scrub(pl.Series(texts))
        start = time.perf_counter()
        scrubber.scrub(pl.Series(texts))
        taken.append(time.perf_counter() - start)
        scrubber.close()
    return taken[0] / taken[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("ANONYM_BENCH_DATA", "../shared/data")) / "text"
    parser.add_argument("folder", nargs="?", type=Path, default=default)
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--no-peers", action="store_true")
    arguments = parser.parse_args()
    size = int(arguments.megabytes * 1e6)
    short, long = prose(arguments.folder, size, 84, 1), prose(arguments.folder, size, 4_000, 2)
    column = random.Random(3).choices(short[: max(1, len(short) // 10)], k=len(short))
    rules, model = Scrubber(TextOptions(ner=None)), Scrubber(TextOptions(ner=("spacy",)))
    print("| texts | tool | texts per CPU s | MB per CPU s |\n|---|---|---|---|")
    for name, texts in (("short", short), ("long", long), ("one in ten distinct", column)):
        for tool, scrubber in (("rules alone", rules), ("spaCy", model)):
            scrubber.scrub(pl.Series(prose(arguments.folder, 200_000, 84, 4)))
            series = pl.Series(texts)
            print(row(name, f"anonym, {tool}", texts, cpu(lambda s=scrubber, t=series: s.scrub(t))), flush=True)
        if not arguments.no_peers:
            print(row(name, "Presidio, batches of 64", texts, cpu(lambda t=texts: presidio(t, "en"))), flush=True)
    print(f"\nTwo processes: {processes(short, TextOptions()):.2f} times as fast as one, by the clock.")


if __name__ == "__main__":
    main()
