"""One bit about some numbers, steered by a public direction.

Guarantee: given its direction U, the bit is set with probability R / 2^64, where R lies in 2^64 - T .. T whatever the
numbers v and whatever floats did, and T is the largest integer with T <= e^eps (2^64 - T): eps-LDP exactly, ties and
vectors of length zero included. U is uniform on the sphere, and R - 2^63 is sgn(<U, v>) (|v| / r) (2T - 2^64) / 2. The
sign times B U has mean v, and B^2 / d as the mean square of each number, where B = r sqrt(g(d)) coth(eps / 2).

Source: BCDP paper, Mechanism 2 (Duchi, Jordan, Wainwright 2013), whose B as printed is twice too large.

Public directions: what anybody computes again from the seed that a report carries; no data, no secret.

The words of a seed are the AES-128-CTR keystream under a fixed public key from the counter block (seed, place 2^32),
two big-endian words of 64 bits: each place has 2^32 blocks of its own, so one seed serves several directions that are
independent for all that statistics can see. Both words of a block make a pair of normal numbers (Box, Muller 1958);
normal numbers divided by their length are uniform on the sphere. The last bit of a direction may differ between
machines; no guarantee rests on it. Cost: about 30 ns a number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma, pi, sqrt

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from sordino.exact.coin import WORD
from sordino.exact.floats import Floats
from sordino.exact.source import Words
from sordino.exact.word_arithmetic import select, whole

LEAST_VARIANCE = 2.0**-62
"""Of a bit that a coin of 64 bits decides; floats would round it to 0."""


@dataclass(frozen=True)
class Steered:
    """One bit about some numbers."""

    dimension: int
    radius: float
    threshold: int
    place: int

    @property
    def slope(self) -> float:
        """(2T - 2^64) / 2^64 = 1 / coth(eps / 2): how far the bit can lean; 0 if it tells nothing."""
        return (2 * self.threshold - WORD) / WORD

    @property
    def scale(self) -> float:
        """B: sign times direction times B has the record as its mean; infinite if the bit tells nothing."""
        return self.radius * sqrt(gain(self.dimension)) / self.slope if self.slope else np.inf

    @property
    def second_moment(self) -> float:
        """B^2 / dimension: the mean square of each number of the estimate, whatever the record."""
        return self.scale**2 / self.dimension

    def directions(self, seeds: Words) -> Floats:
        """The direction of each seed, shape (n, dimension)."""
        return unit_vectors(seeds, self.place, self.dimension)

    def thresholds(self, values: Floats, directions: Floats) -> Words:
        """R for each record: its bit is set with probability R / 2^64, given its direction; shape (n,).

        Args:
            values: shape (n, dimension).
            directions: shape (n, dimension).
        """
        along = np.einsum("ij,ij->i", values, directions) >= 0
        lean = np.minimum(np.sqrt(np.einsum("ij,ij->i", values, values)) / self.radius, 1)
        # Whole numbers from the nearer end, so that the ends themselves are exact and no float gets past them.
        most = self.threshold - WORD // 2
        short, far = np.uint64(most) - whole((1 - lean) * most), whole(lean * most)
        away = np.minimum(select(lean < 1 / 2, far, short), np.uint64(most))
        middle = np.uint64(WORD // 2)
        return select(along, middle + away, middle - away)


def gain(dimension: int) -> float:
    """g: one over the squared mean of |u_1|, for u uniform on the sphere: pi (Gamma((d+1)/2) / Gamma(d/2))^2."""
    return pi * exp(2 * (lgamma((dimension + 1) / 2) - lgamma(dimension / 2)))


def combine(columns: Sequence[NDArray[np.intp]], second_moments: Sequence[float | Floats], d: int) -> Floats:
    """Weights inverse to the variances of several estimates of the same numbers, for numbers at -1 or 1.

    Shape (estimates, d): adds up to 1 over the estimates of a number, NaN for a number without any.

    Args:
        second_moments: the mean square of each estimate, or of each of its numbers; infinite if it tells nothing.
    """
    information = np.zeros((len(columns), d))
    for k, (own, moment) in enumerate(zip(columns, second_moments, strict=True)):
        information[k, own] = 1 / np.maximum(np.asarray(moment) - 1, LEAST_VARIANCE)
    total = information.sum(axis=0)
    weights: Floats = np.full_like(information, np.nan)
    np.divide(information, total, out=weights, where=total > 0)
    return weights


PUBLIC_KEY = b"sordino ball v1."
"""Of the generator: another one would be another generator, and old reports would be read wrongly."""

LARGEST_DIMENSION = 2**16
"""Largest number of numbers of a direction."""

MANTISSA = 52
"""Bits of a uniform number: with a half added it is strictly between 0 and 1 in float64."""


def unit_vectors(seeds: Words, place: int, dimension: int) -> Floats:
    """A vector of length 1 for each seed, uniform on the sphere, shape (n, dimension).

    Args:
        seeds: shape (n,).
        place: which of the seed's directions, below 2^32.
        dimension: at most 65536.
    """
    uniform = (_blocks(seeds, place, (dimension + 1) // 2) >> np.uint64(64 - MANTISSA)) + 0.5
    uniform *= 2.0**-MANTISSA
    radius = np.sqrt(-2 * np.log(uniform[:, :, 0]))
    angle = 2 * np.pi * uniform[:, :, 1]
    vectors = np.empty((len(seeds), 2 * radius.shape[1]))
    np.multiply(radius, np.cos(angle), out=vectors[:, 0::2])
    np.multiply(radius, np.sin(angle), out=vectors[:, 1::2])
    vectors = vectors[:, :dimension]
    vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return vectors


def _blocks(seeds: Words, place: int, count: int) -> Words:
    """The words of each seed's blocks, shape (n, count, 2)."""
    # The library asks for room for one block more than it fills.
    room = np.empty((len(seeds) * count + 1, 2), dtype=">u8")
    blocks = room[:-1].reshape(len(seeds), count, 2)
    blocks[:, :, 0] = seeds[:, None]
    blocks[:, :, 1] = np.uint64(place << 32) + np.arange(count, dtype=np.uint64)
    # The keystream of the counter mode is each counter block by itself.
    cipher = Cipher(algorithms.AES(PUBLIC_KEY), modes.ECB()).encryptor()  # noqa: S305
    view = memoryview(room.view(np.uint8).reshape(-1))  # type: ignore[arg-type]  # arrays are buffers; the stubs say so from 3.12
    cipher.update_into(view[: 16 * len(seeds) * count], view)
    return blocks.astype(np.uint64)
