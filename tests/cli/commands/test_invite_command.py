"""`sordino invite`: links that open one collection each once, and hashes that open nothing."""

import csv
import json
import re
from hashlib import sha256

import pytest

from collectors import asked, running
from sordino import Plan
from sordino.document.invitation_list import InvitationList
from sordino.service.storage.store import ReportStore

WORDS = "invite", "plan.json", "-o", "links.csv", "--hashes", "hashes.json"
RECORD = 'version = 1\n[record]\ncolour = "green"\n'


@pytest.fixture
def plan(released):
    return Plan.load(released / "plan.json")


def links_of(folder):
    with (folder / "links.csv").open(newline="") as file:
        return [row["link"] for row in csv.DictReader(file)]


def test_links_are_secrets_of_their_owner_and_hashes_are_none(released, run, plan):
    url = f"https://collector.example/plans/{plan.hash}"
    code, out, errors = run(*WORDS, "--count", "500", "--url", url)
    assert (code, errors) == (0, "")
    assert "500 links" in out
    links = links_of(released)
    found = [re.fullmatch(re.escape(f"{url}/form#invitation=") + "([0-9a-f]{32})", link)[1] for link in links]
    assert len(set(found)) == 500
    assert (released / "links.csv").stat().st_mode & 0o777 == 0o600
    text = (released / "hashes.json").read_text()
    # Worked out here by what the documentation says.
    own = [sha256(f"sordino invitation 1\n{plan.hash}\n{secret}".encode()).hexdigest() for secret in found]
    document = json.loads(text)
    assert (document["plan"], document["hashes"]) == (plan.hash, sorted(own))
    assert own != sorted(own)
    assert not any(secret in text for secret in found)
    assert InvitationList.load(released / "hashes.json").hashes == tuple(sorted(map(bytes.fromhex, own)))
    # Secrets of 128 bits: each bit is set about as often as not.
    ones = sum(int(secret, 16).bit_count() for secret in found)
    assert abs(ones - 64 * 500) < 6 * (128 * 500) ** 0.5 / 2


def test_the_key_of_the_address_stays_in_each_link(released, run, plan):
    url = f"http://localhost:8000/plans/{plan.hash}"
    code, out, _ = run(*WORDS, "--count", "1", "--url", f"{url}/form#key={'AB' * 32}", "--json")
    assert (code, json.loads(out)["count"]) == (0, 1)
    (link,) = links_of(released)
    assert re.fullmatch(re.escape(f"{url}/form#key={'ab' * 32}&invitation=") + "[0-9a-f]{32}", link)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--count", "0"), "0"),
        (("--count", "1000001"), "1000001"),
        (("--url", f"https://c.example/plans/sha256:{'0' * 64}"), "must be the plan's address; found another plan's"),
        (("--url", "URL#invitation=" + "0" * 32), "must be the plan's address; found an invitation"),
        (("--url", "http://c.example/plans/HASH"), "must travel by https"),
        (("--hashes", "links.csv"), "must be two files"),
        (("--hashes", "plan.json"), "must not exist yet"),
        (("-o", "plan.json"), "must not exist yet"),
        (("-o", "nowhere/links.csv"), "must be a folder"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(released, run, plan, words, message):
    url = f"https://c.example/plans/{plan.hash}"
    words = [word.replace("URL", url).replace("HASH", plan.hash) for word in words]
    before = sorted(released.iterdir())
    code, out, errors = run(*WORDS, "--count", "3", "--url", url, *words)
    assert (code, out) == (2, "")
    assert message in errors
    assert sorted(released.iterdir()) == before


def test_a_list_that_was_changed_or_is_another_file_is_refused(released, run, plan):
    run(*WORDS, "--count", "3", "--url", f"https://c.example/plans/{plan.hash}")
    whole = json.loads((released / "hashes.json").read_text())
    for change, code, message in (
        ({"hashes": whole["hashes"][1:]}, 4, "must be as it was frozen"),
        ({"version": 2}, 2, "must be of version 1"),
        ({"format": "sordino aggregate"}, 2, "must be a list of invitations; found an aggregate"),
    ):
        (released / "bad.json").write_text(json.dumps(whole | change))
        found = run("serve", "plan.json", "--store", "new.sqlite", "--port", "0", "--invitations", "bad.json")
        assert (found[0], message in found[2]) == (code, True), found[2]
    found = run("explain", "hashes.json")
    assert "found a list of invitations: `sordino serve` takes it" in found[2]
    assert not (released / "new.sqlite").exists()


def test_people_answer_by_their_links_once(released, run, plan):
    (released / "me.toml").write_text(RECORD)
    run(*WORDS, "--count", "3", "--url", f"http://127.0.0.1:8000/plans/{plan.hash}")
    store = ReportStore.open(released / "reports.sqlite", plan)
    store.collections[plan.hash].invite(InvitationList.load(released / "hashes.json").hashes)
    first, second, _ = links_of(released)
    with running(store) as port:

        def answer(link, device):
            link = re.sub(r":\d+/", f":{port}/", link)
            return run("answer", link, "me.toml", "--yes", "--store", f"{device}.sqlite")

        code, _, errors = answer(first.partition("#")[0], "mine")
        assert (code, "must know the invitation; found one that it refuses, or none" in errors) == (3, True)
        code, out, errors = answer(first, "mine")
        assert (code, errors) == (0, "")
        # What was drawn before the link was known is what was sent.
        assert out == ("One answer is counted by your invitation. It was drawn before; no other one was drawn.\n")
        # The same link on another device: acknowledged, and counted once.
        code, out, errors = answer(first, "another")
        assert (code, errors) == (0, "")
        assert out.endswith("One answer is counted by your invitation.\n")
        progress = f"http://127.0.0.1:{port}/plans/{plan.hash}/progress"
        assert b'"reports":1' in asked(progress)
        assert answer(second, "third")[0] == 0
        assert b'"reports":2' in asked(progress)
        code, _, errors = answer(f"{second[:-1]}{(int(second[-1], 16) + 1) % 16:x}", "fourth")
        assert (code, second[-32:-1] in errors) == (3, False)
