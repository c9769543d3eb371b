"""A long table shaped like the Netflix prize's: popular and rare items, busy and idle people, bursts in time."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl


def ratings(people: int, items: int, seed: int, median: float = 60.0) -> pl.DataFrame:
    """[person, item, rating, day]: lognormal activity around `median`, popularity like rank^-0.8, ratings 1 to 5."""
    draw = np.random.default_rng(seed)
    popularity = np.arange(1, items + 1) ** -0.8
    activity = np.clip(draw.lognormal(np.log(median), 0.9, people).astype(int), 4, items // 3)
    liked, mood = draw.normal(3.6, 0.5, items), draw.normal(0, 0.4, people)
    who = np.repeat(np.arange(people), activity)
    what = draw.choice(items, len(who), p=popularity / popularity.sum())
    who, what = np.divmod(np.unique(who * items + what), items)
    rating = np.clip(np.round(liked[what] + mood[who] + draw.normal(0, 0.9, len(who))), 1, 5).astype(int)
    burst = draw.integers(0, 2000, (people, 5))[who, draw.integers(0, 5, len(who))]
    day = np.clip(burst + draw.exponential(20, len(who)).astype(int), 0, 2200)
    start = date(1999, 11, 1).toordinal() - date(1970, 1, 1).toordinal()
    return pl.DataFrame(
        {"person": who, "item": what, "rating": rating, "day": pl.Series(day + start).cast(pl.Int32)}
    ).with_columns(pl.col("day").cast(pl.Date))
