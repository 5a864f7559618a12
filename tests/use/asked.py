"""What the table of use asks: surveys of every kind and promise, populations, and the true value of every row.

A population is a list of different records with their shares, so that what is true of it is a sum, and the codes of
any number of people are drawn from the channel's own distribution. Truths are worked out from the records alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

Table = dict[str, Any]
Record = dict[str, Any]

WIDE = 12
"""Categories of an attribute: enough for subsets, and few enough for every code to be listed."""

NAMES = [f"v{place}" for place in range(WIDE)]
NUMBER = {"number": {"low": 0, "high": 100}}
BINNED = {"number": {"low": 0, "high": 100, "bins": 20}}
POINTS = np.array([5.0 * place + 2.5 * (place % 2) for place in range(19)] + [100.0])
"""Edges and middles of bins, and both ends."""

MARKS = ["p", "q", "r", "s", "t", "u"]


@dataclass(frozen=True)
class Kind:
    """A kind of question.

    Attributes:
        attributes: the tables of what is asked.
        ask: the questions.
        forms: of these attributes how values are made of a place in 0..19: the population's shape is that of places.
    """

    attributes: Mapping[str, Table]
    ask: Sequence[Table]
    forms: Mapping[str, Callable[[int], Any]]


def _category(place: int) -> str:
    return NAMES[place * WIDE // 20]


def _turned(place: int) -> str:
    return "hjk"[(place * 7) % 20 % 3]


def _side(place: int) -> str:
    return "yes" if place * 3 % 20 < 7 else "no"


def _number(place: int) -> float:
    return float(POINTS[place])


def _other(place: int) -> float:
    return float(POINTS[(place * 11 + 3) % 20] / 2 + POINTS[place] / 2)


def _sometimes(place: int) -> float | None:
    return None if place % 5 == 4 else _number(place)


def _marks(place: int) -> list[str]:
    return [[], ["p"], ["q", "r"], ["s"], ["p", "u"]][place % 5]


def _asked(place: int) -> str | None:
    return "ijkl"[place % 4] if _side(place) == "yes" else None


CATEGORY = {"v": {"categories": NAMES}}
LINE = {"v": {"categories": WIDE, "protect": {"metric": {"per": 3}}}}
TREE = {"all": ["left", "right"], "left": NAMES[:6], "right": NAMES[6:]}
MATRIX = [["0", "1", "2"], ["2", "0", "1"], ["1", "1", "0"]]


def _protected(**protect: Any) -> Table:
    return {"v": {"categories": NAMES, "protect": protect}}


SHARES = [{"histogram": "v"}]
KINDS: dict[str, Kind] = {
    "shares": Kind(CATEGORY, SHARES, {"v": _category}),
    "shares of two values": Kind({"w": {"categories": ["yes", "no"]}}, [{"histogram": "w"}], {"w": _side}),
    "shares in blocks": Kind(_protected(blocks=[NAMES[:4], NAMES[4:8], NAMES[8:]]), SHARES, {"v": _category}),
    "shares, some sensitive": Kind(_protected(sensitive=NAMES[:3]), SHARES, {"v": _category}),
    "shares on a line": Kind(LINE, SHARES, {"v": lambda place: place * WIDE // 20}),
    "shares on a tree": Kind(_protected(metric={"tree": TREE}), SHARES, {"v": _category}),
    "shares under a matrix": Kind(
        {"v": {"categories": ["h", "j", "k"], "protect": {"matrix": MATRIX}}}, SHARES, {"v": _turned}
    ),
    "table": Kind(
        {"v": {"categories": ["h", "j", "k"]}, "w": {"categories": ["yes", "no"]}},
        [{"table": ["v", "w"]}],
        {"v": _turned, "w": _side},
    ),
    "two tables": Kind(
        {
            "v": {"categories": ["h", "j", "k"]},
            "w": {"categories": ["yes", "no"]},
            "z": {"categories": ["i", "j", "k", "l"], "missing": "l"},
        },
        [{"table": ["v", "w"]}, {"table": ["v", "z"]}],
        {"v": _turned, "w": _side, "z": lambda place: _asked(place) or "l"},
    ),
    "mean": Kind({"n": NUMBER}, [{"mean": ["n"]}], {"n": _number}),
    "mean, some missing": Kind({"n": {**NUMBER, "missing": "0.2"}}, [{"mean": ["n"]}], {"n": _sometimes}),
    "two means": Kind({"n": NUMBER, "m": NUMBER}, [{"mean": ["n", "m"]}], {"n": _number, "m": _other}),
    "means under deltas": Kind(
        {"n": {**NUMBER, "delta": "1/2"}, "m": NUMBER}, [{"mean": ["n", "m"]}], {"n": _number, "m": _other}
    ),
    "covariance": Kind({"n": NUMBER, "m": NUMBER}, [{"covariance": ["n", "m"]}], {"n": _number, "m": _other}),
    "regression": Kind(
        {"n": NUMBER, "m": NUMBER},
        [{"regression": {"target": "m", "features": ["n"]}}],
        {"n": _number, "m": _other},
    ),
    "regression on a category": Kind(
        {"m": NUMBER, "w": {"categories": ["yes", "no"]}},
        [{"regression": {"target": "m", "features": ["w"]}}],
        {"m": _other, "w": _side},
    ),
    "distribution": Kind({"n": BINNED}, [{"distribution": "n"}], {"n": _number}),
    "ranges and quantiles": Kind(
        {"n": BINNED},
        [{"distribution": "n", "ranges": [[0, 25], [25, 100]], "quantiles": [0.25, 0.5]}],
        {"n": _number},
    ),
    "distribution, some missing": Kind(
        {"n": {**BINNED, "missing": "0.2"}}, [{"distribution": "n", "ranges": [[0, 50]]}], {"n": _sometimes}
    ),
    "above": Kind({"n": NUMBER}, [{"above": "n", "threshold": 40}], {"n": _number}),
    "several": Kind({"s": {"categories": MARKS, "several": 2}}, [{"several": "s"}], {"s": _marks}),
    "asked of some": Kind(
        {"w": {"categories": ["yes", "no"]}, "z": {"categories": ["i", "j", "k", "l"], "only_if": {"w": "yes"}}},
        [{"histogram": "z"}, {"histogram": "w"}],
        {"w": _side, "z": _asked},
    ),
    "mean and distribution": Kind({"n": BINNED}, [{"mean": "n"}, {"distribution": "n"}], {"n": _number}),
}

EPSILONS = ("0.1", "0.5", "1", "3", "6", "8", "10", "12")
REPORTS = (30, 300, 3_000, 300_000, 10_000_000)


def _falling() -> np.ndarray:
    shares = 0.8 ** np.arange(20)
    return shares / shares.sum()


def _at(**shares: float) -> np.ndarray:
    found = np.zeros(20)
    for place, share in shares.items():
        found[int(place[1:])] = share
    return found


POPULATIONS: dict[str, np.ndarray] = {
    "even": np.full(20, 1 / 20),
    "falling": _falling(),
    "two values": _at(p0=0.5, p19=0.5),
    "one value": _at(p7=1.0),
    "spike": _at(p1=0.97, p18=0.03),
}
OPTIONS = ("alone", "simultaneous", "groups", "weights", "accuracy")
GROUPS = ("north", "south")
SIZES = {"north": 5 / 6, "south": 1 / 6}
WEIGHTS = {"north": 2.0, "south": 5.0}


@dataclass(frozen=True)
class People:
    """Different records, a value for each attribute, and the shares of people who have each.

    Attributes:
        groups: of each public group, or of everybody under None.
        later: of everybody at another survey.
        are_strata: whether as many of each group are asked as was planned, which weights by the design rest on.
    """

    records: Sequence[Record]
    groups: Mapping[str | None, np.ndarray]
    later: np.ndarray
    are_strata: bool

    def mixed(self, weights: Mapping[str, float] | None = None) -> np.ndarray:
        """Of all groups, whose reports count so much each."""
        if None in self.groups:
            return self.groups[None]
        parts = {group: size * (weights[group] if weights else 1.0) for group, size in SIZES.items()}
        return sum(part * self.groups[group] for group, part in parts.items()) / sum(parts.values())

    @property
    def are_alike(self) -> bool:
        """Whether all groups are."""
        first, *others = self.groups.values()
        return all(np.array_equal(first, other) for other in others)


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    kind: str
    epsilon: str
    reports: int
    population: str
    option: str

    def __str__(self) -> str:
        return f"{self.kind}, epsilon {self.epsilon}, {self.reports} reports, {self.population}, {self.option}"

    @property
    def survey(self) -> Table:
        """Its tables, as TOML gives them."""
        kind = KINDS[self.kind]
        top: Table = {"version": 1, "epsilon": self.epsilon, "attribute": dict(kind.attributes), "ask": list(kind.ask)}
        if "deltas" in self.kind:
            top["dependence"] = {"rest": 0.1}
        if self.option in ("groups", "weights"):
            weights = {"weights": WEIGHTS} if self.option == "weights" else {}
            top["public"] = {"g": {"categories": list(GROUPS)} | weights}
        return top

    @property
    def people(self) -> People:
        """In the south, and later, places are turned around."""
        shares = POPULATIONS[self.population]
        places = np.flatnonzero(shares + shares[::-1])
        made = [{name: form(int(place)) for name, form in KINDS[self.kind].forms.items()} for place in places]
        here, turned = shares[places], shares[::-1][places]
        grouped = self.option in ("groups", "weights")
        groups = dict(zip(GROUPS, (here, turned), strict=True)) if grouped else {None: here}
        return People(made, groups, turned, self.option == "weights")


def covering(first: Sequence[Row] = ()) -> list[Row]:
    """Rows of which every two settings of two columns stand together in one, those with most new ones first."""
    columns = (tuple(KINDS), EPSILONS, REPORTS, tuple(POPULATIONS), OPTIONS)
    random = np.random.default_rng(38)
    open_pairs = {
        ((one, first_value), (other, second_value))
        for one, other in ((i, j) for i in range(5) for j in range(i + 1, 5))
        for first_value, second_value in product(columns[one], columns[other])
    }
    rows: list[Row] = []

    def pairs(values: Sequence[Any]) -> set[Any]:
        return {((i, values[i]), (j, values[j])) for i in range(5) for j in range(i + 1, 5)}

    def take(values: Sequence[Any]) -> None:
        rows.append(Row(*values))
        open_pairs.difference_update(pairs(values))

    for row in first:
        take((row.kind, row.epsilon, row.reports, row.population, row.option))
    while open_pairs:
        # Sorted, since the order of a set is that of the process.
        ordered = sorted(open_pairs, key=str)
        best, most = None, 0
        for _ in range(60):
            values = [column[random.integers(len(column))] for column in columns]
            for place, value in ordered[random.integers(len(ordered))]:
                values[place] = value
            if (new := len(pairs(values) & open_pairs)) > most:
                best, most = values, new
        assert best is not None
        take(best)
    return rows


KNOWN = [
    # Where faults were found once: fourth powers of 64-bit integers, and singular matrices.
    Row("mean", "3", 300_000, "falling", "alone"),
    Row("mean", "1", 10_000_000, "spike", "groups"),
    Row("two means", "0.5", 300_000, "even", "simultaneous"),
    Row("mean", "8", 3_000, "falling", "alone"),
    Row("mean, some missing", "8", 300_000, "two values", "alone"),
    Row("mean and distribution", "8", 3_000, "falling", "alone"),
    Row("table", "10", 300, "spike", "alone"),
    Row("covariance", "10", 300, "spike", "alone"),
    Row("asked of some", "10", 300, "spike", "alone"),
]

ROWS = covering(KNOWN)
"""All rows of the table, the known ones first."""
