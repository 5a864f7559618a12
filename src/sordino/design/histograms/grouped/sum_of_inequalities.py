"""How often to count each of several inequalities, so that their sum leaves the most variance, in floats.

Every column keeps v'N v <= 0 for symmetric N with 1'N 1 = -1, so trace(N J) <= 1 for what a channel tells beyond shares
that are known, J = sum of w (v - 1)(v - 1)', whose inverse on vectors of sum zero is the variance. trace(J^-1) is at
least (trace N^(1/2))^2 / trace(N J): of all means N of several such matrices the one of the largest trace N^(1/2), a
concave function of how often each counts, says most, and J = N^(-1/2) / trace N^(1/2) is where it is tight.

Shapes: matrices (n, k-1, k-1), in a basis of vectors of sum zero. Cost: some tens of steps of n k^2 + k^3 operations.
"""

import numpy as np

from sordino.design.reproducible import Floats

MOST_STEPS = 120
"""Multiplications of the weights; 20 to 60 are usual."""

ENOUGH = 1e-4
"""Stop where a step brings less, relatively."""

LARGEST = 2.0
"""Of the logarithms of factors for a step of length one."""

LONGEST, SHORTEST = 8.0, 1e-3
"""Lengths of steps."""

STEEP = 3.0
"""How much more the smallest eigenvalue counts than zero, in logarithms, until none is negative."""

LEAST = 1e-9
"""Of the largest eigenvalue: what is less says nothing."""


def best_sum(matrices: Floats, weights: Floats) -> tuple[Floats, Floats] | None:
    """Weights of sum one, shape (n,), and J, shape (k-1, k-1); None where these matrices say nothing of some vector.

    Args:
        matrices: N of each inequality.
        weights: positive, to start from.
    """
    weights = _definite(matrices, weights / weights.sum())
    here, length = _value(matrices, weights), 1.0
    if not here:
        return None
    for _ in range(MOST_STEPS):
        slope = np.tensordot(matrices, _moments(matrices, weights), ((1, 2), (0, 1)))
        risen = 0.0
        while length > SHORTEST:
            tried = weights * np.exp(length * np.clip(slope - 1, -LARGEST, LARGEST))
            tried /= tried.sum()
            risen = _value(matrices, tried)
            if risen > here:
                break
            length /= 2
        if risen <= here:
            break
        weights, before, here = tried, here, risen
        length = min(1.4 * length, LONGEST)
        if here < before * (1 + ENOUGH):
            break
    return weights, _moments(matrices, weights)


def _definite(matrices: Floats, weights: Floats) -> Floats:
    """Weights of a sum that is positive definite, found by raising its smallest eigenvalues; or some others."""
    for _ in range(MOST_STEPS):
        values, vectors = np.linalg.eigh(np.tensordot(weights, matrices, 1))
        if values[0] > LEAST * values[-1]:
            break
        heat = np.exp(STEEP * (values[0] - values) / max(-values[0], LEAST * values[-1]))
        slope = np.tensordot(matrices, (vectors * heat) @ vectors.T, ((1, 2), (0, 1)))
        weights = weights * np.exp(slope / np.abs(slope).max())
        weights /= weights.sum()
    return weights


def _value(matrices: Floats, weights: Floats) -> float:
    """Trace N^(1/2), 0 where N is not positive definite."""
    values = np.linalg.eigvalsh(np.tensordot(weights, matrices, 1))
    return float(np.sqrt(values).sum()) if values[0] > LEAST * values[-1] else 0.0


def _moments(matrices: Floats, weights: Floats) -> Floats:
    values, vectors = np.linalg.eigh(np.tensordot(weights, matrices, 1))
    found: Floats = (vectors / np.sqrt(values)) @ vectors.T / np.sqrt(values).sum()
    return found
