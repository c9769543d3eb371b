"""Differential privacy of what is learnt from a release: accounting, ledger, noisy statistics, training, audits.

Names are imported when they are first used: `import anonym.dp` and the accounting need neither torch nor Opacus.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anonym.dp.accounting import epsilon, noise_for
    from anonym.dp.ledger import Ledger
    from anonym.dp.options import TrainingOptions
    from anonym.dp.statistics import Statistics
    from anonym.dp.training import private_training

_HOMES = {
    "Ledger": "anonym.dp.ledger",
    "Statistics": "anonym.dp.statistics",
    "TrainingOptions": "anonym.dp.options",
    "epsilon": "anonym.dp.accounting",
    "noise_for": "anonym.dp.accounting",
    "private_training": "anonym.dp.training",
}

__all__ = ["Ledger", "Statistics", "TrainingOptions", "epsilon", "noise_for", "private_training"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'anonym.dp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
