"""`sordino dependence`: how much a survey's attributes reveal about one another, from a public sample."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from sordino.cli.options import FILE, as_json_option, force_option
from sordino.cli.output import print_json, print_lines, print_table
from sordino.cli.picture import draw, require_picture
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.design.stated_dependence import Statement
from sordino.document.replace import of_kind, require_free
from sordino.exact.nats import outward
from sordino.survey.planning.statement import save_statement, statement_document, statement_sentences
from sordino.tables.duckdb import opened_table
from sordino.tables.table_file import count_rows
from sordino.verbs.state_dependence import dependence as state_dependence

MOST_COLUMNS, MOST_ROWS = 10, 60
"""Attributes and statistics of the printed table; files and --json have all."""


@click.command()
@click.argument("sample", type=FILE)
@click.option("--survey", type=FILE, required=True, help="The survey whose attributes and questions count.")
@click.option("--confidence", default="0.99", show_default=True, help="The confidence that all bounds hold together.")
@click.option("--population", default="", help="The population that was sampled, for the statement.")
@click.option("--date", help="The date of the sample (YYYY-MM-DD), for the statement.")
@click.option(
    "--shift",
    default="0",
    show_default=True,
    help="How much respondents' conditional shares may differ from the sample's population.",
)
@click.option("-o", "--output", type=FILE, help="The statement to write (JSON), for `[dependence]` of a survey.")
@click.option("--figure", type=FILE, help="A heat map of the bounds (.png, .svg).")
@force_option
@as_json_option
def dependence(
    sample: Path,
    survey: Path,
    confidence: str,
    population: str,
    date: str | None,
    shift: str,
    output: Path | None,
    figure: Path | None,
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Bound how much the statistics in a survey reveal about each attribute, from a public SAMPLE.

    The sample (.csv, .csv.gz or .parquet) holds independent records from the respondents' population, but no
    respondent's own. Choose the survey's values and the confidence before you look at it. Prints everything that the
    bounds depend on.
    """
    figure_again = require_picture(figure, force=force)
    again = output is not None and require_free(
        output, "a statement about dependence", of_kind("statement"), force=force
    )
    with opened_table(sample) as table, progress("dependence", count_rows(table)) as advance:
        statement = state_dependence(
            survey, table, confidence, shift=shift, population=population, date=date, progress=advance
        )
    if figure is not None:
        # Drawing libraries take a second to load: only commands that draw wait for them.
        from sordino.show.html.figures.dependence_map import dependence_map

        draw(figure, lambda: dependence_map(statement), overwrite=figure_again)
    if output is not None:
        save_statement(statement, output, overwrite=again)
    if as_json:
        lines = list(statement_sentences(statement))
        print_json({**statement_document(statement), "least": statement.least, "explanation": lines})
        return
    asked = statement.asked
    print_table("", ("statistic", *asked.names[:MOST_COLUMNS]), _rows(statement))
    say("Bounds on what a statistic (row) reveals about an attribute (column): 0 is nothing, 1 may be all.")
    if asked.d > MOST_COLUMNS or len(asked.statistics) > MOST_ROWS:
        say("This is a part of them. All: -o FILE, or --json.")
    print_lines(statement_sentences(statement))
    for path in filter(None, (output, figure)):
        say(f"{path}: written")


def _rows(statement: Statement) -> list[tuple[str, ...]]:
    asked = statement.asked
    bounds: dict[Any, Fraction] = {(one.attribute, one.statistic): one.bound for one in statement.bounds}
    attributes = range(min(asked.d, MOST_COLUMNS))
    return [
        (asked.label(statistic), *(outward(bounds[i, statistic], 3, up=True) for i in attributes))
        for statistic in asked.statistics[:MOST_ROWS]
    ]
