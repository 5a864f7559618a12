"""Bounds between two values by themselves, or by a distance: the settings `matrix` and `metric` of `protect`.

metric = { per = 5 }                      of numbers in order: epsilon for each 5 that two of them differ by
metric = { per = "10 km" }                of a map's cells: epsilon for each 10 km between their centres
metric = { tree = { all = ["a", "b"] } }  of categories on a tree: epsilon for each step, or times its length
metric = [0, 1, 2.5]                      a position for each value: epsilon times how far two of them lie apart
metric = [[0, 1], [1, 0]]                 a table of distances, in units of epsilon
matrix = [["0", "1"], ["inf", "0"]]       a bound in nats for each ordered pair
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from sordino.definition.bounds import INFINITE, LARGEST_EPSILON, LARGEST_MATRIX, Bounds, read_bounds
from sordino.document.checked_tables import is_list_of
from sordino.domain.attribute import Domain
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.messages.written import require_short
from sordino.exact.nats import Nats
from sordino.survey.attributes.distances import (
    equal_reports_error,
    read_distance,
    read_map,
    read_positions,
    read_tree,
    read_unit,
)
from sordino.survey.frozen.distances import metric_definition
from sordino.survey.frozen.parts import MetricPart


def read_matrix(matrix: Any, k: int) -> list[list[Nats | None]]:
    """Bounds in nats for each ordered pair.

    Raises:
        SordinoError: no square table of amounts above 0.
    """
    if not is_list_of(matrix, list):
        raise SordinoError(
            "a matrix must be a list of rows, in nats", found=shown(matrix), step='write [["0", "1"], ["inf", "0"]]'
        )
    bounds = read_bounds(matrix)
    if len(bounds) != k:
        raise SordinoError(
            f"a matrix must have a row for each of {k} values",
            found=f"{len(bounds)}",
            step="write one for each value, in their order",
        )
    for x, row in enumerate(bounds):
        for other, bound in enumerate(row):
            if x != other and bound is not None and bound.sign() == 0:
                raise equal_reports_error("a bound between two values must be above 0", x, other)
    return _require_bounds(bounds, "give some pairs a bound")


def read_metric(metric: Any, domain: Domain, epsilon: Nats | None) -> MetricPart | list[list[Nats | None]]:
    """What is said of distances, in the plan's words; of a table of distances the bounds that they are worth.

    With an epsilon of 0, where the right one is not known yet, only the distances count.

    Raises:
        SordinoError: no distances that fit the domain, 0 between two values, or no epsilon.
        SordinoErrors: all that is wrong with a tree.
    """
    if epsilon is None:
        raise SordinoError(
            "a metric needs an epsilon, its unit", step='set epsilon = "1" in the survey or in `protect`'
        )
    if isinstance(metric, dict):
        part = _read_table(metric, domain, epsilon)
    elif not isinstance(metric, list) or len(metric) != domain.k:
        found = f"{len(metric)}" if isinstance(metric, list) else shown(metric)
        raise SordinoError(
            f"a metric must have a position, or a row of distances, for each of {domain.k} values",
            found=found,
            step="write one for each value, in their order",
        )
    elif all(isinstance(row, list) for row in metric):
        return _bounds_of(_read_distances(metric), epsilon)
    else:
        part = read_positions(metric, epsilon)
    if epsilon.sign() > 0:
        # What an epsilon with a logarithm cannot be multiplied by is told here, not by the plan.
        metric_definition(domain, part, epsilon)
    return part


def _read_table(metric: dict[str, Any], domain: Domain, epsilon: Nats) -> MetricPart:
    """Distances that follow from the values: a unit, or a tree."""
    if "tree" in metric and not set(metric) - {"tree", "lengths"}:
        return read_tree(metric["tree"], metric.get("lengths"), domain)
    if set(metric) != {"per"}:
        found, step = shown(sorted(map(str, metric))), 'write { per = 5 }, { per = "10 km" } or { tree = { ... } }'
        raise SordinoError("a metric must have `per`, or a tree, and nothing else", found=found, step=step)
    if isinstance(domain, Grid):
        return read_map(metric["per"], domain, epsilon)
    return read_unit(metric["per"], domain, epsilon)


def _bounds_of(distances: Sequence[Sequence[Fraction]], epsilon: Nats) -> list[list[Nats | None]]:
    """Distances times epsilon."""
    scaled = {distance: _times(epsilon, distance) for distance in dict.fromkeys(chain(*distances))}
    # What no coin could keep is not protected.
    limited = {distance: None if bound > LARGEST_EPSILON else bound for distance, bound in scaled.items()}
    bounds = read_bounds([[limited[distance] for distance in row] for row in distances])
    return _require_bounds(bounds, f"distances times epsilon must reach below {LARGEST_EPSILON} nats")


def _read_distances(metric: Sequence[Sequence[Any]]) -> list[list[Fraction]]:
    """The distances, k x k."""
    k = len(metric)
    if k > LARGEST_MATRIX:
        step = "give a position for each, a tree, or use blocks"
        raise SordinoError(
            f"a table of distances must be of at most {LARGEST_MATRIX} values", found=shown(k), step=step
        )
    distances = [[read_distance(entry, _without_bound(entry)) for entry in row] for row in metric]
    if any(len(row) != k for row in distances):
        raise SordinoError(
            "distances must be a square table",
            found="a row of another length",
            step="write in each row a distance to each value",
        )
    _require_metric(distances)
    return distances


def _without_bound(entry: object) -> str:
    """What to do about a distance beyond all numbers."""
    infinite = isinstance(entry, str | float) and str(entry).strip().lower() in INFINITE
    return 'write a matrix in nats, "inf" where a pair is not protected, or blocks' if infinite else ""


def _require_metric(distances: Sequence[Sequence[Fraction]]) -> None:
    for x, row in enumerate(distances):
        if row[x] != 0:
            raise SordinoError(
                "a value's distance to itself must be 0", found=f"a different number in row {x}", step="write 0 there"
            )
        for other in range(x):
            if row[other] != distances[other][x]:
                step = "write a matrix in nats, with a bound for each way"
                raise SordinoError("distances must be the same both ways", found=f"rows {other} and {x}", step=step)
            if row[other] < 0:
                found, step = f"one between the values {other} and {x}", "write how far apart they are"
                raise SordinoError("distances must not be negative", found=found, step=step)
            if row[other] == 0:
                raise equal_reports_error("a distance between two values must be above 0", other, x)


def _require_bounds(bounds: Bounds, step: str) -> list[list[Nats | None]]:
    """The bounds, if there are any."""
    if all(bound is None for x, row in enumerate(bounds) for other, bound in enumerate(row) if x != other):
        raise SordinoError("some values must be protected from each other", found="none that are", step=step)
    return [list(row) for row in bounds]


def _times(epsilon: Nats, distance: Fraction) -> Nats:
    rational = require_short(epsilon.rational * distance)
    if epsilon.ratio == 1:
        return Nats(rational)
    if distance.denominator != 1 or not 0 <= distance <= LARGEST_MATRIX:
        raise SordinoError(
            "an epsilon with a logarithm needs whole distances",
            found=f"{distance}",
            step='write whole distances, or an epsilon as "1.1"',
        )
    return Nats(rational, require_short(epsilon.ratio ** int(distance)))


def bounds_text(bounds: Sequence[Sequence[Nats | None]]) -> list[list[str]]:
    """The bounds as a plan holds them."""
    texts = {bound: "inf" if bound is None else str(bound) for bound in set(chain(*bounds))}
    return [[texts[bound] for bound in row] for row in bounds]
