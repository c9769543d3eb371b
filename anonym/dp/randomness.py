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
BLOCK = 1 << 14  # values at a time: the working set stays in the cache
_FRACTION, _ONE = (1 << 52) - 1, 0x3FF << 52  # of a double: the bits of its fraction, and those of 1.0 around them


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
    """AES-256 in counter mode, each block under a key of its own from the operating system, in double precision.

    A noise value is the scaled sum of four Box-Muller draws: from the floating-point grid of a single one the noise
    can be recovered (Mironov 2012; Holohan and Braghin 2021, arXiv 2107.10138). Small tensors share a block of draws;
    each is handed out once, and none in two processes.
    """

    secure: ClassVar[bool] = True

    def __init__(self) -> None:
        self._draws: Any = None  # a block of noise, of which `_left` values are not handed out yet
        self._left, self._process = 0, os.getpid()

    def at(self, step: int) -> Secure:  # noqa: ARG002 - no step depends on another
        return self

    def chosen(self, count: int, rate: float) -> npt.NDArray[np.int64]:
        return np.flatnonzero(_uniform(count) < rate)

    def noisy(self, total: torch.Tensor, scale: float) -> torch.Tensor:
        """Added in double precision, then rounded to the type of `total`."""
        noise = self._standard(total.numel()).view(total.shape)
        return noise.mul_(scale).add_(total).to(total.dtype)

    def order(self, count: int) -> npt.NDArray[np.int64]:
        words = np.frombuffer(_bits(2 * count), dtype=np.uint64).reshape(2, count)
        return np.lexsort((words[0], words[1]))

    def _standard(self, count: int) -> torch.Tensor:
        """Standard normal draws, (count,)."""
        import torch

        if self._process != os.getpid():
            self._left, self._process = 0, os.getpid()
        noise, missing = torch.empty(count, dtype=torch.float64), count
        while missing:
            if not self._left:
                self._draws, self._left = gaussian(BLOCK), BLOCK
            part = min(missing, self._left)
            noise[missing - part : missing] = self._draws[self._left - part : self._left]
            self._left, missing = self._left - part, missing - part
        return noise


def _bits(words: int) -> bytearray:
    """So many words of 64 bits. AES is built into processors: the system's generator takes three times as long."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    stream = Cipher(algorithms.AES256(os.urandom(32)), modes.CTR(bytes(16))).encryptor()
    return bytearray(stream.update(bytes(8 * words)))


def _uniform(count: int) -> Floats:
    """Uniform in (0, 1): the middles of 2^52 equal parts; those of 2^53 round, and the last to 1."""
    words = np.frombuffer(_bits(count), dtype=np.uint64)
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def gaussian(count: int) -> torch.Tensor:
    """(count,) standard normal draws, each the half sum of four Box-Muller draws.

    Random bits become the fraction of a number in [1, 2): less 1, the middles of 2^52 equal parts of (0, 1); as it is,
    the turns of an angle. Torch takes logarithms, sines and cosines two to three times as fast as NumPy. Cosine and
    sine of one pair would be dependent in a value, so each half takes its own of them.
    """
    import torch

    pairs = (count + 1) // 2
    words = torch.frombuffer(_bits(2 * DRAWS * pairs), dtype=torch.int64)
    squares, turns = words.bitwise_and_(_FRACTION).bitwise_or_(_ONE).view(torch.float64).view(2, DRAWS, pairs)
    radius, angles = squares.sub_(1 - 2.0**-53).log_().mul_(-2.0 / DRAWS).sqrt_(), turns.mul_(2 * np.pi)
    halves = [wave.mul_(radius).sum(0) for wave in (angles.cos(), angles.sin_())]
    return torch.cat(halves)[:count]


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
