"""Labels of text that mean by their spelling: networks, codes by their beginning, the rest of the frequent values."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import polars as pl

from anonym.hierarchy.files import read_hierarchy
from anonym.hierarchy.networks import BITS, address_of
from anonym.hierarchy.texts import listed_beginning

REST = r"^\(*other than top [0-9]+\)*$"


def networks(labels: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    """[cell, value]: a network and the addresses in it. Joined on the first bits, once for each length there is."""
    read = [(cell, *network) for cell, text in labels.select("cell", "text").iter_rows() if (network := _network(text))]
    addresses = [(value, address_of(text)) for value, text in leaves.select("value", "text").iter_rows()]
    by_length: dict[tuple[int, int], dict[int, list[int]]] = {}
    for cell, version, start, length in read:
        by_length.setdefault((version, length), {}).setdefault(start, []).append(cell)
    pairs = [
        (cell, value)
        for (version, length), starts in by_length.items()
        for value, address in addresses
        if address is not None and address[0] == version
        for cell in starts.get(address[1] >> (BITS[version] - length), ())
    ]
    return pl.DataFrame(pairs, schema={"cell": pl.UInt32, "value": pl.UInt32}, orient="row")


def _network(text: str) -> tuple[int, int, int] | None:
    """Version, first bits and their number; None for what is no network."""
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        return None
    return (
        network.version,
        int(network.network_address) >> (network.max_prefixlen - network.prefixlen),
        network.prefixlen,
    )


def codes(file: Path, labels: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    """[cell, value]: a node and the values whose longest listed beginning lies under it."""
    lines = read_hierarchy(file).rows
    above = pl.concat([lines.select(leaf=lines.columns[0], node=level) for level in lines.columns]).unique()
    known = leaves.with_columns(leaf=listed_beginning(leaves["text"], lines["level_0"])).drop_nulls("leaf")
    return known.join(above, on="leaf").join(labels, left_on="node", right_on="text").select("cell", "value")


def rest(labels: pl.DataFrame, leaves: pl.DataFrame) -> pl.DataFrame:
    """[cell, value]: `other than top 12` and the values it may stand for: where it is the only one of its kind, those
    that are not released under their own name.
    """
    rests = labels.filter(pl.col("text").str.contains(REST))
    others = leaves if rests.height > 1 else leaves.join(labels, on="text", how="anti")
    return rests.select("cell").join(others.select("value"), how="cross")
