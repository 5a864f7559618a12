"""Figure 2 on few values against exact expected distances; the paper's setting against known numbers."""

import numpy as np
import pytest

from sordino import SordinoError
from sordino.papers.context_aware.fig2 import BLOCKS, PEOPLE, distributions, estimates, fig2, sizes
from sordino.papers.simulation import METHODS

pytestmark = pytest.mark.long

K, N, REPEATS = 200, 50_000, 6


def by_name(points):
    found = {(point.distribution, point.blocks, point.mechanism, point.estimator): point for point in points}
    assert len(found) == len(points)
    return found


@pytest.fixture(scope="module")
def points():
    steps = []
    points = fig2(N, "1", REPEATS, steps.append, k=K)
    assert sum(steps) == estimates(REPEATS) == len(points) * REPEATS
    return by_name(points)


def expected(law, m, n):
    """Of the paper's mechanism without projection, people drawn anew: n Var = C^2 p(block) - p^2; and its deviation.

    Mean and deviation of an absolute normal error are .798 and .603 of the error's; the errors hardly correlate.
    """
    block = np.repeat(law.reshape(m, -1).sum(axis=1), len(law) // m)
    c = 1 if len(law) == m else (np.e + 1) / (np.e - 1)
    errors = np.sqrt((c**2 * block - law**2) / n)
    return 0.5 * np.sqrt(2 / np.pi) * errors.sum(), 0.5 * np.sqrt(1 - 2 / np.pi) * np.linalg.norm(errors)


@pytest.mark.parametrize("m", BLOCKS)
@pytest.mark.parametrize("name", ["uniform", "zipf(1)", "geometric(0.8)", "geometric(0.8)*"])
def test_the_papers_mechanism_is_as_far_off_as_it_must_be(points, name, m):
    mean, deviation = expected(distributions(K)[name], m, N)
    # Blocks of hardly anybody have no normal errors: two percent at most.
    tolerance = 5 * deviation / np.sqrt(REPEATS) + 0.02 * mean
    assert points[name, m, "hadamard", "unbiased"].tv == pytest.approx(mean, abs=tolerance)
    # A mechanism with 30 % too much noise would be seen, but where a few values make up all of the error.
    assert name.startswith("geometric") or tolerance < 0.3 * mean


def test_blocks_of_one_value_leave_the_error_of_drawing_people():
    points = by_name(fig2(20_000, "1", 10, k=100))
    for mechanism in ("hadamard", "best"):
        for method in METHODS:
            found = points["uniform", 100, mechanism, method].tv
            assert found == pytest.approx(expected(np.full(100, 0.01), 100, 20_000)[0], rel=0.1)


def test_more_blocks_are_better_and_so_is_the_best_mechanism(points):
    for name in ("uniform", "zipf(1)"):
        for mechanism in ("hadamard", "best"):
            for method in METHODS:
                row = [points[name, m, mechanism, method].tv for m in BLOCKS]
                assert row == sorted(row, reverse=True)
        for m in BLOCKS:
            ours, theirs = (points[name, m, mechanism, "unbiased"].tv for mechanism in ("best", "hadamard"))
            assert ours < 0.95 * theirs


def test_numbers_of_other_settings_stand_alone(points):
    assert {point.paper for point in points.values()} == {None}


def test_it_is_the_same_again_and_other_people_are_drawn_at_each_size(points):
    assert by_name(fig2(N, "1", REPEATS, k=K)) == points
    # The same words on half the people would halve the variance exactly.
    one, two = (fig2(n, "1", 1, methods=("unbiased",), k=K)[0].tv for n in (10_000, 20_000))
    assert one / two != pytest.approx(np.sqrt(2), rel=1e-4)


def test_laws_are_what_their_names_say():
    laws = distributions()
    assert all(law.sum() == pytest.approx(1) and law.min() > 0 for law in laws.values())
    assert np.ptp(laws["uniform"]) == 0
    assert laws["zipf(1)"][0] / laws["zipf(1)"][9] == pytest.approx(10)
    assert laws["geometric(0.8)"][7] / laws["geometric(0.8)"][6] == pytest.approx(0.8)
    shuffled = laws["geometric(0.8)*"]
    assert np.sort(shuffled) == pytest.approx(np.sort(laws["geometric(0.8)"]), rel=1e-9)
    # Ten heavy values lie in many of ten blocks.
    assert len(np.unique(np.argsort(-shuffled)[:10] // 100)) >= 5


def test_sizes_double_up_to_all():
    assert sizes(PEOPLE) == [1000 * 2**i for i in range(10)]
    assert sizes(5) == [1, 2, 5]


def test_an_epsilon_that_nothing_can_be_learned_at_is_refused():
    with pytest.raises(SordinoError, match="raise epsilon"):
        fig2(10, "0", 1, k=100)


def test_the_papers_setting_gives_the_known_numbers():
    points = fig2(PEOPLE, "1", 10, methods=("unbiased", "simplex", "block-simplex"))
    known = [point for point in points if point.paper is not None]
    assert len(known) == 13
    for point in known:
        assert point.tv == pytest.approx(point.paper, rel=0.04), point
    assert {point.mechanism for point in known} == {"hadamard"}
    # A geometric law is found by projection from an estimate that is useless without.
    geometric = by_name(points)["geometric(0.8)", 1, "hadamard", "simplex"].tv
    assert 0.07 < geometric < 0.11
