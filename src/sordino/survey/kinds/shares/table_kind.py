"""The kind of question that asks for the shares of all combinations of several attributes' values.

A number is counted by its bins, which its attribute declares: a cell is a bin of it with a value of each other one.

[[ask]]
table = ["age", "smoker"]                                      # age in bins, or categories
[[ask]]
tables = { of = ["age_group", "smoker", "sex"], ways = 2 }     # a table of each two of them
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from sordino.definition.bounded_dependence import FEWEST_TOGETHER, MOST_TOGETHER
from sordino.definition.combined import combined_definition
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.definition.sampling import Answer, AnswerType
from sordino.document.schema.limits import Convert
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.domain.attribute import Attribute
from sordino.domain.bins import MOST_BINS
from sordino.domain.categories import few
from sordino.domain.finite_record import Record
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.printable import SEPARATOR, join_names
from sordino.query.query import Query
from sordino.query.statistic import Values
from sordino.survey.kinds.names import Names, require_distinct
from sordino.survey.kinds.question import PlanFacts, SharesPart, SharesQuestion, TableOf
from sordino.survey.kinds.shares.shares_kind import SharesKind, channel_of_shares
from sordino.survey.schema.amounts import canonical_amount
from sordino.survey.schema.attribute_part import LARGEST_DOMAIN, AttributePart, ProtectPart
from sordino.survey.schema.promise import Definition, definition_of
from sordino.survey.schema.whole_number_scale import scale_mistake

if TYPE_CHECKING:
    from sordino.design.sample_questions import Compared
    from sordino.survey.kinds.terms import ChoiceTerms, Chosen
    from sordino.survey.schema.attribute_table import AskedSurvey

MOST_TABLES = 1000
"""That one setting asks: all pairs of 45 attributes."""


def _tables(tables: object) -> object:
    if not isinstance(tables, dict | TablesTable):
        step = 'write { of = ["age_group", "smoker", "sex"], ways = 2 }'
        raise SordinoError("tables must be a table", found=shown(tables), step=step)
    return tables


class TablesTable(StrictTable):
    """All tables of some attributes.

    Attributes:
        of: the attributes.
        ways: how many of them each table has.
    """

    of: Names
    ways: int = setting(default=2, ge=FEWEST_TOGETHER, le=MOST_TOGETHER)

    def _check(self) -> None:
        require_distinct("of", self.of)
        if len(self.of) < self.ways:
            found = f"{len(self.of)} for tables of {self.ways}"
            raise SordinoError(
                "tables must be of as many attributes as each has, or more",
                found=found,
                step="name more attributes, or lower `ways`",
            )
        if comb(len(self.of), self.ways) > MOST_TABLES:
            rule, found = f"there must be at most {MOST_TABLES:,} tables", f"{comb(len(self.of), self.ways):,}"
            raise SordinoError(rule, found=found, step="name fewer attributes")


class TableSettings(StrictTable):
    """What is asked: one of the two.

    Attributes:
        table: the attributes of one table.
        tables: those of several.
    """

    table: Names | None = None
    tables: Annotated[TablesTable | None, Convert(_tables)] = None


class TablePart(SharesPart):
    """A question about the shares of the cells of several attributes together, and how it is answered.

    Attributes:
        table: the attributes; a cell is a value of each, or of a number the bin, and the last one's run fastest.
        epsilon: for every two cells alike, in nats, as text, where attributes have deltas; None where what is promised
            about each attribute's values says it all.
        together: true where it is asked in place of the histograms of its attributes; answers do not depend on it.
    """

    table: list[str] = setting(min_length=FEWEST_TOGETHER, max_length=MOST_TOGETHER)
    epsilon: str | None = None
    together: bool | None = None

    counts_numbers = True

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table)

    @property
    def once(self) -> TableOf:
        return frozenset(self.table)

    @property
    def joined_names(self) -> tuple[str, ...]:
        return self.names if self.together else ()

    @property
    def tables(self) -> frozenset[TableOf]:
        return frozenset([self.once])


@dataclass(frozen=True)
class TableQuestion(SharesQuestion):
    """A question about the cells of several attributes: a value of each, the last one's run fastest.

    Guarantee: a person's cell is one value of one channel, certified as a whole under what the promises about its
    attributes' values say of two cells together (`definition.combined`), or, where attributes have deltas, under LDP at
    an epsilon of its own, which counts in full for each of its attributes.

    Attributes:
        part: what is asked, and the mechanism's integers.
        attributes: that it is about, in the order of the cells.
        protects: what is promised about the values of each, in the document's words; empty where they have deltas.
        places: of the attributes among those of the plan.
    """

    part: TablePart
    attributes: tuple[Attribute, ...]
    protects: tuple[ProtectPart, ...]
    places: tuple[int, ...]

    kind = "table"

    @property
    def name(self) -> str:
        return join_names(self.part.table)

    is_table = True

    def asked_of(self, name: str) -> str:
        return f"shares, in a {super().asked_of(name)}" if self.is_joined else super().asked_of(name)

    @cached_property
    def title(self) -> str:
        """The questions that people were asked, of numbers with their units: values are bins."""
        titles = [attribute.title_with_unit for attribute in self.attributes]
        return self.name if titles == self.attribute_names else self.name_of(titles, SEPARATOR.join)

    @cached_property
    def domain(self) -> Record:
        return Record(self.domains)

    @cached_property
    def definition(self) -> Definition:
        if self.part.epsilon is not None:
            return LDP(canonical_amount(self.part.epsilon))
        promises = [definition_of(*each) for each in zip(self.domains.values(), self.protects, strict=True)]
        return combined_definition(promises, self.shape)

    @cached_property
    def query(self) -> Query:
        return Query(Values(*self.attribute_names), self.mechanism)

    @property
    def types(self) -> tuple[AnswerType, ...]:
        places, level = tuple((place,) for place in self.places), self.certificate.level(self.definition.epsilon)
        # Nothing bounds what others say of a number's bin with a category, but what bounds all that they say.
        return ((Answer(places, level, table=all(attribute.bins is None for attribute in self.attributes)),),)

    def labels(self, value: int) -> list[str]:
        values = np.unravel_index(value, self.shape)
        return [domain.label(int(own)) for domain, own in zip(self.domains.values(), values, strict=True)]

    def row_head(self, value: int) -> dict[str, Any]:
        return {"attributes": self.attribute_names, "value": self.labels(value)}

    def column(self, values: Mapping[str, NDArray[Any]]) -> NDArray[np.intp]:
        own = [attribute.count(values[attribute.name]) for attribute in self.attributes]
        cells: NDArray[np.intp] = np.ravel_multi_index(own, self.shape)
        return cells

    @property
    def asked_in_words(self) -> str:
        names = " and ".join(attribute.quoted_title for attribute in self.attributes)
        return f"{names} together, one of {self.domain.k:,} combinations of their values"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a cell tells of its attributes, what is promised of two of them, and what a missing answer counts as."""
        about = (
            "An answer is a combination of values, and the report is about all of them at once: whatever it reveals"
            " about the combination, it may reveal about any one of them."
        )
        return (about, *(self._pairs_in_words() if self.protects else ()), *super().notes)

    def _pairs_in_words(self) -> Iterator[str]:
        match self.definition:
            case BlockLDP():
                yield "Combinations are in one block if their values are, of each attribute."
            case HighLowLDP():
                yield "A combination is sensitive if one of its values is."
            case MetricLDP():
                yield "How far combinations are apart is the sum of how far their values are."
            case PairwiseLDP():
                yield (
                    "Between two combinations it may reveal what it may reveal between their values, added up, but at"
                    " most what it may reveal about one attribute."
                )
            case LDP():
                if any(protect.sensitive is not None for protect in self.protects):
                    yield "All combinations are protected: each has a value of an attribute all of whose values are."


class TableKind(SharesKind[TableSettings, TablePart, TableQuestion]):
    """Shares of the cells of several attributes."""

    def attributes(self, settings: TableSettings) -> tuple[str, ...]:
        return tuple(settings.table or (settings.tables.of if settings.tables is not None else ()))

    def check(self, settings: TableSettings) -> None:
        if settings.table is None:
            return
        require_distinct("table", settings.table)
        if not FEWEST_TOGETHER <= len(settings.table) <= MOST_TOGETHER:
            step = "ask for its histogram" if len(settings.table) == 1 else "ask for tables of fewer"
            rule = f"a table must be of {FEWEST_TOGETHER} to {MOST_TOGETHER} attributes"
            raise SordinoError(rule, found=str(len(settings.table)), step=step)

    def each(self, settings: TableSettings) -> Sequence[TableSettings]:
        if settings.tables is None:
            return (settings,)
        pairs = combinations(settings.tables.of, settings.tables.ways)
        return tuple(TableSettings(table=list(names)) for names in pairs)

    def attribute_references(self, word: str, given: object) -> Mapping[str, object]:
        if word == "tables":
            return {"tables.of": given.get("of") if isinstance(given, dict) else None}
        return {word: given}

    def asked_once(self, settings: TableSettings) -> Iterable[Hashable]:
        return (frozenset(self.attributes(one)) for one in self.each(settings))

    def mistakes(
        self, where: str, settings: TableSettings, survey: "AskedSurvey", before: Collection[Hashable]
    ) -> Iterator[SordinoError]:
        """Tables are of values that can be counted, not too many of them, and each is asked once."""
        where, names = self.place_of_mistake(where, settings), self.attributes(settings)
        wrong = [error for name in names if name in survey.attribute and (error := _bins_mistake(name, survey))]
        yield from (SordinoError(f"{where}: {one.rule}", found=one.found, step=one.step) for one in wrong)
        known = not wrong and all(name in survey.attribute for name in names)
        asked = [self.attributes(one) for one in self.each(settings)]
        for table in asked if known else ():
            cells = prod(survey.attribute_named(name).table_domain.k for name in table)
            if cells > LARGEST_DOMAIN:
                rule = f"{where}: a table must have at most {LARGEST_DOMAIN:,} cells"
                found = f"{cells:,} of {' and '.join(map(repr, table))}"
                yield SordinoError(
                    rule, found=found, step="ask fewer attributes together, or coarser ones, as a number in fewer bins"
                )
        again = [table for table in asked if frozenset(table) in before]
        if again:
            found = f"that of {' and '.join(map(repr, again[0]))} again"
            yield SordinoError(
                f"{where} must ask each table once", found=found, step="ask it once, with a larger weight"
            )

    def statistics(
        self, settings: TableSettings, places: Mapping[str, int], categories: frozenset[str]
    ) -> "Iterator[Compared]":
        """Of categories alone: what a sample says of numbers is about other readings than their bins beside others."""
        names = self.attributes(settings)
        if categories.issuperset(names):
            yield tuple(sorted(places[name] for name in names))

    def choose(self, settings: TableSettings, survey: "AskedSurvey", terms: "ChoiceTerms") -> "Chosen":
        """What is promised about each attribute's values, unless it is a delta, and how the shares are asked."""
        from sordino.survey.kinds.terms import Chosen
        from sordino.survey.schema.protect_table import protect_part

        names = self.attributes(settings)
        domains = {name: survey.attribute_named(name).table_domain for name in names}
        record, part, protects = Record(domains), dict[str, Any](table=list(names)), dict[str, ProtectPart]()
        if terms.has_deltas and survey.epsilon is not None:
            level = terms.limits.of_table(tuple(sorted(terms.places[name] for name in names)))
            part["epsilon"] = str(level)
            definition: Definition = LDP(level)
        else:
            for name, domain in domains.items():
                protects[name] = protect_part(domain, survey.attribute[name].protect, survey.epsilon)
            promises = [definition_of(domains[name], protect) for name, protect in protects.items()]
            definition = combined_definition(promises, record.shape)
        part |= channel_of_shares(record.k, definition, terms)
        return Chosen(part, {name: protect.dump() for name, protect in protects.items()})

    def check_part(self, part: TablePart, attributes: Mapping[str, AttributePart], *, has_deltas: bool) -> None:
        """It is about different attributes that can be counted, each protected in the plan's way."""
        if len(set(part.table)) < len(part.table) or not all(attributes[name].is_countable for name in part.table):
            rule = "a table must be of different attributes, its numbers in bins"
            raise SordinoError(rule, found=few(part.table), step="name categories or numbers with edges, each once")
        if (part.epsilon is not None) != has_deltas:
            raise SordinoError("a table must have an epsilon where attributes have deltas, and only there")
        if not has_deltas and any(attributes[name].protect is None for name in part.table):
            raise SordinoError("a table must be of protected values")
        if part.together is not None:
            _require_joined(part, attributes)

    def question(self, part: TablePart, share: Fraction, people: int, plan: PlanFacts) -> TableQuestion:
        protects = tuple(found for name in part.table if (found := plan.protects[name]))
        own = () if part.epsilon is not None else protects
        attributes = tuple(plan.attributes[name] for name in part.table)
        places = tuple(plan.places[name] for name in part.table)
        return TableQuestion(part, share, people, plan.parts, plan.least, attributes, own, places)


def _require_joined(part: TablePart, attributes: Mapping[str, AttributePart]) -> None:
    """Refuse a table in place of histograms that could not be asked.

    Raises:
        SordinoError: false, deltas, or an attribute that has no histogram.
    """
    rule = "a table asked in place of histograms must be of categories without deltas, and say true"
    if not part.together:
        raise SordinoError(rule, found="false", step="leave `together` out")
    if part.epsilon is not None or any(attributes[name].number is not None for name in part.table):
        found = "deltas" if part.epsilon is not None else "a number"
        raise SordinoError(rule, found=found, step="leave `together` out")


def _bins_mistake(name: str, survey: "AskedSurvey") -> SordinoError | None:
    """What is wrong with the bins of a number, if it is one: those of a table are few, and declared for it."""
    number, is_date = survey.attribute[name].number, survey.attribute[name].input == "date"
    if number is None:
        return None
    bins = number.counted_bins
    if bins is None:
        found = f"{name!r} without bins" if number.bins is None else f"{number.bins:,} of {name!r}"
        step = f"write bins = 5 at attribute.{name}.number, or edges = [...] that suit it"
        return SordinoError(f"a number in a table must have 2 to {MOST_BINS} bins", found=found, step=step)
    return None if is_date else scale_mistake(bins, (), by_hand=number.edges is not None)


TABLE = TableKind(("table", "tables"), TableSettings, TablePart)
