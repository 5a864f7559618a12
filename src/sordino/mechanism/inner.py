"""The mechanisms with one coin that others hold inside, by name: among these a new one can be chosen."""

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.exact.nats import Nats, NatsLike
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.projective import ProjectiveResponse, best_fields
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.subsets.cyclic import CyclicSubsets, best_designs
from sordino.mechanism.subsets.subset import LARGEST as LARGEST_SUBSETS
from sordino.mechanism.subsets.subset import SubsetSelection

Within = Literal["randomized", "hadamard", "projective", "subset", "cyclic", "best"]
"""The mechanism inside each block; "best" takes the lowest exact variance at uniform values, block size by block size,
among those whose reports fit."""

Inner: TypeAlias = RandomizedResponse | HadamardResponse | ProjectiveResponse | SubsetSelection | CyclicSubsets

INNER: Mapping[str, type[Inner]] = {
    kind.name: kind
    for kind in (RandomizedResponse, HadamardResponse, ProjectiveResponse, SubsetSelection, CyclicSubsets)
}
"""The mechanisms by name, as surveys choose among them and plans freeze them."""

FIELDS = (2, 3, 4, 5, 7, 8, 11, 16, 23, 32, 47, 64)
"""Orders of the field that projective response inside is tried with, where the best for itself is larger: a code is
shared by about one value in as many, which cyclic subsets are tried with as well."""


def offered(k: int, epsilon: NatsLike, within: str = "best") -> list[OneCoin]:
    """The mechanisms over k values that can keep this epsilon; some also with shorter codes.

    Raises:
        SordinoError: none can.
    """
    made: list[OneCoin] = []
    refusals = []
    for name, make in INNER.items():
        if within in (name, "best"):
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
        SordinoError: as `offered`.
    """
    if size == 1:
        return [RandomizedResponse(1, epsilon)]
    choices = offered(size, epsilon, within)
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


def _versions(make: type[Inner], k: int, epsilon: NatsLike) -> list[Inner]:
    """A mechanism's best version; then, where there are several, the best of those with shorter and shorter codes."""
    if make is ProjectiveResponse:
        return [ProjectiveResponse(k, epsilon, field) for field in best_fields(k, float(read_epsilon(epsilon)))]
    if make is CyclicSubsets:
        return [CyclicSubsets(k, epsilon, design) for design in best_designs(k, float(read_epsilon(epsilon)))]
    return [make(k, epsilon)]
