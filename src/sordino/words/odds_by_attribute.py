"""What a promise about each attribute by itself means, in plain words: odds and beliefs, within a dependence bound.

Numbers round against the promise. Source: BCDP paper, Section 2 (odds ratios) and Definition 4.
"""

from functools import cache

from sordino.audit.certificate import Certificate
from sordino.blocks.sentence import Purpose, Sentence, limits
from sordino.exact.amount_text import CLOSE, loss_text, loss_text_of
from sordino.exact.nats import Nats
from sordino.survey.planning.coordinates import CoordinatePromise
from sordino.words.bound_sources import bound_in_short, bound_sentences, bounds_in_short
from sordino.words.odds import PRIOR, beliefs, factor

FEW = 5
"""Attributes that a summary names at most."""


def coordinate_promise(promise: CoordinatePromise) -> tuple[str, ...]:
    """Sentences about the deltas, what they rest on, and what they do not promise."""
    whole = factor(promise.epsilon)
    lines = []
    below = promise.below_epsilon
    for i in below:
        most, least = beliefs(promise.deltas[i])
        lines.append(
            f"A report changes the odds between {_pairs(promise, i)} by a factor of at most"
            f" {_both(promise.deltas[i], promise.losses[i])}{_if_within(promise, i)}: a suspicion of {PRIOR} % rises to"
            f" at most {most} % and falls no lower than {least} %."
        )
    binned = [promise.quoted_title(i) for i in below if promise.bins_of(i)]
    if binned:
        lines.append(
            f"For {' and '.join(binned)} this promise is about the bin of a number. Between two single values, in one"
            f" bin or in two, only the factor of {whole} holds, because the stated dependence is that of bins."
        )
    if any(promise.depends_on_bound(i) for i in below):
        lines.append(
            "The smaller factors hold for somebody whose beliefs before any report about all other attributes, given"
            f" each value{' or bin' if binned else ''} of the attribute, are within the stated dependence. For anybody"
            f" else, such as somebody who knows some of the other answers, only the factor of {whole} holds."
        )
    return tuple(lines)


def coordinate_summary(promise: CoordinatePromise) -> tuple[str, ...]:
    """The promise in four sentences at most, with all that limits it; `coordinate_promise` says the rest."""
    anybody = "Whatever else somebody knows or believes, the report changes the odds between any two records"
    lines = [f"{anybody} by a factor of at most {_both(promise.epsilon, promise.level)}."]
    below = promise.below_epsilon
    if below:
        shown = [f"{promise.quoted_title(i)}{_about_bins(promise, i)} {factor(promise.deltas[i])}" for i in below[:FEW]]
        shown += [f"and {len(below) - FEW:,} more"] if len(below) > FEW else []
        less = "It reveals less about these attributes, whose odds change by a factor of at most"
        lines.append(f"{less}: {', '.join(shown)}.")
    if any(promise.depends_on_bound(i) for i in below):
        lines.append(
            "These smaller factors hold for somebody whose beliefs before any report are within the stated dependence"
            f" ({bounds_in_short(promise)}). For anybody else, such as somebody who knows some of the other answers,"
            f" only the factor of {factor(promise.epsilon)} holds."
        )
    lines.append(
        "A second report from the same person, on any question, is not covered: these factors are for one report."
    )
    return tuple(lines)


def _both(promised: Nats, reached: Nats) -> str:
    if abs(float(promised) - float(reached)) <= float(CLOSE):
        return f"{factor(promised)} ({loss_text(promised)})"
    return f"{factor(promised)} ({loss_text(promised)}; this plan: {factor(reached)}, {loss_text(reached)})"


def coordinate_sentences(promise: CoordinatePromise) -> tuple[Sentence, ...]:
    """The certificate in sentences: what the plan's integers reach."""
    verdict = "The promise holds" if promise.holds else f"The promise is BROKEN for {', '.join(promise.violations)}"
    # Many attributes have equal amounts.
    amount = cache(loss_text_of)
    reached = [
        f"{promise.quoted_title(i)}{_about_bins(promise, i)}: at most {amount(promise.losses[i], promise.deltas[i])}."
        for i in range(len(promise.names))
    ]
    reached.append(f"The whole record: at most {loss_text_of(promise.level, promise.epsilon)}.")
    # Questions that are asked alike are said once.
    levels = dict.fromkeys(map(_most_telling, dict.fromkeys(promise.certificates)))
    return (
        Sentence(f"{verdict}: checked on the integers of every answer."),
        *(Sentence(line, Purpose.REACHED) for line in reached),
        *limits(*bound_sentences(promise), *levels),
    )


def _most_telling(certificate: Certificate) -> str:
    witness = certificate.witness
    if witness is None or witness.loss is None:
        return "An answer about numbers can rule out records for certain."
    loss = loss_text_of(witness.loss, witness.loss + certificate.slack)
    return f"No answer about numbers reveals more about the whole record than {loss}."


def _about_bins(promise: CoordinatePromise, i: int) -> str:
    bins = promise.bins_of(i)
    return f" (which of its {bins} bins)" if bins else ""


def _pairs(promise: CoordinatePromise, i: int) -> str:
    bins = promise.bins_of(i)
    return f"any two {f'of the {bins} bins' if bins else 'values'} of {promise.quoted_title(i)}"


def _if_within(promise: CoordinatePromise, i: int) -> str:
    if not promise.depends_on_bound(i):
        return ""
    return f", if the others depend on it by no more than stated ({bound_in_short(promise, i)} in total variation)"
