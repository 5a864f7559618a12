"""What a survey file asks of a number's distribution: its quantiles, and the shares of ranges.

[attribute.income]
number = { low = 0, high = 200000, bins = 200 }                # equal ones; or edges = [0, 5000, ..., 200000]
[[ask]]
distribution = "income"
quantiles = [0.1, 0.5, 0.9]
ranges = [[0, 20000], [20000, 50000]]
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import BeforeValidator

from sordino.domain.bins import Bins, plain
from sordino.domain.interval import read_number
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import shown
from sordino.survey.attributes.part_of_people import read_part_of_people

MOST_QUANTILES = 100
"""Of one question; and ranges."""


def read_quantiles(given: object) -> list[str]:
    """Parts of the people between 0 and 1, as decimal texts without an exponent.

    Raises:
        SordinoErrors: all that are none, or stand twice.

    Example:
        >>> read_quantiles([0.1, "0.50"])
        ['0.1', '0.5']
    """
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_QUANTILES:
        found, step = shown(given), "write quantiles = [0.1, 0.5, 0.9]"
        raise SordinoError(f"quantiles must be a list of 1 to {MOST_QUANTILES} numbers", found=found, step=step)
    read: list[str] = []
    mistakes: list[SordinoError] = []
    for each in given:
        try:
            read.append(read_part_of_people(each, "a quantile", "the median is 0.5"))
        except SordinoError as error:
            mistakes.append(error)
    repeated = {text for text in read if read.count(text) > 1}
    mistakes += [
        SordinoError("each quantile must stand once", found=f"{text} again", step="leave it out once")
        for text in sorted(repeated)
    ]
    if mistakes:
        raise SordinoErrors("quantiles", mistakes)
    return read


def read_ranges(given: object) -> list[list[float]]:
    """Pairs of a lower and an upper number.

    Raises:
        SordinoErrors: all that are none, or the wrong way round.

    Example:
        >>> read_ranges([[0, 20000]])
        [[0.0, 20000.0]]
    """
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_QUANTILES:
        found, step = shown(given), "write ranges = [[0, 20000], [20000, 50000]]"
        raise SordinoError(f"ranges must be a list of 1 to {MOST_QUANTILES} pairs of numbers", found=found, step=step)
    read: list[list[float]] = []
    mistakes: list[SordinoError] = []
    for each in given:
        try:
            read.append(_range(each))
        except SordinoError as error:
            mistakes.append(error)
    if mistakes:
        raise SordinoErrors("ranges", mistakes)
    return read


def _range(given: object) -> list[float]:
    if not isinstance(given, list) or len(given) != 2:
        raise SordinoError(
            "a range must be a pair of numbers", found=shown(given), step="write ranges = [[0, 20000], [20000, 50000]]"
        )
    low, high = read_number(given[0], "a range's low end"), read_number(given[1], "a range's high end")
    if not low < high:
        raise SordinoError(
            "a range must go from a lower to a higher number",
            found=f"{plain(low)} to {plain(high)}",
            step="write the lower end first",
        )
    return [low, high]


Quantiles = Annotated[list[str], BeforeValidator(read_quantiles)]

RangeList = Annotated[list[list[float]], BeforeValidator(read_ranges)]


def range_mistakes(ranges: Sequence[Sequence[float]], bins: Bins) -> Iterator[SordinoError]:
    """Ends of ranges that are no edges of the bins, since reports tell bins and nothing between their edges."""
    for number in dict.fromkeys(end for ends in ranges for end in ends):
        if bins.edge(number) is None:
            step = f"take {plain(bins.nearest(number))}, or declare `edges` of the number that hold it"
            yield SordinoError("a range must begin and end at edges of the bins", found=plain(number), step=step)
