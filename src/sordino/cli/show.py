"""What commands print: tables and sentences for people, one JSON object for programs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from sordino.audit.certify import Certificate
from sordino.cli.say import say, say_json, say_table
from sordino.domain.attribute import Domain
from sordino.exact.nats import Nats, upward
from sordino.survey.questions.coordinates import CoordinatePromise
from sordino.survey.questions.numbers import NumbersQuestion
from sordino.survey.results.result import HistogramResult, NumbersResult, Result, Untold
from sordino.words.digits import rounded
from sordino.words.explain_plan import Explanation
from sordino.words.grounds import bound_in_short, dependence_json
from sordino.words.sentence import texts

LARGEST = 15
"""Rows of a table for people; files and --json have all."""


FITTED = "fitted: the nearest that some data can have, since noise can make the others impossible."

SHARES = """\
estimate: right on average, with its standard error and interval; noise can take it below 0, where intervals begin.
fitted ({method}): the distribution near it, for maps and sums; its largest shares tend to be too low."""
"""What the columns of a table of shares are."""

NUMBERS = ("estimate", "stderr", "low", "high", "fitted")
"""Of a share's row."""


@dataclass
class Output:
    """What the command that runs has put out.

    Attributes:
        as_json: whether one JSON object is asked for.
        delivered: whether it is out: what fails after that has no object of its own.
    """

    as_json: bool
    delivered: bool = False


def print_json(document: dict[str, Any]) -> None:
    """One object on one line."""
    say_json(json.dumps(document, ensure_ascii=False, allow_nan=False))
    context = click.get_current_context(silent=True)
    output = context and context.find_object(Output)
    if output:
        output.delivered = True


def print_lines(lines: tuple[str, ...]) -> None:
    """Sentences, each with a dash."""
    for line in lines:
        say(f"- {line}")


def print_explanation(explanation: Explanation, more: str | None) -> None:
    """What matters first; then all else under headings, or how to see it.

    Args:
        explanation: of a plan.
        more: the command that shows the rest; None to show it here.
    """
    print_lines(texts(explanation.summary))
    if more is None:
        for paragraph in explanation.details:
            say("", paragraph.heading)
            print_lines(paragraph.lines)
        return
    count, heads = sum(len(paragraph.sentences) for paragraph in explanation.details), len(explanation.details)
    sentences, headings = "sentence" + "s" * (count != 1), "heading" + "s" * (heads != 1)
    say(f"{count:,} more {sentences}, under {heads} {headings}: {more}")


def print_table(title: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """A table whose first column is text and whose others are numbers."""
    if title:
        # By itself, not as the table's own, which would be folded to the table's width.
        say(title)
    say_table(header, rows)


def promise_rows(promise: CoordinatePromise) -> list[tuple[str, ...]]:
    """Each attribute's delta, what the plan reaches, and the dependence bound that it rests on."""
    rows = []
    for i, name in enumerate(promise.names):
        bins = promise.binned(i)
        label = f"{name} ({bins} bins)" if bins else name
        rests = bound_in_short(promise, i) if promise.relies(i) else "nothing"
        rows.append((label, _amount(promise.deltas[i]), _amount(promise.reached[i]), rests))
    return [*rows, ("the whole record", _amount(promise.epsilon), _amount(promise.level), "")]


def _amount(amount: Nats) -> str:
    """An amount in a column of nats, rounded up."""
    return upward(amount, 3)


def promise_json(promise: CoordinatePromise) -> dict[str, Any]:
    """Deltas and what the plan's integers reach, rounded up."""
    attributes = {
        name: {
            "delta": str(delta),
            "reached": reached.ceil(),
            "dependence": str(promise.dependence.of_rest(i)),
            "rests_on_dependence": promise.relies(i),
            "bins": promise.binned(i),
        }
        for i, (name, delta, reached) in enumerate(zip(promise.names, promise.deltas, promise.reached, strict=True))
    }
    whole = {"epsilon": str(promise.epsilon), "reached": promise.level.ceil()}
    answers = [
        {"holds": found.holds, "slack": found.slack.floor() if found.slack.is_finite else None}
        for found in promise.certificates
    ]
    found = {"holds": promise.holds, "attributes": attributes, "record": whole}
    return found | dependence_json(promise) | {"answers": answers}


def certificate_json(certificate: Certificate, domain: Domain) -> dict[str, Any]:
    """A certificate for programs: exact amounts as text, slack rounded down to a float (null for minus infinity)."""
    witness = certificate.witness
    return {
        "holds": certificate.holds,
        "slack": certificate.slack.floor() if certificate.slack.is_finite else None,
        "slack_exact": str(certificate.slack),
        "witness": witness
        and {
            "code": None if witness.code is None else str(witness.code),
            "value": witness.value,
            "other": witness.other,
            "labels": [domain.label(value) for value in (witness.value, witness.other)],
            "loss": str(witness.loss) if witness.loss else None,
        },
    }


def result_json(result: Result) -> dict[str, Any]:
    """What a question asked, of how many, how shares were fitted, and why it is not told if it is not."""
    question = result.question
    asked = question.part.asked if isinstance(question, NumbersQuestion) else "histogram"
    head = {"attribute": question.name, "asked": asked, "attributes": question.asked, "n": result.n}
    if isinstance(result, HistogramResult):
        return head | {"method": result.estimate.method}
    return head | ({"untold": str(result.why)} if isinstance(result, Untold) else {})


def print_result(result: Result) -> None:
    """The largest shares with their intervals, or all means, covariances or coefficients."""
    if isinstance(result, Untold):
        say(f"{result.question.name}: not told by {result.n:,} reports; {result.why}")
        return
    limits = (f"{100 * result.confidence:.15g}% from", "to")
    if isinstance(result, NumbersResult):
        rows = [(str(row["value"]), *rounded(row).values()) for row in result.rows()]
        fitted = [] if result.fitted is None else ["fitted"]
        header = (result.about, result.noun, "std. error", *limits, *fitted)
        print_table(f"{result.n:,} reports; {result.question.name}", header, rows[:LARGEST])
        if any(row[1] != row[-1] for row in rows if fitted):
            say(FITTED, "")
        return
    _print_shares(result, limits)


def _print_shares(result: HistogramResult, limits: tuple[str, str]) -> None:
    """The largest, and what the columns are."""
    k, fitted = result.question.domain.k, result.fitted is not None
    largest = f"the largest of {k:,}" if k > LARGEST else f"all {k}"
    header = (result.question.name, "estimate", "std. error", *limits, *(["fitted"] if fitted else []))
    rows = []
    for value in result.largest(LARGEST).tolist():
        row = result.row(value)
        rows.append((str(row["value"]), *(f"{row[key]:z.5f}" for key in NUMBERS if key in row)))
    print_table(f"{result.n:,} reports; {largest} values", header, rows)
    if fitted:
        say(*SHARES.format(method=result.estimate.method).split("\n"), "")
