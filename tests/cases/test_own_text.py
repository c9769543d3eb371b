"""T47 and its kind: what a row's own columns know of it is not left in its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from cases.desk import Run, promise

Call = Callable[..., Run]
TEXT = {"role": "text"}


@pytest.mark.parametrize("strategy", ["global", "local"])
@pytest.mark.parametrize(
    ("quasi", "value", "text"),
    [
        ({"hierarchy": {"prefix": [3]}, "finest": 1}, "11201", "lives at 11201 now"),
        ({"hierarchy": {"interval": [10]}, "finest": 1}, 37, "he is 37 now"),
        ({"hierarchy": "suppress", "finest": 1}, "Porto", "moved to Porto now"),
        ({"hierarchy": "none", "top": 90}, 104, "she is 104 now"),
    ],
)
def test_a_value_is_scrubbed_where_its_label_says_less_even_if_nobody_has_another(
    run: Call, strategy: str, quasi: dict[str, Any], value: Any, text: str
) -> None:
    """The label covers one observed value only, so it costs nothing: and still its reader does not know the value."""
    table = pl.DataFrame({"q": [value] * 4, "note": [text] * 4})
    policy = promise({"q": {"role": "quasi"} | quasi, "note": TEXT}, 2, text={"ner": "none"})
    policy["search"] = {"strategy": strategy}
    table.write_parquet("in.parquet")
    done = run("apply", policy, "in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert done.evidence["text"]["note"]["also_from"] == ["q"]
    assert str(value) not in "".join(done.released["note"])


def test_a_value_that_is_released_as_it_is_stays_in_the_text(run: Call) -> None:
    table = pl.DataFrame({"q": ["Porto"] * 4, "note": ["moved to Porto now"] * 4})
    policy = promise({"q": {"role": "quasi", "hierarchy": "suppress"}, "note": TEXT}, 2, text={"ner": "none"})
    table.write_parquet("in.parquet")
    done = run("apply", policy, "in.parquet", "--quiet")
    assert done.evidence["text"]["note"]["also_from"] is None


@pytest.mark.parametrize("name", ["Ann O'Neil", "Ann O’Neil"])
@pytest.mark.parametrize("written", ["O'Neil", "O’Neil", "o‘neil", "OʼNEIL"])
def test_an_apostrophe_hides_no_name_however_it_is_printed(run: Call, name: str, written: str) -> None:
    table = pl.DataFrame({"name": [name], "note": [f"ask {written} of Rock’n’Roll"]})
    table.write_parquet("in.parquet")
    policy = {"columns": {"name": {"role": "identifier"}, "note": TEXT}, "text": {"ner": "none"}}
    done = run("apply", policy, "in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert done.released["note"].to_list() == ["ask <PERSON> of Rock’n’Roll"]
