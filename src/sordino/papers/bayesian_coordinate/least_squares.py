"""Least squares under local privacy: the BCDP paper's Algorithm 3 beside statistics of which each person tells one.

Five features are uniform on [-1, 1], the label is 1 or -1 and its mean is `SLOPES` times the features: predicting 0
costs .09 more than the best slopes, in the paper's loss (half the mean squared error). Slopes are sought in the unit
ball. Algorithm 3 is symmetrised over the orders of its two copies; its quadratic form is then still indefinite as a
rule, so it is either minimised exactly as it is, or clipped to positive semidefinite and given a ridge at the noise
level. The fit from sampled statistics also has an intercept, whose error counts in its loss.

Two values of the first feature move the law of the others and the label by .1 in total variation at most, two values of
the second by .2: the bound of `BCDP` holds for these people.
Source: BCDP paper, Section 5 with its corrections. Cost: two seconds for a million people, BCDP twice.

Mean products of numbers from two nested reports about each record, at half the budgets each.

Guarantee: that of `NestedMean` with these budgets: two reports at half of a budget add up to it. Both estimates of a
record are independent given the record, so products of one with the other have the record's products as their mean,
squares included. A report is one seed and the bits of both copies; its tally sums the products of both orders,
symmetrised, in whole numbers: estimates are rounded to 2^-15 of their largest value, a bias of a part in 2^16 of what
one report can say at most. Noise grows with 1 / eps^4: reports of single products do better, and this is to compare.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounded_dependence import Dependence
from sordino.design.numbers.sampled_moments import sampled_moments
from sordino.domain.moment import Factors
from sordino.errors import SordinoError
from sordino.estimation.linear_regression import projected_least_squares
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.estimation.moment_estimator import moment_names
from sordino.estimation.solvers import positive_part, trust_region
from sordino.exact.floats import Floats
from sordino.exact.messages import shown
from sordino.exact.nats import Nats, NatsLike
from sordino.exact.source import Words
from sordino.mechanism.channel import Aggregate
from sordino.papers.bayesian_coordinate.nested import NestedMean
from sordino.papers.bayesian_coordinate.nested_budgets import nested_budgets
from sordino.papers.bayesian_coordinate.seeded import Seeded, SeededBit, can_hold, pieces, require_reports
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

LEAST_RUNS = 100
"""From sampled statistics, whose tallies are drawn at once."""

SEED = 7304
"""Any number: with another one the runs differ, their means hardly."""


@dataclass(frozen=True, eq=False, init=False)
class TwoCopies(Seeded):
    """Two reports in one about d numbers in [-1, 1].

    Source: BCDP paper, Algorithm 3.

    Example:
        >>> import numpy as np
        >>> copies = TwoCopies(["1", "2", "2"])
        >>> [str(budget) for budget in copies.copy.budgets]
        ['1/2', '1', '1']
        >>> copies.products(copies.tally(copies.privatize(np.zeros((4, 3))))).shape
        (3, 3)
    """

    copy: NestedMean

    def __init__(self, budgets: Sequence[NatsLike] | Floats) -> None:
        whole = NestedMean(budgets)
        copy = NestedMean([half(budget) for budget in whole.budgets])
        if not np.isfinite(copy.weights).all():
            raise SordinoError("products need budgets above 0 for all numbers", found="one of 0", step="leave it out")
        object.__setattr__(self, "copy", copy)

    @property
    def d(self) -> int:
        return self.copy.d

    @property
    def parameters(self) -> str:
        return f"two copies of {self.copy.parameters}"

    @cached_property
    def levels(self) -> tuple[SeededBit, ...]:
        """Those of the first copy, then those of the second, each with directions of its own."""
        first = self.copy.levels
        second = (replace(own, steered=replace(own.steered, place=len(first) + k)) for k, own in enumerate(first))
        return (*first, *second)

    @property
    def counters(self) -> int:
        """For each j <= k the sum of the two products of estimates, moved up; then all reports."""
        return self.d * (self.d + 1) // 2 + 1

    @property
    def informative(self) -> bool:
        return True

    @cached_property
    def largest(self) -> Floats:
        """The largest estimate of each number from one copy, shape (d,)."""
        largest: Floats = self.copy.weights.T @ np.array([level.steered.scale for level in self.copy.levels])
        return largest

    def check_values(self, values: ArrayLike) -> NDArray[Any]:
        """The records as float64, shape (n, d)."""
        return self.copy.check_values(values)

    def possible(self, counters: NDArray[np.integer]) -> bool:
        return bool(can_hold(counters, 4 * UNITS**2).all())

    def products(self, aggregate: Aggregate) -> Floats:
        """The unbiased estimate of the mean of x_j x_k, symmetric, shape (d, d); often with negative eigenvalues.

        Raises SordinoError: another channel's tally, or no reports.
        """
        n = require_reports(self, aggregate)
        upper = np.zeros((self.d, self.d))
        upper[self._upper] = (aggregate.counts[:-1] - n * 2 * UNITS**2) / (2 * n * UNITS**2)
        products = upper + upper.T
        np.fill_diagonal(products, np.diag(upper))
        return products * np.outer(self.largest, self.largest)

    def estimate(self, aggregate: Aggregate) -> NormalEstimate:
        """The mean products, with standard errors that are never too small, shape (d, d)."""
        return NormalEstimate(self.products(aggregate), np.sqrt(self.noise() / aggregate.n), aggregate.n)

    def noise(self) -> Floats:
        """The mean square of what one report says about each product, shape (d, d), at most; n times its variance."""
        squares, weights = self.copy.noise(), self.copy.weights
        # Of both orders, which are alike but for what one copy's estimates of two numbers have in common.
        common = 1 - weights.T @ weights
        noise: Floats = (np.outer(squares, squares) + common**2) / 2
        np.fill_diagonal(noise, squares**2)
        return noise

    @cached_property
    def _upper(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return np.triu_indices(self.d)

    def _count(self, codes: Words, group: NDArray[np.intp], groups: int) -> NDArray[np.int64]:
        counts = np.zeros((groups, self.counters), dtype=np.int64)
        for rows in pieces(len(codes), self.d):
            first, second = self._whole_estimates(codes[rows])
            for own in range(groups):
                mine = slice(None) if groups == 1 else group[rows] == own
                # Whole numbers whose sums stay below 2^53: exact in floats, in whatever order they are added.
                one_order = first[mine].T @ second[mine]
                counts[own, :-1] += (one_order + one_order.T)[self._upper].astype(np.int64)
        counts[:, -1] = np.bincount(group, minlength=groups)
        counts[:, :-1] += 2 * UNITS**2 * counts[:, -1:]
        return counts

    def _whole_estimates(self, codes: Words) -> tuple[Floats, Floats]:
        """Both copies' estimates in whole units, shape (n, d) each."""
        size = len(self.copy.levels)
        both = np.zeros((2, len(codes), self.d))
        for k, level in enumerate(self.levels):
            share = self.copy.weights[k % size, level.columns] * level.steered.scale / self.largest[level.columns]
            both[k // size][:, level.columns] += self._directions(codes, k) * (share * UNITS)
        np.rint(both, out=both)
        np.clip(both, -UNITS, UNITS, out=both)
        return both[0], both[1]


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
        stderr: its standard error; None for one run.
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


FORMS = (2, 3, 4, 6)
"""Numbers of a record, the target among them, for which forms are looked at."""

FORM_RUNS, FORM_PEOPLE, FORM_BUDGET = 60, 10_000, "2"


@dataclass(frozen=True)
class IndefiniteRow:
    """How often the quadratic form of two copies is not convex.

    Attributes:
        numbers: of a record, the target among them.
        found: the runs in which it has a negative eigenvalue.
    """

    numbers: int
    runs: int
    found: int


def indefinite_forms(advance: Advance = lambda _: None) -> tuple[IndefiniteRow, ...]:
    """Of records uniform on [-1, 1], with a corrected scale and both copies taken together."""
    rows = []
    for d in FORMS:
        copies, found = TwoCopies([FORM_BUDGET] * d), 0
        for run in range(FORM_RUNS):
            records = np.random.default_rng((SEED, d, run, 0)).uniform(-1, 1, (FORM_PEOPLE, d))
            tally = copies.tally(copies.privatize(records, SimulationSource(SEED, d, run, 1)))
            found += bool(np.linalg.eigvalsh(quadratic_moments(copies, tally, target=d - 1).matrix)[0] < 0)
            advance(FORM_PEOPLE)
        rows.append(IndefiniteRow(d, FORM_RUNS, found))
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
    generator, source = np.random.default_rng((*seeds, 0)), SimulationSource(*seeds, 1)
    tally = copies.tally(np.empty(0, dtype=np.uint64))
    for start in range(0, people, AT_ONCE):
        records = draw_records(min(AT_ONCE, people - start), generator)
        tally += copies.tally(copies.privatize(records, source))
        advance(len(records))
    return tally


def _loss_of_sampled(asked: Sampled, tally: Aggregate) -> float:
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


UNITS = 2**15
"""Steps of an estimate up to its largest value: the products of 2^30 reports stay below 2^63."""


def half(budget: Nats) -> Nats:
    """Half an amount, rounded down where it has a logarithm."""
    return Nats(budget.rational / 2) if budget.ratio == 1 else Nats(Fraction(budget.floor()) / 2)
