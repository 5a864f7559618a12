"""`sordino reproduce`: numbers of the papers about filters, beside what they print."""

from dataclasses import asdict
from statistics import median
from time import process_time

import click

from sordino.accounting.state import Rule
from sordino.cli.options import Whole, as_json_option
from sordino.cli.output import print_json, print_table
from sordino.cli.progress import progress
from sordino.cli.reproduce.comparison import comparison
from sordino.cli.say import say
from sordino.papers.bayesian_coordinate.composition import bcdp_composition
from sordino.papers.bayesian_filter import fig1, health_models
from sordino.papers.bayesian_filter import identical as walks
from sordino.papers.bayesian_filter.appendix_a import PAPER, AppendixARow, appendix_a
from sordino.papers.bayesian_filter.chords import BOXES, chords

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
@runs_option
@seed_option
@nodes_option
@rule_option
@group_option
@as_json_option
def fig1_linear_command(runs: int, seed: int, nodes: int, rule: Rule, group: int | None, *, as_json: bool) -> None:
    """Figure 1 of the Bayesian privacy filter paper: how many linear models of one record are accepted.

    Takes about 4 s.
    """
    with progress("figure 1", runs) as advance:
        found = fig1.fig1("linear", runs, seed, process_time, nodes=nodes, rule=rule, group=group, advance=advance)
    _print_accepted("linear", found, as_json=as_json)


@click.command("fig1-logistic")
@click.option("--theta", type=click.FloatRange(0, 1000), default=1.0, show_default=True, help="Largest coefficient.")
@runs_option
@seed_option
@nodes_option
@rule_option
@group_option
@as_json_option
def fig1_logistic_command(
    theta: float, runs: int, seed: int, nodes: int, rule: Rule, group: int | None, *, as_json: bool
) -> None:
    """Figure 1 of the Bayesian privacy filter paper: how many logistic models of one record are accepted.

    Takes about 30 s.
    """
    with progress("figure 1", runs) as advance:
        found = fig1.fig1(
            "logistic", runs, seed, process_time, theta=theta, nodes=nodes, rule=rule, group=group, advance=advance
        )
    _print_accepted("logistic", found, as_json=as_json)


@click.command("identical")
@as_json_option
def identical_command(*, as_json: bool) -> None:
    """Theorem 6.3 and Figure 3 of the Bayesian privacy filter paper: answers to one question, asked again and again.

    Takes about 2 s.
    """
    with progress("identical", sum(len(budgets) for _, budgets in walks.FIG3)) as advance:
        rows = walks.identical(advance)
    known = {place: f"{expected:.4f}" for place, expected in walks.KNOWN.items()}
    if as_json:
        found = [comparison(row, expected="found", closed="printed") for row in rows]
        print_json({"rows": [{**row, "elsewhere": walks.KNOWN.get((row["values"], row["budget"]))} for row in found]})
        return
    table: list[tuple[str, ...]] = [
        (
            str(row.values),
            str(row.budget),
            f"{row.expected:.4f}",
            "" if row.closed is None else f"{row.closed:.4f}",
            known.get((row.values, row.budget), ""),
        )
        for row in rows
    ]
    header = ("values", "budget", "accepted", "closed form", "found elsewhere")
    print_table("Expected answers with epsilon 1 each; basic composition accepts the budget", header, table)


@click.command("fig4")
@as_json_option
def fig4_command(*, as_json: bool) -> None:
    """Figure 4 of the Bayesian privacy filter paper: many small questions against a large one, k^2 / E[n].

    Takes about 2 s.
    """
    with progress("figure 4", sum(len(budgets) for _, budgets in walks.FIG4)) as advance:
        rows = walks.fig4(advance)
    if as_json:
        found = [{**asdict(row), "found": row.ratio} for row in rows]
        print_json({"rows": [{**row, "elsewhere": walks.RATIOS.get((row["values"], row["budget"]))} for row in found]})
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


@click.command("bcdp-composition")
@as_json_option
def bcdp_composition_command(*, as_json: bool) -> None:
    """Example 2 of the BCDP paper: two reports that tell nothing of a bit one by one, and all of it together.

    Takes about 1 s.
    """
    rows = bcdp_composition()
    if as_json:
        print_json({"rows": [asdict(row) for row in rows]})
        return
    yes = {True: "accepted", False: "refused"}
    table: list[tuple[str, ...]] = [
        (row.delta, yes[row.first], f"{row.spent:.1e}", yes[row.second], f"{row.added:.1e}") for row in rows
    ]
    header = ("delta", "first", "told, at most", "second", "by adding deltas")
    print_table("Reports about a protected bit, in nats", header, table)


COMMANDS = (
    appendix_a_command,
    health_command,
    chords_command,
    fig1_linear_command,
    fig1_logistic_command,
    identical_command,
    fig4_command,
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


def _print_accepted(model: fig1.Model, found: fig1.Accepted, *, as_json: bool) -> None:
    if as_json:
        counts = {"printed": fig1.PAPER[model], "found": list(found.accepted), "basic": fig1.BASIC}
        print_json({**counts, "milliseconds_per_query": found.milliseconds_per_query})
        return
    say(
        f"Accepted {model} models at budget {fig1.BUDGET}, epsilon {fig1.EPSILON} each: median "
        f"{median(found.accepted):g} of {len(found.accepted)} runs ({min(found.accepted)} to {max(found.accepted)}); "
        f"basic composition {fig1.BASIC}, the paper {fig1.PAPER[model]}."
    )
    say(f"Milliseconds for each decision: {found.milliseconds_per_query:.3g}")
