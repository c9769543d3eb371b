"""What every verb has in common."""

from __future__ import annotations

import click
import pytest

from anonym.cli import VERBS, cli

EVERYWHERE = ("--json", "--quiet", "--verbose", "--seed", "--force")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_the_same_options(verb: str) -> None:
    words = [word for param in cli.commands[verb].params for word in param.opts]
    assert [word for word in EVERYWHERE if words.count(word) != 1] == []


@pytest.mark.parametrize("verb", VERBS)
def test_options_that_change_nothing_are_not_offered(verb: str) -> None:
    command = cli.commands[verb]
    shown = command.get_help(click.Context(command))
    callbacks = {param.name for param in command.params if param.expose_value}
    assert ("--seed" in shown) == ("seed" in callbacks)
    assert ("--force" in shown) == ("force" in callbacks)
