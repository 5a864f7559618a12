"""Mechanisms as documents hold them, and back: each brings its own name and record.

A new one is its file and its line in this tuple. What is read is written again to the same bytes: a document
has one text for each mechanism.
"""

from collections.abc import Sequence
from typing import Any

from sordino.errors import SordinoError
from sordino.exact.entries import Entries
from sordino.exact.messages.brief import shown
from sordino.mechanism.base import Mechanism
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.high_low import HighLow
from sordino.mechanism.inner import INNER
from sordino.mechanism.metric.product_response import ProductResponse
from sordino.mechanism.metric.tree_response import TreeResponse
from sordino.mechanism.numbers.bit_flips import BitFlips
from sordino.mechanism.numbers.hierarchy import HierarchyResponse
from sordino.mechanism.numbers.linear_table import LinearTable
from sordino.mechanism.numbers.optional_window import OptionalWindow
from sordino.mechanism.numbers.window import WindowResponse
from sordino.mechanism.record import read_channel
from sordino.mechanism.table import ChannelTable

OF_SHARES: tuple[type[Mechanism], ...] = (
    *INNER.values(), Blockwise, HighLow, BinaryOptimal, ChannelTable, TreeResponse, ProductResponse,
)  # fmt: skip
"""What a histogram is asked through."""

MECHANISMS: tuple[type[Mechanism], ...] = (
    *OF_SHARES, WindowResponse, OptionalWindow, HierarchyResponse, BitFlips, LinearTable
)  # fmt: skip
"""What documents hold."""

LARGEST_TABLE = 1 << 16
"""Weights of a histogram's table at most, each of which a reader looks at: 256 values and as many codes."""


def freeze(mechanism: Mechanism, kinds: Sequence[type[Mechanism]] = MECHANISMS) -> dict[str, Any]:
    """The name and the integers of a mechanism, ready for JSON; integers beyond 2^53 as text.

    Raises:
        SordinoError: a mechanism that no document holds.
    """
    if type(mechanism) not in kinds:
        raise SordinoError("a plan freezes mechanisms that a survey can choose", found=type(mechanism).__name__)
    return mechanism.document_fields


def thaw(
    found: object,
    promise: object = None,
    where: str = "mechanism",
    kinds: Sequence[type[Mechanism]] = MECHANISMS,
) -> Mechanism:
    """The mechanism that was frozen, over the blocks or the sensitive values that the promise tells.

    Args:
        found: JSON from outside.
        promise: the definition of privacy that it is to keep.
        where: it stands in the document, for messages.
        kinds: what it can be.

    Raises:
        DamagedError: other words than `freeze` writes.
        SordinoError: integers that make no mechanism, or none that fits the promise.
    """
    return read_channel(Entries(found, where), kinds, promise)


def thaw_over(found: object, promise: object, k: int, kinds: Sequence[type[Mechanism]] = OF_SHARES) -> Mechanism:
    """The mechanism of a histogram over k values that was frozen: one that is certified in seconds.

    Raises:
        SordinoError: as `thaw`, and a mechanism about other values, or with too many weights of its own.
    """
    mechanism = thaw(found, promise, kinds=kinds)
    if mechanism.k != k:
        raise SordinoError(f"the mechanism must be about {k} values", found=shown(mechanism.k))
    tables = [part for part in mechanism.parts or (mechanism,) if isinstance(part, ChannelTable)]
    if any(table.k * table.outputs > LARGEST_TABLE for table in tables):
        largest = max(table.k * table.outputs for table in tables)
        rule = f"a histogram's table must have at most {LARGEST_TABLE} weights"
        raise SordinoError(rule, found=f"{largest:,}", step="ask about fewer values")
    return mechanism
