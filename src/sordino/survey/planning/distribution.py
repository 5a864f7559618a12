"""How a number's distribution is asked: by which bin it lies in, or by one bit about a random threshold between bins.

What is asked decides, by the exact variance of what will be shown (`bins_channel`); spikes count as far as the curve is
then not smoothed. What a bit about a threshold reveals of other attributes is decided by how far distribution functions
differ, and a window of neighbouring bins by twice that at most. So under deltas a bit or a window may be asked at a
larger level than a hierarchy, whose codes stand for nodes here and there. Of a number that may be missing no bound on
its distribution function serves: that it is missing has no place in the order of the bins.
"""

from typing import Any

from sordino.definition.dependence import Dependence
from sordino.design.numbers.bins.bins_channel import BinLevels, BinsAsked, bins_channel
from sordino.design.numbers.drawn_answers import highest_bins_level, highest_levels
from sordino.document.codec import freeze
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.survey.reading.ask_table import AskTable
from sordino.survey.reading.schema import Survey

OF_A_BIT, OF_A_WINDOW = 1, 2
"""Monotone pieces of the probability of a code over the bins; a plan's certificate counts them in its integers."""


def distribution_query(survey: Survey, name: str, ask: AskTable, dependence: Dependence) -> dict[str, Any]:
    """The part of a plan.

    A bin is not linear in the number: bounds on the dependence of its mean serve it not, only those for all others
    together, and those for its distribution function; and of the number itself a report tells all that the channel
    does.
    """
    number = survey.attribute[name].number
    if number is None:
        raise SordinoError("a distribution must be of a number", found=name, step="ask for its histogram")
    bins, epsilon = number.binned, survey.epsilon or Nats.of(0)
    deltas, place = [survey.delta(each) for each in survey.places], survey.places.index(name)
    (level,) = highest_levels([(place,)], deltas, epsilon, Dependence(dependence.rest))
    wider, widest = level, level
    if not survey.attribute[name].lacking:
        wider, widest = (
            highest_bins_level(place, pieces, deltas, epsilon, dependence) for pieces in (OF_A_WINDOW, OF_A_BIT)
        )
    spikes, missing = bool(number.spikes), survey.named(name).missing_share
    asked = BinsAsked.of(bins, ask.ranges or (), len(ask.quantiles or ()), spikes=spikes, missing=missing)
    level, mechanism = bins_channel(asked, BinLevels(level, wider, widest))
    cut = {"bins": bins.k} if number.edges is None else {"edges": list(bins.edges)}
    return {
        "distribution": name,
        "epsilon": str(level),
        **cut,
        "mechanism": freeze(mechanism),
        "quantiles": ask.quantiles or [],
        "ranges": ask.ranges or [],
        **({"spikes": True} if spikes else {}),
    }
