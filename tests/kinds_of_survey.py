"""Surveys of every kind that can be asked, of any size, with people to answer them: for sweeps and growth."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

Survey = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A kind of survey.

    Attributes:
        attributes: the tables of the attributes at a size.
        ask: what is asked of them at a size.
        most, least: sizes that make sense, or can be planned.
        epsilon: of the survey.
    """

    attributes: Callable[[int], dict[str, Survey]]
    ask: Callable[[int], list[Survey]]
    most: int = 3500
    least: int = 2
    epsilon: str = "1"

    def survey(self, size: int) -> Survey:
        """The survey's tables."""
        return {"version": 1, "epsilon": self.epsilon, "attribute": self.attributes(size), "ask": self.ask(size)}

    def people(self, size: int, n: int, generator: np.random.Generator) -> dict[str, list[Any]]:
        """A column for each attribute, few of whose values are frequent."""
        return {name: _column(table, n, generator) for name, table in self.attributes(size).items()}

    @staticmethod
    def toml(survey: Survey) -> str:
        """The survey as a file has it."""
        lines = [f"version = 1\nepsilon = {json.dumps(survey['epsilon'])}"]
        for name, table in survey["attribute"].items():
            lines += [f"[attribute.{name}]", *(f"{key} = {_inline(value)}" for key, value in table.items())]
        for ask in survey["ask"]:
            lines += ["[[ask]]", *(f"{key} = {_inline(value)}" for key, value in ask.items())]
        return "\n".join(lines) + "\n"


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_inline(own)}" for key, own in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value)


def _column(table: Survey, n: int, generator: np.random.Generator) -> list[Any]:
    if "number" in table:
        return (table["number"]["low"] + 3 * generator.beta(2, 5, n)).round(3).tolist()
    labels = table["categories"]
    labels = [str(value) for value in range(labels)] if isinstance(labels, int) else labels
    places = np.minimum(generator.pareto(1.0, n) * len(labels) / 10, len(labels) - 1).astype(int)
    return [labels[place] for place in places.tolist()]


def _values(protect: Callable[[int], Survey] | None = None) -> Callable[[int], dict[str, Survey]]:
    return lambda k: {"value": {"categories": k} | ({} if protect is None else {"protect": protect(k)})}


def _numbers(d: int) -> dict[str, Survey]:
    return {f"x{place}": {"number": {"low": 0, "high": 3}} for place in range(d)}


def _categories(d: int) -> dict[str, Survey]:
    return {f"c{place}": {"categories": 5} for place in range(d)}


def _tree(k: int) -> Survey:
    labels = [str(value) for value in range(k)]
    groups = {f"g{first}": labels[first : first + 10] for first in range(0, k, 10)}
    return {"metric": {"tree": {"all": [*groups], **groups}}}


def _matrix(k: int) -> Survey:
    drawn = np.random.default_rng(1).uniform(0.5, 3, (k, k)).round(2)
    rows = np.where(np.eye(k, dtype=bool), 0, (drawn + drawn.T) / 2).round(3)
    return {"matrix": [[str(bound) for bound in row] for row in rows.tolist()]}


def _one(kind: str) -> Callable[[int], list[Survey]]:
    return lambda _: [{kind: "value"}]


HISTOGRAM = _one("histogram")
KINDS: dict[str, Asked] = {
    "histogram": Asked(_values(), HISTOGRAM),
    "histogram, blocks of 25": Asked(_values(lambda k: {"blocks": min(k, 25)}), HISTOGRAM),
    "histogram, a fifth sensitive": Asked(_values(lambda k: {"sensitive": [*range(1 + k // 5)]}), HISTOGRAM),
    "histogram on a line": Asked(_values(lambda _: {"metric": {"per": 2}}), HISTOGRAM),
    "histogram on a tree": Asked(_values(_tree), HISTOGRAM),
    "histogram under a matrix": Asked(_values(_matrix), HISTOGRAM, most=128, least=3),
    "two histograms": Asked(
        lambda k: {"value": {"categories": k}, "other": {"categories": k}},
        lambda _: [{"histogram": "value"}, {"histogram": "other"}],
    ),
    "many histograms of 5": Asked(_categories, lambda d: [{"histogram": f"c{place}"} for place in range(d)], most=500),
    "a table of k x 5": Asked(
        lambda k: {"value": {"categories": k}, "five": {"categories": 5}}, lambda _: [{"table": ["value", "five"]}]
    ),
    "tables of all pairs of attributes of 5": Asked(
        _categories,
        lambda d: [{"table": [f"c{one}", f"c{other}"]} for one, other in combinations(range(d), 2)],
        most=30,
    ),
    "distribution in bins": Asked(
        lambda k: {"value": {"number": {"low": 0, "high": 3.5, "bins": k}}}, _one("distribution"), most=1300
    ),
    "means": Asked(_numbers, lambda d: [{"mean": [*_numbers(d)]}], most=500),
    "means under deltas": Asked(
        lambda d: {name: table | {"delta": "1/2"} for name, table in _numbers(d).items()},
        lambda d: [{"mean": [*_numbers(d)]}],
        most=500,
    ),
    "covariance": Asked(_numbers, lambda d: [{"covariance": [*_numbers(d)]}], most=80),
    "regression": Asked(
        _numbers,
        lambda d: [{"regression": {"target": "x0", "features": [f"x{place}" for place in range(1, d)]}}],
        most=80,
        epsilon="4",
    ),
    "regression on a category": Asked(
        lambda k: {"x0": _numbers(1)["x0"], "value": {"categories": k}},
        lambda _: [{"regression": {"target": "x0", "features": ["value"]}}],
        most=80,
        epsilon="4",
    ),
}
