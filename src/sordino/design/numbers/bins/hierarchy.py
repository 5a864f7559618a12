"""The hierarchy over the bins of a number: each level by its best mechanism.

Guarantee: none here; the mechanism is certified. Fan-out 4 is near the best for any ranges under LDP (Cormode, Kulkarni
and Srivastava 2019); where it is known which ranges are asked, another may serve them better.
"""

from sordino.design.counting_channel import counting_channel
from sordino.exact.nats import Nats
from sordino.mechanism.numbers.hierarchy import HierarchyResponse, level_sizes

FAN = 4
"""Nodes within a node."""

MOST_CODES = 4
"""For each node of a level: many more are hardly better, and all are worked with."""


def hierarchy(k: int, level: Nats, fan: int = FAN) -> HierarchyResponse:
    """The hierarchy over k bins that keeps a level of LDP, by the least variance of each level's shares.

    Example:
        >>> hierarchy(20, Nats.of(2)).outputs
        27
    """
    return HierarchyResponse(
        k, fan, [counting_channel(nodes, level, MOST_CODES * nodes) for nodes in level_sizes(k, fan)]
    )
