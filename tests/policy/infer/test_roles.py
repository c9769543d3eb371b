"""Sixty-five invented tables: no identifier or quasi-identifier is ever kept, nine in ten roles are right."""

from __future__ import annotations

import pytest
from later_tables import LATER
from tables import TABLES, Table, frame

from anonym.io import open_paths
from anonym.policy.infer import Draft, Reading, draft, profile_columns, sniff

RIGHT = 0.9
Drawn = tuple[dict[str, set[str]], Draft]


def _wanted(table: Table) -> dict[str, set[str]]:
    return {name: set(roles.split("|")) for name, (roles, _) in table.items()}


@pytest.fixture(scope="module", params=sorted([*TABLES, *LATER]))
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """The first twenty as frames with types, the later ones as CSV files, whose types are to be found out."""
    if request.param in TABLES:
        table = TABLES[request.param]()
        data = frame(table)
        return _wanted(table), draft(profile_columns(data.lazy(), dict(data.schema)), Reading())
    table = LATER[request.param]()
    file = tmp_path_factory.mktemp("later") / "table.csv"
    frame(table).write_csv(file)
    reading = sniff([file])
    source = open_paths([file], reading.options())
    return _wanted(table), draft(profile_columns(source.frame, source.schema), reading)


def test_nine_in_ten_roles_are_right(drawn: Drawn) -> None:
    wanted, found = drawn
    wrong = {e.name: e.guess for e in found.entries if e.guess.role not in wanted[e.name]}
    assert len(wrong) <= (1 - RIGHT) * len(wanted), wrong


def test_no_identifier_or_quasi_identifier_is_kept(drawn: Drawn) -> None:
    wanted, found = drawn
    kept = {entry.name for entry in found.entries if entry.guess.role == "keep"}
    assert not {name for name in kept if wanted[name] <= {"identifier", "quasi", "drop"}}


def test_no_identifier_is_released_as_it_is(drawn: Drawn) -> None:
    wanted, found = drawn
    released = {entry.name for entry in found.entries if entry.guess.role in ("keep", "sensitive")}
    assert not {name for name in released if wanted[name] <= {"identifier", "drop"}}


def test_at_most_two_questions(drawn: Drawn) -> None:
    assert len(drawn[1].questions) <= 2
