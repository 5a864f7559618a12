"""Queries about numbers from scratch: their laws as fractions, and every way in which given words draw a report.

Nothing here is taken from the package but the integers that a query holds: places, points, thresholds, tables, weights.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import accumulate, pairwise, product

import numpy as np

from sordino import (
    BitFlips,
    LinearTable,
    Number,
    Product,
    Query,
    RandomizedResponse,
    Sampled,
    Signs,
    Together,
    WindowResponse,
)

WORD = 2**64
HALF = 2**63


def table(*weights):
    """A table of flips in proportion to some weights, but for rounding."""
    whole = [weight * WORD // sum(weights) for weight in weights]
    whole[0] += WORD - sum(whole)
    return tuple(whole)


COIN, PAIR = BitFlips(table(3, 1)), BitFlips(table(6, 2, 3, 1))
TRIPLE = BitFlips(table(20, 12, 10, 8, 6, 4, 3, 1))
LEVELS = WindowResponse(3, "2")
TABLE = LinearTable([[n << 61 for n in row] for row in ([4, 1, 2, 1], [2, 3, 1, 2], [1, 2, 3, 2])])


def bits(*moments, coins, weights):
    """One bit each about some numbers and products."""
    statistics = [Number(*moment) if len(moment) == 1 else Product(*moment) for moment in moments]
    queries = (Query(s, RandomizedResponse(2, e)) for s, e in zip(statistics, coins, strict=True))
    return Sampled(tuple(queries), weights)


QUERIES = {
    "one bit": Query(Number(0), RandomizedResponse(2, "1")),
    "one bit, ln": Query(Number(0), RandomizedResponse(2, "ln 3")),
    "one bit, small": Query(Number(1), RandomizedResponse(2, "0.001")),
    "one bit, large": Query(Number(0), RandomizedResponse(2, "40")),
    "product": Query(Product(0, 2), RandomizedResponse(2, "1")),
    "square": Query(Product(1, 1), RandomizedResponse(2, "2")),
    "levels, two": Query(Number(0, 2), WindowResponse(2, "1")),
    "levels, three": Query(Number(0, 3), LEVELS),
    "levels, window": Query(Number(1, 4), WindowResponse(4, "1/2", 3)),
    "levels, large": Query(Number(0, 3), WindowResponse(3, "30")),
    "levels, table": Query(Number(1, 3), TABLE),
    "levels, any channel": Query(Number(0, 5), RandomizedResponse(5, "1")),
    "signs": Query(Signs((2, 0)), PAIR),
    "signs, three": Query(Signs((0, 2, 1)), TRIPLE),
    "signs, one": Query(Signs((1,)), COIN),
    "signs, any channel": Query(Signs((0, 1)), RandomizedResponse(4, "1")),
    "together": Together((Query(Number(1), COIN), Query(Number(0, 3), LEVELS))),
    "together, tables": Together((Query(Signs((2, 0)), PAIR), Query(Number(1), RandomizedResponse(2, "ln 3")))),
    "together, a product": Together((Query(Product(0, 2), RandomizedResponse(2, "2")), Query(Number(1), COIN))),
    "sampled": bits((0,), (1,), (2,), coins=["1", "0.2", "2"], weights=(1, 5, 3)),
    "sampled, alike": bits((0,), (1,), coins=["1", "1"], weights=(4, 4)),
    "sampled, moments": bits((1,), (0, 1), (0, 0), coins=["1", "ln 2", "3"], weights=(2, 1, 2)),
    "sampled, one": Sampled((Query(Number(1), RandomizedResponse(2, "1")),), (9,)),
    "sampled, tables": Sampled(
        (Query(Signs((2, 0)), PAIR), Query(Number(1), COIN), Query(Signs((0, 1)), PAIR), Query(Signs((1, 2)), PAIR)),
        (3, 4, 1, 2),
    ),
    "sampled, levels": Sampled(
        (Query(Number(2, 3), LEVELS), Query(Number(0, 3), LEVELS), Query(Number(1, 4), WindowResponse(4, "1", 2))),
        (1, 2, 1),
    ),
    "sampled, together": Sampled(
        (
            Together((Query(Number(0, 3), LEVELS), Query(Number(1), RandomizedResponse(2, "1")))),
            Query(Number(1), COIN),
            Together((Query(Number(2, 3), LEVELS), Query(Number(0), COIN))),
            Together((Query(Number(1), COIN), Query(Number(2), COIN))),
        ),
        (2, 1, 1, 3),
    ),
    "sampled, everything": Sampled(
        (
            Query(Signs((1, 0)), PAIR),
            Query(Number(2), RandomizedResponse(2, "1")),
            Query(Number(1, 3), LEVELS),
            Query(Product(0, 1), RandomizedResponse(2, "2")),
            Query(Signs((2, 1)), PAIR),
            Query(Number(0, 3), LEVELS),
            Query(Number(0, 3), WindowResponse(3, "1")),
            Query(Product(2, 2), RandomizedResponse(2, "1")),
            Query(Signs((0, 2)), RandomizedResponse(4, "1")),
            Query(Number(2), COIN),
        ),
        (3, 1, 2, 1, 1, 1, 2, 1, 2, 2),
    ),
}
"""Each kind of query by itself, and drawn with others."""

GRID = (-1.0, -0.3, 0.0, 0.75, 1.0)


def queries_of(asked):
    """The queries and their weights."""
    return list(zip(asked.queries, asked.weights, strict=True)) if isinstance(asked, Sampled) else [(asked, 1)]


def parts_of(query):
    """What is answered where a query is drawn: itself, or all that it puts together."""
    return query.queries if isinstance(query, Together) else (query,)


def answers_of(asked):
    """All that anybody can be asked."""
    return [part for query, _ in queries_of(asked) for part in parts_of(query)]


def numbers_of(asked):
    """How many numbers a record must have."""
    return 1 + max(place for query in answers_of(asked) for place in query.statistic.places)


def records_of(asked):
    """All signs, and a record in between."""
    d = numbers_of(asked)
    return [*product((-1.0, 1.0), repeat=d), tuple(GRID[1 + place % 4] for place in range(d))]


def moments_of(statistic, record):
    """The numbers that signs are drawn for, bit by bit, as floats have them."""
    if isinstance(statistic, Number):
        return [record[statistic.place]]
    if isinstance(statistic, Signs):
        return [record[place] for place in statistic.at]
    found = record[statistic.first] * record[statistic.second]
    return [2 * found - 1 if statistic.first == statistic.second else found]


def plus(number):
    """2^64 times the probability of the sign +1: half of all words, and the whole part of the number's own half."""
    return HALF + int(number * 2.0**63)


def read_law(statistic, record):
    """The probability of each value that is read."""
    if isinstance(statistic, Number) and statistic.points > 2:
        at = (Fraction(record[statistic.place]) + 1) * (statistic.points - 1) / 2
        return [max(1 - abs(at - point), Fraction(0)) for point in range(statistic.points)]
    chances = [Fraction(plus(number), WORD) for number in moments_of(statistic, record)]
    return [
        math.prod(chance if value >> c & 1 else 1 - chance for c, chance in enumerate(chances))
        for value in range(2 ** len(chances))
    ]


def row(mechanism, value):
    """The probability of each code of a value that is read."""
    if isinstance(mechanism, BitFlips):
        return [Fraction(mechanism.table[value ^ code], WORD) for code in range(len(mechanism.table))]
    if isinstance(mechanism, LinearTable):
        return [Fraction(weight, sum(mechanism.weights[value])) for weight in mechanism.weights[value]]
    window = getattr(mechanism, "window", 1)
    inside, others = Fraction(mechanism.threshold, WORD), mechanism.k - 1
    return [
        inside / window if value <= code < value + window else (1 - inside) / others for code in range(others + window)
    ]


def law_of(query, record):
    """The probability of each code of a query; of several together the product, the last one's codes run fastest."""
    law = [Fraction(1)]
    for part in parts_of(query):
        law = [share * chance for share in law for chance in law_of_one(part, record)]
    return law


def law_of_one(query, record):
    """The probability of each code of a query by itself."""
    law = [Fraction(0)] * len(row(query.mechanism, 0))
    for value, share in enumerate(read_law(query.statistic, record)):
        for code, chance in enumerate(row(query.mechanism, value)):
            law[code] += share * chance
    return law


def laws_of(asked, record):
    """The probability of each code of queries that are drawn from: those of one after those of the other."""
    total = sum(weight for _, weight in queries_of(asked))
    return [chance * weight / total for query, weight in queries_of(asked) for chance in law_of(query, record)]


def digits_of(query, code):
    """The codes of the parts: the last runs fastest."""
    found = []
    for part in parts_of(query)[::-1]:
        code, digit = divmod(code, len(row(part.mechanism, 0)))
        found.insert(0, digit)
    return found


def tally_of(asked, codes):
    """How often each part of each query sent each of its codes, one after the other."""
    counts = [[[0] * len(row(part.mechanism, 0)) for part in parts_of(query)] for query, _ in queries_of(asked)]
    for code in codes:
        first = 0
        for (query, _), own in zip(queries_of(asked), counts, strict=True):
            size = math.prod(map(len, own))
            for count, digit in (
                zip(own, digits_of(query, code - first), strict=True) if 0 <= code - first < size else ()
            ):
                count[digit] += 1
            first += size
    return [count for parts in counts for part in parts for count in part]


def expected_tally(asked, record):
    """The probability that a report adds to each counter."""
    total = sum(weight for _, weight in queries_of(asked))
    drawn = [(part, weight) for query, weight in queries_of(asked) for part in parts_of(query)]
    return [chance * weight / total for part, weight in drawn for chance in law_of_one(part, record)]


class Scripted:
    """A source that gives everybody the same public words and the same others."""

    def __init__(self, public, private):
        self.words, self.drawn = {"public": public, "private": private}, Counter()

    def public(self, count, use="question"):
        return ScriptedStream(self, "public", count)

    def stream(self, values):
        return ScriptedStream(self, "private", len(values))


class ScriptedStream:
    def __init__(self, source, kind, count):
        self.source, self.kind, self.count = source, kind, count

    def next(self):
        word = self.source.words[self.kind][self.source.drawn[self.kind]]
        self.source.drawn[self.kind] += 1
        return np.full(self.count, word, dtype=np.uint64)

    def take(self, rows):
        return ScriptedStream(self.source, self.kind, len(np.arange(self.count)[rows]))


def word_for(choice, count):
    """A word from which a uniform choice among `count` gives this choice."""
    return (-(-choice * 2**32 // count) + 1) << 32


def faces(threshold, start=0):
    """Of words counted from `start`, the last below the threshold and the first not below, with how many there are."""
    both = [(threshold - 1, threshold), (threshold, WORD - threshold)]
    return [((start + place) % WORD, Fraction(count, WORD)) for place, count in both if count]


def readings(statistic, record):
    """Every way in which a record is read: words, and their share."""
    if isinstance(statistic, Number) and statistic.points > 2:
        at = (Fraction(record[statistic.place]) + 1) * (statistic.points - 1) / 2
        up = round((at - math.floor(at)) * WORD)
        # Floats decide where exactly the rounding turns: words far from there.
        middles = [(up // 2, Fraction(up, WORD)), ((up + WORD) // 2, Fraction(WORD - up, WORD))]
        return [([word], share) for word, share in middles if share]
    # A number >= 0 is wrong for the first of the words from 2^63 on, a negative one right: as many as its sign is rare.
    rare = [WORD - plus(number) if number >= 0 else plus(number) for number in moments_of(statistic, record)]
    ways = product(*(faces(count, HALF) for count in rare))
    return [([word for word, _ in way], math.prod(share for _, share in way)) for way in ways]


def ways_of(mechanism):
    """Every way in which a mechanism answers: words, and their share."""
    if isinstance(mechanism, BitFlips):
        ends = np.concatenate([[0], np.cumsum(np.array(mechanism.table, dtype=object))]).tolist()
        for start, weight in zip(ends, mechanism.table, strict=False):
            # The first and the last word of each pattern.
            yield from (([word], Fraction(n, WORD)) for word, n in [(start, weight - 1), (start + weight - 1, 1)] if n)
        return
    if isinstance(mechanism, LinearTable):
        ends = sorted({end for row in mechanism.weights for end in accumulate(row, initial=0)})
        for start, end in pairwise(ends):
            # The first and the last word for which nobody's code changes, and one that is not looked at.
            yield [start, 0], Fraction(end - start - 1, WORD)
            yield [end - 1, 0], Fraction(1, WORD)
        return
    sides = getattr(mechanism, "window", 1), mechanism.k - 1
    for (word, share), count in zip(faces(mechanism.threshold), sides, strict=True):
        for choice in range(count):
            yield [word, word_for(choice, count)], share / count


def scripts(asked, record):
    """Every way in which a record can be privatized: its probability, public words and others."""
    common = math.gcd(*(weight for _, weight in queries_of(asked)))
    drawn = [query for query, weight in queries_of(asked) for _ in range(weight // common)]
    for choice, query in enumerate(drawn):
        public = [word_for(choice, len(drawn))] if len(queries_of(asked)) > 1 else []
        ways = [(readings(part.statistic, record), ways_of(part.mechanism)) for part in parts_of(query)]
        for way in product(*(step for both in ways for step in both)):
            share = math.prod(chance for _, chance in way)
            yield share / len(drawn), public, [word for words, _ in way for word in words]
