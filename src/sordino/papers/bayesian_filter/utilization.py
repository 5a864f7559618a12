"""How queries about one record use their budgets: alone, in pairs, and all together.

The loss of outputs is ln max_x Pr(y | x) - ln min_x Pr(y | x). Everything is decided in the whole weights of the
mechanisms, over all combinations of outputs that some record can cause. Units: nats.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np

from sordino.domain.finite_record import Record
from sordino.errors import SordinoError
from sordino.exact.messages import checked, kind
from sordino.exact.nats import Nats
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query

LARGEST_SEARCH = 1 << 22
"""Combinations of outputs times records that are looked at one by one."""

FiniteAsked: TypeAlias = Mechanism | Query
"""A mechanism of the domain's values, or a query about a record of categories."""

Likelihood: TypeAlias = tuple[int, ...]
"""The weight of one output on each value of the domain."""


@dataclass(frozen=True)
class Utilization:
    """Losses of single outputs of a query.

    Attributes:
        least, largest: exact, in nats; None for an infinite loss.
    """

    least: Nats | None
    largest: Nats | None

    @property
    def is_full(self) -> bool:
        """Whether every output loses as much as the worst one: full utilization of the query's budget."""
        return self.least == self.largest


@checked
def utilization(asked: FiniteAsked, domain: Record | None = None) -> Utilization:
    """The least and the largest loss of an output; equal where the query fully utilizes its budget.

    Source: Bayesian privacy filter paper, Definition 3.3.

    Args:
        domain: the record that a query is about.

    Raises:
        SordinoError: too many outputs and values to look at all, or a query without its record.

    Example:
        >>> from sordino import ChannelTable, RandomizedResponse
        >>> utilization(RandomizedResponse(3, "1")).is_full
        True
        >>> erasing = utilization(ChannelTable([[3, 1, 4], [1, 3, 4]]))  # the third output reveals nothing
        >>> str(erasing.least), str(erasing.largest)
        ('0', 'ln 3')
    """
    ratios = [_ratio(likelihood) for likelihood in _outputs(asked, domain)]
    least, largest = (pick(ratios, key=lambda ratio: (ratio is None, ratio or 0)) for pick in (min, max))
    return Utilization(*(None if ratio is None else Nats.log(ratio) for ratio in (least, largest)))


@checked
def are_compactible(first: FiniteAsked, second: FiniteAsked, domain: Record | None = None) -> bool:
    """Whether some outputs of two queries together lose less than the sum of both epsilons.

    Source: Bayesian privacy filter paper, Definition 6.2.

    Arguments and errors as of `utilization`; the epsilons are the exact levels of the queries.

    Example:
        >>> from sordino import Categories, Query, RandomizedResponse, Record, Value
        >>> coin = RandomizedResponse(2, "1")
        >>> are_compactible(coin, coin)  # two different answers cancel
        True
        >>> bits = Record({"a": Categories(range(2)), "b": Categories(range(2))})
        >>> are_compactible(Query(Value("a"), coin), Query(Value("b"), coin), bits)
        False
    """
    both = _likelihoods([first, second], domain)
    largest = [max((_ratio(one) for one in own), key=lambda ratio: (ratio is None, ratio or 0)) for own in both]
    if None in largest:
        raise SordinoError("compactible queries must be LDP", found="an output that rules a value out")
    most = prod(ratio for ratio in largest if ratio is not None)
    ratios = (_ratio(joint) for joint, _ in _joint(both))
    return any(ratio is not None and ratio < most for ratio in ratios)


@checked
def are_independent(queries: Sequence[FiniteAsked], domain: Record | None = None) -> bool:
    """Whether losses of outputs add up, whatever the outputs: no answer to one query takes back a loss of another.

    Source: Bayesian privacy filter paper, Definition 6.3.

    Arguments and errors as of `utilization`.

    Example:
        >>> from sordino import Categories, Query, RandomizedResponse, Record, Value
        >>> coin = RandomizedResponse(2, "1")
        >>> bits = Record({"a": Categories(range(2)), "b": Categories(range(2))})
        >>> are_independent([Query(Value("a"), coin), Query(Value("b"), coin)], bits), are_independent([coin, coin])
        (True, False)
    """
    if not queries:
        raise SordinoError("independence is of one query at least", found="no query", step="give the queries")
    for joint, single in _joint(_likelihoods(queries, domain)):
        ratios = [_ratio(one) for one in single]
        whole = None if None in ratios else prod(ratio for ratio in ratios if ratio is not None)
        if _ratio(joint) != whole:
            return False
    return True


def _likelihoods(queries: Sequence[FiniteAsked], domain: Record | None) -> list[list[Likelihood]]:
    found = [_outputs(asked, domain) for asked in queries]
    sizes = {len(own[0]) for own in found}
    if len(sizes) > 1:
        raise SordinoError("queries must be about one domain", found=f"{min(sizes)} and {max(sizes)} values")
    if prod(map(len, found)) * max(sizes) > LARGEST_SEARCH:
        rule = f"queries are compared over at most {LARGEST_SEARCH:,} combinations of outputs and values"
        raise SordinoError(rule, found=f"{prod(map(len, found)) * max(sizes):,}", step="ask about fewer values")
    return found


def _outputs(asked: FiniteAsked, domain: Record | None) -> list[Likelihood]:
    """The likelihood of each output that some value can cause."""
    mechanism = asked.mechanism if isinstance(asked, Query) else asked
    if isinstance(asked, Query) and domain is None:
        raise SordinoError("a query must be looked at on its record", found="no record", step="give the Record")
    values = mechanism.k if domain is None else domain.k
    if values * mechanism.outputs > LARGEST_SEARCH:
        rule = f"outputs are looked at one by one, at most {LARGEST_SEARCH:,} with all values"
        raise SordinoError(rule, found=kind(mechanism), step="ask about fewer values")
    if isinstance(asked, Query) and domain is not None:
        rows = np.column_stack(np.unravel_index(np.arange(domain.k), domain.shape))
        read = asked.index(domain, rows).tolist()
    else:
        read = list(range(values))
        if values != mechanism.k:
            raise SordinoError(f"a mechanism must be about the record's {values} values", found=f"{mechanism.k}")
    each = [[mechanism.weight(value, code) for value in range(mechanism.k)] for code in range(mechanism.outputs)]
    found = [tuple(own[value] for value in read) for own in each]
    return [likelihood for likelihood in found if any(likelihood)]


def _joint(both: Sequence[Sequence[Likelihood]]) -> Iterator[tuple[Likelihood, tuple[Likelihood, ...]]]:
    """All combinations of outputs that some value can cause, and the outputs by themselves."""
    for single in product(*both):
        joint = reduce(lambda one, other: tuple(a * b for a, b in zip(one, other, strict=True)), single)
        if any(joint):
            yield joint, single


def _ratio(likelihood: Likelihood) -> Fraction | None:
    """The largest weight over the least; None for infinity."""
    least = min(likelihood)
    return Fraction(max(likelihood), least) if least else None
