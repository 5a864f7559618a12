"""Seeded simulation: words that can be repeated, the tally of many people's reports, how far off its estimates are.

For tables, figures and tests. It guarantees nothing: whoever knows the seeds knows every word, so what is drawn from
them is never a release. Reports are drawn by the mechanism's own `privatize`; only the words are not fresh.
"""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.shares.best_mechanism import best_mechanism
from sordino.domain.value_partition import Partition
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.estimation.share_estimate import Method, estimate
from sordino.exact.coin import WORD
from sordino.exact.floats import Floats
from sordino.exact.nats import NatsLike
from sordino.exact.source import FreshStream, Rows, Stream, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.channel import Aggregate
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.query import Query
from sordino.query.sampled import Sampled

Advance: TypeAlias = Callable[[int], None]
"""Called with the number of estimates made since the last call, the likelihood not counted."""

Contestant = Literal["hadamard", "best"]
"""hadamard: the context-aware LDP paper's mechanism. best: what a plan would take."""

CONTESTANTS: tuple[Contestant, ...] = get_args(Contestant)
METHODS: tuple[Method, ...] = ("unbiased", "simplex", "block-simplex")
"""Post-processings that every mechanism allows."""

AT_ONCE = 1 << 22
"""People privatized at a time: memory stays bounded however many there are."""

Counts: TypeAlias = NDArray[np.int64]


class SimulationSource:
    """Words from numpy's generator under seeds: for simulation only, never for a release.

    Example:
        >>> import numpy as np
        >>> words = [SimulationSource(1, 2).stream(np.arange(3)).next() for _ in range(2)]
        >>> bool((words[0] == words[1]).all())
        True
    """

    def __init__(self, *seeds: int) -> None:
        self._generator = np.random.default_rng(seeds)

    def words(self, count: int) -> Words:
        return self._generator.integers(0, 2**64 - 1, count, dtype=np.uint64, endpoint=True)

    def stream(self, values: NDArray[np.number]) -> Stream:
        """As many words as there are values; the values themselves are not looked at."""
        return FreshStream(self.words, len(values))

    def public(self, count: int, use: str = "question") -> Stream:  # noqa: ARG002 - the protocol's
        return FreshStream(self.words, count)

    def take(self, rows: Rows) -> "SimulationSource":  # noqa: ARG002 - the rows are the protocol's
        return self


def contestant(name: Contestant, blocks: Partition, epsilon: NatsLike) -> Mechanism:
    """A mechanism over blocks; one block of all values is uniform LDP."""
    if name == "best":
        return best_mechanism(blocks.k, LDP(epsilon) if blocks.m == 1 else BlockLDP(blocks, epsilon))
    return Blockwise(blocks, epsilon, name)


def simulate_tally(mechanism: Mechanism, people: Counts, source: SimulationSource) -> Aggregate:
    """The tally of one simulated report of each person.

    Args:
        people: shape (k,), how many have each value.
    """
    ends = np.concatenate(([0], np.cumsum(people)))
    tally = mechanism.tally(np.empty(0, dtype=np.uint64))
    for start in range(0, int(ends[-1]), AT_ONCE):
        here = np.clip(ends, start, start + AT_ONCE)
        values = np.repeat(np.arange(mechanism.k), here[1:] - here[:-1])
        tally += mechanism.tally(mechanism.privatize(values, source))
    return tally


def simulate_bits(asked: Sampled, truth: Floats, people: int, generator: np.random.Generator) -> Aggregate:
    """The tally of one report of each of some people who are drawn from a population, however many at once.

    The law of a report depends on the population only by its means of the statistics.

    Args:
        asked: draws a moment for each person and tells one bit about it.
        truth: the population's means of these moments, in the order of the queries, shape (m,).
    """
    coins = [query.mechanism for query in asked.queries if isinstance(query, Query)]
    thresholds = [coin.threshold for coin in coins if isinstance(coin, RandomizedResponse)]
    shares = np.array(asked.weights) / sum(asked.weights)
    positive = (1 + truth * (2 * np.array(thresholds, dtype=np.float64) / WORD - 1)) / 2
    law = np.column_stack([shares * (1 - positive), shares * positive]).ravel()
    return Aggregate(asked.fingerprint, people, generator.multinomial(people, law / law.sum()))


def distances(
    mechanism: Mechanism,
    people: Counts,
    truth: Floats,
    source: SimulationSource,
    advance: Advance,
    methods: Sequence[Method] = METHODS,
    known: Surroundings | None = None,
) -> list[float]:
    """The total variation distance of each method's estimate to the truth, shape (k,), after one simulated run.

    Args:
        people: shape (k,), how many have each value.
        truth: shape (k,), what the estimates are compared with.
        known: of the values beside their reports, for "smoothed".
    """
    tally = simulate_tally(mechanism, people, source)
    found = []
    for method in methods:
        found.append(total_variation(estimate(mechanism, tally, method, known=known).by_method, truth))
        advance(int(method in METHODS))
    return found


def post_processings(mechanism: Mechanism) -> tuple[Method, ...]:
    return (*METHODS, "likelihood") if mechanism.counts_codes else METHODS


def total_variation(shares: Floats, others: Floats) -> float:
    """Half the sum of the absolute differences; above 1 only where shares lie outside 0..1."""
    return float(np.abs(shares - others).sum() / 2)
