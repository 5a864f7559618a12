"""All mechanisms in whole numbers, as docs/plan-format.md has them: a part of the plain client."""

import math
from fractions import Fraction
from itertools import accumulate, pairwise, product

from plain_windows import Flips, OptionalWindow, Window
from plain_words import WORD, Words, below, either, pick


def size(attribute):
    """How many values."""
    if "labels" in attribute:
        return len(attribute["labels"])
    return attribute["numbers"] if "numbers" in attribute else attribute["grid"]["rows"] * attribute["grid"]["columns"]


class Randomized:
    def __init__(self, own, _=None):
        self.k, self.threshold = own["k"], int(own["threshold"])
        self.outputs = self.k

    def code(self, value, words):
        lie = words.next() >= self.threshold
        other = below(max(self.k - 1, 1), words)
        return other + (other >= value) if lie and self.k > 1 else value

    def uniform(self, words):
        return below(self.k, words)


class Hadamard(Randomized):
    def __init__(self, own, _=None):
        super().__init__(own)
        self.outputs = 1 << self.k.bit_length()

    def code(self, value, words):
        against, row = words.next() >= self.threshold, value + 1
        code = self.uniform(words)
        odd = (row & code).bit_count() % 2 == 1
        return code ^ (row & -row) if odd != against else code

    def uniform(self, words):
        return words.next() >> 64 - self.k.bit_length()


class Field:
    """Prime, or a power of two, whose elements are polynomials' bits."""

    def __init__(self, q):
        self.q, self.binary = q, q & (q - 1) == 0
        if self.binary:
            self.modulus = next(m for m in range(q, 2 * q) if all(remainder(m, d) for d in range(2, q)))

    def plus(self, a, b):
        return a ^ b if self.binary else (a + b) % self.q

    def minus(self, a, b):
        return a ^ b if self.binary else (a - b) % self.q

    def times(self, a, b):
        if not self.binary:
            return a * b % self.q
        return remainder(polynomial(a, b), self.modulus)

    def inverse(self, a):
        return next(b for b in range(1, self.q) if self.times(a, b) == 1)


def polynomial(a, b):
    found = 0
    for bit in range(b.bit_length()):
        found ^= (a << bit) * (b >> bit & 1)
    return found


def remainder(a, b):
    while a.bit_length() >= b.bit_length():
        a ^= b << (a.bit_length() - b.bit_length())
    return a


class Projective(Randomized):
    def __init__(self, own, _=None):
        super().__init__(own)
        self.q, self.field = own["field"], Field(own["field"])
        self.t = next(t for t in range(2, 65) if (self.q**t - 1) // (self.q - 1) >= self.k)
        self.outputs = (self.q**self.t - 1) // (self.q - 1)
        self.on, self.off = (self.q ** (self.t - 1) - 1) // (self.q - 1), self.q ** (self.t - 1)

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
            total = self.field.plus(total, self.field.times(a, b))
        return total

    def point(self, vector):
        top = max(i for i, digit in enumerate(vector) if digit)
        scale = self.field.inverse(vector[top])
        number = sum(self.field.times(scale, digit) * self.q**i for i, digit in enumerate(vector[:top]))
        return sum(self.q**i for i in range(top)) + number

    def code(self, value, words):
        off, own = words.next() >= self.threshold, self.vector(value)
        if self.k * self.outputs <= 1 << 18:
            chosen = either(self.on, self.off, off, words)
            there = (code for code in range(self.outputs) if bool(self.dot(own, self.vector(code))) == off)
            return next(code for place, code in enumerate(there) if place == chosen)
        free = either(self.off - 1, self.off, off, words) + (not off)
        top = max(i for i, digit in enumerate(own) if digit)
        high, low = divmod(free, self.q**top)
        digits = self.digits(low)
        rest = self.digits(high * self.q ** (top + 1))
        told = self.dot(own[:top], digits[:top])
        solved = self.field.minus(int(off), told)
        return self.point([*digits[:top], solved, *rest[top + 1 :]])

    def uniform(self, words):
        return below(self.outputs, words)


def subset(rank, n, members):
    """The mask of a rank among those with so many of n bits, in ascending order."""
    mask = 0
    for element in range(n - 1, -1, -1):
        without = math.comb(element, members)
        if rank >= without:
            mask, rank, members = mask | 1 << element, rank - without, members - 1
    return mask


class Subset(Randomized):
    def __init__(self, own, _=None):
        super().__init__(own)
        self.size, self.outputs = own["size"], 1 << self.k

    def code(self, value, words):
        without = words.next() >= self.threshold
        counts = math.comb(self.k - 1, self.size - 1), math.comb(self.k - 1, self.size)
        others = subset(either(*counts, without, words), self.k - 1, self.size - 1 + without)
        low = others & (1 << value) - 1
        return low | (others ^ low) << 1 | (not without) << value

    def uniform(self, words):
        return subset(below(math.comb(self.k, self.size), words), self.k, self.size)


class Cyclic(Randomized):
    def __init__(self, own, _=None):
        super().__init__(own)
        self.p, self.size = own["prime"], own["size"]
        self.families = (self.p - 1) // own["order"]
        self.outputs = self.families * self.p
        powers = next(found for g in range(1, self.p) if len(set(found := self.powers(g))) == self.p - 1)
        classes = range(self.size // own["order"])
        base = {powers[i] for i in range(self.p - 1) if i % self.families in classes}
        base |= {0} if self.size % own["order"] else set()
        self.multipliers = powers[: self.families]
        self.elements = sorted(base), sorted(set(range(self.p)) - base)

    def powers(self, g):
        return list(accumulate([1] + [g] * (self.p - 2), lambda a, b: a * b % self.p))

    def code(self, value, words):
        without = words.next() >= self.threshold
        sides = [self.families * len(side) for side in self.elements]
        family, place = divmod(either(*sides, without, words), len(self.elements[without]))
        shift = (value - self.elements[without][place] * self.multipliers[family]) % self.p
        return family * self.p + shift

    def uniform(self, words):
        return below(self.outputs, words)


class Blockwise:
    def __init__(self, own, attribute):
        self.block = blocks(attribute)
        sizes = {block: self.block.count(block) for block in dict.fromkeys(self.block)}
        inner = {each["k"]: MECHANISMS[each["name"]](each) for each in own["inner"]}
        self.inner = {block: inner[count] for block, count in sizes.items()}
        self.first = dict(zip(sizes, accumulate((one.outputs for one in self.inner.values()), initial=0), strict=False))
        self.outputs = sum(one.outputs for one in self.inner.values())

    def code(self, value, words):
        block = self.block[value]
        return self.first[block] + self.inner[block].code(self.block[:value].count(block), words)


def blocks(attribute):
    """The block of each value, in the order in which they first appear."""
    protect, k = attribute["protect"], size(attribute)
    if "cells" in protect or "bounds" in protect:
        bounds = protect.get("bounds") or protect["cells"]()
        protect, block = {"bounds": bounds}, list(range(k))
        for one, other in product(range(k), repeat=2):
            if protect["bounds"][one][other] != "inf":
                block = [block[one] if own == block[other] else own for own in block]
        return block
    found = protect["blocks"]
    if "of" in found:
        return found["of"]
    if "run" in found:
        return [value // found["run"] for value in range(k)]
    (height, width), columns = found["tiles"], attribute["grid"]["columns"]
    across = -(-columns // width)
    return [value // columns // height * across + value % columns // width for value in range(k)]


class HighLow:
    def __init__(self, own, attribute):
        protect, k = attribute["protect"], size(attribute)
        bounds = protect.get("bounds", []) or protect.get("cells", list)()
        finite = [x for x, row in enumerate(bounds) if any(b != "inf" for y, b in enumerate(row) if y != x)]
        self.sensitive = sorted(protect.get("sensitive", finite))
        self.others = [value for value in range(k) if value not in self.sensitive]
        self.inner, self.hidden = MECHANISMS[own["inner"]["name"]](own["inner"]), int(own["hidden"])
        self.outputs = self.inner.outputs + len(self.others)

    def code(self, value, words):
        # Both ways are gone by the same words, and the longer one tells how many are drawn.
        ways = [Words(words.words[words.drawn :]) for _ in range(2)]
        own = self.inner.code(self.sensitive.index(value) if value in self.sensitive else 0, ways[0])
        told = ways[1].next() >= self.hidden
        behind = self.inner.uniform(ways[1])
        words.drawn += max(way.drawn for way in ways)
        if value in self.sensitive:
            return own
        return self.inner.outputs + self.others.index(value) if told else behind


class Binary:
    outputs = 2

    def __init__(self, own, _=None):
        self.weights = int(own["first"]), int(own["second"])

    def code(self, value, words):
        word = words.next()
        words.next()
        return int(word >= self.weights[value])


class Table:
    def __init__(self, own, _=None):
        self.rows = [[int(weight) for weight in row] for row in own["weights"]]
        self.outputs = len(self.rows[0])

    def code(self, value, words):
        choice = below(sum(self.rows[0]), words)
        words.next()
        return pick(self.rows[value], choice)


class Tree:
    def __init__(self, own, axis):
        parents, lengths = axis
        self.outputs = len(parents)
        order = sorted({length for value, length in enumerate(lengths) if parents[value] is not None})
        factor = [int(own["factors"][order.index(length)]) if parents[i] is not None else 0
                  for i, length in enumerate(lengths)]  # fmt: skip
        self.near = [[] for _ in parents]
        for value, above in enumerate(parents):
            if above is not None:
                self.near[value].append((above, factor[value]))
                self.near[above].append((value, factor[value]))

    def column(self, code):
        """The weights of a code, but on its own value."""
        share = 1 - sum(Fraction(f, WORD + f) for _, f in self.near[code])
        weights, waiting = {code: min(math.ceil(WORD * share), WORD - 1)}, [code]
        for value in waiting:
            for other, factor in self.near[value]:
                if other not in weights:
                    weights[other] = -(-weights[value] * factor // WORD)
                    waiting.append(other)
        return weights

    def code(self, value, words):
        word = words.next()
        words.next()
        row = [self.column(code)[value] for code in range(self.outputs)]
        row[value] = WORD - (sum(row) - row[value])
        return pick(row, word)


def metric(attribute):
    """The trees of a metric: the parent of each value, and the length of the step to it."""
    if "axes" in attribute["protect"]:
        return [axis for own in attribute["protect"]["axes"] for axis in metric(own)]
    found, k = attribute["protect"]["metric"], size(attribute)
    if "tree" in found:
        names, lengths = attribute["labels"], found.get("lengths", {})
        above = {name: parent for parent, under in found["tree"].items() for name in under}
        parents = [names.index(above[name]) if name in above else None for name in names]
        return [(parents, [Fraction(lengths.get(name, 1)) for name in names])]
    if "map" in found:
        grid = attribute["grid"]
        return [line([Fraction(i) for i in range(grid[side])]) for side in ("rows", "columns")]
    if "positions" in found:
        return [line([Fraction(position) for position in found["positions"]])]
    return [line([Fraction(label) for label in attribute.get("labels", range(k))])]


def line(places):
    order = sorted(range(len(places)), key=places.__getitem__)
    parents, lengths = [None] * len(places), [Fraction(0)] * len(places)
    for lower, upper in pairwise(order):
        # Any end may be the root: only who is next to whom counts.
        parents[upper], lengths[upper] = lower, places[upper] - places[lower]
    return parents, lengths


class Product:
    def __init__(self, own, attribute):
        axes = metric(attribute)
        self.sizes = [len(parents) for parents, _ in axes]
        self.axes = [
            Tree(each, axis) if each["name"] == "tree" else MECHANISMS[each["name"]](each)
            for each, axis in zip(own["axes"], axes, strict=True)
        ]
        self.outputs = math.prod(axis.outputs for axis in self.axes)

    def code(self, value, words):
        digits = []
        for count in reversed(self.sizes):
            value, digit = divmod(value, count)
            digits.append(digit)
        code = 0
        for axis, digit in zip(self.axes, reversed(digits), strict=True):
            code = code * axis.outputs + axis.code(digit, words)
        return code


class Hierarchy:
    def __init__(self, own, attribute=None):
        self.fan, self.inner = own["fan"], [MECHANISMS[each["name"]](each, attribute) for each in own["inner"]]
        self.outputs = sum(each.outputs for each in self.inner)

    def code(self, value, words):
        level = below(len(self.inner), words)
        first = sum(each.outputs for each in self.inner[:level])
        return first + self.inner[level].code(value // self.fan**level, words)


MECHANISMS = {
    "randomized": Randomized, "hadamard": Hadamard, "projective": Projective, "subset": Subset, "cyclic": Cyclic,
    "blockwise": Blockwise, "high-low": HighLow, "binary": Binary, "table": Table, "linear": Table, "window": Window,
    "flips": Flips, "optional-window": OptionalWindow, "product": Product, "hierarchy": Hierarchy,
    "tree": lambda own, attribute: Tree(own, metric(attribute)[0]),
}  # fmt: skip
