"""The shipped sample: a table of invented support tickets and everything planted in its notes."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl

from anonym.demo.dice import Dice
from anonym.demo.notes import Note, note
from anonym.demo.people import Person, person, written_name
from anonym.demo.values import NEAR_MISSES, Scene
from anonym.demo.words import AGENTS

ROWS = 4000
SEED = 20260101
FIRST_TICKET = datetime(2024, 1, 2, 8)
DAYS = 540

SCHEMA = pl.Schema(
    {
        "ticket_id": pl.String(),
        "customer_id": pl.String(),
        "full_name": pl.String(),
        "email": pl.String(),
        "phone": pl.String(),
        "birth_date": pl.Date(),
        "postcode": pl.String(),
        "device": pl.String(),
        "plan": pl.String(),
        "channel": pl.String(),
        "opened_at": pl.Datetime("us"),
        "accommodation": pl.String(),
        "satisfaction": pl.Int8(),
        "notes": pl.String(),
    }
)
SPANS = pl.Schema(
    {"row": pl.UInt32(), "start": pl.UInt32(), "end": pl.UInt32(), "entity": pl.String(), "masked": pl.Boolean()}
)


def tickets(n_rows: int = ROWS, seed: int = SEED) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The table and its spans, the same for the same arguments.

    Spans are (row, start, end, entity, masked) in code points of `notes`, end exclusive, sorted by row and start;
    `masked` is false for near-misses, which a scrubber should leave alone.
    """
    dice = Dice(seed)
    customers = drawn_customers(n_rows, dice)
    opened = sorted(opening(dice) for _ in range(n_rows))
    pairs = list(zip(assigned(customers, n_rows, dice), opened, strict=True))
    notes, rows = [], []
    for number, (customer, when) in enumerate(pairs):
        channel = dice.weighted([("email", 36), ("chat", 20), ("phone", 22), ("web", 22)])
        scene = Scene(customer, dice.pick(customers), dice.pick(AGENTS), when, dice)
        notes.append(note(scene, channel))
        rows.append(row(number, scene, channel, notes[-1].text))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row"), spans(notes)


def drawn_customers(n_rows: int, dice: Dice) -> list[Person]:
    """People until together they have at least `n_rows` tickets; at least one."""
    customers: list[Person] = []
    total = 0
    while total < n_rows or not customers:
        customers.append(person(len(customers), dice))
        total += customers[-1].tickets
    return customers


def assigned(customers: list[Person], n_rows: int, dice: Dice) -> list[Person]:
    """Whose ticket each one is, in random order."""
    owners = [customer for customer in customers for _ in range(customer.tickets)][:n_rows]
    for i in range(len(owners) - 1, 0, -1):
        j = dice.below(i + 1)
        owners[i], owners[j] = owners[j], owners[i]
    return owners


def opening(dice: Dice) -> datetime:
    """A moment between January 2024 and June 2025, more of them in office hours."""
    hour = dice.weighted([((9, 17), 75), ((7, 21), 20), ((0, 23), 5)])
    day = FIRST_TICKET.replace(hour=0) + timedelta(days=dice.below(DAYS))
    return day.replace(hour=dice.between(*hour), minute=dice.below(60), second=dice.below(60))


def row(number: int, scene: Scene, channel: str, text: str | None) -> tuple[object, ...]:
    customer, dice = scene.me, scene.dice
    return (
        f"T-{scene.opened:%y%m}-{10_000 + number}",
        customer.customer_id,
        written_name(customer, dice),
        customer.email if dice.chance(0.97) else None,
        customer.phone,
        customer.birth_date,
        customer.postcode,
        customer.device,
        customer.plan,
        channel,
        scene.opened,
        customer.accommodation,
        dice.weighted([(None, 30), (5, 28), (4, 20), (3, 10), (2, 6), (1, 6)]),
        text,
    )


def spans(notes: list[Note]) -> pl.DataFrame:
    found = [
        (index, start, end, entity, entity not in NEAR_MISSES)
        for index, written in enumerate(notes)
        for start, end, entity in written.planted
    ]
    return pl.DataFrame(found, schema=SPANS, orient="row")
