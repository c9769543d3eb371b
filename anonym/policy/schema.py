"""The shape of a whole policy, and the JSON Schema that editors and other tools read it by."""

from __future__ import annotations

import json
from datetime import date as Date
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field, Tag
from pydantic.json_schema import GenerateJsonSchema

from anonym.policy.column_shapes import KEY, AnyText, Column, Reason, Share
from anonym.policy.hierarchy_shapes import FilePath
from anonym.policy.plain import jsonable
from anonym.policy.shape import Shape
from anonym.policy.terms import Day, Given, Number, Text, Word, by_key

Name = Annotated[str, Text("the name of a column", r"[\s\S]*", 1_000)]
Count = Annotated[int, Number(ge=1, whole=True)]
Epsilon = Annotated[Decimal, Number(gt=0)]
Risk = Share


class ReviewShape(Shape):
    """Who reviewed the policy, and when."""

    by: Annotated[str, Text()] = Field(description="name and office, such as J. Doe, DPO")
    date: Annotated[Date, Day()] = Field(description="the day of the review, written YYYY-MM-DD")


class InputShape(Shape):
    """How the input files are read."""

    separator: Annotated[str, Text("one character", r"[^\r\n\x00]", 1)] = Field(
        default=",", description="what stands between the fields of a CSV file"
    )
    encoding: Annotated[str, Text("the name of an encoding, such as utf-8", r"[A-Za-z0-9_.\- ]+", 40)] = Field(
        default="utf-8", description="the encoding of CSV files"
    )
    null_values: list[AnyText] = Field(default=[], description="texts of a CSV file that stand for null")
    types: dict[Name, Annotated[Literal["str", "int", "float", "bool", "date", "datetime"], Word()]] = Field(
        default={}, description="column: type, where it is not to be guessed: str, int, float, bool, date, datetime"
    )
    flatten: list[Name] = Field(
        default=[],
        description="struct columns (JSON objects) whose fields are columns of their own: address becomes address.city",
    )


class OutputShape(Shape):
    """How the release is written."""

    formulas: Annotated[Literal["keep", "quote", "refuse"], Word()] = Field(
        default="keep",
        description="text of a CSV release that a spreadsheet would run, as it begins with = + - @: keep it exactly, "
        "quote it (an apostrophe before it), or refuse to write it",
    )


class SuppressionShape(Shape):
    """How many rows may be left out, and how."""

    max: Share = Field(default=Decimal(0), description="the largest share of the input rows that may be suppressed")
    action: Annotated[Literal["drop", "mask"], Word()] = Field(
        default="drop", description="drop: the row is left out; mask: an empty row stays"
    )


class GuaranteeShape(Shape):
    """What every released class must satisfy."""

    k: Count = Field(description="members of every class, at least: units where a unit is named, else rows")
    suppression: SuppressionShape = Field(
        default=SuppressionShape(), description="rows that may be left out; absent: none"
    )
    linkable: Reason | None = Field(
        default=None,
        description="why a reader may join the rows of one unit; absent: k then counts whole profiles of units",
    )


class TriesShape(Shape):
    """A budget of tries."""

    tries: Count = Field(description="tries, the same on every machine")


class NodesShape(Shape):
    """A budget of nodes."""

    nodes: Count = Field(description="nodes of the search, the same on every machine")


class SecondsShape(Shape):
    """A budget of time; the evidence is then marked as not reproducible."""

    seconds: Count = Field(description="seconds; marks the evidence as not reproducible")


BudgetShape = Annotated[
    Annotated[
        Literal["default", "thorough"],
        Word(("default", "thorough", "{tries: n}", "{nodes: n}", "{seconds: n}")),
        Tag("\0word"),
    ]
    | Annotated[TriesShape, Tag("\0tries")]
    | Annotated[NodesShape, Tag("\0nodes")]
    | Annotated[SecondsShape, Tag("\0seconds")],
    by_key("a budget: default, thorough, {tries: n}, {nodes: n} or {seconds: n}", "tries", "nodes", "seconds"),
]


class SearchShape(Shape):
    """How a recoding is looked for."""

    strategy: Annotated[Literal["auto", "global", "local"], Word()] = Field(
        default="auto", description="global: one level a column; local: each class as little as it needs; auto: picks"
    )
    objective: Annotated[Literal["loss", "discernibility", "class_size", "entropy"], Word()] = Field(
        default="loss", description="what is made small"
    )
    budget: BudgetShape = Field(default="default", description="how long it may look")


class RecallShape(Shape):
    """A gate: the scrubber's recall on a labelled sample."""

    labelled: FilePath = Field(
        description="a file of labelled texts, in a format that `anonym recall` reads, relative to the policy"
    )
    min: Share = Field(description="the lowest acceptable lower bound of recall")
    entities: list[Annotated[str, Text("the name of a label", longest=100)]] = Field(
        default=[], description="labels whose recall must reach the bound as well, each for itself"
    )
    offsets: Given[Annotated[Literal["code-points", "utf-16", "bytes"], Word()]] = Field(
        default=None, description="what the file's offsets count; absent: code points, for Label Studio UTF-16"
    )


NerWord = Annotated[Literal["spacy", "rampart"], Word()]


class TransformersShape(Shape):
    """A token classifier of the transformers library."""

    transformers: FilePath = Field(description="the folder of the model, relative to the policy")


class GlinerShape(Shape):
    """A GLiNER or GLiNER2 model."""

    gliner: FilePath = Field(description="the folder of a GLiNER or GLiNER2 model, relative to the policy")
    labels: list[Annotated[str, Text("the name of a label", longest=100)]] = Field(
        default=[], description="what it is asked for, such as person; absent: usual kinds of personal data"
    )


class PresidioShape(Shape):
    """An NLP engine or a recogniser of Presidio."""

    presidio: Annotated[str, Text("a YAML file, or a recogniser as module.Class", r"\S.*", 1_000)] = Field(
        description="an NLP configuration file of Presidio, relative to the policy, or a recogniser as module.Class"
    )


NerModel = Annotated[
    Annotated[NerWord, Tag("\0word")]
    | Annotated[TransformersShape, Tag("\0transformers")]
    | Annotated[GlinerShape, Tag("\0gliner")]
    | Annotated[PresidioShape, Tag("\0presidio")],
    by_key(
        "spacy, rampart, or a model by its key: transformers, gliner, presidio", "transformers", "gliner", "presidio"
    ),
]
NoneWord = Annotated[Literal["none"], Word()]


class TextOptionsShape(Shape):
    """How text columns are scrubbed."""

    language: Annotated[str, Text("a language code, such as en", r"[a-z]{2,3}", 3)] = Field(
        default="en", description="the language of the texts, such as en"
    )
    packs: list[Annotated[str, Text("the name of a rule pack", r"[A-Za-z0-9][A-Za-z0-9_\-]*", 100)]] = Field(
        default=["default"], description="rule packs, such as default"
    )
    patterns: dict[
        Annotated[str, Text("a name in capitals, such as CASE_NUMBER", r"[A-Z][A-Z0-9_]*", 60)],
        Annotated[str, Text("a pattern", longest=2_000)],
    ] = Field(
        default={},
        description="patterns of your own, entity: regular expression, in the syntax of Rust's regex (no look-around)",
    )
    ner: Annotated[
        Annotated[NoneWord, Tag("\0word")] | Annotated[list[NerModel], Field(min_length=1), Tag("\0list")],
        by_key("a list out of spacy, rampart, or the word none", words=("none",)),
    ] = Field(
        default=["spacy"],
        description="models that find names: none, or a list out of spacy, rampart and models of your own",
    )
    secrets: Annotated[
        Annotated[bool, Tag("\0flag")]
        | Annotated[
            list[Annotated[Literal["detect-secrets", "kingfisher"], Word()]], Field(min_length=1), Tag("\0list")
        ],
        by_key("true, false, or a list out of detect-secrets, kingfisher", words=()),
    ] = Field(
        default=True,
        description="whether passwords, keys and tokens are looked for, by our own rules and detect-secrets (true), "
        "or by our own rules and the scanners listed",
    )
    replace: Annotated[Literal["tag", "mask", "surrogate", "pseudonym"], Word()] = Field(
        default="tag", description="what stands in the place of a finding"
    )
    key: Given[Annotated[str, Text("where the key is found, env:NAME or file:PATH", KEY, 4096)]] = Field(
        default=None,
        description="key of pseudonyms and surrogates in text, env:NAME or file:PATH: with it equal values have equal "
        "replacements in every table; absent: in this release alone",
    )
    also_from: Given[
        Annotated[
            Annotated[NoneWord, Tag("\0word")] | Annotated[list[Name], Tag("\0list")],
            by_key("a list of columns, or the word none", words=("none",)),
        ]
    ] = Field(
        default=None,
        description="columns scrubbed from their row's text; absent: identifiers and coarser quasi-identifiers",
    )
    deduplicate: Annotated[Literal["none", "exact", "near"], Word()] = Field(
        default="none",
        description="whether a text that repeats an earlier one becomes null (near: 80 % alike after scrubbing); "
        "reads each text column whole into memory",
    )
    recall: Given[RecallShape] = Field(default=None, description="a gate on the scrubber's recall")


class MatchShape(Shape):
    """A column of the auxiliary table whose values may be off."""

    column: Name = Field(description="the column of the auxiliary table")
    tolerance: Annotated[Decimal, Number(ge=0)] = Field(
        default=Decimal(0),
        description="how far a number or date may be off, in its own unit (days of a date, seconds of a time)",
    )
    edits: Annotated[int, Number(ge=0, le=2, whole=True)] = Field(
        default=0, description="how many characters of a text may be inserted, deleted or changed"
    )


Matched = Annotated[
    Annotated[Name, Tag("\0word")] | Annotated[MatchShape, Tag("\0column")],
    by_key("the name of a column, or {column, tolerance, edits}", "column"),
]


class LinkageShape(Shape):
    """A gate on linkage with an auxiliary table."""

    auxiliary: FilePath = Field(description="the auxiliary table, relative to the policy")
    match: dict[Name, Matched] = Field(
        min_length=1, description="column of the release: column of the auxiliary table, or {column, tolerance, edits}"
    )
    max_risk: Risk = Field(description="the highest acceptable share of units linked")


class InferenceShape(Shape):
    """A gate on inference of sensitive values."""

    max_advantage: Risk = Field(description="the highest acceptable advantage over the control")


class AttacksShape(Shape):
    """Attacks run against every release, and what they may find."""

    linkage: Given[LinkageShape] = Field(default=None, description="linkage with an auxiliary table")
    inference: Given[InferenceShape] = Field(default=None, description="inference of sensitive values")
    hold_out: Annotated[Decimal, Number(ge=0, lt=1)] = Field(
        default=Decimal(0), description="share of the units held back as control"
    )
    control: Given[str] = Field(default=None, description="file of people who are not in the data, as control")


class EpsilonShape(Shape):
    """The largest epsilon at each exposure."""

    internal: Given[Epsilon] = Field(default=None, description="for use inside the organisation")
    api: Given[Epsilon] = Field(default=None, description="for a model that answers queries")
    customer_hosted: Given[Epsilon] = Field(default=None, description="for a model that runs at a customer's")
    weights: Given[Epsilon] = Field(default=None, description="for a model whose weights are public")


class TrainingShape(Shape):
    """Differentially private training."""

    exposure: Annotated[Literal["internal", "api", "customer_hosted", "weights"], Word()] = Field(
        description="who gets at the model: internal, api, customer_hosted or weights"
    )
    epsilon: EpsilonShape = Field(description="the largest epsilon at each exposure")
    delta: Annotated[Decimal, Number(gt=0, lt=1)] = Field(description="delta, such as 1.0e-6")
    accountant: Annotated[Literal["pld", "rdp", "prv"], Word()] = Field(
        default="pld", description="how privacy loss is added up"
    )
    max_records_per_unit: Given[Count] = Field(
        default=None, description="rows of one unit that are trained on, at most"
    )


class AttackLimitShape(Shape):
    """What attacks of one kind may find."""

    rate: Given[Risk] = Field(default=None, description="the highest acceptable upper end of their success")
    advantage: Given[Risk] = Field(default=None, description="the highest acceptable advantage over the control")


class ThresholdsShape(Shape):
    """Limits on what is measured beyond the guarantee: a release beyond one is refused."""

    loss: Given[Risk] = Field(default=None, description="the largest mean loss (NCP)")
    column_loss: Given[Risk] = Field(default=None, description="the largest loss of a single column")
    class_size_over_k: Given[Annotated[Decimal, Number(ge=1)]] = Field(
        default=None, description="the largest mean class size, in k"
    )
    suppressed_units: Given[Risk] = Field(default=None, description="the largest share of units without a row left")
    suppressed_group: Given[Risk] = Field(
        default=None, description="the largest share of a group's rows that may be suppressed"
    )
    highest_risk: Given[Risk] = Field(default=None, description="the highest prosecutor risk, 1 / smallest class")
    mean_risk: Given[Risk] = Field(default=None, description="the highest mean prosecutor risk")
    marketer_risk: Given[Risk] = Field(default=None, description="the highest marketer risk")
    t_against_input: Given[Risk] = Field(default=None, description="the largest t of a class against the input")
    t_moved: Given[Risk] = Field(default=None, description="how far suppression may move a sensitive distribution")
    k_if_known: Given[Count] = Field(
        default=None, description="k for an attacker who knows a keep or sensitive column too, at least"
    )
    withheld_texts: Given[Risk] = Field(default=None, description="the largest share of texts withheld as a whole")
    token_precision: Given[Risk] = Field(default=None, description="precision of masked tokens, at least")
    clean_texts: Given[Risk] = Field(default=None, description="labelled texts with nothing missed, at least")
    direct_recall: Given[Risk] = Field(default=None, description="recall of direct identifiers, at least")
    quasi_recall: Given[Risk] = Field(default=None, description="recall of quasi-identifiers in text, at least")
    attacks: dict[Name, AttackLimitShape] = Field(
        default={}, description="how the names of attacks begin, such as uniqueness: what they may find"
    )


class ThreatModelShape(Shape):
    """Whom the release is to withstand, in words; printed in the report."""

    attacker: Given[Annotated[str, Text()]] = Field(default=None, description="who might try")
    auxiliary: Given[Annotated[str, Text()]] = Field(default=None, description="what they know besides")
    exposure: Given[Annotated[str, Text()]] = Field(default=None, description="what they get to see")


class PolicyShape(Shape):
    """How a table is made safe to train on or to hand over."""

    anonym: Annotated[int, Number(ge=1, le=1, whole=True)] = Field(description="the version of this format, 1")
    name: Given[Annotated[str, Text(longest=200)]] = Field(
        default=None, description="a name for reports; absent: the file's"
    )
    reviewed: ReviewShape | None = Field(default=None, description="who reviewed it, and when; absent: a draft")
    input: InputShape = Field(default=InputShape(), description="how the input files are read")
    output: OutputShape = Field(default=OutputShape(), description="how the release is written")
    unit: Name | None = Field(
        default=None, description="the column that says to which person, account or household a row belongs"
    )
    columns: dict[Name, Column] = Field(
        min_length=1, description="every column of the input, by name or glob (a name wins), with its role"
    )
    unlisted: Annotated[Literal["refuse", "drop"], Word()] = Field(
        default="refuse", description="what becomes of a column that is not listed"
    )
    guarantee: Given[GuaranteeShape] = Field(default=None, description="what every class must satisfy, such as {k: 10}")
    search: SearchShape = Field(default=SearchShape(), description="how a recoding is looked for")
    text: TextOptionsShape = Field(default=TextOptionsShape(), description="how text columns are scrubbed")
    attacks: Given[AttacksShape] = Field(default=None, description="attacks run against every release")
    training: Given[TrainingShape] = Field(default=None, description="differentially private training")
    thresholds: ThresholdsShape = Field(
        default=ThresholdsShape(), description="limits on what is measured beyond the guarantee"
    )
    threat_model: ThreatModelShape = Field(
        default=ThreatModelShape(), description="whom the release is to withstand, in words"
    )
    batch: Annotated[Literal["own", "union"], Word()] = Field(
        default="own", description="own: this release is checked alone; union: together with the earlier ones"
    )
    order: Annotated[Literal["shuffle", "keep"], Word()] = Field(
        default="shuffle", description="the order of the released rows"
    )
    seed: Annotated[int, Number(ge=0, le=2**63 - 1, whole=True)] = Field(
        default=0, description="of search, sampling and attacks; never of keys, shuffles or noise"
    )


class _Generator(GenerateJsonSchema):
    """Defaults as numbers, and none where a key is simply absent."""

    def encode_default(self, dflt: Any) -> Any:
        return None if dflt is None or isinstance(dflt, Shape) else jsonable(dflt)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a policy, with a title and a description of every key."""
    schema = PolicyShape.model_json_schema(schema_generator=_Generator)
    _tidy(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "anonym policy, version 1",
    }


def _tidy(schema: Any) -> None:
    """Titles as written in a policy (pydantic makes headings of them: `Max Risk`), and no empty defaults."""
    if isinstance(schema, dict):
        for key, part in schema.get("properties", {}).items():
            part["title"] = key
            if part.get("default", ...) is None:
                del part["default"]
        for part in schema.get("$defs", {}).values():
            part.pop("title", None)
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        _tidy(part)


def text() -> str:
    """The content of the shipped file `rules/policy.schema.json`."""
    return json.dumps(json_schema(), indent=2) + "\n"
