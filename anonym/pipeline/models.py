"""Two models that learn a column from the others, and how well they do on untouched rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonym.errors import CallError

CLASSES = 20
FREQUENT = 40
"""Categories of one column that a model tells apart; rarer ones are one."""

GROUP_ROWS = 100
GROUP_VALUES = 8
MODELS = ("logistic regression", "gradient boosting")


@dataclass(frozen=True)
class Group:
    """Accuracy among the tested rows with one value of a column, at least GROUP_ROWS of them."""

    column: str
    group: str
    rows: int
    balanced_accuracy: float | None


@dataclass(frozen=True)
class Accuracy:
    """Of one model on untouched rows: area under the ROC curve (macro, one against the rest) and balanced accuracy."""

    model: str
    auc: float | None
    balanced_accuracy: float | None
    groups: tuple[Group, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        groups = [vars(group) for group in self.groups]
        return {"model": self.model, "auc": self.auc, "balanced_accuracy": self.balanced_accuracy, "groups": groups}


@dataclass(frozen=True)
class Task:
    """What is learnt: `target` from `features`; `tested` are (rows) that no release was made of."""

    target: str
    features: tuple[str, ...]
    tested: pl.DataFrame
    cut: float | None  # numbers of many values are learnt as above or below their median
    notes: tuple[str, ...]

    @classmethod
    def of(cls, table: pl.DataFrame, target: str, features: Sequence[str], *, tested: pl.DataFrame) -> Task:
        """Raises CallError for a target that is constant or has too many classes, or without scikit-learn."""
        try:
            import sklearn  # noqa: F401
        except ImportError:
            raise CallError("a target needs scikit-learn: pip install 'anonym[tune]'") from None
        values = table[target].drop_nulls()
        cut = None
        if values.n_unique() > CLASSES and values.dtype.is_numeric():
            cut = float(values.median())  # type: ignore[arg-type]
        elif not 2 <= values.n_unique() <= CLASSES:
            raise CallError(f"the target {target} has {values.n_unique()} values: name a column with 2 to {CLASSES}")
        usable = tuple(name for name in features if _is_usable(table.schema[name]))
        if not usable:
            raise CallError("no released column is left to learn from")
        notes = [f"the target {target} is learnt as above or below its median"] if cut is not None else []
        left = [name for name in features if name not in usable]
        notes += [f"not read by the models: {', '.join(left)}"] if left else []
        return cls(target, usable, tested.filter(pl.col(target).is_not_null()), cut, tuple(notes))

    def measure(self, train: pl.DataFrame) -> tuple[Accuracy, ...]:
        """Both models, trained on `train`, on the tested rows. A column that `train` lacks is not used."""
        names = [name for name in self.features if name in train.columns]
        train = train.filter(pl.col(self.target).is_not_null())
        goal = self._goal(train)
        if not names or len(set(goal)) < 2:
            return tuple(Accuracy(model, None, None) for model in MODELS)
        coded, columns = _coded(train.select(names), self.tested.select(names))
        return tuple(self._measured(model, coded, columns, goal) for model in MODELS)

    def _goal(self, table: pl.DataFrame) -> NDArray[Any]:
        values = table[self.target]
        if self.cut is not None:
            return (values > self.cut).to_numpy()
        return values.cast(pl.String).to_numpy()

    def _measured(
        self, model: str, coded: tuple[NDArray[Any], NDArray[Any]], columns: list[bool], goal: NDArray[Any]
    ) -> Accuracy:
        from sklearn.metrics import balanced_accuracy_score

        fitted = _fitted(model, coded[0], columns, goal)
        truth = self._goal(self.tested)
        said = fitted.predict(coded[1])
        score = float(balanced_accuracy_score(truth, said))
        return Accuracy(model, _auc(fitted, coded[1], truth), score, tuple(self._groups(truth, said)))

    def _groups(self, truth: NDArray[Any], said: NDArray[Any]) -> Iterator[Group]:
        """Accuracy by the values of every column that has few of them."""
        from sklearn.metrics import balanced_accuracy_score

        for name in self.features:
            values = self.tested[name]
            if not 2 <= values.n_unique() <= GROUP_VALUES:
                continue
            for value in values.unique().sort():
                here = (values.is_null() if value is None else values == value).fill_null(False).to_numpy()
                if here.sum() >= GROUP_ROWS:
                    two = len(set(truth[here])) > 1
                    score = float(balanced_accuracy_score(truth[here], said[here])) if two else None
                    yield Group(name, "null" if value is None else str(value), int(here.sum()), score)


def _is_usable(dtype: pl.DataType) -> bool:
    return (
        dtype.is_numeric()
        or dtype == pl.Boolean
        or isinstance(dtype, pl.String | pl.Categorical | pl.Enum | pl.Date | pl.Datetime)
    )


def _coded(train: pl.DataFrame, test: pl.DataFrame) -> tuple[tuple[NDArray[Any], NDArray[Any]], list[bool]]:
    """Both tables as (rows, columns) float64, and which columns are categories; the codes come from `train`."""
    parts: tuple[list[NDArray[Any]], list[NDArray[Any]]] = ([], [])
    categories = []
    for name in train.columns:
        known, other = train[name], test[name]
        is_category = not (other.dtype.is_numeric() or other.dtype.is_temporal())
        categories.append(is_category)
        frequent = (
            known.cast(pl.String).drop_nulls().value_counts(sort=True).head(FREQUENT)[name] if is_category else None
        )
        for part, column in zip(parts, (known, other), strict=True):
            part.append(_numbers(column, frequent, other.dtype))
    return (np.column_stack(parts[0]), np.column_stack(parts[1])), categories


def _numbers(column: pl.Series, frequent: pl.Series | None, dtype: pl.DataType) -> NDArray[np.float64]:
    if frequent is not None:
        places = {value: place + 1.0 for place, value in enumerate(frequent)}
        return np.array(
            [math.nan if v is None else places.get(v, 0.0) for v in column.cast(pl.String)], dtype=np.float64
        )
    if dtype.is_temporal():
        column = column.cast(dtype).to_physical()
    return column.cast(pl.Float64).fill_null(math.nan).to_numpy()


def _fitted(model: str, rows: NDArray[Any], categories: list[bool], goal: NDArray[Any]) -> Any:
    if model == MODELS[1]:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(categorical_features=np.array(categories), random_state=0).fit(rows, goal)
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = [place for place, is_category in enumerate(categories) if not is_category]
    words = [place for place, is_category in enumerate(categories) if is_category]
    scaled = make_pipeline(SimpleImputer(add_indicator=True, keep_empty_features=True), StandardScaler())
    columns = ColumnTransformer(
        [("numbers", scaled, numbers), ("words", OneHotEncoder(handle_unknown="ignore"), words)], sparse_threshold=0
    )
    return make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(rows, goal)


def _auc(fitted: Any, rows: NDArray[Any], truth: NDArray[Any]) -> float | None:
    """Over the classes that both training and tested rows have; None with fewer than two."""
    from sklearn.metrics import roc_auc_score

    shares, classes = fitted.predict_proba(rows), list(fitted.classes_)
    areas = []
    for place, label in enumerate(classes):
        is_label = truth == label
        if is_label.any() and not is_label.all():
            areas.append(float(roc_auc_score(is_label, shares[:, place])))
    return sum(areas) / len(areas) if areas else None
