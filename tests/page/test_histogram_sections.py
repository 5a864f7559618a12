"""Numbers in order are drawn in order: each by itself where they are few enough, else in runs, with sums."""

import numpy as np
import pytest

from sordino.exact.keyed import KeyedSource
from sordino.page.figures.bars import Shares
from sordino.page.histogram_sections import histogram_figures, in_order
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.schema import Survey
from sordino.survey.results.result import results

PEOPLE = 5_000


@pytest.fixture
def answered(tables):
    """What reports say of an attribute, and its shares as a page draws them."""

    def answer(attribute):
        plan = Plan.of(Survey.read(tables({"age": attribute}, "4")), PEOPLE)
        k = plan.questions[0].domain.k
        values = np.random.default_rng(3).binomial(k - 1, 0.4, PEOPLE)
        source = KeyedSource(bytes(32), "page").for_records(np.arange(PEOPLE))
        (result,) = results(plan, plan.sampled.tally(plan.sampled.privatize([values], source)))
        truth = np.bincount(values, minlength=k) / PEOPLE
        return result, Shares(result.estimate.value, *result.interval, result.fitted, truth)

    return answer


def test_each_number_stands_where_it_is(answered):
    result, shares = answered({"categories": [str(2 * year) for year in range(20)]})
    found = in_order(result, shares)
    assert found.shares is shares
    assert (found.at.tolist(), found.run) == ([2.0 * year for year in range(20)], 1)
    (figure,) = histogram_figures(result, shares)
    assert figure.words.startswith("Columns of the shares of age from 0 to 38.")


def test_too_many_numbers_stand_in_runs(answered):
    result, shares = answered({"categories": 410, "protect": {"metric": {"per": 4}}})
    found = in_order(result, shares)
    assert (found.run, len(found.labels), found.labels[0], found.labels[-1]) == (5, 82, "0 to 4", "405 to 409")
    assert (found.at[0], found.at[-1]) == (2, 407)
    whole = (result.estimate.value, shares.fitted, shares.truth)
    for column, runs in zip(whole, (found.shares.estimate, found.shares.fitted, found.shares.truth), strict=True):
        assert runs[3] == pytest.approx(column[15:20].sum(), abs=1e-12)
    inside = (found.shares.low <= found.shares.truth) & (found.shares.truth <= found.shares.high)
    assert inside.mean() > 0.85
    (figure,) = histogram_figures(result, shares)
    assert "age, in runs of 5 values from 0 to 4 to 405 to 409" in figure.words


@pytest.mark.parametrize(
    "attribute",
    [
        {"categories": 15},
        {"categories": 1010},
        {"categories": [f"v{i}" for i in range(20)]},
        {"categories": [str(year % 20 + 20) for year in range(10, 30)]},
        {"categories": [*map(str, range(20)), "nan"]},
        {"grid": {"south": 0, "north": 2, "west": 0, "east": 2, "rows": 5, "columns": 5}},
    ],
    ids=["few", "many whose noise does not cancel", "names", "no order", "no number", "map"],
)
def test_what_is_in_no_order_has_no_histogram(answered, attribute):
    result, shares = answered(attribute)
    assert histogram_figures(result, shares) == ()
