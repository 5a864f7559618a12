"""The frozen plan as a document: its fields, its canonical bytes and its hash. A format carries a version.

Canonical bytes: JSON with sorted keys, no spaces, ASCII only, whole numbers without a fraction part, and integers
beyond 2^53 as strings. The hash is SHA-256 over them without the hash itself; a plan file holds these bytes and nothing
else.
"""

import json
from hashlib import sha256
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from sordino.errors import SordinoError

FORMAT = "sordino plan"
VERSION = 1

Integer64 = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,19})$")]
"""An integer >= 0 of up to 64 bits, as a string."""


Text = Annotated[str, StringConstraints(min_length=1)]


class Part(BaseModel):
    """A table of a survey or a plan: unknown keys are refused, nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True)


class GridPart(Part):
    """A map cut into cells."""

    south: float
    north: float
    west: float
    east: float
    rows: int
    columns: int


class BlocksPart(Part):
    """A partition into blocks, one of three ways.

    Attributes:
        tiles: [rows, columns] of a grid's cells per block.
        run: the length of runs of numbered values.
        of: the number of each value's block.
    """

    tiles: list[int] | None = Field(default=None, min_length=2, max_length=2)
    run: int | None = Field(default=None, ge=1, le=1 << 62)
    of: list[int] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        _require_one_of(self, "tiles", "run", "of")
        return self


class ProtectPart(Part):
    """What is promised about an attribute.

    Attributes:
        epsilon: in nats, as text; None where `bounds` say it all.
        blocks: only values of one block are protected from each other.
        sensitive: the indices of the sensitive values; only these are protected.
        bounds: for each two values, in nats, as text, "inf" for an unprotected pair.
    """

    epsilon: str | None = None
    blocks: BlocksPart | None = None
    sensitive: list[int] | None = None
    bounds: list[list[str]] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        _require_one_of(self, "epsilon", "bounds")
        if sum(part is not None for part in (self.blocks, self.sensitive, self.bounds)) > 1:
            raise SordinoError("an attribute is protected by blocks, sensitive values or bounds", found="several")
        return self


class AttributePart(Part):
    """Values, where they stand in the data, and which of them are protected from each other.

    Attributes:
        labels, numbers, grid: exactly one; named categories, how many numbered ones, or a map.
        columns: names of the data's columns: one, or for a grid latitude and longitude.
        missing: the category of a missing value; None where missing values are refused.
        protect: what is promised.
    """

    labels: list[Text] | None = None
    numbers: int | None = None
    grid: GridPart | None = None
    columns: list[Text] = Field(min_length=1, max_length=2)
    missing: str | None = None
    protect: ProtectPart

    @model_validator(mode="after")
    def _check(self) -> Self:
        _require_one_of(self, "labels", "numbers", "grid")
        if len(self.columns) == 2 and self.grid is None:
            raise SordinoError("only a grid has two columns", found=f"{len(self.columns)}")
        if self.missing is not None and self.missing not in (self.labels or ()):
            raise SordinoError("missing must name one of the labels", found=repr(self.missing))
        return self


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


class QueryPart(Part):
    """One question: of which attribute, and how it is answered.

    Attributes:
        weight: a person answers it with probability weight over the sum of all weights.
        mechanism: its integers.
        subtract_totals: whether estimates are shifted to the known share of their block.
    """

    histogram: str
    weight: int = Field(ge=1, le=1 << 20)
    mechanism: MechanismPart
    subtract_totals: bool


class PlanDocument(Part):
    """The whole plan: public, frozen, hashed.

    Attributes:
        hash: "sha256:" and 64 hexadecimal digits.
        people: how many are expected to answer; estimates do not depend on it.
        queries: one for each attribute, in the order of the survey's questions.
    """

    format: Literal["sordino plan"]
    version: Literal[1]
    hash: str
    people: int = Field(ge=1)
    attributes: dict[str, AttributePart] = Field(min_length=1)
    queries: list[QueryPart] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        asked = [query.histogram for query in self.queries]
        if sorted(asked) != sorted(self.attributes):
            raise SordinoError("each attribute of a plan must be asked once", found=", ".join(map(repr, asked)))
        return self


def _require_one_of(part: Part, *names: str) -> None:
    given = [name for name in names if getattr(part, name) is not None]
    if len(given) != 1:
        raise SordinoError(f"exactly one of {', '.join(names)} must be given", found=", ".join(given) or "none")


def canonical(document: dict[str, Any]) -> bytes:
    """The canonical bytes of a document."""
    return json.dumps(_plain(document), sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def content_hash(document: dict[str, Any]) -> str:
    """The hash over everything but the hash."""
    return "sha256:" + sha256(canonical({k: v for k, v in document.items() if k != "hash"})).hexdigest()


def seal(content: dict[str, Any]) -> PlanDocument:
    """Complete the content with format, version and hash."""
    document = _plain({**content, "format": FORMAT, "version": VERSION})
    return PlanDocument.model_validate({**document, "hash": content_hash(document)})


def dump(document: PlanDocument) -> dict[str, Any]:
    """The document as plain data, without what is not set."""
    plain: dict[str, Any] = _plain(document.model_dump(exclude_none=True))
    return plain


def unseal(document: dict[str, Any], name: str) -> PlanDocument:
    """Read and check a document.

    Raises:
        SordinoError: no plan, of a newer version, changed after it was frozen, or with fields that do not fit.
    """
    if document.get("format") != FORMAT:
        raise SordinoError(f"{name} must be a plan", found="another file", step="make one with `sordino plan`")
    version = document.get("version")
    if version != VERSION or isinstance(version, bool):
        step = "use a newer Sordino" if isinstance(version, int) and version > VERSION else "make the plan again"
        raise SordinoError(f"{name} must be a plan of version {VERSION}", found=repr(version), step=step)
    try:
        computed = content_hash(document)
    except (ValueError, RecursionError):
        computed = ""
    if document.get("hash") != computed:
        raise SordinoError(
            f"{name} must be as it was frozen",
            found="contents that do not match its hash",
            step="get the original plan; a changed one needs `sordino plan` again",
        )
    try:
        return PlanDocument.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"])
        raise SordinoError(f"{name} must be a plan that Sordino wrote", found=f"{path}: {first['msg']}") from None


def _plain(value: Any) -> Any:
    """Whole floats as integers, at every depth."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
