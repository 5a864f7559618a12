"""What cannot be expected to be answered is said before anybody is asked, and how many people it takes."""

import re

import numpy as np
import pytest

from sordino import KeyedSource, Plan, SordinoError, Survey
from sordino.survey.kinds.numbers.numbers_result import NumbersResult
from sordino.survey.planning.expectations import expected_of_sample
from sordino.survey.planning.forecast import forecasts, lookalike_warnings, require_learnable, warnings
from sordino.survey.results.result import Untold, results
from surveys import planned

REGRESSION = """\
version = 1
epsilon = "1"
[attribute.age]
number = { low = 17, high = 90 }
[attribute.education]
number = { low = 1, high = 16 }
[attribute.hours]
number = { low = 1, high = 99 }
[[ask]]
regression = { target = "hours", features = ["age", "education"] }
"""

MIXED = """\
version = 1
epsilon = "1"
[attribute.city]
grid = { south = 0, north = 10, west = 0, east = 10, rows = 10, columns = 10 }
protect = { blocks = [5, 5] }
[attribute.smoker]
categories = ["yes", "no"]
[[ask]]
histogram = "city"
[[ask]]
histogram = "smoker"
"""

MEAN = """\
version = 1
epsilon = "{}"
[attribute.age]
number = {{ low = 20, high = 80 }}
[[ask]]
mean = "age"
"""


def always_the_same(count):
    return KeyedSource(bytes(32), "forecast").for_records(np.arange(count))


def like_a_census(count):
    """Scaled answers that spread as a census's do: by a sixth of their ranges, and less."""
    rng = np.random.default_rng(0)
    age = rng.beta(2, 3, count) * 2 - 1
    education = np.clip(rng.normal(0.2, 0.34, count), -1, 1)
    hours = np.clip(rng.normal(-0.2, 0.25, count) + 0.1 * age + 0.2 * education, -1, 1)
    return np.column_stack([age, education, hours])


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("known", [False, True], ids=["nothing known", "a sample"])
def test_a_regression_that_will_be_refused_is_said_before_anybody_is_asked(known):
    plan = planned(REGRESSION, 16_281)
    records = like_a_census(16_281)
    (forecast,) = forecasts(plan, expected_of_sample(plan.questions, [records]) if known else None)
    assert forecast.refusal_rate > 0.7
    assert "expect NO ANSWER in about " in forecast.warning
    assert warnings([forecast]) == (forecast.warning,)
    (refused,) = results(plan, plan.sampled.tally(plan.sampled.privatize([records], always_the_same(len(records)))))
    assert "standard errors" in str(refused.why)
    # And with as many as it says, it is answered.
    needed = forecasts(plan, expected_of_sample(plan.questions, [records]))[0].people_needed
    (later,) = forecasts(planned(REGRESSION, int(1.5 * needed)), [records])
    assert later.warning is None
    assert later.refusal_rate < 0.01


def test_nothing_known_of_features_that_may_spread_less_is_said_too():
    needed = forecasts(planned(REGRESSION, 16_281))[0].people_needed
    (forecast,) = forecasts(planned(REGRESSION, int(1.5 * needed)))
    assert forecast.refusal_rate < 0.05
    assert "if the features have a standard deviation of a tenth of their ranges" in forecast.warning
    assert forecasts(planned(REGRESSION, 300 * needed))[0].warning is None


INCOMES = """\
version = 1
epsilon = "4"
[attribute.income]
number = { low = 0, high = 200000 }
[attribute.rent]
number = { low = 0, high = 200000 }
[[ask]]
regression = { target = "rent", features = ["income"] }
"""


def refused(plan, records, surveys=20):
    """In which part of some surveys among people like these the regression is refused."""
    rng, count = np.random.default_rng(0), plan.people
    found = []
    for name in range(surveys):
        words = KeyedSource(bytes(32), f"survey {name}").for_records(np.arange(count))
        drawn = records[rng.integers(0, len(records), count)]
        (result,) = results(plan, plan.sampled.tally(plan.sampled.privatize([drawn], words)))
        found.append(isinstance(result, Untold))
    return np.mean(found)


def test_the_spread_from_which_most_regressions_are_estimated_is_said():
    """Where incomes spread by a little less most surveys are refused, also of people unlike those that are assumed."""
    plan, rng = planned(INCOMES, 20_000), np.random.default_rng(0)
    (forecast,) = forecasts(plan)
    (note,) = [line for line in forecast.tables()[0].notes if "is estimated in most surveys" in line]
    assert f"the standard deviation of 'income' is at least {forecast.least_spread:.2g} of its range" in note
    assert forecast.json()["least_spread"] == forecast.least_spread
    assert "expect NO ANSWER in up to" in forecast.warning
    incomes = np.clip(rng.lognormal(10, 0.7, 20_000), 0, 200_000) / 100_000 - 1
    assert 0.9 * forecast.least_spread < incomes.std() / 2 < forecast.least_spread
    assert refused(plan, np.column_stack([incomes, incomes / 2])) > 0.5

    def spread_by(part):
        reach = 2 * part * np.sqrt(3)
        numbers = min(np.sqrt(0.5), 1 - reach) + reach * np.linspace(-1, 1, 1000)
        return np.column_stack([numbers, numbers / 4])

    assert refused(plan, spread_by(0.8 * forecast.least_spread)) > 0.5
    assert refused(plan, spread_by(1.25 * forecast.least_spread)) < 0.2


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("people", [1, 5, 40, 10_000])
def test_an_interval_as_wide_as_all_that_is_possible_is_a_warning(people):
    """And what it takes for a tenth of it."""
    for text, width in ((MEAN.format("1"), 60), (MIXED, 1)):
        found = forecasts(planned(text, people))
        for forecast in found:
            error = forecast.plan.stderr[0] if text != MIXED else forecast.plan.largest
            assert (forecast.warning is not None) == (2 * 1.96 * error >= width)
            share = float(forecast.question.share)
            (again, *_) = [
                later
                for later in forecasts(planned(text, int(forecast.people_needed / share) + 2))
                if later.question.name == forecast.question.name
            ]
            error = again.plan.stderr[0] if text != MIXED else again.plan.largest
            assert 2 * 1.96 * error == pytest.approx(0.1 * width, rel=0.02)


@pytest.mark.parametrize(
    ("text", "people"), [(MIXED.replace('"1"', '"1e-16"'), 1000), (MEAN.format("1e-9"), 1000), (MIXED, 10**9)]
)
def test_a_survey_from_which_nothing_can_be_learned_is_refused(text, people):
    found = forecasts(planned(text, people))
    if text == MIXED:
        require_learnable(found)
        return
    with pytest.raises(SordinoError, match=r"must ask something that can be learned.*raise epsilon"):
        require_learnable(found)


def test_a_sample_says_what_shares_are_expected():
    plan = planned(MIXED, 2000)
    city = np.repeat([0, 1, 2], [700, 200, 100])
    forecast, smoker = forecasts(plan, expected_of_sample(plan.questions, [city, np.zeros(1000, dtype=np.intp)]))
    assert forecast.shares[:4].tolist() == [0.7, 0.2, 0.1, 0]
    # All of them live in one of four blocks: their shares err as if it were the whole map, the others not at all.
    assert forecast.plan.stderr == pytest.approx(forecast.plan.one_block / 2, rel=0.01)
    assert forecast.distance.plan[0] < forecasts(plan)[0].distance.plan[-1]
    assert smoker.plan.stderr == pytest.approx(forecasts(plan)[1].plan.stderr, rel=0.2)


def test_numbers_in_warnings_are_read_by_people():
    (line,) = warnings(forecasts(planned(MEAN.format("0.01"), 1000)))
    assert "1,000 people" in line
    assert re.search(r"about [\d,]+ people", line)
    assert not re.search(r"\d{4}", line)


def test_what_is_forecast_is_found():
    plan = planned(REGRESSION.replace('"1"', '"4"'), 400_000)
    records = like_a_census(400_000)
    (forecast,) = forecasts(plan, expected_of_sample(plan.questions, [records]))
    (result,) = results(plan, plan.sampled.tally(plan.sampled.privatize([records], always_the_same(len(records)))))
    assert not isinstance(result, Untold)
    assert isinstance(result, NumbersResult)
    assert result.estimate.stderr == pytest.approx(np.array(forecast.plan.stderr), rel=0.2)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("same", ["one number", "each other"])
def test_features_that_no_number_of_people_tells_apart_are_said(same):
    records = np.random.default_rng(2).uniform(-0.5, 0.5, (300, 3))
    records[:, 1] = 0.2 if same == "one number" else records[:, 0]
    (forecast,) = forecasts(planned(REGRESSION, 10_000), [records])
    assert forecast.people_needed is None
    assert "No number of people is enough: a feature hardly varies, or depends on the others." in forecast.warning


ALIKE = {
    "blanks": (["yes", "yes "], {}, ["a: the values 'yes' and 'yes ' look alike, as 'yes'"]),
    "no width": (["yes", "yes\u200b"], {}, ["as 'yes'"]),
    "accents": (["caf\u00e9", "cafe\u0301"], {}, ["as 'caf\u00e9'"]),
    "labels": (["1", "2"], {"1": "Lower", "2": "Lower"}, ["'1' and '2' look alike, as 'Lower'"]),
    "a label and a name": (["1", "2"], {"1": "2"}, ["'1' and '2' look alike, as '2'"]),
    "in one language": (
        ["1", "2"],
        {"1": {"en": "Lower", "de": "Kleiner"}, "2": {"en": "Less", "de": "Kleiner"}},
        ["look alike in the language 'de', as 'Kleiner'"],
    ),
    "case is seen": (["yes", "Yes"], {}, []),
    "names that labels part": (["yes", "yes "], {"yes": "Yes", "yes ": "Rather yes"}, []),
}


@pytest.mark.parametrize("kind", ["attribute", "public"])
@pytest.mark.parametrize(("names", "labels", "said"), ALIKE.values(), ids=ALIKE)
def test_values_that_look_alike_are_a_warning(kind, names, labels, said):
    other = {"attribute": {"b": {"categories": 2}}, "public": {}}
    tables = {"version": 1, "epsilon": "1", **other, "ask": [{"histogram": "b"}]}
    tables[kind] |= {"a": {"categories": names, **({"labels": labels} if labels else {})}}
    if kind == "attribute":
        tables |= {"ask": [{"histogram": "a"}, {"histogram": "b"}]}
        del tables["public"]
    found = list(lookalike_warnings(Plan.of(Survey.read(tables), 1000)))
    assert len(found) == len(said)
    assert all(word in line for word, line in zip(said, found, strict=True))
