from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anonym.criteria import KAnonymity
from anonym.errors import PolicyError


def test_a_class_holds_from_k_members_on() -> None:
    members = np.array([1, 4, 5, 6])
    assert KAnonymity(5).holds(members).tolist() == [False, False, True, True]
    assert KAnonymity(5).achieved(members).tolist() == [1, 4, 5, 6]


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "5", None])
def test_refuses_what_is_no_count(k: Any) -> None:
    with pytest.raises(PolicyError) as error:
        KAnonymity(k)
    assert error.value.faults[0].path == "k"
