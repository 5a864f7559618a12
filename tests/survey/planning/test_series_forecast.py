"""What a plan with a series is expected to show of each period and smoothed, against simulation and plain forecasts."""

import json
from datetime import date

import numpy as np
import pytest
from tests.commands import run_here

from sordino import SordinoError
from sordino.estimation.smooth_series import smoothed_error
from sordino.survey.planning.series_forecast import STEPS, series_forecast
from sordino.verbs.make_plan import make_plan

SURVEY = {
    "version": 1,
    "epsilon": "1",
    "series": {"periods": 52, "every": "week", "start": date(2026, 1, 5)},
    "attribute": {"smoker": {"categories": ["yes", "no"]}},
    "ask": [{"histogram": "smoker"}],
}


@pytest.mark.parametrize("step", [0.1, 0.5, 2])
def test_the_error_is_that_of_the_best_linear_predictor(step):
    """Walks drawn, and each smoothed by a recursion over a local line: Kalman's filter, backwards by Rauch."""
    periods, generator, squares = 12, np.random.default_rng(1), []
    move = np.array([[1.0, 1.0], [0, 1]])
    noise = np.diag([step**2, 0.0])
    for _ in range(1500):
        truth = np.cumsum(step * generator.normal(size=periods))
        seen = truth + generator.normal(size=periods)
        state, spread, kept = np.zeros(2), 1e6 * np.eye(2), []
        for place, value in enumerate(seen):
            if place:
                state, spread = move @ state, move @ spread @ move.T + noise
            before = state, spread
            gain = spread[:, 0] / (spread[0, 0] + 1)
            state, spread = state + gain * (value - state[0]), spread - np.outer(gain, spread[0])
            kept.append((before, state, spread))
        smooth = kept[-1][1]
        found = [smooth[0]]
        for place in range(periods - 2, -1, -1):
            (ahead, wide), own, narrow = kept[place + 1][0], kept[place][1], kept[place][2]
            smooth = own + narrow @ move.T @ np.linalg.inv(wide) @ (smooth - ahead)
            found.append(smooth[0])
        squares.append(np.mean((np.array(found[::-1]) - truth) ** 2))
    assert np.sqrt(np.mean(squares)) == pytest.approx(smoothed_error(periods, step), rel=0.05)


def test_a_line_takes_two_numbers_and_a_rough_walk_is_not_smoothed():
    assert smoothed_error(52, 0.0) == pytest.approx((2 / 52) ** 0.5)
    assert smoothed_error(24, 0.0, 12) == pytest.approx((13 / 24) ** 0.5)
    assert smoothed_error(52, 100.0) == pytest.approx(1, abs=1e-3)
    assert smoothed_error(2, 1.0) == pytest.approx(1)


def test_a_period_has_its_part_of_the_people():
    frozen = make_plan(SURVEY, 104_000)
    found = series_forecast(frozen.plan, frozen.forecasts)
    alone = make_plan({name: table for name, table in SURVEY.items() if name != "series"}, 2_000)
    assert found.people == 2_000
    (row,) = found.rows
    assert row.one_period == pytest.approx(1.959964 * alone.forecasts[0].largest_part, rel=1e-6)
    assert list(row.smoothed) == sorted(row.smoothed)
    assert row.smoothed[0] == pytest.approx(row.one_period * (2 / 52) ** 0.5)
    assert row.smoothed[-1] < row.one_period
    assert series_forecast(alone.plan, alone.forecasts) is None


def test_an_accuracy_is_of_each_period():
    alone = make_plan({name: table for name, table in SURVEY.items() if name != "series"}, None, 0.05)
    frozen = make_plan(SURVEY, None, 0.05)
    assert frozen.plan.people == 52 * alone.plan.people
    assert frozen.widest()[1] <= 0.05 * (1 + 1e-9)
    with pytest.raises(SordinoError, match="at most"):
        make_plan(SURVEY, None, 1e-9)


def test_the_command_shows_it(tmp_path):
    lines = ["version = 1", 'epsilon = "1"', "[series]", 'periods = 52\nevery = "week"\nstart = 2026-01-05']
    lines += ["[attribute.smoker]", 'categories = ["yes", "no"]', "[[ask]]", 'histogram = "smoker"']
    (tmp_path / "survey.toml").write_text("\n".join(lines), encoding="utf-8")
    arguments = ("plan", "survey.toml", "--people", "100000", "-o")
    code, out, err = run_here(*arguments, "a.json", "--json", folder=tmp_path)
    assert (code, err) == (0, "")
    said = json.loads(out)["series"]
    assert (said["every"], said["people"]) == ("week", 1923)
    assert [one["step"] for one in said["questions"][0]["smoothed"]] == list(STEPS)
    code, out, err = run_here(*arguments, "b.json", folder=tmp_path)
    assert (code, err) == (0, "")
    assert "Over time: about 1,923 people each week" in out
    code, out, err = run_here("plan", "survey.toml", "--accuracy", "0.05", "-o", "c.json", folder=tmp_path)
    assert (code, err) == (0, "")
    assert "interval of one week has an expected half-width" in out
