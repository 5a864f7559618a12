"""Bounds between two values by themselves, or by a distance: the settings `matrix` and `metric` of `protect`.

metric = { per = 5 }                      of numbers in order: epsilon for each 5 that two of them differ by
metric = [0, 1, 2.5]                      a position for each value: epsilon times how far two of them lie apart
metric = [[0, 1], [1, 0]]                 a table of distances, in units of epsilon
matrix = [["0", "1"], ["inf", "0"]]       a bound in nats for each ordered pair
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import Any

from sordino.definition.bounds import LARGEST_EPSILON, LARGEST_MATRIX, Bounds, read_bounds
from sordino.document.checked_tables import is_list_of
from sordino.domain.attribute import Domain
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.messages.written import require_short
from sordino.exact.nats import Nats


def read_matrix(matrix: Any, k: int) -> list[list[Nats | None]]:
    """Bounds in nats for each ordered pair.

    Raises:
        SordinoError: no square table of amounts above 0.
    """
    if not is_list_of(matrix, list):
        raise SordinoError("a matrix must be a list of rows, in nats", found=shown(matrix))
    bounds = read_bounds(matrix)
    if len(bounds) != k:
        raise SordinoError(f"a matrix must have a row for each of {k} values", found=f"{len(bounds)}")
    for x, row in enumerate(bounds):
        for other, bound in enumerate(row):
            if x != other and bound is not None and bound.sign() == 0:
                raise _alike("a bound between two values must be above 0", x, other)
    return _protecting(bounds, "give some pairs a bound")


def read_metric(metric: Any, domain: Domain, epsilon: Nats | None) -> list[list[Nats | None]]:
    """Distances times epsilon; with an epsilon of 0, where the right one is not known yet, only the distances count.

    Raises:
        SordinoError: other than `{ per = .. }`, a position for each value or a table of distances, above 0 between two
            values; or no epsilon.
    """
    distances = _read_distances(_positions(metric, domain) if isinstance(metric, dict) else metric, domain.k)
    if epsilon is None:
        raise SordinoError("a metric needs an epsilon, its unit")
    scaled = {distance: _times(epsilon, distance) for distance in dict.fromkeys(chain(*distances))}
    # What no coin could keep is not protected.
    limited = {distance: None if bound > LARGEST_EPSILON else bound for distance, bound in scaled.items()}
    bounds = read_bounds([[limited[distance] for distance in row] for row in distances])
    return _protecting(bounds, f"distances times epsilon must reach below {LARGEST_EPSILON} nats")


def _positions(metric: dict[str, Any], domain: Domain) -> list[Fraction]:
    """Numbers in order, in units of `per`."""
    if set(metric) != {"per"}:
        raise SordinoError("a metric of numbers in order must have `per`", found=shown(sorted(map(str, metric))))
    if isinstance(domain, Grid):
        raise SordinoError("`per` of a metric is for numbers in order", found="a grid", step="protect it by blocks")
    per = _distance(metric["per"])
    if per <= 0:
        raise SordinoError("`per` of a metric must be above 0", found=shown(metric["per"]))
    try:
        numbers = [_distance(label) for label in domain.labels]
    except SordinoError:
        step = "give a position for each category"
        raise SordinoError(
            "`per` of a metric is for categories that are numbers", found="other names", step=step
        ) from None
    return [number / per for number in numbers]


def _read_distances(metric: Any, k: int) -> list[list[Fraction]]:
    """The distances, k x k; of positions the differences."""
    if not isinstance(metric, list) or len(metric) != k:
        found = f"{len(metric)}" if isinstance(metric, list) else shown(metric)
        raise SordinoError(f"a metric must have a position, or a row of distances, for each of {k} values", found=found)
    if k > LARGEST_MATRIX:
        raise SordinoError(f"a metric must be of at most {LARGEST_MATRIX} values", found=shown(k), step="use blocks")
    if all(isinstance(row, list) for row in metric):
        distances = [[_distance(entry) for entry in row] for row in metric]
        if any(len(row) != k for row in distances):
            raise SordinoError("distances must be a square table", found="a row of another length")
    else:
        positions = [_distance(entry) for entry in metric]
        unit = lcm(*(position.denominator for position in positions))
        whole = [int(position * unit) for position in positions]
        apart = {steps: Fraction(steps, unit) for steps in {abs(one - other) for one in whole for other in whole}}
        distances = [[apart[abs(one - other)] for other in whole] for one in whole]
    _require_metric(distances)
    return distances


def _require_metric(distances: Sequence[Sequence[Fraction]]) -> None:
    for x, row in enumerate(distances):
        if row[x] != 0:
            raise SordinoError("a value's distance to itself must be 0", found=f"another in row {x}")
        for other in range(x):
            if row[other] != distances[other][x]:
                raise SordinoError("distances must be the same both ways", found=f"rows {other} and {x}")
            if row[other] < 0:
                raise SordinoError("distances must not be negative", found=f"one between the values {other} and {x}")
            if row[other] == 0:
                raise _alike("a distance between two values must be above 0", other, x)


def _alike(rule: str, x: int, other: int) -> SordinoError:
    """All reports of the two values would be alike, and nothing could be estimated."""
    found = f"0 between the values {x} and {other}"
    return SordinoError(f"{rule}, or they could not be told apart", found=found, step="merge them into one value")


def _protecting(bounds: Bounds, step: str) -> list[list[Nats | None]]:
    """The bounds, if there are any."""
    if all(bound is None for x, row in enumerate(bounds) for other, bound in enumerate(row) if x != other):
        raise SordinoError("some values must be protected from each other", found="none", step=step)
    return [list(row) for row in bounds]


def _distance(entry: object) -> Fraction:
    try:
        amount = Nats.of(entry) if isinstance(entry, int | float | str | Fraction) else None
    except SordinoError:
        amount = None
    if amount is None or amount.ratio != 1:
        raise SordinoError("a position or distance must be a number", found=shown(entry))
    return amount.rational


def _times(epsilon: Nats, distance: Fraction) -> Nats:
    rational = require_short(epsilon.rational * distance)
    if epsilon.ratio == 1:
        return Nats(rational)
    if distance.denominator != 1 or not 0 <= distance <= LARGEST_MATRIX:
        raise SordinoError("an epsilon with a logarithm needs whole distances", found=f"{distance}")
    return Nats(rational, require_short(epsilon.ratio ** int(distance)))


def bounds_text(bounds: Sequence[Sequence[Nats | None]]) -> list[list[str]]:
    """The bounds as a plan holds them."""
    texts = {bound: "inf" if bound is None else str(bound) for bound in set(chain(*bounds))}
    return [[texts[bound] for bound in row] for row in bounds]
