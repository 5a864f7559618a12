"""A distribution of several attributes together, as a mixture of classes within which the attributes are independent.

Pr(x) = sum over classes c of Pr(c) product over attributes a of Pr(x_a | c). With classes enough every distribution is
one; that of k attributes takes the sum of their sizes for each class where the product of these cannot be listed. Its
margins are sums of products of few numbers, and all of them agree, being margins of one distribution. Scaling each
value of each attribute by a factor leaves it a mixture.

Sources: Lazarsfeld and Henry 1968 (latent structure analysis); Dunson and Xing 2009 (every distribution is one).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

import numpy as np

from sordino.estimation.joint.raking import rake_all
from sordino.exact.arrays import Floats


@dataclass(frozen=True, eq=False)
class Mixture:
    """Classes of people.

    Attributes:
        weights: the share of each class, shape (classes,).
        within: for each attribute the shares of its values within each class, shape (classes, k) each.
    """

    weights: Floats
    within: tuple[Floats, ...]

    @classmethod
    def independent(cls, margins: Sequence[Floats]) -> "Mixture":
        """Of one class: the product of the attributes' own distributions."""
        return cls(np.ones(1), tuple(own[None, :] for own in margins))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each attribute has."""
        return tuple(own.shape[1] for own in self.within)

    def margin(self, places: Sequence[int]) -> Floats:
        """The shares of the combinations of some attributes, in this order, the last one's values run fastest."""
        left, right = self.halves(places)
        return self.table(left, right).reshape(-1)

    def halves(self, places: Sequence[int]) -> tuple[Floats, Floats]:
        """The shares within each class of the combinations of the first of some attributes, and of the others."""
        middle = self.middle(places)
        return self._within(places[:middle]), self._within(places[middle:])

    def middle(self, places: Sequence[int]) -> int:
        """How many of some attributes the first half has: both halves together have as few combinations as they can."""
        sizes = [self.shape[place] for place in places]
        return min(range(len(sizes) + 1), key=lambda at: prod(sizes[:at]) + prod(sizes[at:]))

    def table(self, left: Floats, right: Floats) -> Floats:
        """The shares of both halves' combinations together, those of the right one along the rows."""
        return (left * self.weights[:, None]).T @ right

    def rake(self, known: Mapping[int, Floats]) -> "Mixture":
        """Scaled until the known attributes have their shares: the nearest such distribution in relative entropy.

        Args:
            known: of some attributes by their places, the shares of their values, which add up to 1.
        """
        return rake_all(self, known, lambda mixture, place: mixture.margin([place]), Mixture.scale)

    def scale(self, place: int, factors: Floats) -> "Mixture":
        """Each value of an attribute made so many times as frequent; the factors keep the sum of all shares."""
        own = self.within[place] * factors
        sums = own.sum(axis=1)
        # A class without any of the values that are left has no weight any more, whatever it holds.
        own = np.divide(own, sums[:, None], out=self.within[place].copy(), where=sums[:, None] > 0)
        weights = self.weights * sums
        return Mixture(weights, (*self.within[:place], own, *self.within[place + 1 :]))

    def _within(self, places: Sequence[int]) -> Floats:
        classes = len(self.weights)
        parts = [self.within[place] for place in places] or [np.ones((classes, 1))]
        return reduce(lambda one, other: (one[:, :, None] * other[:, None, :]).reshape(classes, -1), parts)
