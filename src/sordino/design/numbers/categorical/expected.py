"""How exact moments and coefficients will be whose errors go together, before anybody is asked.

The estimator's own formulas, on the tally that is expected: with categorical features one query tells many moments, and
of complete cases every report tells how many there are.
"""

from collections.abc import Mapping

import numpy as np

from sordino.design.numbers.numbers_accuracy import SPREAD, Expected, unknown_records
from sordino.domain.coded import CODES
from sordino.domain.ranges import Ranges
from sordino.estimation.estimated_moments import MomentReader, read_moments
from sordino.estimation.mean_readings import MeanReadings
from sordino.estimation.missing.complete_cases import CompleteCases
from sordino.exact.arrays import Floats
from sordino.mechanism.aggregate import Aggregate
from sordino.query.sampled import Sampled

MANY = 1e15
"""People of the expected tally: what an estimator adds for small numbers is nothing then."""

RECORDS = 1 << 12
"""Different records, at least, where nothing is known."""


def expected_by_tally(asked: Sampled, reader: MomentReader, ranges: Ranges, readings: MeanReadings) -> Expected:
    """What the estimates are expected to be made of.

    Args:
        ranges: of the numbers whose moments it tells.
    """
    tally = expected_tally(asked, readings)
    covariance = reader.covariance(tally) * MANY
    cases = read_moments(asked)
    share = cases.share(tally)[1] ** 2 * MANY if isinstance(cases, CompleteCases) else None
    return Expected(reader.moments, ranges, reader.means(tally), np.diagonal(covariance), covariance, share)


def expected_tally(asked: Sampled, readings: MeanReadings) -> Aggregate:
    """Of very many such people."""
    queries = zip(asked.numbers, asked.mechanisms, asked.shares, strict=True)
    people = MANY / sum(asked.shares)
    counts = [people * share * through.forward(readings[one]) for one, through, share in queries]
    # Expected counts are no whole numbers, and nothing asks them to be.
    return Aggregate(asked.fingerprint, int(MANY), np.concatenate(counts))


def unknown_people(d: int, categories: Mapping[int, Floats]) -> Floats:
    """Records of d attributes, the last a target, for people of whom nothing is known, shape (n, d).

    Numbers are as in `unknown_records`; categories go with nothing.

    Args:
        categories: for each attribute of categories, by its place, the shares of people in each.
    """
    numbers = [place for place in range(d) if place not in categories]
    known = unknown_records(len(numbers), len(numbers) - 1) if len(numbers) > 1 else _unexplained_target()
    known = np.tile(known, (-(-RECORDS // len(known)), 1))
    records = np.empty((len(known), d))
    records[:, numbers] = known
    # Always the same draws: forecasts do not change from run to run.
    rng = np.random.default_rng(0)
    middles = (np.arange(len(records)) + 0.5) / len(records)
    for place, shares in categories.items():
        ends = np.cumsum(shares)
        index = np.minimum(np.searchsorted(ends, middles), len(ends) - 1)
        records[:, place] = CODES.scale(rng.permutation(index))
    return records


def _unexplained_target() -> Floats:
    """A target that no number explains."""
    places = (np.arange(64) + 0.5) / 64 * 2 - 1
    places *= SPREAD / np.sqrt(np.mean(places**2))
    return places.reshape(-1, 1)
