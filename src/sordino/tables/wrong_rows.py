"""What the wrong rows of columns share: how many they are, and their likeliest cause, never a value.

One more reading of the table, for all columns that are asked, once it is known that something is wrong. Only whoever
holds the table sees it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sordino.domain.choices import SEPARATOR, Choices
from sordino.tables.duckdb import number, quote, read_batches
from sordino.tables.frame import PathOrFrame, array_of

Mask = NDArray[np.bool_]

POINT = r"^[-+]?[0-9]+\.0+$"
DATED = "dates"
SIGNS: Mapping[str, str] = {
    "empty": r"^\s*$",
    "numbers with a comma, of decimals or of thousands": r"^\s*[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+\s*$",
    "numbers with a decimal comma": r"^\s*[-+]?[0-9]+,[0-9]+\s*$",
    DATED: r"^\s*[0-9]{1,4}([-/.])[0-9]{1,2}[-/.][0-9]{1,4}([ T].*)?$",
    "numbers with other signs beside them": r"^\D{0,4}[0-9][0-9., _']*\D{0,5}$",
}
"""Where a number is asked and a text is none: the first that fits."""

STEPS: Mapping[str, str] = {
    "numbers with a decimal point where names are whole numbers": "write them without it, as text or as whole numbers",
    "differing from a name only by case or spaces": "write them as the survey does",
    "differing from a name only in how accents are encoded": "save the file in the normal form NFC",
    "numbers with a comma, of decimals or of thousands": "write 12.345 or 12345, whichever 12,345 means",
    "numbers with a decimal comma": "write a point",
    "numbers with other signs beside them": "write the numbers alone",
    "numbers with a fraction where whole ones are asked": "write whole numbers",
}
"""What to do about a cause, where that can be said."""


@dataclass(frozen=True)
class WrongRows:
    """The wrong rows of a batch.

    Attributes:
        texts: of each column.
        numbers: of each column, shape (n,); NaN for a text that is none.
    """

    texts: Sequence[pa.Array]
    numbers: Sequence[NDArray[np.float64]]


@dataclass(frozen=True)
class Look:
    """What is looked at once more.

    Attributes:
        names: of the columns.
        expressions: what `judge` needs, in SQL.
        judge: which rows of a batch are wrong.
        cause: what is wrong in each of some rows.
        number: what reads a number of a column, as SQL.
    """

    names: Sequence[str]
    expressions: Mapping[str, str]
    judge: Callable[[Mapping[str, pa.Array]], Mask]
    cause: Callable[[WrongRows], NDArray[np.object_]]
    number: Callable[[str], str] = number


@dataclass
class Wrong:
    """What is wrong with what was looked at; counted batch by batch.

    Attributes:
        rows: of the table.
        first: the number of the first wrong row; 0 if there is none.
        first_missing: whether a value is missing there that must be given.
        missing: in how many rows one is.
        causes: of the other wrong rows, how many each cause has.
    """

    rows: int = 0
    first: int = 0
    first_missing: bool = False
    missing: int = 0
    causes: Counter[str] = field(default_factory=Counter)

    @property
    def words(self) -> str:
        """How many rows there are, and what they share."""
        count = sum(self.causes.values())
        told = [cause if len(self.causes) == 1 else f"{n:,} {cause}" for cause, n in self.causes.most_common()]
        return f"in {count:,} of {self.rows:,} rows ({', '.join(told)})"

    @property
    def cause(self) -> str:
        """That of most rows."""
        return self.causes.most_common(1)[0][0] if self.causes else ""


def examine(table: PathOrFrame, looks: Sequence[Look]) -> list[Wrong]:
    """Read columns once more, and count what is wrong with each of some looks at them."""
    select: dict[str, str] = {}
    for i, look in enumerate(looks):
        select |= {f"{key} {i}": text for key, text in look.expressions.items()}
        select |= {f"absent {i}": " OR ".join(f"{quote(name)} IS NULL" for name in look.names)}
        for j, name in enumerate(look.names):
            select |= {f"text {i} {j}": f"CAST({quote(name)} AS VARCHAR)", f"number {i} {j}": look.number(name)}
    found = [Wrong() for _ in looks]
    for batch in read_batches(table, select, list(dict.fromkeys(name for look in looks for name in look.names))):
        for i, (look, wrong) in enumerate(zip(looks, found, strict=True)):
            _count(batch, i, look, wrong)
    return found


def _count(batch: pa.RecordBatch, i: int, look: Look, wrong: Wrong) -> None:
    mistaken = look.judge({key: batch.column(f"{key} {i}") for key in look.expressions})
    absent = array_of(batch.column(f"absent {i}"))
    if mistaken.any() and not wrong.first:
        place = int(np.argmax(mistaken))
        wrong.first, wrong.first_missing = wrong.rows + place + 1, bool(absent[place])
    wrong.rows += len(batch)
    wrong.missing += int(np.count_nonzero(mistaken & absent))
    if (there := mistaken & ~absent).any():
        those = batch.filter(pa.array(there))
        places = range(len(look.names))
        numbers = [array_of(those.column(f"number {i} {j}")).astype(float) for j in places]
        wrong.causes.update(look.cause(WrongRows([those.column(f"text {i} {j}") for j in places], numbers)).tolist())


def number_cause(rows: WrongRows, beyond: str) -> NDArray[np.object_]:
    """Why each row is none, where numbers are asked: of the first column that is no number, or because of all.

    Args:
        rows: the wrong ones.
        beyond: what finite numbers are that are wrong.
    """
    found = np.full(len(rows.texts[0]), beyond, dtype=object)
    for texts, numbers in reversed(list(zip(rows.texts, rows.numbers, strict=True))):
        spelt = _matches(texts, r"^\s*[-+]?(nan|inf|infinity)\s*$", ignore_case=True)
        infinite = ~np.isfinite(numbers)
        found[infinite] = "text"
        for name, pattern in reversed(list(SIGNS.items())):
            found[infinite & _matches(texts, pattern)] = name
        found[infinite & (spelt | np.isinf(numbers))] = "not finite"
    return found


def index_cause(rows: WrongRows, k: int) -> NDArray[np.object_]:
    """Why each row is none, where the whole numbers 0..k-1 are asked."""
    found = number_cause(rows, f"beyond 0..{k - 1}")
    (numbers,) = rows.numbers
    with np.errstate(invalid="ignore"):
        fraction = np.isfinite(numbers) & (numbers >= 0) & (numbers < k)
    found[fraction] = "numbers with a fraction where whole ones are asked"
    return found


def label_cause(rows: WrongRows, labels: Sequence[str]) -> NDArray[np.object_]:
    """Why each row is none, where names are asked."""
    (texts,) = rows.texts
    found = np.full(len(texts), "other names", dtype=object)
    known = pa.array(labels, type=pa.string())
    texts = texts.cast(pa.string())
    alike = array_of(pc.is_in(_plain(texts), value_set=_plain(known)))
    found[alike] = "differing from a name only by case or spaces"
    accented = array_of(pc.is_in(_compose(texts), value_set=_compose(known))) & ~alike
    found[accented] = "differing from a name only in how accents are encoded"
    whole = pc.replace_substring_regex(texts, r"\.0+$", "")
    pointed = _matches(texts, POINT) & array_of(pc.is_in(whole, value_set=known))
    found[pointed] = "numbers with a decimal point where names are whole numbers"
    found[_matches(texts, SIGNS["empty"])] = "empty"
    return found


def choices_cause(rows: WrongRows, choices: Choices) -> NDArray[np.object_]:
    """Why each row is none, where several names are asked."""
    (texts,) = rows.texts
    found = np.full(len(texts), "other names, or one of them twice", dtype=object)
    count = array_of(pc.count_substring(texts.cast(pa.string()), SEPARATOR))
    found[count >= choices.most] = "more than are asked"
    found[_matches(texts, SIGNS["empty"])] = "empty"
    return found


def _plain(texts: pa.Array) -> pa.Array:
    return pc.utf8_lower(pc.utf8_trim_whitespace(texts))


def _compose(texts: pa.Array) -> pa.Array:
    return pc.utf8_normalize(_plain(texts), form="NFC")


def _matches(texts: pa.Array, pattern: str, *, ignore_case: bool = False) -> Mask:
    found = pc.match_substring_regex(texts.cast(pa.string()), pattern, ignore_case=ignore_case)
    matches: Mask = array_of(pc.fill_null(found, fill_value=False))
    return matches
