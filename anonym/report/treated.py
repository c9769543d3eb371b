"""Sections on the columns: what became of each, what it cost, and the recoding that the search chose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anonym.report import blocks, figures, limits, svg, wording
from anonym.report.blocks import Heading, Section
from anonym.report.fields import Column, Evidence, Tree, TreeNode
from anonym.report.markup import Markup, join, tag

ROLES = (
    ("keep", "Keep", "released as they are"),
    ("sensitive", "Sensitive", "released as they are"),
    ("quasi", "Quasi-identifiers", "what the guarantee speaks of"),
    ("text", "Free text", "scrubbed"),
    ("identifier", "Identifiers", ""),
    ("drop", "Dropped", "not released"),
)
ACTIONS = {
    "none": "no action in this run",
    "generalise": "generalised",
    "keep": "as it is",
    "scrub": "scrubbed",
    "drop": "not released",
    "redact": "every value replaced by one mark",
    "pseudonym": "keyed token",
    "surrogate": "invented value of the same kind",
    "shift": "dates moved by one keyed offset per unit",
}


# columns by role -----------------------------------------------------------------------------------------------------


def columns(evidence: Evidence) -> Section:
    plain = [column for column in evidence["columns"] if limits.untouched(column, evidence)]
    headings = (Heading("Column"), Heading("What became of it", "words"), Heading("k if known too", "num"))
    bodies = [_role(evidence, headings, *role) for role in ROLES]
    caption = (
        "Every column of the input, by role. k if known too: the smallest class for an attacker who knows the "
        "quasi-identifiers and this column as well."
    )
    table = blocks.framed(caption, headings, *[body for body in bodies if body is not None])
    return Section("columns", "Columns by role", join(_callout(plain), table))


def _callout(plain: Sequence[Column]) -> Markup:
    if not plain:
        return tag("p", "No column is released untouched.")
    names = figures.listed((figures.shortened(column["name"], 60) for column in plain), 12)
    verb = "is" if len(plain) == 1 else "are"
    said = f"{figures.plural(len(plain), 'column')} {verb} released untouched: "
    return tag("p", tag("strong", said), tag("span", names, class_="name"), ".", class_="callout")


def _role(evidence: Evidence, headings: Sequence[Heading], role: str, title: str, meaning: str) -> Markup | None:
    found = [column for column in evidence["columns"] if column["role"] == role]
    if not found:
        return None
    said = tag("span", f" {meaning}", class_="note") if meaning else None
    group = tag("tr", tag("th", title, said, scope="rowgroup", colspan=len(headings)))
    rows = [blocks.row(headings, _column(column, evidence)) for column in found]
    return tag("tbody", group, rows, class_="role")


def _column(column: Column, evidence: Evidence) -> Sequence[object]:
    dtype = column.get("dtype")
    named = join(blocks.name(column["name"]), blocks.sub(dtype) if dtype else None)
    return (
        named,
        join(_treatment(column, evidence), [blocks.sub(said) for said in _details(column)]),
        _known(column, evidence),
    )


def _treatment(column: Column, evidence: Evidence) -> object:
    if limits.untouched(column, evidence):
        return tag("span", "released untouched", class_="status warn")
    if column["action"] == "generalise":
        level = limits.chosen_levels(evidence).get(column["name"])
        said = (column["levels"] or {}).get(str(level)) if level is not None else None
        return f"generalised: {said}" if said else "generalised"
    return ACTIONS.get(column["action"], column["action"])


def _details(column: Column) -> Iterator[str]:
    if column["form"] is not None:
        yield f"form {column['form']}"
    if column.get("key_id"):
        lasting = ", the same in every release" if column.get("scope") == "project" else ""
        yield f"key {column['key_id']}{lasting}; stays personal data"
    if column.get("reason"):
        yield f"values that fewer than k hold may stay: {column['reason']}"


def _known(column: Column, evidence: Evidence) -> object:
    if column["role"] not in ("keep", "sensitive"):
        return ""
    value = column.get("k_if_known")
    if value is None:
        return blocks.absent()
    return tag("span", figures.count(value), class_="below" if value < limits.required_k(evidence) else None)


# loss ----------------------------------------------------------------------------------------------------------------


def loss(evidence: Evidence) -> Section:
    measured = [column for column in evidence["columns"] if column["role"] == "quasi"]
    if not measured:
        return Section("loss", "Loss", blocks.note("Not applicable: no quasi-identifier was generalised."))
    mean = evidence["loss"]["ncp"]
    none = wording.missing(evidence)
    ranked = sorted(measured, key=lambda column: -(column["loss"] or 0.0))
    rows = [
        (
            blocks.name(column["name"]),
            svg.bar(column["loss"], mean),
            blocks.figure(column["loss"], figures.decimal(column["loss"]), none),
        )
        for column in ranked
    ]
    caption = (
        "Normalised certainty penalty over all input rows: 0 untouched, 1 nothing left; a suppressed row counts 1."
    )
    if mean is not None:
        caption += f" The line marks the mean, {figures.decimal(mean)}."
    headings = (Heading("Column"), Heading("Loss", "bars"), Heading("NCP", "num"))
    return Section("loss", "Loss per column", join(blocks.table(caption, headings, rows), _further_losses(evidence)))


FURTHER = (("Mean NCP", "ncp"), ("Discernibility", "discernibility"), ("Class size over k", "average_class_size"))


def _further_losses(evidence: Evidence) -> Markup:
    part: Mapping[str, float | None] = evidence["loss"]  # type: ignore[assignment]
    none = wording.missing(evidence)
    return blocks.facts((said, blocks.figure(part[key], figures.number(part[key]), none)) for said, key in FURTHER)


# search --------------------------------------------------------------------------------------------------------------


def search(evidence: Evidence) -> Section:
    part = evidence["search"]
    if part is None:
        return Section("search", "Search", blocks.note("Not applicable: the policy has no quasi-identifier."))
    bound = blocks.figure(part["bound"], f"the objective cannot be below {figures.number(part['bound'])}", "none")
    pairs = [
        ("Strategy", f"{part['strategy']}: {part['why']}" if part["why"] else part["strategy"]),
        ("Objective", part["objective"].replace("_", " ")),
        (
            "Optimal",
            "yes: nothing better exists within these hierarchies and this limit" if part["optimal"] else "not proven",
        ),
        ("Proven bound", bound),
        (
            "Reproducible",
            "yes, with the same input, policy and seed" if part["reproducible"] else "no: its budget was a time",
        ),
    ]
    return Section("search", "Search and levels", join(blocks.facts(pairs), _levels(evidence), _trees(evidence)))


def _levels(evidence: Evidence) -> Markup | None:
    chosen, search = limits.chosen_levels(evidence), evidence["search"]
    found = [column for column in evidence["columns"] if _numbers(column)]
    if not found:
        return None
    otherwise = "varies by class" if search is not None and search["strategy"] == "local" else "none chosen"
    rows = [_level_row(index, column, chosen.get(column["name"]), otherwise) for index, column in enumerate(found)]
    headings = (Heading("Column"), Heading("Finest to coarsest", "stairs-cell"), Heading("Released at", "words"))
    caption = "The levels that the policy allows for each quasi-identifier, and the one that the release uses."
    return blocks.table(caption, headings, rows)


def _numbers(column: Column) -> list[int]:
    return sorted(int(level) for level in column["levels"] or {} if level.isdecimal())


def _level_row(index: int, column: Column, chosen: int | None, otherwise: str) -> Sequence[object]:
    described, levels = column["levels"] or {}, _numbers(column)
    words = "; ".join(f"level {level}: {described.get(str(level), '')}" for level in levels)
    if chosen is None:
        said = join(otherwise, blocks.sub(f"levels {levels[0]} to {levels[-1]}"))
    else:
        said = join(described.get(str(chosen), ""), blocks.sub(f"level {chosen} of {levels[0]} to {levels[-1]}"))
        words = f"released at level {chosen}; {words}"
    return blocks.name(column["name"]), svg.staircase(f"stairs-{index}", levels, chosen, words), said


# trees ---------------------------------------------------------------------------------------------------------------

MOST_BRANCHES = 30  # lines of a tree; the JSON has up to 40 nodes at the level of the release


def _trees(evidence: Evidence) -> Markup | None:
    found = [column for column in evidence["columns"] if column.get("tree")]
    if not found:
        return None
    local = evidence["search"] is not None and evidence["search"]["strategy"] == "local"
    drawn = "the level below the top, since cells differ by class" if local else "the level of the release, filled"
    lead = (
        f"From the top down to {drawn}. Only groups that at least k share in the release are named, at most 40; "
        "the others, and finer levels, are counted."
    )
    cards = [_tree_card(index, column) for index, column in enumerate(found)]
    return join(tag("h3", "Hierarchies"), blocks.note(lead), tag("div", cards, class_="cards"))


def _tree_card(index: int, column: Column) -> Markup:
    grown = column["tree"]
    lines = list(_branches(grown, grown["level"], 0))
    shown = lines[:MOST_BRANCHES]
    if hidden := len(lines) - len(shown):
        shown.append((0, f"{figures.plural(hidden, 'more line')} in the JSON report", "more"))
    title = f"Hierarchy of {figures.shortened(column['name'], 60)}"
    return tag(
        "div",
        tag("h4", blocks.name(column["name"])),
        svg.tree(f"tree-{index}", title, shown) if shown else blocks.note("No group may be named."),
        blocks.note(_sizes(grown)),
    )


def _branches(node: Tree | TreeNode, released: int, depth: int) -> Iterator[svg.Branch]:
    for one in node.get("below", ()):
        label = "null" if one["label"] is None else one["label"]
        yield depth, label, "chosen" if one["level"] == released else "over"
        yield from _branches(one, released, depth + 1)
    if node.get("more"):
        yield depth, f"{figures.plural(node['more'], 'more group')}", "more"


def _sizes(grown: Tree) -> str:
    levels = sorted(map(int, grown["groups"]))
    return "Groups a level, finest first: " + ", ".join(figures.count(grown["groups"][str(level)]) for level in levels)
