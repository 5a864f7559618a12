"""Appendix F of the Bayesian privacy filter paper: what four models of health data tell together.

Three logistic models (heart disease, stroke, diabetes) and a linear one (hours of sleep, cut to 0..12) of age, sex,
blood pressure and body mass index, each answered by one bit with epsilon 1: sixteen sets of answers. The printed losses
are 0.10 to 0.15 nats too high: bounds that were not closed.
Source: Bayesian privacy filter paper, Section 6.5 and Appendix F. Cost: a fifth of a second.
"""

from collections.abc import Callable

from sordino.accounting.realized import realized_loss
from sordino.domain.box import Box
from sordino.papers.bayesian_filter.appendix_a import AppendixARow
from sordino.query.linear import LogisticQuery, TruncatedLinearQuery

EPSILON = "1"
PEOPLE = Box([10, 0, 50, 10], [100, 1, 200, 50])
"""Age, sex, blood pressure and body mass index."""

QUESTIONS = (
    LogisticQuery([-0.059, -1.456, -0.0134, 0], 6.177, EPSILON),
    LogisticQuery([0.0761, 0.0952, 0, 0.0163], -7.989, EPSILON),
    TruncatedLinearQuery([0.0855, 0.4617, -0.07, 0], 12.323, 0, 12, EPSILON),
    LogisticQuery([0.0491, 0, -0.0091, 0.1039], -5.07, EPSILON),
)
"""Heart disease, stroke, hours of sleep, diabetes."""

TOLERANCE = 9e-5
"""How close the bounds shall be."""

PAPER = {
    "0000": 2.4639,
    "0001": 2.4084,
    "0010": 1.8036,
    "0011": 2.7253,
    "0100": 2.6865,
    "0101": 3.1550,
    "0110": 2.4642,
    "0111": 3.7449,
    "1000": 3.4761,
    "1001": 2.2610,
    "1010": 2.7511,
    "1011": 2.1975,
    "1100": 2.3362,
    "1101": 1.6863,
    "1110": 1.9062,
    "1111": 2.4959,
}
"""What the paper prints, by the answers in the order of the questions (1: the upper end)."""


def health(advance: Callable[[int], None] = lambda _: None) -> tuple[AppendixARow, ...]:
    """The losses of all sixteen sets of answers."""
    rows = []
    for outputs, paper in PAPER.items():
        bounds = realized_loss(PEOPLE, QUESTIONS, [int(output) for output in outputs], TOLERANCE)
        rows.append(AppendixARow(outputs, bounds.lower, bounds.upper, paper))
        advance(1)
    return tuple(rows)
