"""What is fitted to shares of values without an order, through real reports, beside what peers fit."""

import os
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pairs import Peer
from sordino import LDP, best_mechanism
from sordino.demo.simulated_people import us_places
from sordino.estimation.share_estimate import estimate
from sordino.papers.simulation import SimulationSource, simulate_tally, total_variation

TITLE = "What is fitted to shares"
NOTE = (
    "People of whom nothing is known but the reports: mean total variation, from the shares that they are drawn "
    "from, of the nearest distribution and of what is fitted by default, and how often that is with the learnt "
    "distribution (`empirical-bayes`). Beside it the best of the peers, each with its own reports of the same people: "
    "multi-freq-ldpy's subset selection with its iterative Bayesian update, at the number of steps that comes nearest "
    "(which nobody knows beforehand), or clipped (MI), and pure-ldp's unary encoding and Hadamard response, projected. "
    "The update starts from even shares, and is right about these after no step. The last column are the posterior "
    "means of somebody who knows which shares there are, but not whose. Asked: from 128 values on at most .9 of the "
    "best peer where shares are uneven, elsewhere at most 1.05. At epsilon .5 and 3 too: `FULL=1 make bench "
    "BENCH=fitting`."
)
HEADER = ("people", "nearest", "fitted", "ratio", "taken", "best peer", "over it", "knowing the shares")
EPSILONS = ("0.5", "1", "3") if os.environ.get("FULL") else ("1",)

SURVEYS = {16: 16, 128: 8, 1024: 2}
"""Of each size of a question."""


def uneven(k: int) -> dict[str, NDArray[np.float64]]:
    """Shares of k values by name, in random order; towns are the most populous places of the United States."""
    sizes = {
        "even": np.ones(k),
        "Zipf": 1 / np.arange(1.0, k + 1),
        "two values": np.array([0.6, 0.4, *[0.0] * (k - 2)]),
        "towns": np.sort(us_places()[:, 2])[::-1][:k],
    }
    return {name: np.random.default_rng(11).permutation(own / own.sum()) for name, own in sizes.items()}


def rows() -> Iterator[tuple[str, ...]]:
    """Each size, epsilon, number of people and kind of shares, beside what peers fit."""
    with tempfile.TemporaryDirectory() as folder:
        cells = []
        for k, epsilon, n in product(SURVEYS, EPSILONS, (1_000, 10_000)):
            for name, shares in uneven(k).items():
                values = np.random.default_rng((k, n)).choice(k, (SURVEYS[k], n), p=shares)
                path = Path(folder) / f"{len(cells)}.npz"
                np.savez(path, values=values, shares=shares, epsilon=float(epsilon))
                cells.append((name, shares, epsilon, values, path))
        paths = [path for *_, path in cells]
        with (
            Peer("peer_multi_freq.py", "fit", *paths) as updating,
            Peer("peer_pure_ldp.py", "fit", *paths) as projected,
        ):
            for name, shares, epsilon, values, _ in cells:
                updating.seconds()
                projected.seconds()
                peers = {f"multi-freq-ldpy {method}": distance for method, distance in updating.result.items()}
                peers |= {f"pure-ldp {method}": distance for method, distance in projected.result.items()}
                yield beside_peers(name, shares, epsilon, values, peers)


def beside_peers(
    name: str, shares: NDArray[np.float64], epsilon: str, values: NDArray[np.int64], peers: dict[str, float]
) -> tuple[str, ...]:
    """One row: what is fitted to surveys of people who are drawn from the shares, their values of shape (surveys, n).

    Args:
        peers: total variation by method.
    """
    k, mechanism, (surveys, n) = len(shares), best_mechanism(len(shares), LDP(epsilon)), values.shape
    distances, taken = np.zeros(3), 0
    for seed, own in enumerate(values):
        people = np.bincount(own, minlength=k)
        tally = simulate_tally(mechanism, people, SimulationSource(k, n, seed))
        found, plain = estimate(mechanism, tally), estimate(mechanism, tally, "simplex")
        fits = (plain.fitted, found.fitted, knowing_shares(plain.value, plain.stderr, shares))
        distances += [total_variation(fit, shares) / surveys for fit in fits]
        taken += found.method == "empirical-bayes"
    best = min(peers, key=peers.__getitem__)
    nearest, fitted, least = distances.tolist()
    over = f"{fitted / peers[best]:.2f}" if peers[best] >= LEAST_DISTANCE else "-"
    return (
        f"{k:,} values, {name}, {n:,} people, epsilon {epsilon}",
        f"{nearest:.3f}",
        f"{fitted:.3f}",
        f"{fitted / nearest:.3f}",
        f"{taken} of {surveys}",
        f"{peers[best]:.3f} ({best})",
        over,
        f"{least:.3f}",
    )


LEAST_DISTANCE = 1e-3
"""Total variation: ratios to less say nothing."""


def knowing_shares(
    value: NDArray[np.float64], stderr: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Posterior means of shares, shape (k,), of which all is known but which value has which."""
    odds = -(((value[:, None] - shares) / stderr[:, None]) ** 2) / 2
    weights = np.exp(odds - odds.max(axis=1, keepdims=True))
    means = weights @ shares / weights.sum(axis=1)
    return means / means.sum()
