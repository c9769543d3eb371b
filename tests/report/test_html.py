"""The page is self-contained, escaped, accessible, and says of what is null that it was not measured."""

from __future__ import annotations

import copy
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from golden.report import examples
from golden.report.examples import ATTACK_STRING, EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.report import figures
from anonym.report.evidence import complete
from anonym.report.html import render
from anonym.report.markup import VOID, Markup, join, tag

PAGES = {name: render(complete(facts())) for name, facts in EXAMPLES.items()}
HTML_TAGS = {
    *("html", "head", "meta", "link", "title", "style", "body", "div", "nav", "ol", "ul", "li", "a", "main", "header"),
    *("p", "h1", "h2", "h3", "h4", "span", "code", "strong", "section", "dl", "dt", "dd", "footer", "wbr"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "svg", "desc", "rect", "line", "circle", "path", "text"),
}
SECTIONS = ["guarantee", "classes", "suppression", "loss", "columns", "text", "threats", "attacks"]
SECTIONS += ["training", "search", "verification", "limits", "asked", "environment"]


class Page(HTMLParser):
    """Elements with their attributes and texts; raises where tags do not nest."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.open: list[int] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        assert len(attributes) == len(dict(attributes)), f"an attribute twice in {name}"
        self.elements.append((name, dict(attributes), []))
        if name not in VOID:
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((name, dict(attributes), []))

    def handle_endtag(self, name: str) -> None:
        assert self.elements[self.open.pop()][0] == name

    def handle_data(self, data: str) -> None:
        for index in self.open:
            self.elements[index][2].append(data)

    def all(self, *names: str) -> list[tuple[str, dict[str, str | None], str]]:
        return [(name, given, "".join(texts)) for name, given, texts in self.elements if name in names]

    def section(self, key: str) -> str:
        return next(said for _, given, said in self.all("section") if given["id"] == key)


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_runs_and_nothing_is_fetched(name: str) -> None:
    page = Page(PAGES[name])
    policy = next(given for _, given, _ in page.all("meta") if given.get("http-equiv"))
    assert policy["content"].startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")  # type: ignore[union-attr]
    assert {tag_name for tag_name, _, _ in page.elements} <= HTML_TAGS
    for tag_name, attributes, _ in page.elements:
        assert not any(key.startswith("on") for key in attributes)
        assert not {"src", "srcset", "action", "formaction", "background", "xlink:href", "style"} & set(attributes)
        if "href" in attributes:
            assert re.fullmatch(r"#[a-z]+|data:,", attributes["href"] or ""), tag_name
    assert not any(re.search(r"url\(|import|expression|[@<]", style) for _, _, style in page.all("style"))
    assert len(PAGES[name]) < 1_000_000


def test_hostile_names_stay_text() -> None:
    page = Page(PAGES["hostile"])
    shown = figures.visible(ATTACK_STRING)
    assert {tag_name for tag_name, _, _ in page.elements} == {
        tag_name for tag_name, _, _ in Page(PAGES["tickets"]).elements
    }
    assert page.all("h1")[0][2] == f"support-tickets{shown}"
    for key in (
        "guarantee",
        "suppression",
        "loss",
        "columns",
        "text",
        "threats",
        "asked",
        "search",
        "verification",
        "environment",
    ):
        assert figures.visible("<img src=x onerror=alert(1)>\n</style></svg>&amp;") in page.section(key), key
    assert "\x1b" not in PAGES["hostile"]
    assert "\u202e" not in PAGES["hostile"]


@settings(deadline=None)
@given(st.text(), st.text())
def test_text_and_attributes_come_back_as_they_went_in(said: str, titled: str) -> None:
    [(_, given, texts)] = Page(tag("p", said, title=titled)).elements
    assert "".join(texts) == figures.visible(said)
    assert given["title"] == figures.visible(titled)


def test_only_tags_make_markup() -> None:
    assert join("<b>", Markup("<i>"), None, ["&", 3]) == "&lt;b&gt;<i>&amp;3"
    assert (
        tag("td", class_="num", hidden=True, title=None, aria_label="x")
        == '<td class="num" hidden aria-label="x"></td>'
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_headings_descend_one_step_at_a_time(name: str) -> None:
    levels = [int(tag_name[1]) for tag_name, _, _ in Page(PAGES[name]).all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("name", EXAMPLES)
def test_tables_and_drawings_have_names(name: str) -> None:
    page = Page(PAGES[name])
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(said.strip() for _, _, said in page.all("caption", "h2", "h3"))
    for _, attributes, said in page.all("th"):
        assert attributes.get("scope") in ("col", "row", "rowgroup")
        assert said.strip()
    for _, attributes, _ in page.all("svg"):
        named = attributes.get("role") == "img" and attributes["aria-labelledby"]
        assert named or attributes.get("aria-hidden") == "true"
    identifiers = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    for tag_name, attributes, _ in page.elements:
        wanted = (attributes.get("aria-labelledby") or "").split()
        wanted += [(attributes["href"] or "")[1:]] if tag_name == "a" else []
        assert set(wanted) <= set(identifiers)


def test_the_order_of_the_sections() -> None:
    keys = [given["id"] for _, given, _ in Page(PAGES["tickets"]).all("section")]
    assert keys == SECTIONS


def test_the_verdict_comes_first_with_what_it_does_not_mean() -> None:
    page = PAGES["tickets"]
    places = [
        page.index(said)
        for said in ("Draft policy, not reviewed.", "What this verdict does not mean", 'id="guarantee"')
    ]
    assert places == sorted(places)
    assert "Pseudonymised columns stay personal data" in page
    assert "Pseudonymised" not in PAGES["plain_table"]


def test_the_first_screen_names_who_bears_suppression_what_is_untouched_and_what_was_tried() -> None:
    def said(facts: Any) -> dict[str, str]:
        page = render(complete(facts))
        first = Page(page[page.index('<div class="glance">') : page.index("Since the release before")] + "</h3></div>")
        found = [text for name, _, text in first.elements if name in ("dt", "dd") for text in ["".join(text)]]
        return dict(zip(found[::2], found[1::2], strict=True))

    draft, signed = said(examples.tickets()), said(examples.signed())
    assert draft["Released untouched"] == "device, topic and plan"
    assert draft["Suppression falls on"].startswith("age 70-79 (8.42 %)")
    assert draft["Suppression falls on"].endswith("1.98 % of all rows")
    assert draft["Attacks"] == "none run"
    assert draft["Text"].endswith("text: recall not measured")
    assert draft["Private training"] == "none recorded"
    assert "linkage: 2.1 % (control 0.4 %, guessing 0.01 %), pass" in signed["Attacks"]
    for word in ("ε 1.792 per customer_id at δ 1e-06", "adjacency", "Poisson over units", "PLD"):
        assert word in signed["Private training"]


def test_a_refused_run_is_never_called_a_release() -> None:
    page, good = PAGES["refused"], PAGES["tickets"]
    assert "Evidence of a refused run: nothing was released" in page
    assert "Written, rejected and not released: " in page
    assert "Released: " not in page
    assert "Evidence of a refused run" not in good
    assert "Released: " in good


def test_l_and_t_are_on_the_first_screen_as_required_and_achieved() -> None:
    first = PAGES["tickets"].split("<section", 1)[0]
    assert "distinct l of topic: 4, 3 required" in first
    assert " t of topic: " in first


def test_a_refused_run_lists_every_reason_and_shows_no_pass() -> None:
    page = Page(PAGES["refused"])
    assert "✗ Promise does not hold" in PAGES["refused"]
    assert "✓ Promise holds" not in PAGES["refused"]
    for reason in complete(examples.refused())["verdict"]["reasons"]:
        assert any(said == reason for _, _, said in page.all("li"))
    assert page.section("guarantee").count("✗ fails") == 4
    assert any(given.get("class") == "fill below" for _, given, _ in page.all("rect"))


def test_what_is_null_was_not_measured_or_does_not_apply() -> None:
    empty, infeasible = Page(PAGES["empty"]), Page(PAGES["infeasible"])
    assert empty.section("guarantee").count("not applicable") >= 8
    assert "✓" not in empty.section("guarantee")
    for page in (empty, infeasible):
        assert not re.search(r"\d", page.section("classes").removeprefix("2"))
        assert "0 %" not in page.section("text")
        assert "100 %" not in page.section("text")
    assert infeasible.section("guarantee").count("not measured") >= 6
    assert "None run." in infeasible.section("attacks")
    assert "None recorded." in infeasible.section("training")
    assert "No file was written" in infeasible.section("verification")


def nullable(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of the measured figures below a value."""
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in nullable(item, (*path, key))]
    return [path] if isinstance(value, int | float) and not isinstance(value, bool) else []


MEASURED = [
    (part, *path)
    for part in ("output", "guarantee", "classes", "suppression", "loss", "risk")
    for path in nullable(complete(examples.tickets())[part])  # type: ignore[literal-required]
    if path[-1] not in ("required", "uncovered")
]


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: ".".join(map(str, path)))
def test_any_figure_may_be_null(path: tuple[Any, ...]) -> None:
    facts: Any = examples.tickets()
    place = facts
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = None
    assert "None<" not in render(complete(facts))


def test_levels_are_drawn_as_steps_with_the_chosen_one_marked() -> None:
    steps = [attributes["class"] for _, attributes, _ in Page(PAGES["tickets"]).all("rect")]
    assert steps.count("chosen") == 4
    assert "level 2 of 0 to 4" in Page(PAGES["tickets"]).section("search")
    assert "varies by class" in Page(PAGES["plain_table"]).section("search")
    assert "none chosen" in Page(PAGES["infeasible"]).section("search")


def grown(label: str | None = "30-39") -> dict[str, Any]:
    low: list[dict[str, Any]] = [{"label": label, "level": 2}, {"label": None, "level": 2}]
    inner = {"label": "20-39", "level": 3, "below": low, "more": 2}
    return {"level": 2, "groups": {"0": 60, "1": 13, "2": 7, "3": 3}, "below": [inner], "more": 1}


@pytest.mark.parametrize("label", ["30-39", ATTACK_STRING, "x" * 500, "W" * 99, "市" * 60])
def test_hierarchies_are_drawn_as_trees_down_to_the_release(label: str) -> None:
    facts: Any = examples.tickets()
    facts["columns"][3]["tree"] = grown(label)
    page = Page(render(complete(facts)))
    said = [(given["class"], text) for _, given, text in page.all("text") if given.get("class") in TREE]
    found = [text for kind, text in said if kind == "chosen"]
    assert found[1] == "null"
    assert found[0].startswith(figures.visible(label)[:10])
    assert len(found[0]) <= 38
    assert [text for kind, text in said if kind == "over"] == ["20-39"]
    assert [text for kind, text in said if kind == "more"] == ["2 more groups", "1 more group"]
    assert "Groups a level, finest first: 60, 13, 7, 3" in page.section("search")


TREE = {"chosen", "over", "more"}


def test_the_risk_curve_ends_with_everyone_and_says_its_figures() -> None:
    evidence = complete(examples.tickets())
    page = Page(render(evidence))
    [desc] = [text for name, given, text in page.elements if given.get("id") == "risk-d" for text in ["".join(text)]]
    points = [part.split(": ") for part in desc.split("; ")]
    sizes = evidence["classes"]["sizes"]
    assert [label for label, _ in points] == [f"1/{figures.compact(one)}" for one in edges(sizes)]
    assert (points[0][1], points[-1][1]) == ("0 %", "100 %")
    total = sum(one["rows"] for one in sizes)
    assert points[1][1] == figures.share(sizes[0]["rows"] / total)


def edges(sizes: list[Any]) -> list[int]:
    return [sizes[0]["from"], *(one["to"] + 1 for one in sizes)]


def test_untouched_columns_stand_out() -> None:
    page = Page(PAGES["tickets"])
    assert "3 columns are released untouched: device, topic and plan." in page.section("columns")
    marked = [given for _, given, said in page.all("span") if said == "released untouched"]
    assert len(marked) == 3
    assert all("warn" in (given["class"] or "") for given in marked)


def test_the_page_is_the_same_every_time_and_leaves_its_evidence_alone() -> None:
    evidence = complete(examples.wide())
    before = copy.deepcopy(evidence)
    assert render(evidence) == render(evidence)
    assert evidence == before


# contrast ------------------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def themes() -> list[dict[str, str]]:
    style = "".join(style for _, _, style in Page(PAGES["tickets"]).all("style"))
    return [
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)
    ]


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark", "print"])
def test_text_has_contrast_aa_on_every_ground(theme: dict[str, str]) -> None:
    grounds = [theme[name] for name in ("paper", "raised", "good-tint", "bad-tint", "warn-tint")]
    for ground in grounds:
        for ink in ("ink", "muted", "accent", "good", "bad", "warn"):
            assert contrast(theme[ink], ground) >= 4.5, (ink, ground)
    for drawn in ("fill", "mark", "bad"):
        assert contrast(theme[drawn], theme["paper"]) >= 3, drawn


def test_the_page_has_no_at_sign_of_its_own() -> None:
    """So that whoever searches a release for addresses needs no exception for its report."""
    assert "@" not in PAGES["tickets"]
