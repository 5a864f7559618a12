"""A public column of a frozen plan: what every report says in clear, and what is known of it otherwise.

Public columns are known anyway (a region, an arm of a trial, a wave, a stratum). They are sent as they are, beside the
code, and are no part of what is protected: the channel of a report does not depend on them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.categories import Categories
from sordino.errors import SordinoError
from sordino.exact.entries import LARGEST_NUMBER
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.own_columns import looks
from sordino.survey.frozen.parts import Label, Text

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
        if self.missing is not None and self.missing not in self.labels:
            raise SordinoError("missing must name one of the labels", found=shown(self.missing))
        if self.totals is not None and self.weights is not None:
            raise SordinoError("a public column has totals or weights", found="both of them")
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
