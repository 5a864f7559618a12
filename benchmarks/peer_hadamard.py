"""Seconds that pure-ldp's Hadamard response takes to privatize n values of k; runs in the peers' environment."""

import sys
from time import perf_counter

import numpy as np
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer


def main() -> None:
    k, n = int(sys.argv[1]), int(sys.argv[2])
    server = HadamardResponseServer(1.0, k)
    client = HadamardResponseClient(1.0, k, server.get_hash_funcs())
    values = np.random.default_rng(0).integers(0, k, n).tolist()
    start = perf_counter()
    for value in values:
        client.privatise(value + 1)
    print((perf_counter() - start) / n)


if __name__ == "__main__":
    main()
