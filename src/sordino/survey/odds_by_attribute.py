"""What a promise about each attribute by itself means, in plain words: odds and beliefs, within a dependence bound.

Numbers round against the promise. Source: BCDP paper, Section 2 (odds ratios) and Definition 4.
"""

from fractions import Fraction

from sordino.audit.answers import AnswersCertificate
from sordino.exact.nats import Nats, outward
from sordino.survey.coordinates import CoordinatePromise
from sordino.survey.odds import PRIOR, beliefs, factor


def coordinate_promise(promise: CoordinatePromise) -> tuple[str, ...]:
    """Sentences about the deltas, what they rest on, and what they do not promise."""
    lines = [
        (
            f"Whatever else somebody knows or believes, the report changes the odds between any two records by a factor"
            f" of at most {factor(promise.epsilon)}."
        )
    ]
    below = [i for i, delta in enumerate(promise.deltas) if delta < promise.epsilon]
    for i in below:
        most, least = beliefs(promise.deltas[i])
        lines.append(
            f"It changes the odds between any two {_values(promise, i)} by a factor of at most"
            f" {factor(promise.deltas[i])}{_if_within(promise, i)}: a suspicion of 1 in {PRIOR} becomes at most 1 in"
            f" {most} and at least 1 in {least}."
        )
    if any(_relies(promise, i) for i in below):
        lines.append(
            "That holds for beliefs held before any report, of somebody whose beliefs about all else, given each value"
            " of the attribute, are within the stated dependence. For anybody else, as for who knows some of the other"
            " answers, only the first line holds."
        )
    lines.append(
        "A second report of the same person, about whatever, is not covered by these factors: the promise is for one."
    )
    return tuple(lines)


def kept(promise: CoordinatePromise) -> tuple[str, ...]:
    """The certificate in sentences: what the plan's integers reach."""
    verdict = "The promise holds" if promise.holds else f"The promise is BROKEN for {', '.join(promise.broken)}"
    lines = [f"{verdict}: checked on the integers of every answer."]
    lines += [
        f"{name!r}: at most {_shown(reached)} of {_shown(delta)} nats."
        for name, reached, delta in zip(promise.names, promise.reached, promise.deltas, strict=True)
    ]
    lines.append(f"The whole record: at most {_shown(promise.level)} of {_shown(promise.epsilon)} nats.")
    return (*lines, *map(_level_kept, promise.certificates))


def _level_kept(certificate: AnswersCertificate) -> str:
    """Whether answers about numbers tell no more than is reckoned with."""
    witness = certificate.witness
    level = _shown(witness.level)
    loss = "without bound" if witness.loss is None else f"{_shown(witness.loss)} of {level} nats"
    where = f"code {witness.code}, between the scaled numbers {_listed(witness.numbers)} and {_listed(witness.others)}"
    if not certificate.holds:
        return f"An answer about numbers tells more than the {level} nats that it counts for: {loss}, at {where}."
    return f"No answer about numbers tells more than it counts for, nor about others: most at {where}, {loss}."


def _listed(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{number:.6g}" for number in numbers)


def _shown(amount: Nats) -> str:
    return outward(Fraction(amount.ceil()), 9, up=True)


def _values(promise: CoordinatePromise, i: int) -> str:
    """What the promise about an attribute is between."""
    bins, name = promise.bins[i], repr(promise.names[i])
    if bins is None or not _relies(promise, i):
        return f"values of {name}"
    return f"of the {bins} bins of one width that {name} can fall in (not between two numbers of one bin)"


def _relies(promise: CoordinatePromise, i: int) -> bool:
    """Whether the delta rests on a declared bound."""
    return promise.level > promise.deltas[i]


def _if_within(promise: CoordinatePromise, i: int) -> str:
    if not _relies(promise, i):
        return ""
    rest = promise.dependence.of_rest(i)
    bound = f" ({outward(rest, 6, up=True)} in total variation for all of them together)" if rest < 1 else ""
    return f", if the other attributes depend on it no more than stated{bound}"
