"""A series on the dashboard in Chromium: the periods that are open, each period's estimates, and the curve."""

import json
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from axe import violations
from collectors import asked, collecting
from sordino import Plan, Survey
from sordino.survey.results.aggregate_file import aggregate_text

pytestmark = pytest.mark.live

WEEKS, NOW, FEW, LEAST = 30, 20, 5, 50


@pytest.fixture(scope="module")
def plan():
    today = datetime.now(UTC).date()
    start = today - timedelta(days=7 * NOW + 5)
    asked_in = {"version": 1, "epsilon": "3", "attribute": {"way": {"categories": ["bicycle", "bus", "on foot"]}}}
    series = {"periods": WEEKS, "every": "week", "start": date.isoformat(start)}
    return Plan.of(Survey.read({**asked_in, "ask": [{"histogram": "way"}], "series": series}), 9000)


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1400, "light")])
def test_a_series_is_watched_on_a_screen(chromium, tmp_path, plan, width, scheme):
    draw = np.random.default_rng(5)
    week = np.repeat(np.arange(NOW), [20 if one == FEW else 300 for one in range(NOW)])
    codes = draw.integers(0, plan.sampled.outputs, len(week)).astype(np.uint64)
    tally = plan.tally(plan.cells.join(codes, week))
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    with collecting(plan, tmp_path / "reports.sqlite", LEAST) as (address, token):
        asked(f"{address}/aggregate", "POST", token, aggregate_text(plan, tally))
        label, ids = plan.series.labels[NOW], (f"{one:032x}" for one in range(60))
        more = [{"id": one, "code": "1", "public": {"period": label}} for one in ids]
        assert json.loads(asked(f"{address}/reports", "POST", body=json.dumps({"reports": more})))["accepted"] == 60
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{address}/dashboard")
        page.get_by_text(f"period {label}: 60 reports; 20 other periods with reports").wait_for()
        page.get_by_label("The analyst's token").fill(token)
        page.get_by_label("The analyst's token").press("Enter")
        page.get_by_role("heading", name="way by week").wait_for()
        page.get_by_text("the curve's band holds for one look").first.wait_for()
        assert page.get_by_role("row", name=plan.series.labels[NOW], exact=False).count() > 0
        assert page.get_by_role("row", name=plan.series.labels[NOW + 1]).count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        violations(page)
    context.close()
