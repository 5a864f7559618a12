"""The means of some numbers of which some may be missing: one number a person, drawn in proportion to its noise.

Each is asked at the largest level that the deltas of all attributes allow an answer of any kind (`answer_levels`): a
reading that tells whether a number is missing is not linear in it, so that bounds on means alone do not serve it. One
that may be missing goes through `optional_channel`, any other through the best table, window or bit for its share.
Guarantee: as `sampled_mean`; the finished queries are proved by the plan's promise.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sordino.definition.dependence import Dependence
from sordino.design.coarse import coarse
from sordino.design.numbers.drawn_answers import highest_levels, whole_shares
from sordino.design.numbers.missing.optional_channel import mean_variance, optional_channel
from sordino.design.numbers.sampled_levels import answer_levels, better_mechanism, coarser, noise_of, with_table
from sordino.exact.nats import Nats
from sordino.query.missing.optional import OptionalNumber
from sordino.query.number import Number
from sordino.query.query import Query
from sordino.query.sampled import Sampled


def optional_means(
    deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence, asked: Sequence[int], missing: Mapping[int, float]
) -> Sampled:
    """The queries for the means of some numbers of a record of d attributes.

    Args:
        deltas: of all d attributes, above 0 and at most epsilon.
        asked: the places of the numbers; the queries read these numbers, in this order.
        missing: for the places of those that may be missing, the share of the people that is expected to lack it.
    """
    levels = [coarser(answer_levels(deltas, epsilon, dependence))[j] for j in asked]
    singles = highest_levels([(j,) for j in asked], deltas, epsilon, dependence)
    queries, noise = [], []
    for place, (j, level, single) in enumerate(zip(asked, levels, singles, strict=True)):
        if j in missing:
            channel = optional_channel(level, missing[j])
            queries.append(Query(OptionalNumber(place, channel.k - 1), channel))
            noise.append(mean_variance(channel, missing[j]))
        else:
            share = float(f"{1 / len(asked):.3g}")
            channel = with_table(better_mechanism(level, single, share), level, share)
            queries.append(Query(Number(place, channel.k), channel))
            noise.append(noise_of(channel))
    weights = whole_shares(coarse(np.sqrt(np.array(noise)))) if len(queries) > 1 else [1]
    return Sampled(tuple(queries), tuple(weights))
