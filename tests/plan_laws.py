"""The exact probabilities of a plan's codes given a record, by the device's reading and the mechanism's integers."""

import numpy as np

from sordino.domain.interval import Interval


def law_of(drawn, row):
    """The exact probabilities of the codes, by the device's own reading."""
    question = drawn.question
    named = {one.name: one for one in question.attributes}
    arrays = {}
    for name, one in named.items():
        value = row[name]
        if isinstance(one.domain, Interval):
            arrays[name] = np.array([value], dtype=np.float64)
        else:
            values = getattr(one.domain, "values", None)
            arrays[name] = np.array([value if values is None else values[value]])
    column = question.column(arrays)
    channel = drawn.channel
    queries = getattr(channel, "queries", (channel,))
    law = np.ones(1)
    for query in queries:
        if hasattr(column, "ranges"):
            read = [float(share) for share in query.statistic.law(column[:].records[0].tolist())]
        else:
            looked_at = query.check_values(column)
            index = int(query.statistic.encode(looked_at, None)[0])
            read = [float(value == index) for value in range(query.mechanism.k)]
        law = np.multiply.outer(law, np.array(read) @ matrix_of(query.mechanism)).ravel()
    return law


MATRICES = {}
"""By mechanism, as its integers name it."""


def matrix_of(mechanism):
    """The probabilities of the codes given each value."""
    own, name = mechanism, mechanism.fingerprint
    if name not in MATRICES:
        weights = [[own.weight(v, c) / own.denominator for c in range(own.outputs)] for v in range(own.k)]
        MATRICES[name] = np.array(weights)
    return MATRICES[name]
