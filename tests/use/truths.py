"""What is true of a population, by the words of a row: from the records and their shares alone."""

from math import nan
from typing import Any

import numpy as np
from asked import MARKS, WEIGHTS, People

Tidy = dict[str, Any]


class Truths:
    """Of some people.

    Args:
        people: whose they are.
        shares: of the people who have each record; of all groups by default.
    """

    def __init__(self, people: People, shares: np.ndarray | None = None) -> None:
        self.people, self.records = people, people.records
        self.shares = people.mixed() if shares is None else shares
        self.kinds: dict[tuple[Any, ...], str] = {}

    def note(self, rows: list[Tidy]) -> None:
        """Remember of which kind the numbers are that groups differ in."""
        for row in rows:
            if row["minus"] is None:
                self.kinds.setdefault(_name(row), row["kind"])

    def share(self, holds) -> float:
        return float(sum(share for record, share in zip(self.records, self.shares, strict=True) if holds(record)))

    def numbers(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Of who has it: the values and their shares."""
        have = [(r[name], s) for r, s in zip(self.records, self.shares, strict=True) if r[name] is not None]
        values, shares = np.array(have).T if have else (np.zeros(0), np.zeros(0))
        return values, shares / shares.sum() if len(shares) else shares

    def of(self, row: Tidy) -> tuple[float, float]:
        """The least and the largest that is true of a row: equal, but where a quantile is any number between two.

        Of a number of a group, its people count; of weighted numbers the groups by their weights.
        """
        if row["kind"] == "group difference":
            one = row | {"kind": self.kinds[_name(row)], "minus": None}
            others = [name for name in self.people.groups if name != row["group"]]
            (low, high), (least, most) = (self.of(one | {"group": name}) for name in (row["group"], *others))
            return low - most, high - least
        own = self
        if row["group"] is not None:
            own = Truths(self.people, self.people.groups[row["group"]])
        elif row["kind"] == "weighted":
            own = Truths(self.people, self.people.mixed(WEIGHTS))
        found = own._of(row)
        return found if isinstance(found, tuple) else (found, found)

    def _of(self, row: Tidy) -> float | tuple[float, float]:  # noqa: C901, PLR0911, PLR0912  # a case a kind of row
        kind, name, term = row["kind"], row["attribute"], row["term"]
        if kind in ("equality", "association"):
            return nan
        match kind:
            case "share" | "margin" | "weighted" | "pooled" if self._is_category(name):
                return self.share(lambda r: self._label(r, name) == term)
            case "share" if ": " in term:
                return self.share(lambda r: self._label(r, term.partition(": ")[0]) == term.partition(": ")[2])
            case "share" | "weighted" if name == "s" and term.startswith("at least "):
                return self.share(lambda r: len(r["s"]) >= int(term.split()[2]))
            case "share" | "weighted" if name == "s":
                return self.share(lambda r: term in r["s"] if term in MARKS else not r["s"])
            case "share" | "weighted" if " from " in name:
                number, _, threshold = name.partition(" from ")
                above = self.share(lambda r: r[number] >= float(threshold))
                return above if term.endswith("and above") else 1 - above
            case "weighted" if "missing" in term:
                return self.share(lambda r: r["n"] is None)
            case "cell" | "weighted" if ", " in name and " of " not in name:
                names, values = name.split(", "), term.split(", ")
                return self.share(lambda r: [self._label(r, one) for one in names] == values)
            case "conditional" if term.endswith(", if asked"):
                own = self.share(lambda r: r[name] is not None)
                value = term.removesuffix(", if asked")
                return self.share(lambda r: r[name] == value) / own if own else nan
            case "conditional":
                return self._within(name, term, row["given"], row["within"])
            case "difference":
                one, other = (self._within(name, term, row["given"], row[part]) for part in ("within", "minus"))
                return one - other
            case "missing" | "complete":
                lacking = self.share(lambda r: r["n"] is None)
                return 1 - lacking if kind == "complete" else lacking
            case "bin" | "range" | "part":
                return self._bin(name, term)
            case "weighted" if " to " in term:
                return self._bin(name, term)
            case "quantile":
                return self._quantile(name, float(term.removeprefix("quantile ")))
            case "sd" | "weighted" if term == "standard deviation":
                values, shares = self.numbers(name)
                return float(np.sqrt(shares @ (values - values @ shares) ** 2)) if len(values) else nan
            case "mean" | "pooled" | "weighted" if kind == "mean" or not name.startswith(("covariance", "regression")):
                values, shares = self.numbers(term if term in self.records[0] else name)
                return float(values @ shares) if len(values) else nan
            case "covariance" | "weighted" if name.startswith("covariance"):
                one, _, other = term.partition(", ")
                return self._covariance(one, other or one)
            case "coefficient" | "weighted":
                return self._coefficient(row)
        raise AssertionError(f"no truth of {row}")

    def _bin(self, name: str, term: str) -> float:
        low, high = map(float, term.split(" to "))
        values, shares = self.numbers(name)
        return float(shares[(values >= low) & ((values < high) | (high == 100))].sum()) if len(values) else nan

    def _is_category(self, name: str) -> bool:
        return (
            name in self.records[0]
            and not isinstance(self.records[0][name], float | list)
            and name not in ("n", "m", "s")
        )

    def _label(self, record: dict[str, Any], name: str) -> str:
        value = record[name]
        return "not asked" if value is None else str(value)

    def _within(self, name: str, term: str, given: str, value: str) -> float:
        whole = self.share(lambda r: self._label(r, given) == value)
        both = self.share(lambda r: self._label(r, given) == value and self._label(r, name) == term)
        return both / whole if whole else nan

    def _quantile(self, name: str, part: float) -> tuple[float, float]:
        """The edges of the bins in which it can lie."""
        values, shares = self.numbers(name)
        order = np.argsort(values)
        below = np.cumsum(shares[order])
        first = values[order][np.searchsorted(below, part - 1e-9)]
        last = values[order][min(np.searchsorted(below, part + 1e-9), len(values) - 1)]
        return 5 * min(first // 5, 19), 5 * min(last // 5, 19) + 5

    def _covariance(self, one: str, other: str) -> float:
        both = np.array([[r[one], r[other]] for r in self.records], dtype=np.float64)
        means = self.shares @ both
        return float(self.shares @ ((both[:, 0] - means[0]) * (both[:, 1] - means[1])))

    def _coefficient(self, row: Tidy) -> float:
        feature = "n" if "n" in self.records[0] else "w"
        values = [r[feature] if feature == "n" else float(r["w"] == "no") for r in self.records]
        columns = np.column_stack([np.ones(len(values)), values])
        target = np.array([r["m"] for r in self.records])
        root = np.sqrt(self.shares)
        found, _, rank, _ = np.linalg.lstsq(columns * root[:, None], target * root, rcond=None)
        if rank < 2:
            return nan
        return float(found[0 if row["term"] == "intercept" else 1])


def _name(row: Tidy) -> tuple[Any, ...]:
    return tuple(row[word] for word in ("question", "attribute", "term", "given", "within"))
