"""Records of numbers and categories together: deltas, models and surveys under one promise."""

from functools import cache
from math import log

import numpy as np
import pytest

from plan_laws import law_of
from plans_through_ledgers import answer_plan
from sordino import (
    LDP,
    BayesianFilter,
    Categories,
    Ledger,
    LinearQuery,
    LogisticQuery,
    Query,
    RandomizedResponse,
    RefusedError,
    TruncatedLinearQuery,
    Value,
    ask,
    plan,
)
from sordino.accounting.measures.cell_query import cell_query_of
from sordino.domain.interval import Interval
from sordino.domain.mixed_record import MixedRecord
from sordino.once.ledger.explain_ledger import ledger_sentences, losses_by_attribute, losses_by_collector
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.survey.answering.drawn_query import all_queries

ATTRIBUTES = {
    "age": {"number": {"low": 18, "high": 90}},
    "smoker": {"categories": ["yes", "no"]},
    "stage": {"categories": ["I", "II", "III"]},
}
ASKED = {
    "histogram": ({"histogram": "stage"}, ["stage"]),
    "table": ({"table": ["smoker", "stage"]}, ["smoker", "stage"]),
    "mean": ({"mean": ["age"]}, ["age"]),
}


@cache
def plan_of(kind, epsilon):
    asked, names = ASKED[kind]
    survey = {"version": 1, "epsilon": epsilon, "attribute": {name: ATTRIBUTES[name] for name in names}}
    return plan({**survey, "ask": [asked]}, people=10**7)


def answer(ledger, asked, record):
    return answer_plan(ledger, asked.hash, "https://c.example", lambda: (asked, record), lambda _: None)


def loss_of_rows(likelihood, place, rows, terms):
    """The largest realized loss between two records, of those that differ in one attribute alone where it is named."""
    told = np.log(likelihood)
    if place is None:
        return float(np.ptp(told))
    groups = {}
    for row, own in zip(rows, told, strict=True):
        groups.setdefault(tuple(repr(row[name]) for name in terms.names if name != terms.names[place]), []).append(own)
    return max(float(np.ptp(own)) for own in groups.values())


DELTAS = {
    "version": 1,
    "epsilon": "1",
    "attribute": {
        "age": {"number": {"low": 18, "high": 90}, "delta": "0.6"},
        "smoker": {"categories": ["yes", "no"], "delta": "0.4"},
        "stage": {"categories": ["I", "II", "III"]},
    },
    "dependence": {"rest": {"age": 0.25, "smoker": 0}},
}


def test_deltas_of_numbers_and_categories_hold_by_their_own_losses():
    generator = np.random.default_rng(3)
    terms = LedgerTerms.read(DELTAS)
    asked = [one for kind in ("histogram", "mean", "table") for one in all_queries(plan_of(kind, "0.2"))]
    rows = [
        {"age": age, "smoker": s, "stage": t}
        for age in (18.0, 30.1, 54.0, 77.7, 90.0)
        for s in range(2)
        for t in range(3)
    ]
    deltas, rest = [0.6, 0.4, 1.0], [0.25, 0.0, 1.0]
    for _ in range(4):
        promise, told = terms.filter(), np.ones(len(rows))
        for _ in range(25):
            drawn = asked[int(generator.integers(len(asked)))]
            if not promise.accepts(drawn.filter_query):
                continue
            laws = np.array([law_of(drawn, row) for row in rows])
            possible = np.flatnonzero(laws.max(axis=0))
            code = int(possible[(laws[told.argmax(), possible] / laws[told.argmin(), possible]).argmax()])
            promise, told = promise.after(drawn.filter_query, code), told * laws[:, code]
            whole = loss_of_rows(told, None, rows, terms)
            assert whole <= 1 + 1e-9
            for place, (delta, share) in enumerate(zip(deltas, rest, strict=True)):
                own = loss_of_rows(told, place, rows, terms)
                assert np.log((1 - share) * np.exp(own) + share * np.exp(whole)) <= delta + 1e-9
        assert promise.spent > 0.35


@pytest.mark.parametrize(
    "model",
    [
        LinearQuery([1.0, 0.0], 0, low=18, high=90, epsilon="0.4"),
        LogisticQuery([0.05, -0.5], 1, epsilon="0.4"),
        TruncatedLinearQuery([1.0, -2.0], 3, low=30, high=60, epsilon="0.4"),
    ],
    ids=["linear", "logistic", "truncated"],
)
def test_models_count_by_cells_where_attributes_have_deltas(model):
    generator = np.random.default_rng(5)
    record = MixedRecord({"age": Interval(18, 90), "sleep": Interval(0, 12), "c": Categories(["a", "b"])})
    query = cell_query_of(model, record.cells)
    points = np.array([[generator.uniform(18, 90), generator.uniform(0, 12)] for _ in range(300)])
    points[:4] = [[18, 0], [90, 12], [18, 12], [90, 0]]
    for code in range(2):
        (factor,) = query.factors(record.cells, code, alone=True)
        differences = []
        for row in points.tolist():
            names = ["age", "sleep"]
            cells = [record.cells.domains[0].edges, record.cells.domains[1].edges]
            at = tuple(
                min(int(np.searchsorted(cells[place], row[place], side="right")) - 1, 63)
                for place in (names.index(record.names[one]) for one in factor.places)
            )
            exact = log(float(model.law(row)[code]))
            differences.append((factor.least[at] - exact, factor.log[at] - exact))
        assert max(low for low, _ in differences) <= min(high for _, high in differences) + 1e-9


def test_a_model_and_a_plan_share_one_budget(tmp_path):
    attribute = {"age": ATTRIBUTES["age"], "smoker": ATTRIBUTES["smoker"]}
    made = Ledger.make(tmp_path / "both.ledger", {"version": 1, "epsilon": "1", "attribute": attribute})
    record = {"version": 1, "record": {"age": 44, "smoker": "no"}}
    query = {"version": 1, "collector": "c", "epsilon": "0.3"}
    linear = {"linear": {"theta": {"age": 1}, "low": 18, "high": 90}}
    ask(made, {**query, "id": "a", **linear}, record, send=lambda _: None)
    ask(made, {**query, "id": "b", "category": "smoker"}, record, send=lambda _: None)
    answer(made, plan_of("mean", "0.4"), record)
    with pytest.raises(RefusedError):
        ask(made, {**query, "id": "c", "epsilon": "0.25", "category": "smoker"}, record, send=lambda _: None)
    by_collector = losses_by_collector(made.terms, made.entries())
    assert [own.queries for own in by_collector] == [2, 1]
    assert all(own.realized <= own.added + 1e-9 for own in by_collector)
    by_attribute = {own.name: own for own in losses_by_attribute(made.terms, made.entries())}
    assert by_attribute["age"].added == pytest.approx(0.7)
    assert by_attribute["smoker"].realized == pytest.approx(0.3)
    assert any("adding their epsilons would say 0.6 nats" in sentence for sentence in ledger_sentences(made))


def test_losses_of_earlier_records_add_in_both_parts(tmp_path):
    attribute = {"age": ATTRIBUTES["age"], "smoker": ATTRIBUTES["smoker"]}
    made = Ledger.make(tmp_path / "two.ledger", {"version": 1, "epsilon": "1", "attribute": attribute})
    first, second = ({"version": 1, "record": {"age": age, "smoker": "no"}} for age in (44, 45))
    query = {"version": 1, "collector": "c"}
    linear = {"epsilon": "0.3", "linear": {"theta": {"age": 1}, "low": 18, "high": 90}}
    ask(made, {**query, "id": "a", "epsilon": "0.5", "category": "smoker"}, first, send=lambda _: None)
    ask(made, {**query, "id": "b", **linear}, first, send=lambda _: None)
    for name, more in (("c", {"epsilon": "0.3", "category": "smoker"}), ("d", linear)):
        with pytest.raises(RefusedError):
            ask(made, {**query, "id": name, **more}, second, send=lambda _: None)
    ask(made, {**query, "id": "e", "epsilon": "0.2", "category": "smoker"}, second, send=lambda _: None)
    assert made.balance().joint.spent == pytest.approx(1.0, abs=1e-6)
    assert made.balance().joint.spent <= 1


def test_random_schedules_of_both_parts_and_changes_keep_the_budget():
    generator = np.random.default_rng(11)
    record = MixedRecord({"age": Interval(18, 90), "smoker": Categories(["yes", "no"])})
    linear = LinearQuery([1.0], 0, low=18, high=90, epsilon="0.2")
    channel = RandomizedResponse(2, "0.2")
    category = Query(Value("smoker"), channel)
    (mean,) = all_queries(plan_of("mean", "0.2"))
    ages = np.linspace(18, 90, 9)
    rows = [{"age": float(age), "smoker": smoker} for age in ages for smoker in range(2)]
    laws = {
        "linear": np.array([[float(share) for share in linear.law([row["age"]])] for row in rows]),
        "category": np.array([[channel.weight(row["smoker"], code) / 2**64 for code in (0, 1)] for row in rows]),
        "mean": np.array([law_of(mean, row) for row in rows]),
    }
    queries = {"linear": linear, "category": category, "mean": mean.filter_query}
    for _ in range(6):
        promise, lost, told = BayesianFilter(record, LDP("1")), 0.0, np.zeros(len(rows))
        for _ in range(25):
            if generator.random() < 0.1:
                promise, lost, told = promise.changed(), lost + np.ptp(told), np.zeros(len(rows))
            name = str(generator.choice(list(queries)))
            if promise.accepts(queries[name]):
                code = int(generator.integers(queries[name].outputs))
                promise, told = promise.after(queries[name], code), told + np.log(laws[name][:, code])
            assert lost + np.ptp(told) <= min(promise.spent, 1) + 1e-9
        assert promise.spent > 0.5
