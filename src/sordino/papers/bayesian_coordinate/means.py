"""Channels for the means of numbers with a delta each, those of the BCDP paper and better ones, and their exact errors.

All of them keep the same deltas and epsilon, within the same bound on dependence. Errors are those of numbers at -1 or
1, whose |x|^2 is their number d: the expected squared error of all means together, before any projection.
Source: BCDP paper, Mechanisms 1 and 2, Theorem 2 and Appendix B.1, with their corrections.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, sqrt
from typing import Literal, TypeAlias, get_args

from sordino.definition.dependence import Dependence
from sordino.design.numbers.drawn_answers import one_number
from sordino.design.numbers.sampled_mean import sampled_mean, single_levels
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.nats import Nats
from sordino.papers.bayesian_coordinate.ball import L2Ball
from sordino.papers.bayesian_coordinate.nested import NestedMean
from sordino.papers.bayesian_coordinate.nested_budgets import nested_budgets
from sordino.papers.bayesian_coordinate.seeded import NumberChannel
from sordino.query.sampled import Sampled

Asked: TypeAlias = NumberChannel | Sampled
"""What a person answers through."""

Zeta: TypeAlias = Fraction | Literal["paper"]

Entrant = Literal["paper", "zeta", "tight", "sampled", "best", "baseline_duchi", "baseline_sampled"]
"""paper: nested reports with the paper's zeta. zeta: with the best one. tight: with the best budgets, by the tight
accounting. sampled: one number each, by the sampling rule. best: `sampled_mean`. baseline_duchi and baseline_sampled:
at the least delta under LDP, on the ball and by one number each."""

ENTRANTS: tuple[Entrant, ...] = get_args(Entrant)


def entrants(deltas: Sequence[Nats], epsilon: Nats, q: Fraction, zeta: Zeta) -> dict[Entrant, Asked]:
    """The channels by name, in the order of `ENTRANTS`.

    Args:
        deltas: in (0, epsilon].
        q: the bound on dependence, the same for all numbers.
        zeta: of the paper's budgets.
    """
    d, least = len(deltas), min(deltas)
    dependence = Dependence((q,) * d)
    return {
        "paper": NestedMean(nested_budgets(deltas, epsilon, q, zeta)),
        "zeta": NestedMean(nested_budgets(deltas, epsilon, q)),
        "tight": NestedMean(nested_budgets(deltas, epsilon, q, accounting="tight")),
        "sampled": one_number(single_levels(deltas, epsilon, dependence)),
        "best": sampled_mean(deltas, epsilon, dependence),
        "baseline_duchi": L2Ball(d, sqrt(d), least),
        "baseline_sampled": one_number([least] * d),
    }


def reader(asked: Asked) -> NumberChannel | MomentEstimator:
    """What reads means out of a tally."""
    return MomentEstimator.of(asked) if isinstance(asked, Sampled) else asked


def exact_error(asked: Asked, people: int) -> float:
    """The total mean squared error of the estimated means of people whose numbers are all -1 or 1.

    Exact for the estimate that divides by the expected numbers of answers; where people are drawn, `means` divides by
    the actual ones, which agrees up to 1 / n where the means are 0, and is better elsewhere.
    """
    error = (float(reader(asked).noise().sum()) - asked.d) / people
    if not isfinite(error):
        raise SordinoError("errors must be finite", found="a number that is not told", step="raise the least delta")
    return error
