"""Pairs of values of one number that stand for all pairs, in the cube's coordinates: its ends and its halves."""

import numpy as np

from sordino.evidence.shape import Floats


def _cells() -> Floats:
    """Rows of u, v, and the half widths of the parts of the range around them."""
    ends, parts = ((-1.0, 0.0), (1.0, 0.0)), ((-0.5, 0.5), (0.5, 0.5))
    pairs = [(one, other) for one in (*ends, *parts) for other in (*ends, *parts)]
    # The same end twice tells nothing.
    return np.array([(u, v, r, s) for (u, r), (v, s) in pairs if (u, r) != (v, s) or r])


CELLS = _cells()
"""The number of one record, of the other, and how far each stands for others; in the cube's coordinates."""

REACHES = CELLS[:, 2:].T ** 2 / 2
"""What a bend of 1 costs each cell: where the sum is large, and where it is small."""

SQUARES = REACHES.sum(axis=0)
"""Both together."""
