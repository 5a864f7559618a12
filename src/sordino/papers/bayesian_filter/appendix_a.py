"""Appendix A of the Bayesian privacy filter paper: estimators of a mean and a variance tell less than 2 epsilon.

Two questions, each answered by one bit with epsilon 1, about a number x in [-1, 1]: x itself, and x squared.
Source: Bayesian privacy filter paper, Appendix A. Cost: milliseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sordino.accounting.realized import realized_loss
from sordino.domain.box import Box
from sordino.query.linear import LinearQuery
from sordino.query.quadratic import QuadraticQuery

EPSILON = "1"
NUMBER = Box([-1], [1])
TOLERANCE = 1e-6

PAPER = {"11": 1.41, "10": 1.69, "01": 1.41, "00": 1.69}
"""What the paper prints, by the answers to both questions (1: the upper end)."""


@dataclass(frozen=True)
class AppendixARow:
    """One row of the appendix's table, or of a table like it.

    Attributes:
        outputs: an answer a question; 1 is the upper end.
        lower: nats; no more than the realized loss.
        upper: nats; no less than it.
    """

    outputs: str
    lower: float
    upper: float
    paper: float


def appendix_a(advance: Callable[[int], None] = lambda _: None) -> tuple[AppendixARow, ...]:
    """The losses of all pairs of answers."""
    questions = (LinearQuery([1.0], 0.0, -1, 1, EPSILON), QuadraticQuery({(0, 0): 1.0}, [0.0], 0.0, 0, 1, EPSILON))
    rows = []
    for outputs, paper in PAPER.items():
        bounds = realized_loss(NUMBER, questions, [int(output) for output in outputs], TOLERANCE)
        rows.append(AppendixARow(outputs, bounds.lower, bounds.upper, paper))
        advance(1)
    return tuple(rows)
