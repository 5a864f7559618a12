"""What a plan whose attributes depend on each other for certain (`only_if`) must keep."""

from collections.abc import Mapping

from sordino.domain.answers.condition import condition_mistakes, related_attributes
from sordino.errors import SordinoError
from sordino.survey.frozen.amounts import canonical_epsilon
from sordino.survey.frozen.parts import AttributePart, DependencePart
from sordino.survey.frozen.promise import attribute_of


def require_conditions(parts: Mapping[str, AttributePart], dependence: DependencePart | None) -> None:
    """Refuse conditions that name nothing, lead back, or reveal more than is promised about what they name.

    Raises:
        SordinoError: with the first of them.
    """
    if all(part.only_if is None for part in parts.values()):
        return
    attributes = {name: attribute_of(name, part) for name, part in parts.items()}
    for name, mistake in condition_mistakes(attributes):
        raise SordinoError(f"{name!r}: {mistake.rule}", found=mistake.found, step=mistake.step)
    bounded = [name for name in related_attributes(attributes) if dependence and name in _bounded_names(dependence)]
    if bounded:
        rule = "nothing bounds what others say about an attribute that decides whether one is asked"
        raise SordinoError(rule, found=f"a bound for {bounded[0]!r}", step="get the plan again")
    for name, part in parts.items():
        for other in part.only_if or ():
            _require_as_well_protected(name, part, other, parts[other])


def _bounded_names(dependence: DependencePart) -> set[str]:
    """All attributes that a bound below 1 is about."""
    names = {name for name, bound in dependence.rest.items() if bound != "1"}
    names |= {name for one in dependence.statistics for name in (one.attribute, *one.statistic)}
    names |= {name for one in dependence.tables or () for name in (one.attribute, *one.table)}
    names |= {name for one in dependence.category_signs or () for name in (one.attribute, one.category, one.number)}
    return names | {name for one in dependence.thresholds or () for name in (one.attribute, one.number)}


def _require_as_well_protected(name: str, part: AttributePart, other: str, decides: AttributePart) -> None:
    """What says for certain something about another attribute is protected at least as well."""
    if part.protect is None or decides.protect is None:
        return
    rule = f"{name!r} must be protected at least as well as {other!r}, which decides whether it is asked"
    if decides.protect.metric is not None or decides.protect.bounds is not None:
        raise SordinoError(rule, found="distances or bounds", step="get the plan again")
    own, least = canonical_epsilon(part.protect.epsilon or ""), canonical_epsilon(decides.protect.epsilon or "")
    if own > least:
        raise SordinoError(rule, found=f"epsilon {own} above {least}", step="get the plan again")
