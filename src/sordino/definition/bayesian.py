"""Bayesian coordinate DP: no output changes the odds between two values of attribute i by more than e^delta_i.

It protects an attribute from somebody whose beliefs about all others, given this one, are a stated prior, or any prior
within a bound on dependence; beliefs about the attribute itself are free. Against others only LDP, stated beside the
bound, holds. Deltas of several reports do not add up (two reports of delta 0 can tell all): their evidence does.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.definition.bounded_dependence import BoundOnVariation, Dependence
from sordino.definition.bounds import BoundLike, read_epsilon
from sordino.definition.pairwise import LDP, CertificateBasis
from sordino.definition.prior import Prior
from sordino.definition.product import Amounts, Shape, read_amounts
from sordino.definition.rest import Rest
from sordino.errors import SordinoError
from sordino.evidence.finite import FiniteEvidence
from sordino.exact.messages import checked, checked_class
from sordino.exact.nats import Nats, NatsLike


@checked_class
@dataclass(frozen=True)
class BayesianCoordinateDP:
    """Bayesian coordinate DP of records with d attributes; made by `with_prior` or `bounded`.

    Source: BCDP paper, Definition 4; of one attribute with a prior, Definition 2.

    Attributes:
        deltas: one for each attribute, in nats; None ("inf") where it is not protected.
        beliefs: the prior, or the bound on dependence.
        epsilon: the LDP bound beside it; None where none is promised, as with a prior.

    Example:
        >>> definition = BayesianCoordinateDP.bounded(["0.5", "1"], "1", 0.1).on((2, 2))
        >>> definition.levels(FiniteEvidence(np.log([0.3, 0.2, 0.3, 0.2]))).round(6)
        array([0.04879 , 0.405465])
    """

    certificate_basis: ClassVar[CertificateBasis] = "averages"

    deltas: Amounts
    beliefs: Prior | Rest
    epsilon: Nats | None = None

    @classmethod
    @checked
    def with_prior(cls, deltas: Sequence[BoundLike], prior: Prior | ArrayLike) -> "BayesianCoordinateDP":
        """For somebody who holds a prior: probabilities of all records, shape (k_1, .., k_d).

        Raises:
            SordinoError: deltas that are no amounts or not one for each attribute; a prior that is negative, does not
            sum to one, or leaves a value of an attribute without probability.

        Example:
            >>> fair = np.full((2, 2), 0.25)
            >>> BayesianCoordinateDP.with_prior(["0.5", "inf"], fair).deltas
            (Nats('1/2'), None)
        """
        amounts, law = read_amounts("delta", deltas), Prior.of(prior)
        if len(amounts) != law.d:
            raise SordinoError(f"there must be one delta for each of the prior's {law.d} axes", found=str(len(amounts)))
        return cls(amounts, law)

    @classmethod
    @checked
    def bounded(
        cls,
        deltas: Sequence[BoundLike],
        epsilon: NatsLike,
        rest: BoundOnVariation | Sequence[BoundOnVariation] | NDArray[np.float64] | Dependence,
    ) -> "BayesianCoordinateDP":
        """For everybody whose prior is within a bound on dependence, with LDP for everybody else.

        Args:
            deltas: one for each attribute, none above epsilon.
            epsilon: the LDP bound.
            rest: for each attribute, or one for all, the largest total variation between the laws of *all other
            attributes together* given two of its values. Bounds between pairs of attributes are not enough.

        Raises:
            SordinoError: amounts that are none or above epsilon; a matrix or numbers outside [0, 1] as the rest.
        """
        amounts, bound = read_amounts("delta", deltas), read_epsilon(epsilon)
        for i, delta in enumerate(amounts):
            if delta is None or delta > bound:
                rule = f"the delta of attribute {i} must not exceed epsilon = {bound}"
                raise SordinoError(rule, found="inf" if delta is None else str(delta), step="lower it or raise epsilon")
        return cls(amounts, Rest.of(rest, len(amounts)), bound)

    def on(self, shape: Shape) -> "BayesianCoordinateDP":
        """The same about records with so many values of each attribute; or on a `Record`.

        Raises:
            SordinoError: another number of attributes, or other sizes than the prior's.
        """
        return BayesianCoordinateDP(self.deltas, self.beliefs.on(shape), self.epsilon)

    @property
    def d(self) -> int:
        """How many attributes."""
        return len(self.deltas)

    @property
    def shape(self) -> tuple[int, ...] | None:
        """How many values each attribute has; None until `on` tells it."""
        return self.beliefs.shape

    @property
    def largest(self) -> Nats:
        """The largest finite bound that it states."""
        amounts = [amount for amount in (*self.deltas, self.epsilon) if amount is not None]
        return max(amounts, default=Nats.of(0))

    def loss(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """How far the evidence favours each value of each attribute over another of its values; rounded up.

        Shape (k_1 + .. + k_d,): the values of the first attribute, then those of the next. What is lost of the LDP
        bound is told by `LDP(epsilon).loss`.
        """
        return np.concatenate(self.beliefs.losses(evidence))

    def levels(self, evidence: FiniteEvidence) -> NDArray[np.float64]:
        """Shape (d,): the loss of each attribute so far, rounded up; also where it is not protected."""
        return np.array([float(losses.max()) for losses in self.beliefs.losses(evidence)])

    def slack(self, evidence: FiniteEvidence) -> float:
        """The least that is left of any delta and of epsilon, rounded down; infinite where nothing is protected."""
        left = math.inf if self.epsilon is None else LDP(self.epsilon).slack(evidence)
        for delta, level in zip(self.deltas, self.levels(evidence).tolist(), strict=True):
            if delta is not None:
                left = min(left, math.nextafter(delta.floor() - level, -math.inf))
        return left
