"""A histogram that a survey asks and a plan asks within tables: its shares are the tables' margins, pooled."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sordino.domain.attribute import Attribute, Domain
from sordino.survey.kinds.question import AskedQuestion, Floats, Question, SharesQuestion


@dataclass(frozen=True)
class JoinedHistogram(AskedQuestion):
    """A histogram that is asked together with others.

    Attributes:
        attribute: that it is about.
        tables: the questions of the plan that tell it, in its order.
    """

    attribute: Attribute
    tables: tuple[SharesQuestion, ...]

    kind = "histogram"

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attribute alone."""
        return (self.attribute,)

    @property
    def domain(self) -> Domain:
        """Its values."""
        return self.attribute.finite

    @property
    def share(self) -> Fraction:
        return sum((table.share for table in self.tables), Fraction(0))

    @property
    def people(self) -> int:
        return sum(table.people for table in self.tables)

    @property
    def form(self) -> str:
        return f"{self.kind} of {self.domain.k:,} values"

    @property
    def code_bits(self) -> int:
        return max(table.code_bits for table in self.tables)

    def axis(self, table: SharesQuestion) -> int:
        """Its place among the attributes of one of its tables."""
        return table.attribute_names.index(self.name)

    def margin(self, table: SharesQuestion, cells: Floats) -> Floats:
        """Its shares by those of a table's cells, shape (k,)."""
        others = tuple(axis for axis in range(len(table.shape)) if axis != self.axis(table))
        summed: Floats = np.asarray(cells, dtype=np.float64).reshape(table.shape).sum(axis=others)
        return summed

    def row_head(self, value: int) -> dict[str, Any]:
        """What a row about one value says that it is about."""
        return {"attribute": self.name, "value": self.domain.label(value)}


def joined_histograms(questions: Iterable[Question]) -> tuple[JoinedHistogram, ...]:
    """The histograms in whose place tables are asked, as the tables first name them."""
    tables: dict[str, list[SharesQuestion]] = {}
    attributes: dict[str, Attribute] = {}
    for question in questions:
        if question.is_joined and (shares := question.shares) is not None:
            for attribute in question.attributes:
                tables.setdefault(attribute.name, []).append(shares)
                attributes[attribute.name] = attribute
    return tuple(JoinedHistogram(attributes[name], tuple(own)) for name, own in tables.items())
