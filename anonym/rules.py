"""Where the shipped data lies: `rules/` beside the package in a checkout, `anonym/rules/` in an installed wheel."""

from __future__ import annotations

from pathlib import Path


def rules_folder() -> Path:
    """The folder of shipped policies, hierarchies, recognisers and schemas. Raises FileNotFoundError without it."""
    for folder in (Path(__file__).with_name("rules"), Path(__file__).parents[1] / "rules"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError("the folder rules, which ships with anonym, is missing: install anonym again")
