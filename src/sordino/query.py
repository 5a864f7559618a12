"""A query asks a statistic of the record through a mechanism; its report is a code."""

from dataclasses import dataclass

from sordino.mechanism.base import Mechanism


@dataclass(frozen=True)
class Query:
    """The histogram of one attribute, asked through a mechanism over its values.

    Attributes:
        attribute: the name of the attribute whose value is the statistic.
        mechanism: the channel from its values to codes.
        subtract_totals: whether estimates are shifted to the known share of their block; decided before the data.
    """

    attribute: str
    mechanism: Mechanism
    subtract_totals: bool
