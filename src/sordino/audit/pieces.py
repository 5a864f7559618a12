"""In how many monotone pieces the weight of a code rises or falls from value to value, read off the integers.

By this number bounds on distribution functions serve a channel over the bins of a number: of a bit about a threshold it
is 1, of a window of neighbouring codes 2. Sees only the `Mechanism` interface: author and checker share no formulas.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from sordino.mechanism.base import Mechanism

CODES = 64
"""Looked at together."""


@lru_cache(maxsize=1 << 8)
def monotone_pieces(mechanism: Mechanism) -> int:
    """The largest number over all codes; 1 where no weight depends on the value.

    Example:
        >>> from sordino.mechanism.randomized import RandomizedResponse
        >>> monotone_pieces(RandomizedResponse(4, "1")), monotone_pieces(RandomizedResponse(2, "1"))
        (2, 1)
    """
    most = 1
    for first in range(0, mechanism.outputs, CODES):
        codes = np.arange(first, min(first + CODES, mechanism.outputs), dtype=np.uint64)
        weights, place = mechanism.marks(codes)
        order = {weight: number for number, weight in enumerate(sorted(set(weights)))}
        # Of integers of any size their order among each other.
        ranks = np.array([order[weight] for weight in weights])[place]
        for row in np.sign(np.diff(ranks, axis=1)):
            directions = row[row != 0].tolist()
            most = max(most, 1 + sum(one != other for one, other in pairwise(directions)))
    return most
