"""The file from which a person's ledger is made: its tables, and what of them cannot stand together."""

from fractions import Fraction

from sordino.document.checked_tables import VersionField
from sordino.document.domains import domain_of
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.answers.choices import LARGEST as LARGEST_LISTED
from sordino.domain.answers.choices import Choices
from sordino.domain.attribute import AttributeDomain
from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.once.ledger.documents.quotas import QuotaTable
from sordino.survey.attributes.attribute import GridTable, RangeTable
from sordino.survey.attributes.protect import Epsilon, ProtectTable, protect_mistakes
from sordino.survey.frozen.dependence_bounds import RestBounds
from sordino.survey.frozen.parts import Text, require_one_of


class RecordNumberTable(RangeTable):
    """A number of the record.

    Attributes:
        missing: whether a person may have none.
    """

    missing: bool = False


class RecordAttributeTable(StrictTable):
    """One attribute of the record.

    Attributes:
        number: its range, or
        categories: its values, or how many numbered ones there are, or
        grid: the cells of a map.
        several: how many of the categories apply to one person at most, where several may.
        none: what it is called then that none of them applies.
        not_asked: of several what it is called that a survey did not ask.
        delta: the most that all answers may tell about it, for somebody whose beliefs are within the dependence bounds;
            epsilon by default.
        protect: which of its values are protected from each other, as in a survey; all alike by default.
    """

    number: RecordNumberTable | None = None
    categories: list[Text] | int | None = None
    grid: GridTable | None = None
    several: int | None = None
    none: Text | None = None
    not_asked: Text | None = None
    delta: Epsilon | None = None
    protect: ProtectTable | None = None

    def _check(self) -> None:
        require_one_of(self, "number", "categories", "grid")
        count = self.categories if isinstance(self.categories, int) else len(self.categories or "12")
        if count < 2:
            rule = "an attribute must have at least two categories"
            raise SordinoError(rule, found=f"{count:,}", step="name the others too")
        if self.several is None and (self.none, self.not_asked) != (None, None):
            rule = "none and not_asked must stand beside several"
            raise SordinoError(rule, found="no several", step="write several = 3, or name them among the categories")
        if self.several is not None and not isinstance(self.categories, list):
            raise SordinoError(
                "several must stand beside named categories", found="no names", step="name the categories"
            )
        domain = self.domain()
        if isinstance(domain, Choices) and not domain.is_listed:
            rule = f"several must allow at most {LARGEST_LISTED:,} combinations"
            raise SordinoError(rule, found=f"{domain.k:,}", step="lower several, or name fewer categories")
        if self.protect is not None:
            if not isinstance(domain, Categories | Grid):
                rule = "protect must stand beside categories of which one applies, or a map"
                raise SordinoError(rule, found="other values", step="leave it out: all values are protected alike")
            for mistake in protect_mistakes(self.protect, domain):
                raise mistake

    def domain(self) -> AttributeDomain:
        """Its range or its values."""
        number = self.number and {"low": self.number.low, "high": self.number.high}
        named = isinstance(self.categories, list)
        words = {"labels" if named else "numbers": self.categories, "number": number, "several": self.several}
        grid = self.grid and self.grid.dump()
        return domain_of({**words, "grid": grid, "none": self.none, "not_asked": self.not_asked})


class BoundsTable(StrictTable):
    """How much the attributes may depend on each other, at most.

    Attributes:
        rest: for some attributes, or with one number for all, a bound on the total variation between the laws of all
            other attributes together given two of its values; 1 where it is not given.
    """

    rest: RestBounds


class TermsTable(StrictTable):
    """The file from which a person's ledger is made: the record's attributes, and what all answers together may tell.

    version = 1
    epsilon = "1"
    [attribute.age]
    number = { low = 18, high = 90 }

    Numbers and categories may stand together, and each attribute may have a delta of its own:

    epsilon = "2"
    [attribute.smoker]
    categories = ["yes", "no"]
    delta = "0.5"
    [attribute.region]
    categories = ["north", "south", "west"]
    [dependence]
    rest = { smoker = 0.2 }

    Attributes:
        epsilon: the most that all answers together may tell about the whole record, in nats.
        attribute: the attributes by name.
        dependence: of attributes with deltas.
        quota: the most that the answers to each collector may tell by themselves, and those to all others together.
        changes: how often the record may change within the promise, which is about its histories then.
    """

    version: VersionField
    epsilon: Epsilon
    attribute: dict[str, RecordAttributeTable] = setting(min_length=1)
    dependence: BoundsTable | None = None
    quota: QuotaTable | None = None
    changes: int = 0

    def _check(self) -> None:
        protected = [name for name, part in self.attribute.items() if part.protect is not None]
        numbers = [name for name, part in self.attribute.items() if part.number is not None]
        if protected and numbers:
            rule = "protect must be of a ledger without numbers, whose pairs of values are listed"
            step = "keep numbers in cells as categories, or leave protect out: all values are protected alike"
            raise SordinoError(rule, found=f"{protected[0]!r} beside the number {numbers[0]!r}", step=step)
        if protected and (self.dependence is not None or any(part.delta for part in self.attribute.values())):
            step = "leave one of them out"
            raise SordinoError("a ledger must have protect or deltas", found="both settings", step=step)
        if self.changes and (self.dependence is not None or any(part.delta for part in self.attribute.values())):
            rule = "changes must stand in terms without deltas and bounds on dependence"
            step = "leave one of them out: beliefs about one version of a record say nothing about another"
            raise SordinoError(rule, found="both settings", step=step)
        rest = self.dependence.rest if self.dependence is not None else {}
        foreign = [name for name in rest if name not in self.attribute] if isinstance(rest, dict) else []
        if foreign:
            hint = nearest(foreign, list(self.attribute))
            rule = f"dependence.rest must name attributes{hint}"
            raise SordinoError(rule, found=shown(foreign[0]), step="write their names as [attribute.NAME] does")

    def bounds(self) -> dict[str, Fraction]:
        """The dependence of each attribute."""
        rest = self.dependence.rest if self.dependence is not None else Fraction(1)
        return {name: rest.get(name, Fraction(1)) if isinstance(rest, dict) else rest for name in self.attribute}
