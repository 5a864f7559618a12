"""From the frozen words of a plan to the domain and the definition of privacy that they stand for."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sordino.definition.pairwise import LDP, BlockLDP
from sordino.document.domains import KINDS, domain_of, domain_words
from sordino.domain.answers.choices import Choices
from sordino.domain.attribute import Attribute, Domain
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.domain.partition import Partition
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.frozen.amounts import canonical_amount, canonical_epsilon
from sordino.survey.frozen.parts import AttributePart, BlocksPart, ProtectPart

if TYPE_CHECKING:
    from sordino.definition.high_low import HighLowLDP
    from sordino.definition.matrix import PairwiseLDP
    from sordino.definition.metric import MetricLDP

LARGEST_DOMAIN = 2**22
"""Values of an attribute at most: estimates hold several vectors of this length."""

Definition: TypeAlias = "LDP | BlockLDP | HighLowLDP | PairwiseLDP | MetricLDP"
"""What a plan promises about the values of an attribute; a device loads the class that its plan names."""


def attribute_of(name: str, part: AttributePart, *, is_date: bool = False) -> Attribute:
    """An attribute of a plan.

    Args:
        name: of it.
        part: of the document.
        is_date: whether it is asked for as a date, which the plan's words say.

    Raises:
        SordinoError: too many values, or none; an amount that is not in its canonical form.
    """
    domain = domain_of(part.dump(include={*KINDS, "several", "none", "not_asked"}))
    if not isinstance(domain, Interval | Choices) and domain.k > LARGEST_DOMAIN:
        raise SordinoError(f"a plan's domain must have 1 to {LARGEST_DOMAIN} values", found=shown(domain.k))
    clip = part.number is not None and part.number.clip
    delta = None if part.delta is None else canonical_amount(part.delta)
    only_if = tuple((name, tuple(labels)) for name, labels in (part.only_if or {}).items())
    columns, unasked = tuple(part.columns), part.not_asked
    return Attribute(name, domain, columns, part.missing, clip, delta, only_if, unasked, is_date)


def attribute_words(attribute: Attribute) -> dict[str, Any]:
    """An attribute in the words of a plan, without what is promised about its values."""
    words = {**domain_words(attribute.domain), "columns": list(attribute.columns)}
    if isinstance(attribute.domain, Interval):
        words["number"]["clip"] = attribute.clip
    words |= {} if attribute.missing is None else {"missing": attribute.missing}
    words |= {"only_if": {name: list(labels) for name, labels in attribute.only_if}} if attribute.only_if else {}
    words |= {} if attribute.not_asked is None else {"not_asked": attribute.not_asked}
    return words | ({} if attribute.delta is None else {"delta": str(attribute.delta)})


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
        from sordino.survey.frozen.distances import metric_definition

        return metric_definition(domain, protect.metric, epsilon)
    if protect.sensitive is not None:
        from sordino.definition.high_low import HighLowLDP

        return HighLowLDP(domain.k, protect.sensitive, epsilon)
    return LDP(epsilon)
