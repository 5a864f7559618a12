"""`sordino reproduce fig3`, `corollary1` and `least-squares`: attributes that are not equally sensitive."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sordino.cli.options import Whole, as_json_option, force_option
from sordino.cli.output import print_json, print_table
from sordino.cli.progress import progress
from sordino.cli.reproduce.comparison import FigureFiles, comparison, output_option
from sordino.cli.say import say
from sordino.papers.bayesian_coordinate import corollary1 as corollary
from sordino.papers.bayesian_coordinate import fig3 as figure
from sordino.papers.bayesian_coordinate import least_squares as regression

LIMITS = ("lower", "upper")


if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from sordino.show.html.figures.log_curves import Curve


ERRORS = {
    "paper_exact": "the paper's, corrected",
    "paper_printed": "the paper's, as printed",
    "zeta_exact": "with the best zeta",
    "tight_exact": "with the best budgets",
    "sampled_exact": "one number each",
    "best_exact": "best",
    "baseline_duchi": "LDP, Mechanism 2",
    "baseline_sampled": "LDP, one number each",
}
"""Labels of exact errors."""

BOUNDS = {"corollary": "(18), (19) without constant", "theorem": "(17) without constant"}

SIMULATED = {
    "paper": ERRORS["paper_exact"],
    "best": ERRORS["best_exact"],
    "baseline_duchi": ERRORS["baseline_duchi"],
    figure.ASKING_NOBODY: "nobody asked, 0 said",
}

DRAWN = ("paper_exact", "tight_exact", "sampled_exact", "best_exact", "baseline_duchi", "baseline_sampled")


def draw_fig3(rows: Sequence[figure.Figure3Row], spreads: Sequence[figure.Spread]) -> "Drawing":
    """The exact errors, and the projected medians of each distribution with a band between the quartiles."""
    from sordino.show.html.figures.log_curves import Curve, curves

    panels = [("exact, before projection", _exact_curves(rows, DRAWN))]
    for mean in figure.MEANS if spreads else ():
        own = []
        for name in figure.SIMULATED:
            kept = [s for s in spreads if (s.mean, s.mechanism, s.projected) == (float(mean), name, True)]
            band = [s.lower for s in kept], [s.upper for s in kept]
            own.append(Curve(SIMULATED[name], "", [s.median for s in kept], band))
        panels.append((f"median and quartiles, projected, means of {float(mean):g}", own))
    return curves([row.q for row in rows], panels, along="dependence q", upward="squared error", linear=True)


def draw_corollary1(rows: Sequence[corollary.Corollary1Row]) -> "Drawing":
    """The bounds and the exact errors."""
    from sordino.show.html.figures.log_curves import curves

    panels = [("", _exact_curves(rows, (*BOUNDS, *DRAWN)))]
    return curves([row.q for row in rows], panels, along="dependence q", upward="squared error", linear=True)


def draw_least_squares(rows: Sequence[regression.LeastSquaresRow]) -> "Drawing":
    """The excess losses over ever more people, a panel for each promise."""
    from sordino.show.html.figures.log_curves import Curve, curves

    panels = []
    for setting in regression.SETTINGS:
        own = [
            Curve(method, "", [row.excess for row in rows if (row.setting, row.method) == (setting.name, method)])
            for method in regression.METHODS
        ]
        panels.append((setting.name, own))
    return curves(sorted({row.people for row in rows}), panels, along="people", upward="mean excess loss")


def _exact_curves(rows: Sequence[figure.Figure3Row | corollary.Corollary1Row], names: Sequence[str]) -> "list[Curve]":
    from sordino.show.html.figures.log_curves import Curve

    labels = BOUNDS | ERRORS
    return [Curve(labels[name], "", [getattr(row, name) for row in rows]) for name in names]


@click.command()
@click.option(
    "--repeats",
    type=Whole(0),
    default=figure.REPEATS,
    show_default=True,
    help="Simulated runs; 0 for the exact errors only.",
)
@output_option
@force_option
@as_json_option
def fig3(repeats: int, output: Path | None, *, force: bool, as_json: bool) -> None:
    """Figure 3 of the BCDP paper: ten means, two of them sensitive, as attributes depend ever more (q).

    Exact squared errors before projection, and quartiles of simulated ones without and with projection into [-1, 1].
    The paper draws curves without numbers, from 1,000 runs.

    Takes about 15 s.
    """
    files = FigureFiles.of(output, force=force)
    with progress("figure 3", figure.steps(repeats)) as advance:
        rows, spreads = figure.fig3(repeats, advance)
    sections = {"rows": [_comparison(row) for row in rows], "simulated": [asdict(spread) for spread in spreads]}
    document = {"people": figure.PEOPLE, "repeats": repeats, **sections}
    document = files.write(lambda: draw_fig3(rows, spreads), document)
    if as_json:
        print_json(document)
        return
    say(f"Expected squared error of {figure.D} means together, {figure.PEOPLE:,} people, before projection")
    print_table("", ("q", *(f"{row.q:g}" for row in rows)), _lines(rows, ERRORS))
    for mean in figure.MEANS if spreads else ():
        say(f"Simulated, each true mean about {float(mean):g}: median and quartiles of {repeats} runs")
        own = [spread for spread in spreads if spread.mean == float(mean)]
        print_table("", ("q", *(f"{row.q:g}" for row in rows)), _spread_lines(own))
    files.say()


@click.command()
@click.option("--numbers", type=Whole(1, 100), default=corollary.NUMBERS, show_default=True, help="How many are asked.")
@click.option(
    "--sensitive",
    type=Whole(1, 100),
    default=corollary.SENSITIVE,
    show_default=True,
    help="How many of them have the delta; the others have epsilon.",
)
@click.option(
    "--delta", default=corollary.DELTA, show_default=True, help="In nats, below half of epsilon: 0.2, 1/5, ln 1.2."
)
@click.option("--epsilon", default=corollary.EPSILON, show_default=True, help="Of a whole report, in nats.")
@output_option
@force_option
@as_json_option
def corollary1(
    numbers: int, sensitive: int, delta: str, epsilon: str, output: Path | None, *, force: bool, as_json: bool
) -> None:
    """Corollary 1 of the BCDP paper: its bound beside exact errors, as attributes depend ever more (q).

    Takes about 5 s.
    """
    files = FigureFiles.of(output, force=force)
    with progress("corollary 1", len(corollary.QS)) as advance:
        rows = corollary.corollary1(numbers, sensitive, delta, epsilon, advance)
    setting = {"numbers": numbers, "sensitive": sensitive, "delta": delta, "epsilon": epsilon}
    document = {"people": corollary.PEOPLE, **setting, "rows": [_comparison(row) for row in rows]}
    document = files.write(lambda: draw_corollary1(rows), document)
    if as_json:
        print_json(document)
        return
    what = f"{sensitive} of {numbers} numbers with delta {delta}, the others with epsilon {epsilon}"
    say(f"{what}; squared error of all means together, {corollary.PEOPLE:,} people, before projection")
    print_table("", ("q", *(f"{row.q:g}" for row in rows)), _lines(rows, BOUNDS | ERRORS))
    say("The paper's has zeta = 1/2 here, as the bounds have.")
    files.say()


@click.command("least-squares")
@click.option(
    "--people",
    type=Whole(regression.FEWEST, 10**8),
    default=regression.PEOPLE,
    show_default=True,
    help="The largest number to simulate; then a tenth, and so on.",
)
@click.option(
    "--repeats",
    type=Whole(1),
    default=regression.REPEATS,
    show_default=True,
    help="Runs for the largest number; more for the others.",
)
@output_option
@force_option
@as_json_option
def least_squares(people: int, repeats: int, output: Path | None, *, force: bool, as_json: bool) -> None:
    """Least squares: the BCDP paper's Algorithm 3, solved exactly or clipped, and from sampled statistics.

    Excess loss (half the mean squared error) over the best slopes in the unit ball, for six attributes under LDP and
    with two sensitive ones. Predicting 0 has 0.09. Then how often the quadratic form of two copies is not convex.

    Takes about 20 s.
    """
    files = FigureFiles.of(output, force=force)
    looked_at = regression.FORM_PEOPLE * regression.FORM_RUNS * len(regression.FORMS)
    with progress("least squares", regression.simulated_people(people, repeats) + looked_at) as advance:
        rows = regression.least_squares(people, repeats, advance)
        forms = regression.indefinite_forms(advance)
    found = [comparison(row, excess="found", known="elsewhere") for row in rows]
    document = {"people": people, "repeats": repeats, "predicting_zero": regression.PREDICTING_ZERO, "rows": found}
    document |= {"indefinite": [asdict(form) for form in forms]}
    document = files.write(lambda: draw_least_squares(rows), document)
    if as_json:
        print_json(document)
        return
    sizes = regression.sizes(people)
    say(f"Mean excess loss; predicting 0 has {regression.PREDICTING_ZERO:.3g}")
    for setting in regression.SETTINGS:
        own = [row for row in rows if row.setting == setting.name]
        levels = ", ".join(str(delta) for delta in setting.deltas)
        print_table("", (f"{setting.name}: deltas {levels}", *(f"{size:,}" for size in sizes)), _regression_lines(own))
    say(f"Quadratic forms that are not convex, of {regression.FORM_RUNS} from {regression.FORM_PEOPLE:,} people each")
    print_table(
        "", ("features", *(str(form.numbers - 1) for form in forms)), [("found", *(str(form.found) for form in forms))]
    )
    files.say()


def _comparison(row: figure.Figure3Row | corollary.Corollary1Row) -> dict[str, Any]:
    """What the paper has as printed and as corrected, beside all else."""
    errors = asdict(row)
    bounds = {name: errors.pop(name) for name in BOUNDS if name in errors}
    printed = bounds or errors.pop("paper_printed")
    return {"q": errors.pop("q"), "printed": printed, "corrected": errors.pop("paper_exact"), "found": errors}


def _lines(rows: Sequence[figure.Figure3Row | corollary.Corollary1Row], names: dict[str, str]) -> list[tuple[str, ...]]:
    documents = [asdict(row) for row in rows]
    return [
        (label, *(f"{document[name]:.4f}" for document in documents))
        for name, label in names.items()
        if name in documents[0]
    ]


def _spread_lines(spreads: Sequence[figure.Spread]) -> list[tuple[str, ...]]:
    lines = []
    for mechanism, label in SIMULATED.items():
        for projected in (False, True):
            own = [spread for spread in spreads if (spread.mechanism, spread.projected) == (mechanism, projected)]
            if not own:
                continue
            title = f"{label}, projected" if projected else label
            lines.append((title, *(f"{spread.median:.3f}" for spread in own)))
            lines += [(f"  {name} quartile", *(f"{getattr(spread, name):.3f}" for spread in own)) for name in LIMITS]
    return lines


def _regression_lines(rows: Sequence[regression.LeastSquaresRow]) -> list[tuple[str, ...]]:
    """A line for each method; below it what other programs found, where they did."""
    lines: list[tuple[str, ...]] = []
    for method in regression.METHODS:
        own = [row for row in rows if row.method == method]
        lines.append((method, *(_with_error(row) for row in own)))
        if any(row.known is not None for row in own):
            lines.append(("  found elsewhere", *("" if row.known is None else f"{row.known:g}" for row in own)))
    return lines


def _with_error(row: regression.LeastSquaresRow) -> str:
    return f"{row.excess:.5f}" if row.stderr is None else f"{row.excess:.5f} ({row.stderr:.5f})"
