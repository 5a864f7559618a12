"""How the means of d numbers are asked under a delta for each attribute: the least total squared error that is found.

Guarantee: for every attribute, `sampling_deltas` of the chosen channel is at most its delta, and `sampling_level` at
most epsilon, both proved exactly before the channel is returned. Candidates: one number each by one bit at the largest
level that all deltas allow (the sampling rule), drawn in proportion to coth(level / 2); one number each by several
points where these are better than a bit (`sampled_levels`); several numbers or all of them, each by points of its own
(`joint_levels`); and mixtures of single bits with tables of sign errors (`best_mixture`), which contain randomized
response on s coordinates. The first is never worse than plain LDP at
the least delta by sampled randomized response or on the ball.
Cost: seconds for up to ten different (delta, q); beyond that numbers of similar deltas are treated alike, at the least.
Source: BCDP paper, section 4, replaced by the sampling rule and its mixtures.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import log
from typing import TypeAlias

import numpy as np

from sordino.definition.bounded_dependence import Dependence
from sordino.definition.bounds import read_epsilon
from sordino.design.coarse import coarse_number
from sordino.design.numbers.best_mixture import DrawShares, Group, Mixtures, spread
from sordino.design.numbers.drawn_answers import apportion, keeps_deltas, one_bit_each
from sordino.design.numbers.level_limits import LevelLimits
from sordino.design.numbers.sampled_levels import joint_levels, sampled_levels
from sordino.design.numbers.sign_table import whole_table
from sordino.errors import SordinoError
from sordino.estimation.moment_estimator import MomentEstimator
from sordino.exact.coin import WORD, largest_threshold
from sordino.exact.floats import Floats
from sordino.exact.messages import checked
from sordino.exact.nats import Nats, NatsLike
from sordino.mechanism.base import Mechanism
from sordino.mechanism.bit_flips import BitFlips
from sordino.mechanism.randomized import RandomizedResponse
from sordino.query.number import Number, Signs
from sordino.query.query import Query
from sordino.query.sampled import Sampled

MOST_GROUPS = 10
"""Different (delta, q) up to which numbers are told apart."""

COARSER = (7, 2, 1)
"""How many groups are tried beyond that, or besides: fewer groups let a report hold more signs."""

LEAST_DRAWS = 1 << 16
"""Weights of types add up to this power of two at least."""

DRAWS_OF_EACH = 1 << 10
"""Weights are at least about this large on average."""

LISTED = 1 << 18
"""Weights add up to this at most, so that a draw is looked up in a table in the processor's cache."""

LEAST_OF_EACH = 1 << 6
"""But they are at least about this large on average, up to 2^32 together."""

LARGEST_SUM = 1 << 32
"""Weights add up to this at most, whatever there is to draw."""

NEGLIGIBLE = 5e-3
"""Tables that are used by no more of the people than this, all together, are left out where they hardly help."""

HARDLY = 1e-3
"""By how much that may raise the total noise, relatively."""

HARDLY_ONE = 1e-2
"""By how much that may raise the noise of one number, relatively."""

LEAST_GAIN = 1e-6
"""Relative gain from which levels are preferred to signs."""

Part: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], float]
"""Some places, the table of their errors, and which share of the people is asked about them."""


@checked
def sampled_mean(deltas: Sequence[NatsLike], epsilon: NatsLike, dependence: Dependence) -> Sampled:
    """The queries for the means of d numbers with the least expected error that is found.

    Args:
        deltas: for each number, what a report may tell of it at most, in (0, epsilon].
        epsilon: the LDP level of a report at most.
        dependence: how much the other attributes may tell about each; what is not declared is 1.

    Raises:
        SordinoError: deltas that are not amounts in (0, epsilon], or not one for each attribute.

    Example:
        >>> from sordino.audit.answers import answers
        >>> from sordino.definition.sampling import sampling_deltas
        >>> within = Dependence.bounded(["0.05"] * 3)
        >>> asked = sampled_mean(["0.2", 2, 2], 2, within)
        >>> all(told <= delta for told, delta in zip(sampling_deltas(answers(asked), within), ["0.2", 2, 2]))
        True
    """
    bounds, most = read_deltas(deltas, epsilon, dependence)
    levels = single_levels(bounds, most, dependence)
    candidates = [_singles(levels)]
    for groups in _groupings(bounds, levels, dependence):
        mixture = _make_mixture(groups, levels, Mixtures(groups, most).best())
        if mixture is not None:
            candidates.append(mixture)
    kept = [channel for channel in candidates if keeps_deltas(channel, bounds, most, dependence)]
    if not kept:
        raise SordinoError("queries must keep every delta", found="none that do", step="report this as a defect")
    # In case of a tie the first and simplest one.
    signs = min(kept, key=_rank)
    several = (*sampled_levels(bounds, most, dependence, levels), *joint_levels(bounds, most, dependence))
    better = [channel for channel in several if is_better(channel, signs)]
    return min((one for one in better if keeps_deltas(one, bounds, most, dependence)), key=_rank, default=signs)


def _rank(asked: Sampled) -> float:
    return coarse_number(worst_error(asked))


def is_better(asked: Sampled, other: Sampled) -> bool:
    """Whether the errors are surely smaller, at the worst numbers and for numbers that are spread evenly."""
    worst = worst_error(asked) / worst_error(other)
    even = MomentEstimator.of(asked).even_variance() / MomentEstimator.of(other).even_variance()
    return max(worst, even) < 1 - LEAST_GAIN


def worst_error(asked: Sampled) -> float:
    """The total mean squared error, times n, of the estimated means of n people, at most, whatever they are."""
    return float(MomentEstimator.of(asked).largest_variance().sum())


def single_levels(deltas: Sequence[Nats], epsilon: Nats, dependence: Dependence) -> tuple[Nats, ...]:
    """For each number, the largest level at which it alone may be asked under all deltas, rounded down."""
    return LevelLimits(deltas, epsilon, dependence).of_statistics([(j,) for j in range(len(deltas))])


def read_deltas(deltas: Sequence[NatsLike], epsilon: NatsLike, dependence: Dependence) -> tuple[tuple[Nats, ...], Nats]:
    """The deltas and epsilon as exact amounts."""
    if not isinstance(dependence, Dependence):
        raise SordinoError(
            "dependence must be a Dependence", found=type(dependence).__name__, step="use Dependence.bounded"
        )
    most = read_epsilon(epsilon)
    if isinstance(deltas, str) or len(deltas) != dependence.d:
        rule = f"there must be a delta for each of {dependence.d} attributes"
        raise SordinoError(rule, found=f"{1 if isinstance(deltas, str) else len(deltas)}")
    bounds = tuple(Nats.of(delta) for delta in deltas)
    for i, bound in enumerate(bounds):
        if bound.sign() < 0:
            raise SordinoError("a delta must not be negative", found=f"{bound} for attribute {i}")
        if bound.sign() == 0:
            raise SordinoError(
                "the mean of an attribute with delta 0 cannot be estimated",
                found=f"attribute {i}",
                step="leave it out of the record, or raise its delta",
            )
        if bound > most:
            rule = f"a delta must not exceed epsilon = {most}"
            raise SordinoError(rule, found=f"{bound} for attribute {i}", step="lower it or raise epsilon")
    return bounds, most


def _singles(levels: Sequence[Nats]) -> Sampled:
    """One number each: by the Lagrange condition, drawn in proportion to coth(level / 2), which is 1 / slope."""
    shares = np.array([1 / _slope(coin) for coin in _coins(levels)])
    weights = [max(weight, 1) for weight in whole_weights(shares)]
    return one_bit_each([(j,) for j in range(len(levels))], levels, weights)


def _make_mixture(groups: Sequence[Group], levels: Sequence[Nats], shares: DrawShares) -> Sampled | None:
    """A mixture with whole tables and whole weights; None where it has no tables, or one cannot be made whole."""
    parts: list[Part] = []
    coins = _coins(levels)
    for group, own in zip(groups, shares.of_singles, strict=True):
        parts += [((j,), coins[j], float(share)) for j, share in zip(group.members, own, strict=True)]
    sizes = [len(group.members) for group in groups]
    for kind, share in zip(shares.kinds, shares.of_kinds, strict=True):
        table = whole_table(kind.shape, kind.weights)
        if table is None:
            return None
        for part, chosen in spread(kind.counts, sizes):
            places = [group.members[place] for group, own in zip(groups, chosen, strict=True) for place in own]
            parts.append((tuple(places), table, share * float(part)))
    return _queries(len(levels), parts) if shares.kinds else None


def _queries(d: int, parts: Sequence[Part]) -> Sampled:
    parts = worthwhile(d, parts)
    weights = whole_weights(np.array([share for _, _, share in parts]))
    used = [(places, table, weight) for (places, table, _), weight in zip(parts, weights, strict=True) if weight]
    flips = {table: _flips(table) for _, table, _ in used}
    signs = ((Number(places[0]) if len(places) == 1 else Signs(places), table) for places, table, _ in used)
    queries = tuple(Query(statistic, flips[table]) for statistic, table in signs)
    return Sampled(queries, tuple(weight for _, _, weight in used))


def _flips(table: Sequence[int]) -> Mechanism:
    if len(table) == 2:
        return RandomizedResponse.from_threshold(2, table[0])
    return BitFlips(table)


def worthwhile(d: int, parts: Sequence[Part]) -> list[Part]:
    """All parts but those whose tables hardly anybody is asked by, if the numbers are told nearly as well without them.

    A table that few are asked by makes codes and costs words, and tells next to nothing.
    """
    of_table: dict[tuple[int, ...], float] = {}
    told: dict[tuple[int, ...], Floats] = {}
    squares = {table: np.array(_slopes(table), dtype=np.float64) ** 2 for table in {part[1] for part in parts}}
    for places, table, share in parts:
        of_table[table] = of_table.get(table, 0.0) + share
        told.setdefault(table, np.zeros(d))[list(places)] += share * squares[table]
    total, everything = sum(of_table.values()), sum(told.values(), np.zeros(d))
    left_out: set[tuple[int, ...]] = set()
    left, information = total, everything
    for table, share in sorted(of_table.items(), key=lambda pair: pair[1]):
        fewer, rest = left - share, information - told[table]
        if fewer < (1 - NEGLIGIBLE) * total or not np.all(rest > 0):
            break
        # Those who are left take over the shares.
        before, after = total / everything, fewer / rest
        if after.sum() > (1 + HARDLY) * before.sum() or np.any(after > (1 + HARDLY_ONE) * before):
            break
        left_out.add(table)
        left, information = fewer, rest
    return [part for part in parts if part[1] not in left_out]


def _slopes(table: Sequence[int]) -> list[Fraction]:
    """For each sign of a table the mean of the sent sign at 1."""
    flips = BitFlips(table)
    return [flips.slope(bit) for bit in range(len(table).bit_length() - 1)]


def whole_weights(shares: Floats) -> list[int]:
    """Whole numbers nearly in proportion to shares >= 0, whose sum is a power of two; small shares become 0."""
    enough = max(min(DRAWS_OF_EACH * len(shares), LISTED), min(LEAST_OF_EACH * len(shares), LARGEST_SUM))
    total = LEAST_DRAWS
    while total < enough:
        total *= 2
    return apportion(shares, total)


def _coins(levels: Sequence[Nats]) -> list[tuple[int, int]]:
    """For each level the weights of a right and a wrong sign."""
    thresholds = {level: largest_threshold(level) for level in set(levels)}
    return [(thresholds[level], WORD - thresholds[level]) for level in levels]


def _slope(coin: Sequence[int]) -> float:
    """The mean sign at 1: at the smallest levels it is rounded to 0, and nothing can be told."""
    slope = (coin[0] - coin[1]) / WORD
    if slope <= 0:
        raise SordinoError("answers must depend on the numbers", found="deltas that round to 0", step="raise them")
    return slope


def _groupings(deltas: Sequence[Nats], levels: Sequence[Nats], dependence: Dependence) -> Iterator[tuple[Group, ...]]:
    """Ways to treat numbers alike: those of equal (delta, q), and coarser ones."""
    singles = [_slope(coin) ** 2 for coin in _coins(levels)]
    sizes = [log(float(delta)) for delta in deltas]
    low, high = min(sizes), max(sizes)
    equal = [(delta, dependence.of_rest(i)) for i, delta in enumerate(deltas)]
    exact = len(set(equal)) <= MOST_GROUPS
    ways: list[Sequence[object]] = [equal] if exact else []
    for count in COARSER[exact:]:
        width = (high - low) / count or 1.0
        ways.append([min(int((size - low) / width), count - 1) for size in sizes])
    seen = set()
    for way in ways:
        members: dict[object, list[int]] = {}
        for i, key in enumerate(way):
            members.setdefault(key, []).append(i)
        partition = frozenset(frozenset(group) for group in members.values())
        if partition in seen or len(partition) > MOST_GROUPS:
            continue
        seen.add(partition)
        yield tuple(
            Group(
                tuple(group),
                min(deltas[i] for i in group),
                max((dependence.of_rest(i) for i in group), default=Fraction(1)),
                tuple(singles[i] for i in group),
            )
            for group in members.values()
        )
