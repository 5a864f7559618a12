"""`sordino reproduce`: a paper's tables and figures anew, from simulated reports, beside what the paper has."""

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from sordino.cli.options import FILE, Whole, as_json_option, force_option
from sordino.cli.output import print_json, print_table
from sordino.cli.progress import progress
from sordino.cli.reproduce import filters, over_time
from sordino.cli.reproduce.attributes import corollary1, fig3, least_squares
from sordino.cli.reproduce.comparison import FigureFiles, comparison, output_option
from sordino.cli.say import say
from sordino.estimation.share_estimate import Method
from sordino.papers.context_aware import fig2 as figure
from sordino.papers.context_aware import table1 as table
from sordino.papers.context_aware.table1 import Checkins, read_checkins
from sordino.papers.simulation import CONTESTANTS, METHODS, Contestant

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

ROUNDING = 1e-9
"""Distances below it are zero."""

epsilon_option = click.option(
    "--epsilon", default="1", show_default=True, help="The loss a report may cost, in nats: 1, 1/2, ln 3."
)


@click.group()
def reproduce() -> None:
    """Compute a paper's table or figure anew, beside what the paper has.

    Simulation with fixed seeds: the same command prints the same numbers. Nothing of it is a release. Times are those
    of one free core.
    """


for command in (fig3, corollary1, least_squares):
    reproduce.add_command(command)


@reproduce.command()
@click.option(
    "--checkins", type=FILE, help="A table with latitude, longitude and perhaps count; else simulated people."
)
@epsilon_option
@click.option("--repeats", type=Whole(1), default=3, show_default=True, help="Runs to average over.")
@click.option("--smoothed", is_flag=True, help="Smoothed shares too: some seconds a run.")
@click.option(
    "--unequal", is_flag=True, help="50 blocks of one size, the states, and 50 blocks of about equally many people."
)
@as_json_option
def table1(checkins: Path | None, epsilon: str, repeats: int, *, smoothed: bool, unequal: bool, as_json: bool) -> None:
    """Table 1 of the context-aware LDP paper: check-ins on a map of 125 x 350 cells, in ever more public blocks.

    Rows of the file outside 25..50 N and 130..60 W are left out. The paper averages 100 runs. Its Section 8 asks for
    blocks of unequal sizes: --unequal.

    Takes about 20 s.

    With --unequal some 40 s.
    """
    found = Checkins(table.simulated_people(), 0) if checkins is None else read_checkins(checkins, table.MAP)
    n = int(found.people.sum())
    with progress("table 1", table.estimates(repeats, unequal=unequal)) as advance:
        cells = table.table1(found.people, epsilon, repeats, advance, table.MAP, smoothed=smoothed, unequal=unequal)
    if as_json:
        printed = {(blocks, "hadamard"): paper for blocks, paper in table.PAPER.items()}
        compared = [comparison(cell, tv="found") for cell in cells]
        own = [{**row, "printed": printed.get((row["blocks"], row["mechanism"]))} for row in compared]
        print_json({"people": n, "rows": own})
        return
    tv = {(cell.blocks, cell.mechanism, cell.estimator): cell.tv for cell in cells}
    columns = list(dict.fromkeys(cell.blocks for cell in cells))
    rows = [] if unequal else [("the paper", *(f"{paper:.3f}" for paper in table.PAPER.values()))]
    rows += [
        (f"{mechanism}, {method}", *(_number(tv.get((blocks, mechanism, method))) for blocks in columns))
        for mechanism in CONTESTANTS
        for method in get_args(Method)
        if any((blocks, mechanism, method) in tv for blocks in columns)
    ]
    rows += [
        (
            f"best / hadamard, {method}",
            *(_ratio(tv[blocks, "best", method], tv[blocks, "hadamard", method]) for blocks in columns),
        )
        for method in METHODS
    ]
    say(f"Total variation to the shares of {n:,} people; epsilon {epsilon}, runs averaged: {repeats}")
    print_table("", ("blocks", *columns), rows)
    who = "simulated: the demo's people" if checkins is None else f"{checkins}; {found.outside:,} outside left out"
    say(f"The people: {who}.")
    say("The paper's are 3,671,812 Gowalla check-ins; it states neither epsilon nor the post-processing.")


@reproduce.command()
@click.option(
    "--people", type=Whole(1, 2**32), default=figure.PEOPLE, show_default=True, help="The number of people to simulate."
)
@click.option("--repeats", type=Whole(1), default=figure.REPEATS, show_default=True, help="Runs to average.")
@epsilon_option
@output_option
@force_option
@as_json_option
def fig2(people: int, repeats: int, epsilon: str, output: Path | None, *, force: bool, as_json: bool) -> None:
    """Figure 2 of the context-aware LDP paper: 1,000 values in ever more public blocks, under four distributions.

    The paper draws curves without numbers: `elsewhere` is what its mechanism gives in its setting, where that is known.

    Takes about 11 s.
    """
    files = FigureFiles.of(output, force=force)
    fewer = figure.sizes(people)[:-1] if output is not None else []
    total = figure.estimates(repeats) + len(fewer) * figure.estimates(repeats, figure.DRAWN)
    with progress("figure 2", total) as advance:
        points = figure.fig2(people, epsilon, repeats, advance)
        swept = {size: figure.fig2(size, epsilon, repeats, advance, figure.DRAWN) for size in fewer}
    document = {"people": people, "rows": [comparison(point, tv="found", paper="elsewhere") for point in points]}
    # The picture's curves go over ever more people.
    curves = {str(size): [comparison(point, tv="found") for point in own] for size, own in swept.items()}
    document = files.write(lambda: _draw({**swept, people: points}), document | ({"fewer": curves} if swept else {}))
    if as_json:
        print_json(document)
        return
    say(f"Total variation to the distribution of the {people:,} people; epsilon {epsilon}, runs averaged: {repeats}")
    header = ("distribution, mechanism, post-processing", *("LDP" if m == 1 else f"{m} blocks" for m in figure.BLOCKS))
    print_table("", header, _rows(points))
    files.say()


for command in (*filters.COMMANDS, *over_time.COMMANDS):
    reproduce.add_command(command)


def _number(tv: float | None) -> str:
    """A distance; a dash where the mechanism's tally does not allow the post-processing."""
    return "-" if tv is None else f"{tv:.3f}"


def _rows(points: tuple[figure.CurvePoint, ...]) -> list[tuple[str, ...]]:
    """A line for each distribution, mechanism and post-processing; below it what other programs found, if they did."""
    lines: dict[tuple[str, Contestant, Method], list[figure.CurvePoint]] = {}
    for point in points:
        lines.setdefault((point.distribution, point.mechanism, point.estimator), []).append(point)
    rows: list[tuple[str, ...]] = []
    for names, own in lines.items():
        rows.append((", ".join(names), *(f"{point.tv:.3f}" for point in own)))
        if any(point.paper is not None for point in own):
            rows.append(("  found elsewhere", *("" if point.paper is None else f"{point.paper:.3f}" for point in own)))
    return rows


def _draw(points: dict[int, tuple[figure.CurvePoint, ...]]) -> "Drawing":
    # Drawing libraries take a second to load: only commands that draw wait for them.
    from sordino.show.html.figures.log_curves import Curve, curves

    heights: dict[str, dict[tuple[int, str], list[float]]] = {}
    for size in sorted(points):
        for point in points[size]:
            if point.estimator in figure.DRAWN:
                panel = heights.setdefault(point.distribution, {})
                panel.setdefault((point.blocks, point.mechanism), []).append(point.tv)
    panels = [
        (name, [Curve("LDP" if m == 1 else f"{m} blocks", mechanism, own) for (m, mechanism), own in panel.items()])
        for name, panel in heights.items()
    ]
    upward = f"total variation ({', '.join(figure.DRAWN)})"
    return curves(sorted(points), panels, along="people", upward=upward)


def _ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.3f}" if theirs > ROUNDING else "-"
