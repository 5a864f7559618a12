"""What a survey file says to people beside its questions: who asks and why, what they agree to, in which order.

[about]                                                          # all of it may be left out
title = { en = "How we travel", de = "Wie wir unterwegs sind" }  # each text once, or by language
by = "Institute for Transport"
purpose = "To plan buses and cycle paths."
contact = "survey@institute.example"
reports = "Reports are published as totals, and deleted in 2028."
until = 2026-12-31
languages = ["en", "de"]                                         # the first is the default
[about.consent]
text = "I am at least 16 years old and take part of my own will."
[[section]]
title = "About you"
attributes = ["age", "smoker"]
"""

from typing import Any

from sordino.document.schema.strict_table import StrictTable, setting


class ConsentTable(StrictTable):
    """What a person must agree to before anything is drawn.

    Attributes:
        text: of the agreement.
    """

    text: Any


class AboutTable(StrictTable):
    """Who asks and why. Texts and languages are looked at with all others (`text_mistakes`).

    Attributes:
        title: of the survey, and of its pages.
        by: who asks.
        purpose: what for.
        contact: whom to ask about it.
        reports: what happens with the reports.
        until: the last day of the collection.
        languages: of all texts, the default first; by default those that texts name.
        consent: what a person must agree to.
    """

    title: Any = None
    by: Any = None
    purpose: Any = None
    contact: Any = None
    reports: Any = None
    until: Any = None
    languages: Any = None
    consent: ConsentTable | None = None


class SectionTable(StrictTable):
    """Attributes that are asked for one after the other, under a heading.

    Attributes:
        title, text: perhaps.
        attributes: by name; those that no section names come last. Public columns may stand among them, and come
            first where they do not.
    """

    title: Any = None
    text: Any = None
    attributes: list[str] = setting(min_length=1)
