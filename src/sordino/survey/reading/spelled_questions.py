"""The questions of a survey in natural spellings, read into the settings that they declare.

histogram = "recommend"                                 # distribution
ranges = [[0, 6], [9, 10]]                              # [[-0.5, 6.5], [8.5, 10.5]]
by = "region"                                           # nothing to ask: every report shows it
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sordino.document.schema.nearest import nearest
from sordino.domain.bins import HALF
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.reading.ask_table import WORDS
from sordino.survey.reading.declared_tables import DeclaredTables, rename_settings
from sordino.survey.reading.spelled_attribute import is_dated
from sordino.survey.reading.survey_dates import as_dates

ASK_WORDS = {
    **dict.fromkeys(("share", "shares", "frequency", "frequencies", "counts"), "histogram"),
    **dict.fromkeys(("average", "averages", "means"), "mean"),
    **dict.fromkeys(("crosstab", "cross", "joint"), "table"),
    "group_by": "by",
}
"""Words for a question's settings, each with the declared one or one of `ASK_SPELLINGS`."""

QUANTILES = {"median": [0.5], "quartiles": [0.25, 0.5, 0.75]}
"""Words for a distribution of which quantiles are asked."""

ASK_SPELLINGS = ("question", "attribute", *QUANTILES, "by")
"""Further settings of a question that stand for declared ones."""


class SpelledQuestions:
    """The questions of a survey while their spellings are read.

    Attributes:
        read: what is read so far; the attributes stand in their declared form.
    """

    def __init__(self, read: DeclaredTables) -> None:
        self.read, self.scales = read, read.scales
        self.attributes: Mapping[str, Any] = read.tables["attribute"]
        public = read.tables.get("public")
        self.public: Mapping[str, Any] = public if isinstance(public, dict) else {}

    def read_all(self) -> None:
        """Put each question into its declared form, or several."""
        asks: list[Any] = []
        for i, given in enumerate(self.read.tables["ask"]):
            own = self._questions(f"ask.{i}", dict(given)) if isinstance(given, dict) else [given]
            asks += own
            self.read.asked_at += [i] * len(own)
        # Nothing more is said about questions that were none.
        self.read.tables["ask"] = asks or [{"histogram": name} for name in [*self.attributes][:1]]

    def _wrong(self, where: str, rule: str, found: str, step: str) -> None:
        self.read.mistakes.append(SordinoError(f"{where} {rule}", found=found, step=step))

    def _questions(self, where: str, ask: dict[str, Any]) -> list[dict[str, Any]]:
        before = len(self.read.mistakes)
        rename_settings(f"{where}.", ask, ASK_WORDS, self.read.mistakes)
        for word in [word for word in ("question", "attribute") if word in ask]:
            self._name_kind(where, word, ask)
        if "epsilon" in ask:
            found = shown(ask.pop("epsilon"))
            step = f'write protect = {{ epsilon = "{found.strip(chr(39))}" }} there, or delta in a survey with deltas'
            self._wrong(f"{where}.epsilon", "must stand at the attribute that it protects", found, step)
        for quantile in [word for word in QUANTILES if word in ask]:
            given, asked = ask.pop(quantile), QUANTILES[quantile]
            if {"distribution", "quantiles"} & ask.keys():
                step = f'write distribution = "NAME" with quantiles = {asked}, among others'
                self._wrong(f"{where}.{quantile}", "must not stand beside a distribution", shown(given), step)
            else:
                ask |= {"distribution": given, "quantiles": asked}
        self._read_parts(where, ask)
        by = ask.pop("by", None)
        if "table" in ask and isinstance(ask["table"], list):
            self._leave_public_out(where, ask)
        if len(self.read.mistakes) > before and not any(word in ask for word in WORDS):
            return []
        names = [] if by is None else by if isinstance(by, list) else [by]
        asks = self._each(ask, by_protected=any(name not in self.public for name in map(str, names)))
        if by is not None:
            asks = [one for ask in asks if (one := self._group_question(where, ask, names))]
        return [self._of_kind(one) for one in asks]

    def _read_parts(self, where: str, ask: dict[str, Any]) -> None:
        """Ranges have no names, and quantiles are those of a distribution."""
        ranges, quantiles = ask.get("ranges"), ask.get("quantiles")
        if isinstance(ranges, dict):
            step = f"write ranges = {[*ranges.values()]}"
            self._wrong(f"{where}.ranges", "must be a list: ranges have no names", shown(ask.pop("ranges")), step)
        if isinstance(quantiles, str):
            step = f'write distribution = "{quantiles}" and quantiles = [0.25, 0.5, 0.75]'
            self._wrong(f"{where}.quantiles", "must be numbers beside a distribution", shown(quantiles), step)
            ask |= {"distribution": quantiles, "quantiles": [0.5]}

    def _name_kind(self, where: str, word: str, ask: dict[str, Any]) -> None:
        """A question that only names an attribute asks for its shares; of a number it could ask for two things."""
        name = ask.pop(word)
        if any(kind in ask for kind in WORDS):
            step = f"leave {word} out: what is asked names its attribute"
            self._wrong(f"{where}.{word}", "must stand alone", shown(name), step)
            return
        table = self.attributes.get(name) if isinstance(name, str) else None
        if isinstance(table, dict) and "number" in table and name not in self.scales:
            step = f'write mean = "{name}", or distribution = "{name}"'
            self._wrong(f"{where}.{word}", "must say what is asked of a number", shown(name), step)
            ask["mean"] = name
        elif table is None and isinstance(name, str) and name not in self.public:
            step = 'write [attribute.NAME] with text = "...", and here histogram = "NAME"'
            found = shown(name) + nearest([name], [*self.attributes])
            self._wrong(f"{where}.{word}", "must name an attribute", found, step)
        else:
            ask["histogram"] = name

    def _each(self, ask: dict[str, Any], *, by_protected: bool) -> list[dict[str, Any]]:
        """A question of each attribute that is listed, where a kind is about one; public ones are there anyway."""
        for word in ("histogram", "several", "distribution", *(("mean",) if by_protected else ())):
            if isinstance(ask.get(word), list) and ask[word]:
                names = [name for name in ask[word] if not (isinstance(name, str) and name in self.public)]
                return [{**ask, word: name} for name in names or ask[word]]
        return [ask]

    def _leave_public_out(self, where: str, ask: dict[str, Any]) -> None:
        """A table by a public column is about the others: every report shows which group it is of."""
        names = [name for name in ask["table"] if not (isinstance(name, str) and name in self.public)]
        if len(names) == len(ask["table"]):
            return
        del ask["table"]
        if len(names) == 1:
            ask["histogram"] = names[0]
        elif names:
            ask["table"] = names
        else:
            step = "leave the question out: `sordino.estimate` has its groups (`by`)"
            self._wrong(f"{where}.table", "must be about what is not public", "public columns alone", step)

    def _group_question(self, where: str, ask: dict[str, Any], names: Sequence[Any]) -> dict[str, Any] | None:
        """A question by groups: by public ones it is itself, by protected ones a table."""
        known = {**self.attributes, **self.public}
        if unknown := [name for name in names if not isinstance(name, str) or name not in known]:
            found = shown(unknown[0]) + nearest([str(unknown[0])], [*known])
            step = (
                'write by = "region", and [attribute.region] with its categories, and public = true if it may be known'
            )
            self._wrong(f"{where}.by", "must name a public column, or an attribute", found, step)
            return ask
        protected = [name for name in names if name not in self.public]
        if not protected:
            return ask
        of = ask.get("histogram")
        table = [of] if isinstance(of, str) else ask.get("table")
        if isinstance(table, list) and not any(name in table or name in protected for name in self.numbers):
            return {word: value for word, value in ask.items() if word != "histogram"} | {"table": [*protected, *table]}
        if "mean" in ask and len(protected) == 1 and protected[0] not in self.numbers:
            # Means of groups are a regression on them: a mean of one, and how much the others differ.
            return {word: value for word, value in ask.items() if word != "mean"} | {
                "regression": {"target": ask["mean"], "features": protected}
            }
        number = next(
            (ask[word] for word in ("mean", "distribution", "histogram") if isinstance(ask.get(word), str)), "age"
        )
        compared = f'regression = {{ target = "{number}", features = ["{protected[0]}"] }}'
        step = f"write public = true at attribute.{protected[0]} if it may be known, or ask for {compared}"
        self._wrong(f"{where}.by", "must name a public column where a number is asked", shown(protected[0]), step)
        return ask

    @property
    def numbers(self) -> set[str]:
        """The attributes that are numbers."""
        return {name for name, table in self.attributes.items() if isinstance(table, dict) and "number" in table}

    def _of_kind(self, ask: dict[str, Any]) -> dict[str, Any]:
        """The shares of a number's values are its distribution, those of several categories each one's."""
        name = ask.get("histogram")
        table = self.attributes.get(name) if isinstance(name, str) else None
        if isinstance(table, dict):
            word = "distribution" if "number" in table else "several" if "several" in table else "histogram"
            ask = {word if own == "histogram" else own: value for own, value in ask.items()}
        number = ask.get("distribution", ask.get("above"))
        if isinstance(number, str) and is_dated(self.attributes.get(number, {}).get("number")):
            ask |= {word: as_dates(ask[word]) for word in ("ranges", "threshold") if word in ask}
        if isinstance(number, str) and number in self.scales and isinstance(ask.get("ranges"), list):
            ask = {**ask, "ranges": [_around(pair) for pair in ask["ranges"]]}
        return ask


def _around(pair: Any) -> Any:
    """From half below the first value of a range to half above its last one; what holds no whole numbers stays."""
    ends = pair if isinstance(pair, list) else [pair]
    if len(ends) not in (1, 2) or not all(type(end) is int for end in ends) or ends[0] > ends[-1]:
        return pair
    return [ends[0] - HALF, ends[-1] + HALF]
