"""What a promise about each attribute by itself means, in plain words: odds and beliefs, within a dependence bound.

Numbers round against the promise. Source: BCDP paper, Section 2 (odds ratios) and Definition 4.
"""

from sordino.audit.answers import AnswersCertificate
from sordino.exact.nats import Nats, outward, upward
from sordino.survey.coordinates import CoordinatePromise
from sordino.survey.odds import PRIOR, beliefs, factor


def coordinate_promise(promise: CoordinatePromise) -> tuple[str, ...]:
    """Sentences about the deltas, what they rest on, and what they do not promise."""
    whole = factor(promise.epsilon)
    anybody = (
        "Whatever else somebody knows or believes, the report changes the odds between any two records by a factor"
    )
    lines = [f"{anybody} of at most {whole}."]
    below = [i for i, delta in enumerate(promise.deltas) if delta < promise.epsilon]
    for i in below:
        most, least = beliefs(promise.deltas[i])
        lines.append(
            f"It changes the odds between {_pairs(promise, i)} by a factor of at most"
            f" {factor(promise.deltas[i])}{_if_within(promise, i)}: a suspicion of 1 in {PRIOR} becomes at most 1 in"
            f" {most} and at least 1 in {least}."
        )
    binned = [repr(promise.names[i]) for i in below if promise.binned(i)]
    if binned:
        lines.append(
            f"Of {' and '.join(binned)} that is promised about the bin that a number falls in. Between two single"
            f" values, of one bin or of two, only the factor of {whole} holds: the stated dependence is that of bins."
        )
    if any(promise.relies(i) for i in below):
        lines.append(
            "The smaller factors hold for beliefs held before any report, of somebody whose beliefs about all else,"
            f" given each value{' or bin' if binned else ''} of the attribute, are within the stated dependence. For"
            f" anybody else, as for who knows some of the other answers, only the factor of {whole} holds."
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
        f"{name!r}{_about_bins(promise, i)}: at most {_shown(promise.reached[i])} of {_shown(promise.deltas[i])} nats."
        for i, name in enumerate(promise.names)
    ]
    lines.append(f"The whole record: at most {_shown(promise.level)} of {_shown(promise.epsilon)} nats.")
    # Questions that are asked alike are said once.
    return (*lines, *dict.fromkeys(map(_level_kept, promise.certificates)))


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
    return upward(amount, 9)


def _about_bins(promise: CoordinatePromise, i: int) -> str:
    bins = promise.binned(i)
    return f" (which of its {bins} bins)" if bins else ""


def _pairs(promise: CoordinatePromise, i: int) -> str:
    bins = promise.binned(i)
    return f"any two {f'of the {bins} bins' if bins else 'values'} of {promise.names[i]!r}"


def _if_within(promise: CoordinatePromise, i: int) -> str:
    if not promise.relies(i):
        return ""
    rest = promise.dependence.of_rest(i)
    bound = f" ({outward(rest, 6, up=True)} in total variation for all of them together)" if rest < 1 else ""
    return f", if the other attributes depend on it no more than stated{bound}"
