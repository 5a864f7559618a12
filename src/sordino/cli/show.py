"""What commands print: tables and sentences for people, one JSON object for programs."""

import json
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from sordino.audit.certify import Certificate
from sordino.design.accuracy import Accuracy
from sordino.survey.plan import Plan
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


def accuracy_rows(plan: Plan) -> list[tuple[str, ...]]:
    """This plan beside uniform protection at the same epsilon."""
    more = plan.expected_uniform.total_variance / plan.expected.total_variance
    return [
        ("expected standard error of a share", f"{plan.expected.stderr:.3g}", f"{plan.expected_uniform.stderr:.3g}"),
        (
            "expected total variation, before projection",
            f"{plan.expected.total_variation:.3g}",
            f"{plan.expected_uniform.total_variation:.3g}",
        ),
        ("people needed for the same squared error", f"{plan.people:,}", f"{plan.people * more:,.0f}"),
        ("bits a report", str(plan.query.mechanism.code_bits), str(plan.uniform.mechanism.code_bits)),
    ]


def accuracy_json(accuracy: Accuracy) -> dict[str, float]:
    """Expected errors for programs."""
    return {"stderr": accuracy.stderr, "total_variation": accuracy.total_variation}


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
    return (result.plan.query.attribute, "share", "std. error", f"{100 * result.confidence:.15g}% from", "to")
