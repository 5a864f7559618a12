"""Which value has the largest share, said only where the intervals of all values leave no doubt; of two, one's share.

Guarantee: with limits of all values that hold together (`Coverage.for_all`), a value that has not the largest share is
said to have it only if one of these limits is wrong: it needs a lower limit above the upper limit of every other value.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from sordino.blocks.charts import Shares
from sordino.blocks.finding import Finding, Topic, in_brackets
from sordino.domain.grid import Grid
from sordino.estimation.intervals.forged import Limits
from sordino.survey.kinds.question import SharesQuestion
from sordino.survey.kinds.shares.places import cell_in_words

NAMED = 2
"""Of the values that may have the largest share."""


def largest_share(
    about: str,
    label: Callable[[int], str],
    shares: Shares,
    together: Limits,
    confidence: float,
    nouns: tuple[str, str] = ("value", "values"),
) -> Finding:
    """The value with the largest share; which values may have it, where more than one may; or that none is seen.

    Args:
        about: what the question is called.
        label: of a value, as a sentence names it.
        shares: of the answers, shape (k,), with intervals as their table has them.
        together: limits that hold together, shape (k,) each.
        confidence: of each interval of the table, and of all limits together.
        nouns: what one of them is called, and what several are, as their table calls them.
    """
    (one, several), (low, high) = nouns, together
    if not low.max() > 0:
        which = f"the intervals that hold for all {len(low):,} {several} together"
        text = f"{about}: no {one} is known to have a share above 0, by {which}; more reports are needed."
        return Finding(Topic.SHARES, text, is_sure=False)
    possible = np.flatnonzero(high >= low.max())
    if len(possible) == 1:
        (value,) = possible.tolist()
        return Finding(
            Topic.SHARES, f"{about}: {label(value)} has the largest share, {_in_words(shares, value, confidence)}."
        )
    first = possible[np.argsort(-shares.best_known[possible], kind="stable")][:NAMED]
    named = [f"{label(value)}, {_in_words(shares, value, confidence)}" for value in first.tolist()]
    more = len(possible) - NAMED
    named += [f"{more:,} other {several if more > 1 else one}"] if more else []
    why = f"intervals that hold for all {len(low):,} {several} together overlap"
    text = f"{about}: the largest share may be that of {', or of '.join(named)}; {why}."
    return Finding(Topic.SHARES, text, is_sure=False)


def share_of_two(
    about: str, label: Callable[[int], str], shares: Shares, together: Limits, confidence: float, place: int
) -> Finding:
    """The share of one of two answers, which tells the other's, too.

    It is sure where intervals that hold together leave no doubt which share is larger.

    Args:
        about: what the question is called.
        label: of a value, as a sentence names it.
        shares: of the answers, shape (2,), with intervals as their table has them.
        together: limits that hold together, shape (2,) each.
        confidence: of each interval of the table.
        place: of the answer.
    """
    if shares.low[place] <= 0 and shares.high[place] >= 1:
        sure = f"the {100 * confidence:.15g} % interval of the share of {label(place)} goes from 0 % to 100 %"
        return Finding(Topic.SHARES, f"{about}: {sure}; more reports are needed.", is_sure=False)
    low, high = together
    text = f"{about}: the share of {label(place)} is {_in_words(shares, place, confidence)}."
    return Finding(Topic.SHARES, text, is_sure=bool(low.max() > high.min()))


def _in_words(shares: Shares, place: int, confidence: float) -> str:
    """A share with its interval; of an estimate that no share can be the end that it lies beyond."""
    (texts,) = shares.of(np.array([place])).percentages()
    if shares.estimate[place] < 0:
        texts |= {"estimate": f"at most {texts['high']}"}
    elif shares.estimate[place] > 1:
        texts |= {"estimate": f"at least {texts['low']}"}
    return in_brackets(texts, confidence)


def names_of(question: SharesQuestion) -> Callable[[int], str]:
    """What a sentence calls a value."""
    domain = question.domain
    if isinstance(domain, Grid):
        return partial(cell_in_words, domain)
    return lambda value: repr(question.value_title(value))
