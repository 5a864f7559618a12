"""Privatizing values, against peers' clients and against the random words that it needs."""

from collections.abc import Callable, Iterator

import numpy as np

from pairs import RATIOS, Peer, ratios, seconds, spread
from sordino import LDP, Blockwise, HadamardResponse, Partition, RandomizedResponse, SystemSource, best_mechanism
from sordino.mechanism.base import Mechanism

TITLE = "Privatizing"
NOTE = (
    "Epsilon 1. A peer's time for a value over ours, both after set-up and compilation. Ours draws from AES-256-CTR "
    "keyed by the operating system: 2 million values in one array, or one value a call where the line says so. The "
    "peers take one value a call, which is all that they offer. pure-ldp and multi-freq-ldpy draw from generators that "
    "are not secure, opendp from a secure one. multi-freq-ldpy's LH and UE are its optimal ones; HE adds Laplace noise."
)
HEADER = RATIOS

VALUES = 2_000_000
CALLS = 5_000
WORDS = 1 << 15
K = 1024
LARGE = 43_750


def rows() -> Iterator[tuple[str, ...]]:
    randomized, best = RandomizedResponse(K, "1"), best_mechanism(K, LDP("1"))
    for k in (K, LARGE):
        figures = against_peer(in_bulk(HadamardResponse(k, "1")), "peer_pure_ldp.py", "privatize", k)
        yield f"Hadamard response, k = {k:,}: pure-ldp", "-", spread(figures)
    for name, ours in (("in bulk", in_bulk(randomized)), ("one value a call, too", one_by_one(randomized))):
        what = f"randomized response, k = {K:,}, ours {name}"
        figures = against_peer(ours, "peer_multi_freq.py", "privatize", "GRR", K)
        yield f"{what}: multi-freq-ldpy's GRR_Client", "-", spread(figures)
        yield f"{what}: opendp", "-", spread(against_peer(ours, "peer_opendp.py", K))
    for name in ("LH", "UE", "SS", "HE"):
        figures = against_peer(in_bulk(best), "peer_multi_freq.py", "privatize", name, K)
        what = f"best mechanism, k = {K:,} (ours {type(best).__name__}): multi-freq-ldpy's {name}_Client"
        yield what, "-", spread(figures)
    for what, mechanism in (
        (f"Hadamard response, k = {K:,}", HadamardResponse(K, "1")),
        (f"Hadamard response, k = {LARGE:,}", HadamardResponse(LARGE, "1")),
        (f"randomized response, k = {K:,}", randomized),
        (f"blockwise, k = {LARGE:,}, blocks of 25", Blockwise(Partition.of(np.arange(LARGE) // 25), "1")),
    ):
        yield f"{what}: ours over its two random words a value", "-", spread(against_words(mechanism))


def in_bulk(mechanism: Mechanism) -> Callable[[], float]:
    """Seconds for a value, of many in one array."""
    values = np.random.default_rng(0).integers(0, mechanism.k, VALUES)
    mechanism.privatize(values)
    return lambda: seconds(lambda: mechanism.privatize(values)) / VALUES


def one_by_one(mechanism: Mechanism) -> Callable[[], float]:
    """Seconds for a value, each in a call of its own."""
    values = np.random.default_rng(0).integers(0, mechanism.k, (CALLS, 1))
    source = SystemSource()
    return lambda: seconds(lambda: [mechanism.privatize(value, source) for value in values]) / CALLS


def against_peer(ours: Callable[[], float], script: str, *arguments: object) -> list[float]:
    with Peer(script, *arguments, CALLS) as peer:
        return ratios(lambda: peer.seconds() / CALLS, ours)


def against_words(mechanism: Mechanism) -> list[float]:
    values = np.random.default_rng(0).integers(0, mechanism.k, VALUES)
    source = SystemSource()

    def words() -> None:
        # Each piece is dropped before the next, so that memory is used again and only the words cost.
        for _ in range(0, 2 * VALUES, WORDS):
            source.words(WORDS)

    mechanism.privatize(values, source)
    return ratios(lambda: seconds(lambda: mechanism.privatize(values, source)), lambda: seconds(words))
