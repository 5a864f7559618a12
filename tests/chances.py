"""What one-bit questions about records answer, from the whole numbers that their words are compared with."""

from functools import cache
from math import lcm

import numpy as np


def chances(query, records):
    """Pr(1 | record) of each record, exactly."""
    return [query.law(record)[1] for record in np.asarray(records, dtype=np.float64)]


@cache
def _whole(query, records):
    ones = chances(query, records)
    scale = lcm(*(one.denominator for one in ones))
    heads = np.array([int(one * scale) for one in ones], dtype=object)
    return scale - heads, heads


def whole_chances(query, records):
    """For each code whole numbers in proportion to Pr(code | record), by one factor for both codes and all records.

    Worked out once for each question and records.
    """
    return _whole(query, tuple(map(tuple, np.asarray(records, dtype=np.float64).tolist())))
