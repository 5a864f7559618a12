"""How a number's distribution is asked: the square wave over its bins, at the largest level that all deltas allow."""

from typing import Any

from sordino.definition.dependence import Dependence
from sordino.design.numbers.drawn_answers import highest_levels
from sordino.design.numbers.square_wave import square_wave
from sordino.document.codec import freeze
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.survey.reading.ask_table import AskTable
from sordino.survey.reading.schema import Survey


def distribution_query(survey: Survey, name: str, ask: AskTable, dependence: Dependence) -> dict[str, Any]:
    """The part of a plan.

    A bin is not linear in the number: bounds on the dependence of its mean serve it not, only those for all others
    together; and of the number itself a report tells all that the channel does.
    """
    number = survey.attribute[name].number
    if number is None:
        raise SordinoError("a distribution must be of a number", found=name)
    bins, epsilon = number.binned, survey.epsilon or Nats.of(0)
    deltas = [survey.delta(place) for place in survey.places]
    (level,) = highest_levels([(survey.places.index(name),)], deltas, epsilon, Dependence(dependence.rest))
    cut = {"bins": bins.k} if number.edges is None else {"edges": list(bins.edges)}
    return {
        "distribution": name,
        "epsilon": str(level),
        **cut,
        "mechanism": freeze(square_wave(bins.k, level)),
        "quantiles": ask.quantiles or [],
        "ranges": ask.ranges or [],
    }
