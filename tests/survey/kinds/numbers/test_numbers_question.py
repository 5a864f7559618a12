"""Surveys about numbers: what is frozen, promised, refused; and that a plan keeps each attribute's delta."""

import json
import tomllib
from hashlib import sha256

import numpy as np
import pytest

from in_one import in_one
from sordino import KeyedSource, Nats, Plan, SordinoError, SordinoErrors, Survey
from sordino.blocks.sentence import texts
from sordino.definition.sampling import sampling_deltas, sampling_level
from sordino.design.from_sample import state_dependence, tally_sample
from sordino.document.sealed import canonical, sealed_bytes
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion
from sordino.survey.planning.questions_for_sample import questions_for_sample
from sordino.survey.planning.statement import save_statement
from sordino.survey.results.result import Untold, results
from sordino.words.explain_promise import explain
from sordino.words.odds_by_attribute import coordinate_sentences

SURVEY = """\
version = 1
epsilon = "2"
[attribute.smoker]
categories = ["yes", "no"]
delta = "0.5"
[attribute.weight]
number = { low = 30, high = 200 }
[attribute.age]
number = { low = 20, high = 80, clip = true }
column = "years"
[attribute.height]
number = { low = 140, high = 200 }
delta = "1"
[dependence]
rest = { smoker = 0.2, age = "1/10", height = 0.3 }
[[ask]]
histogram = "smoker"
[[ask]]
mean = ["weight", "age"]
[[ask]]
covariance = ["age", "height"]
weight = 2
[[ask]]
regression = { target = "weight", features = ["height", "age"] }
"""


N_SAMPLE = 50_000


def edit(*changes):
    text = SURVEY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def read(*changes):
    return Survey.read(tomllib.loads(edit(*changes)))


@pytest.fixture(scope="module")
def plan():
    return Plan.of(read(), 100_000)


def resealed(path, plan, forge):
    """A plan file with a hash that fits what was changed in it."""
    document = json.loads(plan.bytes)
    forge(document)
    del document["hash"]
    document["hash"] = "sha256:" + sha256(canonical(document)).hexdigest()
    path.write_bytes(sealed_bytes(document) + b"\n")
    return path


def test_what_is_frozen_is_what_was_asked(plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    loaded = Plan.load(tmp_path / "plan.json")
    assert loaded == plan
    assert plan.places == ("age", "height", "smoker", "weight")
    assert [question.name for question in plan.questions] == [
        "smoker",
        "mean of weight, age",
        "covariance of age, height",
        "regression of weight on height, age",
    ]
    assert [question.share * 5 for question in plan.questions] == [1, 1, 2, 1]
    assert [question.query.fingerprint for question in loaded.questions] == [
        question.query.fingerprint for question in plan.questions
    ]
    assert [plan.document.attributes[name].delta for name in plan.places] == ["2", "1", "1/2", "2"]
    assert plan.document.attributes["age"].columns == ["years"]
    assert plan.document.attributes["age"].number.clip is True


def test_answers_are_placed_in_the_record(plan):
    """The channels count places within their question, the promise within the plan."""
    names = [
        [{plan.places[j] for s in one.statistics for j in s} for t in q.types for one in t] for q in plan.questions
    ]
    assert [set().union(*told) for told in names] == [
        {"smoker"},
        {"weight", "age"},
        {"age", "height"},
        {"weight", "height", "age"},
    ]
    covariance = plan.questions[2]
    assert isinstance(covariance, NumbersQuestion)
    assert {answer.statistics[0] for t in covariance.types for answer in t} == {(0,), (1,), (0, 0), (0, 1), (1, 1)}
    regression = {answer.statistics[0] for t in plan.questions[3].types for answer in t}
    assert regression == {(0,), (1,), (3,), (0, 0), (1, 1), (0, 1), (0, 3), (1, 3)}


def test_each_delta_is_kept_and_nearly_used(plan):
    promise = plan.promise
    assert promise.holds
    assert promise.losses == sampling_deltas([t for q in plan.questions for t in q.types], promise.dependence)
    assert promise.level == sampling_level([t for q in plan.questions for t in q.types]) <= Nats.of(2)
    for delta, reached in zip(promise.deltas, promise.losses, strict=True):
        assert reached <= delta
    # Those that limit the answers are reached: smoker's .5 by its own histogram, height's 1 by its own mean.
    assert promise.of(["smoker", "height"]) == (Nats.of("1/2"), Nats.of(1))
    assert float(promise.losses[2]) == pytest.approx(0.5, abs=1e-9)
    assert float(promise.losses[1]) == pytest.approx(1, abs=1e-9)


def test_without_dependence_each_answer_keeps_the_least_delta():
    plan = Plan.of(read((SURVEY[SURVEY.index("[dependence]") : SURVEY.index("[[ask]]")], "")), 100_000)
    assert plan.promise.level == plan.promise.losses[2]
    assert plan.promise.level <= Nats.of("1/2")
    assert plan.document.dependence is None


def test_independent_attributes_are_asked_at_their_own_delta():
    plan = Plan.of(read(('{ smoker = 0.2, age = "1/10", height = 0.3 }', "0")), 100_000)
    levels = {answer.statistics: answer.level for t in plan.questions[2].types for answer in t}
    assert float(levels[((0,),)]) == pytest.approx(2)
    assert float(levels[((1,),)]) == pytest.approx(1)
    # A product with height tells height, whatever is declared of the rest.
    assert float(levels[((0, 1),)]) == pytest.approx(1)


def test_an_attribute_that_is_not_asked_is_protected_from_the_others():
    asks = SURVEY[SURVEY.index("[[ask]]") :]
    alone = Plan.of(read((asks, '[[ask]]\nmean = ["age", "weight"]\n[[ask]]\nmean = "height"\n')), 1000)
    assert float(alone.promise.losses[2]) == pytest.approx(0.5, abs=1e-6)
    assert alone.document.attributes["smoker"].protect is None
    levels = [float(answer.level) for q in alone.questions for t in q.types for answer in t]
    # ln(1 + .2 (e^level - 1)) = .5
    assert max(levels) == pytest.approx(np.log(1 + (np.exp(0.5) - 1) / 0.2), abs=1e-6)
    with pytest.raises(SordinoErrors, match=r"attribute\.weight must be asked"):
        read((asks, '[[ask]]\nmean = ["age", "height"]\n'))


def coins(document):
    return document["queries"][2]["queries"]["mechanisms"]


FORGED = {
    "a coin that tells more": lambda d: coins(d)[0].update(threshold=str(2**64 - 2**50)),
    "an epsilon of a histogram above the plan's": lambda d: d["attributes"]["smoker"].update(protect={"epsilon": "3"}),
    "a smaller delta": lambda d: d["attributes"]["height"].update(delta="1/2"),
    "a smaller epsilon": lambda d: d.update(epsilon="1"),
    "more dependence": lambda d: d["dependence"]["rest"].update(smoker="1"),
    "no dependence": lambda d: d.pop("dependence"),
}


@pytest.mark.parametrize("forge", FORGED)
def test_a_plan_that_breaks_its_deltas_is_refused(plan, tmp_path, forge):
    path = resealed(tmp_path / "forged.json", plan, FORGED[forge])
    with pytest.raises(SordinoError, match="must keep its own promise"):
        Plan.load(path)


MISSHAPEN = {
    "a delta for some": lambda d: d["attributes"]["age"].pop("delta"),
    "dependence of others": lambda d: d["dependence"]["rest"].update(salary="1"),
    "dependence above one": lambda d: d["dependence"]["rest"].update(age="2"),
    "dependence in another spelling": lambda d: d["dependence"]["rest"].update(age="0.1"),
    "a statistic of no number": lambda d: d["queries"][2]["queries"]["statistics"].__setitem__(0, ["number", 2, 2]),
    "a weight of zero": lambda d: d["queries"][2]["queries"]["weights"].__setitem__(0, 0),
    "too few coins": lambda d: coins(d).pop(),
    "a number that is a category": lambda d: d["queries"][1].update(numbers=["smoker", "age"]),
    "a channel of other numbers": lambda d: d["queries"][1].update(numbers=["weight", "age", "height"]),
    "a regression without its statistics": lambda d: d["queries"][1].update(asked="regression"),
}


@pytest.mark.parametrize("forge", MISSHAPEN)
def test_a_plan_that_sordino_did_not_write_is_refused(plan, tmp_path, forge):
    path = resealed(tmp_path / "forged.json", plan, MISSHAPEN[forge])
    with pytest.raises(SordinoError):
        Plan.load(path)


WRONG = {
    "delta above epsilon": ((('delta = "1"', 'delta = "3"'),), ["attribute.height.delta", "epsilon = 2", "3"]),
    "delta of zero": ((('delta = "1"', 'delta = "0"'),), ["attribute.height.delta", "delta must be above 0"]),
    "delta below zero": ((('delta = "1"', 'delta = "-1"'),), ["attribute.height.delta", "-1"]),
    "no epsilon": ((('epsilon = "2"\n', ""),), ["epsilon must be given", "whole record"]),
    "q above one": ((("smoker = 0.2", "smoker = 1.2"),), ["dependence.rest", "[0, 1]", "1.2"]),
    "q below zero": ((("smoker = 0.2", "smoker = -0.1"),), ["dependence.rest", "[0, 1]"]),
    "q not a number": ((("smoker = 0.2", "smoker = nan"),), ["dependence.rest"]),
    "a matrix of q": ((("smoker = 0.2", "smoker = [0.2, 0.1]"),), ["dependence.rest", "matrix", "pairs"]),
    "q of nobody": ((("smoker = 0.2", "smokr = 0.2"),), ["dependence.rest", "'smokr'", "did you mean 'smoker'"]),
    "the target among the features": (
        (('["height", "age"]', '["height", "weight"]'),),
        ["ask.3.regression", "'weight'"],
    ),
    "a feature twice": ((('["height", "age"]', '["age", "age"]'),), ["ask.3.regression", "once", "'age' twice"]),
    "a mean of categories": ((('["weight", "age"]', '["smoker"]'),), ["ask.1.mean", "numbers", "histogram"]),
    "ends the wrong way round": (
        (("low = 20, high = 80", "low = 80, high = 20"),),
        ["attribute.age.number", "80 and 20"],
    ),
    "an end that is none": ((("low = 20", "low = nan"),), ["attribute.age.number", "nan"]),
    "an infinite end": ((("high = 80", "high = inf"),), ["attribute.age.number", "inf"]),
    "a category for missing numbers": (
        (('column = "years"', 'missing = "?"'),),
        ["attribute.age", "the missing share of a number must be"],
    ),
    "pairs of values protected": (
        (('delta = "0.5"', 'protect = { epsilon = "1" }'),),
        ["attribute.smoker.protect", "delta"],
    ),
    "ranges of a covariance": ((("weight = 2", "ranges = [[0, 1]]"),), ["ask.2", "covariance"]),
    "a covariance of one": ((('["age", "height"]', '"age"'),), ["ask.2", "two numbers"]),
    "a name like another": ((('target = "weight"', 'target = "wieght"'),), ["ask.3.regression.target", "'weight'"]),
    "a mean of no name": ((('mean = ["weight", "age"]', "mean = 3"),), ["ask.1.mean", "list of names", "3"]),
    "a regression as a list": (
        (('{ target = "weight", features = ["height", "age"] }', '["weight", "age"]'),),
        ["ask.3.regression", "must be a table", "target"],
    ),
    "both ways to declare": ((("[[ask]]\nhist", 'file = "q.json"\n[[ask]]\nhist'),), ["dependence", "rest, file"]),
}


@in_one(("changes", "words"), WRONG.values())
def test_a_mistake_is_named(changes, words):
    with pytest.raises(SordinoErrors) as raised:
        read(*changes)
    assert [word for word in words if word not in str(raised.value)] == []


def test_a_wrong_question_is_one_mistake():
    """What it would have asked for is not missed as well."""
    for change in (('target = "weight", ', ""), ('features = ["height", "age"]', "features = []")):
        asks = SURVEY[SURVEY.index("[[ask]]") :]
        with pytest.raises(SordinoErrors) as raised:
            read((asks, '[[ask]]\nregression = { target = "weight", features = ["height", "age"] }\n'), change)
        assert len(raised.value.errors) == 1, raised.value


def test_a_statement_that_is_not_there_is_asked_for(tmp_path):
    survey = Survey.read(
        tomllib.loads(edit(('rest = { smoker = 0.2, age = "1/10", height = 0.3 }', 'file = "q.json"')))
    )
    with pytest.raises(SordinoError, match=r"nothing at .*q\.json: make it from a sample with `sordino.dependence`"):
        Plan.of(survey, 1000)


def test_fewer_people_than_numbers_are_refused():
    Plan.of(read(), 40)
    with pytest.raises(SordinoError, match=r"ask\.3\.regression: there must be a person for each number"):
        Plan.of(read(), 39)


def test_what_rests_on_bins_is_promised_about_bins(tmp_path):
    rng = np.random.default_rng(3)
    columns = {"smoker": rng.integers(0, 2, N_SAMPLE), "years": rng.uniform(20, 80, N_SAMPLE)}
    columns |= {"height": rng.uniform(140, 200, N_SAMPLE), "weight": rng.uniform(30, 200, N_SAMPLE)}
    rest = SURVEY[SURVEY.index("rest =") : SURVEY.index("[[ask]]")]
    binned = ("low = 140, high = 200", "low = 140, high = 200, bins = 3")
    survey = Survey.read(tomllib.loads(edit((rest, 'file = "q.json"\n'), binned)), folder=tmp_path)
    asked = questions_for_sample(survey)
    names = {"age": "years"}
    tally = tally_sample(asked, [columns[names.get(name, name)] for name in asked.names])
    save_statement(state_dependence(asked, tally, "0.95"), tmp_path / "q.json")
    plan = Plan.of(survey, 100_000)
    plan.save(tmp_path / "plan.json")
    assert Plan.load(tmp_path / "plan.json").promise.bins == {"height": 3}
    said = " ".join(explain(plan))
    assert "any two of the 3 bins of 'height' by a factor of at most 2.72" in said
    assert "any two values of 'smoker' by a factor of at most 1.65" in said
    assert "For 'height' this promise is about the bin" in said
    # Why it has to be said: an answer about height * age is given at a level above height's delta of 1. Whoever knows
    # the age learns of two single heights by that level.
    height, age = plan.places.index("height"), plan.places.index("age")
    levels = {answer.statistics: answer.level for q in plan.questions for t in q.types for answer in t}
    assert levels[((age, height),)] > Nats.of(1)
    # Where nothing rests on the bins, values are promised.
    alone = Survey.read(tomllib.loads(edit((rest, 'file = "q.json"\n'), binned, ('delta = "0.5"', 'delta = "0.01"'))))
    alone = alone.replace(dependence=None)
    assert "any two values of 'height'" in " ".join(explain(Plan.of(alone, 100_000)))


def test_what_a_plan_says(plan):
    said = " ".join(explain(plan))
    assert "between any two records by a factor of at most 7.39 (2 nats; this plan: " in said
    assert "any two values of 'smoker' by a factor of at most 1.65 (0.5 nats), if the others depend" in said
    assert "0.2 in total variation" in said
    assert "second report" in said
    assert "'age' by a factor" not in said  # its delta is epsilon: the first sentence says it
    told = " ".join(texts(coordinate_sentences(plan.promise)))
    assert "The promise holds" in told
    assert "'smoker': at most 0.5 nats, its bound." in told


def simulated(plan, n, seed=0):
    """A population, and what a plan's reports say about it."""
    rng = np.random.default_rng(seed)
    age, height = rng.uniform(20, 80, n), rng.uniform(145, 195, n)
    weight = np.clip(0.9 * height - 90 + 0.2 * age + rng.normal(0, 10, n), 30, 200)
    data = {"age": age, "height": height, "weight": weight}
    ends = {"age": (20, 80), "height": (140, 200), "weight": (30, 200)}
    scaled = {name: 2 * (values - ends[name][0]) / (ends[name][1] - ends[name][0]) - 1 for name, values in data.items()}
    smoker = (rng.uniform(size=n) < 0.3).astype(np.intp)
    values = [
        np.column_stack([scaled[name] for name in question.attribute_names])
        if isinstance(question, NumbersQuestion)
        else smoker
        for question in plan.questions
    ]
    return data, plan.sampled.tally(plan.sampled.privatize(values))


def test_estimates_are_in_the_units_of_the_data(plan):
    data, tally = simulated(plan, 1_000_000)
    _, means, covariances, slopes = results(plan, tally, coverage=Coverage(0.999999))
    truth = {
        "mean": [data["weight"].mean(), data["age"].mean()],
        "covariance": np.cov(data["age"], data["height"])[[0, 0, 1], [0, 1, 1]],
        "regression": np.linalg.lstsq(
            np.column_stack([np.ones_like(data["age"]), data["height"], data["age"]]), data["weight"], rcond=None
        )[0],
    }
    for result in (means, covariances, slopes):
        rows = list(result.rows())
        for row, value in zip(rows, truth[result.question.part.asked], strict=True):
            assert row["low"] <= value <= row["high"], row
            assert 0 < row["stderr"] < max(abs(value), 30)
    assert [row["value"] for row in slopes.rows()] == ["intercept", "height", "age"]
    assert [row["value"] for row in covariances.rows()] == ["age", "age, height", "height"]
    assert np.linalg.eigvalsh(covariances.fitted).min() >= 0


def test_expected_errors_are_those_that_are_found(plan):
    _, tally = simulated(plan, 100_000)
    _, means, covariances, *_ = results(plan, tally)
    for result in (means, covariances):
        found = [row["stderr"] for row in result.rows()]
        expected = result.question.forecast().stderr
        # Of people who are not known: covariances also hold the error of the means, which these put off the middle.
        assert all(0.5 * e < f < 1.2 * e for f, e in zip(found, expected, strict=True))
        assert all(u > e for u, e in zip(result.question.forecast_uniform().stderr, expected, strict=True))


def test_the_expected_errors_of_coefficients_are_found_where_features_are_as_expected():
    asks = SURVEY[SURVEY.index("[[ask]]") :]
    plan = Plan.of(read((asks, '[[ask]]\nregression = { target = "weight", features = ["height", "age"] }\n')), 300_000)
    (question,) = plan.questions
    values = np.random.default_rng(0).uniform(-1, 1, (300_000, 3))  # nothing explains anything
    forecast = question.forecast(values[:1000])
    source = KeyedSource(bytes(32), "features").for_records(np.arange(len(values)))
    (result,) = results(plan, plan.sampled.tally(plan.sampled.privatize([values], source)))
    rows = {row["value"]: row["stderr"] for row in result.rows()}
    for name, expected in forecast.json().items():
        assert 0.85 * expected < rows[name] < 1.2 * expected, name
    # Of people who are not known, features are expected to spread less.
    assert all(question.forecast().json()[name] > 1.5 * rows[name] for name in ("height", "age"))
    # The intercept is told at height 0 and age 0, far from everybody.
    assert rows["intercept"] > 170 * rows["height"]


def test_what_too_few_reports_do_not_tell_is_said_beside_the_rest(plan):
    _, tally = simulated(plan, 2000)
    found = results(plan, tally)
    (untold,) = [result for result in found if isinstance(result, Untold)]
    assert untold.question.name.startswith("regression")
    assert "standard errors" in str(untold.why)
    assert str(untold.why).endswith("ask more people, or fewer numbers.")
    # Each attribute by itself is told all the same.
    assert [row["value"] for row in untold.rows()] == untold.question.attribute_names
