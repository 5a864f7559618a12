"""Mechanisms as the integers of a plan, and back."""

from typing import Any

from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.pairwise import BlockLDP
from sordino.errors import SordinoError
from sordino.exact.brief import shown
from sordino.mechanism.base import Mechanism
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.blockwise import INNER, Blockwise
from sordino.mechanism.high_low import HighLow
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.table import ChannelTable
from sordino.survey.channel_parts import BinaryPart, BlockwisePart, CoinPart, HighLowPart, MechanismPart, TablePart
from sordino.survey.promise import Definition


def freeze(mechanism: Mechanism) -> dict[str, Any]:
    """The integers of a mechanism; those beyond 2^53 as text."""
    match mechanism:
        case Blockwise():
            return {"name": "blockwise", "inner": [_coin(inner) for inner in mechanism.inner]}
        case HighLow():
            return {"name": "high-low", "inner": _coin(mechanism.inner), "hidden": str(mechanism.hidden)}
        case BinaryOptimal():
            return {"name": "binary", "first": str(mechanism.first), "second": str(mechanism.second)}
        case ChannelTable():
            return {"name": "table", "weights": [[str(weight) for weight in row] for row in mechanism.weights]}
        case OneCoin():
            return _coin(mechanism)
        case _:
            raise SordinoError("a plan freezes mechanisms that a survey can choose", found=type(mechanism).__name__)


def thaw(part: MechanismPart, definition: Definition, k: int) -> Mechanism:
    """The mechanism with a document's integers, over the blocks or the sensitive values that the definition tells.

    Raises:
        SordinoError: integers that make no mechanism, or one that is not about these values.
    """
    mechanism: Mechanism
    match part:
        case BlockwisePart():
            if not isinstance(definition, BlockLDP | PairwiseLDP):
                raise SordinoError("a blockwise mechanism needs a promise by blocks", found=type(definition).__name__)
            blocks = definition.partition if isinstance(definition, BlockLDP) else definition.components
            mechanism = Blockwise.from_inner(blocks, [_thaw_coin(inner) for inner in part.inner])
        case HighLowPart():
            if not isinstance(definition, HighLowLDP | PairwiseLDP):
                raise SordinoError("a high-low mechanism needs sensitive values", found=type(definition).__name__)
            sensitive = definition.sensitive if isinstance(definition, HighLowLDP) else definition.protected
            mechanism = HighLow.from_inner(k, sensitive, _thaw_coin(part.inner), int(part.hidden))
        case BinaryPart():
            mechanism = BinaryOptimal.from_weights(int(part.first), int(part.second))
        case TablePart():
            mechanism = ChannelTable([[int(weight) for weight in row] for row in part.weights])
        case CoinPart():
            mechanism = _thaw_coin(part)
    if mechanism.k != k:
        raise SordinoError(f"the mechanism must be about {k} values", found=shown(mechanism.k))
    return mechanism


def _coin(mechanism: OneCoin) -> dict[str, Any]:
    names: dict[type[OneCoin], str] = {kind: name for name, kind in INNER.items()}
    return {**mechanism.record, "name": names[type(mechanism)], "threshold": str(mechanism.threshold)}


def _thaw_coin(part: CoinPart) -> OneCoin:
    more = {key: value for key in ("field", "size") if (value := getattr(part, key)) is not None}
    return INNER[part.name].from_threshold(k=part.k, threshold=int(part.threshold), **more)
