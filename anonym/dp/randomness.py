"""Where noise and samples come from: the operating system's generator, or a seed that marks its work as a test."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch

Floats = npt.NDArray[np.float64]

DRAWS = 4  # Gaussian draws summed for each noise value (2n at n = 2, Holohan and Braghin 2021, arXiv 2107.10138)
BLOCK = 1 << 16  # values at a time: the working set stays in the cache


class Randomness(Protocol):
    """Noise and samples of one step. `secure` decides whether a statement may be released."""

    secure: ClassVar[bool]

    def at(self, step: int) -> Randomness:
        """The source for one step; a step that is repeated after a crash asks for the same."""
        ...

    def chosen(self, count: int, rate: float) -> npt.NDArray[np.int64]:
        """Which of `count` are in a Poisson sample, each with probability `rate`, in increasing order."""
        ...

    def noisy(self, total: torch.Tensor, scale: float) -> torch.Tensor:
        """`total` with an independent draw of N(0, scale²) added to each element."""
        ...

    def order(self, count: int) -> npt.NDArray[np.int64]:
        """A random order of `count` rows."""
        ...


class Secure:
    """The operating system's generator (ChaCha20 under Linux), in double precision.

    A noise value is the scaled sum of four Box-Muller draws: from the floating-point grid of a single one the noise
    can be recovered (Mironov 2012; Holohan and Braghin 2021, arXiv 2107.10138).
    """

    secure: ClassVar[bool] = True

    def at(self, step: int) -> Secure:  # noqa: ARG002 - no step depends on another
        return self

    def chosen(self, count: int, rate: float) -> npt.NDArray[np.int64]:
        return np.flatnonzero(_uniform(count) < rate)

    def noisy(self, total: torch.Tensor, scale: float) -> torch.Tensor:
        """Added in double precision, then rounded to the type of `total`."""
        import torch

        noise = torch.from_numpy(gaussian(total.numel())).to(total.device).view(total.shape)
        return (total.double() + noise * scale).to(total.dtype)

    def order(self, count: int) -> npt.NDArray[np.int64]:
        words = np.frombuffer(os.urandom(16 * count), dtype=np.uint64).reshape(2, count)
        return np.lexsort((words[0], words[1]))


def _uniform(count: int) -> Floats:
    """Uniform in (0, 1): the middles of 2^53 equal parts."""
    words = np.frombuffer(os.urandom(8 * count), dtype=np.uint64)
    return ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def gaussian(count: int) -> Floats:
    """Standard normal draws, each the half sum of four Box-Muller draws from the operating system's bits."""
    noise = np.empty(count)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        noise[start : start + size] = _block(size)
    return noise


def _block(size: int) -> Floats:
    """Cosine and sine of one pair would be dependent in a value, so each half of the block takes its own of them."""
    pairs = (size + 1) // 2
    total = np.zeros(2 * pairs)
    for _ in range(DRAWS):
        radius = np.sqrt(-2.0 * np.log(_uniform(pairs)))
        angle = 2 * np.pi * _uniform(pairs)
        total[:pairs] += radius * np.cos(angle)
        total[pairs:] += radius * np.sin(angle)
    noise: Floats = total[:size] / np.sqrt(DRAWS)
    return noise


class Seeded:
    """Reproducible, for tests: whoever knows the seed can take the noise off again."""

    secure: ClassVar[bool] = False

    def __init__(self, seed: int, step: int = 0) -> None:
        self.seed, self.step = seed, step
        self._numbers = np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, step, 0])))
        self._torch: Any = None

    def at(self, step: int) -> Seeded:
        return Seeded(self.seed, step)

    def chosen(self, count: int, rate: float) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self._numbers.random(count) < rate)

    def noisy(self, total: torch.Tensor, scale: float) -> torch.Tensor:
        import torch

        if self._torch is None:
            apart = np.random.SeedSequence([self.seed, self.step, 1]).generate_state(1, np.uint64)
            self._torch = torch.Generator().manual_seed(int(apart[0]) >> 2)
        noise = torch.normal(0.0, scale, total.shape, generator=self._torch, dtype=total.dtype)
        return total + noise.to(total.device)

    def order(self, count: int) -> npt.NDArray[np.int64]:
        return self._numbers.permutation(count)
