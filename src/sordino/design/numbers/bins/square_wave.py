"""The channel for a number's distribution: a square wave over its bins, in whole numbers.

The near codes of a bin have the weight e^epsilon and the far ones 1: `WindowResponse` over the bins, with as many near
codes as the square wave's width among numbers has bins. That width, 2 b of the unit range, is the one at which the
entropy of an even report exceeds most that of the report of one number: a bound on the information that reports keep.
Source: Li, Wang, Lopuhaa-Zwakenberg, Skoric and Li 2020, estimating numerical distributions under LDP, (5).
"""

from math import expm1

from sordino.design.coarse import coarse_number
from sordino.exact.nats import Nats
from sordino.mechanism.numbers.window import WindowResponse

SMALL = 1e-3
"""An epsilon below which half the width is a half, to more digits than are needed."""


def square_wave(k: int, level: Nats) -> WindowResponse:
    """The square wave over k bins that keeps a level of LDP.

    Example:
        >>> square_wave(256, Nats.of(1)).window, square_wave(256, Nats.of(4)).window
        (131, 16)
    """
    window = round(coarse_number(2 * half_width(level.floor()) * k))
    return WindowResponse(k, level, min(max(window, 1), k))


def threshold_bits(k: int, level: Nats) -> WindowResponse:
    """One bit about a random threshold between two of k bins, which keeps a level of LDP.

    Example:
        >>> threshold_bits(3, Nats.of("ln 4")).probabilities().round(3).tolist()
        [[0.4, 0.4, 0.1, 0.1], [0.1, 0.4, 0.4, 0.1], [0.1, 0.1, 0.4, 0.4]]
    """
    return WindowResponse(k, level, k - 1)


def half_width(epsilon: float) -> float:
    """Half the width of a square wave over the numbers from 0 to 1.

    Example:
        >>> round(half_width(1.0), 6)
        0.256083
    """
    if epsilon < SMALL:
        return 0.5
    # (eps e^eps - e^eps + 1) / (2 e^eps (e^eps - 1 - eps)), with e^-eps in place of a factor that could overflow.
    growth, decay = expm1(epsilon), -expm1(-epsilon)
    return (epsilon - decay) / (2 * (growth - epsilon))
