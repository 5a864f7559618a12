"""The mechanisms with one coin that others hold inside, by name: among these a new one can be chosen."""

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

import numpy as np

from sordino.definition.bounds import read_epsilon
from sordino.domain.value_partition import Partition
from sordino.errors import SordinoError
from sordino.exact.nats import Nats, NatsLike
from sordino.mechanism.cyclic_subsets import CyclicSubsets, best_designs
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.projective import ProjectiveResponse, best_fields
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.subset_selection import LARGEST as LARGEST_SUBSETS
from sordino.mechanism.subset_selection import SubsetSelection

Within = Literal["randomized", "hadamard", "projective", "subset", "cyclic", "best"]
"""The mechanism inside each block; "best" takes the lowest exact variance at uniform values, block size by block size,
among those whose reports fit."""

BEST: Within = "best"

Inner: TypeAlias = RandomizedResponse | HadamardResponse | ProjectiveResponse | SubsetSelection | CyclicSubsets

INNER: Mapping[Within, type[Inner]] = {
    "randomized": RandomizedResponse,
    "projective": ProjectiveResponse,
    "subset": SubsetSelection,
    "cyclic": CyclicSubsets,
}
"""The mechanisms by name, as surveys choose among them and plans hold them."""

COMPARED: Mapping[Within, type[Inner]] = {**INNER, "hadamard": HadamardResponse}
"""With what papers compare them to, which never has the lowest variance: for who names it."""

FEW_COUNTERS, COUNTERS_PER_VALUE = 1 << 20, 8
"""How many counters all blocks of one size may have together: what is better by little is not worth memory."""

FIELDS = (2, 3, 4, 5, 7, 8, 11, 16, 23, 32, 47, 64)
"""Orders of the field that projective response inside is tried with, where the best for itself is larger: a code is
shared by about one value in as many, which cyclic subsets are tried with as well."""


def inner_mechanisms(k: int, epsilon: NatsLike, within: Within = "best") -> list[OneCoin]:
    """The mechanisms over k values that can keep this epsilon; some also with shorter codes."""
    made: list[OneCoin] = []
    refusals = []
    for make in INNER.values() if within == BEST else [COMPARED[within]]:
        try:
            made += _versions(make, k, epsilon)
        except SordinoError as refusal:
            refusals.append(refusal)
    if not made:
        raise refusals[0]
    return made


def offered_wide(size: int, epsilon: Nats, within: Within = "best") -> list[OneCoin]:
    """The mechanisms over the sensitive values of a high-low mechanism.

    Codes that more values share hide the others better, so that they are told more often: subsets of every size and
    smaller fields than the best for the sensitive values alone are tried too.

    Raises:
        SordinoError: as `inner_mechanisms`.
    """
    if size == 1:
        return [RandomizedResponse(1, epsilon)]
    choices = inner_mechanisms(size, epsilon, within)
    if within in ("subset", "best") and size <= LARGEST_SUBSETS:
        for held in range(1, size):
            with suppress(SordinoError):
                choices.append(SubsetSelection(size, epsilon, held))
    if within in ("projective", "best"):
        largest = max((inner.field for inner in choices if isinstance(inner, ProjectiveResponse)), default=0)
        for field in FIELDS:
            with suppress(SordinoError):
                choices += [ProjectiveResponse(size, epsilon, field)] if field < largest else []
    if within in ("cyclic", "best"):
        for share in FIELDS:
            # The best designs for a smaller epsilon, at which one value in so many shares a code.
            smaller = math.log(share - 1 / 2)
            with suppress(SordinoError):
                designs = best_designs(size, smaller) if smaller < float(epsilon) else []
                choices += [CyclicSubsets(size, epsilon, design) for design in designs]
    return choices


def inner_of_blocks(blocks: Partition, epsilon: Nats, within: Within, code_bits: int) -> tuple[OneCoin, ...]:
    """The mechanisms inside the blocks of each size, by ascending size.

    Where the best of each do not fit together in a report, the longest inner codes are given up first.
    """
    candidates = [_of_size(blocks, size, epsilon, within) for size in blocks.different_sizes]
    needed = []
    for most in range(code_bits, -1, -1):
        inner = tuple(next((one for one in made if one.code_bits <= most), made[-1]) for made in candidates)
        needed.append((sum(codes_in_blocks(blocks, one) for one in inner) - 1).bit_length())
        if needed[-1] <= code_bits:
            return inner
    raise SordinoError(f"a report must fit in {code_bits} bits", found=f"at least {min(needed)} needed")


def codes_in_blocks(blocks: Partition, mechanism: OneCoin) -> int:
    return int(np.count_nonzero(blocks.sizes == mechanism.k)) * mechanism.outputs


def _of_size(blocks: Partition, size: int, epsilon: Nats, within: Within) -> list[OneCoin]:
    """The mechanisms for blocks of a size, the lowest variance first; those with very many counters only if all are."""
    if size == 1:
        return [RandomizedResponse(1, epsilon)]
    made = sorted(inner_mechanisms(size, epsilon, within), key=lambda mechanism: mechanism.total_variance)
    most = max(FEW_COUNTERS, COUNTERS_PER_VALUE * blocks.k) // int(np.count_nonzero(blocks.sizes == size))
    return [one for one in made if one.counters <= most] or made


def _versions(make: type[Inner], k: int, epsilon: NatsLike) -> list[Inner]:
    if make is ProjectiveResponse:
        return [ProjectiveResponse(k, epsilon, field) for field in best_fields(k, float(read_epsilon(epsilon)))]
    if make is CyclicSubsets:
        return [CyclicSubsets(k, epsilon, design) for design in best_designs(k, float(read_epsilon(epsilon)))]
    return [make(k, epsilon)]
