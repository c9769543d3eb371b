"""Fields on a private training that was recorded for a release."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from anonym.report.fields.kinds import Amount, Count, Digest, Share


class PolicyChange(TypedDict):
    """A later epsilon policy in the ledger of private training."""

    entry: Count
    reason: str | None
    after_spending: Annotated[bool, "something had been trained or counted before"]


class SpentOn(TypedDict):
    """The ledger that epsilon was computed from."""

    entries: Count
    head: Annotated[Digest, "of the last entry, which seals those before it"]
    training: Annotated[Count, "training runs charged"]
    tuning: Annotated[Count, "runs that only chose settings, charged all the same"]
    statistic: Annotated[Count, "noisy counts, sums, means and histograms charged"]


class BoundedRows(TypedDict):
    """Records that were trained on, and records left out by the bound on records of a unit."""

    used: Count
    dropped: Count


class BoundedGroup(TypedDict):
    """The same by subgroup; null where fewer than 10 units stand behind a count."""

    column: str
    group: str
    rows: Count | None
    dropped: Count | None
    rate: Share | None


class Training(TypedDict):
    """A private training that was recorded for this release."""

    unit: str
    epsilon: Amount
    delta: Share
    adjacency: str
    sampler: str
    accountant: str
    exposure: NotRequired[str]
    noise_multiplier: NotRequired[Amount]
    sample_rate: NotRequired[Share]
    steps: NotRequired[Count]
    max_records_per_unit: NotRequired[Count]
    clipping_bound: NotRequired[Annotated[Amount, "C, the longest gradient of one unit"]]
    units: NotRequired[Annotated[Count, "N, units that are sampled from"]]
    expected_batch_size: NotRequired[Amount]
    odds: NotRequired[Annotated[Amount, "e^epsilon: the most by which one unit changes the odds of a conclusion"]]
    epsilon_of_run: NotRequired[Annotated[Amount, "of the last training run alone"]]
    limit: NotRequired[Annotated[Amount, "the policy's epsilon at this exposure"]]
    policy_sha256: NotRequired[Annotated[Digest, "of the epsilon policy, fixed before training"]]
    policy_changes: NotRequired[list[PolicyChange]]
    ledger: NotRequired[SpentOn]
    repeated_steps: NotRequired[Annotated[Count, "steps taken again after a crash"]]
    for_release: NotRequired[Annotated[bool, "false: noise came from a known seed"]]
    end_to_end: NotRequired[Annotated[bool, "epsilon covers the table before the release too"]]
    rows: NotRequired[BoundedRows]
    dropped: NotRequired[list[BoundedGroup]]
    audits: NotRequired[Annotated[list[dict[str, Any]], "what the trained model was measured to give away"]]
    says: NotRequired[Annotated[list[str], "what epsilon says and what it does not"]]
    outside: NotRequired[Annotated[list[str], "steps on private data that the accountant does not cover"]]
