"""How often to draw each of several queries, some of which tell the same moments.

With p_q the probability of query q and M_qm the largest mean square of what it counts as moment m, a mean has a
variance of about 1 / sum_q (p_q / M_qm), times n. The weighted sum of these is convex in p; it falls with each step of
the multiplicative rule p_q <- p_q sqrt(g_q), scaled, with -g_q its slope (Silvey, Titterington and Torsney 1978). Where
each moment is told by one query this is p_q in proportion to the root of w M, at once.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sordino.design.coarse import coarse
from sordino.design.numbers.drawn_answers import whole_shares
from sordino.domain.moment import Factors
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.arrays import Floats
from sordino.query.query import Query
from sordino.query.sampled import Sampled

STEPS = 200
"""Of the rule: shares then change by less than a part in a thousand."""


NEGLIGIBLE = 1 / 32
"""Of an even share: a query that is drawn less often is left out if others tell what it tells."""


def least_error(queries: Sequence[Query], weights: Mapping[Factors, float]) -> Sampled:
    """The queries that are worth drawing, by the weights of `least_error_shares`."""
    asked = Sampled(tuple(queries), (1,) * len(queries))
    shares = least_error_shares(asked, weights)
    few = NEGLIGIBLE * sum(shares) / len(shares)
    worth = [query for query, share in zip(queries, shares, strict=True) if share >= few]
    told = {name for query in worth for name, _ in query.number.counted_moments}
    if not told >= weights.keys() or len(worth) == len(queries):
        return Sampled(tuple(queries), tuple(shares))
    asked = Sampled(tuple(worth), (1,) * len(worth))
    return Sampled(asked.queries, tuple(least_error_shares(asked, weights)))


def least_error_shares(asked: Sampled, weights: Mapping[Factors, float]) -> list[int]:
    """Whole weights of the queries by which the weighted sum of the moments' variances is nearly least.

    Args:
        asked: the queries, whatever their weights.
        weights: of the moments; those that are not named count nothing.
    """
    reader = MomentEstimator.of(asked)
    at = {name: place for place, name in enumerate(reader.moments.names)}
    importance = np.zeros(reader.moments.m)
    importance[[at[name] for name in weights]] = list(weights.values())
    query = np.array([part.query for part in reader.query_moments])
    moment = np.array([part.moment for part in reader.query_moments])
    inverse = 1 / coarse(np.array([part.largest for part in reader.query_moments]))
    shares: Floats = np.full(len(asked.queries), 1 / len(asked.queries))
    for _ in range(STEPS):
        precision = np.bincount(moment, shares[query] * inverse, reader.moments.m)
        slope = np.bincount(query, (importance / precision**2)[moment] * inverse, len(shares))
        shares = shares * np.sqrt(slope)
        shares = shares / shares.sum()
    return whole_shares(shares)
