"""A public column of a survey file: its values, where they stand in the data, and what is known of them otherwise.

[public.region]
categories = ["north", "south"]                                # sent in clear, beside every report
text = "Where do you live?"                                    # as people read it, once or by language
labels = { north = "In the north", south = "In the south" }
totals = { north = 12000, south = 8000 }                       # people of each, of a register for instance
[public.stratum]
categories = ["urban", "rural"]
weights = { urban = 3.5, rural = 40 }                          # people that a report stands for by the design
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from sordino.document.checked_tables import is_list_of
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.entries import LARGEST_NUMBER
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.public_part import MOST_LABELS

DIGITS = 12
"""Of a weight, before and after the point each."""

Known = TypeVar("Known", int, str)


class PublicTable(StrictTable):
    """One public column of the people.

    Attributes:
        categories: its values.
        column: of the data; its own name by default.
        missing: the category of a missing value; missing values are refused without it.
        totals: how many people of the population have each value.
        weights: how many people of the population a report of each value stands for by the design.
        text, help, labels: what people read; looked at with all other texts.
    """

    categories: Any  # a list of names, or { file = "..." } with a name a line
    column: str | None = None
    missing: str | None = None
    totals: Any = None
    weights: Any = None
    text: Any = None
    help: Any = None
    labels: Any = None

    def _check(self) -> None:
        mistakes = list(self._mistakes())
        if mistakes:
            raise SordinoErrors("the public column", mistakes)

    def _mistakes(self) -> Iterator[SordinoError]:
        if self.column == "":
            yield SordinoError("column must be a name", found="an empty one", step='write column = "place"')
        if not is_list_of(self.categories, str) or not self.categories or not all(self.categories):
            rule = 'categories of a public column must be a list of names, or { file = "..." }'
            yield SordinoError(rule, found=shown(self.categories), step='write categories = ["north", "south"]')
            return
        repeated = sorted({label for label in self.categories if self.categories.count(label) > 1})
        if repeated:
            yield SordinoError("each category must be named once", found=shown(repeated[0]), step="name it once")
        if len(self.categories) > MOST_LABELS:
            found, step = f"{len(self.categories):,}", "merge some of them"
            yield SordinoError(f"a public column must have at most {MOST_LABELS:,} categories", found=found, step=step)
        if self.missing is not None and self.missing not in self.categories:
            step = "add it to categories"
            yield SordinoError("missing must name one of the categories", found=shown(self.missing), step=step)
        if self.totals is not None and self.weights is not None:
            step = "give the totals if they are known: they say more"
            yield SordinoError("a public column must have either totals or weights", found="both of them", step=step)
        yield from self.totals_mistakes()
        yield from _mistakes_of("weights", self.weights, self.categories, _weight)

    def totals_mistakes(self) -> Iterator[SordinoError]:
        """What is wrong with the totals."""
        yield from _mistakes_of("totals", self.totals, self.categories, _total)

    @property
    def words(self) -> dict[str, Any]:
        """In the words of a plan, without its name and its column."""
        words: dict[str, Any] = {"labels": list(self.categories)}
        words |= {} if self.missing is None else {"missing": self.missing}
        words |= {} if self.totals is None else {"totals": [_total(self.totals[one]) for one in self.categories]}
        return words | (
            {} if self.weights is None else {"weights": [_weight(self.weights[one]) for one in self.categories]}
        )


def read_totals(given: object, labels: list[str], name: str) -> list[int]:
    """How many people have each label, in the labels' order.

    Args:
        given: a table of whole numbers by label.
        labels: of the public column.
        name: of the column.

    Raises:
        SordinoErrors: all mistakes.
    """
    mistakes = list(_mistakes_of("totals", given, labels, _total))
    if mistakes or not isinstance(given, Mapping):
        raise SordinoErrors(f"the totals of {name}", mistakes)
    return [_total(given[label]) for label in labels]


def _total(given: object) -> int:
    if type(given) is int and 0 <= given <= LARGEST_NUMBER:
        return given
    raise SordinoError("a total must be a whole number of people", found=shown(given), step="write 12000, for instance")


def _weight(given: object) -> str:
    """A weight as a decimal text in its shortest form."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        number = Decimal(repr(given))
        if number.is_finite() and 0 < number < 10**DIGITS:
            text = f"{number.normalize():f}"
            if len(text.partition(".")[2]) <= DIGITS:
                return text
    rule = f"a weight must be a number above 0, with at most {DIGITS} digits before and after the point"
    raise SordinoError(rule, found=shown(given), step="write how many people a report stands for, as 3.5")


def _mistakes_of(
    word: str, given: object, labels: list[str], read: Callable[[object], Known]
) -> Iterator[SordinoError]:
    """What is wrong with numbers by label; nothing where none are given."""
    if given is None:
        return
    if not isinstance(given, Mapping):
        step = f"write {word} = {{ {labels[0]} = 12000, ... }}"
        yield SordinoError(f"{word} must be a table of numbers by category", found=shown(given), step=step)
        return
    for name in [name for name in given if name not in labels]:
        found, step = repr(name) + nearest([str(name)], labels), "write the categories as they are named"
        yield SordinoError(f"{word} must be of the column's categories", found=found, step=step)
    if missing := [label for label in labels if label not in given]:
        step = "write 0 for a category of nobody" if word == "totals" else "give each category a weight"
        yield SordinoError(f"{word} must name every category", found=f"none for {missing[0]!r}", step=step)
    for label in labels:
        try:
            _ = label in given and read(given[label])
        except SordinoError as error:
            yield SordinoError(f"{word}.{label}: {error.rule}", found=error.found, step=error.step)
    if word == "totals" and all(type(number) is int for number in given.values()) and not sum(given.values()) > 0:
        yield SordinoError(
            "totals must be of somebody", found="nothing above 0", step="write how many people there are"
        )
