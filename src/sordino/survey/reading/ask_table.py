"""A question of a survey file: what is to be learned, and how often it is asked.

[[ask]]
histogram = "smoker"                                           # shares of an attribute's values
[[ask]]
table = ["age_group", "smoker"]                                # shares of all combinations of their values
[[ask]]
tables = { of = ["age_group", "smoker", "sex"], ways = 2 }     # a table of each two of them
[[ask]]
mean = ["age", "income"]
[[ask]]
covariance = ["age", "income", "weight"]
[[ask]]
regression = { target = "weight", features = ["age", "smoker"], base = { smoker = "no" } }
weight = 2
[[ask]]
distribution = "income"
quantiles = [0.1, 0.5, 0.9]
ranges = [[0, 20000], [20000, 50000]]
"""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sordino.document.schema.strict_table import StrictTable, setting
from sordino.errors import SordinoError
from sordino.survey.kinds import KINDS
from sordino.survey.kinds.kind import AnyKind

MOST_WEIGHT = 1 << 20
"""Of one question."""

WORDS = tuple(word for kind in KINDS.values() for word in kind.words)
"""The settings of which a question has one."""


class Ask(StrictTable):
    """One question: of a histogram, a table, tables, means, a covariance matrix, a regression or a distribution.

    Its settings are those of all kinds (`AskTable`), of which it has those of one.

    Attributes:
        weight: how often it is asked, beside the others.
    """

    weight: int = setting(default=1, ge=1, le=MOST_WEIGHT)

    def _check(self) -> None:
        given = [word for word in WORDS if getattr(self, word) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise SordinoError(
                f"a question must have one of {', '.join(WORDS)}",
                found=found,
                step='write one, as histogram = "age", and an [[ask]] for each more',
            )
        for kind in KINDS.values():
            others = [name for name in kind.settings.settings_table() if getattr(self, name) is not None]
            if others and kind is not self.kind:
                word = kind.words[0]
                step = f'write {word} = "..." in place of it, or in a question of its own'
                rule = f"{others[0]} must stand beside {word}"
                raise SordinoError(rule, found=f"a question with {given[0]}", step=step)
        self.kind.check(self.settings)

    @cached_property
    def word(self) -> str:
        """The setting that says what is asked."""
        return next(word for word in WORDS if getattr(self, word) is not None)

    @cached_property
    def kind(self) -> AnyKind:
        """Of the question."""
        return next(kind for kind in KINDS.values() if self.word in kind.words)

    @cached_property
    def settings(self) -> Any:
        """Those of its kind."""
        names = self.kind.settings.settings_table()
        return self.kind.settings.from_settings(**{name: getattr(self, name) for name in names})

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that it is about; a regression's target last."""
        return self.kind.attributes(self.settings)

    @property
    def questions(self) -> "tuple[AskTable, ...]":
        """What a person can be asked of it: itself, or each of the tables, with its weight."""
        return tuple(
            AskTable.from_settings(
                weight=self.weight, **{name: getattr(one, name) for name in type(one).settings_table()}
            )
            for one in self.kind.each(self.settings)
        )


if TYPE_CHECKING:
    AskTable = Ask
else:
    # Settings stand in a class in the order of those that it extends, the last one's first.
    AskTable = type("AskTable", (Ask, *(KINDS[name].settings for name in reversed([*KINDS]))), {"__doc__": Ask.__doc__})


def named_attributes(asks: object) -> Iterator[tuple[str, AnyKind, str]]:
    """Of unchecked tables each attribute that a question names: where, for which kind of question, and its name."""
    for i, ask in enumerate(asks if isinstance(asks, list) else []):
        for kind, word in [(one, word) for one in KINDS.values() for word in one.words]:
            given = ask.get(word) if isinstance(ask, dict) else None
            for where, names in kind.attribute_references(word, given).items():
                for name in [names] if isinstance(names, str) else names if isinstance(names, list) else []:
                    if isinstance(name, str):
                        yield f"ask.{i}.{where}", kind, name
