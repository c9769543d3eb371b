"""What a model reads does not depend on the order in which rules found things."""

from __future__ import annotations

from itertools import permutations

from anonym.text.reading import for_model
from anonym.text.spans import Span

TEXT = "mail from Ferra Olin today"


def test_a_stretch_found_as_two_things_is_read_in_one_way() -> None:
    found = [Span(10, 20, entity, 1.0, "rule", True) for entity in ("USERNAME", "PERSON", "IDENTIFIER", "LOCATION")]
    views = {for_model(TEXT, order, None).text for order in permutations(found)}
    assert views == {"mail from Paris today"}
