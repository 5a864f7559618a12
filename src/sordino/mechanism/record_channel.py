"""Channels that read whole records of numbers: what they reveal and estimate they say themselves.

No finite channel of values stands behind them whose columns a certificate could read, so they state the largest losses
of their own integers.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from sordino.exact.nats import Nats
from sordino.mechanism.channel import Aggregate, Channel


class RecordChannel(Channel):
    """A channel from whole records of d numbers to codes."""

    @property
    @abstractmethod
    def d(self) -> int:
        """How many numbers a record has."""

    @property
    @abstractmethod
    def losses(self) -> Sequence[Nats]:
        """The largest loss of each number for somebody who knows all others, exactly, as logarithms, shape (d,)."""

    @property
    @abstractmethod
    def epsilon(self) -> Nats:
        """The largest loss of a whole record, exactly, as a logarithm."""

    @abstractmethod
    def estimate(self, aggregate: Aggregate) -> Any:
        """What the reports show, with standard errors.

        Raises:
            SordinoError: another channel's tally, or no reports.
        """
