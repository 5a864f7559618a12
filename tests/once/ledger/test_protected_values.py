"""Ledgers that protect some values less than others: decisions equal the products of all answers, pair by pair."""

from itertools import product

import numpy as np
import pytest

from plan_laws import law_of
from plans_through_ledgers import answer_plan
from sordino import Ledger, RefusedError, SordinoError, plan
from sordino.once.ledger.explain_ledger import ledger_sentences
from sordino.once.ledger.ledger_terms import LedgerTerms, terms_of_text
from sordino.survey.answering.drawn_query import all_queries

MATRIX = [["0", "1", "1", "inf"], ["1", "0", "1", "1"], ["1", "1", "0", "1"], ["inf", "1", "1", "0"]]
PROTECTS = {
    "blocks": {"blocks": [["a", "b"], ["c", "d"]]},
    "sensitive": {"sensitive": ["a"]},
    "metric": {"metric": [0, 1, 2, 4]},
    "matrix": {"matrix": MATRIX},
    "epsilon": {"epsilon": "0.5"},
}
LABELS = ["a", "b", "c", "d"]
RECORD = {"version": 1, "record": {"smoker": "no", "x": "c"}}


def terms_of(way, **more):
    attribute = {"x": {"categories": LABELS, "protect": PROTECTS[way]}, "smoker": {"categories": ["yes", "no"]}}
    return {"version": 1, "epsilon": "1", "attribute": {**attribute, **more}}


def plans(way, epsilon):
    protect = dict(PROTECTS[way])
    if way == "matrix":
        scaled = [[bound if bound == "inf" else str(float(bound) * float(epsilon)) for bound in row] for row in MATRIX]
        protect = {"matrix": scaled}
    elif way == "epsilon":
        protect = {"epsilon": epsilon}
    attribute = {"x": {"categories": LABELS, "protect": protect}, "smoker": {"categories": ["yes", "no"]}}
    for asked, names in (("x", ["x"]), ("smoker", ["smoker"]), (["smoker", "x"], ["smoker", "x"])):
        ask = {"table": asked} if len(names) > 1 else {"histogram": asked}
        own = {name: attribute[name] for name in names}
        yield plan({"version": 1, "epsilon": epsilon, "attribute": own, "ask": [ask]}, people=10**6)


ROWS = [{"smoker": smoker, "x": x} for smoker, x in product(range(2), range(4))]


def bound_of(way, one, other):
    """What a table's cells promise for two records, by hand; None where nothing is."""
    x, y = one["x"], other["x"]
    smokers = 0 if one["smoker"] == other["smoker"] else 1
    if way == "blocks":
        return 1 if x // 2 == y // 2 else None
    if way == "metric":
        places = PROTECTS[way]["metric"]
        return min(abs(places[x] - places[y]) + smokers, 4)
    if way == "matrix":
        # The unprotected pair is as far apart as the way between its values: 2, which is the most of any pair.
        return min((2 if {x, y} == {0, 3} else int(x != y)) + smokers, 2)
    # All values of the other attribute are sensitive; the least epsilon holds for all.
    return 0.5 if way == "epsilon" else 1


def largest_excess(likelihood, way):
    """By how much answers pass the bound of the worst pair of records; minus infinity where nothing is protected."""
    excess = -np.inf
    for one, other in product(range(len(ROWS)), repeat=2):
        bound = bound_of(way, ROWS[one], ROWS[other]) if one != other else None
        if bound is None or not likelihood[one]:
            continue
        loss = np.log(likelihood[one] / likelihood[other]) if likelihood[other] else np.inf
        excess = max(excess, loss - bound)
    return excess


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", PROTECTS)
def test_every_decision_equals_the_products_of_all_answers(way):
    generator = np.random.default_rng(len(way))
    terms = LedgerTerms.read(terms_of(way))
    asked = [one for epsilon in ("0.2", "0.33") for made in plans(way, epsilon) for one in all_queries(made)]
    laws = {one: np.array([law_of(one, row) for row in ROWS]) for one in asked}
    refused = 0
    for _ in range(4):
        promise, likelihood = terms.filter(), np.ones(len(ROWS))
        for _ in range(20):
            drawn = asked[int(generator.integers(len(asked)))]
            law = laws[drawn]
            after = likelihood[:, None] * law
            possible = np.flatnonzero(after.max(axis=0))
            excess = max(largest_excess(after[:, code], way) for code in possible)
            accepted = promise.accepts(drawn.filter_query)
            if abs(excess) > 1e-6:
                assert accepted == (excess < 0)
            refused += not accepted
            if accepted:
                code = int(generator.choice(possible))
                promise, likelihood = promise.after(drawn.filter_query, code), after[:, code]
                likelihood /= likelihood.max()
    assert refused


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", PROTECTS)
def test_surveys_are_answered_and_explained(tmp_path, way):
    ledger, sent, refused = Ledger.make(tmp_path / "me.ledger", terms_of(way)), [], []
    assert terms_of_text(ledger.terms.text) == ledger.terms
    for people in range(1, 5):
        for made in plans(way, "0.3"):
            asked = made.for_people(people)
            try:
                answer_plan(ledger, asked.hash, "c", lambda asked=asked: (asked, RECORD), sent.append)
            except RefusedError as refusal:
                refused.append(str(refusal))
    assert sent
    assert refused
    assert all("nothing was drawn or sent" in words for words in refused)
    assert ledger.verify() in {"none", "agrees"}
    assert any(f"c has {len(sent)} answer" in sentence for sentence in ledger_sentences(ledger))


def test_an_answer_that_rules_values_out_is_refused_where_they_are_protected(tmp_path):
    attribute = {"x": {"categories": LABELS}, "smoker": {"categories": ["yes", "no"]}}
    ledger = Ledger.make(tmp_path / "me.ledger", {"version": 1, "epsilon": "1", "attribute": attribute})
    asked = next(iter(plans("blocks", "0.3")))
    with pytest.raises(RefusedError, match="no answer may rule out values"):
        answer_plan(ledger, asked.hash, "c", lambda: (asked, RECORD), pytest.fail)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"age": {"number": {"low": 0, "high": 9}}}, "beside the number 'age'"),
        ({"smoker": {"categories": ["yes", "no"], "delta": "0.5"}}, "protect or deltas"),
        ({"smoker": {"categories": ["yes", "no"], "protect": {"blocks": [["yes"], ["no"]]}}}, "at least two values"),
    ],
)
def test_what_is_not_offered_is_refused_with_a_reason(more, words):
    with pytest.raises(Exception, match=words):
        LedgerTerms.read(terms_of("blocks", **more))


@pytest.mark.parametrize(
    "protect", [{"epsilon": "5"}, {"matrix": [["0", "3"], ["2", "0"]]}, {"blocks": [["u", "v"]], "epsilon": "2"}]
)
def test_no_values_are_protected_by_less_than_the_whole_record(protect):
    """Epsilon is the most that all answers may reveal about the whole record, so about each of its values too."""
    terms = {"version": 1, "epsilon": "1", "attribute": {"x": {"categories": ["u", "v"], "protect": protect}}}
    with pytest.raises(SordinoError, match="must not exceed epsilon"):
        LedgerTerms.read(terms)
    assert LedgerTerms.read({**terms, "epsilon": "5"}).protects
