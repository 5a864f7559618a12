"""`sordino odds`: what an epsilon reveals, and how many people it takes, before there is a survey."""

from statistics import NormalDist

import click

from sordino.cli.options import Real, Whole, as_json_option
from sordino.cli.output import print_json, print_table
from sordino.definition.pairwise import LDP
from sordino.design.people_needed import people_needed
from sordino.design.shares.best_mechanism import best_mechanism
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.words.odds import beliefs, factor

EPSILONS = ("0.1", "0.5", "1", "ln 3", "2", "3", "4", "6")
SUSPICIONS = (1, 10, 50)
ANSWERS = (2, 5, 20, 100)
MOST_ANSWERS = 10_000
CONFIDENCE = 0.95


@click.command()
@click.argument("epsilons", metavar="[EPSILON]...", nargs=-1)
@click.option(
    "--answers",
    type=Whole(2, MOST_ANSWERS),
    multiple=True,
    help="Among how many answers a person chooses; may be repeated. 2, 5, 20 and 100 by default.",
)
@click.option(
    "--accuracy",
    type=Real(),
    default=0.02,
    show_default=True,
    help="The half-width that every 95 % interval should have; 0.02 is two percentage points.",
)
@as_json_option
def odds(epsilons: tuple[str, ...], answers: tuple[int, ...], accuracy: float, *, as_json: bool) -> None:
    """Show what each EPSILON reveals, in odds and in per cent, and how many people it takes.

    Of one question, whose answers are all protected alike. Epsilons are in nats, as in a survey: 1, 0.5, 1/2, "ln 3".
    People are those that the best mechanism needs if all answers are equally common.
    """
    if not 0 < accuracy < 1:
        raise SordinoError(
            "--accuracy must be between 0 and 1", found=shown(accuracy), step="write 0.02 for two percentage points"
        )
    named = epsilons or EPSILONS
    levels = [LDP(epsilon) for epsilon in named]
    stderr = accuracy / NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    sizes = answers or ANSWERS
    people = [[people_needed(best_mechanism(k, level), stderr=stderr) for k in sizes] for level in levels]
    if as_json:
        rows = [
            {
                "epsilon": str(level.epsilon),
                "factor": factor(level.epsilon),
                "suspicions": {str(each): _afterwards(level.epsilon, each) for each in SUSPICIONS},
                "people": {str(k): count for k, count in zip(sizes, counts, strict=True)},
            }
            for level, counts in zip(levels, people, strict=True)
        ]
        print_json({"accuracy": accuracy, "confidence": CONFIDENCE, "rows": rows})
        return
    print_table(
        "What one report can do to a suspicion, at most",
        ("epsilon", "odds change by", *(f"{each} % becomes" for each in SUSPICIONS)),
        [
            (
                name,
                f"x {factor(level.epsilon)}",
                *(f"{_afterwards(level.epsilon, each)} %" for each in SUSPICIONS),
            )
            for name, level in zip(named, levels, strict=True)
        ],
    )
    print_table(
        f"People for 95 % intervals of at most {accuracy:g} to each side, by the number of possible answers",
        ("epsilon", *(f"{k:,} answers" for k in sizes)),
        [(name, *(f"{count:,}" for count in counts)) for name, counts in zip(named, people, strict=True)],
    )


def _afterwards(epsilon: Nats, suspicion: int) -> str:
    return beliefs(epsilon, suspicion)[0]
