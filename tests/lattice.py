"""Answers to one yes/no question about a value that changes, by whole steps of its epsilon: no line of the filter's."""

import math
from itertools import pairwise


class Lattice:
    """What the likeliest and the least likely histories so far have, by changes and by the value at the end.

    Each answer is worth a step to histories that are then at its value. What all have alike is left out.
    """

    def __init__(self, changes, ends=None):
        self.ends = ((((0, 0),) * (changes + 1),) * 2) if ends is None else ends

    def after(self, code):
        """Once one more answer is there."""
        sides = [
            tuple((row[0] + (code == 0), row[1] + (code == 1)) for row in _ahead(rows, best))
            for rows, best in zip(self.ends, (max, min), strict=True)
        ]
        base = sides[0][-1][0]
        return Lattice(0, tuple(tuple((a - base, b - base) for a, b in rows) for rows in sides))

    @property
    def loss(self):
        """In steps: between the likeliest history and the least likely."""
        return max(self.ends[0][-1]) - min(self.ends[1][-1])

    def accepts(self, steps):
        """Whether one more answer keeps so many steps, whatever it is."""
        return all(self.after(code).loss <= steps for code in (0, 1))


def _ahead(rows, best):
    kept = [rows[0]]
    for fewer, own in pairwise(rows):
        kept.append(tuple(best(value, *fewer) for value in own))
    return kept


def expected_answers(changes, steps, epsilon=0.1):
    """The mean number of answers until the question is refused, over their own randomness, to 1e-9."""
    yes = math.exp(epsilon) / (1 + math.exp(epsilon))
    waiting, total = {Lattice(changes).ends: 1.0}, 0.0
    while waiting:
        following = {}
        for ends, chance in waiting.items():
            lattice = Lattice(changes, ends)
            if not lattice.accepts(steps):
                continue
            total += chance
            for code, part in enumerate((1 - yes, yes)):
                after = lattice.after(code).ends
                following[after] = following.get(after, 0.0) + chance * part
        waiting = {ends: chance for ends, chance in following.items() if chance > 1e-12}
    return total
