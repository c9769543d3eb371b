"""The suite passes on a release and fails on the same table joined with one more column: pandas, DuckDB, PostgreSQL."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from anonym.errors import CallError, InputError
from anonym.pipeline.expecting import expectations, write_expectations
from anonym.policy.model import Policy

gx = pytest.importorskip("great_expectations", reason="the extra gx is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")

from anonym.report.expectations import load_suite  # noqa: E402  only where the extra is there

Run = Callable[[pl.DataFrame, dict[str, Any]], Any]

POLICY = {
    "anonym": 1,
    "name": "shop",
    "columns": {
        "email": {"role": "identifier"},
        "customer": {"role": "identifier", "action": "pseudonym", "key": "env:ANONYM_KEY"},
        "age": {"role": "quasi", "hierarchy": {"interval": [10]}},
        "town": {"role": "quasi", "hierarchy": "suppress"},
        "topic": {"role": "sensitive", "l": {"distinct": 2}, "t": {"max": 0.6, "distance": "equal"}},
        "pay": {"role": "sensitive", "t": {"max": 0.7, "distance": "ordered"}},
        "notes": {"role": "text"},
    },
    "guarantee": {"k": 4, "suppression": {"max": 0.1}, "linkable": None},
}
SIZE = 40


def release() -> pl.DataFrame:
    """Five classes of eight rows, null and a letter case among the values."""
    rows = range(SIZE)
    return pl.DataFrame(
        {
            "customer": [f"{row:032x}" for row in rows],
            "age": [f"{10 * (row // 8)}-{10 * (row // 8) + 9}" for row in rows],
            "town": [None if row // 8 == 4 else "*" for row in rows],
            "topic": [("a", "b", "B ", "c")[row % 4] for row in rows],
            "pay": [100 * (row % 4) for row in rows],
            "notes": [f"call <PERSON> at 5, row {row}" for row in rows],
        },
        schema_overrides={"town": pl.String},
    )


def joined() -> pl.DataFrame:
    """The release with one more column, which tells rows of a class apart."""
    return release().with_columns(shoe_size=pl.Series([36 + row % 4 for row in range(SIZE)]))


def evidence() -> dict[str, Any]:
    policy = Policy.load(POLICY)
    names = [*POLICY["columns"]]  # type: ignore[misc]
    return {
        "policy": {"sha256": policy.sha256},
        "columns": [{"name": name} for name in names],
        "input": {"rows": SIZE + 2},
        "output": {"rows": SIZE},
        "suppression": {"limit_rows": 4},
    }


@pytest.fixture(scope="module")
def suite() -> dict[str, Any]:
    return expectations(Policy.load(POLICY), evidence())


def loaded(suite: dict[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suite.json"
        path.write_text(json.dumps(suite), encoding="utf-8")
        return load_suite(path)


def on_pandas(frame: pl.DataFrame, suite: dict[str, Any]) -> Any:
    context = gx.get_context(mode="ephemeral")
    asset = context.data_sources.add_pandas("p").add_dataframe_asset("a")
    definition = asset.add_batch_definition_whole_dataframe("b")
    given = context.suites.add(loaded(suite))
    table = pandas.DataFrame({name: frame[name].to_list() for name in frame.columns})
    return definition.get_batch({"dataframe": table}).validate(given)


def on_sql(url: str, frame: pl.DataFrame, suite: dict[str, Any]) -> Any:
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="sqlalchemy is not installed")
    engine = sqlalchemy.create_engine(url)
    table = pandas.DataFrame({name: frame[name].to_list() for name in frame.columns})
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("DROP TABLE IF EXISTS release"))
        table.to_sql("release", connection, index=False)
    engine.dispose()
    context = gx.get_context(mode="ephemeral")
    asset = context.data_sources.add_sql("s", connection_string=url).add_table_asset("a", table_name="release")
    return asset.add_batch_definition_whole_table("b").get_batch().validate(context.suites.add(loaded(suite)))


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """A PostgreSQL of this test alone, over a socket in its own folder."""
    pytest.importorskip("psycopg2", reason="psycopg2 is not installed")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        pytest.skip("PostgreSQL is not installed")
    tools = Path(initdb).resolve().parent
    user: dict[str, Any] = {"user": "postgres"} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        folder = Path(name)
        if user:
            shutil.chown(folder, "postgres")
        data = folder / "data"
        quiet: dict[str, Any] = {"check": True, "capture_output": True, "cwd": folder, **user}
        subprocess.run([tools / "initdb", "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8"], **quiet)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        options = ["-D", data, "-p", str(port), "-k", folder, "-h", "127.0.0.1", "-F"]
        server = subprocess.Popen(
            [tools / "postgres", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **user
        )
        try:
            for _ in range(300):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"postgresql+psycopg2://tester@127.0.0.1:{port}/postgres"
        finally:
            server.send_signal(signal.SIGINT)  # fast: does not wait for connections
            server.wait(30)


@pytest.fixture(params=["pandas", "duckdb", "postgresql"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    if request.param == "pandas":
        return on_pandas
    if request.param == "duckdb":
        pytest.importorskip("duckdb_engine", reason="duckdb-engine is not installed")
        return lambda frame, suite: on_sql(f"duckdb:///{tmp_path}/warehouse.db", frame, suite)
    url = request.getfixturevalue("postgres")
    return lambda frame, suite: on_sql(url, frame, suite)


def by_type(result: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for one in result.results:
        assert not one.exception_info.get("raised_exception"), one.exception_info
        found.setdefault(one.expectation_config.type.removeprefix("expect_release_"), []).append(one)
    return found


def test_the_suite_passes_on_the_release_and_fails_with_one_more_column(run: Run, suite: dict[str, Any]) -> None:
    passed = run(release(), suite)
    found = by_type(passed)
    assert passed.success, [one.result for one in passed.results]
    assert found["k_anonymous"][0].result["observed_value"] == 8
    assert found["l_diverse"][0].result["observed_value"] == 3  # `b` and `B ` are one
    assert found["suppression_within_limit"][0].result["observed_value"] == 2
    failed = run(joined(), suite)
    found = by_type(failed)
    assert not failed.success
    [k] = found["k_anonymous"]
    assert not k.success
    assert k.result["observed_value"] == 2
    assert k.result["details"]["columns_added"] == ["shoe_size"]
    assert not found["l_diverse"][0].success


def test_every_part_fails_on_its_own_fault(run: Run, suite: dict[str, Any]) -> None:
    frame = release()
    faults = frame.with_columns(
        email=pl.lit("x"),
        customer=pl.when(pl.int_range(SIZE) == 3).then(pl.lit("Jo")).otherwise("customer"),
        town=pl.when(pl.int_range(SIZE) == 5).then(pl.lit("jo@example.org")).otherwise("town"),
        notes=pl.when(pl.int_range(SIZE) < 2).then(pl.lit("write\nto jo@example.org now")).otherwise("notes"),
    )
    [left] = by_type(run(faults, suite))["no_identifiers_left"]
    assert not left.success
    assert left.result["details"] == {
        "columns_not_dropped": ["email"],
        "cells_with_addresses": {"town": 1},
        "texts_with_identifiers": {"notes": {"EMAIL_ADDRESS": 2}},
        "cells_that_are_no_tokens": {"customer": 1},
    }
    alike = frame.with_columns(topic=pl.when(pl.int_range(SIZE) < 8).then(pl.lit("a")).otherwise("topic"))
    found = by_type(run(alike, suite))
    assert not found["l_diverse"][0].success
    assert found["l_diverse"][0].result["details"]["classes_below"] == 1
    assert found["k_anonymous"][0].success
    assert not by_type(run(frame[:37], suite))["suppression_within_limit"][0].success
    assert not by_type(run(pl.concat([frame, frame[:1]]), suite))["suppression_within_limit"][0].success
    [gone] = by_type(run(frame.drop("town"), suite))["k_anonymous"]
    assert not gone.success
    assert "town" in gone.result["observed_value"]


def test_the_engines_find_the_same_figures_as_verification(run: Run, suite: dict[str, Any]) -> None:
    from anonym.pipeline.checking import check

    measured = check(POLICY, release()).evidence["guarantee"]
    found = by_type(run(release(), suite))
    close = {one.expectation_config.kwargs["column"]: one.result["observed_value"] for one in found["t_close"]}
    assert found["k_anonymous"][0].result["observed_value"] == measured["k"]["rows"]
    for column in ("topic", "pay"):
        assert close[column] == pytest.approx(measured["t"][column]["achieved"], abs=1e-9)


def test_rows_that_were_masked_are_in_no_class(run: Run) -> None:
    masks = POLICY | {"guarantee": {"k": 4, "suppression": {"max": 0.1, "action": "mask"}}}
    policy = Policy.load(masks)
    suite = expectations(policy, evidence() | {"policy": {"sha256": policy.sha256}})
    names = release().columns
    empty = pl.DataFrame({name: [None, None] for name in names}, schema=release().schema)
    marked = pl.concat([release().with_columns(suppressed=False), empty.with_columns(suppressed=True)])
    result = run(marked, suite)
    found = by_type(result)
    assert result.success, [one.result for one in result.results]
    assert found["k_anonymous"][0].result["details"]["rows"] == SIZE
    assert found["k_anonymous"][0].result["details"]["columns_added"] == []


def test_texts_are_searched_by_the_rules_that_the_policy_scrubs_with(run: Run) -> None:
    patterns = {"STAFF_ID": r"\bst-\d{5}\b"}
    policy = Policy.load(POLICY | {"text": {"ner": "none", "patterns": patterns}})
    told = expectations(policy, evidence() | {"policy": {"sha256": policy.sha256}})
    said = ["ask st-12345 at 10.1.2.33", "pay DE89 3704 0044 0532 0130 00", None, "nothing in <PERSON> here"]
    notes = release().with_columns(notes=pl.Series([said[row] if row < 4 else "" for row in range(SIZE)]))
    [left] = by_type(run(notes, told))["no_identifiers_left"]
    assert left.result["details"] == {
        "texts_with_identifiers": {"notes": {"IBAN_CODE": 1, "IP_ADDRESS": 1, "STAFF_ID": 1}}
    }


@pytest.mark.parametrize(
    ("declared", "asked"), [(True, ["detect-secrets"]), (False, []), (["kingfisher"], ["kingfisher"])]
)
def test_texts_are_searched_by_the_scanners_that_the_policy_names(declared: Any, asked: list[str]) -> None:
    suite = expectations(Policy.load(POLICY | {"text": {"ner": "none", "secrets": declared}}))
    assert suite["expectations"][-1]["kwargs"]["rules"]["secrets"] == asked


def test_a_policy_that_invents_what_stands_in_texts_says_that_they_are_not_searched() -> None:
    policy = Policy.load(POLICY | {"text": {"ner": "none", "replace": "surrogate"}})
    suite = expectations(policy)
    given = suite["expectations"][-1]["kwargs"]
    assert (given["texts"], given["unsearched"]) == ([], ["notes"])
    assert "text: not searched, as it holds surrogates" in suite["meta"]["anonym"]["not_checked"]


def test_nothing_holds_of_an_empty_table(run: Run, suite: dict[str, Any]) -> None:
    result = run(release()[:0], suite)
    held = {kind: [one.success for one in found] for kind, found in by_type(result).items()}
    assert held == {
        "k_anonymous": [False],
        "l_diverse": [False],
        "t_close": [False, False],
        "suppression_within_limit": [False],
        "no_identifiers_left": [True],
    }


def test_a_hierarchy_is_found_from_the_suite_and_must_be_the_same(tmp_path: Path) -> None:
    rows = "a;low;*\nb;low;*\nc;high;*\n"
    (tmp_path / "tree.csv").write_text(rows, encoding="utf-8")
    topic = {"role": "sensitive", "t": {"max": 0.6, "distance": "hierarchical", "hierarchy": {"file": "tree.csv"}}}
    policy = tmp_path / "policy.yaml"
    policy.write_text(json.dumps(POLICY | {"columns": POLICY["columns"] | {"topic": topic}}), encoding="utf-8")  # type: ignore[operator]
    for folder in ("here", "moved"):
        (tmp_path / folder / "suites").mkdir(parents=True)
    written = write_expectations(policy, tmp_path / "here" / "suites" / "suite.json", None, force=False)
    [told] = [one["kwargs"]["hierarchy"] for one in written["expectations"] if "hierarchy" in one["kwargs"]]
    assert told["path"] == "../../tree.csv"
    shutil.copy(tmp_path / "here" / "suites" / "suite.json", tmp_path / "moved" / "suites" / "suite.json")
    found = load_suite(tmp_path / "moved" / "suites" / "suite.json")
    frame = release().with_columns(topic=pl.Series(["abcb"[row % 4] for row in range(SIZE)]))
    context = gx.get_context(mode="ephemeral")
    asset = context.data_sources.add_pandas("p").add_dataframe_asset("a")
    table = pandas.DataFrame({name: frame[name].to_list() for name in frame.columns})
    batch = asset.add_batch_definition_whole_dataframe("b").get_batch({"dataframe": table})
    close = by_type(batch.validate(context.suites.add(found)))["t_close"]
    assert close[0].result["observed_value"] == 0.0
    (tmp_path / "tree.csv").write_text(rows.replace("low", "mid"), encoding="utf-8")
    with pytest.raises(InputError, match="not the one"):
        load_suite(tmp_path / "moved" / "suites" / "suite.json")
    (tmp_path / "tree.csv").unlink()
    with pytest.raises(InputError, match=r"tree\.csv"):
        load_suite(tmp_path / "moved" / "suites" / "suite.json")


def test_results_hold_counts_only(suite: dict[str, Any]) -> None:
    said = json.dumps(on_pandas(joined(), suite).to_json_dict()["results"])
    assert not any(value in said for value in ("10-19", "<PERSON>", '"a"', '"B "'))


def test_data_docs_say_it_in_words(suite: dict[str, Any]) -> None:
    from great_expectations.render.renderer.content_block import ValidationResultsTableContentBlockRenderer

    result = on_pandas(joined(), suite).results[0]
    said = json.dumps(ValidationResultsTableContentBlockRenderer.render([result]).to_json_dict())
    assert "Every class of the release must have at least $k members." in said
    assert "released" not in json.dumps(result.result)


def test_units_are_counted_by_their_tokens_and_profiles_where_rows_can_be_joined() -> None:
    policy = POLICY | {"unit": "customer"}
    frame = release().with_columns(customer=pl.Series([f"{row % 20:032x}" for row in range(SIZE)]))
    given = expectations(Policy.load(policy))
    [k] = by_type(on_pandas(frame, given))["k_anonymous"]
    assert k.result["details"]["counted"] == "profiles"
    assert k.result["observed_value"] == 4
    hidden = POLICY | {"unit": "customer", "columns": POLICY["columns"] | {"customer": {"role": "identifier"}}}  # type: ignore[operator]
    suite = expectations(Policy.load(hidden))
    assert [one["type"] for one in suite["expectations"]].count("expect_release_t_close") == 0
    assert any("units" in note for note in suite["meta"]["anonym"]["not_checked"])


def test_globs_need_a_report_and_another_policys_report_is_refused() -> None:
    columns = POLICY["columns"] | {"q_*": {"role": "keep"}}  # type: ignore[operator]
    globbed = Policy.load(POLICY | {"columns": columns})
    with pytest.raises(CallError, match="--report"):
        expectations(globbed)
    with pytest.raises(CallError, match="another policy"):
        expectations(globbed, evidence())
    told = evidence() | {"policy": {"sha256": globbed.sha256}}
    told["columns"] = [*told["columns"], {"name": "q_1"}]
    assert "q_1" in expectations(globbed, told)["expectations"][0]["kwargs"]["released"]


def test_the_file_is_not_replaced_without_force(tmp_path: Path) -> None:
    policy, output = tmp_path / "policy.yaml", tmp_path / "suite.json"
    policy.write_text(json.dumps(POLICY), encoding="utf-8")
    suite = write_expectations(policy, output, None, force=False)
    assert json.loads(output.read_text(encoding="utf-8")) == suite
    with pytest.raises(CallError, match="--force"):
        write_expectations(policy, output, None, force=False)


def test_no_telemetry_by_default() -> None:
    assert os.environ["GX_ANALYTICS_ENABLED"] == "false"
