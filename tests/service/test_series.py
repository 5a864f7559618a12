"""A series at the collector: reports of the period that runs, or shortly after of the one before; links of periods."""

import json
from datetime import date, timedelta

import numpy as np
import pytest

from reports_sent import JSON, is_problem, on_a_thread
from sordino import Plan, Survey, estimate
from sordino.document.invitation_list import HEADER, InvitationList, new_secret
from sordino.errors import SordinoError
from sordino.service.console import run_command
from sordino.service.storage import closed_periods, collection, invitations
from sordino.service.storage.collection import CLOSED, NOT_OPEN
from sordino.service.storage.store import ReportStore
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.results.aggregate_file import aggregate_of, aggregate_text, of_large_periods
from sordino.survey.results.result import results
from sordino.views.plan_series import PlanSeries
from sordino.views.view import ViewRequest, ViewSource

START = date(2026, 1, 5)
SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"x": {"categories": ["a", "b", "c"]}},
    "ask": [{"histogram": "x"}],
    "series": {"periods": 4, "every": "week", "start": START},
}
LEAST = 10


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(SURVEY), 1000)


@pytest.fixture
def store(tmp_path, plan):
    return ReportStore.open(tmp_path / "reports.sqlite", plan)


@pytest.fixture
def clock(monkeypatch):
    """The collector's day, which a test sets."""
    days = [START]
    for module in (collection, invitations, closed_periods):
        monkeypatch.setattr(module, "today", lambda: str(days[0]))

    def to(days_from_start):
        days[0] = START + timedelta(days=days_from_start)

    return to


def reports(plan, period, *numbers, codes=None):
    """An upload of reports with these numbers as ids, of one period."""
    label = plan.series.labels[period] if isinstance(period, int) else period
    code = (lambda number: number % 3) if codes is None else codes
    found = [{"id": f"{number:032x}", "code": str(code(number)), "public": {"period": label}} for number in numbers]
    return json.dumps({"reports": found}).encode()


def sent(client, *words, **headers):
    return client.of_plan("POST", "/reports", reports(*words), Content_Type=JSON, **headers)


@pytest.mark.parametrize(
    ("grace", "day", "periods"),
    [
        (3, -1, []),
        (3, 0, [0]),
        (3, 6, [0]),
        (3, 7, [0, 1]),
        (3, 9, [0, 1]),
        (3, 10, [1]),
        (0, 7, [1]),
        (30, 21, [2, 3]),
        (3, 27, [3]),
        (3, 28, [3]),
        (3, 30, [3]),
        (3, 31, []),
        (30, 35, [3]),
        (0, 28, []),
        (400, 1, [0]),
    ],
)
def test_reports_of_the_open_periods_alone_are_taken(store, plan, clock, grace, day, periods):
    clock(day)
    with on_a_thread(store, grace=grace) as client:
        for period in range(4):
            found = sent(client, plan, period, period + 1).json
            assert (found["accepted"], found["failures"]) == ((1, 0) if period in periods else (0, 1)), period
            if period not in periods:
                assert found["failed"] == [{"id": f"{period + 1:032x}", "rule": NOT_OPEN}]
        progress = client.of_plan("GET", "/progress").json
        assert progress["open_periods"] == [plan.series.label(period) for period in periods]
        assert (progress["reports"], progress["grace"]) == (len(periods), grace)


def test_what_is_known_is_acknowledged_whenever_it_comes_again(store, plan, clock):
    with on_a_thread(store) as client:
        assert sent(client, plan, 0, 1, 2).json["accepted"] == 2
        clock(20)
        found = sent(client, plan, 0, 1, 3, 2).json
        assert (found["accepted"], found["repeated"], found["failures"]) == (0, 2, 1)
        # Under a known id another code, or another period, is another report.
        for words in ((plan, 2, 1), (plan, 0, 4)):
            assert sent(client, *words).json["failures"] == 1
        assert sent(client, plan, 2, 5).json["accepted"] == 1
        assert client.of_plan("GET", "/progress").json["reports"] == 3


def test_reports_of_several_periods_come_together(store, plan, clock):
    clock(8)
    with on_a_thread(store) as client:
        body = [json.loads(reports(plan, period, period + 1))["reports"][0] for period in range(4)]
        found = client.of_plan("POST", "/reports", json.dumps({"reports": body}).encode(), Content_Type=JSON).json
        assert (found["accepted"], found["failures"]) == (2, 2)
        assert [one["id"][-1] for one in found["failed"]] == ["3", "4"]


@pytest.mark.parametrize("label", ["2026-01-06", "2026-02-02", "period", "", None, ["2026-01-05"]])
def test_a_report_of_no_period_is_none(store, plan, clock, label):
    with on_a_thread(store) as client:
        assert is_problem(sent(client, plan, label, 1), 400, "must hold the plan's public values")


def test_a_link_is_good_in_its_period_only(store, plan, clock):
    secrets = [new_secret() for _ in range(3)]
    labels = plan.series.labels
    store.collections[plan.hash].invite(InvitationList.of(plan.hash, secrets, [labels[0], labels[1], labels[1]]).hashes)
    with on_a_thread(store) as client:

        def sending(period, number, secret):
            return sent(client, plan, period, number, **{HEADER: secret})

        # Before its period, by the own period and by the one that runs: neither is a way around.
        assert sending(1, 1, secrets[1]).json["failures"] == 1
        assert is_problem(sending(0, 2, secrets[1]), 403, "an invitation that this collector knows")
        assert is_problem(sending(1, 2, secrets[0]), 403, "an invitation that this collector knows")
        assert sending(0, 3, secrets[0]).json["accepted"] == 1
        clock(7)
        assert sending(1, 1, secrets[1]).json["accepted"] == 1
        assert sending(1, 4, secrets[1]).json["repeated"] == 1
        clock(17)
        assert sending(1, 5, secrets[2]).json["failures"] == 1
        progress = client.of_plan("GET", "/progress").json
        assert (progress["invitations"], progress["invitations_used"], progress["reports"]) == (3, 2, 2)


def test_a_period_is_closed_by_hand_for_ever_and_late_reports_are_told(store, plan, clock, tmp_path):
    with on_a_thread(store) as client:
        token, first = {"Authorization": f"Bearer {client.token}"}, plan.series.label(0)

        def close(period, **headers):
            return client.of_plan("POST", f"/close?period={period}", **headers)

        sent(client, plan, 0, 1, 2)
        assert close(first).status == 401
        assert is_problem(close(plan.series.label(1), **token), 409, "can be closed once it has begun")
        assert is_problem(close("2026-01-06", **token), 404, "must be one of the plan's; found '2026-01-06'")
        for _ in range(2):
            found = close(first, **token).json
            assert (found["closed"], found["open_periods"], found["closed_periods"]) == (False, [], [first])
        late = sent(client, plan, 0, 1, 3).json
        assert (late["repeated"], late["failed"]) == (1, [{"id": f"{3:032x}", "rule": CLOSED}])
        # By the days that follow, in its grace, and on an earlier day, as of a clock that was set back.
        for day in (7, 20, -3, 0):
            clock(day)
            assert sent(client, plan, 0, 4).json["failures"] == 1
        clock(7)
        assert sent(client, plan, 1, 5).json["accepted"] == 1
        # Taking back stays possible.
        client.of_plan("POST", "/erase", json.dumps({"id": f"{1:032x}"}), Content_Type=JSON)
        progress = client.of_plan("GET", "/progress").json
        assert (progress["reports"], progress["open_periods"]) == (2, [plan.series.label(1)])
        # Another collector's reports of that period are late, too; those of others are not.
        own = [plan.tally(plan.cells.join(np.array([1, 2], dtype=np.uint64), np.array(at))) for at in ([0, 1], [1, 1])]
        texts = (aggregate_text(plan, one) for one in own)
        merged = [client.of_plan("POST", "/aggregate", text, Content_Type=JSON, **token) for text in texts]
        assert is_problem(merged[0], 409, "a closed period takes no reports; found others of 2026-01-05")
        assert merged[1].json["added"] == 2
    # As whoever may open the store closes one, and as a collector that is started anew has it.
    command = {"do": "period close", "plan": None, "period": plan.series.label(1)}
    place = str(tmp_path / "reports.sqlite")
    assert run_command(place, command) == {"plan": plan.hash}
    record = run_command(place, {"do": "record"})
    acts = [(act["by"], act["period"]) for act in record if act["act"] == "period closed"]
    assert acts == [("first", first), ("first", first), ("console", plan.series.label(1))]
    with on_a_thread(ReportStore.open(tmp_path / "reports.sqlite", plan)) as client:
        assert client.of_plan("GET", "/progress").json["closed_periods"] == plan.series.labels[:2]
        assert sent(client, plan, 1, 9).json["failed"][0]["rule"] == CLOSED


def test_a_plan_without_a_series_has_no_period_to_close(tmp_path):
    plain = Plan.of(Survey.read({name: part for name, part in SURVEY.items() if name != "series"}), 1000)
    with on_a_thread(ReportStore.open(tmp_path / "plain.sqlite", plain)) as client:
        token = {"Authorization": f"Bearer {client.token}"}
        assert is_problem(client.of_plan("POST", "/close?period=2026-01-05", **token), 404, "a plan without a series")
        assert not client.of_plan("GET", "/progress").json["closed"]


def test_a_link_of_a_period_takes_back_what_is_on_its_way(store, plan, clock):
    secrets, labels, held = [new_secret() for _ in range(3)], plan.series.labels, store.collections[plan.hash]
    held.invite(InvitationList.of(plan.hash, secrets, labels[:3]).hashes)
    with on_a_thread(store) as client:
        # On the last day before the second period begins; the third is far.
        clock(6)
        for number, secret in enumerate(secrets):
            body = json.dumps({"id": f"{number:032x}"})
            assert client.of_plan("POST", "/erase", body, Content_Type=JSON, **{HEADER: secret}).status == 200
        clock(7)
        for period in range(2):
            assert sent(client, plan, period, period, **{HEADER: secrets[period]}).json["repeated"] == 1
        clock(14)
        assert sent(client, plan, 2, 2, **{HEADER: secrets[2]}).json["accepted"] == 1


def test_a_period_of_few_reports_is_shown_to_nobody_and_is_in_no_total(store, plan, clock):
    with on_a_thread(store, LEAST, published=True) as client:
        sent(client, plan, 0, *range(1, 1 + LEAST))
        clock(8)
        sent(client, plan, 1, *range(100, 100 + LEAST - 1))
        progress = client.of_plan("GET", "/progress").json
        assert progress["groups"]["period"] == dict(zip(plan.series.labels, (LEAST, LEAST - 1, 0, 0), strict=True))
        everybody = client.of_plan("GET", "/estimates").json
        assert everybody["n"] == LEAST
        by = client.of_plan("GET", "/estimates?by=period").json
        assert [(group["group"], group["n"]) for group in by["groups"] if group["n"]] == [(plan.series.label(0), LEAST)]
        text = client.of_plan("GET", "/aggregate").json
        found = aggregate_of(plan, text, "it")
        assert (found.n, [plan.cells.labels(cell)["period"] for cell in found.cells]) == (LEAST, ["2026-01-05"])
        # Who may look at all sees all, but no estimate of a few.
        token = {"Authorization": f"Bearer {client.token}"}
        assert client.of_plan("GET", "/estimates", **token).json["n"] == 2 * LEAST - 1
        sent(client, plan, 1, 200)
        assert client.of_plan("GET", "/estimates").json["n"] == 2 * LEAST
        assert client.of_plan("GET", "/progress").json["groups"]["period"]["2026-01-12"] == LEAST


def test_a_series_whose_periods_all_have_few_reports_is_not_shown(store, plan, clock):
    with on_a_thread(store, LEAST, published=True) as client:
        for period in range(2):
            clock(7 * period)
            sent(client, plan, period, *range(100 * period + 1, 100 * period + LEAST))
        assert client.of_plan("GET", "/progress").json["reports"] == 2 * (LEAST - 1)
        assert is_problem(client.of_plan("GET", "/estimates"), 409, "must be of 10 reports or more")
        assert aggregate_of(plan, client.of_plan("GET", "/aggregate").json, "it").n == 0


def test_other_columns_count_the_periods_that_are_shown(tmp_path, clock):
    """Else the one report of a period that begins would be seen with its other public values."""
    public = {"region": {"categories": ["north", "south"]}}
    two = Plan.of(Survey.read({**SURVEY, "public": public}), 1000)
    with on_a_thread(ReportStore.open(tmp_path / "two.sqlite", two), LEAST) as client:

        def sending(period, region, first, count):
            label = two.series.labels[period]
            found = [
                {"id": f"{number:032x}", "code": "1", "public": {"region": region, "period": label}}
                for number in range(first, first + count)
            ]
            body = json.dumps({"reports": found}).encode()
            assert client.of_plan("POST", "/reports", body, Content_Type=JSON).json["accepted"] == count

        sending(0, "north", 1, LEAST + 2)
        sending(0, "south", 100, LEAST + 2)
        clock(8)
        for number in range(LEAST):
            sending(1, "north", 200 + number, 1)
            told = client.of_plan("GET", "/progress").json
            assert told["reports"] == 2 * (LEAST + 2) + number + 1
            more = LEAST if number == LEAST - 1 else 0
            assert told["groups"]["region"] == {"north": LEAST + 2 + more, "south": LEAST + 2}, number


def test_of_a_tally_that_names_no_periods_nothing_is_shown(plan):
    numbers = plan.cells.join(np.arange(90, dtype=np.uint64) % np.uint64(3), np.arange(90) % 4)
    whole = plan.tally(numbers)
    assert of_large_periods(plan, whole, 22) is whole
    assert of_large_periods(plan, whole, 23).n == 46
    unnamed = type(whole)(whole.fingerprint, whole.n, whole.counts)
    assert of_large_periods(plan, unnamed, 1).n == 0


WEEKS, FEW, EMPTY = 10, 4, 6
LONG = {
    **SURVEY,
    "epsilon": "3",
    "attribute": {"x": {"categories": ["a", "b"]}},
    "series": {"periods": WEEKS, "every": "week", "start": START},
}


@pytest.fixture(scope="module")
def year():
    """A plan, and a tally of 300 reports a week, of a week with few, one with none, and a last one that has begun."""
    long = Plan.of(Survey.read(LONG), 3000)
    counts = [
        7 if week == FEW else 0 if week == EMPTY else 9 if week == WEEKS - 2 else 300 for week in range(WEEKS - 1)
    ]
    week = np.repeat(np.arange(WEEKS - 1), counts)
    codes = np.random.default_rng(4).integers(0, long.sampled.outputs, len(week)).astype(np.uint64)
    return long, long.tally(long.cells.join(codes, week))


@pytest.fixture
def yearly(tmp_path, year):
    """A collector that publishes what that tally says."""
    long, tally = year
    with on_a_thread(ReportStore.open(tmp_path / "year.sqlite", long), LEAST, published=True) as client:
        client.token_header = {"Authorization": f"Bearer {client.token}"}
        text = aggregate_text(long, tally).encode()
        sent = client.of_plan("POST", "/aggregate", text, Content_Type=JSON, **client.token_header)
        assert sent.json["added"] == tally.n
        yield client


def test_everybody_sees_each_period_of_enough_reports_and_the_curve(yearly, year):
    long, tally = year
    labels, told = long.series.labels, yearly.of_plan("GET", "/estimates").json
    found = told["series"]
    # The last week has begun with a few, of which nobody is told; the empty one and that of few are gaps.
    assert told["n"] == tally.n - 7 - 9
    large = [labels[week] for week in range(WEEKS - 2) if week not in (FEW, EMPTY)]
    numbers = [(one["period"], one["n"], one["estimated"]) for one in found["periods"]]
    assert numbers == [(one, 300, True) if one in large else (one, None, False) for one in labels[: WEEKS - 2]]
    assert {row["period"] for row in found["rows"]} == set(large)
    assert [row["period"] for row in found["smoothed"] if row["value"] == "a"] == labels[: WEEKS - 2]
    own = estimate(long, of_large_periods(long, tally, LEAST))
    expected = [float(one) for one in own.views["series"].questions[0].readable[0].curve.value]
    assert [row["estimate"] for row in found["smoothed"] if row["value"] == "a"] == pytest.approx(expected)
    assert len(found["changed"]) == 2
    # A token sees no number of few either, but their reports count among all.
    whole = yearly.of_plan("GET", "/estimates", **yearly.token_header).json
    assert whole["n"] == tally.n
    assert [one["n"] for one in whole["series"]["periods"] if not one["estimated"]] == [None] * 3
    assert "series" not in yearly.of_plan("GET", "/estimates?series=false").json
    assert yearly.of_plan("GET", "/estimates?series=false").json["rows"] == told["rows"]


def test_a_period_needs_as_many_reports_as_the_collector_asks_for(tmp_path, year):
    long, tally = year
    with on_a_thread(ReportStore.open(tmp_path / "year.sqlite", long), 301, published=True) as client:
        token = {"Authorization": f"Bearer {client.token}"}
        client.of_plan("POST", "/aggregate", aggregate_text(long, tally).encode(), Content_Type=JSON, **token)
        assert is_problem(client.of_plan("GET", "/estimates"), 409, "must be of 301 reports or more")
        found = client.of_plan("GET", "/estimates", **token).json["series"]
        assert not any(one["estimated"] or one["n"] for one in found["periods"])
        assert found["rows"] == found["smoothed"] == found["changed"] == []


def test_the_page_watches_each_period_and_smooths_for_one_look(yearly, year):
    page = yearly.of_plan("GET", "/page", **yearly.token_header).body.decode()
    assert "x by week" in page
    assert "its band" in page
    assert "holds for one look, at a time chosen beforehand, such as the end of a week" in page
    # Whoever looks again and again finds a change at last, so that none is looked for.
    assert "Since 2026" not in page
    assert "Noise alone" not in page
    assert f"Fewer than {LEAST} reports, so no estimate" in page


def test_watched_periods_are_narrowest_when_their_share_of_people_has_come(year):
    long, tally = year
    half = {}
    for watched in (False, True):
        coverage = Coverage(watched=watched)
        request = ViewRequest(least=LEAST, smoothed=watched)
        found = PlanSeries.of(ViewSource(long, tally, results(long, tally, None, coverage), coverage, request=request))
        one = found.questions[0].readable[0]
        half[watched] = (one.high - one.low) / 2
        assert one.curve is not None
        assert (one.change is None) == watched
    assert (half[True] / half[False]).max() < 1.6


def test_of_several_plans_one_must_be_named_to_close_a_period(tmp_path, plan):
    plain = Plan.of(Survey.read({name: part for name, part in SURVEY.items() if name != "series"}), 1000)
    place = tmp_path / "several.sqlite"
    ReportStore.open(place, plan, plain).close()
    command = {"do": "period close", "plan": None, "period": plan.series.label(0)}
    with pytest.raises(SordinoError, match="found none named, and 2 in the store: name one of: sha256:"):
        run_command(str(place), command)
    with pytest.raises(SordinoError, match="found 'sha256:12': name one of: sha256:"):
        run_command(str(place), {**command, "plan": "sha256:12"})
    assert run_command(str(place), {**command, "plan": plan.hash}) == {"plan": plan.hash}
