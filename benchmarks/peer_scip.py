"""SCIP's global optimum of the probability of ten answers: in the peers' environment, fed by bounding.py."""

import json
import sys
from pathlib import Path

from pyscipopt import Model, exp, log

from pairs import serve

TASKS = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
LIMIT = float(sys.argv[2])
"""Seconds for one extremum."""


def extremum(task: dict, sense: str) -> tuple[float, float]:
    """The best value found and the bound on it."""
    model = Model()
    model.hideOutput()
    model.setParam("limits/absgap", task["tolerance"] / 2)
    model.setParam("limits/time", LIMIT)
    x = [model.addVar(lb=-1, ub=1) for _ in range(task["d"])]
    terms = []
    for theta, intercept, factor, output in task["queries"]:
        statistic = sum(c * v for c, v in zip(theta, x, strict=True)) + intercept
        upper = (1 + (factor - 1) / (1 + exp(-statistic))) / (factor + 1)
        terms.append(log(upper if output else 1 - upper))
    height = model.addVar(lb=None, ub=None)
    total = sum(terms)
    model.addCons(height <= total if sense == "maximize" else height >= total)
    model.setObjective(height, sense)
    model.optimize()
    return model.getObjVal(), model.getDualbound()


def work() -> list[list[float]]:
    """For each task the lower and the upper bound on the loss."""
    found = []
    for task in TASKS:
        (best, above), (worst, below) = (extremum(task, sense) for sense in ("maximize", "minimize"))
        found.append([best - worst, above - below])
    return found


if __name__ == "__main__":
    serve(work)
