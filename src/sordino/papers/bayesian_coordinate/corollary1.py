"""Corollary 1 of the BCDP paper: the bound for a few sensitive numbers among others, beside exact errors.

The bound, (18) and (19), leaves a constant out; here it stands without. It is for zeta = 1/2, which the paper's
mechanism has here too. At q = 1 it is said to match LDP at the least delta; but half of that delta is then left unused,
and the exact error is about four times as large.
Source: BCDP paper, Corollary 1 and (17). Cost: half a second for each q.
"""

from dataclasses import dataclass
from fractions import Fraction

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.exact.nats import NatsLike
from sordino.papers.bayesian_coordinate.means import entrants, exact_error
from sordino.papers.bayesian_coordinate.nested import NestedMean
from sordino.papers.bayesian_coordinate.nested_budgets import corollary_bound, nested_budgets
from sordino.papers.simulation import Advance

PEOPLE = 10_000
NUMBERS, SENSITIVE, DELTA, EPSILON = 10, 2, "0.2", "2"
"""As in the paper's Figure 3."""

QS = tuple(Fraction(q) for q in ("0", "0.01", "0.02", "0.05", "0.1", "0.2", "0.4", "0.6", "0.8", "1"))

ZETA = Fraction(1, 2)


@dataclass(frozen=True)
class Corollary1Row:
    """Squared errors of all means together at one bound on dependence.

    Attributes:
        corollary: (18) or (19) without its constant.
        theorem: (17) without its constant, for the same budgets.
        paper_exact: the exact error with these budgets.
        zeta_exact, tight_exact, sampled_exact, best_exact, baseline_duchi, baseline_sampled: as in `fig3`.
    """

    q: float
    corollary: float
    theorem: float
    paper_exact: float
    zeta_exact: float
    tight_exact: float
    sampled_exact: float
    best_exact: float
    baseline_duchi: float
    baseline_sampled: float


def corollary1(
    numbers: int = NUMBERS,
    sensitive: int = SENSITIVE,
    delta: NatsLike = DELTA,
    epsilon: NatsLike = EPSILON,
    advance: Advance = lambda _: None,
) -> tuple[Corollary1Row, ...]:
    """The bound and the exact errors, for q ascending.

    Args:
        sensitive: how many of the numbers have the delta; the others have epsilon.
        delta: above 0 and below half of epsilon.
        advance: called with 1 at each q.
    """
    least, most = read_epsilon(delta), read_epsilon(epsilon)
    if not (1 <= sensitive <= numbers and least.sign() > 0 and least + least < most):
        rule = "Corollary 1 needs sensitive numbers among all, and a delta above 0 and below half of epsilon"
        raise SordinoError(rule, found=f"{sensitive} of {numbers} numbers, delta {least} and epsilon {most}")
    deltas = [*[least] * sensitive, *[most] * (numbers - sensitive)]
    rows = []
    for q in QS:
        bounds = (
            corollary_bound(numbers, sensitive, float(least), float(most), float(q)),
            NestedMean(nested_budgets(deltas, most, q, ZETA)).published_bound(),
        )
        errors = (exact_error(channel, PEOPLE) for channel in entrants(deltas, most, q, ZETA).values())
        rows.append(Corollary1Row(float(q), *(bound / PEOPLE for bound in bounds), *errors))
        advance(1)
    return tuple(rows)
