"""The least epsilon with which so many people give an accuracy.

Guarantee: of the decimals of two digits the one that is given meets the accuracy, and the next smaller one does not, or
makes no plan; both plans were made and forecast. Forecasts fall with epsilon, but where a channel of another kind takes
over they may do so unevenly: then a much smaller one might meet it too.
"""

from bisect import bisect_left
from collections.abc import Callable
from decimal import Decimal
from math import sqrt
from typing import NamedTuple, Protocol

from sordino.errors import SordinoError
from sordino.survey.forecasts.forecast import Forecast
from sordino.survey.planning.people_for import half_width, is_within, people_for, periods_of
from sordino.survey.planning.plan import Plan

LARGEST_EPSILON = 10
"""Nats that are tried: a report then changes odds by a factor of 22,026, so that somebody who held an answer for as
unlikely as 1 in 1,000 may be sure of it to 95 % afterwards. Whoever wants to promise as little writes it down."""

EPSILONS = (
    *(
        f"{(Decimal(digits) * Decimal(10) ** power).normalize():f}"
        for power in range(-4, 0)
        for digits in range(10, 100)
    ),
    str(LARGEST_EPSILON),
)
"""That are tried: decimals of two digits from 0.001 on, ascending."""

MOST_PLANS = 2 + (len(EPSILONS) - 1).bit_length()
"""Made on the way at most."""


class Forecasts(Protocol):
    """A plan with what its questions will show."""

    @property
    def plan(self) -> Plan:
        """The plan."""

    @property
    def forecasts(self) -> tuple[Forecast, ...]:
        """Of its questions."""


class LeastEpsilon(NamedTuple):
    """An epsilon that was found.

    Attributes:
        epsilon: as a survey has it.
        smaller: the next smaller one; None where there is none that is tried.
        smaller_width: half of the widest interval with that one, in parts of all that is possible; None where that is
            not what is wrong with it: it makes no plan, or too few people answer.
    """

    epsilon: str
    smaller: str | None
    smaller_width: float | None


def find_epsilon(make: Callable[[str], Forecasts], accuracy: float, confidence: float) -> LeastEpsilon:
    """The least epsilon whose intervals are all expected to be at most so far to each side.

    Args:
        make: the plan of an epsilon for as many people as there are.
        accuracy: half-width of the widest interval, in parts of all that is possible.
        confidence: of each interval by itself.

    Raises:
        SordinoError: not even the largest epsilon that is tried gives it, or it makes no plan.
    """
    widths: dict[str, float] = {}

    def meets(epsilon: str) -> bool:
        try:
            made = make(epsilon)
        except SordinoError as error:
            if error.code != "invalid":
                raise
            # What is wrong whatever epsilon is was said of the largest; this one is too small for something.
            return False
        times = sqrt(periods_of(made.plan))
        widths[epsilon] = max(times * half_width(each, confidence) for each in made.forecasts)
        return all(is_within(each, accuracy / times, confidence) for each in made.forecasts)

    largest = make(EPSILONS[-1])
    times = sqrt(periods_of(largest.plan))
    if not all(is_within(each, accuracy / times, confidence) for each in largest.forecasts):
        raise _too_few(largest, accuracy, confidence)
    place = bisect_left(EPSILONS[:-1], True, key=meets)  # too small ones come first
    smaller = EPSILONS[place - 1] if place else None
    width = None if smaller is None else widths.get(smaller)
    return LeastEpsilon(EPSILONS[place], smaller, None if width is None or width <= accuracy else width)


def _too_few(largest: Forecasts, accuracy: float, confidence: float) -> SordinoError:
    people, times = largest.plan.people, sqrt(periods_of(largest.plan))
    widest = max(largest.forecasts, key=lambda each: half_width(each, confidence))
    rule = f"an accuracy of {accuracy:g} by {people:,} people must take an epsilon of at most {LARGEST_EPSILON}"
    width = times * half_width(widest, confidence)
    found = f"half-widths of up to {width:.3g} with {LARGEST_EPSILON}, for {widest.question.name}"
    try:
        needed = people_for(largest.plan, accuracy, confidence)
        step = f"ask {needed:,} people, whom an epsilon of {LARGEST_EPSILON} takes, or accept a larger accuracy"
    except SordinoError:
        step = "accept a larger accuracy, or ask less; no number of people is enough"
    return SordinoError(rule, found=found, step=step)
