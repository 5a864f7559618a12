"""Histories of a value that changes, one by one, and channels about it: for tests beside what filters count."""

import math
from itertools import pairwise, product

from hypothesis import strategies as st

from sordino import ChannelTable


def all_histories(k, answers, changes):
    """Values at each answer."""
    every = product(range(k), repeat=answers)
    return [one for one in every if sum(a != b for a, b in pairwise(one)) <= changes]


@st.composite
def tables(draw, k, most, least=0):
    """Channels from k values to three codes, some of them impossible under some values where 0 is the least."""
    weights = st.lists(st.integers(least, most), min_size=3, max_size=3).filter(any)
    rows = draw(st.lists(weights, min_size=k, max_size=k))
    total = math.lcm(*map(sum, rows))
    return ChannelTable([[weight * (total // sum(row)) for weight in row] for row in rows])
