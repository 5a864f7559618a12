"""What a plan promises about each attribute by itself, and the certificate of it.

A person answers one question, drawn without looking at the record. For an attribute i, the odds between any two of its
values change by a factor of at most e^delta_i, for somebody whose beliefs about the other attributes, given each value
of i, are within the declared dependence; for anybody at all by e^epsilon.
Source: BCDP paper, Definition 4, with the sampling rule in place of Proposition 4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from sordino.audit.certificate import Certificate
from sordino.definition.bounded_dependence import CategoryAndNumber, Dependence, Places
from sordino.definition.sampling import AnswerType, sampling_deltas, sampling_level, served_alone
from sordino.domain.moment import Moment
from sordino.exact.nats import Nats


@dataclass(frozen=True)
class CoordinatePromise:
    """Deltas of the attributes, and what the plan's integers reach.

    Attributes:
        names: of the attributes, by their place.
        deltas: promised, one for each attribute.
        epsilon: promised for the whole record, whatever is believed.
        dependence: under which the deltas are promised.
        types: what a person can be drawn to answer, over all questions.
        bins: the numbers whose dependence bounds are about the bins that they fall in, and how many bins: where a delta
            rests on such a bound, it is promised about the bins.
        ground: what the dependence bounds rest on, in the words of the survey's author; nothing checks them.
        certificates: of the questions about numbers, under LDP of the whole record.
        titles: of the attributes, as people read them: their questions, or their names; empty for names.
    """

    names: tuple[str, ...]
    deltas: tuple[Nats, ...]
    epsilon: Nats
    dependence: Dependence
    types: tuple[AnswerType, ...]
    bins: Mapping[str, int] = field(default_factory=dict)
    certificates: tuple[Certificate, ...] = ()
    ground: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()

    def title(self, i: int) -> str:
        """Of an attribute, as people read it."""
        return self.titles[i] if self.titles else self.names[i]

    def quoted_title(self, i: int) -> str:
        """Of an attribute within a sentence, where a name stands in quotation marks too."""
        return repr(self.names[i]) if self.title(i) == self.names[i] else self.title(i)

    @cached_property
    def losses(self) -> tuple[Nats, ...]:
        """The most that a report can tell about each attribute, rounded up."""
        return sampling_deltas(self.types, self.dependence)

    @cached_property
    def level(self) -> Nats:
        """The most that a report can tell about the whole record, whatever is believed, rounded up."""
        return sampling_level(self.types)

    @property
    def holds(self) -> bool:
        """Whether every delta and epsilon are kept."""
        return not self.violations

    @cached_property
    def violations(self) -> tuple[str, ...]:
        """The names of what is not kept."""
        pairs = list(zip(self.losses, self.deltas, strict=True))
        beyond = {pair for pair in dict.fromkeys(pairs) if pair[0] > pair[1]}
        wrong = [name for name, pair in zip(self.names, pairs, strict=True) if pair in beyond]
        whole = self.level > self.epsilon or not all(certificate.holds for certificate in self.certificates)
        return (*wrong, *(["the whole record"] if whole else []))

    def depends_on_bound(self, i: int) -> bool:
        """Whether the delta of attribute i rests on a dependence bound: a report may tell more to other beliefs."""
        return self.deltas[i] in self._below_level

    @cached_property
    def _below_level(self) -> frozenset[Nats]:
        """The deltas that rest on a dependence bound; many attributes have equal ones."""
        return frozenset(delta for delta in set(self.deltas) if self.level > delta)

    @cached_property
    def below_epsilon(self) -> list[int]:
        """The places of the attributes that are promised more than the whole record is."""
        below = {delta for delta in set(self.deltas) if delta < self.epsilon}
        return [i for i, delta in enumerate(self.deltas) if delta in below]

    @property
    def bound_dependent(self) -> tuple[int, ...]:
        """The places of the attributes whose delta rests on a dependence bound."""
        return tuple(i for i in range(len(self.names)) if self.depends_on_bound(i))

    def rests_on(self, i: int) -> tuple[tuple[Moment | None, Fraction], ...]:
        """The bounds below 1 that the delta of attribute i can rest on: for the rest (None), then for statistics."""
        rest, known = self.dependence.of_rest(i), self.dependence
        together: list[tuple[Moment | None, Fraction]] = [(None, rest)] if rest < 1 else []
        declared = sorted(statistic for place, statistic in known.statistics if place == i)
        own = [(statistic, known.of(i, statistic)) for statistic in declared if statistic in self._moments_served_alone]
        return (*together, *((name, bound) for name, bound in own if bound < (1 if i in name else rest)))

    def rests_on_tables(self, i: int) -> tuple[tuple[Places, Fraction], ...]:
        """The bounds for tables, smaller than that for the rest, that the delta of attribute i can rest on."""
        known = sorted((places, bound) for (place, places), bound in self.dependence.tables.items() if place == i)
        return tuple((places, bound) for places, bound in known if bound < self.dependence.of_rest(i))

    def rests_on_signs(self, i: int) -> tuple[tuple[CategoryAndNumber, Fraction], ...]:
        """The categories with a number's sign, bounded below the rest, that the delta of attribute i can rest on."""
        known = sorted((pair, bound) for (place, pair), bound in self.dependence.category_signs.items() if place == i)
        return tuple((pair, bound) for pair, bound in known if bound < self.dependence.of_rest(i))

    def rests_on_thresholds(self, i: int) -> tuple[tuple[int, Fraction], ...]:
        """The numbers with a bound, smaller than that for the rest, on their distribution function given attribute i.

        Where several pieces of a code's probability rise or fall, the delta rests on a multiple of it.
        """
        known = sorted((number, bound) for (place, number), bound in self.dependence.thresholds.items() if place == i)
        return tuple((number, bound) for number, bound in known if bound < self.dependence.of_rest(i))

    @cached_property
    def _moments_served_alone(self) -> frozenset[Moment]:
        return served_alone(self.types)

    def bins_of(self, i: int) -> int | None:
        """Into how many bins attribute i falls, if its delta is promised about these; None if about its values."""
        return self.bins.get(self.names[i]) if self.depends_on_bound(i) else None

    def of(self, names: Sequence[str]) -> tuple[Nats, ...]:
        """The promised deltas of some attributes."""
        return tuple(self.deltas[self.names.index(name)] for name in names)
