"""What plans promise about each attribute, against their whole channels: every code, every record of a few values.

A channel is a table of Pr(code | record) over all records. The largest loss about an attribute is looked for by linear
programs over all beliefs that the declared dependence allows, and under priors for which it holds exactly.
"""

from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from scipy.optimize import linprog

from asked_numbers import AskedNumbers
from sordino import Categories, Interval, KeyedSource, Plan, Sampled, Survey
from sordino.design.sample_questions import SampleNumber, SampleQuestions
from sordino.design.stated_dependence import Bound, Statement
from sordino.domain.attribute import Attribute
from sordino.survey.planning.statement import save_statement

NUMBER = {"number": {"low": 0, "high": 10}}
ENDS = (-1.0, 1.0)
THREE = (-1.0, 0.0, 1.0)


def channel_of(plan, values):
    """Pr(code | record), shape (values of each attribute, codes), with the attributes in the order of the alphabet."""
    shape = tuple(len(values[name]) for name in plan.places)
    weights = [part.weight for part in plan.document.queries]
    law = np.zeros((*shape, plan.sampled.outputs))
    for cell in product(*map(range, shape)):
        record = {name: values[name][at] for name, at in zip(plan.places, cell, strict=True)}
        for question, first, weight in zip(plan.questions, plan.sampled.offsets, weights, strict=False):
            if isinstance(question.query, Sampled):
                own = AskedNumbers(question.query).law([record[name] for name in question.attribute_names])
            else:
                mechanism = question.query.mechanism
                weigh = partial(mechanism.weight, record[question.name])
                own = [Fraction(weigh(code), mechanism.denominator) for code in range(mechanism.outputs)]
            for code, share in enumerate(own):
                law[(*cell, first + code)] = share * Fraction(weight, sum(weights))
    assert np.abs(law.sum(axis=-1) - 1).max() < 1e-12
    # Some codes are never sent.
    return law[..., law.reshape(-1, law.shape[-1]).any(axis=0)]


def by_value(law, i):
    """The channel of the attribute i and all others, shape (values, others, codes)."""
    moved = np.moveaxis(law, i, 0)
    return moved.reshape(len(moved), -1, law.shape[-1])


def worst_of_program(first, second, constraints, bounds):
    """The largest ratio of the means of two functions, under beliefs a and b over the others that meet constraints.

    Beliefs are scaled until the second mean is 1; constraints are rows for (a, b, slacks, scale), at most 0.
    """
    m, slacks = len(first), constraints.shape[1] - 2 * len(first) - 1
    equal = np.zeros((3, constraints.shape[1]))
    equal[0, :m], equal[1, m : 2 * m], equal[2, m : 2 * m] = 1, 1, second
    equal[:2, -1] = -1
    cost = np.concatenate([-first, np.zeros(m + slacks + 1)])
    found = linprog(cost, constraints, np.zeros(len(constraints)), equal, [0, 0, 1], bounds=bounds)
    assert found.status == 0
    return -found.fun


def within(m, q):
    """Beliefs within total variation q: the sum of what a has more than b is at most q."""
    rows = np.zeros((m + 1, 3 * m + 1))
    rows[:m, :m], rows[:m, m : 2 * m], rows[:m, 2 * m : 3 * m] = np.eye(m), -np.eye(m), -np.eye(m)
    rows[m, 2 * m : 3 * m], rows[m, -1] = 1, -q
    return rows


def worst_within(table, q):
    """The same by the extremes: a common point, and beside it the best for one and the worst for the other."""
    worst = 1.0
    for first, second in permutations(range(len(table)), 2):
        heavy = (1 - q) * table[first] + q * table[first].max(axis=0)
        light = (1 - q) * table[second] + q * table[second].min(axis=0)
        worst = max(worst, float((heavy / light).max()))
    return np.log(worst)


def losses_under(law, prior):
    """The exact loss about each attribute under a prior, and the total variation of all others given its values."""
    losses, variations = [], []
    for i in range(prior.ndim):
        moved = np.moveaxis(prior, i, 0).reshape(prior.shape[i], -1)
        given = moved / moved.sum(axis=1, keepdims=True)
        told = np.einsum("ar,arc->ac", given, by_value(law, i))
        losses.append(float(np.log(told.max(axis=0) / told.min(axis=0)).max()))
        variations.append(max(float(np.abs(a - b).sum() / 2) for a in given for b in given))
    return losses, variations


def require_kept(plan, law, losses):
    """No loss passes its delta, nor what the plan says it reaches; and the whole record keeps epsilon."""
    for loss, delta, reached in zip(losses, plan.promise.deltas, plan.promise.losses, strict=True):
        assert loss <= float(reached) + 1e-9
        assert loss <= float(delta) + 1e-9
    flat = law.reshape(-1, law.shape[-1])
    level = float(np.log(flat.max(axis=0) / flat.min(axis=0)).max())
    assert level <= float(plan.promise.level) + 1e-9
    assert level <= float(plan.promise.epsilon) + 1e-9


def survey(attributes, asks, rest=None, epsilon="2"):
    dependence = {} if rest is None else {"dependence": {"rest": rest}}
    return Survey.read({"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": asks, **dependence})


MIXED = {
    "age": {**NUMBER, "delta": "1.2"},
    "city": {"categories": 2, "delta": "0.3"},
    "income": {**NUMBER, "delta": "0.4"},
    "smoker": {"categories": ["yes", "no", "ex"], "delta": "0.7"},
    "weight": {**NUMBER, "delta": "2"},
}
ASKS = [
    {"histogram": "smoker", "weight": 3},
    {"mean": ["income", "age"]},
    {"covariance": ["weight", "age"], "weight": 2},
    {"regression": {"target": "income", "features": ["weight", "age"]}},
]
VALUES = {"age": THREE, "city": range(2), "income": ENDS, "smoker": range(3), "weight": ENDS}

SURVEYS = {
    "all questions mixed": (MIXED, ASKS, {"age": 0.3, "city": 0.2, "income": 0.05, "smoker": 0.5}, VALUES),
    "nothing known": (MIXED, ASKS, None, VALUES),
    "means together": (
        {"a": {**NUMBER, "delta": "0.2"}, "b": NUMBER, "c": NUMBER, "d": {"categories": 2, "delta": "1.5"}},
        [{"mean": ["c", "a", "b"]}],
        {"a": 0.05, "b": 0.1, "c": 0.1},
        {"a": ENDS, "b": THREE, "c": ENDS, "d": range(2)},
    ),
    "a histogram beside a mean": (
        {"job": {"categories": 4, "delta": "0.5"}, "pay": {**NUMBER, "delta": "1"}},
        [{"histogram": "job"}, {"mean": "pay"}],
        0.1,
        {"job": range(4), "pay": THREE},
    ),
    "independent": (
        {"x": {**NUMBER, "delta": "0.1"}, "y": NUMBER, "z": {"categories": 3, "delta": "0.01"}},
        [{"covariance": ["x", "y"]}],
        0,
        {"x": THREE, "y": ENDS, "z": range(3)},
    ),
}


@pytest.mark.parametrize("name", SURVEYS)
def test_no_beliefs_within_the_bounds_pass_a_delta(name):
    attributes, asks, rest, values = SURVEYS[name]
    assert [*values] == sorted(values)
    plan = Plan.of(survey(attributes, asks, rest), 1000)
    assert plan.promise.holds
    law = channel_of(plan, values)
    # As the survey says, and what it does not say is 1.
    bounds = [float(rest.get(name, 1) if isinstance(rest, dict) else 1 if rest is None else rest) for name in values]
    losses = [worst_within(by_value(law, i), q) for i, q in enumerate(bounds)]
    require_kept(plan, law, losses)
    used = [loss / float(delta) for loss, delta in zip(losses, plan.promise.deltas, strict=True)]
    assert max(used) >= 0.99
    # Of each attribute the code that tells most is tried by a linear program, too, and a few others.
    rng = np.random.default_rng(5)
    for i, q in enumerate(bounds):
        table, found = by_value(law, i), []
        ratios = table.max(axis=(0, 1)) / table.min(axis=(0, 1))
        codes = {int(ratios.argmax()), *rng.integers(0, law.shape[-1], 2).tolist()}
        for code, (a, b) in product(codes, permutations(range(len(table)), 2)):
            args = table[a, :, code], table[b, :, code]
            found.append(np.log(worst_of_program(*args, within(table.shape[1], q), (0, None))))
            one = table[[a, b]][:, :, [code]]
            assert found[-1] <= worst_within(one, q) + 1e-7
        assert max(found) <= losses[i] + 1e-7


def test_an_attribute_that_nobody_is_asked_for_is_protected():
    plan = Plan.of(survey(MIXED, ASKS, SURVEYS["all questions mixed"][2]), 1000)
    place = plan.places.index("city")
    assert all(place not in answer.places for answers in plan.promise.types for answer in answers)
    law = channel_of(plan, VALUES)
    # What is told about it is told through the others only, and may be all that its delta allows.
    assert np.abs(np.diff(by_value(law, place), axis=0)).max() == 0
    loss = worst_within(by_value(law, place), 0.2)
    assert 0.99 * 0.3 <= loss <= 0.3 + 1e-9


def spread_prior(shape, q):
    """With probability q all attributes follow one coin, else each its own: the first values against the last."""
    prior = np.full(shape, (1 - q) / prod(shape))
    for side in (0, -1):
        prior[(side,) * len(shape)] += q / 2
    return prior


def xor_prior(shape, kinds):
    """Fair attributes of which the first is the product of the signs of the next two; others are fair and apart."""
    prior = np.zeros(shape)
    for cell in product(*map(range, shape)):
        first, second, third = (int(kinds[j] * (2 * cell[j] >= shape[j])) for j in range(3))
        prior[cell] = float(first == second ^ third)
    return prior / prior.sum()


def priors(shape):
    rng = np.random.default_rng(11)
    yield from (spread_prior(shape, q) for q in (0.02, 0.3, 0.9))
    yield xor_prior(shape, (1, 1, 1))
    for roughness in (0.05, 0.3, 3.0):
        for _ in range(4):
            # Rough ones have nearly all their weight on few records.
            yield rng.dirichlet(np.full(prod(shape), roughness)).reshape(shape) + 1e-9


@pytest.mark.first_cases(1)
# The last of them asks all questions.
@pytest.mark.parametrize("asked", [*range(len(ASKS)), pytest.param(len(ASKS), marks=pytest.mark.long)])
def test_no_prior_passes_a_delta_under_its_own_bounds(asked):
    asks = ASKS if asked == len(ASKS) else [ASKS[asked]]
    shape = tuple(len(VALUES[name]) for name in sorted(VALUES))
    closest = 0.0
    for prior in priors(shape):
        _, variations = losses_under(np.ones((*shape, 1)), prior)
        # Declared as they are, rounded up.
        rest = {name: min(1.0, round(q + 1e-9, 9)) for name, q in zip(sorted(VALUES), variations, strict=True)}
        plan = Plan.of(survey(MIXED, asks, rest), 1000)
        law = channel_of(plan, VALUES)
        losses, _ = losses_under(law, prior)
        require_kept(plan, law, losses)
        closest = max([closest, *(a / float(b) for a, b in zip(losses, plan.promise.deltas, strict=True))])
    assert closest > 0.5


def test_where_all_pairs_are_independent_a_product_still_tells_the_third():
    # Pairwise the three are independent; together two of them are the third, and the bound must be declared as 1.
    attributes = {"a": {"categories": 2, "delta": "0.1"}, "b": NUMBER, "c": NUMBER}
    asks = [{"covariance": ["b", "c"]}]
    values = {"a": range(2), "b": ENDS, "c": ENDS}
    prior = xor_prior((2, 2, 2), (1, 1, 1))
    honest = Plan.of(survey(attributes, asks, {"a": 1}), 1000)
    loss = losses_under(channel_of(honest, values), prior)[0][0]
    assert 0.99 * 0.1 <= loss <= 0.1 + 1e-9
    # With a bound that holds for each pair only the promise would be broken.
    wrong = Plan.of(survey(attributes, asks, {"a": 0.01}), 1000)
    assert losses_under(channel_of(wrong, values), prior)[0][0] > 10 * 0.1


STATED = {"job": {"categories": 3, "delta": "0.5"}, "pay": NUMBER, "rent": NUMBER}
STATED_ASKS = [{"histogram": "job"}, {"mean": ["pay", "rent"]}, {"covariance": ["pay", "rent"]}]
STATED_VALUES = {"job": range(3), "pay": THREE, "rent": THREE}
GAPS = {(1,): "0.1", (2,): "0.05", (1, 1): "0.02", (1, 2): "0.15", (2, 2): "0.3"}
TOUCHED = 0.6
"""The bound of a product given one of its two numbers."""


@pytest.fixture
def stated(tmp_path):
    """A plan that takes its bounds from a statement: of one-bit answers half the gap of means, of the job its law."""
    numbers = [SampleNumber(name, Interval(0, 10), edges=(0.0, 5.0, 10.0)) for name in ("pay", "rent")]
    asked = SampleQuestions((Attribute("job", Categories(range(3))), *numbers), ((0,), *GAPS))
    bounds = []
    for i, statistic in product(range(3), asked.statistics):
        why = asked.why(i, statistic)
        bound = Fraction(GAPS.get(statistic, "0.2"))
        if i in statistic:
            bound = Fraction(str(TOUCHED)) if len({*statistic}) > 1 else Fraction(1)
        seen = {"seen": bound / 2, "least": 10} if why == "sample" else {}
        bounds.append(Bound(i, statistic, bound, why, **seen))
    save_statement(Statement(asked, tuple(bounds), 1000, Fraction(99, 100)), tmp_path / "statement.json")
    attributes = {
        name: {**table, "number": {**table["number"], "bins": 2}} if "number" in table else table
        for name, table in STATED.items()
    }
    attributes["pay"]["delta"] = "0.8"
    asks = {"version": 1, "epsilon": "2", "attribute": attributes, "ask": STATED_ASKS}
    return Plan.of(Survey.read({**asks, "dependence": {"file": "statement.json"}}, folder=tmp_path), 1000)


def statistic_values(name, cells, i, own):
    """A statistic at each record with a value of the attribute i."""
    numbers = []
    for cell in cells:
        record = [*cell[:i], own, *cell[i:]]
        one = [STATED_VALUES[("job", "pay", "rent")[place]][record[place]] for place in name]
        numbers.append(one[0] if len(one) == 1 else one[0] * one[1] if name[0] < name[1] else 2 * one[0] ** 2 - 1)
    return np.array(numbers)


def test_no_beliefs_within_bounds_for_each_statistic_pass_a_delta(stated):
    law = channel_of(stated, STATED_VALUES)
    assert stated.promise.dependence.of(0, (1, 2)) == Fraction("0.15")
    shape, used = law.shape[:-1], []
    for i in range(3):
        others = [place for place in range(3) if place != i]
        cells = list(product(*(range(shape[place]) for place in others)))
        table, worst = by_value(law, i), 0.0
        for a, b in permutations(range(shape[i]), 2):
            rows = [np.zeros(3 * len(cells) + 1)]
            for name, bound in GAPS.items():
                q = float(Fraction(bound)) if i not in name else TOUCHED if len({*name}) > 1 else 1
                for sign in (1, -1):
                    # Half the gap of the means is at most q; |E_a s - E_b s| <= 2 q.
                    row = np.zeros(3 * len(cells) + 1)
                    row[: len(cells)] = sign * statistic_values(name, cells, i, a)
                    row[len(cells) : 2 * len(cells)] = -sign * statistic_values(name, cells, i, b)
                    row[-1] = -2 * q
                    rows.append(row)
            if i != 0:
                # The job's law: what each job has more given a than given b sums to 0.2 at most.
                jobs = range(shape[0])
                for job in jobs:
                    row = np.zeros(3 * len(cells) + 1)
                    inside = np.array([cell[0] == job for cell in cells], dtype=float)
                    row[: len(cells)], row[len(cells) : 2 * len(cells)] = inside, -inside
                    row[2 * len(cells) + job] = -1
                    rows.append(row)
                row = np.zeros(3 * len(cells) + 1)
                row[2 * len(cells) : 2 * len(cells) + shape[0]], row[-1] = 1, -0.2
                rows.append(row)
            for code in range(law.shape[-1]):
                ratio = worst_of_program(table[a, :, code], table[b, :, code], np.array(rows), (0, None))
                worst = max(worst, float(np.log(ratio)))
        # The program solves to 1e-7.
        assert worst <= float(stated.promise.losses[i]) + 1e-6
        assert worst <= float(stated.promise.deltas[i]) + 1e-6
        used.append(worst / float(stated.promise.deltas[i]))
    assert max(used) >= 0.99


def test_the_question_and_the_statistic_are_drawn_apart():
    # A keyed source repeats its words: were both draws made of the same ones, one would tell the other.
    attributes = dict.fromkeys("abcd", NUMBER)
    asks = [{"covariance": ["a", "b"]}, {"mean": ["c", "d"], "weight": 2}, {"covariance": ["a", "d"]}]
    plan = Plan.of(survey(attributes, asks), 1000)
    n, sampled = 60_000, plan.sampled
    source = KeyedSource(bytes(range(32)), "a task").for_records(np.arange(n))
    codes = sampled.privatize([np.zeros((n, 2))] * 3, source).astype(np.int64)
    counts, expected = [], []
    for question, first, weight in zip(plan.questions, sampled.offsets, (1, 2, 1), strict=False):
        asked = AskedNumbers(question.query)
        law = np.array([float(share) for share in asked.law([0.0, 0.0])])
        for own in map(range, asked.offsets, asked.offsets[1:]):
            counts.append(np.isin(codes, first + np.array(own)).sum())
            expected.append(n * law[list(own)].sum() * weight / 4)
    counts, expected = np.array(counts), np.array(expected)
    assert counts.sum() == n
    assert len(counts) > 8
    # Far beyond what chance does: a square of 60 with a dozen degrees of freedom has odds of 1 in 10^7.
    assert ((counts - expected) ** 2 / expected).sum() < 60
