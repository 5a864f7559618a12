"""Fitted shares that agree: of all tables and histograms that share attributes, the margins of one distribution.

The estimates and their intervals stay what they are; only what is fitted beside them changes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from sordino.estimation.estimate import Estimate
from sordino.estimation.joint.joint_fit import LARGEST_JOINT, NoisyMargin, joint_fit
from sordino.survey.questions.question import SharesQuestion, TableQuestion

FEWEST = 2
"""Questions that are fitted together: by itself a table keeps the nearest distribution."""


def fitted_together(
    questions: Sequence[SharesQuestion], estimates: Sequence[Estimate]
) -> Iterator[tuple[int, Estimate]]:
    """The estimates of questions that tables connect, by their places, with what is fitted to all of them.

    Left out are those that no table is about, and those of attributes whose combinations are too many to list: these
    keep what was fitted to each by itself.

    Args:
        questions: that were answered.
        estimates: of each.
    """
    for places in _connected(questions):
        names = sorted({name for place in places for name in questions[place].asked})
        sizes = _sizes([questions[place] for place in places])
        shape = [sizes[name] for name in names]
        told = [place for place in places if (estimates[place].stderr > 0).any()]
        if len(told) < FEWEST or prod(shape) * len(told) > LARGEST_JOINT or _names(questions, told) != set(names):
            continue
        margins = [
            NoisyMargin(
                tuple(names.index(name) for name in questions[place].asked),
                estimates[place].value,
                float((estimates[place].stderr ** 2).mean()),
            )
            for place in told
        ]
        for place, fitted in zip(told, joint_fit(shape, margins), strict=True):
            yield place, replace(estimates[place], fitted=fitted, method="joint")


def _connected(questions: Sequence[SharesQuestion]) -> list[list[int]]:
    """The places of questions that share attributes, of which one at least is a table."""
    groups: list[tuple[set[str], list[int]]] = []
    for place, question in enumerate(questions):
        names, places = set(question.asked), [place]
        apart = []
        for own, members in groups:
            if own & names:
                names, places = names | own, members + places
            else:
                apart.append((own, members))
        groups = [*apart, (names, places)]
    found = [sorted(places) for _, places in groups]
    return [places for places in found if any(isinstance(questions[place], TableQuestion) for place in places)]


def _names(questions: Sequence[SharesQuestion], places: Sequence[int]) -> set[str]:
    return {name for place in places for name in questions[place].asked}


def _sizes(questions: Sequence[SharesQuestion]) -> dict[str, int]:
    """How many values each attribute has."""
    return {name: k for question in questions for name, k in zip(question.asked, question.shape, strict=True)}
