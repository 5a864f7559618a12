"""The mean of a number of each value, from the tally of a mechanism over these values: a linear functional of shares.

Each code counts as g(code) with mean the number of its value (`Mechanism.code_values`), so the mean of g over the
reports is unbiased. Source: Bayesian privacy filter paper, (9), as corrected, for the two ends of a model.
"""

from collections.abc import Sequence

import numpy as np

from sordino.errors import SordinoError
from sordino.estimation.moments import NormalEstimate
from sordino.mechanism.aggregate import Aggregate
from sordino.query.query import Query


def mean_of_model(query: Query, aggregate: Aggregate) -> NormalEstimate:
    """The mean of a model's values over the people, in its own units; their own variation is in the standard error.

    Raises SordinoError: a query about no model, another query's tally, no answers, or answers that tell nothing.
    """
    return mean_of(query, aggregate, query.model.ends)


def mean_of(query: Query, aggregate: Aggregate, numbers: Sequence[float]) -> NormalEstimate:
    """The mean of what each value that is read counts as, shape ()."""
    if aggregate.fingerprint != query.fingerprint:
        found = f"a tally of {aggregate.fingerprint}, not {query.fingerprint}"
        step = "tally the reports by the query that was asked"
        raise SordinoError("an estimate needs the tally of its own question", found=found, step=step)
    if not (query.informative and aggregate.n):
        raise SordinoError("an estimate needs answers that depend on the records", found=f"{aggregate.n} answers")
    code = query.mechanism.code_values(np.array(numbers, dtype=np.float64))
    law = aggregate.counts / aggregate.n
    mean = code @ law
    return NormalEstimate(np.array(mean), np.sqrt((code - mean) ** 2 @ law / aggregate.n), aggregate.n)
