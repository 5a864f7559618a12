"""What a run leaves out is not made into tests; what it asks for is, by whatever words."""

from types import SimpleNamespace

import pytest

from collected import LEFT_OUT, left_out, pytest_generate_tests, pytest_pycollect_makeitem


def asking(marks, *names):
    """The settings of a run that asks for tests by marks and names, as far as it matters what is left out."""
    config = SimpleNamespace(option=SimpleNamespace(markexpr=marks), args=names or ("tests",), stash=pytest.Stash())
    config.stash[LEFT_OUT] = left_out(config)
    return config


def test_marks_that_no_test_may_have_are_left_out():
    assert left_out(asking("not long and not spark")) == {"long", "spark"}


@pytest.mark.parametrize("marks", ["", "long", "long or not spark", "not (long and spark)", "not long and spark"])
def test_other_words_leave_out_nothing_before_all_marks_are_known(marks):
    assert left_out(asking(marks)) == frozenset()


def test_a_test_asked_for_by_name_is_never_left_out():
    assert left_out(asking("not long", "tests/a.py::test_b")) == frozenset()


def test_a_function_is_left_out_for_its_own_mark_and_for_its_module_s():
    @pytest.mark.long
    def long():
        """Take long."""

    def quick():
        """Take no time."""

    found = {}
    for module_marks in ((), (pytest.mark.long.mark,)):
        for test in (long, quick):
            module = SimpleNamespace(own_markers=module_marks, config=asking("not long"))
            found[len(module_marks), test.__name__] = pytest_pycollect_makeitem(module, test)
    assert found == {(0, "long"): [], (0, "quick"): None, (1, "long"): [], (1, "quick"): []}


@pytest.mark.parametrize(("long", "left"), [((), [0, 1, 2]), ((1,), [0, 2]), ((0, 1, 2), [0])])
def test_cases_are_left_out_unless_none_would_stand_for_them(long, left):
    cases = [SimpleNamespace(place=p, marks=[pytest.mark.long.mark] if p in long else []) for p in range(3)]
    test = SimpleNamespace(config=asking("not long"), _calls=cases)
    hook = pytest_generate_tests(test)
    next(hook)
    with pytest.raises(StopIteration):
        next(hook)
    assert [case.place for case in test._calls] == left
