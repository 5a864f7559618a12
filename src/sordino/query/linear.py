"""Questions about models of a record, answered by one bit: a model asked through randomized response of its two ends.

Guarantee: exactly epsilon-LDP for all records whatever the floats did: `RandomizedResponse(2, epsilon)` is. Answer 1
stands for the upper end. Cost: one word for the rounding and two for the answer.
"""

from collections.abc import Iterable
from functools import lru_cache

from sordino.definition.bounds import read_epsilon
from sordino.exact.messages import checked
from sordino.exact.nats import Nats, NatsLike
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.affine import Affine
from sordino.query.logistic import Logistic
from sordino.query.query import Query


@checked
def LinearQuery(  # noqa: N802 - a noun for users: the query that it returns
    theta: Iterable[float], intercept: float, low: float, high: float, epsilon: NatsLike
) -> Query:
    """Is a linear model's value nearer to its upper end? One bit.

    Source: Bayesian privacy filter paper, (8), and Section 5.3.

    Args:
        low: the least value that the model can have; answer 0 stands for it, and for what lies below.
        high: the largest value; answer 1, also for what lies above.
        epsilon: the most that the answer may tell, in nats.

    Raises:
        SordinoError: no numbers, or ends with nothing between them.

    Example:
        >>> query = LinearQuery([0.5, -0.5], 0, low=-1, high=1, epsilon="ln 3")
        >>> query.law([1.0, -1.0]), query.law([0.0, 0.0])[1]
        ([Fraction(1, 4), Fraction(3, 4)], Fraction(1, 2))
    """
    return Query(Affine(theta, intercept, low, high), _coin(read_epsilon(epsilon)))


@checked
def TruncatedLinearQuery(  # noqa: N802 - as above
    theta: Iterable[float], intercept: float, low: float, high: float, epsilon: NatsLike
) -> Query:
    """Is a linear model's value, cut to a range, nearer to its upper end? One bit.

    Source: Bayesian privacy filter paper, Section 5.3.

    Arguments and errors as of `LinearQuery`; values beyond an end, which any may be, count as that end.

    Example:
        >>> query = TruncatedLinearQuery([1.0], 0, low=0, high=1, epsilon="ln 3")
        >>> [str(query.law([number])[1]) for number in (-5.0, 0.5, 2.0)]
        ['1/4', '1/2', '3/4']
    """
    return Query(Affine(theta, intercept, low, high, truncate=True), _coin(read_epsilon(epsilon)))


@checked
def LogisticQuery(theta: Iterable[float], intercept: float, epsilon: NatsLike) -> Query:  # noqa: N802 - as above
    """Does a logistic model say yes? One bit; its mean over people estimates the mean probability.

    Source: Bayesian privacy filter paper, Section 5.3.

    Arguments and errors as of `LinearQuery`.

    Example:
        >>> LogisticQuery([2.0, -1.0], 0.5, epsilon="ln 3").law([0.0, 0.5])[1]
        Fraction(1, 2)
    """
    return Query(Logistic(theta, intercept), _coin(read_epsilon(epsilon)))


@lru_cache(maxsize=256)
def _coin(epsilon: Nats) -> RandomizedResponse:
    """The mechanism of an epsilon; the questions of a stream have few of them."""
    return RandomizedResponse(2, epsilon)
