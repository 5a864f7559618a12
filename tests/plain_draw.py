"""An interpreter of draws in whole numbers, as docs/plan-format.md has them: a part of the plain client."""

import math
from fractions import Fraction

from plain_words import WORD, Words, below, either, pick


class Mechanism:
    """A mechanism of a plan: of its record it needs `k`, `codes`, `draw`, and what the draw names."""

    def __init__(self, record):
        self.record, self.k, self.outputs = record, record["k"], int(record["codes"])

    def code(self, value, words):
        return self.number(self.record["draw"], words, v=value)

    def parts(self, name):
        found = self.record[name]
        return [Mechanism(own) for own in (found if isinstance(found, list) else [found])]

    def number(self, found, words=None, **names):
        if isinstance(found, str) and not found.isdigit():
            return names[found] if found in names else int(self.record[found])
        if not isinstance(found, list):
            return int(found)
        operation, *arguments = found
        if operation in SPECIAL:
            return SPECIAL[operation](self, words, names, *arguments)
        return ARITHMETIC[operation](*(self.number(own, words, **names) for own in arguments))

    def numbers(self, found, **names):
        """A list."""
        if isinstance(found, str):
            return self.record[found]
        operation, *arguments = found
        if operation == "list":
            return [self.number(own) for own in arguments]
        if operation == "each":
            return [self.number(arguments[1], i=i) for i in range(self.number(arguments[0]))]
        if operation == "at":
            return self.numbers(arguments[0])[self.number(arguments[1], **names)]
        above, kinds, factors = (list(map(int, self.numbers(own))) for own in arguments[:3])
        return outward(above, [factors[kind] for kind in kinds], self.number(arguments[3], **names))


ARITHMETIC = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: max(a - b, 0),
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b),
    "if": lambda condition, one, other: one if condition else other,
}


def at(own, words, names, numbers, place):
    return int(own.numbers(numbers, **names)[own.number(place, words, **names)])


def drop(own, words, names):
    return 0 * words.next()


def coin(own, words, names, threshold):
    return int(words.next() < own.number(threshold, **names))


def of_below(own, words, names, bound):
    return below(own.number(bound), words)


def of_pick(own, words, names, weights):
    weights = list(map(int, own.numbers(weights, **names)))
    return pick(weights, below(sum(weights), words))


def sides(own, words, names, threshold, found):
    name, value, *arguments = found
    return SETS[name](own, *arguments).code(own.number(value, words, **names), own.number(threshold), words)


def digits(own, words, names, parts):
    value, places, code = names["v"], [], 0
    for part in reversed(own.parts(parts)):
        value, digit = divmod(value, part.k)
        places.append(digit)
    for part, digit in zip(own.parts(parts), reversed(places), strict=True):
        code = code * part.outputs + part.code(digit, words)
    return code


def levels(own, words, names, fan, parts):
    found = own.parts(parts)
    level = below(len(found), words)
    first = sum(part.outputs for part in found[:level])
    return first + found[level].code(names["v"] // own.number(fan) ** level, words)


def blocks(own, words, names, numbers, parts):
    block, value = own.numbers(numbers), names["v"]
    by_size = {part.k: part for part in own.parts(parts)}
    before = list(dict.fromkeys(block))
    before = before[: before.index(block[value])]
    part = by_size[block.count(block[value])]
    return sum(by_size[block.count(one)].outputs for one in before) + part.code(
        block[:value].count(block[value]), words
    )


def hide(own, words, names, numbers, name, threshold):
    listed, value, (part,) = own.numbers(numbers), names["v"], own.parts(name)
    # Both ways are gone by the same words, and the longer one tells how many are drawn.
    ways = [Words(words.words[words.drawn :]) for _ in range(2)]
    code = part.code(listed.index(value) if value in listed else 0, ways[0])
    told = ways[1].next() >= own.number(threshold)
    (set_name, _, *arguments) = part.record["draw"][2]
    behind = SETS[set_name](part, *arguments).uniform(ways[1])
    words.drawn += max(way.drawn for way in ways)
    if value in listed:
        return code
    return part.outputs + value - sum(one < value for one in listed) if told else behind


SPECIAL = {
    "at": at, "drop": drop, "coin": coin, "below": of_below, "pick": of_pick, "sides": sides, "digits": digits,
    "levels": levels, "blocks": blocks, "hide": hide,
}  # fmt: skip


class Run:
    def __init__(self, own, codes, length):
        self.codes, self.length = own.number(codes), own.number(length)

    def code(self, value, threshold, words):
        other = words.next() >= threshold
        left = self.codes - self.length
        choice = either(self.length, max(left, 1), other and left > 0, words)
        if not other or not left:
            return value + choice
        return choice + self.length * (choice >= value)

    def uniform(self, words):
        return below(self.codes, words)


def mask(rank, n, members):
    """That of a rank among those with so many of n bits, in ascending order."""
    found = 0
    for element in range(n - 1, -1, -1):
        without = math.comb(element, members)
        if rank >= without:
            found, rank, members = found | 1 << element, rank - without, members - 1
    return found


class Masks:
    def __init__(self, own, count, size):
        self.k, self.size = own.number(count), own.number(size)

    def code(self, value, threshold, words):
        without = words.next() >= threshold
        counts = math.comb(self.k - 1, self.size - 1), math.comb(self.k - 1, self.size)
        others = mask(either(*counts, without, words), self.k - 1, self.size - 1 + without)
        low = others & (1 << value) - 1
        return low | (others ^ low) << 1 | (not without) << value

    def uniform(self, words):
        return mask(below(math.comb(self.k, self.size), words), self.k, self.size)


class Translates:
    def __init__(self, own, p, multipliers, base):
        self.p, self.multipliers, base = own.number(p), own.numbers(multipliers), own.numbers(base)
        self.elements = base, [d for d in range(self.p) if d not in base]

    def code(self, value, threshold, words):
        without = words.next() >= threshold
        bounds = [len(self.multipliers) * len(side) for side in self.elements]
        family, place = divmod(either(*bounds, without, words), len(self.elements[without]))
        return family * self.p + (value - self.elements[without][place] * self.multipliers[family]) % self.p

    def uniform(self, words):
        return below(len(self.multipliers) * self.p, words)


class Points:
    """Over a prime field, or one of a power of two elements, polynomials' bits."""

    def __init__(self, own, q, t, is_listed):
        self.q, self.t, self.is_listed = (own.number(found) for found in (q, t, is_listed))
        self.binary = self.q & (self.q - 1) == 0
        if self.binary:
            self.modulus = next(m for m in range(self.q, 2 * self.q) if all(remainder(m, d) for d in range(2, self.q)))
        self.codes = (self.q**self.t - 1) // (self.q - 1)

    def times(self, a, b):
        return remainder(polynomial(a, b), self.modulus) if self.binary else a * b % self.q

    def minus(self, a, b):
        return a ^ b if self.binary else (a - b) % self.q

    def vector(self, point):
        """Its coordinates, the lowest first; the highest that is not 0 is 1."""
        power = 0
        while point >= self.q**power:
            point, power = point - self.q**power, power + 1
        return self.digits(point + self.q**power)

    def digits(self, number):
        return [number // self.q**i % self.q for i in range(self.t)]

    def dot(self, first, second):
        total = 0
        for a, b in zip(first, second, strict=True):
            total = self.minus(total, self.minus(0, self.times(a, b)))
        return total

    def point(self, vector):
        top = max(i for i, digit in enumerate(vector) if digit)
        scale = next(b for b in range(1, self.q) if self.times(vector[top], b) == 1)
        number = sum(self.times(scale, digit) * self.q**i for i, digit in enumerate(vector[:top]))
        return sum(self.q**i for i in range(top)) + number

    def code(self, value, threshold, words):
        off, own, affine = words.next() >= threshold, self.vector(value), self.q ** (self.t - 1)
        if self.is_listed:
            chosen = either((affine - 1) // (self.q - 1), affine, off, words)
            there = (code for code in range(self.codes) if bool(self.dot(own, self.vector(code))) == off)
            return next(code for place, code in enumerate(there) if place == chosen)
        free = either(affine - 1, affine, off, words) + (not off)
        top = max(i for i, digit in enumerate(own) if digit)
        high, low = divmod(free, self.q**top)
        below_top = self.digits(low)[:top]
        solved = self.minus(int(off), self.dot(own[:top], below_top))
        return self.point([*below_top, solved, *self.digits(high)[: self.t - top - 1]])

    def uniform(self, words):
        return below(self.codes, words)


def polynomial(a, b):
    found = 0
    for bit in range(b.bit_length()):
        found ^= (a << bit) * (b >> bit & 1)
    return found


def remainder(a, b):
    while a.bit_length() >= b.bit_length():
        a ^= b << (a.bit_length() - b.bit_length())
    return a


def members(found):
    """The places of a mask's bits, ascending."""
    return [place for place in range(found.bit_length()) if found >> place & 1]


def rank(places):
    """The number of a set among those of its size."""
    return sum(math.comb(place, i + 1) for i, place in enumerate(sorted(places)))


class Meeting:
    """Subsets of some items: those that share so many with the value's subset."""

    def __init__(self, own, items, chosen, size, least):
        self.n, self.chosen, self.size, self.least = (own.number(found) for found in (items, chosen, size, least))
        self.sharing = [
            math.comb(self.chosen, shared) * math.comb(self.n - self.chosen, self.size - shared)
            for shared in range(min(self.chosen, self.size) + 1)
        ]

    def code(self, value, threshold, words):
        other = words.next() >= threshold
        left = either(sum(self.sharing[self.least :]), sum(self.sharing[: self.least]), other, words)
        shared = 0 if other else self.least
        while left >= self.sharing[shared]:
            left, shared = left - self.sharing[shared], shared + 1
        own = members(mask(value, self.n, self.chosen))
        others = [place for place in range(self.n) if place not in own]
        first, second = divmod(left, math.comb(len(others), self.size - shared))
        inside, outside = mask(first, len(own), shared), mask(second, len(others), self.size - shared)
        return rank([own[place] for place in members(inside)] + [others[place] for place in members(outside)])

    def uniform(self, words):
        return below(math.comb(self.n, self.size), words)


SETS = {"run": Run, "masks": Masks, "meeting": Meeting, "points": Points, "translates": Translates}


def outward(above, factors, value):
    """The weights of all codes on a value."""
    near = [[] for _ in above]
    for one, other in enumerate(above):
        if one != other:
            near[one].append((other, factors[one]))
            near[other].append((one, factors[one]))
    row = []
    for code, steps in enumerate(near):
        share = 1 - sum(Fraction(f, WORD + f) for _, f in steps)
        weights, waiting = {code: min(math.ceil(WORD * share), WORD - 1)}, [code]
        for there in waiting:
            for other, factor in near[there]:
                if other not in weights:
                    weights[other] = -(-weights[there] * factor // WORD)
                    waiting.append(other)
        row.append(weights[value])
    row[value] += WORD - sum(row)
    return row
