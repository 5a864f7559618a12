"""Mechanisms of numbers, as docs/plan-format.md has them: windows, windows and none, flips of bits."""

from plain_words import below, either, pick


class Window:
    def __init__(self, own, _=None):
        self.k, self.window, self.threshold = own["k"], own["window"], int(own["threshold"])
        self.outputs = self.k + self.window - 1

    def code(self, value, words):
        outside = words.next() >= self.threshold
        found = either(self.window, self.k - 1, outside, words)
        if not outside:
            return value + found
        return found if found < value else found + self.window


class OptionalWindow:
    def __init__(self, own, _=None):
        self.bins = Window({**own, "k": own["k"] - 1})
        self.present, self.absent = int(own["present"]), int(own["absent"])
        self.outputs = self.bins.outputs + 1

    def code(self, value, words):
        none = value == self.bins.k
        missing = words.next() < (self.absent if none else self.present)
        among_all, own = below(self.bins.outputs, words), self.bins.code(0 if none else value, words)
        if missing:
            return self.bins.outputs
        return among_all if none else own


class Flips:
    def __init__(self, own, _=None):
        self.table = [int(weight) for weight in own["table"]]
        self.outputs = len(self.table)

    def code(self, value, words):
        return value ^ pick(self.table, words.next())
