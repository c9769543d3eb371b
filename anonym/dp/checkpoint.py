"""Checkpoints of a private training run: what a killed run goes on from, under the budget it already has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from anonym.dp.ledger import Ledger
from anonym.errors import CallError, InputError, OutputError
from anonym.io import guarded, private_file


class Checkpoint:
    """The file of a run's state, and beside it the number of the last step taken, written at every step."""

    def __init__(self, path: str | Path, every: int) -> None:
        self.path, self.every = Path(path), every
        self.mark = self.path.with_name(self.path.name + ".step")

    def read(self) -> dict[str, Any] | None:
        """The state, or None where there is none. Raises InputError where the file is no checkpoint."""
        if not self.path.exists():
            return None
        try:
            state = torch.load(self.path, weights_only=True)
        except Exception:  # of a file that is none, the unpickler raises whatever it stumbles over
            state = None
        if not isinstance(state, dict) or not {"run", "step", "model", "optimizer", "used"} <= state.keys():
            raise InputError(f"{self.path.name} is not a checkpoint of private training")
        return state

    def write(self, state: Mapping[str, Any]) -> None:
        """Whole or not at all. Raises OutputError where the disk refuses."""
        with guarded("writing the checkpoint", OutputError), private_file(self.path) as file:
            torch.save(dict(state), file)
        self.reached(int(state["step"]))

    def reached(self, step: int) -> None:
        """Step `step` was taken. Raises OutputError where the disk refuses."""
        with guarded("writing the checkpoint", OutputError):
            self.mark.write_text(str(step))

    def lost(self, step: int) -> int:
        """Steps taken after the checkpoint's `step`, whose weights a crash has lost."""
        try:
            return max(int(self.mark.read_text()) - step, 0)
        except (OSError, ValueError):
            return 0

    def remove(self) -> None:
        """A finished run needs none."""
        for path in (self.path, self.mark):
            path.unlink(missing_ok=True)


def resumed(state: Mapping[str, Any], facts: Mapping[str, Any], ledger: Ledger, lost: int) -> None:
    """Make sure that a run may go on, and note the steps that will be taken again.

    Their first weights were lost and reached nobody, so they cost nothing more; that they were is for whoever reads
    the ledger to judge. Raises CallError for a run that is not this one, or that has ended.
    """
    known = ledger.run(state["run"])
    if known["closed"] is not None:
        raise CallError("the checkpoint's run has ended: remove the checkpoint to begin another, with its own budget")
    if {name: known.get(name) for name in facts} != dict(facts):
        raise CallError(
            "the checkpoint is of a run with other settings: go on with those it began with, or remove the checkpoint"
        )
    if lost:
        ledger.append("repeated", {"run": state["run"], "from": int(state["step"]), "steps": lost})
