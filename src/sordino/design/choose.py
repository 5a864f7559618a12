"""Choose a mechanism for a definition: the lowest exact variance, summed over the values, at uniform values."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import BoundLike
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.pairwise import LDP, BlockLDP, PairwiseDefinition
from sordino.design.optimal import LARGEST_K, optimal_weights
from sordino.errors import SordinoError
from sordino.mechanism.base import Mechanism
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.blockwise import Blockwise, offered
from sordino.mechanism.high_low import HighLow
from sordino.mechanism.table import ChannelTable


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
            _require_size(definition.partition.k, k)
            candidates = [Blockwise(definition.partition, definition.epsilon, "best", code_bits)]
        case HighLowLDP():
            _require_size(definition.k, k)
            candidates = [HighLow(k, definition.sensitive, definition.epsilon, "best", code_bits)]
        case PairwiseLDP():
            _require_size(definition.k, k)
            candidates = _for_matrix(definition)
        case _:
            raise SordinoError("a mechanism is chosen for a pairwise definition", found=type(definition).__name__)
    fitting = [mechanism for mechanism in candidates if mechanism.code_bits <= code_bits]
    if not fitting:
        least = min(mechanism.code_bits for mechanism in candidates)
        raise SordinoError(f"a report must fit in {code_bits} bits", found=f"at least {least} needed")
    return min(fitting, key=lambda mechanism: mechanism.total_variance)


def _for_matrix(definition: PairwiseLDP) -> list[Mechanism]:
    """For two values the optimum; else what protects all pairs as the least bound says, or a design of their own."""
    k, bounds = definition.k, definition.bounds
    if k == 2:
        return [BinaryOptimal(bounds[0][1], bounds[1][0])]
    candidates: list[Mechanism] = [*offered(k, definition.least)]
    if k <= LARGEST_K:
        candidates.append(optimal_channel(definition))
    return candidates


def optimal_channel(
    matrix: PairwiseLDP | Sequence[Sequence[BoundLike]], prior: NDArray[np.float64] | None = None
) -> ChannelTable:
    """The channel with the least total variance at a prior under any bounds between at most 20 values.

    Args:
        matrix: the bounds in nats, closed here under shortest paths.
        prior: shape (k,), uniform by default.

    Raises:
        SordinoError: more values, bounds that are none, or values that cannot be told apart.

    Example:
        >>> channel = optimal_channel([["0", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]])
        >>> from sordino import certify
        >>> certify(channel, PairwiseLDP([["0", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]])).holds
        True
    """
    definition = matrix if isinstance(matrix, PairwiseLDP) else PairwiseLDP(matrix)
    return ChannelTable(optimal_weights(definition.bounds, prior))


def _require_size(found: int, k: int) -> None:
    if found != k:
        raise SordinoError(f"the definition must be about all {k} values", found=f"{found}")
