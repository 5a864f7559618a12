"""Estimating shares from reports, against pure-ldp on the same reports."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pairs import RATIOS, Peer, ratios, rounded, seconds, spread
from sordino import HadamardResponse, estimate

TITLE = "Estimating"
NOTE = (
    "Hadamard response, k = 43,750, epsilon 1: the same million reports, both unbiased and without projection. "
    "pure-ldp's time over ours. Ours is the check and tally of the codes and the estimate of all shares with their "
    "standard errors. pure-ldp's is aggregate_all of a list and estimate_all; in the second line only its decoding "
    "(tally and transform) of an array."
)
HEADER = RATIOS

K = 43_750
REPORTS = 1_000_000


def rows() -> Iterator[tuple[str, ...]]:
    mechanism = HadamardResponse(K, "1")
    codes = mechanism.privatize(np.random.default_rng(0).integers(0, K, REPORTS))

    def ours() -> float:
        return seconds(lambda: estimate(mechanism, mechanism.tally(codes), method="unbiased"))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "codes.npy"
        np.save(path, codes)
        with Peer("peer_pure_ldp.py", "estimate", K, path) as peer:
            yield "pure-ldp: aggregate_all and estimate_all", "at least 10", spread(ratios(peer.seconds, ours))
            theirs = np.array(peer.result)
        with Peer("peer_pure_ldp.py", "decode", K, path) as peer:
            yield "pure-ldp: only the decoding of an array", "-", spread(ratios(peer.seconds, ours))
    value = estimate(mechanism, mechanism.tally(codes), method="unbiased").value
    difference = float(np.abs(theirs / REPORTS - value).max())
    yield "largest difference of the two estimates of a share", "-", rounded(difference)
