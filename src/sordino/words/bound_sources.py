"""What deltas rest on: every bound on dependence, with its number, and what the survey's author says of it.

Numbers round up, so that nobody takes a bound for smaller than it is. The author's words stand in quotation marks: what
they say is checked by nobody here, and is no sentence of ours.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from sordino.domain.moment import Moment
from sordino.exact.nats import outward
from sordino.printable import quote
from sordino.survey.planning.coordinates import CoordinatePromise

FEW = 5
"""Attributes that a summary names at most."""

NOTHING = "No delta depends on a bound on dependence: each holds whatever somebody believes about the other answers."


def bound_sentences(promise: CoordinatePromise) -> tuple[str, ...]:
    """For each attribute whose delta rests on them, all bounds, a sentence each; or that there are none."""
    lines = tuple(_bounds(promise, i) for i in promise.bound_dependent)
    return lines or ((NOTHING,) if min(promise.deltas) < promise.epsilon else ())


def ground_sentences(promise: CoordinatePromise) -> tuple[str, ...]:
    """What the survey's author says that the bounds rest on, in the author's words."""
    return tuple(f"The survey's author says, unchecked: {quote(words)}" for words in promise.ground)


def bounds_in_short(promise: CoordinatePromise) -> str:
    """The bounds of the first few attributes, as a part of a sentence."""
    relying = promise.bound_dependent
    said = [f"{promise.quoted_title(i)} {bound_in_short(promise, i)}" for i in relying[:FEW]]
    return ", ".join(said) + (f" and {len(relying) - FEW:,} more" if len(relying) > FEW else "")


def bound_in_short(promise: CoordinatePromise, i: int) -> str:
    """The bounds that one attribute's delta rests on, from the smallest."""
    numbers = [bound for statistic, bound in promise.rests_on(i) if statistic is not None]
    others = promise.rests_on_tables(i), promise.rests_on_signs(i), promise.rests_on_thresholds(i)
    numbers += [bound for each in others for _, bound in each]
    rest = promise.dependence.of_rest(i)
    together = [f"at most {_number(rest)}"] if rest < 1 else []
    if numbers:
        least, most = _number(min(numbers)), _number(max(numbers))
        together.append(f"at most {least if least == most else f'{least} to {most}'} by statistic")
    return " and ".join(together)


def dependence_json(promise: CoordinatePromise) -> dict[str, Any]:
    """All declared bounds, exactly, and what the survey's author says of them."""
    names, known = promise.names, promise.dependence
    statistics = [
        {"attribute": names[i], "statistic": [names[place] for place in statistic], "bound": str(bound)}
        for (i, statistic), bound in sorted(known.statistics.items())
    ]
    tables = [
        {"attribute": names[i], "table": [names[place] for place in places], "bound": str(bound)}
        for (i, places), bound in sorted(known.tables.items())
    ]
    thresholds = [
        {"attribute": names[i], "number": names[number], "bound": str(bound)}
        for (i, number), bound in sorted(known.thresholds.items())
    ]
    signs = [
        {"attribute": names[i], "category": names[category], "number": names[number], "bound": str(bound)}
        for (i, (category, number)), bound in sorted(known.category_signs.items())
    ]
    ground = list(promise.ground)
    return {
        "statistics": statistics,
        "tables": tables,
        "category_signs": signs,
        "thresholds": thresholds,
        "ground": ground,
    }


def _bounds(promise: CoordinatePromise, i: int) -> str:
    said = ", ".join(_each(promise, i))
    return f"The delta of {promise.quoted_title(i)} rests on bounds on dependence, from 0 (none) to 1: {said}."


def _each(promise: CoordinatePromise, i: int) -> Iterator[str]:
    for statistic, bound in promise.rests_on(i):
        about = "all other attributes together" if statistic is None else _about(promise, statistic)
        yield f"{about} at most {_number(bound)}"
    for places, bound in promise.rests_on_tables(i):
        *names, last = (promise.quoted_title(place) for place in places)
        yield f"one about {', '.join(names)} and {last} together at most {_number(bound)}"
    for pair, bound in promise.rests_on_signs(i):
        category, signed = (promise.quoted_title(place) for place in pair)
        yield f"one about {category} and the sign of {signed} together at most {_number(bound)}"
    for number, bound in promise.rests_on_thresholds(i):
        yield f"the share of people below any one threshold of {promise.quoted_title(number)} at most {_number(bound)}"


def _about(promise: CoordinatePromise, statistic: Moment) -> str:
    names = [promise.quoted_title(place) for place in statistic]
    if len(names) == 1:
        return f"an answer about {names[0]}"
    return f"one about the square of {names[0]}" if names[0] == names[1] else f"one about {names[0]} times {names[1]}"


def _number(bound: Fraction) -> str:
    return outward(bound, 4, up=True)
