"""`sordino record`: a plan as an entry for the registry of deployments, and as a privacy label."""

import re
from pathlib import Path

import click

from sordino import __version__
from sordino.cli.options import FILE, as_json_option, force_option
from sordino.cli.output import print_json
from sordino.cli.picture import is_page
from sordino.cli.say import say
from sordino.document.files import require_new, write_text
from sordino.document.replace import require_free
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.extras import naming_extra
from sordino.registry.deployment_entry import PublicationFacts, deployment_entry, open_fields, yaml_text
from sordino.survey.planning.plan import Plan

DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")


@click.command()
@click.argument("plan", type=FILE)
@click.option("-o", "--output", type=FILE, help="The entry to write (.yaml), never over another file.")
@click.option("--html", type=FILE, help="The privacy label to write, one page.")
@click.option("--curator", default="", help="Who publishes the results; who asks, by the survey, by default.")
@click.option("--use", default="", help="What the results are for; the survey's purpose by default.")
@click.option("--region", default="", help="The region that the results describe, or whose laws apply.")
@click.option("--sector", default="", help="Technology, Healthcare, Education or Government.")
@click.option("--published", default="", help="The day of publication, YYYY-MM-DD.")
@click.option("--author", "authors", multiple=True, help="Who fills in the entry; may be repeated.")
@force_option
@as_json_option
def record(
    plan: Path,
    output: Path | None,
    html: Path | None,
    *,
    curator: str,
    use: str,
    region: str,
    sector: str,
    published: str,
    authors: tuple[str, ...],
    force: bool,
    as_json: bool,
) -> None:
    """Describe a PLAN for the registry of deployments of differential privacy, as OpenDP and NIST have it.

    Prints the entry as YAML, or writes it with -o. What the plan knows is filled in; what is left to people is listed.
    """
    if published and not DAY.fullmatch(published):
        raise SordinoError("--published must be a day", found=shown(published), step="write it as 2026-01-31")
    frozen = Plan.load(plan)
    again = html is not None and require_free(html, "a page of Sordino", is_page, force=force)
    if output is not None:
        require_new(output)
    facts = PublicationFacts(curator, use, region, sector, published, authors)
    entry = deployment_entry(frozen, facts, __version__)
    if html is not None:
        # Pages are an extra: only who asks for one needs it.
        with naming_extra("pages"):
            from sordino.registry.label_page import label_page

        write_text(html, label_page(frozen, entry), overwrite=again)
    if output is not None:
        write_text(output, yaml_text(entry))
    left = list(open_fields(entry))
    if as_json:
        files = {"output": output and str(output), "html": html and str(html)}
        print_json({"plan": frozen.hash, **files, "open": left, "entry": entry})
        return
    if output is None:
        say(*yaml_text(entry).rstrip("\n").split("\n"))
        return
    say(f"{output}: an entry for the registry of deployments")
    if html is not None:
        say(f"{html}: the privacy label")
    if left:
        say("", "To be filled in by you:", *(f"- {place}" for place in left))
