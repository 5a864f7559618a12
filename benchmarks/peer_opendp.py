"""opendp's randomized response at work; runs in the peers' environment."""

import sys
from math import exp

import numpy as np
import opendp.prelude as dp

from pairs import serve


def main(k: int, n: int) -> None:
    """n values at epsilon 1, one call each: it takes no arrays."""
    dp.enable_features("contrib")
    release = dp.m.make_randomized_response(list(range(k)), exp(1) / (exp(1) + k - 1))
    values = np.random.default_rng(0).integers(0, k, n).tolist()

    def work() -> None:
        for value in values:
            release(value)

    work()
    serve(work)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
