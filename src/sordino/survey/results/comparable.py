"""Why what two collections tell of an attribute cannot be compared: how its values differ, in words."""

from collections.abc import Iterator
from typing import TypeAlias

from sordino.domain.bins import plain
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.survey.estimates.quantities import Range, Values

Place: TypeAlias = Grid | frozenset[str] | Range
"""The values of one attribute."""

NAMED = 3
"""Labels that only one side has, of which so many are named."""

STEP = "compare collections with the same values; for each by itself: `sordino.estimate`"


def why_apart(name: str, before: Values, after: Values) -> SordinoError:
    """The rule, all that is found, and the next step.

    Args:
        name: of what is told.
        before: the values of its attributes in the earlier collection.
        after: in the later one.
    """
    found = [said for one in after if before[one] != after[one] for said in _apart(one, before[one], after[one])]
    return SordinoError(f"{name} must be of the same values in both collections", found="; ".join(found), step=STEP)


def _apart(name: str, before: Place, after: Place) -> Iterator[str]:
    """What differs of one attribute."""
    if isinstance(before, frozenset) and isinstance(after, frozenset):
        for labels, side in ((before - after, "earlier"), (after - before, "later")):
            if labels:
                yield f"{_list_labels(labels)} of {name} in the {side} one alone"
    elif isinstance(before, Range) and isinstance(after, Range):
        if before.edges != after.edges:
            yield f"{name} {_reach(before, after)} before, {_reach(after, before)} after"
        if before.clip != after.clip:
            yield f"{name} is cut to its ends in the {'earlier' if before.clip else 'later'} one alone"
        if before.missing != after.missing:
            yield f"{name} may be missing in the {'earlier' if before.missing else 'later'} one alone"
    elif isinstance(before, Grid) and isinstance(after, Grid):
        yield f"{name} in {_cells(before)} before, {_cells(after)} after"
    else:
        yield f"{name} on a map in the {'earlier' if isinstance(before, Grid) else 'later'} one alone"


def _list_labels(labels: frozenset[str]) -> str:
    rest = f" and {len(labels) - NAMED:,} more" if len(labels) > NAMED else ""
    return ", ".join(map(repr, sorted(labels)[:NAMED])) + rest


def _reach(own: Range, other: Range) -> str:
    """From where to where, in how many bins; of as many between the same ends the first edge that differs."""
    bins, ends = len(own.edges) - 1, (own.edges[0], own.edges[-1])
    if bins == len(other.edges) - 1 and ends == (other.edges[0], other.edges[-1]):
        edge = next(edge for edge in own.edges if edge not in other.edges)
        return f"with a bin from {plain(edge)} on"
    return f"from {plain(ends[0])} to {plain(ends[1])}" + (f" in {bins:,} bins" if bins > 1 else "")


def _cells(grid: Grid) -> str:
    return (
        f"{grid.rows:,} by {grid.columns:,} cells from {plain(grid.south)} to {plain(grid.north)} north and"
        f" {plain(grid.west)} to {plain(grid.east)} east"
    )
