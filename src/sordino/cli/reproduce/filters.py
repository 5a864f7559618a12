"""`sordino reproduce`: numbers of the papers about filters, beside what they print."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import click

from sordino.cli.options import Whole, as_json_option, force_option
from sordino.cli.output import print_json, print_table
from sordino.cli.progress import progress
from sordino.cli.reproduce.comparison import FigureFiles, comparison, output_option
from sordino.cli.say import say
from sordino.errors import SordinoError
from sordino.papers.bayesian_coordinate.composition import bcdp_composition
from sordino.papers.bayesian_filter import fig1, health_models
from sordino.papers.bayesian_filter import identical as walks
from sordino.papers.bayesian_filter.appendix_a import PAPER, AppendixARow, appendix_a
from sordino.papers.bayesian_filter.chords import BOXES, chords

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

ROUNDING = 1e-12
"""Nats; losses below it are 0, and bounds on them what the roundings of their sums may add."""

runs_option = click.option("--runs", type=Whole(1, 10_000), default=50, show_default=True, help="Runs.")
seed_option = click.option("--seed", type=Whole(0), default=1, show_default=True, help="Of the simulation.")
nodes_option = click.option(
    "--nodes",
    type=Whole(0, 1_000_000),
    default=fig1.NODES,
    show_default=True,
    help="The limit of the work for one decision, in boxes bounded.",
)
rule_option = click.option(
    "--rule", type=click.Choice(["full", "simplified"]), default="full", show_default=True, help="Of the filter."
)
group_option = click.option("--group", type=Whole(1), help="Bound so many answers together only.")
one_sided_option = click.option(
    "--one-sided", is_flag=True, help="By groups bound only the largest probability, as the paper's 47 needs."
)
curves_option = click.option(
    "--curves", is_flag=True, help="Budgets of 0.1 to 1, with 10 to 90 % bands, and losses after each answer."
)


def fig1_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options of both models."""
    options = (runs_option, seed_option, nodes_option, rule_option, group_option, one_sided_option, curves_option)
    for option in reversed((*options, output_option, force_option, as_json_option)):
        command = option(command)
    return command


@click.command("appendix-a")
@as_json_option
def appendix_a_command(*, as_json: bool) -> None:
    """Appendix A of the Bayesian privacy filter paper: the realized losses of a mean and a variance estimator.

    Takes about 1 s.
    """
    with progress("appendix A", len(PAPER)) as advance:
        rows = appendix_a(advance)
    _print_rows(rows, "Realized loss of two questions with epsilon 1 each, in nats", as_json=as_json)


@click.command("health")
@as_json_option
def health_command(*, as_json: bool) -> None:
    """Appendix F of the Bayesian privacy filter paper: the realized losses of four models of health data.

    Takes about 1 s.
    """
    with progress("health", len(health_models.PAPER)) as advance:
        rows = health_models.health(advance)
    title = "Realized loss of four questions with epsilon 1 each (heart, stroke, sleep, diabetes), in nats"
    _print_rows(rows, title, as_json=as_json)


@click.command("chords")
@click.option("--boxes", type=Whole(1, 1000), default=BOXES, show_default=True, help="Boxes bounded for each end.")
@as_json_option
def chords_command(boxes: int, *, as_json: bool) -> None:
    """Algorithm 5 of the Bayesian privacy filter paper, as corrected: its bounds on `health` beside those here.

    Takes about 2 s.
    """
    with progress("chords", len(health_models.PAPER)) as advance:
        rows = chords(boxes, advance)
    if as_json:
        print_json({"rows": [comparison(row, chords="corrected", own="found") for row in rows]})
        return
    numbers = ((r.chords_root, r.chords.gap, r.root, r.own.gap, r.basic) for r in rows)
    table = [(row.outputs, *(f"{number:.4f}" for number in line)) for row, line in zip(rows, numbers, strict=True)]
    header = ("outputs", "chords, at most", "gap", "here, at most", "gap", "basic")
    print_table("Upper bounds after one box for each end, gaps after all; in nats", header, table)


@click.command("fig1-linear")
@fig1_options
def fig1_linear_command(*, output: Path | None, force: bool, as_json: bool, **settings: Any) -> None:
    """Figure 1 of the Bayesian privacy filter paper: how many linear models of one record are accepted.

    Takes about 4 s.

    With --curves some 25 s.
    """
    _fig1("linear", output, force=force, as_json=as_json, **settings)


@click.command("fig1-logistic")
@click.option("--theta", type=click.FloatRange(0, 1000), default=1.0, show_default=True, help="Largest coefficient.")
@fig1_options
def fig1_logistic_command(*, output: Path | None, force: bool, as_json: bool, **settings: Any) -> None:
    """Figure 1 of the Bayesian privacy filter paper: how many logistic models of one record are accepted.

    Takes about 30 s.

    With --curves some three minutes.
    """
    _fig1("logistic", output, force=force, as_json=as_json, **settings)


@click.command("identical")
@output_option
@force_option
@as_json_option
def identical_command(*, output: Path | None, force: bool, as_json: bool) -> None:
    """Theorem 6.3 and Figure 3 of the Bayesian privacy filter paper: answers to one question, asked again and again.

    Takes about 6 s.
    """
    files = FigureFiles.of(output, force=force)
    with progress("identical", walks.steps()) as advance:
        rows = walks.identical(advance)
    known = {place: f"{expected:.4f}" for place, expected in walks.KNOWN.items()}
    found = [comparison(row, expected="found", closed="printed") for row in rows]
    found = [{**row, "epsilon": str(row["epsilon"]), "elsewhere": _elsewhere(row)} for row in found]
    document = files.write(lambda: draw_identical(rows), {"rows": found})
    if as_json:
        print_json(document)
        return
    table: list[tuple[str, ...]] = [
        (
            str(row.values),
            str(row.epsilon),
            str(row.budget),
            f"{row.expected:.4f}",
            "" if row.closed is None else f"{row.closed:.4f}",
            known.get((row.values, row.budget), "") if row.epsilon == 1 else "",
        )
        for row in rows
    ]
    header = ("values", "epsilon", "budget", "accepted", "closed form", "found elsewhere")
    print_table("Expected answers, budgets in answers; basic composition accepts the budget", header, table)
    files.say()


def draw_identical(rows: Sequence[walks.IdenticalRow]) -> "Drawing":
    """Figures 3a and 3b: the expected answers over the budget, by epsilon and by the number of values."""
    parts = (
        ("two values", lambda row: f"epsilon {row.epsilon}", [row for row in rows if row.values == 2]),
        ("epsilon 1", lambda row: f"{row.values} values", [row for row in rows if row.epsilon == 1]),
    )
    return _by_budget([(title, label, own, "expected") for title, label, own in parts], "expected answers")


def draw_fig4(rows: Sequence[walks.IdenticalRow]) -> "Drawing":
    """Figure 4: k^2 / E[n] over k, by the number of values."""
    several = [row for row in rows if sum(other.values == row.values for other in rows) > 1]
    return _by_budget([("", lambda row: f"{row.values} values", several, "ratio")], "k^2 / E[n]")


def _by_budget(
    panels: Sequence[tuple[str, Callable[[walks.IdenticalRow], str], Sequence[walks.IdenticalRow], str]], upward: str
) -> "Drawing":
    from sordino.show.html.figures.log_curves import Curve, curves

    drawn = []
    for title, label, rows, height in panels:
        own = {name: [row for row in rows if label(row) == name] for name in dict.fromkeys(map(label, rows))}
        lines = [
            Curve(name, "", [getattr(row, height) for row in line], places=[row.budget for row in line])
            for name, line in own.items()
        ]
        drawn.append((title, lines))
    return curves(
        sorted({row.budget for _, _, rows, _ in panels for row in rows}), drawn, along="k", upward=upward, linear=True
    )


@click.command("fig4")
@output_option
@force_option
@as_json_option
def fig4_command(*, output: Path | None, force: bool, as_json: bool) -> None:
    """Figure 4 of the Bayesian privacy filter paper: many small questions against a large one, k^2 / E[n].

    Takes about 6 s.
    """
    files = FigureFiles.of(output, force=force)
    with progress("figure 4", sum(len(budgets) for _, budgets in walks.FIG4)) as advance:
        rows = walks.fig4(advance)
    found = [{**asdict(row), "epsilon": str(row.epsilon), "found": row.ratio} for row in rows]
    found = [{**row, "elsewhere": walks.RATIOS.get((row["values"], row["budget"]))} for row in found]
    document = files.write(lambda: draw_fig4(rows), {"rows": found})
    if as_json:
        print_json(document)
        return
    table: list[tuple[str, ...]] = []
    for row in rows:
        known = walks.RATIOS.get((row.values, row.budget))
        table.append(
            (
                str(row.values),
                str(row.budget),
                f"{row.expected:.4f}",
                f"{row.ratio:.4f}",
                "" if known is None else f"{known:.4f}",
            )
        )
    header = ("values", "k", "accepted", "k^2 / accepted", "found elsewhere")
    print_table("A total budget of 1, epsilon 1/k each; below 1 many small questions are better", header, table)
    files.say()


@click.command("approximate")
@as_json_option
def approximate_command(*, as_json: bool) -> None:
    """Algorithm 4 of the Bayesian privacy filter paper: answers that each first filter accepts, with delta 1e-6.

    Takes about 3 s.
    """
    rows = walks.approximate_counts()
    if as_json:
        found = [comparison(row, accepted="found") for row in rows]
        print_json({"epsilon": walks.TOTAL, "delta": walks.DELTA, "rows": found})
        return
    firsts = list(dict.fromkeys(row.first for row in rows))
    counts = {(row.each, row.first): str(row.accepted) for row in rows}
    table = [(each, *(counts[each, first] for first in firsts)) for each in walks.EACH]
    print_table(
        f"Accepted answers at epsilon {walks.TOTAL}, delta {walks.DELTA}",
        ("epsilon each", *firsts),
        table,
    )


@click.command("bcdp-composition")
@as_json_option
def bcdp_composition_command(*, as_json: bool) -> None:
    """Example 2 of the BCDP paper: two reports that tell nothing of a bit one by one, and all of it together.

    Takes about 1 s.
    """
    rows = bcdp_composition()
    if as_json:
        print_json({"rows": [comparison(row, spent="found") for row in rows]})
        return
    yes = {True: "accepted", False: "refused"}
    table: list[tuple[str, ...]] = [
        (row.delta, yes[row.first], _amount(row.spent), yes[row.second], _amount(row.added)) for row in rows
    ]
    header = ("delta", "first", "reveals, at most", "second", "both, by adding")
    print_table("Reports about a protected bit, in nats", header, table)


def _amount(nats: float) -> str:
    """A loss; one that sums of floats cannot tell from 0 as 0."""
    return "0" if nats < ROUNDING else f"{nats:.4f}"


COMMANDS = (
    appendix_a_command,
    health_command,
    chords_command,
    fig1_linear_command,
    fig1_logistic_command,
    identical_command,
    fig4_command,
    approximate_command,
    bcdp_composition_command,
)


def _print_rows(rows: tuple[AppendixARow, ...], title: str, *, as_json: bool) -> None:
    if as_json:
        printed = [{"outputs": row.outputs, "printed": row.paper} for row in rows]
        found = [{"found": {"lower": row.lower, "upper": row.upper}} for row in rows]
        print_json({"rows": [losses | bounds for losses, bounds in zip(printed, found, strict=True)]})
        return
    header = ("outputs", "at least", "at most", "the paper")
    print_table(title, header, [(r.outputs, f"{r.lower:.6f}", f"{r.upper:.6f}", f"{r.paper:g}") for r in rows])


def _elsewhere(row: dict[str, Any]) -> float | None:
    return walks.KNOWN.get((row["values"], row["budget"])) if row["epsilon"] == 1 else None


def _fig1(
    model: fig1.Model, output: Path | None, *, curves: bool, runs: int, force: bool, as_json: bool, **settings: Any
) -> None:
    files = FigureFiles.of(output, force=force)
    if output is not None and not curves:
        raise SordinoError("a drawing is of curves", found=f"-o {output.name} alone", step="add --curves")
    if not curves:
        with progress("figure 1", runs) as advance:
            found = fig1.fig1(model, runs, clock=process_time, advance=advance, **settings)
        _print_accepted(model, found, as_json=as_json)
        return
    rows: list[fig1.BudgetRow] = []
    paths: tuple[tuple[float, ...], ...] = ()
    with progress("figure 1", runs * len(fig1.BUDGETS)) as advance:
        for budget in fig1.BUDGETS:
            kept = fig1.PATHS if budget == fig1.BUDGET else 0
            found = fig1.fig1(model, runs, clock=process_time, budget=budget, paths=kept, advance=advance, **settings)
            rows.append(fig1.band(budget, found))
            paths = found.paths
    document = files.write(
        lambda: draw_fig1(rows, paths), {"rows": [_at_budget(model, row) for row in rows], "paths": paths}
    )
    if as_json:
        print_json(document)
        return
    table = [(row.budget, *(f"{count:g}" for count in (row.lower, row.median, row.upper))) for row in rows]
    header = ("budget", "10 % of runs below", "median", "90 % below")
    print_table(f"Accepted {model} models of epsilon {fig1.EPSILON} each, {runs} runs", header, table)
    ends = ", ".join(f"{path[-1]:.3f} after {len(path)}" for path in paths if path)
    say(f"Realized losses at budget {fig1.BUDGET}, in nats: {ends}.")
    files.say()


def _at_budget(model: fig1.Model, row: fig1.BudgetRow) -> dict[str, Any]:
    found = asdict(row)
    return {
        "budget": found.pop("budget"),
        "printed": fig1.PAPER[model] if row.budget == fig1.BUDGET else None,
        "found": found,
    }


def draw_fig1(rows: Sequence[fig1.BudgetRow], paths: Sequence[Sequence[float]]) -> "Drawing":
    """The accepted models by budget with their band, and the realized losses answer by answer."""
    from sordino.show.html.figures.log_curves import Curve, curves

    lower, middle, upper = ([getattr(row, name) for row in rows] for name in ("lower", "median", "upper"))
    budgets = [float(row.budget) for row in rows]
    walks = [Curve(f"run {run}", "", path, places=range(1, len(path) + 1)) for run, path in enumerate(paths, 1) if path]
    panels = [
        ("accepted models, by budget in nats", [Curve("median, 10 to 90 % of runs", "", middle, (lower, upper))]),
        ("realized loss in nats, by answers", walks),
    ]
    return curves(budgets, panels[: 1 + bool(walks)], along="", upward="", linear=True)


def _print_accepted(model: fig1.Model, found: fig1.Accepted, *, as_json: bool) -> None:
    if as_json:
        counts = {"printed": fig1.PAPER[model], "found": list(found.accepted), "basic": fig1.BASIC}
        print_json({**counts, "milliseconds_per_query": found.milliseconds_per_query})
        return
    row = fig1.band(fig1.BUDGET, found)
    say(
        f"Accepted {model} models at budget {fig1.BUDGET}, epsilon {fig1.EPSILON} each: median "
        f"{row.median:g} of {len(found.accepted)} runs ({min(found.accepted)} to {max(found.accepted)}, 80 % of them "
        f"{row.lower:g} to {row.upper:g}); "
        f"basic composition {fig1.BASIC}, the paper {fig1.PAPER[model]}."
    )
    say(f"Milliseconds for each decision: {found.milliseconds_per_query:.3g}")
