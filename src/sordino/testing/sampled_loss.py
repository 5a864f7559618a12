"""The largest loss of a program that nobody needs to read, bounded from below by what it printed.

Of the answers on each value two thirds choose an event and two values, whose chances of it seem to differ most: a set
of answers, one letter or one word at its place, a word that is there, a number from an end on or below it, how long the
answer is; or that it is not so. The last third, which the choice has not seen, counts it. A bit that is never
randomized is an event of chance 0 on one value and 1 on another, however many other bits the answer has.

Guarantee: if the answers on each value are independent draws of one distribution, the bound is above the program's
largest loss with a chance of at most 1 - confidence, whatever the program does: two binomial limits of Clopper and
Pearson (1934), which each fail at most half as often. A small bound proves nothing: events of other kinds, and such as
come too seldom, are not seen.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sordino.errors import SordinoError
from sordino.exact.messages import shown

FEWEST = 30
"""Answers on a value, at least."""

MOST_PLACES = 4096
"""Letters, or words, of an answer that are looked at one by one."""

ENDS = 64
"""Of numbers, from how many ends on they are counted."""

WORD = re.compile(r"[^\s,;:(){}\[\]\"']+")

Floats = NDArray[np.float64]

Counts = NDArray[np.int64]


class _Feature(NamedTuple):
    """What an answer can have.

    Attributes:
        kind: `answer`, `letter`, `word at`, `word`, `length`, `from` or `below`.
        place: of the letter or the word; 0 of others.
        what: the answer, the letter, the word, the length or the end.
    """

    kind: str
    place: int
    what: str | int | float


class _ComparedEvent(NamedTuple):
    """That an answer has one of some features, or has none of them.

    Attributes:
        score: the bound that the answers which choose would give.
        more, less: the values whose chances of it are compared.
        features: which.
        lacking: whether it has none of them.
    """

    score: float
    more: str
    less: str
    features: tuple[_Feature, ...]
    lacking: bool


@dataclass(frozen=True)
class SampledLoss:
    """What the answers of a program prove of it.

    Attributes:
        bound: below the largest loss, in nats, with the confidence; 0 where nothing is proven.
        confidence: that the bound is right.
        more, less: the values on which the event came more often, and less often.
        event: in words.
        seen: how often it came on each of them, among how many answers that had no part in the choice.
    """

    bound: float
    confidence: float
    more: str
    less: str
    event: str
    seen: tuple[tuple[int, int], tuple[int, int]]


def largest_sampled_loss(answers: Mapping[str, Sequence[str]], confidence: float = 0.99) -> SampledLoss:
    """Bound from below how much an answer can change the odds between two values.

    Args:
        answers: what the program printed on each value, each answer a text of its own, in the order in which they came.
        confidence: that the bound is right, for whatever program.

    Raises:
        SordinoError: fewer than two values or 30 answers on one, or a confidence that is not between 0 and 1.

    Example:
        >>> loss = largest_sampled_loss({"no": ["0"] * 1000, "yes": ["1"] * 1000})
        >>> loss.event, round(loss.bound, 1)
        ("the answer is '0'", 4.1)
    """
    if not 0 < confidence < 1:
        raise SordinoError("a confidence must be between 0 and 1", found=shown(confidence), step="write 0.99")
    if len(answers) < 2:
        raise SordinoError("a loss is between two values", found=shown(len(answers)), step="give two values or more")
    if (fewest := min(map(len, answers.values()))) < FEWEST:
        rule = f"each value must have {FEWEST} answers or more"
        raise SordinoError(rule, found=shown(fewest), step="run the program more often")
    error = (1 - confidence) / 2
    first, second, last = ({value: own[start::3] for value, own in answers.items()} for start in range(3))
    found = _choose(first, second, error)
    more, less = ((_count(last[value], found), len(last[value])) for value in (found.more, found.less))
    bound = float(_scores(np.array([more[0]]), more[1], np.array([less[0]]), less[1], error)[0])
    return SampledLoss(max(bound, 0.0), confidence, found.more, found.less, _in_words(found), (more, less))


def _scores(often: Counts, of: int, seldom: Counts, among: int, error: float) -> Floats:
    """The logarithm of the least ratio of the chances of each event.

    Args:
        often: how often each came on one value.
        of: among how many answers.
        seldom: how often it came on the other value.
        among: among how many answers.
        error: the chance, at most, that a limit of one of the chances is missed.
    """
    from scipy import special

    with np.errstate(divide="ignore"):
        lower = np.where(often > 0, special.betaincinv(np.maximum(often, 1), of - often + 1, error), 0.0)
        upper = np.where(seldom < among, special.betainccinv(seldom + 1, np.maximum(among - seldom, 1), error), 1.0)
        scores: Floats = np.log(lower) - np.log(upper)
    return scores


def _choose(first: Mapping[str, Sequence[str]], second: Mapping[str, Sequence[str]], error: float) -> _ComparedEvent:
    """The event and the two values whose bound would be largest, if all answers came again as they did.

    Args:
        first: answers that say which answers speak for a value more than others do.
        second: those by which events are chosen: a set that was found in answers seems rarer in no others.
        error: of each limit.
    """
    ends = _ends([answer for own in second.values() for answer in own])
    orders, tallies = ({value: _tally(own, ends) for value, own in answers.items()} for answers in (first, second))
    features = list(dict.fromkeys(feature for tally in tallies.values() for feature in tally))
    counts = {value: np.array([tally[one] for one in features]) for value, tally in tallies.items()}
    before = set().union(*orders.values())
    whole = [place for place, one in enumerate(features) if one.kind == "answer" and one in before]

    def events() -> Iterator[_ComparedEvent]:
        for more, less in permutations(second, 2):
            of, among = len(second[more]), len(second[less])
            for own, other, lacking in (
                (counts[more], counts[less], False),
                (of - counts[more], among - counts[less], True),
            ):
                alone = _scores(own, of, other, among, error)
                best = int(alone.argmax())
                yield _ComparedEvent(float(alone[best]), more, less, (features[best],), lacking)
            if not whole:
                continue
            # By Neyman and Pearson: answers in the order of their ratios, from the largest on.
            speaks, against = (np.array([orders[value][features[place]] for place in whole]) for value in (more, less))
            order = np.array(whole)[np.argsort(-(speaks + 0.5) / (against + 0.5), kind="stable")]
            sets = _scores(counts[more][order].cumsum(), of, counts[less][order].cumsum(), among, error)
            last = int(sets.argmax())
            chosen = tuple(features[place] for place in order[: last + 1].tolist())
            yield _ComparedEvent(float(sets[last]), more, less, chosen, lacking=False)

    return max(events(), key=lambda event: event.score)


def _tally(answers: Sequence[str], ends: Sequence[float]) -> Counter[_Feature]:
    """How many answers have each feature."""
    return Counter(feature for answer in answers for feature in _features(answer, ends))


def _features(answer: str, ends: Sequence[float]) -> Iterator[_Feature]:
    words, number = WORD.findall(answer), _number(answer) if ends else None
    yield _Feature("answer", 0, answer)
    yield _Feature("length", 0, len(answer))
    for place, letter in enumerate(answer[:MOST_PLACES]):
        yield _Feature("letter", place, letter)
    if len(words) > 1:
        for place, word in enumerate(words[:MOST_PLACES]):
            yield _Feature("word at", place, word)
        for word in dict.fromkeys(words):
            yield _Feature("word", 0, word)
    if number is not None:
        yield from (_Feature("from" if number >= end else "below", 0, end) for end in ends)


def _number(answer: str) -> float | None:
    try:
        number = float(answer)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _ends(answers: Sequence[str]) -> list[float]:
    """From where on numbers are counted: of answers that are numbers, so many that as many lie between two of them."""
    numbers = [number for answer in answers if (number := _number(answer)) is not None]
    return np.unique(np.quantile(numbers, np.arange(1, ENDS) / ENDS)).tolist() if numbers else []


def _count(answers: Sequence[str], event: _ComparedEvent) -> int:
    """How often an event came."""
    wanted, ends = (
        set(event.features),
        [float(str(one.what)) for one in event.features if one.kind in {"from", "below"}],
    )
    return sum(wanted.isdisjoint(_features(answer, ends)) == event.lacking for answer in answers)


def _in_words(event: _ComparedEvent) -> str:
    (kind, place, what), count = event.features[0], len(event.features)
    told = shown(what)
    if count > 1:
        return f"the answer is one of {count:,}, {told} among them"
    is_there, is_lacking = {
        "answer": (f"is {told}", f"is not {told}"),
        "length": (f"has {told} letters", f"has other than {told} letters"),
        "letter": (f"has {told} as letter {place + 1}", f"has not {told} as letter {place + 1}"),
        "word at": (f"has {told} as word {place + 1}", f"has not {told} as word {place + 1}"),
        "word": (f"has the word {told}", f"lacks the word {told}"),
        "from": (f"is {told} or more", f"is below {told}, or no number"),
        "below": (f"is below {told}", f"is {told} or more, or no number"),
    }[kind]
    return f"the answer {is_lacking if event.lacking else is_there}"
