"""Quotas of a ledger: a hostile collector gets at most its own, whatever it is called, and all answers keep theirs.

Each decision is compared with exact likelihoods at every record, for every way in which open answers can turn out.
"""

import json
from contextlib import suppress
from fractions import Fraction
from itertools import product
from math import exp
from random import Random

import pytest

from plans_through_ledgers import answer_plan
from sordino import Ledger, RefusedError, ask, plan
from sordino.document.sealed import canonical, hash_of
from sordino.once.ledger import reading
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord
from sordino.once.ledger.transcript import export_transcript, import_transcript

LABELS = {"smoker": ("yes", "no"), "stage": ("I", "II", "III")}
ATTRIBUTES = {name: {"categories": list(labels)} for name, labels in LABELS.items()}
RECORDS = list(product(range(2), range(3)))
VALUES = {"version": 1, "record": {"smoker": "no", "stage": "II"}}
HOSTILE = "https://evil.example"
ALIASES = (
    HOSTILE,
    "HTTPS://Evil.Example:443/",
    "http://evil.example:80/x?y",
    "evil.example.",
    "https://me@evil.example:8443",
)
SYBILS = ("https://sub.evil.example", "https://evil2.example", "Nobody", "others")
HONEST = "Institute of Sleep"
EPSILONS = ("ln 2", "ln 3", "ln 3/2")


def terms_of(epsilon, quota):
    return LedgerTerms.read({"version": 1, "epsilon": epsilon, "attribute": ATTRIBUTES, "quota": quota})


def query_of(terms, name, collector, attribute, epsilon):
    tables = {"version": 1, "id": name, "collector": collector, "epsilon": epsilon, "category": attribute}
    return AskedQuery.read(tables, terms)


def chance(query, record, code):
    """Of a code at a record, from the integers that are compared."""
    mechanism = query.channel.mechanism
    value = record[list(LABELS).index(query.document["category"])]
    return Fraction(mechanism.weight(value, code), mechanism.denominator)


def largest_ratio(asked):
    """Of likelihoods of two records, whatever the open answers are; `asked` has queries and their codes, or None."""
    ways = [range(query.channel.outputs) if code is None else (code,) for query, code in asked]
    largest = Fraction(1)
    for way in product(*ways):
        likelihoods = []
        for record in RECORDS:
            likelihood = Fraction(1)
            for (query, _), code in zip(asked, way, strict=True):
                likelihood *= chance(query, record, code)
            likelihoods.append(likelihood)
        largest = max(largest, max(likelihoods) / min(likelihoods))
    return largest


def owner(collector):
    return "hostile" if collector in ALIASES else "honest" if collector == HONEST else "others"


class Schedule:
    """Random questions, half of them the hostile collector's, checked at each moment."""

    def __init__(self, path, budget, quotas, choose):
        self.budget, self.quotas, self.choose = budget, quotas, choose
        words = {HOSTILE: quotas["hostile"], HONEST: quotas["honest"], "others": quotas["others"]}
        self.terms = terms_of(f"ln {budget}", {name: f"ln {amount}" for name, amount in words.items()})
        self.ledger = Ledger.make(path, self.terms)
        self.values = PersonRecord.read(VALUES, self.terms)
        self.asked = []
        self.by_promise = self.by_quota = 0

    def collector(self):
        if self.choose.random() < 0.6:
            return self.choose.choice([*ALIASES, *SYBILS])
        return HONEST

    def of(self, *owners):
        return [pair for pair in self.asked if owner(pair[0].collector) in owners]

    def ask(self, place):
        collector = self.collector()
        attribute = self.choose.choice(list(LABELS))
        query = query_of(self.terms, f"q{place}", collector, attribute, self.choose.choice(EPSILONS))
        keeps_quota = largest_ratio([*self.of(owner(collector)), (query, None)]) <= self.quotas[owner(collector)]
        keeps_promise = largest_ratio([*self.asked, (query, None)]) <= self.budget
        self.by_promise += keeps_quota and not keeps_promise
        self.by_quota += keeps_promise and not keeps_quota
        if not (keeps_quota and keeps_promise):
            words = "reveal at most its quota|without a quota of their own" if keeps_promise else "all answers together"
            with pytest.raises(RefusedError, match=words):
                self.ledger.reserve(query, self.values)
            return
        self.ledger.reserve(query, self.values)
        code = self.choose.randrange(query.channel.outputs)
        state = self.choose.random()
        if state > 0.1:
            self.ledger.draw(query, self.values, lambda: code)
        if state > 0.2:
            self.ledger.note_sent(query.id)
        self.asked.append((query, code if state > 0.2 else None))
        self.check()

    def check(self):
        for who, quota in self.quotas.items():
            assert largest_ratio(self.of(who)) <= quota
        assert largest_ratio(self.asked) <= self.budget
        # Under whatever names: at most its own and what the others share.
        assert largest_ratio(self.of("hostile", "others")) <= self.quotas["hostile"] * self.quotas["others"]

    def spent_is_what_was_told(self):
        left = self.ledger.balance().quotas
        shown = {one.collector: one for one in left}
        for who, name in (("hostile", HOSTILE), ("honest", HONEST), ("others", None)):
            told = float(largest_ratio(self.of(who)))
            assert told * (1 - 1e-9) <= exp(shown[name].spent) <= told * (1 + 1e-6)


def run_schedules(folder, budget, quotas, count, seed, length=7):
    choose, by_promise, by_quota = Random(seed), 0, 0
    for place in range(count):
        one = Schedule(folder / f"{place}.ledger", budget, quotas, choose)
        for number in range(length):
            one.ask(number)
        one.spent_is_what_was_told()
        by_promise, by_quota = by_promise + one.by_promise, by_quota + one.by_quota
    return by_promise, by_quota


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """Checkpoints all the time, so that each question reads one in place of all lines."""
    monkeypatch.setattr(reading, "FIRST", 2)
    monkeypatch.setattr(reading, "EVERY", 2)


@pytest.mark.parametrize("count", [150, pytest.param(300, marks=pytest.mark.long)])
def test_a_hostile_collector_gets_at_most_its_quota(tmp_path, count):
    by_promise, by_quota = run_schedules(tmp_path, 14, {"hostile": 4, "honest": 6, "others": 2}, count, 1)
    # The quotas add up to more than the promise: both refuse.
    assert by_promise > 0
    assert by_quota > count


@pytest.mark.parametrize("count", [50, pytest.param(300, marks=pytest.mark.long)])
def test_honest_ones_keep_theirs_where_quotas_add_up_to_the_promise(tmp_path, count):
    by_promise, by_quota = run_schedules(tmp_path, 48, {"hostile": 4, "honest": 6, "others": 2}, count, 2)
    assert by_promise == 0
    assert by_quota > count


QUOTA = {HOSTILE: "0.3", HONEST: "0.5", "others": "0.2"}


@pytest.fixture(scope="module")
def terms():
    return terms_of("1", QUOTA)


@pytest.fixture
def ledger(tmp_path, terms):
    return Ledger.make(tmp_path / "me.ledger", terms)


class GoneError(Exception):
    """The process ends here, as far as the ledger can tell."""


def ask_at(ledger, name, collector, epsilon, point=None, stage="II"):
    """Ask until a step, after which the process is gone."""

    def step(reached):
        if reached == point:
            raise GoneError

    values = PersonRecord.read({"version": 1, "record": {"smoker": "no", "stage": stage}}, ledger.terms)
    query = query_of(ledger.terms, name, collector, "stage", epsilon)
    with suppress(GoneError):
        ask(Ledger(ledger.path, step=step), query, values, lambda _: None)


PROBES = [(collector, epsilon) for collector in (HOSTILE, ALIASES[1], HONEST, "Nobody") for epsilon in ("0.09", "0.21")]


def decisions(balance, terms):
    """Of each probe, with what it would tell."""
    return [balance.decide(query_of(terms, "probe", who, "stage", epsilon)) for who, epsilon in PROBES]


@pytest.mark.parametrize("point", ["reserving", "reserved", "drawn", "stored", "sending", "delivered", "noted", None])
def test_a_crash_and_a_replay_give_the_same_decisions(tmp_path, ledger, point):
    for place, (collector, epsilon) in enumerate([(ALIASES[1], "0.2"), (HONEST, "0.3"), ("Nobody", "0.15")]):
        ask_at(ledger, f"q{place}", collector, epsilon, point)
    found = decisions(ledger.balance(), ledger.terms)
    assert {one.accepted for one in found} == {True, False} or point == "reserving"
    assert found == decisions(ledger.balance(replay=True), ledger.terms)
    assert ledger.balance().content == ledger.balance(replay=True).content
    assert ledger.verify() in ("none", "agrees")
    text = tmp_path / "t.jsonl"
    export_transcript(ledger, text)
    copy = import_transcript(text, tmp_path / "copy.ledger")
    assert found == decisions(copy.balance(), copy.terms)
    # What was reserved is answered once, and then counts as that answer alone, for the same collectors.
    for place, (collector, epsilon) in enumerate([(ALIASES[1], "0.2"), (HONEST, "0.3"), ("Nobody", "0.15")]):
        ask_at(ledger, f"q{place}", collector, epsilon)
    assert [one.collector for one in ledger.balance().quotas] == [HONEST, HOSTILE, None]
    assert [round(one.spent, 6) for one in ledger.balance().quotas] == [0.3, 0.2, 0.15]


def test_an_open_answer_counts_for_its_collector_whatever_it_is(ledger):
    ask_at(ledger, "q0", HOSTILE, "0.2", "reserved")
    assert not ledger.decide(query_of(ledger.terms, "q1", ALIASES[2], "stage", "0.2")).accepted
    assert ledger.decide(query_of(ledger.terms, "q1", HONEST, "stage", "0.2")).accepted


def test_versions_of_a_record_add_up_by_quota(ledger):
    ask_at(ledger, "q0", HOSTILE, "0.2", stage="II")
    ask_at(ledger, "q1", HOSTILE, "0.1", stage="III", point="stored")
    assert ledger.balance().version.number == 2
    for stage in ("II", "III"):
        with pytest.raises(RefusedError, match=r"its quota, 0\.3 nats"):
            ask_at(ledger, "q2", ALIASES[1], "0.05", stage=stage)
    ask_at(ledger, "q2", HONEST, "0.05", stage="III")
    own = {one.collector: one for one in ledger.balance().quotas}
    assert own[HOSTILE].spent == pytest.approx(0.3)
    assert own[HOSTILE].remaining == pytest.approx(0, abs=1e-9)
    assert own[HONEST].spent == pytest.approx(0.05)


def test_a_refusal_says_which_limit_it_is_and_changes_nothing(ledger):
    before = ledger.contents()
    for collector, epsilon, words in [
        (HOSTILE, "0.4", "the answers to 'https://evil.example' must reveal at most its quota, 0.3 nats"),
        ("Nobody", "0.4", "collectors without a quota of their own must reveal at most 0.2 nats together"),
        (HOSTILE, "1.5", "all answers together must reveal at most 1 nat"),
    ]:
        with pytest.raises(RefusedError, match=words):
            ask_at(ledger, "q", collector, epsilon)
    assert ledger.contents() == before


def test_new_names_share_what_the_others_share(ledger):
    ask_at(ledger, "q0", "First name", "0.2")
    for name in SYBILS:
        assert not ledger.decide(query_of(ledger.terms, "q1", name, "stage", "0.05")).accepted
    assert ledger.decide(query_of(ledger.terms, "q1", HONEST, "stage", "0.05")).accepted


def test_a_refusal_is_the_same_for_every_record(tmp_path, terms):
    """Ledgers of people of all values, with the same answers sent."""
    said = set()
    for place, (smoker, stage) in enumerate(product(*LABELS.values())):
        ledger = Ledger.make(tmp_path / f"{place}.ledger", terms)
        values = PersonRecord.read({"version": 1, "record": {"smoker": smoker, "stage": stage}}, terms)
        first = query_of(terms, "q0", HOSTILE, "stage", "0.2")
        ledger.reserve(first, values)
        ledger.draw(first, values, lambda: 1)
        ledger.note_sent(first.id)
        with pytest.raises(RefusedError) as caught:
            ledger.reserve(query_of(terms, "q1", HOSTILE, "smoker", "0.2"), values)
        said.add((str(caught.value), tuple(ledger.balance().quotas)))
    assert len(said) == 1


def test_plans_have_the_quota_of_their_address(ledger):
    def asked(epsilon):
        attributes = {"stage": ATTRIBUTES["stage"]}
        survey = {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": [{"histogram": "stage"}]}
        return plan(survey, people=10**6)

    first, second = asked("0.25"), asked("0.15")
    sent = []
    answer_plan(ledger, first.hash, HOSTILE, lambda: (first, VALUES), sent.append)
    with pytest.raises(RefusedError, match=r"its quota, 0\.3 nats") as caught:
        answer_plan(ledger, second.hash, ALIASES[1], lambda: (second, VALUES), sent.append)
    assert "of 1 nat, and of the quota 0.0" in str(caught.value)
    assert "of 0.3 nats, is left" in str(caught.value)
    answer_plan(ledger, second.hash, HONEST, lambda: (second, VALUES), sent.append)
    # What is answered is passed on to nobody else: it is not counted in another quota.
    for collector in (HOSTILE, SYBILS[0]):
        with pytest.raises(RefusedError, match="and to no other; found one for 'Institute of Sleep'"):
            answer_plan(ledger, second.hash, collector, pytest.fail, sent.append)
    assert len(sent) == 2


@pytest.mark.parametrize("is_lost", [True, False])
def test_a_quota_refuses_also_what_was_drawn_for_another_collector(ledger, is_lost):
    """Whether that one acknowledged it or not: no answer is beyond the quota of whoever gets it."""
    survey = {"version": 1, "epsilon": "0.4", "attribute": {"stage": ATTRIBUTES["stage"]}}
    asked, sent = plan({**survey, "ask": [{"histogram": "stage"}]}, people=10**6), []

    def lose(report):
        sent.append(report)
        if is_lost:
            raise BrokenPipeError

    with pytest.raises(RefusedError, match=r"its quota, 0\.3 nats"):
        answer_plan(ledger, asked.hash, HOSTILE, lambda: (asked, VALUES), sent.append)
    with suppress(BrokenPipeError):
        answer_plan(ledger, asked.hash, HONEST, lambda: (asked, VALUES), lose)
    for collector in (*ALIASES, *SYBILS):
        with pytest.raises(RefusedError, match="reserved for, and to no other"):
            answer_plan(ledger, asked.hash, collector, lambda: (asked, VALUES), sent.append)
    assert len(sent) == 1
    spent = {one.collector: one.spent for one in ledger.balance().quotas}
    assert spent[HOSTILE] == spent[None] == 0 < spent[HONEST]


def test_transcripts_beyond_a_quota_are_refused(tmp_path, ledger, terms):
    without = Ledger.make(
        tmp_path / "free.ledger", LedgerTerms.read({"version": 1, "epsilon": "1", "attribute": ATTRIBUTES})
    )
    ask_at(without, "q0", HOSTILE, "0.4")
    export_transcript(without, tmp_path / "t.jsonl")
    head, *lines, _ = (tmp_path / "t.jsonl").read_text().splitlines()
    head = canonical({**json.loads(head), "terms": terms.document}).decode()
    text = "\n".join([head, *lines]) + "\n"
    last = canonical({"events": len(lines), "hash": hash_of(text.encode())}).decode()
    (tmp_path / "forged.jsonl").write_text(text + last + "\n")
    with pytest.raises(RefusedError, match="that the filter accepts"):
        import_transcript(tmp_path / "forged.jsonl", tmp_path / "copy.ledger")
    assert not (tmp_path / "copy.ledger").exists()


NUMBERS = {"age": {"number": {"low": 18, "high": 90}}, "sleep": {"number": {"low": 0, "high": 12}}}


@pytest.mark.parametrize("attribute", [NUMBERS, NUMBERS | {"smoker": ATTRIBUTES["smoker"]}], ids=["box", "mixed"])
def test_numbers_have_quotas_too(tmp_path, attribute):
    terms = LedgerTerms.read({"version": 1, "epsilon": "1", "attribute": attribute, "quota": QUOTA})
    ledger = Ledger.make(tmp_path / "me.ledger", terms)
    record = {"age": 44, "sleep": 7.5} | ({"smoker": "no"} if "smoker" in attribute else {})
    values = PersonRecord.read({"version": 1, "record": record}, terms)

    def question(name, collector):
        model = {"theta": {"sleep": 1}, "low": 0, "high": 12}
        words = {"version": 1, "id": name, "collector": collector, "epsilon": "0.2", "linear": model}
        return AskedQuery.read(words, terms)

    for name, collector, code in [("q0", HOSTILE, 1), ("q1", HONEST, 0)]:
        query = question(name, collector)
        ledger.reserve(query, values)
        ledger.draw(query, values, lambda code=code: code)
        ledger.note_sent(query.id)
    # Together these two nearly cancel; to each collector they do not.
    assert ledger.balance().joint.spent < 0.02
    assert [round(one.spent, 6) for one in ledger.balance().quotas] == [0.2, 0.2, 0]
    assert not ledger.decide(question("q2", HOSTILE), values).accepted
    assert ledger.decide(question("q2", HONEST), values).accepted
    assert ledger.balance().content == ledger.balance(replay=True).content


def test_the_commands_say_what_is_left_of_each_quota(ledger, run):
    ask_at(ledger, "q0", HOSTILE, "0.2")
    code, output, _ = run("ledger", "show", ledger.path, "--json")
    found = json.loads(output)["quotas"]
    assert code == 0
    assert [(one["collector"], one["quota"]) for one in found] == [(HONEST, "1/2"), (HOSTILE, "3/10"), (None, "1/5")]
    assert found[1]["remaining"] == pytest.approx(0.1)
    for command in ("show", "explain"):
        _, output, _ = run("ledger", command, ledger.path)
        assert (
            "The answers to 'https://evil.example' may reveal at most 0.3 nats by themselves: so far at most" in output
        )
        assert "The answers to all other collectors together may reveal at most 0.2 nats" in output
