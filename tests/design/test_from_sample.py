"""Bounds from a sample against hand-computed cases, and against events and means listed one by one in fractions."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from in_one import in_one
from sordino import Categories, Interval, SordinoError
from sordino.design import from_sample
from sordino.design.from_sample import state_dependence, tally_sample
from sordino.design.sample_questions import SampleNumber, SampleQuestions, cells_of
from sordino.design.stated_dependence import Statement
from sordino.domain.attribute import Attribute
from sordino.domain.moment import Moments


def categories(*sizes):
    return tuple(Attribute(f"x{j}", Categories(range(k))) for j, k in enumerate(sizes))


def bounds_of(asked, columns, confidence="0.95", **settings):
    statement = state_dependence(asked, tally_sample(asked, columns), confidence, **settings)
    return {(bound.attribute, bound.statistic): bound for bound in statement.bounds}


def margin(first, second, chances):
    """The margin for chance, in fifty digits."""
    with mpmath.workdps(50):
        return mpmath.sqrt((mpmath.mpf(1) / first + mpmath.mpf(1) / second) * mpmath.log(chances) / 2)


def assert_rounded_up(bound, exact, within=3e-9):
    with mpmath.workdps(50):
        exact = mpmath.mpf(exact.numerator) / exact.denominator if isinstance(exact, Fraction) else exact
        found = mpmath.mpf(bound.numerator) / bound.denominator
        assert exact <= found <= exact + within


def test_two_answers_of_yes_or_no_by_hand():
    # 4000 of value 0, of whom 3000 say 0; 6000 of value 1, of whom 1000 do: 3/4 against 1/6.
    asked = SampleQuestions(categories(2, 2), ((0,), (1,)))
    x, y = np.repeat([0, 0, 1, 1], [3000, 1000, 1000, 5000]), np.repeat([0, 1, 0, 1], [3000, 1000, 1000, 5000])
    found = bounds_of(asked, [x, y])
    # Two comparisons share 5 %: ln(2/0.05) each.
    assert asked.comparisons == 2
    assert_rounded_up(found[0, (1,)].bound, mpmath.mpf(7) / 12 + margin(4000, 6000, 40))
    # The other way round: 3000 of 4000 against 1000 of 6000, too, by other counts.
    assert_rounded_up(found[1, (0,)].bound, mpmath.mpf(7) / 12 + margin(4000, 6000, 40))
    assert (found[0, (0,)].bound, found[0, (0,)].why) == (1, "own")
    assert_rounded_up(found[0, (1,)].seen, Fraction(7, 12))
    assert found[0, (1,)].least == 4000


def test_a_bit_about_a_number_by_hand():
    # Scaled means -1/2 and 1/4: half the gap is 3/8. One comparison, both signs: ln(2/0.05).
    asked = SampleQuestions((*categories(2), SampleNumber("y", Interval(0, 8))), ((1,),))
    x, y = np.repeat([0, 1], [500, 900]), np.repeat([2.0, 5.0], [500, 900])
    found = bounds_of(asked, [x, y])
    assert asked.comparisons == 1
    assert_rounded_up(found[0, (1,)].bound, Fraction(3, 8) + margin(500, 900, 40))


@pytest.mark.parametrize(
    ("answers", "numbers", "half_gap"),
    # Of 0..4 the numbers 2 and 3.5 are scaled to 0 and 3/4; of 0.5 and 3.9 the bins' middles to -1/2 and 1/2.
    [("number", (2.0, 3.5), Fraction(3, 8)), ("bin", (0.5, 3.9), Fraction(1, 2))],
)
def test_bins_and_what_a_device_answers(answers, numbers, half_gap):
    x, y = (
        SampleNumber("x", Interval(0, 4), edges=(0, 2, 4)),
        SampleNumber("y", Interval(0, 4), answers=answers, edges=(0, 2, 4)),
    )
    asked = SampleQuestions((x, y), ((1,), (0, 1)))
    found = bounds_of(asked, [np.repeat([1.0, 3.0], 2000), np.repeat(numbers, 2000)])
    # M = 1 for x by y, 1 for x by x y, 1 for y by x y; y tells itself.
    assert asked.comparisons == 3
    assert_rounded_up(found[0, (1,)].bound, half_gap + margin(2000, 2000, 120))


def largest_event(counts):
    """The largest difference of an event's shares between two rows of counts, over all events."""
    laws = [[Fraction(int(c), int(sum(row))) for c in row] for row in counts]
    events = list(itertools.product((0, 1), repeat=len(counts[0])))
    return {
        (a, b): max(sum(e * (p - q) for e, p, q in zip(event, laws[a], laws[b], strict=True)) for event in events)
        for a, b in itertools.permutations(range(len(laws)), 2)
    }


@pytest.mark.each_value
@pytest.mark.parametrize("shift", ["0", "0.01"])
@pytest.mark.parametrize("seed", range(3))
def test_categories_against_every_event(seed, shift):
    rng = np.random.default_rng(seed)
    asked = SampleQuestions(categories(3, 4, 2), ((0,), (1,), (2,)))
    n = 30_000
    x = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    y = np.where(rng.random(n) < 0.3, x, rng.choice(4, n, p=[0.1, 0.2, 0.3, 0.4]))
    columns = [x, y, (rng.random(n) < 0.3 + 0.1 * y).astype(int)]
    found = bounds_of(asked, columns, "9/10", shift=shift)
    # (3 + 6 + 1) pairs of values, by two statistics each.
    assert asked.comparisons == 20
    for i, j in itertools.permutations(range(3), 2):
        k, answers = (cells_of(asked.attributes[place]) for place in (i, j))
        counts = [[np.sum((columns[i] == a) & (columns[j] == c)) for c in range(answers)] for a in range(k)]
        people = [int(sum(row)) for row in counts]
        expected = max(
            mpmath.mpf(gap.numerator) / gap.denominator + margin(people[a], people[b], 200)
            for (a, b), gap in largest_event(counts).items()
        )
        assert_rounded_up(found[i, (j,)].bound, expected + 2 * mpmath.mpf(shift))
        assert_rounded_up(found[i, (j,)].seen, max(largest_event(counts).values()))


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("seed", range(3))
def test_numbers_against_means_in_fractions(seed):
    rng = np.random.default_rng(seed)
    x, y = (SampleNumber(name, Interval(0, 16), edges=(0, 4, 6, 16)) for name in "xy")
    asked = SampleQuestions((*categories(2), x, y), ((1,), (1, 1), (1, 2), (2, 2)))
    n = 4000
    columns = [rng.integers(0, 2, n), rng.integers(0, 17, n) * 1.0]
    columns.append(np.minimum(columns[1] + rng.integers(0, 9, n) * columns[0], 16))
    found = bounds_of(asked, columns)
    cells = [columns[0], *(np.digitize(column, [4, 6]) for column in columns[1:])]
    scaled = [None, *([Fraction(int(v), 8) - 1 for v in column] for column in columns[1:])]
    assert asked.comparisons == 4 * 1 + 2 * 3 + 3 * 3
    for (i, statistic), bound in found.items():
        if bound.why == "own":
            assert (bound.bound, {i}) == (1, set(statistic))
            continue
        left, right = scaled[statistic[0]], scaled[statistic[-1]]
        values = left
        if len(statistic) == 2:
            square = statistic[0] == statistic[1]
            values = [2 * a * b - 1 if square else a * b for a, b in zip(left, right, strict=True)]
        groups = [
            [v for v, c in zip(values, cells[i], strict=True) if c == a] for a in range(cells_of(asked.attributes[i]))
        ]
        expected = max(
            mpmath.mpf((gap := abs(sum(a) / len(a) - sum(b) / len(b)) / 2).numerator) / gap.denominator
            + margin(len(a), len(b), 2 * asked.comparisons * 20)
            for a, b in itertools.combinations(groups, 2)
        )
        assert_rounded_up(bound.bound, expected)


def test_a_value_without_records_or_with_few_gives_one():
    asked = SampleQuestions(categories(3, 2), ((1,),))
    y = np.arange(1000) % 2
    for rare in (np.where(np.arange(1000) < 2, 2, y), y):
        x = np.where(rare == 2, 2, np.arange(1000) // 2 % 2)
        bound = bounds_of(asked, [x, y])[0, (1,)]
        assert (bound.bound, bound.least) == (1, int(np.sum(x == 2)))
    # Without the third value the bound is small.
    assert bounds_of(SampleQuestions(categories(2, 2), ((1,),)), [np.arange(1000) // 2 % 2, y])[
        0, (1,)
    ].bound < Fraction(1, 10)


def test_parts_of_a_sample_add_in_any_order():
    rng = np.random.default_rng(1)
    asked = SampleQuestions((*categories(2), SampleNumber("y", Interval(-1, 1), edges=(-1, 0.3, 1))), ((0,), (1,)))
    columns = [rng.integers(0, 2, 999), rng.uniform(-1, 1, 999)]
    first, second = ([column[part] for column in columns] for part in (slice(0, 400), slice(400, None)))
    backwards = tally_sample(asked, second) + tally_sample(asked, first)
    assert state_dependence(asked, backwards, "0.9") == state_dependence(asked, tally_sample(asked, columns), "0.9")
    nobody = tally_sample(asked, [column[:0] for column in columns])
    assert state_dependence(asked, nobody + backwards, "0.9") == state_dependence(asked, backwards, "0.9")


def test_a_sample_beyond_64_bits_is_refused():
    asked = SampleQuestions(categories(2), ((0,),))
    half = tally_sample(asked, [np.array([0, 1])])
    half = type(half)(2**30, half.cells, half.tables)
    with pytest.raises(SordinoError, match="2\\^31"):
        _ = half + half


def zigzag(x, slope):
    """A mean that changes by the slope everywhere, and hardly at all between the means of unit bins."""
    return slope * (np.abs((x % 1) - 0.5) - 0.25)


def test_a_lipschitz_constant_covers_what_bins_hide():
    # 0..4 in bins of 1: every bin has the mean 0, but within each the conditional mean goes from -0.2 to 0.2.
    slope = 0.8
    x = (np.arange(400_000) + 0.5) / 100_000
    y = zigzag(x, slope)
    smooth = SampleNumber("x", Interval(0, 4), edges=(0, 1, 2, 3, 4), lipschitz=Fraction("0.8"))
    asked = SampleQuestions((smooth, SampleNumber("y", Interval(-1, 1))), ((1,),))
    bound = bounds_of(asked, [x, y])[0, (1,)]
    truth = (zigzag(0, slope) - zigzag(0.5, slope)) / 2
    assert float(bound.seen) < 1e-3
    assert truth <= bound.bound
    # Each of the two bins may be off by the slope times its width.
    assert_rounded_up(bound.bound, slope + margin(100_000, 100_000, 2 * 6 * 20), within=1e-4)


def test_a_lipschitz_constant_alone_bounds_the_whole_range_and_rare_bins():
    numbers = (SampleNumber("x", Interval(0, 40), lipschitz=Fraction("0.01")), SampleNumber("y", Interval(-1, 1)))
    found = bounds_of(SampleQuestions(numbers, ((1,), (0, 1))), [np.array([3.0]), np.array([1.0])])
    # 40 units at 0.01 are a gap of 0.4; scaled, x y has the slope 0.2 + 1 over a range of 2.
    assert_rounded_up(found[0, (1,)].bound, Fraction(1, 5))
    assert found[0, (0, 1)].bound == 1
    # Nobody is above 10: from 0 to 40 the constant alone; bins of 10 add nothing.
    binned = SampleNumber("x", Interval(0, 40), edges=(0, 10, 20, 40), lipschitz=Fraction("0.01"))
    x = np.tile([1.0, 9.0], 500)
    assert_rounded_up(
        bounds_of(SampleQuestions((binned, numbers[1]), ((1,),)), [x, 0 * x])[0, (1,)].bound, Fraction(1, 5)
    )


def test_a_product_with_the_number_itself_has_a_larger_constant():
    # y = 1 always: x y moves as x does, although the mean of y does not move at all.
    x = np.linspace(-1, 1, 200_001)
    smooth = SampleNumber("x", Interval(-1, 1), edges=tuple(np.linspace(-1, 1, 41)), lipschitz=Fraction(0))
    asked = SampleQuestions((smooth, SampleNumber("y", Interval(-1, 1))), ((1,), (0, 1)))
    found = bounds_of(asked, [x, np.ones_like(x)])
    assert found[0, (1,)].bound < Fraction(1, 10**6)
    assert found[0, (0, 1)].bound >= 1 - Fraction(1, 10**9)


def test_clipped_numbers_count_as_the_ends():
    y = SampleNumber("y", Interval(0, 8), edges=(0, 4, 8), clip=True)
    asked = SampleQuestions((*categories(2), y), ((0,), (1,)))
    x = np.arange(2000) % 2
    inside = bounds_of(asked, [x, np.where(x, 8.0, 0.0)])
    assert bounds_of(asked, [x, np.where(x, 1e300, -70.0)]) == inside


BITS = SampleQuestions(categories(2, 2), ((0,), (1,)))
FLAT = np.arange(100) % 2
NUMBER = SampleQuestions((*categories(2), SampleNumber("y", Interval(0, 1))), ((1,),))


@in_one("confidence", [0, 1, "1", -0.1, 95, float("nan"), float("inf"), "nan", "much", "1e-999999999", None])
def test_a_confidence_is_a_number_between_zero_and_one(confidence):
    with pytest.raises(SordinoError, match="confidence must lie between 0 and 1"):
        state_dependence(BITS, tally_sample(BITS, [FLAT, FLAT]), confidence)


@pytest.mark.parametrize("shift", ["-0.1", 1.5, float("nan"), "some"])
def test_a_shift_is_a_number_in_the_unit_interval(shift):
    with pytest.raises(SordinoError, match="a shift must lie in"):
        state_dependence(BITS, tally_sample(BITS, [FLAT, FLAT]), "0.9", shift=shift)


@pytest.mark.parametrize("date", ["yesterday", "2024-02-30", "20240201", "2024-2-1"])
def test_a_date_is_a_day(date):
    with pytest.raises(SordinoError, match="YYYY-MM-DD"):
        state_dependence(BITS, tally_sample(BITS, [FLAT, FLAT]), "0.9", date=date)


@in_one(
    ("asked", "columns"),
    [
        (BITS, [FLAT]),
        (BITS, [FLAT, FLAT[1:]]),
        (BITS, [FLAT, FLAT, FLAT]),
        (BITS, [FLAT, FLAT - 1]),
        (BITS, [FLAT, FLAT + 1]),
        (BITS, [FLAT, FLAT * 1.0]),
        (BITS, [FLAT, FLAT.astype(str)]),
        (BITS, [FLAT[:, None], FLAT]),
        (NUMBER, [FLAT, np.where(FLAT, np.nan, 1.0)]),
        (NUMBER, [FLAT, np.where(FLAT, np.inf, 1.0)]),
        (NUMBER, [FLAT, FLAT * 1.001]),
    ],
)
def test_columns_that_do_not_fit_are_refused(asked, columns):
    with pytest.raises(SordinoError):
        tally_sample(asked, columns)


def test_a_sample_has_records():
    with pytest.raises(SordinoError, match="must have records"):
        state_dependence(BITS, tally_sample(BITS, [FLAT[:0], FLAT[:0]]), "0.9")


def test_nothing_but_the_sample_can_give_less_than_one():
    statement = state_dependence(BITS, tally_sample(BITS, [FLAT, FLAT]), "0.9")
    assert statement.dependence.rest == (1, 1)
    with pytest.raises(SordinoError, match="one bound for each"):
        Statement(BITS, statement.bounds[1:], 100, Fraction(9, 10))


@pytest.mark.parametrize("why", ["own", "no bins"])
@pytest.mark.parametrize("changed", [{"bound": Fraction(1, 2)}, {"why": "sample"}])
def test_what_no_sample_tells_is_one(why, changed):
    asked = SampleQuestions((*categories(2), SampleNumber("y", Interval(0, 8))), ((0,), (1,)))
    statement = state_dependence(asked, tally_sample(asked, [FLAT, FLAT]), "0.9")
    one = next(bound for bound in statement.bounds if bound.why == why)
    spoiled = tuple(type(one)(**{**vars(b), **changed}) if b is one else b for b in statement.bounds)
    with pytest.raises(SordinoError, match="must have the bound 1"):
        Statement(asked, spoiled, 100, Fraction(9, 10))


def test_one_percent_takes_150000_records():
    asked = SampleQuestions(categories(*[2] * 10), tuple((j,) for j in range(10)))
    assert asked.comparisons == 90
    # An even sample of 2 ln(90 / .05) / .01^2 records, where nothing depends on anything, just certifies it.
    n = 147 * 1024
    columns = [np.arange(n) >> j & 1 for j in range(10)]
    found = bounds_of(asked, columns)
    assert 0.0099 < max(bound.bound for bound in found.values() if bound.why == "sample") <= 0.01


def test_sums_of_numbers_are_those_of_whole_numbers():
    """As added one by one, in whatever blocks of statistics."""
    asked = SampleQuestions((*categories(3), SampleNumber("y", Interval(0, 8), edges=(0, 2, 8))), ((1,), (1, 1)))
    g = np.random.default_rng(11)
    x, y = g.integers(0, 3, 500), g.uniform(0, 8, 500)
    tables = tally_sample(asked, [x, y]).tables
    assert set(tables) == {(0, (1,)), (0, (1, 1))}
    scaled = asked.attributes[1].statistic_values(y)
    for statistic, values in (((1,), scaled), ((1, 1), 2 * (scaled * scaled) - 1)):
        units = [round(value * 2**32) for value in values.tolist()]
        assert tables[0, statistic].tolist() == [sum(itertools.compress(units, x == a)) for a in range(3)]


def test_work_grows_with_what_is_compared(monkeypatch):
    """Moments that nothing is compared by are not worked out; statistics alike are compared together."""
    numbers = tuple(SampleNumber(f"y{j}", Interval(0, 8)) for j in range(4))
    products = tuple((i, j) for i in range(4) for j in range(i, 4))
    done = []
    of_moments, of_pairs = Moments.values, from_sample._largest
    monkeypatch.setattr(Moments, "values", lambda self, records: done.append("moments") or of_moments(self, records))
    monkeypatch.setattr(from_sample, "_largest", lambda *given: done.append("pairs") or of_pairs(*given))
    asked = SampleQuestions(numbers, products)
    bounds_of(asked, [np.arange(8.0)] * 4)
    assert done == []
    # With a category all products of numbers are compared by it, at once.
    asked = SampleQuestions((*numbers, *categories(*[2] * 5)[4:]), products)
    bounds_of(asked, [*[np.arange(8.0)] * 4, np.arange(8) % 2])
    assert done == ["moments", "pairs"]
    # Each of six categories is compared by the five others, at once.
    done.clear()
    asked = SampleQuestions(categories(*[2] * 6), tuple((j,) for j in range(6)))
    bounds_of(asked, [np.arange(8) % 2] * 6)
    assert done == ["pairs"] * 6
