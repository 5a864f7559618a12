"""Public directions: what anybody computes again from the seed that a report carries; no data, no secret.

The words of a seed are the AES-128-CTR keystream under a fixed public key from the counter block (seed, place 2^32),
two big-endian words of 64 bits: each place has 2^32 blocks of its own, so one seed serves several directions that are
independent for all that statistics can see. Both words of a block make a pair of normal numbers (Box, Muller 1958);
normal numbers divided by their length are uniform on the sphere. The last bit of a direction may differ between
machines; no guarantee rests on it. Cost: about 30 ns a number.
"""

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from sordino.exact.arrays import Floats
from sordino.exact.source import Words

PUBLIC_KEY = b"sordino ball v1."
"""Of the generator: another one would be another generator, and old reports would be read wrongly."""

LARGEST_DIMENSION = 2**16
"""Numbers of a direction at most."""

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
