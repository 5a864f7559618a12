"""How exact means, covariances and coefficients will be, before anybody is asked: from the channel's exact noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import hypot
from typing import Literal

import numpy as np

from sordino.domain.ranges import Ranges
from sordino.mechanism.number import NumberChannel

Asked = Literal["mean", "covariance", "regression"]


@dataclass(frozen=True)
class NumbersAccuracy:
    """Expected standard errors.

    Attributes:
        labels: of what is estimated.
        stderr: in the units of the data.
    """

    labels: tuple[str, ...]
    stderr: tuple[float, ...]

    def json(self) -> dict[str, float]:
        """For programs."""
        return dict(zip(self.labels, self.stderr, strict=True))


def expected_numbers(
    asked: Asked, names: Sequence[str], channel: NumberChannel, ranges: Ranges, people: int
) -> NumbersAccuracy:
    """Expected standard errors with this many people.

    Of means and covariances at most, whatever the data, around those of the people who answer; of coefficients where
    the features are spread evenly over their ranges, independent, and explain nothing: features that spread less make
    the errors larger. The standard errors of estimates also count how people differ: where levels are sent they can be
    larger than this.

    Args:
        asked: what is estimated.
        names: of the numbers, in the channel's order; of a regression the target last.
        channel: by which it is asked.
        ranges: of the numbers, in the units of the data.
        people: who answer.
    """
    error = dict(zip(channel.moments.names, np.sqrt(channel.largest_variance() / people).tolist(), strict=True))
    d, half = len(names), ranges.half
    if asked == "mean":
        return NumbersAccuracy(tuple(names), tuple(float(half[j]) * error[(j,)] for j in range(d)))
    if asked == "covariance":
        pairs = list(combinations_with_replacement(range(d), 2))
        labels = tuple(names[j] if j == k else f"{names[j]}, {names[k]}" for j, k in pairs)
        # A square is read from 2 x^2 - 1, so half its error counts.
        scale = [float(half[j] * half[k]) / (2 if j == k else 1) for j, k in pairs]
        return NumbersAccuracy(labels, tuple(s * error[pair] for s, pair in zip(scale, pairs, strict=True)))
    target = d - 1
    # The mean square of an even spread over [-1, 1] is 1/3.
    slopes = [3 * float(half[target] / half[j]) * error[(j, target)] for j in range(target)]
    # The intercept is where all features are zero in their own units, which may be far from all data.
    far = [float(middle) * slope for middle, slope in zip(ranges.middle[:target], slopes, strict=True)]
    intercept = hypot(float(half[target]) * error[(target,)], *far)
    return NumbersAccuracy(("intercept", *names[:target]), (intercept, *slopes))
