"""Tables of a frozen plan: attributes, what is promised about them, and how they may depend on each other."""

import re
from typing import Annotated

from sordino.document.schema.limits import ValueLimits
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.errors import SordinoError
from sordino.exact.entries import LARGEST_NUMBER
from sordino.exact.messages.brief import shown

Integer64 = Annotated[str, ValueLimits(pattern=r"^(0|[1-9][0-9]{0,19})$")]
"""An integer >= 0 of up to 64 bits, as a string."""

BETWEEN_0_AND_1 = r"0\.[0-9]{0,11}[1-9]"
"""A part of the people, as a decimal text."""

Text = Annotated[str, ValueLimits(min_length=1)]

MOST_PEOPLE = 10**12
"""That a plan is made for."""

Count = Annotated[int, ValueLimits(ge=1, le=LARGEST_NUMBER)]
"""A whole number from 1 on, as every reader of JSON takes it."""

Label = Annotated[int, ValueLimits(ge=0, le=LARGEST_NUMBER)]
"""The same from 0 on: the number of a block or of a value."""


class GridPart(StrictTable):
    """A map cut into cells."""

    south: float
    north: float
    west: float
    east: float
    rows: int
    columns: int


class RangePart(StrictTable):
    """The ends of a number, in the unit of the data."""

    low: float
    high: float


class NumberPart(RangePart):
    """A number between two ends; beyond them it is refused, or clipped to the end."""

    clip: bool


class BlocksPart(StrictTable):
    """A partition into blocks, one of three ways.

    Attributes:
        tiles: [rows, columns] of a grid's cells per block.
        run: the length of runs of numbered values.
        of: the number of each value's block.
    """

    tiles: list[Count] | None = setting(default=None, min_length=2, max_length=2)
    run: Count | None = None
    of: list[Label] | None = None

    def _check(self) -> None:
        require_one_of(self, "tiles", "run", "of")


class MapMetricPart(StrictTable):
    """Distances over the Earth, and the bounds that keep them.

    Attributes:
        per: so far apart two places may be told from each other by epsilon, as text.
        unit: of `per`.
        row_step, column_step: the nats for each row and each column between two cells, as text.
    """

    per: str
    unit: str
    row_step: str
    column_step: str


class MetricPart(StrictTable):
    """What is protected the less the further apart it lies, one of four ways.

    Attributes:
        per: of categories that are numbers, as text: two that differ by so much may be told from each other by epsilon.
        positions: where each value lies on a line, as text, in units of which each is worth epsilon.
        tree: the names directly below each name that has any; categories must be among them, others may be.
        map: distances over the Earth between the centres of a grid's cells.
        lengths: of a tree: of the way from a name up to the next, as text, where it is not 1.
    """

    per: str | None = None
    positions: list[str] | None = None
    tree: dict[str, list[str]] | None = None
    map: MapMetricPart | None = None
    lengths: dict[str, str] | None = None

    def _check(self) -> None:
        require_one_of(self, "per", "positions", "tree", "map")
        if self.lengths is not None and self.tree is None:
            raise SordinoError("lengths of a metric are those of a tree", found="no tree")


class ProtectPart(StrictTable):
    """What is promised about an attribute.

    Attributes:
        epsilon: in nats, as text; None where `bounds` say it all.
        blocks: only values of one block are protected from each other.
        sensitive: the indices of the sensitive values; only these are protected.
        metric: values are protected the less the further apart they lie; epsilon is for each unit of distance.
        bounds: for each two values, in nats, as text, "inf" for an unprotected pair.
    """

    epsilon: str | None = None
    blocks: BlocksPart | None = None
    sensitive: list[Label] | None = None
    metric: MetricPart | None = None
    bounds: list[list[str]] | None = None

    def _check(self) -> None:
        require_one_of(self, "epsilon", "bounds")
        if sum(part is not None for part in (self.blocks, self.sensitive, self.metric, self.bounds)) > 1:
            rule = "an attribute is protected by blocks, sensitive values, a metric or bounds"
            raise SordinoError(rule, found="several")


class AttributePart(StrictTable):
    """Values, where they stand in the data, and what is promised about them.

    Attributes:
        labels, numbers, grid, number: exactly one; named categories, how many numbered ones, a map, or a number.
        several: how many of the labels apply to one person at most; None where one does.
        none: what it is called that none of several applies.
        columns: names of the data's columns: one, or for a grid latitude and longitude.
        missing: the category of a missing value, of several `none`; of a number the share of the people who are
            expected to lack it; None where missing values are refused.
        protect: which values must not be told from each other by a report about them; None for a number, or if not
            asked for.
        delta: what a report about whatever may tell about it, within the plan's dependence bounds, in nats, as text.
        only_if: the attributes that decide whether it is asked, each with the labels of which it must have one.
        not_asked: what it is called that it was not asked: the last of the labels, or of several beside them; None of a
            number, which is missing then.
    """

    labels: list[Text] | None = None
    numbers: int | None = None
    grid: GridPart | None = None
    number: NumberPart | None = None
    several: Count | None = None
    none: Text | None = None
    columns: list[Text] = setting(min_length=1, max_length=2)
    missing: str | None = None
    protect: ProtectPart | None = None
    delta: str | None = None
    only_if: dict[str, Annotated[list[Text], ValueLimits(min_length=1)]] | None = setting(default=None, min_length=1)
    not_asked: Text | None = None

    def _check(self) -> None:
        self._check_several()
        require_one_of(self, "labels", "numbers", "grid", "number")
        if len(self.columns) == 2 and self.grid is None:
            raise SordinoError("only a grid has two columns", found=f"{len(self.columns)}")
        if self.number is not None and self.missing is not None:
            if not re.fullmatch(BETWEEN_0_AND_1, self.missing):
                raise SordinoError("the missing share of a number must be a decimal below 1", found=shown(self.missing))
        elif self.missing is not None and self.missing not in (
            (self.labels or ()) if self.several is None else (self.none,)
        ):
            raise SordinoError("missing must name one of the labels", found=shown(self.missing))
        if self.protect is not None and self.number is not None:
            raise SordinoError("a number is protected as a whole", found="`protect`")

    def _check_several(self) -> None:
        """Several apply of named categories; what is asked only if something holds has a value for who is not."""
        if (self.several is None) != (self.none is None) or (self.several is not None and self.labels is None):
            raise SordinoError("several must apply of labels, beside what none of them is called")
        if self.only_if is None or self.number is not None:
            if self.not_asked is not None or (self.only_if is not None and self.missing is None):
                rule = "who is not asked must have a label, or of a number be missing, and only where it depends"
                raise SordinoError(rule, found=shown(self.not_asked))
            return
        if self.not_asked is None or (self.several is None and [self.not_asked] != (self.labels or [])[-1:]):
            rule = "what is asked only if something holds must have a last label for who is not asked"
            raise SordinoError(rule, found=shown(self.not_asked))
        if self.protect is not None and not self.is_protected_whole:
            rule = "what is asked only if something holds must be protected as a whole"
            raise SordinoError(rule, found="blocks, sensitive values, a metric or bounds")

    @property
    def has_several(self) -> bool:
        """Whether several of its labels apply to one person."""
        return self.several is not None

    @property
    def is_protected_whole(self) -> bool:
        """Whether all its values are protected from each other alike."""
        own = self.protect
        return own is None or all(way is None for way in (own.blocks, own.sensitive, own.metric, own.bounds))


class StatisticPart(StrictTable):
    """How much a statistic may depend on an attribute: a bound on total variation, as text."""

    attribute: str
    statistic: list[str] = setting(min_length=1, max_length=2)
    bound: str


class TableBoundPart(StrictTable):
    """A bound for the combinations of several categories given an attribute that is none of them.

    Attributes:
        attribute: that is given.
        table: the categories, in the order of the alphabet.
        bound: as text.
    """

    attribute: str
    table: list[str] = setting(min_length=2, max_length=8)
    bound: str


class CategorySignBoundPart(StrictTable):
    """A bound for a category together with a number's sign, given an attribute that is none of them.

    Attributes:
        attribute: that is given.
        category: the attribute with categories.
        number: that is rounded at random to a sign.
        bound: as text.
    """

    attribute: str
    category: str
    number: str
    bound: str


class ThresholdBoundPart(StrictTable):
    """A bound for the distribution function of a number given another attribute.

    Attributes:
        attribute: that is given.
        number: whose share of people below a threshold is bounded, at each threshold between its bins.
        bound: as text.
    """

    attribute: str
    number: str
    bound: str


class DependencePart(StrictTable):
    """How much the attributes may depend on each other.

    Attributes:
        rest: for each attribute a bound for all others together, as text; 1 where it is not declared.
        statistics: smaller bounds for some statistics.
        tables: bounds for tables that the plan asks.
        category_signs: bounds for categories together with numbers' signs that the plan asks.
        thresholds: bounds for distribution functions that the plan asks.
        bins: the numbers whose bounds are about the bins that they fall in, and how many bins; of all other attributes
            bounds are about the values themselves.
        ground: what the bounds rest on, in sentences.
    """

    rest: dict[str, str]
    statistics: list[StatisticPart]
    tables: list[TableBoundPart] | None = None
    category_signs: list[CategorySignBoundPart] | None = None
    thresholds: list[ThresholdBoundPart] | None = None
    bins: dict[str, Count] | None = None
    ground: list[str]


def require_one_of(part: StrictTable, *names: str) -> None:
    """Refuse a table that has not just one of some settings."""
    given = [name for name in names if getattr(part, name) is not None]
    if len(given) != 1:
        raise SordinoError(f"exactly one of {', '.join(names)} must be given", found=", ".join(given) or "none")
