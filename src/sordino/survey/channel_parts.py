"""Channels as the integers of a frozen plan."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sordino.errors import SordinoError
from sordino.survey.parts import Integer64, Part


class CoinPart(Part):
    """One mechanism over k values with its frozen coin, and its field or the size of its subsets."""

    name: Literal["randomized", "hadamard", "projective", "subset"]
    k: int = Field(ge=1)
    threshold: Integer64
    field: int | None = Field(default=None, ge=2)
    size: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        for setting, name in (("field", "projective"), ("size", "subset")):
            if (getattr(self, setting) is not None) != (self.name == name):
                raise SordinoError(f"a {setting} belongs to {name}, and to no other", found=self.name)
        return self


class BlockwisePart(Part):
    """A mechanism for each block size."""

    name: Literal["blockwise"]
    inner: list[CoinPart] = Field(min_length=1)


class HighLowPart(Part):
    """A mechanism over the sensitive values, and the weight with which the others hide behind it."""

    name: Literal["high-low"]
    inner: CoinPart
    hidden: Integer64


class BinaryPart(Part):
    """The weights of code 0 for the two values."""

    name: Literal["binary"]
    first: Integer64
    second: Integer64


class TablePart(Part):
    """A channel by its weights, a row for each value."""

    name: Literal["table"]
    weights: list[list[Integer64]] = Field(min_length=1)


MechanismPart = Annotated[CoinPart | BlockwisePart | HighLowPart | BinaryPart | TablePart, Field(discriminator="name")]
"""A mechanism over finite values."""


class BitsPart(Part):
    """One bit about a drawn statistic of some numbers.

    Attributes:
        statistics: the places of the numbers that each depends on.
        thresholds: of each statistic's coin.
        weights: a statistic is drawn with probability weight over the sum of all weights.
    """

    name: Literal["bits"]
    d: int = Field(ge=1)
    statistics: list[list[int]] = Field(min_length=1)
    thresholds: list[Integer64]
    weights: list[int]


class RowPart(Part):
    """Some places of a record, and the table that the errors of their signs are drawn from."""

    places: list[int] = Field(min_length=1)
    table: int


class SignTablesPart(Part):
    """The signs of some drawn numbers, with errors from a table.

    Attributes:
        tables: each of 2^m weights of patterns of wrong signs, with sum 2^64.
        rows: what a person can be drawn for.
        weights: a row is drawn with probability weight over the sum of all weights.
    """

    name: Literal["sign-tables"]
    d: int = Field(ge=1)
    tables: list[list[Integer64]] = Field(min_length=1)
    rows: list[RowPart] = Field(min_length=1)
    weights: list[int]


class LevelsPart(Part):
    """One number by one of several levels.

    Attributes:
        levels: from -1 to 1.
        window: codes of a level.
        threshold: of the coin that keeps a code within its level's window.
    """

    name: Literal["levels"]
    levels: int
    window: int
    threshold: Integer64


class AnswerPart(Part):
    """A channel, and the places of the numbers that it sees."""

    places: list[int] = Field(min_length=1)
    channel: Annotated[BitsPart | LevelsPart, Field(discriminator="name")]


class MixturePart(Part):
    """One of several types of answers.

    Attributes:
        types: the answers that are given together.
        weights: a type is drawn with probability weight over the sum of all weights.
    """

    name: Literal["mixture"]
    d: int = Field(ge=1)
    types: list[list[AnswerPart]] = Field(min_length=1)
    weights: list[int]


NumberChannelPart = Annotated[BitsPart | SignTablesPart | LevelsPart | MixturePart, Field(discriminator="name")]
"""A channel from numbers."""
