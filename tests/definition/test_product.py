"""Tables seen from one attribute, against loops."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import Nats, SordinoError
from sordino.definition.product import Contrast, by_attribute, least_other, read_shape, required_shape, steepest


@st.composite
def tables(draw, rows):
    columns = draw(st.integers(1, 4))
    entry = st.sampled_from([0, 1, 2, 3, 2**64, 2**80])
    return np.array(
        draw(st.lists(st.lists(entry, min_size=columns, max_size=columns), min_size=rows, max_size=rows)), dtype=object
    )


def test_an_attributes_rows_hold_all_records_of_its_values():
    shape = (2, 3, 2)
    records = np.array([*product(*map(range, shape))])
    for i in range(3):
        rows = by_attribute(np.arange(12), shape, i)
        assert rows.shape == (shape[i], 12 // shape[i])
        for value, row in enumerate(rows):
            assert (records[row, i] == value).all()
        # Within a column all others agree.
        others = np.delete(records[rows], i, axis=2)
        assert (others == others[:1]).all()


@given(st.integers(2, 4).flatmap(tables))
def test_the_least_other_entry_of_a_column(table):
    for whole in (table, table.astype(float)):
        found = least_other(whole)
        for (row, column), other in np.ndenumerate(found):
            assert other != row
            assert whole[other, column] == min(np.delete(whole[:, column], row))


@given(st.integers(1, 3).flatmap(lambda rows: st.tuples(tables(rows), tables(rows))))
def test_the_steepest_place_has_the_largest_ratio(both):
    heavy, light = (table[:, : min(t.shape[1] for t in both)] for table in both)
    place = steepest(heavy, light)
    pairs = [(h, w) for h, w in zip(heavy.ravel(), light.ravel(), strict=True) if h]
    if place is None:
        assert not pairs
        return
    most, least = heavy[place], light[place]
    assert most > 0
    assert all(h * least <= w * most for h, w in pairs)


def test_a_contrast_has_a_loss():
    assert Contrast(0, 1, 6, 4).loss == Nats.log(Fraction(3, 2))
    assert Contrast(0, 1, 6, 0).loss is None


def test_shapes_are_read_and_required():
    assert read_shape(np.array([2, 3]), 2) == (2, 3)
    assert required_shape((2,)) == (2,)
    with pytest.raises(SordinoError, match=r"\.on\(record\)"):
        required_shape(None)
    with pytest.raises(SordinoError, match="attributes; found 1"):
        read_shape([2], 2)
