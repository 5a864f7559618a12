"""Public directions: their words by another mode of the cipher, their length, their law."""

import struct

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from sordino.papers.bayesian_coordinate.steered import _blocks, unit_vectors


def keystream(seed, place, size):
    """The counter mode as any other library offers it."""
    start = struct.pack(">QII", seed, place, 0)
    return Cipher(algorithms.AES(b"sordino ball v1."), modes.CTR(start)).encryptor().update(bytes(size))


def test_words_are_the_keystream_of_the_counter_mode():
    for seed, place, count in ((0, 0, 1), (2**63 - 1, 3, 5), (2**64 - 1, 2**32 - 1, 2), (17, 1, 40)):
        words = _blocks(np.array([seed, 5], dtype=np.uint64), place, count)[0].reshape(-1)
        assert list(words) == list(struct.unpack(f">{2 * count}Q", keystream(seed, place, 16 * count)))


def test_a_vector_is_made_of_pairs_of_normal_numbers():
    words = struct.unpack(">4Q", keystream(12, 0, 32))
    uniform = [((word >> 12) + 0.5) / 2**52 for word in words]
    normal = []
    for first, second in (uniform[:2], uniform[2:]):
        normal += [np.sqrt(-2 * np.log(first)) * turn(2 * np.pi * second) for turn in (np.cos, np.sin)]
    seeds = np.array([12], dtype=np.uint64)
    for dimension in (1, 2, 3, 4):
        own = np.array(normal[:dimension])
        assert np.allclose(unit_vectors(seeds, 0, dimension)[0], own / np.linalg.norm(own), rtol=1e-14)


def test_directions_have_length_one_and_fill_the_sphere():
    seeds = np.arange(60_000, dtype=np.uint64)
    for dimension in (1, 2, 3, 10):
        vectors = unit_vectors(seeds, 0, dimension)
        assert np.allclose((vectors**2).sum(axis=1), 1)
        # Of 60,000 independent ones, five standard deviations.
        assert np.abs(vectors.mean(axis=0)).max() < 5 / np.sqrt(60_000 * dimension)
        second = vectors.T @ vectors / 60_000 - np.eye(dimension) / dimension
        assert np.abs(second).max() < 8 / (dimension * np.sqrt(60_000))


def test_places_of_one_seed_are_unrelated():
    seeds = np.arange(60_000, dtype=np.uint64)
    inner = (unit_vectors(seeds, 0, 4) * unit_vectors(seeds, 1, 4)).sum(axis=1)
    assert abs(inner.mean()) < 5 * 0.5 / np.sqrt(60_000)
    assert abs((inner**2).mean() - 1 / 4) < 5 * 0.3 / np.sqrt(60_000)
