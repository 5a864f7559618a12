"""How well a batch of shuffled reports distinguishes two values of one person: bounds of its hockey-stick divergence.

n people with fixed values each send one report through one channel, and a shuffler hands on the codes without their
order. P and P' are the distributions of the batch where one person's value is x or x', everybody else's unchanged. For
a factor r >= 1 the divergence is the sum of (P - r P')+ over all batches. Where it is at most delta, whatever the
others' values are, the batch is (ln r, delta)-private for the two values.

**From above, for any values: the privacy blanket** (Balle, Bell, Gascon and Nissim 2019). Of each code y let l(y) be
the least probability that a value of the others gives it. Then with independent Z_i that are
(W(y | x) - r W(y | x')) / l(y) with probability l(y) for each code, and 0 otherwise,

    divergence <= E[(Z_1 + ... + Z_n)+] / n + sum over codes with l(y) = 0 of (W(y | x) - r W(y | x'))+

(the paper's L divides by the *normalised* omega = l / gamma, and its bound by gamma n: the two gammas cancel). Where a
public draw takes each other person into this question with probability s, l becomes s l and the quotients grow by 1/s.

*Evaluation.* Each Z is split between its two neighbours on a lattice so that its mean is kept: (.)+ is convex, so that
the expectation only grows. On the lattice z+ = (z + |z|) / 2; E z is exact; |z| is at most the triangle wave of period
N where |z| <= N/2, whose N/2 Fourier coefficients are known in closed form, so that E|z| is a sum over powers of the
characteristic function. Beyond N/2 a Chernoff bound is added. Rounding errors are bounded by `ERRORS` and added.

**From above, for two values and two codes:** the exact distribution of the count of one code, a sum of two binomial
ones. Compositions a..b of the others have a - b fewer people in common, whose divergence is not below theirs.

**From below:** the same sum for one test: a score of each code, added over the batch, falls into one half of a circle.
Any test and any values of the others are allowed, so that no truncation counts; rounding errors are subtracted.

ERRORS. u = 2^-53; IEEE 754 arithmetic rounded to nearest. (1) Roots of unity are products of two roots, rounded from
integers of 2^120 (`_roots`), each within sqrt(2) u / 2; with a complex product's sqrt(5) u (Brent, Percival and
Zimmermann 2007, Theorem 1) they are within 4 u. (2) A characteristic function of m atoms with probabilities rounded to
floats is within (2 m + 16) u. (3) A power by repeated squaring is off by a factor (1 + sqrt(5) u)^(n - 1) at most, and
|a^n - b^n| <= n |a - b| max(|a|, |b|)^(n - 1). (4) Sums of terms are rounded once (`fsum`). Exponentials and
logarithms of the tails are trusted within 8 units in the last place.
Cost: N/4 powers for each r, N about 400 sqrt(n), at most `LARGEST_LATTICE`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import ceil, exp, expm1, floor, fsum, inf, log, log1p, sqrt
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sordino.exact.floats import Floats

U = 2.0**-53
"""Unit roundoff."""

LARGEST_LATTICE = 1 << 20
"""Largest number of points of a lattice's period: some 100 ms for each factor that is looked at."""

LEAST_LATTICE = 1 << 10

CELLS = 10
"""Lattice steps in a standard deviation of Z: the split adds at most 1/400 to its variance."""

MARGIN = 1 + 2.0**-20
"""What bounds of errors are enlarged by, for the roundings of the bounds themselves."""

TIGHT = 1.001
"""How near to each other, as a quotient of epsilons, the last factors of a search are."""

LEAST_EPSILON = 1e-9
"""Epsilon below which no smaller one is looked for."""

GUESSES = 8
"""Factors that a search guesses before it only halves."""

CHUNKS = 128
"""Ranges of compositions of the others: each has people out of which one in 128 is not counted."""

TRIED = 8
"""Compositions of the others that are tried to bound the divergence from below, and one."""

SCORE = 24
"""Largest score of a code in a test."""

PART = 64
"""Binary places of the part of a value that goes to its upper neighbour."""

BITS = 120
"""Binary places of roots of unity before they are rounded."""

Complex: TypeAlias = NDArray[np.complex128]

Number = TypeVar("Number", np.float64, np.complex128)


class CodeKind(NamedTuple):
    """Codes that weigh alike, in whole numbers over the channel's denominator.

    Attributes:
        codes: how many.
        weight, other: of x and of x'.
        third: the least that any of the others' values weighs; in a test the weight of the value of all others.
    """

    codes: int
    weight: int
    other: int
    third: int


Kinds: TypeAlias = tuple[CodeKind, ...]


@dataclass(frozen=True)
class BatchSize:
    """How many honest reports are shuffled, and how likely each is about the question at hand.

    Attributes:
        people: n, the person that is looked at among them.
        share: s, the probability with which each of them is drawn for the question, unseen.
    """

    people: int
    share: Fraction = Fraction(1)


def divergence_above(kinds: Kinds, denominator: int, size: BatchSize, ratio: Fraction, wanted: float) -> Fraction:
    """An upper bound of the divergence of the batches of two values, by the privacy blanket.

    Args:
        kinds: all codes; `third` the least weight that any of the others' values has.
        denominator: of the weights.
        size: of the batch.
        ratio: the factor r.
        wanted: the divergence that is looked for: what is added for tails and roundings is small against it.
    """
    above, below = ratio.numerator, ratio.denominator
    quotients, outside = [], 0
    for codes, weight, other, least in kinds:
        favour = weight * below - above * other
        if least:
            # (W(y | x) - r W(y | x')) / (s l(y)), with probability s l(y) of so many codes.
            place = favour * size.share.denominator, below * size.share.numerator * least
            quotients.append((*place, codes * least * size.share.numerator))
        elif favour > 0:
            outside += codes * favour
    seen = Fraction(outside, denominator * below)
    if not quotients:
        return min(seen, Fraction(1))
    law = _Law(tuple(quotients), denominator * size.share.denominator)
    return min(seen + _positive_part(law, size.people, wanted * size.people) / size.people, Fraction(1))


class _Law(NamedTuple):
    """Values as quotients of whole numbers, each with its weight over a whole number; otherwise 0."""

    places: tuple[tuple[int, int, int], ...]
    whole: int


class _LatticeSteps(NamedTuple):
    """Weights of places on a lattice, over their sum."""

    weights: Mapping[int, int]
    whole: int

    @property
    def chances(self) -> list[tuple[int, float]]:
        """Each place but 0 with its probability, within u."""
        return [(place, weight / self.whole) for place, weight in self.weights.items() if place]

    @property
    def mean(self) -> Fraction:
        """The mean, in steps."""
        return Fraction(sum(place * weight for place, weight in self.weights.items()), self.whole)


def _positive_part(law: _Law, n: int, wanted: float) -> Fraction:
    """An upper bound of E[(Z_1 + ... + Z_n)+]."""
    values = [(top / bottom, weight / law.whole) for top, bottom, weight in law.places]
    deviation = sqrt(fsum(value * value * chance for value, chance in values))
    if not deviation:
        return Fraction(0)
    reach = abs(fsum(value * chance for value, chance in values)) * n + 8 * deviation * sqrt(n)
    points = LEAST_LATTICE
    while points < LARGEST_LATTICE and points < 2 * reach / deviation * CELLS:
        points *= 2
    while True:
        step = Fraction(max(deviation / CELLS, 2 * reach / points))
        cells, half = _split(law, step), points // 2
        tails = _tail(cells.chances, n, half) + _tail([(-place, own) for place, own in cells.chances], n, half)
        if float(step) * tails <= wanted / 1024:
            break
        # Rare large values reach further than the normal distribution; nothing lies beyond n of the largest.
        if points < LARGEST_LATTICE:
            points *= 2
        reach *= 1.5
    size = _triangle(cells, n, points) + Fraction(tails)
    return max(step * (n * cells.mean + size) / 2, Fraction(0))


def _split(law: _Law, step: Fraction) -> _LatticeSteps:
    """The law on a lattice of this step, each value split between its two neighbours so that its mean is kept.

    The upper one's part is rounded up to a multiple of 2^-64: (.)+ grows, too.
    """
    weights = {0: (law.whole - sum(weight for _, _, weight in law.places)) << PART}
    for top, bottom, weight in law.places:
        place = -((-top * step.denominator << PART) // (bottom * step.numerator))
        lower, upper = place >> PART, place & ((1 << PART) - 1)
        weights[lower] = weights.get(lower, 0) + weight * ((1 << PART) - upper)
        weights[lower + 1] = weights.get(lower + 1, 0) + weight * upper
    return _LatticeSteps({place: weight for place, weight in weights.items() if weight}, law.whole << PART)


def _tail(places: list[tuple[int, float]], n: int, top: int) -> float:
    """An upper bound of E[S; S > top] of the sum S of n lattice variables.

    For kappa >= 1 / top and s >= top, s <= top exp((s - top) / top) <= top exp(kappa (s - top)).
    """
    largest, widest = max(place for place, _ in places), max(abs(place) for place, _ in places)
    if largest * n <= top:
        return 0.0

    def exponent(kappa: float) -> float:
        growth = fsum(chance * expm1(kappa * place) for place, chance in places)
        slack = fsum(chance * (exp(kappa * place) + 1) * (abs(kappa * place) + 16) for place, chance in places) * U
        total = log1p(growth + 4 * slack)
        return n * (total + abs(total) * 32 * U) - kappa * top * (1 - 32 * U)

    # No exponential may be too large for a float; places are within half of a period, or nothing is shown.
    low, high = 1.001 / top, 1.001 / top + 500 / widest
    if low * widest > 100:
        return inf
    kappas = [low * (high / low) ** (place / 48) for place in range(49)]
    best = min(map(exponent, kappas))
    return top * exp(best + abs(best) * 8 * U + 1e-12) if best < 600 else inf


class _Lattice(NamedTuple):
    """The odd frequencies below half of a period, and what belongs to them."""

    points: int
    odd: NDArray[np.int64]
    roots: Complex
    sine: Floats


@lru_cache(maxsize=2)
def _lattice(points: int) -> _Lattice:
    odd = np.arange(1, points // 2, 2)
    roots = _roots(2 * points)
    return _Lattice(points, odd, roots, roots.imag[odd])


def _roots(count: int) -> Complex:
    """exp(2 pi i j / count) for j = 0..count - 1, within 4 u each; count a power of two from 2^10 on."""
    fine = 1 << 10
    small = _turns(count, fine)
    large = _turns(count // fine, count // fine)
    return (large[:, np.newaxis] * small).ravel()


def _turns(count: int, some: int) -> Complex:
    """exp(2 pi i j / count) for j = 0..some - 1, rounded to floats from integers over 2^120."""
    one = 1 << BITS
    angle = 2 * _pi() // count
    cosine, sine, term, place = 0, 0, one, 0
    # The Taylor series of the exponential function, its terms in turn real and imaginary.
    while term:
        sign = -1 if place % 4 >= 2 else 1
        if place % 2:
            sine += sign * term
        else:
            cosine += sign * term
        place += 1
        term = term * angle // (one * place)
    found, real, imaginary = np.empty(some, dtype=np.complex128), one, 0
    for turn in range(some):
        found[turn] = complex(real / one, imaginary / one)
        real, imaginary = (real * cosine - imaginary * sine) >> BITS, (real * sine + imaginary * cosine) >> BITS
    return found


@lru_cache(maxsize=1)
def _pi() -> int:
    """2^120 pi, by Machin's formula, with 20 places more while it is added up."""
    one = 1 << (BITS + 20)

    def inverse_tangent(of: int) -> int:
        total, power, place = 0, one // of, 1
        while power:
            total += (power // place) * (1 if place % 4 == 1 else -1)
            power //= of * of
            place += 2
        return total

    return (4 * (4 * inverse_tangent(5) - inverse_tangent(239))) >> 20


def _transform(cells: _LatticeSteps, lattice: _Lattice) -> tuple[Complex, float]:
    """The characteristic function at the odd frequencies, and by how much it can be off: rule (2)."""
    values = np.zeros(len(lattice.odd), dtype=np.complex128)
    for place, weight in cells.weights.items():
        turns = 2 * lattice.odd * (place % lattice.points) % (2 * lattice.points)
        values += weight / cells.whole * lattice.roots[turns]
    return values, (2 * len(cells.weights) + 16) * U * MARGIN


def _power(base: NDArray[Number], n: int) -> NDArray[Number]:
    """Repeated squaring, from the highest bit of n on."""
    result = np.ones_like(base)
    for bit in f"{n:b}":
        result = result * result
        if bit == "1":
            result = result * base
    return result


def _powers(cells: _LatticeSteps, n: int, lattice: _Lattice) -> tuple[Complex, Floats]:
    """The characteristic function of a sum of n, and by how much each of its values can be off: rule (3)."""
    values, off = _transform(cells, lattice)
    if n == 0:
        return np.ones_like(values), np.zeros(len(values))
    with np.errstate(under="ignore"):
        powers = _power(values, n)
        largest = (np.abs(values) * (1 + 4 * U) + off) * MARGIN ** (1 / n)
        below = _power(largest, n - 1)
    # What became too small for a float on the way is below its least one.
    errors = below * (expm1(3 * U * n) * largest + n * off) * MARGIN + 2.0**-1000
    return powers, errors


def _triangle(cells: _LatticeSteps, n: int, points: int) -> Fraction:
    """An upper bound of the mean of the triangle wave: of how far a sum of n is from the nearest multiple of N.

    N / 4 - (1 / N) sum over odd k of f(k)^n / sin^2(pi k / N), the frequencies above N / 2 by symmetry.
    """
    lattice = _lattice(points)
    powers, errors = _powers(cells, n, lattice)
    weights = 1 / lattice.sine**2
    # A sine is within 4 u, so that its relative error is that over the sine itself.
    relative = 2 * 4 * U / lattice.sine * MARGIN + 4 * U
    found = fsum((powers.real * weights).tolist())
    # A sum of positive floats in any order is off by less than `MARGIN`.
    off = float(((errors + np.abs(powers.real) * relative) * weights).sum()) * MARGIN**2 * (1 + 4 * relative[0])
    least = Fraction(found) - Fraction(abs(found)) * Fraction(U) - Fraction(off)
    return Fraction(points, 4) - Fraction(2, points) * least


class ScoreTest:
    """A test of a batch: each code has a score, and x is said where the sum of all scores lies in a half circle.

    Args:
        kinds: all codes; `third` the weight of the value of all others.
        denominator: of the weights.
        size: of the batch.
    """

    def __init__(self, kinds: Kinds, denominator: int, size: BatchSize) -> None:
        scores = _scores(kinds)
        variance = fsum(
            kind.codes * kind.third / denominator * score**2
            for kind, score in zip(kinds, scores, strict=True)
            if score is not None
        )
        points = LEAST_LATTICE
        while points < LARGEST_LATTICE and points < 64 * (sqrt(variance * size.people) + SCORE):
            points *= 2
        self._lattice = _lattice(points)
        # What no other person can have sent decides: a quarter of the circle is further than the others reach.
        placed = [_turn(kind, points) if score is None else score for kind, score in zip(kinds, scores, strict=True)]
        weigh = list(zip(placed, kinds, strict=True))
        own = [
            _LatticeSteps(_sums((score, kind.codes * kind[at]) for score, kind in weigh), denominator)
            for at in (1, 2, 3)
        ]
        share = size.share
        drawn = {score: weight * share.numerator for score, weight in own[2].weights.items()}
        drawn[0] = drawn.get(0, 0) + denominator * (share.denominator - share.numerator)
        third = _LatticeSteps(drawn, denominator * share.denominator)
        self._powers, self._errors = _powers(third, size.people - 1, self._lattice)
        self._one, self._off_one = _transform(own[0], self._lattice)
        self._two, self._off_two = _transform(own[1], self._lattice)
        self._chances = [self._by_place(part) for part in (self._one, self._two)]

    def _by_place(self, own: Complex) -> Floats:
        """About how likely the half circle from each place on is."""
        points, odd, roots, sine = self._lattice
        whole = np.zeros(points, dtype=np.complex128)
        whole[odd] = self._powers * own * roots[odd] / (1j * sine)
        return 0.5 + 2 / points * np.fft.fft(whole).real

    def about(self, ratio: Fraction) -> float:
        """About the largest divergence that the test shows."""
        return float((self._chances[0] - float(ratio) * self._chances[1]).max())

    def below(self, ratio: Fraction) -> Fraction:
        """A lower bound of the divergence: the best half circle's, its rounding errors subtracted."""
        points, odd, roots, sine = self._lattice
        place = int(np.argmax(self._chances[0] - float(ratio) * self._chances[1]))
        factor = float(ratio)
        turns = (odd - 2 * odd * place) % (2 * points)
        gap = self._one - factor * self._two
        terms = (self._powers * gap * roots[turns] / 1j).real / sine
        off_gap = (self._off_one + factor * self._off_two + 4 * U * (1 + 2 * factor)) * MARGIN
        powers = np.abs(self._powers)
        sizes = powers * off_gap + (self._errors + 16 * U * powers) * (np.abs(gap) + off_gap)
        relative = 4 * U / sine * MARGIN + 8 * U
        off = float((sizes * (1 + relative) / sine + np.abs(terms) * relative * 2).sum()) * MARGIN**2
        total = Fraction(fsum(terms.tolist())) - Fraction(off)
        return (1 - ratio) / 2 + Fraction(2, points) * (total - abs(total) * Fraction(2 * U))


def _scores(kinds: Kinds) -> list[int | None]:
    """A whole number of each kind of codes, about in proportion to what it says for x against x'.

    None where it says all, since no other person can have sent it.
    """
    favours = [
        None if weight != other and not third else (weight - other) / max(third, 1) for _, weight, other, third in kinds
    ]
    largest = max((abs(favour) for favour in favours if favour is not None), default=0.0) or 1.0
    return [None if favour is None else round(SCORE * favour / largest) for favour in favours]


def _turn(kind: CodeKind, points: int) -> int:
    return points // 4 if kind.weight > kind.other else -points // 4


def _sums(weights: Iterable[tuple[int, int]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for place, weight in weights:
        found[place] = found.get(place, 0) + weight
    return found


class _Binomial(NamedTuple):
    """Probabilities of a count from `first` on, each within a factor 1 +- `off`, and what all others are at most."""

    first: int
    chances: Floats
    off: float
    missing: float


def _binomial(n: int, p: Fraction, widths: float) -> _Binomial:
    """The binomial distribution from its mode outward, by quotients of neighbours; so many deviations wide."""
    if n == 0 or p in {0, 1}:
        return _Binomial(n if p == 1 else 0, np.ones(1), 0.0, 0.0)
    mode = min(n, floor((n + 1) * p))
    reach = ceil(widths * (sqrt(n * float(p * (1 - p))) + widths))
    low, high = max(0, mode - reach), min(n, mode + reach)
    odds, against = float(p / (1 - p)), float((1 - p) / p)
    above, below = np.arange(mode, high, dtype=np.float64), np.arange(mode, low, -1, dtype=np.float64)
    up = np.cumprod((n - above) / (above + 1) * odds)
    down = np.cumprod(below / (n - below + 1) * against)
    sizes = np.concatenate((down[::-1], [1.0], up))
    off = (5 * max(len(up), len(down)) + 8) * U * MARGIN
    # Quotients only fall away from the mode: beyond the window there is less than a geometric series.
    rest = 0.0
    for edge, ratio in ((sizes[-1], (n - high) / (high + 1) * odds), (sizes[0], low / (n - low + 1) * against)):
        if ratio:
            rest += float(edge) * ratio / (1 - ratio) if ratio < 1 else inf
    total = fsum(sizes.tolist())
    return _Binomial(low, sizes / total, 3 * off + rest / total * MARGIN, rest / total * MARGIN)


class TwoCodes:
    """Batches of a channel from two values to two codes: the exact distribution of how often the first code is sent.

    Args:
        chances: of the first code, given x and given x'.
        size: of the batch.
        wanted: the divergence that is looked for.
    """

    def __init__(self, chances: tuple[Fraction, Fraction], size: BatchSize, wanted: float) -> None:
        self._chances = chances
        self._widths = sqrt(2 * log(1 / wanted) + 40)
        n, self._fewer = size.people, 0.0
        if size.share < 1:
            n, self._fewer = self._sure_size(size, wanted)
        self._people = n
        width = max(1, -(-n // CHUNKS))
        starts = range(0, n, width)
        self._ranges = [self._counts(first, n - 1 - min(first + width - 1, n - 1)) for first in starts]
        tried = range(0, n, max(1, (n - 1) // TRIED))
        self._alike = [self._counts(first, n - 1 - first) for first in tried]

    def _sure_size(self, size: BatchSize, wanted: float) -> tuple[int, float]:
        """How many of the people are drawn for the question, but for a probability that is small against wanted."""
        drawn = _binomial(size.people - 1, size.share, self._widths)
        below = np.cumsum(drawn.chances) * (1 + drawn.off) * (1 + len(drawn.chances) * U) + drawn.missing
        place = int(np.searchsorted(below, wanted / 256))
        return 1 + drawn.first + place, float(below[place - 1]) if place else drawn.missing

    def _counts(self, ones: int, twos: int) -> _Binomial:
        """Of so many others with x and so many with x'."""
        one, two = (
            _binomial(many, chance, self._widths) for many, chance in zip((ones, twos), self._chances, strict=True)
        )
        chances = np.convolve(one.chances, two.chances)
        off = (one.off + two.off + (min(len(one.chances), len(two.chances)) + 4) * U) * MARGIN
        return _Binomial(one.first + two.first, chances, off, one.missing + two.missing)

    def _divergence(self, counts: _Binomial, ratio: float, direction: int) -> float:
        padded = np.pad(counts.chances, 1)
        hit, miss = (float(chance) * padded[:-1] + float(1 - chance) * padded[1:] for chance in self._chances)
        off = (counts.off + 8 * U) * MARGIN * direction
        gains = np.maximum(hit * (1 + off) - ratio * miss * (1 - off), 0.0)
        return fsum(gains.tolist())

    def above(self, ratio: Fraction) -> Fraction:
        """An upper bound of the divergence, over all compositions of the others."""
        found = max(self._divergence(counts, float(ratio), 1) * MARGIN + counts.missing for counts in self._ranges)
        return min(Fraction(found * MARGIN + self._fewer), Fraction(1))

    def about(self, ratio: Fraction) -> float:
        """About the largest divergence, of some compositions of as many others as there are; all drawn."""
        return float(self.below(ratio))

    def below(self, ratio: Fraction) -> Fraction:
        """A lower bound of it."""
        return Fraction(max(self._divergence(counts, float(ratio), -1) for counts in self._alike)) / Fraction(MARGIN)


def least_ratio(above: Callable[[Fraction], Fraction], most: Fraction, delta: Fraction) -> Fraction:
    """The least factor r, nearly, of which a bound of the divergence is at most delta.

    Args:
        above: an upper bound of the divergence for each factor.
        most: the largest quotient of single reports: a batch never reveals more.
        delta: its bound.
    """
    low, high, best, guess = 0.0, log(float(most)), most, 0.0
    for turn in count():
        if high <= max(low * TIGHT, LEAST_EPSILON):
            return best
        middle = guess if low < guess < high and turn < GUESSES else sqrt(low * high) if low else high / 4
        ratio = Fraction(exp(middle))
        found = above(ratio) if ratio < most else Fraction(0)
        if found > delta:
            low = middle
        else:
            high, best = middle, min(ratio, most)
        # As of normal distributions the logarithm falls with the square; a little further, to enclose it.
        nudge = TIGHT ** (0.4 if found > delta else -0.4)
        guess = middle * sqrt(log(delta) / log(found)) * nudge if 0 < found < 1 else 0.0
    raise AssertionError  # pragma: no cover - the search halves what is left


def largest_ratio(
    about: Callable[[Fraction], float], below: Callable[[Fraction], Fraction], most: Fraction, delta: Fraction
) -> Fraction:
    """The largest factor r, nearly, for which a test shows a divergence above delta; 1 where it shows none.

    Args:
        about: about what the test shows for each factor, quickly.
        below: a lower bound of it.
        most: the largest quotient of single reports.
        delta: what the divergence is to exceed.
    """
    low, high = 0.0, log(float(most))
    for _ in range(24):
        middle = (low + high) / 2
        if about(Fraction(exp(middle))) > float(delta):
            low = middle
        else:
            high = middle
    for part in (0.9999, 0.999, 0.99, 0.95, 0.8, 0.5):
        ratio = Fraction(exp(low * part))
        if ratio > 1 and below(ratio) > delta:
            return ratio
    return Fraction(1)
