"""From the checked shape of a policy to the declarations that the engine works with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from anonym.attacks.options import AttackOptions, LinkageGate, Match
from anonym.columns.identifiers import DropColumn, Key, Pseudonym, Redact
from anonym.columns.shift import Shift
from anonym.columns.surrogate import Surrogate
from anonym.criteria import DistinctL, EntropyL, LDiversity, RecursiveL, TCloseness
from anonym.dp.options import EXPOSURES, TrainingOptions
from anonym.errors import InternalError
from anonym.hierarchy.bins import Bins
from anonym.hierarchy.clock import Seconds
from anonym.hierarchy.model import (
    Auto,
    Breaks,
    Dates,
    Declaration,
    FileHierarchy,
    Identity,
    Interval,
    Networks,
    Prefix,
    Rounded,
    Suppress,
)
from anonym.hierarchy.packs import taxonomy
from anonym.policy import column_shapes as columns
from anonym.policy import hierarchy_shapes as hierarchies
from anonym.policy.hierarchy_checks import steps
from anonym.policy.model import (
    Drop,
    Guarantee,
    Identifier,
    InputOptions,
    Keep,
    Policy,
    Quasi,
    Review,
    Role,
    SearchOptions,
    Sensitive,
    Text,
)
from anonym.policy.plain import jsonable, sha256
from anonym.policy.schema import (
    AttacksShape,
    GlinerShape,
    GuaranteeShape,
    MatchShape,
    NodesShape,
    PolicyShape,
    PresidioShape,
    RecallShape,
    SearchShape,
    SecondsShape,
    TextOptionsShape,
    ThresholdsShape,
    TrainingShape,
    TransformersShape,
    TriesShape,
)
from anonym.text.options import LocalModel, RecallGate, TextOptions, UserPattern


def policy(shape: PolicyShape, data: Mapping[str, Any], base: Path, name: str) -> Policy:
    """The policy. `name` stands in where it names itself nothing; `data` is what was parsed."""
    raw = jsonable(dict(data))
    threats = shape.threat_model
    given = {key: getattr(threats, key) for key in type(threats).model_fields}
    return Policy(
        name=shape.name or name,
        columns={entry: role(column, base) for entry, column in shape.columns.items()},
        reviewed=Review(shape.reviewed.by, shape.reviewed.date) if shape.reviewed else None,
        input=InputOptions(
            separator=shape.input.separator,
            encoding=shape.input.encoding,
            null_values=tuple(shape.input.null_values),
            types=dict(shape.input.types),
            flatten=tuple(dict.fromkeys(shape.input.flatten)),
        ),
        unit=shape.unit,
        unlisted=shape.unlisted,
        guarantee=guarantee(shape.guarantee) if shape.guarantee else None,
        search=search(shape.search),
        text=text(shape.text, base),
        attacks=attacks(shape.attacks, base) if shape.attacks is not None else AttackOptions(),
        training=training(shape.training) if shape.training else None,
        thresholds=dict(thresholds(shape.thresholds)),
        threat_model={key: words for key, words in given.items() if words is not None},
        batch=shape.batch,
        order=shape.order,
        formulas=shape.output.formulas,
        seed=shape.seed,
        base=base,
        sha256=sha256(raw),
        raw=raw,
    )


def role(shape: columns.ColumnShape, base: Path) -> Role:
    """What becomes of a column."""
    match shape:
        case columns.QuasiShape():
            return quasi(shape, base)
        case columns.SensitiveShape():
            return Sensitive(diversity(shape.l), closeness(shape.t, base), bins(shape.bins))
        case columns.DropIdentifierShape():
            return Identifier(DropColumn())
        case columns.RedactShape():
            return Identifier(Redact())
        case columns.PseudonymShape():
            return Identifier(Pseudonym(Key(shape.key), shape.domain, shape.scope))
        case columns.SurrogateShape():
            return Identifier(Surrogate(shape.kind, Key(shape.key), shape.domain, shape.scope, shape.locale))
        case columns.ShiftShape():
            return Identifier(Shift(shape.days, Key(shape.key) if shape.key else None, shape.scope))
        case columns.TextShape():
            return Text()
        case columns.KeepShape():
            return Keep(shape.allow_unique)
        case columns.DropShape():
            return Drop()
    raise InternalError(f"no conversion of {type(shape).__name__}")


def quasi(shape: columns.QuasiShape, base: Path) -> Quasi:
    return Quasi(
        hierarchy=hierarchy(shape.hierarchy, base),
        form=shape.form,
        finest=shape.finest,
        coarsest=shape.coarsest,
        top=shape.top,
        bottom=shape.bottom,
        uncovered=shape.uncovered,
        weight=float(shape.weight),
        normalise=tuple(shape.normalise),
    )


def hierarchy(shape: Any, base: Path) -> Declaration:
    """A hierarchy's declaration; a file's path starts at `base`."""
    match shape:
        case "none":
            return Identity()
        case "suppress":
            return Suppress()
        case "auto":
            return Auto()
        case hierarchies.IntervalShape():
            return _interval(shape)
        case hierarchies.BreaksShape():
            return _breaks(shape)
        case hierarchies.PrefixShape():
            return Prefix(tuple(shape.prefix))
        case hierarchies.DateShape():
            return Dates(tuple(shape.date))
        case hierarchies.RoundShape():
            return Rounded(tuple(steps(shape)))
        case hierarchies.FileShape():
            return FileHierarchy(base / shape.file)
        case hierarchies.TaxonomyShape():
            return taxonomy(shape.taxonomy)
        case hierarchies.IpShape():
            return Networks(tuple(shape.ip))
    raise InternalError(f"no conversion of the hierarchy {type(shape).__name__}")


def bins(shape: Any) -> Bins | None:
    match shape:
        case hierarchies.IntervalShape():
            return _interval(shape)
        case hierarchies.BreaksShape():
            return _breaks(shape)
    return None


def _interval(shape: hierarchies.IntervalShape) -> Interval:
    of: Literal["number", "length"] = "length" if isinstance(shape.interval[0], Seconds) else "number"
    return Interval(tuple(map(_size, shape.interval)), of)


def _breaks(shape: hierarchies.BreaksShape) -> Breaks:
    levels = steps(shape)
    first = levels[0][0]
    of = first.of if isinstance(first, Seconds) else "number"
    return Breaks(tuple(tuple(map(_size, cuts)) for cuts in levels), of)


def _size(value: Decimal | Seconds) -> Decimal:
    return value.seconds if isinstance(value, Seconds) else value


def diversity(shape: Any) -> LDiversity | None:
    match shape:
        case columns.DistinctShape():
            return DistinctL(shape.distinct)
        case columns.EntropyShape():
            return EntropyL(float(shape.entropy))
        case columns.RecursiveShape(recursive=parts):
            return RecursiveL(float(parts.c), parts.l)
    return None


def closeness(shape: columns.ClosenessShape | None, base: Path) -> TCloseness | None:
    if shape is None:
        return None
    return TCloseness(
        max=float(shape.max),
        distance=shape.distance,
        order=tuple(shape.order) if shape.order is not None else None,
        hierarchy=FileHierarchy(base / shape.hierarchy.file) if shape.hierarchy is not None else None,
    )


def guarantee(shape: GuaranteeShape) -> Guarantee:
    return Guarantee(shape.k, shape.suppression.max, shape.suppression.action, shape.linkable)


def search(shape: SearchShape) -> SearchOptions:
    match shape.budget:
        case TriesShape(tries=count):
            return SearchOptions(shape.strategy, shape.objective, ("tries", count))
        case NodesShape(nodes=count):
            return SearchOptions(shape.strategy, shape.objective, ("nodes", count))
        case SecondsShape(seconds=count):
            return SearchOptions(shape.strategy, shape.objective, ("seconds", count))
        case word:
            return SearchOptions(shape.strategy, shape.objective, word)


def attacks(shape: AttacksShape, base: Path) -> AttackOptions:
    linkage = None
    if shape.linkage is not None:
        given = shape.linkage
        match = {name: matched(theirs) for name, theirs in given.match.items()}
        linkage = LinkageGate(base / given.auxiliary, match, given.max_risk)
    advantage = shape.inference.max_advantage if shape.inference else None
    control = base / shape.control if shape.control is not None else None
    return AttackOptions(linkage, advantage, shape.hold_out, control)


def matched(shape: str | MatchShape) -> Match:
    return Match(shape) if isinstance(shape, str) else Match(shape.column, shape.tolerance, shape.edits)


def training(shape: TrainingShape) -> TrainingOptions:
    limits = {name: getattr(shape.epsilon, name) for name in EXPOSURES}
    return TrainingOptions(
        exposure=shape.exposure,
        epsilon={name: float(limit) for name, limit in limits.items() if limit is not None},
        delta=float(shape.delta),
        accountant=shape.accountant,
        max_records_per_unit=shape.max_records_per_unit,
    )


def thresholds(shape: ThresholdsShape) -> Iterator[tuple[str, float]]:
    """Each limit with its key, those of attacks as `attacks.NAME.rate` and `attacks.NAME.advantage`."""
    for key in type(shape).model_fields:
        if key != "attacks" and (limit := getattr(shape, key)) is not None:
            yield key, float(limit)
    for name, limits in shape.attacks.items():
        given = ((kind, getattr(limits, kind)) for kind in type(limits).model_fields)
        yield from ((f"attacks.{name}.{kind}", float(limit)) for kind, limit in given if limit is not None)


def ner(shape: str | TransformersShape | GlinerShape | PresidioShape, base: Path) -> str | LocalModel:
    match shape:
        case TransformersShape():
            return LocalModel("transformers", str(base / shape.transformers))
        case GlinerShape():
            return LocalModel("gliner", str(base / shape.gliner), tuple(shape.labels))
        case PresidioShape():
            is_file = shape.presidio.endswith((".yaml", ".yml"))
            return LocalModel("presidio", str(base / shape.presidio) if is_file else shape.presidio)
    return shape


def secrets(shape: bool | Sequence[str]) -> tuple[str, ...]:
    if isinstance(shape, bool):
        return TextOptions.secrets if shape else ()
    return tuple(dict.fromkeys(shape))


def text(shape: TextOptionsShape, base: Path) -> TextOptions:
    also_from = () if shape.also_from == "none" else shape.also_from
    return TextOptions(
        language=shape.language,
        packs=tuple(shape.packs),
        ner=None if isinstance(shape.ner, str) else tuple(ner(model, base) for model in shape.ner),
        secrets=secrets(shape.secrets),
        replace=shape.replace,
        key=shape.key,
        also_from=None if also_from is None else tuple(dict.fromkeys(also_from)),
        deduplicate=shape.deduplicate,
        recall=recall(shape.recall, base) if shape.recall is not None else None,
        patterns=tuple(UserPattern(entity.lower(), regex, entity) for entity, regex in shape.patterns.items()),
    )


def recall(shape: RecallShape, base: Path) -> RecallGate:
    return RecallGate(base / shape.labelled, shape.min, tuple(shape.entities), shape.offsets)
