"""What a result finds, in a sentence: the head of a page has those of the first questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto


class Topic(Enum):
    """What a finding is about, in the order of a page."""

    SHARES = auto()
    """Which value has the largest share."""
    SERIES = auto()
    """What changed over the periods of a series."""
    ASSOCIATION = auto()
    """Whether attributes go together."""
    GROUPS = auto()
    """What differs between groups of people."""
    NUMBERS = auto()
    """A mean or a median."""


@dataclass(frozen=True)
class Finding:
    """A sentence that claims no more than its intervals do.

    Attributes:
        text: with its interval and its full stop.
        is_sure: whether it claims something beyond noise; otherwise it says that nothing can be claimed.
    """

    topic: Topic
    text: str
    is_sure: bool = True


def in_brackets(texts: Mapping[str, str], confidence: float, of: str = "") -> str:
    """An estimate with its interval.

    Args:
        texts: `estimate`, `low` and `high`.
        confidence: of the interval, or of all that hold together.
        of: which intervals hold together; empty for each by itself.

    Example:
        >>> in_brackets({"estimate": "20.1 %", "low": "16.0 %", "high": "24.3 %"}, 0.95)
        '20.1 % (95 % interval 16.0 % to 24.3 %)'
    """
    together = f" for {of} together" if of else ""
    return f"{texts['estimate']} ({100 * confidence:.15g} % interval{together} {texts['low']} to {texts['high']})"
