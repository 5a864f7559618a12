"""A question that is drawn first: once for a plan, whatever record, ledger, collector or kill comes after it."""

import json
import os
import random
import signal
from contextlib import suppress
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from commands import in_child
from sordino import Ledger, Plan, RefusedError, SordinoErrors, Survey
from sordino.errors import DamagedError, UnavailableError
from sordino.exact.source import FreshStream
from sordino.once.agent.answer import answer, own_question
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.journal.event import QUESTION
from sordino.survey.answering.report_draw import draw_question, draw_report
from sordino.verbs.report import report
from waits import ended, kill_after

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "about": {"ask": "drawn"},
    "attribute": {
        "drinks": {"categories": ["yes", "no"]},
        "glasses": {"categories": ["few", "many"], "only_if": {"drinks": ["yes"]}},
        "age": {"number": {"low": 0, "high": 120}},
        "pay": {"number": {"low": 0, "high": 1000}, "missing": "0.5"},
        "mood": {"categories": ["good", "fair", "bad", "no answer"], "missing": "no answer"},
    },
    "ask": [{"histogram": "glasses", "weight": 3}, {"mean": ["age", "pay"], "weight": 2}, {"histogram": "mood"}],
}
ASKED = Plan.of(Survey.read(SURVEY), 1000)
NEEDED = [["drinks", "glasses"], ["age", "pay"], ["mood"]]
WHOLE = {"drinks": "yes", "glasses": "few", "age": 44, "pay": 640, "mood": "bad"}
COLLECTOR = "https://c.example"
POINTS = ("choosing a question", "question stored", "drawing", "drawn", "storing", "stored", "sending", "delivered")


def tables(record):
    return {"version": 1, "record": record}


def part_of(question, whole=WHOLE):
    return {name: whole[name] for name in NEEDED[question] if name in whole}


def answering(store, record, send=None, **more):
    given = {"collector": COLLECTOR, **more}
    return answer(store, ASKED.hash, lambda: (ASKED, tables(record)), send or (lambda body: None), **given)


def stored_question(path):
    return [line.body["question"] for line in AnswerStore.open(path).contents().events if line.event == QUESTION]


def question_of(body):
    code = int(json.loads(body)["reports"][0]["code"])
    return int(np.searchsorted(ASKED.sampled.offsets, code, side="right")) - 1


@pytest.fixture
def path(tmp_path):
    return tmp_path / "own" / "answers.sqlite"


class Words:
    """Given words, one after the other; those of public choices beside them."""

    def __init__(self, question, own):
        self.question, self.own = iter(question), iter(own)

    def public(self, count, use="question"):
        return FreshStream(lambda n: self._next(self.question if use == "question" else self.own, n), count)

    def stream(self, values):
        return FreshStream(lambda n: self._next(self.own, n), len(values))

    def take(self, rows):
        return self

    @staticmethod
    def _next(words, count):
        return np.array([next(words) for _ in range(count)], dtype=np.uint64)


def records():
    """Some whole records: asked and not, with and without what may be missing."""
    for drinks, pay, mood in product(("few", "many", None), (0, 640, None), ("good", "bad", None)):
        found = {"drinks": "no", "age": 44} if drinks is None else {"drinks": "yes", "glasses": drinks, "age": 44}
        yield found | {name: value for name, value in (("pay", pay), ("mood", mood)) if value is not None}


def test_by_the_same_words_a_part_of_a_record_gives_the_code_of_the_whole():
    dice = random.Random(40)
    for whole in records():
        questions = set()
        for _ in range(30):
            words = [dice.getrandbits(64) for _ in range(40)]
            reference = draw_report(ASKED, tables(whole), Words(words[:2], words[2:]))
            question = draw_question(ASKED, Words(words[:2], ()))
            made = draw_report(ASKED, tables(part_of(question, whole)), Words((), words[2:]), question)
            assert (made.code, made.question, question) == (reference.code, *[reference.question] * 2)
            questions.add(question)
        assert questions == {0, 1, 2}


def test_codes_follow_the_distribution_of_whole_records():
    """Over a lattice of words, against the channels' own integers: each code as often as its probability says."""
    side, weights = 48, [part.weight for part in ASKED.document.queries]
    lattice = [(2 * place + 1 << 63) // side for place in range(side)]
    for question, value in ((0, "many"), (2, "bad")):
        own = ASKED.questions[question]
        whole = WHOLE | {NEEDED[question][-1]: value}
        index = own.attributes[0].domain.labels.index(value)
        counts = np.zeros(own.mechanism.outputs)
        for words in product(lattice, repeat=2):
            made = draw_report(ASKED, tables(part_of(question, whole)), Words((), words + words), question)
            counts[made.code - ASKED.sampled.offsets[question]] += 1
        exact = [Fraction(own.mechanism.weight(index, code), own.mechanism.denominator) for code in range(len(counts))]
        assert np.abs(counts / side**2 - np.array(exact, dtype=float)).max() < 2 / side
    drawn = np.bincount([draw_question(ASKED, Words((word,), ())) for word in lattice], minlength=3)
    assert (drawn / side).tolist() == [weight / sum(weights) for weight in weights]


def test_a_record_without_the_answers_is_refused_until_it_has_them_and_no_other_question_comes(path):
    """What the record has decides nothing: those who lack an answer would else report about all other questions."""
    for number in range(12):
        own = path.with_name(f"{number}.sqlite")
        for question in random.Random(number).sample(range(3), 3):
            with suppress(SordinoErrors):
                answering(AnswerStore.open(own), part_of(question))
        (first,) = stored_question(own)
        sent = []
        made = answering(AnswerStore.open(own), part_of(first), sent.append)
        assert stored_question(own) == [first]
        assert made.again
        code = AnswerStore.open(own).find_answer(ASKED.hash).upload
        assert question_of(code) == first


@pytest.mark.parametrize("question", [0, 1])
def test_a_refusal_names_what_the_question_needs_and_no_value(path, question):
    store = AnswerStore.open(path)
    store.choose_once(QUESTION, ASKED.hash, lambda: question)
    others = {name: WHOLE[name] for name in WHOLE if name not in NEEDED[question]} | {"mood": "bad"}
    for _ in range(5):
        with pytest.raises(SordinoErrors, match=f"found none for {NEEDED[question][0]!r}") as caught:
            answering(store, others)
        assert not any(str(value) in str(caught.value) for value in others.values() if value != "no")
    assert store.find_answer(ASKED.hash) is None
    assert not answering(store, part_of(question)).again


@pytest.mark.parametrize(
    "wrong", [{"age": 121}, {"mood": "9141"}, {"glasses": "few", "drinks": "no"}, {"other": 1}, {"glasses": "many"}]
)
def test_what_is_wrong_in_a_record_is_refused_whatever_was_drawn(path, wrong):
    for question in range(3):
        store = AnswerStore.open(path.with_name(f"{question}.sqlite"))
        store.choose_once(QUESTION, ASKED.hash, lambda: question)  # noqa: B023 - runs at once
        record = part_of(question) | wrong
        if wrong == {"glasses": "many"} and question == 0:
            continue
        with pytest.raises(SordinoErrors):
            answering(store, record)
        assert store.find_answer(ASKED.hash) is None


def test_the_question_is_stored_before_the_record_is_looked_at(path):
    for bad in ({"version": 1}, {"version": 1, "record": 3}, tables({}), {"version": 9, "record": WHOLE}):
        store = AnswerStore.open(path.with_name(f"{len(str(bad))}.sqlite"))
        seen = set()
        for _ in range(4):
            with suppress(SordinoErrors):
                answer(store, ASKED.hash, lambda: (ASKED, bad), len, collector=COLLECTOR)  # noqa: B023
            seen.update(stored_question(store.path))
        assert len(seen) == 1


def test_the_words_of_the_question_depend_on_no_record(path):
    drawn = set()
    for number, record in enumerate((WHOLE, {}, part_of(0), {"age": 9141})):
        store = AnswerStore.open(path.with_name(f"{number}.sqlite"))
        words = Words((0x6123456789ABCDEF,), [random.Random(1).getrandbits(64) for _ in range(40)])
        with suppress(SordinoErrors):
            answering(store, record, source=words)
        drawn.update(stored_question(store.path))
    assert len(drawn) == 1


def test_a_kill_at_each_step_leaves_the_question_that_was_drawn(path):
    for number, point in enumerate(POINTS):
        own = path.with_name(f"{number}.sqlite")

        def run(own=own, point=point):
            step = lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == point else None
            answering(AnswerStore.open(own, step), WHOLE)

        assert os.WTERMSIG(ended(in_child(run))) == signal.SIGKILL
        kept = stored_question(own)
        assert len(kept) == (point != POINTS[0])
        for question in range(3):
            with suppress(SordinoErrors):
                answering(AnswerStore.open(own), part_of(question))
        assert stored_question(own) == kept or not kept
        stored = AnswerStore.open(own).find_answer(ASKED.hash)
        assert [question_of(stored.upload)] == stored_question(own)


@pytest.mark.parametrize("kills", [5, pytest.param(40, marks=pytest.mark.long)])
def test_processes_with_different_records_that_are_killed_have_one_question(path, kills):
    dice, killed, number = random.Random(kills), 0, 0
    while killed < kills:
        own, number, seen = path.with_name(f"{number}.sqlite"), number + 1, set()
        stored = None
        while stored is None:

            def run(record, own=own):
                with suppress(SordinoErrors):
                    answering(AnswerStore.open(own), record)

            children = [in_child(lambda q=q: run(part_of(q))) for q in range(3)]
            killed += sum(os.WIFSIGNALED(kill_after(child, dice.uniform(0, 0.03))) for child in children)
            if own.exists():
                seen.update(stored_question(own))
                stored = AnswerStore.open(own).find_answer(ASKED.hash)
        assert seen == {question_of(stored.upload)}


def test_two_collectors_of_one_plan_meet_the_same_question(path):
    store = AnswerStore.open(path)
    question = own_question(store, ASKED)
    for collector in ("https://b.example", COLLECTOR) * 2:
        for other in {0, 1} - {question}:
            record = {"mood": "bad", **part_of(other)} if question != 2 else {"age": 121}
            with pytest.raises(SordinoErrors):
                answering(store, record, collector=collector)
    sent = []
    answering(store, part_of(question), sent.append)
    with pytest.raises(RefusedError, match="must go to the collector"):
        answering(store, part_of(question), sent.append, collector="https://b.example")
    assert [question_of(body) for body in sent] == [question] == stored_question(path)


def test_a_lost_acknowledgement_and_another_record_draw_nothing(path):
    store, sent = AnswerStore.open(path), []

    def lose(body):
        sent.append(body)
        raise UnavailableError("the collector must be ready", found="no answer")

    for record in (WHOLE, WHOLE | {"mood": "good", "age": 9}, {}, part_of(1)):
        with pytest.raises(UnavailableError):
            answering(store, record, lose)
    assert len(set(sent)) == 1


TERMS = {
    "version": 1,
    "epsilon": "9",
    "attribute": {"mood": {"categories": ["good", "bad"]}, "word": {"categories": 9}},
}
THROUGH = Plan.of(
    Survey.read(
        {
            **TERMS,
            "epsilon": "1",
            "about": {"ask": "drawn"},
            "ask": [{"histogram": "mood"}, {"histogram": "word"}],
        }
    ),
    1000,
)


def test_no_ledger_draws_another_question_than_the_store_and_each_reads_its_whole_record(path):
    """By its own key each of eight ledgers would draw one of both."""
    for number in range(8):
        store = AnswerStore.open(path.with_name(f"{number}.sqlite"))
        question = own_question(store, THROUGH)
        ledger, sent = Ledger.make(path.with_name(f"{number}.ledger"), TERMS), []

        def through(record, ledger=ledger, store=store, sent=sent):
            fetch = lambda: (THROUGH, tables(record))
            return answer(ledger, THROUGH.hash, fetch, sent.append, collector=COLLECTOR, beside=store)

        with pytest.raises(SordinoErrors, match="a record must have a value for each attribute"):
            through({"mood": "bad"} if question == 0 else {"word": 3})
        through({"mood": "bad", "word": 3})
        (body,) = sent
        code = int(json.loads(body)["reports"][0]["code"])
        assert (code >= THROUGH.sampled.offsets[1]) == question


def test_a_damaged_store_draws_no_question(path):
    store = AnswerStore.open(path)
    own_question(store, ASKED)
    content = bytearray(path.read_bytes())
    at = content.index(b'{"question":')
    content[at + 12] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedError):
        own_question(AnswerStore.open(path), ASKED)
    with pytest.raises(DamagedError):
        answering(AnswerStore.open(path), WHOLE)


def test_other_surveys_store_no_question_and_read_whole_records(path):
    everybody = Plan.of(Survey.read({**SURVEY, "about": {}}), 1000)
    named = {name: SURVEY["attribute"][name] for name in NEEDED[0]}
    alone = Plan.of(Survey.read({**SURVEY, "attribute": named, "ask": SURVEY["ask"][:1]}), 1000)
    for asked in (everybody, alone):
        assert own_question(AnswerStore.open(path), asked) is None
    with pytest.raises(SordinoErrors):
        answer(
            AnswerStore.open(path), everybody.hash, lambda: (everybody, tables(part_of(0))), pytest.fail, collector="c"
        )
    assert stored_question(path) == []


def test_what_keeps_nothing_reads_whole_records():
    """`report` could be run again until it draws a question that the record has."""
    for question in range(3):
        with pytest.raises(SordinoErrors, match="must have a value for each attribute"):
            report(ASKED, tables(part_of(question)))
    assert report(ASKED, tables(WHOLE)).code < ASKED.sampled.outputs
