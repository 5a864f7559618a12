"""Distances that follow from the values: numbers in order, positions on a line, places on a map, names on a tree."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sordino.definition.bounds import LARGEST_EPSILON
from sordino.design.histograms.map_steps import map_steps
from sordino.document.checked_tables import is_list_of
from sordino.document.schema.nearest import nearest
from sordino.domain.attribute import Domain
from sordino.domain.great_circle import KILOMETRES
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.mechanism.metric.tree_response import LARGEST_CHANNEL
from sordino.survey.frozen.distances import kilometres_per, taxonomy_of
from sordino.survey.frozen.parts import MapMetricPart, MetricPart

DISTANCE = re.compile(r"\s*(?P<number>[0-9./eE+-]*?)\s*(?P<unit>[^\W\d_]*)\s*")
"""A number and a unit, of which either may be missing."""


def read_unit(per: Any, domain: Domain, epsilon: Nats) -> MetricPart:
    """Of categories that are numbers, by how much two differ that may be told apart by epsilon.

    Raises:
        SordinoError: no number above 0, other categories, too many, or all too far apart.
    """
    unit = read_distance(per, _without_unit(per))
    if unit <= 0:
        raise SordinoError(
            "`per` of a metric must be above 0",
            found=shown(per),
            step="write how far apart two values are that epsilon is for",
        )
    _require_few(domain.k)
    try:
        numbers = [read_distance(domain.label(value)) for value in range(domain.k)]
    except SordinoError:
        step = "give a position for each category"
        raise SordinoError(
            "`per` of a metric is for categories that are numbers", found="other names", step=step
        ) from None
    _require_apart([number / unit for number in numbers], epsilon)
    return MetricPart(per=str(unit))


def read_positions(positions: Sequence[Any], epsilon: Nats) -> MetricPart:
    """Where each value lies on a line.

    Raises:
        SordinoError: no numbers, one twice, too many, or all too far apart.
    """
    _require_few(len(positions))
    read = [read_distance(position) for position in positions]
    _require_apart(read, epsilon)
    return MetricPart(positions=[str(position) for position in read])


def read_map(per: Any, grid: Grid, epsilon: Nats) -> MetricPart:
    """A distance over the Earth, and the steps between rows and columns that keep it.

    Raises:
        SordinoError: no number, or no unit; cells that are too small.
    """
    parts = DISTANCE.fullmatch(per) if isinstance(per, str) else None
    number, unit = parts.group("number", "unit") if parts else (None, "")
    step = 'write per = "10 km"'
    if isinstance(per, int | float) and not isinstance(per, bool):
        raise SordinoError("`per` of a grid's metric must have a unit", found=f"{shown(per)} without one", step=step)
    if not parts or (not number and unit not in KILOMETRES):
        raise SordinoError("`per` of a grid's metric must be a distance", found=shown(per), step=step)
    if not number or unit not in KILOMETRES:
        found = "a unit without a number" if not number else shown(per) + nearest([unit], list(KILOMETRES))
        rule = f"`per` of a grid's metric must be a number and a unit: {', '.join(KILOMETRES)}"
        raise SordinoError(rule, found=found, step=step)
    distance = read_distance(number)
    if distance <= 0:
        raise SordinoError(
            "`per` of a metric must be above 0",
            found=shown(per),
            step="write how far apart two values are that epsilon is for",
        )
    words = MapMetricPart(per=str(distance), unit=unit, row_step="1", column_step="1")
    # While epsilon is not known, any will do to see whether the map has room for steps.
    steps = map_steps(grid, kilometres_per(words), epsilon if epsilon.sign() > 0 else Nats.of(1))
    row_step, column_step = map(str, steps)
    return MetricPart(map=MapMetricPart(per=str(distance), unit=unit, row_step=row_step, column_step=column_step))


def read_tree(tree: Any, lengths: Any, domain: Domain) -> MetricPart:
    """The names below each name, and the lengths of the ways up.

    Raises:
        SordinoError: of a grid, or other than a table of lists of names.
        SordinoErrors: all that is wrong with the tree.
    """
    if isinstance(domain, Grid):
        raise SordinoError("a tree is for categories", found="a grid", step='write per = "10 km", or use blocks')
    _require_few(domain.k)
    named = isinstance(tree, Mapping) and tree and all(is_list_of(below, str) for below in tree.values())
    if not named:
        rule = "a tree must be a table: below each name that has any, a list of names"
        raise SordinoError(rule, found=shown(tree), step='write { drink = ["tea", "water"], all = ["drink", "bread"] }')
    if not isinstance(lengths, Mapping | None):
        raise SordinoError("lengths of a tree must be a table", found=shown(lengths), step="write { drink = 2 }")
    read = {str(name): read_distance(length) for name, length in (lengths or {}).items()}
    longer = {name: str(length) for name, length in read.items() if length != 1} or None
    # The lengths of 1 are not frozen, but names are looked at in all of them.
    taxonomy_of(domain, MetricPart(tree=dict(tree), lengths={name: str(length) for name, length in read.items()}))
    return MetricPart(tree=dict(tree), lengths=longer)


def read_distance(entry: object, step: str = "") -> Fraction:
    """A number of a metric.

    Raises:
        SordinoError: another thing.
    """
    try:
        amount = Nats.of(entry) if isinstance(entry, int | float | str | Fraction) else None
    except SordinoError:
        amount = None
    if amount is None or amount.ratio != 1:
        raise SordinoError("a position or distance must be a number", found=shown(entry), step=step)
    return amount.rational


def equal_reports_error(rule: str, x: int, other: int) -> SordinoError:
    """All reports of the two values would be alike, and nothing could be estimated."""
    found = f"0 between the values {x} and {other}"
    return SordinoError(f"{rule}, or they would be the same value", found=found, step="merge them into one value")


def _without_unit(per: Any) -> str:
    """What to do about "5 km" between numbers."""
    parts = DISTANCE.fullmatch(per) if isinstance(per, str) else None
    return "leave the unit out: it is that of the numbers" if parts and parts["number"] and parts["unit"] else ""


def _require_few(k: int) -> None:
    if k > LARGEST_CHANNEL:
        step = "use wider bins, or blocks"
        rule = f"a metric of a line or a tree must be of at most {LARGEST_CHANNEL} values"
        raise SordinoError(rule, found=shown(k), step=step)


def _require_apart(positions: Iterable[Fraction], epsilon: Nats) -> None:
    """No position twice, and some close enough to be protected from each other."""
    placed = sorted((position, value) for value, position in enumerate(positions))
    gaps = [after[0] - before[0] for before, after in pairwise(placed)]
    if not all(gaps):
        at = gaps.index(Fraction(0))
        raise equal_reports_error("a distance between two values must be above 0", placed[at][1], placed[at + 1][1])
    if gaps and epsilon.floor() * float(min(gaps)) > LARGEST_EPSILON:
        step = f"distances times epsilon must reach below {LARGEST_EPSILON} nats"
        raise SordinoError("some values must be protected from each other", found="none that are", step=step)
