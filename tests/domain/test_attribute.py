"""An attribute says what its values are, and refuses to be read as another kind."""

import pytest

from sordino import Categories, Interval, SordinoError
from sordino.domain.attribute import Attribute

SMOKER, AGE = Attribute("smoker", Categories(["yes", "no"])), Attribute("age", Interval(18, 90), ("AGE",), clip=True)


def test_an_attribute_stands_in_a_column_of_its_own_name_by_default():
    assert SMOKER.columns == ("smoker",)
    assert AGE.columns == ("AGE",)


def test_each_kind_is_read_as_itself_only():
    assert (SMOKER.finite.k, AGE.interval) == (2, Interval(18, 90))
    with pytest.raises(SordinoError, match="'age' must have values that can be counted"):
        _ = AGE.finite
    with pytest.raises(SordinoError, match="must be about numbers"):
        _ = SMOKER.interval
