"""The questionnaire of a plan as people see it: who asks and why, what they agree to, and the questions in their order.

Of a plan with few words, or none, it says what people see in their place. Before anybody sends a report, two sentences
say what it can reveal, in per cent: chances are rounded up.
"""

from collections.abc import Iterator, Sequence

from sordino.blocks.sentence import Paragraph, limits
from sordino.definition.high_low import HighLowLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.calendar import iso_date
from sordino.exact.nats import Nats
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.attribute_part import AttributePart
from sordino.survey.schema.questionnaire_part import (
    MISSING,
    LocalText,
    QuestionnairePart,
    SurveySectionPart,
    WordingPart,
    in_language,
)
from sordino.words.odds import PRIOR, chance_afterwards

FEW = 12
"""Values that are listed."""

IN_CLEAR = "(sent as it is)"
"""Note beside the answer to a public column."""

QUIET = {"by": "Who asks", "purpose": "What for", "contact": "Contact", "reports": "What happens with reports"}
"""What [about] says beside the title, and what it is called here."""


def survey_title(plan: Plan, language: str | None = None) -> str:
    """The survey's own title, in its first language by default; empty where it has none."""
    words = plan.document.words
    return (
        ""
        if words is None or words.title is None
        else in_language(words.title, language or plan.language or words.languages[0])
    )


def section_titles(plan: Plan) -> Iterator[tuple[str, frozenset[str]]]:
    """The headings of the questionnaire in the plan's language, empty where there is none, and what stands below."""
    words = plan.document.words
    for section in [] if words is None else words.sections:
        language = plan.language or (words.languages[0] if words else "")
        yield in_language(section.title, language) if section.title is not None else "", frozenset(section.attributes)


def consent_text(plan: Plan) -> str:
    """What a person agrees to before anything is drawn, in the survey's first language; empty where that is nothing."""
    words = plan.document.words
    return "" if words is None or words.consent is None else in_language(words.consent, words.languages[0])


def questionnaire_paragraphs(plan: Plan, language: str | None = None) -> tuple[Paragraph, ...]:
    """What people read: first who asks and why; nothing of a plan without words.

    Args:
        plan: frozen.
        language: one of the survey's; its first by default.

    Raises:
        SordinoError: another language.
    """
    plan, words = plan.in_language(language), plan.document.words
    if words is None:
        return ()
    questionnaire = _Questionnaire(plan, words, plan.language or words.languages[0])
    return tuple(questionnaire.paragraphs())


def missing_words(plan: Plan) -> tuple[str, ...]:
    """What people see where the survey has no words for them, in one line; nothing where it has all."""
    words, names = plan.document.words, [*_public_names(plan), *_asked_lines(plan)]
    if words is None:
        return ("The survey has no words for people: the form shows the names of attributes and values.",)
    unworded = [name for name in names if (own := words.attributes.get(name)) is None or own.text is None]
    lines = []
    if unworded:
        shows = "its name" if len(unworded) == 1 else "their names"
        lines.append(f"No question text for {_listed_values(unworded)}: the form shows {shows}.")
    if words.title is None:
        lines.append("No title: the form shows a general one.")
    return (" ".join(lines),) if lines else ()


DRAWN_FIRST = "The form draws the question first, without looking at any answer, and asks only what that one needs."
"""Sentence about a form that draws its question first."""

ANYBODY = "This holds whatever else they know, for this one report."
DIFFERS = "How much the report can reveal differs from answer to answer."
SHORT: dict[type, tuple[str, str]] = {
    LDP: ("Someone who gave one of your answers a {before} chance could afterwards give it at most {after}.", ANYBODY),
    BlockLDP: (
        (
            "Someone who gave your answer a {before} chance among those of its group could afterwards give it at most"
            " {after}."
        ),
        "The report shows for certain which group your answer is in.",
    ),
    HighLowLDP: (
        "Someone who gave a sensitive answer of yours a {before} chance could afterwards give it at most {after}.",
        "If your answer is not sensitive, the report may show it as it is.",
    ),
    MetricLDP: (DIFFERS, "Answers that are further apart are protected less."),
}
"""What people read of a report whose answers are all protected in one way."""

MIXED = "Some answers are protected less than others, or not at all: the details say which."


def drawn_first_sentence(plan: Plan) -> str:
    """Sentence that a form draws its question first; empty where it asks all, or has one question."""
    return DRAWN_FIRST if plan.is_drawn_first else ""


def in_clear_sentence(plan: Plan) -> str:
    """Which answers are sent as they are, by the survey's own texts; nothing of a plan without public columns."""
    words, wording = plan.document.words, {}
    if words is not None:
        first = words.languages[0]
        wording = {name: in_language(own.text, first) for name, own in words.attributes.items() if own.text is not None}
    names = [f"\u201c{wording.get(part.name, part.name)}\u201d" for part in plan.document.asked_public]
    if not names:
        return ""
    if len(names) == 1:
        return f"Your answer to {names[0]} is sent as it is, beside the report, and is no part of what is protected."
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return f"Your answers to {listed} are sent as they are, beside the report, and are not protected."


def reveal_sentences(plan: Plan) -> tuple[str, str]:
    """What a report can reveal, as the person reads it before sending: two sentences in per cent."""
    if plan.promise is not None:
        return _in_short(LDP, plan.promise.level)
    definitions = [promise for question in plan.questions if (promise := question.value_promise) is not None]
    kinds = {type(definition) for definition in definitions}
    if len(kinds) > 1 or not kinds <= set(SHORT):
        return DIFFERS, MIXED
    return _in_short(kinds.pop(), max(definition.epsilon for definition in definitions))


def _in_short(kind: type, epsilon: Nats) -> tuple[str, str]:
    first, second = SHORT[kind]
    percents = {"before": f"{100 // PRIOR} %", "after": f"{chance_afterwards(epsilon)} %"}
    return first.format_map(percents), second


class _Questionnaire:
    """A plan's questionnaire in one language."""

    def __init__(self, plan: Plan, words: QuestionnairePart, language: str) -> None:
        self.plan, self.words, self.language = plan, words, language
        self.number = 0

    def paragraphs(self) -> Iterator[Paragraph]:
        words = self.words
        said = [(name, self.text(getattr(words, field))) for field, name in QUIET.items()]
        lines = [f"{name}: {text}" for name, text in said if text]
        lines += [f"Until {words.until}"] if words.until is not None else []
        lines += [f"To be agreed to first: {self.text(words.consent)}"] if words.consent is not None else []
        lines += filter(None, [drawn_first_sentence(self.plan)])
        if words.languages[1:]:
            lines.append(f"In {', '.join(words.languages)}; shown here in {self.language}.")
        yield Paragraph(self.text(words.title), limits(*lines))
        placed = {name for section in words.sections for name in section.attributes}
        if first := [name for name in _public_names(self.plan) if name not in placed]:
            yield Paragraph("", limits(*map(self.question, first)))
        for section in words.sections:
            yield self.section(section)

    def section(self, section: SurveySectionPart) -> Paragraph:
        asked = {*_public_names(self.plan), *_asked_lines(self.plan)}
        lines = [self.text(section.text)] if section.text is not None else []
        lines += [self.question(name) for name in section.attributes if name in asked]
        return Paragraph(self.text(section.title), limits(*lines))

    def question(self, name: str) -> str:
        """A question on one line, with what can be answered."""
        self.number += 1
        wording = self.words.attributes.get(name) or WordingPart()
        text = self.text(wording.text) or name
        if name in self.plan.cells.names:
            column = self.plan.cells.parts[self.plan.cells.names.index(name)]
            choices = self.choices(column.labels, column.missing, wording)
            answers = f"({choices}) {IN_CLEAR}"
        else:
            answers = self.answers(self.plan.document.attributes[name], wording)
        parts = [f"{self.number}. {text}", self.text(wording.help), answers]
        return " ".join(part for part in parts if part)

    def answers(self, attribute: AttributePart, wording: WordingPart) -> str:
        labels = wording.labels or {}
        if attribute.number is not None:
            ends = wording.ends_asked(attribute.number.low, attribute.number.high)
            low, high = (iso_date(end) if wording.input == "date" else f"{end:g}" for end in ends)
            how = {"slider": "a slider from", "date": "a date from"}.get(wording.input or "", "a number from")
            unit = self.text(wording.unit)
            none = f", or: {self.text(labels.get(MISSING)) or 'no answer'}" if attribute.missing is not None else ""
            return f"({how} {low} to {high}{' ' + unit if unit else ''}{none})"
        if attribute.grid is not None:
            return "(a place)"
        if attribute.numbers is not None and not labels:
            return f"(a whole number from 0 to {attribute.numbers - 1})"
        names = attribute.labels or list(map(str, range(attribute.numbers or 0)))
        if attribute.several is not None and attribute.none is not None:
            own = [name for name in names if name != attribute.not_asked]
            return f"(up to {attribute.several} of: {self.choices([*own, attribute.none], attribute.none, wording)})"
        return f"({self.choices(names, attribute.missing, wording)})"

    def choices(self, names: Sequence[str], missing: str | None, wording: WordingPart) -> str:
        """The first values as people read them; what stands for no answer is shown last, as on the form."""
        labels = wording.labels or {}
        ordered = [name for name in names if name != missing] + ([] if missing is None else [missing])
        choices = " / ".join(self.text(labels.get(name)) or name for name in ordered[:FEW])
        return f"{choices}{f' / and {len(names) - FEW:,} more' if len(names) > FEW else ''}"

    def text(self, words: LocalText | None) -> str:
        """A text on one line."""
        return "" if words is None else " ".join(in_language(words, self.language).split())


def _public_names(plan: Plan) -> list[str]:
    return [part.name for part in plan.document.asked_public]


def _asked_lines(plan: Plan) -> list[str]:
    return list(dict.fromkeys(name for part in plan.document.queries for name in part.names))


def _listed_values(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return ", ".join(map(repr, names[:FEW])) + more
