"""The `protect` setting of an attribute: how sensitive its values are, read into the frozen words of a plan.

protect = { epsilon = "0.5" }                        all values alike, at an epsilon of their own
protect = { blocks = [5, 5] }                        only from the values of their block, which is public
protect = { sensitive = ["yes"] }                    only these values
protect = { metric = ... }                           by how far two of them are apart
protect = { matrix = ... }                           each ordered pair by itself, in nats

metric = { per = 5 }                      of numbers in order: epsilon for each 5 that two of them differ by
metric = { per = "10 km" }                of a map's cells: epsilon for each 10 km between their centres
metric = { tree = { all = ["a", "b"] } }  of categories on a tree: epsilon for each step, or times its length
metric = [0, 1, 2.5]                      a position for each value: epsilon times how far two of them lie apart
metric = [[0, 1], [1, 0]]                 a table of distances, in units of epsilon
matrix = [["0", "1"], ["inf", "0"]]       a bound in nats for each ordered pair
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, pairwise
from typing import Annotated, Any

import numpy as np

from sordino.definition.bounds import INFINITE, LARGEST_EPSILON, LARGEST_MATRIX, Bounds, read_bounds, read_epsilon
from sordino.definition.high_low import read_sensitive
from sordino.design.shares.map_steps import map_steps
from sordino.document.checked_tables import is_list_of
from sordino.document.schema.limits import Convert
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.attribute import Domain
from sordino.domain.categories import Categories, few
from sordino.domain.grid import KILOMETRES, Grid
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import require_short, shown
from sordino.exact.nats import Nats
from sordino.mechanism.tree_response import LARGEST_CHANNEL
from sordino.survey.schema.attribute_part import LARGEST_DOMAIN, BlocksPart, MapMetricPart, MetricPart, ProtectPart
from sordino.survey.schema.plan_distances import kilometres_per, metric_definition, taxonomy_of
from sordino.survey.schema.promise import partition_of

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
        step = f"write metric = {shown([*range(domain.k)])}, a position for each category"
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


WAYS = ("blocks", "sensitive", "metric", "matrix")
"""How values can differ in what protects them."""


def read_positive(epsilon: object) -> Nats:
    """An epsilon of a survey: above 0."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, str | int | float):
        raise SordinoError("epsilon must be a number of nats", found=shown(epsilon), step='write it as "1.0" or "ln 3"')
    amount = read_epsilon(epsilon)
    if amount.sign() <= 0:
        raise SordinoError(
            "epsilon must be above 0, or nothing could be learned",
            found=shown(str(epsilon)),
            step='common values are "0.5" to "4"',
        )
    return amount


Epsilon = Annotated[Nats, Convert(read_positive)]


def _read_delta(delta: object) -> Nats:
    """A delta of a survey: above 0, with its own name in the message."""
    try:
        return read_positive(delta)
    except SordinoError as error:
        raise SordinoError(error.rule.replace("epsilon", "delta"), found=error.found, step=error.step) from None


Delta = Annotated[Nats, Convert(_read_delta)]


class ProtectTable(StrictTable):
    """Which values must not be told from each other, and how well; see the module's text."""

    epsilon: Epsilon | None = None
    blocks: Any = None  # their shapes depend on the domain
    release_single_values: bool = False
    sensitive: Any = None
    metric: Any = None
    matrix: Any = None

    @property
    def is_partial(self) -> bool:
        """Whether values are protected from each other otherwise than all alike, by its epsilon."""
        return any(getattr(self, name) is not None for name in WAYS)

    @classmethod
    def _prepare(cls, tables: Any) -> Any:
        """The epsilon of { metric = { per = 5, epsilon = "1" } } may stand in either table."""
        metric = tables.get("metric") if isinstance(tables, dict) else None
        if not isinstance(metric, dict) or "epsilon" not in metric:
            return tables
        if "epsilon" in tables:
            raise SordinoError("protect must have one epsilon", found="one of its metric too", step="leave one out")
        rest = {name: value for name, value in metric.items() if name != "epsilon"}
        return {**tables, "metric": rest, "epsilon": metric["epsilon"]}


def protect_mistakes(protect: ProtectTable, domain: Domain) -> Iterator[SordinoError]:
    """All that is wrong with the setting, for a domain that is right."""
    ways = [name for name in WAYS if getattr(protect, name) is not None]
    if len(ways) > 1:
        yield SordinoError(
            f"protect must have one of {', '.join(WAYS)}", found=", ".join(ways), step="keep one of them"
        )
        return
    if protect.release_single_values and protect.blocks is None:
        yield SordinoError(
            "release_single_values of protect must stand with blocks: it lets a block have a single value",
            found="no blocks",
            step="leave it out, or set blocks",
        )
    elif not ways and protect.epsilon is None:
        yield SordinoError(
            f"protect must have an epsilon of its own, or one of {', '.join(WAYS)}",
            found="none of these",
            step="leave it out to protect all values from each other",
        )
    if protect.matrix is not None and protect.epsilon is not None:
        yield SordinoError(
            "protect must have a matrix in nats or an epsilon",
            found="a matrix and an epsilon",
            step="leave epsilon out",
        )
    try:
        if protect.blocks is not None:
            sizes = partition_of(domain, read_blocks(domain, protect.blocks)).sizes
            single = int(np.count_nonzero(sizes == 1))
            if single and not protect.release_single_values:
                yield SordinoError(
                    "a block must have at least two values, since the block is public",
                    found=f"{single} with one value, which would be reported as it is",
                    step="merge with others, or set release_single_values = true inside protect",
                )
        else:
            # Where the survey's epsilon is the unit, the survey checks the rest.
            protect_part(domain, protect, Nats.of(0) if protect.epsilon is None else None)
    except SordinoErrors as several:
        yield from several.errors
    except SordinoError as error:
        yield error


def protect_part(domain: Domain, protect: ProtectTable | None, default: Nats | None) -> ProtectPart:
    """The setting in the plan's words; the default epsilon where it has none of its own.

    Raises:
        SordinoError: it does not fit the domain, or there is no epsilon.
    """
    if protect is None:
        return level_part(default)
    epsilon = protect.epsilon or default
    if protect.matrix is not None:
        return ProtectPart(bounds=bounds_text(read_matrix(protect.matrix, domain.k)))
    if protect.metric is not None:
        return _by_distance(protect.metric, domain, epsilon)
    if protect.blocks is not None:
        return ProtectPart(epsilon=_text(epsilon), blocks=read_blocks(domain, protect.blocks))
    if protect.sensitive is not None:
        return ProtectPart(epsilon=_text(epsilon), sensitive=read_sensitive_values(domain, protect.sensitive))
    return level_part(epsilon)


def level_part(epsilon: Nats | None) -> ProtectPart:
    """All values alike, as those of numbers are, in the plan's words.

    Raises:
        SordinoError: there is no epsilon.
    """
    return ProtectPart(epsilon=_text(epsilon))


def _by_distance(metric: Any, domain: Domain, epsilon: Nats | None) -> ProtectPart:
    read = read_metric(metric, domain, epsilon)
    if isinstance(read, list):
        return ProtectPart(bounds=bounds_text(read))
    return ProtectPart(epsilon=_text(epsilon), metric=read)


def read_blocks(domain: Domain, blocks: Any) -> BlocksPart:
    """The partition that a `blocks` setting describes.

    For a grid [rows, columns] of cells per block; for numbered categories the length of the runs, or lists of numbers;
    for named categories lists of names, or a table of such lists.
    """
    if isinstance(domain, Grid):
        if not (is_list_of(blocks, int) and len(blocks) == 2 and 1 <= min(blocks) <= max(blocks) <= LARGEST_DOMAIN):
            raise SordinoError(
                "blocks of a grid must be [rows, columns] of cells", found=shown(blocks), step="write blocks = [5, 5]"
            )
        return BlocksPart(tiles=blocks)
    if isinstance(blocks, dict):
        blocks = list(blocks.values())
    if isinstance(domain.labels, range):
        if isinstance(blocks, int) and not isinstance(blocks, bool) and 1 <= blocks <= LARGEST_DOMAIN:
            return BlocksPart(run=blocks)
        if not (is_list_of(blocks, list) and all(is_list_of(block, int) for block in blocks)):
            raise SordinoError(
                "blocks of numbered categories must be a length, or lists of numbers",
                found=shown(blocks),
                step="write blocks = 10, or blocks = [[0, 1, 2], [3, 4]]",
            )
        return BlocksPart(of=Partition.of(blocks, domain.k).block.tolist())
    if not (is_list_of(blocks, list) and all(is_list_of(block, str) for block in blocks)):
        raise SordinoError(
            "blocks of categories must be lists of their names",
            found=shown(blocks),
            step='write blocks = [["tea", "water"], ["beer", "wine"]]',
        )
    return BlocksPart(of=_blocks_of_labels(domain, blocks).block.tolist())


def read_sensitive_values(domain: Domain, sensitive: Any) -> list[int]:
    """The indices of the sensitive values: names, numbers, or [row, column] of a grid's cells."""
    if isinstance(domain, Grid):
        if not (is_list_of(sensitive, list) and all(is_list_of(cell, int) and len(cell) == 2 for cell in sensitive)):
            raise SordinoError(
                "sensitive cells of a grid must be [row, column] each",
                found=shown(sensitive),
                step="write sensitive = [[0, 3], [7, 1]]",
            )
        outside = [c for c in sensitive if not (0 <= c[0] < domain.rows and 0 <= c[1] < domain.columns)]
        if outside:
            raise SordinoError(
                "sensitive cells must lie on the grid",
                found=few([shown(cell) for cell in outside]),
                step="count rows from the south and columns from the west, both from 0",
            )
        indices = [row * domain.columns + column for row, column in sensitive]
    elif isinstance(domain.labels, range):
        if not is_list_of(sensitive, int):
            raise SordinoError(
                "sensitive values must be a list of numbers", found=shown(sensitive), step="write sensitive = [3, 7]"
            )
        indices = sensitive
    else:
        if not is_list_of(sensitive, str):
            raise SordinoError(
                "sensitive values must be a list of names", found=shown(sensitive), step='write sensitive = ["yes"]'
            )
        index = {label: i for i, label in enumerate(domain.labels)}
        unknown = [label for label in sensitive if label not in index]
        if unknown:
            found = few(unknown) + nearest(unknown, domain.labels)
            raise SordinoError(
                "sensitive values must be categories of the attribute",
                found=found,
                step="write them as `categories` does",
            )
        indices = [index[label] for label in sensitive]
    outside = [index for index in indices if not 0 <= index < domain.k]
    if outside:
        raise SordinoError(
            f"sensitive values must lie in 0..{domain.k - 1}",
            found=few([shown(i) for i in outside]),
            step="take the others out",
        )
    values: list[int] = read_sensitive(domain.k, np.array(indices, dtype=np.intp)).tolist()
    return values


def _text(epsilon: Nats | None) -> str:
    if epsilon is None:
        raise SordinoError("there must be an epsilon", step='set epsilon = "1" in the survey or in `protect`')
    return str(epsilon)


def _blocks_of_labels(domain: Categories, blocks: Sequence[Sequence[str]]) -> Partition:
    index = {str(label): i for i, label in enumerate(domain.labels)}
    listed = Counter(label for block in blocks for label in block)
    unknown = [label for label in listed if label not in index]
    repeated = [label for label, times in listed.items() if times > 1]
    missing = [label for label in index if label not in listed]
    wrong = [
        f"{what} {few(labels)}"
        for what, labels in (("unknown", unknown), ("repeated", repeated), ("missing", missing))
        if labels
    ]
    if not all(blocks):
        wrong.append("an empty block")
    if wrong:
        raise SordinoError(
            "blocks must hold each category once",
            found="; ".join(wrong) + nearest(unknown, domain.labels),
            step="write each category in one block",
        )
    return Partition.of([[index[label] for label in block] for block in blocks], domain.k)
