"""Mechanisms as documents hold them, and back: each brings its own name and record.

A new one is its file and its line in these tables, by which it is loaded where a document names it. What is read is
written again to the same bytes: a document has one text for each mechanism.
"""

from collections.abc import Mapping
from typing import Any

from sordino.errors import SordinoError
from sordino.exact.entries import Entries
from sordino.exact.messages import shown
from sordino.homes import Homes
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import read_channel

OF_SHARES: Homes[type[Mechanism]] = Homes(
    {
        "randomized": "mechanism.randomized:RandomizedResponse",
        "projective": "mechanism.projective:ProjectiveResponse",
        "subset": "mechanism.subset_selection:SubsetSelection",
        "cyclic": "mechanism.cyclic_subsets:CyclicSubsets",
        "blockwise": "mechanism.blockwise:Blockwise",
        "high-low": "mechanism.high_low_response:HighLow",
        "binary": "mechanism.binary:BinaryOptimal",
        "table": "mechanism.channel_table:ChannelTable",
        "tree": "mechanism.tree_response:TreeResponse",
        "product": "mechanism.product_response:ProductResponse",
    }
)
"""What a histogram is asked through."""

MECHANISMS: Homes[type[Mechanism]] = Homes(
    {
        **OF_SHARES.places,
        "window": "mechanism.window:WindowResponse",
        "optional-window": "mechanism.window:OptionalWindow",
        "hierarchy": "mechanism.hierarchy:HierarchyResponse",
        "flips": "mechanism.bit_flips:BitFlips",
        "linear": "mechanism.channel_table:LinearTable",
        "meeting": "mechanism.meeting_subsets:MeetingSubsets",
    }
)
"""What documents hold."""

OF_BINS, OF_OPTIONAL_BINS = (MECHANISMS.only(window, "hierarchy") for window in ("window", "optional-window"))
"""What a distribution is asked through: of a number that everybody has, and of one that may be missing."""

OF_ITEMS = MECHANISMS.only("meeting")
"""What categories of which several apply are asked through all together, each as one item."""

LARGEST_TABLE = 1 << 16
"""Weights of a histogram's table at most, each of which a reader looks at: 256 values and as many codes."""


def encode(mechanism: Mechanism, kinds: Mapping[str, type[Mechanism]] = MECHANISMS) -> dict[str, Any]:
    """The name and the integers of a mechanism, ready for JSON; integers beyond 2^53 as text.

    Raises:
        SordinoError: a mechanism that no document holds.
    """
    if kinds.get(mechanism.name) is not type(mechanism):
        raise SordinoError("a plan freezes mechanisms that a survey can choose", found=type(mechanism).__name__)
    return mechanism.document_fields


def decode(
    found: object,
    promise: object = None,
    where: str = "mechanism",
    kinds: Mapping[str, type[Mechanism]] = MECHANISMS,
) -> Mechanism:
    """The mechanism that was frozen, over the blocks or the sensitive values that the promise tells.

    Args:
        found: JSON from outside.
        promise: the definition of privacy that it is to keep.
        where: it stands in the document, for messages.
        kinds: what it can be, by name.

    Raises:
        DamagedError: other words than `encode` writes.
        SordinoError: integers that make no mechanism, or none that fits the promise.
    """
    return read_channel(Entries(found, where), kinds, promise)


def decode_over(found: object, promise: object, k: int, kinds: Mapping[str, type[Mechanism]] = OF_SHARES) -> Mechanism:
    """The mechanism of a histogram over k values that was frozen: one that is certified in seconds.

    Raises:
        SordinoError: as `decode`, and a mechanism about other values, or with too many weights of its own.
    """
    mechanism = decode(found, promise, kinds=kinds)
    if mechanism.k != k:
        raise SordinoError(f"the mechanism must be about {k} values", found=shown(mechanism.k))
    largest = max(part.listed_weights for part in mechanism.parts or (mechanism,))
    if largest > LARGEST_TABLE:
        rule = f"a histogram's table must have at most {LARGEST_TABLE} weights"
        raise SordinoError(rule, found=f"{largest:,}", step="ask about fewer values")
    return mechanism
