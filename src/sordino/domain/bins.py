"""Bins of a number: a range cut at edges that are declared before the data.

A number belongs to the last bin whose lower edge is not above it: one at an edge to the bin that begins there, and the
highest number to the last bin. Edges are float64 and compared as they are: nothing is rounded, so that every client
that compares doubles finds the same bin.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.domain.interval import Interval, read_ends, read_number
from sordino.errors import SordinoError
from sordino.exact.messages import Brief, shown

FEWEST_BINS, MOST_BINS = 2, 512
"""Of one number: plans are certified whenever they are read, and 512 bins take some seconds."""

DEFAULT_BINS = 256
"""Number of equal bins of a distribution where a survey declares none."""

MISSING = "missing"
"""What the value of who has no number is called."""

MOST_ON_SCALE = 20
"""From end to end of a whole-number scale: ages and hours of a day, which have parts, go further."""

HALF = 0.5
"""From a whole number to the edges of its bin."""


@dataclass(frozen=True, repr=False)
class Bins(Brief):
    """The bins between neighbouring edges.

    Attributes:
        edges: finite, ascending; one more than there are bins.

    Raises:
        SordinoError: other edges, or too few or too many.

    Example:
        >>> bins = Bins.equal(Interval(0, 10), 4)
        >>> bins.edges, bins.locate([0, 2.4, 2.5, 10]).tolist(), bins.label(0)
        ((0.0, 2.5, 5.0, 7.5, 10.0), [0, 0, 1, 3], '0 to 2.5')
    """

    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        count = len(self.edges) - 1
        if not FEWEST_BINS <= count <= MOST_BINS:
            rule = f"bins must be {FEWEST_BINS} to {MOST_BINS}"
            raise SordinoError(rule, found=shown(max(count, 0)), step="take another number of bins")
        object.__setattr__(self, "edges", tuple(read_number(edge, "an edge of a bin") for edge in self.edges))
        wrong = [pair for pair in pairwise(self.edges) if not pair[0] < pair[1]]
        if wrong:
            first, second = wrong[0]
            rule, found = "the edges of bins must ascend", f"{shown(second)} after {shown(first)}"
            raise SordinoError(rule, found=found, step="write them in ascending order, each once")
        read_ends(self.edges[0], self.edges[-1])

    @classmethod
    def equal(cls, ends: Interval, count: int) -> Self:
        """Bins of one width: edge i is i * ((high - low) / count) + low, in doubles, and the last one is `high`."""
        if not FEWEST_BINS <= count <= MOST_BINS:
            raise SordinoError(
                f"bins must be {FEWEST_BINS} to {MOST_BINS}", found=shown(count), step="take another number of bins"
            )
        step = ends.width / count
        return cls((*(i * step + ends.low for i in range(count)), ends.high))

    @classmethod
    def from_edges(cls, edges: Iterable[float], ends: Interval) -> Self:
        """Bins at edges that are declared, and cover a range."""
        bins = cls(tuple(edges))
        covered = bins.edges[0], bins.edges[-1]
        if covered != (ends.low, ends.high):
            rule = f"the edges of bins must go from {ends.low:g} to {ends.high:g}, the ends of the number"
            raise SordinoError(rule, found=f"{covered[0]:g} to {covered[1]:g}")
        return bins

    @property
    def k(self) -> int:
        return len(self.edges) - 1

    @property
    def ends(self) -> Interval:
        return Interval(self.edges[0], self.edges[-1])

    @property
    def widths(self) -> NDArray[np.float64]:
        """Of each bin, shape (k,)."""
        return np.diff(self.edges)

    @property
    def middles(self) -> NDArray[np.float64]:
        """Of each bin, shape (k,); of whole numbers the middle of these."""
        edges = np.array(self.edges)
        return edges[:-1] + self.widths / 2

    @property
    def within_bins(self) -> NDArray[np.float64]:
        """The variance of numbers that are spread evenly within each bin, shape (k,): of whole numbers of these.

        Example:
            >>> Bins((-0.5, 0.5, 3.5)).within_bins.round(4).tolist(), Bins((0, 6, 12)).within_bins.tolist()
            ([0.0, 0.6667], [3.0, 3.0])
        """
        return (self.widths**2 - self.are_whole) / 12

    def offset_of_mean(self, shares: NDArray[np.float64]) -> float:
        """How far the mean is off that of the middles, as a standard deviation, where all numbers lie at one place.

        People who round all do so alike: numbers lie at one place of their bins, the same in each, and nobody knows at
        which. Times the root of 3 it is as far as numbers can all lie from the middles.

        Args:
            shares: of the bins, shape (k,).

        Example:
            >>> round(3**0.5 * Bins((0, 6, 12)).offset_of_mean(np.array([0.4, 0.6])), 9)
            3.0
        """
        return float(shares @ np.sqrt(self.within_bins))

    def offset_of_square(self, shares: NDArray[np.float64], center: float) -> float:
        """The same of the mean square of how far numbers are from a center, of numbers spread evenly within bins.

        Of numbers at one place of their bin the square lacks its spread, and has twice the place times how far the bin
        is away: of bins that have each their own place, and of all at the same one.
        """
        placed, away = self.within_bins, self.middles - center
        own = np.square(shares) @ (4 * away**2 * placed)
        alike = shares @ (2 * away * np.sqrt(placed))
        return float(np.sqrt(own + alike**2 + (shares @ placed) ** 2))

    def label(self, place: int) -> str:
        """From where to where a bin goes; its upper edge belongs to the next one.

        Example:
            >>> Bins((0, 0.1, 1000000)).label(1)
            '0.1 to 1000000'
        """
        return f"{plain(self.edges[place])} to {plain(self.edges[place + 1])}"

    def title(self, low: float, high: float) -> str:
        """What lies between two edges as people read it: where all edges are halfway between whole numbers, these.

        Example:
            >>> scale = Bins.equal(Interval(-0.5, 10.5), 11)
            >>> scale.title(-0.5, 6.5), scale.title(9.5, 10.5), Bins((0, 5, 10)).title(0, 5)
            ('0 to 6', '10', '0 to 5')
            >>> Bins((-0.5, 29.5, 30.5)).title(-0.5, 29.5)
            '0 to 29'
        """
        if not self.are_whole:
            return f"{plain(low)} to {plain(high)}"
        first, last = plain(low + HALF), plain(high - HALF)
        return first if first == last else f"{first} to {last}"

    def locate(self, numbers: ArrayLike) -> NDArray[np.intp]:
        """The bin of each number that lies between the ends, shape (n,)."""
        return np.searchsorted(self.edges[1:-1], np.asarray(numbers, dtype=np.float64), side="right")

    def edge(self, number: float) -> int | None:
        """The place of an edge; None of any other number."""
        place = int(np.searchsorted(self.edges, number))
        return place if place <= self.k and self.edges[place] == number else None

    @property
    def steps_by_one(self) -> bool:
        """Whether the bins have width 1 and are few, as on a whole-number scale."""
        low = self.edges[0]
        return self.k <= MOST_ON_SCALE + 1 and self.edges == tuple(low + i for i in range(self.k + 1))

    @property
    def are_whole(self) -> bool:
        """Whether all edges lie halfway between whole numbers, so that bins hold answers in whole numbers.

        Example:
            >>> Bins((-0.5, 6.5, 8.5, 10.5)).are_whole, Bins((0, 6, 10)).are_whole
            (True, False)
        """
        return all(edge % 1 == HALF for edge in self.edges)

    @property
    def is_scale(self) -> bool:
        """Whether each whole number has a bin of its own."""
        return self.are_whole and bool((self.widths == 1).all())

    def nearest(self, number: float) -> float:
        return min(self.edges, key=lambda edge: abs(edge - number))


def shortest(number: float) -> str:
    """A number as people write it, in as many digits as it takes to read the same one.

    Example:
        >>> shortest(200000.0), shortest(70 / 11)
        ('200000', '6.363636363636363')
    """
    return plain(number) if float(plain(number)) == number else repr(number)


def plain(number: float) -> str:
    """A number as people write it: in twelve digits at most, without an exponent where that is short.

    Example:
        >>> plain(200000.0), plain(781.25), plain(0.1 + 0.2)
        ('200000', '781.25', '0.3')
    """
    return f"{number:.12g}"
