"""The mechanisms with one coin that others hold inside, by name: among these a new one can be chosen."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.exact.nats import NatsLike
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.one_coin import OneCoin
from sordino.mechanism.projective import ProjectiveResponse, best_fields
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.subset import SubsetSelection

Within = Literal["randomized", "hadamard", "projective", "subset", "best"]
"""The mechanism inside each block; "best" takes the lowest exact variance at uniform values, block size by block size,
among those whose reports fit."""

Inner: TypeAlias = RandomizedResponse | HadamardResponse | ProjectiveResponse | SubsetSelection

INNER: Mapping[str, type[Inner]] = {
    kind.name: kind for kind in (RandomizedResponse, HadamardResponse, ProjectiveResponse, SubsetSelection)
}
"""The mechanisms by name, as surveys choose among them and plans freeze them."""


def offered(k: int, epsilon: NatsLike, within: str = "best") -> list[OneCoin]:
    """The mechanisms over k values that can keep this epsilon; projective response also with shorter codes.

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


def _versions(make: type[Inner], k: int, epsilon: NatsLike) -> list[Inner]:
    """A mechanism's best version; then, where there are several, the best of those with shorter and shorter codes."""
    if make is ProjectiveResponse:
        return [ProjectiveResponse(k, epsilon, field) for field in best_fields(k, float(read_epsilon(epsilon)))]
    return [make(k, epsilon)]
