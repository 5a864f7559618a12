"""Exact certificates, against libqif's smallest epsilon of the same channel."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pairs import RATIOS, ROUNDS, Peer, ratios, rounded, seconds, spread
from sordino import LDP, BlockLDP, Blockwise, HadamardResponse, Partition, RandomizedResponse, certify

TITLE = "Certifying"
NOTE = (
    "Epsilon 1. The time of libqif (PyPI: qif), measure.d_privacy.smallest_epsilon under the discrete metric on the "
    "dense channel in memory, over ours, which makes the mechanism from its epsilon and certifies it. libqif takes any "
    "matrix of floats and compares all pairs of rows; ours takes the classes of outputs that the mechanism names, "
    "checks that they add up to a channel, and compares integers. The difference is of the losses, in nats."
)
HEADER = RATIOS

K = 1024
LARGE = 43_750


def rows() -> Iterator[tuple[str, ...]]:
    for name, kind in (("Hadamard response", HadamardResponse), ("randomized response", RandomizedResponse)):
        figures, difference = against_libqif(kind)
        what = f"{name}, k = {K:,}: libqif"
        yield what, "at least 1,000", spread(figures)
        yield f"{what}, difference", "below 1e-12", rounded(difference)
    blocks = Partition.of(np.arange(LARGE) // 25)
    for what, work in (
        ("Hadamard response", lambda: certify(HadamardResponse(LARGE, "1"), LDP("1"))),
        ("blockwise, blocks of 25", lambda: certify(Blockwise(blocks, "1"), BlockLDP(blocks, "1"))),
    ):
        figures = [seconds(work) for _ in range(ROUNDS)]
        yield f"{what}, k = {LARGE:,}: seconds (too large for libqif)", "-", spread(figures)


def against_libqif(kind: type[HadamardResponse | RandomizedResponse]) -> tuple[list[float], float]:
    """Ratios of times, and the difference of libqif's loss and ours, in nats."""
    mechanism = kind(K, "1")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "channel.npy"
        np.save(path, mechanism.probabilities())
        with Peer("peer_qif.py", path) as peer:
            figures = ratios(peer.seconds, lambda: seconds(lambda: certify(kind(K, "1"), LDP("1"))))
            difference = peer.result - float(certify(mechanism, LDP("1")).witness.loss)
    return figures, abs(difference)
