"""`sordino estimate`: what reports say, printed, as a table and as a page."""

from pathlib import Path
from typing import get_args

import click

from sordino.blocks.block import Heading, blocks_of
from sordino.cli.options import FILE, as_json_option, force_option
from sordino.cli.output import print_json
from sordino.cli.say import say
from sordino.cli.tally import tally
from sordino.cli.terminal.results import poststratified_json, print_blocks, tables_json
from sordino.cli.whole_numbers import Whole
from sordino.cli.writable import require_writable
from sordino.estimation.estimate import Method
from sordino.show.cells import result_json, result_rows, tables_of
from sordino.show.derived import difference_blocks, pooled_blocks, poststratified_blocks, within_blocks
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.results.between import share_differences
from sordino.tables.results.estimates import is_estimates
from sordino.verbs.plan_results import estimate_plan
from sordino.words.coverage import FINITE, POPULATION


@click.command()
@click.argument("plan", type=FILE)
@click.argument("reports", type=FILE, nargs=-1, required=True)
@click.option(
    "--method",
    type=click.Choice(get_args(Method)),
    help="How a distribution is fitted; by default block-simplex where blocks are public, else simplex.",
)
@click.option("--public", type=FILE, help="A table of public numbers that may go with the shares, for smoothed.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of each interval by itself.")
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
    "--difference",
    "differences",
    type=(str, str, str),
    multiple=True,
    metavar="QUESTION VALUE MINUS",
    help="One value's share minus another's; may be given several times.",
)
@click.option("--margins", type=FILE, help="Known shares (TOML or CSV) of attributes of tables, to rake these to.")
@click.option("-o", "--output", type=FILE, help="All estimates as a table (.csv, .csv.gz or .parquet).")
@click.option("--html", type=FILE, help="A self-contained page with maps, bars and explanations.")
@force_option
@as_json_option
def estimate(
    plan: Path,
    reports: tuple[Path, ...],
    method: Method | None,
    public: Path | None,
    confidence: float,
    margins: Path | None,
    output: Path | None,
    html: Path | None,
    *,
    differences: tuple[tuple[str, str, str], ...],
    simultaneous: bool,
    watched: bool,
    forged: int,
    fitted_intervals: bool,
    finite: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Estimate what a PLAN asks from its REPORTS (files of reports, or aggregates as .json).

    Shares of values, means, covariances or coefficients. The estimate is right on average and has the standard error
    and the interval, which covers by itself with the given confidence; what is fitted stands beside it.
    """
    table_again, page_again = require_writable(output, html, "a table of estimates", is_estimates, force=force)
    frozen = Plan.load(plan)
    counted = tally(frozen, reports)
    coverage = Coverage(confidence, simultaneous, watched, forged, fitted_intervals, counted.n if finite else 0)
    estimated = estimate_plan(frozen, counted, method, coverage, public)
    found, shown = estimated.results, estimated.blocks
    between = share_differences(found, differences, coverage)
    known = [] if margins is None else estimated.poststratified(margins)
    if output is not None:
        estimated.save(output, margins=margins, differences=differences, overwrite=table_again)
    if html is not None:
        estimated.page(html, margins=margins, overwrite=page_again)
    if as_json:
        head = {"plan": frozen.hash, "n": estimated.n}
        against = {
            "simultaneous": simultaneous,
            "watched": watched,
            "forged": forged,
            "fitted_intervals": fitted_intervals,
            "finite": finite,
        }
        questions = [result_json(blocks) for blocks in shown]
        print_json(
            {
                **head,
                "confidence": confidence,
                **against,
                "questions": questions,
                "rows": [row for blocks in shown for row in result_rows(blocks)],
                **({"between": between} if differences else {}),
                "pooled": [row for result in estimated.pooled for row in result.rows()],
                **tables_json(found),
                **({} if margins is None else poststratified_json(known)),
            }
        )
        return
    for blocks in shown:
        print_blocks(blocks, with_suggestions=method is None)
    print_blocks(difference_blocks(between, coverage))
    for pooled in estimated.pooled:
        print_blocks(pooled_blocks(pooled))
    print_blocks(within_blocks(found))
    for one in known:
        print_blocks(poststratified_blocks(one))
    if any(heading.is_estimated for blocks in shown for heading in blocks_of(Heading, blocks)):
        say(*(FINITE if finite else POPULATION), "")
    for path in filter(None, (output, html)):
        say(f"{path}: written")
    if output is None and any(len(table.readable) < table.count for blocks in shown for table in tables_of(blocks)):
        say("All values: -o FILE, or --json.")
