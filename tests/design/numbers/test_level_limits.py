"""The highest levels of answers are those that a look at every single attribute finds."""

from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sordino import Dependence, Nats
from sordino.definition import sampling
from sordino.definition.sampling import largest_level
from sordino.design.numbers.level_limits import LevelLimits

D = 4
AMOUNTS = st.sampled_from(["0.1", "0.5", "1", "ln 2", "ln 3", "2"])
BOUNDS = st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(1)])


@st.composite
def asked(draw):
    """Deltas, epsilon and bounds of all kinds, of which many are equal."""
    deltas = [Nats.of(draw(AMOUNTS)) for _ in range(D)]
    moments = [(j,) for j in range(D)] + list(combinations(range(D), 2))
    own = {
        (i, name): draw(BOUNDS)
        for i in range(D)
        for name in draw(st.lists(st.sampled_from(moments), max_size=3, unique=True))
        if set(name) != {i}
    }
    pairs = list(combinations(range(D), 2))
    tables = {(i, pair): draw(BOUNDS) for i in range(D) for pair in pairs if i not in pair and draw(st.booleans())}
    thresholds = {(i, j): draw(BOUNDS) for i in range(D) for j in range(D) if i != j and draw(st.booleans())}
    signs = {(i, pair): draw(BOUNDS) for i in range(D) for pair in pairs if i not in pair and draw(st.booleans())}
    dependence = Dependence(tuple(draw(BOUNDS) for _ in range(D)), own, tables, thresholds, signs)
    return LevelLimits(deltas, Nats.of(draw(AMOUNTS)), dependence)


def every(limits, variations):
    """By the rule itself: the least limit of all attributes, and epsilon."""
    levels = [largest_level(delta, q) for delta, q in zip(limits.deltas, variations, strict=True)]
    return min([limits.epsilon, *(level for level in levels if level is not None)])


@given(asked())
def test_levels_are_those_that_all_attributes_allow(limits):
    known, places = limits.dependence, range(D)
    for name in [(0,), (2,), (0, 1), (1, 3)]:
        assert limits.of_statistic(name) == every(limits, [known.of(i, name) for i in places])
    for pair in combinations(places, 2):
        assert limits.of_table(pair) == every(limits, [known.of_table(i, pair) for i in places])
        assert limits.of_category_sign(pair) == every(limits, [known.of_category_sign(i, pair) for i in places])
    for j in places:
        assert limits.of_attribute(j) == every(limits, [Fraction(1) if i == j else known.of_rest(i) for i in places])
        assert limits.of_any[j] == limits.of_attribute(j)
        for pieces in (1, 2):
            assert limits.of_bins(j, pieces) == every(limits, [known.of_thresholds(i, j, pieces) for i in places])
    for some in ([0], [1, 2], [0, 1, 2, 3]):
        others = [Fraction(0) if i in some else known.of_rest(i) for i in places]
        assert limits.of_others(some) == every(limits, others)
        among = limits.among(some)
        assert among.rest == tuple(known.rest[i] for i in some)
        for a, i in enumerate(some):
            for b, j in enumerate(some):
                assert among.of(a, (b,)) == known.of(i, (j,))


def test_the_rest_is_solved_once_for_all_answers(monkeypatch):
    solved = []
    own = sampling.largest_level
    monkeypatch.setattr(
        "sordino.design.numbers.level_limits.largest_level", lambda *given: solved.append(given) or own(*given)
    )
    d = 200
    limits = LevelLimits([Nats.of("1")] * d, Nats.of("2"), Dependence.bounded(["1/10"] * d))
    assert {str(limits.of_statistic((j,))) for j in range(d)} == {"1"}
    assert len({*map(str, limits.of_any)}) == 1
    # Under the rest's bound, and of what an answer is about.
    assert len(solved) == 2
