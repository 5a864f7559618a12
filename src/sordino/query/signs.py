"""The statistic of several numbers together, each rounded at random to a sign: an answer about all of them at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from sordino.domain.moment import Factors, Moment
from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import shown
from sordino.query.number import Floats, Number, NumberStatistic, point_label, require_places, rounding_of
from sordino.query.statistic import attribute_list

MOST_SIGNS = 12
"""Read together, at most: they have 2^m values."""


@checked_class
@dataclass(frozen=True)
class Signs(NumberStatistic):
    """Numbers at different places, each rounded at random to a sign by itself; bit c is 1 where sign c is +1.

    Example:
        >>> Signs((1, 0)).k, Signs((1, 0)).counted_moments[0]
        (4, ((1,), array([-1.,  1., -1.,  1.])))
    """

    name: ClassVar[str] = "signs"

    at: tuple[int, ...]

    def __post_init__(self) -> None:
        require_places(self.at)
        if not 1 <= len(self.at) <= MOST_SIGNS or len(set(self.at)) < len(self.at):
            raise SordinoError(f"1 to {MOST_SIGNS} different numbers must be read together", found=shown(self.at))

    @property
    def places(self) -> tuple[int, ...]:
        return self.at

    @property
    def description(self) -> str:
        several = " together, each" if len(self.at) > 1 else ","
        return f"{attribute_list(self.at)}{several} {rounding_of(2)}"

    def label(self, value: int) -> str:
        return f"({', '.join(point_label(value >> c & 1, 2) for c in range(len(self.at)))})"

    @property
    def axes(self) -> tuple[tuple[int, int], ...]:
        """Two values for each number; the first one runs fastest."""
        return tuple((place, 2) for place in self.at[::-1])

    @property
    def k(self) -> int:
        return 1 << len(self.at)

    @property
    def counted_moments(self) -> tuple[tuple[Factors, Floats], ...]:
        patterns = np.arange(self.k)
        return tuple((name, np.where(patterns >> c & 1, 1.0, -1.0)) for c, name in enumerate(self.bits))

    @property
    def bits(self) -> tuple[Moment, ...]:
        return tuple((place,) for place in self.at)

    @property
    def single_statistics(self) -> tuple[NumberStatistic, ...]:
        """The sign of each number."""
        return tuple(map(Number, self.at))

    @property
    def arguments(self) -> tuple[int, ...]:
        return self.at

    @classmethod
    def of(cls, arguments: tuple[int, ...]) -> Self:
        return cls(arguments)

    def with_places(self, place: Mapping[int, int]) -> "Signs":
        return Signs(tuple(place[old] for old in self.at))
