"""An attribute of a survey file: its values, where they stand in the data, and how sensitive they are.

[attribute.city]
grid = { south = 25, north = 50, west = -130, east = -60, rows = 125, columns = 350 }
protect = { blocks = [5, 5] }
[attribute.smoker]
categories = ["yes", "no"]
delta = "0.5"
[attribute.income]
number = { low = 0, high = 200000, clip = true }
missing = "0.1"                                                # one of ten is expected to have none
[attribute.symptoms]
categories = ["cough", "fever", "pain", "none of these known to me"]
several = 2                                                    # a person names up to two of them
[attribute.packs]
categories = ["1", "2", "3 or more"]
only_if = { smoker = "yes" }                                   # all others count as "not asked"
"""

from collections.abc import Iterator
from typing import Any

from sordino.document.checked_tables import is_list_of
from sordino.document.domains import domain_of
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.answers.choices import NONE, Choices
from sordino.domain.answers.condition import NOT_ASKED
from sordino.domain.attribute import AttributeDomain, Domain
from sordino.domain.bins import Bins
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import shown
from sordino.survey.attributes.conditions import condition_settings_mistakes
from sordino.survey.attributes.expected import number_mistakes, shares_mistakes
from sordino.survey.attributes.part_of_people import read_part_of_people
from sordino.survey.attributes.protect import Delta, ProtectTable, protect_mistakes
from sordino.survey.attributes.several import several_mistakes
from sordino.survey.attributes.wording import input_mistakes
from sordino.survey.frozen.parts import GridPart, RangePart
from sordino.survey.frozen.promise import LARGEST_DOMAIN

BINS = 256
"""Equal bins of a distribution where a survey declares none."""

KINDS = ("categories", "grid", "number")
"""What an attribute's values can be."""


class GridTable(GridPart):
    """A map cut into cells: edges in degrees, numbers of cells."""

    def _check(self) -> None:
        cells = Grid(**self.dump()).k
        if cells > LARGEST_DOMAIN:
            raise SordinoError(
                f"a grid must have at most {LARGEST_DOMAIN} cells",
                found=shown(cells),
                step="take fewer rows and columns",
            )


class RangeTable(RangePart):
    """A number between two ends that are declared, never taken from the data."""

    def _check(self) -> None:
        Interval(self.low, self.high)


class NumberTable(RangeTable):
    """A number between two ends, in the unit of the data.

    Attributes:
        clip: whether a number beyond an end counts as that end, instead of being refused.
        bins: how many equal ones a distribution has, and others' dependence on it is measured by; without them
            dependence is not measured from a sample, and a distribution has 256.
        edges: where the bins of a distribution begin and end instead, from `low` to `high`.
        spikes: whether many people are thought to have exactly equal numbers, as incomes of whole thousands: its
            distribution is then not smoothed and not interpolated; nothing that is promised.
        lipschitz: how much the mean of any other statistic, scaled to [-1, 1], changes at most per unit of it.
    """

    clip: bool = False
    bins: int | None = setting(default=None, ge=2, le=1000)
    edges: list[float] | None = None
    spikes: bool = False
    lipschitz: float | None = setting(default=None, ge=0, finite=True)

    def _check(self) -> None:
        super()._check()
        if self.edges is not None:
            if self.bins is not None:
                step = "equal bins have no edges of their own: leave one out"
                raise SordinoError("a number must have either bins or edges", found="bins and edges", step=step)
            Bins.from_edges(self.edges, Interval(self.low, self.high))

    @property
    def default_bins(self) -> Bins:
        """Of a distribution.

        Raises:
            SordinoError: more bins than a distribution can have.
        """
        ends = Interval(self.low, self.high)
        return Bins.equal(ends, self.bins or BINS) if self.edges is None else Bins.from_edges(self.edges, ends)


class AttributeTable(StrictTable):
    """One attribute of the people: its values, where they stand in the data, and how they are protected.

    Attributes:
        categories, grid, number: one of them.
        column: of the data: a name, or for a grid two; the attribute's own name by default.
        missing: the category of a missing value, of several `none`; of a number the share of the people who are
            expected to lack it, as "0.1"; missing values are refused without it.
        protect: how values differ in what protects them.
        delta: the most that a person's one report may tell about this attribute, in nats, for somebody whose beliefs
            are within the survey's dependence bounds; the survey's epsilon by default.
        expected: what the people are thought to be like, for forecasts alone: shares of the values, or a mean and `sd`.
        several: how many of the categories apply to one person at most, where several may.
        none: what it is called then that none of them applies.
        only_if: the attributes that decide whether it is asked, each with one category or a list of them: it is asked
            of whoever has one of these of each.
        not_asked: the category of who is not asked, where that depends.
        text, help, labels, unit, input, step: how people are asked for it (`wording`).
    """

    categories: Any = None  # a list of names, their number, or { file = "..." } with a name a line
    grid: GridTable | None = None
    number: NumberTable | None = None
    column: Any = None
    missing: Any = None  # the name of a category; of a number a part of the people
    protect: ProtectTable | None = None
    delta: Delta | None = None
    expected: Any = None
    several: int | None = None
    none: str | None = None
    only_if: Any = None  # a table: of each attribute a category, or a list of them
    not_asked: str | None = None
    text: Any = None
    help: Any = None
    labels: Any = None
    unit: Any = None
    input: Any = None
    step: float | None = None

    def _check(self) -> None:
        mistakes = list(self._mistakes())
        if mistakes:
            raise SordinoErrors("the attribute", mistakes)

    def _mistakes(self) -> Iterator[SordinoError]:
        """All that is wrong with the attribute; what depends on a wrong domain cannot be told."""
        pair = self.grid is not None and is_list_of(self.column, str) and len(self.column) == 2
        named = [self.column] if isinstance(self.column, str) else self.column if pair else []
        if self.column is not None and not (named and all(named) and len(set(named)) == len(named)):
            rule = "column must be one name, or for a grid two: latitude, longitude"
            yield SordinoError(
                rule,
                found=shown(self.column),
                step='write column = "place", or of a grid column = ["latitude", "longitude"]',
            )
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none of them"
            yield SordinoError(
                "an attribute must have either categories, a grid or a number",
                found=found,
                step="give it one of them, and no more",
            )
            return
        yield from condition_settings_mistakes(self)
        try:
            domain = self.domain()
        except SordinoError as error:
            yield error
            return
        yield from input_mistakes(self, (domain.low, domain.high) if isinstance(domain, Interval) else None)
        if isinstance(domain, Choices):
            yield from several_mistakes(self, domain)
        elif isinstance(domain, Interval):
            yield from self._number_mistakes()
        else:
            yield from self._values_mistakes(domain)

    def _values_mistakes(self, domain: Domain) -> Iterator[SordinoError]:
        """What is wrong beside values of which each person has one."""
        if domain.k < 2:
            found = f"{domain.k}, which leaves nothing to ask"
            yield SordinoError(
                "an attribute must have at least two values",
                found=found,
                step="name the others too, or leave the attribute out",
            )
        if self.missing is not None and (isinstance(domain, Grid) or self.missing not in domain.labels):
            numbered = isinstance(domain, Grid) or isinstance(domain.labels, range)
            step = "name the categories, one of them for missing values" if numbered else "add it to categories"
            yield SordinoError("missing must name one of the categories", found=shown(self.missing), step=step)
        if self.protect is not None and domain.k > 1:
            yield from protect_mistakes(self.protect, domain)
        if self.expected is not None:
            yield from shares_mistakes(self.expected, domain)

    @property
    def conditions(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The attributes that decide whether it is asked, and the categories of which one must hold."""
        return tuple(
            (name, (own,) if isinstance(own, str) else tuple(own)) for name, own in (self.only_if or {}).items()
        )

    @property
    def unasked_label(self) -> str | None:
        """The category of who is not asked; None where everybody is, and of a number."""
        return None if self.only_if is None or self.number is not None else self.not_asked or NOT_ASKED

    def _number_mistakes(self) -> Iterator[SordinoError]:
        try:
            _ = self.missing_text
        except SordinoError as error:
            yield error
        if self.protect is not None:
            step = 'write delta = "..." instead'
            yield SordinoError("a number is protected as a whole", found="the setting `protect`", step=step)
        if self.expected is not None and self.number is not None:
            yield from number_mistakes(self.expected, self.number)

    @property
    def may_be_missing(self) -> bool:
        """Whether it is a number that may be missing."""
        return self.number is not None and self.missing is not None

    @property
    def missing_text(self) -> str | None:
        """The category of a missing value, or the share of the people who are expected to lack the number.

        Raises:
            SordinoError: no such share.
        """
        if not self.may_be_missing:
            return self.missing  # type: ignore[no-any-return]  # a text, as was looked at
        step = 'write missing = "0.1" if one of ten is expected to have no number, or leave it out if all have one'
        return read_part_of_people(self.missing, "the missing share of a number", step)

    def domain(self) -> AttributeDomain:
        """Its values."""
        if (self.several is not None and self.categories is None) or (self.several is None and self.none is not None):
            rule, step = "several must apply of named categories", "write several = 3 beside categories"
            found = "other values" if self.several is not None else "the setting `none`"
            raise SordinoError(rule, found=found, step=step)
        if self.grid is not None or self.number is not None:
            return domain_of(self.dump(include={"grid", "number"}))
        if isinstance(self.categories, int) and not isinstance(self.categories, bool):
            if not 1 <= self.categories <= LARGEST_DOMAIN:
                raise SordinoError(
                    f"categories must be 1 to {LARGEST_DOMAIN}",
                    found=shown(self.categories),
                    step="name at least one, and merge some where there are too many",
                )
            if self.several is not None or self.unasked_label is not None:
                rule = "categories of which several apply, or that are not asked of all, must have names"
                raise SordinoError(rule, found="their number", step='write categories = ["0", "1", "2"]')
            return domain_of({"numbers": self.categories})
        if not is_list_of(self.categories, str):
            raise SordinoError(
                'categories must be a list of names, their number, or { file = "..." }',
                found=shown(self.categories),
                step='write categories = ["yes", "no"]',
            )
        if not all(self.categories):
            raise SordinoError("a category must have a name", found="an empty one", step="see the setting `missing`")
        if len(self.categories) > LARGEST_DOMAIN:
            raise SordinoError(
                f"categories must be 1 to {LARGEST_DOMAIN}",
                found=str(len(self.categories)),
                step="name at least one, and merge some where there are too many",
            )
        if self.several is not None:
            return Choices(tuple(self.categories), self.several, self.none or NONE, self.unasked_label)
        unasked = [] if self.unasked_label is None else [self.unasked_label]
        return domain_of({"labels": [*self.categories, *unasked]})
