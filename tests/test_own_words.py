"""A test's words: the same in every run, others for each test, none that a child process repeats."""

import secrets
from functools import partial

import pytest

from commands import in_child
from own_words import FRESH, words_of
from sordino import SystemSource
from waits import ended


@pytest.fixture(autouse=True)
def as_in_ordinary_runs(monkeypatch):
    monkeypatch.delenv("SORDINO_FRESH", raising=False)


def words(name):
    with words_of(name):
        return SystemSource().words(2).tolist()


def test_a_tests_words_follow_from_its_name():
    assert words("one") == words("one") != words("other")


def test_a_source_that_was_made_before_has_the_tests_words_too_and_its_own_again_afterwards():
    source = SystemSource()
    before = source.words(1)[0]
    with words_of("one"):
        assert source.words(2).tolist() == words("one")
    assert before not in source.words(3)


def test_what_is_drawn_within_does_not_move_what_is_drawn_after():
    with words_of("one"):
        words("other")
        assert SystemSource().words(2).tolist() == words("one")


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_draw_from_the_operating_system(tmp_path):
    def note(name):
        (tmp_path / name).write_text(str(SystemSource().words(1)[0]))

    with words_of("one"):
        for name in ("first", "second"):
            ended(in_child(partial(note, name)))
    children = {int(path.read_text()) for path in tmp_path.iterdir()}
    assert len(children | {*words("one")}) == 4


def test_a_fresh_run_is_another_each_time(monkeypatch):
    monkeypatch.setenv("SORDINO_FRESH", "1")
    assert words("one") != words("one")


@pytest.mark.fresh
def test_so_is_a_test_that_says_so():
    assert secrets.token_bytes is FRESH
