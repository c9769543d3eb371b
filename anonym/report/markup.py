"""HTML that cannot be forgotten to escape: text is escaped unless it is Markup, and only `tag` makes Markup."""

from __future__ import annotations

import html
from collections.abc import Iterable

from anonym.report import figures

VOID = frozenset({"br", "hr", "link", "meta", "wbr", "rect", "line", "circle", "path"})


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


def text(content: str) -> Markup:
    """The content as text: escaped, and what cannot be seen made visible."""
    return content if isinstance(content, Markup) else Markup(html.escape(figures.visible(content), quote=True))


def join(*children: object) -> Markup:
    """The children one after another; None is left out, iterables are flattened, text is escaped."""
    return Markup("".join(_flat(children)))


def _flat(children: Iterable[object]) -> Iterable[str]:
    for child in children:
        if isinstance(child, str):
            yield text(child)
        elif isinstance(child, Iterable):
            yield from _flat(child)
        elif child is not None:
            yield text(str(child))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element. Attribute names lose a trailing `_` and have `-` for `_`; None and False leave an attribute out."""
    said = "".join(
        _attribute(key, value) for key, value in attributes.items() if value is not None and value is not False
    )
    if name in VOID:
        return Markup(f"<{name}{said}>" if name in ("br", "hr", "link", "meta", "wbr") else f"<{name}{said}/>")
    return Markup(f"<{name}{said}>{join(*children)}</{name}>")


def _attribute(name: str, value: object) -> str:
    key = name.removesuffix("_").replace("_", "-")
    return f" {key}" if value is True else f' {key}="{text(str(value))}"'
