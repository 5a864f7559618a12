"""How near a question's channel is to the best there can be, where a bound on all channels is proved.

Percentages round against the channel. Where the bound lies far below, nobody knows how good the channel is: said so.
"""

from collections.abc import Iterator
from fractions import Fraction

from sordino.blocks.sentence import Purpose, Sentence
from sordino.exact.nats import outward
from sordino.survey.planning.above_floor import above_floor
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.numbers import NumbersQuestion

ROUNDING = Fraction(1, 10**9)
"""A variance that lies above its floor by no more, relatively, is the floor."""

TELLING = Fraction(1, 10)
"""A floor further below, relatively, says little about how good a channel is."""


def floor_sentences(plan: Plan, *, search: bool = False) -> Iterator[Sentence]:
    """A sentence for each question whose floor is known, or found by a search of up to a minute."""
    for question in plan.questions:
        more = above_floor(question, search=search)
        if more is None:
            continue
        percentage = f"{outward(100 * more, 2, up=True)} %"
        if isinstance(question, NumbersQuestion):
            yield Sentence(
                f"The {question.name} is told with a variance at most {percentage} above the least that any way of"
                " asking has that reveals as little, each at the number that is worst for it.",
                Purpose.FLOOR,
            )
        else:
            yield Sentence(f"The {question.name} {_told(more, percentage)}", Purpose.FLOOR)


def _told(more: Fraction, percentage: str) -> str:
    """How near a histogram is to the least."""
    least = "that any way of asking has that keeps the promise, if all values are equally common."
    if more > TELLING:
        return (
            "may be told with nearly the least summed variance or not: nobody has proved it. What is proved is that"
            f" it is at most {percentage} above the least {least}"
        )
    if more > ROUNDING:
        return f"is told with a summed variance at most {percentage} above the least {least}"
    return f"is told with the least summed variance {least}"
