"""The same filter for many people at once: a stream of queries against n people, each with answers of their own.

Guarantee: each person's decisions are those of a `BayesianFilter` of their own. The likelihoods of all people are one
array; most decisions need only what a query can add at most, or two values that it surely tells too well apart. The few
that floats leave open are made by the exact filter, once for all people with the same answers.
Units: nats; people stand in rows. Cost: a few passes over the likelihoods of who is asked, 5 to 10 microseconds each at
1,000 values. A panel belongs to a holder of all records, for simulation and bulk release; devices have a filter each.
Source: Bayesian privacy filter paper, Algorithms 2 and 3.
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sordino.accounting.measures.definitions.measure_of import measure_of
from sordino.accounting.measures.finite import FiniteState
from sordino.accounting.measures.gaps import largest_gap, widest_pair
from sordino.accounting.measures.grouped import UNDECIDED
from sordino.accounting.measures.mechanism_columns import Columns, can_list, parts
from sordino.accounting.measures.ratio import Ratio, level_above
from sordino.accounting.state import Rule
from sordino.definition.high_low import HighLowLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.record import FiniteDomain
from sordino.errors import SordinoError
from sordino.evidence.finite import reach_of
from sordino.exact.messages.arguments import checked_class
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.exact.steady import steady
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import read_codes

PanelDefinition: TypeAlias = LDP | BlockLDP | HighLowLDP

LEAST_ODDS = Fraction(1_000_001, 1_000_000)
"""Below this the levels of different answers are too close to be told apart."""

FIRST = 64
"""Answers that are looked at before all others."""

LARGEST_REACH = 64.0
"""Nats: how far from 0 likelihoods are said to be without being looked at; the next answer is rounded accordingly."""

NOT_ASKED = -1
"""In place of a code."""


@checked_class
@dataclass(frozen=True, eq=False)
class Panel:
    """Filters of many people over one finite domain: a value; `after` gives the next one.

    Attributes:
        domain: the values of every person.
        definition: the promise to each: LDP, by blocks, or high-low.
        people: how many.
        rule: as of a `BayesianFilter`.

    Example:
        >>> from sordino import Categories, RandomizedResponse
        >>> coin = RandomizedResponse(2, "1")
        >>> panel = Panel(Categories(["yes", "no"]), LDP("1"), people=3)
        >>> panel = panel.after(coin, [0, 1, 1])
        >>> panel.accepts(coin).tolist(), panel.accepts(RandomizedResponse(2, "0.1")).tolist()
        ([False, False, False], [False, False, False])
    """

    domain: FiniteDomain
    definition: PanelDefinition
    people: int
    rule: Rule = "full"
    _log: NDArray[np.float64] | None = None
    _spread: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    _radius: float = 0.0
    _reach: float = 0.0
    _asked: tuple[tuple[Mechanism, NDArray[np.int64]], ...] = ()
    _memo: dict[str, "_PanelQuery"] = field(default_factory=dict)

    @steady
    def __post_init__(self) -> None:
        if self.rule not in get_args(Rule):
            raise SordinoError('a filter\'s rule must be "full" or "simplified"', found=shown(self.rule))
        if self._log is None:
            _require_offered(self.definition)
            measure_of(self.definition, self.domain.k)
            if self.people < 0:
                raise SordinoError("a panel must have no fewer than 0 people", found=shown(self.people))
            object.__setattr__(self, "_log", np.zeros((self.people, self.domain.k)))
            object.__setattr__(self, "_spread", np.zeros(self.people))

    @steady
    def accepts(self, query: Mechanism) -> NDArray[np.bool_]:
        """Whether each person may be asked, shape (people,); a dry run that changes nothing.

        Raises:
            SordinoError: a query about another number of values.
        """
        _require_mechanism(query, self.domain.k)
        # Who may be asked is looked up again when the answers come in.
        if query.fingerprint not in self._decisions:
            self._decisions[query.fingerprint] = self._decide(query)
        return self._decisions[query.fingerprint].copy()

    @steady
    def after(self, query: Mechanism, codes: ArrayLike, asked: ArrayLike | None = None) -> "Panel":
        """The panel once people have answered.

        Args:
            query: what they were asked.
            codes: their answers, one for each person who was asked, in order.
            asked: whether each person was, shape (people,); everybody by default.

        Raises:
            SordinoError: codes of another number of people or that cannot be sent, or people who may not be asked.
        """
        _require_mechanism(query, self.domain.k)
        known = self._panel_query(query)
        who = np.ones(self.people, dtype=np.bool_) if asked is None else np.asarray(asked)
        if who.shape != (self.people,) or who.dtype != np.bool_:
            raise SordinoError(f"asked must say yes or no for {self.people} people", found=f"shape {who.shape}")
        array = read_codes(codes)
        if len(array) != int(who.sum()) or query.first_invalid(array) is not None:
            raise SordinoError(
                "each person asked must have one code of the query", found=f"{len(array)} for {int(who.sum())} people"
            )
        if not self.accepts(query)[who].all():
            raise SordinoError(
                "people must be asked only what their filter accepts",
                found=f"{int((~self.accepts(query)[who]).sum())} people whose filter refuses",
                step="ask those for whom `accepts` is True",
            )
        return self._with_answers(query, known, array.astype(np.int64), who)

    @property
    @steady
    def spent(self) -> NDArray[np.float64]:
        """Each person's realized loss, rounded up, shape (people,)."""
        radius = 2 * self._radius
        return np.where(self._spread == 0, radius, self._spread + radius)

    @property
    def log_likelihood(self) -> NDArray[np.float64]:
        """Ln Pr(answers | x) but for a constant of each person, shape (people, k): what an estimate needs."""
        if self._log is None:
            raise AssertionError("a panel has likelihoods once it is made")
        return self._log

    @property
    def answered(self) -> NDArray[np.intp]:
        """How many queries each person has answered, shape (people,)."""
        counts = np.zeros(self.people, dtype=np.intp)
        for _, codes in self._asked:
            counts += codes != NOT_ASKED
        return counts

    @cached_property
    def _floor(self) -> float:
        return self.definition.epsilon.floor()

    def _decide(self, query: Mechanism) -> NDArray[np.bool_]:
        known = self._panel_query(query)
        raised = np.nextafter(self.spent + known.level, math.inf)
        accepted = raised <= self._floor
        near = np.flatnonzero(~accepted & (raised <= self._floor + UNDECIDED))
        accepted[near] = self._exactly(near, query, known)
        far = np.flatnonzero(raised > self._floor + UNDECIDED)
        if self.rule == "full" and known.columns is not None and far.size:
            verdict = self._by_answers(far, known.columns)
            accepted[far] = verdict > 0
            open_ = far[verdict == 0]
            accepted[open_] = [self._alone(person, query) for person in open_.tolist()]
        return accepted

    def _panel_query(self, query: Mechanism) -> "_PanelQuery":
        if query.fingerprint not in self._memo:
            own = measure_of(self.definition, query.k).own(query, None)
            columns = Columns.of(query) if can_list(query) else None
            self._memo[query.fingerprint] = _PanelQuery(own[0], float(level_above(own)[0]), columns)
        return self._memo[query.fingerprint]

    def _by_answers(self, places: NDArray[np.intp], columns: Columns) -> NDArray[np.intp]:
        """1 where every answer surely keeps the promise, -1 where one surely breaks it, else 0."""
        verdict = np.ones(len(places), dtype=np.intp)
        verdict[self._told_apart(places, columns)] = -1
        radius = self._radius + columns.radius
        for part in parts(len(places), self.domain.k):
            rows = np.flatnonzero(verdict[part] >= 0) + part.start
            for column in columns.logs:
                if not rows.size:
                    break
                raised = largest_gap(self.definition, self.log_likelihood[places[rows]] + column)
                upper = np.nextafter(raised + 2 * radius, math.inf) + 2 * np.spacing(raised)
                verdict[rows[(upper > self._floor) & (verdict[rows] > 0)]] = 0
                verdict[rows[raised > self._floor + UNDECIDED]] = -1
                rows = rows[verdict[rows] >= 0]
        return verdict

    def _told_apart(self, places: NDArray[np.intp], columns: Columns) -> NDArray[np.intp]:
        """Those of whom some answer tells the two values too well apart that are told apart best already."""
        found = np.zeros(len(places), dtype=np.bool_)
        for part in parts(len(places), self.domain.k):
            most, least = widest_pair(self.definition, self.log_likelihood[places[part]])
            now, rows = self._spread[places[part]], np.arange(part.start, part.stop)
            # Most often one of the first answers does.
            for outputs in (slice(FIRST), slice(FIRST, None)):
                heavy, light = (columns.by_value[values, outputs] for values in (most, least))
                # What rules out the heavier value too tells the two apart no further.
                heard = ~np.isneginf(heavy) if columns.ruled_out else True
                apart = np.subtract(heavy, light, out=heavy, where=heard).max(axis=1, initial=-np.inf)
                far = now + apart > self._floor + UNDECIDED
                found[rows[far]] = True
                most, least, now, rows = (left[~far] for left in (most, least, now, rows))
        return np.flatnonzero(found)

    def _exactly(self, places: NDArray[np.intp], query: Mechanism, known: "_PanelQuery") -> list[bool]:
        """Whether people whose level is at the bound but for rounding may be asked.

        Where all answers came with one and the same odds, levels are whole multiples of their logarithm.
        """
        if self._odds is None or known.own is None:
            return [self._alone(person, query) for person in places.tolist()]
        unit = float(Nats.log(self._odds))
        steps = np.rint(self._spread[places] / unit)
        whole = np.abs(self._spread[places] - steps * unit) <= UNDECIDED
        fits = {
            step: Nats.log(self._odds ** int(step) * known.own) <= self.definition.epsilon
            for step in np.unique(steps).tolist()
        }
        # Simplified, the level decides; by the full rule no answer might reach it.
        final = self.rule == "simplified"
        return [
            fits[step] if clear and (final or fits[step]) else self._alone(person, query)
            for person, step, clear in zip(places.tolist(), steps.tolist(), whole.tolist(), strict=True)
        ]

    @cached_property
    def _odds(self) -> Fraction | None:
        """The one ratio of the heavy to the light weight of all answers' mechanisms, clearly above 1; else None."""
        found = set()
        for asked, _ in self._asked:
            columns = self._panel_query(asked).columns
            weights = [] if columns is None else [weight for weight in columns.distinct if weight]
            found.add(Fraction(weights[1], weights[0]) if len(weights) == 2 else None)
        (odds,) = found if len(found) == 1 else (None,)
        return odds if odds is not None and odds > LEAST_ODDS else None

    def _alone(self, person: int, query: Mechanism) -> bool:
        """By the filter of one person; people with the same answers share it."""
        counted: dict[tuple[str, int], int] = {}
        for asked, codes in self._asked:
            if codes[person] != NOT_ASKED:
                report = asked.fingerprint, int(codes[person])
                counted[report] = counted.get(report, 0) + 1
        key = repr((query.fingerprint, sorted(counted.items())))
        if key not in self._single_decisions:
            state = FiniteState.start(measure_of(self.definition, self.domain.k))
            for asked, codes in self._asked:
                if codes[person] != NOT_ASKED:
                    state = state.counted(asked, int(codes[person]))
            self._single_decisions[key] = state.decide(query, self.rule).accepted
        return self._single_decisions[key]

    @cached_property
    def _decisions(self) -> dict[str, NDArray[np.bool_]]:
        return {}

    @cached_property
    def _single_decisions(self) -> dict[str, bool]:
        return {}

    def _with_answers(
        self, query: Mechanism, known: "_PanelQuery", codes: NDArray[np.int64], who: NDArray[np.bool_]
    ) -> "Panel":
        given_codes = np.full(self.people, NOT_ASKED, dtype=np.int64)
        given_codes[who] = codes
        asked = (*self._asked, (query, given_codes))
        if not codes.size:
            return replace(self, _asked=asked)
        columns, own = known.columns, codes
        if columns is None:
            # Of too many answers only those that were given are read.
            given, own = np.unique(codes, return_inverse=True)
            columns = Columns.of(query, given)
        # No entry gets further from 0 than by what was told; that is looked at once it is much.
        reach = self._reach + columns.reach
        everybody = len(codes) == self.people
        log, spreads = (
            np.empty_like(self.log_likelihood) if everybody else self.log_likelihood.copy(),
            self._spread.copy(),
        )
        people = np.flatnonzero(who)
        for part in parts(len(people), self.domain.k):
            at = part if everybody else people[part]
            rows = columns.told(own[part], log[part] if everybody else None, listed=known.columns is not None)
            rows += self.log_likelihood[at]
            most = rows.max(axis=1)
            if np.isneginf(most).any():
                raise SordinoError(
                    "an answer must be one that some value can give, after those before it",
                    found="one that no value can give",
                    step="begin a new panel and give it every answer again",
                )
            rows -= most[:, None]
            spreads[at] = largest_gap(self.definition, rows, centred=True)
            if not everybody:
                log[at] = rows
        if reach > LARGEST_REACH:
            reach = max(reach_of(log[part]) for part in parts(self.people, self.domain.k))
        radius = math.nextafter(self._radius + columns.radius + 4 * math.ulp(reach + columns.reach + 1), math.inf)
        return replace(self, _log=log, _spread=spreads, _radius=radius, _reach=reach, _asked=asked)


@dataclass(frozen=True, eq=False)
class _PanelQuery:
    """What a panel knows of a query: the most that it adds, exactly and rounded up, and its columns."""

    own: Ratio
    level: float
    columns: Columns | None


def _require_offered(definition: object) -> None:
    if not isinstance(definition, LDP | BlockLDP | HighLowLDP):
        raise SordinoError(
            "a panel is offered under LDP, by blocks or high-low",
            found=type(definition).__name__,
            step="give each person a BayesianFilter",
        )


def _require_mechanism(query: object, k: int) -> None:
    if not isinstance(query, Mechanism) or query.k != k:
        found = str(query.k) if isinstance(query, Mechanism) else type(query).__name__
        raise SordinoError(f"a query must be a mechanism about {k} values", found=found)
