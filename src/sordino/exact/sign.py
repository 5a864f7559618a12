"""Numbers in [-1, 1] rounded to a sign without bias: x becomes +1 with probability (1 + x) / 2.

The probability is a whole number over 2^64, to 2^-53 of x and 2^-63; it is clamped to [0, 2^64] after all arithmetic,
whatever the floats before it did, and x = 1 and x = -1 reach the two ends exactly. One word a number.
"""

import numpy as np
from numpy.typing import NDArray

from sordino.exact.coin import WORD
from sordino.exact.source import Words

HALF = WORD // 2
"""The threshold of a fair coin."""


def round_to_plus(numbers: NDArray[np.float64], words: Words) -> NDArray[np.bool_]:
    """Whether each number becomes +1, by a uniform word each, shape (n,)."""
    # A uniform word read as a signed number is below -2^63 + t with probability t / 2^64.
    wrong: NDArray[np.bool_] = words.view(np.int64) < _wrong_below(numbers)
    wrong ^= numbers >= 0
    return wrong


def plus_weight(number: float) -> int:
    """2^64 Pr(+1 | number), exactly: what `round_to_plus` does with it."""
    wrong = HALF + int(_wrong_below(np.array([number], dtype=np.float64))[0])
    return WORD - wrong if number >= 0 else wrong


def _wrong_below(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """-2^63 |x|, rounded towards 0, which a word has to be below to make the sign that x has not."""
    product = np.abs(numbers)
    # What is no number in [-1, 1] is clamped like everything else.
    with np.errstate(invalid="ignore", over="ignore"):
        product *= -float(HALF)
        reached = product.astype(np.int64)
    np.clip(reached, -HALF, 0, out=reached)
    return reached
