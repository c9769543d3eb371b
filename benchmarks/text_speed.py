"""Speed of text scrubbing on one core, in texts and megabytes per CPU second, beside Presidio's batch engine.

    POLARS_MAX_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/text_speed.py [FOLDER] [--megabytes 1]

`--rows N` watches memory over N rows, `--processes` compares two processes with one, `--rules` prints the rules' speed
on made lines of logs, JSON, CSV and chats, and on prose by language.

Texts are distinct, made of shuffled sentences of the corpora in FOLDER (default: $ANONYM_BENCH_DATA/text): short ones
of about 84 characters, long ones of about 4,000; and a column in which one text in ten is distinct. Both sides read
the same texts with the same spaCy model after a warm-up. CPU time is of the process, best of three.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
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


def log_line(dice: random.Random) -> str:
    day, second, tick = dice.randint(1, 28), dice.randint(0, 59), dice.randint(1_600_000_000_000, 1_900_000_000_000)
    span, item, size = dice.getrandbits(64), dice.randint(1, 10**9), dice.randint(1, 10**6)
    return dice.choice(
        [
            f"2026-03-{day:02}T08:15:{second:02}.125Z INFO [worker-{day}] request {span:016x} took {size} ms",
            f'10.0.{second}.7 - - "GET /items/{item} HTTP/1.1" 200 {size}',
            f"{tick} order={item * 173} cpu {dice.random():.9f}",
        ]
    )


def json_line(dice: random.Random) -> str:
    user = {"name": "Odalys Brenthwick", "phone": f"+1 202-555-{dice.randint(0, 9999):04}"}
    return json.dumps({"id": dice.randint(1, 10**12), "user": user, "at": dice.randint(1, 10**13), "x": dice.random()})


def csv_line(dice: random.Random) -> str:
    day = f"{dice.randint(1, 28):02}/{dice.randint(1, 12):02}/{dice.randint(1950, 2020)}"
    return f"{dice.randint(1, 10**9)},Jean Dupont,jean@mail.example,{day},{dice.randint(10**9, 10**10)}"


def chat_line(dice: random.Random) -> str:
    call, room = f"call me 0{dice.randint(10**9, 10**10)}", f"room {dice.randint(1, 400)}"
    return " ".join(dice.choices(["lol", "see u at 5", "omg", call, "u there?", room], k=6))


KINDS: dict[str, Callable[[random.Random], str]] = {
    "logs": log_line,
    "JSON": json_line,
    "CSV": csv_line,
    "chats": chat_line,
}


def lines(make: Callable[[random.Random], str], characters: int, seed: int) -> list[str]:
    dice = random.Random(seed)
    made: list[str] = []
    while characters > 0:
        made.append(make(dice))
        characters -= len(made[-1])
    return made


def rules(folder: Path, size: int) -> None:
    """A table of the speed of rules alone, by kind of text and by language."""
    print("| texts | language | MB per CPU s |\n|---|---|---|")
    kinds = {name: lines(make, size, 5) for name, make in KINDS.items()} | {"prose": prose(folder, size, 84, 1)}
    for language in ("en", "de", "fr", "es"):
        scrubber = Scrubber(TextOptions(language=language, ner=None))
        scrubber.scrub(pl.Series(kinds["prose"][:200]))
        for name, texts in kinds.items() if language == "en" else [("prose", kinds["prose"])]:
            series = pl.Series(texts)
            taken = cpu(lambda s=scrubber, t=series: s.scrub(t))
            print(f"| {name} | {language} | {sum(map(len, texts)) / 1e6 / taken:.2f} |", flush=True)


def cpu(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(REPEAT):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def row(name: str, tool: str, texts: Sequence[str], seconds: float, theirs: float | None) -> str:
    size = sum(map(len, texts)) / 1e6
    times = "" if theirs is None else f"{theirs / seconds:.1f}"
    return f"| {name} | {tool} | {len(texts) / seconds:,.0f} | {size / seconds:.2f} | {times} |"


def memory(texts: Sequence[str], rows: int) -> str:
    """The peak of this process after each tenth of so many distinct rows, in MB."""
    scrubber = Scrubber(TextOptions(ner=None))
    peaks = []
    for part in range(10):
        scrubber.scrub(pl.Series([f"{texts[i % len(texts)]} {part} {i}" for i in range(rows // 10)]))
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    return ", ".join(map(str, peaks)) + f" MB after each tenth of {rows:,}"


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
    parser.add_argument("--rows", type=int, default=0, help="rows over which memory is watched; 0: not")
    parser.add_argument("--processes", action="store_true", help="compare two processes with one")
    parser.add_argument("--rules", action="store_true", help="the rules' speed on more kinds of text, and nothing else")
    arguments = parser.parse_args()
    if arguments.rules:
        rules(arguments.folder, int(arguments.megabytes * 1e6))
        return
    size = int(arguments.megabytes * 1e6)
    short, long = prose(arguments.folder, size, 84, 1), prose(arguments.folder, size, 4_000, 2)
    column = random.Random(3).choices(short[: max(1, len(short) // 10)], k=len(short))
    scrubbers = {"rules alone": Scrubber(TextOptions(ner=None)), "spaCy": Scrubber(TextOptions(ner=("spacy",)))}
    for scrubber in scrubbers.values():
        scrubber.scrub(pl.Series(prose(arguments.folder, 200_000, 84, 4)))
    if not arguments.no_peers:
        presidio(short[:64], "en")
    print("| texts | tool | texts per CPU s | MB per CPU s | times Presidio |\n|---|---|---|---|---|")
    for name, texts in (("short", short), ("long", long), ("one in ten distinct", column)):
        series = pl.Series(texts)
        theirs = None if arguments.no_peers else cpu(lambda t=texts: presidio(t, "en"))
        for tool, scrubber in scrubbers.items():
            ours = cpu(lambda s=scrubber, t=series: s.scrub(t))
            print(row(name, f"anonym, {tool}", texts, ours, theirs), flush=True)
        if theirs is not None:
            print(row(name, "Presidio, batches of 64", texts, theirs, theirs), flush=True)
    if arguments.rows:
        print(f"\nPeak memory over rows, rules alone: {memory(short, arguments.rows)}.")
    if arguments.processes:
        print(f"\nTwo processes: {processes(short, TextOptions()):.2f} times as fast as one, by the clock.")


if __name__ == "__main__":
    main()
