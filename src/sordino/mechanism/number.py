"""Channels from records of numbers in [-1, 1] to codes, whose tallies give means of statistics.

An estimate of the mean of a statistic is the mean over all reports of a function g_s(code) with
E[g_s | record] = the record's statistic s.
"""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.sampling import AnswerType
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.channel import Channel


class NumberChannel(Channel):
    """A channel from d numbers in [-1, 1] to codes."""

    @property
    @abstractmethod
    def moments(self) -> Moments:
        """The statistics whose means it tells."""

    @property
    @abstractmethod
    def types(self) -> tuple[AnswerType, ...]:
        """What a person can be drawn to answer: for each public type the answers given together."""

    @abstractmethod
    def means(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The unbiased estimate of the mean of each statistic, shape (m,).

        Raises:
            SordinoError: another channel's tally, or no reports.
        """

    @abstractmethod
    def covariance(self, aggregate: Aggregate) -> NDArray[np.float64]:
        """The estimated covariance of `means`, shape (m, m), for independent people; from the tally alone."""

    @abstractmethod
    def noise(self) -> NDArray[np.float64]:
        """E[g_s^2], shape (m,), exact and the same for every record.

        n times the variance of the mean of s is this less the mean over the people of the squared statistic, for given
        people; less its squared mean, for people drawn at random.
        """

    @property
    def d(self) -> int:
        """How many numbers a record has."""
        return self.moments.d

    def checked(self, values: ArrayLike) -> NDArray[Any]:
        """The records as float64, shape (n, d).

        Raises:
            SordinoError: other than d numbers in [-1, 1] for each person (named by position, never by value).
        """
        records = self._rows(values)
        # The extremes need no memory of the records' size; a number that is none is among them.
        if records.size and not (float(records.min()) >= -1 and float(records.max()) <= 1):
            row, column = (int(place) for place in np.argwhere(~(np.abs(records) <= 1))[0])
            raise SordinoError(
                "numbers must lie in [-1, 1]", found=f"another in record {row}, number {column}", step="scale them"
            )
        return records

    def _rows(self, values: ArrayLike) -> NDArray[np.float64]:
        """The records as float64, shape (n, d), whatever their range."""
        array = np.asarray(values)
        if array.ndim == 1 and self.d == 1:
            array = array[:, None]
        if array.ndim != 2 or array.shape[1] != self.d or (array.size and array.dtype.kind not in "iuf"):
            raise SordinoError(
                f"records must be rows of {self.d} numbers", found=f"type {array.dtype}, shape {array.shape}"
            )
        return array.astype(np.float64, copy=False)
