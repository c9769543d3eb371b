"""What a released file, its report and its plan hold beside the released values: nothing of anybody."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases.desk import AS_IS, SENSITIVE, Run, promise

Call = Callable[..., Run]
KEEP = {"role": "keep", "allow_unique": "for this test"}
ENDINGS = ["parquet", "arrow", "csv", "jsonl"]


@pytest.mark.parametrize("strategy", ["global", "local"])
@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum(["x", "y", "canary-q"])], ids=str)
@pytest.mark.parametrize("ending", ENDINGS)
def test_no_byte_of_a_suppressed_row_is_left(run: Call, ending: str, kind: Any, strategy: str) -> None:
    """No dictionary, no statistics, no category of it."""
    pl.DataFrame(
        {
            "q": pl.Series(["x"] * 4 + ["canary-q"]).cast(kind),
            "s": pl.Series(["a", "b", "a", "b", "canary-s"]).cast(pl.Categorical),
            "k": ["v"] * 4 + ["canary-k"],
        }
    ).write_parquet("in.parquet")
    policy = promise({"q": AS_IS, "s": SENSITIVE, "k": KEEP}, 2, 0.2, search={"strategy": strategy})
    done = run("apply", policy, "in.parquet", "--verbose", out=f"out.{ending}")
    assert done.status == 0, done.err
    assert "canary" not in done.out + done.err
    for path in Path().glob("out.*"):
        assert b"canary" not in path.read_bytes(), path


def test_what_the_input_says_of_itself_is_not_copied(run: Call) -> None:
    fields = [pa.field("q", pa.string(), metadata={"note": "canary-field"}), pa.field("s", pa.string())]
    table = pa.table({"q": ["x", "x"], "s": ["a", "b"]}, schema=pa.schema(fields, metadata={"owner": "canary-file"}))
    pq.write_table(table, "in.parquet")
    done = run("apply", promise({"q": AS_IS, "s": SENSITIVE}, 2), "in.parquet", "--verbose")
    assert done.status == 0, done.err
    assert "canary" not in done.said()
    assert b"canary" not in Path("out.parquet").read_bytes()


def test_the_folder_of_the_input_is_named_nowhere(run: Call) -> None:
    Path("canary-home").mkdir()
    pl.DataFrame({"q": ["x", "x"]}).write_parquet("canary-home/in.parquet")
    done = run("apply", promise({"q": AS_IS}, 2), "canary-home/in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert "canary" not in done.said()


FAR = {
    "int": ([20, 21, 22, 23, 91, 92, 97, 987654], 90, {"interval": [10, 50]}, "987654"),
    "float": ([20.5, 21.5, 22.5, 23.5, 91.5, 92.5, 97.5, 98765.25], 90, {"interval": [10, 50]}, "98765.25"),
    "date": ([date(1980, 1, d) for d in range(1, 8)] + [date(2104, 5, 6)], "1980-01-04", {"date": ["year"]}, "2104"),
    "auto": ([20, 21, 22, 23, 91, 92, 97, 987654], None, "auto", "987654"),
}


@pytest.mark.parametrize(
    ("form", "strategy"),
    [(form, strategy) for strategy in ("global", "local") for form in ("label", "bounds", "representative")]
    + [("set", "local")],
)
@pytest.mark.parametrize(("values", "top", "hierarchy", "far"), FAR.values(), ids=FAR)
def test_the_largest_value_is_not_told_by_the_group_it_is_in(
    run: Call, values: list[Any], top: Any, hierarchy: Any, far: str, form: str, strategy: str
) -> None:
    pl.DataFrame({"q": values, "s": list("abababab")}).write_parquet("in.parquet")
    quasi = {"role": "quasi", "hierarchy": hierarchy, "top": top, "finest": 1, "form": form}
    policy = promise({"q": {k: v for k, v in quasi.items() if v is not None}, "s": SENSITIVE}, 4)
    done = run("apply", policy | {"search": {"strategy": strategy}}, "in.parquet", "--verbose")
    assert done.status in (0, 2), done.err
    if done.status == 0:
        assert far not in done.released.drop("s").write_json()
        assert f" {far}" not in done.said()
        assert f'"{far}' not in done.said()
        assert run("check", policy | {"search": {"strategy": strategy}}, "out.parquet", "--quiet").status == 0


MARKUP = ["<script>alert(1)</script>", "</script><b>x", "<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>']


@pytest.mark.parametrize("markup", MARKUP)
@pytest.mark.parametrize("where", ["column", "label", "policy"])
def test_the_page_runs_nothing_that_is_called_like_markup(run: Call, markup: str, where: str) -> None:
    name = markup if where == "column" else "q"
    label = markup if where == "label" else "x"
    pl.DataFrame({name: [label] * 3, "s": list("aba")}).write_parquet("in.parquet")
    policy = promise({name: AS_IS, "s": SENSITIVE}, 3)
    done = run("apply", policy | ({"name": markup} if where == "policy" else {}), "in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert markup not in Path("out.report.html").read_text(encoding="utf-8")


NAMES = [
    "a.b",
    'a"b',
    "日本",
    "a\nb",
    "a,b",
    "a/b",
    " q",
    "{x}",
    "%s",
    "\u202eq",
    "suppressed",
    "len",
    "index",
    "literal",
]
NAMES += [
    "text",
    "days",
    "row",
    "rows",
    "members",
    "known.x",
    "unit",
    "code",
    "weight",
    "value",
    "label",
    "start",
    "cell",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_column_may_have_any_name(run: Call, name: str) -> None:
    """Names that our own frames have, too, in every role."""
    roles: list[dict[str, Any]] = [
        {"role": "identifier"},
        {"role": "text"},
        {"role": "keep", "allow_unique": "for this test"},
        SENSITIVE | {"l": {"distinct": 2}},
        {"role": "quasi", "hierarchy": "suppress"},
    ]
    table = {"q": [31, 32, 33, 34] * 2, name: ["Odalys B", "Jorik V"] * 4, "t": ["see Odalys", "see Jorik"] * 4}
    pl.DataFrame(table).write_parquet("in.parquet")
    for role in roles:
        columns = {"q": {"role": "quasi", "hierarchy": {"interval": [10]}}, name: role, "t": {"role": "text"}}
        policy = promise(columns, 2, text={"ner": "none"})
        done = run("apply", policy, "in.parquet", "--quiet", "--force", "--again")
        assert done.status == 0, done.err
        assert done.released.columns == [each for each in table if each != name or role["role"] != "identifier"]


def test_the_input_is_never_overwritten(run: Call) -> None:
    pl.DataFrame({"q": ["x", "x"]}).write_parquet("in.parquet")
    before = Path("in.parquet").read_bytes()
    Path("link.parquet").symlink_to("in.parquet")
    assert run("apply", promise({"q": AS_IS}, 2), "in.parquet", "--force", "--quiet", out="in.parquet").status == 2
    run("apply", promise({"q": AS_IS}, 2), "in.parquet", "--force", "--quiet", out="link.parquet")
    assert Path("in.parquet").read_bytes() == before
