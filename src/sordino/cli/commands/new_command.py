"""`sordino new`: a first survey file, by questions at the terminal or from the columns of a table."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from functools import partial
from importlib.resources import files
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeVar

import click

from sordino.cli.epsilon_table import print_epsilons, try_epsilons
from sordino.cli.options import FILE, Whole, as_json_option
from sordino.cli.output import print_json
from sordino.cli.say import say
from sordino.document.files import require_new, write_text
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.forms.form import LeftOut
from sordino.forms.survey_draft import FEWEST, SCHEMA, DraftAttribute, SurveyDraft, draft_of_table
from sordino.forms.toml_text import toml
from sordino.process import is_asked
from sordino.survey.schema.attribute_part import MOST_PEOPLE

Answer = TypeVar("Answer")

EPSILONS = ("0.5", "1", "2")
"""Whose forecasts are shown: what the promise of the file could be."""

PEOPLE = 1000

END = r"([0-9]{4}-[0-9]{2}-[0-9]{2}|-?[0-9]+(?:\.[0-9]+)?)"
RANGE = re.compile(rf"{END}\s*(?:to|\.\.|-|\N{{EN DASH}})\s*{END}")
SEVERAL = re.compile(r"several\s*:\s*(.*)")

ANSWERS = (
    "Answers: names with commas between (yes, no); or ends, as 0 to 120 or 1950-01-01 to 2010-12-31;"
    " or several: cough, fever"
)

FILLERS = re.compile(
    "a|an|and|are|at|be|can|did|do|does|for|have|how|i|in|is|it|many|much|of|often|on|or|the|to|was|were|what|when"
    "|where|which|who|why|will|with|you|your"
)
"""Words of a question that its short name does without."""


@click.command()
@click.option(
    "-o",
    "--output",
    type=FILE,
    default=Path("survey.toml"),
    show_default=True,
    help="The survey to write, never over another file.",
)
@click.option("--from", "table", type=FILE, help="Propose the survey from the columns of this table of people.")
@click.option("--people", type=Whole(1, MOST_PEOPLE), help="The number of people expected to answer.")
@click.option("--yes", is_flag=True, help="With --from, write what is proposed without asking.")
@as_json_option
def new(output: Path, table: Path | None, people: int | None, *, yes: bool, as_json: bool) -> None:
    """Write a first survey file, which `sordino plan` takes as it is, and show its first forecast.

    Asks at the terminal for what is asked of whom, which answers there are, and what is sensitive. With --from it
    proposes a survey from columns: numbers with ends rounded outward to one digit of their range, dates to decades, and
    as categories only values that at least 20 rows hold, never free text. A survey is public, so what is proposed is
    shown before it is written. Its first line names its JSON Schema, written beside it, by which editors complete and
    check it.
    """
    require_new(output)
    if table is None:
        left_out = list[LeftOut]()
        with _require_answers("run it in a terminal, or give --from TABLE"):
            draft, people = _ask_all(people)
    else:
        draft, left_out, people = _propose(table, output, people, yes=yes, err=as_json)
    tried = try_epsilons(draft.survey, EPSILONS, people)
    write_text(output, draft.text(output.name))
    schema = output.parent / SCHEMA
    if not schema.exists():
        write_text(schema, (files("sordino.forms") / SCHEMA).read_text(encoding="utf-8"))
    names = [one.name for one in draft.attributes]
    if as_json:
        rows = [one.json() for one in tried]
        left = [asdict(one) for one in left_out]
        print_json({"survey": str(output), "attributes": names, "left_out": left, "people": people, "epsilons": rows})
        return
    say(f"{output}: {len(names)} attribute{'' if len(names) == 1 else 's'}, epsilon {draft.epsilon}", "")
    print_epsilons(tried)
    say(f"Read the file and change what you like, then freeze it: sordino plan {output} --people {people} -o plan.json")


@contextmanager
def _require_answers(step: str) -> Iterator[None]:
    """Questions that somebody answers; where nobody does, that is said, as long as nobody stopped it."""
    try:
        yield
    except click.Abort:
        if sys.stdin.isatty() or is_asked():
            raise
        raise SordinoError("questions must be answered", found="the end of the input", step=step) from None


def _propose(
    table: Path, output: Path, people: int | None, *, yes: bool, err: bool
) -> tuple[SurveyDraft, list[LeftOut], int]:
    """What a table's columns could be, shown and agreed to."""
    attributes, left_out, rows = draft_of_table(table)
    for one in attributes:
        say(
            f"{one.name}: {', '.join(f'{setting} = {toml(value)}' for setting, value in one.settings.items())}", err=err
        )
    if left_out:
        say("", "Left out:", *(f"- {one.where}: {one.why}" for one in left_out), err=err)
    if not attributes:
        step = f"give one with numbers, dates, or names that at least {FEWEST} rows hold"
        raise SordinoError(
            f"{table} must have a column that can be asked", found=f"{len(left_out)} that cannot", step=step
        )
    if not yes:
        with _require_answers("look at what is proposed, and give --yes"):
            say("", "A survey is public: all of these columns, names and ends will be.", err=True)
            agreed = click.confirm(f"Write them to {output}?", err=True)
        if not agreed:
            raise click.Abort
    return SurveyDraft(attributes), left_out, min(people or rows, MOST_PEOPLE)


def _ask_all(people: int | None) -> tuple[SurveyDraft, int]:
    """What somebody answers at the terminal."""
    about = {}
    for setting, question in (("title", "What is the survey about?"), ("by", "Who asks?")):
        if text := _ask(f"{question} (may stay empty)", partial(_text, setting)):
            about[setting] = text
    attributes: list[DraftAttribute] = []
    while text := _ask(_next_question(attributes), partial(_text, "text" if attributes else "")):
        settings = _ask(ANSWERS, _answers)
        name = _ask(
            "Its short name, as data have it", partial(_name, attributes, settings), _short_name(text, attributes)
        )
        settings = {"text": text, **settings}
        if "categories" in settings and "several" not in settings:
            sensitive = _ask(
                "Which answers are sensitive? Names with commas; empty: all alike",
                partial(_sensitive, settings["categories"]),
            )
            settings |= {"protect": {"sensitive": sensitive}} if sensitive else {}
        attributes.append(DraftAttribute(name, settings))
    draft = SurveyDraft(attributes, about)
    return draft, people or click.prompt("How many people will answer?", PEOPLE, type=Whole(1, MOST_PEOPLE), err=True)


def _ask(question: str, read: Callable[[str], Answer], default: str = "") -> Answer:
    """An answer, asked for again as long as it is none."""
    while True:
        given = click.prompt(question, default=default, show_default=bool(default), err=True)
        try:
            return read(given.strip())
        except SordinoError as error:
            say(*f"{error}".split("\n"), err=True)


def _next_question(before: Sequence[DraftAttribute]) -> str:
    return "The next question, as people read it (empty: no more)" if before else "A question, as people read it"


def _text(setting: str, text: str) -> str:
    """A text that people read; without a setting one that must not be empty."""
    if not text:
        if not setting:
            raise SordinoError("a survey must ask something", found="no question", step="write one, as people read it")
        return text
    about = {setting: text} if setting in ("title", "by") else {}
    words = {} if about else {"text": text}
    SurveyDraft([DraftAttribute("a", {"categories": ["a", "b"], **words})], about).survey()
    return text


def _answers(given: str) -> dict[str, Any]:
    """The settings of what people can answer."""
    settings: dict[str, Any]
    if ends := RANGE.fullmatch(given):
        settings = {"number": {"low": _end(ends[1]), "high": _end(ends[2])}}
    else:
        several = SEVERAL.fullmatch(given)
        listed = several[1] if several else given
        names = re.split("[,;]" if set(listed) & set(",;") else "/", listed)
        settings = {"categories": [name.strip() for name in names if name.strip()]}
        settings |= {"several": len(settings["categories"])} if several else {}
    DraftAttribute("a", settings).require_readable()
    return settings


def _end(text: str) -> date | float | int:
    try:
        return date.fromisoformat(text) if text[1:].count("-") == len(("month", "day")) else json.loads(text)
    except ValueError:
        raise SordinoError(
            "an end must be a number or a date", found=shown(text), step="write 120 or 2010-12-31"
        ) from None


def _plain(one: DraftAttribute) -> DraftAttribute:
    return DraftAttribute(one.name, {setting: own for setting, own in one.settings.items() if setting != "protect"})


def _name(before: Sequence[DraftAttribute], settings: Mapping[str, Any], name: str) -> str:
    if name in {one.name for one in before}:
        raise SordinoError(
            "each question must have a short name of its own", found=shown(name), step="take another one"
        )
    SurveyDraft([*map(_plain, before), DraftAttribute(name, settings)]).survey()
    return name


def _short_name(text: str, before: Sequence[DraftAttribute]) -> str:
    """The first words of a question that say something."""
    words = [word for word in re.findall("[a-z0-9]+", text.lower()) if not FILLERS.fullmatch(word)]
    name = "_".join(words[:2]) or f"question_{len(before) + 1}"
    taken = {one.name for one in before}
    return next(own for own in chain([name], (f"{name}_{i}" for i in count(2))) if own not in taken)


def _sensitive(categories: Sequence[str], given: str) -> list[str]:
    """Some of the answers; none where all are meant, which is so by itself."""
    names = [name.strip() for name in re.split("[,;]", given) if name.strip()]
    if wrong := [name for name in names if name not in categories]:
        step = f"name some of {', '.join(categories)}"
        raise SordinoError("sensitive answers must be among the answers", found=", ".join(map(repr, wrong)), step=step)
    return [] if set(names) == set(categories) else list(dict.fromkeys(names))
