"""Who is asked about an attribute only because of earlier answers, and what counts as the answer of all others.

An attribute with `only_if` is asked of whoever has one of some categories of other attributes. "Not asked" is a value
like any other: it goes through the same channel, so that no report about the attribute shows who was asked more than
it shows the answer; a report about what decides, or about what else depends on it, keeps its own promise.
A number that was not asked is missing. An answer of somebody who is not asked contradicts the earlier answers, and is
refused.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from sordino.domain.attribute import Attribute
from sordino.domain.categories import Categories
from sordino.domain.choices import Choices
from sordino.domain.interval import Interval
from sordino.errors import SordinoError
from sordino.exact.messages import shown

Mask = NDArray[np.bool_]

NOT_ASKED = "not asked"
"""The category of who is not asked, where a survey names no other."""


def condition_mistakes(attributes: Mapping[str, Attribute]) -> Iterator[tuple[str, SordinoError]]:
    """What is wrong with the conditions of some attributes: of each the attribute and the mistake."""
    for name, attribute in attributes.items():
        for other, labels in attribute.only_if:
            known = attributes[other].domain if other in attributes else None
            if not isinstance(known, Categories) or isinstance(known.labels, range):
                rule = "only_if must name other attributes with named categories, of which one applies"
                found = f"{other!r}, which has none" if other in attributes else f"{other!r}, which is not there"
                yield name, SordinoError(rule, found=found, step="ask for it as categories, or leave the condition out")
            elif wrong := [label for label in labels if label not in known.labels]:
                rule = f"only_if must name categories of {other!r}"
                yield name, SordinoError(rule, found=shown(wrong[0]), step="write them as its categories are named")
        if name in _ancestors(name, attributes):
            rule = "only_if must not lead back to its own attribute"
            yield name, SordinoError(rule, found=f"a circle through {name!r}", step="leave one of its conditions out")


def _ancestors(name: str, attributes: Mapping[str, Attribute]) -> set[str]:
    """All attributes on which it depends whether one is asked."""
    found: set[str] = set()
    left = [other for other, _ in attributes[name].only_if]
    while left:
        other = left.pop()
        if other in attributes and other not in found:
            found.add(other)
            left += [one for one, _ in attributes[other].only_if]
    return found


def revealing_attributes(attributes: Mapping[str, Attribute]) -> dict[str, set[str]]:
    """By attribute with a condition the others whose reports say something of whether it is asked.

    What decides it, what decides that, and all that is asked because of one of these.
    """
    deciding = {name: _ancestors(name, attributes) for name, attribute in attributes.items() if attribute.only_if}
    because: dict[str, set[str]] = {}
    for name, deciders in deciding.items():
        for other in deciders:
            because.setdefault(other, {other}).add(name)
    return {name: set().union(*(because[other] for other in own)) - {name} for name, own in deciding.items()}


def revealing_places(name: str, others: AbstractSet[str], names: Sequence[str]) -> tuple[int, ...]:
    """Places of a question's attributes that may change together with whether another one is asked.

    Args:
        name: of the attribute that is asked because of earlier answers. It changes too, so that a question about it
            beside one of the others reveals what both do.
        others: whose reports say something of whether it is asked.
        names: of the attributes of the question.
    """
    if not any(one in others for one in names):
        return ()
    return tuple(place for place, one in enumerate(names) if one in others or one == name)


def with_conditions(names: Iterable[str], attributes: Mapping[str, Attribute]) -> list[str]:
    """Some attributes and all that decide whether they are asked, each after those that decide it; no circle."""
    found: list[str] = []
    for name in dict.fromkeys(names):
        found += [
            one for one in with_conditions((o for o, _ in attributes[name].only_if), attributes) if one not in found
        ]
        found += [name] if name not in found else []
    return found


def related_attributes(attributes: Mapping[str, Attribute]) -> list[str]:
    """The attributes whose value says something for certain about another one: with conditions, or in one."""
    named = {other for attribute in attributes.values() for other, _ in attribute.only_if}
    return [name for name, attribute in attributes.items() if attribute.only_if or name in named]


def are_asked(
    attribute: Attribute, attributes: Mapping[str, Attribute], values: Mapping[str, NDArray[np.intp]]
) -> Mask:
    """Of whom an attribute is asked, shape (n,).

    Args:
        values: of those that its conditions are about, indices, shape (n,) each.
    """
    asked = []
    for other, labels in attribute.only_if:
        domain = attributes[other].finite
        asked.append(np.isin(values[other], [place for place in range(domain.k) if domain.label(place) in labels]))
    found: Mask = np.logical_and.reduce(asked)
    return found


def unasked_value(attribute: Attribute) -> float | int:
    """The value of who is not asked: NaN of a number."""
    domain = attribute.domain
    if isinstance(domain, Interval):
        return float("nan")
    return domain.unasked_value if isinstance(domain, Choices) else domain.k - 1


def missing_value(attribute: Attribute) -> float | int | None:
    """The value of who gives none; None where that is refused."""
    domain = attribute.domain
    if attribute.missing is None:
        return None
    if isinstance(domain, Interval):
        return float("nan")
    labels: Sequence[str] = () if not isinstance(domain, Categories) else list(map(str, domain.labels))
    return 0 if isinstance(domain, Choices) else labels.index(attribute.missing)


def settle(
    attribute: Attribute, values: NDArray[np.generic], given: Mask, asked: Mask
) -> tuple[NDArray[np.generic], Mask, Mask]:
    """The values of some people once it is known who is asked, and who contradicts it.

    Args:
        values: as they were read, shape (n,); what stands where nothing was given does not matter.
        given: whether something was, shape (n,).
        asked: whether the attribute is asked, shape (n,).

    Returns:
        The values, shape (n,); who gives an answer without being asked, or says not to have been asked and was; and
        who is asked, gives none, and must.
    """
    unasked, missing = unasked_value(attribute), missing_value(attribute)
    says_unasked = given & (values == unasked)
    contradicts = np.where(asked, says_unasked, given & ~says_unasked)
    lacks = asked & ~given if missing is None else np.zeros_like(asked)
    settled = np.where(asked, np.where(given, values, unasked if missing is None else missing), unasked)
    return settled.astype(values.dtype), contradicts, lacks


def contradiction(attribute: Attribute, where: str) -> SordinoError:
    """The refusal of an answer that earlier answers rule out, without any of them.

    Args:
        attribute: with conditions.
        where: the answer stands, for the message.
    """
    conditions = " and ".join(f"{other} is {' or '.join(map(repr, labels))}" for other, labels in attribute.only_if)
    return SordinoError(
        f"{where} must have an answer where {conditions}, and only there",
        found="one that contradicts the earlier answers",
        step="leave it empty where it is not asked",
    )
