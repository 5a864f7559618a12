"""Fitted shares that agree: of all tables and histograms that share attributes, the margins of one distribution.

The estimates and their intervals stay what they are; only what is fitted beside them changes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sordino.estimation.joint.joint_fit import Mixture, NoisyMargin, is_nearer, joint_fit
from sordino.estimation.share_estimate import Estimate
from sordino.mechanism.product_response import ProductResponse
from sordino.mechanism.tree_response import TreeResponse
from sordino.survey.kinds.question import SharesQuestion

BY_DISTANCES = (TreeResponse, ProductResponse)
"""Mechanisms under which an error moves people from a value to its neighbours."""

FEWEST = 2
"""Questions that are fitted together: by itself a table keeps the nearest distribution."""


@dataclass(frozen=True, eq=False)
class JointFit:
    """One distribution that was fitted to several questions.

    Attributes:
        names: of its attributes.
        mixture: of them together.
        places: of the questions.
    """

    names: tuple[str, ...]
    mixture: Mixture
    places: tuple[int, ...]

    def margin(self, names: Sequence[str]) -> NDArray[np.float64]:
        """The shares of the combinations of some attributes, in their order."""
        return self.mixture.margin([self.names.index(name) for name in names])


def fitted_together(
    questions: Sequence[SharesQuestion], estimates: Sequence[Estimate]
) -> Iterator[tuple[int, Estimate]]:
    """The estimates of questions that tables connect, by their places, with what is fitted to all of them.

    Args:
        questions: that were answered.
        estimates: of each.
    """
    for fit in joint_fits(questions, estimates):
        for place in fit.places:
            yield place, replace(estimates[place], fitted=fit.margin(questions[place].attribute_names), method="joint")


class NoisyShares(Protocol):
    """Estimates of shares, as far as a fit needs them."""

    @property
    def value(self) -> NDArray[np.float64]:
        """Unbiased, shape (k,)."""

    @property
    def stderr(self) -> NDArray[np.float64]:
        """Of each, shape (k,)."""


def joint_fits(
    questions: Sequence[SharesQuestion], estimates: Sequence[NoisyShares], *, always: bool = False
) -> Iterator[JointFit]:
    """What is fitted to all questions that tables connect.

    Left out are those that no table is about, those with too many cells, those that tell more different things than
    noise explains, and those that a fit together is not expected to come nearer to: these keep what was fitted to each
    by itself.

    Args:
        questions: that were answered.
        estimates: of each.
        always: whether a fit that is not expected to be nearer is taken too.
    """
    for places in connected_groups(questions):
        names = sorted({name for place in places for name in questions[place].attribute_names})
        sizes = _sizes([questions[place] for place in places])
        told = [place for place in places if (estimates[place].stderr > 0).any()]
        if len(told) < FEWEST or _names(questions, told) != set(names):
            continue
        margins = [
            NoisyMargin(
                tuple(names.index(name) for name in questions[place].attribute_names),
                estimates[place].value,
                estimates[place].stderr ** 2,
            )
            for place in told
        ]
        shape = [sizes[name] for name in names]
        mixture = joint_fit(shape, margins)
        if mixture is not None and (always or is_nearer(shape, margins, mixture)):
            yield JointFit(tuple(names), mixture, tuple(told))


def connected_groups(questions: Sequence[SharesQuestion]) -> list[list[int]]:
    """The places of questions that share attributes, of which one at least is a table.

    Without those answered by distances along lines: a joint fit takes errors of cells for independent. Where these
    oppose those of their neighbours it was two to three times as far from the truth as what is fitted to each alone.
    """
    groups: list[tuple[set[str], list[int]]] = []
    for place, question in enumerate(questions):
        if isinstance(question.mechanism, BY_DISTANCES):
            continue
        names, places = set(question.attribute_names), [place]
        apart = []
        for own, members in groups:
            if own & names:
                names, places = names | own, members + places
            else:
                apart.append((own, members))
        groups = [*apart, (names, places)]
    found = [sorted(places) for _, places in groups]
    return [places for places in found if any(questions[place].is_table for place in places)]


def _names(questions: Sequence[SharesQuestion], places: Sequence[int]) -> set[str]:
    return {name for place in places for name in questions[place].attribute_names}


def _sizes(questions: Sequence[SharesQuestion]) -> dict[str, int]:
    return {name: k for question in questions for name, k in zip(question.attribute_names, question.shape, strict=True)}
