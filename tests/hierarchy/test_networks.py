"""IP addresses by network, against the standard library's own containment."""

from __future__ import annotations

import ipaddress

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.errors import InputError
from anonym.hierarchy.build import build
from anonym.hierarchy.model import Hierarchy, Networks


def labels(hierarchy: Hierarchy, level: int) -> list[str | None]:
    return hierarchy.labels.gather(hierarchy.ancestor[level].astype(np.int64)).to_list()


CASES: dict[str, tuple[str, tuple[int, ...], list[str]]] = {
    "version 4": ("192.0.2.77", (24, 16, 8), ["192.0.2.0/24", "192.0.0.0/16", "192.0.0.0/8"]),
    "bits inside a byte": ("198.51.100.255", (20, 9), ["198.51.96.0/20", "198.0.0.0/9"]),
    "a whole address": ("203.0.113.9", (32, 0), ["203.0.113.9", "0.0.0.0/0"]),
    "version 6": ("2001:DB8:1:2:3::4", (64, 48, 32), ["2001:db8:1:2::/64", "2001:db8:1::/48", "2001:db8::/32"]),
    "version 4 under longer lengths": ("192.0.2.1", (64, 24), ["192.0.2.1", "192.0.2.0/24"]),
    "version 6 under shorter lengths": ("2001:db8::1", (128, 16), ["2001:db8::1", "2001::/16"]),
    "version 4 as version 6": ("::ffff:192.0.2.1", (24,), ["192.0.2.0/24"]),
    "blanks and a zone": (" fe80::1%eth0 ", (64,), ["fe80::/64"]),
}


@pytest.mark.parametrize("case", CASES)
def test_an_address_by_its_networks(case: str) -> None:
    text, lengths, expected = CASES[case]
    hierarchy = build("c", Networks(lengths), pl.Series([text, None]))
    assert labels(hierarchy, 0) == [text, None]
    assert [labels(hierarchy, level)[0] for level in range(1, hierarchy.levels)] == [*expected, "*"]


NOT_ADDRESSES = ["", "localhost", "256.1.1.1", "10.0.0.0/8", "1.2.3", "01.2.3.4", "12345", ":::"]


@pytest.mark.parametrize("text", NOT_ADDRESSES)
def test_what_is_no_address_is_refused_without_being_told(text: str) -> None:
    with pytest.raises(InputError) as caught:
        build("c", Networks((24,)), pl.Series([text, "10.0.0.1"]).sort(), rows=pl.Series([3, 4]))
    assert "1 distinct value (" in str(caught.value)
    assert text == "" or text not in str(caught.value)


def test_what_is_no_address_can_be_suppressed_or_starred() -> None:
    domain = pl.Series(["10.0.0.1", "x", None])
    suppressed = build("c", Networks((24,)), domain, uncovered="suppress")
    assert suppressed.suppressed.tolist() == [False, True, False]
    starred = build("c", Networks((24,)), domain, uncovered="top")
    assert labels(starred, 0) == ["10.0.0.1", "*", None]
    assert labels(starred, 1) == ["10.0.0.0/24", "*", None]


def test_numbers_are_no_addresses() -> None:
    with pytest.raises(InputError, match="`ip` needs text"):
        build("c", Networks((24,)), pl.Series([1, 2]))


ADDRESSES = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6))


@settings(max_examples=60, deadline=None)
@given(
    addresses=st.lists(ADDRESSES, min_size=1, max_size=20, unique=True),
    lengths=st.lists(st.integers(0, 128), min_size=1, max_size=5, unique=True),
)
def test_every_network_holds_its_addresses(addresses: list[ipaddress.IPv4Address], lengths: list[int]) -> None:
    domain = pl.Series(sorted({str(address) for address in addresses}))
    hierarchy = build("c", Networks(tuple(sorted(lengths, reverse=True))), domain)
    for level in range(1, hierarchy.levels - 1):
        for text, label in zip(domain, labels(hierarchy, level), strict=True):
            address = ipaddress.ip_address(text)
            own = getattr(address, "ipv4_mapped", None) or address
            assert own in ipaddress.ip_network(label)
