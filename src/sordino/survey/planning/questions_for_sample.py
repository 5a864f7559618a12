"""From a survey to what a sample is compared by: its attributes, and every statistic that its questions may ask.

With bins promises are about the bin that a number falls in, with a Lipschitz constant about the number itself; devices
answer one bit about the number in both cases. Statistics that no plan comes to ask cost a little accuracy, those that
are forgotten have the bound 1: so all that a question may need are named.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from sordino.design.dependence.sample_questions import CategoryAttribute, NumberAttribute, SampleQuestions
from sordino.domain.grid import Grid
from sordino.domain.statistic import Statistic
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.own_columns import columns_of
from sordino.survey.reading.schema import Survey

MOST_BINS = 1000


def questions_for_sample(survey: Survey) -> SampleQuestions:
    """The attributes of a survey in the order of the alphabet, and the statistics that its questions may ask.

    Example:
        >>> survey = Survey.read({
        ...     "version": 1, "epsilon": "1", "ask": [{"histogram": "smoker"}],
        ...     "attribute": {"smoker": {"categories": ["yes", "no"]}},
        ... })
        >>> questions_for_sample(survey).statistics
        ((0,),)
    """
    attributes: list[CategoryAttribute | NumberAttribute] = []
    for name, table in sorted(survey.attribute.items()):
        number = getattr(table, "number", None)
        if number is not None:
            plain = number if isinstance(number, Mapping) else number.model_dump(exclude_none=True)
            attributes.append(number_attribute(name, plain, table.column))
            continue
        domain = table.domain()
        columns = columns_of(name, table.column, grid=isinstance(domain, Grid))
        attributes.append(CategoryAttribute(name, domain, columns, table.missing))
    places = {name: place for place, name in enumerate(sorted(survey.attribute))}
    asks = [ask.model_dump(exclude_none=True) for ask in survey.ask]
    statistics = dict.fromkeys(statistic for ask in asks for statistic in statistics_of(ask, places))
    return SampleQuestions(tuple(attributes), tuple(statistics))


def number_attribute(name: str, number: Mapping[str, Any], column: str | None = None) -> NumberAttribute:
    """An attribute from its table `{ low, high, clip, bins, lipschitz }`.

    Args:
        name: of the attribute.
        number: `bins` is a list of edges from low to high, or how many of the same width; `lipschitz` is per unit of
            the number.
        column: of a table; the name by default.

    Raises:
        SordinoError: bins that do not fit the range.
    """
    low, high = float(number["low"]), float(number["high"])
    bins, lipschitz = number.get("bins"), number.get("lipschitz")
    if isinstance(bins, int):
        if not 1 <= bins <= MOST_BINS:
            raise SordinoError(f"attribute.{name}: bins must be 1 to {MOST_BINS}", found=shown(bins))
        bins = np.linspace(low, high, bins + 1).tolist()
    edges = tuple(float(edge) for edge in bins or ())
    constant = None if lipschitz is None else _constant(name, lipschitz)
    clip, columns = number.get("clip", False), () if column is None else (column,)
    return NumberAttribute(name, low, high, "number", edges, constant, clip, columns)


def statistics_of(ask: Mapping[str, Any], places: Mapping[str, int]) -> Iterator[Statistic]:
    """The statistics that a question may ask: `histogram`, `mean`, `covariance` or `regression`."""
    if "histogram" in ask:
        yield (places[ask["histogram"]],)
    for name in ask.get("mean", ()):
        yield (places[name],)
    regression = ask.get("regression", {})
    groups: list[Sequence[str]] = [ask.get("covariance", ())]
    if regression:
        groups.append([*regression["features"], regression["target"]])
    for names in groups:
        together = sorted(places[name] for name in names)
        for place in together:
            yield (place,)
        yield from combinations_with_replacement(together, 2)


def _constant(name: str, lipschitz: Any) -> Fraction:
    """A Lipschitz constant as it is written: a number, not a text that could be anything."""
    if isinstance(lipschitz, bool) or not isinstance(lipschitz, int | float):
        raise SordinoError(f"attribute.{name}: lipschitz must be a number", found=shown(lipschitz))
    try:
        return Fraction(repr(lipschitz))
    except ValueError:
        raise SordinoError(f"attribute.{name}: lipschitz must be finite", found=shown(lipschitz)) from None
