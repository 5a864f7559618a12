"""Choose a mechanism for a definition: the lowest exact variance, summed over the values, at uniform values."""

from collections.abc import Sequence

from sordino.definition.pairwise import LDP, BlockLDP, PairwiseDefinition
from sordino.errors import SordinoError
from sordino.mechanism.base import Mechanism
from sordino.mechanism.blockwise import Blockwise, offered


def best_mechanism(k: int, definition: PairwiseDefinition, code_bits: int = 64) -> Mechanism:
    """The mechanism with the lowest total variance whose reports fit in `code_bits` bits.

    Raises:
        SordinoError: none fits, or the definition is about another number of values.

    Example:
        >>> best_mechanism(4, LDP("2"))
        RandomizedResponse(k=4, threshold=13119962536085084704)
    """
    candidates: Sequence[Mechanism]
    match definition:
        case LDP():
            candidates = offered(k, definition.epsilon)
        case BlockLDP():
            if definition.partition.k != k:
                raise SordinoError(f"blocks must cover all {k} values", found=f"{definition.partition.k}")
            candidates = [Blockwise(definition.partition, definition.epsilon, "best", code_bits)]
        case _:
            raise SordinoError(
                "a mechanism is chosen for LDP and block-structured LDP", found=type(definition).__name__
            )
    fitting = [mechanism for mechanism in candidates if mechanism.code_bits <= code_bits]
    if not fitting:
        least = min(mechanism.code_bits for mechanism in candidates)
        raise SordinoError(f"a report must fit in {code_bits} bits", found=f"at least {least} needed")
    return min(fitting, key=lambda mechanism: mechanism.total_variance)
