"""A public column of a frozen plan: what every report says in clear, and what is known of it otherwise.

Public columns are known anyway (a region, an arm of a trial, a wave, a stratum). They are sent as they are, beside the
code, and are no part of what is protected: the channel of a report does not depend on them.

[public.region]
categories = ["north", "south"]                                # sent in clear, beside every report
text = "Where do you live?"                                    # as people read it, once or by language
labels = { north = "In the north", south = "In the south" }
totals = { north = 12000, south = 8000 }                       # people of each, of a register for instance
[public.stratum]
categories = ["urban", "rural"]
weights = { urban = 3.5, rural = 40 }                          # people that a report stands for by the design
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from sordino.document.checked_tables import is_list_of
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.categories import Categories
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.entries import LARGEST_NUMBER
from sordino.exact.messages import shown
from sordino.survey.schema.attribute_part import Label, Text
from sordino.survey.schema.own_columns import looks

MOST_LABELS = 1 << 16
"""Of a public column."""

LEAST_REPORTS = 100
"""Without which no estimate of a group is shown; a collector asks for as many before it shows any."""

AMOUNT = r"(0|[1-9][0-9]{0,11})(\.[0-9]{0,11}[1-9])?"
"""A weight as a decimal text, in its shortest form."""

OWN_NAMES = frozenset({"plan", "code", "id", "question"})
"""What columns and fields of reports are called that are no public values."""


class PublicPart(StrictTable):
    """A public column.

    Attributes:
        name: of it.
        labels: its values; a report names one of them.
        columns: the name of the data's column.
        missing: the label that a missing value counts as; None where missing values are refused.
        totals: how many people have each label in the whole population, in the order of the labels.
        weights: how many people a report of each label stands for by the design, as decimal texts.
    """

    name: Text
    labels: list[Text] = setting(min_length=1, max_length=MOST_LABELS)
    columns: list[Text] = setting(min_length=1, max_length=1)
    missing: str | None = None
    totals: list[Label] | None = None
    weights: list[str] | None = None

    def _check(self) -> None:
        Categories(self.labels)
        for mistake in _column_mistakes(self, self.labels):
            raise mistake
        for known in (self.totals, self.weights):
            if known is not None and len(known) != len(self.labels):
                raise SordinoError(f"{len(self.labels)} labels have as many totals or weights", found=shown(len(known)))
        if self.totals is not None and not 0 < sum(self.totals) <= LARGEST_NUMBER:
            raise SordinoError("totals must be of somebody, and add up to at most 2^53", found=shown(sum(self.totals)))
        if wrong := [text for text in self.weights or () if not re.fullmatch(AMOUNT, text) or text == "0"]:
            raise SordinoError("a weight must be a decimal above 0, in its shortest form", found=shown(wrong[0]))


def require_public_columns(parts: Sequence[PublicPart], attributes: Mapping[str, Iterable[str]]) -> None:
    """Refuse public columns that name or read what is protected, or what another public column does.

    Args:
        parts: of a plan.
        attributes: their columns by name.

    Raises:
        SordinoError: with the first.
    """
    names = {*map(looks, attributes), *OWN_NAMES}
    columns = {looks(column) for own in attributes.values() for column in own}
    for part in parts:
        if looks(part.name) in names or not looks(part.name):
            rule = "a public column must have a name that is no attribute's and no other's (case does not count)"
            raise SordinoError(rule, found=shown(part.name))
        if looks(part.columns[0]) in columns:
            rule = "a public column must read a column that no attribute and no other reads"
            raise SordinoError(rule, found=shown(part.columns[0]))
        names.add(looks(part.name))
        columns.add(looks(part.columns[0]))


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
        yield from _column_mistakes(self, self.categories)
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


def _column_mistakes(column: PublicPart | PublicTable, labels: Sequence[str]) -> Iterator[SordinoError]:
    """What of a public column does not go together, in a plan and in a survey."""
    if column.missing is not None and column.missing not in labels:
        step = "add it to categories"
        yield SordinoError("missing must name one of the categories", found=shown(column.missing), step=step)
    if column.totals is not None and column.weights is not None:
        step = "give the totals if they are known: they say more"
        yield SordinoError("a public column must have either totals or weights", found="both of them", step=step)


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
    if not isinstance(given, Mapping) or (isinstance(given.get("file"), str) and "file" not in labels):
        step = f"write {word} = {{ {labels[0]} = 12000, ... }}"
        step += "; a file of totals is for `sordino.estimate` (`totals`)"
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
