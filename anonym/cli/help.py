"""Guides and references, from the files of the package, the policy's schema, and the commands themselves."""

from __future__ import annotations

import json

import click

from anonym.cli.options import common


@click.command()
@click.argument("topic", required=False)
@common
@click.pass_context
def help(ctx: click.Context, topic: str | None, as_json: bool, quiet: bool) -> None:
    """Show a guide (TOPIC: release, scrub, recall, attack, train, officer, ...), a reference, or a command's help.

    Without TOPIC: the list of topics.
    """
    from anonym.guides import guide, topics

    group = ctx.parent.command if ctx.parent is not None else None
    verbs = group.commands if isinstance(group, click.Group) else {}
    if topic is not None and topic in verbs:
        command = verbs[topic]
        text = command.get_help(click.Context(command, info_name=f"anonym {topic}", max_content_width=100))
    elif topic is None:
        listed = [f"  {name:<12} {title}" for name, title in topics().items()]
        text = "\n".join(["anonym help TOPIC", *listed, "or anonym help VERB: " + ", ".join(verbs)])
    else:
        text = guide(topic)
    if not quiet:
        click.echo(json.dumps({"text": text}, ensure_ascii=False) if as_json else text)
