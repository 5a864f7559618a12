"""An attribute of a survey of which several categories apply: what it may say, and what is expected of the people.

[attribute.symptoms]
categories = ["cough", "fever", "pain"]
several = 2                                                    # a person names up to two of them
expected = { cough = 0.3, fever = 0.1, pain = 0.2 }            # the share to whom each applies

What is expected of each category is taken to be independent of the others, among those who name no more than they may:
the shares of combinations are products, in parts of their sum. Where nothing is expected all combinations are alike.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sordino.document.schema.nearest import nearest
from sordino.domain.answers.choices import Choices
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown

Floats = NDArray[np.float64]


class SeveralTable(Protocol):
    """The settings that are looked at."""

    @property
    def missing(self) -> Any:
        """What a missing value counts as."""

    @property
    def protect(self) -> Any:
        """How values differ in what protects them."""

    @property
    def expected(self) -> Any:
        """What the people are thought to be like."""


def several_mistakes(table: SeveralTable, choices: Choices) -> Iterator[SordinoError]:
    """What is wrong beside the categories."""
    if table.missing is not None and table.missing != choices.none:
        rule = f"a missing answer of which several may apply can count as {choices.none!r} only"
        yield SordinoError(rule, found=shown(table.missing), step=f"write missing = {choices.none!r}, or leave it out")
    protect = table.protect
    if protect is not None and any(
        way is not None for way in (protect.blocks, protect.sensitive, protect.metric, protect.matrix)
    ):
        rule = "an answer of several categories must be protected as a whole"
        step = 'write protect = { epsilon = "1" }, or leave it out'
        yield SordinoError(rule, found="blocks, sensitive values, a metric or a matrix", step=step)
    if table.expected is not None:
        yield from _expected_mistakes(table.expected, choices)


def _expected_mistakes(given: object, choices: Choices) -> Iterator[SordinoError]:
    step = f"write {{ {choices.labels[0]!r} = 0.2, ... }}, a share above 0 and below 1 for each category"
    if not isinstance(given, dict):
        yield SordinoError("expected must be a table of shares by category", found=shown(given), step=step)
        return
    known = [*choices.labels, *([] if choices.not_asked is None else [choices.not_asked])]
    if unknown := [name for name in given if name not in known]:
        found = repr(unknown[0]) + nearest([str(unknown[0])], known)
        yield SordinoError("expected must be of the attribute's categories", found=found, step=step)
    if absent := [label for label in known if label not in given]:
        yield SordinoError("expected must name every category", found=f"none for {absent[0]!r}", step=step)
    wrong = [name for name, share in given.items() if not _is_part(share)]
    if wrong:
        found = f"{shown(given[wrong[0]])} for {wrong[0]!r}"
        yield SordinoError("the expected share of a category must lie between 0 and 1", found=found, step=step)


def _is_part(share: object) -> bool:
    return isinstance(share, int | float) and not isinstance(share, bool) and 0 < share < 1


def expected_of_marks(given: object, choices: Choices) -> Floats:
    """The share of the people whom each mark is expected to apply to, shape (marks,), however many combinations.

    Args:
        given: shares by category, as a survey has them; None where nothing is known.
        choices: the categories.
    """
    odds, asked = _odds(given, choices)
    labels = len(odds)
    # By size: what combinations weigh together of the categories before each place, and of those after it.
    before = _sizes_before(odds, choices.most)
    after = _sizes_before(odds[::-1], choices.most)[::-1]
    total = before[labels].sum()
    applies = np.empty(labels)
    for place in range(labels):
        others = np.convolve(before[place], after[place + 1])[: choices.most]
        applies[place] = odds[place] * others.sum() / total
    none = [1 / total, *([] if choices.not_asked is None else [(1 - asked) / asked])]
    shares: Floats = asked * np.concatenate([applies, none])
    return shares


def expected_of_combinations(given: object, choices: Choices) -> Floats:
    """The share of each combination, shape (k,), of which there are few enough to list them."""
    odds, asked = _odds(given, choices)
    has = choices.applies(choices.values)[:, : len(odds)]
    weights = np.where(has, odds, 1.0).prod(axis=1)
    if choices.not_asked is not None:
        weights[-1] = 0.0
    shares: Floats = weights * (asked / weights.sum())
    if choices.not_asked is not None:
        shares[-1] = 1 - asked
    return shares


def _odds(given: object, choices: Choices) -> tuple[Floats, float]:
    """Of each category the odds that it applies, and the share of people who are asked."""
    if not isinstance(given, dict):
        asked = 1.0 if choices.not_asked is None else 1 - 1 / choices.k
        return np.ones(len(choices.labels)), asked
    shares = np.array([given[label] for label in choices.labels], dtype=np.float64)
    unasked = 0.0 if choices.not_asked is None else float(given[choices.not_asked])
    return shares / (1 - shares), 1 - unasked


def _sizes_before(odds: Floats, most: int) -> Floats:
    """What combinations of each size weigh, of the categories before each place, shape (labels + 1, most + 1)."""
    found = np.zeros((len(odds) + 1, most + 1))
    found[0, 0] = 1.0
    for place, own in enumerate(odds):
        found[place + 1] = found[place]
        found[place + 1, 1:] += own * found[place, :-1]
    return found
