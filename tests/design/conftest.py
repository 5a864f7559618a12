"""Bounds to design for, all extreme rays of small cones by dense enumeration, and an exact checker of weights.

The witnesses share nothing with the package: rays by the rank of their tight bounds, e^E by its power series.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from sordino import Nats


def nats(matrix):
    """Bounds as the package reads them: Fractions or floats, infinity for a pair that is not protected."""
    return [[None if entry == np.inf else Nats.of(entry) for entry in row] for row in matrix]


def all_rays(floor):
    """Every extreme ray, largest entry 1: k - 1 independent bounds hold with equality, and all bounds hold."""
    k = len(floor)
    rows = [np.eye(k)[x] for x in range(k)]
    rows += [np.eye(k)[z] - floor[x, z] * np.eye(k)[x] for x in range(k) for z in range(k) if x != z and floor[x, z]]
    rows = np.array(rows)
    found = set()
    for chosen in combinations(rows, k - 1):
        _, sizes, basis = np.linalg.svd(np.array(chosen))
        if sizes[-1] < 1e-9:
            continue
        ray = basis[-1] * np.sign(basis[-1].sum())
        if (rows @ ray >= -1e-9).all():
            found.add(tuple(np.abs(np.round(ray / ray.max(), 8)).tolist()))
    return np.array(sorted(found))


def total_variance(channel, prior):
    """The summed n Var at the prior, of the estimates with the least variance: weighted least squares, written out."""
    law = prior @ channel
    root = np.sqrt(law)
    estimates = np.linalg.pinv((channel / root).T) / root
    return float(np.sum(law * estimates**2) - prior @ prior)


def least_variance(rays):
    """The least total variance at equal shares over the probabilities of all extreme rays, by another solver."""
    k = rays.shape[1]
    columns = rays.T / rays.mean(axis=1)
    # A solver may try weights so few that nothing is told of some values.
    least = 1e-12

    def total(weights):
        return np.trace(np.linalg.inv((columns * np.maximum(weights, least)) @ columns.T)) - 1 / k

    def slope(weights):
        return -np.sum(np.linalg.solve((columns * np.maximum(weights, least)) @ columns.T, columns) ** 2, axis=0)

    return minimize(
        total,
        np.maximum(np.linalg.lstsq(columns, np.ones(k))[0], 0.01),
        jac=slope,
        method="SLSQP",
        bounds=[(0, 1)] * len(rays),
        constraints={"type": "eq", "fun": lambda weights: columns @ weights - 1, "jac": lambda _: columns},
        options={"maxiter": 1000, "ftol": 1e-11},
    ).fun


def broken_bounds(weights, matrix, enclose):
    """The (x, x', column) at which integer weights are not proved to keep a bound, in exact fractions."""
    broken = []
    for x, row in enumerate(matrix):
        for z, bound in enumerate(row):
            if x == z or bound == np.inf:
                continue
            low, _ = enclose(Fraction(bound))
            broken += [(x, z, y) for y, weight in enumerate(weights[x]) if weight > low * weights[z][y]]
    return broken


def random_bounds(generator, k, unprotected):
    """Asymmetric bounds in 64ths of a nat, closed under paths, some pairs not protected."""
    matrix = [[Fraction(int(generator.integers(1, 250)), 64) for _ in range(k)] for _ in range(k)]
    for x in range(k):
        for z in range(k):
            if x == z:
                matrix[x][z] = Fraction(0)
            elif generator.random() < unprotected:
                matrix[x][z] = np.inf
    for y in range(k):
        for x in range(k):
            for z in range(k):
                # Infinity plus a Fraction would be a float: only finite paths are compared.
                if np.inf not in (matrix[x][y], matrix[y][z]):
                    matrix[x][z] = min(matrix[x][z], matrix[x][y] + matrix[y][z])
    return matrix


class Witness:
    """The functions of this file, for tests."""

    nats = staticmethod(nats)
    all_rays = staticmethod(all_rays)
    total_variance = staticmethod(total_variance)
    least_variance = staticmethod(least_variance)
    broken_bounds = staticmethod(broken_bounds)
    random_bounds = staticmethod(random_bounds)


@pytest.fixture(scope="session")
def witness():
    return Witness
