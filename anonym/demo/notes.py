"""Notes of support tickets, with everything planted in them and where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from anonym.demo.dice import Dice
from anonym.demo.people import misspelled
from anonym.demo.templates import BLANKS, CANNED, RULES
from anonym.demo.values import VALUES, Piece, Scene

_SLOT = re.compile(r"\[\[(~?\w+)\]\]")
_AS_TYPED = frozenset(("PERSON", "ADDRESS", "LOCATION", "ORGANIZATION", "EMAIL_ADDRESS", "WORD", "PRODUCT"))
_EMOJI = (" 🙂", " 🙏🏽", " 😡😡", " 👩🏽‍💻", " ❤️", " 🇵🇹")


@dataclass(frozen=True)
class Note:
    """A text and what was planted in it: (start, end, entity), offsets in code points, end exclusive."""

    text: str | None
    planted: tuple[tuple[int, int, str], ...] = ()


def note(scene: Scene, channel: str) -> Note:
    """One note as it reaches a ticket through `channel`."""
    kind = scene.dice.weighted(KINDS[channel])
    if kind == "null":
        return Note(None)
    return assembled(WRITERS[kind](scene))


def assembled(pieces: list[Piece]) -> Note:
    text, planted = "", []
    for piece in pieces:
        if piece.entity is not None:
            planted.append((len(text), len(text) + len(piece.text), piece.entity))
        text += piece.text
    return Note(text, tuple(planted))


def written(rule: str, scene: Scene) -> list[Piece]:
    """One alternative of a rule of the grammar, with every slot filled."""
    return filled(scene.dice.pick(RULES[rule]), scene)


def filled(template: str, scene: Scene) -> list[Piece]:
    pieces = []
    for i, part in enumerate(_SLOT.split(template)):
        if i % 2 == 0:
            pieces.append(Piece(part))
        elif part.startswith("~"):
            pieces.append(Piece(part[1:], "WORD"))
        elif part in RULES:
            pieces.extend(written(part, scene))
        else:
            entity, value = VALUES[part]
            pieces.append(Piece(value(scene), entity))
    return [piece for piece in pieces if piece.text]


def typed(pieces: list[Piece], dice: Dice) -> list[Piece]:
    """As people type: some in capitals, many in lower case, with slips and emoji; identifiers keep their characters."""
    way = dice.weighted([("tidy", 55), ("lower", 20), ("upper", 5), ("slips", 20)])
    if way in ("lower", "upper"):
        change: Callable[[str], str] = str.lower if way == "lower" else str.upper
        pieces = [replace(p, text=change(p.text)) if p.entity is None or p.entity in _AS_TYPED else p for p in pieces]
    if way == "slips":
        pieces = [replace(p, text=with_slips(p.text, dice)) if p.entity is None else p for p in pieces]
    return [*pieces, Piece(dice.pick(_EMOJI))] if dice.chance(0.06) else pieces


def with_slips(text: str, dice: Dice) -> str:
    return re.sub(r"[a-z]{4,}", lambda m: misspelled(m[0], dice) if dice.chance(0.12) else m[0], text)


def quoted(pieces: list[Piece]) -> list[Piece]:
    """The text as a quotation in a reply: every line begins with `> `, also inside what was planted."""
    return [Piece("> "), *(replace(p, text=p.text.replace("\n", "\n> ")) for p in pieces)]


def thread(scene: Scene) -> list[Piece]:
    """A reply, and below it the message it answers, quoted."""
    top = typed(written("message", scene), scene.dice)
    when = scene.opened.strftime("%Y-%m-%d")
    if scene.dice.chance(0.5):
        sender = filled("\n\nOn ", scene), filled(" [[agent_full]] <support@example.com> wrote:\n", scene)
        answer = filled("Hi [[first]],\nplease send us your order number.\n\n[[agent_full]]\nCustomer Care", scene)
    else:
        sender = filled("\n\n-----Original Message-----\nFrom: [[me]] <[[email]]>\nSent: ", scene), filled("\n", scene)
        answer = written("message", scene)
    return [*top, *sender[0], Piece(when, "DATE_TIME"), *sender[1], *quoted(answer)]


def chat(scene: Scene) -> list[Piece]:
    minute, pieces = scene.opened.minute, []
    for _ in range(scene.dice.between(2, 5)):
        pieces += [Piece(f"[{scene.opened.hour:02}:{minute % 60:02}] "), *written("chat_line", scene), Piece("\n")]
        minute += scene.dice.between(0, 2)
    return pieces[:-1]


def embedded(scene: Scene) -> list[Piece]:
    """A log or JSON pasted under a line of prose, or alone."""
    pasted = written(scene.dice.pick(("log", "json")), scene)
    return pasted if scene.dice.chance(0.5) else [*typed(written("problem", scene), scene.dice), Piece("\n"), *pasted]


def prose(rule: str) -> Callable[[Scene], list[Piece]]:
    return lambda scene: typed(written(rule, scene), scene.dice)


WRITERS: dict[str, Callable[[Scene], list[Piece]]] = {
    "blank": lambda scene: [Piece(scene.dice.pick(BLANKS))],
    "canned": lambda scene: [Piece(scene.dice.pick(CANNED))],
    "message": prose("message"),
    "agent_note": prose("agent_note"),
    "near_miss": lambda scene: written("near_miss", scene),
    "foreign": prose("foreign"),
    "secret": lambda scene: written("secret", scene),
    "embedded": embedded,
    "thread": thread,
    "chat": chat,
}

KINDS: dict[str, list[tuple[str, float]]] = {
    "email": [
        ("message", 46),
        ("thread", 16),
        ("canned", 14),
        ("near_miss", 10),
        ("foreign", 6),
        ("secret", 4),
        ("embedded", 4),
    ],
    "chat": [("chat", 60), ("canned", 14), ("near_miss", 14), ("secret", 4), ("null", 4), ("blank", 4)],
    "phone": [("agent_note", 66), ("canned", 14), ("null", 10), ("blank", 6), ("near_miss", 4)],
    "web": [
        ("message", 42),
        ("near_miss", 20),
        ("embedded", 14),
        ("canned", 10),
        ("secret", 6),
        ("blank", 5),
        ("foreign", 3),
    ],
}
