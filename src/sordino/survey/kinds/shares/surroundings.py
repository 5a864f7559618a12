"""Which of a question's values are neighbours: cells of a map, numbers in order; and public numbers about them."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sordino.domain.attribute import Domain
from sordino.domain.finite_record import Record
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.estimation.joint.joint_fit import BETTER
from sordino.estimation.neighbours.choice import Choice
from sordino.estimation.neighbours.share_prior import LearntChoice
from sordino.estimation.neighbours.smoothing import Surroundings
from sordino.estimation.share_estimate import Estimate, Method
from sordino.exact.messages import shown

Public: TypeAlias = Mapping[str, NDArray[np.float64]]
"""Numbers that are public and may go with the shares of a question's values, by its name, shape (k,) each."""

FEWEST_OFFERED, MOST_OFFERED = 1000, 200_000
"""Values: of fewer, or of so many that it takes long, nothing is offered that was not asked for."""


def surroundings_of(domain: Domain | Record, public: NDArray[np.float64] | None = None) -> Surroundings:
    """What is known of the values beside their reports.

    Args:
        domain: the values.
        public: shape (k,), public numbers that may go with the shares.
    """
    if isinstance(domain, Grid):
        return Surroundings((domain.rows, domain.columns), public)
    return Surroundings(None if numbers_in_order(domain) is None else (domain.k,), public)


def offer_of(domain: Domain | Record, estimate: Estimate) -> Choice | None:
    """What is expected of smoothed shares, where they were not asked for and are nearer to the truth than the fit.

    None where they are not or nobody knows, of few values and very many, and of values that have no neighbours.
    """
    known, learnt = surroundings_of(domain), estimate.choice
    was_asked = learnt is not None and not isinstance(learnt, LearntChoice)
    if was_asked or known.shape is None or not FEWEST_OFFERED <= domain.k <= MOST_OFFERED:
        return None
    shares, choice = estimate.offer(known)
    if shares is None or not isinstance(choice, Choice):
        return None
    # Of two fits that are nearer than the nearest distribution the better one is left to stand.
    fitted = learnt.learnt if isinstance(learnt, LearntChoice) and learnt.better else choice.nearest
    return choice if choice.smoothed <= BETTER * fitted else None


def require_public(asked: Iterable[str], public: Public, method: Method | None) -> None:
    """Refuse public numbers of which nothing would be made.

    Args:
        asked: the names of questions about shares.
        public: by the names of questions.
        method: how distributions are fitted.

    Raises:
        SordinoError: another method, or a name of no question about shares.
    """
    if public and method != "smoothed":
        found = "the default" if method is None else shown(method)
        raise SordinoError(
            "public numbers are for the method smoothed",
            found=found,
            step="take the method smoothed, or no public numbers",
        )
    if other := sorted(set(public) - set(asked)):
        raise SordinoError(
            "public numbers are about shares that are asked for",
            found=", ".join(other),
            step="name attributes whose histogram or table is asked",
        )


def numbers_in_order(domain: Domain | Record) -> NDArray[np.float64] | None:
    """The values as numbers, shape (k,), if they are such in ascending order."""
    if isinstance(domain, Grid | Record):
        return None
    if isinstance(domain.labels, range):
        return np.arange(domain.k, dtype=np.float64)
    try:
        numbers = [float(label) for label in domain.labels]
    except ValueError:
        return None
    ascending = np.isfinite(numbers).all() and all(first < second for first, second in pairwise(numbers))
    return np.array(numbers) if ascending else None
