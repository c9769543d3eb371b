"""Texts that repeat: what a model sees often it memorises (Carlini et al. 2023), so only the first of them is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Literal, Protocol

import polars as pl

from anonym.errors import CallError

THRESHOLD = 0.8
"""Jaccard similarity of word shingles from which two texts count as near duplicates."""

PERMUTATIONS, SHINGLE, SEED = 128, 3, 1
_WORD = re.compile(r"\w+")


class Duplicates(Protocol):
    """What tells repeated texts apart, over all batches of a column."""

    def first(self, texts: pl.Series) -> pl.Series:
        """Whether each text is the first of its kind (Boolean); null is never a repetition."""
        ...


class Exact:
    """Texts that are equal. Sixteen bytes a distinct text are remembered."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()

    def first(self, texts: pl.Series) -> pl.Series:
        """As the protocol says."""
        return pl.Series([text is None or self._new(text) for text in texts.to_list()], dtype=pl.Boolean)

    def _new(self, text: str) -> bool:
        digest = blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=16).digest()
        before = len(self._seen)
        self._seen.add(digest)
        return len(self._seen) > before


class Near:
    """Texts whose sets of three-word shingles, case and punctuation aside, have an estimated Jaccard similarity of 0.8
    or more: MinHash with locality-sensitive hashing (Broder 1997), by datasketch. Raises CallError where it is missing.
    """

    def __init__(self) -> None:
        try:
            from datasketch import MinHash, MinHashLSH
        except ImportError:
            raise CallError(
                "text.deduplicate: near needs datasketch, which is not installed; install it "
                "(pip install 'anonym[dedup]') or take `exact`"
            ) from None
        self._minhash: Any = MinHash
        self._index: Any = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
        self._exact = Exact()
        self._kept: list[Any] = []  # 32-bit sketches of what the index holds, 512 bytes each

    def first(self, texts: pl.Series) -> pl.Series:
        """As the protocol says. Equal texts are told apart first, since most repetitions are exact."""
        new = self._exact.first(texts).to_list()
        return pl.Series(
            [fresh and (text is None or self._new(text)) for text, fresh in zip(texts.to_list(), new, strict=True)],
            dtype=pl.Boolean,
        )

    def _new(self, text: str) -> bool:
        parts = set(shingles(text))
        if not parts:
            return True
        sketch = self._minhash(num_perm=PERMUTATIONS, seed=SEED)
        sketch.update_batch([part.encode("utf-8", errors="surrogatepass") for part in sorted(parts)])
        values = sketch.hashvalues.astype("uint32")
        if any((self._kept[i] == values).mean() >= THRESHOLD for i in self._index.query(sketch)):
            return False
        self._index.insert(len(self._kept), sketch)
        self._kept.append(values)
        return True


def shingles(text: str) -> Iterator[str]:
    """Runs of three words, folded; a shorter text is one."""
    found = _WORD.findall(text.casefold())
    for start in range(max(1, len(found) - SHINGLE + 1)) if found else ():
        yield " ".join(found[start : start + SHINGLE])


def duplicates(how: Literal["none", "exact", "near"]) -> Duplicates | None:
    """What a policy's `deduplicate` stands for."""
    return None if how == "none" else Exact() if how == "exact" else Near()
