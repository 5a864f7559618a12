"""A person's own values as a ledger's terms have them: what its queries are about. No error ever holds one of them."""

import hmac
import math
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.document.kinds import explain_kind
from sordino.document.record_file import load_tables, no_category, no_number, read_values, require_within
from sordino.domain.attribute import Attribute
from sordino.domain.choices import Choices
from sordino.domain.interval import Interval
from sordino.errors import SordinoError
from sordino.once.ledger.ledger_terms import LedgerTerms


@dataclass(frozen=True, repr=False)
class PersonRecord:
    """The values of one person, checked.

    Attributes:
        values: in the order of the terms' attributes; of a category its place.
    """

    values: tuple[float | int, ...]

    @classmethod
    def load(cls, path: Path | str, terms: LedgerTerms) -> "PersonRecord":
        """Read the file of a record.

        Raises SordinoError: unreadable, or not a record of these terms; never with a value.
        """
        with explain_kind(Path(path), "record"):
            return cls.read(load_tables(path), terms)

    @classmethod
    def read(cls, tables: dict[str, Any], terms: LedgerTerms) -> "PersonRecord":
        """Check the tables of such a file.

        Raises:
            SordinoErrors: all mistakes: another version, a missing, foreign or unfit value; never with a value, nor
                with a name that is not the ledger's.
        """
        return cls(tuple(read_values(tables, terms.attributes, "the ledger's").values()))

    def require_of(self, terms: LedgerTerms) -> None:
        """Check that it is a record of these terms: the same for every query, and before any is looked at."""
        if len(self.values) != len(terms.names):
            found = f"{len(self.values)} values for {len(terms.names)} attributes"
            step = f"give a value for each of {', '.join(map(repr, terms.names))}"
            raise SordinoError("a record must have a value for each attribute", found=found, step=step)
        for value, (name, attribute) in zip(self.values, terms.attributes.items(), strict=True):
            if isinstance(attribute.domain, Interval):
                if type(value) not in {int, float}:
                    raise no_number(name)
                if attribute.optional and math.isnan(value):
                    continue
                require_within(value, name, attribute.domain)
            elif type(value) is not int or value not in _values(attribute):
                raise no_category(name)

    def numbers(self, terms: LedgerTerms) -> NDArray[np.float64]:
        """The numbers as models take them, shape (1, numbers)."""
        own = [value for value, name in zip(self.values, terms.names, strict=True) if name in terms.numbers]
        return np.array([own], dtype=np.float64)

    def digest(self, key: bytes) -> str:
        """A keyed hash that equal records share: whoever has the key can try values, so both stay in the ledger."""
        return hmac.new(key, " ".join(float(value).hex() for value in self.values).encode(), sha256).hexdigest()


def _values(attribute: Attribute) -> Collection[int]:
    if isinstance(attribute.domain, Choices):
        return set(attribute.domain.values.tolist())
    return range(attribute.finite.k)
