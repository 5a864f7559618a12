"""Parts of a type of answers: channels that each see some numbers of one record, and what they tell together."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from sordino.definition.sampling import AnswerType
from sordino.domain.statistic import Statistic
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.mechanism.levels import LevelResponse
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.sampled_bits import SampledBits

Part: TypeAlias = tuple[tuple[int, ...], NumberChannel]
"""The places of the record's numbers that a channel sees, in its own order, and the channel."""

PARTS = (SampledBits, LevelResponse)
"""What a document's parts can be."""


def statistics_of(places: tuple[int, ...], channel: NumberChannel) -> list[Statistic]:
    """The statistics of a part, named by the places of the whole record."""
    return [tuple(sorted(places[place] for place in name)) for name in channel.moments.names]


def answers_of(parts: tuple[Part, ...]) -> Iterator[AnswerType]:
    """All that the parts of a type can be drawn to answer together."""
    for drawn in product(*(channel.types for _, channel in parts)):
        answers = []
        for (places, _), own in zip(parts, drawn, strict=True):
            for answer in own:
                named = tuple(tuple(sorted(places[place] for place in name)) for name in answer.statistics)
                answers.append(replace(answer, statistics=named))
        yield tuple(answers)


def check_parts(parts: tuple[Part, ...], d: int) -> None:
    """Refuse parts that do not fit a record of d numbers.

    Raises:
        SordinoError: no parts, places that do not fit, or a statistic that is told twice.
    """
    if not parts:
        raise SordinoError("a type must have parts", found="none", step="leave it out")
    for places, channel in parts:
        inside = all(type(place) is int and 0 <= place < d for place in places)
        if not inside or len(set(places)) < len(places) or len(places) != channel.d:
            raise SordinoError(
                f"a part must see {channel.d} different numbers among {d}, as its channel does",
                found=shown(list(places)),
            )
    told = [name for places, channel in parts for name in statistics_of(places, channel)]
    if len(set(told)) < len(told):
        raise SordinoError(
            "the parts of a type must tell different statistics",
            found="one of them told twice",
            step="let one part tell it, at the sum of both levels",
        )
