"""Bounding realized losses, against a general solver of global optimization."""

import json
import tempfile
from collections.abc import Iterator
from math import exp
from pathlib import Path
from statistics import median

import numpy as np

from pairs import RATIOS, Peer, ratios, rounded, seconds, spread
from sordino import Box, LogisticQuery, Query, realized_loss

TITLE = "Bounding realized losses"
NOTE = (
    "The realized loss of ten logistic models of nine numbers, coefficients in [-1, 1], each answered by one bit: time "
    "until certified bounds are 0.01 nats apart, SCIP's over ours. SCIP (pyscipopt) is given the sum of logarithms and "
    "both extrema, with half the gap each and at most 5 seconds each: where it is not done by then, the ratio is "
    "larger than what stands here, and the gap is what it had left."
)
HEADER = RATIOS

D = 9
N = 10
TOLERANCE = 0.01
LIMIT = 5
"""Seconds that SCIP gets for one extremum."""


def drawn(epsilon: str, seed: int) -> tuple[list[Query], list[int]]:
    rng = np.random.default_rng(seed)
    models = rng.uniform(-1, 1, (N, D + 1))
    return [LogisticQuery(row[1:], row[0], epsilon) for row in models], rng.integers(0, 2, N).tolist()


def rows() -> Iterator[tuple[str, ...]]:
    box = Box([-1] * D, [1] * D)
    for epsilon, asked in (("0.1", "at least 100"), ("1", "-")):
        queries, outputs = drawn(epsilon, 1)
        factor = exp(float(epsilon))
        task = {
            "d": D,
            "tolerance": TOLERANCE,
            "queries": [[q.theta, q.intercept, factor, output] for q, output in zip(queries, outputs, strict=True)],
        }

        def ours(queries: list[Query] = queries, outputs: list[int] = outputs) -> float:
            times = 5
            return seconds(lambda: [realized_loss(box, queries, outputs, TOLERANCE) for _ in range(times)]) / times

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tasks.json"
            path.write_text(json.dumps([task]), encoding="utf-8")
            with Peer("peer_scip.py", path, LIMIT) as peer:
                yield f"SCIP, epsilon {epsilon}", asked, spread(ratios(peer.seconds, ours))
                ((lower, upper),) = peer.result
        bounds = realized_loss(box, queries, outputs, TOLERANCE)
        yield (
            f"gap left, SCIP's and ours, epsilon {epsilon}",
            "0.01",
            f"{rounded(upper - lower)}, {rounded(bounds.gap)}",
        )
        agree = max(lower, bounds.lower) <= min(upper, bounds.upper) + 1e-6
        yield f"the bounds overlap, epsilon {epsilon}", "yes", "yes" if agree else "no"
        yield f"milliseconds of ours, epsilon {epsilon}", "-", rounded(1000 * median(ours() for _ in range(5)))
