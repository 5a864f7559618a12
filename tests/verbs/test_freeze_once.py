"""What a plan's forecasts simulate is simulated once."""

import numpy as np

from kinds_of_survey import KINDS
from sordino import Survey
from sordino.design.numbers.numbers_accuracy import Expected
from sordino.survey.planning.forecast import warnings
from sordino.verbs.make_plan import make_plan


def test_a_regression_is_simulated_once_for_each_number_of_people(monkeypatch):
    simulated, refused = [], Expected.refusal_rate

    def counted(self, people, *draws):
        simulated.append((self.variance.tobytes(), people, draws))
        return refused(self, people, *draws)

    monkeypatch.setattr(Expected, "refusal_rate", counted)
    frozen = make_plan(Survey.read(KINDS["regression"].survey(4)), 20_000)
    assert frozen.forecasts[0].plan.stderr
    warnings(frozen.forecasts)
    assert simulated
    assert len(set(simulated)) == len(simulated)


def test_what_so_many_people_tell_is_the_same_of_a_variance_and_of_its_matrix():
    frozen = make_plan(Survey.read(KINDS["covariance"].survey(4)), 20_000)
    expected = frozen.plan.questions[0].expectation()
    assert (expected.moments_from(777).covariance == np.diag(expected.variance) / 777).all()
