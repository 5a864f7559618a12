"""Numbers in order are drawn in order: each by itself where they are few enough, else in runs, with sums."""

import numpy as np
import pytest

from sordino import KeyedSource, Plan, Survey
from sordino.blocks.block import Plot, blocks_of
from sordino.blocks.charts import ColumnChart
from sordino.show.html.chart_figures import figures_of
from sordino.survey.results.result import results

PEOPLE = 5_000


@pytest.fixture
def answered(tables):
    """What reports say of an attribute, and its histogram if it has one."""

    def answer(attribute):
        plan = Plan.of(Survey.read(tables({"age": attribute}, "4")), PEOPLE)
        k = plan.questions[0].domain.k
        values = np.random.default_rng(3).binomial(k - 1, 0.4, PEOPLE)
        source = KeyedSource(bytes(32), "page").for_records(np.arange(PEOPLE))
        (result,) = results(plan, plan.sampled.tally(plan.sampled.privatize([values], source)))
        truth = np.bincount(values, minlength=k) / PEOPLE
        plots = [plot for plot in blocks_of(Plot, result.blocks(truth)) if plot.of is ColumnChart]
        return result, [plot.chart() for plot in plots]

    return answer


def test_each_number_stands_where_it_is(answered):
    result, (found,) = answered({"categories": [str(2 * year) for year in range(20)]})
    assert found.shares.estimate is result.estimate.value
    assert found.at.tolist() == [2.0 * year for year in range(20)]
    (figure,) = figures_of(found)
    assert figure.words.startswith("Columns of the shares of age from 0 to 38.")


def test_too_many_numbers_stand_in_runs(answered):
    result, (found,) = answered({"categories": 410, "protect": {"metric": {"per": 4}}})
    assert (len(found.labels), found.labels[0], found.labels[-1]) == (82, "0 to 4", "405 to 409")
    assert (found.at[0], found.at[-1]) == (2, 407)
    assert found.shares.truth.sum() == pytest.approx(1)
    whole = (result.estimate.value, result.fitted)
    for column, runs in zip(whole, (found.shares.estimate, found.shares.fitted), strict=True):
        assert runs[3] == pytest.approx(column[15:20].sum(), abs=1e-12)
    inside = (found.shares.low <= found.shares.truth) & (found.shares.truth <= found.shares.high)
    assert inside.mean() > 0.85
    (figure,) = figures_of(found)
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
    _, charts = answered(attribute)
    assert charts == []
