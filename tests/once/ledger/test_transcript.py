"""The public part of a ledger: the same bytes each time, the same decisions from it, and nothing of the record."""

import json
import random
from contextlib import suppress
from copy import deepcopy
from hashlib import sha256

import pytest

from sordino import Ledger, RefusedError, SordinoError, ask
from sordino.once.ledger.transcript import export_transcript, import_transcript, transcript

PROBES = [("sleep", "0.3"), ("against", "0.1"), ("age", "0.99"), ("both", "0.3")]
MORE_PROBES = [(model, epsilon) for model in ("sleep", "against", "age", "both") for epsilon in ("0.1", "0.3", "0.99")]


@pytest.fixture(scope="module")
def template(tmp_path_factory, terms, question, record, stop_at, stopped):
    """A ledger with two versions of a record, answers that were sent and answers that were not."""
    ledger = Ledger.make(tmp_path_factory.mktemp("template") / "me.ledger", terms)
    for name, model in [("a", "sleep"), ("b", "both"), ("c", "against")]:
        ask(ledger, question(name, model, "0.15"), record(), lambda _: None)
    for name, point in [("d", "stored"), ("e", "reserved")]:
        with pytest.raises(stopped):
            ask(Ledger(ledger.path, step=stop_at(point)), question(name, "age", "0.1"), record(), print)
    ask(ledger, question("f", "sleep", "0.05"), record(age=45), lambda _: None)
    return ledger


@pytest.fixture
def used(template, copied_ledger):
    """A copy of it."""
    return copied_ledger(template)


@pytest.mark.parametrize("probes", [PROBES, pytest.param(MORE_PROBES, marks=pytest.mark.long)], ids=["some", "more"])
def test_decisions_from_the_transcript_are_those_of_the_ledger(used, question, tmp_path, probes):
    export_transcript(used, tmp_path / "t.jsonl")
    copy = import_transcript(tmp_path / "t.jsonl", tmp_path / "copy.ledger")
    found = set()
    for model, epsilon in probes:
        query = question("probe", model, epsilon)
        own, public = used.decide(query), copy.decide(query)
        assert (own.accepted, own.loss) == (public.accepted, public.loss)
        found.add(own.accepted)
    assert found == {True, False}
    assert copy.balance().joint.spent == used.balance().joint.spent
    assert copy.balance().joint.open_names == ("d", "e")


def test_the_same_ledger_gives_the_same_bytes(used, tmp_path):
    first = transcript(used)
    assert transcript(used) == first
    export_transcript(used, tmp_path / "t.jsonl")
    assert transcript(import_transcript(tmp_path / "t.jsonl", tmp_path / "copy.ledger")) == first


def test_it_holds_no_unsent_answer_and_no_hash_of_the_record(used):
    text, entries = transcript(used), used.entries()
    for version in entries.versions[1:]:
        assert version.digest not in text
    assert used.contents().meta["key"] not in text
    lines = [json.loads(line) for line in text.splitlines()]
    assert {line["id"]: line["body"]["code"] for line in lines if line.get("event") == "sent"} == {
        name: str(entry.code) for name, entry in entries.by_id.items() if entry.state == "sent"
    }
    assert [line["sequence"] for line in lines[1:-1]] == list(range(1, len(lines) - 1))
    assert {line.get("event") for line in lines[1:-1]} == {"record", "asked", "sent"}


def test_whether_an_answer_is_drawn_already_cannot_be_told(ledger, question, record, stop_at, stopped):
    texts = []
    for point in ("reserved", "stored"):
        stopping = Ledger(ledger.path, clock=lambda: "now", step=stop_at(point))
        with pytest.raises(stopped):
            ask(stopping, question("q"), record(), print)
        texts.append(transcript(ledger))
    assert texts[0] == texts[1]


def test_a_copy_answers_nothing(used, question, record, tmp_path):
    export_transcript(used, tmp_path / "t.jsonl")
    copy = import_transcript(tmp_path / "t.jsonl", tmp_path / "copy.ledger")
    for name in ("a", "d", "e", "new"):
        with pytest.raises(SordinoError, match="which only checks"):
            ask(copy, question(name, "sleep", "0.01"), record(), print)


@pytest.mark.first_cases(5)
@pytest.mark.parametrize("edit", ["cut", "line", "end", "code", "twice", "version", "format", "damaged"])
def test_a_transcript_that_was_touched_is_refused(used, tmp_path, edit):
    lines = transcript(used).splitlines(keepends=True)
    match edit:
        case "cut":
            lines[-1] = lines[-1][:-5]
        case "line":
            del lines[3]
        case "end":
            del lines[-1]
        case "code":
            place = next(i for i, line in enumerate(lines) if '"code":"' in line)
            lines[place] = lines[place].replace('"code":"1"', '"code":"2"').replace('"code":"0"', '"code":"1"')
        case "twice":
            lines.insert(2, lines[2])
        case "version":
            lines[0] = lines[0].replace('"version":1,"whole"', '"version":2,"whole"')
        case "format":
            lines[0] = "{}\n"
        case "damaged":
            lines[0] = lines[0].replace('"whole":true', '"whole":false')
    (tmp_path / "t.jsonl").write_text("".join(lines))
    with pytest.raises(SordinoError, match="must"):
        import_transcript(tmp_path / "t.jsonl", tmp_path / "copy.ledger")
    assert not (tmp_path / "copy.ledger").exists()


@pytest.fixture
def written(terms, tmp_path):
    """A function of events to a transcript of somebody's own, whole as a file."""

    def line(content):
        return json.dumps(content, sort_keys=True, separators=(",", ":")) + "\n"

    def write(events, frozen=terms.document):
        text = line({"format": "sordino transcript", "version": 1, "terms": frozen, "whole": True})
        text += "".join(line({"sequence": place, "time": "", **event}) for place, event in enumerate(events, 1))
        text += line({"events": len(events), "hash": "sha256:" + sha256(text.encode()).hexdigest()})
        (tmp_path / "t.jsonl").write_text(text)
        return tmp_path / "t.jsonl"

    return write


RECORD = {"event": "record", "id": "1", "body": {}}


def test_queries_that_no_filter_accepts_are_found(written, question, tmp_path):
    """Three answers of 0.4 that nobody has yet."""
    events = [RECORD]
    for place in range(3):
        query = question(f"q{place}")
        body = {"query": query.document, "channel": query.fingerprint, "record": 1}
        events.append({"event": "asked", "id": query.id, "body": body})
    import_transcript(written(events[:3]), tmp_path / "two.ledger")
    with pytest.raises(SordinoError, match="must hold queries that the filter accepts"):
        import_transcript(written(events), tmp_path / "copy.ledger")


@pytest.mark.parametrize(
    "event",
    [
        {"event": "asked", "id": "q", "body": {}},
        {"event": "asked", "id": "q", "body": {"query": "words", "channel": "", "record": 1}},
        {"event": "asked", "id": "q", "body": {"query": {"format": "sordino query"}, "channel": "", "record": 1}},
        {"event": "sent", "id": "q", "body": {"code": "1"}},
        {"event": "sent", "id": "q", "body": {"code": "one"}},
        {"event": "sent", "id": "q", "body": []},
        {"event": "record", "id": "3", "body": {}},
        {"event": "record"},
        {"event": "drawn", "id": "q", "body": {}},
        RECORD,
        {**RECORD, "sequence": 7},
        {**RECORD, "time": 1},
        {**RECORD, "sequence": 2.0},
        {"event": "record", "id": "2", "body": 7},
        {"event": "record", "id": "2", "body": None},
        {"event": "sent", "id": "q", "body": "code"},
        {"event": "sent", "id": ["q"], "body": {"code": "1"}},
        {"event": {}, "id": "q", "body": {}},
        {"event": "record", "id": "2", "body": {"x": float("nan")}},
        {"event": "record", "id": "2", "body": {}, "time": "\ud800"},
    ],
)
def test_other_words_are_refused(written, tmp_path, event):
    with pytest.raises(SordinoError, match="must"):
        import_transcript(written([RECORD, event]), tmp_path / "copy.ledger")


DEEP = json.loads("[" * 400 + "]" * 400)
WRONG = [None, True, 0, 7, -1, 1.5, 1e300, 10**400, "", "1", "\0", "\ud800", [], {}, ["1"], {"1": "1"}, DEEP]


def places(value, path=()):
    """The paths of all parts of some JSON, the whole left out."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield (*path, key)
        yield from places(part, (*path, key))


def content_hash(document):
    words = {name: part for name, part in document.items() if name != "hash"}
    text = json.dumps(words, sort_keys=True, separators=(",", ":"))
    return "sha256:" + sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("cases", [150, pytest.param(None, marks=pytest.mark.long)])
def test_any_part_of_any_other_kind_is_a_clear_error(written, terms, question, tmp_path, cases):
    """Each part of terms and events becomes something else, and every hash is made anew."""
    query = question("q", epsilon="0.1")
    body = {"query": dict(query.document), "channel": query.fingerprint, "record": 1}
    events = [
        {"sequence": 1, "time": "", **RECORD},
        {"sequence": 2, "time": "", "event": "asked", "id": "q", "body": body},
        {"sequence": 3, "time": "", "event": "sent", "id": "q", "body": {"code": "1"}},
    ]
    whole = json.loads(json.dumps([terms.document, events]))
    edits = [(path, wrong) for path in places(whole) if path[0] == 0 or len(path) > 2 for wrong in WRONG]
    accepted = 0
    for number, (path, wrong) in enumerate(random.Random(9).sample(edits, cases or len(edits))):
        changed, before = deepcopy(whole), accepted
        sealed = changed[0], changed[1][1]["body"]["query"]
        *above, last = path
        part = changed
        for key in above:
            part = part[key]
        part[last] = wrong
        for document in sealed:
            if last != "hash":
                document["hash"] = content_hash(document)
        frozen, lines = changed
        made = tmp_path / f"{number}.ledger"
        source = written(lines, frozen)
        with suppress(SordinoError):
            copy = import_transcript(source, made)
            accepted += 1
            assert copy.contents().damage == ()
            assert len(copy.entries().by_id) == 1
        assert made.exists() == (accepted > before)
    assert accepted < len(edits) / 10


def test_a_query_that_builds_another_channel_is_refused(written, question, tmp_path):
    query = question("q")
    body = {"query": query.document, "channel": "0" * 16, "record": 1}
    with pytest.raises(SordinoError, match="channel that it was asked by"):
        import_transcript(written([RECORD, {"event": "asked", "id": "q", "body": body}]), tmp_path / "copy.ledger")


def test_a_refusal_leaves_no_trace(used, question, record):
    before = transcript(used)
    with pytest.raises(RefusedError):
        used.reserve(question("large", "sleep", "0.9"), record())
    assert transcript(used) == before
