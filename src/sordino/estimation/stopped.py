"""Shares of values from people who each answered several queries, and stopped where their filter stopped them.

When a person stops depends on the answers, so a mean of a person's answers is biased: with a budget of 1 and coins of
0.1 a true mean of -0.415 looks like -0.726. The likelihood does not mind: the rule that stops depends on the record
through the answers only, so it is a constant factor, and the most likely shares are consistent whatever the rule.
Each pass is an accelerated EM step; no shares' log-likelihood is higher than n (max over x of the mean of f(x) / f - 1)
above those found, with f(x) a person's likelihood of x and f its mean under the shares.
Source: Bayesian privacy filter paper, Section 6 (its averages as corrected); Varadhan and Roland 2008 (acceleration).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages.arguments import checked

NEAR = 0.01
"""How far below the maximum the log-likelihood of all people may stay, in nats."""

ROUNDING = 1e-12
"""What rounding leaves uncertain of the gap of one person."""

MOST_STEPS = 5000
"""Accelerated steps at most."""


@dataclass(frozen=True, eq=False)
class StoppedEstimate:
    """Shares of the values among the people that were drawn.

    Attributes:
        value: shape (k,), nonnegative, adding up to 1.
        stderr: shape (k,), from the curvature of the likelihood: for shares that are not near 0.
        n: how many people.
    """

    value: NDArray[np.float64]
    stderr: NDArray[np.float64]
    n: int


@checked
def estimate_stopped(log_likelihood: NDArray[np.float64]) -> StoppedEstimate:
    """The most likely shares.

    Args:
        log_likelihood: shape (n, k): ln Pr(all answers of the person | x) but for a constant of each person, as
            `Panel.log_likelihood`.

    Raises:
        SordinoError: no table of numbers, a person whom no value explains, or a maximum that was not reached.

    Example:
        >>> told = np.log([[0.75, 0.25]] * 300 + [[0.25, 0.75]] * 200)
        >>> estimate_stopped(told).value.round(3)
        array([0.7, 0.3])
    """
    log = np.asarray(log_likelihood, dtype=np.float64)
    if log.ndim != 2 or not log.size or np.isnan(log).any() or np.isposinf(log).any():
        raise SordinoError("likelihoods must be a row of logarithms for each person", found=f"shape {log.shape}")
    largest = log.max(axis=1, keepdims=True)
    if np.isneginf(largest).any():
        raise SordinoError("some value must explain the answers of each person", found="answers that none can give")
    likelihood = np.exp(log - largest)
    n, k = likelihood.shape
    shares = np.full(k, 1 / k)
    for _ in range(MOST_STEPS):
        slope = _slope(likelihood, shares)
        if slope.max() - 1 <= max(NEAR / n, ROUNDING):
            return StoppedEstimate(shares, _errors(likelihood, shares), n)
        shares = _accelerate(likelihood, shares, slope)
    raise SordinoError(
        f"the likelihood must come within {NEAR} nats of its maximum", found=f"more after {MOST_STEPS} steps"
    )


def _slope(likelihood: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over people of f(x) / f, shape (k,): above 1 where a share should grow."""
    slope: NDArray[np.float64] = (1 / (likelihood @ shares)) @ likelihood / len(likelihood)
    return slope


def _accelerate(
    likelihood: NDArray[np.float64], shares: NDArray[np.float64], slope: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Two EM steps and an extrapolation from them, where that is likelier than the two alone."""
    first = shares * slope
    second = first * _slope(likelihood, first)
    step, bend = first - shares, (second - first) - (first - shares)
    length = np.linalg.norm(bend)
    if length == 0:
        return second
    reach = -max(float(np.linalg.norm(step) / length), 1.0)
    far = shares - 2 * reach * step + reach**2 * bend
    far = np.maximum(far, second * 1e-3)
    far /= far.sum()
    best = far if _total(likelihood, far) >= _total(likelihood, second) else second
    moved = best * _slope(likelihood, best)
    result: NDArray[np.float64] = moved / moved.sum()
    return result


def _total(likelihood: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    return float(np.log(likelihood @ shares).sum())


def _errors(likelihood: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Roots of the inverse information's diagonal, along shares that keep their sum."""
    k = len(shares)
    scores = likelihood / (likelihood @ shares)[:, None]
    keep = np.eye(k) - 1 / k
    inverse = np.linalg.pinv(keep @ (scores.T @ scores) @ keep, hermitian=True)
    errors: NDArray[np.float64] = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    return errors
