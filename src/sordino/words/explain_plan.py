"""What a report under a plan can reveal, in plain words: five sentences that matter, and all else under headings.

The five leave out no limit of the promise: what is public, against whom it holds, and that reports add up.
Numbers round against the promise. Source: the promises' own sentences, `words.odds` and `words.odds_by_attribute`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite

import numpy as np

from sordino.blocks.sentence import Paragraph, Purpose, Sentence, limits, texts
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP
from sordino.exact.nats import outward
from sordino.survey.frozen.promise import Definition
from sordino.survey.planning.plan import Plan
from sordino.survey.questions.question import SharesQuestion
from sordino.words.conditions import condition_sentences
from sordino.words.explain_questionnaire import missing_words, questionnaire_paragraphs
from sordino.words.floors import floor_sentences
from sordino.words.grounds import bound_sentences, ground_sentences
from sordino.words.odds import factor, short
from sordino.words.odds_by_attribute import coordinate_promise, coordinate_summary
from sordino.words.promised_shares import promise_sentences
from sordino.words.public_columns import public_sentences, public_summary
from sordino.words.series.series_sentences import series_sentences, series_summary

MOST = 5
"""Sentences of a summary."""

FEW = 5
"""Values whose names are spelled out at most."""

ASKED = "Who is asked what"
REVEALED = "What one report can reveal"
RESTS = "What the smaller factors depend on"
FORGED = "Forged reports"
SENT = "What is sent"
PUBLIC = "What is sent in clear"
PERIODS = "Who answers when"
NEARLY = "How close to the best possible"

AGAIN = "A second report from the same person, on any question, multiplies the factors."


@dataclass(frozen=True)
class Explanation:
    """Sentences in the order in which they matter.

    Attributes:
        summary: five at most; with them nothing is left out that limits the promise.
        details: all others, by heading.
        questionnaire: what people read, which comes first; empty of a plan without words.
        missing_words: what people see where there are none, in one line at most.
    """

    summary: tuple[Sentence, ...]
    details: tuple[Paragraph, ...]
    questionnaire: tuple[Paragraph, ...] = ()
    missing_words: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All sentences."""
        asked = (line for paragraph in self.questionnaire for line in (paragraph.heading, *paragraph.lines) if line)
        details = (line for paragraph in self.details for line in paragraph.lines)
        return (*asked, *texts(self.summary), *details)

    def json(self) -> dict[str, object]:
        """For programs."""
        details = {paragraph.heading: list(paragraph.lines) for paragraph in self.details}
        asked = [{"heading": own.heading, "lines": list(own.lines)} for own in self.questionnaire]
        said = {"questionnaire": asked, "missing_words": list(self.missing_words)}
        return said | {"summary": list(texts(self.summary)), "details": details}


def explanation(plan: Plan, *, floor: bool = False, language: str | None = None) -> Explanation:
    """What a report under a plan can reveal, and what it does not protect.

    Args:
        plan: frozen.
        floor: whether to search for the least possible variance where no formula has it: seconds, up to a minute.
        language: of the questionnaire; the survey's first by default.
    """
    asked = questionnaire_paragraphs(plan, language)
    if plan.promise is not None:
        summary, details = _by_attributes(plan)
    elif len(plan.about_shares) == 1:
        summary, details = _single(plan.about_shares[0])
    else:
        summary, details = _several(plan)
    # What is sent in clear and when belongs to what is sent: no sentence that limits the promise gives way to it.
    first, *others = summary
    said = (first.text, series_summary(plan), public_summary(plan))
    summary = (replace(first, text=" ".join(filter(None, said))), *others)
    periods = Paragraph(PERIODS, limits(*series_sentences(plan)))
    public = Paragraph(PUBLIC, limits(*public_sentences(plan)))
    forged = Paragraph(FORGED, limits(*_forged_sentences(plan)))
    sent = Paragraph(SENT, limits(codes_sentence(plan.sampled.code_bits), *condition_sentences(plan.attributes)))
    nearly = Paragraph(NEARLY, tuple(floor_sentences(plan, search=floor)))
    told = (*details, periods, public, forged, sent, nearly)
    details = tuple(paragraph for paragraph in told if paragraph.sentences)
    return Explanation(summary, details, asked, missing_words(plan))


def forged_sentence(people: float, within: str = "an estimate") -> str:
    """How much one forged report can weigh."""
    if not isfinite(people):
        return "Nothing can be estimated from these reports: they do not depend on the values."
    return f"One forged report can weigh as much as {short(Fraction(people), up=True)} people in {within}."


def codes_sentence(code_bits: int) -> str:
    """What a report is."""
    return f"A report is a code of {code_bits} bit{'' if code_bits == 1 else 's'}."


Parts = tuple[tuple[Sentence, ...], tuple[Paragraph, ...]]


def _single(question: SharesQuestion) -> Parts:
    """One histogram: its own promise."""
    asked = f"Each person is asked once for {question.asked_in_words}, and sends one report."
    said = (Sentence(asked), *promise_sentences(question, "one report"))
    examples = [sentence for sentence in said if sentence.purpose is Purpose.EXAMPLE]
    later = examples[: max(0, len(said) - MOST)]
    first = tuple(sentence for sentence in said if sentence not in later)
    details = (*later, *first[MOST:], *limits(*question.notes))
    return first[:MOST], (Paragraph(REVEALED, details),)


def _several(plan: Plan) -> Parts:
    """Several histograms without deltas: the least protected answers first."""
    head, *shares = _question_sentences(plan)
    details = [Paragraph(ASKED, limits(*shares))]
    for question in plan.about_shares:
        said = promise_sentences(question, f"one report about {question.name!r}")
        # That is said once of all questions.
        own = (sentence for sentence in said if sentence.purpose is not Purpose.REPEATED)
        heading = f"{REVEALED} about {question.name!r}"
        details.append(Paragraph(heading, (*own, *limits(*question.notes))))
    most, others = _largest_factor(plan.about_shares), _about_others(plan.about_shares)
    return limits(head, most, *_unprotected_sentences(plan.about_shares), others, AGAIN), tuple(details)


def _by_attributes(plan: Plan) -> Parts:
    """A promise about each attribute by itself."""
    if plan.promise is None:
        raise AssertionError("only plans whose attributes have deltas come here")
    head, *shares = _question_sentences(plan)
    said = {
        ASKED: (*shares, *_answered_together(plan), *_missing_sentences(plan)),
        REVEALED: coordinate_promise(plan.promise),
        RESTS: (*bound_sentences(plan.promise), *ground_sentences(plan.promise)),
    }
    details = tuple(Paragraph(heading, limits(*lines)) for heading, lines in said.items())
    return limits(head, *coordinate_summary(plan.promise)), details


def _question_sentences(plan: Plan) -> tuple[str, ...]:
    """Who is asked what."""
    if len(plan.questions) == 1:
        return (f"Each person is asked once for {plan.questions[0].asked_in_words}, and sends one report.",)
    return (
        (
            f"Each person is randomly assigned one of {len(plan.questions)} questions, whatever their answers are, and"
            " answers it once; every report shows which."
        ),
        *(
            f"About {outward(100 * question.share, 3, up=False)} % are asked for {question.asked_in_words}."
            for question in plan.questions
        ),
    )


def _answered_together(plan: Plan) -> Iterator[str]:
    """Where one report answers about several numbers."""
    for question in plan.questions:
        if question.together > 1:
            yield (
                f"A report about {question.name} answers separately about {question.together} numbers; the factors"
                " include what all these answers reveal together."
            )


def _missing_sentences(plan: Plan) -> Iterator[str]:
    """Which answers may be missing, and that it is protected."""
    for attribute in plan.attributes.values():
        if attribute.optional:
            yield (
                f"{attribute.name!r} may be missing. Being missing counts as a value, and is protected like every other"
                f" value; the expected share of {attribute.missing} is no part of the promise."
            )
    for question in plan.questions:
        if question.of_complete:
            yield (
                f"Anyone missing any of the numbers of the {question.name} reports only that; results describe people"
                " who have all of them."
            )


def _forged_sentences(plan: Plan) -> Iterator[str]:
    """How much forged reports can weigh in shares and in distribution functions."""
    # Shares first, whose weight matters to whoever counts people.
    for question in sorted(plan.questions, key=lambda one: one.shares is None):
        weight = question.forged_weight
        if weight is not None:
            about = f"{question.name!r}: " if len(plan.questions) > 1 else ""
            yield about + forged_sentence(weight.people, weight.within)


def _largest_factor(questions: Sequence[SharesQuestion]) -> str:
    """The most that a report tells about answers that are protected from each other."""
    most = max(questions, key=lambda question: question.definition.epsilon)
    return (
        "Whatever else somebody knows, one report changes the odds between two answers protected from each other by a"
        f" factor of at most {factor(most.definition.epsilon)} (for {most.name!r})."
    )


def _unprotected_sentences(questions: Sequence[SharesQuestion]) -> tuple[str, ...]:
    """The questions some of whose answers are not protected from each other."""
    names = [question.name for question in questions if not _is_bounded(question.definition)]
    if not names:
        return ()
    return (
        (
            f"Not all answers are protected from each other: a report about {_name_list(names)} openly shows what the"
            " details call public or not sensitive."
        ),
    )


def _about_others(questions: Sequence[SharesQuestion]) -> str:
    """What a report about one attribute can tell about another."""
    start = (
        "A report about one attribute also reveals something about others, to somebody who knows how they depend on"
        " each other: it changes the odds of their answers"
    )
    bounds = [question.definition.epsilon for question in questions if _is_bounded(question.definition)]
    if len(bounds) == len(questions):
        return f"{start} by a factor of at most {factor(max(bounds))}."
    names = [question.name for question in questions if not _is_bounded(question.definition)]
    return (
        f"{start} without limit if it is about {_name_list(names)}, since not all of these values are protected from"
        " each other."
    )


def _name_list(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return ", ".join(repr(name) for name in names[:FEW]) + more


def _is_bounded(definition: Definition) -> bool:
    """Whether every two values are protected from each other."""
    if isinstance(definition, PairwiseLDP):
        return bool(np.isfinite(definition.floors[~np.eye(definition.k, dtype=np.bool_)]).all())
    return isinstance(definition, LDP | MetricLDP)
