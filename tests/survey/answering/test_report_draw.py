"""One person's report: the same codes as many people's by the same words, and no refusal that depends on the draw."""

import numpy as np
import pyarrow as pa
import pytest

from sordino import Plan, SordinoErrors, Survey
from sordino.exact.source import FreshStream
from sordino.survey.answering.report_draw import draw_report
from sordino.tables.frame import Frame
from sordino.tables.values import read_people

SURVEYS = {
    "all kinds": {
        "version": 1,
        "epsilon": "1",
        "attribute": {
            "job": {"categories": ["baker", "clerk", "judge"], "protect": {"epsilon": "2"}},
            "page": {"categories": 9},
            "home": {"grid": {"south": 0, "north": 10, "west": 0, "east": 20, "rows": 4, "columns": 4}},
        },
        "ask": [{"histogram": "job"}, {"histogram": "page", "weight": 3}, {"histogram": "home"}],
    },
    "numbers": {
        "version": 1,
        "epsilon": "2",
        "attribute": {
            "age": {"number": {"low": 0, "high": 120}},
            "pay": {"number": {"low": 0, "high": 1000, "clip": True}, "delta": "1"},
            "smoker": {"categories": ["yes", "no"], "delta": "0.5"},
        },
        "ask": [{"mean": ["age", "pay"]}, {"histogram": "smoker", "weight": 2}],
    },
}
PEOPLE = {
    "all kinds": [
        {"job": job, "page": page, "home": {"latitude": page / 4, "longitude": 20 - page / 4}}
        for job, page in (("baker", 0), ("judge", 4), ("clerk", 8))
    ],
    "numbers": [
        {"age": 0, "pay": -3, "smoker": "yes"},
        {"age": 44.5, "pay": 640, "smoker": "no"},
        {"age": 120, "pay": 1e9, "smoker": "no"},
    ],
}


class Words:
    """Words that are given, one after the other, for one person."""

    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)
        self.count = 0

    def words(self, count):
        self.count += count
        return self.draw.integers(0, 1 << 64, count, dtype=np.uint64)

    def public(self, count, use="question"):
        return FreshStream(self.words, count)

    def stream(self, values):
        return FreshStream(self.words, len(values))

    def take(self, rows):
        return self


@pytest.fixture(scope="module", params=SURVEYS)
def asked(request):
    return request.param, Plan.of(Survey.read(SURVEYS[request.param]), 1000)


def table_of(record):
    home = record.get("home")
    flat = {name: value for name, value in record.items() if name != "home"} | (home or {})
    return Frame.of(pa.table({name: [value] for name, value in flat.items()}), flat)


def test_a_report_is_what_privatize_gives_by_the_same_words(asked):
    kind, plan = asked
    for record in PEOPLE[kind]:
        ((values, *_),) = read_people(plan, table_of(record), None)
        questions = set()
        for seed in range(20):
            report = draw_report(plan, {"version": 1, "record": record}, Words(seed))
            (code,) = plan.sampled.privatize(values, Words(seed)).tolist()
            assert report.code == code
            questions.add(report.question)
        assert questions == set(range(len(plan.questions)))


def test_as_many_words_whatever_the_record(asked):
    kind, plan = asked
    for seed in range(20):
        drawn = {
            source.count
            for record in PEOPLE[kind]
            for source in [Words(seed)]
            if draw_report(plan, {"version": 1, "record": record}, source)
        }
        assert len(drawn) == 1


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [("all kinds", {"page": 9}), ("all kinds", {"job": "9141"}), ("numbers", {"age": 121}), ("numbers", {"smoker": 1})],
)
def test_a_bad_value_is_refused_before_any_draw(kind, wrong):
    plan, source = Plan.of(Survey.read(SURVEYS[kind]), 1000), Words(1)
    for _ in range(3):
        with pytest.raises(SordinoErrors):
            draw_report(plan, {"version": 1, "record": PEOPLE[kind][1] | wrong}, source)
    assert source.count == 0


def test_what_is_only_protected_may_be_left_out():
    tables = SURVEYS["numbers"] | {"ask": [{"mean": ["age"]}]}
    tables["attribute"] = {**tables["attribute"], "pay": {**tables["attribute"]["pay"], "delta": "1"}}
    plan = Plan.of(Survey.read(tables), 1000)
    draw_report(plan, {"version": 1, "record": {"age": 44}})
    draw_report(plan, {"version": 1, "record": {"age": 44, "smoker": "yes"}})
    with pytest.raises(SordinoErrors, match="'smoker' must be one"):
        draw_report(plan, {"version": 1, "record": {"age": 44, "smoker": "maybe"}})


def test_each_report_has_an_id_of_its_own(asked):
    kind, plan = asked
    tables = {"version": 1, "record": PEOPLE[kind][0]}
    ids = {draw_report(plan, tables, Words(1)).id for _ in range(20)}
    assert {len(ids), *map(len, ids)} == {20, 16}


@pytest.mark.long
@pytest.mark.statistical
def test_the_reports_of_one_record_follow_the_channel(asked):
    """By a chi-square statistic, whose bound is six of its standard deviations above its mean."""
    kind, plan = asked
    record, people = PEOPLE[kind][1], 1000
    codes = [draw_report(plan, {"version": 1, "record": record}).code for _ in range(people)]
    ((values, *_),) = read_people(plan, table_of(record), None)
    total = sum(part.weight for part in plan.document.queries)
    law = np.zeros(plan.sampled.outputs)
    for question, part, first, column in zip(
        plan.questions, plan.document.queries, plan.sampled.offsets, values, strict=False
    ):
        own = law[first : first + question.query.outputs]
        if kind == "all kinds" or question.name == "smoker":
            mechanism, value = question.mechanism, int(column[0])
            own[:] = [mechanism.weight(value, code) / mechanism.denominator for code in range(mechanism.outputs)]
        else:
            numbers = column[:].records[0].tolist()
            at = 0
            for query, weight in zip(question.query.queries, question.query.shares, strict=True):
                each = np.array([float(chance) for chance in query.law(numbers)])
                own[at : at + len(each)] = each * weight / sum(question.query.shares)
                at += len(each)
        own *= part.weight / total
    assert law.sum() == pytest.approx(1)
    counts = np.bincount(codes, minlength=len(law))
    likely = law * people >= 5
    found, expected = [np.append(each[likely], each[~likely].sum()) for each in (counts, law * people)]
    kept = expected > 0
    statistic, freedom = (((found - expected) ** 2)[kept] / expected[kept]).sum(), kept.sum() - 1
    assert statistic < freedom + 6 * np.sqrt(2 * freedom) + 12
