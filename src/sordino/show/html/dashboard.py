"""The page on which an analyst watches a collection: its progress for all, its estimates for whoever has the token.

It is the page of all estimates with a bar above and one script, which asks its own collector and nobody else for how
many reports there are, and, with a token that is typed in and kept in the page's memory alone, for the page of
estimates, whose parts take the place of its own. Nothing comes from another address; the policy names the script by its
hash.
"""

from base64 import b64encode
from hashlib import sha256

from markupsafe import Markup

from sordino.show.html.estimate_page import questionnaire_sections, revealed_section
from sordino.show.html.page import POLICY, fill, script_of
from sordino.survey.planning.plan import Plan
from sordino.words.explain_plan import explanation
from sordino.words.explain_questionnaire import survey_title


def dashboard(plan: Plan) -> str:
    """The page of a plan's collection before anything is asked: what a report can reveal, which is public."""
    script = script_of("dashboard.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"{POLICY}; script-src 'sha256-{digest}'; connect-src 'self'; base-uri 'none'; form-action 'none'"
    about = ", ".join(question.name for question in plan.questions)
    lead = f"A collection of reports about {about}. Its answers stay where they were given."
    said = explanation(plan)
    sections = [*questionnaire_sections(said), revealed_section(said)]
    more = {"policy": policy, "script": Markup(script), "people": str(plan.people)}  # noqa: S704 - our own file
    return fill("dashboard.html", survey_title(plan) or "Dashboard", lead, sections, **more)
