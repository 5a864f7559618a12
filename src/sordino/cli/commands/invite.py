"""`sordino invite`: one-use links to a plan, for those who may answer it."""

from pathlib import Path

import click

from sordino.agent.collector_address import CollectorAddress
from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json
from sordino.cli.say import say
from sordino.cli.whole_numbers import Whole
from sordino.document.files import replace_whole, require_new
from sordino.document.invitation_list import MOST_INVITATIONS, InvitationList, new_secret
from sordino.document.private_file import new_private_file
from sordino.errors import SordinoError
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
    Keep no note of who got which link, and destroy the links once they are sent.
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
    InvitationList.of(frozen.hash, links).save(hashes)
    with replace_whole(output) as temporary, new_private_file(temporary) as file:
        file.write("\n".join(["link", *map(address.link, links), ""]).encode())
    if as_json:
        print_json({"plan": frozen.hash, "links": str(output), "hashes": str(hashes), "count": count})
        return
    say(f"{output}: {count:,} links, one for each person; anyone who has one can answer in that person's place")
    say(f"{hashes}: their hashes, for the collector: sordino serve --invitations")
    say("Keep no note of who got which link, and destroy the links once they are sent.")
