"""The file from which a person's ledger is made: the record's attributes, and what all answers together may tell.

version = 1
epsilon = "1"
[attribute.age]
number = { low = 18, high = 90 }
[attribute.sleep]
number = { low = 0, high = 12 }

Or categories, of which each attribute may have a delta of its own:

version = 1
epsilon = "2"
[attribute.smoker]
categories = ["yes", "no"]
delta = "0.5"
[attribute.region]
categories = ["north", "south", "west"]
[dependence]
rest = { smoker = 0.2 }
"""

from fractions import Fraction
from typing import Self

from pydantic import Field, model_validator

from sordino.document.checked_tables import VersionField, nearest
from sordino.document.domains import domain_of
from sordino.domain.attribute import AttributeDomain
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.attributes.attribute import RangeTable
from sordino.survey.attributes.protect import Epsilon
from sordino.survey.frozen.dependence_bounds import RestBounds
from sordino.survey.frozen.parts import Part, Text, require_one_of


class RecordAttributeTable(Part):
    """One attribute of the record.

    Attributes:
        number: its range, or
        categories: its values.
        delta: of categories, the most that all answers may tell about it, for somebody whose beliefs are within the
            dependence bounds; epsilon by default.
    """

    number: RangeTable | None = None
    categories: list[Text] | None = None
    delta: Epsilon | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        require_one_of(self, "number", "categories")
        if self.number is not None and self.delta is not None:
            raise SordinoError("a number must be protected by epsilon alone", found="a delta", step="take it out")
        if self.categories is not None and len(self.categories) < 2:
            raise SordinoError(
                "an attribute must have at least two categories",
                found=str(len(self.categories)),
                step="name the others too",
            )
        self.domain()
        return self

    def domain(self) -> AttributeDomain:
        """Its range or its categories."""
        return domain_of({"labels": self.categories, "number": self.number and self.number.model_dump()})


class BoundsTable(Part):
    """How much the attributes may depend on each other, at most.

    Attributes:
        rest: for some attributes, or with one number for all, a bound on the total variation between the laws of all
            other attributes together given two of its values; 1 where it is not given.
    """

    rest: RestBounds


class TermsTable(Part):
    """The file from which a ledger is made.

    Attributes:
        version: of the format, 1.
        epsilon: the most that all answers together may tell about the whole record, in nats.
        attribute: the attributes by name, all numbers or all categories.
        dependence: of categories with deltas.
    """

    version: VersionField
    epsilon: Epsilon
    attribute: dict[str, RecordAttributeTable] = Field(min_length=1)
    dependence: BoundsTable | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        numbers = [name for name, part in self.attribute.items() if part.number is not None]
        if 0 < len(numbers) < len(self.attribute):
            raise SordinoError(
                "a ledger must be about numbers or about categories",
                found=f"both: {numbers[0]!r} is a number",
                step="cut the numbers into categories",
            )
        if numbers and self.dependence is not None:
            raise SordinoError("numbers must be protected by epsilon alone", found="[dependence]", step="take it out")
        rest = self.dependence.rest if self.dependence is not None else {}
        foreign = [name for name in rest if name not in self.attribute] if isinstance(rest, dict) else []
        if foreign:
            hint = nearest(foreign, list(self.attribute))
            raise SordinoError(
                f"dependence.rest must name attributes{hint}",
                found=shown(foreign[0]),
                step="write their names as [attribute.NAME] does",
            )
        return self

    def bounds(self) -> dict[str, Fraction]:
        """The dependence of each attribute."""
        rest = self.dependence.rest if self.dependence is not None else Fraction(1)
        return {name: rest.get(name, Fraction(1)) if isinstance(rest, dict) else rest for name in self.attribute}
