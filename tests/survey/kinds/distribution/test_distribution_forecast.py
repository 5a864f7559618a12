"""The curve that is shown is as far from the truth as was forecast."""

import numpy as np
import pyarrow as pa
import pytest

from sordino import aggregate, privatize
from sordino.survey.results.result import results_so_far
from sordino.verbs.make_plan import make_plan

CASES = {
    "bits or levels": ({"low": 0, "high": 100, "bins": 16}, {}),
    "a smooth curve": ({"low": 0, "high": 100, "bins": 64}, {}),
    "a number that may be missing": ({"low": 0, "high": 100, "bins": 48}, {"missing": "0.2"}),
    "spikes": ({"low": 0, "high": 100, "bins": 32, "spikes": True}, {}),
}


def ages(count, seed, lacking):
    rng = np.random.default_rng(seed)
    own = np.where(rng.random(count) < lacking, None, 100 * rng.beta(2, 4, count))
    return pa.table({"age": pa.array(own.tolist(), pa.float64())})


@pytest.mark.parametrize("case", CASES)
def test_the_fitted_function_errs_as_forecast(case):
    number, more = CASES[case]
    lacking, count = float(more.get("missing", 0)), 10_000
    survey = {"version": 1, "epsilon": "1", "attribute": {"age": {"number": number, **more}}}
    frozen = make_plan({**survey, "ask": [{"distribution": "age"}]}, count, expect=ages(50_000, 1, lacking))
    (forecast,) = frozen.forecasts
    errors = []
    for seed in range(12):
        (result,) = results_so_far(
            frozen.plan, aggregate(frozen.plan, privatize(frozen.plan, ages(count, seed, lacking)))
        )
        shares = forecast.question.expected_people[: number["bins"]]
        errors.append((np.cumsum(result.fitted - shares / shares.sum())[:-1] ** 2).mean())
    assert forecast.fitted_error == pytest.approx(np.sqrt(np.mean(errors)), rel=0.4)
    assert forecast.fitted_error < 1.1 * forecast.plan.typical


@pytest.mark.parametrize("missing", [{}, {"missing": "0.9"}])
def test_few_people_have_a_forecast_too(missing):
    survey = {"version": 1, "epsilon": "1/2", "attribute": {"age": {"number": {"low": 0, "high": 1}, **missing}}}
    (forecast,) = make_plan({**survey, "ask": [{"distribution": "age"}]}, 1).forecasts
    assert 0 < forecast.fitted_error < 1
