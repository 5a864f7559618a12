"""`sordino plan`: a survey frozen into a plan."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from math import inf, nextafter
from pathlib import Path
from typing import Any

import click

from sordino.audit.certificate import Certificate
from sordino.blocks.sentence import texts
from sordino.cli.command_words import command_words
from sordino.cli.epsilon_table import Tried, is_by_distance, print_epsilons, try_epsilons
from sordino.cli.explanations import (
    certificate_json,
    count_alike,
    least_certificate,
    print_asked,
    print_certificates,
    print_explanation,
    promise_json,
    promise_rows,
)
from sordino.cli.group_command import group_option
from sordino.cli.options import FILE, STANDARD_STREAM, Real, Whole, all_option, as_json_option, force_option
from sordino.cli.output import print_json, print_lines, print_table
from sordino.cli.progress import progress
from sordino.cli.results import print_blocks
from sordino.cli.say import say, say_json
from sordino.distinct import DistinctParts
from sordino.document.files import read_toml
from sordino.document.kinds import explain_kind
from sordino.errors import SordinoError
from sordino.exact.nats import Nats
from sordino.survey.kinds.question import AskedQuestion
from sordino.survey.kinds.question_forecast import Forecast, finite, in_two_digits
from sordino.survey.planning.gain_of_bounds import what_a_bound_buys
from sordino.survey.planning.joined_asks import joined_asks
from sordino.survey.planning.least_epsilon import EPSILONS, MOST_PLANS, REVEALING_EPSILON
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.plan_design import bits_of_a_code
from sordino.survey.planning.series_forecast import STEPS, SeriesForecast, series_forecast
from sordino.survey.reading.open_epsilon import open_survey
from sordino.survey.reading.survey_file import Survey
from sordino.survey.schema.attribute_part import MOST_PEOPLE
from sordino.verbs.make_plan import forecast_plan, make_plan
from sordino.verbs.plan_forecast import PlanForecast, joining_in_words
from sordino.words.explain_plan import REVEALED, Explanation, explanation
from sordino.words.odds import PRIOR, beliefs, factor

DELTA_HEADER = ("nats revealed about", "delta promised", "at most here", "holds if dependence is")
"""Columns of what a report reveals of each attribute."""

SIZES = (300, 3_000, 30_000, 300_000)
"""Numbers of people whose forecasts are shown where none is given."""

INTERVAL = 3
"""Column of the forecasts that has the half-width of an interval."""

MOST_GAINS = 3
"""Bounds whose gain is said of a large survey."""


@click.command()
@click.argument("survey", type=FILE)
@click.option(
    "--people",
    type=Whole(1, MOST_PEOPLE),
    help="The number of people expected to answer; sets the expected errors.",
)
@click.option(
    "--accuracy",
    type=Real(),
    help="The half-width that every interval should have; 0.01 is one percentage point. Instead of --people it sets the"
    " number of people; with --people, the least epsilon of a survey without one.",
)
@click.option("--confidence", type=Real(), help="The confidence of the intervals for --accuracy, 0.95 by default.")
@click.option(
    "--epsilon",
    "epsilons",
    multiple=True,
    help="In place of the survey's epsilon; may be repeated, for a table with a row for each. Freezes nothing then.",
)
@click.option(
    "-o",
    "--output",
    type=FILE,
    help="The plan to write (JSON); - for standard output. Without it nothing is frozen: the forecast is shown.",
)
@force_option
@click.option("--expect", type=FILE, help="For the forecasts: a public sample of people like those who will answer.")
@click.option(
    "--floor", is_flag=True, help="Also show how close the plan is to the best possible; may search for some seconds."
)
@all_option
@as_json_option
def plan(
    survey: Path,
    people: int | None,
    accuracy: float | None,
    confidence: float | None,
    epsilons: tuple[str, ...],
    output: Path | None,
    expect: Path | None,
    *,
    force: bool,
    floor: bool,
    everything: bool,
    as_json: bool,
) -> None:
    """Turn a SURVEY file into a frozen plan: mechanisms, integer thresholds, a content hash.

    Shows what a report can reveal, how accurate the estimates will be, and what uniform protection would cost. Warns
    about questions for which there are too few people. Give the number of people, or the accuracy you want for every
    question. Give both, of a survey without an epsilon, and the least epsilon that gives the accuracy is found, in two
    digits. A public sample (one row per person, with the survey's columns) improves the forecasts and changes nothing
    else; instead, the survey may state what it expects of its attributes. A plan overwrites another only with --force:
    reports may exist that need the other one. Without people and accuracy the forecasts for 300, 3,000, 30,000 and
    300,000 people are shown. Of a large survey one screen is shown; --all shows each question.
    """
    _require_possible(epsilons, people, accuracy, confidence, output, as_json=as_json)
    sure = 0.95 if confidence is None else confidence
    if len(epsilons) > 1:
        tried = try_epsilons(partial(_survey_at, survey), epsilons, people, accuracy, sure, expect)
        _print_tried(tried, sure, as_json=as_json)
        return
    if people is None and accuracy is None and output is None:
        _print_sizes(_survey_at(survey, *epsilons), as_json=as_json)
        return
    is_open = people is not None and accuracy is not None
    with_epsilon = open_survey(survey) if is_open else lambda _: _survey_at(survey, *epsilons)
    asked = with_epsilon(EPSILONS[-1])
    total = len(asked.questions) * (MOST_PLANS if is_open else 1)
    with progress("plan", total) as advance:
        frozen = make_plan(survey if is_open else asked, people, accuracy, sure, expect, advance)
        made, found = frozen.plan, frozen.forecasts
        over_time = series_forecast(made, found)
        asked = asked if frozen.least is None else with_epsilon(frozen.least.epsilon)
        buys, offer = what_a_bound_buys(asked, made), tuple(joining_offer(asked, made.people))
        said = explanation(made, floor=floor)
    if output == STANDARD_STREAM:
        say_json(made.bytes.decode().rstrip("\n"))
        print_notes(asked.notes, err=True)
        print_warnings(frozen.warnings, err=True)
        return
    if output is not None:
        made.save(output, overwrite=force)
    if as_json or everything:
        with progress("forecasts", len(found)) as advance:
            for forecast in found:
                forecast.tables()
                advance(1)
    if as_json:
        found_words = {"explanation": said.json(), "a_bound_buys": list(buys)}
        own = _plan_json(frozen, accuracy, over_time, _source(expect, asked), floor=floor)
        notes = [*map(command_words, asked.notes)]
        print_json({"plan": None if output is None else str(output), "notes": notes, **own, **found_words})
        return
    if output is not None:
        say(f"{output}: {made.hash}")
    print_notes(asked.notes)
    if accuracy is not None:
        say(*accuracy_sentences(frozen, accuracy), *epsilon_sentences(frozen), "")
    _print_promise(made, said, output, everything=everything, floor=floor)
    _print_forecasts(frozen, over_time, everything=everything)
    _print_advice(frozen, (*offer, *(buys if everything else buys[:MOST_GAINS])), everything=everything)
    print_lines(said.missing_words)
    _say_next(made, output, everything=everything)


def _print_tried(tried: Sequence[Tried], confidence: float, *, as_json: bool) -> None:
    if as_json:
        print_json({"confidence": confidence, "epsilons": [one.json() for one in tried]})
        return
    print_epsilons(tried, confidence)
    say("Nothing was frozen. To freeze a plan, give one --epsilon, and -o PLAN.json.")


def _print_promise(made: Plan, said: Explanation, output: Path | None, *, everything: bool, floor: bool) -> None:
    """What is asked, and what a report can reveal."""
    in_short = made.is_large and not everything
    if not in_short:
        print_asked(said)
        say(REVEALED)
    print_explanation(said, f"sordino explain {output or 'PLAN.json'} --all", floor=floor)
    print_certificates(made, in_short=not everything)
    if made.promise is not None and (in_short or everything):
        rows = promise_rows(made.promise)
        print_table("", DELTA_HEADER, rows if everything else count_alike(rows))
    say()


def _print_advice(frozen: PlanForecast, offers: Sequence[str], *, everything: bool) -> None:
    """Warnings, and what would take fewer people."""
    in_short = frozen.plan.is_large and not everything
    print_warnings(frozen.grouped_warnings() if in_short else frozen.warnings)
    saved = () if in_short or everything else tuple(one.offer for one in frozen.forecasts if one.offer)
    print_lines((*map(command_words, saved), *offers))


def _print_sizes(asked: Survey, *, as_json: bool) -> None:
    """How exact the estimates of a survey would be with some numbers of people, where none is given."""
    first = make_plan(asked, SIZES[0])
    found = [first, *(forecast_plan(first.plan, size, first.confidence) for size in SIZES[1:])]
    if as_json:
        sizes = [{"people": one.plan.people, "warnings": list(one.warnings)} for one in found]
        for one, row in zip(found, sizes, strict=True):
            row["expected"] = {error.name: finite(error.plan) for each in one.forecasts for error in each.errors()}
        print_json({"plan": None, "notes": [*map(command_words, asked.notes)], "sizes": sizes})
        return
    print_notes(asked.notes)
    said = explanation(first.plan)
    if not first.plan.is_large:
        print_asked(said)
    say(REVEALED)
    print_lines(texts(said.summary))
    say()
    tables = [one.table() for one in found]
    names = [row[0] for row in tables[0].rows]
    rows = [(name, *(table.rows[place][INTERVAL] for table in tables)) for place, name in enumerate(names)]
    header = ("95 % interval, \N{PLUS-MINUS SIGN}, with", *(f"{size:,} people" for size in SIZES))
    print_table("How exact the estimates would be", header, rows)
    say(*(command_words(one.text) for one in tables[0].sentences), "")
    say("Nothing was frozen. Say how many people are expected: --people 3000; -o PLAN.json freezes the plan.")


def joining_offer(survey: Survey, people: int) -> Iterator[str]:
    """That fewer people would do if histograms were asked together, where the survey does not say whether they are."""
    if survey.together is not None:
        return
    weights = sum(ask.weight for ask in survey.questions)
    public = [len(table.words["labels"]) for table in (survey.public or {}).values()]
    for joined in joined_asks(survey, bits_of_a_code(survey, public), DistinctParts()):
        own = sum(ask.weight for ask in survey.questions if ask.attributes[0] in joined.names)
        alone, sizes = people * own / weights, [len(table) for table in joined.tables]
        said = joining_in_words(sizes, len(joined.names), alone / joined.gain, alone)
        yield f"{said} A report would be about all attributes of its table at once: write together = true."


def _say_next(plan: Plan, output: Path | None, *, everything: bool) -> None:
    """What to do with a plan that was shown."""
    say()
    if not everything:
        say("Tables of each question, with other mechanisms: --all, or --json.")
    if by_groups := group_option(plan):
        say(f"By groups: sordino estimate {output or 'PLAN.json'} REPORTS {by_groups}")
    if output is None:
        say("Nothing was frozen. To freeze this plan, give the same command -o PLAN.json.")


def _print_forecasts(frozen: PlanForecast, over_time: SeriesForecast | None, *, everything: bool) -> None:
    """What is expected of a plan: in one table, or in some of each question."""
    if frozen.plan.is_large and not everything:
        print_blocks([frozen.overview()])
        say(*frozen.overview_sentences(), "")
    elif everything:
        for forecast in frozen.forecasts:
            print_forecast(forecast)
    else:
        table = frozen.table()
        print_table(f"How exact the estimates will be, at {frozen.plan.people:,} people", table.header, table.rows)
        say(*(command_words(one.text) for one in table.sentences))
    say(*chain.from_iterable((line, "") for line in frozen.joined_sentences()))
    if over_time is not None:
        print_series_forecast(over_time)


def _plan_json(
    frozen: PlanForecast, accuracy: float | None, over_time: SeriesForecast | None, source: str | None, *, floor: bool
) -> dict[str, Any]:
    made = frozen.plan
    return {
        "hash": made.hash,
        "people": made.people,
        "accuracy": accuracy and accuracy_json(frozen, accuracy),
        **({} if frozen.least is None else {"least_epsilon": frozen.least._asdict()}),
        "code_bits": made.sampled.code_bits,
        "certificate": least_certificate(made),
        "promise": made.promise and promise_json(made.promise),
        "expected_from": source,
        "warnings": list(frozen.warnings),
        "questions": _questions(made, frozen.forecasts, floor=floor),
        **({} if over_time is None else {"series": over_time.json()}),
    }


def _require_possible(
    epsilons: tuple[str, ...],
    people: int | None,
    accuracy: float | None,
    confidence: float | None,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Refuse options that contradict each other, before any work."""
    if confidence is not None and accuracy is None:
        step = "give --accuracy, or leave --confidence out"
        raise SordinoError("a confidence must be of an accuracy", found="--confidence alone", step=step)
    if epsilons and people is not None and accuracy is not None:
        rule = "people and an accuracy together find the epsilon"
        raise SordinoError(rule, found="--epsilon beside them", step="leave one of the three out")
    if len(epsilons) > 1 and output is not None:
        step = "leave -o out to compare them, or give one"
        raise SordinoError("a plan has one epsilon", found=f"{len(epsilons)} of --epsilon, and -o", step=step)
    if as_json and output == STANDARD_STREAM:
        step = "leave --json out, or give -o a name"
        raise SordinoError("standard output takes one document", found="--json and -o -", step=step)


def _survey_at(path: Path, epsilon: str | None = None) -> Survey:
    """The survey of a file, with another epsilon if one is given."""
    if epsilon is None:
        return Survey.load(path)
    with explain_kind(path, "survey"):
        return Survey.read({**read_toml(path), "epsilon": epsilon}, str(path), path.parent)


def _source(expect: Path | None, survey: Survey) -> str | None:
    if expect is not None:
        return str(expect)
    return "survey" if any(table.expected is not None for table in survey.attribute.values()) else None


def _questions(plan: Plan, found: Sequence[Forecast], *, floor: bool) -> list[dict[str, Any]]:
    certificates = {question.name: certificate for question, certificate in plan.certificates}
    return [forecast_json(one, certificates.get(one.question.name), floor=floor) for one in found]


def print_forecast(forecast: Forecast) -> None:
    """How exact the answers to a question of a plan will be, beside uniform protection and other mechanisms."""
    own = f"{forecast.question.name}, at {forecast.question.people:,} people"
    for table in forecast.tables():
        print_table(own if table.title is None else table.title, table.header, table.rows)
        if table.notes:
            say(*map(command_words, table.notes), "")


def print_warnings(lines: tuple[str, ...], *, err: bool = False) -> None:
    """What cannot be expected to be answered, where nobody overlooks it."""
    for line in lines:
        say(f"WARNING: {line}", bold=True, err=err)
    if lines:
        say(err=err)


def print_notes(lines: tuple[str, ...], *, err: bool = False) -> None:
    """How what may surprise in a survey was read."""
    for line in lines:
        say(f"NOTE: {command_words(line)}", err=err)
    if lines:
        say(err=err)


def forecast_json(forecast: Forecast, certificate: Certificate | None, *, floor: bool) -> dict[str, Any]:
    """A question of a plan for programs, with its certificate; its floor by a search, if asked for."""
    question, values = forecast.question, forecast.question.values
    head = {
        "attribute": question.name,
        "share": str(question.share),
        "people": question.people,
        "code_bits": question.code_bits,
        "warning": forecast.warning,
        "people_needed": forecast.people_needed,
        "above_floor": _above_floor(question, search=floor),
    }
    if values is not None or certificate is not None:
        known = certificate and {"attribute": question.name, **certificate_json(certificate, values)}
        head |= {"certificate": known}
    return head | forecast.json()


def accuracy_sentences(frozen: PlanForecast, wanted: float) -> Iterator[str]:
    """How many people an accuracy takes, which question most of them, and what of the people it assumes."""
    forecast, width = frozen.widest()
    series = frozen.plan.series
    of = "" if series is None else f" of one {series.every}"
    yield (
        f"{frozen.plan.people:,} people: every {100 * frozen.confidence:.15g} % interval{of} has an expected half-width"
        f" of at most {width:.3g} of its possible range; the widest is that of {forecast.question.name}."
    )
    fewer, assumed = frozen.people_as_assumed(wanted), frozen.people_at_worst(wanted)
    for one, people in assumed:
        more = (
            "where its features vary less, more are needed"
            if people is None
            else (f"whatever people are like, about {in_two_digits(people)} are enough")
        )
        yield f"The {one.question.name} is for people as assumed below; {more}."
    if fewer is not None:
        holds = "All others hold" if assumed else "This holds"
        enough = f"; if they are as assumed below, about {in_two_digits(fewer)} are enough"
        yield f"{holds} whatever people are like{enough if fewer < frozen.plan.people else ''}."
    for one in frozen.forecasts:
        if one.accuracy_note:
            yield one.accuracy_note
    for one, people in frozen.people_for_whole(wanted):
        if people is None or people > frozen.plan.people:
            many = "more people than a plan can have" if people is None else f"about {in_two_digits(people)} people"
            yield f"The whole distribution function of {one.question.name} takes {many}."


def epsilon_sentences(frozen: PlanForecast) -> tuple[str, ...]:
    """The epsilon that was found for an accuracy, what it reveals, and how to keep it; nothing where none was."""
    found = frozen.least
    if found is None:
        return ()
    smaller = ""
    if found.smaller_width is not None:
        own, width = frozen.widest()[1], found.smaller_width
        digits = next(digits for digits in (*range(3, 17), 17) if f"{own:.{digits}g}" != f"{width:.{digits}g}")
        smaller = f" (with {found.smaller} the half-width would be {width:.{digits}g})"
    least = f"epsilon = {found.epsilon} is the least in two digits that gives this{smaller}."
    if Nats.of(found.epsilon) > Nats.of(REVEALING_EPSILON):
        least += f" Above {REVEALING_EPSILON} a report reveals nearly the whole answer: rather ask more people."
    again = f'The plan holds it. To make the same plan again, write epsilon = "{found.epsilon}" into the survey.'
    return f"{least} {_odds(frozen.plan, Nats.of(found.epsilon))}", again


def _odds(plan: Plan, epsilon: Nats) -> str:
    """What an epsilon reveals, where it bounds a loss as it is; distances are multiplied by it."""
    if is_by_distance(plan):
        return "Below it is said what it reveals: of some attributes it is the loss for each unit of distance."
    most, least = beliefs(epsilon)
    return (
        "Where answers are protected by it, a report changes the odds between two of them by a factor of at most"
        f" {factor(epsilon)}: a suspicion of {PRIOR} % rises to at most {most} % and falls no lower than {least} %."
    )


def print_series_forecast(found: SeriesForecast) -> None:
    """The widest interval of each question in one period, and of the smoothed curve."""
    every = found.series.every
    walks = (f"steps of {100 * step:.3g} %" for step in STEPS[1:])
    header = ("widest 95 % interval, \N{PLUS-MINUS SIGN}", f"one {every}", "smoothed, steady", *walks)
    rows = [(row.question, _width(row.one_period), *(_width(width) for width in row.smoothed)) for row in found.rows]
    print_table(f"Over time: about {found.people:,} people each {every}", header, rows)
    say(
        f"Widths are in percentage points of shares, and in per cent of the range of other numbers. Steps: the usual"
        f" change from one {every} to the next, if a number moves at random around a line.",
        "",
    )


def _width(width: float) -> str:
    return f"{100 * width:.2g} %" if width < 1 else "nothing"


def accuracy_json(frozen: PlanForecast, wanted: float) -> dict[str, Any]:
    """The same for programs."""
    forecast, width = frozen.widest()
    return {
        "wanted": wanted,
        "confidence": frozen.confidence,
        "expected": width,
        "widest": forecast.question.name,
        "people_as_assumed": frozen.people_as_assumed(wanted),
        "people_at_worst": {one.question.name: people for one, people in frozen.people_at_worst(wanted)},
        "people_for_whole": {one.question.name: people for one, people in frozen.people_for_whole(wanted)},
    }


def _above_floor(question: AskedQuestion, *, search: bool) -> float | None:
    """By how much the variance exceeds the least that is proved of all channels, relatively; rounded up.

    At equal shares, or at the number that is worst for it. Null where nothing is proved, or nobody asked to
    search.
    """
    above = question.above_floor(search=search)
    return None if above is None else max(0.0, nextafter(float(above), inf))
