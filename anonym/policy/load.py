"""A policy from a file or a mapping, or every fault in it at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonym.errors import Fault, PolicyError
from anonym.io.formats import KINDS
from anonym.policy import checks, convert, yaml_reader
from anonym.policy.faults import faults, shaped
from anonym.policy.model import Policy
from anonym.policy.plain import Finding, Plain, TooMuch, kind_of


def load(source: str | Path | Mapping[str, Any]) -> Policy:
    """The policy in the file at `source`, or in the mapping `source`.

    File paths in it start at the file's folder, or for a mapping at the working directory. Raises PolicyError with
    every fault found; no message holds a value of the policy.
    """
    if isinstance(source, Mapping):
        return _policy(yaml_reader.Document(source), Path.cwd(), "unnamed")
    if not isinstance(source, str | Path):
        raise PolicyError([Fault("", f"expected the path of a policy file or a mapping, found {kind_of(source)}")])
    path = Path(source)
    return _policy(yaml_reader.read(_content(path)), path.absolute().parent, path.stem)


def parse(content: str | bytes, base: Path | None = None, name: str = "unnamed") -> Policy:
    """The policy in the YAML text `content`; file paths in it start at `base`. Raises PolicyError as `load` does."""
    data = content.encode(errors="surrogatepass") if isinstance(content, str) else content
    return _policy(yaml_reader.read(data), base or Path.cwd(), name)


def _content(path: Path) -> bytes:
    """At most one byte more than is allowed, so that a device or a huge file is refused by its size."""
    if path.suffix.lower() in KINDS:
        raise PolicyError([Fault("", f"{path.name} is a table by its ending: the policy comes first, then the data")])
    if "\n" in str(path):
        raise PolicyError([Fault("", "expected the path of a policy file or a mapping, found text of several lines")])
    try:
        with open(path, "rb") as file:
            return file.read(yaml_reader.MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a path"
        raise PolicyError([Fault("", f"the policy file {path.name} cannot be read: {reason}")]) from None


def _policy(document: yaml_reader.Document, base: Path, name: str) -> Policy:
    plain = Plain()
    try:
        data = plain.read(document.value)
    except TooMuch as stop:
        plain.findings.append(stop.finding)
        data = None
        document.whole = False
    findings = [*document.findings, *plain.findings]
    if document.whole and not isinstance(data, dict):
        findings.append(Finding((), f"expected a mapping, found {kind_of(data)}"))
    if not document.whole or not isinstance(data, dict):
        raise PolicyError(faults(findings, document.lines))
    unread = document.unread | {finding.at for finding in plain.findings}
    sound = shaped(data, unread)
    findings += sound.findings
    findings += checks.findings(checks.Subject(sound, data, base))
    if sound.broken and not findings:
        findings.append(Finding((), "expected a policy in the form of the policy reference"))
    if findings:
        raise PolicyError(faults(findings, document.lines))
    return convert.policy(sound.shape, data, base, name)
