"""Shares of an attribute's values as somebody writes them down: by name, or one after the other; or counts of them.

{ yes = 0.2, no = 0.8 }          # or [0.2, 0.8]
{ yes = 2113, no = 8452 }        # as a census counts them
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sordino.document.schema.nearest import nearest
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages.brief import shown

ROUNDED = 5e-3
"""By how much shares may miss 1: published ones are rounded."""

MOST = 1e15
"""A count at most: more than of any people; sums of such are exact enough, and finite."""


def read_shares(given: object, labels: Sequence[str], noun: str = "shares") -> NDArray[np.float64]:
    """Shares that add up to 1, in the order of the values.

    Args:
        given: a table of numbers by name, or a list of them: shares, or counts.
        labels: of the values.
        noun: what they are, for messages.

    Raises:
        SordinoErrors: all mistakes: an unknown name, a missing one, what is no number or below 0, nothing above 0, and
            fractions that do not add up to 1.

    Example:
        >>> read_shares({"no": 3, "yes": 1}, ["yes", "no"])
        array([0.25, 0.75])
    """
    if isinstance(given, Mapping):
        named = {str(name): number for name, number in given.items()}
        mistakes = list(_wrong_names(named, labels, noun))
        numbers = [named[label] for label in labels if label in named]
        each = [(repr(label), named[label]) for label in labels if label in named]
    elif isinstance(given, list):
        numbers, each, mistakes = given, [(f"number {place + 1}", number) for place, number in enumerate(given)], []
        if len(given) != len(labels):
            mistakes.append(
                SordinoError(
                    f"{noun} must be {len(labels):,}, one for each value",
                    found=f"{len(given):,}",
                    step="write them in the order of the values, 0 for one without people",
                )
            )
    else:
        step = "write { yes = 0.2, no = 0.8 }, or a list in the order of the values"
        raise SordinoErrors(
            noun, [SordinoError(f"{noun} must be a table or a list of numbers", found=shown(given), step=step)]
        )
    wrong = [(name, number) for name, number in each if not is_share(number)]
    mistakes += [
        SordinoError(
            f"{noun} must be numbers from 0 to {MOST:.0e}",
            found=f"{shown(number)} for {name}",
            step="write shares that add up to 1, or counts",
        )
        for name, number in wrong
    ]
    if not wrong and numbers:
        mistakes += _wrong_total(numbers, noun, whole=not mistakes)
    if mistakes:
        raise SordinoErrors(noun, mistakes)
    shares: NDArray[np.float64] = np.array(numbers, dtype=np.float64)
    shares /= shares.sum()
    return shares


def _wrong_names(named: Mapping[str, object], labels: Sequence[str], noun: str) -> Iterator[SordinoError]:
    known = set(labels)
    for name in [name for name in named if name not in known]:
        found = repr(name) + nearest([name], labels)
        yield SordinoError(
            f"{noun} must be of the attribute's values", found=found, step="write the values as the survey names them"
        )
    missing = [label for label in labels if label not in named]
    if missing:
        more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
        found, step = f"none for {missing[0]!r}{more}", "write 0 for a value without people"
        yield SordinoError(f"{noun} must name every value", found=found, step=step)


def is_share(number: object) -> bool:
    """Whether it is a number that a share or a count can be."""
    # Compared as it is: no float holds a whole number of 400 digits.
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= MOST


def _wrong_total(numbers: Sequence[float], noun: str, *, whole: bool) -> Iterator[SordinoError]:
    """Of some numbers whether any is above 0; of all of them, whether they are counts or add up to 1."""
    total = float(sum(numbers))
    if total == 0:
        yield SordinoError(
            f"{noun} must not all be 0", found="nothing above 0", step="write shares that add up to 1, or counts"
        )
    elif whole and abs(total - 1) > ROUNDED and not all(float(number).is_integer() for number in numbers):
        step = "give shares that do, or counts"
        yield SordinoError(f"{noun} must add up to 1", found=f"{total:.6g}", step=step)
