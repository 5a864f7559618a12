"""The dashboard over HTTP: a page for all, the estimates for whoever has the token, from enough reports on."""

import http.client
import json
import re
from urllib.parse import urlsplit

import numpy as np
import pytest

from collectors import collecting
from commands import PATIENCE
from reports_sent import on_a_thread
from sordino.service.storage.store import ReportStore
from sordino.show.html.estimate_page import dashboard
from surveys import planned

NUMBER = {"number": {"low": 0, "high": 100}}


@pytest.fixture(scope="module")
def plan(two_questions):
    return two_questions


@pytest.fixture(scope="module")
def collector(plan, tmp_path_factory):
    with collecting(plan, tmp_path_factory.mktemp("dashboard") / "reports.sqlite", 50) as (address, token):
        yield urlsplit(address), token


@pytest.fixture(scope="module")
def ask(collector):
    def asked(path, method="GET", body=None, **headers):
        place = collector[0]
        connection = http.client.HTTPConnection(place.netloc, timeout=PATIENCE)
        connection.request(method, place.path + path, body, {k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        found = answer.status, dict(answer.headers), answer.read().decode()
        connection.close()
        return found

    return asked


def test_all_may_watch_and_the_analyst_sees_estimates(plan, collector, ask):
    bearer = {"Authorization": f"Bearer {collector[1]}"}
    status, headers, watching = ask("/dashboard")
    assert (status, headers["x-frame-options"], headers["cache-control"]) == (200, "DENY", "no-store")
    assert ask("/page")[0] == ask("/page", Authorization="Bearer other")[0] == 401
    status, _, body = ask("/page", **bearer)
    assert (status, json.loads(body)["rule"]) == (409, "estimates must be of 50 reports or more")
    codes = np.arange(4000) % plan.sampled.outputs
    reports = [{"id": f"{place:032x}", "code": str(code)} for place, code in enumerate(codes)]
    assert ask("/reports", "POST", json.dumps({"reports": reports}), Content_Type="application/json")[0] == 200
    status, _, page = ask("/page", **bearer)
    assert status == 200
    assert "4,000 reports about" in page
    assert "at all times together: you may watch them while reports come in" in page
    assert "Forged reports" in page
    assert "<script" not in page
    # What everybody sees tells nothing of what was reported.
    assert ask("/dashboard")[2] == watching
    assert "std. error" not in watching
    narrow, wide = (ask(f"/page?confidence={confidence}", **bearer)[2] for confidence in (0.5, 0.99))
    assert "50 % confidence" in narrow
    assert "99 % confidence" in wide
    for confidence in ("2", "nan"):
        assert ask(f"/page?confidence={confidence}", **bearer)[0] == 400


@pytest.mark.parametrize(
    ("ask", "attributes"),
    [
        ({"distribution": "age"}, {"age": {**NUMBER, "missing": "0.5"}}),
        ({"regression": {"target": "age", "features": ["height"]}}, {"age": NUMBER, "height": NUMBER}),
    ],
)
def test_what_is_not_told_yet_is_a_page_that_says_when(tmp_path, ask, attributes):
    plan = planned({"version": 1, "epsilon": "1", "attribute": attributes, "ask": [ask]})
    with on_a_thread(ReportStore.open(tmp_path / "reports.sqlite", plan)) as client:
        client.upload([0])
        answer = client.as_analyst("GET", "/page")
        page = answer.body.decode()
        assert answer.status == 200
        assert "not estimated from 1 reports" in page
        assert "wait for more reports. About" in page
        assert "reports are expected to be enough, if people are as forecasts assume by default" in page
        assert client.as_analyst("GET", "/page?confidence=2").status == 400


def test_words_that_stand_before_the_script_has_run_are_true_of_any_number_of_reports(plan):
    page = dashboard(plan)
    assert '<p id="count">Counting reports…</p>' in page
    assert "by JavaScript. Without it, it only shows what a report can reveal." in page
    assert not re.search(r"[Nn]o reports|<progress[^>]* value=", page)
