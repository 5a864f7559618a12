"""Least squares under local privacy: the BCDP paper's Algorithm 3 beside statistics of which each person tells one.

Five features are uniform on [-1, 1], the label is 1 or -1 and its mean is `SLOPES` times the features: predicting 0
costs .09 more than the best slopes, in the paper's loss (half the mean squared error). Slopes are sought in the unit
ball. Algorithm 3 is symmetrised over the orders of its two copies; its quadratic form is then still indefinite as a
rule, so it is either minimised exactly as it is, or clipped to positive semidefinite and given a ridge at the noise
level. The fit from sampled statistics also has an intercept, whose error counts in its loss.

Two values of the first feature move the law of the others and the label by .1 in total variation at most, two values of
the second by .2: the bound of `BCDP` holds for these people.
Source: BCDP paper, Section 5 with its corrections. Cost: two seconds for a million people, BCDP twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt

import numpy as np

from sordino.definition.dependence import Dependence
from sordino.design.numbers.sampled_moments import sampled_moments
from sordino.domain.moment import Factors
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import moment_names
from sordino.estimation.quadratic import positive_part, trust_region
from sordino.estimation.regression import projected_least_squares
from sordino.exact.arrays import Floats
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.mechanism.aggregate import Aggregate
from sordino.papers.bayesian_coordinate.nested_budgets import nested_budgets
from sordino.papers.bayesian_coordinate.two_copies import TwoCopies
from sordino.papers.simulation import AT_ONCE, Advance, SimulationSource, simulate_bits
from sordino.query.sampled import Sampled

SLOPES = np.array([0.1, 0.2, 0.7, 0.0, 0.0])
TARGET = 5
RADIUS = 1.0
"""Of the ball that the slopes are sought in."""

PREDICTING_ZERO = float(SLOPES @ SLOPES) / 6
"""The excess loss of predicting 0."""

PEOPLE = 1_000_000
TENTHS = 3
"""How often the largest number of people is divided by ten, as long as enough are left."""
FEWEST = 1000
"""People: with less it happens often that nobody answers about some statistic."""

REPEATS = 3
"""For the largest number of people."""
LEAST_RUNS = 100
"""From sampled statistics, whose tallies are drawn at once."""

SEED = 7304
"""Any number: with another one the runs differ, their means hardly."""


@dataclass(frozen=True, eq=False)
class QuadraticMoments:
    """Estimated moments of a regression of p features: theta' A theta / 2 - b' theta is its loss, up to a constant.

    A is the mean of z z' over features z, b that of z times the target. From private reports A is symmetric and
    unbiased, but often has negative eigenvalues (nearly always with ten thousand people and epsilon at most 2), so that
    the form is not convex and needs a clipped or an exact solution.

    Attributes:
        matrix: A, shape (p, p), symmetric.
        vector: b, shape (p,).
        deviations: the standard deviation of each entry of A, shape (p, p), never too small.
        ridge: the length that the noise of A has as an operator, about: what it can take from its eigenvalues.
    """

    matrix: Floats
    vector: Floats
    deviations: Floats
    ridge: float


def quadratic_moments(
    copies: TwoCopies, aggregate: Aggregate, target: int, features: Sequence[int] | None = None
) -> QuadraticMoments:
    """The moments for a regression of one number on others.

    Args:
        features: the places of the numbers to predict it from; all others by default.

    Example:
        >>> copies = TwoCopies(["20", "20", "20"])
        >>> records = np.random.default_rng(0).uniform(-1, 1, (20_000, 3))
        >>> moments = quadratic_moments(copies, copies.tally(copies.privatize(records)), target=2)
        >>> bool(np.abs(moments.matrix - np.eye(2) / 3).max() < 0.2)
        True
    """
    chosen = [place for place in range(copies.d) if place != target] if features is None else list(features)
    if not chosen or target in chosen or len(set(chosen)) < len(chosen):
        raise SordinoError("there must be features, each once and the target not among them", found=shown(chosen))
    if not all(0 <= place < copies.d for place in (target, *chosen)):
        raise SordinoError(f"features and target must be among {copies.d} numbers", found=shown([target, *chosen]))
    products, own = copies.products(aggregate), np.ix_(chosen, chosen)
    deviations = np.sqrt(copies.noise()[own] / aggregate.n)
    # The length of a symmetric matrix of independent noise is at most about twice that of its largest row.
    ridge = 2 * float(np.sqrt((deviations**2).sum(axis=1).max()))
    return QuadraticMoments(products[own], products[chosen, target], deviations, ridge)


@dataclass(frozen=True)
class Setting:
    """A promise.

    Attributes:
        deltas: of the features and the label, which is the last.
        zeta: of the paper's budgets, as in its Appendix B.1: (1 + q) / 2.
    """

    name: str
    deltas: tuple[Nats, ...]
    epsilon: Nats
    dependence: Dependence
    zeta: Fraction


LDP = Setting("LDP", (Nats.of(2),) * 6, Nats.of(2), Dependence.unknown(6), Fraction(1))
BCDP = Setting(
    "BCDP",
    (*[Nats.of("0.5")] * 2, *[Nats.of(4)] * 4),
    Nats.of(4),
    # Attributes whose delta is epsilon need no bound.
    Dependence.bounded(["0.2", "0.2", 1, 1, 1, 1]),
    Fraction(3, 5),
)
SETTINGS = (LDP, BCDP)

METHODS = ("exact trust region", "clipped and ridge", "sampled statistics")

KNOWN = {
    ("LDP", METHODS[0]): {1000: 0.221, 10_000: 0.185, 100_000: 0.119, 1_000_000: 0.018},
    ("LDP", METHODS[1]): {1000: 0.166, 10_000: 0.109, 100_000: 0.052, 1_000_000: 0.008},
    ("LDP", METHODS[2]): {1000: 0.164, 10_000: 0.046, 100_000: 0.0045, 1_000_000: 0.0004},
    ("BCDP", METHODS[0]): {1_000_000: 0.26},
    ("BCDP", METHODS[2]): {1_000_000: 0.0017},
}
"""Simulated by other programs than this one, for slopes of the same length, and perhaps with other ridges."""


@dataclass(frozen=True)
class LeastSquaresRow:
    """The excess loss of one method.

    Attributes:
        people: how many told something.
        excess: mean excess loss over the runs.
        stderr: its standard error; None for one run.
        known: what other programs found, where they did.
    """

    setting: str
    method: str
    people: int
    excess: float
    stderr: float | None
    runs: int
    known: float | None


def sizes(people: int) -> list[int]:
    """The numbers of people, ascending: each a tenth of the next one."""
    return sorted(size for tenth in range(TENTHS + 1) if (size := people // 10**tenth) >= FEWEST)


def runs_of(size: int, people: int, repeats: int) -> int:
    """More runs for fewer people, whose errors vary more and are simulated faster."""
    return ceil(repeats * sqrt(people / size))


def simulated_people(people: int, repeats: int) -> int:
    """How many people all runs take together, for their progress."""
    return len(SETTINGS) * sum(size * runs_of(size, people, repeats) for size in sizes(people))


def least_squares(people: int, repeats: int, advance: Advance = lambda _: None) -> tuple[LeastSquaresRow, ...]:
    """The excess losses of all methods, by setting and number of people.

    Args:
        advance: called with the number of people simulated since the last call.
    """
    rows = []
    for number, setting in enumerate(SETTINGS):
        copies = TwoCopies(nested_budgets(setting.deltas, setting.epsilon, setting.dependence, setting.zeta))
        sampled = sampled_moments(setting.deltas, setting.epsilon, setting.dependence, target=TARGET)
        truth = statistics_of(moment_names(sampled))
        for size in sizes(people):
            runs, seeds = runs_of(size, people, repeats), (SEED, number, size)
            tallies = (_tally(copies, size, (*seeds, run), advance) for run in range(runs))
            found = np.array([[excess_loss(own) for own in algorithm_3(copies, tally)] for tally in tallies])
            generator = np.random.default_rng((*seeds, runs, 2))
            told = (simulate_bits(sampled, truth, size, generator) for _ in range(max(runs, LEAST_RUNS)))
            ours = np.array([_loss_of_sampled(sampled, tally) for tally in told])
            for method, losses in zip(METHODS, (*found.T, ours), strict=True):
                rows.append(_row(setting.name, method, size, losses))
    return tuple(rows)


def algorithm_3(copies: TwoCopies, tally: Aggregate) -> tuple[Floats, Floats]:
    """The slopes that minimise the quadratic form over the ball: as it is, and clipped with a ridge."""
    moments = quadratic_moments(copies, tally, TARGET)
    convex = positive_part(moments.matrix) + moments.ridge * np.eye(TARGET)
    return trust_region(moments.matrix, moments.vector, RADIUS), trust_region(convex, moments.vector, RADIUS)


def excess_loss(slopes: Floats) -> float:
    """Half of what the mean squared error of predictions has beyond that of the best slopes."""
    return float(np.sum((slopes - SLOPES) ** 2)) / 6


def draw_records(count: int, generator: np.random.Generator) -> Floats:
    """Five features and the label of some people, shape (count, 6)."""
    features = generator.uniform(-1, 1, (count, TARGET))
    labels = np.where(generator.random(count) < (1 + features @ SLOPES) / 2, 1.0, -1.0)
    return np.column_stack([features, labels])


def statistics_of(names: Sequence[Factors]) -> Floats:
    """The population's means of the statistics of `Moments`: numbers, products, and 2 x^2 - 1 for squares."""
    means: dict[Factors, float] = {(j, TARGET): float(SLOPES[j]) / 3 for j in range(TARGET)}
    means |= {(j, j): 2 / 3 - 1 for j in range(TARGET)}
    return np.array([means.get(name, 0.0) for name in names])


def _tally(copies: TwoCopies, people: int, seeds: tuple[int, ...], advance: Advance) -> Aggregate:
    """Of one report of each of some people, drawn in slices of bounded size."""
    generator, source = np.random.default_rng((*seeds, 0)), SimulationSource(*seeds, 1)
    tally = copies.tally(np.empty(0, dtype=np.uint64))
    for start in range(0, people, AT_ONCE):
        records = draw_records(min(AT_ONCE, people - start), generator)
        tally += copies.tally(copies.privatize(records, source))
        advance(len(records))
    return tally


def _loss_of_sampled(asked: Sampled, tally: Aggregate) -> float:
    """With the intercept's; that of predicting 0 where nobody answered about some statistic."""
    if not tally.counts.reshape(-1, 2).any(axis=1).all():
        return PREDICTING_ZERO
    fit = projected_least_squares(asked, tally, TARGET, radius=RADIUS).value
    return excess_loss(fit[1:]) + float(fit[0] ** 2) / 2


def _row(setting: str, method: str, people: int, losses: Floats) -> LeastSquaresRow:
    """The mean over the runs, for losses of shape (runs,)."""
    runs = len(losses)
    stderr = float(losses.std(ddof=1)) / sqrt(runs) if runs > 1 else None
    known = KNOWN.get((setting, method), {}).get(people)
    return LeastSquaresRow(setting, method, people, float(losses.mean()), stderr, runs, known)
