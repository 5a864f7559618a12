"""The variance of a rare value's share under the same guarantee, against peers; each formula checked by simulation."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from pairs import Peer
from sordino import LDP, best_mechanism, estimate
from sordino.mechanism.base import Mechanism

TITLE = "Accuracy under the same guarantee"
NOTE = (
    "LDP at each epsilon, k = 1,024, people uniform over the values: the variance of a share's unbiased estimate times "
    "the number of people (n Var), averaged over the values. The last column is the peer's over ours: how many times "
    "our people it needs. Every formula is checked by simulation, ours and the peers' own clients; a run stops where "
    "they differ by more than a tenth. multi-freq-ldpy's estimators clip: its reports are counted and inverted here. "
    "LH has a short report too, but its server hashes every value for each report. opendp's only mechanism for "
    "categories is randomized response, which is ours too."
)
HEADER = ("epsilon", "mechanism", "bits a report", "n Var", "simulated / formula", "over ours")

K = 1024
PEOPLE = 1_000
"""In one simulated survey; the variance times n does not depend on it."""
SURVEYS = 50
TOLERANCE = 0.1


class Oracle(NamedTuple):
    """A peer's mechanism: its script and arguments; bits of a report and n Var at an epsilon."""

    name: str
    script: str
    arguments: tuple[object, ...]
    bits: Callable[[float], int]
    variance: Callable[[float], float]
    surveys: int = SURVEYS


def rows() -> Iterator[tuple[str, ...]]:
    for epsilon in ("1", "2", "4"):
        mechanism = best_mechanism(K, LDP(epsilon))
        ours = float(mechanism.variance().mean())
        name = f"ours: {type(mechanism).__name__}"
        yield epsilon, name, f"{mechanism.code_bits}", f"{ours:.4g}", checked(name, simulated(mechanism), ours), "1"
        for oracle in ORACLES:
            variance = oracle.variance(float(epsilon))
            with Peer(oracle.script, "simulate", *oracle.arguments, K, epsilon, PEOPLE, oracle.surveys) as peer:
                peer.seconds()
                ratio = checked(oracle.name, peer.result, variance)
            bits = f"{oracle.bits(float(epsilon)):,}"
            yield epsilon, oracle.name, bits, f"{variance:.4g}", ratio, f"{variance / ours:.3f}"


def checked(name: str, simulation: float, formula: float) -> str:
    ratio = simulation / formula
    if abs(ratio - 1) > TOLERANCE:
        raise SystemExit(f"{name}: the simulated variance is {ratio:.3f} times its formula")
    return f"{ratio:.3f}"


def simulated(mechanism: Mechanism) -> float:
    people = np.random.default_rng(0).integers(0, K, (SURVEYS, PEOPLE))
    estimates = [estimate(mechanism, mechanism.tally(mechanism.privatize(x)), "unbiased").value for x in people]
    return float(PEOPLE * np.mean((np.array(estimates) - 1 / K) ** 2))


def of_counts(hit: float, miss: float) -> float:
    """Of a mechanism whose reports support their own value with probability `hit` and any other with `miss`."""
    support = hit / K + miss * (1 - 1 / K)
    return support * (1 - support) / (hit - miss) ** 2


def unary(epsilon: float) -> float:
    return of_counts(1 / 2, 1 / (math.exp(epsilon) + 1))


def hashing(epsilon: float) -> float:
    buckets = round(math.exp(epsilon)) + 1
    return of_counts(math.exp(epsilon) / (math.exp(epsilon) + buckets - 1), 1 / buckets)


def subset_size(epsilon: float) -> int:
    return round(K / (math.exp(epsilon) + 1))


def subset(epsilon: float) -> float:
    size = subset_size(epsilon)
    hit = size * math.exp(epsilon) / (size * math.exp(epsilon) + K - size)
    return of_counts(hit, (size - hit) / (K - 1))


def blocks(epsilon: float) -> tuple[int, int]:
    """Bits of a block's number and of a place in it, in pure-ldp's Hadamard response; one block up to epsilon 1."""
    outer = int(math.log2(math.exp(epsilon))) if epsilon > 1 else 0
    return outer, math.ceil(math.log2(K / 2**outer + 1))


def hadamard(epsilon: float) -> float:
    """A report falls into the value's block, and there on its +1 entries or not: plus or minus c / (e^eps - 1)."""
    outer, inner = blocks(epsilon)
    width = 2**inner - 1
    odds = math.exp(epsilon)
    c = 2 * 2**outer - 1 + odds
    shares = [min(width, K - start) / K for start in range(0, K, width)]
    own_block = sum(share * (share * (odds + 1) + (1 - share) * 2) / c for share in shares)
    return (c / (odds - 1)) ** 2 * own_block - 1 / K**2


ORACLES = (
    Oracle("pure-ldp: HadamardResponse", "peer_pure_ldp.py", ("HadamardResponse",), lambda e: sum(blocks(e)), hadamard),
    Oracle("pure-ldp: UE (optimal)", "peer_pure_ldp.py", ("UE",), lambda _: K, unary),
    # A seed of 63 bits and a bucket. Fewer surveys: the server hashes every value for each report.
    Oracle(
        "pure-ldp: LH (optimal)",
        "peer_pure_ldp.py",
        ("LH",),
        lambda e: 63 + round(math.exp(e)).bit_length(),
        hashing,
        SURVEYS // 10,
    ),
    Oracle("multi-freq-ldpy: UE (optimal)", "peer_multi_freq.py", ("UE",), lambda _: K, unary),
    Oracle("multi-freq-ldpy: SS", "peer_multi_freq.py", ("SS",), lambda e: min(K, 10 * subset_size(e)), subset),
)
