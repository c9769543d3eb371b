"""What a criterion may stay satisfied under: it decides which pruning of a search is legal."""

from __future__ import annotations

from typing import Literal

Operation = Literal["generalise", "suppress", "subset"]
"""`generalise`: if every class holds, so does every union of classes over the same rows.
`suppress`: if every class holds, the rest still hold after whole classes are suppressed.
`subset`: a class that fails has no subset that holds, so that its rows are lost to every refinement.

All three are meant for counts that add up: of rows, or of units that lie in one class only. Under a unit that lies in
several classes the weights of entropy and recursive l and of t do not add, and only `suppress` of the two l remains.
"""
