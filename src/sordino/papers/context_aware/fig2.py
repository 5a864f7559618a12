"""Figure 2 of the context-aware LDP paper: the more public blocks, the better 1,000 values are estimated.

Blocks are runs of equal length; one block is uniform LDP. People are drawn from four laws: uniform, Zipf with exponent
1, geometric with ratio 0.8, and the same geometric law with its values shuffled over the blocks. The paper's text does
not state its Zipf exponent and geometric ratio: ours are a choice. A distance is the total variation between the
estimate and the law, averaged over the runs, as the paper averages 10.
Source: context-aware LDP paper, Section 7. Cost: half a minute for 10 runs of 512,000 people.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sordino.domain.value_partition import Partition
from sordino.estimation.share_estimate import Method
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats, NatsLike
from sordino.papers.simulation import CONTESTANTS, METHODS, Advance, Contestant, SimulationSource, contestant, distances

K = 1000
BLOCKS = (1, 10, 20, 50, 100)
PEOPLE = 512_000
"""The most that the paper asks: it doubles from 1,000 on, nine times."""
HALVINGS = 9
REPEATS = 10

DRAWN: tuple[Method, ...] = ("block-simplex",)
"""The post-processing of the drawn curves."""

SEED = 7302
"""Any number: with another one the runs differ, their means hardly."""

PAPER: dict[tuple[str, Method], dict[int, float]] = {
    ("uniform", "unbiased"): {1: 1.207, 10: 0.383, 20: 0.269, 50: 0.170, 100: 0.121},
    ("uniform", "block-simplex"): {1: 0.625, 10: 0.340, 20: 0.254, 50: 0.164, 100: 0.112},
    ("zipf(1)", "unbiased"): {1: 1.212},
    ("zipf(1)", "simplex"): {1: 0.404},
    ("geometric(0.8)", "unbiased"): {1: 1.207},
}
"""The paper draws curves and prints no numbers. These are its mechanism's in its setting (512,000 people, epsilon 1),
simulated or computed by other programs than this one; by law, post-processing and number of blocks."""


@dataclass(frozen=True)
class CurvePoint:
    """One point of a curve.

    Attributes:
        paper: what it should be, for the paper's mechanism and setting, where that is known.
    """

    distribution: str
    blocks: int
    mechanism: Contestant
    estimator: Method
    tv: float
    paper: float | None


def distributions(k: int = K) -> dict[str, Floats]:
    """The laws by name, shape (k,) each."""
    index = np.arange(k)
    geometric = 0.8**index
    shuffled = geometric[np.random.default_rng(SEED).permutation(k)]
    laws = {"uniform": np.ones(k), "zipf(1)": 1 / (index + 1), "geometric(0.8)": geometric, "geometric(0.8)*": shuffled}
    return {name: weights / weights.sum() for name, weights in laws.items()}


def sizes(people: int) -> list[int]:
    """The numbers of people along the figure's axis, ascending: each twice the one before, up to `people`."""
    return sorted({people >> halving for halving in range(HALVINGS + 1)} - {0})


def estimates(repeats: int, methods: Sequence[Method] = METHODS) -> int:
    """How many estimates one call takes, for its progress."""
    return len(distributions()) * len(BLOCKS) * len(CONTESTANTS) * len(methods) * repeats


def fig2(
    people: int,
    epsilon: NatsLike,
    repeats: int,
    advance: Advance = lambda _: None,
    methods: Sequence[Method] = METHODS,
    k: int = K,
) -> tuple[CurvePoint, ...]:
    """The points of all curves at one number of people.

    Args:
        advance: called with the number of estimates made since the last call.
        k: values; a multiple of 100.
    """
    known = people == PEOPLE and Nats.of(epsilon) == Nats.of(1) and k == K
    points = []
    for number, (name, law) in enumerate(distributions(k).items()):
        # Every mechanism is asked about the same people.
        drawn = [
            np.random.default_rng((SEED, people, number, run, 0)).multinomial(people, law) for run in range(repeats)
        ]
        for m in BLOCKS:
            blocks = Partition.of(np.arange(k) * m // k)
            for mechanism in CONTESTANTS:
                channel = contestant(mechanism, blocks, epsilon)
                runs = [
                    distances(channel, counts, law, SimulationSource(SEED, people, number, run, m), advance, methods)
                    for run, counts in enumerate(drawn)
                ]
                for method, tv in zip(methods, np.mean(runs, axis=0).tolist(), strict=True):
                    paper = PAPER.get((name, method), {}).get(m) if known and mechanism == "hadamard" else None
                    points.append(CurvePoint(name, m, mechanism, method, tv, paper))
    return tuple(points)
