"""multi-freq-ldpy at work; runs in the peers' environment."""

import sys
from collections.abc import Callable
from math import exp

import numpy as np
from multi_freq_ldpy.estimators.Histogram_estimator import IBU, MI
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.HE import HE_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

from pairs import serve

CLIENTS = {"GRR": GRR_Client, "UE": UE_Client, "SS": SS_Client, "HE": HE_Client, "LH": LH_Client}


def privatize(name: str, k: str, n: str) -> Callable[[], None]:
    """n values at epsilon 1; compiled before."""
    client, size = CLIENTS[name], int(k)
    values = np.random.default_rng(0).integers(0, size, int(n)).tolist()

    def work() -> None:
        for value in values:
            client(value, size, 1.0)

    work()
    return work


def hit_and_miss(name: str, k: int, epsilon: float) -> tuple[float, float]:
    """How often a report supports its own value, and another: what the library's estimators invert with."""
    if name == "UE":
        return 1 / 2, 1 / (exp(epsilon) + 1)
    size = int(max(1, np.rint(k / (exp(epsilon) + 1))))
    rest = size * exp(epsilon) + k - size
    return size * exp(epsilon) / rest, ((size - 1) * size * exp(epsilon) + (k - size) * size) / ((k - 1) * rest)


def simulate(name: str, k: str, epsilon: str, people: str, surveys: str) -> Callable[[], float]:
    """People times the mean squared error of a share, with values uniform."""
    client, size, n = CLIENTS[name], int(k), int(people)
    hit, miss = hit_and_miss(name, size, float(epsilon))

    def count(reports: list[np.ndarray]) -> np.ndarray:
        return np.sum(reports, axis=0) if name == "UE" else np.bincount(np.concatenate(reports), minlength=size)

    def work() -> float:
        errors = []
        for values in np.random.default_rng(0).integers(0, size, (int(surveys), n)).tolist():
            counts = count([client(value, size, float(epsilon)) for value in values])
            errors.append(np.mean(((counts / n - miss) / (hit - miss) - 1 / size) ** 2))
        return float(n * np.mean(errors))

    return work


STEPS, MORE_STEPS, MANY = (1, 3, 10, 30, 100, 300, 1_000, 3_000), (10_000,), 1_000
"""Of the iterative Bayesian update; the most of fewer values than `MANY` alone."""


def fit(*paths: str) -> Callable[[], dict[str, float]]:
    """Mean total variation of each fit to reports of subset selection from the shares, one file a call.

    A file holds epsilon, the true shares, and the values of the people of each survey.
    """
    files = iter(paths)

    def work() -> dict[str, float]:
        told, found = np.load(next(files)), dict[str, list[float]]()
        size, epsilon = len(told["shares"]), float(told["epsilon"])
        hit, miss = hit_and_miss("SS", size, epsilon)
        matrix = np.where(np.eye(size) > 0, hit, miss)
        for values in told["values"].tolist():
            counts = np.bincount(np.concatenate([SS_Client(value, size, epsilon) for value in values]), None, size)
            fits = {"MI": MI(counts.astype(float), len(values), hit, miss)}
            for steps in STEPS + (MORE_STEPS if size < MANY else ()):
                fits[f"IBU, {steps:,} steps"] = IBU(size, matrix, counts / counts.sum(), steps, 1e-12, "max_abs")
            for name, shares in fits.items():
                found.setdefault(name, []).append(float(np.abs(shares - told["shares"]).sum()) / 2)
        return {name: float(np.mean(each)) for name, each in found.items()}

    return work


if __name__ == "__main__":
    tasks = {"privatize": privatize, "simulate": simulate, "fit": fit}
    serve(tasks[sys.argv[1]](*sys.argv[2:]))
