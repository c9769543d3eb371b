"""The shipped audits: worked examples of what a model gives away, each model beside its non-private twin."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import polars as pl

from anonym.dp import extra
from anonym.dp.statement import at_most, factor
from anonym.report.figures import plural
from anonym.text.options import TextOptions
from anonym.text.scrub import Scrubber

SAYS = (
    "A model that learnt nothing passes every test: read each leak beside its accuracy.",
    "An attack that fails shows that this attack failed. The one-run bound finds gross faults and confirms no epsilon; "
    "the non-private twin's bound is what could have been detected.",
)


def audit(example: str, *, seed: int = 0, seeds: int = 5, probes: int = 10_000) -> dict[str, Any]:
    """The audit of a worked example, `tabular` (median of `seeds` runs) or `language` (`probes` prompts).

    Raises CallError where the extra `dp` is not installed.
    """
    with extra.needed(), _one_thread():
        started = time.process_time()
        found = _tabular(seed, seeds) if example == "tabular" else _language(seed, probes)
        return {**found, "says": list(SAYS), "seed": seed, "cpu_s": round(time.process_time() - started, 1)}


@contextmanager
def _one_thread() -> Iterator[None]:
    """Small tensors gain nothing from more, and CPU seconds are then comparable."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _tabular(seed: int, seeds: int) -> dict[str, Any]:
    from anonym.dp.audits import tabular

    setting = tabular.Setting()
    models = {}
    for name, train in (("non-private", tabular.openly), ("private", tabular.privately)):
        runs = [tabular.attacked(train, 1000 * place + seed, setting) for place in range(seeds)]
        models[name] = {
            "membership": [_median([run["membership"][place] for run in runs]) for place in range(3)],
            "one_run": _median([run["one_run"] for run in runs]),
            "accuracy": _median([run["accuracy"] for run in runs]),
            "training": runs[0]["training"],
        }
    return {"audit": "tabular", "seeds": seeds, "targets": setting.records, "models": models}


def _median(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Each number's median over the runs; words as they are."""
    return {
        key: statistics.median(one[key] for one in found) if isinstance(value, int | float) else value
        for key, value in found[0].items()
    }


def _language(seed: int, probes: int) -> dict[str, Any]:
    from anonym.dp.audits import language
    from anonym.dp.audits.corpus import corpus

    setting = language.Setting(probes=probes)
    told, fresh = corpus(seed=seed), corpus(200, seed=seed + 1)
    scrubber = Scrubber(TextOptions(ner=None))
    masked = scrubber.scrub(pl.Series(told.lines, dtype=pl.String)).text.to_list()
    private, statement = language.privately(told.lines, told.owners, seed, setting)
    models = {
        "non-private": (language.openly(told.lines, seed, setting), None),
        "private": (private, statement),
        "non-private, scrubbed text": (language.openly(masked, seed, setting), None),
    }
    return {
        "audit": "language",
        "recall": recall(told.identifiers, masked),
        "models": {
            name: {**language.leaks(model, told, fresh, _detector(scrubber), setting, seed), "training": said}
            for name, (model, said) in models.items()
        },
    }


def recall(identifiers: Sequence[str], masked: Sequence[str]) -> dict[str, Any]:
    """Identifiers of which no mention is left in the scrubbed text."""
    whole = "\n".join(masked)
    gone = sum(identifier not in whole for identifier in identifiers)
    return {"found": gone, "of": len(identifiers), "rate": gone / len(identifiers)}


def _detector(scrubber: Scrubber) -> Any:
    def detect(texts: Sequence[str]) -> list[list[str]]:
        """What the scrubber takes for identifiers, as it stands in each text."""
        found: list[list[str]] = [[] for _ in texts]
        spans = scrubber.scrub(pl.Series(list(texts), dtype=pl.String)).spans
        for row, start, end in spans.select("row", "start", "end").iter_rows():
            found[row].append(texts[row][start:end])
        return found

    return detect


# in words ------------------------------------------------------------------------------------------------------------


def lines(found: Mapping[str, Any]) -> list[str]:
    """The audit as lines of text: leak and usefulness of each model together."""
    told = [f"{found['audit']} audit{_runs(found)}, {found['cpu_s']:g} CPU seconds"]
    for name, model in found["models"].items():
        told += ["", f"{name}{_spent(model['training'])}"]
        told += _of_table(model) if found["audit"] == "tabular" else _of_language(model)
    if found["audit"] == "language":
        part = found["recall"]
        told += ["", f"scrubber: {part['found']} of {part['of']} identifiers masked ({part['rate']:.1%})"]
    return [*told, "", *found["says"]]


def _runs(found: Mapping[str, Any]) -> str:
    if found["audit"] != "tabular":
        return ""
    return f", median of {plural(found['seeds'], 'run')} on {found['targets']} records, each trained on by a fair coin"


def _spent(training: Mapping[str, Any] | None) -> str:
    if training is None:
        return ""
    return (
        f": ε {at_most(training['epsilon'])} per {training['unit']} (odds × {factor(training['epsilon'])}) at δ "
        f"{training['delta']:g}, {training['accountant']}; {training['adjacency']}; {training['sampler']}; "
        f"σ {training['noise_multiplier']:.3g}, q {training['sample_rate']:.3g}, {training['steps']} steps, "
        f"C {training['clipping_bound']:g}, N {training['units']}"
    )


def _of_table(model: Mapping[str, Any]) -> list[str]:
    told = [
        f"  {one['attack']:<22} AUC {one['auc']:.3f}, advantage {one['advantage']:.3f}, true positives "
        f"{one['tpr_at_1']:.3f} at 1 % and {one['tpr_at_01']:.4f} at 0.1 % false ones"
        for one in model["membership"]
    ]
    useful, bound = model["accuracy"], model["one_run"]
    return [
        *told,
        f"  one-run audit          ε at least {bound['epsilon_at_least']:.2f} at δ {bound['delta']:g}, add or remove "
        f"one record, {bound['confidence']:.0%} confidence",
        f"  accuracy               {useful['overall']:.3f}, small group {useful['small_group']:.3f}, "
        f"always the majority {useful['majority']:.3f}",
    ]


def _share(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.3f}"


def _of_language(model: Mapping[str, Any]) -> list[str]:
    canaries, out = model["canaries"], model["extraction"]
    bits = ", ".join(f"{row['planted']} times {row['mean']:.1f}" for row in canaries["bits"])
    came = ", ".join(f"{row['extracted']} of {row['canaries']} at {row['planted']}" for row in canaries["extracted"])
    useful = model["accuracy"]
    return [
        f"  exposure, bits of {canaries['most_bits']:g}     planted {bits}",
        f"  canaries extracted     {came}",
        f"  identifiers extracted  {out['hits']} of {out['probes']} probes ({out['hits_per_10000']:.0f} per 10,000), "
        f"{out['different']} of {out['known']} different ones",
        f"  next character right   {useful['next_character']:.3f}, small group {_share(useful['small_group'])}, always "
        f"the most frequent {useful['most_frequent']:.3f}",
    ]
