"""One distribution of several attributes together, fitted to tables and histograms of some of them at once.

Tables that share an attribute tell of it together, and what noise makes of one the others correct: all are margins of
one distribution, a mixture of classes within which the attributes are independent. It is found by mirror descent on
the sum of squared differences, each over its cell's variance, from near the product of the pooled margins. Where noise
alone explains that product, it is the fit. Else the descent stops where noise explains the sum, or below that: the more
the start exceeds it, the more structure there is to follow, and with it noise. With O the sum at the start, halved, and
N what noise makes of it (half a unit a cell), it stops at N (N / O)^power. What attributes stand in few tables is known
less from elsewhere, so that following each table costs less: 1 / (1 + tables of an attribute, on average), at least
1 / 8. Among 1/12 to 1/2 that made the nearest fits, or came within a tenth of them, for simulated populations of 3 to
20 attributes with O / N from 1.1 to 3,000.

It is not always nearer: of two tables of few cells, whose rare values differ from all others, it loses more than it
gains. So surveys are drawn of people between what was fitted to each table and to all, and the fit is taken where it is
expected to be nearer to these (`is_nearer`).

The fit is a function of the estimates alone: it costs no privacy, and has no intervals of its own. The same
estimates give the same fit: the classes start apart by numbers that are seeded alike in every run.
Cost: per step three products of each class with each cell; memory for `MOST_ENTRIES` numbers some times, whatever the
product of the attributes. All 190 pairs of 20 attributes with 5 to 10 values take some seconds.
Sources: McKenna, Miklau and Sheldon 2021 (estimation from noisy margins); Beck and Teboulle 2003 (mirror descent).

A distribution of several attributes together, as a mixture of classes within which the attributes are independent.

Pr(x) = sum over classes c of Pr(c) product over attributes a of Pr(x_a | c). With classes enough every distribution is
one; that of k attributes takes the sum of their sizes for each class where the product of these cannot be listed. Its
margins are sums of products of few numbers, and all of them agree, being margins of one distribution. Scaling each
value of each attribute by a factor leaves it a mixture.

Sources: Lazarsfeld and Henry 1968 (latent structure analysis); Dunson and Xing 2009 (every distribution is one).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod, sqrt

import numpy as np

from sordino.estimation.joint.raking import rake_all
from sordino.estimation.simplex import project
from sordino.exact.floats import Floats

MOST_CLASSES, FEWEST_CLASSES = 256, 16
"""More classes gain nothing: what keeps a fit from the noise is when it stops."""

MOST_ENTRIES = 1 << 21
"""Of classes times all attributes' values."""

MOST_PRODUCTS = 1 << 26
"""Of classes times all tables' cells: some tenths of a second a step."""

MOST_STEPS = 2000

SPREAD = 0.5
"""Of the logarithms of a class's shares where the descent starts: classes that are alike would stay so."""

LEAST_POWER = 1 / 8

FARTHEST = 4.0
"""Standard deviations of noise that a fit may be beyond what noise explains: tables contradict each other there, or so
few classes, or steps, do not tell what they say."""

LEAST_SHARE = 1e-4
"""Of a value's share in the start, over an equal one: what begins at zero would stay there."""

LEAST_VARIANCE = 1e-4
"""Of a cell, over the mean of its table: how well a cell is known at most, or all steps would be as short as its."""

STEADY = 1e-8
"""Relative fall of the objective in one step below which nothing more is gained."""

ROUND, SLOW = 20, 0.01
"""Steps, and their fall of the objective over what noise makes of it, below which they are not worth their time where
noise explains what is left."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Classes of people.

    Attributes:
        weights: the share of each class, shape (classes,).
        within: for each attribute the shares of its values within each class, shape (classes, k) each.
    """

    weights: Floats
    within: tuple[Floats, ...]

    @classmethod
    def independent(cls, margins: Sequence[Floats]) -> "Mixture":
        """Of one class: the product of the attributes' own distributions."""
        return cls(np.ones(1), tuple(own[None, :] for own in margins))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(own.shape[1] for own in self.within)

    def margin(self, places: Sequence[int]) -> Floats:
        """The shares of the combinations of some attributes, in this order, the last one's values run fastest."""
        left, right = self.halves(places)
        return self.table(left, right).reshape(-1)

    def halves(self, places: Sequence[int]) -> tuple[Floats, Floats]:
        """The shares within each class of the combinations of the first of some attributes, and of the others."""
        middle = self.middle(places)
        return self._within(places[:middle]), self._within(places[middle:])

    def middle(self, places: Sequence[int]) -> int:
        """How many of some attributes the first half has: both halves together have as few combinations as they can."""
        sizes = [self.shape[place] for place in places]
        return min(range(len(sizes) + 1), key=lambda at: prod(sizes[:at]) + prod(sizes[at:]))

    def table(self, left: Floats, right: Floats) -> Floats:
        """The shares of both halves' combinations together, those of the right one along the rows."""
        return (left * self.weights[:, None]).T @ right

    def rake(self, known: Mapping[int, Floats]) -> "Mixture":
        """Scaled until the known attributes have their shares: the nearest such distribution in relative entropy.

        Args:
            known: of some attributes by their places, the shares of their values, which add up to 1.
        """
        return rake_all(self, known, lambda mixture, place: mixture.margin([place]), Mixture.scale)

    def scale(self, place: int, factors: Floats) -> "Mixture":
        """Each value of an attribute made so many times as frequent; the factors keep the sum of all shares."""
        own = self.within[place] * factors
        sums = own.sum(axis=1)
        # A class without any of the values that are left has no weight any more, whatever it holds.
        own = np.divide(own, sums[:, None], out=self.within[place].copy(), where=sums[:, None] > 0)
        weights = self.weights * sums
        return Mixture(weights, (*self.within[:place], own, *self.within[place + 1 :]))

    def _within(self, places: Sequence[int]) -> Floats:
        classes = len(self.weights)
        parts = [self.within[place] for place in places] or [np.ones((classes, 1))]
        return reduce(lambda one, other: (one[:, :, None] * other[:, None, :]).reshape(classes, -1), parts)


@dataclass(frozen=True, eq=False)
class NoisyMargin:
    """The estimated shares of the cells of some attributes.

    Attributes:
        places: of the attributes in the product, in the order of the cells.
        shares: shape (cells,), the last attribute's values run fastest.
        variance: of each cell's estimate, shape (cells,); above 0 on average.
    """

    places: tuple[int, ...]
    shares: Floats
    variance: Floats


BETTER = 0.98
"""A larger ratio of the expected errors, in the root of the mean square, is no improvement."""

TOWARDS = 1 / 3
"""Of the way from what is nearest to each table to the joint fit: there the people are taken to be whose surveys are
drawn. Each table by itself has structure that is noise, the joint fit lacks some that is none: in simulated surveys of
two and three tables a fifth of the way refused fits that were 8 to 40 % nearer, and a half took some that were not: of
three yes-or-no questions in two tables, 1,000 people, epsilon 1, a third leaves .89 of the error of each by itself if
they are independent (always taken .75), a half .81; .99 and 1.10 if they depend on each other in any way."""

DRAWN_CELLS, MOST_DRAWS = 256, 16
"""Cells of the surveys that are drawn together: many tell in one survey which fit is nearer. Surveys at most."""


def joint_fit(shape: Sequence[int], margins: Sequence[NoisyMargin]) -> Mixture | None:
    """One distribution that is near all given margins; None where none is as near as noise would leave it.

    Then, and where there are more cells or values than classes can be held for, each is fitted better by itself.

    Args:
        margins: of some of the attributes; each attribute is in one of them at least.
    """
    classes = min(
        MOST_CLASSES, MOST_ENTRIES // sum(shape), MOST_PRODUCTS // sum(len(margin.shares) for margin in margins)
    )
    if classes < FEWEST_CLASSES:
        return None
    fit = _Objective(margins)
    pooled = [(1 - LEAST_SHARE) * own + LEAST_SHARE / len(own) for own in pooled_margins(shape, margins)]
    independent = Mixture.independent(pooled)
    if fit.of(fit.rest(independent)) <= fit.noise:
        return independent
    found = _descend(fit, _apart(pooled, classes))
    return found if fit.of(fit.rest(found)) <= fit.noise + FARTHEST * sqrt(fit.noise) else None


def is_nearer(shape: Sequence[int], margins: Sequence[NoisyMargin], fit: Mixture) -> bool:
    """Whether a joint fit is expected to be nearer to the truth than the nearest distribution to each margin.

    The same margins give the same answer. Cost: some fits, of many cells one.
    """
    random, squares = np.random.default_rng(0), np.zeros(2)
    nearest = [project(margin.shares) for margin in margins]
    truths = [
        TOWARDS * fit.margin(margin.places) + (1 - TOWARDS) * own for margin, own in zip(margins, nearest, strict=True)
    ]
    for _ in range(int(np.clip(DRAWN_CELLS // sum(map(len, truths)), 1, MOST_DRAWS))):
        drawn = [
            NoisyMargin(margin.places, truth + _noise(margin.variance, random), margin.variance)
            for margin, truth in zip(margins, truths, strict=True)
        ]
        alone = [project(margin.shares) for margin in drawn]
        found = joint_fit(shape, drawn)
        together = alone if found is None else [found.margin(margin.places) for margin in drawn]
        for place, fits in enumerate((together, alone)):
            squares[place] += sum(float(np.sum((own - truth) ** 2)) for own, truth in zip(fits, truths, strict=True))
    return bool(squares[0] <= BETTER**2 * squares[1])


def _noise(variance: Floats, random: np.random.Generator) -> Floats:
    drawn = np.sqrt(variance) * random.standard_normal(len(variance))
    errors: Floats = drawn - variance * (drawn.sum() / variance.sum())
    return errors


def pooled_margins(shape: Sequence[int], margins: Sequence[NoisyMargin]) -> list[Floats]:
    """Each attribute's own distribution: what all tables say of it, weighed by how well each knows it.

    For each attribute a distribution, shape (k,).
    """
    pooled = []
    for place, k in enumerate(shape):
        total, weight = np.zeros(k), 0.0
        for margin in margins:
            if place not in margin.places:
                continue
            own = margin.shares.reshape([shape[at] for at in margin.places])
            axes = tuple(axis for axis, at in enumerate(margin.places) if at != place)
            # A value's share is a sum over the other attributes' cells.
            known = k / margin.variance.sum()
            total, weight = total + known * own.sum(axis=axes), weight + known
        pooled.append(project(total / weight))
    return pooled


class _Objective:
    """Half the sum of squared differences between a mixture's margins and the given ones, each over its variance."""

    def __init__(self, margins: Sequence[NoisyMargin]) -> None:
        self.margins = margins
        least = [LEAST_VARIANCE * margin.variance.mean() for margin in margins]
        self.weights = [1 / np.maximum(margin.variance, lowest) for margin, lowest in zip(margins, least, strict=True)]
        self.noise = sum(len(margin.shares) for margin in margins) / 2
        tables = [place for margin in margins for place in margin.places]
        self.power = max(LEAST_POWER, 1 / (1 + len(tables) / len(set(tables))))

    def rest(self, mixture: Mixture) -> list[Floats]:
        """What each of the mixture's margins has more than the given one."""
        return [mixture.margin(margin.places) - margin.shares for margin in self.margins]

    def of(self, rest: Sequence[Floats]) -> float:
        return sum(0.5 * float(weights @ own**2) for weights, own in zip(self.weights, rest, strict=True))

    def slopes(self, mixture: Mixture, rest: Sequence[Floats]) -> tuple[Floats, list[Floats]]:
        """Those by each class's weight, shape (classes,), and by the shares within it, over its weight.

        All are on average 0 over what they are of, as sums do not change.
        """
        by_class, within = np.zeros(len(mixture.weights)), [np.zeros_like(own) for own in mixture.within]
        for margin, weights, own in zip(self.margins, self.weights, rest, strict=True):
            left, right = mixture.halves(margin.places)
            slope = (weights * own).reshape(left.shape[1], right.shape[1])
            by_left, by_right, middle = left * (right @ slope.T), right * (left @ slope), mixture.middle(margin.places)
            by_class += by_left.sum(axis=1)
            for places, told in ((margin.places[:middle], by_left), (margin.places[middle:], by_right)):
                shares = told.reshape(-1, *(mixture.shape[at] for at in places))
                for axis, place in enumerate(places, start=1):
                    within[place] += shares.sum(axis=tuple(at for at in range(1, shares.ndim) if at != axis))
        for place, own in enumerate(mixture.within):
            # Each was multiplied by the share that it is of.
            mean = within[place].sum(axis=1, keepdims=True)
            within[place] = np.divide(within[place], own, out=np.zeros_like(own), where=own > 0) - mean
        return by_class - mixture.weights @ by_class, within


def _apart(pooled: Sequence[Floats], classes: int) -> Mixture:
    random, within = np.random.default_rng(0), []
    for own in pooled:
        shares = own * np.exp(SPREAD * random.standard_normal((classes, len(own))))
        for _ in range(2):
            shares /= shares.sum(axis=1, keepdims=True)
            shares *= own / shares.mean(axis=0)
        within.append(shares / shares.sum(axis=1, keepdims=True))
    return Mixture(np.full(classes, 1 / classes), tuple(within))


def _descend(fit: _Objective, mixture: Mixture) -> Mixture:
    """Mirror descent until no more is left than a fit should leave."""
    rest = fit.rest(mixture)
    objective = fit.of(rest)
    enough = fit.noise * min(1, fit.noise / objective) ** fit.power
    # As squares over shares are steep at most, where variances are those of counts.
    fitted = zip(fit.weights, rest, fit.margins, strict=True)
    step = 1 / max(float((weights * (own + margin.shares)).max()) for weights, own, margin in fitted)
    before = np.inf
    for count in range(MOST_STEPS):
        if objective <= enough:
            break
        if count % ROUND == 0:
            if objective <= fit.noise and before - objective < SLOW * fit.noise:
                break
            before = objective
        by_class, within = fit.slopes(mixture, rest)
        while True:
            other = Mixture(
                _move(mixture.weights, step * by_class),
                tuple(_move(own, step * slope) for own, slope in zip(mixture.within, within, strict=True)),
            )
            left = fit.rest(other)
            found = fit.of(left)
            if found < objective or step < np.finfo(np.float64).tiny:
                break
            step /= 2
        if not found < objective * (1 - STEADY):
            break
        mixture, rest, objective, step = other, left, found, step * 1.5
    return mixture


def _move(shares: Floats, powers: Floats) -> Floats:
    # Nothing overflows: shares grow by the most that one does.
    moved: Floats = shares * np.exp(powers.min(axis=-1, keepdims=True) - powers)
    moved /= moved.sum(axis=-1, keepdims=True)
    return moved
