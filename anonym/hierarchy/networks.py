"""IP addresses by network: `192.0.2.0/24`, `2001:db8::/48`."""

from __future__ import annotations

import ipaddress

import numpy as np
import polars as pl

from anonym.hierarchy.labels import printed
from anonym.hierarchy.model import Networks
from anonym.hierarchy.steps import ROOT, Step, Window

BITS = {4: 32, 6: 128}

Address = tuple[int, int]  # version, number


def network_steps(declared: Networks, values: pl.Series, window: Window) -> list[Step]:
    """Level 0, then the network of each address in the shortest spelling; ROOT throughout where a value is none.

    Blanks around it and a zone (`fe80::1%eth0`) do not matter; `::ffff:192.0.2.1` is the version 4 address. A network
    as long as the address is written without its length.
    """
    del window
    addresses = [address_of(text) for text in values.to_list()]
    return [_as_they_are(values, addresses), *(_step(addresses, length) for length in declared.lengths)]


def address_of(text: str) -> Address | None:
    """Version and number of an address; None for all else."""
    try:
        address = ipaddress.ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    address = address if mapped is None else mapped
    return address.version, int(address)


def _as_they_are(values: pl.Series, addresses: list[Address | None]) -> Step:
    is_address = np.array([address is not None for address in addresses], dtype=np.bool_)
    node = np.where(is_address, np.cumsum(is_address) - 1, ROOT)
    return Step(node, printed(values).filter(pl.Series(is_address, dtype=pl.Boolean)))


def _step(addresses: list[Address | None], length: int) -> Step:
    nodes: dict[Address, int] = {}
    node = [ROOT if address is None else nodes.setdefault(_start(address, length), len(nodes)) for address in addresses]
    labels = [_label(network, length) for network in nodes]
    return Step(np.array(node, dtype=np.int64), pl.Series(labels, dtype=pl.String))


def _start(address: Address, length: int) -> Address:
    version, number = address
    rest = max(BITS[version] - length, 0)
    return version, number >> rest << rest


def _label(start: Address, length: int) -> str:
    version, number = start
    address = ipaddress.IPv4Address(number) if version == 4 else ipaddress.IPv6Address(number)
    return str(address) if length >= BITS[version] else f"{address}/{length}"
