"""How near a weekly share can be to the truth for somebody who knows beforehand what it does: a bound for smoothing.

Who knows the shape of a curve estimates its few numbers alone, by weighted least squares: the level of a constant,
both levels of a jump whose week is known, level, size and phase of a wave of one year. No unbiased estimate of those
numbers has less variance (Gauss and Markov), so that no smoother, which does not know the shape, can be expected to be
nearer for all of them. Errors of weekly estimates are taken for alike and independent.
Units: shares of people.
"""

from dataclasses import dataclass

import numpy as np

from sordino.exact.arrays import Floats
from sordino.papers.series.year import EPSILONS, WEEKS, weekly_error

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
        curve: what the share does.
        epsilon: of everything that a person sends in the year.
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
