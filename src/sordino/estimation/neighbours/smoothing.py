"""Shares by empirical Bayes over neighbours: of maps, and of histograms of many values.

An estimate of one value alone is lost in noise where people are few; what its neighbours say together, and what shares
are like on the whole, is not. From the unbiased estimates come, in this order: what is expected of each share
(`expected`), how shares differ from that (`ratio_prior`, `sparse`), and with these each share's posterior
(`posterior`); first with the block's mean share as what is expected, then with the posterior means of neighbours. What
is fitted is the Bayes rule for total variation among all vectors that keep each block's known total (`quantile_rule`),
and whether it is nearer to the truth than the nearest distribution is told by the same posteriors (`choice`).

It is a function of the tally, so it costs no privacy. It has no intervals of its own: an interval about a share says
what the reports tell of it, and the unbiased estimate's does.

Cost: for k values a few convolutions, one sort, and passes over k; about a fifth of a second for 43,750.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from sordino.domain.partition import Partition
from sordino.errors import SordinoError
from sordino.estimation.neighbours.expected import Neighbourhoods, expected_shares
from sordino.estimation.neighbours.noise import Floats, ShareNoise
from sordino.estimation.neighbours.quantile_rule import equal_quantiles, scale_blocks
from sordino.estimation.neighbours.ratio_prior import RatioPrior
from sordino.estimation.neighbours.sparse import hedged_prior
from sordino.exact.messages.brief import shown


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What is known of values beside their reports.

    Attributes:
        shape: of the values, where near ones are alike: rows and columns of a map, or how many stand in a row; None
            where they have no order.
        public: shape (k,), numbers that are public and may go with the shares, as how many people live in each cell of
            a map; nonnegative, not all zero, and made without these reports. None where there are none.

    Example:
        >>> Surroundings((2, 3), np.ones(6)).shape
        (2, 3)
    """

    shape: tuple[int, ...] | None = None
    public: Floats | None = None

    def __post_init__(self) -> None:
        public = self.public
        if public is not None and not (np.isfinite(public).all() and (public >= 0).all() and public.any()):
            wrong = int((~np.isfinite(public) | (public < 0)).sum())
            found = f"{wrong} of {public.size} that are not finite or below 0" if wrong else f"{public.size} zeros"
            step = "give counts or shares of a public table"
            raise SordinoError("public numbers must be finite, >= 0, and not all zero", found=found, step=step)

    def require(self, k: int) -> None:
        """Refuse what is of another number of values.

        Raises SordinoError: a shape or public numbers of other than k values.
        """
        if self.shape is not None and prod(self.shape) != k:
            raise SordinoError(f"the shape must hold {k} values", found=shown(self.shape))
        if self.public is not None and self.public.shape != (k,):
            raise SordinoError(f"there must be a public number for each of {k} values", found=shown(self.public.shape))


@dataclass(frozen=True, eq=False)
class Smoothed:
    """What was fitted, and how.

    Attributes:
        shares: shape (k,), nonnegative, adding up to each block's total.
    """

    shares: Floats
    prior: RatioPrior


def smoothed_map(value: Floats, noise: ShareNoise, blocks: Partition, totals: Floats, known: Surroundings) -> Smoothed:
    """Shares fitted by their neighbours.

    Args:
        value: shape (k,), unbiased estimates, with about independent noise.
        totals: shape (m,), nonnegative.
    """
    density, total = (totals / blocks.sizes)[blocks.block], float(totals.sum())
    stderr = noise.at(density)
    features = []
    if known.public is not None:
        features = [known.public * (total / known.public.sum()), scale_blocks(known.public, blocks, totals)]
    expected = expected_shares(value, stderr, density, features) if features else density
    prior = hedged_prior(RatioPrior.of(value, expected, noise), total)
    if known.shape is not None:
        near = Neighbourhoods(known.shape)
        means = near.means(scale_blocks(prior.posteriors.means(), blocks, totals))
        expected = expected_shares(value, stderr, density, [*means, *near.means(value), *features])
        # Of what neighbours in other blocks say, and of what the own block's total says, the geometric mean.
        expected = np.sqrt(expected * scale_blocks(expected, blocks, totals))
        prior = hedged_prior(RatioPrior.of(value, expected, noise), total)
    return Smoothed(equal_quantiles(prior.posteriors, blocks, totals), prior)
