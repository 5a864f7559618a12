"""A client in whole numbers that shares no code with the package: what a person's device needs of a plan.

It does what docs/plan-format.md says. Words come one after the other; floats are in the rounding of numbers only.
"""

import json
import math
from hashlib import sha256

from plain_draw import Mechanism, rank
from plain_words import WORD, below, pick


class Client:
    """Who has read a plan, and reports."""

    @classmethod
    def of_text(cls, text):
        """Of the text of a plan's file; ValueError of another text than the one that its hash and format allow."""
        plan = json.loads(text)
        rest = json.dumps({key: plan[key] for key in plan if key != "hash"}, sort_keys=True, separators=(",", ":"))
        frozen = f'{{"hash":"sha256:{sha256(rest.encode()).hexdigest()}",{rest[1:]}\n'
        if text != frozen or (plan["format"], plan["version"]) != ("sordino plan", 4):
            raise ValueError("no plan of this format, or not as it was frozen")
        return cls(plan)

    def __init__(self, plan):
        self.public = plan.get("public", [])
        weights = [part["weight"] for part in plan["queries"]]
        self.weights = [weight // math.gcd(*weights) for weight in weights]
        self.attributes = plan["attributes"]
        self.asks = [
            next((kind for word, kind in KINDS.items() if word in part), Numbers)(plan, part)
            for part in plan["queries"]
        ]

    def report(self, record, words):
        """The code of a record."""
        record = {**record}
        for name in self.attributes:
            self.settle(name, record)
        chosen = pick(self.weights, below(sum(self.weights), words)) if len(self.weights) > 1 else 0
        return sum(ask.outputs for ask in self.asks[:chosen]) + self.asks[chosen].answer(record, words)

    def cell(self, record):
        """The number of its public values, which a report says beside its code."""
        cell = 0
        for column in self.public:
            cell = cell * size(column) + index(column, record.get(column["name"]))
        return cell

    def period(self, words):
        """The period in which the person answers, by its first day: one of the last public column's values."""
        labels = self.public[-1]["labels"]
        return labels[below(len(labels), words)]

    def settle(self, name, record):
        """Put "not asked" where earlier answers say so; of a number, nothing."""
        conditions = self.attributes[name].get("only_if", {})
        for other in conditions:
            self.settle(other, record)
        found = {other: record.get(other, self.attributes[other].get("missing")) for other in conditions}
        if not all(found[other] in conditions[other] for other in conditions):
            record[name] = self.attributes[name].get("not_asked")


class Histogram:
    """A question about an attribute's shares."""

    def __init__(self, plan, part):
        self.name, self.attribute = part["histogram"], plan["attributes"][part["histogram"]]
        self.mechanism = Mechanism(part["mechanism"])
        self.outputs = self.mechanism.outputs

    def answer(self, record, words):
        return self.mechanism.code(index(self.attribute, record.get(self.name)), words)


class Distribution:
    """A question about the bin of a number."""

    def __init__(self, plan, part):
        self.name = part["distribution"]
        ends = plan["attributes"][self.name]["number"]
        self.low, self.high = float(ends["low"]), float(ends["high"])
        count = part.get("bins")
        step = (self.high - self.low) / count if count else None
        self.starts = [i * step + self.low for i in range(count)] if count else part["edges"][:-1]
        self.mechanism = Mechanism(part["mechanism"])
        self.outputs = self.mechanism.outputs

    def answer(self, record, words):
        if record.get(self.name) is None:
            return self.mechanism.code(len(self.starts), words)
        number = min(max(float(record[self.name]), self.low), self.high)
        return self.mechanism.code(max(i for i, start in enumerate(self.starts) if start <= number), words)


class Above:
    """A question about the side of a threshold on which a number lies."""

    def __init__(self, _, part):
        self.name, self.threshold = part["above"], float(part["threshold"])
        self.mechanism = Mechanism(part["mechanism"])
        self.outputs = self.mechanism.outputs

    def answer(self, record, words):
        return self.mechanism.code(0 if float(record[self.name]) < self.threshold else 1, words)


class Table:
    """A question about the cells of several attributes."""

    def __init__(self, plan, part):
        self.attributes = [(name, plan["attributes"][name]) for name in part["table"]]
        self.mechanism = Mechanism(part["mechanism"])
        self.outputs = self.mechanism.outputs

    def answer(self, record, words):
        cell = 0
        for name, attribute in self.attributes:
            cell = cell * size(attribute) + index(attribute, record.get(name))
        return self.mechanism.code(cell, words)


class Several:
    """A question about categories of which several apply."""

    def __init__(self, plan, part):
        self.name, self.attribute = part["several"], plan["attributes"][part["several"]]
        self.marks = len(self.attribute["labels"]) + 1 + ("not_asked" in self.attribute)
        self.number = {"combination": self.combination, "meeting": self.padded}.get(part["way"])
        self.mechanism, self.drawn = Mechanism(part["mechanism"]), part["way"] == "category"
        self.outputs = self.mechanism.outputs * (self.marks if self.drawn else 1)

    def answer(self, record, words):
        labels, value = self.attribute["labels"], record.get(self.name)
        value = self.attribute.get("missing") if value is None else value
        has = [] if isinstance(value, str) else sorted(labels.index(label) for label in value)
        unasked = isinstance(value, str) and value == self.attribute.get("not_asked")
        if not self.drawn:
            return self.mechanism.code(self.number(has, unasked), words)
        mark = below(self.marks, words)
        applies = mark in has or (mark == len(labels) + unasked and not has)
        return mark * self.mechanism.outputs + self.mechanism.code(sign(1.0 if applies else -1.0, words), words)

    def combination(self, has, unasked):
        count = len(self.attribute["labels"])
        if unasked:
            return sum(math.comb(count, size) for size in range(self.attribute["several"] + 1))
        smaller = sum(math.comb(count, size) for size in range(len(has)))
        return smaller + rank(has)

    def padded(self, has, unasked):
        """The number of as many items for everybody: labels, then dummies; an item of its own for who was not asked."""
        count, most = len(self.attribute["labels"]), self.attribute["several"]
        dummies = range(count, count + most - len(has) - unasked)
        return rank([*has, *dummies, *[count + most] * unasked])


KINDS = {"histogram": Histogram, "distribution": Distribution, "above": Above, "table": Table, "several": Several}


def size(attribute):
    """How many values; of a number in bins these, and that it is missing where it may be."""
    if "number" in attribute:
        return len(attribute["number"]["edges"]) - 1 + ("missing" in attribute)
    if "labels" in attribute:
        return len(attribute["labels"])
    return attribute["numbers"] if "numbers" in attribute else attribute["grid"]["rows"] * attribute["grid"]["columns"]


def index(attribute, value):
    """The place of a value."""
    if "labels" in attribute:
        return attribute["labels"].index(attribute["missing"] if value is None else value)
    if "edges" in attribute.get("number", {}):
        starts = attribute["number"]["edges"][:-1]
        return len(starts) if value is None else max([0, *(i for i, start in enumerate(starts) if start <= value)])
    if "numbers" in attribute or isinstance(value, int):
        return value
    grid = attribute["grid"]
    row = cell(value["latitude"], grid["south"], grid["north"], grid["rows"])
    return row * grid["columns"] + cell(value["longitude"], grid["west"], grid["east"], grid["columns"])


def cell(position, low, high, cells):
    """The last cell whose lower edge is not above a position."""
    step = (float(high) - float(low)) / cells
    return max(i for i in range(cells) if position >= i * step + low)


class Numbers:
    """A question about numbers."""

    def __init__(self, plan, part):
        found = part["queries"]
        self.attributes = [(name, plan["attributes"][name]) for name in part["numbers"]]
        mechanisms = list(map(Mechanism, found["mechanisms"]))
        alone = [
            ([call], [at]) if isinstance(call[0], str) else (call, at)
            for call, at in zip(found["statistics"], found["through"], strict=True)
        ]
        self.queries = [
            [(call, mechanisms[at]) for call, at in zip(calls, places, strict=True)] for calls, places in alone
        ]
        common = math.gcd(*found["weights"])
        self.weights = [weight // common for weight in found["weights"]]
        self.sizes = [math.prod(mechanism.outputs for _, mechanism in query) for query in self.queries]
        self.outputs = sum(self.sizes)

    def answer(self, record, words):
        numbers = [
            number_of(attribute["number"], record.get(name))
            if "number" in attribute
            else index(attribute, record.get(name))
            for name, attribute in self.attributes
        ]
        chosen = pick(self.weights, below(sum(self.weights), words)) if len(self.weights) > 1 else 0
        code = 0
        for (name, *arguments), mechanism in self.queries[chosen]:
            value = STATISTICS[name](numbers, arguments, words)
            code = code * mechanism.outputs + mechanism.code(value, words)
        return sum(self.sizes[:chosen]) + code


def number_of(ends, given):
    return None if given is None else scaled(float(given), float(ends["low"]), float(ends["high"]))


def scaled(number, low, high):
    number = min(max(number, low), high)
    return min(max(((number - low) - (high - number)) / (high - low), -1.0), 1.0)


def sign(number, words):
    """1 for +1, 0 for -1."""
    amount, word = int(abs(number) * 2.0**63), words.next()
    wrong = 1 << 63 <= word < WORD - amount
    return int(wrong != (number >= 0))


def point(numbers, arguments, words):
    place, points = arguments
    return sign(numbers[place], words) if points == 2 else on_grid(numbers[place], points, words)


def on_grid(number, points, words):
    above = (number + 1.0) * ((points - 1) / 2)
    lower = min(math.floor(above), points - 1)
    threshold = int(min(max(above - lower, 0.0), 1 - 2.0**-53) * 2.0**64)
    return min(lower + (words.next() < threshold), points - 1)


def optional(numbers, arguments, words):
    place, points = arguments
    if numbers[place] is None:
        words.next()
        return points
    return on_grid(numbers[place], points, words)


def of_two(numbers, arguments, words):
    first, second = arguments
    moment = numbers[first] * numbers[second]
    return sign(2 * moment - 1 if first == second else moment, words)


def signs(numbers, arguments, words):
    return sum(sign(numbers[place], words) << bit for bit, place in enumerate(arguments))


def category_sign(numbers, arguments, words):
    place, _, number = arguments
    return 2 * numbers[place] + sign(numbers[number], words)


def two_categories(numbers, arguments, words):
    first, _, second, others = arguments
    return numbers[first] * others + numbers[second]


def binary_product(numbers, arguments, words):
    first, second, categories = arguments
    other = 2 * numbers[second] - 1 if categories == 2 else numbers[second]
    return sign((2 * numbers[first] - 1) * other, words)


STATISTICS = {
    "number": point,
    "product": of_two,
    "signs": signs,
    "optional": optional,
    "category-sign": category_sign,
    "two-categories": two_categories,
    "binary-product": binary_product,
}

SIZES = {
    "number": lambda place, points: points,
    "product": lambda first, second: 2,
    "signs": lambda *places: 1 << len(places),
    "category-sign": lambda place, k, number: 2 * k,
    "two-categories": lambda first, k, second, others: k * others,
    "binary-product": lambda first, second, categories: 2,
}


def complete(name):
    """A statistic of those who have all of some numbers."""

    def read(numbers, arguments, words):
        count, *rest = arguments
        needed, own = rest[:count], rest[count:]
        value = STATISTICS[name]([0.0 if number is None else number for number in numbers], own, words)
        return SIZES[name](*own) if any(numbers[place] is None for place in needed) else value

    return read


STATISTICS |= {f"complete-{name}": complete(name) for name in SIZES}
