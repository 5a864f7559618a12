"""From the frozen words of a plan to the domain and the definition of privacy that they stand for."""

import numpy as np

from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.domain.partition import Partition
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.survey.frozen.parts import AttributePart, BlocksPart, ProtectPart

LARGEST_DOMAIN = 2**22
"""Values of an attribute at most: estimates hold several vectors of this length."""

Domain = Categories | Grid

Definition = LDP | BlockLDP | HighLowLDP | PairwiseLDP


def domain_of(part: AttributePart) -> Domain:
    """The values of an attribute.

    Raises:
        SordinoError: too many of them, or none.
    """
    if part.grid is not None:
        grid = Grid(**part.grid.model_dump())
        _require_fitting(grid.k)
        return grid
    if part.numbers is not None:
        _require_fitting(part.numbers)
        return Categories(range(part.numbers))
    labels = part.labels or ()
    _require_fitting(len(labels))
    return Categories(labels)


def partition_of(domain: Domain, blocks: BlocksPart) -> Partition:
    """The blocks of a domain."""
    if blocks.of is not None:
        return Partition.of(blocks.of, domain.k)
    if blocks.run is not None:
        return Partition.of(np.arange(domain.k) // blocks.run)
    if not isinstance(domain, Grid):
        raise SordinoError("only a grid has tiles", found="categories")
    height, width = blocks.tiles or (0, 0)
    return Partition.of(domain.tiles(height, width))


def definition_of(domain: Domain, protect: ProtectPart) -> Definition:
    """What is promised about the values of a domain.

    Raises:
        SordinoError: an amount that is not in its canonical form, or words that do not fit the domain.
    """
    if protect.bounds is not None:
        if len(protect.bounds) != domain.k:
            raise SordinoError(f"bounds must be about all {domain.k} values", found=str(len(protect.bounds)))
        for bound in {bound for row in protect.bounds for bound in row}:
            _ = bound == "inf" or canonical_amount(bound)
        return PairwiseLDP(protect.bounds)
    epsilon = canonical_amount(protect.epsilon or "")
    if protect.blocks is not None:
        return BlockLDP(epsilon, partition_of(domain, protect.blocks))
    if protect.sensitive is not None:
        return HighLowLDP(epsilon, domain.k, protect.sensitive)
    return LDP(epsilon)


def canonical_amount(text: str) -> Nats:
    """An amount of a plan, which has one spelling only."""
    amount = Nats.of(text)
    if str(amount) != text:
        raise SordinoError("a plan's amounts must be in their canonical form", found=shown(text))
    return amount


def _require_fitting(k: int) -> None:
    if not 1 <= k <= LARGEST_DOMAIN:
        raise SordinoError(f"a plan's domain must have 1 to {LARGEST_DOMAIN} values", found=shown(k))
