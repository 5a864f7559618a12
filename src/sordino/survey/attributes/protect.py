"""The `protect` setting of an attribute: how sensitive its values are, read into the frozen words of a plan.

protect = { epsilon = "0.5" }                        all values alike, at an epsilon of their own
protect = { blocks = [5, 5] }                        only from the values of their block, which is public
protect = { sensitive = ["yes"] }                    only these values
protect = { metric = { per = 5 } }                   numbers in order: epsilon for each 5 between two of them
protect = { metric = { per = "10 km" } }             a map: epsilon for each 10 km between two cells
protect = { metric = { tree = { ... } } }            a tree over categories: epsilon for each step
protect = { metric = [0, 1, 2.5] }                   by distance in units of epsilon: positions, or a table
protect = { matrix = [["0", "1"], ["inf", "0"]] }    each ordered pair by itself, in nats
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np

from sordino.definition.bounds import read_epsilon
from sordino.definition.high_low import read_sensitive
from sordino.document.checked_tables import is_list_of
from sordino.document.schema.limits import Convert
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.attribute import Domain
from sordino.domain.categories import Categories, few
from sordino.domain.grid import Grid
from sordino.domain.partition import Partition
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.survey.attributes.metric import bounds_text, read_matrix, read_metric
from sordino.survey.frozen.parts import BlocksPart, ProtectPart
from sordino.survey.frozen.promise import LARGEST_DOMAIN, partition_of

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
                    step="merge with others, or set release_single_values = true",
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
        return ProtectPart(epsilon=_text(default))
    epsilon = protect.epsilon or default
    if protect.matrix is not None:
        return ProtectPart(bounds=bounds_text(read_matrix(protect.matrix, domain.k)))
    if protect.metric is not None:
        return _by_distance(protect.metric, domain, epsilon)
    if protect.blocks is not None:
        return ProtectPart(epsilon=_text(epsilon), blocks=read_blocks(domain, protect.blocks))
    if protect.sensitive is not None:
        return ProtectPart(epsilon=_text(epsilon), sensitive=read_sensitive_values(domain, protect.sensitive))
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
