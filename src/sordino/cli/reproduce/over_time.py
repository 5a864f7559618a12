"""`sordino reproduce memoised`, `year` and `life`: people over time, what they reveal and what is estimated."""

from dataclasses import asdict

import click

from sordino.cli.options import Whole, as_json_option
from sordino.cli.output import print_json, print_table
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.papers import life
from sordino.papers import memoised as memory
from sordino.papers import year as weeks
from sordino.papers.year import known_shapes


@click.command("memoised")
@click.option("--permanent", default=memory.PERMANENT, show_default=True, help="Epsilon of a permanent answer.")
@click.option("--first", default=memory.FIRST, show_default=True, help="Epsilon of a first report; smaller.")
@as_json_option
def memoised_command(permanent: str, first: str, *, as_json: bool) -> None:
    """Permanent answers with fresh noise, as RAPPOR sends them: what they reveal once a value may change, exactly.

    The largest loss of a yes/no value's reports between any two histories with at most so many changes, beside what
    bounds for each value say.

    Takes about 1 s.
    """
    with progress("memoised", 2 * memory.ANSWERS + 1) as advance:
        rows = memory.memoised_losses(permanent, first, advance)
    if as_json:
        documents = [{**asdict(row), "losses": dict(zip(memory.CHANGES, row.losses, strict=True))} for row in rows]
        print_json({"permanent": permanent, "first": first, "rows": documents})
        return
    table = [
        (str(row.answers), *(f"{loss:.2f}" for loss in _amounts(row))) for row in rows if row.answers in memory.SHOWN
    ]
    header = (
        "answers",
        *(f"at most {changes} change{'' if changes == 1 else 's'}" for changes in memory.CHANGES),
        "none against one",
        "by value, unchanged",
        "by value, changed",
        "epsilons added",
    )
    print_table(f"Largest loss in nats: permanent epsilon {permanent}, first report {first}", header, table)
    say("By value: bounds for each value, one permanent answer or two. They do not hold once a value may change.")
    say("Sordino asks each person once, at the full epsilon: that holds whatever the history.")


@click.command("year")
@click.option("--series", type=Whole(1, 10_000), default=weeks.SERIES, show_default=True, help="Simulated series.")
@as_json_option
def year_command(series: int, *, as_json: bool) -> None:
    """Weekly shares of a year at a lifetime epsilon: everybody answers once, smoothed, or each week at a part of it.

    Takes about 2 minutes.
    """
    with progress("year", series * len(weeks.CURVES) * len(weeks.EPSILONS)) as advance:
        rows = weeks.year(series, advance)
    if as_json:
        setting = {"people": weeks.PEOPLE, "weeks": weeks.WEEKS, "series": series}
        bounds = [asdict(one) for one in known_shapes()]
        print_json({**setting, "rows": [asdict(row) for row in rows], "known_shapes": bounds})
        return
    people = f"{weeks.PEOPLE:,} people, {weeks.WEEKS} weeks, {series} series each"
    say(f"Root mean squared errors of weekly shares: {people}")
    known = {(one.curve, one.epsilon): f"{one.error:.4f}" for one in known_shapes()}
    for epsilon in weeks.EPSILONS:
        table = [
            (
                row.curve,
                *(f"{error:.4f}" for error in (row.unsmoothed, row.smoothed)),
                f"{row.coverage:.1%}",
                known.get((row.curve, epsilon), ""),
                f"{row.each_week:.4f}",
            )
            for row in rows
            if row.epsilon == epsilon
        ]
        header = ("curve", "one week each", "smoothed", "coverage", "shape known", f"{epsilon}/{weeks.WEEKS} each week")
        print_table(f"Epsilon {epsilon} in the whole year", header, table)
    say("Coverage: how often a smoothed share's interval at 95% holds the share.")
    say("Shape known: the least error of an unbiased estimate for somebody who knows beforehand what the share does.")
    say(f"turnover, flips: {weeks.CHANGED:.0%} change each week, to a value drawn as at first or to the other value.")


@click.command("life")
@click.option("--people", type=Whole(1, 10_000), default=life.PEOPLE, show_default=True, help="Simulated people.")
@click.option("--epsilon", default=life.EPSILON, show_default=True, help="Of all answers together, in nats.")
@click.option("--each", default=life.EACH, show_default=True, help="Epsilon of a question.")
@click.option("--quota", default=life.QUOTA, show_default=True, help="Nats that the answers to one collector may cost.")
@as_json_option
def life_command(people: int, epsilon: str, each: str, quota: str, *, as_json: bool) -> None:
    """A year of surveys by ten collectors through one filter: how many are answered, beside adding epsilons.

    Three yes/no attributes; nine collectors ask once a week and one every day, each time about a random attribute.

    Takes about 6 s.
    """
    added = life.answers_by_adding(epsilon, each)
    with progress("life", 2 * len(life.WAYS) * people) as advance:
        rows = life.year_of_surveys(people, epsilon, each, quota, advance)
    if as_json:
        setting = {"people": people, "epsilon": epsilon, "each": each, "quota": quota, "added": added}
        print_json({**setting, "rows": [asdict(row) for row in rows]})
        return
    table = [("epsilons are added", "none", str(added), "", "", "")]
    table += [
        (
            row.way,
            quota if row.quotas else "none",
            f"{row.answers:.1f}",
            f"{row.answers / added:.1f}" if added else "-",
            f"{row.daily:.1f}",
            f"{row.others:.1f} of 9",
        )
        for row in rows
    ]
    header = ("the record", "quota", "answers in a year", "times adding", "to the daily one", "others answered")
    print_table(f"All answers together: epsilon {epsilon}; a question: {each}; means of {people} people", header, table)


COMMANDS = (memoised_command, year_command, life_command)


def _amounts(row: memory.MemoisedRow) -> tuple[float, ...]:
    return (*row.losses, row.never_or_once, *row.by_value, row.added)
