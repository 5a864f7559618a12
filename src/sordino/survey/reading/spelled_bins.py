"""Bins of a number as people write them, and ranges to write in place of a number.

number = [0, 120]
edges = [18, 30, 65]                                    # [0, 18, 30, 65, 120]
groups = ["under 18", "18-29", "30-64", "65+"]          # the same
bin_width = 10                                          # bins = 12
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from math import ceil
from typing import Any

from sordino.domain.bins import HALF, plain

NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
TO = r"\s*(?:-|\u2013|\u2014|to|\.\.\.?)\s*"
PAIR = re.compile(rf"\s*({NUMBER}){TO}({NUMBER})\s*")
"""Two ends in one text: `1-7`, `1 to 7`, `1..7`."""

BELOW = re.compile(rf"\s*(?:under|below|less than|up to|<=?)\s*({NUMBER})\s*", re.IGNORECASE)
"""An open first group: `under 18`."""

ABOVE = re.compile(
    rf"\s*(?:(?:over|above|more than|from|>=?)\s*({NUMBER})"
    rf"|({NUMBER})\s*(?:\+|(?:and|or) (?:more|older|over|above)))\s*",
    re.IGNORECASE,
)
"""An open last group: `over 65`, `65+`, `65 and over`."""

WIDTHS = ("width", "size", "step")
"""Words for the width of bins, in a table of them."""

MOST_RANGES = 12
"""That a message proposes in place of a number."""


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def ends_in_text(given: Any) -> list[int | float] | None:
    """The two numbers of a text like `1-7`; None of anything else."""
    found = PAIR.fullmatch(given) if isinstance(given, str) else None
    return None if found is None else [_number(found[1]), _number(found[2])]


def group_starts(groups: Sequence[str]) -> list[int | float] | None:
    """Where each group but the first begins; None where groups do not follow one another.

    Example:
        >>> group_starts(["under 18", "18-29", "30 to 64", "65+"])
        [18, 30, 65]
    """
    starts, before = list[int | float](), None
    for i, group in enumerate(groups):
        first, last = BELOW.fullmatch(group), ABOVE.fullmatch(group)
        pair = ends_in_text(group)
        if pair is not None:
            start, end = pair
        elif i == 0 and first is not None and len(groups) > 1:
            before = _number(first[1])
            continue
        elif i == len(groups) - 1 and last is not None:
            start = end = _number(last[1] or last[2])
        else:
            return None
        if i and before not in (start, start - 1):
            return None
        starts += [start] if i else []
        before = end
    return starts


def whole_range(edges: Any, low: Any, high: Any) -> list[Any] | None:
    """Edges from end to end, the ends added where they are left out; None of what is no list of edges within them."""
    if not isinstance(edges, list) or not edges:
        return None
    given = [low, *edges, high]
    is_number = all(isinstance(one, int | float) and not isinstance(one, bool) for one in given)
    if not is_number and not all(isinstance(one, date) and not isinstance(one, datetime) for one in given):
        return None
    if not (low <= edges[0] and edges[-1] <= high and all(first < second for first, second in pairwise(edges))):
        return None
    return [*([] if edges[0] == low else [low]), *edges, *([] if edges[-1] == high else [high])]


def edges_within(edges: Any, low: Any, high: Any) -> list[Any] | None:
    """Those of some ascending edges that lie between the ends; None where all do, or they are no such numbers."""
    numbers = [low, *edges, high] if isinstance(edges, list) else [None]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        return None
    inner = [edge for edge in edges if low < edge < high]
    is_beyond = any(edge < low or edge > high for edge in edges)
    return inner if is_beyond and all(first < second for first, second in pairwise(edges)) else None


def scale_edges(edges: Sequence[int]) -> list[float]:
    """Edges of a whole-number scale from half to half: a value at an edge belongs to the bin that begins with it."""
    first, *inner, last = edges
    return [first - HALF, *(edge - HALF for edge in inner), last + HALF]


def width_of(bins: Any) -> Any:
    """The width that a table of bins gives: `{ width = 10 }`; None of anything else."""
    if not isinstance(bins, Mapping) or len(bins) != 1:
        return None
    ((word, width),) = bins.items()
    return width if word in WIDTHS else None


def bins_of_width(width: Any, low: Any, high: Any) -> int | None:
    """How many bins of one width there are from end to end; None where they do not fit."""
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in (width, low, high)) or width <= 0:
        return None
    count = (high - low) / width
    return round(count) if round(count) >= 1 and abs(count - round(count)) < 1e-9 * count else None


def even_starts(low: int, high: int, bins: int) -> list[int]:
    """The first whole number of each of some bins from end to end, as even as possible.

    Example:
        >>> even_starts(0, 10, 4)
        [0, 2, 5, 8]
    """
    return [low + i * (high - low + 1) // bins for i in range(bins)]


def names_by_distance(low: float, high: float, distance: float, edges: Any = None) -> tuple[list[str], list[str]]:
    """Ranges to write in place of a number whose near values are protected more than far ones.

    Args:
        low, high: ends of the number.
        distance: at which two values are protected by epsilon.
        edges: of its bins; without them ranges are as wide as the distance, or a few times so.

    Returns:
        their names, and where each lies, as texts, in units of the distance.

    Example:
        >>> names_by_distance(0, 40, 10)
        (['0 to 9', '10 to 19', '20 to 29', '30 to 40'], ['0', '1', '2', '3'])
    """
    by = max(1, ceil((high - low) / distance / MOST_RANGES)) * distance
    starts = [low + i * by for i in range(max(2, ceil((high - low) / by - 1e-9)))]
    if isinstance(edges, list) and whole_range(edges, low, high) == edges:
        starts = edges[:-1]
    less = 1 if all(float(start).is_integer() for start in (*starts, high)) else 0
    ends = [*(start - less for start in starts[1:]), max(high, starts[-1])]
    names = [f"{plain(first)} to {plain(last)}" for first, last in zip(starts, ends, strict=True)]
    return names, [plain((start - low) / distance) for start in starts]
