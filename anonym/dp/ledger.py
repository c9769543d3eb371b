"""The ledger of one data set: what was spent on it, as JSON lines, each sealed with the hash of the one before.

A budget is written before it is spent, so that a crash can only lose what was not used. Whatever ε the ledger states
can be computed again from the file alone. The chain shows a changed or inserted line; that the last lines were cut
off shows against the head's hash, which every statement prints.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from anonym.dp.accounting import compose
from anonym.dp.events import Event, as_dict, from_dict
from anonym.dp.options import TrainingOptions, canonical
from anonym.errors import AnonymError, CallError, InputError, OutputError

START = "0" * 64

SPENDING = ("training", "tuning", "statistic")


@dataclass(frozen=True)
class Entry:
    """One line. `hash` covers number, previous hash, kind and facts."""

    number: int
    previous: str
    kind: str
    facts: Mapping[str, Any]
    hash: str

    @staticmethod
    def after(previous: Entry | None, kind: str, facts: Mapping[str, Any]) -> Entry:
        number, link = (previous.number + 1, previous.hash) if previous else (1, START)
        return Entry(number, link, kind, facts, _seal(number, link, kind, facts))

    def sealed(self) -> bool:
        return self.hash == _seal(self.number, self.previous, self.kind, self.facts)

    def line(self) -> bytes:
        return canonical({**self.__dict__, "facts": dict(self.facts)}) + b"\n"

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(from_dict(event) for event in self.facts.get("events", ()))


def _seal(number: int, previous: str, kind: str, facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical([number, previous, kind, dict(facts)])).hexdigest()


class Ledger:
    """The ledger at `path`; with None one in memory, which survives nothing and marks its statements so.

    Raises InputError where the file is no ledger or its chain is broken. A last line that a crash left half written
    was never acknowledged: it is not an entry, and the next entry replaces it.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = Path(path) if path is not None else None
        self.entries: tuple[Entry, ...] = ()
        if self.path is not None and self.path.exists():
            self.entries = _read(self.path.read_bytes(), self.path.name)

    # writing

    def append(self, kind: str, facts: Mapping[str, Any], *, after: str | None = None) -> Entry:
        """One more entry, on disk before this returns. Under a lock: others may write to the same file.

        Raises CallError where `after` is given and is no longer the head, OutputError where the disk refuses.
        """
        with self._locked() as file:
            if file is not None:
                self.entries = _read(_whole_lines(file), file.name)
            if after is not None and after != self.head:
                raise CallError("the ledger was written to meanwhile; start again with what is left of the budget")
            entry = Entry.after(self.entries[-1] if self.entries else None, kind, json.loads(canonical(dict(facts))))
            if file is not None:
                file.write(entry.line())
                file.flush()
                os.fsync(file.fileno())
            self.entries = (*self.entries, entry)
            return entry

    @contextmanager
    def _locked(self) -> Iterator[IO[bytes] | None]:
        if self.path is None:
            yield None
            return
        try:
            new = not self.path.exists()
            with open(os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600), "a+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield file
            if new:
                _sync_folder(self.path.parent)
        except OSError as error:
            raise OutputError(f"the ledger {self.path.name} could not be written: {error.strerror}") from None

    def fix(
        self, options: TrainingOptions, unit: str, reason: str | None = None, *, after: str | None = None
    ) -> str | None:
        """Fix the ε policy, or make sure that it is still the one fixed. Returns the head that the next entry follows.

        Raises CallError where it differs and no reason is given. With a reason the change becomes an entry that every
        later statement shows.
        """
        facts, last = options.facts(unit), self.policy
        if last is not None and last["sha256"] == facts["sha256"]:
            return after
        if last is not None and not reason:
            raise CallError(
                "the epsilon policy differs from the one this ledger fixed before training: an epsilon chosen after "
                "results were seen is no promise. Train under the fixed policy, or give policy_change a reason, which "
                "every statement will then show"
            )
        return self.append("policy", {**facts, "reason": reason} if reason else facts, after=after).hash

    # reading

    @property
    def head(self) -> str:
        """The hash of the last entry: it seals everything before it."""
        return self.entries[-1].hash if self.entries else START

    @property
    def policy(self) -> Mapping[str, Any] | None:
        """The ε policy that holds now."""
        return next((entry.facts for entry in reversed(self.entries) if entry.kind == "policy"), None)

    def spending(self) -> tuple[Entry, ...]:
        """The entries that cost privacy. A run that was closed before its first step cost none."""
        unused = {entry.facts["run"] for entry in self.entries if entry.kind == "closed" and not entry.facts["steps"]}
        return tuple(entry for entry in self.entries if entry.kind in SPENDING and entry.facts.get("run") not in unused)

    def events(self) -> tuple[Event, ...]:
        """Everything spent. Runs are charged with all their planned steps: stopping early gives nothing back."""
        return tuple(event for entry in self.spending() for event in entry.events)

    def epsilon(self, delta: float | None = None, accountant: str | None = None) -> float:
        """ε of everything in the ledger, by default at its policy's δ. Raises CallError where it has no policy."""
        policy = self.policy or {}
        if delta is None and "delta" not in policy:
            raise CallError("the ledger fixes no delta; name one")
        return compose(
            self.events(),
            delta if delta is not None else policy["delta"],
            accountant or policy.get("accountant", "pld"),
        )

    def changes(self) -> list[dict[str, Any]]:
        """Later ε policies: at which entry, for which reason, and whether something had been spent before."""
        policies = [entry for entry in self.entries if entry.kind == "policy"]
        first = min((entry.number for entry in self.spending()), default=len(self.entries) + 1)
        return [
            {"entry": entry.number, "reason": entry.facts.get("reason"), "after_spending": entry.number > first}
            for entry in policies[1:]
        ]

    def run(self, name: str) -> dict[str, Any]:
        """What is known of a run: its facts, whether it was closed, and how often steps of it were repeated."""
        mine = [entry for entry in self.entries if entry.facts.get("run") == name]
        if not mine:
            raise CallError(f"the ledger has no run {name}")
        closed = next((entry.facts for entry in mine if entry.kind == "closed"), None)
        repeated = sum(entry.facts["steps"] for entry in mine if entry.kind == "repeated")
        return {**mine[0].facts, "closed": closed, "repeated": repeated}


def spent(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Events as an entry's facts hold them."""
    return [as_dict(event) for event in events]


def _whole_lines(file: IO[bytes]) -> bytes:
    """The file's content up to its last whole line; what a crash left after it is cut off."""
    file.seek(0)
    content = file.read()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        file.truncate(len(whole))
    file.seek(0, os.SEEK_END)
    return whole


def _read(content: bytes, name: str) -> tuple[Entry, ...]:
    entries: list[Entry] = []
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), 1):
        entry = _entry(line, number, name)
        if entry != Entry.after(entries[-1] if entries else None, entry.kind, entry.facts):
            raise InputError(
                f"{Path(name).name} is not the ledger that was written: entry {number} does not follow from the one "
                "before it. Restore the file from a copy; spending cannot be stated from it"
            )
        entries.append(entry)
    return tuple(entries)


def _entry(line: bytes, number: int, name: str) -> Entry:
    try:
        fields = json.loads(line)
        entry = Entry(**fields)
        known = entry.kind in ("policy", "closed", "repeated", *SPENDING)
        if known and isinstance(entry.facts, dict) and entry.events is not None and entry.sealed():
            return entry
    except (ValueError, TypeError, RecursionError, AnonymError):
        pass
    raise InputError(f"{Path(name).name}: line {number} is no sealed entry of a ledger")


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
