"""A table of tamperings with cells, rows, files and figures, each by itself: `verify` tells it from the files alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from anonym.errors import AnonymError
from anonym.pipeline import apply_files
from anonym.pipeline.recomputing import Line, recompute
from anonym.pipeline.told_by_files import Named

Change = Callable[[], None]
REPORT = Path("out.report.json")
KEY = "0123456789abcdef0123456789abcdef"
POLICY: dict[str, Any] = {
    "anonym": 1,
    "name": "people",
    "reviewed": {"by": "J. Doe, DPO", "date": "2026-11-30"},
    "threat_model": {"attacker": "a colleague"},
    "thresholds": {"loss": 0.9},
    "columns": {
        "id": {"role": "identifier", "action": "pseudonym", "key": "env:ANONYM_TEST_KEY"},
        "age": {"role": "quasi", "hierarchy": {"interval": [5, 10, 20]}},
        "zip": {"role": "quasi", "hierarchy": {"prefix": [3, 2]}},
        "dx": {"role": "sensitive", "l": {"distinct": 2}, "t": {"max": 0.7, "distance": "equal"}},
        "pay": {"role": "sensitive"},
        "plan": {"role": "keep"},
        "note": {"role": "text"},
    },
    "text": {"ner": "none"},
    "guarantee": {"k": 5, "suppression": {"max": 0.1}},
    "search": {"strategy": "global"},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A release with its report, plan and page."""
    rows = range(900)
    table = {
        "id": [f"person-{row}" for row in rows],
        "age": [18 + row * 7 % 60 for row in rows],
        "zip": [f"{100 + row * 13 % 37}{row % 7}" for row in rows],
        "dx": ["aabc"[row % 4] for row in rows],
        "pay": [1000 + row % 5 for row in rows],
        "plan": ["free" if row % 3 else "paid" for row in rows],
        "note": [f"mail me {row} times at user{row}@mail.example" for row in rows],
    }
    folder = tmp_path_factory.mktemp("tampering")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANONYM_TEST_KEY", KEY)
        patch.chdir(folder)
        pl.DataFrame(table).write_parquet("in.parquet")
        Path("policy.yaml").write_text(yaml.safe_dump(POLICY, sort_keys=False), encoding="utf-8")
        apply_files("policy.yaml", ["in.parquet"], Path("out.parquet"))
        yield folder


@pytest.fixture
def release(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy to tamper with, without its input."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    Path(tmp_path / "in.parquet").unlink()
    monkeypatch.chdir(tmp_path)


def verified(**named: Any) -> dict[str, Line]:
    return {line.path: line for line in recompute(REPORT, Named(**named))}


def wrong(**named: Any) -> set[str]:
    return {path for path, line in verified(**named).items() if line.status == "differs"}


def rewrite(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Change:
    """The release written anew, changed; its rows and columns stay what they are unless the change says otherwise."""

    def tamper() -> None:
        before = pl.read_parquet("out.parquet")
        after = change(before)
        assert not after.equals(before)
        after.write_parquet("out.parquet")

    return tamper


def cell(column: str, value: Any) -> Change:
    """One cell of the first row."""
    first = pl.int_range(pl.len()) == 0
    return rewrite(lambda frame: frame.with_columns(pl.when(first).then(pl.lit(value)).otherwise(column).alias(column)))


def exchanged(column: str) -> Change:
    """The first two different values of a column change places: every count of the column stays."""

    def swap(frame: pl.DataFrame) -> pl.DataFrame:
        values = frame[column].to_list()
        other = next(place for place, value in enumerate(values) if value != values[0])
        values[0], values[other] = values[other], values[0]
        return frame.with_columns(pl.Series(column, values, dtype=frame.schema[column]))

    return rewrite(swap)


def figure(*place: Any, value: Any = None, by: Callable[[Any], Any] | None = None) -> Change:
    """One place of the report."""

    def tamper() -> None:
        evidence = json.loads(REPORT.read_text())
        part = evidence
        for key in place[:-1]:
            part = part[key]
        new = by(part[place[-1]]) if by is not None else value
        assert new != part[place[-1]]
        part[place[-1]] = new
        REPORT.write_text(json.dumps(evidence))

    return tamper


def policy(change: Callable[[dict[str, Any]], Any]) -> Change:
    def tamper() -> None:
        other = json.loads(json.dumps(POLICY))
        change(other)
        Path("policy.yaml").write_text(yaml.safe_dump(other, sort_keys=False), encoding="utf-8")

    return tamper


def plan(key: str, value: Any) -> Change:
    def tamper() -> None:
        content = json.loads(Path("out.plan.json").read_text())
        content["columns"][0][key] = value
        Path("out.plan.json").write_text(json.dumps(content, indent=2))

    return tamper


def page(old: str, new: str) -> Change:
    def tamper() -> None:
        text = Path("out.report.html").read_text()
        assert old in text
        Path("out.report.html").write_text(text.replace(old, new))

    return tamper


FILE = "environment.files.release"
TAMPERINGS: dict[str, tuple[Change, set[str]]] = {
    # cells: of each role, one value for another, another form, or nothing
    "a generalised cell": (cell("age", "0-4"), {FILE, "output.digest", "guarantee.k.achieved", "classes.count"}),
    "a generalised cell made null": (cell("zip", None), {FILE, "output.digest", "guarantee.k.achieved"}),
    "a sensitive cell": (cell("dx", "zz"), {FILE, "output.digest", "columns.dx.k_if_known"}),
    "a sensitive cell made null": (cell("dx", None), {FILE, "output.digest"}),
    "a sensitive number": (cell("pay", 1), {FILE, "output.digest"}),
    "a kept cell": (cell("plan", "gold"), {FILE, "columns.plan.k_if_known"}),
    "a scrubbed text": (cell("note", "mail me at jane@mail.example"), {FILE}),
    "a token": (cell("id", "0" * 32), {FILE}),
    "two sensitive cells exchanged": (exchanged("dx"), {FILE, "output.digest"}),
    "two generalised cells exchanged": (exchanged("age"), {FILE, "output.digest"}),
    "two tokens exchanged": (exchanged("id"), {FILE}),
    "two texts exchanged": (exchanged("note"), {FILE}),
    # rows
    "a row removed": (
        rewrite(lambda frame: frame.head(-1)),
        {FILE, "output.rows", "output.digest", "suppression.rows"},
    ),
    "a row twice": (rewrite(lambda f: pl.concat([f, f.head(1)])), {FILE, "output.rows", "output.digest"}),
    "a row in the place of another": (rewrite(lambda f: pl.concat([f.head(1), f.tail(-2), f.head(1)])), {FILE}),
    "two rows exchanged": (rewrite(lambda f: pl.concat([f[1:2], f[0:1], f[2:]])), {FILE}),
    "all rows removed": (rewrite(lambda frame: frame.clear()), {FILE, "output.rows", "output.digest"}),
    "half of the rows removed": (rewrite(lambda f: f.gather_every(2)), {FILE, "output.rows", "classes.average"}),
    "columns in another order": (rewrite(lambda f: f.select(reversed(f.columns))), {FILE}),
    # files
    "the policy's k": (policy(lambda p: p["guarantee"].update(k=4)), {"policy.sha256", "guarantee.k.required"}),
    "the policy's l": (policy(lambda p: p["columns"]["dx"].update(l={"distinct": 3})), {"policy.sha256"}),
    "the policy's review": (policy(lambda p: p.pop("reviewed")), {"policy.sha256", "verdict.draft"}),
    "the policy's limit": (policy(lambda p: p["thresholds"].update(loss=0.8)), {"thresholds.loss.limit"}),
    "a role of the policy": (policy(lambda p: p["columns"].update(pay={"role": "keep"})), {"columns.pay.role"}),
    "a column left out of the policy": (policy(lambda p: p["columns"].pop("pay")), {"policy.sha256"}),
    "a level of the plan": (plan("level", 0), {"environment.files.plan", "search.levels.age"}),
    "a node of the plan": (plan("nodes", ["*"]), {"environment.files.plan"}),
    "the plan removed": (lambda: Path("out.plan.json").unlink(), {"environment.files.plan"}),
    "a figure on the page": (page("5 required", "9 required"), {"page"}),
    "a sentence on the page": (page("It is not a legal finding.", "It is a legal finding."), {"page"}),
    # figures and words of the report
    "k": (figure("guarantee", "k", "achieved", by=lambda k: k + 1), {"guarantee.k.achieved", "page"}),
    "required k": (figure("guarantee", "k", "required", by=lambda k: k - 1), {"guarantee.k.required"}),
    "whether k holds": (figure("guarantee", "k", "holds", value=None), {"guarantee.k.holds"}),
    "l": (figure("guarantee", "l", "dx", "achieved", by=lambda n: n + 1), {"guarantee.l.dx.achieved"}),
    "t": (figure("guarantee", "t", "dx", "achieved", by=lambda t: t / 2), {"guarantee.t.dx.achieved"}),
    "number of classes": (figure("classes", "count", by=lambda n: n + 1), {"classes.count"}),
    "a bar of class sizes": (figure("classes", "sizes", 0, "rows", by=lambda n: n + 1), {"classes.sizes.0.rows"}),
    "risk": (figure("risk", "prosecutor_max", by=lambda r: r / 2), {"risk.prosecutor_max"}),
    "suppressed rows": (figure("suppression", "rows", by=lambda n: n + 1), {"suppression.rows"}),
    "suppression rate": (figure("suppression", "rate", by=lambda r: r + 0.01), {"suppression.rate"}),
    "suppression limit": (figure("suppression", "limit", value=0.5), {"suppression.limit"}),
    "input rows": (figure("input", "rows", by=lambda n: n + 1), {"suppression.rows"}),
    "released rows": (figure("output", "rows", by=lambda n: n - 1), {"output.rows"}),
    "digest": (figure("output", "digest", value="0" * 64), {"output.digest"}),
    "loss": (figure("loss", "ncp", by=lambda n: n / 2), {"loss.ncp"}),
    "loss of a column": (figure("columns", 1, "loss", by=lambda n: n / 2), {"loss.ncp"}),
    "role of a column": (figure("columns", 4, "role", value="keep"), {"columns.pay.role"}),
    "action on a column": (figure("columns", 0, "action", value="drop"), {"columns.id.action"}),
    "name of a column": (figure("columns", 4, "name", value="wage"), {"columns.pay.role"}),
    "k if a column is known": (figure("columns", 5, "k_if_known", by=lambda k: k + 1), {"columns.plan.k_if_known"}),
    "level of a column": (figure("search", "levels", "age", by=lambda n: n + 1), {"search.levels.age"}),
    "verdict": (figure("verdict", "sentence", value="All is well."), {"verdict.sentence"}),
    "draft": (figure("verdict", "draft", value=True), {"verdict.draft"}),
    "reviewer": (figure("policy", "reviewed", "by", value="R. Roe"), {"policy.reviewed.by"}),
    "policy hash": (figure("policy", "sha256", value="0" * 64), {"policy.sha256"}),
    "threat model": (figure("threat_model", "attacker", value="nobody"), {"threat_model.attacker"}),
    "a limit left out": (figure("limits", by=lambda said: said[1:]), {"limits.0"}),
    "a limit put in": (figure("limits", by=lambda said: [*said, "All is well."]), {"page"}),
    "threshold found": (figure("thresholds", "loss", "found", by=lambda n: n / 2), {"thresholds.loss.found"}),
    "threshold": (figure("thresholds", "loss", "limit", value=0.95), {"thresholds.loss.limit"}),
    "hash of the release": (figure("environment", "files", "release", value="0" * 64), {FILE}),
    "hash of the plan": (figure("environment", "files", "plan", value="0" * 64), {"environment.files.plan"}),
}


@pytest.mark.parametrize(("tamper", "told"), TAMPERINGS.values(), ids=TAMPERINGS)
def test_a_tampering_is_told(tamper: Change, told: set[str], release: None) -> None:
    tamper()
    assert told <= wrong(policy=Path("policy.yaml"))


def test_the_untouched_release_holds(release: None) -> None:
    lines = verified()
    assert wrong() == set()
    assert lines["page"].status == "holds"


def test_a_policy_is_found_in_the_folder_above(release: None, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("below").mkdir()
    for path in Path().glob("out.*"):
        path.rename(Path("below") / path.name)
    report = Path("below/out.report.json").absolute()
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert {line.status for line in recompute(report)} == {"holds", "not recomputed", "only recorded"}


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.with_columns(joined=pl.lit(1)),
        lambda frame: frame.drop("zip"),
        lambda frame: frame.rename({"dx": "diagnosis"}),
    ],
    ids=["one more", "one less", "renamed"],
)
def test_a_release_with_other_columns_is_refused(change: Callable[[pl.DataFrame], pl.DataFrame], release: None) -> None:
    rewrite(change)()
    with pytest.raises(AnonymError, match="not a release of this policy"):
        verified()


def test_what_the_release_does_not_tell_is_said_not_to_be_recomputed(release: None) -> None:
    """Figures that need the original: changed, they are not called right, and the page tells that something was."""
    figure("loss", "discernibility", value=1.0)()
    lines = verified()
    assert lines["loss.discernibility"].status == "not recomputed"
    assert lines["page"].status == "differs"
