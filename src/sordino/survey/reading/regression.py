"""What a regression of a survey is about: a number, and features that are numbers or have a few categories."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sordino.document.checked_tables import nearest
from sordino.domain.attribute import Attribute
from sordino.domain.categories import Categories, few
from sordino.domain.coded import MOST_CATEGORIES
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.errors import SordinoError

if TYPE_CHECKING:
    from sordino.survey.reading.ask_table import RegressionTable


def regression_mistakes(
    where: str, asked: "RegressionTable", attributes: Mapping[str, Attribute]
) -> Iterator[SordinoError]:
    """What does not fit the attributes that a regression names, as far as they are known.

    Args:
        where: it stands in the survey.
        asked: the target, the features, and the base categories of some of them.
        attributes: those of the survey that it names.
    """
    target = attributes.get(asked.target)
    if target is not None and not isinstance(target.domain, Interval):
        found, step = f"{asked.target!r}, which has categories", "ask for the tables of it and each feature"
        if isinstance(target.domain, Grid):
            found = f"{asked.target!r}, a map"
        yield SordinoError(f"{where}.target must be a number", found=found, step=step)
    for name in asked.features:
        if name in attributes:
            yield from _feature_mistakes(f"{where}.features", attributes[name])
    for name, category in asked.base.items():
        domain = attributes[name].domain if name in attributes else None
        if isinstance(domain, Interval):
            found = f"{name!r}, a number"
            yield SordinoError(f"{where}.base must be about features with categories", found=found, step="leave it out")
        elif isinstance(domain, Categories) and not any(category == domain.label(v) for v in range(domain.k)):
            labels = [domain.label(v) for v in range(min(domain.k, MOST_CATEGORIES))]
            found = repr(category) + nearest([category], labels)
            yield SordinoError(
                f"{where}.base.{name} must be one of its categories: {few(labels)}",
                found=found,
                step="name the one that the others are compared to",
            )


def _feature_mistakes(where: str, attribute: Attribute) -> Iterator[SordinoError]:
    domain = attribute.domain
    if isinstance(domain, Grid):
        step = "name categories of it instead, as [attribute.region], or ask for its histogram"
        yield SordinoError(f"{where} must be numbers or have categories", found=f"{attribute.name!r}, a map", step=step)
    elif isinstance(domain, Categories) and domain.k > MOST_CATEGORIES:
        found = f"{attribute.name!r} with {domain.k:,}"
        rule, step = f"{where}: a feature must have at most {MOST_CATEGORIES} categories", "name coarser ones"
        yield SordinoError(rule, found=found, step=step)


def base_of(asked: "RegressionTable", attributes: Mapping[str, Attribute]) -> dict[str, str] | None:
    """The base category of each feature that has categories, its first one by default; None without such features."""
    domains = {name: attributes[name].domain for name in asked.features}
    coded = {name: domain for name, domain in domains.items() if isinstance(domain, Categories)}
    return {name: asked.base.get(name, domain.label(0)) for name, domain in coded.items()} or None
