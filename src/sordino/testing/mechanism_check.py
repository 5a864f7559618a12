"""What every mechanism must keep, for those of Sordino and for anybody's own: the parts against the dense channel.

`weight` and `denominator` define the channel. All else that a mechanism says of itself (draw, columns, linear maps,
its estimates and their squares, its evidence, its codes) must be what follows from them by enumeration, and its sampler
must draw from them, with as many random words for each value, whatever the value. For mechanisms with few values and
codes: those of more are checked at a small size.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from sordino.audit.certificate import certify
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.pairwise import PairwiseDefinition
from sordino.errors import SordinoError, SordinoErrors
from sordino.exact.messages import checked, shown
from sordino.exact.source import Rows, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.draws.code_distribution import code_distribution

LARGEST = 1 << 16
"""Entries of a channel that is enumerated."""

REPORTS = 1 << 14
"""Drawn of each value that is tried."""

MOST_VALUES = 8
"""Values whose reports are drawn."""

NEVER = 1e-9
"""The probability with which a mechanism that draws from its weights is refused, at most, for each value."""

LEAST_EXPECTED = 16.0
"""Reports in a group of codes, for the test of their frequencies."""

DIGITS = 1e-9
"""Largest error of floats, relative to the largest."""


@checked
def check_mechanism(mechanism: Mechanism, definition: PairwiseDefinition | BayesianCoordinateDP | None = None) -> None:
    """Check a mechanism with few values and codes in all its parts.

    Args:
        mechanism: of at most 2^16 values times codes.
        definition: what it promises, if that is to be certified too.

    Raises:
        SordinoErrors: the parts that are not those of its weights, all at once.

    Example:
        >>> from sordino import LDP, RandomizedResponse
        >>> check_mechanism(RandomizedResponse(5, "1"), LDP("1"))
    """
    if mechanism.k * mechanism.outputs > LARGEST:
        raise SordinoError(
            f"a channel must have at most {LARGEST} entries to be enumerated",
            found=f"{mechanism.k} values, {mechanism.outputs} codes",
            step="check one of the kind that is smaller",
        )
    dense = _Dense(mechanism)
    # What is no channel has no other parts.
    mistakes = list(dense.channel()) or [*dense.maps(), *dense.reports()]
    if definition is not None and not mistakes and not certify(mechanism, definition).holds:
        mistakes.append(("its promise must hold", "a ratio of weights beyond its bound"))
    if mistakes:
        errors = [SordinoError(rule, found=found) for rule, found in mistakes]
        raise SordinoErrors(f"the mechanism {type(mechanism).__name__}", errors)


Mistake = tuple[str, str]
"""The rule that is broken, and what was found."""


@dataclass(frozen=True, eq=False)
class _Dense:
    """A mechanism beside its channel, entry by entry."""

    mechanism: Mechanism

    @cached_property
    def weights(self) -> list[list[int]]:
        codes = range(self.mechanism.outputs)
        return [[self.mechanism.weight(x, y) for y in codes] for x in range(self.mechanism.k)]

    @cached_property
    def codes(self) -> list[int]:
        """Those that some value can send."""
        return [y for y in range(self.mechanism.outputs) if any(row[y] for row in self.weights)]

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """Pr(code | value), shape (k, outputs)."""
        whole = self.mechanism.denominator
        return np.array([[weight / whole for weight in row] for row in self.weights])

    @cached_property
    def tallies(self) -> NDArray[np.float64]:
        """The counters of one report of each code in `codes`."""
        counts = [self.mechanism.tally(np.array([code], dtype=np.uint64)).counts for code in self.codes]
        return np.array(counts, dtype=np.float64)

    @cached_property
    def expected_counters(self) -> NDArray[np.float64]:
        """The expected counters of one report of each value, shape (k, counters)."""
        return np.asarray(self.matrix[:, self.codes] @ self.tallies)

    def channel(self) -> Iterator[Mistake]:
        """What is no channel, or not the one that its columns tell."""
        wrong = [weight for row in self.weights for weight in row if type(weight) is not int or weight < 0]
        if wrong:
            yield "weights must be integers >= 0", shown(wrong[0])
            return
        totals = {sum(row) for row in self.weights}
        if totals != {self.mechanism.denominator}:
            yield "the weights of each value must sum to the denominator", shown(sorted(totals))
        if list(self._by_columns()) != [_weight_counts(row) for row in self.weights]:
            yield "columns must hold the weights of every value on every code", "others"

        marked, marks = self.mechanism.marks(np.array(self.codes, dtype=np.uint64))
        if [[marked[mark] for mark in row] for row in marks.T.tolist()] != self._sendable:
            yield "marks must be the weights of every value on every code", "others"
        yield from self._draw()

    def _draw(self) -> Iterator[Mistake]:
        """What its draw gives, which plans hold; a mechanism that no plan holds may have none."""
        mechanism = self.mechanism
        if not mechanism.has_draw:
            return
        whole = mechanism.denominator
        for value, row in enumerate(self.weights):
            given = code_distribution(mechanism.program, value)
            if given != {code: Fraction(weight, whole) for code, weight in enumerate(row) if weight}:
                yield "the draw must give the weights of every value on every code", f"others of value {value}"
                return

    @property
    def _sendable(self) -> list[list[int]]:
        return [[row[code] for code in self.codes] for row in self.weights]

    def _by_columns(self) -> Iterator[tuple[tuple[int, int], ...]]:
        told: list[Counter[int]] = [Counter() for _ in self.weights]
        for column in chain.from_iterable(self.mechanism.stacks()):
            for part in column.parts:
                for value in part.values.tolist():
                    told[value].update(dict(part.weights))
        return (tuple(sorted((weight, n) for weight, n in one.items() if weight and n)) for one in told)

    def maps(self) -> Iterator[Mistake]:
        """What estimates are made of, beside the same from the matrix."""
        mechanism, generator = self.mechanism, np.random.default_rng(1)
        p = generator.dirichlet(np.ones(mechanism.k))
        w = generator.normal(size=mechanism.counters)
        parts: list[tuple[str, Callable[[], ArrayLike], ArrayLike]] = [
            ("probabilities", mechanism.probabilities, self.matrix),
            ("forward", lambda: mechanism.forward(p), p @ self.expected_counters),
            ("adjoint", lambda: mechanism.adjoint(w), self.expected_counters @ w),
        ]
        if mechanism.informative:
            added = mechanism.decode(self.tallies)
            law = p @ self.matrix[:, self.codes]
            parts += [
                ("decode, right on average", lambda: self.matrix[:, self.codes] @ added, np.eye(mechanism.k)),
                ("decode_squares", lambda: mechanism.decode_squares(self.tallies), added**2),
                ("decode_powers", lambda: mechanism.decode_powers(self.tallies, 3), added**3),
                ("variance", lambda: mechanism.variance(p), law @ added**2 - p**2),
            ]
            least, most = mechanism.contribution_range
            if (added < least - _near(added)).any() or (added > most + _near(added)).any():
                yield "contribution_range must hold what every code adds", "a code that adds less, or more"
        for name, found, expected in parts:
            got = np.asarray(found())
            if got.shape != np.shape(expected) or not np.allclose(got, expected, rtol=DIGITS, atol=_near(expected)):
                yield f"{name} must be that of the weights", "other numbers"
        for code in islice(self.codes, 0, None, max(1, len(self.codes) // MOST_VALUES)):
            evidence = mechanism.evidence(code)
            with np.errstate(divide="ignore"):
                log = np.log(self.matrix[:, code])
            if not np.allclose(evidence.log, log, rtol=0, atol=evidence.radius + _near(log[np.isfinite(log)])):
                yield "evidence must be the logarithm of its code's column", f"another for code {code}"

    def reports(self) -> Iterator[Mistake]:
        """What its sampler does."""
        mechanism = self.mechanism
        if not (mechanism.outputs - 1).bit_length() <= mechanism.code_bits <= 64:
            yield "code_bits must hold every code", shown(mechanism.code_bits)
        tried = sorted({*np.linspace(0, mechanism.k - 1, MOST_VALUES).astype(int).tolist()})
        words = set()
        for value in tried:
            values = np.full(REPORTS, value)
            stream = _CountedWords.of(REPORTS)
            mechanism._sample(values, stream)  # noqa: SLF001 - what `privatize` calls, with words that are known
            words.add(stream.draws)
            codes = mechanism.privatize(values)
            if codes.dtype != np.uint64 or codes.shape != (REPORTS,):
                yield "reports must be uint64, one for each value", f"{codes.dtype} of shape {codes.shape}"
            elif mechanism.first_invalid(codes) is not None:
                yield "reports must be codes that some value can send", f"another of value {value}"
            elif _unlikely(codes, self.matrix[value]):
                yield "reports must be drawn from the weights", f"other frequencies of value {value}"
        if mechanism.has_draw:
            values = np.arange(REPORTS) % mechanism.k
            samplers = mechanism._sample, mechanism.program.sample  # noqa: SLF001 - what `privatize` calls
            one, other = (sample(values, _CountedWords.of(REPORTS)) for sample in samplers)
            if not np.array_equal(one, other):
                yield "the sampler must give what the draw gives, word by word", "other codes"
        if len(words) > 1:
            yield "each value must take as many random words", shown(sorted(words))


class _CountedWords:
    """A stream of the same words each time, which counts how many are taken."""

    def __init__(self, rows: NDArray[np.intp], log: Counter[str], generator: np.random.Generator) -> None:
        self.rows, self.log, self.generator = rows, log, generator

    @classmethod
    def of(cls, count: int) -> "_CountedWords":
        return cls(np.arange(count), Counter(), np.random.default_rng(7))

    @property
    def draws(self) -> int:
        return self.log["words"]

    def next(self) -> Words:
        self.log["words"] += len(self.rows)
        return self.generator.integers(0, 2**64 - 1, len(self.rows), dtype=np.uint64, endpoint=True)

    def take(self, rows: Rows) -> "_CountedWords":
        return _CountedWords(self.rows[rows], self.log, self.generator)


def _weight_counts(row: list[int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(Counter(weight for weight in row if weight).items()))


def _near(numbers: ArrayLike) -> float:
    return DIGITS * float(np.abs(np.asarray(numbers)).max(initial=1.0))


def _unlikely(codes: Words, law: NDArray[np.float64]) -> bool:
    """Whether these codes come from a law only by great chance: rare codes together, so that chi-square holds."""
    counts = np.bincount(codes.astype(np.intp), minlength=len(law))
    if counts[law == 0].any():
        return True
    expected, found = [0.0], [0]
    for code in np.argsort(law)[::-1].tolist():
        if expected[-1] >= LEAST_EXPECTED:
            expected.append(0.0)
            found.append(0)
        expected[-1] += law[code] * len(codes)
        found[-1] += counts[code]
    if len(expected) > 1 and expected[-1] < LEAST_EXPECTED:
        expected[-2:], found[-2:] = [sum(expected[-2:])], [sum(found[-2:])]
    if len(expected) == 1:
        return False
    return bool(stats.chisquare(found, expected).pvalue < NEVER)
