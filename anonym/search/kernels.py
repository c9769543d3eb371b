"""Loops of the global search: arrays in, arrays out. Whoever calls them has validated.

Vocabulary: a *class* of the current node holds prefixes of one depth; `order` lists the living prefixes class by class,
`start` (classes + 1,) says where each class begins. The *entries* of a split are the distinct (class, leaf of the next
column) pairs, again class by class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonym.criteria.jit import kernel
from anonym.criteria.kernels import sort_rising

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@kernel
def split(
    order: Codes, start: Ints, first_child: Ints, leaf: Codes, rows: Ints, members: Ints, leaves: int
) -> tuple[Codes, Ints, Codes, Ints, Ints]:
    """Entries of the children of each class: (entry of each child prefix, -1 for dead ones; start, leaf, rows, members
    of the entries)."""
    entry_of = np.full(leaf.size, -1, np.int32)
    slot = np.full(leaves, -1, np.int32)
    most = 0
    for at in range(order.size):
        most += first_child[order[at] + 1] - first_child[order[at]]
    entry_leaf = np.empty(most, np.int32)
    entry_rows = np.empty(most, np.int64)
    entry_members = np.empty(most, np.int64)
    entry_start = np.zeros(start.size, np.int64)
    filled = 0
    for c in range(start.size - 1):
        begin = filled
        for at in range(start[c], start[c + 1]):
            for child in range(first_child[order[at]], first_child[order[at] + 1]):
                entry = slot[leaf[child]]
                if entry < begin:
                    entry = filled
                    filled += 1
                    slot[leaf[child]] = entry
                    entry_leaf[entry] = leaf[child]
                    entry_rows[entry] = 0
                    entry_members[entry] = 0
                entry_rows[entry] += rows[child]
                entry_members[entry] += members[child]
                entry_of[child] = entry
        entry_start[c + 1] = filled
    return entry_of, entry_start, entry_leaf[:filled], entry_rows[:filled], entry_members[:filled]


@kernel
def merge(
    entry_start: Ints,
    entry_leaf: Codes,
    entry_rows: Ints,
    entry_members: Ints,
    node: Codes,
    cost: Floats,
    paid: Floats,
    width: int,
) -> tuple[Codes, Ints, Ints, Floats]:
    """New classes when the column is released at one level: (class of each entry; rows, members, cost a row).

    `node` and `cost` are by leaf, `paid` (classes,) is what a row costs on the columns decided on before.
    """
    class_of = np.empty(entry_leaf.size, np.int32)
    rows = np.empty(entry_leaf.size, np.int64)
    members = np.empty(entry_leaf.size, np.int64)
    costs = np.empty(entry_leaf.size, np.float64)
    slot = np.full(width, -1, np.int32)
    filled = 0
    for c in range(entry_start.size - 1):
        begin = filled
        for entry in range(entry_start[c], entry_start[c + 1]):
            leaf = entry_leaf[entry]
            owner = slot[node[leaf]]
            if owner < begin:
                owner = filled
                filled += 1
                slot[node[leaf]] = owner
                rows[owner] = 0
                members[owner] = 0
                costs[owner] = paid[c] + cost[leaf]
            rows[owner] += entry_rows[entry]
            members[owner] += entry_members[entry]
            class_of[entry] = owner
    return class_of, rows[:filled].copy(), members[:filled].copy(), costs[:filled].copy()


@kernel
def kept(rows: Ints, costs: Floats, holds: Bools) -> tuple[int, float]:
    """Rows of the classes that hold, and what they cost."""
    total = 0
    cost = 0.0
    for c in range(rows.size):
        if holds[c]:
            total += rows[c]
            cost += rows[c] * costs[c]
    return total, cost


@kernel
def descend(
    order: Codes, first_child: Ints, entry_of: Codes, class_of: Codes, number: Codes, classes: int
) -> tuple[Codes, Ints]:
    """`order` and `start` of the child node, whose classes are numbered by `number` (-1: dropped)."""
    first = np.zeros(classes + 1, np.int64)
    for at in range(order.size):
        for child in range(first_child[order[at]], first_child[order[at] + 1]):
            owner = number[class_of[entry_of[child]]]
            if owner >= 0:
                first[owner + 1] += 1
    for c in range(classes):
        first[c + 1] += first[c]
    place = first[:classes].copy()
    children = np.empty(first[classes], np.int32)
    for at in range(order.size):
        for child in range(first_child[order[at]], first_child[order[at] + 1]):
            owner = number[class_of[entry_of[child]]]
            if owner >= 0:
                children[place[owner]] = child
                place[owner] += 1
    return children, first


@kernel
def spread(entry_of: Codes, class_of: Codes, number: Codes) -> Codes:
    """The class of each child prefix, -1 where it is dead or its class dropped."""
    out = np.empty(entry_of.size, np.int32)
    for child in range(entry_of.size):
        entry = entry_of[child]
        out[child] = number[class_of[entry]] if entry >= 0 else -1
    return out


@kernel
def add_shared(pair_start: Ints, pair_prefix: Codes, owner: Codes, members: Ints) -> None:
    """Add to `members` (classes,) the distinct units among pairs (unit, prefix), `pair_start` (units + 1,)."""
    stamp = np.full(members.size, -1, np.int64)
    for unit in range(pair_start.size - 1):
        for at in range(pair_start[unit], pair_start[unit + 1]):
            c = owner[pair_prefix[at]]
            if c >= 0 and stamp[c] != unit:
                stamp[c] = unit
                members[c] += 1


@kernel
def shared_weights(
    unit_start: Ints, prefix: Codes, value: Codes, owner: Codes, size: int
) -> tuple[Codes, Codes, Floats]:
    """Loose entries (class, value, weight) of units listed as (unit, prefix, value): each unit weighs 1 in a class,
    shared equally over its distinct values there."""
    classes = np.empty(prefix.size, np.int32)
    values = np.empty(prefix.size, np.int32)
    weights = np.empty(prefix.size, np.float64)
    keys = np.empty(prefix.size, np.int64)
    filled = 0
    for unit in range(unit_start.size - 1):
        count = 0
        for at in range(unit_start[unit], unit_start[unit + 1]):
            c = owner[prefix[at]]
            if c >= 0:
                keys[count] = np.int64(c) * size + value[at]
                count += 1
        sort_rising(keys, count)
        first = begin = filled
        for i in range(count):
            if i == 0 or keys[i] != keys[i - 1]:
                classes[filled] = keys[i] // size
                values[filled] = keys[i] % size
                filled += 1
            if i + 1 == count or keys[i + 1] // size != keys[i] // size:
                while begin < filled:
                    weights[begin] = 1.0 / (filled - first)
                    begin += 1
                first = filled
    return classes[:filled], values[:filled], weights[:filled]


@kernel
def glimpse(
    entry_start: Ints,
    entry_leaf: Codes,
    entry_rows: Ints,
    entry_members: Ints,
    node: Codes,
    cost: Floats,
    paid: Floats,
    wanted: Bools,
    k: int,
    most: int,
) -> tuple[Ints, Floats, Ints]:
    """What the column would drop at each of its levels, by k alone: (rows, what those kept cost on the axes decided on,
    entries read).

    `node` and `cost` are (levels, leaves). From the coarsest level on, until one drops more than `most`: the finer ones
    drop no less. Those have read -1 and drop `most` + 1, as have those not `wanted`; the first that drops too much is
    left as soon as it does.
    """
    levels, leaves = node.shape
    drops = np.full(levels, most + 1, np.int64)
    costs = np.zeros(levels, np.float64)
    reads = np.full(levels, -1, np.int64)
    rows = np.zeros(leaves, np.int64)
    members = np.zeros(leaves, np.int64)
    for level in range(levels - 1, -1, -1):
        if not wanted[level]:
            continue
        reads[level] = 0
        dropped = 0
        for c in range(entry_start.size - 1):
            if dropped > most:
                break
            reads[level] = entry_start[c + 1]
            for entry in range(entry_start[c], entry_start[c + 1]):
                at = node[level, entry_leaf[entry]]
                rows[at] += entry_rows[entry]
                members[at] += entry_members[entry]
            for entry in range(entry_start[c], entry_start[c + 1]):
                at = node[level, entry_leaf[entry]]
                if members[at] >= k:
                    costs[level] += rows[at] * (paid[c] + cost[level, entry_leaf[entry]])
                else:
                    dropped += rows[at]
                rows[at] = 0
                members[at] = 0
        drops[level] = dropped
        if dropped > most:
            break
    return drops, costs, reads


@kernel
def rekey(
    key: NDArray[np.uint64], paid: Floats, leaf: Codes, change: NDArray[np.uint64], charge: Floats
) -> tuple[NDArray[np.uint64], Floats]:
    """Keys and costs of the entries after one column's level changes: both are sums over columns, changed by leaf."""
    keys = np.empty(key.size, np.uint64)
    costs = np.empty(key.size, np.float64)
    for i in range(key.size):
        keys[i] = key[i] + change[leaf[i]]
        costs[i] = paid[i] + charge[leaf[i]]
    return keys, costs


@kernel
def group(key: NDArray[np.uint64], paid: Floats, rows: Ints, members: Ints) -> tuple[Codes, Ints, Ints, Floats]:
    """Classes of equal key: (class of each entry; rows, members, cost a row)."""
    room = 16
    while room < 2 * key.size:
        room *= 2
    mask = np.uint64(room - 1)
    slot = np.full(room, -1, np.int32)
    held = np.empty(key.size, np.uint64)
    owner = np.empty(key.size, np.int32)
    class_rows = np.empty(key.size, np.int64)
    class_members = np.empty(key.size, np.int64)
    class_paid = np.empty(key.size, np.float64)
    filled = 0
    for i in range(key.size):
        at = (key[i] ^ (key[i] >> np.uint64(32))) & mask
        while slot[at] >= 0 and held[slot[at]] != key[i]:
            at = (at + np.uint64(1)) & mask
        c = slot[at]
        if c < 0:
            c = filled
            filled += 1
            slot[at] = c
            held[c] = key[i]
            class_rows[c] = 0
            class_members[c] = 0
            class_paid[c] = paid[i]
        class_rows[c] += rows[i]
        class_members[c] += members[i]
        owner[i] = c
    return owner, class_rows[:filled].copy(), class_members[:filled].copy(), class_paid[:filled].copy()


@kernel
def regroup(codes: Codes, start: Ints, words: NDArray[np.uint64], rows: Ints, most: int) -> tuple[Codes, Ints, Ints]:
    """Cells of equal key made one: (new cell of each; the first cell and the rows of each new one).

    A cell's key is the sum over columns of `words[start[column] + code]`, `codes` being (cells, columns). Ends as soon
    as there are more than `most` new cells: then there are `most` + 1, and not all cells have one.
    """
    room = 16
    while room < 2 * (min(rows.size, most) + 1):
        room *= 2
    mask = np.uint64(room - 1)
    slot = np.full(room, -1, np.int32)
    held = np.empty(room, np.uint64)
    owner = np.full(rows.size, -1, np.int32)
    first = np.empty(min(rows.size, most) + 1, np.int64)
    total = np.zeros(first.size, np.int64)
    filled = 0
    for i in range(rows.size):
        key = np.uint64(0)
        for j in range(start.size):
            key += words[start[j] + codes[i, j]]
        at = (key ^ (key >> np.uint64(32))) & mask
        while slot[at] >= 0 and held[at] != key:
            at = (at + np.uint64(1)) & mask
        if slot[at] < 0:
            slot[at] = filled
            held[at] = key
            first[filled] = i
            filled += 1
            if filled > most:
                break
        owner[i] = slot[at]
        total[owner[i]] += rows[i]
    return owner, first[:filled].copy(), total[:filled].copy()


@kernel
def tabulate(one: Codes, one_node: Codes, other: Codes, other_node: Codes, weights: Ints, table: Floats) -> None:
    """Add the weight of each entry to `table` (nodes, nodes), at the nodes of its two leaves."""
    for i in range(weights.size):
        table[one_node[one[i]], other_node[other[i]]] += weights[i]


@kernel
def size_cost(alive: Bools, of_entry: Codes, rows: Ints, floor: Ints, other: Ints, scale: float) -> float:
    """The sum over entries of living prefixes of what their rows cost in classes of the larger size (see `sizes`)."""
    total = 0.0
    for i in range(of_entry.size):
        if alive[of_entry[i]]:
            size = max(floor[i], other[i])
            total += rows[i] * (size * scale if scale > 0.0 else 1.0 - 1.0 / size)
    return total


@kernel
def profiles(
    unit_start: Ints, entry: Codes, rows: Ints, alive: Bools, owner: Codes, paid: Floats, words: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], Floats]:
    """Of each living unit: a key that only units with the same rows in the same classes share, and what its rows cost.

    `owner` and `paid` are by entry, `words` random by class: the key is a sum, so that it ignores order.
    """
    key = np.zeros(alive.size, np.uint64)
    cost = np.zeros(alive.size, np.float64)
    for unit in range(alive.size):
        if alive[unit]:
            for at in range(unit_start[unit], unit_start[unit + 1]):
                key[unit] += np.uint64(rows[at]) * words[owner[entry[at]]]
                cost[unit] += rows[at] * paid[entry[at]]
    return key, cost
