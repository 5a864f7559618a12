"""`sordino invite`: one-use links to a plan, for those who may answer it."""

from collections import Counter
from datetime import date
from itertools import repeat
from pathlib import Path
from secrets import SystemRandom

import click

from sordino.cli.options import FILE, Whole, as_json_option
from sordino.cli.output import print_json
from sordino.cli.say import say
from sordino.document.files import replace_whole, require_new
from sordino.document.invitation_list import MOST_INVITATIONS, InvitationList, new_secret
from sordino.document.private_file import new_private_file
from sordino.domain.calendar import Series
from sordino.errors import SordinoError
from sordino.once.agent.collector_address import CollectorAddress
from sordino.once.agent.turn import utc_today
from sordino.survey.planning.plan import Plan


@click.command()
@click.argument("plan", type=FILE)
@click.option("--count", type=Whole(1, MOST_INVITATIONS), required=True, help="How many links to make.")
@click.option("--url", required=True, help="The plan's address at the collector that people reach, https://...")
@click.option("-o", "--output", type=FILE, required=True, help="The links to write (.csv), never over another file.")
@click.option("--hashes", type=FILE, required=True, help="The list to write for `sordino serve --invitations`.")
@as_json_option
def invite(plan: Path, *, count: int, url: str, output: Path, hashes: Path, as_json: bool) -> None:
    """Make one-use links to the PLAN, of which each counts one report.

    The links are secrets of those who get them, one each; the collector gets the list of hashes, which opens nothing.
    Keep no note of who got which link, and destroy the links once they are sent. Links to a plan with a series are
    spread over the periods that have not ended, as evenly as can be and at random: the collector takes a report by a
    link in its period only.
    """
    frozen, address = Plan.load(plan), CollectorAddress.of(url)
    if address.plan != frozen.hash:
        raise SordinoError("--url must be the plan's address", found="another plan's", step="see what `serve` prints")
    if address.invitation is not None:
        step = "leave out what stands behind #, but for a key"
        raise SordinoError("--url must be the plan's address", found="an invitation", step=step)
    if output.absolute() == hashes.absolute():
        rule, step = "links and hashes must be two files", "give --hashes a name of its own"
        raise SordinoError(rule, found=f"{output} twice", step=step)
    require_new(output)
    links = [new_secret() for _ in range(count)]
    periods = None if frozen.series is None else _spread(frozen.series, count, utc_today())
    InvitationList.of(frozen.hash, links, periods or repeat(None)).save(hashes)
    if periods is None:
        lines = ["link", *map(address.link, links)]
    else:
        lines = ["link,period", *(f"{address.link(one, own)},{own}" for one, own in zip(links, periods, strict=True))]
    with replace_whole(output) as temporary, new_private_file(temporary) as file:
        file.write("\n".join([*lines, ""]).encode())
    if as_json:
        spread = {} if periods is None else {"periods": dict(sorted(Counter(periods).items()))}
        print_json({"plan": frozen.hash, "links": str(output), "hashes": str(hashes), "count": count, **spread})
        return
    say(f"{output}: {count:,} links, one for each person; anyone who has one can answer in that person's place")
    if periods is not None:
        named = f"{len({*periods}):,} periods, from {min(periods)} to {max(periods)}"
        say(f"Each link names a period, drawn by lot: {named}")
    say(f"{hashes}: their hashes, for the collector: sordino serve --invitations")
    say("Keep no note of who got which link, and destroy the links once they are sent.")


def _spread(series: Series, count: int, today: date) -> list[str]:
    """A period for each link, of those that have not ended: so many of each, give or take one, in random order.

    Raises:
        SordinoError: the series is over.
    """
    left = [i for i in range(series.periods) if series.ends(i) >= today]
    if not left:
        found = f"a series that ended on {series.ends(series.periods - 1)}"
        raise SordinoError("links must be of periods that have not ended", found=found, step="make a new plan")
    draw = SystemRandom()
    # Who gets one link more is drawn too, and which link is of which period has nothing to do with their order.
    draw.shuffle(left)
    periods = [series.label(left[i % len(left)]) for i in range(count)]
    draw.shuffle(periods)
    return periods
