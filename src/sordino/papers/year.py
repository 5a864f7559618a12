"""A year of weekly shares at a lifetime epsilon: everybody answers once in one week, or each week at a part of it.

100,000 people have a yes/no value. Each draws one of 52 weeks without looking at it, and answers in that week by
randomized response at the full epsilon, which holds whatever the value did before and does later. The week's share is
estimated from that week's reports, and smoothed (`smooth_series`). Beside it: everybody answers in all weeks at
epsilon / 52. Errors are those to the share among all people in that week, over all weeks and series.
The people: constant, drifting, with a season of a year, with a jump or two; where 2 % of them change each week,
either to a new value drawn as at first (`turnover`) or to the other value (`flips`), which moves the share towards one
half; by a walk whose steps are normal with so many standard errors of a weekly estimate (`walk 0.5`; another walk
where one would leave 2 to 98 %); and with a declared wave of 13 weeks (`wave`), alone or with steps of half an error.
Simulation with fixed seeds; reports are drawn by the channel's own probabilities, as counts.
Cost: some 20 ms for each series and epsilon.

How near a weekly share can be to the truth for somebody who knows beforehand what it does: a bound for smoothing.

Who knows the shape of a curve estimates its few numbers alone, by weighted least squares: the level of a constant,
both levels of a jump whose week is known, level, size and phase of a wave of one year. No unbiased estimate of those
numbers has less variance (Gauss and Markov), so that no smoother, which does not know the shape, can be expected to be
nearer for all of them. Errors of weekly estimates are taken for alike and independent.
Units: shares of people.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from sordino.estimation.smooth_series import smooth_series
from sordino.exact.floats import Floats
from sordino.mechanism.randomized import RandomizedResponse
from sordino.papers.simulation import Counts

PEOPLE, WEEKS, CHANGED = 100_000, 52, 0.02

EPSILONS = (1, 2, 4)

SERIES = 500

CONFIDENCE = 0.95

WAVE = 13
"""Weeks of a season that is declared."""

Curve = Literal[
    "constant",
    "drift",
    "season",
    "jump",
    "turnover",
    "flips",
    "two jumps",
    "wave",
    "wave and walk",
    "walk 0.1",
    "walk 0.25",
    "walk 0.5",
    "walk 1",
    "walk 2",
]

CURVES: tuple[Curve, ...] = get_args(Curve)


@dataclass(frozen=True)
class YearRow:
    """Root mean squared errors of weekly shares.

    Attributes:
        epsilon: of everything that a person sends in the year.
        unsmoothed, smoothed: of shares estimated from people who answer once.
        each_week: of shares estimated from all people in each week, at epsilon / 52.
        coverage: how often a smoothed share's interval at 95 % holds the share.
    """

    curve: Curve
    epsilon: int
    unsmoothed: float
    smoothed: float
    each_week: float
    coverage: float


def year(series: int = SERIES, advance: Callable[[int], None] = lambda _: None) -> tuple[YearRow, ...]:
    """The errors for each curve and epsilon, over so many simulated series each."""
    return tuple(
        _row(curve, epsilon, series, np.random.default_rng((place, epsilon)), advance)
        for place, curve in enumerate(CURVES)
        for epsilon in EPSILONS
    )


def _row(
    curve: Curve, epsilon: int, series: int, generator: np.random.Generator, advance: Callable[[int], None]
) -> YearRow:
    squares, held = np.zeros(3), 0.0
    for _ in range(series):
        positive = people_with_yes(curve, generator, epsilon)
        truth = positive / PEOPLE
        asked = generator.multinomial(PEOPLE, np.full(WEEKS, 1 / WEEKS))
        answering = generator.hypergeometric(positive, PEOPLE - positive, asked)
        estimates, stderrs = weekly_shares(answering, asked, Fraction(epsilon), generator)
        smooth = smooth_series(estimates, stderrs, WAVE if curve.startswith("wave") else None)
        low, high = smooth.interval(CONFIDENCE)
        everybody = np.full(WEEKS, PEOPLE)
        parts, _ = weekly_shares(positive, everybody, Fraction(epsilon, WEEKS), generator)
        squares += [((found - truth) ** 2).mean() for found in (estimates, smooth.value, parts)]
        held += ((low <= truth) & (truth <= high)).mean()
        advance(1)
    unsmoothed, smoothed, each_week = map(float, np.sqrt(squares / series))
    return YearRow(curve, epsilon, unsmoothed, smoothed, each_week, float(held / series))


def weekly_shares(
    positive: Counts, asked: Counts, epsilon: Fraction, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Unbiased estimates of each week's share and their standard errors, from one report of each who is asked.

    Args:
        positive: how many of those who are asked have the value, shape (T,).
        asked: shape (T,).
    """
    channel = RandomizedResponse(2, epsilon)
    kept, turned = (channel.weight(1, code) / channel.denominator for code in (1, 0))
    reports = generator.binomial(positive, kept) + generator.binomial(asked - positive, turned)
    share = reports / asked
    stderrs = np.sqrt(share * (1 - share) / asked) / (kept - turned)
    return (share - turned) / (kept - turned), stderrs


def people_with_yes(curve: Curve, generator: np.random.Generator, epsilon: int = 1) -> Counts:
    """How many people have the value in each week, shape (52,); steps of walks are as the epsilon's errors are."""
    week = np.arange(WEEKS)
    if curve in ("turnover", "flips"):
        return _changing_counts(0.3 if curve == "turnover" else None, generator)
    shares: dict[str, Floats] = {
        "constant": np.full(WEEKS, 0.3),
        "drift": 0.25 + 0.1 * week / WEEKS,
        "season": 0.3 + 0.05 * np.sin(2 * np.pi * week / WEEKS),
        "jump": np.where(week < WEEKS // 2, 0.27, 0.37),
        "two jumps": 0.3 + 0.1 * (week >= 15) - 0.06 * (week >= 37),
        "wave": 0.3 + 0.04 * np.sin(2 * np.pi * week / WAVE) + 0.02 * np.cos(4 * np.pi * week / WAVE),
    }
    kind, _, step = curve.partition(" ")
    share = shares.get(curve, shares["wave"] if kind == "wave" else np.full(WEEKS, 0.5))
    if curve not in shares:
        share = _random_walk(share, (0.5 if kind == "wave" else float(step)) * weekly_error(epsilon), generator)
    people: Floats = np.rint(PEOPLE * share)
    return people.astype(np.int64)


def weekly_error(epsilon: int) -> float:
    """The standard error of a weekly share of 30 % from people who answer once."""
    channel = RandomizedResponse(2, epsilon)
    kept, turned = (channel.weight(1, code) / channel.denominator for code in (1, 0))
    share = turned + 0.3 * (kept - turned)
    return float(np.sqrt(share * (1 - share) * WEEKS / PEOPLE) / (kept - turned))


def _random_walk(share: Floats, step: float, generator: np.random.Generator) -> Floats:
    while True:
        walking = share + np.cumsum(step * generator.normal(size=WEEKS))
        if ((walking > 0.02) & (walking < 0.98)).all():
            return walking


def _changing_counts(anew: float | None, generator: np.random.Generator) -> Counts:
    positive = [generator.binomial(PEOPLE, 0.3)]
    for _ in range(WEEKS - 1):
        leaving = generator.binomial(positive[-1], CHANGED)
        others = generator.binomial(PEOPLE - positive[-1], CHANGED)
        coming = others if anew is None else generator.binomial(leaving + others, anew)
        positive.append(positive[-1] - leaving + coming)
    return np.array(positive, dtype=np.int64)


YEAR = 2 * np.pi * np.arange(WEEKS) / WEEKS

KNOWN: dict[str, Floats] = {
    "constant": np.ones((WEEKS, 1)),
    "drift": np.column_stack([np.ones(WEEKS), np.arange(WEEKS)]),
    "season": np.column_stack([np.ones(WEEKS), np.cos(YEAR), np.sin(YEAR)]),
    "jump": np.column_stack([np.arange(WEEKS) < WEEKS // 2, np.arange(WEEKS) >= WEEKS // 2]).astype(np.float64),
    # By 4 % of the way each week, from an unknown share to an unknown one.
    "flips": np.column_stack([np.ones(WEEKS), 0.96 ** np.arange(WEEKS)]),
}
"""What the share is made of, a column for each unknown number."""


@dataclass(frozen=True)
class KnownShape:
    """The least root mean squared error of weekly shares.

    Attributes:
        error: of an estimate that knows the shape.
    """

    curve: str
    epsilon: int
    error: float


def known_shapes() -> tuple[KnownShape, ...]:
    """For each curve of a known shape and each epsilon.

    Example:
        >>> constant = known_shapes()[0]
        >>> constant.curve, constant.epsilon, round(constant.error, 4)
        ('constant', 1, 0.0034)
    """
    return tuple(
        KnownShape(curve, epsilon, float(np.sqrt(np.linalg.matrix_rank(columns) / WEEKS)) * weekly_error(epsilon))
        for epsilon in EPSILONS
        for curve, columns in KNOWN.items()
    )
