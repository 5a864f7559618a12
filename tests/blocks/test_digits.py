"""Numbers in as many digits as their standard errors allow."""

import numpy as np

from in_one import in_one
from sordino.blocks.charts import Shares
from sordino.blocks.digits import error_in_percent, in_percent, round_row


def row(estimate, stderr):
    return {"attribute": "a", "value": "v", "estimate": estimate, "stderr": stderr, "low": -1.0, "high": 1.0}


@in_one(
    ("estimate", "stderr", "texts"),
    [
        (72.48504, 8.47652, ("72.5", "8.5")),
        (50.64892, 0.386865, ("50.65", "0.39")),
        (0.0413475, 0.0294413, ("0.041", "0.029")),
        (56789.4, 1234.5, ("56789", "1234")),
        (1.0, 0.0996, ("1.00", "0.10")),
        (12.3, 9.96, ("12", "10")),
        (-0.0001, 0.25, ("0.00", "0.25")),
        (1e-12, 3e-12, ("1e-12", "3e-12")),
        (3e20, 1e19, ("3e+20", "1e+19")),
        (5.25, 0.0, ("5.25", "0")),
        (0.5, np.inf, ("0.5", "inf")),
    ],
)
def test_two_digits_of_the_error_and_the_estimate_to_the_same_place(estimate, stderr, texts):
    found = round_row(row(estimate, stderr))
    assert (found["estimate"], found["stderr"]) == texts


def test_labels_stay_out_and_fitted_numbers_come_along():
    found = round_row(row(1.23456, 0.012) | {"fitted": 1.2})
    assert list(found) == ["estimate", "stderr", "low", "high", "fitted"]
    assert found["fitted"] == "1.200"


def test_nothing_is_off_by_more_than_a_fortieth_of_the_error():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        stderr = 10.0 ** rng.uniform(-7, 6)
        estimate = stderr * 10.0 ** rng.uniform(-2, 4)
        found = round_row(row(estimate, stderr))
        # One part in 20 of 10..99 units of the last place.
        assert abs(float(found["estimate"]) - estimate) <= stderr / 20 + 1e-12
        assert abs(float(found["stderr"]) - stderr) <= stderr / 20 + 1e-12


def test_shares_have_no_more_digits_than_their_errors():
    found = in_percent(row(0.20115, 0.0214))
    assert (found["estimate"], found["stderr"]) == ("20.1 %", "2.1 %")
    found = in_percent({"estimate": 2.5e-6, "stderr": 1.3e-6, "fitted": None})
    assert found == {"estimate": "0.00025 %", "stderr": "0.00013 %"}
    # Without a standard error by the interval.
    assert in_percent({"estimate": 0.5, "low": 0.46, "high": 0.54})["low"] == "46.0 %"


def test_a_chart_says_what_its_table_says():
    shares = Shares(*np.array([[0.20115], [0.1592], [0.2431]]), stderr=np.array([0.0214]))
    assert shares.percentages()[0] == in_percent(row(0.20115, 0.0214) | {"low": 0.1592, "high": 0.2431})


def test_a_limit_beside_0_is_not_written_as_0():
    """It says on which side of 0 the interval lies."""
    numbers = {"estimate": 0.0513, "stderr": 0.026, "low": 0.00042, "high": 0.1023}
    assert round_row(numbers) == {"estimate": "0.051", "stderr": "0.026", "low": "0.0004", "high": "0.102"}
    assert round_row(numbers | {"low": -0.00042})["low"] == "-0.0004"
    assert in_percent(numbers)["low"] == "0.04 %"
    # One that is cut there is 0, and so is an estimate that noise hides.
    assert round_row(numbers | {"low": 0.0, "estimate": 0.00042})["low"] == "0.000"
    assert round_row(numbers | {"low": -0.0, "estimate": 0.00042})["estimate"] == "0.000"
    # The rounding of floats is no distance from 0.
    assert round_row(numbers | {"low": 1e-17})["low"] == "0.000"


@in_one(
    ("part", "text"), [(1.2345, "120 %"), (0.9951, "100 %"), (56.78, "5,700 %"), (0.012, "1.2 %"), (1e-7, "0.00001 %")]
)
def test_an_error_in_percent_has_no_exponent(part, text):
    assert error_in_percent(part) == text
