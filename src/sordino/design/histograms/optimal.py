"""The integer channel of least variance under any bounds between pairs of values, for at most 128 values.

The bounds are read and checked, the channel is designed in floats (`channel_design`) and rounded to integers that keep
every bound exactly (`integer_channel`): the promise rests on the last step alone.

Shapes: bounds (k, k), bounds[x][x'] limiting ln Pr(y|x) - ln Pr(y|x'); weights (k, m), rows of sum 2^64.

Source: context-aware LDP paper, Definition 1 (bounds that differ from pair to pair).
Cost: a second for 8 values, some seconds for 16, about ten for 32, up to a minute or two beyond.
"""

from collections.abc import Sequence

import numpy as np

from sordino.design.histograms.columns.channel_design import design
from sordino.design.integer_channel import integer_channel
from sordino.errors import SordinoError
from sordino.exact.arrays import Floats
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats

LARGEST_K = 128
"""Beyond this a search would take too long."""

SMALLEST_BOUND = 1e-6
"""Nats. Below this, estimates would need more than 10^12 people, and floats would design them badly."""

UNBOUNDED = 1000.0
"""Nats. Larger finite bounds are designed as this one: neither limits a channel of 64-bit weights."""


def optimal_weights(
    bounds: Sequence[Sequence[Nats | None]], prior: Floats | None = None, known: Floats | None = None
) -> tuple[tuple[int, ...], ...]:
    """Integer weights of the channel of least summed variance, one row for each value.

    k rows that each sum to 2^64; weight [x][y] is at most e^bounds[x][x'] times weight [x'][y], exactly. Raises
    SordinoError: no square matrix of at most 128 values, a negative bound, values that cannot be told apart, or shares
    that are not positive or do not sum to one.

    Args:
        bounds: k rows of k bounds >= 0 in nats, None where a pair is not protected; the diagonal is not read.
        prior: the shares at which the variance is least, shape (k,), all positive; equal shares by default.
        known: a channel that keeps the bounds, for the search to begin with, shape (k, m).

    Example:
        >>> three = Nats.log(3)
        >>> weights = optimal_weights([[None, three], [three, None]])
        >>> [[round(weight / 2**64, 9) for weight in row] for row in weights]
        [[0.75, 0.25], [0.25, 0.75]]
    """
    limits = _read_bounds(bounds)
    k = len(limits)
    if k == 1:
        return integer_channel(np.ones((1, 1)), bounds)
    shares = np.full(k, 1 / k) if prior is None else _read_prior(prior, k)
    return integer_channel(design(limits, shares, known).channel, bounds)


def _read_bounds(bounds: Sequence[Sequence[Nats | None]]) -> Floats:
    k = len(bounds)
    if not 1 <= k <= LARGEST_K:
        step = "group the values into blocks, or choose a mechanism for LDP, blocks or sensitive values"
        raise SordinoError(f"a channel is designed for 1 to {LARGEST_K} values", found=shown(k), step=step)
    if any(len(row) != k for row in bounds):
        raise SordinoError(f"bounds must be a square matrix of {k} rows", found=f"{[len(row) for row in bounds]}")
    limits = np.zeros((k, k))
    for i, row in enumerate(bounds):
        for j, bound in enumerate(row):
            if i == j:
                continue
            if bound is not None and bound.sign() < 0:
                raise SordinoError("bounds must not be negative", found=f"{bound} from value {i} to value {j}")
            # Rounded down, so that the design stays on the safe side of what is rounded exactly later.
            limits[i, j] = np.inf if bound is None else min(bound.floor(), UNBOUNDED)
            if limits[i, j] < SMALLEST_BOUND:
                raise SordinoError(
                    f"values can be told apart only where both bounds between them are at least {SMALLEST_BOUND:g} "
                    "nats, and otherwise nothing can be estimated",
                    found=f"{bound} from value {i} to value {j}",
                    step="merge the two values into one or raise the bound",
                )
    return limits


def _read_prior(prior: Floats, k: int) -> Floats:
    shares = np.asarray(prior, dtype=np.float64)
    if shares.shape != (k,):
        raise SordinoError(f"the prior must hold {k} shares", found=f"shape {shares.shape}")
    if not (np.isfinite(shares).all() and (shares > 0).all() and abs(shares.sum() - 1) <= 1e-6):
        rule = "the prior's shares must be positive and sum to one"
        found = f"a smallest share of {shares.min():g} and a sum of {shares.sum():g}"
        raise SordinoError(rule, found=found, step="give values that you do not expect a small share")
    normal: Floats = shares / shares.sum()
    return normal
