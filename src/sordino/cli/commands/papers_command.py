"""`sordino papers`: what `sordino.papers` has, by paper and item, as the docstrings say."""

import inspect
import re
from operator import itemgetter

import click

from sordino import papers as published
from sordino.cli.options import as_json_option
from sordino.cli.output import print_json
from sordino.cli.say import say

SOURCE = re.compile(r"^Source: (.*?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
"""Paper and item, in a docstring's own paragraph."""


@click.command()
@click.argument("name", required=False, type=click.Choice(published.__all__), metavar="[NAME]")
@as_json_option
def papers(name: str | None, *, as_json: bool) -> None:
    """List the mechanisms and bounds of `sordino.papers`, each with its paper and item.

    Of one NAME: what it is, and how to run it in Python.
    """
    texts = {each: inspect.getdoc(getattr(published, each)) or "" for each in published.__all__}
    sources = {each: " ".join(SOURCE.findall(text)[0].split()) for each, text in texts.items()}
    if name is None and as_json:
        print_json({"names": sources})
    elif name is None:
        width = max(map(len, sources))
        say(*(f"{each:{width}}  {source}" for each, source in sorted(sources.items(), key=itemgetter(1))))
    elif as_json:
        print_json({"name": name, "source": sources[name], "text": texts[name]})
    else:
        say(f">>> from sordino.papers import {name}", "", *texts[name].splitlines())
