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
only_if = { smoker = "yes" }                                   # or a list of categories; all must hold of several
not_asked = "does not smoke"                                   # "not asked" by default
"""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from sordino.document.checked_tables import is_list_of
from sordino.document.domains import domain_of
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.attribute import Attribute, AttributeDomain, Domain
from sordino.domain.bins import DEFAULT_BINS, MOST_BINS, Bins
from sordino.domain.choices import Choices
from sordino.domain.condition import NOT_ASKED
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.survey.schema.attribute_part import (
    LARGEST_DOMAIN,
    GridPart,
    RangePart,
    conditional_mistakes,
    values_mistakes,
)
from sordino.survey.schema.expected_people import number_mistakes, read_part_of_people, shares_mistakes
from sordino.survey.schema.own_columns import columns_of
from sordino.survey.schema.protect_table import WAYS, Delta, ProtectTable, protect_mistakes
from sordino.survey.schema.questionnaire_part import input_mistakes


def _expected_mistakes(given: object, choices: Choices) -> Iterator[SordinoError]:
    step = f"write {{ {choices.labels[0]!r} = 0.2, ... }}, a share above 0 and below 1 for each category"
    if not isinstance(given, dict):
        yield SordinoError("expected must be a table of shares by category", found=shown(given), step=step)
        return
    known = [*choices.labels, *([] if choices.not_asked is None else [choices.not_asked])]
    if unknown := [name for name in given if name not in known]:
        found = repr(unknown[0]) + nearest([str(unknown[0])], known)
        yield SordinoError("expected must be of the attribute's categories", found=found, step=step)
    if absent := [label for label in known if label not in given]:
        yield SordinoError("expected must name every category", found=f"none for {absent[0]!r}", step=step)
    wrong = [name for name, share in given.items() if not _is_part(share)]
    if wrong:
        found = f"{shown(given[wrong[0]])} for {wrong[0]!r}"
        yield SordinoError("the expected share of a category must lie between 0 and 1", found=found, step=step)


def _is_part(share: object) -> bool:
    return isinstance(share, int | float) and not isinstance(share, bool) and 0 < share < 1


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
    def counted_bins(self) -> Bins | None:
        """Declared bins, by which tables count it; None without any, and where they are more than tables can have."""
        declared = self.edges is not None or (self.bins is not None and self.bins <= MOST_BINS)
        return self.default_bins if declared else None

    @property
    def default_bins(self) -> Bins:
        """Of a distribution.

        Raises:
            SordinoError: more bins than a distribution can have.
        """
        ends = Interval(self.low, self.high)
        return Bins.equal(ends, self.bins or DEFAULT_BINS) if self.edges is None else Bins.from_edges(self.edges, ends)


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
        yield from self._condition_mistakes()
        own = self.protect
        ways = [f"the setting `{name}`" for name in WAYS if own is not None and getattr(own, name) is not None]
        is_conditional = self.only_if is not None
        try:
            domain = self.domain()
        except SordinoError as error:
            yield error
            if is_conditional:
                yield from conditional_mistakes(ways)
            return
        yield from input_mistakes(self, (domain.low, domain.high) if isinstance(domain, Interval) else None)
        yield from values_mistakes(domain, self.missing, ways, is_conditional=is_conditional)
        if isinstance(domain, Choices):
            yield from [] if self.expected is None else _expected_mistakes(self.expected, domain)
        elif isinstance(domain, Interval):
            yield from self._number_mistakes()
        else:
            yield from self._counted_mistakes(domain)

    def _condition_mistakes(self) -> Iterator[SordinoError]:
        """What is wrong with the conditions, whatever the other attributes are."""
        given, unasked = self.only_if, self.not_asked
        if given is None:
            if unasked is not None:
                step = 'write only_if = { smoker = "yes" }, or leave it out'
                yield SordinoError("not_asked must stand beside only_if", found=shown(unasked), step=step)
            return
        names = [given[name] for name in given] if isinstance(given, dict) else []
        if not names or not all(isinstance(own, str) or (own and is_list_of(own, str)) for own in names):
            rule = "only_if must name attributes, each with one of its categories or a list of them"
            yield SordinoError(rule, found=shown(given), step='write only_if = { smoker = "yes" }')
        if self.grid is not None:
            step = "ask for it in categories, or of everybody"
            yield SordinoError("what is asked only if something holds must be no map", found="a grid", step=step)
        if self.number is not None and unasked is not None:
            rule, step = "a number that is not asked is missing: it has no name", "leave not_asked out"
            yield SordinoError(rule, found=shown(unasked), step=step)

    def _counted_mistakes(self, domain: Domain) -> Iterator[SordinoError]:
        """What is wrong beside values of which each person has one."""
        if domain.k < 2:
            found = f"{domain.k}, which leaves nothing to ask"
            yield SordinoError(
                "an attribute must have at least two values",
                found=found,
                step="name the others too, or leave the attribute out",
            )
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

    def attribute(self, name: str, delta: Nats | None) -> Attribute:
        """The attribute that is so called.

        Args:
            name: of it.
            delta: the most that may be told about it by itself; None where nothing is promised about it.
        """
        columns = columns_of(name, self.column, grid=self.grid is not None)
        clip, unasked = self.number is not None and self.number.clip, self.unasked_label
        bins = None if self.number is None else self.number.counted_bins
        conditions, missing = self.conditions, self.missing_text
        return Attribute(name, self.domain(), columns, missing, clip, delta, conditions, unasked, bins=bins)

    def domain(self) -> AttributeDomain:
        """Its values."""
        words, names, unasked = (
            self.dump(include={"grid", "number", "several", "none"}),
            self.categories,
            self.unasked_label,
        )
        if names is None:
            return domain_of(words)
        if isinstance(names, int) and not isinstance(names, bool):
            _require_size(names)
            if unasked is not None:
                rule = "categories that are not asked of all must have names"
                raise SordinoError(rule, found="their number", step='write categories = ["0", "1", "2"]')
            return domain_of({**words, "numbers": names})
        if not is_list_of(names, str):
            raise SordinoError(
                'categories must be a list of names, their number, or { file = "..." }',
                found=shown(names),
                step='write categories = ["yes", "no"]',
            )
        if not all(names):
            raise SordinoError("a category must have a name", found="an empty one", step="see the setting `missing`")
        if names:
            _require_size(len(names))
        if self.several is not None:
            return domain_of({**words, "labels": names, "not_asked": unasked})
        return domain_of({**words, "labels": names if unasked is None else [*names, unasked]})


def _require_size(categories: int) -> None:
    if not 1 <= categories <= LARGEST_DOMAIN:
        raise SordinoError(
            f"categories must be 1 to {LARGEST_DOMAIN}",
            found=shown(categories),
            step="name at least one, and merge some where there are too many",
        )


class AskedSurvey(Protocol):
    """The attributes of a survey."""

    @property
    def epsilon(self) -> Nats | None:
        """The loss that a report may cost."""

    @property
    def attribute(self) -> Mapping[str, AttributeTable]:
        """The attributes' tables by name."""

    @property
    def places(self) -> tuple[str, ...]:
        """The names in the order in which statistics name them."""

    def attribute_named(self, name: str) -> Attribute:
        """An attribute; with its delta where each is promised one of its own."""

    def delta(self, name: str) -> Nats:
        """The most that a report may tell about an attribute."""
