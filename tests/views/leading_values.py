"""A stranger's view, which the tests put into a copy of the package: the value that leads each question."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sordino.blocks.block import BlockGroup
from sordino.blocks.finding import Finding, Topic
from sordino.blocks.sentence import Purpose, Sentence
from sordino.survey.kinds.shares.shares_result import HistogramResult
from sordino.views.view import NotApplicable, View, ViewPart, ViewSource, table_row


@dataclass(frozen=True, eq=False)
class LeadingValues(View):
    """The largest estimated share of each question.

    Attributes:
        shares: of all values of a question each.
    """

    name: ClassVar[str] = "leading"
    shares: tuple[HistogramResult, ...]

    @classmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        found = tuple(shares for result in source.results if (shares := result.shares) is not None)
        return cls(found) if found else NotApplicable("no question about shares is estimated")

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        del derived
        return (table_row("leading", row, row["attribute"]) for row in self._leading())

    def json(self) -> dict[str, Any]:
        return {"leading": list(self._leading())}

    def parts(self) -> Iterator[ViewPart]:
        said = tuple(Sentence(self._words(row), Purpose.METHOD) for row in self._leading())
        yield ViewPart(self.name, (BlockGroup("Which values lead", said),))

    def findings(self) -> Iterator[Finding]:
        for row in self._leading():
            yield Finding(Topic.SHARES, self._words(row), is_sure=False)

    def _leading(self) -> Iterator[dict[str, Any]]:
        for shares in self.shares:
            place = int(shares.estimate.value.argmax())
            row = list(shares.rows())[place]
            yield {name: row[name] for name in ("estimate", "stderr", "low", "high")} | {
                "attribute": shares.question.name,
                "value": shares.label(place),
            }

    def _words(self, row: dict[str, Any]) -> str:
        return f"Of {row['attribute']} {row['value']} leads with {100 * row['estimate']:.0f}%."
