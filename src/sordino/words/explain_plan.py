"""What a report under a plan can reveal, in plain words: five sentences that matter, and all else under headings.

The five leave out no limit of the promise: what is public, against whom it holds, and that reports add up. A promise by
distances is in the unit that they are counted in: numbers, kilometres, steps of a tree. Numbers round against the
promise. Source: the promises' own sentences, `words.odds` and `words.odds_by_attribute`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import floor, isfinite

from sordino.blocks.sentence import Paragraph, Purpose, Sentence, limits, texts
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.metric_tree import total
from sordino.domain.attribute import Domain
from sordino.domain.categories import Categories
from sordino.domain.finite_record import Record
from sordino.domain.grid import Grid, cell_sizes
from sordino.exact.nats import Nats, outward
from sordino.survey.kinds.question import Question, SharesQuestion
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.amounts import canonical_amount, canonical_epsilon, canonical_number
from sordino.survey.schema.attribute_part import MetricPart
from sordino.survey.schema.promise import Definition, definition_of
from sordino.words.asked_attributes import attribute_lines, is_bounded
from sordino.words.bound_sources import bound_sentences, ground_sentences
from sordino.words.condition_sentences import condition_sentences, condition_summary
from sordino.words.explain_questionnaire import missing_words, questionnaire_paragraphs
from sordino.words.odds import SAME, factor, promise, short
from sordino.words.odds_by_attribute import coordinate_promise, coordinate_summary
from sordino.words.public_columns import public_sentences, public_summary
from sordino.words.series_sentences import series_sentences, series_summary

MOST = 5
"""Sentences of a summary."""

FEW = 5
"""Values whose names are spelled out at most."""

FAR = 5
"""Nats between two values from which a report leaves little doubt: 10 % become 94 %."""

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
        questionnaire: what people read, which comes first; empty of a plan without words.
        missing_words: what people see where there are none, in one line at most.
        asked: how the survey was read, a line for each attribute.
    """

    summary: tuple[Sentence, ...]
    details: tuple[Paragraph, ...]
    questionnaire: tuple[Paragraph, ...] = ()
    missing_words: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

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
        said = {"questionnaire": asked, "missing_words": list(self.missing_words), "asked": list(self.asked)}
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
    elif len(plan.questions) == 1:
        summary, details = _single(plan)
    else:
        summary, details = _several(plan)
    # What is sent in clear and when belongs to what is sent: no sentence that limits the promise gives way to it.
    first, *others = summary
    said = (first.text, series_summary(plan), public_summary(plan), condition_summary(plan))
    summary = (replace(first, text=" ".join(filter(None, said))), *others)
    periods = Paragraph(PERIODS, limits(*series_sentences(plan)))
    public = Paragraph(PUBLIC, limits(*public_sentences(plan)))
    forged = Paragraph(FORGED, limits(*_forged_sentences(plan)))
    sent = Paragraph(SENT, limits(codes_sentence(plan.sampled.code_bits), *condition_sentences(plan)))
    nearly = Paragraph(NEARLY, tuple(floor_sentences(plan, search=floor)))
    told = (*details, periods, public, forged, sent, nearly)
    details = tuple(paragraph for paragraph in told if paragraph.sentences)
    return Explanation(summary, details, asked, missing_words(plan), attribute_lines(plan))


def forged_sentence(people: float, within: str = "an estimate") -> str:
    """How much one forged report can weigh."""
    if not isfinite(people):
        return "Nothing can be estimated from these reports: they do not depend on the values."
    return f"One forged report can weigh as much as {short(Fraction(people), up=True)} people in {within}."


def codes_sentence(code_bits: int) -> str:
    """What a report is."""
    return f"A report is a code of {code_bits} bit{'' if code_bits == 1 else 's'}."


Parts = tuple[tuple[Sentence, ...], tuple[Paragraph, ...]]


def _single(plan: Plan) -> Parts:
    """One question: its own promise."""
    (question,) = plan.questions
    asked = f"Each person is asked once for {question.asked_in_words}, and sends one report."
    said = (Sentence(asked), *_question_promise(question, "one report"))
    examples = [sentence for sentence in said if sentence.purpose is Purpose.EXAMPLE]
    later = examples[: max(0, len(said) - MOST)]
    first = tuple(sentence for sentence in said if sentence not in later)
    details = (*later, *first[MOST:], *limits(*_notes(question), *_missing_sentences(plan)))
    return first[:MOST], (Paragraph(REVEALED, details),)


def _several(plan: Plan) -> Parts:
    """Several questions, each promised by itself: the least protected answers first."""
    head, *shares = _question_sentences(plan)
    details = [Paragraph(ASKED, limits(*shares, *_missing_sentences(plan)))]
    for question in plan.questions:
        said = _question_promise(question, f"one report about {question.quoted_title}")
        # That is said once of all questions.
        own = (sentence for sentence in said if sentence.purpose is not Purpose.REPEATED)
        heading = f"{REVEALED} about {question.quoted_title}"
        details.append(Paragraph(heading, (*own, *limits(*_notes(question)))))
    promises = {question.quoted_title: _own_promise(question) for question in plan.questions}
    most, others = _largest_factor(promises), _about_others(promises)
    return limits(head, most, *_unprotected_sentences(promises), others, AGAIN), tuple(details)


def _own_promise(question: Question) -> Definition:
    if question.value_promise is None:
        raise AssertionError("only questions that are promised by themselves come here")
    return question.value_promise


def _notes(question: Question) -> tuple[str, ...]:
    return () if question.shares is None else question.shares.notes


def _question_promise(question: Question, report: str) -> tuple[Sentence, ...]:
    """The promise of a question by itself."""
    shares = question.shares
    return promise(_own_promise(question), None, report) if shares is None else promise_sentences(shares, report)


def _by_attributes(plan: Plan) -> Parts:
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
    if len(plan.questions) == 1:
        return (f"Each person is asked once for {plan.questions[0].asked_in_words}, and sends one report.",)

    @cache
    def share(part: Fraction) -> str:
        return outward(100 * part, 3, up=False)

    return (
        (
            f"Each person is randomly assigned one of {len(plan.questions)} questions, whatever their answers are, and"
            " answers it once; every report shows which."
        ),
        *(f"About {share(question.share)} % are asked for {question.asked_in_words}." for question in plan.questions),
    )


def _answered_together(plan: Plan) -> Iterator[str]:
    for question in plan.questions:
        if question.together > 1:
            yield (
                f"A report about {question.title} answers separately about {question.together} numbers; the factors"
                " include what all these answers reveal together."
            )


def _missing_sentences(plan: Plan) -> Iterator[str]:
    for attribute in plan.attributes.values():
        if attribute.optional:
            yield (
                f"{attribute.quoted_title} may be missing. Being missing counts as a value, and is protected like every"
                f" other value; the expected share of {attribute.missing} is no part of the promise."
            )
    for question in plan.questions:
        if question.of_complete:
            yield (
                f"Anyone missing any of the numbers of the {question.title} reports only that; results describe people"
                " who have all of them."
            )


def _forged_sentences(plan: Plan) -> Iterator[str]:
    sentence = cache(forged_sentence)
    # Shares first, whose weight matters to whoever counts people.
    for question in sorted(plan.questions, key=lambda one: one.shares is None):
        weight = question.forged_weight
        if weight is not None:
            about = f"{question.quoted_title}: " if len(plan.questions) > 1 else ""
            yield about + sentence(weight.people, weight.within)


def _largest_factor(promises: Mapping[str, Definition]) -> str:
    most = max(promises, key=lambda name: promises[name].epsilon)
    return (
        "Whatever else somebody knows, one report changes the odds between two answers protected from each other by a"
        f" factor of at most {factor(promises[most].epsilon)} (for {most})."
    )


def _unprotected_sentences(promises: Mapping[str, Definition]) -> tuple[str, ...]:
    names = [name for name, promise in promises.items() if not is_bounded(promise)]
    if not names:
        return ()
    return (
        (
            f"Not all answers are protected from each other: a report about {_name_list(names)} openly shows what the"
            " details call public or not sensitive."
        ),
    )


def _about_others(promises: Mapping[str, Definition]) -> str:
    start = (
        "A report about one attribute also reveals something about others, to somebody who knows how they depend on"
        " each other: it changes the odds of their answers"
    )
    bounds = [promise.epsilon for promise in promises.values() if is_bounded(promise)]
    if len(bounds) == len(promises):
        return f"{start} by a factor of at most {factor(max(bounds))}."
    names = [name for name, promise in promises.items() if not is_bounded(promise)]
    return (
        f"{start} without limit if it is about {_name_list(names)}, since not all of these values are protected from"
        " each other."
    )


def _name_list(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def floor_sentences(plan: Plan, *, search: bool = False) -> Iterator[Sentence]:
    """A sentence for each question whose floor is known, or found by a search of up to a minute."""

    @cache
    def percentage(more: Fraction) -> str:
        return f"{outward(100 * more, 2, up=True)} %"

    for question in plan.questions:
        more = question.above_floor(search=search)
        if more is not None:
            yield Sentence(question.floor_in_words(more, percentage(more)), Purpose.FLOOR)


def promise_sentences(question: SharesQuestion, report: str) -> tuple[Sentence, ...]:
    """The promise about the values, their names where they are few.

    Args:
        question: of a plan.
        report: what a report is called.
    """
    definition, domain = question.definition, question.domain
    if (
        question.metric is not None
        and isinstance(definition, MetricLDP | PairwiseLDP)
        and not isinstance(domain, Record)
    ):
        metric, epsilon = question.metric
        return _distance_promise(definition, metric, epsilon, domain, report)
    labels = tuple(domain.label(value) for value in range(domain.k)) if domain.k <= FEW else None
    return promise(definition, labels, report)


def _distance_promise(
    definition: MetricLDP | PairwiseLDP, metric: MetricPart, epsilon: str, domain: Domain, report: str = "one report"
) -> tuple[Sentence, ...]:
    """Sentences about a promise by distances.

    Args:
        definition: the promise.
        metric: how far apart values lie, in a plan's words.
        epsilon: for each unit, in a plan's words.
        domain: the values.
        report: what a report is called.
    """
    once = canonical_amount(epsilon)
    # Names that are nobody's answer stand between all others, so that no two are a single step apart.
    first = 2 if metric.tree is not None and isinstance(definition, PairwiseLDP) else 1
    near, far = (_apart(metric, times) for times in (first, 2 * first))
    near_factor, far_factor = (factor(total([(once, times)])) for times in (first, 2 * first))
    what = "answers" if metric.map is None else "places"
    grows = (
        f"The further apart two {what} lie, the less they are protected from each other: whatever else somebody knows,"
        f" {report} changes the odds between two {near} by a factor of at most {near_factor}, between two {far} by at"
        f" most {far_factor}, and so on."
    )
    ends = (
        f"Far apart, little is protected: {report} may change the odds between the two {what} that lie furthest"
        f" apart by a factor of up to {factor(definition.epsilon)}."
    )
    cells = [_cells(domain)] if isinstance(domain, Grid) and metric.map is not None else []
    return (*limits(grows, ends, *cells), SAME)


def distance_warnings(plan: Plan) -> Iterator[str]:
    """Which attributes have two values so far apart that a report may hardly leave a doubt between them."""
    asked = {name for question in plan.questions for name in question.attribute_names}
    for name, part in plan.document.attributes.items():
        protect, domain = part.protect, plan.attributes[name].domain
        if name not in asked or protect is None or protect.metric is None or not isinstance(domain, Categories | Grid):
            continue
        definition, own = definition_of(domain, protect), canonical_epsilon(protect.epsilon or "")
        if not isinstance(definition, MetricLDP | PairwiseLDP) or definition.epsilon < FAR:
            continue
        one, other = (repr(domain.label(value)) for value in definition.furthest)
        times = floor(definition.epsilon.ceil() / own.floor())
        by = times if total([(own, times)]) >= definition.epsilon else times + 1
        # A logarithm is divided in no plan.
        line = "" if own.ratio != 1 else f', or write epsilon = "{Nats(own.rational / by)}" beside metric'
        yield (
            f"{name}: a report may change the odds between {one} and {other}, which lie furthest apart, by a factor of"
            f" up to {factor(definition.epsilon)}: it hardly hides which of them is true. Divide its distances by"
            f" {by:,}{line}: then that factor is at most {factor(own)}."
        )


def _apart(metric: MetricPart, times: int) -> str:
    if metric.map is not None:
        return f"{_decimal_text(times * canonical_number(metric.map.per))} {metric.map.unit} apart"
    if metric.per is not None:
        return f"that differ by {_decimal_text(times * canonical_number(metric.per))}"
    if metric.positions is not None:
        return f"whose positions differ by {times}"
    if metric.lengths:
        return f"with a way of length {times} between them on the tree"
    return "that are a step apart on the tree" if times == 1 else f"that are {times} steps apart on the tree"


def _cells(grid: Grid) -> str:
    height, narrow, wide = cell_sizes(grid)
    width = f"{narrow:.3g}" if f"{narrow:.3g}" == f"{wide:.3g}" else f"{narrow:.3g} to {wide:.3g}"
    return (
        f"How far two places lie apart is counted between the centres of their cells, over a sphere of the size of the"
        f" Earth; a cell is {height:.3g} km from south to north and {width} km from west to east."
    )


def _decimal_text(number: Fraction) -> str:
    """A number as people write it: a decimal where it is a short one."""
    for digits in range(7):
        shifted = number * 10**digits
        if shifted.denominator == 1:
            whole, rest = divmod(shifted.numerator, 10**digits)
            return f"{whole:,}" + (f".{rest:0{digits}}" if digits else "")
    return str(number)
