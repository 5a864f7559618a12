"""Choose a mechanism for a definition: the lowest exact variance, summed over the values, at uniform values.

The channel that sends each value's own code most often and falls off from there as steeply as the bounds allow.

On a line with a bound for each step this is the truncated geometric mechanism: every bound between neighbours is tight,
the ends take what would lie beyond them. The same on any bounds: the column of value y has e^(-E[y, x]) at x, and its
weights c solve sum_y c_y e^(-E[y, x]) = 1 for every x; where some would be negative there is no such channel, as on a
star of many short edges. A product of lines has the products of weights, so a grid under the sum of distances has one.
Guarantee: every bound, exactly, by `integer_channel`. Cost: k^3 operations; seconds for 128 values.
Source: Ghosh, Roughgarden and Sundararajan 2012 (universally optimal mechanisms), in the local setting.

A mixture of two channels: what falls off with distance, and what tells all values apart alike.

What falls off tells where on the line or the map a value lies, what is alike for all tells neighbours apart; where
steps are small both are needed. A coin that no value moves chooses, and the report says which it is. On 8 x 8 cells in
steps of half a nat the sum of variances is 735, against 4,895 and 972 by what falls off and by what is alike alone.
Guarantee: a mixture of channels that keep bounds keeps them, since they are linear in the columns; exactly, by
`integer_channel`.
Cost: some operations on k x 5 k numbers; a second for 64 values.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounds import BoundLike
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP, PairwiseDefinition
from sordino.design.coarse import coarse_number
from sordino.design.integer_channel import integer_channel
from sordino.design.shares.extreme_rays import floors
from sordino.design.shares.optimal import UNBOUNDED, optimal_weights
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.estimation.solvers import inverse_trace
from sordino.exact.floats import Floats
from sordino.exact.messages import checked, shown
from sordino.exact.nats import Nats
from sordino.exact.source import LARGEST_BOUND
from sordino.mechanism.base import Mechanism
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.channel import LARGEST_CODE_BITS
from sordino.mechanism.channel_table import ChannelTable
from sordino.mechanism.high_low_response import HighLow
from sordino.mechanism.inner import BEST, INNER, Within, inner_mechanisms
from sordino.mechanism.product_response import ProductResponse
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.tree_response import TreeResponse

TABLE, MIXTURE, JOINT = "table", "mixture", "joint table"
"""The names of channels of their own design."""

GEOMETRIC = "geometric"
"""The name of channels whose codes fall off from each value."""

FEW_ENOUGH = 8
"""Values up to which a design of their own is better than any mixture."""

LARGEST_AXIS = 32
"""Values of an axis up to which a channel is designed for it."""

LARGEST_DESIGN = 64
"""Values of a matrix or a grid up to which a channel is designed: within a minute."""

FEW_VALUES = 12
"""Values up to which a design needs no other channel to begin with."""

KNOWN_CODES = 4
"""Largest number of codes for each value, of a channel that a design begins with."""


@checked
def best_mechanism(k: int, definition: PairwiseDefinition, code_bits: int = LARGEST_CODE_BITS) -> Mechanism:
    """The mechanism with the lowest total variance whose reports fit in `code_bits` bits.

    Raises:
        SordinoError: none fits, or the definition is about another number of values.

    Example:
        >>> best_mechanism(4, LDP("2"))
        RandomizedResponse(k=4, threshold=13119962536085084704)
    """
    if not 1 <= k <= LARGEST_BOUND:
        raise SordinoError(f"a mechanism is chosen for 1 to {LARGEST_BOUND} values", found=shown(k))
    made = candidates(k, definition, code_bits)
    # In case of a tie the first and simplest one. What the others worked out is let go at once: it can be large.
    best = made.pop(next(iter(made)))
    least = coarse_number(best.total_variance)
    while made:
        mechanism = made.pop(next(iter(made)))
        variance = coarse_number(mechanism.total_variance)
        if variance < least:
            best, least = mechanism, variance
    return best


def candidates(
    k: int, definition: PairwiseDefinition, code_bits: int = LARGEST_CODE_BITS, *, designed: bool = True
) -> dict[str, Mechanism]:
    """The mechanisms that keep a definition and whose reports fit, by name; the simplest first.

    Args:
        designed: whether a channel is designed for bounds of all kinds too, which can take a minute; of bounds between
            more values than that is done for, whether one falls off with them.
    """
    not_made = set() if designed else {TABLE, MIXTURE, JOINT}
    if not designed and isinstance(definition, PairwiseLDP) and k > LARGEST_DESIGN:
        not_made.add(GEOMETRIC)
    made: dict[str, Mechanism] = {}
    refusals: list[SordinoError] = []
    for name, make in _makers(k, definition, code_bits):
        if name in not_made:
            continue
        try:
            mechanism = make()
        except SordinoError as refusal:
            refusals.append(refusal)
            continue
        known = {other.fingerprint for other in made.values()}
        if mechanism.code_bits <= code_bits and mechanism.fingerprint not in known:
            made[name] = mechanism
    if not made:
        if code_bits >= LARGEST_CODE_BITS:
            raise refusals[0]
        least = min(mechanism.code_bits for mechanism in candidates(k, definition, designed=designed).values())
        rule = f"a report must fit in {shown(code_bits)} bits"
        raise SordinoError(rule, found=f"at least {least} needed", step="allow more bits")
    return made


Maker = tuple[str, Callable[[], Mechanism]]


def _makers(k: int, definition: PairwiseDefinition, code_bits: int) -> Iterator[Maker]:
    match definition:
        case LDP():
            for name in INNER:
                yield name, partial(_longest, name, k, definition.epsilon, code_bits)
        case BlockLDP():
            _require_size(definition.partition.k, k)
            yield from _blockwise(definition.partition, definition.epsilon, code_bits)
        case HighLowLDP():
            _require_size(definition.k, k)
            yield from _high_low(definition.sensitive, k, definition.epsilon, code_bits)
        case PairwiseLDP():
            _require_size(definition.k, k)
            yield from _for_matrix(definition, code_bits)
        case MetricLDP():
            _require_size(definition.k, k)
            yield from _for_metric(definition, code_bits)
        case _:
            rule = "a mechanism is chosen for a pairwise definition"
            step = "take LDP, BlockLDP, HighLowLDP, PairwiseLDP or MetricLDP"
            raise SordinoError(rule, found=type(definition).__name__, step=step)


def _longest(name: Within, k: int, epsilon: Nats, code_bits: int) -> Mechanism:
    """The version of a mechanism with the longest codes that fit, or with the shortest if none do."""
    versions = inner_mechanisms(k, epsilon, name)
    return next((version for version in versions if version.code_bits <= code_bits), versions[-1])


def _blockwise(blocks: Partition, epsilon: Nats, code_bits: int) -> Iterator[Maker]:
    for within in (*INNER, BEST):
        yield f"blockwise {within}", partial(Blockwise, blocks, epsilon, within, code_bits)


def _high_low(sensitive: NDArray[np.intp], k: int, epsilon: Nats, code_bits: int) -> Iterator[Maker]:
    for within in (*INNER, BEST):
        yield f"high-low {within}", partial(HighLow, k, sensitive, epsilon, within, code_bits)


def _for_matrix(definition: PairwiseLDP, code_bits: int) -> Iterator[Maker]:
    """For two values the optimum; else what falls off with the bounds, a design of their own, or the least bound."""
    k, bounds = definition.k, definition.bounds
    if k == 2:
        yield "binary", partial(BinaryOptimal, bounds[0][1], bounds[1][0])
        return
    yield from _makers(k, LDP(definition.least), code_bits)
    if definition.components.m > 1:
        yield from _blockwise(definition.components, definition.least, code_bits)
    if 0 < len(definition.protected_values) < k:
        yield from _high_low(definition.protected_values, k, definition.least, code_bits)
    yield GEOMETRIC, partial(geometric_channel, definition)
    if k <= LARGEST_DESIGN:
        yield TABLE, partial(optimal_channel, definition)


def _for_metric(definition: MetricLDP, code_bits: int) -> Iterator[Maker]:
    """What falls off with the distances along each axis, a design of their own for few values, or the least bound."""
    if definition.k == 2:
        yield "binary", partial(BinaryOptimal, definition.least, definition.least)
        return
    yield from _makers(definition.k, LDP(definition.least), code_bits)
    yield GEOMETRIC, partial(along_axes, definition, _geometric_channels)
    if max(definition.shape) <= LARGEST_AXIS:
        yield TABLE, partial(along_axes, definition, _with_design)
    if len(definition.axes) > 1 and definition.k <= LARGEST_DESIGN:
        yield JOINT, lambda: optimal_channel(definition.edge_bounds)
    if FEW_ENOUGH < definition.k <= LARGEST_MIXTURE:
        yield MIXTURE, lambda: mixture(definition, along_axes(definition, _geometric_channels))


def along_axes(definition: MetricLDP, channels: Callable[[MetricLDP], Iterator[Mechanism]]) -> Mechanism:
    """The product of the best channels along each axis: its variance is least where each one's is."""
    # In case of a tie the first one.
    best = {
        axis: min(channels(MetricLDP((axis,))), key=lambda channel: coarse_number(channel.total_variance))
        for axis in dict.fromkeys(definition.axes)
    }
    return (
        best[definition.axes[0]] if len(definition.axes) == 1 else ProductResponse([best[a] for a in definition.axes])
    )


def _geometric_channels(axis: MetricLDP) -> Iterator[Mechanism]:
    """The geometric channel, where there is one, and k-ary randomized response."""
    with suppress(SordinoError):
        yield TreeResponse(axis)
    yield RandomizedResponse(axis.k, axis.least)


def _with_design(axis: MetricLDP) -> Iterator[Mechanism]:
    yield from _geometric_channels(axis)
    if axis.k > 2:
        yield optimal_channel(axis.edge_bounds)


@checked
def optimal_channel(matrix: PairwiseLDP | Sequence[Sequence[BoundLike]], prior: Floats | None = None) -> ChannelTable:
    """The channel with the least total variance at a prior that a search finds, under any bounds between values.

    Source: context-aware LDP paper, Section 3, which leaves it open.

    The search ends where some rounds bring next to nothing, or after counted steps, however busy the machine is; of
    dense bounds between many values long before the best. `variance_floor` bounds the distance from the best channel.

    Args:
        matrix: the bounds in nats, closed here under shortest paths.
        prior: shape (k,), uniform by default.

    Raises:
        SordinoError: more than 128 values, bounds that are none, or values that cannot be told apart.

    Example:
        >>> channel = optimal_channel([["0", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]])
        >>> from sordino import certify
        >>> certify(channel, PairwiseLDP([["0", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]])).holds
        True
    """
    definition = matrix if isinstance(matrix, PairwiseLDP) else PairwiseLDP(matrix)
    return ChannelTable(optimal_weights(definition.bounds, prior, _starting_channel(definition)))


def _starting_channel(definition: PairwiseLDP) -> Floats | None:
    """The best channel of few codes that protects all values alike, for a design to begin with."""
    if definition.k <= FEW_VALUES or definition.least.sign() <= 0:
        return None
    few = [
        channel
        for channel in inner_mechanisms(definition.k, definition.least)
        if channel.outputs <= KNOWN_CODES * definition.k
    ]
    best = min(few, key=lambda channel: coarse_number(channel.total_variance), default=None)
    return None if best is None else best.probabilities()


def geometric_channel(definition: PairwiseLDP) -> ChannelTable:
    """The channel whose codes fall off from each value as steeply as the bounds allow."""
    return ChannelTable(geometric_weights(definition.bounds))


def _require_size(found: int, k: int) -> None:
    if found != k:
        raise SordinoError(f"the definition must be about all {k} values", found=f"{found}")


ROUNDING = 1e-12
"""A weight that is below 0 by no more is 0."""


def geometric_weights(bounds: Sequence[Sequence[Nats | None]]) -> tuple[tuple[int, ...], ...]:
    """Integer weights of the channel, one row for each value, each of sum 2^64.

    Args:
        bounds: k rows of k bounds in nats, None where a pair is not protected; the diagonal is not read.

    Example:
        >>> step = Nats.log(2)
        >>> line = [[step + step if abs(x - y) > 1 else step for y in range(3)] for x in range(3)]
        >>> [[round(weight / 2**64, 6) for weight in row] for row in geometric_weights(line)]
        [[0.666667, 0.166667, 0.166667], [0.333333, 0.333333, 0.333333], [0.166667, 0.666667, 0.166667]]
    """
    k = len(bounds)
    limits = np.zeros((k, k))
    for x, row in enumerate(bounds):
        limits[x] = [np.inf if bound is None else min(bound.floor(), UNBOUNDED) for bound in row]
    np.fill_diagonal(limits, 0)
    columns = floors(limits).T
    try:
        weights = np.linalg.solve(columns, np.ones(k))
    except np.linalg.LinAlgError:  # values that are alike
        weights = np.full(k, np.nan)
    if not bool((weights >= -ROUNDING).all()):
        raise SordinoError(
            "tight bounds must leave each value a code of its own",
            found="values with too many neighbours",
            step="raise the bounds",
        )
    return integer_channel(columns * np.maximum(weights, 0), bounds)


LARGEST_MIXTURE = 128
"""Largest number of values: the table of their weights is what a plan's may be."""

LARGEST_TABLE = 1 << 16
"""Largest number of weights of the table: a plan with more is not read."""

PARTS = 16
"""The share of the first channel is a multiple of one in so many."""

NEAR = 1.02
"""Of channels that are alike for all values that with the fewest codes whose variance is so many times the least."""


def mixture(definition: MetricLDP, falling: Mechanism) -> ChannelTable:
    """The best mixture of a channel that keeps bounds and one that is alike for all values, at the least of them.

    Args:
        definition: the bounds, of at most 128 values.
    """
    first = falling.probabilities()
    second = _uniform_mixture(definition, LARGEST_TABLE // definition.k - falling.outputs).probabilities()
    told = [_information(channel) for channel in (first, second)]
    shares = [part / PARTS for part in range(1, PARTS)]
    # The last digits of inverses are a machine's own, and the plan is not.
    best = min(shares, key=lambda share: coarse_number(_variance(share * told[0] + (1 - share) * told[1])))
    columns = np.concatenate((best * first, (1 - best) * second), axis=1)
    # Not every code is sent of a channel whose codes are masks.
    return ChannelTable(integer_channel(columns[:, columns.any(axis=0)], definition.edge_bounds))


def _uniform_mixture(definition: MetricLDP, codes: int) -> Mechanism:
    """The channel with few codes under LDP at the least bound, of at most so many."""
    fitting = [channel for channel in inner_mechanisms(definition.k, definition.least) if channel.outputs <= codes]
    least = coarse_number(NEAR * min(channel.total_variance for channel in fitting))
    near = (channel for channel in fitting if coarse_number(channel.total_variance) <= least)
    return min(near, key=lambda channel: channel.outputs)


def _information(channel: Floats) -> Floats:
    """P D^-1 P', whose inverse is the covariance of the best estimates at uniform values, but for a constant."""
    sent = channel.mean(axis=0) > 0
    information: Floats = (channel[:, sent] / channel[:, sent].mean(axis=0)) @ channel[:, sent].T
    return information


def _variance(information: Floats) -> float:
    return inverse_trace(information)
