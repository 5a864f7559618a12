"""What an attribute of a survey is expected to be like, for forecasts: no promise and no plan depends on it.

[attribute.smoker]
expected = { yes = 0.2, no = 0.8 }                 # shares or counts of the values
[attribute.income]
expected = { mean = 31000, sd = 18000 }            # or a list of the shares of its bins

{ yes = 0.2, no = 0.8 }          # or [0.2, 0.8]
{ yes = 2113, no = 8452 }        # as a census counts them

What is expected of each category is taken to be independent of the others, among those who name no more than they may:
the shares of combinations are products, in parts of their sum. Where nothing is expected all combinations are alike.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sordino.document.schema.nearest import nearest
from sordino.domain.attribute import Attribute, Domain
from sordino.domain.bins import Bins
from sordino.domain.choices import Choices
from sordino.domain.interval import Interval
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import shown

Floats = NDArray[np.float64]

ROUNDED = 5e-3
"""By how much shares may miss 1: published ones are rounded."""

MOST = 1e15
"""A count at most: more than of any people; sums of such are exact enough, and finite."""


def read_shares(given: object, labels: Sequence[str], noun: str = "shares") -> NDArray[np.float64]:
    """Shares that add up to 1, in the order of the values.

    Args:
        given: a table of numbers by name, or a list of them: shares, or counts.
        labels: of the values.
        noun: what they are, for messages.

    Raises:
        SordinoErrors: all mistakes: an unknown name, a missing one, what is no number or below 0, nothing above 0, and
            fractions that do not add up to 1.

    Example:
        >>> read_shares({"no": 3, "yes": 1}, ["yes", "no"])
        array([0.25, 0.75])
    """
    if isinstance(given, Mapping):
        named = {str(name): number for name, number in given.items()}
        mistakes = list(_wrong_names(named, labels, noun))
        numbers = [named[label] for label in labels if label in named]
        each = [(repr(label), named[label]) for label in labels if label in named]
    elif isinstance(given, list):
        numbers, each, mistakes = given, [(f"number {place + 1}", number) for place, number in enumerate(given)], []
        if len(given) != len(labels):
            mistakes.append(
                SordinoError(
                    f"{noun} must be {len(labels):,}, one for each value",
                    found=f"{len(given):,}",
                    step="write them in the order of the values, 0 for one without people",
                )
            )
    else:
        step = "write { yes = 0.2, no = 0.8 }, or a list in the order of the values"
        raise SordinoErrors(
            noun, [SordinoError(f"{noun} must be a table or a list of numbers", found=shown(given), step=step)]
        )
    wrong = [(name, number) for name, number in each if not is_share(number)]
    mistakes += [
        SordinoError(
            f"{noun} must be numbers from 0 to {MOST:.0e}",
            found=f"{shown(number)} for {name}",
            step="write shares that add up to 1, or counts",
        )
        for name, number in wrong
    ]
    if not wrong and numbers:
        mistakes += _wrong_total(numbers, noun, whole=not mistakes)
    if mistakes:
        raise SordinoErrors(noun, mistakes)
    shares: NDArray[np.float64] = np.array(numbers, dtype=np.float64)
    shares /= shares.sum()
    return shares


def _wrong_names(named: Mapping[str, object], labels: Sequence[str], noun: str) -> Iterator[SordinoError]:
    known = set(labels)
    for name in [name for name in named if name not in known]:
        found = repr(name) + nearest([name], labels)
        yield SordinoError(
            f"{noun} must be of the attribute's values", found=found, step="write the values as the survey names them"
        )
    missing = [label for label in labels if label not in named]
    if missing:
        more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
        found, step = f"none for {missing[0]!r}{more}", "write 0 for a value without people"
        yield SordinoError(f"{noun} must name every value", found=found, step=step)


def is_share(number: object) -> bool:
    """Whether it is a number that a share or a count can be."""
    # Compared as it is: no float holds a whole number of 400 digits.
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= MOST


def _wrong_total(numbers: Sequence[float], noun: str, *, whole: bool) -> Iterator[SordinoError]:
    """Of some numbers whether any is above 0; of all of them, whether they are counts or add up to 1."""
    total = float(sum(numbers))
    if total == 0:
        yield SordinoError(
            f"{noun} must not all be 0", found="nothing above 0", step="write shares that add up to 1, or counts"
        )
    elif whole and abs(total - 1) > ROUNDED and not all(float(number).is_integer() for number in numbers):
        step = "give shares that do, or counts"
        yield SordinoError(f"{noun} must add up to 1", found=f"{total:.6g}", step=step)


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


def expected_values(given: object, attribute: Attribute) -> Floats:
    """The share of each value by which tables count an attribute, shape (k,).

    Where nothing is given all values are alike; of a number that may be missing, among people who should have it.

    Raises:
        SordinoErrors: as `read_shares` says.
    """
    domain, bins, missing = attribute.table_domain, attribute.bins, attribute.missing_share
    if bins is None:
        return np.full(domain.k, 1 / domain.k) if given is None else expected_shares(given, domain)
    own = np.full(bins.k, 1 / bins.k) if given is None else expected_bins(given, bins)
    return np.append(own * (1 - missing), missing) if attribute.optional else own


def _beta(spread: tuple[float, float], ends: Interval) -> tuple[float, float]:
    """The parameters of the beta distribution between the ends with this mean and standard deviation."""
    mean, part = (spread[0] - ends.low) / ends.width, (spread[1] / ends.width) ** 2
    both = mean * (1 - mean) / part - 1
    return mean * both, (1 - mean) * both


def _is_number(given: object) -> TypeGuard[float]:
    return isinstance(given, int | float) and not isinstance(given, bool) and bool(np.isfinite(given))


def expected_of_marks(given: object, choices: Choices) -> Floats:
    """The share of the people whom each mark is expected to apply to, shape (marks,), however many combinations.

    Args:
        given: shares by category, as a survey has them; None where nothing is known.
        choices: the categories.
    """
    odds, asked = _odds(given, choices)
    labels = len(odds)
    # By size: what combinations weigh together of the categories before each place, and of those after it.
    before = _sizes_before(odds, choices.most)
    after = _sizes_before(odds[::-1], choices.most)[::-1]
    total = before[labels].sum()
    applies = np.empty(labels)
    for place in range(labels):
        others = np.convolve(before[place], after[place + 1])[: choices.most]
        applies[place] = odds[place] * others.sum() / total
    none = [1 / total, *([] if choices.not_asked is None else [(1 - asked) / asked])]
    shares: Floats = asked * np.concatenate([applies, none])
    return shares


def expected_of_combinations(given: object, choices: Choices) -> Floats:
    """The share of each combination, shape (k,), of which there are few enough to list them."""
    odds, asked = _odds(given, choices)
    has = choices.applies(choices.values)[:, : len(odds)]
    weights = np.where(has, odds, 1.0).prod(axis=1)
    if choices.not_asked is not None:
        weights[-1] = 0.0
    shares: Floats = weights * (asked / weights.sum())
    if choices.not_asked is not None:
        shares[-1] = 1 - asked
    return shares


def _odds(given: object, choices: Choices) -> tuple[Floats, float]:
    """Of each category the odds that it applies, and the share of people who are asked."""
    if not isinstance(given, dict):
        asked = 1.0 if choices.not_asked is None else 1 - 1 / choices.k
        return np.ones(len(choices.labels)), asked
    shares = np.array([given[label] for label in choices.labels], dtype=np.float64)
    unasked = 0.0 if choices.not_asked is None else float(given[choices.not_asked])
    return shares / (1 - shares), 1 - unasked


def _sizes_before(odds: Floats, most: int) -> Floats:
    """What combinations of each size weigh, of the categories before each place, shape (labels + 1, most + 1)."""
    found = np.zeros((len(odds) + 1, most + 1))
    found[0, 0] = 1.0
    for place, own in enumerate(odds):
        found[place + 1] = found[place]
        found[place + 1, 1:] += own * found[place, :-1]
    return found


DIGITS = 12
"""After the point, at most."""


def read_part_of_people(given: object, what: str, step: str) -> str:
    """A part of the people between 0 and 1, as a decimal text without an exponent.

    Args:
        given: a number, or its text.
        what: it is, for messages.
        step: the advice then.

    Raises:
        SordinoError: something else, one of the ends, or too many digits.
    """
    try:
        number = Decimal(given if isinstance(given, str) else repr(given))
    except InvalidOperation:
        raise SordinoError(f"{what} must be a number between 0 and 1", found=shown(given), step=step) from None
    if not (number.is_finite() and 0 < number < 1):
        raise SordinoError(f"{what} must lie between 0 and 1, neither of them itself", found=shown(given), step=step)
    if -int(number.normalize().as_tuple().exponent) > DIGITS:
        raise SordinoError(f"{what} must have at most {DIGITS} digits", found=shown(given), step="round it")
    return f"{number.normalize():f}"
