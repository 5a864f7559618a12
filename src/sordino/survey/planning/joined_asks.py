"""The questions of a survey as a plan asks them: histograms together, as tables, where the survey says so and it pays.

Joined are histograms of the same weight and the same epsilon for all their values, of attributes that nothing else asks
about. An attribute that decides whether another is asked, or depends on one, stays by itself. So do all where
attributes have deltas, since a report about several reveals something of each, and in a series, whose curves are of
questions.

As many people tell each joined histogram as told it before, times the number of attributes in a table: the weights of
the tables add up to those of the histograms.
"""

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from sordino.definition.pairwise import LDP
from sordino.design.shares.joined_questions import CellsChannel, JoinedQuestions, join_questions
from sordino.distinct import DistinctParts
from sordino.document.codec import OF_SHARES, decode_over
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats
from sordino.survey.kinds.shares.shares_kind import designed_channel
from sordino.survey.reading.ask_table import MOST_WEIGHT, AskTable
from sordino.survey.reading.survey_file import Survey
from sordino.survey.schema.expected_people import expected_values

HISTOGRAM = "histogram"
"""The setting that asks for the shares of an attribute's values."""


class PlannedAsk(NamedTuple):
    """A question as a plan asks it.

    Attributes:
        place: of the survey's `[[ask]]` that asks it, or the first of the histograms in whose place it stands.
        ask: what is asked, with its weight.
        is_joined: whether it stands in place of the histograms of its attributes.
    """

    place: int
    ask: AskTable
    is_joined: bool = False


class JoinedAsks(NamedTuple):
    """Histograms of one weight and one epsilon, asked together.

    Attributes:
        names: of the attributes, in the survey's order.
        tables: of attributes.
        gain: people needed for the same errors one at a time over those needed together, for each question at least.
    """

    names: tuple[str, ...]
    tables: tuple[tuple[str, ...], ...]
    gain: float


def planned_asks(survey: Survey, code_bits: int, designs: DistinctParts) -> list[PlannedAsk]:
    """The questions of a plan, in the survey's order; a table stands where the first of its histograms stood.

    Args:
        survey: checked.
        code_bits: of a report at most.
        designs: what is designed for the survey.
    """
    asked = [(place, one) for place, ask in enumerate(survey.ask) for one in ask.questions]
    tables: dict[str, list[tuple[str, ...]]] = {}
    weights: dict[tuple[str, ...], int] = {}
    joined = set[str]()
    by_name = {one.attributes[0]: one for _, one in asked if one.word == HISTOGRAM}
    for group in joined_asks(survey, code_bits, designs) if survey.together else ():
        members = {name for table in group.tables for name in table}
        joined |= members
        order = {name: at for at, name in enumerate(group.names)}
        for table in group.tables:
            tables.setdefault(min(table, key=order.__getitem__), []).append(table)
            weights[table] = len(members) * by_name[table[0]].weight // len(group.tables)
    planned = []
    for place, ask in asked:
        name = ask.attributes[0]
        if ask.word != HISTOGRAM or name not in joined:
            planned.append(PlannedAsk(place, ask))
            continue
        own = [AskTable.from_settings(weight=weights[table], table=list(table)) for table in tables.get(name, ())]
        planned += [PlannedAsk(place, one, is_joined=True) for one in own]
    return planned


def joined_asks(survey: Survey, code_bits: int, designs: DistinctParts) -> Iterator[JoinedAsks]:
    """The histograms of a survey that take fewer people together, whatever it says of that.

    Args:
        survey: checked.
        code_bits: of a report at most.
        designs: what is designed for the survey.
    """
    for (epsilon, weight), names in _alike_histograms(survey).items():
        shares = [_expected_shares(survey, name) for name in names]
        found = join_questions(shares, _channels(LDP(epsilon), code_bits, designs))
        if found is not None and (asks := _with_names(found, names, weight, survey)) is not None:
            yield asks


def _with_names(found: JoinedQuestions, names: Sequence[str], weight: int, survey: Survey) -> JoinedAsks | None:
    """The tables by name; None where a weight is too large, or a name would be another's."""
    tables = tuple(tuple(names[place] for place in table) for table in found.tables)
    members = {name for table in tables for name in table}
    if weight * len(members) > MOST_WEIGHT * len(tables):
        return None
    taken = {ask.kind.question_name(ask.settings) for ask in survey.questions}
    new = [AskTable.from_settings(table=list(table)) for table in tables]
    if taken.intersection(ask.kind.question_name(ask.settings) for ask in new):
        return None
    gain = min((gain for gain in found.gains if gain > 1), default=inf)
    return JoinedAsks(tuple(name for name in names if name in members), tables, gain)


def _alike_histograms(survey: Survey) -> dict[tuple[Nats, int], list[str]]:
    """The attributes whose histograms may be joined, by what they have in common: an epsilon, and a weight."""
    if survey.by_coordinates or survey.series is not None:
        return {}
    asked = [name for ask in survey.questions for name in ask.attributes]
    attributes = {name: survey.attribute_named(name) for name in survey.attribute}
    conditional = {name for name, own in attributes.items() if own.only_if}
    conditional |= {other for own in attributes.values() for other, _ in own.only_if}
    found: dict[tuple[Nats, int], list[str]] = {}
    for ask in survey.questions:
        name = ask.attributes[0]
        if ask.word != HISTOGRAM or name in conditional or asked.count(name) > 1 or survey.attribute[name].grid:
            continue
        if isinstance(promise := survey.definition(name), LDP):
            found.setdefault((promise.epsilon, ask.weight), []).append(name)
    return {alike: names for alike, names in found.items() if len(names) > 1}


def _expected_shares(survey: Survey, name: str) -> Floats:
    attribute = survey.attribute_named(name)
    given = survey.attribute[name].expected
    k = attribute.finite.k
    return np.full(k, 1 / k) if given is None else expected_values(given, attribute)


def _channels(promise: LDP, code_bits: int, designs: DistinctParts) -> Callable[[int], CellsChannel]:
    def channel(k: int) -> CellsChannel:
        part = designed_channel(k, promise, code_bits, designs)
        return CellsChannel(decode_over(part["mechanism"], promise, k, OF_SHARES), part["subtract_totals"])

    return channel
