"""The worst variance of the mean of one number under the same guarantee, against published mechanisms and the floor."""

import math
from collections.abc import Iterator

import numpy as np

from sordino import Dependence, Nats, Query, estimate, sampled_mean
from sordino.design.numbers.least_variance import least_variance
from sordino.estimation.moment_estimator import MomentEstimator

TITLE = "The mean of one number"
NOTE = (
    "LDP at each epsilon, a number in [-1, 1]: the variance of the unbiased mean times the number of people (n Var), "
    "at the number for which it is largest. Ours is exact, from the plan's integers, and simulated at three numbers; a "
    "run stops where the simulation exceeds it by more than a tenth. The others are their papers' formulas: one bit "
    "(Duchi, Jordan and Wainwright), piecewise and hybrid (Wang et al. 2019), Laplace. The last column is over the "
    "proved bound that no unbiased way of asking is below."
)
HEADER = ("epsilon", "mechanism", "bits a report", "worst n Var", "simulated / largest", "over the floor")

PEOPLE = 100
SURVEYS = 2_000
TOLERANCE = 0.1
NUMBERS = (0.0, 0.45, 1.0)


def rows() -> Iterator[tuple[str, ...]]:
    for epsilon in ("0.5", "1", "2", "3", "4"):
        floor = least_variance(Nats.of(epsilon))
        if floor is None:
            raise SystemExit(f"no floor is proved at {epsilon}")
        asked = sampled_mean([epsilon], epsilon, Dependence.unknown(1)).queries[0]
        if not isinstance(asked, Query):
            raise SystemExit("one number is asked by one query")
        worst = float(MomentEstimator.of(asked).largest_variance()[0])
        name, bits = type(asked.mechanism).__name__, f"{asked.mechanism.code_bits}"
        ratio = max(simulated(asked, number) for number in NUMBERS) / worst
        if ratio > 1 + TOLERANCE:
            raise SystemExit(f"{name}: the simulated variance is {ratio:.3f} times its bound")
        yield epsilon, f"ours: {name}", bits, f"{worst:.4g}", f"{ratio:.3f}", f"{worst / floor:.3f}"
        for other, variance in others(float(epsilon)).items():
            yield epsilon, other, "1" if other == "one bit" else "-", f"{variance:.4g}", "-", f"{variance / floor:.3f}"


def simulated(asked: Query, number: float) -> float:
    people = np.full((PEOPLE, 1), number)
    means = [estimate(asked, asked.tally(asked.privatize(people))).value[0] for _ in range(SURVEYS)]
    return PEOPLE * float(np.mean((np.array(means) - number) ** 2))


def others(epsilon: float) -> dict[str, float]:
    """The largest variances of published mechanisms."""
    odds, root = math.exp(epsilon), math.exp(epsilon / 2)
    bit = ((odds + 1) / (odds - 1)) ** 2
    piecewise = 1 / (root - 1) + (root + 3) / (3 * (root - 1) ** 2)
    # Below .61 the mixture is one bit alone.
    hybrid = bit if epsilon <= 0.61 else (root + 3) / (3 * root * (root - 1)) + bit / root
    return {"one bit": bit, "piecewise": piecewise, "hybrid": hybrid, "Laplace": 8 / epsilon**2}
