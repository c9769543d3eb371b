"""Sections on how far the evidence reaches: verification of the file, limits, environment and hashes."""

from __future__ import annotations

from collections.abc import Iterator

from anonym.report import blocks, figures
from anonym.report.blocks import Heading, Section
from anonym.report.fields import Evidence
from anonym.report.markup import join, tag

NOT_WRITTEN = "No file was written, so none was verified."


def verification(evidence: Evidence) -> Section:
    part = evidence["verification"]
    if not part["checks"]:
        written = evidence["output"]["rows"] is not None
        said = "The released file was measured alone: nothing was compared with an input." if written else NOT_WRITTEN
        return Section("verification", "Verification", blocks.note(said))
    rows = [(check["name"], blocks.status(check["held"], "not checked"), check["detail"]) for check in part["checks"]]
    read = f"The file {part['file']} was read back" if "file" in part else "The written file was read back"
    caption = f"{read} by code that shares nothing with the search."
    headings = (Heading("Check"), Heading("Result"), Heading("Found", "words"))
    return Section("verification", "Verification", blocks.table(caption, headings, rows))


def limitations(evidence: Evidence) -> Section:
    body = tag("ol", [tag("li", said) for said in evidence["limits"]], class_="limits")
    return Section("limits", "What this does not show", body)


TIMES = (
    ("started", "Started"),
    ("finished", "Finished"),
    ("wall_s", "Elapsed"),
    ("cpu_s", "CPU"),
    ("search_cpu_s", "CPU of the search, without compilation"),
    ("search_compile_s", "Compilation of the search"),
    ("peak_memory_mb", "Peak memory"),
    ("threads", "Threads"),
    ("platform", "Platform"),
)


def environment(evidence: Evidence) -> Section:
    part = evidence["environment"]
    hashes = [
        ("Policy", evidence["policy"]["sha256"]),
        ("Input, keyed digest of its classes", evidence["input"]["digest"]),
        ("Release, digest of its classes", evidence["output"]["digest"]),
        *((f"File {name}", digest) for name, digest in part.get("files", {}).items()),
        *_secret_plan(evidence),
    ]
    rows = [(named, blocks.absent() if digest is None else tag("code", digest)) for named, digest in hashes]
    table = blocks.table("SHA-256 unless it says otherwise.", (Heading("Of"), Heading("Hash", "words")), rows)
    versions = ", ".join(f"{name} {version}" for name, version in part.get("versions", {}).items())
    pairs = [*_times(evidence), *([("Versions", versions)] if versions else [])]
    return Section("environment", "Environment and hashes", join(table, blocks.facts(pairs)))


def _secret_plan(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """A plan with raw values, which stands elsewhere."""
    plan = evidence["environment"].get("secret_plan")
    if plan is not None and plan["combinations"]:
        size = figures.plural(plan["combinations"], "raw combination")
        yield f"Secret plan, {plan['use']}: {size}, private and not handed over", plan["sha256"]


def _times(evidence: Evidence) -> Iterator[tuple[str, str]]:
    for key, label in TIMES:
        value = evidence["environment"].get(key)
        if isinstance(value, int | float):
            unit = " s" if key.endswith("_s") else " MB" if key.endswith("_mb") else ""
            yield label, f"{figures.number(value)}{unit}"
        elif value is not None:
            yield label, str(value)
