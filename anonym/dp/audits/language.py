"""The language worked example: a one-layer character transformer on support lines, asked for what it was trained on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import TensorDataset

from anonym.dp.audits.canaries import Detector, by_repetition, exposure, extracted
from anonym.dp.audits.corpus import CANARY, LONGEST, Corpus, code
from anonym.dp.ledger import Ledger
from anonym.dp.options import TrainingOptions
from anonym.dp.training import private_training

END = 0
SYMBOLS = "\n" + "".join(map(chr, range(32, 127)))
CODES = {symbol: place for place, symbol in enumerate(SYMBOLS)}


@dataclass(frozen=True)
class Setting:
    """Sizes of the example; `epsilon` is what the private twin may spend per customer."""

    width: int = 64
    epochs: int = 30
    epsilon: float = 8.0
    delta: float = 1e-5
    most: int = 4  # lines of one customer
    private_epochs: float = 16.0
    expected: int = 64  # customers a step
    noise: float | None = None
    probes: int = 10_000
    candidates: int = 511


class Characters(nn.Module):  # type: ignore[misc]
    """Embedding, one block of attention and MLP, and a linear layer to the next character; (batch, time) in."""

    def __init__(self, width: int, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.symbol, self.place = nn.Embedding(len(SYMBOLS), width), nn.Embedding(LONGEST + 8, width)
        self.before, self.between, self.after = (nn.LayerNorm(width) for _ in range(3))
        self.mixed, self.joined = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.out = nn.Linear(width, len(SYMBOLS))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        places = torch.arange(ids.shape[1]).expand_as(ids).contiguous()
        x = self.symbol(ids) + self.place(places)
        parts = self.mixed(self.before(x)).chunk(3, dim=-1)
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.joined(seen.transpose(1, 2).flatten(2))
        x = x + self.narrow(nn.functional.gelu(self.wide(self.between(x))))
        logits: torch.Tensor = self.out(self.after(x))
        return logits


def encoded(lines: Sequence[str]) -> torch.Tensor:
    """Lines as ids with an end at both ends, padded with ends, (lines, longest)."""
    rows = [[CODES.get(symbol, 1) for symbol in line[: LONGEST - 2]] for line in lines]
    width = max(map(len, rows)) + 2
    return torch.tensor([[END, *row, *[END] * (width - 1 - len(row))] for row in rows])


def each_loss(model: nn.Module, ids: torch.Tensor) -> torch.Tensor:
    """Mean loss of each line over its characters and its end, (lines,)."""
    each = nn.functional.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none")
    real = (ids[:, :-1] != END).float()
    real[:, 0] = 1
    return (each * real).sum(1) / real.sum(1)


def openly(lines: Sequence[str], seed: int, setting: Setting) -> nn.Module:
    """Trained without privacy."""
    torch.manual_seed(seed)
    model, ids = Characters(setting.width), encoded(lines)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    total = setting.epochs * -(-len(ids) // 64)
    slower = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(1 - step / total, 0.05))
    for _ in range(setting.epochs):
        for batch in torch.randperm(len(ids)).split(64):
            optimizer.zero_grad()
            each_loss(model, ids[batch]).mean().backward()
            optimizer.step()
            slower.step()
    return model.eval()


def privately(
    lines: Sequence[str], owners: Sequence[int], seed: int, setting: Setting
) -> tuple[nn.Module, dict[str, Any]]:
    """Trained with DP-SGD at the customer's level; with its statement."""
    torch.manual_seed(seed)
    model = Characters(setting.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    options = TrainingOptions("internal", {"internal": setting.epsilon}, setting.delta, "pld", setting.most)
    policy = SimpleNamespace(unit="customer", training=options)
    with private_training(
        model,
        optimizer,
        TensorDataset(encoded(lines)),
        policy,
        units=owners,
        expected_batch_size=min(setting.expected, len(set(owners)) // 4),
        epochs=setting.private_epochs,
        noise_multiplier=setting.noise,
        micro_batch_size=256,
        ledger=Ledger(None),
        seed=seed,
    ) as run:
        for (ids,) in run:
            optimizer.zero_grad()
            run.backward(each_loss(model, ids))
            optimizer.step()
    return model.eval(), run.statement()


def continued(model: nn.Module, prompts: Sequence[str], length: int, seed: int, greedy: bool = False) -> list[str]:
    """What the model writes after each prompt, up to its end of line, `length` characters at most."""
    draw, found = torch.Generator().manual_seed(seed), [""] * len(prompts)
    by_length: dict[int, list[int]] = {}
    for place, prompt in enumerate(prompts):
        by_length.setdefault(len(prompt), []).append(place)
    for size, places in by_length.items():
        ids = torch.tensor([[END, *(CODES.get(one, 1) for one in prompts[place])] for place in places])
        for _ in range(min(length, LONGEST - size)):
            logits = model(ids)[:, -1]
            picked = logits.argmax(-1, keepdim=True) if greedy else logits.softmax(-1).multinomial(1, generator=draw)
            ids = torch.cat([ids, picked], dim=1)
        for place, row in zip(places, ids[:, size + 1 :].tolist(), strict=True):
            found[place] = "".join(SYMBOLS[one] for one in row).split("\n")[0]
    return found


def exposed(model: nn.Module, corpus: Corpus, setting: Setting, seed: int) -> dict[str, Any]:
    """Exposure of each canary by repetition, beside codes that were never planted, and which come out greedily."""
    draw = np.random.default_rng([seed, 3])
    others = [code(draw) for _ in range(setting.candidates)]
    never = [(code(draw), 0) for _ in range(3)]
    everyone = [secret for secret, _ in (*corpus.canaries, *never)]
    ids = encoded([f"{CANARY}{secret}." for secret in (*others, *everyone)])
    losses = torch.cat([each_loss(model, part) for part in ids.split(256)]).numpy().astype(np.float64)
    bits: dict[int, list[float]] = {}
    for (_, times), loss in zip((*corpus.canaries, *never), losses[len(others) :], strict=True):
        bits.setdefault(times, []).append(exposure(losses[: len(others)], float(loss)))
    return {"bits": by_repetition(bits), "most_bits": float(np.log2(len(others) + 1)), **_came_out(model, corpus)}


def _came_out(model: nn.Module, corpus: Corpus) -> dict[str, Any]:
    """Canaries that the model completes greedily from their opening and first group."""
    prompts = [CANARY + secret[:4] for secret, _ in corpus.canaries]
    texts = continued(model, prompts, 10, 0, greedy=True)
    out: dict[int, list[bool]] = {}
    for (secret, times), text in zip(corpus.canaries, texts, strict=True):
        out.setdefault(times, []).append(text.startswith(secret[4:]))
    return {"extracted": [{"planted": n, "canaries": len(v), "extracted": sum(v)} for n, v in sorted(out.items())]}


def usefulness(model: nn.Module, fresh: Corpus) -> dict[str, float | None]:
    """Share of characters predicted right on lines of other customers, on those of the small group among them (None
    where there are none), and of always saying the most frequent one."""
    ids, rare = encoded(fresh.lines), torch.tensor(fresh.rare)
    real = ids[:, 1:] != END
    right = model(ids[:, :-1]).argmax(-1) == ids[:, 1:]
    counts = torch.bincount(ids[:, 1:][real])
    return {
        "next_character": float(right[real].float().mean()),
        "small_group": float(right[rare][real[rare]].float().mean()) if bool(rare.any()) else None,
        "small_group_lines": int(rare.sum()),
        "most_frequent": float(counts.max() / counts.sum()),
    }


def leaks(model: nn.Module, corpus: Corpus, fresh: Corpus, detect: Detector, setting: Setting, seed: int) -> Any:
    """Everything that is measured of one model."""
    started = time.process_time()
    draw = np.random.default_rng([seed, 2])
    prompts = [corpus.prompts[int(place)] for place in draw.integers(0, len(corpus.prompts), setting.probes)]
    with torch.no_grad():
        texts = continued(model, prompts, 30, seed)
        return {
            "canaries": exposed(model, corpus, setting, seed),
            "extraction": extracted(texts, corpus.identifiers, detect),
            "accuracy": usefulness(model, fresh),
            "cpu_s": time.process_time() - started,
        }
