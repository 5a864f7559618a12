"""Lists of categories of which several apply, as values (`domain.answers.choices`)."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.domain.answers.choices import Choices
from sordino.tables.arrays import array_of


def values_of_lists(lists: pa.Array, choices: Choices) -> NDArray[np.intp]:
    """The value of each list, shape (n,); -1 for what is none: other names, one of them twice, or too many.

    Args:
        lists: of texts, in whatever order.
        choices: the categories.

    Example:
        >>> values_of_lists(pa.array([["b"], [], ["b", "a"], ["a", "a"], None]), Choices(("a", "b", "c"), 2)).tolist()
        [2, 0, 3, -1, -1]
    """
    # A library that few attributes need.
    import pyarrow.compute as pc

    labels, alone = len(choices.labels), {choices.none: 0}
    alone |= {} if choices.not_asked is None else {choices.not_asked: choices.unasked_value}
    names = pa.array([*choices.labels, *alone], type=pa.string())
    sizes = array_of(pc.fill_null(pc.list_value_length(lists), -1)).astype(np.intp)
    found = array_of(pc.fill_null(pc.index_in(pc.list_flatten(lists).cast(pa.string()), value_set=names), -1))
    person = np.repeat(np.arange(len(lists)), np.maximum(sizes, 0))
    is_category = (found >= 0) & (found < labels)
    values = np.zeros(len(lists), dtype=np.int64)
    np.bitwise_or.at(values, person[is_category], np.left_shift(np.int64(1), found[is_category].astype(np.int64)))
    # As many bits as names: each is a category, and none stands twice.
    bits = (values[:, np.newaxis] >> np.arange(labels) & 1).sum(axis=1)
    fits = (bits == sizes) & (sizes <= choices.most)
    first = np.full(len(lists), -1)
    first[person[::-1]] = found[::-1]
    is_word = (sizes == 1) & (first >= labels)
    words = np.array([*alone.values()], dtype=np.int64)
    known: NDArray[np.intp] = np.where(fits, values, np.where(is_word, words.take(first - labels, mode="clip"), -1))
    return known
