"""What an attribute of a survey is expected to be like, for forecasts: no promise and no plan depends on it.

[attribute.smoker]
expected = { yes = 0.2, no = 0.8 }                 # shares or counts of the values
[attribute.income]
expected = { mean = 31000, sd = 18000 }            # or a list of the shares of its bins
"""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sordino.domain.attribute import Domain
from sordino.domain.bins import Bins
from sordino.domain.interval import Interval
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import shown
from sordino.survey.attributes.given_shares import read_shares

Floats = NDArray[np.float64]


class BinnedNumber(Protocol):
    """A number between two ends, in bins."""

    @property
    def low(self) -> float:
        """In the unit of the data."""
        ...

    @property
    def high(self) -> float:
        """The other end."""
        ...

    @property
    def default_bins(self) -> Bins:
        """Of a distribution."""
        ...


def expected_spread(given: object, ends: Interval) -> tuple[float, float] | None:
    """The mean and the standard deviation that a number is expected to have; None where its bins are given instead.

    Raises:
        SordinoError: what no number between these ends can have.
    """
    if not isinstance(given, dict):
        return None
    mean, sd = given.get("mean"), given.get("sd")
    if set(given) != {"mean", "sd"} or not (_is_number(mean) and _is_number(sd)):
        step = "write { mean = 31000, sd = 18000 }, in the unit of the data, or the shares of its bins"
        raise SordinoError("expected must be a mean and a standard deviation", found=shown(given), step=step)
    if not ends.low < mean < ends.high:
        raise SordinoError(
            "expected.mean must lie between low and high", found=shown(mean), step="write it in the unit of the data"
        )
    most = float(np.sqrt((mean - ends.low) * (ends.high - mean)))
    if not 0 < sd < most:
        rule = f"expected.sd must be above 0 and below {most:.6g}, the most that is possible between low and high"
        raise SordinoError(rule, found=shown(sd), step="write it in the unit of the data")
    return float(mean), float(sd)


def expected_bins(given: object, bins: Bins) -> Floats:
    """The share of each bin that a number is expected to have, shape (k,).

    Raises:
        SordinoErrors: as `read_shares` says.
    """
    spread = expected_spread(given, bins.ends)
    if spread is None:
        return read_shares(given, [bins.label(place) for place in range(bins.k)], "expected")
    from scipy import special

    inside = np.clip((np.array(bins.edges) - bins.ends.low) / bins.ends.width, 0, 1)
    shares: Floats = np.diff(special.betainc(*_beta(spread, bins.ends), inside))
    return shares


def expected_quantiles(given: object, number: BinnedNumber, parts: Floats) -> Floats:
    """The numbers below which these parts of the people are expected to be, scaled to [-1, 1], of the same shape."""
    ends = Interval(number.low, number.high)
    spread = expected_spread(given, ends)
    if spread is not None:
        from scipy import special

        quantiles: Floats = 2 * special.betaincinv(*_beta(spread, ends), parts) - 1
        return quantiles
    bins = number.default_bins
    edges = (np.array(bins.edges) - ends.low) / ends.width * 2 - 1
    return np.interp(parts, np.concatenate([[0.0], np.cumsum(expected_bins(given, bins))]), edges)


def spread_as_expected(records: Floats, given: Sequence[tuple[object, BinnedNumber | None]]) -> Floats:
    """Scaled records whose numbers spread as they are expected to; they go together as before.

    Args:
        records: of people of whom nothing is known, shape (n, d).
        given: of each column what is expected of it, None where nothing is; and its number, None of categories.
    """
    spread = records.copy()
    for place, (expected, number) in enumerate(given):
        if expected is not None and number is not None:
            # The middle of its part of the people, in the order of what it replaces.
            parts = _ranks(spread[:, place]) / len(spread)
            spread[:, place] = expected_quantiles(expected, number, parts)
    return spread


def _ranks(numbers: Floats) -> Floats:
    """How many are below each number, and half of those that are equal to it."""
    ordered = np.sort(numbers)
    ranks: Floats = (np.searchsorted(ordered, numbers, "left") + np.searchsorted(ordered, numbers, "right")) / 2
    return ranks


def number_mistakes(given: object, number: BinnedNumber) -> Iterator[SordinoError]:
    """What is wrong with what is expected of a number."""
    try:
        if expected_spread(given, Interval(number.low, number.high)) is None:
            expected_bins(given, number.default_bins)
    except SordinoErrors as errors:
        yield from errors.errors
    except SordinoError as error:
        yield error


def shares_mistakes(given: object, domain: Domain) -> Iterator[SordinoError]:
    """What is wrong with what is expected of values that can be counted."""
    try:
        expected_shares(given, domain)
    except SordinoErrors as errors:
        yield from errors.errors


def expected_shares(given: object, domain: Domain) -> Floats:
    """The share of each value that is expected, shape (k,).

    Raises:
        SordinoErrors: as `read_shares` says.
    """
    return read_shares(given, [domain.label(value) for value in range(domain.k)], "expected")


def _beta(spread: tuple[float, float], ends: Interval) -> tuple[float, float]:
    """The parameters of the beta distribution between the ends with this mean and standard deviation."""
    mean, part = (spread[0] - ends.low) / ends.width, (spread[1] / ends.width) ** 2
    both = mean * (1 - mean) / part - 1
    return mean * both, (1 - mean) * both


def _is_number(given: object) -> TypeGuard[float]:
    return isinstance(given, int | float) and not isinstance(given, bool) and bool(np.isfinite(given))
