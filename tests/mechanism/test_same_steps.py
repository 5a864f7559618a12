"""The same steps for every value: the arrays that a sampler works on do not show which one it has.

A witness logs the shape of every array on the way, with the same random words for all values. What a processor's clock
shows of two values is measured by `make bench BENCH=telling`.
"""

import numpy as np
import pytest

from every_sampler import MECHANISMS, Splitting, two_batches
from sordino import SystemSource
from sordino.exact.source import Words


class Traced(np.ndarray):
    """An array that logs the shapes of whatever is done to it, and of all that comes of it."""

    log = None

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **settings):
        arrays = [plain(one) for one in inputs]
        Traced.log.append((ufunc.__name__, method, *(np.shape(array) for array in arrays)))
        target = {} if out is None else {"out": tuple(plain(one) for one in out)}
        found = getattr(ufunc, method)(*arrays, **target, **settings)
        return out[0] if out is not None else traced(found)

    def __array_function__(self, function, kinds, inputs, settings):
        found = function(*(plain(one) for one in inputs), **{name: plain(one) for name, one in settings.items()})
        Traced.log.append((function.__name__, np.shape(found)))
        return traced(found)

    def __getitem__(self, at):
        found = np.asarray(self)[plain(at)]
        Traced.log.append(("getitem", np.shape(found)))
        return traced(found)

    def __setitem__(self, at, to):
        Traced.log.append(("setitem", np.shape(np.asarray(self)[plain(at)])))
        np.asarray(self)[plain(at)] = plain(to)


def plain(one):
    if isinstance(one, tuple | list):
        return type(one)(plain(part) for part in one)
    return np.asarray(one) if isinstance(one, Traced) else one


def traced(found):
    return found.view(Traced) if type(found) is np.ndarray else found


class Fixed:
    """Given words for each row, in whatever parts they are drawn."""

    def __init__(self, words, rows, position):
        self.words, self.rows, self.position = words, rows, position

    def next(self) -> Words:
        found = self.words[self.rows, self.position[self.rows]]
        self.position[self.rows] += 1
        return traced(found)

    def take(self, rows):
        Traced.log.append(("take", np.shape(np.arange(len(self.rows))[plain(rows)])))
        return Fixed(self.words, self.rows[plain(rows)], self.position)


def steps(mechanism, values, seed=7):
    """The log of one batch, drawn with the same words for whatever values."""
    n = len(values)
    words = np.random.default_rng(seed).integers(0, 2**64 - 1, (n, 40), dtype=np.uint64, endpoint=True)
    # The largest words are those that are drawn again.
    words[: n // 4, :4] |= np.uint64(2**64 - 2**40)
    Traced.log = []
    mechanism._sample(traced(np.asarray(values)), Fixed(words, np.arange(n), np.zeros(n, dtype=np.intp)))
    return Traced.log


def mixed(first, second):
    return np.concatenate([first[: len(first) // 3], second[len(first) // 3 :]])


@pytest.mark.parametrize("name", MECHANISMS)
def test_all_arrays_have_the_same_shapes_whatever_the_values(name):
    mechanism, (first, second) = MECHANISMS[name], two_batches(name, 300)
    # What is worked out once for all values is no part of a batch.
    mechanism._sample(first, SystemSource().stream(first))
    expected = steps(mechanism, first)
    assert len(expected) >= 2
    assert steps(mechanism, second) == expected
    assert steps(mechanism, mixed(first, second)) == expected


def test_the_witness_finds_a_sampler_that_splits_its_batch():
    mechanism = Splitting(40, range(8), "1", "randomized")
    first, second = np.full(300, 0), np.full(300, 39)
    mechanism._sample(first, SystemSource().stream(first))
    assert steps(mechanism, second) != steps(mechanism, first)
    assert steps(mechanism, mixed(first, second)) != steps(mechanism, first)
