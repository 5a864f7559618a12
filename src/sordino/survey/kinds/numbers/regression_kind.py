"""The kind of question that asks for a linear regression with an intercept, by least squares; of complete cases.

[[ask]]
regression = { target = "weight", features = ["age", "smoker"], base = { smoker = "no" } }
"""

from collections.abc import Collection, Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any

from sordino.document.schema.limits import Convert
from sordino.document.schema.nearest import nearest
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.attribute import Attribute
from sordino.domain.categories import Categories, few
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.domain.scaled import MOST_CATEGORIES
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.printable import join_names
from sordino.query.sampled import Sampled
from sordino.survey.kinds.names import Names, require_distinct
from sordino.survey.kinds.numbers.moments_kind import MomentsKind, MomentTerms, moment_facts, pair_statistics
from sordino.survey.kinds.numbers.regression_question import CategoricalRegression, RegressionPart, RegressionQuestion
from sordino.survey.kinds.question import PlanFacts
from sordino.survey.schema.attribute_part import AttributePart, Text

if TYPE_CHECKING:
    from sordino.design.sample_questions import Compared
    from sordino.survey.schema.attribute_table import AskedSurvey


def _table(regression: object) -> object:
    if not isinstance(regression, dict | RegressionTable):
        step = 'write { target = "weight", features = ["age", "height"] }'
        raise SordinoError("a regression must be a table", found=shown(regression), step=step)
    return regression


class RegressionTable(StrictTable):
    """A linear regression with an intercept, by least squares.

    Attributes:
        target: the number that is explained.
        features: the numbers, or attributes of categories, that explain it.
        base: the category that the others of such an attribute are compared to; its first one by default.
    """

    target: Text
    features: Names
    base: dict[str, Text] = setting(default_factory=dict)

    def _check(self) -> None:
        if self.target in self.features:
            found = f"the target {self.target!r} among them"
            raise SordinoError(
                "features must be other attributes than the target", found=found, step="take it out of the features"
            )
        require_distinct("features", self.features)
        unknown = [name for name in self.base if name not in self.features]
        if unknown:
            found = repr(unknown[0]) + nearest(unknown[:1], self.features)
            raise SordinoError(
                "base must name a category of some of the features",
                found=found,
                step='write base = { smoker = "no" }, of a feature with categories',
            )


class RegressionSettings(StrictTable):
    """What is asked.

    Attributes:
        regression: the target, the features, and the base categories of some of them.
    """

    regression: Annotated[RegressionTable | None, Convert(_table)] = None


class RegressionKind(MomentsKind[RegressionSettings, RegressionPart, RegressionQuestion]):
    """Coefficients of a linear regression."""

    def attributes(self, settings: RegressionSettings) -> tuple[str, ...]:
        asked = settings.regression
        return () if asked is None else (*asked.features, asked.target)

    def question_name(self, settings: RegressionSettings) -> str:
        *features, target = self.attributes(settings)
        return f"regression of {target} on {join_names(features)}"

    def attribute_references(self, word: str, given: object) -> Mapping[str, object]:
        table = given if isinstance(given, dict) else {}
        return {f"{word}.{name}": table.get(name) for name in ("target", "features")}

    def mistakes(
        self, where: str, settings: RegressionSettings, survey: "AskedSurvey", before: Collection[Hashable]
    ) -> Iterator[SordinoError]:
        """The target is a number, features are numbers or have a few categories, among them their base."""
        del before
        known = {name: survey.attribute_named(name) for name in self.attributes(settings) if name in survey.attribute}
        if settings.regression is not None:
            yield from _regression_mistakes(f"{where}.regression", settings.regression, known)

    def statistics(
        self, settings: RegressionSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        """Each two numbers and each two categories together, and each category with each number's sign."""
        from sordino.design.sample_questions import CategorySignDistribution

        names = self.attributes(settings)
        coded = sorted(places[name] for name in names if name in categories)
        numbers = sorted(places[name] for name in names if name not in categories)
        yield from combinations(coded, 2)
        yield from (CategorySignDistribution(category, number) for category in coded for number in numbers)
        yield from pair_statistics([name for name in names if name not in categories], places)

    def draw(self, settings: RegressionSettings, terms: MomentTerms) -> Sampled:
        """A sign of one number, of a product of two, or a category with another one or with a number's sign."""
        from sordino.design.numbers.complete_moments import complete_regression
        from sordino.design.numbers.mean_among import among
        from sordino.design.numbers.sampled_moments import sampled_moments
        from sordino.design.numbers.sampled_regression import sampled_regression

        del settings
        known = terms.amounts
        if terms.missing:
            return complete_regression(*known, terms.asked, terms.missing, terms.categories)
        *features, target = terms.asked
        if terms.categories:
            return among(sampled_regression(*known, target, features, terms.categories), terms.asked)
        return among(sampled_moments(*known, target=target, features=features), terms.asked)

    def more(self, settings: RegressionSettings, survey: "AskedSurvey") -> Mapping[str, Any]:
        asked = settings.regression
        base = (
            None if asked is None else _base_of(asked, {name: survey.attribute_named(name) for name in asked.features})
        )
        return {} if base is None else {"base": base}

    def check_part(self, part: RegressionPart, attributes: Mapping[str, AttributePart], *, has_deltas: bool) -> None:
        super().check_part(part, attributes, has_deltas=has_deltas)
        named = [(name, attributes[name]) for name in part.categorical]
        if wrong := [name for name, own in named if own.labels is None and own.numbers is None]:
            rule = "a base must be of an attribute with categories"
            raise SordinoError(rule, found=few(wrong), step="leave its base out")

    def question(self, part: RegressionPart, share: Fraction, people: int, plan: PlanFacts) -> RegressionQuestion:
        """About coefficients, of categories too if some features have these."""
        kind = RegressionQuestion if part.base is None else CategoricalRegression
        return kind(part, share, people, plan.parts, *moment_facts(part, plan))

    def suggest_reports(self, question: RegressionQuestion, own: Aggregate) -> int | None:
        """As many as tell how the features vary, if they vary as these reports say."""
        from sordino.survey.kinds.reports_needed import reports_for_regression

        return reports_for_regression(question, own)


def _regression_mistakes(
    where: str, asked: RegressionTable, attributes: Mapping[str, Attribute]
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


def _base_of(asked: RegressionTable, attributes: Mapping[str, Attribute]) -> dict[str, str] | None:
    """The base category of each feature that has categories, its first one by default; None without such features."""
    domains = {name: attributes[name].domain for name in asked.features}
    coded = {name: domain for name, domain in domains.items() if isinstance(domain, Categories)}
    return {name: asked.base.get(name, domain.label(0)) for name, domain in coded.items()} or None


REGRESSION = RegressionKind(("regression",), RegressionSettings, RegressionPart)
