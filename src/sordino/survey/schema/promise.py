"""From the frozen words of a plan to the definition of privacy that they stand for."""

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.attribute import Domain
from sordino.domain.grid import Grid
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.survey.schema.amounts import canonical_amount, canonical_epsilon
from sordino.survey.schema.attribute_part import BlocksPart, ProtectPart

if TYPE_CHECKING:
    from sordino.definition.high_low import HighLowLDP
    from sordino.definition.matrix import PairwiseLDP
    from sordino.definition.metric import MetricLDP

Definition: TypeAlias = "LDP | BlockLDP | HighLowLDP | PairwiseLDP | MetricLDP"
"""What a plan promises about the values of an attribute; a device loads the class that its plan names."""


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
        from sordino.definition.matrix import PairwiseLDP

        if len(protect.bounds) != domain.k:
            raise SordinoError(f"bounds must be about all {domain.k} values", found=str(len(protect.bounds)))
        for bound in {bound for row in protect.bounds for bound in row}:
            _ = bound == "inf" or canonical_amount(bound)
        return PairwiseLDP(protect.bounds)
    epsilon = canonical_epsilon(protect.epsilon or "")
    if protect.blocks is not None:
        return BlockLDP(partition_of(domain, protect.blocks), epsilon)
    if protect.metric is not None:
        from sordino.survey.schema.plan_distances import metric_definition

        return metric_definition(domain, protect.metric, epsilon)
    if protect.sensitive is not None:
        from sordino.definition.high_low import HighLowLDP

        return HighLowLDP(domain.k, protect.sensitive, epsilon)
    return LDP(epsilon)
