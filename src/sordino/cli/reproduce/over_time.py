"""`sordino reproduce memoised`: what the same people reveal when they are asked again and again."""

from dataclasses import asdict

import click

from sordino.cli.options import as_json_option
from sordino.cli.output import print_json, print_table
from sordino.cli.progress import progress
from sordino.cli.say import say
from sordino.papers.series import memoised as memory


@click.command("memoised")
@click.option("--permanent", default=memory.PERMANENT, show_default=True, help="Epsilon of a permanent answer.")
@click.option("--first", default=memory.FIRST, show_default=True, help="Epsilon of a first report; smaller.")
@as_json_option
def memoised_command(permanent: str, first: str, *, as_json: bool) -> None:
    """Permanent answers with fresh noise, as RAPPOR sends them: what they reveal once a value may change, exactly.

    The largest loss of a yes/no value's reports between any two histories with at most so many changes, beside what
    bounds for each value say.
    """
    with progress("memoised", 2 * memory.ANSWERS + 1) as advance:
        rows = memory.memoised(permanent, first, advance)
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


COMMANDS = (memoised_command,)


def _amounts(row: memory.MemoisedRow) -> tuple[float, ...]:
    return (*row.losses, row.never_or_once, *row.by_value, row.added)
