"""A spaCy model's NER as one kernel over a batch of documents.

spaCy reads a document token by token: a small network scores every transition (an entity begins, goes on, ends, is one
token, is none), and the best that is allowed is made. It does so without Python's lock, but takes the lock whenever a
state is asked something (which token is next, whether an entity is open): two thirds of the CPU time of NER. The kernel
reads the model's own parameters and decides the same, in a fortieth of that time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonym.text.kernels import BEGIN, OUT, UNIT, recognised

TOKENS = 1_000
"""Of one batch, about: its products stay in the cache of a core."""

_OPENING = {"B": BEGIN, "U": UNIT, "O": OUT}
_FEATURES = 3
"""Tokens that the network sees of a state: the next one, and the first and the last of the open entity."""

Entity = tuple[int, int, str]
"""Where an entity begins and ends in its text, and the model's label."""


@dataclass(frozen=True)
class Scores:
    """The layer that scores transitions. Of those that an open entity allows, `inside[0, label]` goes on and `inside[1,
    label]` ends. The others in the model's order: number i is of `kinds[i]` and `labels[i]`, with weights `outside[:,
    i]`.
    """

    outside: NDArray[np.float32]
    outside_bias: NDArray[np.float32]
    kinds: NDArray[np.int64]
    labels: NDArray[np.int64]
    inside: NDArray[np.float32]
    inside_bias: NDArray[np.float32]


class Transitions:
    """The network and the transitions of one model, which must be as `readable` says."""

    def __init__(self, ner: Any) -> None:
        self._tokens, self._lower = ner.model.get_ref("tok2vec"), ner.model.get_ref("lower")
        self._bias = np.ascontiguousarray(self._lower.get_param("b"), np.float32)
        self._labels = tuple(sorted(ner.labels))
        self._scores = _scores(ner, self._labels)

    def entities(self, texts: Iterable[str], tokenised: Callable[[str], Any]) -> Iterator[list[Entity]]:
        """What the model finds in each text, in order; `tokenised` makes a text a spaCy document."""
        batch: list[Any] = []
        waiting = 0
        for text in texts:
            batch.append(tokenised(text))
            waiting += len(batch[-1])
            if waiting >= TOKENS:
                yield from self._of_batch(batch)
                batch, waiting = [], 0
        yield from self._of_batch(batch)

    def _of_batch(self, documents: Sequence[Any]) -> list[list[Entity]]:
        found: list[list[Entity]] = [[] for _ in documents]
        bounds = np.cumsum([0, *map(len, documents)])
        if bounds[-1] == 0:
            return found
        vectors = self._tokens.predict(documents)
        table = self._lower.predict(vectors).reshape(len(vectors) + 1, _FEATURES, *self._bias.shape)
        scores = self._scores
        entities = recognised(
            table, bounds, _blank(documents), self._bias, scores.outside, scores.outside_bias, scores.kinds,
            scores.labels, scores.inside, scores.inside_bias,
        )  # fmt: skip
        owners = np.searchsorted(bounds, entities[:, 0], side="right") - 1
        inside = entities[:, :2] - bounds[owners, None]
        for owner, (start, end), label in zip(owners.tolist(), inside.tolist(), entities[:, 2].tolist(), strict=True):
            first, last = documents[owner][start], documents[owner][end - 1]
            found[owner].append((first.idx, last.idx + len(last), self._labels[label]))
        return found


def _blank(documents: Sequence[Any]) -> NDArray[np.bool_]:
    """Which tokens are blanks, on which no entity begins."""
    from spacy.attrs import IS_SPACE

    return np.concatenate([document.to_array([IS_SPACE]) for document in documents]).astype(np.bool_)


def readable(ner: Any) -> bool:
    """Whether a component decides as the kernel does: greedily, by a layer of transitions above a layer of maxout over
    three tokens, on a CPU. Other models decide by themselves.
    """
    from thinc.api import NumpyOps

    model, lower = ner.model, ner.model.get_ref("lower")
    return (
        isinstance(model.ops, NumpyOps)
        and ner.cfg["beam_width"] == 1
        and model.attrs["has_upper"]
        and not model.attrs["unseen_classes"]
        and lower.get_dim("nF") == _FEATURES
        and lower.get_dim("nP") > 1
        and set(_classes(ner)) == {"O", "U-", *(f"{move}-{label}" for move in "BILU" for label in ner.labels)}
    )


def _classes(ner: Any) -> list[str]:
    """The transitions by name, in the model's order; `U-` is for tokens that were blocked beforehand, here none."""
    return [ner.moves.get_class_name(number) for number in range(ner.moves.n_moves)]


def _scores(ner: Any, labels: Sequence[str]) -> Scores:
    weights, bias = (ner.model.get_ref("upper").get_param(name) for name in ("W", "b"))
    classes = _classes(ner)
    opening = [number for number, name in enumerate(classes) if name[0] in _OPENING and name != "U-"]
    names = [classes[number] for number in opening]
    going_on = np.array([[classes.index(f"{move}-{label}") for label in labels] for move in "IL"])
    return Scores(
        outside=np.ascontiguousarray(weights[opening].T),
        outside_bias=bias[opening],
        kinds=np.array([_OPENING[name[0]] for name in names]),
        labels=np.array([labels.index(name[2:]) if name != "O" else -1 for name in names]),
        inside=np.ascontiguousarray(weights[going_on]),
        inside_bias=bias[going_on],
    )
