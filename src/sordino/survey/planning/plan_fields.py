"""The fields of a frozen plan. Integers beyond 2^53 are strings; a plan file holds canonical bytes and nothing else."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from sordino.document.formats import PLAN
from sordino.document.schema.limits import OneOf
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.categories import few
from sordino.domain.condition import condition_mistakes, related_attributes, with_conditions
from sordino.errors import SordinoError
from sordino.survey.kinds import KINDS, name_asked
from sordino.survey.kinds.kind import AnyKind
from sordino.survey.kinds.question import QuestionPart, least_level
from sordino.survey.schema.amounts import canonical_amount, canonical_epsilon
from sordino.survey.schema.attribute_part import AttributePart, Count, attribute_of
from sordino.survey.schema.dependence_bounds import DependencePart
from sordino.survey.schema.own_columns import require_own_columns
from sordino.survey.schema.promise import definition_of
from sordino.survey.schema.public_column import PublicPart, require_public_columns
from sordino.survey.schema.questionnaire_part import QuestionnairePart
from sordino.survey.schema.series_table import SeriesPart, require_periods


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
        # Also what decides whether that is asked, which may have no promise of its own: nobody asks about it.
        *deciding, _ = with_conditions([name], attributes)
        for other in deciding:
            _require_as_well_protected(name, part, other, parts[other])


def _bounded_names(dependence: DependencePart) -> set[str]:
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


MOST_PUBLIC = 8
"""Public columns of a plan."""


def _part_of(document: Any) -> type[QuestionPart] | None:
    """The class of a question, unchecked, by which its kind alone is loaded."""
    name = name_asked(document) if isinstance(document, dict) else ""
    return KINDS[name].part if name else None


def _all_parts() -> list[type[QuestionPart]]:
    return [kind.part for kind in KINDS.values()]


AnyPart = Annotated[QuestionPart, OneOf(_part_of, _all_parts, f"a question of a known kind: {', '.join(KINDS)}")]
"""A question of a plan."""


def kind_of(part: QuestionPart) -> AnyKind:
    """The kind that a part of a plan is of."""
    return KINDS[name_asked(vars(part))]


class PlanDocument(StrictTable):
    """The whole plan: public, frozen, hashed.

    Attributes:
        hash: "sha256:" and 64 hexadecimal digits.
        people: how many are expected to answer; estimates do not depend on it.
        epsilon: the most that a report may tell about the whole record, where attributes have a delta.
        queries: in the order of the survey's questions.
        dependence: between the attributes; None where nothing is declared.
        words: what people read when they are asked; None where attributes have their names alone.
        public: the columns that every report says in clear, in the survey's order; None without any.
        series: the periods of which each person answers in one; None of a plan that asks at one time.
    """

    format: Literal["sordino plan"]
    version: Literal[4]
    hash: str
    people: Count
    epsilon: str | None = None
    dependence: DependencePart | None = None
    attributes: dict[str, AttributePart] = setting(min_length=1)
    public: list[PublicPart] | None = setting(default=None, min_length=1, max_length=MOST_PUBLIC)
    queries: list[AnyPart] = setting(min_length=1)
    words: QuestionnairePart | None = None
    series: SeriesPart | None = None

    def _check(self) -> None:
        found = {name for part in self.queries for name in part.names}
        unknown = sorted(found - set(self.attributes))
        if unknown:
            wrong = ", ".join(map(repr, unknown))
            raise SordinoError("a question must be about the plan's attributes", found=wrong)
        once = Counter((kind_of(part), part.once) for part in self.queries if part.once is not None)
        for (kind, _), count in once.items():
            if count > 1:
                rule = f"a {kind.words[0]} must be asked once of the same attributes"
                raise SordinoError(rule, found=f"{count} of the same", step="ask it once")
        for part in self.queries:
            if unfit := [name for name in part.names if kind_of(part).of_several != self.attributes[name].has_several]:
                rule = "a question must be about attributes with one value, or about categories of which several apply"
                raise SordinoError(rule, found=few(unfit), step="get the plan again")
            kind_of(part).check_part(part, self.attributes, has_deltas=self.epsilon is not None)
        self._check_joined()
        self._check_edges()
        self._check_bounds()
        require_conditions(self.attributes, self.dependence)
        deciding = {other for part in self.attributes.values() for other in part.only_if or ()}
        if any(part.delta is None for name, part in self.attributes.items() if name not in found | deciding):
            raise SordinoError("each attribute must be asked for, or have a delta")
        if idle := [name for name, part in self.attributes.items() if part.protect is not None and name not in found]:
            raise SordinoError("what is promised about an attribute must be about one that is asked", found=few(idle))
        columns = {name: part.columns for name, part in self.attributes.items()}
        require_own_columns(columns)
        require_public_columns(self.public or (), columns)
        if self.series is not None:
            require_periods(self.series.series, self.public or ())
        self._check_promise()
        if self.words is not None:
            self.words.require_fit(self.attributes, self.asked_public)

    @property
    def _counted_numbers(self) -> set[str]:
        """The numbers that tables count by their bins."""
        return {name for name, part in self.attributes.items() if part.bins is not None}

    @property
    def asked_public(self) -> list[PublicPart]:
        """The public columns that people are asked for: not their period, which they draw."""
        return (self.public or [])[: None if self.series is None else -1]

    def _check_joined(self) -> None:
        """Histograms that tables stand in place of are not asked by themselves."""
        joined = {name for part in self.queries for name in part.joined_names}
        alone = {name for part in self.queries if not part.joined_names for name in part.names}
        if twice := sorted(joined & alone):
            rule = "an attribute whose histogram is asked together with others must not be asked otherwise"
            raise SordinoError(rule, found=few(twice), step="get the plan again")

    def _check_edges(self) -> None:
        """Edges of numbers are those by which tables count them."""
        counted = {name for part in self.queries if part.counts_numbers for name in part.names}
        if idle := sorted(self._counted_numbers - counted):
            raise SordinoError("edges of a number must be of one that a table asks for", found=few(idle))

    def _check_bounds(self) -> None:
        """Bounds on dependence are about what is asked: what others are about is which values are asked together."""
        if self.dependence is None:
            return
        tables = {table for part in self.queries for table in part.tables if not table & self._counted_numbers}
        signs = {sign for part in self.queries for sign in part.signs}
        thresholds = {number for part in self.queries for number in part.thresholds}
        step = "leave the bound out"
        if unasked := [bound.table for bound in self.dependence.tables or () if frozenset(bound.table) not in tables]:
            raise SordinoError("a bound for a table must be about one that is asked", found=few(unasked[0]), step=step)
        of_signs = [(bound.category, bound.number) for bound in self.dependence.category_signs or ()]
        if alone := [pair for pair in of_signs if pair not in signs]:
            rule = "a bound for a sign must be about a category and a number of a regression"
            raise SordinoError(rule, found=" and ".join(map(repr, alone[0])), step=step)
        if others := [bound.number for bound in self.dependence.thresholds or () if bound.number not in thresholds]:
            rule = "a bound for thresholds must be about a distribution that is asked"
            raise SordinoError(rule, found=few(others), step=step)

    def _check_promise(self) -> None:
        """One promise for all: about the values of each histogram, or about each attribute whatever is asked."""
        if len({self.epsilon is None, *(part.delta is None for part in self.attributes.values())}) > 1:
            raise SordinoError("a plan with an epsilon must have a delta for each attribute", found="only some of them")
        if self.epsilon is None:
            if self.dependence is not None:
                rule = "a plan with dependence must have an epsilon and deltas"
                raise SordinoError(rule, found="no epsilon", step="get the plan again")
            for part in self.queries:
                if part.reads_numbers:
                    self._require_level(part)
            return
        if numbers := [name for name, part in self.attributes.items() if part.number and part.protect]:
            rule = "a number must have a delta or an epsilon of its own, not both"
            raise SordinoError(rule, found=f"both of {few(numbers)}", step="get the plan again")
        # The level of an answer counts for all values of its attribute alike.
        if not all(part.is_protected_whole for part in self.attributes.values()):
            found = "blocks, sensitive values, a metric or bounds"
            raise SordinoError("attributes with deltas must be protected as a whole", found=found)

    def _require_level(self, part: QuestionPart) -> None:
        """Require one epsilon for all values of each attribute read with numbers, and no larger declared epsilon."""
        least = least_level(part.names, {name: self.attributes[name].protect for name in part.names})
        for name in part.names:
            own = self.attributes[name]
            if own.number is None and own.protect is not None:
                # That it is about the values of the category shows where it is read.
                definition_of(attribute_of(name, own).finite, own.protect)
        declared = getattr(part, "epsilon", None)
        if declared is not None and canonical_amount(declared) > least:
            rule = "a question must declare no larger epsilon than is promised about its attributes"
            raise SordinoError(rule, found=f"{declared} above {least}", step="get the plan again")


def seal(content: dict[str, Any]) -> PlanDocument:
    """Complete the content with format, version and hash."""
    return PlanDocument(**PLAN.seal(content))


def dump(document: PlanDocument) -> dict[str, Any]:
    """The document as plain data, without what is not set."""
    return document.dump()


def unseal(document: dict[str, Any], name: str) -> PlanDocument:
    """Check the words of a document whose format and version are a plan's.

    Raises:
        DamagedError: changed after it was frozen, or with fields that do not fit.
    """
    PLAN.require_unchanged(document, name)
    return PLAN.fields(PlanDocument, document, name)
