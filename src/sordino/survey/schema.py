"""The survey file: what is asked of whom, and how sensitive it is. All mistakes of a file are reported at once.

version = 1
epsilon = "1"
[attribute.city]
grid = { south = 25, north = 50, west = -130, east = -60, rows = 125, columns = 350 }
protect = { blocks = [5, 5] }
[attribute.smoker]
categories = ["yes", "no"]
protect = { sensitive = ["yes"] }
[[ask]]
histogram = "city"
[[ask]]
histogram = "smoker"
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.errors import SordinoError, SordinoErrors
from sordino.survey.document import GridPart, Part
from sordino.survey.listed import with_listed_files
from sordino.survey.load import read_toml
from sordino.survey.promise import LARGEST_DOMAIN, Definition, Domain, definition_of
from sordino.survey.protect import (
    SHOWN,
    Epsilon,
    ProtectTable,
    is_list_of,
    nearest,
    protect_mistakes,
    protect_part,
)


def _whole(version: object) -> object:
    """Literal takes everything that equals 1, `true` and 1.0 too."""
    if type(version) is not int:
        raise SordinoError("version must be a whole number", found=repr(version)[:SHOWN])
    return version


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


class AttributeTable(Part):
    """One attribute of the people: its values, where they stand in the data, and how they are protected."""

    categories: Any = None  # a list of names, their number, or { file = "..." } with a name a line
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
        pair = self.grid is not None and is_list_of(self.column, str) and len(self.column) == 2
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
            numbered = isinstance(domain, Grid) or isinstance(domain.labels, range)
            step = "name the categories, one of them for missing values" if numbered else "add it to categories"
            yield SordinoError("missing must name one of the categories", found=repr(self.missing), step=step)
        if self.protect is not None:
            yield from protect_mistakes(self.protect, domain)

    def domain(self) -> Domain:
        """The values."""
        if self.grid is not None:
            return self.grid.domain()
        if isinstance(self.categories, int) and not isinstance(self.categories, bool):
            if not 1 <= self.categories <= LARGEST_DOMAIN:
                raise SordinoError(f"categories must be 1 to {LARGEST_DOMAIN}", found=str(self.categories))
            return Categories(range(self.categories))
        if not is_list_of(self.categories, str):
            raise SordinoError(
                'categories must be a list of names, their number, or { file = "..." }',
                found=repr(self.categories)[:SHOWN],
            )
        if not all(self.categories):
            raise SordinoError("a category must have a name", found="an empty one", step="see the setting `missing`")
        if len(self.categories) > LARGEST_DOMAIN:
            raise SordinoError(f"categories must be 1 to {LARGEST_DOMAIN}", found=str(len(self.categories)))
        return Categories(self.categories)


class AskTable(Part):
    """One question: the histogram of an attribute."""

    histogram: str
    weight: int = Field(default=1, ge=1, le=1 << 20)


class Survey(Part):
    """A survey file, read and checked.

    Attributes:
        version: of the format, 1.
        epsilon: the loss that a report may cost, for attributes without one of their own.
        attribute: the attributes by name.
        ask: the questions, one for each attribute; a person answers one of them, drawn by their weights.

    Example:
        >>> survey = Survey.read({
        ...     "version": 1, "epsilon": "1", "ask": [{"histogram": "smoker"}],
        ...     "attribute": {"smoker": {"categories": ["yes", "no"], "protect": {"sensitive": ["yes"]}}},
        ... })
        >>> survey.definition("smoker").sensitive
        array([0])
    """

    version: Annotated[Literal[1], BeforeValidator(_whole)]
    epsilon: Epsilon | None = None
    attribute: dict[str, AttributeTable] = Field(min_length=1)
    ask: list[AskTable] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        mistakes = []
        for name, attribute in self.attribute.items():
            try:
                if self.epsilon is not None and attribute.protect is not None:
                    protect_part(attribute.domain(), attribute.protect, self.epsilon)
            except SordinoError as error:
                rule = f"attribute.{name}.protect: {error.rule}"
                mistakes.append(SordinoError(rule, found=error.found, step=error.step))
        if mistakes:
            raise SordinoErrors("the survey", mistakes)
        return self

    @classmethod
    def load(cls, path: Path | str) -> "Survey":
        """Read a survey file.

        Raises:
            SordinoError: unreadable.
            SordinoErrors: all its mistakes, each with path, rule, found value and the nearest right name.
        """
        return cls.read(read_toml(Path(path)), str(path), Path(path).parent)

    @classmethod
    def read(cls, tables: dict[str, Any], name: str = "the survey", folder: Path | None = None) -> "Survey":
        """Check the tables of a survey file.

        Args:
            tables: as TOML gives them.
            name: for messages.
            folder: from which the names of listed files are counted; the current one by default.
        """
        complete, unreadable = with_listed_files(tables, folder or Path())
        survey, mistakes = None, []
        try:
            survey = cls.model_validate(complete)
        except ValidationError as error:
            mistakes = _mistakes(complete, error)
        mistakes += [*unreadable, *_wrong_names(tables), *_without_epsilon(tables)]
        if mistakes or survey is None:
            raise SordinoErrors(name, mistakes)
        return survey

    def definition(self, name: str) -> Definition:
        """The promise about one attribute."""
        attribute = self.attribute[name]
        domain = attribute.domain()
        return definition_of(domain, protect_part(domain, attribute.protect, self.epsilon))


def _mistakes(tables: dict[str, Any], error: ValidationError) -> list[SordinoError]:
    """All that is wrong with the tables: first the unknown settings, then what these hid."""
    known = deepcopy(tables)
    unknown = [details for details in error.errors() if details["type"] == "extra_forbidden"]
    for details in unknown:
        *path, name = details["loc"]
        table: Any = known
        for part in path:
            table = table[part]
        table.pop(name, None)
    rest = error.errors()
    if unknown:
        try:
            Survey.model_validate(known)
            rest = []
        except ValidationError as hidden:
            rest = hidden.errors()
    return [mistake for details in (*unknown, *rest) for mistake in _in_our_words(details)]


def _wrong_names(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """Each attribute is asked once, whatever else is wrong with the survey."""
    attributes, asks = tables.get("attribute"), tables.get("ask")
    if not isinstance(attributes, dict) or not isinstance(asks, list):
        return
    names = [ask.get("histogram") if isinstance(ask, dict) else None for ask in asks]
    for i, name in enumerate(names):
        if isinstance(name, str) and name not in attributes:
            found = repr(name) + nearest([name], list(attributes))
            yield SordinoError(f"ask.{i}.histogram must name an attribute of the survey", found=found)
        elif isinstance(name, str) and name in names[:i]:
            step = "ask it once, with a larger weight"
            yield SordinoError(f"ask.{i}.histogram must name an attribute once", found=f"{name!r} again", step=step)
    if not all(isinstance(name, str) and name in attributes for name in names):
        # A question about a misspelt attribute is one mistake, not two.
        return
    for name in attributes:
        if name not in names:
            yield SordinoError(
                f"attribute.{name} must be asked", found="no question about it", step="add an [[ask]], or take it out"
            )


def _without_epsilon(tables: dict[str, Any]) -> Iterator[SordinoError]:
    """An attribute without an epsilon of its own needs the survey's."""
    attributes = tables.get("attribute")
    if "epsilon" in tables or not isinstance(attributes, dict):
        return
    for attribute in attributes.values():
        protect = attribute.get("protect") if isinstance(attribute, dict) else None
        if not isinstance(protect, dict) or not ({"epsilon", "matrix"} & set(protect)):
            yield SordinoError("epsilon must be given", step='write epsilon = "1", or give each attribute its own')
            return


def _in_our_words(details: ErrorDetails) -> list[SordinoError]:
    """One of pydantic's findings: path, rule, found value, nearest right name."""
    raw = details["loc"]
    path = ".".join(str(part) for part in raw)
    original = details.get("ctx", {}).get("error")
    if isinstance(original, SordinoError):
        several = original.errors if isinstance(original, SordinoErrors) else [original]
        where = f"{path}: " if path else ""
        return [SordinoError(f"{where}{error.rule}", found=error.found, step=error.step) for error in several]
    if details["type"] == "extra_forbidden":
        known = _settings(raw[:-1])
        hint = nearest([str(raw[-1])], known)
        return [SordinoError(f"{path} must be a known setting" + hint, step=f"known here are {', '.join(known)}")]
    if details["type"] == "missing":
        return [SordinoError(f"{path} must be given")]
    if details["type"] == "too_short":
        return [SordinoError(f"{path} must not be empty")]
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
