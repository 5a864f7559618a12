"""The survey file: what is asked of whom, and how sensitive it is. All mistakes of a file are reported at once.

version = 1
epsilon = "1"
[attribute.city]
grid = { south = 25, north = 50, west = -130, east = -60, rows = 125, columns = 350 }
protect = { blocks = [5, 5] }
[[ask]]
histogram = "city"
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BeforeValidator, ValidationError, model_validator
from pydantic_core import ErrorDetails

from sordino.definition.bounds import read_epsilon
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.categories import Categories, few
from sordino.domain.grid import Grid
from sordino.domain.partition import Partition
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.nats import Nats
from sordino.survey.document import GridPart, Part
from sordino.survey.load import read_toml

LARGEST_DOMAIN = 2**22
"""Values of an attribute at most: estimates hold several vectors of this length."""

SHOWN = 80
"""Letters of a found value shown at most."""

Domain = Categories | Grid


def _positive(epsilon: object) -> Nats:
    if isinstance(epsilon, bool) or not isinstance(epsilon, str | int | float):
        raise SordinoError("epsilon must be a number of nats", found=repr(epsilon), step='write it as "1.0" or "ln 3"')
    amount = read_epsilon(epsilon)
    if amount.sign() <= 0:
        raise SordinoError(
            "epsilon must be above 0, or nothing could be learned",
            found=repr(str(epsilon)),
            step='common values are "0.5" to "4"',
        )
    return amount


def _whole(version: object) -> object:
    """Literal takes everything that equals 1, `true` and 1.0 too."""
    if type(version) is not int:
        raise SordinoError("version must be a whole number", found=repr(version)[:SHOWN])
    return version


Epsilon = Annotated[Nats, BeforeValidator(_positive)]


class GridTable(GridPart):
    """A map cut into cells: edges in degrees, numbers of cells."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.domain().k > LARGEST_DOMAIN:
            raise SordinoError(f"a grid must have at most {LARGEST_DOMAIN} cells", found=str(self.domain().k))
        return self

    def domain(self) -> Grid:
        """The grid itself."""
        return Grid(self.south, self.north, self.west, self.east, self.rows, self.columns)


class ProtectTable(Part):
    """Which values must not be told from each other; without blocks, no two."""

    blocks: Any  # its shape depends on the domain: see blocks_of
    release_single_values: bool = False


class AttributeTable(Part):
    """One attribute of the people: its values, where they stand in the data, and how they are protected."""

    categories: Any = None  # a list of names, or a number
    grid: GridTable | None = None
    column: Any = None  # a name, or for a grid two
    missing: str | None = None
    protect: ProtectTable | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        mistakes = list(self._mistakes())
        if mistakes:
            raise SordinoErrors("the attribute", mistakes)
        return self

    def _mistakes(self) -> Iterator[SordinoError]:
        """All that is wrong with the attribute; what depends on a wrong domain cannot be told."""
        pair = self.grid is not None and _is_list_of(self.column, str) and len(self.column) == 2
        named = [self.column] if isinstance(self.column, str) else self.column if pair else []
        if self.column is not None and not (named and all(named) and len(set(named)) == len(named)):
            rule = "column must be one name, or for a grid two: latitude, longitude"
            yield SordinoError(rule, found=repr(self.column)[:SHOWN])
        if (self.categories is None) == (self.grid is None):
            found = "both" if self.grid else "neither"
            yield SordinoError("an attribute must have either categories or a grid", found=found)
            return
        try:
            domain = self.domain()
        except SordinoError as error:
            yield error
            return
        if domain.k < 2:
            found = f"{domain.k}: there is nothing to ask"
            yield SordinoError("an attribute must have at least two values", found=found)
        if self.missing is not None and (isinstance(domain, Grid) or self.missing not in domain.labels):
            found, step = repr(self.missing), "add it to categories"
            yield SordinoError("missing must name one of the categories", found=found, step=step)
        try:
            partition = self.partition()
        except SordinoError as error:
            yield error
            return
        single = 0 if partition is None else int(np.count_nonzero(partition.sizes == 1))
        if single and self.protect and not self.protect.release_single_values:
            yield SordinoError(
                "a block must have at least two values, since the block is public",
                found=f"{single} with one value, which would be told as it is",
                step="merge with others, or set release_single_values = true",
            )

    def domain(self) -> Domain:
        """The values."""
        if self.grid is not None:
            return self.grid.domain()
        if isinstance(self.categories, int) and not isinstance(self.categories, bool):
            if not 1 <= self.categories <= LARGEST_DOMAIN:
                raise SordinoError(f"categories must be 1 to {LARGEST_DOMAIN}", found=str(self.categories))
            return Categories(range(self.categories))
        if not _is_list_of(self.categories, str):
            raise SordinoError(
                "categories must be a list of names, or their number", found=repr(self.categories)[:SHOWN]
            )
        if not all(self.categories):
            raise SordinoError("a category must have a name", found="an empty one", step="see the setting `missing`")
        return Categories(self.categories)

    def partition(self) -> Partition | None:
        """The blocks; None where the whole domain is protected alike."""
        return None if self.protect is None else blocks_of(self.domain(), self.protect.blocks)


class AskTable(Part):
    """One question: the histogram of an attribute."""

    histogram: str


class Survey(Part):
    """A survey file, read and checked.

    Attributes:
        version: of the format, 1.
        epsilon: the loss that a report may cost.
        attribute: the attributes by name; one in this version.
        ask: the questions; one in this version.
    """

    version: Annotated[Literal[1], BeforeValidator(_whole)]
    epsilon: Epsilon
    attribute: dict[str, AttributeTable]
    ask: list[AskTable]

    @classmethod
    def load(cls, path: Path | str) -> "Survey":
        """Read a survey file.

        Raises:
            SordinoError: unreadable.
            SordinoErrors: all its mistakes, each with path, rule, found value and the nearest right name.
        """
        return cls.read(read_toml(Path(path)), str(path))

    @classmethod
    def read(cls, tables: dict[str, Any], name: str = "the survey") -> "Survey":
        """Check the tables of a survey file."""
        known, mistakes = _without_unknown(tables)
        survey = None
        try:
            survey = cls.model_validate(known)
        except ValidationError as error:
            mistakes += [mistake for details in error.errors() for mistake in _in_our_words(details)]
        mistakes += [*_wrong_numbers(tables), *_unknown_attributes(tables)]
        if mistakes or survey is None:
            raise SordinoErrors(name, mistakes)
        return survey

    def definition(self, name: str) -> LDP | BlockLDP:
        """The promise about one attribute."""
        partition = self.attribute[name].partition()
        return LDP(self.epsilon) if partition is None else BlockLDP(self.epsilon, partition)


def blocks_of(domain: Domain, blocks: Any) -> Partition:
    """The partition that a `blocks` setting describes.

    For a grid [rows, columns] of cells per block; for numbered categories the length of the runs, or lists of numbers;
    for named categories lists of names, or a table of such lists.
    """
    if isinstance(domain, Grid):
        if not (_is_list_of(blocks, int) and len(blocks) == 2 and 1 <= min(blocks) <= max(blocks) <= LARGEST_DOMAIN):
            raise SordinoError("blocks of a grid must be [rows, columns] of cells", found=repr(blocks)[:SHOWN])
        return Partition.of(domain.tiles(*blocks))
    if isinstance(blocks, dict):
        blocks = list(blocks.values())
    if isinstance(domain.labels, range):
        if isinstance(blocks, int) and not isinstance(blocks, bool) and 1 <= blocks <= LARGEST_DOMAIN:
            return Partition.of(np.arange(domain.k) // blocks)
        if not (_is_list_of(blocks, list) and all(_is_list_of(block, int) for block in blocks)):
            raise SordinoError(
                "blocks of numbered categories must be a length, or lists of numbers", found=repr(blocks)[:SHOWN]
            )
        return Partition.of(blocks, domain.k)
    if not (_is_list_of(blocks, list) and all(_is_list_of(block, str) for block in blocks)):
        raise SordinoError("blocks of categories must be lists of their names", found=repr(blocks)[:SHOWN])
    return _blocks_of_labels(domain, blocks)


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
            "blocks must hold each category once", found="; ".join(wrong) + nearest(unknown, domain.labels)
        )
    return Partition.of([[index[label] for label in block] for block in blocks], domain.k)


def nearest(found: Sequence[str], names: Sequence[Any]) -> str:
    """A hint at the right name for the first of the found ones, or nothing."""
    close = get_close_matches(found[0], [str(name) for name in names], 2) if found else []
    return f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""


def _is_list_of(value: object, kind: type) -> Any:
    """Whether a value is a list of one kind; booleans are no numbers."""
    return isinstance(value, list) and all(isinstance(item, kind) and not isinstance(item, bool) for item in value)


def _without_unknown(tables: dict[str, Any]) -> tuple[dict[str, Any], list[SordinoError]]:
    """The tables without unknown settings, so that these do not hide what else is wrong; and the mistakes they are."""
    known = deepcopy(tables)
    mistakes = []
    try:
        Survey.model_validate(tables)
    except ValidationError as error:
        for details in error.errors():
            if details["type"] == "extra_forbidden":
                *path, name = details["loc"]
                table: Any = known
                for part in path:
                    table = table[part]
                table.pop(name, None)
                mistakes += _in_our_words(details)
    return known, mistakes


def _wrong_numbers(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """One attribute and one question, in this version."""
    for name, kind, what in (("attribute", dict, "attribute"), ("ask", list, "question")):
        table = tables.get(name)
        if isinstance(table, kind) and len(table) != 1:
            yield SordinoError(f"{name}: a survey of this version must have 1 {what}", found=str(len(table)))


def _unknown_attributes(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """Questions about attributes that the survey does not have, whatever else is wrong with it."""
    attributes, asks = tables.get("attribute"), tables.get("ask")
    if not isinstance(attributes, dict) or not isinstance(asks, list):
        return
    for i, ask in enumerate(asks):
        name = ask.get("histogram") if isinstance(ask, dict) else None
        if isinstance(name, str) and name not in attributes:
            found = repr(name) + nearest([name], list(attributes))
            yield SordinoError(f"ask.{i}.histogram must name an attribute of the survey", found=found)


def _in_our_words(details: ErrorDetails) -> list[SordinoError]:
    """One of pydantic's findings: path, rule, found value, nearest right name."""
    raw = details["loc"]
    path = ".".join(str(part) for part in raw)
    original = details.get("ctx", {}).get("error")
    if isinstance(original, SordinoError):
        several = original.errors if isinstance(original, SordinoErrors) else [original]
        return [SordinoError(f"{path}: {error.rule}", found=error.found, step=error.step) for error in several]
    if details["type"] == "extra_forbidden":
        known = _settings(raw[:-1])
        hint = nearest([str(raw[-1])], known)
        return [SordinoError(f"{path} must be a known setting" + hint, step=f"known here are {', '.join(known)}")]
    if details["type"] == "missing":
        return [SordinoError(f"{path} must be given")]
    rule = details["msg"].replace("Input should", "must").replace("valid ", "").replace("dictionary", "table")
    rule = rule.replace("a integer", "a whole number").replace("a boolean", "true or false")
    rule = rule.split(" or instance of")[0]
    return [SordinoError(f"{path} {rule[0].lower()}{rule[1:]}", found=repr(details["input"])[:SHOWN])]


def _settings(path: Sequence[int | str]) -> list[str]:
    """The settings of the table at a path."""
    model: type[Part] = Survey
    if path and path[0] == "ask":
        model = AskTable
    elif path and path[0] == "attribute":
        model = {2: AttributeTable}.get(len(path), GridTable if path[-1] == "grid" else ProtectTable)
    return list(model.model_fields)
