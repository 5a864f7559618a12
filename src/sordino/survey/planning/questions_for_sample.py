"""From a survey to what a sample is compared by: its attributes, and every statistic that its questions may ask.

With bins promises are about the bin that a number falls in, with a Lipschitz constant about the number itself; devices
answer one bit about the number in both cases. Statistics that no plan comes to ask cost a little accuracy, those that
are forgotten have the bound 1: so all that a question may need are named.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from sordino.design.dependence.sample_questions import (
    CategorySignDistribution,
    Compared,
    DistributionFunction,
    SampleNumber,
    SampleQuestions,
)
from sordino.domain.attribute import Attribute
from sordino.errors import SordinoError
from sordino.survey.reading.schema import Survey

MOST_BINS = 1000


def questions_for_sample(survey: Survey) -> SampleQuestions:
    """The attributes of a survey in the order of the alphabet, and the statistics that its questions may ask.

    Raises:
        SordinoError: a number that may be missing: that it is missing is a value too, which no sample is compared by.

    Example:
        >>> survey = Survey.read({
        ...     "version": 1, "epsilon": "1", "ask": [{"histogram": "smoker"}],
        ...     "attribute": {"smoker": {"categories": ["yes", "no"]}},
        ... })
        >>> questions_for_sample(survey).statistics
        ((0,),)
    """
    lacking = [name for name, attribute in survey.attribute.items() if attribute.lacking]
    if lacking:
        rule, found = "a sample tells how numbers depend that everybody has", f"{lacking[0]!r}, which may be missing"
        raise SordinoError(rule, found=found, step="declare the bound yourself, as dependence.rest, or nothing")
    attributes = tuple(_compared(survey, name) for name in survey.places)
    places = {name: place for place, name in enumerate(survey.places)}
    asks = [ask.model_dump(exclude_none=True) for ask in survey.questions]
    counted = frozenset(name for name, table in survey.attribute.items() if table.number is None)
    statistics = dict.fromkeys(statistic for ask in asks for statistic in statistics_of(ask, places, counted))
    return SampleQuestions(attributes, tuple(statistics))


def statistics_of(
    ask: Mapping[str, Any], places: Mapping[str, int], categories: Collection[str] = ()
) -> Iterator[Compared]:
    """What a question may ask: `histogram`, `table`, `distribution`, `mean`, `covariance` or `regression`.

    Of a regression on attributes of `categories`, by their names, the combinations of each two, and each of them with
    each number's sign.
    """
    if "distribution" in ask:
        yield DistributionFunction(places[ask["distribution"]])
    if "histogram" in ask:
        yield (places[ask["histogram"]],)
    if "table" in ask:
        yield tuple(sorted(places[name] for name in ask["table"]))
    for name in ask.get("mean", ()):
        yield (places[name],)
    regression = ask.get("regression", {})
    groups: list[Sequence[str]] = [ask.get("covariance", ())]
    if regression:
        everything = [*regression["features"], regression["target"]]
        groups.append([name for name in everything if name not in categories])
        coded = sorted(places[name] for name in everything if name in categories)
        yield from combinations(coded, 2)
        numbers = sorted(places[name] for name in everything if name not in categories)
        yield from (CategorySignDistribution(category, number) for category in coded for number in numbers)
    for names in groups:
        together = sorted(places[name] for name in names)
        for place in together:
            yield (place,)
        yield from combinations_with_replacement(together, 2)


def _compared(survey: Survey, name: str) -> Attribute:
    """An attribute, of a number with the bins and the constant that its table says."""
    attribute, number = survey.named(name), survey.attribute[name].number
    if number is None:
        return attribute
    ends = attribute.interval
    edges = () if number.bins is None else tuple(np.linspace(ends.low, ends.high, number.bins + 1).tolist())
    lipschitz = None if number.lipschitz is None else Fraction(repr(number.lipschitz))
    asked = number.binned.edges if any(ask.distribution == name for ask in survey.questions) else ()
    found = SampleNumber(name, ends, attribute.columns, clip=attribute.clip, edges=edges, lipschitz=lipschitz)
    return replace(found, asked=asked)
