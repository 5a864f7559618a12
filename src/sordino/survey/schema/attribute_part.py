"""An attribute as a plan holds it, with what is promised about its values; and what fits values in any document."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Any

from sordino.document.domains import KINDS, domain_of, domain_words
from sordino.document.schema.limits import ValueLimits
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.attribute import Attribute, AttributeDomain
from sordino.domain.bins import Bins
from sordino.domain.choices import Choices
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.domain.phrasing import Phrasing
from sordino.errors import SordinoError
from sordino.exact.entries import LARGEST_NUMBER
from sordino.exact.messages import shown
from sordino.survey.schema.amounts import canonical_amount

Integer64 = Annotated[str, ValueLimits(pattern=r"^(0|[1-9][0-9]{0,19})$")]
"""An integer >= 0 of up to 64 bits, as a string."""

BETWEEN_0_AND_1 = r"0\.[0-9]{0,11}[1-9]"
"""A part of the people, as a decimal text."""

Text = Annotated[str, ValueLimits(min_length=1)]

LARGEST_DOMAIN = 2**22
"""Values of an attribute at most: estimates hold several vectors of this length."""

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
    """A number between two ends; beyond them it is refused, or clipped to the end.

    Attributes:
        edges: of the bins by which tables count it, from end to end; None where no table asks for it.
    """

    clip: bool
    edges: list[float] | None = None


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
        protect: which values must not be told from each other by a report about them; None if not asked for, and for
            a number where attributes have deltas.
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
        for mistake in self._mistakes():
            raise mistake

    @cached_property
    def domain(self) -> AttributeDomain:
        """Its values.

        Raises:
            SordinoError: none, or several kinds of them.
        """
        return domain_of(self.dump(include={*KINDS, "several", "none", "not_asked"}))

    def _mistakes(self) -> Iterator[SordinoError]:
        """Settings that do not go together; with the values, which are looked at first."""
        is_number = isinstance(self.domain, Interval)
        _ = self.bins
        if self.several is not None and self.none is None:
            yield SordinoError("several must apply of labels, beside what none of them is called")
        if len(self.columns) == 2 and self.grid is None:
            yield SordinoError("only a grid has two columns", found=f"{len(self.columns)}")
        if is_number and self.missing is not None and not re.fullmatch(BETWEEN_0_AND_1, self.missing):
            yield SordinoError("the missing share of a number must be a decimal below 1", found=shown(self.missing))
        ways = [] if self.is_protected_whole else ["blocks, sensitive values, a metric or bounds"]
        yield from values_mistakes(self.domain, self.missing, ways, is_conditional=self.only_if is not None)
        labels = [self.not_asked] if self.several is not None else (self.labels or [])[-1:]
        if (self.not_asked is not None) != (self.only_if is not None and not is_number) or (
            self.not_asked is not None and [self.not_asked] != labels
        ):
            rule = "what is asked only if something holds must have a last label for who is not asked, or be a number"
            yield SordinoError(rule, found=shown(self.not_asked))

    @property
    def bins(self) -> Bins | None:
        """Those by which tables count a number.

        Raises:
            SordinoError: edges that do not cover its range.
        """
        if self.number is None or self.number.edges is None:
            return None
        return Bins.from_edges(self.number.edges, Interval(self.number.low, self.number.high))

    @property
    def is_countable(self) -> bool:
        """Whether a table can count its values: categories, a map, or a number in bins."""
        return self.number is None or self.number.edges is not None

    @property
    def has_several(self) -> bool:
        """Whether several of its labels apply to one person."""
        return self.several is not None

    @property
    def is_protected_whole(self) -> bool:
        """Whether all its values are protected from each other alike."""
        own = self.protect
        return own is None or all(way is None for way in (own.blocks, own.sensitive, own.metric, own.bounds))


def require_one_of(part: StrictTable, *names: str) -> None:
    """Refuse a table that has not just one of some settings."""
    given = [name for name in names if getattr(part, name) is not None]
    if len(given) != 1:
        raise SordinoError(f"exactly one of {', '.join(names)} must be given", found=", ".join(given) or "none")


def values_mistakes(
    domain: AttributeDomain, missing: object, ways: Sequence[str], *, is_conditional: bool
) -> Iterator[SordinoError]:
    """What of an attribute does not fit its values, in whatever document it stands.

    Args:
        domain: the values.
        missing: what a missing value counts as; None where it is refused.
        ways: in which the values are not protected alike, in words.
        is_conditional: whether it is asked only because of earlier answers.
    """
    if isinstance(domain, Interval):
        if ways:
            step = 'leave it out, or write protect = { epsilon = "0.5" }, in nats'
            yield SordinoError("all values of a number must be protected alike", found=ways[0], step=step)
        if is_conditional and missing is None:
            rule = "a number that is not asked is missing: `missing` must say of how many"
            step = 'write missing = "0.7" if seven of ten are expected to have no number, whyever'
            yield SordinoError(rule, found="no `missing`", step=step)
        return
    if isinstance(domain, Choices):
        if missing not in (None, domain.none):
            rule = f"a missing answer of which several may apply can count as {domain.none!r} only"
            yield SordinoError(rule, found=shown(missing), step=f"write missing = {domain.none!r}, or leave it out")
    elif missing is not None and (isinstance(domain, Grid) or missing not in domain.labels):
        numbered = isinstance(domain, Grid) or isinstance(domain.labels, range)
        step = "name the categories, one of them for missing values" if numbered else "add it to categories"
        yield SordinoError("missing must name one of the categories", found=shown(missing), step=step)
    if is_conditional:
        yield from conditional_mistakes(ways)
    if ways and isinstance(domain, Choices):
        rule = "an answer of several categories must be protected as a whole"
        yield SordinoError(rule, found=ways[0], step="leave it out: all its values are then protected alike")


def conditional_mistakes(ways: Sequence[str]) -> Iterator[SordinoError]:
    """What does not fit an attribute that is not asked of all, whatever its values are."""
    if ways:
        rule = "what is asked only if something holds must be protected as a whole, or reports could show who was asked"
        yield SordinoError(rule, found=ways[0], step="leave it out, or ask everybody")


def attribute_of(
    name: str, part: AttributePart, *, is_date: bool = False, phrasing: Phrasing | None = None
) -> Attribute:
    """An attribute of a plan.

    Args:
        name: of it.
        part: of the document.
        is_date: whether it is asked for as a date, which the plan's words say.
        phrasing: its words; by default none.

    Raises:
        SordinoError: too many values, or none; an amount that is not in its canonical form.
    """
    domain = part.domain
    if not isinstance(domain, Interval | Choices) and domain.k > LARGEST_DOMAIN:
        raise SordinoError(f"a plan's domain must have 1 to {LARGEST_DOMAIN} values", found=shown(domain.k))
    clip = part.number is not None and part.number.clip
    delta = None if part.delta is None else canonical_amount(part.delta)
    only_if = tuple((name, tuple(labels)) for name, labels in (part.only_if or {}).items())
    columns, unasked = tuple(part.columns), part.not_asked
    return Attribute(
        name, domain, columns, part.missing, clip, delta, only_if, unasked, is_date, phrasing or Phrasing(), part.bins
    )


def attribute_words(attribute: Attribute, *, is_counted: bool = False) -> dict[str, Any]:
    """An attribute in the words of a plan, without what is promised about its values.

    Args:
        attribute: of a survey.
        is_counted: whether a table asks for it, which counts a number by its bins.
    """
    words = {**domain_words(attribute.domain), "columns": list(attribute.columns)}
    if isinstance(attribute.domain, Interval):
        words["number"]["clip"] = attribute.clip
        words["number"] |= {"edges": list(attribute.bins.edges)} if is_counted and attribute.bins else {}
    words |= {} if attribute.missing is None else {"missing": attribute.missing}
    words |= {"only_if": {name: list(labels) for name, labels in attribute.only_if}} if attribute.only_if else {}
    words |= {} if attribute.not_asked is None else {"not_asked": attribute.not_asked}
    return words | ({} if attribute.delta is None else {"delta": str(attribute.delta)})
