"""T47 and its kind: what a row's own columns know of it is not left in its text."""

from __future__ import annotations

import re
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


OWN: dict[str, list[tuple[str, str]]] = {
    "Odalys Brenthwick": [
        ("Brenthwick's car", "#'s car"),
        ("BRENTHWICK, ODALYS", "#, #"),
        ("user obrenthwick, o.brenthwick77", "user #, o.#"),
        ("odalys_brenthwick_cv.pdf", "#_#_cv.pdf"),
        ("OdalysBrenthwick.pdf", "#.pdf"),
        ("Ｂｒｅｎｔｈｗｉｃｋ rang", "# rang"),
        ("Brenth\u00adwick and Bren\u200bthwick", "# and #"),
        ("by Odalys\nBrenthwick, Odalys\u00a0Brenthwick", "by #, #"),
        ("Odalys%20Brenthwick, Odalys&nbsp;Brenthwick", "#, #"),
        ("embrenthwicked odalysium", "embrenthwicked odalysium"),
    ],
    "José Núñez": [
        ("jose nunez rang", "# rang"),
        ("Jose\u0301 Nu\u0301n\u0303ez rang", "# rang"),
        (r'{"n":"Jos\u00e9 N\u00fa\u00f1ez","m":1}', '{"n":"#","m":1}'),
    ],
    "Jürgen Weiß": [("Juergen Weiss", "#"), ("JÜRGEN WEISS kam", "# kam")],
    "Bo Li": [("Bo said: the box of lilies, Li agrees", "# said: the box of lilies, # agrees")],
    "Jan van der Berghem": [("ask Berghem, the van is over der hill", "ask #, the van is over der hill")],
    "Mark Rose": [("mark the rose bush, rose_color", "mark the rose bush, rose_color")],
    "Иван Петров": [("звонил ПЕТРОВ Иван вчера", "звонил # вчера")],
    "山田太郎": [("本日山田太郎さんが来た", "本日#さんが来た")],
    "Işıl İnan": [("ışıl inan geldi; IŞIL İNAN", "# geldi; #")],
    "48213977": [
        ("case #48213977, 48,213,977 and 0048213977", "case ##, # and #"),
        ("https://x.example/cases/48213977/edit", "#"),
        ("number 148213977 stays, so does 48.2139771", "number 148213977 stays, so does 48.2139771"),
    ],
    "00048213": [("case 48213 open", "case # open")],
    "MRN-48213977": [("see MRN48213977.", "see #.")],
    "A/482 13": [("u=A%2F482%2013&n=1", "u=#&n=1")],
    "6F1C2B9E-3B1A-4C7E-9D2F-0A1B2C3D4E5F": [("id 6f1c2b9e3b1a4c7e9d2f0a1b2c3d4e5f ok", "id # ok")],
    "DE89370400440532013000": [("to DE89 3704 0044 0532 0130 00 now", "to # now")],
    "obrent77@corp.example": [("login obrent77 failed", "login # failed"), ("OBRENT77@CORP.EXAMPLE", "#")],
}


@pytest.mark.parametrize(
    ("value", "text", "left"), [(value, text, left) for value, cases in OWN.items() for text, left in cases]
)
def test_a_rows_own_value_goes_in_every_spelling(run: Call, value: str, text: str, left: str) -> None:
    """`#` is what stands in its place, whatever it is called."""
    pl.DataFrame({"own": [value], "note": [text]}).write_parquet("in.parquet")
    policy = {"columns": {"own": {"role": "identifier"}, "note": TEXT}, "text": {"ner": "none"}}
    done = run("apply", policy, "in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert re.sub("<[A-Z_]+>", "#", done.released["note"][0]) == left


def test_a_number_among_nulls_that_was_read_as_a_float_is_found(run: Call) -> None:
    pl.DataFrame({"own": [48213977.0, None], "note": ["case 48213977 open", "case 482139770"]}).write_parquet(
        "in.parquet"
    )
    policy = {"columns": {"own": {"role": "identifier"}, "note": TEXT}, "text": {"ner": "none"}, "order": "keep"}
    done = run("apply", policy, "in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert "48213977" not in done.released["note"][0]


def test_a_name_is_not_looked_for_in_the_text_of_others(run: Call) -> None:
    names, notes = ["Odalys Brenthwick", "Mark Rose"], ["mark the rose bush", "early"]
    pl.DataFrame({"own": names, "note": notes}).write_parquet("in.parquet")
    policy = {"columns": {"own": {"role": "identifier"}, "note": TEXT}, "text": {"ner": "none"}, "order": "keep"}
    done = run("apply", policy, "in.parquet", "--quiet")
    assert done.status == 0, done.err
    assert done.released["note"].to_list() == notes
