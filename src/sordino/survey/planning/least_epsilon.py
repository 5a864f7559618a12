"""The least epsilon with which so many people give an accuracy.

Guarantee: of the decimals of two digits the one that is given meets the accuracy, and the next smaller one does not, or
makes no plan; both plans were made and forecast. Forecasts fall with epsilon, but where a channel of another kind takes
over they may do so unevenly: then a much smaller one might meet it too.
"""

from bisect import bisect_left
from collections.abc import Callable
from decimal import Decimal
from math import inf, sqrt
from typing import NamedTuple, Protocol

from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.survey.kinds.question_forecast import Forecast
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.sample_size import half_width, is_within, periods_of, sample_size

REVEALING_EPSILON = 10
"""Nats above which a report reveals nearly the whole answer: it changes odds by a factor of 22,026, so that somebody
who held an answer for as unlikely as 1 in 1,000 may be sure of it to 95 % afterwards. Larger ones are tried only where
it is not enough."""

LARGEST_EPSILON = 40
"""Nats at which next to no noise is left, and only the draw of people makes intervals wide."""

EPSILONS = (
    *(
        f"{(Decimal(digits) * Decimal(10) ** power).normalize():f}"
        for power in range(-4, 0)
        for digits in range(10, 100)
    ),
    *map(str, range(REVEALING_EPSILON, LARGEST_EPSILON + 1)),
)
"""That are tried: decimals of two digits from 0.001 on, ascending."""

MOST_PLANS = 3 + EPSILONS.index(str(REVEALING_EPSILON)).bit_length()
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
            # What is wrong whatever epsilon is was said of a large one; this one is too small for something.
            return False
        widths[epsilon] = _widest(made, confidence)[0]
        return _is_enough(made, accuracy, confidence)

    least, most = 0, EPSILONS.index(str(REVEALING_EPSILON))
    if not _is_enough(make(EPSILONS[most]), accuracy, confidence):
        largest = make(EPSILONS[-1])
        if not _is_enough(largest, accuracy, confidence):
            raise _too_few(largest, accuracy, confidence)
        least, most = most + 1, len(EPSILONS) - 1
    place = bisect_left(EPSILONS, True, least, most, key=meets)  # too small ones come first
    smaller = EPSILONS[place - 1] if place else None
    width = None if smaller is None else widths.get(smaller)
    return LeastEpsilon(EPSILONS[place], smaller, None if width is None or width <= accuracy else width)


def _is_enough(made: Forecasts, accuracy: float, confidence: float) -> bool:
    times = sqrt(periods_of(made.plan))
    return all(is_within(each, accuracy / times, confidence) for each in made.forecasts)


def _widest(made: Forecasts, confidence: float) -> tuple[float, Forecast]:
    widest = max(made.forecasts, key=lambda each: half_width(each, confidence))
    return sqrt(periods_of(made.plan)) * half_width(widest, confidence), widest


def _too_few(largest: Forecasts, accuracy: float, confidence: float) -> SordinoError:
    people = largest.plan.people
    width, widest = _widest(largest, confidence)
    rule = f"some epsilon must give an accuracy of {accuracy:g} with {people:,} people"
    widths = f"half-widths of up to {width:.3g}, for {widest.question.name}"
    refused = [each.question.name for each in largest.forecasts if not is_within(each, inf, confidence)]
    if refused:
        found = f"too few for any estimate of {refused[0]}"
    elif _has_own_amounts(largest.plan):
        found = f"{widths}, with amounts of single attributes that stay what they are"
    else:
        found = f"the draw of people alone, without noise, gives {widths}"
    try:
        needed = sample_size(largest.plan, accuracy, confidence)
        step = f"ask at least {needed:,} people, or accept a larger accuracy"
    except SordinoError:
        step = "accept a larger accuracy, or ask less; no number of people is enough"
    return SordinoError(rule, found=found, step=step)


def _has_own_amounts(plan: Plan) -> bool:
    """Whether some attribute keeps an amount of its own, which leaves noise whatever the survey's epsilon is."""
    protects = [own.protect for own in plan.document.attributes.values() if own.protect is not None]
    amounts = [own.delta for own in plan.attributes.values() if own.delta is not None]
    amounts += [Nats.of(own.epsilon) for own in protects if own.epsilon is not None]
    return any(own.bounds is not None for own in protects) or any(one < Nats.of(LARGEST_EPSILON) for one in amounts)
