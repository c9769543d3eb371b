"""The kernel for a model's transitions finds what spaCy finds with the same model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from anonym.text.backends import backend
from anonym.text.labelled import read
from anonym.text.spacy_ner import SpacyNer
from anonym.text.transitions import Entity, Transitions, readable

PARTS = [
    *("Angela", "Merkel", "Paris", "a", "the", "X", "12", "3 May", "cannot", "e.g.", "中文", "😀", "e\u0301", "-", "."),
    *("\n", "  ", "\t\n", "\u00a0", " \u2028 ", "\x00", "U.S.", "www.x.example", "(", '"'),
]
TEXTS = st.lists(st.lists(st.sampled_from(PARTS), max_size=12).map(" ".join), max_size=5)


def spacys(nlp: Any, texts: Sequence[str]) -> list[list[Entity]]:
    return [
        [(entity.start_char, entity.end_char, entity.label_) for entity in document.ents]
        for document in nlp.pipe(texts)
    ]


def ours(nlp: Any, texts: Sequence[str]) -> list[list[Entity]]:
    return list(Transitions(nlp.get_pipe("ner")).entities(texts, nlp.make_doc))


@cache
def model(labels: int, seed: int, **network: Any) -> Any:
    """A model of random weights, that takes every transition about as often as another."""
    nlp = spacy.blank("en")
    tok2vec = {"@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None, "width": 8, "depth": 1}
    tok2vec |= {"embed_size": 50, "window_size": 1, "maxout_pieces": 2, "subword_features": True}
    shape = {"@architectures": "spacy.TransitionBasedParser.v2", "state_type": "ner", "extra_state_tokens": False}
    shape |= {"hidden_width": 6, "maxout_pieces": 2, "use_upper": True, "tok2vec": tok2vec, **network}
    ner = nlp.add_pipe("ner", config={"model": shape})
    for number in range(labels):
        ner.add_label(f"KIND{number}")
    spacy.util.fix_random_seed(seed)
    nlp.initialize()
    dice = np.random.default_rng(seed)
    for layer in (ner.model.get_ref("lower"), *([ner.model.get_ref("upper")] if ner.model.attrs["has_upper"] else [])):
        for name in layer.param_names:
            layer.set_param(name, dice.normal(size=layer.get_param(name).shape).astype(np.float32))
    return nlp


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from([1, 2, 5]), st.integers(0, 5))
def test_models_of_random_weights_decide_alike(texts: list[str], labels: int, seed: int) -> None:
    nlp = model(labels, seed)
    assert readable(nlp.get_pipe("ner"))
    assert ours(nlp, texts) == spacys(nlp, texts)


def test_random_weights_make_every_kind_of_entity() -> None:
    text = " ".join(PARTS)
    entities = [entity for seed in range(6) for entity in ours(model(2, seed), [text])[0]]
    document = model(2, 0).make_doc(text)
    lengths = [len(document.char_span(start, end)) for start, end, _ in entities]
    assert min(lengths) == 1
    assert max(lengths) > 2
    assert {label for _, _, label in entities} == {"KIND0", "KIND1"}


@pytest.mark.parametrize("corpus", ["uner_ewt_dev", "tab_dev", "btc_dev", "wnut17_dev", "hard_dev"])
def test_the_english_model_finds_the_same_in_real_texts(corpus: str, bench_data: Path) -> None:
    spacy_ner = backend("spacy", "en")
    assert isinstance(spacy_ner, SpacyNer)
    nlp = spacy_ner._nlp
    texts = [document.text for document in read(bench_data / "text" / f"{corpus}.jsonl.gz")][:80]
    texts = ["", *(text[:4_000] for text in texts), " ", ""]
    expected = spacys(nlp, texts)
    assert sum(map(len, expected)) > 10
    assert ours(nlp, texts) == expected
    assert spacy_ner._transitions is not None


@pytest.mark.parametrize("network", [{"use_upper": False}, {"extra_state_tokens": True}, {"maxout_pieces": 1}], ids=str)
def test_networks_of_another_shape_decide_by_themselves(network: dict[str, Any]) -> None:
    assert not readable(model(2, 0, **network).get_pipe("ner"))


def test_models_that_search_wider_decide_by_themselves() -> None:
    ner = model(3, 0).get_pipe("ner")
    ner.cfg["beam_width"] = 4
    try:
        assert not readable(ner)
    finally:
        ner.cfg["beam_width"] = 1


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_there_may_be_nothing_to_read(texts: list[str]) -> None:
    assert ours(model(2, 0), texts) == [[] for _ in texts]
