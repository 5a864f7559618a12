"""What a survey says about the dependence between its attributes, as bounds.

[dependence]
rest = { smoker = 0.2, age = 0.1 }        # or one number for all, or file = "statement.json"
thresholds = { income = 0.05 }            # or income = { smoker = 0.05 }: given these attributes only
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any

from sordino.definition.bounded_dependence import Dependence, read_variation
from sordino.document.schema.limits import Parse
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.categories import few
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.schema.attribute_part import Count, Text, require_one_of


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


def _read_rest(rest: Any) -> dict[str, Fraction] | Fraction:
    """A bound for all attributes, or for some of them by name."""
    if isinstance(rest, dict):
        return {str(name): read_variation(bound) for name, bound in rest.items()}
    return read_variation(rest)


def _read_thresholds(thresholds: Any) -> dict[str, dict[str, Fraction] | Fraction]:
    """For some numbers a bound given any other attribute, or given some of them by name."""
    if not isinstance(thresholds, dict):
        step = "write thresholds = { income = 0.1 }, or { income = { smoker = 0.1 } }"
        raise SordinoError("bounds for thresholds must name numbers", found=shown(thresholds), step=step)
    return {str(name): _read_rest(bounds) for name, bounds in thresholds.items()}


ThresholdBounds = Annotated[dict[str, dict[str, Fraction] | Fraction], Parse(_read_thresholds)]

RestBounds = Annotated[dict[str, Fraction] | Fraction, Parse(_read_rest)]


class DependenceTable(StrictTable):
    """How much the attributes may depend on each other, at most.

    Attributes:
        rest: for some attributes, or with one number for all, a bound on the total variation between the laws of all
            other attributes given two of its values; 1 where it is not given.
        thresholds: for some numbers, given any other attribute or given some of them by name, a bound on how much the
            share of people below a threshold may differ between two of its values, whichever threshold between the
            number's bins that is.
        file: instead, a statement that `sordino dependence` wrote.
    """

    rest: RestBounds | None = None
    thresholds: ThresholdBounds | None = None
    file: Text | None = None

    def _check(self) -> None:
        if self.thresholds is None:
            require_one_of(self, "rest", "file")
        elif self.file is not None:
            step = "leave the declared bounds out, or the file"
            raise SordinoError("bounds are declared, or from a statement", found="both of them", step=step)


def dependence_of(part: DependencePart | None, places: Sequence[str]) -> Dependence:
    """A plan's words as bounds; nothing is known without them.

    Raises:
        SordinoError: words about other attributes, two bounds for one statistic, one below 1 for an attribute's own, or
            bounds that are not in their canonical form.
    """
    if part is None:
        return Dependence.unknown(len(places))
    names = {*part.rest, *(name for bound in part.statistics for name in (bound.attribute, *bound.statistic))}
    names |= {name for bound in part.tables or () for name in (bound.attribute, *bound.table)} | set(part.bins or ())
    names |= {name for bound in part.thresholds or () for name in (bound.attribute, bound.number)}
    names |= {name for bound in part.category_signs or () for name in (bound.attribute, bound.category, bound.number)}
    if not names <= set(places) or set(part.rest) != set(places):
        wrong = sorted((names | set(part.rest)) ^ set(places))
        found = few(wrong)
        raise SordinoError("a plan's dependence must be about its attributes", found=found, step="get the plan again")
    place = {name: i for i, name in enumerate(places)}
    statistics = {
        (place[bound.attribute], tuple(sorted(place[name] for name in bound.statistic))): _canonical(bound.bound)
        for bound in part.statistics
    }
    if len(statistics) < len(part.statistics):
        raise SordinoError("a plan must have one bound for each attribute and statistic", found="two for one of them")
    tables = {
        (place[bound.attribute], tuple(place[name] for name in bound.table)): _canonical(bound.bound)
        for bound in part.tables or ()
    }
    if len(tables) < len(part.tables or ()):
        raise SordinoError("a plan must have one bound for each attribute and table", found="two for one of them")
    thresholds = {
        (place[bound.attribute], place[bound.number]): _canonical(bound.bound) for bound in part.thresholds or ()
    }
    if len(thresholds) < len(part.thresholds or ()):
        raise SordinoError("a plan must have one bound for each attribute and number", found="two for one of them")
    signs = {
        (place[bound.attribute], (place[bound.category], place[bound.number])): _canonical(bound.bound)
        for bound in part.category_signs or ()
    }
    if len(signs) < len(part.category_signs or ()):
        raise SordinoError("a plan must have one bound for each category with a sign", found="two for one of them")
    return Dependence(tuple(_canonical(part.rest[name]) for name in places), statistics, tables, thresholds, signs)


def _canonical(text: str) -> Fraction:
    bound = read_variation(text)
    if str(bound) != text:
        raise SordinoError("a plan's bounds must be in their canonical form", found=shown(text))
    return bound
