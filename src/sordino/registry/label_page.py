"""A privacy label: on one page, for people who are asked and for those who answer for it, what a plan promises."""

from collections.abc import Mapping, Sequence
from typing import Any

from sordino.blocks.sentence import Purpose
from sordino.registry.deployment_entry import OPEN, whole_epsilon
from sordino.show.html.page import PageTable, Section, Sentences, render
from sordino.survey.kinds.question import Question
from sordino.survey.planning.plan import Plan
from sordino.words.condition_sentences import weaker_report_sentences
from sordino.words.explain_plan import explanation
from sordino.words.explain_questionnaire import drawn_first_sentence, in_clear_sentence, reveal_sentences
from sordino.words.public_columns import public_sentences

FEW = 12
"""Questions that are named."""

NOT_COVERED = (
    "That you report, and when, is not protected; nor is what many reports together show, or what you answer elsewhere."
)


def _question_titles(questions: Sequence[Question]) -> str:
    """The first questions as people read them: in the survey's quotation marks, or their names in others."""
    titles = [repr(one.name) if one.title == one.name else one.title for one in questions[:FEW]]
    return ", ".join(titles) + (f" and {len(questions) - FEW:,} more" if len(questions) > FEW else "")


def label_page(plan: Plan, entry: Mapping[str, Any]) -> str:
    """The label as one HTML document.

    Args:
        plan: frozen.
        entry: its entry for the registry, whose facts the label shows.
    """
    own = entry["deployment"]
    basic = own["basic"]
    epsilon = whole_epsilon(plan)
    said = explanation(plan)
    bits = plan.sampled.code_bits
    facts = {
        "Who asks": basic["data_curators"][0]["data_curator_name"],
        "What for": basic["intended_use"],
        "People expected": f"{plan.people:,}",
        "What is asked": _question_titles(plan.questions),
        "What is sent": f"one code of {bits} bit{'' if bits == 1 else 's'}",
        "What is sent in clear": ", ".join(plan.cells.names) or "nothing",
        "Epsilon": "differs between answers: see below" if epsilon is None else f"{epsilon} (pure, local)",
        "Who is trusted with answers": (
            "nobody but your own device, which randomizes"
            f" {'all that is not sent in clear' if plan.cells.names else 'them'} before anything is sent"
        ),
        "The plan, public": plan.hash,
        "How to check it": "sordino certify PLAN: every promise, in exact whole numbers",
    }
    rows = tuple((name, text) for name, text in facts.items() if text != OPEN)
    # Examples are what stands in short already, in per cent.
    kept = [sentence.text for sentence in said.summary if sentence.purpose is not Purpose.EXAMPLE]
    revealed = (*kept, NOT_COVERED, *public_sentences(plan))
    short = drawn_first_sentence(plan), in_clear_sentence(plan), *reveal_sentences(plan), *weaker_report_sentences(plan)
    sections = (
        Section(
            "In short",
            (
                Sentences(tuple(filter(None, short))),
                PageTable(("", ""), rows),
            ),
        ),
        Section("What one report can reveal, and what is not protected", (Sentences(revealed),)),
    )
    title = basic["name"] if basic["name"] != OPEN else "Privacy label"
    return render(title, "Privacy label: what this survey can learn about you, and what it cannot.", sections)
