"""multi-freq-ldpy at work; runs in the peers' environment."""

import sys
from collections.abc import Callable
from math import exp

import numpy as np
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


if __name__ == "__main__":
    tasks = {"privatize": privatize, "simulate": simulate}
    serve(tasks[sys.argv[1]](*sys.argv[2:]))
