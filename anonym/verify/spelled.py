"""Labels of text whose meaning is in their spelling: networks, codes by their beginning, the rest of the frequent."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path

import polars as pl

from anonym.hierarchy.files import read_hierarchy
from anonym.verify.facts import QuasiFact

REST = re.compile(r"\(*other than top [0-9]+\)*")


def in_network(original: pl.Series, label: pl.Series) -> pl.Series:
    """Whether the label is a network, or the one address, that holds the value."""
    pairs = pl.DataFrame([original.alias("original"), label.alias("label")])
    distinct = pairs.unique().drop_nulls()
    held = [_holds(network, text) for text, network in distinct.iter_rows()]
    table = distinct.with_columns(pl.Series("held", held, dtype=pl.Boolean))
    found = pairs.join(table, on=["original", "label"], how="left", maintain_order="left")
    return found["held"].fill_null(False)


def _holds(network: str, text: str) -> bool:
    address = _address(text)
    try:
        return address is not None and address in ipaddress.ip_network(network)
    except ValueError:
        return False


def is_address(original: pl.Series) -> pl.Series:
    return original.map_elements(lambda text: _address(text) is not None, return_dtype=pl.Boolean)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address of a text, without its zone; one of version 4 in the spelling of version 6 is of version 4."""
    try:
        address = ipaddress.ip_address(text.strip().split("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def by_code(original: pl.Series, label: pl.Series, fact: QuasiFact) -> pl.Series:
    """The label stands on a line of the file whose leaf begins the value, and no longer leaf does."""
    lines = read_hierarchy(_file(fact)).rows
    above = pl.concat([lines.select(leaf=lines.columns[0], label=level) for level in lines.columns]).unique()
    pairs = pl.DataFrame([leaf_of(original, fact).alias("leaf"), label.alias("label")])
    known = pairs.join(above.with_columns(known=True), on=["leaf", "label"], how="left", maintain_order="left")
    return known["known"].fill_null(False)


def leaf_of(original: pl.Series, fact: QuasiFact) -> pl.Series:
    """The longest leaf of the file that begins the value, null where none does."""
    leaves = set(read_hierarchy(_file(fact)).rows.to_series(0).to_list())
    distinct = original.unique().drop_nulls()
    found = [
        next((text[:end] for end in range(len(text), 0, -1) if text[:end] in leaves), None)
        for text in distinct.to_list()
    ]
    table = pl.DataFrame([distinct.alias("text"), pl.Series("leaf", found, dtype=pl.String)])
    rows = pl.DataFrame([original.alias("text")])
    return rows.join(table, on="text", how="left", maintain_order="left")["leaf"]


def _file(fact: QuasiFact) -> Path:
    return Path(str(fact.parameters[0]))


def is_rest(label: pl.Series) -> pl.Series:
    """`other than top 12` covers every value: which ones are named is for the data to say."""
    return label.str.contains(f"^{REST.pattern}$").fill_null(False)
