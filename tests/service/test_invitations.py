"""Invitations over HTTP: who has one counts once, whatever comes at once; who has none leaves nothing."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from reports_sent import BINARY, is_problem, on_a_thread, serving, uploaded
from sordino import SordinoError
from sordino.document.invitation_list import InvitationList
from sordino.service.metrics import Metrics
from sordino.service.storage.store import ReportStore
from sordino.service.uploads import pack

LINKS = [f"{number:032x}" for number in range(1, 41)]


@contextmanager
def inviting(place, plan, **more):
    store = ReportStore.open(place, plan)
    store.collections[plan.hash].invite(InvitationList.of(plan.hash, LINKS).hashes)
    with on_a_thread(store, **more) as client:
        yield client


def send(client, number, link, codes=(1,)):
    return client.upload(list(codes), first=number, Sordino_Invitation=link)


def test_whoever_was_invited_counts_once_and_nobody_else(tmp_path, plan):
    metrics = Metrics()
    with inviting(tmp_path / "reports.sqlite", plan, metrics=metrics) as client:
        found = client.of_plan("GET", "/progress").json
        assert (found["invitations"], found["invitations_used"]) == (len(LINKS), found["reports"])
        rule = "by an invitation that this collector knows; found"
        assert is_problem(client.upload([1]), 403, f"{rule} no invitation: open the whole link")
        for link in ("", "0", LINKS[0].upper() + "0", "0" * 32, "\xff", LINKS[0][:-1], "x" * 20_000):
            assert is_problem(send(client, 0, link), 403, f"{rule} an invitation that is not known here")
        assert is_problem(send(client, 0, LINKS[0], [1, 2]), 403, f"{rule} 2 reports together")
        assert client.of_plan("GET", "/progress").json["reports"] == 0
        counted = {"accepted": 1, "repeated": 0, "failures": 0, "failed": []}
        acknowledged = counted | {"accepted": 0, "repeated": 1}
        # Again, and another report; the two answers are one.
        assert [send(client, number, LINKS[0]).json for number in (5, 5, 6)] == [counted, acknowledged, acknowledged]
        reports = json.dumps({"reports": [{"id": f"{7:032x}", "code": "3"}]})
        headers = {"Content_Type": "application/json", "sordino_invitation": LINKS[1]}
        assert client.of_plan("POST", "/reports", reports, **headers).json == counted
        assert client.of_plan("GET", "/progress").json["reports"] == 2
        # Who has the token does what they did before.
        assert client.as_analyst("POST", "/scrub").json["scrubbed"] == 2
        assert client.as_analyst("POST", "/close").json["closed"]
        assert is_problem(send(client, 8, LINKS[2]), 409, "closed plan takes no reports")
        values = {one.labels["outcome"]: one.value for one in metrics.registry.collect() for one in one.samples
                  if one.name == "sordino_reports_total"}  # fmt: skip
        assert values == {"accepted": 2, "repeated": 2, "failed": 0, "uninvited": 10}


def test_a_link_is_of_one_plan(tmp_path, plan, other):
    store = ReportStore.open(tmp_path / "reports.sqlite", plan, other)
    # Also where the list of one is given for the other.
    hashes = InvitationList.of(plan.hash, LINKS[:2]).hashes + InvitationList.of(other.hash, LINKS[2:3]).hashes
    for collection in store.collections.values():
        collection.invite(hashes)
    with on_a_thread(store) as client:
        for each, statuses in ((plan, [200, 200, 403]), (other, [403, 403, 200])):
            path, body = f"/plans/{each.hash}/reports", (pack(each, uploaded([1], first=number)) for number in range(3))
            headers = ({"Content_Type": BINARY, "Sordino_Invitation": link} for link in LINKS)
            found = [client.ask("POST", path, *one[:1], **one[1]).status for one in zip(body, headers, strict=False)]
            assert found == statuses


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.live)])
def test_what_comes_at_once_by_one_link_is_counted_once(request, tmp_path, plan, kind):
    """Eight senders: each sends by every link, a report of its own or one that others send by another link too."""
    place = tmp_path / "reports.sqlite"
    if kind == "postgres":
        place = request.getfixturevalue("empty_postgres").address
    with inviting(place, plan) as client, ThreadPoolExecutor(8) as pool:

        def try_links(sender):
            found = Counter()
            for turn, link in enumerate(LINKS[sender:] + LINKS[:sender]):
                number = turn % 20 if sender % 2 else 1000 * (1 + sender) + turn
                answer = send(client, number, link, [number % 4])
                assert answer.status == 200, answer.body
                found += Counter(accepted=answer.json["accepted"], repeated=answer.json["repeated"])
            return found

        total = sum(pool.map(try_links, range(8)), Counter())
        assert total["accepted"] + total["repeated"] == 8 * len(LINKS)
        assert total["accepted"] == client.of_plan("GET", "/progress").json["reports"] == len(LINKS)
    store = ReportStore.open(place, plan)
    held = store.collections[plan.hash]
    assert held.aggregate.n == len(LINKS)
    known = held._known_invitations()
    assert all(known.is_used(place) for place in range(len(LINKS)))
    store.close()


def test_the_command_takes_lists_and_keeps_them(tmp_path, plan):
    plan.save(tmp_path / "plan.json")
    InvitationList.of(plan.hash, LINKS[:2]).save(tmp_path / "first.json")
    InvitationList.of(plan.hash, LINKS[1:3]).save(tmp_path / "more.json")
    words = tmp_path / "reports.sqlite", tmp_path / "plan.json", plan
    lists = "--invitations", tmp_path / "first.json", "--invitations", tmp_path / "more.json"
    with serving(*words, *lists) as (client, _):
        assert [send(client, number, LINKS[number]).status for number in range(4)] == [200] * 3 + [403]
    # Without the lists it stays so.
    with serving(*words) as (client, _):
        assert client.upload([1], first=9).status == 403
        assert send(client, 10, LINKS[0]).json["repeated"] == 1
        assert client.of_plan("GET", "/progress").json["reports"] == 3


def test_a_list_of_another_plan_is_refused_before_anything_is_made(tmp_path, plan, other):
    from sordino.cli.commands.serve_command import serve

    plan.save(tmp_path / "plan.json")
    InvitationList.of(other.hash, LINKS).save(tmp_path / "list.json")
    words = [tmp_path / "plan.json", "--store", tmp_path / "reports.sqlite", "--port", "0"]
    with pytest.raises(SordinoError, match="must invite to a plan that is served; found another plan"):
        serve.main([*map(str, words), "--invitations", str(tmp_path / "list.json")], standalone_mode=False)
    assert not (tmp_path / "reports.sqlite").exists()


def test_what_is_taken_back_with_its_link_on_its_way_is_not_counted_later(tmp_path, plan):
    with inviting(tmp_path / "reports.sqlite", plan) as client:
        body = json.dumps({"id": f"{3:032x}"})
        answers = [
            client.of_plan("POST", "/erase", body, Content_Type="application/json", Sordino_Invitation=link)
            for link in (LINKS[0], LINKS[0], "f" * 32, "\xff")
        ]
        assert {answer.status for answer in answers} == {200}
        assert len({answer.body for answer in answers}) == 1
        assert send(client, 3, LINKS[0]).json == {"accepted": 0, "repeated": 1, "failures": 0, "failed": []}
        assert client.of_plan("GET", "/progress").json["reports"] == 0
