"""Blocks: what a result shows, whoever shows it: a terminal, a page, a frame, JSON.

A block knows nothing of where it is shown, and a renderer asks nothing but of which class a block is: it has one
function a class, and leaves out what it has none for (a terminal draws no maps).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from sordino.blocks.charts import Chart
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable, TextTable


@dataclass(frozen=True, eq=False)
class Heading:
    """What was asked, and from how many reports it is estimated.

    Attributes:
        name: of the question.
        asked: its kind, as a survey has it: histogram, table, distribution, mean, covariance, regression.
        attributes: that it is about.
        n: the number of reports.
        facts: what else programs read: how shares were fitted, how sure intervals are, why there is no estimate.
        noun: of what kind the estimates are, where the question's name does not say it: shares, distribution.
        values: how many shares these are; 0 of what is no histogram or table.
        method: by which a distribution was fitted; empty where none was.
        is_estimated: whether the reports answer the question.
        title: what people read as its name; empty where that is the name.
    """

    name: str
    asked: str
    attributes: tuple[str, ...]
    n: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    noun: str = ""
    values: int = 0
    method: str = ""
    is_estimated: bool = True
    title: str = ""

    @property
    def readable(self) -> str:
        """What people read as its name."""
        return self.title or self.name


@dataclass(frozen=True, eq=False)
class LateSentence:
    """A sentence that may take a second to be worked out, where it is shown.

    Attributes:
        text: works it out; empty where there is nothing to say.
        purpose: what it is there for.
    """

    text: Callable[[], str]
    purpose: Purpose


@dataclass(frozen=True, eq=False)
class Plot:
    """A chart that is worked out where it is drawn.

    Attributes:
        of: its class, by which whoever shows it decides whether to.
        chart: works it out.
    """

    of: type[Chart]
    chart: Callable[[], Chart]


@dataclass(frozen=True, eq=False)
class BlockGroup:
    """Blocks under a heading of their own.

    Attributes:
        title: of them.
        parts: in their order.
        of: the question whose they are, where the title does not name it.
    """

    title: str
    parts: tuple["Block", ...]
    of: str = ""


Block: TypeAlias = Heading | Sentence | QuantityTable | TextTable | LateSentence | Plot | BlockGroup

Wanted = TypeVar("Wanted", bound=Heading | Sentence | QuantityTable | TextTable | LateSentence | Plot)


def blocks_of(wanted: type[Wanted], blocks: Iterable[Block]) -> Iterator[Wanted]:
    """All blocks of one class, those of groups among them, in their order."""
    for block in blocks:
        if isinstance(block, BlockGroup):
            yield from blocks_of(wanted, block.parts)
        elif isinstance(block, wanted):
            yield block
