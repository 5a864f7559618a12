"""What is expected of each share before its own estimate: from its block's total, its neighbours, and a public map.

A nonnegative combination of what these say, fitted to the unbiased estimates by weighted least squares: an estimate is
the share and noise of its own, of which what stands on the other side knows nothing, since a neighbourhood leaves out
the value itself.
"""

import numpy as np

from sordino.estimation.neighbours.noise import Floats

SCALES = (1.0, 3.0, 9.0)
"""Widths of neighbourhoods, in values along each axis: the standard deviation of the weights of neighbours."""

REACH = 3.0
"""Where a neighbourhood ends, in its widths."""

PASSES = 2
"""Of the weights of least squares, which depend on what is expected."""

LEAST = 1e-3
"""Of the mean share of the block: the least that is expected."""


class Neighbourhoods:
    """Means over the neighbours of each value, itself left out.

    Args:
        shape: of the values: rows and columns of a map, or the number of values in a row.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        ones, middle = np.ones(shape), np.zeros(shape)
        centre = tuple(length // 2 for length in shape)
        middle[centre] = 1.0
        self.own = [float(self._blur(middle, scale)[centre]) for scale in SCALES]
        self.all = [self._blur(ones, scale) - own for scale, own in zip(SCALES, self.own, strict=True)]

    def means(self, shares: Floats) -> list[Floats]:
        """At each scale, shape (k,)."""
        values = shares.reshape(self.shape)
        sums = [self._blur(values, scale) - own * values for scale, own in zip(SCALES, self.own, strict=True)]
        return [
            np.maximum(np.divide(total, weight, out=np.zeros_like(total), where=weight > 1e-9), 0.0).ravel()
            for total, weight in zip(sums, self.all, strict=True)
        ]

    def _blur(self, values: Floats, scale: float) -> Floats:
        from scipy import ndimage

        blurred: Floats = ndimage.gaussian_filter(values, scale, mode="constant", truncate=REACH)
        return blurred


def expected_shares(estimate: Floats, stderr: Floats, density: Floats, features: list[Floats]) -> Floats:
    """What is expected of each share, shape (k,), nonnegative.

    Args:
        estimate: shape (k,), unbiased.
        stderr: shape (k,), positive.
        density: shape (k,), the mean share of the value's block.
        features: what is known beside the value's own estimate, shape (k,) each, nonnegative.
    """
    from scipy import optimize

    columns = np.stack([density, *features], axis=1)
    expected = density
    for _ in range(PASSES):
        # Blocks in which nobody is say so without noise; nothing can be learned of them.
        weight = np.where(density > 0, 1 / np.hypot(stderr, expected), 0.0)
        left, right = np.linalg.qr(columns * weight[:, None])
        parts, _residual = optimize.nnls(right, left.T @ (estimate * weight))
        expected = np.where(density > 0, np.maximum(columns @ parts, LEAST * density), 0.0)
    return expected
