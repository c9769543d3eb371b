"""Where the shipped data lies: `rules/` beside the package in a checkout, `anonym/rules/` in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from anonym.errors import InternalError


def rules_folder() -> Path:
    """The folder of shipped policies, hierarchies, recognisers and schemas. Raises InternalError if it is missing."""
    for folder in (Path(__file__).with_name("rules"), Path(__file__).parents[1] / "rules"):
        if folder.is_dir():
            return folder
    raise InternalError("the folder rules, which ships with anonym, is missing: install anonym again")
