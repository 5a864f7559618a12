"""From a survey to what a sample is compared by: its attributes, and every statistic that its questions may ask.

With bins promises are about the bin that a number falls in, with a Lipschitz constant about the number itself; devices
answer one bit about the number in both cases. Statistics that no plan comes to ask cost a little accuracy, those that
are forgotten have the bound 1: so all that a question may need are named.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from sordino.design.sample_questions import Compared, SampleNumber, SampleQuestions
from sordino.domain.attribute import Attribute
from sordino.errors import SordinoError
from sordino.survey.reading.survey_file import Survey

MOST_BINS = 1000


def questions_for_sample(survey: Survey) -> SampleQuestions:
    """The attributes of a survey in the order of the alphabet, and the statistics that its questions may ask.

    Raises:
        SordinoError: a number that may be missing: that it is missing is a value too, which no sample is compared by;
            an attribute of which several categories apply, or that is not asked of all.

    Example:
        >>> survey = Survey.read({
        ...     "version": 1, "epsilon": "1", "ask": [{"histogram": "smoker"}],
        ...     "attribute": {"smoker": {"categories": ["yes", "no"]}},
        ... })
        >>> questions_for_sample(survey).statistics
        ((0,),)
    """
    unlike = [name for name, one in survey.attribute.items() if one.several is not None or one.only_if is not None]
    if unlike:
        rule = "a sample tells how attributes depend that everybody is asked for one value of"
        found = f"{unlike[0]!r}, with several, or not asked of all"
        raise SordinoError(rule, found=found, step="declare bounds yourself, as dependence.rest, or nothing")
    lacking = [name for name, attribute in survey.attribute.items() if attribute.may_be_missing]
    if lacking:
        rule, found = (
            "a sample bounds the dependence only of numbers that everybody has",
            f"{lacking[0]!r}, which may be missing",
        )
        raise SordinoError(rule, found=found, step="declare the bound yourself, as dependence.rest, or nothing")
    attributes = tuple(_sample_attribute(survey, name) for name in survey.places)
    return SampleQuestions(attributes, tuple(statistics_of(survey)))


def statistics_of(survey: Survey) -> dict[Compared, None]:
    """What the questions of a survey may ask, each once and in their order."""
    places = {name: place for place, name in enumerate(survey.places)}
    categories = frozenset(name for name, table in survey.attribute.items() if table.number is None)
    asks = [(ask.kind, ask.settings) for ask in survey.questions]
    return dict.fromkeys(one for kind, settings in asks for one in kind.statistics(settings, places, categories))


def _sample_attribute(survey: Survey, name: str) -> Attribute:
    """An attribute, of a number with the bins and the constant that its table says."""
    attribute, number = survey.attribute_named(name), survey.attribute[name].number
    if number is None:
        return attribute
    ends = attribute.interval
    edges = () if number.bins is None else tuple(np.linspace(ends.low, ends.high, number.bins + 1).tolist())
    lipschitz = None if number.lipschitz is None else Fraction(repr(number.lipschitz))
    asked = (
        number.default_bins.edges if any(name in ask.kind.thresholds(ask.settings) for ask in survey.questions) else ()
    )
    is_date = survey.attribute[name].input == "date"
    found = SampleNumber(name, ends, attribute.columns, clip=attribute.clip, is_date=is_date, edges=edges)
    return replace(found, lipschitz=lipschitz, asked=asked)
