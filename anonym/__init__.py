"""anonym: make a training set safe to train on or hand over, and prove it.

    policy = anonym.Policy.load("policy.yaml")
    release = anonym.apply(policy, pl.scan_parquet("in.parquet"))
    release.write("out.parquet")

Names are imported when they are first used, so that `import anonym` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anonym.attacks.outcome import AttackResult
    from anonym.pipeline import Release, Verdict, apply, check, scrub
    from anonym.pipeline.attacking import attack
    from anonym.pipeline.recalling import recall
    from anonym.policy import Policy
    from anonym.text.recall import Recall

__version__ = "0.1.0"
__all__ = [
    "AttackResult",
    "Policy",
    "Recall",
    "Release",
    "Verdict",
    "__version__",
    "apply",
    "attack",
    "check",
    "recall",
    "scrub",
]

_HOMES = {
    "AttackResult": "anonym.attacks.outcome",
    "Policy": "anonym.policy",
    "Release": "anonym.pipeline",
    "Verdict": "anonym.pipeline",
    "apply": "anonym.pipeline",
    "attack": "anonym.pipeline.attacking",
    "check": "anonym.pipeline",
    "Recall": "anonym.text.recall",
    "recall": "anonym.pipeline.recalling",
    "scrub": "anonym.pipeline",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'anonym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
