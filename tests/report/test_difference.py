"""What changed since the release before, on the page and in Markdown."""

from __future__ import annotations

from golden.report import examples

from anonym.report.difference import headlines, joint, weaker
from anonym.report.evidence import complete
from anonym.report.html import render
from anonym.report.summary import render_markdown


def later() -> dict:  # type: ignore[type-arg]
    facts = examples.signed()
    facts["guarantee"]["k"] |= {"required": 5, "achieved": 6}
    facts["columns"] = [one | {"role": "keep"} if one["name"] == "device" else one for one in facts["columns"]]
    facts["policy"]["sha256"] = "0" * 64
    return facts


def test_without_texts_nothing_of_texts_changes() -> None:
    empty = examples.plain_table()
    for part in ("input", "output"):
        empty[part] |= {"rows": 0}
    found = {label: (old, new) for label, old, new in headlines(complete(examples.plain_table()), complete(empty))}
    assert found["text recall"] == ("not applicable", "not applicable")


def test_headlines_name_k_the_list_of_quasi_identifiers_rows_and_policy() -> None:
    found = {label: (old, new) for label, old, new in headlines(complete(examples.signed()), complete(later()))}
    assert found["k"] == ("11, 10 required", "6, 5 required")
    assert found["quasi-identifiers"] == ("age, zip, joined and device", "age, zip and joined")
    assert found["rows"][0] == found["rows"][1]
    assert found["policy"] == ("9f2c41d0a7c5", "000000000000")


def test_weaker_things_come_first_on_the_page_and_in_markdown() -> None:
    before, after = complete(examples.signed()), complete(later())
    page, words = render(after, before), render_markdown(after, before)
    for one in weaker(before, after):
        assert one in page
        assert one in words.replace("\\", "")
    assert page.index("weaker: ") < page.index('id="guarantee"')
    assert "weaker" not in render(before, before)


def test_without_an_earlier_report_the_page_says_so() -> None:
    assert "No earlier report was given" in render(complete(examples.tickets()))
    assert "Since the release before" not in render_markdown(complete(examples.tickets()))


def test_joint_classes_are_measured_by_an_attack_or_not() -> None:
    before, facts = complete(examples.signed()), later()
    assert "not measured" in joint(before, complete(facts))[0]
    facts["attacks"].append(examples.attack("intersection", ["age"], 0.25, 0.2, 0.3, None, None, "fail"))
    assert joint(before, complete(facts)) == [
        "Joint classes: 25 % of 2,000 people whom classes of both cover are in one of fewer than k, in a release alone "
        "not measured."
    ]
    joined = {"classes": {"both": 7, "before": 1, "now": 2}, "why": "no column says who is who"}
    facts["attacks"] = []
    assert joint(before, complete(facts), joined) == [
        "Classes by the quasi-identifiers released alike: 7 in both, 1 only before, 2 only now.",
        "Joint classes of the people in both: not measured (no column says who is who).",
    ]
