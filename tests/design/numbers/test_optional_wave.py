"""The square wave of a number that may be missing: its guarantee, and that no other part tried tells more."""

import numpy as np
import pytest

from sordino import LDP, Nats, certify
from sordino.design.numbers.bins_channel import FEW, PARTS, optional_wave, square_wave
from sordino.mechanism.window import OptionalWindow


def variances(channel, missing):
    """Of the share that lacks it, and of the function among others, to the first order."""
    weights = [[channel.weight(value, code) for code in range(channel.outputs)] for value in range(channel.k)]
    rows = np.array(weights, dtype=float) / channel.denominator
    codes = rows.mean(axis=0)
    solving = np.linalg.solve((rows / codes) @ rows.T, rows / codes)
    bins = channel.k - 1
    law = np.append(np.full(bins, (1 - missing) / bins), missing) @ rows
    spread = solving @ (np.diag(law) - np.outer(law, law)) @ solving.T
    total = spread[-1, -1]
    have = 1 - missing
    for edge in range(1, bins):
        slopes = np.append((np.arange(bins) < edge) / have - edge / bins / have, 0.0)
        total += slopes @ spread @ slopes / (bins - 1)
    return total


@pytest.mark.parametrize("epsilon", ["0.2", "1", "5"])
@pytest.mark.parametrize("missing", [0.05, 0.5])
def test_it_keeps_epsilon_and_no_other_part_tells_more(epsilon, missing):
    level = Nats.of(epsilon)
    found = optional_wave(FEW, level, missing)
    assert certify(found, LDP(epsilon)).holds
    assert found.bins == square_wave(FEW, level)
    largest = optional_largest(found.bins, level)
    tried = {part: variances(OptionalWindow(found.bins, level, int(part * largest)), missing) for part in PARTS}
    assert variances(found, missing) <= min(tried.values()) * (1 + 1e-6)
    assert found.present <= largest * (1 + 1e-6)


def optional_largest(bins, level):
    """Where both bounds of the mechanism's docstring hold with equality."""
    part = float(bins.probabilities().min()) * bins.outputs
    return 2**64 * (1 - part) / (np.exp(float(level)) - part)
