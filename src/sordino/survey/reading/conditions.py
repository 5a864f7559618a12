"""What attributes of a survey that depend on each other for certain must keep: `only_if`, and answers of several.

Whether an attribute is asked says which categories others have. So what protects it must protect these as well, and
nothing may be declared that would take the one to say little about the other.
"""

from collections.abc import Iterator
from fractions import Fraction

from sordino.domain.answers.condition import condition_mistakes, related_attributes
from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown
from sordino.survey.attributes.asked_survey import AskedSurvey
from sordino.survey.frozen.dependence_bounds import DependenceTable
from sordino.survey.reading.ask_table import AskTable


def several_asked(where: str, ask: AskTable, survey: AskedSurvey) -> SordinoError | None:
    """That a question asks of several categories as if one applied, or the other way round."""
    named = [name for name in ask.attributes if name in survey.attribute]
    wrong = [name for name in named if (survey.attribute[name].several is not None) != ask.kind.of_several]
    if not wrong:
        return None
    if ask.kind.of_several:
        step = f'write several = 3 beside its categories, or ask for histogram = "{wrong[0]}"'
        rule = f"{where}.{ask.word} must be about categories of which several apply"
        return SordinoError(rule, found=shown(wrong[0]), step=step)
    found, step = f"{wrong[0]!r}, of which several apply", f'ask for several = "{wrong[0]}"'
    return SordinoError(f"{where}.{ask.word} must be about attributes with one value a person", found=found, step=step)


def survey_condition_mistakes(survey: AskedSurvey, dependence: DependenceTable | None) -> Iterator[SordinoError]:
    """What is wrong with conditions between attributes, beside what is declared of their dependence."""
    attributes = {name: survey.attribute_named(name) for name in survey.attribute}
    found = list(condition_mistakes(attributes))
    for name, error in found:
        yield SordinoError(f"attribute.{name}: {error.rule}", found=error.found, step=error.step)
    if found:
        return
    related = related_attributes(attributes)
    yield from _dependence_mistakes(dependence, related)
    if any(attribute.delta is not None for attribute in attributes.values()):
        return
    for name, attribute in attributes.items():
        own = survey.attribute[name].protect
        level = own.epsilon if own is not None and own.epsilon is not None else survey.epsilon
        for other, _ in attribute.only_if:
            protect = survey.attribute[other].protect
            if protect is not None and (protect.metric is not None or protect.matrix is not None):
                rule = f"attribute.{name}.only_if must not be about what is protected by distances or a matrix"
                yield SordinoError(rule, found=shown(other), step="protect it as a whole, by blocks, or as sensitive")
                continue
            least = protect.epsilon if protect is not None and protect.epsilon is not None else survey.epsilon
            if level is not None and least is not None and level > least:
                rule = (
                    f"attribute.{name} must be protected at least as well as attribute.{other}, about which it says"
                    " something for certain: whether it is asked"
                )
                yield SordinoError(rule, found=f"epsilon {level} above {least}", step="lower its epsilon")


def _dependence_mistakes(dependence: DependenceTable | None, related: list[str]) -> Iterator[SordinoError]:
    """Nothing bounds how much others depend on an attribute that decides whether one is asked."""
    rest = None if dependence is None else dependence.rest
    bound = {name: rest.get(name) if isinstance(rest, dict) else rest for name in related}
    for name, given in bound.items():
        if isinstance(given, Fraction) and given < 1:
            rule = f"dependence.rest must be 1 for {name!r}, of which another attribute tells for certain by only_if"
            step = "name the attributes that it holds for, without this one"
            yield SordinoError(rule, found=shown(given), step=step)
