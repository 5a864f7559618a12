"""`sordino estimate`: what reports say, printed, as a table and as a page."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import get_args

import click

from sordino.blocks.block import Block, Heading, blocks_of
from sordino.cli.group_command import group_option
from sordino.cli.options import FILE, Real, Whole, all_option, as_json_option, force_option
from sordino.cli.output import print_json
from sordino.cli.progress import progress
from sordino.cli.results import print_blocks
from sordino.cli.say import say
from sordino.cli.tally_text import tally
from sordino.cli.writable import require_outputs, require_writable
from sordino.errors import SordinoError
from sordino.estimation.share_estimate import Method
from sordino.show.estimate_rows import result_json, result_rows, tables_of
from sordino.show.findings import finding_blocks
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.results.cell_tallies import columns_of
from sordino.tables.results.tidy import is_tidy
from sordino.verbs.plan_results import PlanEstimate, estimate_plan
from sordino.views.view import View, ViewRequest
from sordino.words.coverage_sentences import FINITE, POPULATION


@click.command()
@click.argument("plan", type=FILE)
@click.argument("reports", type=FILE, nargs=-1, required=True)
@click.option(
    "--method",
    type=click.Choice(get_args(Method)),
    help="How a distribution is fitted; by default empirical-bayes where that is expected to be nearer to the truth.",
)
@click.option("--public", type=FILE, help="For smoothed: a table of public numbers that may be related to the shares.")
@click.option(
    "--confidence", type=Real(), default=0.95, show_default=True, help="The confidence of each single interval."
)
@click.option("--simultaneous", is_flag=True, help="All intervals of a question hold together.")
@click.option("--watched", is_flag=True, help="Intervals hold at all times together, while reports come in.")
@click.option(
    "--forged", type=Whole(0), default=0, metavar="M", help="Intervals hold even if up to M reports are forged."
)
@click.option(
    "--fitted-intervals", is_flag=True, help="Intervals of fitted shares, too, where they hold; takes some seconds."
)
@click.option("--finite", is_flag=True, help="Intervals of shares describe these people, not a population.")
@click.option(
    "--clusters", metavar="COLUMN", help="The public column by which people were drawn in groups, as schools."
)
@click.option(
    "--difference",
    "differences",
    type=(str, str, str),
    multiple=True,
    metavar="QUESTION VALUE MINUS",
    help="One value's share minus another's; may be given several times.",
)
@click.option("--by", metavar="COLUMN,...", help="Public columns: every quantity also by groups of people.")
@click.option("--against", help="The group that others are compared to; by default all other people.")
@click.option("--totals", type=FILE, help="People of public groups (TOML or CSV), to weight by; else the survey's.")
@click.option("--margins", type=FILE, help="Known shares of attributes (TOML or CSV); tables are raked to them.")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=FILE,
    multiple=True,
    help="All estimates, a row each (.csv, .csv.gz, .parquet, .arrow, .sav), or maps (.geojson). May be repeated.",
)
@click.option("--html", type=FILE, help="A self-contained page with maps, bars and explanations.")
@click.option("--language", help="The language of questions and labels, one of the survey's; its first by default.")
@all_option
@force_option
@as_json_option
def estimate(
    plan: Path,
    reports: tuple[Path, ...],
    method: Method | None,
    public: Path | None,
    confidence: float,
    margins: Path | None,
    outputs: tuple[Path, ...],
    html: Path | None,
    *,
    language: str | None,
    clusters: str | None,
    by: str | None,
    against: str | None,
    totals: Path | None,
    differences: tuple[tuple[str, str, str], ...],
    simultaneous: bool,
    watched: bool,
    forged: int,
    fitted_intervals: bool,
    finite: bool,
    everything: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Estimate what a PLAN asks from its REPORTS (files of reports, or aggregates as .json).

    Shares of values, means, covariances or coefficients. The estimate is right on average and has the standard error
    and the interval, which covers by itself with the given confidence; what is fitted stands beside it. Of a large
    survey one screen is shown; --all shows each question.
    """
    _, page_again = require_writable(None, html, "a table of estimates", is_tidy, force=force)
    again = require_outputs(outputs, html, force=force)
    frozen = Plan.load(plan).in_language(language)
    counted = tally(frozen, reports)
    people = counted.n if finite else 0
    coverage = Coverage(confidence, simultaneous, watched, forged, fitted_intervals, people, clusters=clusters or "")
    if against is not None and not by:
        raise SordinoError("--against must be of groups", found="no --by", step="name public columns: --by COLUMN")
    request = ViewRequest(columns_of(frozen, by or ""), against, totals, margins, differences)
    with progress("estimate", len(frozen.questions)) as advance:
        estimated = estimate_plan(frozen, counted, method, coverage, public, request, progress=advance)
    for path in outputs:
        estimated.save(path, overwrite=again[path])
    if html is not None:
        estimated.page(html, overwrite=page_again)
    if as_json:
        against_what = {
            "simultaneous": simultaneous,
            "watched": watched,
            "forged": forged,
            "fitted_intervals": fitted_intervals,
            "finite": finite,
        }
        print_json(
            {
                "plan": frozen.hash,
                "n": estimated.n,
                "confidence": confidence,
                **against_what,
                "questions": [result_json(blocks) for blocks in estimated.blocks],
                "rows": [row for blocks in estimated.blocks for row in result_rows(blocks)],
                **estimated.views.json(),
            }
        )
        return
    in_short = frozen.is_large and not everything
    if in_short:
        _print_overview(estimated)
    else:
        _print(estimated, with_suggestions=method is None)
    for path in filter(None, (*outputs, html)):
        say(f"{path}: written")
    if in_short:
        say("Each question: --all, --html PAGE, -o FILE, or --json.")
    elif not outputs:
        _say_where_all_are(estimated.blocks)
    if not by and (by_groups := group_option(frozen)):
        say(f"By groups: {by_groups}")


def _print(estimated: PlanEstimate, *, with_suggestions: bool) -> None:
    """Everything for people; by groups in place of all people together where groups are asked for."""
    views = estimated.views
    before, after = (
        [view for view in some if not (views.replace_all and view.about_all)]
        for some in views.before_and_after("terminal")
    )
    print_blocks(finding_blocks(estimated.results, views))
    _print_views(before)
    is_folded = "together" in views
    for result, blocks in () if views.replace_all else zip(estimated.results, estimated.blocks, strict=True):
        if not (is_folded and result.question.is_joined):
            print_blocks(blocks, with_suggestions=with_suggestions)
    if is_folded and not views.replace_all:
        say("How those asked together go with each other: --html PAGE, -o FILE, or --json.", "")
    _print_views(after)
    _say_of_whom(estimated.blocks, finite=estimated.coverage.finite > 0)


def _print_overview(estimated: PlanEstimate) -> None:
    """One screen of a large survey: what was found, and of each kind of question how sure it is."""
    print_blocks([*finding_blocks(estimated.results, estimated.views), estimated.overview()])
    request, default = estimated.views.source.request, ViewRequest()
    asked_for = {one.name for one in fields(request) if getattr(request, one.name) != getattr(default, one.name)}
    _print_views(view for view in estimated.views if view.settings & asked_for and not view.replaces_all)
    _say_of_whom(estimated.blocks, finite=estimated.coverage.finite > 0)


def _print_views(views: Iterable[View]) -> None:
    for view in views:
        for part in view.parts():
            print_blocks(part.blocks)


def _say_of_whom(shown: Sequence[Sequence[Block]], *, finite: bool) -> None:
    if any(heading.is_estimated for blocks in shown for heading in blocks_of(Heading, blocks)):
        say(*(FINITE if finite else POPULATION), "")


def _say_where_all_are(shown: Sequence[Sequence[Block]]) -> None:
    if any(len(table.readable) < table.count for blocks in shown for table in tables_of(blocks)):
        say("All values: -o FILE, or --json.")
