"""Channels of their own design: their exact variance, beside what is chosen without one, and what the search takes."""

import random
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from sordino import MetricLDP, PairwiseLDP, certify, optimal_channel
from sordino.design.shares.best_mechanism import candidates
from sordino.survey.kinds.shares.above_floor import quick_floor

TITLE = "Channels of their own design"
NOTE = (
    "n times the summed variances at equal shares, exact, from the channel's integers; beside it the best of all "
    "mechanisms that need no search (k-ary at the least bound, geometric), and the floor that a plan is "
    "held against, below which no channel lies. "
    "Steps of half a nat; alike means within 1; drawn means that every pair's bound is, from half a nat to one and a "
    "half, or within a tenth of 1. The last column is the search's processor time over that of certifying its result."
)
HEADER = ("bounds", "codes", "n Var", "without a search", "of it", "floor", "above it", "search / certificate")


def drawn(k: int, low: float, high: float) -> PairwiseLDP:
    """The same bounds for ever, in hundredths of a nat, alike both ways."""
    generator = random.Random(k)
    bounds = {(x, y): round(low + (high - low) * generator.random(), 2) for x in range(k) for y in range(x)}
    return PairwiseLDP([["0" if x == y else str(bounds[max(x, y), min(x, y)]) for y in range(k)] for x in range(k)])


CASES = {
    "line of 16": MetricLDP.line(16, "1/2"),
    "line of 32": MetricLDP.line(32, "1/2"),
    "8 x 8 cells": MetricLDP.grid(8, 8, "1/2", "1/2"),
    "20 values alike": PairwiseLDP([["0" if x == y else "1" for y in range(20)] for x in range(20)]),
    "16 values, drawn": drawn(16, 0.5, 1.5),
    "16 values, within a tenth": drawn(16, 0.9, 1.1),
    "32 values, drawn": drawn(32, 0.5, 1.5),
    "32 values, within a tenth": drawn(32, 0.9, 1.1),
    "64 values, drawn": drawn(64, 0.5, 1.5),
    "64 values, within a tenth": drawn(64, 0.9, 1.1),
}

Found = TypeVar("Found")


def rows() -> Iterator[tuple[str, ...]]:
    for name, definition in CASES.items():
        bounds = definition.edge_bounds if isinstance(definition, MetricLDP) else definition
        searched, channel = timed(lambda bounds=bounds: optimal_channel(bounds))
        checked, certificate = timed(lambda channel=channel, definition=definition: certify(channel, definition))
        if not certificate.holds:
            raise SystemExit(f"{name}: the channel does not keep its bounds")
        made = candidates(definition.k, definition, designed=False)
        without = min(mechanism.total_variance for mechanism in made.values())
        found = channel.total_variance
        floor = float(quick_floor(definition.k, definition) or 0)
        compared = (
            f"{found:.4g}",
            f"{without:.4g}",
            f"{found / without:.3f}",
            f"{floor:.4g}",
            f"{found / floor - 1:.1%}",
        )
        yield name, f"{channel.outputs:,}", *compared, f"{searched / checked:.0f}"


def timed(work: Callable[[], Found]) -> tuple[float, Found]:
    """Seconds of the processor, and what was made."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found
