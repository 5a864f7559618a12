"""A series at the command line: links of periods, and one answer in the person's own period."""

import csv
import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from collectors import asked, running
from sordino import Plan, Survey
from sordino.document.invitation_list import InvitationList, invitation_hash
from sordino.service.storage.store import ReportStore

WORDS = "invite", "series.json", "-o", "links.csv", "--hashes", "hashes.json"
SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"colour": {"categories": ["red", "green"]}},
    "ask": [{"histogram": "colour"}],
}


def plan_from(days_ago, periods=5, every="day"):
    """A plan whose series began so many days ago; of years, up to three days earlier."""
    start = datetime.now(UTC).date() - timedelta(days=days_ago)
    if every == "year":  # which begin at the 28th of a month at the latest
        start = start.replace(day=min(start.day, 28))
    plan = Plan.of(Survey.read({**SURVEY, "series": {"periods": periods, "every": every, "start": start}}), 1000)
    plan.save("series.json")
    return plan


def rows():
    with Path("links.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("count", "most"), [(300, {75}), (303, {75, 76}), (3, {1})])
def test_links_are_spread_over_the_periods_that_have_not_ended(released, run, count, most):
    plan = plan_from(1)
    url = f"https://collector.example/plans/{plan.hash}"
    code, out, errors = run(*WORDS, "--count", str(count), "--url", url, "--json")
    assert (code, errors) == (0, "")
    found = rows()
    counts = Counter(row["period"] for row in found)
    assert json.loads(out)["periods"] == dict(sorted(counts.items()))
    # Not the one that is over, and by lot: their order says nothing.
    assert set(counts) <= set(plan.series.labels[1:])
    assert set(counts.values()) == most
    if count > 100:
        periods = [row["period"] for row in found]
        assert periods != sorted(periods)
        assert sum(one == other for one, other in pairwise(periods)) < count / 2
    form = re.escape(f"{url}/form#invitation=")
    secrets = [re.fullmatch(f"{form}([0-9a-f]{{32}})&period={row['period']}", row["link"])[1] for row in found]
    hashes = sorted(
        invitation_hash(plan.hash, secret, row["period"]) for secret, row in zip(secrets, found, strict=True)
    )
    assert InvitationList.load(released / "hashes.json").hashes == tuple(hashes)


def test_a_series_that_is_over_has_no_links(released, run):
    plan = plan_from(5)
    code, _, errors = run(*WORDS, "--count", "3", "--url", f"https://c.example/plans/{plan.hash}")
    assert (code, "must be of periods that have not ended" in errors) == (2, True)
    assert not (released / "links.csv").exists()


def test_a_person_answers_in_the_period_of_their_link(released, run):
    (released / "me.toml").write_text('version = 1\n[record]\ncolour = "green"\n')
    plan = plan_from(2)
    labels = plan.series.labels
    store = ReportStore.open(released / "series.sqlite", plan)
    secrets = [f"{number:032x}" for number in range(5)]
    store.collections[plan.hash].invite(InvitationList.of(plan.hash, secrets, labels).hashes)
    with running(store) as port:
        address = f"http://127.0.0.1:{port}/plans/{plan.hash}"

        def answer(number, *more, device=None, period=None):
            link = f"{address}#invitation={secrets[number]}&period={period or labels[number]}"
            return run("answer", link, "me.toml", "--yes", "--store", f"{device or number}.sqlite", *more)

        assert answer(3) == (
            5,
            f"Your turn is {labels[3]}. Run this again then: nothing was drawn or sent.\n",
            "",
        )
        code, out, _ = answer(4, "--json")
        days = {"from": labels[4], "until": labels[4]}
        told = {"plan": plan.hash, "turn": "later", "period": days, "acknowledged": False}
        assert (code, json.loads(out)) == (5, told)
        code, out, errors = answer(0)
        assert (code, errors) == (3, "")
        assert f"Your turn was {labels[0]}, until {labels[0]}. Nothing was drawn or sent" in out
        assert b'"reports":0' in asked(f"{address}/progress")
        code, out, errors = answer(2)
        assert (code, errors) == (0, "")
        assert out.endswith("One answer is counted by your invitation.\n")
        assert b'"reports":1' in asked(f"{address}/progress")
        # Sent again, and the same one; no other link changes when this device answers.
        assert "no other one was drawn" in answer(2)[1]
        code, _, errors = answer(2, device=3)
        assert (code, "was chosen before, and stays" in errors) == (3, True)
        # Another period's date in the link is no way around: the collector knows no such invitation.
        code, _, errors = answer(1, device="other", period=labels[2])
        assert (code, "must know the invitation" in errors) == (3, True)
        assert b'"reports":1' in asked(f"{address}/progress")


def test_the_period_is_drawn_once_where_no_link_names_one(released, run):
    """Of two years only one can be this device's, whatever is tried."""
    (released / "me.toml").write_text('version = 1\n[record]\ncolour = "green"\n')
    plan = plan_from(20, periods=2, every="year")
    store = ReportStore.open(released / "series.sqlite", plan)
    with running(store) as port:
        address = f"http://127.0.0.1:{port}/plans/{plan.hash}"
        counted = 0
        for device in range(6):
            words = "answer", address, "me.toml", "--yes", "--store", f"{device}.sqlite", "--json"
            codes = {run(*words)[0] for _ in range(3)}
            assert codes in ({0}, {5})
            counted += codes == {0}
        assert f'"reports":{counted}'.encode() in asked(f"{address}/progress")


def test_a_link_without_its_period_is_refused_and_chooses_none(released, run):
    """As the form refuses it: the collector would take the report in no period."""
    (released / "me.toml").write_text('version = 1\n[record]\ncolour = "green"\n')
    plan = plan_from(0, periods=2, every="year")
    store = ReportStore.open(released / "series.sqlite", plan)
    secret, label = f"{7:032x}", plan.series.label(0)
    store.collections[plan.hash].invite(InvitationList.of(plan.hash, [secret], [label]).hashes)
    with running(store) as port:
        link = f"http://127.0.0.1:{port}/plans/{plan.hash}#invitation={secret}"
        words = "me.toml", "--yes", "--store", "own.sqlite"
        code, _, errors = run("answer", link, *words)
        assert code == 2
        assert "must name a period of the plan; found no period: give the whole link" in errors
        assert run("answer", f"{link}&period={label}", *words)[0] == 0
        assert b'"reports":1' in asked(f"http://127.0.0.1:{port}/plans/{plan.hash}/progress")


@pytest.mark.parametrize("behind", ["period=2026-01-05", "invitation=" + "0" * 32 + "&period=2026-1-5"])
def test_a_period_stands_with_its_invitation(run, behind):
    code, _, errors = run("answer", f"https://c.example/plans/sha256:{'0' * 64}#{behind}", "me.toml", "--yes")
    assert (code, "with an invitation its period" in errors) == (2, True)


@pytest.mark.parametrize("period", ["2026-11-09", '"2026-11-09"', "2"])
def test_a_record_that_is_sent_must_not_name_its_period(released, run, period):
    (released / "me.toml").write_text(f'version = 1\n[record]\ncolour = "green"\nperiod = {period}\n')
    plan = plan_from(1, periods=2, every="year")
    store = ReportStore.open(released / "series.sqlite", plan)
    with running(store) as port:
        address = f"http://127.0.0.1:{port}/plans/{plan.hash}"
        store.collections[plan.hash].invite(InvitationList.of(plan.hash, ["0" * 32], plan.series.labels[:1]).hashes)
        link = f"{address}#invitation={'0' * 32}&period={plan.series.labels[0]}"
        code, _, errors = run("answer", link, "me.toml", "--yes", "--store", "own.sqlite")
        assert (code, "a record must not say its period: it is drawn, or comes by invitation" in errors) == (2, True)
        assert b'"reports":0' in asked(f"{address}/progress")
