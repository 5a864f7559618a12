"""Plans answered through a ledger: their queries are counted as what they are, whatever they ask about.

Every bound is compared with the exact probabilities of the device's own law, at records all over the domain.
"""

from functools import cache
from itertools import product
from math import inf, log

import numpy as np
import pytest

from plan_laws import law_of
from plans_through_ledgers import answer_plan
from sordino import LDP, RefusedError, SordinoError, plan
from sordino.accounting.filter import BayesianFilter
from sordino.accounting.measures.cell_query import CellQuery
from sordino.document.formats import QUERY
from sordino.domain.interval import Interval
from sordino.exact.source import SystemSource
from sordino.once.ledger.ledger import Ledger
from sordino.once.ledger.ledger_query import PlanQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.survey.answering.drawn_query import DrawnQuery, all_queries

ATTRIBUTES = {
    "age": {"number": {"low": 18, "high": 90}},
    "income": {"number": {"low": 0, "high": 100_000}, "missing": "0.1"},
    "smoker": {"categories": ["yes", "no"]},
    "stage": {"categories": ["I", "II", "III"]},
    "symptoms": {"categories": ["cough", "fever", "pain"], "several": 2},
}
TERMS = {
    "version": 1,
    "epsilon": "1",
    "attribute": {
        "age": ATTRIBUTES["age"],
        "income": {"number": {"low": 0, "high": 100_000, "missing": True}},
        "smoker": ATTRIBUTES["smoker"],
        "stage": ATTRIBUTES["stage"],
        "symptoms": ATTRIBUTES["symptoms"],
    },
}
RECORD = {
    "version": 1,
    "record": {"age": 44, "income": 30_000.0, "smoker": "no", "stage": "II", "symptoms": ["cough", "pain"]},
}
ASKED = {
    "histogram": ({"histogram": "stage"}, ["stage"]),
    "table": ({"table": ["smoker", "stage"]}, ["smoker", "stage"]),
    "mean": ({"mean": ["age"]}, ["age"]),
    "optional mean": ({"mean": ["income"]}, ["income"]),
    "distribution": ({"distribution": "age"}, ["age"]),
    "optional distribution": ({"distribution": "income"}, ["income"]),
    "several": ({"several": "symptoms"}, ["symptoms"]),
    "covariance": ({"covariance": ["age", "income"]}, ["age", "income"]),
    "regression": ({"regression": {"target": "age", "features": ["smoker", "stage"]}}, ["age", "smoker", "stage"]),
}


@cache
def plan_of(kind, epsilon="0.3"):
    asked, names = ASKED[kind]
    survey = {"version": 1, "epsilon": epsilon, "attribute": {name: ATTRIBUTES[name] for name in names}}
    return plan({**survey, "ask": [asked]}, people=10**7)


@pytest.fixture
def ledger(tmp_path):
    return Ledger.make(tmp_path / "me.ledger", TERMS)


def answer(ledger, asked, record=RECORD, sent=None):
    sent = [] if sent is None else sent
    return answer_plan(ledger, asked.hash, "https://c.example", lambda: (asked, record), sent.append)


def records(terms, count, generator):
    """Values of attributes, some of them at ends, in the middle, or missing."""
    rows = []
    for _ in range(count):
        row = {}
        for name, one in terms.attributes.items():
            if isinstance(one.domain, Interval):
                low, high = one.domain.low, one.domain.high
                chosen = [low, high, (low + high) / 2, generator.uniform(low, high), generator.uniform(low, high)]
                chosen += [float("nan")] if one.optional else []
                row[name] = float(generator.choice(chosen))
            else:
                row[name] = int(generator.integers(one.domain.k))
        rows.append(row)
    return rows


def place_of(terms, name, value):
    """Which entry of a table over cells a value belongs to."""
    one = terms.attributes[name]
    if not isinstance(one.domain, Interval):
        return value
    cells = terms.domain.cells.domains[terms.names.index(name)]
    if np.isnan(value):
        return cells.count
    return min(int(np.searchsorted(cells.edges, value, side="right")) - 1, cells.count - 1)


@pytest.mark.parametrize("kind", ASKED)
def test_bounds_hold_for_every_number_of_a_cell(kind):
    generator = np.random.default_rng(7)
    terms, asked = LedgerTerms.read(TERMS), plan_of(kind)
    record = terms.domain.cells
    for drawn in list(all_queries(asked))[:6]:
        query = drawn.filter_query
        if not isinstance(query, CellQuery):
            continue
        codes = generator.permutation(query.outputs)[:6].tolist()
        rows = records(terms, 40, generator)
        laws = [law_of(drawn, row) for row in rows]
        for code in codes:
            factors = query.factors(record, code, alone=False)
            differences = []
            for row, law in zip(rows, laws, strict=True):
                high = low = 0.0
                for factor in factors:
                    at = tuple(place_of(terms, terms.names[place], row[terms.names[place]]) for place in factor.places)
                    high, low = high + factor.log[at], low + factor.least[at]
                exact = log(law[code]) if law[code] else -inf
                differences.append((low - exact, high - exact))
            # But for one constant, each is within its bounds.
            assert max(low for low, _ in differences) <= min(high for _, high in differences) + 1e-9


@pytest.mark.parametrize("kind", ASKED)
def test_a_counted_reading_is_what_the_device_reads(kind):
    generator = np.random.default_rng(8)
    terms, asked = LedgerTerms.read(TERMS), plan_of(kind)
    for drawn in list(all_queries(asked))[:6]:
        query = drawn.filter_query
        if isinstance(query, CellQuery):
            continue
        for row in records(terms, 20, generator):
            index = np.array([[row[name] if name in drawn.attribute_names else 0 for name in terms.names]])
            index = np.nan_to_num(index, nan=0).astype(np.intp)
            index[:, [terms.names.index(name) for name in terms.numbers]] = 0
            read = int(query.index(terms.domain.cells, index)[0])
            own = query.mechanism
            expected = [own.weight(read, code) / own.denominator for code in range(own.outputs)]
            assert np.allclose(law_of(drawn, row), expected, rtol=1e-12)


def test_what_is_accepted_keeps_the_budget_for_all_pairs_of_records():
    generator = np.random.default_rng(9)
    terms = LedgerTerms.read(TERMS)
    kinds = ["histogram", "mean", "optional mean", "several", "regression", "covariance"]
    asked = [drawn for kind in kinds for drawn in list(all_queries(plan_of(kind, "0.25")))[:4]]
    rows = records(terms, 60, generator)
    for _ in range(3):
        promise, told = BayesianFilter(terms.domain, LDP("1")), np.zeros(len(rows))
        for _ in range(30):
            drawn = asked[int(generator.integers(len(asked)))]
            if not promise.accepts(drawn.filter_query):
                continue
            laws = np.array([law_of(drawn, row) for row in rows])
            # The code that helps most to tell the two that are told apart best.
            most, least = told.argmax(), told.argmin()
            code = int((laws[most] / laws[least]).argmax()) if generator.random() < 0.7 else 0
            promise, told = promise.after(drawn.filter_query, code), told + np.log(laws[:, code])
            assert told.max() - told.min() <= promise.spent + 1e-9
            assert promise.spent <= 1 + 1e-9
        assert promise.spent > 0.75


@pytest.mark.parametrize("kind", ASKED)
def test_a_plan_is_answered_once(ledger, kind):
    asked, sent = plan_of(kind), []
    first = answer(ledger, asked, sent=sent)
    assert not first.again
    assert answer(ledger, asked, sent=sent).again
    assert sent == [first.report]
    assert sorted(first.report) == ["code", "id"]
    assert ledger.verify() in {"none", "agrees"}


def test_another_plan_uses_what_is_left(ledger):
    assert answer(ledger, plan_of("histogram", "0.6")).entry.sent
    with pytest.raises(RefusedError, match=r"nothing was drawn or sent; .* is left"):
        answer(ledger, plan_of("mean", "0.5"))
    assert len(ledger.entries().by_id) == 1
    assert answer(ledger, plan_of("mean", "0.4")).entry.sent


def test_a_refusal_is_the_same_whatever_the_record(ledger):
    answer(ledger, plan_of("histogram", "0.6"))
    words = set()
    for stage in ("I", "II", "III"):
        asked, record = plan_of("table", "0.5"), {**RECORD, "record": {**RECORD["record"], "stage": "II"}}
        record["record"]["smoker"] = "yes" if stage == "I" else "no"
        changed = {**RECORD, "record": {**RECORD["record"]}} if stage == "II" else RECORD
        with pytest.raises(RefusedError) as refusal:
            answer(ledger, asked, changed)
        words.add(str(refusal.value))
    assert len(words) == 1


def test_the_drawn_query_stays_after_a_refusal(ledger):
    asked = plan_of("covariance", "0.7")
    answer(ledger, plan_of("histogram", "0.6"))
    for _ in range(3):
        with pytest.raises(RefusedError):
            answer(ledger, asked)
    drawn = {DrawnQuery.draw(asked, ledger.public_stream(asked.hash)).first for _ in range(5)}
    assert len(drawn) == 1


def chi_squared(counts, expected):
    return float(((counts - expected) ** 2 / expected).sum())


def test_draws_follow_the_weights(tmp_path):
    asked, firsts = plan_of("covariance"), []
    for number in range(40):
        made = Ledger.make(tmp_path / f"{number}.ledger", TERMS)
        firsts.append(DrawnQuery.draw(asked, made.public_stream(asked.hash)).first)
    assert {*firsts} <= {one.first for one in all_queries(asked)}
    assert len({*firsts}) > 2
    fresh = [DrawnQuery.draw(asked, SystemSource().public(1)).first for _ in range(2000)]
    counts = np.unique(fresh, return_counts=True)[1]
    weights = np.array(next(part.weights for part in asked.sampled.queries))
    assert chi_squared(counts, 2000 * weights / weights.sum()) < 3 * len(weights) + 20


@pytest.mark.parametrize(
    ("own", "theirs", "found"),
    [
        ({"categories": ["I", "III"]}, {"categories": ["I", "II", "III"]}, "3 other values"),
        ({"number": {"low": 0, "high": 9}}, {"categories": ["I", "II", "III"]}, "values that are counted"),
        ({"categories": ["I", "II"]}, None, "none for 'stage'"),
    ],
)
def test_other_attributes_are_refused_with_a_reason(tmp_path, own, theirs, found):
    name = "stage" if theirs else "another"
    made = Ledger.make(tmp_path / "other.ledger", {"version": 1, "epsilon": "1", "attribute": {name: own}})
    with pytest.raises(RefusedError) as refusal:
        answer(made, plan_of("histogram"))
    assert found in str(refusal.value)
    assert not made.entries().by_id


def test_a_clipped_number_may_have_another_range(tmp_path):
    attribute = {"age": {"number": {"low": 0, "high": 120}}}
    made = Ledger.make(tmp_path / "wide.ledger", {"version": 1, "epsilon": "1", "attribute": attribute})
    record = {"version": 1, "record": {"age": 100}}
    survey = {"version": 1, "epsilon": "0.3", "ask": [{"mean": "age"}]}
    narrow = {"low": 18, "high": 90}
    with pytest.raises(RefusedError, match="a range from 18 to 90"):
        answer(made, plan({**survey, "attribute": {"age": {"number": narrow}}}, people=1000), record)
    clipped = plan({**survey, "attribute": {"age": {"number": {**narrow, "clip": True}}}}, people=1000)
    assert answer(made, clipped, record).entry.sent


def test_mistakes_of_the_record_come_first_and_name_no_value(ledger):
    record = {**RECORD, "record": {**RECORD["record"], "age": 7, "stage": "IV"}}
    with pytest.raises(SordinoError) as refusal:
        answer(ledger, plan_of("histogram"), record)
    assert "7" not in str(refusal.value)
    assert "IV" not in str(refusal.value)


def test_answers_that_wait_count_whatever_they_are(ledger):
    def unreachable(report):
        del report
        raise SordinoError("a collector must be reachable", found="none")

    for kind in ("distribution", "table"):
        asked = plan_of(kind, "0.4")
        with pytest.raises(SordinoError, match="reachable"):
            answer_plan(ledger, asked.hash, "https://c.example", lambda asked=asked: (asked, RECORD), unreachable)
    assert ledger.balance().joint.remaining <= 0.2 + 1e-9
    with pytest.raises(RefusedError):
        answer(ledger, plan_of("histogram", "0.3"))
    for kind in ("distribution", "table"):
        assert answer(ledger, plan_of(kind, "0.4")).again
    assert not ledger.balance().joint.open_names


def survey_of(attribute, asked, **more):
    survey = {"version": 1, "epsilon": "0.3", "attribute": attribute, "ask": [asked], **more}
    return plan(survey, people=10**6)


def test_public_columns_stand_beside_the_answer_or_are_refused(ledger):
    region = {"region": {"categories": ["north", "south"]}}
    asked = survey_of({"stage": ATTRIBUTES["stage"]}, {"histogram": "stage"}, public=region)
    record = {"version": 1, "record": {**RECORD["record"], "region": "south"}}
    sent = []
    assert answer(ledger, asked, record, sent).report["public"] == {"region": "south"}
    assert answer(ledger, asked, record, sent).again
    assert len(sent) == 1
    smoker = {"smoker": ATTRIBUTES["smoker"]}
    clear = survey_of({"stage": ATTRIBUTES["stage"]}, {"histogram": "stage"}, public=smoker)
    with pytest.raises(RefusedError, match="public column"):
        answer(ledger, clear)


def test_what_is_asked_only_of_some_needs_what_decides_it(tmp_path):
    packs = {"categories": ["one", "more"], "only_if": {"smoker": "yes"}, "not_asked": "not asked"}
    attribute = {"smoker": ATTRIBUTES["smoker"], "packs": {"categories": ["one", "more", "not asked"]}}
    asked = survey_of({"smoker": ATTRIBUTES["smoker"], "packs": packs}, {"histogram": "packs"})
    few = Ledger.make(
        tmp_path / "few.ledger", {"version": 1, "epsilon": "1", "attribute": {"packs": attribute["packs"]}}
    )
    with pytest.raises(RefusedError, match="none for 'smoker'"):
        answer(few, asked, {"version": 1, "record": {"packs": "one"}})
    made = Ledger.make(tmp_path / "me.ledger", {"version": 1, "epsilon": "1", "attribute": attribute})
    record = {"version": 1, "record": {"smoker": "no", "packs": "not asked"}}
    assert answer(made, asked, record).entry.sent


def test_a_missing_number_is_a_value_like_any_other(ledger):
    record = {"version": 1, "record": {name: value for name, value in RECORD["record"].items() if name != "income"}}
    assert answer(ledger, plan_of("optional mean"), record).entry.sent
    survey = {"income": {"number": {"low": 0, "high": 100_000}}}
    with pytest.raises(RefusedError, match="must not be missing"):
        answer(ledger, survey_of(survey, {"mean": "income"}), record)


@pytest.mark.parametrize(
    "change",
    [
        {"question": 10**30},
        {"question": 1},
        {"epsilon": "0.0001"},
        {"plan": "{}"},
        {"id": "sha256:" + "0" * 64},
        {"more": 1},
    ],
    ids=repr,
)
def test_words_of_a_plan_that_were_made_up_are_refused(ledger, change):
    query = answer(ledger, plan_of("table")).entry.query
    words = {name: value for name, value in query.document.items() if name not in {"format", "version", "hash"}}
    with pytest.raises(SordinoError):
        PlanQuery.of_document(QUERY.seal(words | change), ledger.terms)
    assert PlanQuery.of_document(QUERY.seal(words), ledger.terms) == query


HOSTILE = {
    "another word for a value": {"stage": {"categories": ["I", "II", "other"], "delta": "0.1"}},
    "a narrower range": {"age": {"number": {"low": 18, "high": 30}, "delta": "0.1"}},
    "who is asked": {
        "stage": {"categories": ["I", "II", "III"]},
        "smoker": {"categories": ["yes"], "only_if": {"stage": "I"}, "not_asked": "no"},
    },
}


@pytest.mark.parametrize("way", HOSTILE)
def test_no_record_is_refused_for_what_the_plan_says_of_values(way, tmp_path):
    """Whether anything is sent would else tell one bit of the record for certain, for nothing."""
    attributes = {"smoker": {"categories": ["yes", "no"]}, **HOSTILE[way]}
    survey = {"version": 1, "epsilon": "0.1", "attribute": attributes, "ask": [{"histogram": "smoker"}]}
    frozen = plan(survey, people=10**6)
    for stage, smoker, age in product(["I", "III"], ["yes", "no"], [20, 60]):
        own = {"version": 1, "record": {**RECORD["record"], "stage": stage, "smoker": smoker, "age": age}}
        ledger, sent = Ledger.make(tmp_path / f"{stage}{smoker}{age}", TERMS), []
        answer_plan(ledger, frozen.hash, "https://c.example", lambda own=own: (frozen, own), sent.append)
        assert len(sent) == 1
