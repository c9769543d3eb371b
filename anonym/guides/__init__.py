"""Guides of `anonym help`: one Markdown file a job, and references that are generated from what they describe."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from anonym.errors import CallError
from anonym.rules import rules_folder

REFERENCES: Mapping[str, str] = {
    "policy": "every key of a policy, from its schema",
    "exit-status": "what the exit statuses mean",
}


def topics() -> dict[str, str]:
    """Every topic with its title, guides first."""
    return {path.stem: _title(path) for path in _files()} | dict(REFERENCES)


def guide(topic: str) -> str:
    """The text of a topic. Raises CallError for one that is not there."""
    generated: Mapping[str, Callable[[], str]] = {"policy": policy_reference, "exit-status": exit_statuses}
    if topic in generated:
        return generated[topic]()
    for path in _files():
        if path.stem == topic:
            return path.read_text(encoding="utf-8").rstrip()
    raise CallError(f"no such topic; topics: {', '.join(topics())}")


@cache
def _files() -> tuple[Path, ...]:
    return tuple(sorted(Path(__file__).parent.glob("*.md")))


def _title(path: Path) -> str:
    with open(path, encoding="utf-8") as file:
        return file.readline().lstrip("# ").strip()


def exit_statuses() -> str:
    """The statuses, from the errors that set them."""
    errors = import_module("anonym.errors")
    words = {0: "done", 130: "interrupted"}
    for error in (errors.AnonymError, *_below(errors.AnonymError)):
        if "status" in vars(error):
            words[error.status] = words.get(error.status) or (error.__doc__ or "").split("\n")[0]
    words[1] = "an internal error, for example a release that failed its verification"
    words[2] = "the call or the policy is at fault"
    lines = [f"{status:>4}  {said}" for status, said in sorted(words.items())]
    return "\n".join(
        ["# Exit statuses", "", *lines, "", "In every case but 0 nothing new stands under the output's name."]
    )


def _below(error: type[Exception]) -> Iterator[type[Any]]:
    for child in error.__subclasses__():
        yield child
        yield from _below(child)


def policy_reference() -> str:
    """Every key of a policy with its description, from the JSON Schema that editors use."""
    schema = json.loads((rules_folder() / "policy.schema.json").read_text(encoding="utf-8"))
    return "\n".join(["# The policy, key by key", "", *_keys(schema, schema, "", ())])


def _keys(part: Mapping[str, Any], schema: Mapping[str, Any], indent: str, seen: tuple[str, ...]) -> Iterator[str]:
    for key, value in part.get("properties", {}).items():
        default = f" (default: {json.dumps(value['default'])})" if "default" in value else ""
        yield f"{indent}{key}: {value.get('description', '')}{default}".rstrip()
        yield from _below_key(value, schema, indent + "    ", seen)


def _below_key(
    value: Mapping[str, Any], schema: Mapping[str, Any], indent: str, seen: tuple[str, ...]
) -> Iterator[str]:
    """The keys of what a key may hold; each kind once on a way down."""
    for name in _referred(value):
        if name not in seen:
            inner = schema["$defs"][name]
            if "properties" in inner:
                if inner.get("description"):
                    yield f"{indent}- {inner['description']}"
                yield from _keys(inner, schema, indent + "  ", (*seen, name))
            else:
                yield from _below_key(inner, schema, indent, (*seen, name))


def _referred(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(found := value.get("$ref"), str):
            yield found.rpartition("/")[2]
        for key, inner in value.items():
            if key not in ("properties", "description", "discriminator"):
                yield from _referred(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _referred(inner)
