"""How exact the coefficients of a regression with categorical features will be, before anybody is asked.

The estimator's own formulas, on the tally that is expected: one query tells many moments, whose errors go together.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sordino.design.numbers.numbers_accuracy import SPREAD, Expected, unknown_records
from sordino.domain.coded import CODES
from sordino.domain.ranges import Ranges
from sordino.estimation.categorical.columns import RegressionColumns
from sordino.mechanism.aggregate import Aggregate

Floats = NDArray[np.float64]

MANY = 1e9
"""People of the expected tally: what an estimator adds for small numbers is nothing then."""

RECORDS = 1 << 12
"""Different records, at least, where nothing is known."""


def expected_regression(columns: RegressionColumns, ranges: Ranges, records: Floats) -> Expected:
    """What the estimates are expected to be made of, for people who are like some scaled records, shape (n, d).

    Args:
        columns: of the regression, with the queries.
        ranges: of these columns.
        records: with categories as `domain.coded` has them.
    """
    tally = _expected_tally(columns, records)
    reader = columns.estimator
    means = columns.of_means(reader.means(tally))
    covariance = columns.of_covariance(reader.covariance(tally)) * MANY
    return Expected(columns.moments, ranges, means, np.diagonal(covariance), covariance)


def _expected_tally(columns: RegressionColumns, records: Floats) -> Aggregate:
    asked = columns.asked
    queries = zip(asked.numbers, asked.mechanisms, asked.shares, strict=True)
    people = MANY / sum(asked.shares)
    counts = [people * share * through.forward(one.shares(records)) for one, through, share in queries]
    # Expected counts are no whole numbers, and nothing asks them to be.
    return Aggregate(asked.fingerprint, int(MANY), np.concatenate(counts))


def unknown_people(d: int, categories: Mapping[int, Floats]) -> Floats:
    """Records of d attributes, the last a target, for people of whom nothing is known, shape (n, d).

    Numbers are as in `unknown_records`; categories go with nothing.

    Args:
        d: how many attributes.
        categories: for each attribute of categories, by its place, the shares of people in each.
    """
    numbers = [place for place in range(d) if place not in categories]
    known = unknown_records(len(numbers), len(numbers) - 1) if len(numbers) > 1 else _alone()
    known = np.tile(known, (-(-RECORDS // len(known)), 1))
    records = np.empty((len(known), d))
    records[:, numbers] = known
    # Always the same draws: forecasts do not change from run to run.
    rng = np.random.default_rng(0)
    middles = (np.arange(len(records)) + 0.5) / len(records)
    for place, shares in categories.items():
        ends = np.cumsum(shares)
        index = np.minimum(np.searchsorted(ends, middles), len(ends) - 1)
        records[:, place] = CODES.scaled(rng.permutation(index))
    return records


def _alone() -> Floats:
    """A target that no number explains."""
    places = (np.arange(64) + 0.5) / 64 * 2 - 1
    places *= SPREAD / np.sqrt(np.mean(places**2))
    return places.reshape(-1, 1)
