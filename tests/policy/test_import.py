"""Importing and loading a policy pulls in no model, no kernel and no recogniser."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["spacy", "presidio_analyzer", "torch", "faker", "detect_secrets", "numba", "stdnum", "phonenumbers"]


def test_a_policy_is_loaded_without_heavy_parts() -> None:
    script = (
        "import sys\nfrom anonym.policy import Policy, explain\n"
        "explain(Policy.load({'anonym': 1, 'columns': {'a': {'role': 'drop'}}}))\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
