"""The verdict: which promises hold, and the sentences that say so.

Nothing here says that data are anonymous. What is said is what was measured, on which file, and what was not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonym.report import figures, thresholds
from anonym.report.attacked import attacks_of

Facts = Mapping[str, Any]

DRAFT = "Draft policy, not reviewed."
CLOSE = 1e-9  # entropy and distances are compared within this, in favour of holding

NOT_MEANT = (
    "It is not a legal finding. Whether these data are still personal data is decided case by case, by what "
    "someone could reasonably do with them; this page is evidence for that decision.",
    "It speaks of the listed quasi-identifiers only, on this one file. It says nothing about other releases of the "
    "same people, nor about what can be learnt from the columns released untouched.",
    "It says nothing about a model trained on the file: such a model has no guarantee of its own.",
)
PSEUDONYMS_STAY = "Pseudonymised columns stay personal data: whoever holds the key can recompute the tokens."


# which promises hold ------------------------------------------------------------------------------------------------


def judge_promises(evidence: dict[str, Any]) -> None:
    """Fill in `holds` of k, every l and every t where it is missing; null where nothing was achieved."""
    guarantee = evidence.get("guarantee") or {}
    if (k := guarantee.get("k")) is not None:
        k.setdefault("holds", _reaches(k.get("achieved"), k.get("required")))
    for diversity in (guarantee.get("l") or {}).values():
        diversity.setdefault("holds", _diverse(diversity))
    for closeness in (guarantee.get("t") or {}).values():
        closeness.setdefault("holds", _close(closeness.get("achieved"), closeness.get("required")))


def _reaches(achieved: float | None, required: float | None, slack: float = 0.0) -> bool | None:
    return None if achieved is None or required is None else achieved >= required - slack


def _close(achieved: float | None, required: float | None) -> bool | None:
    return None if achieved is None or required is None else achieved <= required + CLOSE


def _diverse(diversity: Facts) -> bool | None:
    achieved, required = diversity.get("achieved"), diversity.get("required")
    if isinstance(required, Mapping):
        c = achieved.get("c") if isinstance(achieved, Mapping) else None
        return None if c is None else bool(c < required["c"])
    return _reaches(achieved, required, CLOSE)


def promises(evidence: Facts) -> Iterator[bool | None]:
    """`holds` of k and of every l and t."""
    guarantee = evidence["guarantee"]
    parts = [guarantee["k"]] if guarantee["k"] is not None else []
    for part in (*parts, *guarantee["l"].values(), *guarantee["t"].values()):
        yield part["holds"]


def verdict(evidence: Facts) -> dict[str, Any]:
    """The verdict of DESIGN §7's evidence whose promises are judged."""
    given = evidence.get("verdict") or {}
    reasons = list(dict.fromkeys(given.get("reasons") or _reasons(evidence)))
    judged = list(promises(evidence))
    holds = False if reasons or given.get("holds") is False else (True if judged and all(judged) else None)
    draft = evidence["policy"]["reviewed"] is None
    said = _sentence(evidence, holds, reasons)
    return {"holds": holds, "draft": draft, "sentence": f"{DRAFT} {said}" if draft else said, "reasons": reasons}


# why it does not hold ------------------------------------------------------------------------------------------------


def _reasons(evidence: Facts) -> Iterator[str]:
    guarantee = evidence["guarantee"]
    if (k := guarantee["k"]) is not None and k["holds"] is False:
        yield f"k is {figures.count(k['achieved'])} where {figures.count(k['required'])} is required{_failing(k)}"
    for column, part in sorted(guarantee["l"].items()):
        if part["holds"] is False:
            needed = diversity(part["required"], achieved=False)
            yield f"l of {column} is {diversity(part['achieved'])} where {needed} is required{_failing(part)}"
    for column, part in sorted(guarantee["t"].items()):
        if part["holds"] is False:
            needed = f"at most {figures.number(part['required'])}"
            yield f"t of {column} is {figures.at_most(part['achieved'])} where {needed} is allowed{_failing(part)}"
    yield from _reasons_beside(evidence)


def _reasons_beside(evidence: Facts) -> Iterator[str]:
    if within_limit(evidence["suppression"]) is False:
        rows = figures.plural(evidence["suppression"]["rows"], "row")
        yield f"{rows} were suppressed, more than the limit of {figures.share(evidence['suppression']['limit'])} allows"
    for check in evidence["verification"]["checks"]:
        if check["held"] is False:
            yield f"verification: {check['name']}: {check['detail']}"
    for attack in attacks_of(evidence):
        if attack["verdict"] == "fail":
            yield f"attack {attack['name']}: {_over(attack)}"
    if (evidence["recall"] or {}).get("holds") is False:
        yield f"text recall is below the required {figures.share(evidence['recall']['required'])}"
    for key, part in (evidence.get("thresholds") or {}).items():
        if part["holds"] is False:
            yield f"threshold {key}: {thresholds.said(key, part)}"


def _over(attack: Facts) -> str:
    """`success 12.3 %, over its limit of 10 %`; limits on an advantage are over the control."""
    gate = attack["detail"].get("gate") if isinstance(attack["detail"], Mapping) else None
    if not gate:
        return f"success {figures.share(attack['rate'])}, over its threshold"
    if gate["measure"] == "advantage":
        found = f"advantage {figures.number(attack['advantage'])} over the control"
        return f"{found}, beyond its limit of {figures.number(gate['limit'])}"
    return f"success {figures.share(attack['rate'])}, over its limit of {figures.share(gate['limit'])}"


def within_limit(suppression: Facts) -> bool | None:
    """Whether the suppressed rows stay within the limit; null where there is none, or no row."""
    rows, rate, limit_rows = suppression["rows"], suppression["rate"], suppression.get("limit_rows")
    if rows is None or rate is None or limit_rows is None:
        return _close(rate, suppression["limit"])
    return bool(rows <= limit_rows)


def _failing(part: Facts) -> str:
    failing = part.get("classes_failing")
    return f", in {figures.plural(failing, 'class')}" if failing else ""


def diversity(figure: float | Facts | None, achieved: bool = True) -> str:
    """The figure of an l: a number, or the c and l of recursive diversity."""
    if isinstance(figure, Mapping):
        c = figures.at_most(figure["c"], "unbounded") if achieved else figures.number(figure["c"])
        return f"(c {c}, l {figures.count(figure['l'])})"
    return figures.at_least(figure) if achieved else figures.number(figure)


# the sentence --------------------------------------------------------------------------------------------------------


def _sentence(evidence: Facts, holds: bool | None, reasons: list[str]) -> str:
    said = {True: _holding, False: _failing_sentence, None: _nothing}[holds](evidence, reasons)
    unmeasured = has_text(evidence) and evidence["recall"] is None
    return f"{said.removesuffix('.')}; text: recall not measured." if unmeasured else said


def _holding(evidence: Facts, _: list[str]) -> str:
    return f"The promise holds on {read_again(evidence)}: {figures.listed(_measured(evidence))}."


def read_again(evidence: Facts) -> str:
    """What was measured: under `batch: union`, more than one file."""
    return "the written file" + together(evidence, " together with")


def together(evidence: Facts, joining: str) -> str:
    """` together with 2 files released before`; nothing where the release was measured alone."""
    batch = evidence.get("batch")
    return f"{joining} {figures.plural(batch['files'], 'file')} released before" if batch else ""


def _measured(evidence: Facts) -> list[str]:
    """k, l and t, as far as they were judged."""
    diverse, close = (_judged(evidence["guarantee"][letter]) for letter in ("l", "t"))
    return [*_k_words(evidence), *_l_words(diverse), *_t_words(close)]


def _judged(promised: Facts) -> Facts:
    return {column: part for column, part in promised.items() if part["holds"] is not None}


def _unjudged(guarantee: Facts) -> Iterator[str]:
    for letter in ("l", "t"):
        for column, part in sorted(guarantee[letter].items()):
            if part["holds"] is None:
                yield f"{part['kind' if letter == 'l' else 'distance']} {letter} of {column}"


def _k_words(evidence: Facts) -> Iterator[str]:
    k = evidence["guarantee"]["k"]
    if k is not None and k["achieved"] is not None:
        found = figures.count(k["achieved"])
        group = "profile" if k.get("counted") == "profiles" else "class"
        yield f"every {group} has at least {found} {counted(evidence)} ({figures.count(k['required'])} required)"


def _l_words(promised: Facts) -> Iterator[str]:
    if len(promised) == 1:
        [(column, part)] = promised.items()
        found, needed = diversity(part["achieved"]), diversity(part["required"], achieved=False)
        values = (
            f"at least {found} distinct values of" if part["kind"] == "distinct" else f"{part['kind']} l {found} for"
        )
        yield f"{values} {column} ({needed} required)"
    elif promised:
        yield f"the l-diversity required of {len(promised)} columns"


def _t_words(promised: Facts) -> Iterator[str]:
    if len(promised) == 1:
        [(column, part)] = promised.items()
        allowed = figures.number(part["required"])
        yield f"t of {column} at most {figures.at_most(part['achieved'])} ({allowed} allowed)"
    elif promised:
        yield f"the t-closeness required of {len(promised)} columns"


def _failing_sentence(_: Facts, reasons: list[str]) -> str:
    first = f": {reasons[0]}" if reasons else ""
    more = f" (and {figures.plural(len(reasons) - 1, 'other reason')})" if len(reasons) > 1 else ""
    return f"The promise does not hold{first}{more}."


def _nothing(evidence: Facts, _: list[str]) -> str:
    if evidence["output"]["rows"] == 0:
        return "No row was released, so there is nothing that a promise could hold for."
    judged = list(promises(evidence))
    if not judged:
        return "The policy asks for no guarantee on quasi-identifiers, so none was measured."
    missing = figures.listed(_unjudged(evidence["guarantee"]), 3)
    if not any(judged):
        return "What was promised was not measured."
    said = "Part of what was promised was not measured" + (f" ({missing})" if missing else "")
    return f"{said}; the rest holds on {read_again(evidence)}: {figures.listed(_measured(evidence))}."


def has_text(evidence: Facts) -> bool:
    """Whether the policy lists a text column."""
    return bool(evidence["text"]) or any(column["role"] == "text" for column in evidence["columns"])


def rows_of_input(evidence: Facts) -> str:
    """`3,921 of 4,000 rows`, or the rows alone where the input was not at hand; nothing where none was written."""
    rows, total = evidence["output"]["rows"], evidence["input"]["rows"]
    if rows is None:
        return "none written" if total is None else f"none of {figures.plural(total, 'row')}"
    return figures.plural(rows, "row") if total is None else f"{figures.count(rows)} of {figures.plural(total, 'row')}"


def refused(evidence: Facts) -> bool:
    """Whether a run ended without a release. A file that was only checked has no input here, and later attacks are of
    a release that was made."""
    return evidence["verdict"]["holds"] is False and evidence["input"]["rows"] is not None and not evidence.get("later")


def missing(evidence: Facts) -> str:
    """What stands where there is no figure: without rows nothing applies, else it was not measured."""
    empty = evidence["output"]["rows"] == 0 or evidence["input"]["rows"] == 0
    return figures.NOT_APPLICABLE if empty else figures.NOT_MEASURED


def counted(evidence: Facts) -> str:
    """What k counts: `rows`, or `units of customer_id`."""
    k = evidence["guarantee"]["k"] or {}
    if (k.get("counted") or ("rows" if k.get("units") is None else "units")) == "rows":
        return "rows"
    unit = evidence["input"].get("unit")
    return f"units of {unit}" if unit else "units"
