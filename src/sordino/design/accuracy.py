"""How exact estimates will be, before anybody is asked: from exact variances, at uniform values by default."""

from dataclasses import dataclass

import numpy as np

from sordino.estimation.unbiased import unit_variance
from sordino.exact.floats import Floats
from sordino.mechanism.base import Mechanism

LISTED = 64
"""Values of a block up to which each is looked at."""


@dataclass(frozen=True)
class Accuracy:
    """Expected errors of the unbiased estimates.

    Attributes:
        stderr: the root mean square, over the values, of the standard error of a share.
        total_variation: the expected total variation distance to the truth, without projection (may exceed 1).
        total_variance: the sum of the variances, times n: proportional to the people needed for a given accuracy.
    """

    stderr: float
    total_variation: float
    total_variance: float


def expected_accuracy(
    mechanism: Mechanism, people: int, *, subtract_totals: bool, shares: Floats | None = None
) -> Accuracy:
    """Expected errors with this many people whose values have the given shares, uniform ones by default.

    A mean absolute normal error is sqrt(2 / pi) standard errors, and total variation is half the sum of them.
    Source: context-aware LDP paper, Theorem 4, as exact formulas.
    """
    law = np.broadcast_to(1 / mechanism.k, mechanism.k) if shares is None else shares
    variance = np.broadcast_to(np.inf, mechanism.k)
    if subtract_totals:
        variance = unit_variance(mechanism, mechanism.forward(law), subtract_totals=True)
    elif mechanism.informative:
        variance = mechanism.variance(law)
    deviation = np.sqrt(variance / people)
    return Accuracy(
        float(np.sqrt(np.mean(deviation**2))), float(deviation.sum() / np.sqrt(2 * np.pi)), float(variance.sum())
    )


def largest_error(mechanism: Mechanism, people: int, *, subtract_totals: bool, shares: Floats | None = None) -> float:
    """The largest standard error of a share: of people with these shares, or whatever people are like.

    A report of x itself contributes with one second moment, those of other values with none above the largest: at a
    share p the variance is at most p own + (1 - p) largest - p^2.
    """
    if not mechanism.informative:
        return np.inf
    if shares is not None:
        variance = unit_variance(mechanism, mechanism.forward(shares), subtract_totals=subtract_totals)
        return float(np.sqrt(variance.max() / people))
    own, others = _moments(mechanism) if subtract_totals else (mechanism.squares.own, mechanism.squares.most)
    return float(np.sqrt(worst_variance(own, others).max() / people))


def _moments(mechanism: Mechanism) -> tuple[Floats, Floats]:
    """The second moments of contributions by a value itself and by the worst other, where totals are subtracted.

    Of people who all have one value, for each value of one block of each size; blocks of one size are alike. Of large
    blocks as if nothing were subtracted, which is next to nothing for each of so many values.
    """
    own, others, blocks = mechanism.squares.own.copy(), mechanism.squares.most.copy(), mechanism.partition
    for block in np.unique(blocks.sizes, return_index=True)[1].tolist():
        inside = np.flatnonzero(blocks.block == block)
        if len(inside) > LISTED:
            continue
        moments = np.empty((len(inside), len(inside)))
        for place, value in enumerate(inside.tolist()):
            alone = np.zeros(mechanism.k)
            alone[value] = 1
            moments[place] = unit_variance(mechanism, mechanism.forward(alone), subtract_totals=True)[inside]
        # What is told of everybody having x varies around 1.
        alike = np.flatnonzero(blocks.sizes[blocks.block] == len(inside))
        own[alike] = moments.diagonal().max() + 1
        np.fill_diagonal(moments, 0.0)
        others[alike] = moments.max()
    return own, others


def worst_variance(own: Floats, others: Floats) -> Floats:
    """The largest p own + (1 - p) others - p^2 over shares p."""
    share = np.clip((own - others) / 2, 0, 1)
    return share * own + (1 - share) * others - share**2


def subtracting_helps(mechanism: Mechanism) -> bool:
    """Whether the shift to the blocks' known shares lowers the total variance at uniform values; no data needed."""
    if not mechanism.informative or mechanism.excess is None:
        return False
    plain = expected_accuracy(mechanism, 1, subtract_totals=False).total_variance
    shifted = expected_accuracy(mechanism, 1, subtract_totals=True).total_variance
    # A relative margin: where the shift is zero by symmetry, rounding decides nothing.
    return shifted < plain * (1 - 1e-9)


LARGEST = 15


@dataclass(frozen=True)
class SharesAccuracy:
    """Expected errors of shares.

    Attributes:
        stderr: the root mean square, over the values, of the standard error of a share.
        largest: the same of the 15 largest shares, which tables show.
        one_block: the same of a block's values if all people were in it; None where no blocks are public.
        total_variance: the sum of the variances, times n: proportional to the people needed for a given accuracy.
    """

    stderr: float
    largest: float
    one_block: float | None
    total_variance: float


def expected_shares(
    mechanism: Mechanism, people: int, *, subtract_totals: bool, shares: Floats | None = None
) -> SharesAccuracy:
    """Expected errors with this many people; infinite where nothing can be learned.

    Args:
        shares: of the values among the people, shape (k,); all alike by default.
    """
    if not mechanism.informative:
        return SharesAccuracy(np.inf, np.inf, None, np.inf)
    expected = np.broadcast_to(1 / mechanism.k, mechanism.k) if shares is None else shares
    variance = unit_variance(mechanism, mechanism.forward(expected), subtract_totals=subtract_totals) / people
    largest = np.argsort(-expected, kind="stable")[:LARGEST]
    return SharesAccuracy(
        float(np.sqrt(variance.mean())),
        float(np.sqrt(variance[largest].mean())),
        _one_block(mechanism, people, subtract_totals=subtract_totals),
        float(variance.sum()) * people,
    )


def _one_block(mechanism: Mechanism, people: int, *, subtract_totals: bool) -> float | None:
    """The standard error in the largest block, if all were there and its values alike."""
    blocks = mechanism.partition
    if blocks.m == 1:
        return None
    inside = blocks.block == int(np.argmax(blocks.sizes))
    law = mechanism.forward(inside / inside.sum())
    return float(np.sqrt(unit_variance(mechanism, law, subtract_totals=subtract_totals)[inside].mean() / people))
