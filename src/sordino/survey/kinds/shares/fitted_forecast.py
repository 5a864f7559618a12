"""How far what is fitted to histograms and tables will be from the truth: of the fit that will be shown.

Tables that share attributes, and histograms of these, are fitted together, so that they are forecast together: surveys
are simulated and fitted as reports are. All others are forecast by themselves, and those that are alike once.
Where nothing is known of the people, two kinds of them say how much it depends on them: all values equally common, each
question fitted by itself; and a few common ones (shares as one over the rank, Zipf's law), no attribute going with
another, fitted as it will be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.design.shares.fitted_distance import ExpectedEstimates, fitted_distance
from sordino.distinct import DistinctParts
from sordino.estimation.joint.joint_fit import BETTER
from sordino.survey.kinds.question import SharesQuestion
from sordino.survey.kinds.shares.joint_fits import FEWEST, connected_groups, joint_fits

CELLS, FEWEST_DRAWS, MOST_DRAWS = 1 << 14, 2, 40
"""Of all tables that are fitted together over all simulated surveys; how many of these at least, and at most."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SimulatedShares:
    """The estimates that one simulated survey makes.

    Attributes:
        value, stderr: shape (k,) each.
    """

    value: Floats
    stderr: Floats


class FittedForecast:
    """The expected total variation between what is fitted and the truth, of each of some questions by its place."""

    def __init__(
        self,
        questions: Sequence[SharesQuestion],
        known: Sequence[Floats | None],
        parts: DistinctParts | None = None,
    ) -> None:
        """Of people who have these shares of each question's values; None where nothing is known.

        Args:
            parts: what was forecast of other questions; nothing by default.
        """
        self.questions, self.known = questions, known
        self.parts = DistinctParts() if parts is None else parts
        self._joint: dict[tuple[object, ...], Sequence[float]] = {}

    @cached_property
    def places(self) -> Mapping[int, int]:
        """The place of each question by its identity."""
        return {id(question): place for place, question in enumerate(self.questions)}

    @cached_property
    def plan(self) -> Sequence[float]:
        """Of the plan; where nothing is known, of people whose values are all equally common."""
        return self._distances(self._of_plan(self.known), together=self._is_known)

    @cached_property
    def uniform(self) -> Sequence[float]:
        """The same under uniform protection."""
        return self._distances(self._of_uniform(self.known), together=self._is_known)

    @cached_property
    def plan_concentrated(self) -> Sequence[float]:
        """Of the plan, of people whose values are mostly a few."""
        return self._distances(self._of_plan(self._few_values), together=True)

    @cached_property
    def uniform_concentrated(self) -> Sequence[float]:
        """The same under uniform protection."""
        return self._distances(self._of_uniform(self._few_values), together=True)

    @property
    def _is_known(self) -> bool:
        return any(shares is not None for shares in self.known)

    @cached_property
    def _few_values(self) -> Sequence[Floats]:
        return [_few_values(question.shape) for question in self.questions]

    def _of_plan(self, known: Sequence[Floats | None]) -> list[ExpectedEstimates]:
        return [
            ExpectedEstimates(one.mechanism.without_cache, one.people, one.part.subtract_totals, shares)
            for one, shares in zip(self.questions, known, strict=True)
        ]

    def _of_uniform(self, known: Sequence[Floats | None]) -> list[ExpectedEstimates]:
        return [
            ExpectedEstimates(one.uniform, one.people, one.uniform_subtracts, shares)
            for one, shares in zip(self.questions, known, strict=True)
        ]

    def _distances(self, estimates: Sequence[ExpectedEstimates], *, together: bool) -> Sequence[float]:
        found: list[float | None] = [None] * len(estimates)
        for places in connected_groups(self.questions) if together else []:
            told = [place for place in places if estimates[place].mechanism.informative]
            if len(told) >= FEWEST:
                for place, distance in zip(told, self._jointly(told, estimates), strict=True):
                    found[place] = distance
        return [self._distance(one) if known is None else known for one, known in zip(estimates, found, strict=True)]

    def _jointly(self, places: Sequence[int], estimates: Sequence[ExpectedEstimates]) -> Sequence[float]:
        own = [estimates[place] for place in places]
        key = tuple((place, *one.key) for place, one in zip(places, own, strict=True))
        if key not in self._joint:
            self._joint[key] = _joint_distances([self.questions[place] for place in places], own)
        return self._joint[key]

    def _distance(self, estimates: ExpectedEstimates) -> float:
        return self.parts.of(estimates.key, lambda: fitted_distance(estimates))


def _joint_distances(questions: Sequence[SharesQuestion], estimates: Sequence[ExpectedEstimates]) -> Sequence[float]:
    """Of questions that tables connect, over some simulated surveys: fitted together, or each, whichever is nearer."""
    rng, together, alone = np.random.default_rng(0), np.zeros(len(questions)), np.zeros(len(questions))
    draws = int(np.clip(CELLS // sum(one.mechanism.k for one in estimates), FEWEST_DRAWS, MOST_DRAWS))
    errors = [np.sqrt(one.variance) for one in estimates]
    for _ in range(draws):
        drawn = [one.draw(rng) for one in estimates]
        shown = [SimulatedShares(value, error) for (value, _), error in zip(drawn, errors, strict=True)]
        fits = {place: fit for fit in joint_fits(questions, shown, always=True) for place in fit.places}
        for place, (question, one) in enumerate(zip(questions, estimates, strict=True)):
            own = one.distance(one.nearest(*drawn[place]))
            alone[place] += own
            together[place] += one.distance(fits[place].margin(question.attribute_names)) if place in fits else own
    nearer = together if together.sum() <= BETTER * alone.sum() else alone
    return [float(distance) for distance in nearer / draws]


def _few_values(shape: Sequence[int]) -> Floats:
    """Of each attribute one over the rank; which values are common is drawn, always alike."""
    shares = np.ones(1)
    for k in shape:
        own = 1 / np.random.default_rng(0).permutation(np.arange(1, k + 1))
        shares = np.multiply.outer(shares, own / own.sum()).reshape(-1)
    return shares
