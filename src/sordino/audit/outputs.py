"""Every output of a finite mechanism, one by one, where its weights are few enough to be read in seconds."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.evidence.finite import ColumnClass, ValueClass
from sordino.mechanism.base import Mechanism

LARGEST_ENUMERATION = 1 << 21
"""Weights read at most: seconds."""


def can_enumerate(mechanism: Mechanism) -> bool:
    """Whether a mechanism's weights are few enough to be read one by one."""
    return mechanism.outputs * mechanism.k <= LARGEST_ENUMERATION


def output_weights(mechanism: Mechanism) -> Iterator[tuple[int, NDArray[np.object_]]]:
    """Every code with its weights on all values, shape (k,)."""
    if not can_enumerate(mechanism):
        raise SordinoError(
            f"a definition of averages is checked on at most {LARGEST_ENUMERATION} weights, one by one",
            found=f"{mechanism.outputs} codes of {mechanism.k} records",
            step="promise LDP, which holds whatever is believed, or ask about fewer values",
        )
    totals = np.zeros(mechanism.k, dtype=object)
    for code in range(mechanism.outputs):
        weights = np.array([mechanism.weight(value, code) for value in range(mechanism.k)], dtype=object)
        if min(weights) < 0:
            raise SordinoError("weights must not be negative", found=f"one on code {code}")
        totals += weights
        yield code, weights
    wrong = int((totals != mechanism.denominator).sum())
    if wrong:
        raise SordinoError(
            "the weights of every value's outputs must add up to the denominator",
            found=f"{wrong} values whose weights do not",
            step="the mechanism's weight() leaves out or repeats outputs; do not use it",
        )


def output_columns(mechanism: Mechanism) -> Iterator[ColumnClass]:
    """Every output that can be sent, by itself."""
    for code, weights in output_weights(mechanism):
        present = sorted({*weights.tolist()} - {0})
        parts = tuple(ValueClass(np.flatnonzero(weights == weight), ((weight, 1),)) for weight in present)
        if parts:
            yield ColumnClass(mechanism.k, 1, code, parts)
