"""How a number's distribution is asked: by which bin it lies in, or by one bit about a random threshold between bins.

The square wave over the bins tells more at one level; but what a bit about a threshold tells of other attributes is
decided by how far distribution functions differ, and a window of neighbouring bins by twice that at most. So under
deltas a bit may be asked at a larger level, and whichever tells the distribution function with less noise is taken.

Where many people are declared to have equal numbers, a hierarchy over the bins is looked at too: without smoothing it
tells the function with far less noise; where the distribution is smooth, a smoothed square wave is nearer to it.

Of a number that may be missing no bound on its distribution function serves: that it is missing has no place in the
order of the bins. It is asked by the square wave, spliced with a value more (`optional_wave`).
"""

from typing import Any

import numpy as np

from sordino.definition.dependence import Dependence
from sordino.design.numbers.drawn_answers import highest_bins_level, highest_levels
from sordino.design.numbers.hierarchy import hierarchy
from sordino.design.numbers.missing.optional_wave import optional_wave
from sordino.design.numbers.square_wave import square_wave, threshold_bits
from sordino.design.reproducible import coarse_number
from sordino.document.codec import freeze
from sordino.domain.bins import Bins
from sordino.errors import SordinoError
from sordino.estimation.distributions.distribution import function_errors
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
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
    if survey.attribute[name].lacking:
        mechanism: Mechanism = optional_wave(bins.k, level, survey.named(name).missing_share)
    else:
        wider, widest = (
            highest_bins_level(place, pieces, deltas, epsilon, dependence) for pieces in (OF_A_WINDOW, OF_A_BIT)
        )
        ways: list[tuple[Nats, Mechanism]] = [(wider, square_wave(bins.k, wider))]
        if widest > wider:
            ways.append((widest, threshold_bits(bins.k, widest)))
        if number.spikes:
            ways.append((level, hierarchy(bins.k, level)))
        # The first of equal ones.
        level, mechanism = min(ways, key=lambda way: _noise(way[1], bins)) if len(ways) > 1 else ways[0]
    cut = {"bins": bins.k} if number.edges is None else {"edges": list(bins.edges)}
    return {
        "distribution": name,
        "epsilon": str(level),
        **cut,
        "mechanism": freeze(mechanism),
        "quantiles": ask.quantiles or [],
        "ranges": ask.ranges or [],
        **({"spikes": True} if number.spikes else {}),
    }


def _noise(mechanism: Mechanism, bins: Bins) -> float:
    """The mean squared error of the distribution function at the edges, of one evenly spread person."""
    try:
        errors = function_errors(mechanism, bins.widths / bins.ends.width, 1)
    except SordinoError:
        # Its reports do not depend on the number.
        return np.inf
    return coarse_number(float((errors**2).mean()))
