"""Sentences as data, before they are text: what each is there for, and under which heading it stands.

Whoever shows few of them, or all answers together instead of one report, chooses by what a sentence is there for.
"""

from dataclasses import dataclass
from enum import Enum, auto


class Purpose(Enum):
    """What a sentence is there for."""

    FINDING = auto()
    """What was found, for whoever reads no further."""
    LIMIT = auto()
    """What is promised or checked, or is not."""
    EXAMPLE = auto()
    """A factor in other words: the first to give way where there is little room."""
    REPEATED = auto()
    """What another report adds, which says nothing where all reports are counted together."""
    REACHED = auto()
    """How much of one bound is used, which a table can show instead."""
    FLOOR = auto()
    """How near the best possible something is."""
    COLUMNS = auto()
    """What the columns of a table hold."""
    INTERVALS = auto()
    """What intervals hold against, where that is more than chance."""
    CONFIDENCE = auto()
    """That each interval holds by itself with some confidence, which the header of a table can show instead."""
    CHART = auto()
    """How a chart is to be read, which says nothing where none is drawn."""
    POPULATION = auto()
    """Of whom an estimate is, and what is not estimated."""
    METHOD = auto()
    """How something was fitted, or why it was not."""
    SUGGESTION = auto()
    """What else could be asked for, where nobody chose."""
    REFUSAL = auto()
    """Why there is no estimate, and what to do."""


@dataclass(frozen=True)
class Sentence:
    """Something that is said.

    Attributes:
        text: with its full stop.
        purpose: what it is there for.
    """

    text: str
    purpose: Purpose = Purpose.LIMIT


@dataclass(frozen=True)
class Paragraph:
    """Sentences under a heading.

    Attributes:
        heading: what they are about; empty where that is plain.
        sentences: in their order.
    """

    heading: str
    sentences: tuple[Sentence, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The texts."""
        return texts(self.sentences)


def limits(*lines: str) -> tuple[Sentence, ...]:
    """What is promised, or is not, a sentence each."""
    return tuple(map(Sentence, lines))


def texts(sentences: tuple[Sentence, ...]) -> tuple[str, ...]:
    """What is shown of sentences."""
    return tuple(sentence.text for sentence in sentences)
