"""What is proven of a program by its answers: never more than it reveals, and what stays as it is within seconds."""

import math
from itertools import cycle, islice

import numpy as np
import pytest
from scipy import stats

from sordino.errors import SordinoError
from sordino.testing import largest_sampled_loss, sampled_loss

YES = {"no": 0.25, "yes": 0.75}


def drawn(chances, count, seed):
    """Answers "1" and "0" on each value, by its chance of "1"."""
    generator = np.random.default_rng(seed)
    return {value: [str(int(one)) for one in generator.random(count) < chance] for value, chance in chances.items()}


def test_the_bound_is_above_the_loss_as_seldom_as_is_said():
    """At a confidence of .8, of a loss that is known: binary randomized response of ln 3."""
    runs = 600
    above = sum(largest_sampled_loss(drawn(YES, 150, seed), 0.8).bound > math.log(3) for seed in range(runs))
    assert 0 < above <= stats.binom.ppf(1 - 1e-6, runs, 0.2)


def test_the_limits_are_those_of_the_binomial_distribution():
    """The chance of as many, or as few, at each limit is the error, by the distribution's own sums."""
    often, of, seldom, among, error = 37, 80, 5, 90, 0.02
    (score,) = sampled_loss._scores(np.array([often]), of, np.array([seldom]), among, error)
    grid = np.linspace(1e-6, 1 - 1e-6, 200_001)
    lower = grid[stats.binom.sf(often - 1, of, grid) <= error].max()
    upper = grid[stats.binom.cdf(seldom, among, grid) <= error].min()
    assert score == pytest.approx(math.log(lower / upper), abs=1e-3)


def bits(value, generator, kept=()):
    """64 bits, one for each value, each turned with chance .38 but for those that are kept."""
    turned = generator.random(64) < 1 / (1 + math.exp(0.5))
    turned[list(kept)] = False
    return "".join(map(str, (np.arange(64) == value) ^ turned + np.zeros(64, dtype=int)))


def test_one_bit_that_is_never_turned_is_found_among_64():
    generator = np.random.default_rng(7)
    answers = {str(value): [bits(value, generator, kept=(63,)) for _ in range(900)] for value in (0, 5, 63)}
    found = largest_sampled_loss(answers)
    assert found.bound > 4
    assert "letter 64" in found.event
    assert "63" in {found.more, found.less}
    whole = {str(value): [bits(value, generator) for _ in range(900)] for value in (0, 5, 63)}
    assert largest_sampled_loss(whole).bound < 1


def words(value, generator):
    """Three of 30 items, always with the value's."""
    others = generator.permutation([item for item in range(30) if item != value])[:2]
    return str(sorted([value, *others.tolist()]))


@pytest.mark.parametrize(
    ("made", "least", "said"),
    [
        pytest.param(words, 4, "lacks the word", id="a-word-that-is-always-there"),
        pytest.param(lambda value, draw: "x" * (1 + 9 * value + int(draw.integers(9))), 3.5, "letter", id="the-length"),
        pytest.param(lambda value, draw: f"{draw.normal() + 6 * value:.9f}", 3.5, "is", id="a-number"),
        pytest.param(lambda value, draw: f"{'a' * draw.integers(1, 9)} {'uv'[value]}", 3.5, "word 2", id="a-word"),
    ],
)
def test_what_shows_the_value_is_found_and_named(made, least, said):
    generator = np.random.default_rng(3)
    answers = {str(value): [made(value, generator) for _ in range(1500)] for value in (0, 1)}
    found = largest_sampled_loss(answers)
    assert found.bound > least
    assert said in found.event


def test_many_answers_that_speak_for_a_value_are_taken_together():
    """Of 64 answers 32 come three times as often on one value: no single one shows as much as all of them."""
    generator = np.random.default_rng(5)
    chances = np.tile([3.0, 1.0], 32) / 128
    answers = {
        "a": [str(one) for one in generator.choice(64, 3000, p=chances)],
        "b": [str(one) for one in generator.choice(64, 3000, p=chances[::-1])],
    }
    found = largest_sampled_loss(answers)
    assert 0.8 < found.bound < math.log(3)
    assert "one of" in found.event


def test_answers_that_never_come_twice_prove_nothing():
    generator = np.random.default_rng(11)
    answers = {value: [f"{number:.15f}" for number in generator.random(3000)] for value in "ab"}
    assert largest_sampled_loss(answers).bound < 0.2


def test_what_is_counted_was_not_chosen_by():
    """Thirds in turn: the last one alone is counted, whatever the others say."""
    answers = {value: list(islice(cycle(["x", last, "x"]), 300)) for value, last in (("a", "1"), ("b", "0"))}
    found = largest_sampled_loss(answers)
    assert found.bound == 0
    assert {of for _, of in found.seen} == {100}


@pytest.mark.parametrize(
    ("answers", "confidence", "said"),
    [
        ({"a": ["1"] * 30}, 0.9, "two values or more"),
        ({"a": ["1"] * 30, "b": ["1"] * 29}, 0.9, "30 answers or more"),
        ({"a": ["1"] * 30, "b": ["1"] * 30}, 1, "between 0 and 1"),
    ],
)
def test_what_cannot_be_judged_is_refused(answers, confidence, said):
    with pytest.raises(SordinoError, match=said):
        largest_sampled_loss(answers, confidence)
