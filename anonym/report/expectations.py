"""Great Expectations that keep a release a release: k, l, t, no identifiers left, suppression within its limit.

Importing this module registers them (extra `gx`). They run on pandas and on SQL batches. Every column of a batch that
the release did not have counts as known to the attacker: whoever joins one more column splits the classes. Results
hold counts and column names, never a value. On SQL, classes and units leave the database as ranks; of a sensitive
column its values and their counts do, since distances and folding need them, and are dropped once measured.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")  # no telemetry, unless somebody asked for it

from great_expectations import ExpectationSuite
from great_expectations.execution_engine import PandasExecutionEngine, SqlAlchemyExecutionEngine
from great_expectations.expectations.expectation import BatchExpectation, render_suite_parameter_string
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
from great_expectations.render import LegacyRendererType, RenderedStringTemplateContent
from great_expectations.render.renderer.renderer import renderer
from great_expectations.render.renderer_configuration import RendererValueType
from great_expectations.validator.metric_configuration import MetricConfiguration

from anonym.errors import InputError
from anonym.io import guarded
from anonym.io.source import file_sha256
from anonym.report import batches, measuring
from anonym.rules import rules_folder

__all__ = [
    "ExpectReleaseKAnonymous",
    "ExpectReleaseLDiverse",
    "ExpectReleaseNoIdentifiersLeft",
    "ExpectReleaseSuppressionWithinLimit",
    "ExpectReleaseTClose",
    "load_suite",
]


def load_suite(path: str | Path) -> Any:
    """The suite that `anonym expectations` wrote, as great_expectations.ExpectationSuite.

    Hierarchy files are looked for from the suite's folder. Raises InputError where one is missing or not the same.
    """
    place = Path(path)
    content = json.loads(place.read_text(encoding="utf-8"))
    for given in (one["kwargs"] for one in content["expectations"]):
        if isinstance(given.get("hierarchy"), dict):
            given["hierarchy"] = str(_hierarchy(given["hierarchy"], place.absolute().parent))
    return ExpectationSuite(**content)


def _hierarchy(told: Mapping[str, str], folder: Path) -> Path:
    file = rules_folder() / told["shipped"] if "shipped" in told else folder / told["path"]
    with guarded(f"reading the hierarchy {file.name}"):
        found = file_sha256(file)
    if found != told["sha256"]:
        raise InputError(f"the hierarchy {file.name} is not the one that the suite was written for: write it again")
    return file


# metrics -------------------------------------------------------------------------------------------------------------


class _OfColumns(TableMetricProvider):  # type: ignore[misc]
    """A metric that needs the names of the batch's columns."""

    @classmethod
    def _get_evaluation_dependencies(
        cls, metric: Any, configuration: Any = None, execution_engine: Any = None, runtime_configuration: Any = None
    ) -> dict[str, Any]:
        found: dict[str, Any] = super()._get_evaluation_dependencies(
            metric, configuration, execution_engine, runtime_configuration
        )
        return found | {"table.columns": MetricConfiguration("table.columns", metric.metric_domain_kwargs)}


class ReleasedRows(_OfColumns):
    """The class, sensitive value and unit of each row; see `batches`."""

    metric_name = "anonym.released_rows"
    value_keys = ("quasi", "released", "column", "unit", "masks")

    @metric_value(engine=PandasExecutionEngine)  # type: ignore[untyped-decorator]
    def _pandas(
        cls, execution_engine: Any, metric_domain_kwargs: Any, metric_value_kwargs: Any, metrics: Any, **_: Any
    ) -> Any:
        table = execution_engine.get_compute_domain(metric_domain_kwargs, domain_type="table")[0]
        return batches.rows_of_pandas(table, batches.Wanted.of(metric_value_kwargs, metrics["table.columns"]))

    @metric_value(engine=SqlAlchemyExecutionEngine)  # type: ignore[untyped-decorator]
    def _sql(
        cls, execution_engine: Any, metric_domain_kwargs: Any, metric_value_kwargs: Any, metrics: Any, **_: Any
    ) -> Any:
        table = execution_engine.get_compute_domain(metric_domain_kwargs, domain_type="table")[0]
        wanted = batches.Wanted.of(metric_value_kwargs, metrics["table.columns"])
        return batches.rows_of_sql(execution_engine, table, wanted)


class LeftIdentifiers(_OfColumns):
    """Counts of what looks like an identifier that is left; see `batches`."""

    metric_name = "anonym.left_identifiers"
    value_keys = ("gone", "redacted", "tokens", "unsearched", "texts", "rules")

    @metric_value(engine=PandasExecutionEngine)  # type: ignore[untyped-decorator]
    def _pandas(
        cls, execution_engine: Any, metric_domain_kwargs: Any, metric_value_kwargs: Any, metrics: Any, **_: Any
    ) -> Any:
        table = execution_engine.get_compute_domain(metric_domain_kwargs, domain_type="table")[0]
        return batches.left_in_pandas(table, metric_value_kwargs, metrics["table.columns"])

    @metric_value(engine=SqlAlchemyExecutionEngine)  # type: ignore[untyped-decorator]
    def _sql(
        cls, execution_engine: Any, metric_domain_kwargs: Any, metric_value_kwargs: Any, metrics: Any, **_: Any
    ) -> Any:
        table = execution_engine.get_compute_domain(metric_domain_kwargs, domain_type="table")[0]
        return batches.left_in_sql(execution_engine, table, metric_value_kwargs, metrics["table.columns"])


class _Rendered(BatchExpectation):  # type: ignore[misc]
    """An expectation that data docs say in `words`, with the arguments that `said` names and types."""

    words: ClassVar[str] = ""
    said: ClassVar[dict[str, str]] = {}

    @classmethod
    def _prescriptive_template(cls, renderer_configuration: Any) -> Any:
        for name, kind in cls.said.items():
            renderer_configuration.add_param(name=name, param_type=getattr(RendererValueType, kind))
        renderer_configuration.template_str = cls.words
        return renderer_configuration

    @classmethod
    @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)  # type: ignore[untyped-decorator]
    @render_suite_parameter_string  # type: ignore[untyped-decorator]
    def _prescriptive_renderer(
        cls, configuration: Any = None, result: Any = None, runtime_configuration: Any = None
    ) -> list[Any]:
        given = configuration.kwargs if configuration is not None else result.expectation_config.kwargs
        styling = (runtime_configuration or {}).get("styling", {})
        template = {"template": cls.words, "params": {name: given.get(name) for name in cls.said}, "styling": styling}
        return [RenderedStringTemplateContent(content_block_type="string_template", string_template=template)]


# expectations --------------------------------------------------------------------------------------------------------


class _OfRelease(_Rendered):
    """What all of them share: the columns of the release, its quasi-identifiers, and how they judge."""

    quasi: list[str]
    released: list[str]
    column: str | None = None
    unit: str | None = None
    linkable: bool = False
    masks: bool = False

    metric_dependencies = (ReleasedRows.metric_name,)
    domain_keys: ClassVar[tuple[str, ...]] = ("batch_id", "table")
    success_keys: ClassVar[tuple[str, ...]] = ("quasi", "released", "column", "unit", "masks")

    def _validate(self, metrics: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        rows = metrics[ReleasedRows.metric_name]
        if rows.missing:
            return {"success": False, "result": {"observed_value": f"columns missing: {', '.join(rows.missing)}"}}
        success, observed, details = self._judge(rows)
        details |= {"rows": rows.frame.height, "columns_added": list(rows.added)}
        return {"success": success, "result": {"observed_value": observed, "details": details}}

    def _judge(self, rows: batches.Rows) -> tuple[bool, Any, dict[str, Any]]:
        raise NotImplementedError


class ExpectReleaseKAnonymous(_OfRelease):
    """Every class of the quasi-identifiers, and of any column added since, has at least `k` members."""

    k: int

    success_keys: ClassVar[tuple[str, ...]] = (*_OfRelease.success_keys, "k", "linkable")
    args_keys = ("k",)
    said: ClassVar[dict[str, str]] = {"k": "NUMBER"}
    words: ClassVar[str] = "Every class of the release must have at least $k members."

    def _judge(self, rows: batches.Rows) -> tuple[bool, Any, dict[str, Any]]:
        return measuring.k_of(rows, self.k, linkable=self.linkable)


class ExpectReleaseLDiverse(_OfRelease):
    """Every class has `l` (recursively: `c`, `l`) well-represented values of `column`."""

    kind: str
    l: int | float  # noqa: E741  the field's own letter
    c: float | None = None
    bins: list[Any] | None = None

    success_keys: ClassVar[tuple[str, ...]] = (*_OfRelease.success_keys, "kind", "l", "c", "bins")
    args_keys = ("column", "kind", "l")
    said: ClassVar[dict[str, str]] = {"column": "STRING", "kind": "STRING", "l": "NUMBER"}
    words: ClassVar[str] = "Every class must have $kind l of at least $l in $column."

    def _judge(self, rows: batches.Rows) -> tuple[bool, Any, dict[str, Any]]:
        wanted = ("recursive", self.c, int(self.l)) if self.kind == "recursive" else (self.kind, self.l)
        return measuring.l_of(rows, wanted, self.bins)


class ExpectReleaseTClose(_OfRelease):
    """No class's values of `column` are farther than `max` from those of all rows."""

    max: float
    distance: str
    order: list[str] | None = None
    hierarchy: str | None = None
    bins: list[Any] | None = None

    success_keys: ClassVar[tuple[str, ...]] = (
        *_OfRelease.success_keys,
        *("max", "distance", "order", "hierarchy", "bins"),
    )
    args_keys = ("column", "max", "distance")
    said: ClassVar[dict[str, str]] = {"column": "STRING", "max": "NUMBER", "distance": "STRING"}
    words: ClassVar[str] = "The $distance distance of any class in $column must be at most $max."

    def _judge(self, rows: batches.Rows) -> tuple[bool, Any, dict[str, Any]]:
        return measuring.t_of(rows, (self.max, self.distance, self.order, self.hierarchy), self.bins)


class ExpectReleaseSuppressionWithinLimit(_OfRelease):
    """At most `limit_rows` of `rows_in` input rows are missing, and no more rows are there than were released."""

    rows_in: int
    rows_out: int
    limit_rows: int

    success_keys: ClassVar[tuple[str, ...]] = (*_OfRelease.success_keys, "rows_in", "rows_out", "limit_rows")
    args_keys = ("rows_in", "rows_out", "limit_rows")
    said: ClassVar[dict[str, str]] = {"rows_in": "NUMBER", "rows_out": "NUMBER", "limit_rows": "NUMBER"}
    words: ClassVar[str] = (
        "Of $rows_in input rows at most $limit_rows may be missing, and at most $rows_out may be there."
    )

    def _judge(self, rows: batches.Rows) -> tuple[bool, Any, dict[str, Any]]:
        there = rows.frame.height
        missing = self.rows_in - there
        return missing <= self.limit_rows and there <= self.rows_out, missing, {}


class ExpectReleaseNoIdentifiersLeft(_Rendered):
    """Dropped columns are gone, redacted ones hold one mark, tokens are tokens, no cell looks like an address, and the
    scrubber's rules find nothing in a text.

    `gone`: columns that may not be there. `unsearched`: columns whose cells may hold addresses (surrogates). `texts`:
    columns that `rules` (language, packs, secrets and patterns of the policy; no models) are run on.
    """

    gone: list[str]
    redacted: list[str]
    tokens: list[str]
    unsearched: list[str]
    texts: list[str]
    rules: dict[str, Any]

    metric_dependencies = (LeftIdentifiers.metric_name,)
    domain_keys: ClassVar[tuple[str, ...]] = ("batch_id", "table")
    success_keys: ClassVar[tuple[str, ...]] = LeftIdentifiers.value_keys
    args_keys = ("gone",)
    words: ClassVar[str] = "No identifier may be left."

    def _validate(self, metrics: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        left: Mapping[str, Sequence[str] | Mapping[str, int]] = metrics[LeftIdentifiers.metric_name]
        total = sum(len(part) for part in left.values())
        return {"success": not total, "result": {"observed_value": total, "details": dict(left)}}
