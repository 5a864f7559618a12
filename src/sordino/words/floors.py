"""How near a question's channel is to the best there can be, where a bound on all channels is proved.

Percentages round against the channel. Where the bound lies far below, nobody knows how good the channel is: said so.
"""

from collections.abc import Iterator

from sordino.blocks.sentence import Purpose, Sentence
from sordino.exact.nats import outward
from sordino.survey.planning.plan import Plan


def floor_sentences(plan: Plan, *, search: bool = False) -> Iterator[Sentence]:
    """A sentence for each question whose floor is known, or found by a search of up to a minute."""
    for question in plan.questions:
        more = question.above_floor(search=search)
        if more is None:
            continue
        percentage = f"{outward(100 * more, 2, up=True)} %"
        yield Sentence(question.floor_in_words(more, percentage), Purpose.FLOOR)
