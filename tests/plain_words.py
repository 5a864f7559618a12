"""Words of a source, uniform choices and picks, as docs/plan-format.md has them: a part of the plain client."""

from itertools import accumulate

WORD = 1 << 64


class Words:
    """The words of a source, and how many were drawn."""

    def __init__(self, words):
        self.words, self.drawn = words, 0

    def next(self):
        self.drawn += 1
        return self.words[self.drawn - 1]


def below(bound, words):
    """A uniform whole number below a bound."""
    return either(bound, bound, False, words)


def either(first, second, heads, words):
    """Below the second bound where `heads` holds, else below the first: both look at every word."""
    kept, bounds = None, (first, second)
    if first == second == WORD:
        return words.next()
    while True:
        word, found = words.next(), []
        for bound in bounds:
            if max(bounds) <= 1 << 32:
                choice, rest = divmod((word >> 32) * bound, 1 << 32)
                found.append((choice, rest < (1 << 32) % bound))
            else:
                choice = word // (WORD // bound)
                found.append((choice, choice >= bound))
        choice, wrong = found[heads]
        if kept is None and not wrong:
            kept = choice
        if not any(rejected for _, rejected in found):
            return kept


def pick(weights, word):
    """The first code whose weights up to it are together above the word."""
    return next(code for code, end in enumerate(accumulate(weights)) if word < end)
