"""How often intervals of shares hold, each by itself and all together: every mechanism and definition, few and many."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino import (
    LDP,
    Aggregate,
    BinaryOptimal,
    Blockwise,
    ChannelTable,
    CyclicSubsets,
    Estimate,
    HadamardResponse,
    HighLow,
    LinearTable,
    MetricLDP,
    Nats,
    PairwiseLDP,
    ProductResponse,
    ProjectiveResponse,
    RandomizedResponse,
    SubsetSelection,
    TreeResponse,
    WindowResponse,
    best_mechanism,
)
from sordino.design.numbers.bins_channel import hierarchy
from sordino.estimation.share_estimate import estimate
from sordino.mechanism.base import Mechanism
from sordino.mechanism.window import OptionalWindow
from sordino.papers.simulation import SimulationSource

Floats = NDArray[np.float64]

PER_VALUE = {"few": 2, "some": 20, "many": 500}
COLLECTIONS = 200
CONFIDENCE = 0.95

TITLE = "How often intervals hold"
NOTE = (
    "Per cent of seeded collections in which the 95 % intervals of shares hold what they are about; tallies are drawn "
    "from the channel. Few, some and many reports are 2, 20 and 500 for each value. Everywhere: shares that fall by a "
    "tenth from value to value; at two values: three quarters at one, a quarter at another, nobody elsewhere. Each by "
    "itself: of shares more than two standard errors from 0, and of all others; then the value that holds most seldom, "
    f"which of 60 values and {COLLECTIONS} collections by chance alone is about 91 %. Together: all of a collection, "
    "with `--simultaneous`. Shifted: to the share of the block, as plans have it where that helps. Asked: 93 to 97.5 % "
    "of each, near 0 up to 99.5 %, and at least 93 % together; what is outside by more than three standard errors of "
    "the figure is marked."
)
HEADER = ("mechanism", "reports", "people", "beyond 2 errors", "near 0", "worst value", "together")


def everywhere(k: int) -> Floats:
    shares = 0.9 ** np.arange(k)
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def at_two(k: int) -> Floats:
    shares = np.zeros(k)
    shares[[k // 3, 2 * k // 3]] = 0.75, 0.25
    return shares


PEOPLE: dict[str, Callable[[int], Floats]] = {"everywhere": everywhere, "at two values": at_two}


@dataclass(frozen=True)
class Case:
    """A mechanism, and whether its estimates are shifted to the share of their block."""

    make: Callable[[], Mechanism]
    shifted: bool = False


def line(k: int, step: str) -> TreeResponse:
    return TreeResponse(MetricLDP.line(k, step))


BLOCKS = np.repeat(np.arange(6), [1, 2, 3, 4, 6, 8])
SENSITIVE = list(range(1, 24, 3))
MATRIX = [
    *(["0", "1", "2", "1/2"], ["1", "0", "1", "1"]),
    *(["inf", "1", "0", "2"], ["1/2", "2", "1", "0"]),
]


def table_of(k: int, odds: int) -> ChannelTable:
    """Codes for a value and its two neighbours around a circle, and a weight more for the others."""
    return ChannelTable([np.roll([odds, 2, *[1] * (k - 3), 2], value).tolist() for value in range(k)])


CASES: dict[str, Case] = {
    "LDP, 1 nat, randomized, 24": Case(lambda: RandomizedResponse(24, "1")),
    "LDP, 4 nats, randomized, 24": Case(lambda: RandomizedResponse(24, "4")),
    "LDP, 1 nat, binary, 2": Case(lambda: BinaryOptimal("1", "1")),
    "LDP, 1 nat, Hadamard, 24": Case(lambda: HadamardResponse(24, "1")),
    "LDP, 1 nat, Hadamard, 24, shifted": Case(lambda: HadamardResponse(24, "1"), shifted=True),
    "LDP, 1 nat, projective, 24": Case(lambda: ProjectiveResponse(24, "1")),
    "LDP, 1 nat, subsets, 24": Case(lambda: SubsetSelection(24, "1")),
    "LDP, 1 nat, cyclic subsets, 24": Case(lambda: CyclicSubsets(24, "1")),
    "LDP, ln 9, table, 24": Case(lambda: table_of(24, 9)),
    "LDP, 2 nats, linear table, 8": Case(
        lambda: LinearTable([[7 if code in (x, x + 1) else 1 for code in range(9)] for x in range(8)])
    ),
    "LDP, 1 nat, windows, 32": Case(lambda: WindowResponse(32, "1", 12)),
    "LDP, 4 nats, windows, 32": Case(lambda: WindowResponse(32, "4", 3)),
    "LDP, 2 nats, windows or missing, 17": Case(lambda: OptionalWindow(WindowResponse(16, "2", 5), "2", 2**60)),
    "LDP, 1 nat, hierarchy, 64": Case(lambda: hierarchy(64, Nats.of("1"))),
    "LDP, 4 nats, hierarchy, 64": Case(lambda: hierarchy(64, Nats.of("4"))),
    "blocks, 1 nat, Hadamard, 24": Case(lambda: Blockwise(BLOCKS, "1", "hadamard")),
    "blocks, 1 nat, Hadamard, 24, shifted": Case(lambda: Blockwise(BLOCKS, "1", "hadamard"), shifted=True),
    "blocks, 3 nats, randomized, 24": Case(lambda: Blockwise(BLOCKS, "3", "randomized")),
    "blocks, 1 nat, subsets, 24": Case(lambda: Blockwise(BLOCKS, "1", "subset")),
    "high-low, 1 nat, Hadamard, 24": Case(lambda: HighLow(24, SENSITIVE, "1", "hadamard")),
    "high-low, 1 nat, subsets, 24": Case(lambda: HighLow(24, SENSITIVE, "1", "subset")),
    "high-low, 3 nats, randomized, 24": Case(lambda: HighLow(24, SENSITIVE, "3", "randomized")),
    "line, half a nat a step, 60": Case(lambda: line(60, "1/2")),
    "line, 3 nats a step, 60": Case(lambda: line(60, "3")),
    "line, designed, half a nat a step, 6": Case(lambda: best_mechanism(6, MetricLDP.line(6, "1/2"))),
    "tree, 1 nat an edge, 40": Case(
        lambda: TreeResponse(MetricLDP.tree([None, *((value - 1) // 3 for value in range(1, 40))], "2"))
    ),
    "grid, 1 and half a nat a step, 6 x 10": Case(lambda: ProductResponse([line(6, "1"), line(10, "1/2")])),
    "grid, 2 nats a step, 8 x 8": Case(lambda: ProductResponse([line(8, "2"), line(8, "2")])),
    "grid, half a nat a step, 30 x 40": Case(lambda: ProductResponse([line(30, "1/2"), line(40, "1/2")])),
    "a line by k-ary response, 12 x 5": Case(lambda: ProductResponse([line(12, "1"), RandomizedResponse(5, "1")])),
    "matrix, designed, 4": Case(lambda: best_mechanism(4, PairwiseLDP(MATRIX))),
    "what is best for LDP, 2 nats, 24": Case(lambda: best_mechanism(24, LDP("2"))),
}


@dataclass(frozen=True, eq=False)
class Covered:
    """In which collections which intervals hold.

    Attributes:
        each: each by itself, shape (collections, k).
        together: all of a collection, shape (collections,).
        far: which shares are more than two standard errors from 0, shape (k,).
    """

    each: NDArray[np.bool_]
    together: NDArray[np.bool_]
    far: NDArray[np.bool_]


def tallies(mechanism: Mechanism, shares: Floats, n: int, collections: int, seed: int) -> Iterator[Aggregate]:
    """By the channel's own distribution of codes; where a tally does not count codes, by its sampler."""
    generator = np.random.default_rng(seed)
    if mechanism.counts_codes:
        expected = np.maximum(mechanism.forward(shares), 0.0)
        for counts in generator.multinomial(n, expected / expected.sum(), size=collections):
            yield Aggregate(mechanism.fingerprint, n, counts)
        return
    source = SimulationSource(seed)
    for people in generator.multinomial(n, shares, size=collections):
        yield mechanism.tally(mechanism.privatize(np.repeat(np.arange(mechanism.k), people), source), drawn=True)


def covered(name: str, people: str, per_value: int, collections: int = COLLECTIONS, seed: int = 0) -> Covered:
    """The intervals of a case's collections beside the truth."""
    case = CASES[name]
    mechanism = case.make()
    n, shares = per_value * mechanism.k, PEOPLE[people](mechanism.k)
    each, together = [], []
    for tally in tallies(mechanism, shares, n, collections, seed):
        found = estimate(mechanism, tally, "unbiased", subtract_totals=case.shifted)
        each.append(holds(found, shares, simultaneous=False))
        together.append(holds(found, shares, simultaneous=True).all())
    errors = np.sqrt(np.maximum(mechanism.variance(shares), 0.0) / n)
    return Covered(np.array(each), np.array(together), shares > 2 * errors)


def holds(found: Estimate, shares: Floats, *, simultaneous: bool) -> NDArray[np.bool_]:
    low, high = found.interval(CONFIDENCE, simultaneous=simultaneous)
    # A share that is 1 but for rounding is 1.
    return np.asarray((low <= shares + 1e-12) & (high >= shares - 1e-12))


def rows() -> Iterator[tuple[str, ...]]:
    for name in CASES:
        for reports, per_value in PER_VALUE.items():
            for people in PEOPLE:
                found = covered(name, people, per_value)
                yield (name, reports, people, *figures(found))


def figures(found: Covered) -> tuple[str, ...]:
    """Pooled rates, the worst value's, and together; those that are not what is asked with a mark."""
    worst = percent(float(found.each.mean(axis=0).min()))
    far, near, together = (marked(*one) for one in asked(found))
    return far, near, worst, together


def asked(found: Covered) -> Iterator[tuple[NDArray[np.bool_], float, float]]:
    """What holds of shares beyond two standard errors of 0, of others, and together, and how often it should."""
    yield found.each[:, found.far], 0.93, 0.975
    yield found.each[:, ~found.far], 0.93, 0.995
    yield found.together[:, None], 0.93, 1.0


def marked(hits: NDArray[np.bool_], least: float, most: float) -> str:
    if not hits.size:
        return "-"
    rate, error = rate_of(hits)
    return percent(rate) + ("" if least - 3 * error <= rate <= most + 3 * error else " !")


def rate_of(hits: NDArray[np.bool_]) -> tuple[float, float]:
    """How often, and the standard error of that: intervals of one collection go together."""
    means = hits.mean(axis=1)
    return float(means.mean()), float(means.std() / np.sqrt(len(means)))


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}"
