"""A statement about dependence as a file, and in plain words: its bounds, and all that they rest on.

`[dependence] file = "..."` of a survey names such a file. Attributes stand in it by name and with their values, since a
bound holds for these values only: whoever uses it checks that they are still the same.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from sordino.definition.bounded_dependence import FEWEST_TOGETHER, MOST_TOGETHER, Dependence
from sordino.design.from_sample import MOST_RECORDS
from sordino.design.sample_questions import (
    CategorySignDistribution,
    Compared,
    DistributionFunction,
    SampleNumber,
    SampleQuestions,
    Why,
    cells_of,
    places_of,
)
from sordino.design.stated_dependence import Bound, Statement, dependence_of_bounds, read_confidence
from sordino.document.domains import domain_of, domain_words
from sordino.document.files import write_text
from sordino.document.formats import STATEMENT
from sordino.document.kinds import read_document
from sordino.document.schema.limits import ValueLimits
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.attribute import Attribute
from sordino.domain.interval import Interval
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import outward
from sordino.printable import quote
from sordino.survey.schema.attribute_part import GridPart, Text

RatioText = Annotated[str, ValueLimits(pattern=r"^[0-9]{1,40}(\.[0-9]{1,40}|/[1-9][0-9]{0,39})?$")]
"""A number >= 0 as a text."""


class _SampledValues(StrictTable):
    name: Text
    labels: list[Text] | None = None
    numbers: int | None = setting(default=None, ge=1)
    grid: GridPart | None = None
    low: float | None = None
    high: float | None = None
    answers: Literal["number", "bin"] | None = None
    edges: list[float] | None = None
    lipschitz: RatioText | None = None
    clip: bool = False
    asked: list[float] | None = None


class _BoundPart(StrictTable):
    attribute: Text
    statistic: list[Text] = setting(min_length=1, max_length=MOST_TOGETHER)
    thresholds: Literal[True] | None = None
    sign: Literal[True] | None = None
    bound: RatioText
    why: Why
    seen: RatioText | None = None
    least: int | None = setting(default=None, ge=0)


class _StatementPart(StrictTable):
    format: Literal["sordino dependence"]
    version: Literal[1]
    attributes: list[_SampledValues] = setting(min_length=1)
    bounds: list[_BoundPart] = setting(min_length=1)
    records: int = setting(ge=1, lt=MOST_RECORDS)
    confidence: RatioText
    comparisons: int = setting(ge=0)
    shift: RatioText
    population: str
    date: str | None = None


def save_statement(statement: Statement, path: Path, *, overwrite: bool = False) -> None:
    """Write a statement, whole or not at all."""
    text = json.dumps(statement_document(statement), indent=1, ensure_ascii=False) + "\n"
    write_text(path, text, overwrite=overwrite)


def statement_document(statement: Statement) -> dict[str, Any]:
    """A statement as plain data; amounts are exact, as texts."""
    names = statement.asked.names
    bounds = [
        {
            "attribute": names[bound.attribute],
            "statistic": [names[place] for place in places_of(bound.statistic)],
            **({"thresholds": True} if isinstance(bound.statistic, DistributionFunction) else {}),
            **({"sign": True} if isinstance(bound.statistic, CategorySignDistribution) else {}),
            "bound": _exact(bound.bound),
            "why": bound.why,
            **({} if bound.seen is None else {"seen": _exact(bound.seen), "least": bound.least}),
        }
        for bound in statement.bounds
    ]
    content = {
        "attributes": [_attribute_part(attribute) for attribute in statement.asked.attributes],
        "bounds": bounds,
        "records": statement.records,
        "confidence": _exact(statement.confidence),
        "comparisons": statement.comparisons,
        "shift": _exact(statement.shift),
        "population": statement.population,
        **({} if statement.date is None else {"date": statement.date}),
    }
    return STATEMENT.stamp(content)


def load_statement(path: Path | str) -> Statement:
    """Read a statement.

    Raises:
        SordinoError: no statement, one of a newer version, or bounds that no sample can give.
    """
    document = read_document(Path(path), STATEMENT)
    part = STATEMENT.fields(_StatementPart, document, str(path))
    try:
        return _statement(part)
    except SordinoError as error:
        raise SordinoError(f"{path}: {error.rule}", found=error.found, step=error.step) from None


def dependence_for(statement: Statement, asked: SampleQuestions) -> Dependence:
    """A statement's bounds for a survey's attributes, at their places in the survey.

    Statistics that the statement does not know have the bound 1.

    Raises:
        SordinoError: other attributes, or other values of one of them.
    """
    mine = {attribute.name: attribute for attribute in statement.asked.attributes}
    theirs = {attribute.name: attribute for attribute in asked.attributes}
    different = sorted(mine.keys() ^ theirs.keys())
    step = "make the statement again with `sordino.dependence`"
    if different:
        found = f"{different[0]!r} in one of them only"
        raise SordinoError("a statement about dependence must be about the survey's attributes", found=found, step=step)
    for name, attribute in theirs.items():
        if _values(attribute) != _values(mine[name]):
            rule = f"a statement about dependence must be about the survey's values of {name!r}"
            raise SordinoError(rule, found="a statement about other values", step=step)
    place = {name: j for j, name in enumerate(asked.names)}
    move = [place[name] for name in statement.asked.names]
    moved = {(move[bound.attribute], _move_statistic(bound.statistic, move)): bound.bound for bound in statement.bounds}
    return dependence_of_bounds(asked, moved)


def _move_statistic(statistic: Compared, move: Sequence[int]) -> Compared:
    """A statistic of a statement, of the same attributes at their places in the survey."""
    if isinstance(statistic, DistributionFunction):
        return DistributionFunction(move[statistic.number])
    if isinstance(statistic, CategorySignDistribution):
        return CategorySignDistribution(move[statistic.category], move[statistic.number])
    return tuple(sorted(move[j] for j in statistic))


def statement_sentences(statement: Statement) -> tuple[str, ...]:
    """What a statement says, and all that it rests on."""
    asked, least = statement.asked, statement.least
    kinds = Counter(bound.why for bound in statement.bounds)
    sure = f"{outward(100 * statement.confidence, 15, up=False)} %"
    population = quote(statement.population) if statement.population else "not stated"
    lines = []
    if kinds["sample"]:
        lines.append(
            f"With confidence {sure} all {kinds['sample']} bounds from the sample hold at once: "
            f"{statement.records:,} records, {statement.comparisons:,} comparisons of two values (M), "
            f"beta = {_exact(1 - statement.confidence)}; the rarest value has {least:,} records."
        )
    else:
        lines.append(f"Nothing follows from the {statement.records:,} records: every bound is 1.")
    lines.append(
        f"The records are taken to be independent draws from the population of those who will answer, and none of them "
        "somebody who will; attributes, values, statistics and confidence to have been fixed before anybody looked at "
        f"them. Population: {population}. Date: {statement.date or 'not stated'}."
    )
    if statement.shift:
        lines.append(
            f"The conditional shares of those who will answer may be up to {_exact(statement.shift)} (total variation) "
            "from the population's: each bound has twice as much on top."
        )
    signed = {asked.names[one.number] for one in asked.statistics if isinstance(one, CategorySignDistribution)}
    numbers = [attribute for attribute in asked.attributes if isinstance(attribute, SampleNumber)]
    lines += [_about(number, signed=number.name in signed) for number in numbers]
    lines += [text for why, text in REASONS.items() if kinds[why]]
    lines.append(
        "The bounds count against somebody who believes of the other answers, given this one, what the population's "
        "shares say, and who has seen no report before. Against somebody who knows more about a person only epsilon "
        "counts."
    )
    lines.append(
        "They serve one drawn answer, once. For two answers by one person, or all other attributes together, no sample "
        "gives a bound: it is 1."
    )
    return tuple(lines)


REASONS: dict[Why, str] = {
    "own": "A statistic about the attribute alone reveals it, and so does a table with it: 1.",
    "no bins": "Of a number without declared bins or Lipschitz constant nothing is known: 1.",
    "exact number": "A Lipschitz constant says nothing about a histogram: 1.",
    "many values": "Too many values to compare: 1.",
}


def _about(attribute: SampleNumber, *, signed: bool) -> str:
    answers = "the middle of its bin" if attribute.answers == "bin" else "the number as it is"
    if attribute.lipschitz is not None:
        about = f"it is declared, not estimated, that conditional means change by at most {_exact(attribute.lipschitz)}"
        about += " per unit of it; promises are about the number itself"
    elif attribute.edges:
        about = f"promises are about which of its {cells_of(attribute)} bins it falls in, not about the number itself"
    else:
        about = "nothing is declared"
    answers += ", or about its product with another"
    if signed:
        answers += ", or its sign with a category"
    if attribute.asked:
        answers += f", or whether it lies below one of {len(attribute.asked) - 2} thresholds"
    return f"{attribute.name}: {about}. Devices must answer one bit about {answers}."


def _attribute_part(attribute: Attribute) -> dict[str, Any]:
    """An attribute with its values; where they stand in a table does not matter."""
    if isinstance(attribute, SampleNumber):
        part = {**domain_words(attribute.domain)["number"], "answers": attribute.answers}
        part |= {"edges": list(map(float, attribute.edges))} if attribute.edges else {}
        part |= {} if attribute.lipschitz is None else {"lipschitz": _exact(attribute.lipschitz)}
        part |= {"clip": True} if attribute.clip else {}
        part |= {"asked": list(map(float, attribute.asked))} if attribute.asked else {}
    else:
        part = domain_words(attribute.domain)
    return {"name": attribute.name, **part}


def _values(attribute: Attribute) -> Attribute:
    """The attribute without what does not change its values."""
    return _attribute(_SampledValues(**_attribute_part(attribute)))


def _attribute(part: _SampledValues) -> Attribute:
    given = part.dump(exclude={"name"} if part.clip else {"name", "clip"})
    if len(given) == 1:
        return Attribute(part.name, domain_of(given))
    if part.low is None or part.high is None or part.answers is None or {"labels", "numbers", "grid"} & set(given):
        raise SordinoError("an attribute must be categories, a grid or a number", found=", ".join(given) or "nothing")
    lipschitz = None if part.lipschitz is None else Fraction(part.lipschitz)
    ends, edges = Interval(part.low, part.high), tuple(part.edges or ())
    found = SampleNumber(part.name, ends, clip=part.clip, answers=part.answers, edges=edges, lipschitz=lipschitz)
    return replace(found, asked=tuple(part.asked or ()))


def _statement(part: _StatementPart) -> Statement:
    attributes = tuple(map(_attribute, part.attributes))
    place = {attribute.name: j for j, attribute in enumerate(attributes)}
    unknown = {name for bound in part.bounds for name in (bound.attribute, *bound.statistic)} - set(place)
    if unknown:
        raise SordinoError("bounds must be about the statement's attributes", found=shown(min(unknown)))
    bounds = []
    for bound in part.bounds:
        told = tuple(place[name] for name in bound.statistic)
        statistic = _statistic_of(told, bound)
        value, seen = Fraction(bound.bound), None if bound.seen is None else Fraction(bound.seen)
        if value > 1 or (seen is not None and seen > value) or (bound.why == "sample") != (seen is not None):
            rule = "a bound must be at most 1, and from a sample no less than is seen in it"
            raise SordinoError(rule, found=bound.bound)
        bounds.append(Bound(place[bound.attribute], statistic, value, bound.why, seen, bound.least))
    asked = SampleQuestions(attributes, tuple(dict.fromkeys(bound.statistic for bound in bounds)))
    if asked.comparisons != part.comparisons:
        raise SordinoError(f"comparisons must be {asked.comparisons}", found=shown(part.comparisons))
    confidence, shift = read_confidence(Fraction(part.confidence)), Fraction(part.shift)
    return Statement(asked, tuple(bounds), part.records, confidence, shift, part.population, part.date)


def _statistic_of(told: tuple[int, ...], bound: _BoundPart) -> Compared:
    if bound.thresholds:
        if bound.sign or len(told) > 1:
            raise SordinoError("thresholds must be of one number", found=shown(bound.statistic))
        return DistributionFunction(*told)
    if bound.sign:
        if len(told) != FEWEST_TOGETHER:
            raise SordinoError("a sign must be of a number, with a category", found=shown(bound.statistic))
        return CategorySignDistribution(*told)
    return told


def _exact(number: Fraction) -> str:
    """A short exact text: a decimal where it ends, else a quotient."""
    with localcontext(Context(prec=40)) as context:
        decimal = Decimal(number.numerator) / Decimal(number.denominator)
        return str(number) if context.flags[Inexact] else f"{decimal:f}"
