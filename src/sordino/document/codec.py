"""Mechanisms and channels of numbers as documents hold them, and back: each brings its own name and record.

A new one is its file and its line in one of these tuples. What is read is written again to the same bytes: a document
has one text for each channel.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from sordino.errors import DamagedError, SordinoError
from sordino.exact.entries import Entries
from sordino.exact.messages.brief import shown
from sordino.mechanism.base import Mechanism
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.channel import Channel
from sordino.mechanism.high_low import HighLow
from sordino.mechanism.inner import INNER
from sordino.mechanism.levels import LevelResponse
from sordino.mechanism.mixture import Mixture
from sordino.mechanism.number import NumberChannel
from sordino.mechanism.record import read_channel
from sordino.mechanism.sampled_bits import SampledBits
from sordino.mechanism.sign_tables import SignTables
from sordino.mechanism.table import ChannelTable

MECHANISMS: tuple[type[Mechanism], ...] = (*INNER.values(), Blockwise, HighLow, BinaryOptimal, ChannelTable)
"""Over finite values."""

NUMBER_CHANNELS: tuple[type[NumberChannel], ...] = (SampledBits, SignTables, LevelResponse, Mixture)
"""From numbers."""

Kind = TypeVar("Kind", bound=Channel)


def freeze(channel: Channel, kinds: Sequence[type[Channel]] = (*MECHANISMS, *NUMBER_CHANNELS)) -> dict[str, Any]:
    """The name and the integers of a channel, ready for JSON; integers beyond 2^53 as text.

    Raises:
        SordinoError: a channel of no such kind.
    """
    if type(channel) not in kinds:
        raise SordinoError("a plan freezes mechanisms that a survey can choose", found=type(channel).__name__)
    return channel.frozen


def thaw_mechanism(found: object, promise: object, k: int) -> Mechanism:
    """The mechanism that was frozen, over k values, with the blocks or the sensitive values that the promise tells.

    Raises:
        SordinoError: as `thaw`, and a mechanism about other values.
    """
    mechanism = thaw(found, MECHANISMS, promise)
    if mechanism.k != k:
        raise SordinoError(f"the mechanism must be about {k} values", found=shown(mechanism.k))
    return mechanism


def thaw(found: object, kinds: Sequence[type[Kind]], promise: object = None, where: str = "mechanism") -> Kind:
    """The channel that was frozen, over the blocks or the sensitive values that the promise tells.

    Args:
        found: JSON from outside.
        kinds: what it can be.
        promise: the definition of privacy that it is to keep.
        where: it stands in the document, for messages.

    Raises:
        DamagedError: other words than `freeze` writes.
        SordinoError: integers that make no channel, or none that fits the promise.
    """
    channel = read_channel(Entries(found, where), kinds, promise)
    if channel.frozen != found:
        raise DamagedError(f"{where} must be as it was frozen", found="another spelling")
    return channel
