"""What reports of queries about numbers tell, by hand: what each code counts as, the means, and their covariance.

Nothing here is taken from the package but what `enumerated` takes: places, points, thresholds, tables and weights.
"""

import math
from itertools import permutations, product

import numpy as np

from enumerated import parts_of, queries_of, row, tally_of
from sordino import Number, Product


def moment(name, record):
    value = math.prod(record[place] for place in name)
    return 2 * value - 1 if len(set(name)) < len(name) else value


def told_by(query):
    """The moments that a query tells, and what each value counts as."""
    statistic = query.statistic
    if isinstance(statistic, Product):
        return [((statistic.first, statistic.second), [-1.0, 1.0])]
    if isinstance(statistic, Number):
        return [((statistic.place,), [2 * v / (statistic.k - 1) - 1 for v in range(statistic.k)])]
    return [((p,), [2.0 * (v >> c & 1) - 1 for v in range(statistic.k)]) for c, p in enumerate(statistic.at)]


def counted(mechanism, values):
    """What each code counts as, so that its mean is the value's."""
    law = np.array([[float(share) for share in row(mechanism, value)] for value in range(mechanism.k)])
    codes = law.shape[1]
    if codes > mechanism.k:
        # Linear in the code.
        basis = np.stack([np.ones(codes), np.arange(codes)], axis=1)
        return basis @ np.linalg.lstsq(law @ basis, np.array(values))[0]
    return np.linalg.solve(law, np.array(values))


def tellings(asked):
    """For each query and moment: the first counter, what codes count as, the largest E[g^2 | value], the share."""
    total, first, found = sum(weight for _, weight in queries_of(asked)), 0, []
    drawn = [(part, weight) for query, weight in queries_of(asked) for part in parts_of(query)]
    for query, weight in drawn:
        for name, values in told_by(query):
            g = counted(query.mechanism, values)
            law = np.array([[float(s) for s in row(query.mechanism, v)] for v in range(query.mechanism.k)])
            found.append((name, first, g, (law @ g**2).max(), weight / total, query, (law @ g**2, values)))
        first += query.mechanism.outputs
    return found


def read(asked, codes):
    """The means and their covariance, report by report."""
    names = list(dict.fromkeys(name for name, *_ in tellings(asked)))
    sums, drawn_for = np.zeros(len(names)), np.zeros(len(names))
    answers, least = np.zeros(len(names)), np.zeros(len(names))
    parts = [(names.index(name), first, g, most, second) for name, first, g, most, _, _, second in tellings(asked)]
    known = {code: tally_of(asked, [code]) for code in set(codes)}
    told = [
        [
            (m, g[known[code][first : first + len(g)].index(1)], most, least)
            for m, first, g, most, least in parts
            if any(known[code][first : first + len(g)])
        ]
        for code in codes
    ]
    for report in told:
        for m, worth, most, (second, values) in report:
            sums[m] += worth / most
            drawn_for[m] += 1 / most
            answers[m] += 1
            least[m] += (second - np.array(values) ** 2).min() / most**2
    means = sums / drawn_for
    spread = np.zeros((len(names),) * 2)
    for report in told:
        residual = np.zeros(len(names))
        for m, worth, most, _ in report:
            residual[m] = (worth - np.clip(means[m], -1, 1)) / most
        spread += np.outer(residual, residual)
    np.fill_diagonal(spread, np.maximum(np.diag(spread), least))
    factor = np.sqrt(answers / (answers - 1)) / drawn_for
    return means, spread * np.outer(factor, factor)


def untold(asked):
    """Which pairs of moments one person tells by two answers, whose tallies are apart."""
    names = list(dict.fromkeys(name for name, *_ in tellings(asked)))
    found = np.zeros((len(names),) * 2, dtype=bool)
    for query, _ in queries_of(asked):
        for one, other in permutations(parts_of(query), 2):
            for first, second in product(told_by(one), told_by(other)):
                found[names.index(first[0]), names.index(second[0])] = True
    return found
