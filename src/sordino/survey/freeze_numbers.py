"""Channels from numbers as the integers of a plan, and back."""

from typing import Any

from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.mechanism.levels import LevelResponse
from sordino.mechanism.mixture import Mixture
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.sampled_bits import SampledBits
from sordino.mechanism.sign_tables import Row, SignTables
from sordino.survey.channel_parts import BitsPart, LevelsPart, MixturePart, NumberChannelPart, SignTablesPart


def freeze_numbers(channel: NumberChannel) -> dict[str, Any]:
    """The integers of a channel; those beyond 2^53 as text."""
    match channel:
        case SampledBits():
            return {
                "name": "bits",
                "d": channel.d,
                "statistics": [list(name) for name in channel.moments.names],
                "thresholds": [str(threshold) for threshold in channel.thresholds],
                "weights": list(channel.weights),
            }
        case SignTables():
            return {
                "name": "sign-tables",
                "d": channel.d,
                "tables": [[str(weight) for weight in table] for table in channel.tables],
                "rows": [{"places": list(row.places), "table": row.table} for row in channel.rows],
                "weights": list(channel.weights),
            }
        case LevelResponse():
            return {
                "name": "levels",
                "levels": channel.levels,
                "window": channel.window,
                "threshold": str(channel.threshold),
            }
        case Mixture():
            return {
                "name": "mixture",
                "d": channel.d,
                "types": [
                    [{"places": list(places), "channel": freeze_numbers(part)} for places, part in parts]
                    for parts in channel.kinds
                ],
                "weights": list(channel.weights),
            }
        case _:
            raise SordinoError("a plan freezes channels that a survey can choose", found=type(channel).__name__)


def thaw_numbers(part: NumberChannelPart) -> NumberChannel:
    """The channel with a document's integers.

    Raises:
        SordinoError: integers that make no channel.
    """
    match part:
        case BitsPart():
            names = tuple(tuple(name) for name in part.statistics)
            return SampledBits.from_thresholds(Moments(part.d, names), [int(t) for t in part.thresholds], part.weights)
        case SignTablesPart():
            tables = tuple(tuple(int(weight) for weight in table) for table in part.tables)
            rows = tuple(Row(tuple(row.places), row.table) for row in part.rows)
            return SignTables(part.d, tables, rows, tuple(part.weights))
        case LevelsPart():
            return LevelResponse.from_threshold(part.levels, int(part.threshold), part.window)
        case MixturePart():
            types = [[(answer.places, thaw_numbers(answer.channel)) for answer in answers] for answers in part.types]
            return Mixture(part.d, types, part.weights)
