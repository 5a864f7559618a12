"""What a person's answers are about, and how much each can tell: the ground of the sampling rule.

A public type is drawn without looking at the record; given the type, its answers are independent given the record.
"""

from dataclasses import dataclass
from typing import TypeAlias

from sordino.domain.statistic import Statistic, touched
from sordino.exact.nats import Nats


@dataclass(frozen=True)
class Answer:
    """One answer of a type: about some statistics together, through a channel.

    Attributes:
        statistics: all that the channel looks at.
        level: the LDP level of the channel over all values of these statistics, rounded up.
    """

    statistics: tuple[Statistic, ...]
    level: Nats

    @property
    def places(self) -> frozenset[int]:
        """The attributes that it depends on."""
        return touched(self.statistics)


AnswerType: TypeAlias = tuple[Answer, ...]
"""The answers that are given together when the type is drawn."""
