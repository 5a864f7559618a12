"""How many answers of one epsilon each filter with a delta accepts first, before it looks at what they reveal.

The Bayesian privacy filter paper leaves open which filter is best as the first one of its Algorithm 4. Answers of .01
and .1, (1, 1e-6)-LDP together. Source: Bayesian privacy filter paper, Algorithm 4 and Section 7. Cost: seconds.
"""

from dataclasses import dataclass
from typing import get_args

from sordino.accounting.approximate import ApproximateFilter, First

EPSILON, DELTA = "1", "1e-6"
"""Of all answers together."""

EACH = ("0.01", "0.1")
"""Epsilons of an answer."""


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
    return tuple(ApproximateRow(first, each, _accepted(first, each)) for each in EACH for first in get_args(First))


def _accepted(first: First, each: str) -> int:
    asked, count = ApproximateFilter(EPSILON, DELTA, first=first, typical=each), 0
    while asked.accepts(each):
        asked, count = asked.after(each), count + 1
    return count
