"""What commands print: tables and sentences for people, one JSON object for programs."""

import json
from math import isfinite
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from sordino.audit.certify import Certificate
from sordino.design.accuracy import Accuracy
from sordino.estimation.unbiased import leverage
from sordino.survey.question import Question
from sordino.survey.result import Result

LARGEST = 15
"""Rows of a table for people; files and --json have all."""


def print_json(document: dict[str, Any]) -> None:
    """One object on one line."""
    click.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))


def print_lines(lines: tuple[str, ...]) -> None:
    """Sentences, each with a dash."""
    for line in lines:
        click.echo(f"- {line}")


def print_table(title: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """A table whose first column is text and whose others are numbers."""
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for i, name in enumerate(header):
        table.add_column(name, justify="right" if i else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    terminal = Console()
    # A pipe has no width of its own: lines there are not folded. Labels are shown as they are, never read as markup.
    width = terminal.width if terminal.is_terminal else 160
    Console(width=width, markup=False, emoji=False, highlight=False).print(table)


def accuracy_rows(question: Question) -> list[tuple[str, ...]]:
    """This plan beside uniform protection."""
    plan, uniform = question.expected, question.expected_uniform
    more = uniform.total_variance / plan.total_variance
    people = f"{question.people * more:,.0f}" if isfinite(more) else "no number suffices"
    return [
        ("expected standard error of a share", f"{plan.stderr:.3g}", f"{uniform.stderr:.3g}"),
        (
            "expected total variation, before projection",
            f"{plan.total_variation:.3g}",
            f"{uniform.total_variation:.3g}",
        ),
        ("people needed for the same squared error", f"{question.people:,}", people),
        ("bits a report", str(question.query.mechanism.code_bits), str(question.uniform.mechanism.code_bits)),
    ]


def candidate_rows(question: Question) -> list[tuple[str, ...]]:
    """What other mechanisms that keep the promise would give."""
    best = question.expected.total_variance
    return [
        (name, f"{found.stderr:.3g}", f"{question.people * found.total_variance / best:,.0f}")
        for name, found in question.candidates.items()
        if isfinite(found.total_variance)
    ]


def accuracy_json(accuracy: Accuracy, people: int) -> dict[str, float | None]:
    """Expected errors for programs; `squared_error` is summed over the values. Null for infinity."""
    numbers = {
        "stderr": accuracy.stderr,
        "squared_error": accuracy.total_variance / people,
        "total_variation": accuracy.total_variation,
    }
    return {name: number if isfinite(number) else None for name, number in numbers.items()}


def question_json(question: Question, certificate: dict[str, Any]) -> dict[str, Any]:
    """A question of a plan for programs."""
    query = question.query
    weighs = leverage(query.mechanism, subtract_totals=query.subtract_totals)
    return {
        "attribute": question.name,
        "share": str(question.share),
        "people": question.people,
        "mechanism": question.part.mechanism.model_dump(exclude_none=True),
        "code_bits": query.mechanism.code_bits,
        "certificate": certificate,
        "expected": accuracy_json(question.expected, question.people),
        "expected_uniform": accuracy_json(question.expected_uniform, question.people),
        "candidates": {name: accuracy_json(found, question.people) for name, found in question.candidates.items()},
        "leverage": weighs if isfinite(weighs) else None,
    }


def certificate_json(certificate: Certificate) -> dict[str, Any]:
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
            "loss": str(witness.loss) if witness.loss else None,
        },
    }


def result_rows(result: Result) -> list[tuple[str, ...]]:
    """The largest estimates with their intervals."""
    rows = []
    for value in result.largest(LARGEST).tolist():
        row = result.row(value)
        numbers = (f"{row[key]:.5f}" for key in ("estimate", "stderr", "low", "high"))
        rows.append((str(row["value"]), *numbers))
    return rows


def result_header(result: Result) -> tuple[str, ...]:
    """The columns of `result_rows`."""
    return (result.question.name, "share", "std. error", f"{100 * result.confidence:.15g}% from", "to")
