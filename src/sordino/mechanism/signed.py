"""Means from signs: of those who were drawn to answer about a statistic, how many reported +1 and how many -1.

With signs whose mean is the statistic over C, the estimate is C times the mean of the signs of those who were drawn.
It divides by their actual number n_s, not by the n p_s that were expected: the draw is public and says nothing about
the records, so given the draw the estimate is unbiased, with variance (C^2 - mean^2) / n_s for people drawn at random.
Dividing by n p_s instead is linear in the reports (its E[g_s^2] = C^2 / p_s is the channel's `noise`) and has
n Var = C^2 / p_s - mean^2, which is more by mean^2 (1 / p_s - 1): nearly all of it where C is close to 1. Where the
mean is 0 the two agree up to 1 / n_s of it.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sordino.domain.statistic import Statistic
from sordino.errors import SordinoError
from sordino.exact.coin import WORD
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.exact.sign import HALF


def read_threshold(threshold: int) -> int:
    """The threshold of a one-bit channel.

    Raises:
        SordinoError: not a whole number from 2^63 to 2^64 - 1.
    """
    if type(threshold) is not int or not HALF <= threshold < WORD:
        raise SordinoError("a bit's threshold must be a whole number in 2^63..2^64-1", found=shown(threshold))
    return threshold


def bit_level(threshold: int) -> Nats:
    """The largest loss of one bit about a number in [-1, 1], exactly."""
    return Nats.log(Fraction(threshold, WORD - threshold))


def bit_scale(threshold: int) -> Fraction:
    """C: the inverse of the mean of 2 bit - 1 at x = 1."""
    return Fraction(WORD, 2 * threshold - WORD)


def require_informative(informative: bool) -> None:  # noqa: FBT001 - the one thing that is asked
    """Refuse to estimate from reports that say nothing.

    Raises:
        SordinoError: they do not depend on the numbers.
    """
    if not informative:
        raise SordinoError(
            "reports must depend on the numbers to be estimated from",
            found="an epsilon so small that they do not",
            step="raise epsilon",
        )


def signs_drawn(signs: NDArray[np.int64], names: Sequence[Statistic]) -> NDArray[np.int64]:
    """How many answered about each statistic, shape (m,), of the numbers of -1 and +1, shape (m, 2).

    Raises:
        SordinoError: nobody about one of them.
    """
    drawn: NDArray[np.int64] = signs.sum(axis=1)
    if not drawn.all():
        missing = names[int(np.argmin(drawn))]
        raise SordinoError(
            "somebody must have answered about each statistic",
            found=f"nobody about {missing}, of {int(drawn.sum())} answers",
            step="ask more people, give it more weight, or leave it out",
        )
    return drawn


def means_of_signs(
    signs: NDArray[np.int64], scale: NDArray[np.float64], names: Sequence[Statistic]
) -> NDArray[np.float64]:
    """C times the mean sign of those who were drawn, shape (m,).

    Args:
        signs: how many -1 and +1 about each statistic, shape (m, 2).
        scale: C of each, shape (m,).
        names: of the statistics, for the error.
    """
    means: NDArray[np.float64] = scale * (signs[:, 1] - signs[:, 0]) / signs_drawn(signs, names)
    return means


def variances_of_signs(
    signs: NDArray[np.int64], scale: NDArray[np.float64], names: Sequence[Statistic]
) -> NDArray[np.float64]:
    """The estimated variance of each of `means_of_signs`, shape (m,); never below that of a mean of 1."""
    drawn = signs_drawn(signs, names)
    means = means_of_signs(signs, scale, names)
    variances: NDArray[np.float64] = (scale**2 - np.minimum(means**2, 1.0)) / np.maximum(drawn - 1, 1)
    return variances
