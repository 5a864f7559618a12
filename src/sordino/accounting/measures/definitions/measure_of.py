"""Which measure a definition on finitely many values has."""

from typing import TypeAlias

from sordino.accounting.measures.definitions.equal_bounds import EqualBounds
from sordino.accounting.measures.definitions.pairs import Pairs
from sordino.accounting.measures.definitions.record_attributes import Attributes
from sordino.accounting.measures.measure import Measure
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown

FiniteDefinition: TypeAlias = (
    LDP | BlockLDP | HighLowLDP | PairwiseLDP | MetricLDP | CoordinateDP | BayesianCoordinateDP
)


def measure_of(definition: FiniteDefinition, k: int, names: tuple[str, ...] = ()) -> Measure:
    """The measure of a definition on k values. Raises SordinoError: a definition of another number of values.

    Args:
        definition: with sizes of its attributes where it has attributes.
        k: how many values the domain has.
    """
    measure: Measure
    match definition:
        case PairwiseLDP() | MetricLDP():
            measure, known = Pairs(definition), definition.k
        case CoordinateDP() | BayesianCoordinateDP():
            measure = Attributes(definition, names or tuple(map(str, range(definition.d))))
            known = measure.k
        case BlockLDP():
            measure, known = EqualBounds(definition, k), definition.partition.k
        case HighLowLDP():
            measure, known = EqualBounds(definition, k), definition.k
        case _:
            measure, known = EqualBounds(definition, k), k
    if known != k:
        raise SordinoError(f"the definition must be about the domain's {k} values", found=shown(known))
    return measure
