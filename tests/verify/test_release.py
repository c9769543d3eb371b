"""A release against its input: a good one passes, and each way of spoiling it is noticed by the check made for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonym.verify.aligned import Check
from anonym.verify.facts import Closeness, Facts, IdentifierFact, KeepFact, QuasiFact, SensitiveFact
from anonym.verify.measure import Measured
from anonym.verify.release import verify_release

PEOPLE = 60
FACTS = Facts(
    quasi=(
        QuasiFact("age", ("age",), kind="interval", parameters=(10,)),
        QuasiFact("zip", ("zip",), kind="prefix", parameters=(3,)),
        QuasiFact("joined", ("joined_low", "joined_high"), "bounds", "date", ("year",)),
        QuasiFact("height", ("height",), kind="interval", parameters=(50,)),
    ),
    sensitive=(SensitiveFact("dx", ("distinct", 2), Closeness(0.9)), SensitiveFact("pay", t=Closeness(0.9, "ordered"))),
    keep=(KeepFact("plan"), KeepFact("score", True)),
    identifiers=(
        IdentifierFact("person", True, "pseudonym"),
        IdentifierFact("name", False, "dropped"),
        IdentifierFact("mail", True, "redacted"),
    ),
    text=("note",),
    dropped=("internal",),
    unit="person",
    linkable=True,
    k=3,
    suppression_limit_rows=2,
)


def token(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:32]


@dataclass
class Scene:
    """An input, its release (row 5 and row 77 suppressed, the rest reversed), and what aligns the two."""

    original: pl.DataFrame
    released: pl.DataFrame
    alignment: pl.DataFrame
    facts: Facts = FACTS
    schema: dict[str, pl.DataType] = field(default_factory=dict)

    def verify(self, path: Path | None = None) -> tuple[Measured, list[Check]]:
        release: Any = self.released
        if path is not None:
            self.released.write_parquet(path)
            release = path
        return verify_release(release, self.original.lazy(), self.alignment, self.facts, self.schema)


def scene() -> Scene:
    rows = 2 * PEOPLE
    who = [i % PEOPLE for i in range(rows)]
    original = pl.DataFrame(
        {
            "person": [f"P-{i:04}" for i in who],
            "name": [f"Odalys Brenthwick{i}" for i in who],
            "mail": [f"o{i:03}@mail.example" for i in who],
            "age": [20 + i % 20 for i in who],
            "zip": [f"112{i % 10:02}" for i in who],
            "joined": [date(2020, 1 + i % 12, 1 + i % 28) for i in who],
            "height": [150.5 + i % 3 for i in who],
            "dx": ["flu", "gout", None, "ulcer"] * (rows // 4),
            "pay": [float("nan") if i % 7 == 0 else -0.0 if i % 7 == 1 else float(i % 5) for i in range(rows)],
            "plan": ["free", "gold"] * PEOPLE,
            "score": [i / 7 for i in range(rows)],
            "note": [f"{who[i]} called, Odalys Brenthwick{who[i]} was angry" for i in range(rows)],
            "internal": list(range(rows)),
        }
    )
    kept = [i for i in range(rows) if i not in (5, 77)][::-1]
    low = pl.col("age") // 10 * 10
    released = original[kept].select(
        pl.col("person").map_elements(token, pl.String),
        mail=pl.lit("[REDACTED]"),
        age=low.cast(pl.String) + "-" + (low + 9).cast(pl.String),
        zip=pl.lit("112**"),
        joined_low=pl.lit(date(2020, 1, 1)),
        joined_high=pl.lit(date(2020, 12, 31)),
        height=pl.lit("[150, 200)"),
        dx="dx",
        pay=pl.when(pl.col("pay") == 0).then(0.0).when(pl.col("pay").is_not_nan()).then("pay"),
        plan="plan",
        score="score",
        note=pl.lit("<PERSON> was angry"),
    )
    alignment = pl.DataFrame({"row": pl.Series(kept, dtype=pl.UInt32), "unit": original["person"][kept]})
    return Scene(original, released, alignment, schema=dict(released.schema))


def failed(checks: list[Check]) -> list[str]:
    return [check.name for check in checks if not check.held]


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_good_release_passes(on_disk: bool, tmp_path: Path) -> None:
    measured, checks = scene().verify(tmp_path / "r.parquet" if on_disk else None)
    assert failed(checks) == []
    assert len(checks) > 20
    assert (measured.rows, measured.units, measured.counted) == (118, 60, "units")
    assert (measured.k or 0) >= 3
    assert measured.closeness[0].against_input is not None


def cell(column: str, row: int, value: Any) -> Callable[[Scene], None]:
    def change(scene: Scene) -> None:
        is_row = pl.int_range(pl.len()) == row
        value_ = pl.lit(value, scene.released.schema[column])
        scene.released = scene.released.with_columns(pl.when(is_row).then(value_).otherwise(column).alias(column))

    return change


def own(column: str, of: str, row: int) -> Callable[[Scene], None]:
    """The released row's own original of another column, put into a cell."""

    def change(scene: Scene) -> None:
        cell(column, row, scene.original[of][scene.alignment["row"][row]])(scene)

    return change


def add_row(scene: Scene) -> None:
    scene.released = pl.concat([scene.released, scene.released[:1]])


def add_row_and_line(scene: Scene) -> None:
    add_row(scene)
    scene.alignment = pl.concat([scene.alignment, scene.alignment[:1]])


def swap_lines(scene: Scene) -> None:
    """Rows 0 and 1 of the release are said to be each other's."""
    scene.alignment = pl.concat([scene.alignment[1:2], scene.alignment[:1], scene.alignment[2:]])


def shift_lines(scene: Scene) -> None:
    scene.alignment = scene.alignment.with_columns(row=pl.col("row") + 100)


def lose_rows(scene: Scene) -> None:
    scene.released, scene.alignment = scene.released[:-1], scene.alignment[:-1]


def facts(**changes: Any) -> Callable[[Scene], None]:
    def change(scene: Scene) -> None:
        scene.facts = replace(scene.facts, **changes)

    return change


def columns(change_: Callable[[pl.DataFrame], pl.DataFrame], *, declared: bool) -> Callable[[Scene], None]:
    def change(scene: Scene) -> None:
        scene.released = change_(scene.released)
        if declared:
            scene.schema = dict(scene.released.schema)

    return change


def split_class(scene: Scene) -> None:
    """One unit's rows alone in a class, every cell still true."""
    wanted = scene.alignment["unit"] == "P-0020"
    ages = pl.when(wanted).then(pl.lit("20")).otherwise("age")
    scene.released = scene.released.with_columns(age=ages)


def all_one_mail(scene: Scene) -> None:
    """One address for everybody, left as it was."""
    mail = pl.lit("office@mail.example")
    scene.original, scene.released = scene.original.with_columns(mail=mail), scene.released.with_columns(mail=mail)


def one_token(scene: Scene) -> None:
    scene.released = scene.released.with_columns(person=pl.lit(token("x")))


def raw_tokens(scene: Scene) -> None:
    scene.released = scene.released.with_columns(person=scene.original["person"].gather(scene.alignment["row"]))


def mask_two(scene: Scene, *, left: str | None = None) -> None:
    """Rows 0 and 1 masked instead of dropped; `left` says in which column something stays."""
    gone = pl.int_range(pl.len()) < 2
    emptied = [pl.when(~gone).then(name).alias(name) for name in scene.released.columns if name != left]
    scene.released = scene.released.with_columns(*emptied).with_columns(suppressed=gone)
    scene.schema = dict(scene.released.schema)
    scene.facts = replace(scene.facts, suppression_limit_rows=4)


def enum(values: list[str]) -> Callable[[Scene], None]:
    return columns(lambda frame: frame.with_columns(zip=pl.col("zip").cast(pl.Enum(values))), declared=True)


GUARANTEE = "guarantee"
MUTATIONS: dict[str, tuple[Callable[[Scene], None], str]] = {
    "a label that does not cover": (cell("age", 3, "80-89"), "cells of age cover their originals"),
    "a null label": (cell("age", 3, None), "cells of age cover their originals"),
    "a raw float": (cell("height", 3, "199.5"), "cells of height cover their originals"),
    "another prefix": (cell("zip", 3, "113**"), "cells of zip cover their originals"),
    "a bound too high": (cell("joined_low", 3, date(2020, 12, 30)), "cells of joined cover their originals"),
    "one sensitive value": (cell("dx", 3, "measles"), "values of dx unchanged"),
    "a sensitive value became null": (cell("dx", 4, None), "values of dx unchanged"),
    "null became a sensitive value": (cell("dx", 1, "flu"), "values of dx unchanged"),
    "a number for a null": (cell("pay", 0, 3.5), "values of pay unchanged"),
    "a keep value": (cell("score", 3, 0.1), "values of score unchanged"),
    "a negative zero": (cell("pay", 0, -0.0), "negative zeros"),
    "a NaN": (cell("pay", 0, float("nan")), "NaN"),
    "a row too many": (add_row, "rows aligned"),
    "a row twice": (add_row_and_line, "rows distinct"),
    "a row of nowhere": (shift_lines, "rows distinct"),
    "rows mixed up": (swap_lines, "values of score unchanged"),
    "more suppressed than allowed": (lose_rows, "suppression"),
    "no suppression allowed": (facts(suppression_limit_rows=None), "suppression"),
    "a class of one unit": (split_class, GUARANTEE),
    "k not reached": (facts(k=40), GUARANTEE),
    "profiles of few units": (lambda s: (split_class(s), facts(linkable=False)(s)), GUARANTEE),  # type: ignore[func-returns-value]
    "l not reached": (facts(sensitive=(SensitiveFact("dx", ("distinct", 4)), SensitiveFact("pay"))), GUARANTEE),
    "t not reached": (facts(sensitive=(SensitiveFact("dx", t=Closeness(0.0)), SensitiveFact("pay"))), GUARANTEE),
    "a rare keep value": (facts(keep=(KeepFact("plan"), KeepFact("score"))), "rare keep values"),
    "a redacted value": (cell("mail", 3, "o001@mail.example"), "identifier mail redacted"),
    "nothing redacted": (lambda s: all_one_mail(s), "identifier mail redacted"),
    "one token for all": (one_token, "identifier person pseudonymised"),
    "a second token for one value": (cell("person", 3, token("y")), "identifier person pseudonymised"),
    "tokens that are the values": (raw_tokens, "identifier person pseudonymised"),
    "an identifier among tokens": (cell("person", 3, "Odalys Brenthwick7"), "identifiers in person"),
    "somebody's mail for a text": (cell("note", 3, "o001@mail.example"), "identifiers in note"),
    "the own name in the text": (own("note", "name", 3), "own identifiers in note"),
    "the own name in other case": (
        lambda s: cell("note", 3, f"Call {s.original['name'][s.alignment['row'][3]].upper()}!")(s),
        "own identifiers in note",
    ),
    "the own name as a keep value": (own("plan", "name", 3), "identifiers in plan"),
    "a column too many": (columns(lambda f: f.with_columns(extra=pl.lit(1)), declared=False), "schema"),
    "a column without a role": (columns(lambda f: f.with_columns(extra=pl.lit(1)), declared=True), "schema"),
    "a dropped column": (columns(lambda f: f.with_columns(internal=pl.lit(1)), declared=True), "schema"),
    "a column missing": (columns(lambda f: f.drop("plan"), declared=True), "schema"),
    "another type": (columns(lambda f: f.cast({"score": pl.Float32}), declared=False), "schema"),
    "another order": (columns(lambda f: f.select(f.columns[::-1]), declared=False), "schema"),
    "categories that no row has": (enum(["112**", "11299"]), "categories of zip"),
    "unit codes that merge units": (
        lambda s: setattr(s, "alignment", s.alignment.with_columns(unit=pl.lit(1))),
        "unit codes",
    ),
    "no unit codes": (lambda s: setattr(s, "alignment", s.alignment.drop("unit")), "unit codes"),
    "something left in a masked row": (lambda s: mask_two(s, left="zip"), "cells of age cover their originals"),
}  # fmt: skip


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("name", MUTATIONS)
def test_every_spoilt_release_is_noticed(name: str, is_large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large tables are learnt batch by batch, and counted by compiled loops."""
    if is_large:
        for module in ("codes", "reading"):
            monkeypatch.setattr(f"anonym.verify.{module}.LARGE", 0)
        monkeypatch.setattr("anonym.verify.reading.BATCH", 7)
    spoil, check = MUTATIONS[name]
    case = scene()
    spoil(case)
    _, checks = case.verify()
    assert check in failed(checks)
    shown = " ".join(check.detail for check in checks)
    assert not any(value in shown for value in ("Odalys", "mail.example", "P-00", "measles", "113**"))


def test_other_changes_are_harmless() -> None:
    harmless: list[Callable[[Scene], None]] = [
        cell("age", 3, "*"),
        cell("note", 3, None),
        cell("note", 3, "o0017 and Odalys Brenthwick called"),
        enum(["112**"]),
        mask_two,
    ]
    for change in harmless[2:]:
        case = scene()
        change(case)
        assert failed(case.verify()[1]) == []
    for change in harmless[:2]:
        case = scene()
        change(case)
        assert not [name for name in failed(case.verify()[1]) if name != GUARANTEE]


def test_masked_rows_are_suppressed_rows() -> None:
    case = scene()
    mask_two(case)
    measured, checks = case.verify()
    assert failed(checks) == []
    assert (measured.rows, measured.suppressed) == (118, 2)
    case.facts = replace(case.facts, suppression_limit_rows=3)
    assert failed(case.verify()[1]) == ["suppression"]


@pytest.mark.parametrize(
    ("word", "harmless"), [("unknown", True), ("1200", True), ("0612345678", False), ("A-17", False)]
)
def test_plain_words_and_short_numbers_are_compared_with_their_own_row_only(word: str, harmless: bool) -> None:
    """Somebody's user name may be a word that stands in anybody's text."""
    case = scene()
    case.original = case.original.with_columns(
        name=pl.when(pl.col("person") == "P-0007").then(pl.lit(word)).otherwise("name")
    )
    cell("note", 3, word)(case)
    assert failed(case.verify()[1]) == ([] if harmless else ["identifiers in note"])
    case.released = scene().released
    cell("note", int((case.alignment["unit"] == "P-0007").arg_max() or 0), f"is {word}.")(case)
    assert failed(case.verify()[1]) == ["own identifiers in note"]


def test_columns_scrubbed_from_text_may_be_declared() -> None:
    case = scene()
    own("note", "name", 3)(case)
    case.facts = replace(case.facts, text_from=("mail",))
    assert "own identifiers in note" not in failed(case.verify()[1])


def test_names_shared_by_many_may_be_spelt_like_a_label() -> None:
    """A diagnosis that is somebody's surname is no leak while enough people have it."""
    case = scene()
    case.original = case.original.with_columns(name=pl.lit("ulcer"))
    assert failed(case.verify()[1]) == []


def test_footer_metadata_is_looked_at(tmp_path: Path) -> None:
    case = scene()
    path = tmp_path / "r.parquet"
    case.released.write_parquet(path, metadata={"made_by": "somebody"})
    _, checks = verify_release(path, case.original.lazy(), case.alignment, case.facts, case.schema)
    assert failed(checks) == ["metadata"]


@pytest.mark.parametrize("content", [b"", b"PAR1 not a parquet file PAR1"])
def test_a_file_that_does_not_open(content: bytes, tmp_path: Path) -> None:
    case = scene()
    path = tmp_path / "r.parquet"
    path.write_bytes(content)
    measured, checks = verify_release(path, case.original.lazy(), case.alignment, case.facts, case.schema)
    assert failed(checks) == ["file"]
    assert measured.k is None


def test_csv_tells_null_and_empty_text_apart_no_more(tmp_path: Path) -> None:
    case = scene()
    case.original = case.original.with_columns(dx=pl.when(pl.col("dx") == "flu").then(pl.lit("")).otherwise("dx"))
    case.released = case.released.with_columns(dx=case.original["dx"].gather(case.alignment["row"]))
    path = tmp_path / "r.csv"
    case.released.write_csv(path)
    _, checks = verify_release(path, case.original.lazy(), case.alignment, case.facts, case.schema)
    assert failed(checks) == []


def test_an_empty_release_of_an_empty_input() -> None:
    case = scene()
    case.original, case.released, case.alignment = case.original.clear(), case.released.clear(), case.alignment.clear()
    measured, checks = case.verify()
    assert failed(checks) == []
    assert (measured.k, measured.sizes.count) == (None, 0)


def test_everything_suppressed_is_within_a_limit_of_all() -> None:
    case = scene()
    case.released, case.alignment = case.released.clear(), case.alignment.clear()
    assert failed(case.verify()[1]) == ["suppression"]
    case.facts = replace(case.facts, suppression_limit_rows=2 * PEOPLE)
    assert failed(case.verify()[1]) == []


def test_small_batches_judge_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns are read few at a time, and text in slices."""
    whole = scene().verify()
    monkeypatch.setattr("anonym.verify.aligned.CELLS", 200)
    monkeypatch.setattr("anonym.verify.release.SLICE", 7)
    assert scene().verify() == whole
    case = scene()
    name = case.original["name"][case.alignment["row"][100]]
    cell("note", 100, f"{name} called")(case)
    mask_two(case)
    assert failed(case.verify()[1]) == ["own identifiers in note"]
