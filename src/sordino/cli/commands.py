"""The commands of a survey's life: plan, privatize, aggregate, estimate, certify, explain."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import click

from sordino.cli.picture import draw, force_option, is_page, require_picture
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.cli.show import (
    LARGEST,
    certificate_json,
    print_explanation,
    print_json,
    print_lines,
    print_result,
    print_table,
    promise_json,
    promise_rows,
    result_json,
)
from sordino.cli.show_forecast import forecast_json, print_forecast, print_warnings
from sordino.cli.whole_numbers import Whole
from sordino.document.replace import of_kind, require_free
from sordino.errors import SordinoError
from sordino.estimation.estimate import Method
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.planning.buys import what_a_bound_buys
from sordino.survey.planning.forecast import Forecast, forecasts, warnings
from sordino.survey.planning.plan import MOST_PEOPLE, Plan
from sordino.survey.reading.schema import Survey
from sordino.survey.results.tally import save_aggregate
from sordino.tables.duckdb import count_rows
from sordino.tables.estimates import is_estimates
from sordino.tables.expected import read_expected
from sordino.tables.key import TASK
from sordino.tables.values import count_clipped
from sordino.verbs import dispatch as verbs
from sordino.words.explain_certificate import plan_certificates
from sordino.words.explain_plan import explanation

FILE = click.Path(path_type=Path)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


@click.command()
@click.argument("survey", type=FILE)
@click.option(
    "--people",
    type=Whole(1, MOST_PEOPLE),
    required=True,
    help="How many are expected to answer; sets the expected errors.",
)
@click.option("-o", "--output", type=FILE, required=True, help="The plan to write (JSON).")
@click.option("--expect", type=FILE, help="A public sample of people like those who will answer, for the forecasts.")
@as_json
def plan(survey: Path, people: int, output: Path, expect: Path | None, *, as_json: bool) -> None:
    """Freeze a SURVEY file into a plan: mechanisms, integer thresholds, a content hash.

    Shows what a report can reveal, how exact the estimates will be, and what uniform protection would cost; warns of
    what cannot be expected to be answered. A public sample (a row for each person, with the survey's columns) makes the
    forecasts better and changes nothing else. A plan is never overwritten by another one, since reports may exist that
    need it.
    """
    asked = Survey.load(survey)
    with progress("plan", None):
        made, found = verbs.freeze(asked, people)
        if expect is not None:
            # A sample changes forecasts, and never whether there is a plan.
            found = forecasts(made, read_expected(made, expect))
        buys = what_a_bound_buys(asked, made)
    made.save(output)
    if as_json:
        print_json(
            {
                "plan": str(output),
                "hash": made.hash,
                "people": people,
                "code_bits": made.sampled.code_bits,
                "certificate": _least(made),
                "promise": made.promise and promise_json(made.promise),
                "expected_from": expect and str(expect),
                "warnings": list(warnings(found)),
                "questions": _questions(made, found),
                "explanation": explanation(made).json(),
                "a_bound_buys": list(buys),
            }
        )
        return
    say(f"{output}: {made.hash}")
    print_warnings(warnings(found))
    for forecast in found:
        print_forecast(forecast)
    if made.promise is not None:
        header = ("nats told about", "delta", "told at most", "rests on dependence")
        print_table("", header, promise_rows(made.promise))
    print_explanation(explanation(made), f"sordino explain {output} --all")
    print_lines(buys)
    _print_certificates(made)


@click.command()
@click.argument("plan", type=FILE)
@click.argument("data", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="The reports to write (.csv, .csv.gz or .parquet).")
@click.option("--id", "id_column", help="The column that tells people apart; an id that stands twice is refused.")
@click.option("--key", type=FILE, help="The key file, made if there is none: the same run gives the same reports.")
@click.option("--task", help="With a key, the name of this release: another one draws afresh.")
@as_json
def privatize(
    plan: Path, data: Path, output: Path, id_column: str | None, key: Path | None, task: str | None, *, as_json: bool
) -> None:
    """Release one report for each row of DATA (.csv, .csv.gz or .parquet), by the PLAN.

    For a holder of data who releases it, and for simulation: in the local setting people privatize on their own
    devices, and raw answers never leave them. Reports are never overwritten: a second run is a second release, and
    losses add. With a key and ids a second run repeats the reports instead; whoever has the key can undo their noise.
    """
    frozen = Plan.load(plan)
    name = TASK if task is None else task
    with progress("privatize", _total([data])) as advance:
        n = verbs.privatize(frozen, data, output=output, id_column=id_column, key=key, task=task, progress=advance)
    clipped = count_clipped(frozen, data)
    if as_json:
        made = {"reports": str(output), "n": n, "plan": frozen.hash, "bytes": output.stat().st_size, "clipped": clipped}
        print_json(made if key is None else {**made, "key": str(key), "task": name})
        return
    say(f"{output}: {n:,} reports, {output.stat().st_size:,} bytes")
    for attribute, rows in clipped.items():
        say(f"{attribute}: {rows:,} values beyond its range counted as its nearest end; keep this number to yourself")
    if key is None:
        say("This was a release. Privatizing the same people again is a second one, and their losses add.")
        return
    say(f"The same key, plan, task ({name}), id and value always give the same report. A changed value gives a")
    say("new one: a second release, which also shows that the value changed. For new answers take another --task.")
    say(f"Whoever has {key} can undo the noise: destroy it, and all copies, as soon as the reports are final.")


@click.command()
@click.argument("plan", type=FILE)
@click.argument("reports", type=FILE, nargs=-1, required=True)
@click.option("-o", "--output", type=FILE, required=True, help="The aggregate to write (JSON).")
@force_option
@as_json
def aggregate(plan: Path, reports: tuple[Path, ...], output: Path, *, force: bool, as_json: bool) -> None:
    """Tally REPORTS of a PLAN: files of reports, or aggregates to add up (.json)."""
    frozen = Plan.load(plan)
    again = require_free(output, "an aggregate", of_kind("aggregate"), force=force, inputs=reports)
    total = _tally(frozen, reports)
    save_aggregate(frozen, total, output, overwrite=again)
    if as_json:
        print_json({"aggregate": str(output), "n": total.n, "plan": frozen.hash})
        return
    say(f"{output}: the tally of {total.n:,} reports")


@click.command()
@click.argument("plan", type=FILE)
@click.argument("reports", type=FILE, nargs=-1, required=True)
@click.option(
    "--method",
    type=click.Choice(get_args(Method)),
    help="How a distribution is fitted; by default block-simplex where blocks are public, else simplex.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of each interval by itself.")
@click.option("-o", "--output", type=FILE, help="All estimates as a table (.csv, .csv.gz or .parquet).")
@click.option("--html", type=FILE, help="A self-contained page with maps, bars and explanations.")
@force_option
@as_json
def estimate(
    plan: Path,
    reports: tuple[Path, ...],
    method: Method | None,
    confidence: float,
    output: Path | None,
    html: Path | None,
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Estimate what a PLAN asks from its REPORTS (files of reports, or aggregates as .json).

    Shares of values, means, covariances or coefficients. The estimate is right on average and has the standard error
    and the interval, which covers by itself with the given confidence; what is fitted stands beside it.
    """
    frozen = Plan.load(plan)
    estimated = verbs.estimate(frozen, _tally(frozen, reports), method, confidence=confidence)
    found = estimated.results
    table_again = output is not None and require_free(output, "a table of estimates", is_estimates, force=force)
    page_again = html is not None and require_free(html, "a page of Sordino", is_page, force=force)
    if output is not None:
        estimated.save(output, overwrite=table_again)
    if html is not None:
        estimated.page(html, overwrite=page_again)
    if as_json:
        head = {"plan": frozen.hash, "n": estimated.n}
        questions = [result_json(result) for result in found]
        print_json(
            {
                **head,
                "confidence": confidence,
                "questions": questions,
                "rows": [row for result in found for row in result.rows()],
            }
        )
        return
    for result in found:
        print_result(result)
    for path in filter(None, (output, html)):
        say(f"{path}: written")
    more = (next(islice(result.rows(), LARGEST, None), None) is not None for result in found)
    if output is None and any(more):
        say("All values: -o FILE, or --json.")


@click.command()
@click.argument("plan", type=FILE)
@click.option(
    "--region", type=FILE, help="A drawing of how well a report tells the two closest values apart (.png, .svg)."
)
@force_option
@as_json
def certify(plan: Path, region: Path | None, *, force: bool, as_json: bool) -> None:
    """Check a PLAN's integers against its promise, exactly, on every output; exit code 3 if it is broken."""
    frozen = Plan.load(plan)
    again = require_picture(region, force=force)
    if region is not None:
        from sordino.page.figures.error_region import question_region

        tightest = min(frozen.histograms, key=lambda question: question.certificate.slack, default=None)
        if tightest is None:
            raise SordinoError("a region is of a histogram", found="none in the plan", step="leave --region out")
        draw(region, lambda: question_region(tightest), overwrite=again)
    if as_json:
        promise = frozen.promise and promise_json(frozen.promise)
        # A plan that breaks a promise is not read at all; what holds, holds for all of it.
        head = {"plan": frozen.hash, **(_least(frozen) or {}), "holds": verbs.certify(frozen).holds}
        print_json({**head, "questions": _certificates(frozen), "promise": promise})
        return
    _print_certificates(frozen)


@click.command()
@click.argument("plan", type=FILE)
@click.option("--all", "everything", is_flag=True, help="Every sentence, under headings.")
@as_json
def explain(plan: Path, *, everything: bool, as_json: bool) -> None:
    """Say in plain words what a report under a PLAN can reveal, and what it does not protect.

    The five sentences that matter; all others with --all, and in --json.
    """
    frozen = Plan.load(plan)
    if as_json:
        promise = frozen.promise and promise_json(frozen.promise)
        print_json({"plan": frozen.hash, **explanation(frozen).json(), "promise": promise})
        return
    print_explanation(explanation(frozen), None if everything else f"sordino explain {plan} --all")


def _questions(plan: Plan, found: Sequence[Forecast]) -> list[dict[str, Any]]:
    """The questions of a plan for programs."""
    certificates = {question.name: certificate for question, certificate in plan.certificates}
    return [forecast_json(forecast, certificates.get(forecast.question.name)) for forecast in found]


def _certificates(plan: Plan) -> list[dict[str, Any]]:
    """The verdict on each histogram."""
    return [
        {"attribute": question.name, **certificate_json(certificate, question.domain)}
        for question, certificate in plan.certificates
    ]


def _least(plan: Plan) -> dict[str, Any] | None:
    """The certificate that leaves least of its bound: if it holds, those of all histograms do."""
    slacks = [certificate.slack for _, certificate in plan.certificates]
    return _certificates(plan)[min(range(len(slacks)), key=lambda i: slacks[i])] if slacks else None


def _print_certificates(plan: Plan) -> None:
    """The verdict on each attribute and each histogram."""
    for paragraph in plan_certificates(plan):
        if paragraph.heading:
            say(f"{paragraph.heading}:")
        print_lines(paragraph.lines)


def _tally(plan: Plan, files: tuple[Path, ...]) -> Aggregate:
    """The sum of report files and aggregates."""
    reports = [path for path in files if path.suffix != ".json"]
    with progress("tally", _total(reports)) as advance:
        return verbs.aggregate(plan, *files, progress=advance, note=_note)


def _note(sentence: str) -> None:
    say(f"sordino: note: {sentence}", err=True)


def _total(files: list[Path]) -> int | None:
    """Rows of all files, for the progress bar; None where they cannot be told."""
    counts = [count_rows(path) for path in files]
    return None if None in counts else sum(count or 0 for count in counts)
