"""`sordino certify`: a plan's integers against its promise."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sordino.cli.explanations import (
    batch_json,
    certificates_json,
    least_certificate,
    print_certificates,
    print_paragraph,
    promise_json,
)
from sordino.cli.options import FILE, Whole, as_json_option, force_option
from sordino.cli.output import print_json
from sordino.cli.picture import draw, require_picture
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.document.files import json_object, read_text
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages import read_rational
from sordino.survey.planning.plan import Plan
from sordino.verbs.plan_certificate import PlanCertificate, certify_plan_batch
from sordino.words.explain_certificate import batch_paragraph


@click.command()
@click.argument("plan", type=FILE)
@click.option(
    "--region", type=FILE, help="Draw how well a report distinguishes the tightest pair of values (.png, .svg)."
)
@click.option("--checker", type=FILE, help="Also ask the verified checker of plans, a program that make proofs builds.")
@click.option(
    "--shuffled",
    type=Whole(1),
    metavar="REPORTS",
    help="Also bound what so many honest reports reveal together, which someone other than the collector has shuffled.",
)
@click.option(
    "--delta-probability",
    metavar="PROBABILITY",
    help="Probability with which a batch may reveal more, as 1e-6; needed with --shuffled.",
)
@force_option
@as_json_option
def certify(
    plan: Path,
    region: Path | None,
    checker: Path | None,
    shuffled: int | None,
    delta_probability: str | None,
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Check a PLAN's integers against its promise, exactly, on every output; exit code 3 if it is broken."""
    if (shuffled is None) != (delta_probability is None):
        found = "--shuffled alone" if delta_probability is None else "--delta-probability alone"
        step = "give both, as --shuffled 5000 --delta-probability 1e-6"
        raise SordinoError("a batch has a number of reports and a delta", found=found, step=step)
    with progress("certify", lambda: _count_questions(plan)) as advance:
        frozen = Plan.load(plan, advance)
    again = require_picture(region, force=force)
    questions = [question.name for question in frozen.questions]
    second = None if checker is None else second_verdicts(checker, plan, questions)
    batch = None
    if shuffled is not None:
        batch = certify_plan_batch(frozen, shuffled, read_rational(delta_probability))
    if region is not None:
        from sordino.show.html.figures.error_region import question_region

        tightest = min(frozen.about_shares, key=lambda question: question.certificate.slack, default=None)
        if tightest is None:
            raise SordinoError("a region is of a histogram", found="none in the plan", step="leave --region out")
        draw(region, lambda: question_region(tightest), overwrite=again)
    if as_json:
        promise = frozen.promise and promise_json(frozen.promise)
        # A plan that breaks a promise is not read at all; what holds, holds for all of it.
        head = {"plan": frozen.hash, **(least_certificate(frozen) or {}), "holds": PlanCertificate(frozen).holds}
        beside: dict[str, Any] = {} if second is None else {"checker": second}
        beside |= {} if batch is None else {"batch": batch_json(batch)}
        print_json({**head, "questions": certificates_json(frozen), "promise": promise, **beside})
        return
    print_certificates(frozen)
    if batch is not None:
        say("")
        print_paragraph(batch_paragraph(batch))
    if second is not None:
        say("", "The verified checker:", *(f"  {name}: {verdict}" for name, verdict in second.items()))


def _count_questions(plan: Path) -> int | None:
    """How many questions a plan's file seems to have, before it is looked at; None of a pipe, or of what is no plan."""
    if not plan.is_file():
        return None
    try:
        queries = json_object(read_text(plan), str(plan)).get("queries")
    except SordinoError:
        return None
    return len(queries) if isinstance(queries, list) else None


VERDICTS = ("holds", "holds for epsilon", "broken", "not covered")

NO_PLAN = "not a plan: "
"""Beginning of the program's only line about such a document."""


def second_verdicts(checker: Path, plan: Path, questions: Sequence[str]) -> dict[str, str]:
    """The program's verdict on each question of a plan that `certify` accepts.

    Raises:
        SordinoError: the program cannot be run, says something else, or refuses a question: then one of both is wrong.
    """
    words = [str(checker.resolve()), str(plan)]
    try:
        done = subprocess.run(words, check=False, capture_output=True, encoding="utf-8")  # noqa: S603 - the user names it
        if done.returncode == 1 and done.stdout.startswith(NO_PLAN):
            raise _refusal(f"the second one calls it {done.stdout.splitlines()[0]}")
        done.check_returncode()
    except (OSError, subprocess.CalledProcessError, UnicodeDecodeError) as error:
        rule, step = "a checker must be a program that reads a plan", "build it with: make proofs"
        raise SordinoError(rule, found=_failure(error), step=step) from None
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    found = {place: verdict for place, _, verdict in lines}
    if list(found) != [str(place) for place in range(len(questions))] or not set(found.values()) <= set(VERDICTS):
        rule, step = "a checker must give a verdict for each question", "build it with: make proofs"
        raise SordinoError(rule, found=f"{len(lines)} lines for {len(questions)} questions", step=step)
    verdicts = dict(zip(questions, found.values(), strict=True))
    if broken := [name for name, verdict in verdicts.items() if verdict == "broken"]:
        raise _refusal(f"the second one refuses {broken[0]}")
    return verdicts


def _refusal(found: str) -> RefusedError:
    return RefusedError("both checkers must accept a plan", found=found, step="do not use it, and report this")


def _failure(error: OSError | subprocess.CalledProcessError | UnicodeDecodeError) -> str:
    if isinstance(error, OSError):
        return (error.strerror or "a program that cannot be run").lower()
    if isinstance(error, subprocess.CalledProcessError):
        return f"one that ended with exit code {error.returncode}"
    return "output that is no text"
