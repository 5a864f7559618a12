"""Identical questions: how many answers by randomized response a filter accepts, on average (Theorem 6.3, Appendix D).

Each of m values is asked for again and again with epsilon 1, under k times that budget. Likelihoods walk on a finite
set of states; the filter itself says at each of them whether one more answer is accepted. States that differ by an
exchange of values that the person does not have are one. The expected number of answers solves a linear system.
For two values it is k tanh(k epsilon / 2) / tanh(epsilon / 2), Theorem 6.3 in short; the paper's conjecture that it
grows with m is false at k = 2. Likewise Figure 4: k^2 / E[n] at a total budget of 1, where below 1 means that many
small questions beat one large one. Cost: seconds; the states grow as k^(m-1).

With a delta, filters by epsilons come first in the paper's Algorithm 4, which leaves open which of them is best: how
many answers of .01 and .1 each accepts before it looks at what they reveal, (1, 1e-6)-LDP together.
Source: Bayesian privacy filter paper, Theorem 6.3, (67)-(72), Figures 3 and 4, Algorithm 4, Section 7.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import tanh
from typing import get_args

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from sordino.accounting.approximate import ApproximateFilter, First
from sordino.accounting.filter import BayesianFilter
from sordino.definition.pairwise import LDP
from sordino.domain.categories import Categories
from sordino.mechanism.randomized import RandomizedResponse

FIG3 = tuple((values, tuple(range(2, 16))) for values in (2, 3, 4))
"""Figure 3b: for each number of values the budgets, in answers."""

FIG3A = (Fraction(1, 2), Fraction(2))
"""Epsilons of Figure 3a beside 1: for two values and the same budgets, in answers."""

FIG4 = (*((values, tuple(range(1, 11))) for values in (2, 3, 4, 5)), (8, (2,)))
"""The same for Figure 4, at every k; with eight values its conjecture, never below 1, is false."""

RATIOS = {(3, 10): 1.2887, (4, 10): 1.3206, (5, 10): 1.2975, (8, 2): 0.9509}
"""Found by other programs: k^2 / E[n] at a total budget of 1."""

KNOWN = {
    (2, 2): 3.2961,
    (2, 5): 10.6749,
    (2, 10): 21.6376,
    (2, 15): 32.4593,
    (3, 2): 3.0522,
    (3, 5): 10.9789,
    (3, 10): 23.9190,
    (3, 15): 36.8105,
    (4, 2): 3.1694,
    (4, 5): 11.9993,
    (4, 10): 27.2001,
    (4, 15): 42.3505,
}
"""Found by other programs, with epsilon 1 each, by values and budget in answers."""


TOTAL, DELTA = "1", "1e-6"
"""Of all answers together."""

EACH = ("0.01", "0.1")
"""Epsilons of an answer."""


@dataclass(frozen=True)
class IdenticalRow:
    """An expected number of answers.

    Attributes:
        epsilon: of each answer.
        expected: E[n].
        closed: the closed form, for two values; else None.
    """

    values: int
    budget: int
    expected: float
    closed: float | None
    basic: int
    epsilon: Fraction = Fraction(1)

    @property
    def ratio(self) -> float:
        """k^2 / E[n], of Figure 4."""
        return self.budget**2 / self.expected


def identical(advance: Callable[[int], None] = lambda _: None) -> tuple[IdenticalRow, ...]:
    """Figure 3: epsilon 1 for each answer; of two values other epsilons too."""
    rows = []
    for values, budgets in FIG3:
        for budget in budgets:
            rows.append(_row(values, budget, Fraction(1)))
            advance(1)
    (values, budgets), *_ = FIG3
    for epsilon in FIG3A:
        for budget in budgets:
            rows.append(_row(values, budget, epsilon))
            advance(1)
    return tuple(rows)


def steps() -> int:
    """How often `identical` advances."""
    return sum(len(budgets) for _, budgets in FIG3) + len(FIG3A) * len(FIG3[0][1])


def fig4(advance: Callable[[int], None] = lambda _: None) -> tuple[IdenticalRow, ...]:
    """Figure 4: epsilon 1 for all answers together."""
    rows = []
    for values, budgets in FIG4:
        for budget in budgets:
            rows.append(_row(values, budget, Fraction(1, budget)))
            advance(1)
    return tuple(rows)


def expected_answers(values: int, budget: int, epsilon: Fraction) -> float:
    """E[n] for a person with the first value, asked until the filter refuses.

    Args:
        values: m, at least 2.

    Example:
        >>> round(expected_answers(2, 2, Fraction(1)), 4)
        3.2961
    """
    query = RandomizedResponse(values, epsilon)
    start = BayesianFilter(Categories(range(values)), LDP(epsilon * budget))
    places, order = {_state([0] * values): 0}, [([0] * values, start)]
    rows, columns, weights = [], [], []
    truth = query.weight(0, 0) / query.denominator
    lie = query.weight(0, 1) / query.denominator
    for at, (counts, asked) in enumerate(order):
        if not asked.accepts(query):
            continue
        for code in range(values):
            after = [count + (value == code) for value, count in enumerate(counts)]
            state = _state(after)
            if state not in places:
                places[state] = len(order)
                order.append((after, asked.after(query, code)))
            rows.append(at)
            columns.append(places[state])
            weights.append(truth if code == 0 else lie)
    moves = sparse.csr_array((weights, (rows, columns)), shape=(len(order), len(order)))
    # Each accepted state counts one answer: (I - moves) E = accepted.
    accepted = np.zeros(len(order))
    accepted[rows] = 1.0
    answers = spsolve(sparse.csc_array(sparse.eye_array(len(order)) - moves), accepted)
    return float(np.atleast_1d(answers)[0])


@dataclass(frozen=True)
class ApproximateRow:
    """Accepted answers.

    Attributes:
        first: the filter by epsilons.
        each: epsilon of an answer.
    """

    first: First
    each: str
    accepted: int


def approximate_counts() -> tuple[ApproximateRow, ...]:
    """Counts of all filters by epsilons, for each epsilon."""
    return tuple(
        ApproximateRow(first, each, _count_accepted(first, each)) for each in EACH for first in get_args(First)
    )


def _count_accepted(first: First, each: str) -> int:
    asked, count = ApproximateFilter(TOTAL, DELTA, first=first, typical=each), 0
    while asked.accepts(each):
        asked, count = asked.after(each), count + 1
    return count


def _row(values: int, budget: int, epsilon: Fraction) -> IdenticalRow:
    half = float(epsilon) / 2
    closed = budget * tanh(budget * half) / tanh(half) if values == 2 else None
    return IdenticalRow(values, budget, expected_answers(values, budget, epsilon), closed, budget, epsilon)


def _state(counts: list[int]) -> tuple[int, ...]:
    least = min(counts)
    return (counts[0] - least, *sorted(count - least for count in counts[1:]))
