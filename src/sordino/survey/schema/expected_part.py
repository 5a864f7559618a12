"""What a question's people are expected to be like, as a plan holds it: shares in whole parts of 10^9.

Public like all of a plan, and of bounded size: of more than 4,096 values the largest shares, the others alike.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sordino.document.schema.limits import ValueLimits
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.errors import SordinoError
from sordino.exact.messages import shown

WHOLE = 10**9
"""Parts of all people."""

MOST_LISTED = 1 << 12
"""Values whose shares are listed, at most."""

Floats = NDArray[np.float64]


class ExpectedPart(StrictTable):
    """The expected shares of some values.

    Attributes:
        parts: of 10^9, of each value that is listed.
        values: which are listed, ascending; the others have equal shares of what is left. All where None.
    """

    parts: list[Annotated[int, ValueLimits(ge=0, le=WHOLE)]] = setting(min_length=1, max_length=MOST_LISTED)
    values: list[Annotated[int, ValueLimits(ge=0)]] | None = setting(default=None, max_length=MOST_LISTED)

    def _check(self) -> None:
        total = sum(self.parts)
        if total > WHOLE or (self.values is None and total < WHOLE):
            raise SordinoError(f"expected shares must add up to {WHOLE}", found=shown(total))
        if self.values is not None and (
            len(self.values) != len(self.parts) or any(np.diff(np.array(self.values, dtype=np.float64)) <= 0)
        ):
            found = f"{len(self.values)} values with {len(self.parts)} shares, or not in ascending order"
            rule = "expected shares must be of different values in their order"
            raise SordinoError(rule, found=found, step="sort the values, each once")

    @classmethod
    def of(cls, shares: Floats) -> "ExpectedPart":
        """The nearest that a plan can hold.

        Args:
            shares: of all values, shape (k,); their sum is 1.
        """
        k = len(shares)
        listed = np.arange(k) if k <= MOST_LISTED else np.sort(np.argsort(-shares, kind="stable")[:MOST_LISTED])
        own = shares[listed]
        parts = np.rint(WHOLE * (own / own.sum() if k <= MOST_LISTED else own)).astype(np.int64)
        if k <= MOST_LISTED or parts.sum() > WHOLE:
            # What rounding leaves is next to nothing for the largest.
            parts[np.argmax(parts)] += WHOLE - parts.sum()
        return cls(parts=parts.tolist(), values=None if k <= MOST_LISTED else listed.tolist())

    def shares(self, k: int) -> Floats:
        """Of all values, shape (k,).

        Raises:
            SordinoError: not of so many values, or of all of them and less than a whole.
        """
        listed = np.arange(len(self.parts)) if self.values is None else np.array(self.values)
        if (self.values is None and len(listed) != k) or listed[-1] >= k:
            raise SordinoError(f"expected shares must be of {k} values", found="of others")
        if len(listed) == k and sum(self.parts) < WHOLE:
            raise SordinoError(f"expected shares of all values must add up to {WHOLE}", found=shown(sum(self.parts)))
        others = (WHOLE - sum(self.parts)) / WHOLE / max(k - len(listed), 1)
        shares = np.full(k, others)
        shares[listed] = np.array(self.parts) / WHOLE
        return shares


def round_as_stored(shares: Floats) -> Floats:
    """Shares as a plan holds them, shape (k,): what is forecast of a plan is forecast of its file."""
    return ExpectedPart.of(shares).shares(len(shares))


def require_somebody(names: Sequence[str], has: NDArray[np.bool_]) -> None:
    """Refuse a sample in which nobody has some numbers.

    Raises:
        SordinoError: with the numbers.
    """
    if not has.any():
        raise SordinoError(
            f"in a sample somebody must have {' and '.join(map(repr, names))}",
            found="nobody",
            step="give another one, or none",
        )
