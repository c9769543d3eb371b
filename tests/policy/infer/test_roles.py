"""Twenty invented tables: no identifier or quasi-identifier is ever kept, nine in ten roles are right."""

from __future__ import annotations

import pytest
from tables import TABLES, frame

from anonym.policy.infer import Draft, Reading, draft, profile_columns

RIGHT = 0.9


@pytest.fixture(scope="module", params=sorted(TABLES))
def drawn(request: pytest.FixtureRequest) -> tuple[dict[str, set[str]], Draft]:
    table = TABLES[request.param]()
    data = frame(table)
    wanted = {name: set(roles.split("|")) for name, (roles, _) in table.items()}
    return wanted, draft(profile_columns(data.lazy(), dict(data.schema)), Reading())


def test_nine_in_ten_roles_are_right(drawn: tuple[dict[str, set[str]], Draft]) -> None:
    wanted, found = drawn
    wrong = {e.name: e.guess for e in found.entries if e.guess.role not in wanted[e.name]}
    assert len(wrong) <= (1 - RIGHT) * len(wanted), wrong


def test_no_identifier_or_quasi_identifier_is_kept(drawn: tuple[dict[str, set[str]], Draft]) -> None:
    wanted, found = drawn
    kept = {entry.name for entry in found.entries if entry.guess.role == "keep"}
    assert not {name for name in kept if wanted[name] <= {"identifier", "quasi"}}


def test_at_most_two_questions(drawn: tuple[dict[str, set[str]], Draft]) -> None:
    assert len(drawn[1].questions) <= 2
