"""`sordino estimate`: what reports say, printed, as a table and as a page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import click

from sordino.blocks.block import Block, Heading, blocks_of
from sordino.cli.options import FILE, as_json_option, force_option
from sordino.cli.output import print_json
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.cli.tally import tally
from sordino.cli.terminal.results import poststratified_json, print_blocks, tables_json
from sordino.cli.whole_numbers import Whole
from sordino.cli.writable import require_outputs, require_writable
from sordino.errors import SordinoError
from sordino.estimation.estimate import Method
from sordino.show.associations import association_blocks
from sordino.show.cells import result_json, result_rows, tables_of
from sordino.show.derived import difference_blocks, pooled_blocks, poststratified_blocks, within_blocks
from sordino.show.findings import finding_blocks
from sordino.show.groups import grouped_blocks, groups_json
from sordino.show.series import series_blocks, series_json
from sordino.show.weighted import weighted_blocks, weighted_json
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.results.between import share_differences
from sordino.survey.results.groups import REST, columns_of
from sordino.survey.results.poststratified import Poststratified
from sordino.tables.results.tidy import is_tidy
from sordino.verbs.plan_results import PlanEstimate, estimate_plan
from sordino.words.coverage import FINITE, POPULATION


@click.command()
@click.argument("plan", type=FILE)
@click.argument("reports", type=FILE, nargs=-1, required=True)
@click.option(
    "--method",
    type=click.Choice(get_args(Method)),
    help="How a distribution is fitted; by default block-simplex where blocks are public, else simplex.",
)
@click.option("--public", type=FILE, help="For smoothed: a table of public numbers that may be related to the shares.")
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="The confidence of each single interval."
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
    "--difference",
    "differences",
    type=(str, str, str),
    multiple=True,
    metavar="QUESTION VALUE MINUS",
    help="One value's share minus another's; may be given several times.",
)
@click.option("--by", metavar="COLUMN,...", help="Public columns: every quantity also by groups of people.")
@click.option("--against", default=REST, show_default=True, help="The group that others are compared to.")
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
    by: str | None,
    against: str,
    totals: Path | None,
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
    _, page_again = require_writable(None, html, "a table of estimates", is_tidy, force=force)
    again = require_outputs(outputs, html, force=force)
    frozen = Plan.load(plan)
    counted = tally(frozen, reports)
    coverage = Coverage(confidence, simultaneous, watched, forged, fitted_intervals, counted.n if finite else 0)
    if against != REST and not by:
        raise SordinoError("--against must be of groups", found="no --by", step="name public columns: --by COLUMN")
    columns = columns_of(frozen, by or "")
    with progress("estimate", len(frozen.questions)) as advance:
        groups: dict[str, Any] = {"by": columns, "against": against, "totals": totals}
        estimated = estimate_plan(frozen, counted, method, coverage, public, **groups, progress=advance)
    between = share_differences(estimated.results, differences, coverage)
    known = [] if margins is None else estimated.poststratified(margins)
    for path in outputs:
        estimated.save(path, margins=margins, differences=differences, overwrite=again[path])
    if html is not None:
        estimated.page(html, margins=margins, overwrite=page_again)
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
                **_rows(estimated),
                **({"between": between} if differences else {}),
                "associations": list(estimated.associations.rows()),
                **({} if margins is None else poststratified_json(known)),
            }
        )
        return
    _print(estimated, between, known, with_suggestions=method is None)
    for path in filter(None, (*outputs, html)):
        say(f"{path}: written")
    if not outputs:
        _say_where_all_are(estimated.blocks)


def _rows(estimated: PlanEstimate) -> dict[str, Any]:
    """For programs: all that is estimated."""
    groups, weighted = estimated.groups, estimated.weighted
    return {
        "questions": [result_json(blocks) for blocks in estimated.blocks],
        "rows": [row for blocks in estimated.blocks for row in result_rows(blocks)],
        "pooled": [row for result in estimated.pooled for row in result.rows()],
        **tables_json(estimated.results),
        **({} if weighted is None else weighted_json(weighted)),
        **({} if groups is None else groups_json(groups)),
        **({} if estimated.series is None else series_json(estimated.series)),
    }


def _print(
    estimated: PlanEstimate,
    between: Sequence[Mapping[str, Any]],
    known: Sequence[Poststratified],
    *,
    with_suggestions: bool,
) -> None:
    """Everything for people; by groups in place of all people together where groups are asked for."""
    shown, groups = estimated.blocks, estimated.groups
    print_blocks(finding_blocks(estimated.results, estimated.associations, groups, estimated.series))
    if estimated.series is not None and groups is None:
        print_blocks(series_blocks(estimated.series))
    if groups is not None:
        print_blocks(grouped_blocks(groups))
    for blocks in shown if groups is None else ():
        print_blocks(blocks, with_suggestions=with_suggestions)
    print_blocks(difference_blocks(between, estimated.coverage))
    for pooled in estimated.pooled if groups is None else ():
        print_blocks(pooled_blocks(pooled))
    print_blocks(within_blocks(estimated.results if groups is None else ()))
    print_blocks(association_blocks(estimated.associations))
    if estimated.weighted is not None:
        print_blocks(weighted_blocks(estimated.weighted))
    for one in known:
        print_blocks(poststratified_blocks(one))
    _say_of_whom(shown, finite=estimated.coverage.finite > 0)


def _say_of_whom(shown: Sequence[Sequence[Block]], *, finite: bool) -> None:
    """Say which people the intervals are about, where there are any."""
    if any(heading.is_estimated for blocks in shown for heading in blocks_of(Heading, blocks)):
        say(*(FINITE if finite else POPULATION), "")


def _say_where_all_are(shown: Sequence[Sequence[Block]]) -> None:
    """Say how to see all values, where only the largest are printed."""
    if any(len(table.readable) < table.count for blocks in shown for table in tables_of(blocks)):
        say("All values: -o FILE, or --json.")
