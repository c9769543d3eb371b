"""What is said of a ledger and of a run in it: every number that ε needs to mean anything. No torch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context
from typing import Any

from anonym.dp.accounting import compose
from anonym.dp.events import from_dict
from anonym.dp.ledger import SPENDING, Ledger
from anonym.dp.plan import OUTSIDE
from anonym.errors import CallError

FACTS = (
    "unit",
    "adjacency",
    "sampler",
    "noise_multiplier",
    "sample_rate",
    "steps",
    "clipping_bound",
    "units",
    "expected_batch_size",
    "max_records_per_unit",
)


def training_statement(
    ledger: Ledger,
    run: str | None = None,
    *,
    outside: Sequence[str] = OUTSIDE,
    rows: Mapping[str, int] | None = None,
    groups: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The evidence's `training`: the run (default: the last training) and ε of the whole ledger.

    Raises CallError where the ledger has no training run.
    """
    if run is None:
        runs = [entry.facts["run"] for entry in ledger.spending() if entry.kind == "training"]
        if not runs:
            raise CallError("the ledger has no training run to state; it was not trained on yet")
        run = runs[-1]
    facts, policy = ledger.run(run), ledger.policy or {}
    own = compose([from_dict(event) for event in facts["events"]], policy["delta"], policy["accountant"])
    total = ledger.epsilon()
    statement = {
        **{name: facts[name] for name in FACTS},
        "epsilon": total,
        **({"odds": odds(total)} if math.isfinite(odds(total)) else {}),
        "epsilon_of_run": own,
        "delta": policy["delta"],
        "accountant": policy["accountant"].upper(),
        "exposure": policy["exposure"],
        "limit": policy["epsilon"][policy["exposure"]],
        "policy_sha256": policy["sha256"],
        "policy_changes": ledger.changes(),
        "ledger": ledger_facts(ledger),
        "repeated_steps": facts["repeated"],
        "for_release": not facts["seeded"],
        "outside": list(outside),
    }
    if rows is not None:
        statement |= {"rows": dict(rows), "dropped": [dict(group) for group in groups]}
    return {**statement, "says": sentences(statement)}


def ledger_facts(ledger: Ledger) -> dict[str, Any]:
    """How many of what was spent, and the hash that seals it."""
    kinds = [entry.kind for entry in ledger.spending()]
    return {"entries": len(ledger.entries), "head": ledger.head, **{kind: kinds.count(kind) for kind in SPENDING}}


def odds(epsilon: float) -> float:
    """e^ε: by at most this factor one unit's data change the odds of any conclusion; infinite beyond 1.8e308."""
    try:
        return math.exp(epsilon)
    except OverflowError:
        return math.inf


def factor(epsilon: float) -> str:
    """e^ε in words, an upper bound; where floats end as the power."""
    found = odds(epsilon)
    return at_most(found) if math.isfinite(found) else f"e^{at_most(epsilon)}"


def at_most(value: float, digits: int = 4) -> str:
    """An upper bound in words: rounded up to `digits` significant digits, of the nine that evidence keeps."""
    rounded = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(f"{value:.9g}")
    return f"{float(rounded):.{digits}g}"


def sentences(statement: Mapping[str, Any]) -> list[str]:
    """What ε says and what it does not, in plain words."""
    unit = statement["unit"]
    said = [
        f"With or without any one {unit}, the odds of every conclusion from what was trained or counted differ by a "
        f"factor of at most {factor(statement['epsilon'])} (e^{at_most(statement['epsilon'])}), but for a probability "
        f"of {statement['delta']:g}.",
        "Epsilon is relative to the released table: how the table was profiled, recoded and suppressed is not in it.",
    ]
    if unit == "one record":
        said.append("One record is protected, not its owner: who has several is protected less.")
    if not statement["for_release"]:
        said.append("Noise came from a known seed. This is a test: the model must not be released.")
    for change in statement["policy_changes"]:
        when = "after" if change["after_spending"] else "before"
        said.append(f"The epsilon policy was changed {when} the data were used (ledger entry {change['entry']}).")
    if statement["repeated_steps"]:
        said.append(
            f"{statement['repeated_steps']} steps were taken again after a crash; their first weights are not covered "
            "if anyone kept them."
        )
    return said
