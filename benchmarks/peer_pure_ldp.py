"""pure-ldp at work; runs in the peers' environment."""

import sys
from collections.abc import Callable

import numpy as np
from pure_ldp.core.prob_simplex import project_probability_simplex
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

from pairs import serve


def hadamard(epsilon: float, k: int) -> tuple[HadamardResponseClient, HadamardResponseServer]:
    server = HadamardResponseServer(epsilon, k)
    return HadamardResponseClient(epsilon, k, server.get_hash_funcs()), server


PAIRS = {
    "HadamardResponse": hadamard,
    "UE": lambda epsilon, k: (UEClient(epsilon, k, use_oue=True), UEServer(epsilon, k, use_oue=True)),
    "LH": lambda epsilon, k: (LHClient(epsilon, k, use_olh=True), LHServer(epsilon, k, use_olh=True)),
}
"""Client and server; their values are 1..k."""


def privatize(k: str, n: str) -> Callable[[], None]:
    """Hadamard response of n values at epsilon 1."""
    client, _ = hadamard(1.0, int(k))
    values = np.random.default_rng(0).integers(1, int(k) + 1, int(n)).tolist()

    def work() -> None:
        for value in values:
            client.privatise(value)

    work()
    return work


def estimate(k: str, path: str) -> Callable[[], list[float]]:
    """All counts from a file of Hadamard response's reports at epsilon 1."""
    codes = np.load(path).tolist()
    domain = range(1, int(k) + 1)

    def work() -> list[float]:
        _, server = hadamard(1.0, int(k))
        server.aggregate_all(codes)
        return server.estimate_all(domain, suppress_warnings=True).tolist()

    return work


def decode(k: str, path: str) -> Callable[[], None]:
    """The same without the server's lists: its decoding of an array."""
    _, server = hadamard(1.0, int(k))
    codes = np.load(path).astype(np.int64)

    def work() -> None:
        server.hr.decode_string(codes, iffast=1, normalization=-1)

    return work


def simulate(name: str, k: str, epsilon: str, people: str, surveys: str) -> Callable[[], float]:
    """People times the mean squared error of a share, with values uniform."""
    client, server = PAIRS[name](float(epsilon), int(k))

    def work() -> float:
        errors = []
        for values in np.random.default_rng(0).integers(1, int(k) + 1, (int(surveys), int(people))).tolist():
            server.reset()
            server.aggregate_all([client.privatise(value) for value in values])
            counts = server.estimate_all(range(1, int(k) + 1), suppress_warnings=True)
            errors.append(np.mean((counts / int(people) - 1 / int(k)) ** 2))
        return float(int(people) * np.mean(errors))

    return work


MANY, MOST_SURVEYS = 1_000, 4
"""Values of which unary encoding is left out, and surveys at most: its lists take minutes."""


def fit(*paths: str) -> Callable[[], dict[str, float]]:
    """Mean total variation of estimates, projected to the simplex, from the shares, one file a call.

    A file holds epsilon, the true shares, and the values of the people of each survey.
    """
    files = iter(paths)

    def work() -> dict[str, float]:
        told, found = np.load(next(files)), {}
        k = len(told["shares"])
        for name in ("UE", "HadamardResponse") if k < MANY else ("HadamardResponse",):
            client, server = PAIRS[name](float(told["epsilon"]), k)
            distances = []
            for values in (told["values"][:MOST_SURVEYS] + 1).tolist():
                server.reset()
                server.aggregate_all([client.privatise(value) for value in values])
                counts = np.array(server.estimate_all(range(1, k + 1), suppress_warnings=True))
                shares = project_probability_simplex(counts / len(values))
                distances.append(np.abs(shares - told["shares"]).sum() / 2)
            found[f"{name}, simplex"] = float(np.mean(distances))
        return found

    return work


if __name__ == "__main__":
    tasks = {"fit": fit, "privatize": privatize, "estimate": estimate, "decode": decode, "simulate": simulate}
    serve(tasks[sys.argv[1]](*sys.argv[2:]))
