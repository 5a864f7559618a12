"""Cases in one test are all run, and the one that fails is named."""

import inspect

import pytest

from in_one import in_one


def test_every_case_is_run_with_the_fixtures_that_are_left():
    seen = []

    @in_one("a", [1, 2])
    @in_one(("b", "c"), [(3, 4), (5, 6)])
    def test(folder, a, b, c):
        seen.append((folder, a, b, c))

    assert list(inspect.signature(test).parameters) == ["folder"]
    test(folder="here")
    assert seen == [("here", 1, 3, 4), ("here", 1, 5, 6), ("here", 2, 3, 4), ("here", 2, 5, 6)]


def test_a_fixture_can_hold_the_cases():
    seen = []

    @in_one("one", fixture="several")
    def test(folder, one):
        seen.append((folder, one))

    assert list(inspect.signature(test).parameters) == ["folder", "several"]
    test(folder="here", several=[1, 2])
    assert seen == [("here", 1), ("here", 2)]


def test_a_failure_names_its_case():
    @in_one("a", ["x", "y"])
    @in_one("b", [3])
    def test(a, b):
        assert (a, b) == ("x", 3)

    with pytest.raises(AssertionError) as failed:
        test()
    assert failed.value.__notes__ == ["in case 1: {'b': 3}", "in case 2: {'a': 'y'}"]


def test_a_case_that_does_not_fit_its_names_is_no_case():
    @in_one("a, b", [(1, 2, 3)])
    def test(a, b):
        raise AssertionError((a, b))

    with pytest.raises(ValueError, match="zip"):
        test()
