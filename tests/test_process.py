"""Who hears a signal: handlers are put back, an ignored signal stays ignored, and one wish is one interrupt."""

import signal
from contextlib import suppress

import pytest

from sordino import process
from sordino.process import STOPS, interrupt_at_stops, is_asked, listen, listen_within, postpone, put_back


def handlers():
    return [signal.getsignal(number) for number in STOPS]


@pytest.fixture(autouse=True)
def _as_before():
    with put_back():
        yield


@pytest.mark.parametrize("number", STOPS)
def test_a_handler_hears_a_signal_until_the_block_ends(number):
    before, heard = handlers(), []
    with listen_within(lambda signalled, _: heard.append(signalled)):
        signal.raise_signal(number)
    assert (heard, handlers()) == ([number], before)


def test_a_handler_is_put_back_whatever_ends_the_block():
    before = handlers()
    with pytest.raises(ValueError, match="anything"), listen_within(signal.SIG_DFL):
        raise ValueError("anything")
    assert handlers() == before


def test_a_signal_that_is_ignored_stays_so():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupt_at_stops():
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert not is_asked()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    listen(lambda *_: None)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_terminal_that_closes_stops_unless_nohup_had_it_ignored():
    assert signal.SIGHUP in STOPS
    with interrupt_at_stops(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with interrupt_at_stops():
        signal.raise_signal(signal.SIGHUP)
        assert not is_asked()


def test_what_a_library_takes_is_taken_back():
    with interrupt_at_stops():
        own = handlers()
        with put_back():
            signal.signal(signal.SIGINT, lambda *_: None)
        assert handlers() == own


def test_a_stop_is_known_until_the_command_ends():
    with interrupt_at_stops():
        assert not is_asked()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert is_asked()
    assert not is_asked()
    with interrupt_at_stops():
        assert not is_asked()


def test_two_signals_at_once_are_one_wish_and_a_later_one_is_another(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(process, "monotonic", lambda: now[0])
    with interrupt_at_stops():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        # A cleaning-up that is under way goes on.
        signal.raise_signal(signal.SIGINT)
        now[0] += process.AGAIN
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_signal_that_is_postponed_comes_after_the_block():
    heard = []
    with listen_within(lambda signalled, _: heard.append(signalled)):
        with postpone(signal.SIGINT):
            signal.raise_signal(signal.SIGINT)
            assert heard == []
        assert heard == [signal.SIGINT]
