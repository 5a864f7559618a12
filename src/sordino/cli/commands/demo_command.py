"""`sordino demo`: the whole path on simulated people, printed and drawn."""

from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

import click

from sordino.cli.explanations import print_explanation
from sordino.cli.options import Whole, as_json_option, force_option
from sordino.cli.output import print_json, print_table
from sordino.cli.picture import is_page
from sordino.cli.progress import progress
from sordino.cli.results import print_blocks
from sordino.cli.say import say
from sordino.demo.run import METHODS, PEOPLE, Demo, by_nearest, run_demo
from sordino.document.files import write_text
from sordino.document.replace import require_free
from sordino.survey.kinds.shares.fitted_forecast import FittedForecast
from sordino.survey.kinds.shares.shares_forecast import SharesForecast
from sordino.tables.reports import Progress
from sordino.words.explain_plan import explanation

TITLE = "Where people live, from reports that hide the cell"
SOURCE = "The people are simulated: drawn from US places and their populations, GeoNames (geonames.org), CC BY 4.0."
HEADER = ("total variation to the truth", "blocks of 5 x 5", "uniform LDP")


@click.command()
@click.option("--people", type=Whole(1), default=PEOPLE, show_default=True, help="The number of people to simulate.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path("sordino-demo"),
    show_default=True,
    help="The folder for the files.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), default=Path("sordino-demo.html"), show_default=True, help="The page."
)
@force_option
@as_json_option
def demo(people: int, folder: Path, html: Path, *, force: bool, as_json: bool) -> None:
    """A million simulated people report where they live; every report hides the cell.

    Positions are drawn from 21,000 real US places and their populations (GeoNames, CC BY 4.0). The files of the run
    stay in a folder, to try the other commands on.
    """
    # Drawing libraries take a second to load: only commands that draw wait for them.
    from sordino.show.html.estimate_page import SimulationTruth, estimate_page
    from sordino.show.html.page import PageTable, Section

    start = perf_counter()
    again = _is_demo_page(html) or require_free(html, "a page of Sordino", is_page, force=force)
    with ExitStack() as stack:

        def step(name: str) -> Progress:
            return stack.enter_context(progress(name, people))

        outcome = run_demo(folder, people, step)
    result, uniform = by_nearest(outcome.blockwise), by_nearest(outcome.uniform)
    rows = _comparison(outcome)
    known = SimulationTruth(
        blocks=[result.blocks(outcome.truth, [("Uniform LDP", uniform.estimate.by_method)])],
        notes=(SOURCE,),
        comparison=Section("What protecting only what is sensitive buys", (PageTable(HEADER, tuple(rows)),)),
    )
    page = estimate_page(outcome.plan, [result], TITLE, known)
    write_text(html, page, overwrite=again)
    if as_json:
        print_json(
            {
                "people": people,
                "page": str(html),
                "seconds": round(perf_counter() - start, 1),
                "total_variation": {
                    method: {
                        "blocks": outcome.distance(outcome.blockwise[method]),
                        "uniform": outcome.distance(outcome.uniform[method]),
                    }
                    for method in METHODS
                },
            }
        )
        return
    print_blocks(result.blocks())
    print_table(
        "Expected before anybody was asked, of people like those of a public sample",
        ("", "blocks of 5 x 5", "uniform LDP"),
        SharesForecast.of(result.question, None, FittedForecast([], [])).accuracy_rows,
    )
    print_table("Found", HEADER, rows)
    say("What one report can reveal:")
    print_explanation(explanation(outcome.plan), f"sordino explain {folder}/plan.json --all")
    say("", f"{html}: maps of truth and estimate side by side", f"{folder}/: the files, to try the commands on")
    say(f"{perf_counter() - start:.1f} s")


def _is_demo_page(html: Path) -> bool:
    return html.is_file() and f"<title>{TITLE}</title>" in html.read_text(encoding="utf-8", errors="replace")


def _comparison(outcome: Demo) -> list[tuple[str, ...]]:
    return [
        (
            method,
            f"{outcome.distance(outcome.blockwise[method]):.3f}",
            f"{outcome.distance(outcome.uniform[method]):.3f}",
        )
        for method in METHODS
    ]
