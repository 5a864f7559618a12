"""Channels from numbers as the integers of a plan, and back."""

from typing import Any

from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.mechanism.mixture import Mixture
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.sampled_bits import SampledBits
from sordino.mechanism.signs import SignResponse
from sordino.survey.channel_parts import BitsPart, MixturePart, NumberChannelPart, SignsPart


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
        case SignResponse():
            record = {"m": channel.m, "size": channel.size, "tolerance": channel.tolerance}
            return {"name": "signs", "threshold": str(channel.threshold), **record}
        case Mixture():
            types = [
                {
                    "weight": weight,
                    "parts": [{"places": list(places), "channel": freeze_numbers(part)} for places, part in parts],
                }
                for weight, parts in zip(channel.weights, channel.parts, strict=True)
            ]
            return {"name": "mixture", "d": channel.d, "types": types}
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
        case SignsPart():
            return SignResponse.from_threshold(part.m, int(part.threshold), part.size, part.tolerance)
        case MixturePart():
            types = [[(tuple(one.places), thaw_numbers(one.channel)) for one in kind.parts] for kind in part.types]
            return Mixture(part.d, types, [kind.weight for kind in part.types])
