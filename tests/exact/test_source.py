"""The system's source: fresh memory, no repetition across threads and forks, never copied."""

import copy
import os
import pickle
import secrets
import threading
import warnings

import numpy as np
import pytest

from in_one import in_one
from own_words import FRESH
from sordino import HadamardResponse, SystemSource
from sordino.exact.source import FEW, ZEROS
from waits import SOON, ended, joined

pytestmark = pytest.mark.fresh

PIECE = len(ZEROS) // 8
"""Words encrypted at a time."""


def in_child(draw):
    """What a forked child draws."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # numeric libraries keep threads; the child uses none
        child = os.fork()
    if not child:
        try:
            os.write(writer, draw().tobytes())
        finally:
            os._exit(0)
    os.close(writer)
    ended(child)
    # So few words wait in the pipe.
    with os.fdopen(reader, "rb") as pipe:
        return np.frombuffer(pipe.read(), dtype=np.uint64)


@in_one("count", [0, 1, 7, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5])
def test_words_fill_the_whole_batch_and_never_repeat(count):
    words = SystemSource().words(count)
    assert (words.dtype, words.shape) == (np.uint64, (count,))
    assert len(np.unique(words)) == count


@pytest.mark.parametrize("count", [1, 2, PIECE + 1])
def test_every_byte_of_every_batch_is_random(count):
    source = SystemSource()
    bytes_of_batches = np.stack([source.words(count)[[0, -1]].view(np.uint8) for _ in range(1500)])
    assert min(len(np.unique(column)) for column in bytes_of_batches.T) > 200


@in_one("size", [FEW // 8, FEW, FEW + 1])
def test_batches_are_never_overwritten(size):
    stream = SystemSource().stream(np.arange(size))
    first = stream.next()
    kept = first.copy()
    later = [stream.next() for _ in range(5)]
    np.testing.assert_array_equal(first, kept)
    assert not any(np.shares_memory(first, batch) for batch in later)
    assert len(np.unique(np.concatenate([first, *later]))) == 6 * size


def test_the_first_words_are_the_operating_systems_and_the_rest_a_streams(monkeypatch):
    sizes = []
    monkeypatch.setattr(secrets, "token_bytes", lambda count: sizes.append(count) or FRESH(count))
    source = SystemSource()
    for count in (0, 3, FEW - 3, 0, 1, 1, FEW):
        source.words(count)
    # Then a key, and where its counter begins; once.
    assert sizes == [0, 24, 8 * (FEW - 3), 0, 32, 16]
    source.words(FEW)
    SystemSource().words(FEW + 1)
    assert sizes[6:] == [32, 16]


def test_taken_rows_get_fresh_words_of_their_own():
    stream = SystemSource().stream(np.arange(10))
    words = np.concatenate([stream.next(), stream.take(np.array([2, 5, 7])).next(), stream.next()])
    assert len(np.unique(words)) == len(words) == 23


@pytest.mark.parametrize(
    "rows", [slice(2, 5), slice(8, 20), slice(None), slice(4, 4), np.array([], dtype=int)], ids=str
)
def test_some_rows_get_as_many_words_as_they_are(rows):
    expected = len(np.arange(10)[rows])
    for stream in (SystemSource().stream(np.zeros(10)), SystemSource().public(10)):
        assert len(stream.take(rows).next()) == expected
        assert len(stream.next()) == 10
    source = SystemSource()
    assert not np.any(source.take(rows).public(9).next() == source.public(9).next())


def test_two_sources_differ():
    assert not np.any(SystemSource().words(100) == SystemSource().words(100))


@pytest.mark.parametrize("same_process_number", [False, True])
def test_a_forked_child_repeats_neither_its_parent_nor_a_sibling(monkeypatch, same_process_number):
    if same_process_number:
        monkeypatch.setattr(os, "getpid", lambda: 1)
    source = SystemSource()
    source.words(FEW + 1)  # the parent's stream exists before the fork
    children = [in_child(lambda: source.words(100)) for _ in range(3)]
    grandchild = in_child(lambda: in_child(lambda: source.words(100)))
    everything = np.concatenate([*children, grandchild, source.words(100)])
    assert len(np.unique(everything)) == len(everything) == 500


def test_a_child_draws_reports_of_its_own():
    source, mechanism = SystemSource(), HadamardResponse(2**32, "0.001")
    mechanism.privatize([0] * FEW, source)
    child = in_child(lambda: mechanism.privatize([0] * 50, source))
    assert not np.any(child == mechanism.privatize([0] * 50, source))


def test_threads_have_streams_of_their_own():
    source, barrier, drawn = SystemSource(), threading.Barrier(4, timeout=SOON), []

    def work():
        barrier.wait()
        batches = [source.words(FEW // 5) for _ in range(20)]
        barrier.wait()
        drawn.extend(batches)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    joined(*threads)
    assert len(np.unique(np.concatenate(drawn))) == 4 * 20 * (FEW // 5)


@pytest.mark.parametrize("copier", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_source_is_never_copied(copier):
    source = SystemSource()
    with pytest.raises(TypeError, match="never pickled or copied"):
        copier(source)


@pytest.mark.parametrize("copier", [pickle.dumps, copy.deepcopy])
def test_a_stream_takes_no_copy_of_its_source_along(copier):
    stream = SystemSource().stream(np.arange(3))
    with pytest.raises(TypeError, match="never pickled or copied"):
        copier(stream)
