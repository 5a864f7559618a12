"""Categories of which several apply: certificates and estimates by enumeration, all ways to ask, and refusals."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from in_one import in_one
from sordino import (
    Aggregate,
    KeyedSource,
    Nats,
    Plan,
    RandomizedResponse,
    RefusedError,
    SordinoError,
    SordinoErrors,
    Survey,
    aggregate,
    certify,
    estimate,
    explain,
    plan,
    privatize,
)
from sordino.accounting.measures.mechanism_columns import Columns, epsilon_ratio
from sordino.blocks.block import blocks_of
from sordino.blocks.tables import QuantityTable
from sordino.design.shares.several_ways import SeveralWay, ways_to_ask
from sordino.document.codec import encode
from sordino.domain.choices import Choices
from sordino.mechanism.meeting_subsets import MeetingSubsets
from sordino.show.estimate_rows import result_rows
from sordino.survey.answering.drawn_query import all_queries
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.several.several_result import SeveralResult
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.plan_fields import seal
from sordino.survey.schema.expected_people import expected_of_combinations, expected_of_marks

CATEGORIES = ["a", "b", "c", "d"]


def survey(epsilon="1", categories=CATEGORIES, several=2, **more):
    attribute = {"categories": categories, "several": several, **more}
    return {"version": 1, "epsilon": epsilon, "attribute": {"x": attribute}, "ask": [{"several": "x"}]}


def asked(way, epsilon="1", **more):
    """The question of a plan that asks in one of the ways, whether or not it is the better one."""
    return in_this_way(plan(survey(epsilon, **more), 5000), way)


def conditional(way, epsilon):
    """The same question of an attribute that is not asked of all."""
    tables = survey(epsilon, only_if={"y": "yes"})
    tables["attribute"]["y"] = {"categories": ["yes", "no"]}
    return in_this_way(plan(tables, 5000), way)


def ways_alike(choices, epsilon):
    """All ways, each the best of its kind where all combinations are equally common."""
    return ways_to_ask(choices, epsilon, 64, expected_of_marks(None, choices))


def in_this_way(frozen, way):
    (question,) = frozen.questions
    ways = ways_alike(question.choices, question.definition.epsilon)
    own = next(one for one in ways if one.way == way)
    document = frozen.document.dump()
    part = {"way": way, "mechanism": encode(own.mechanism), "subtract_totals": own.subtract_totals}
    document["queries"][0] |= part
    content = {name: value for name, value in document.items() if name not in {"format", "version", "hash"}}
    (found,) = Plan(seal(content)).questions
    return found


def answers(choices):
    """All that a person can answer: sets of categories by their places, and None of who was not asked."""
    sets = [set(one) for size in range(choices.most + 1) for one in combinations(range(len(choices.labels)), size)]
    return sets + ([] if choices.not_asked is None else [None])


def value(choices, answer):
    return choices.unasked_value if answer is None else sum(1 << place for place in answer)


def has(choices, answer, mark):
    """Whether a mark applies, by what the words say."""
    labels = len(choices.labels)
    if answer is None:
        return mark == labels + 1
    return mark in answer if mark < labels else mark == labels and not answer


def distribution(question, answer):
    """The probability of each code given an answer, in exact fractions, from the mechanism's weights alone."""
    mechanism, choices = question.mechanism, question.choices
    rows = [
        [Fraction(mechanism.weight(read, code), mechanism.denominator) for code in range(mechanism.outputs)]
        for read in range(mechanism.k)
    ]
    if question.part.way == "meeting":
        return rows[set_number(choices, answer)]
    if not question.by_category:
        return rows[number(choices, answer)]
    marks = len(choices.marks)
    return [
        rows[int(has(choices, answer, mark))][code] / marks
        for mark in range(marks)
        for code in range(mechanism.outputs)
    ]


def number(choices, answer):
    """The place of a combination: by size, then by its largest category, then the next."""
    if answer is None:
        return choices.k - 1
    sets = sorted((one for one in answers(choices) if one is not None), key=lambda one: (len(one), sorted(one)[::-1]))
    return sets.index(answer)


def items_of(choices, answer):
    """The items of an answer: its categories, then blanks from the first on, or the item of who was not asked."""
    labels, most = len(choices.labels), choices.most
    own = {labels + most} if answer is None else set(answer)
    return own | {labels + place for place in range(most - len(own))}


def all_items(choices):
    return range(len(choices.labels) + choices.most + (choices.not_asked is not None))


def subsets(items, size):
    """In the order of their numbers: by the largest item, then the next."""
    return sorted(map(set, combinations(items, size)), key=lambda one: sorted(one)[::-1])


def set_number(choices, answer):
    return subsets(all_items(choices), choices.most).index(items_of(choices, answer))


def item_of(choices, mark):
    """That of none is the last blank, which nobody else has."""
    labels = len(choices.labels)
    return mark if mark < labels else mark - 1 + choices.most


WAYS = [
    (way, epsilon, unasked)
    for way, epsilon in product(("combination", "category", "meeting"), ("1/2", "2", "ln 3"))
    for unasked in (False, True)
]


@in_one(("way", "epsilon", "unasked"), WAYS)
def test_no_code_favours_an_answer_by_more_than_epsilon(way, epsilon, unasked):
    """Every two answers and every code, in exact fractions: what the certificate says, found without it."""
    question = conditional(way, epsilon) if unasked else asked(way, epsilon)
    laws = [distribution(question, answer) for answer in answers(question.choices)]
    assert all(sum(law) == 1 for law in laws)
    most = max(own / other for law in laws for rest in laws for own, other in zip(law, rest, strict=True))
    assert float(most) <= float(np.exp(float(Nats.of(epsilon).floor()))) * (1 + 1e-15)
    assert float(most) == pytest.approx(np.exp(float(Nats.of(epsilon).floor())), rel=1e-9)
    assert question.certificate.holds


@in_one(("way", "epsilon", "unasked"), WAYS)
def test_estimates_are_right_on_average_and_vary_as_is_expected(way, epsilon, unasked):
    """By the exact distribution of the tally of one report, of any people: means and variances without simulation."""
    question = conditional(way, epsilon) if unasked else asked(way, epsilon)
    choices = question.choices
    every = answers(choices)
    shares = np.random.default_rng(7).dirichlet(np.ones(len(every)))
    marks = range(len(choices.marks))
    truth = np.array([sum(p for p, one in zip(shares, every, strict=True) if has(choices, one, m)) for m in marks])
    laws = np.array([[float(p) for p in distribution(question, one)] for one in every])
    law = shares @ laws
    if question.by_meeting:
        held = subsets(all_items(choices), question.mechanism.size)
        has_item = np.array([[item_of(choices, mark) in code for code in held] for mark in marks])
        (low, high), found = question.mechanism.answer.unbiased_rows(np.eye(2)).T, has_item @ law
        np.testing.assert_allclose(low + (high - low) * found[:, None], np.stack([1 - truth, truth], 1), atol=1e-12)
        variances = found * (1 - found) * (high[1] - low[1]) ** 2
        np.testing.assert_allclose(question.asked_way.variances(None, truth), variances, rtol=1e-9)
        return
    codes = law.reshape(len(choices.marks), -1) if question.by_category else law[None]
    functionals, mechanism = question.asked_way.functionals, question.mechanism
    added = mechanism.contributions(functionals, subtract_totals=question.part.subtract_totals)
    if question.by_category:
        means = np.array([(added[0] * own).sum() / own.sum() for own in codes])
        squares = np.array([(added[0] ** 2 * own).sum() / own.sum() for own in codes]) - means**2
        variances = squares * len(choices.marks)
    else:
        means, variances = added @ law, (added**2) @ law - (added @ law) ** 2
    np.testing.assert_allclose(means, truth, atol=1e-12)
    by_number = np.zeros(choices.k)
    by_number[[number(choices, one) for one in every]] = shares
    np.testing.assert_allclose(question.asked_way.variances(by_number, truth), variances, rtol=1e-9)


def test_the_result_is_these_estimates():
    """A tally of any counts: the shares by the sums over codes, with the plug-in standard errors."""
    question = asked("combination", "2")
    law = question.mechanism.forward(np.full(question.choices.k, 1 / question.choices.k))
    counts = np.random.default_rng(3).multinomial(5000, law)
    tally = Aggregate(question.query.fingerprint, int(counts.sum()), counts)
    found = SeveralResult.of(question, tally, Coverage())
    added = question.mechanism.contributions(question.asked_way.functionals)
    law = counts / counts.sum()
    assert (found.numbers["estimate"] > 0).all()
    np.testing.assert_allclose(found.numbers["estimate"], added @ law, rtol=1e-12)
    stderr = np.sqrt(((added**2) @ law - (added @ law) ** 2) / counts.sum())
    np.testing.assert_allclose(found.numbers["stderr"], stderr, rtol=1e-9)
    assert (found.numbers["low"] < found.numbers["estimate"]).all()
    assert (found.numbers["estimate"] < found.numbers["high"]).all()


@in_one(
    ("categories", "several", "epsilon"),
    [(3, 1, "4"), (4, 2, "1"), (4, 2, "6"), (8, 3, "1"), (8, 3, "8"), (20, 2, "2"), (30, 5, "1")],
)
def test_the_better_way_is_asked(categories, several, epsilon):
    tables = survey(epsilon, [f"c{i}" for i in range(categories)], several)
    (question,) = plan(tables, 5000).questions
    choices = question.choices
    combinations_alike = expected_of_combinations(None, choices) if choices.is_listed else None
    marks = expected_of_marks(None, choices)
    least = min(one.variances(combinations_alike, marks).sum() for one in ways_alike(choices, Nats.of(epsilon)))
    found = question.asked_way.variances(combinations_alike, marks).sum()
    assert found == pytest.approx(least, rel=1e-6)
    (forecast,) = forecasts(plan(tables, 5000))
    best = min(forecast.ways, key=lambda one: one[2])
    assert best[2] == pytest.approx(float(np.sqrt((forecast.plan**2).mean())), rel=1e-6)


def test_the_way_depends_on_how_strong_the_promise_is():
    cases = [(4, "1/2"), (2, "1/2"), (2, "8")]
    ways = [plan(survey(epsilon, several=most), 5000).questions[0].part.way for most, epsilon in cases]
    assert ways == ["category", "meeting", "combination"]


def test_expected_shares_are_those_of_independent_categories_that_are_few_enough():
    choices = Choices(tuple(CATEGORIES), 2)
    given = {"a": 0.5, "b": 0.25, "c": 0.1, "d": 0.05}
    odds = [share / (1 - share) for share in given.values()]
    weights = {frozenset(one): np.prod([odds[place] for place in one]) for one in answers(choices)}
    whole = sum(weights.values())
    shares = expected_of_combinations(given, choices)
    for one, weight in weights.items():
        assert shares[number(choices, set(one))] == pytest.approx(weight / whole)
    marks = [sum(w for one, w in weights.items() if has(choices, set(one), m)) / whole for m in range(5)]
    np.testing.assert_allclose(expected_of_marks(given, choices), marks, rtol=1e-12)
    np.testing.assert_allclose(shares @ choices.applies(choices.values), marks, rtol=1e-12)


def test_expected_shares_of_a_part_that_is_asked():
    choices = Choices(tuple(CATEGORIES), 2, not_asked="not asked")
    given = {"a": 0.5, "b": 0.25, "c": 0.1, "d": 0.05, "not asked": 0.7}
    shares = expected_of_combinations(given, choices)
    assert shares.sum() == pytest.approx(1)
    assert shares[-1] == pytest.approx(0.7)
    np.testing.assert_allclose(shares @ choices.applies(choices.values), expected_of_marks(given, choices), rtol=1e-12)


@in_one("epsilon", ["1", "8"])
def test_lists_and_texts_are_the_same_answers(epsilon):
    frozen = plan(survey(epsilon), 3000)
    rng = np.random.default_rng(5)
    lists = [rng.choice(CATEGORIES, rng.integers(3), replace=False).tolist() for _ in range(3000)]
    texts = [(" ; " if place % 2 else ";").join(one) or "none of them" for place, one in enumerate(lists)]
    ids = pa.array(range(3000))
    key = KeyedSource(bytes(32), "answers")
    tables = [pa.table({"x": column, "id": ids}) for column in (lists, texts)]
    first, second = (privatize(frozen, table, key, id_column="id") for table in tables)
    assert first.equals(second)


@in_one(
    "values",
    [[["a", "a"]], [["a", "b", "c"]], [["A"]], [["none of them", "a"]], ["a;"], [""], [None], ["a,b"]],
)
def test_what_is_no_answer_is_refused_without_it(values):
    frozen = plan(survey(), 1000)
    with pytest.raises(SordinoError, match="row 2, x") as refused:
        privatize(frozen, pa.table({"x": [*(["a"] if isinstance(values[0], str | None) else [["a"]]), *values]}))
    assert "'A'" not in str(refused.value)
    assert "a,b" not in str(refused.value)


def test_a_missing_answer_counts_as_none_where_that_is_said():
    frozen = plan(survey("8", missing="none of them"), 4000)
    people = pa.table({"x": [["a"], None] * 2000})
    (found,) = estimate(frozen, aggregate(frozen, privatize(frozen, people))).results
    rows = {row["value"]: row for row in found.rows()}
    assert rows["none of them"]["low"] < 0.5 < rows["none of them"]["high"]


@in_one(
    ("changes", "rule"),
    [
        ({"protect": {"blocks": [["a", "b"], ["c", "d"]]}}, "protected as a whole"),
        ({"missing": "a"}, "can count as 'none of them' only"),
        ({"several": 0}, "several must be 1 to 4"),
        ({"several": 5}, "several must be 1 to 4"),
        ({"categories": 4}, "must have names"),
        ({"expected": {"a": 0.5}}, "must name every category"),
        ({"expected": {"a": 0.5, "b": 1, "c": 0.1, "d": 0.1}}, "between 0 and 1"),
        ({"expected": [0.5, 0.5]}, "a table of shares by category"),
        ({"none": "a"}, "named once"),
    ],
)
def test_settings_that_do_not_fit_are_refused(changes, rule):
    with pytest.raises(SordinoErrors, match=rule):
        Survey.read(survey(**changes))


@in_one("ask", [{"table": ["x", "y"]}, {"mean": "x"}, {"distribution": "x"}])
def test_other_questions_about_it_are_refused(ask):
    tables = survey()
    tables["attribute"]["y"] = {"categories": ["yes", "no"]}
    with pytest.raises(SordinoErrors, match="of which several apply"):
        Survey.read(tables | {"ask": [ask, {"histogram": "y"}]})


def test_it_is_not_asked_of_other_attributes():
    tables = survey() | {"ask": [{"several": "y"}, {"several": "x"}]}
    tables["attribute"]["y"] = {"categories": ["yes", "no"]}
    with pytest.raises(SordinoErrors, match=r"ask\.0\.several must be about categories of which several apply"):
        Survey.read(tables)


def test_the_words_say_what_is_protected():
    said = "\n".join(explain(plan(survey(several=4), 1000)))
    assert "whether one of 4 categories applies, or that none does, drawn at random whatever applies" in said
    assert "how many, is protected as one value" in said
    assert certify(plan(survey(), 1000)).holds


def test_the_words_name_all_that_is_drawn():
    """One of the categories, that none applies, and that it was not asked: each mark has a row of the table."""
    tables = survey(several=4, only_if={"y": "yes"})
    tables["attribute"]["y"] = {"categories": ["yes", "no"]}
    frozen = plan(tables, 1000)
    (question,) = frozen.questions
    assert question.by_category
    assert len(question.choices.marks) == len(CATEGORIES) + 2
    said = "\n".join(explain(frozen))
    assert "whether one of 4 categories applies, or that none does, or that it was not asked, drawn at random" in said


@pytest.mark.parametrize("several", [2, 4])
def test_the_headline_and_the_table_count_the_same_categories(several):
    frozen = plan(survey(several=several), 4000)
    people = pa.table({"x": [[name] for name in CATEGORIES] * 1000, "id": [str(at) for at in range(4000)]})
    tally = aggregate(frozen, privatize(frozen, people, KeyedSource(bytes(32), "headline"), id_column="id"))
    (result,) = estimate(frozen, tally).results
    (finding,) = result.findings()
    assert "2 other categories; intervals that hold for all 4 categories together overlap" in finding.text
    assert next(table.title for table in blocks_of(QuantityTable, result.blocks())) == (
        "4,000 reports; all 4 categories, and 'none of them'"
    )


def test_the_words_say_what_a_group_is():
    said = "\n".join(explain(plan(survey(), 1000)))
    assert "all of 4 categories that apply, up to 2" in said
    assert (
        "A report about 'x' is one of 4 categories and 2 blanks, drawn at random. One that applies is more likely;"
        " where fewer than 2 apply, blanks count instead."
    ) in said
    tables = survey(".3", [f"c{place}" for place in range(20)], 1, only_if={"y": "yes"})
    tables["attribute"]["y"] = {"categories": ["yes", "no"]}
    said = "\n".join(explain(plan(tables, 1000)))
    assert "a group of 9 of 20 categories, 'not asked' and 1 blank, drawn at random. Groups with at least one" in said
    assert "; where none applies, the blank counts instead." in said


def test_no_report_about_a_category_is_said():
    frozen = plan(survey(several=4), 1000)
    people = pa.table({"x": [["a"]]})
    with pytest.raises(SordinoError, match="a report about each category"):
        estimate(frozen, aggregate(frozen, privatize(frozen, people)))


@in_one("unasked", [False, True])
def test_answers_are_filled_up_to_sets(unasked):
    """From the first blank on, so that none of them has the last; and a sample's sets have the shares of its people."""
    question = conditional("meeting", "1") if unasked else asked("meeting", several=3)
    choices = question.choices
    every = answers(choices)
    read = question.column({"x": np.array([value(choices, one) for one in every])})
    assert read.tolist() == [set_number(choices, one) for one in every]
    marks = range(len(choices.marks))
    truth = np.mean([[has(choices, one, mark) for mark in marks] for one in every], axis=0)
    np.testing.assert_allclose(choices.marks_of_sets(read), truth, rtol=1e-12)
    blanks = {f"blank {place + 1}" for place in range(choices.most)}
    names = [{*question.values.label(number).split("; ")} - blanks for number in read.tolist()]
    own = ["not asked" if one is None else {choices.labels[place] for place in one} for one in every]
    assert names == [{one} if isinstance(one, str) else one for one in own]


@pytest.mark.parametrize(("way", "unasked"), [("meeting", False), ("meeting", True), ("combination", False)])
def test_how_many_apply_is_shown(way, unasked):
    """By the exact expected tally of people of whom it is known: every number is right on average."""
    question = conditional(way, "2") if unasked else asked(way, "2", several=3)
    choices = question.choices
    every = answers(choices)
    shares = np.random.default_rng(5).dirichlet(np.ones(len(every)))
    law = shares @ np.array([[float(p) for p in distribution(question, one)] for one in every])
    n = 10**9
    codes = np.rint(law * n).astype(np.int64)
    if way == "meeting":
        held = subsets(all_items(choices), question.mechanism.size)
        each = [
            sum(count for count, code in zip(codes.tolist(), held, strict=True) if i in code)
            for i in all_items(choices)
        ]
        counts = np.array([*each, codes.sum()])
    else:
        counts = codes
    found = SeveralResult.of(question, Aggregate(question.query.fingerprint, int(codes.sum()), counts), Coverage())
    marks = range(len(choices.marks))
    truth = [sum(p for p, one in zip(shares, every, strict=True) if has(choices, one, mark)) for mark in marks]
    np.testing.assert_allclose(found.numbers["estimate"], truth, atol=1e-6)
    sizes = range(2, choices.most + 1)
    truth = [sum(p for p, one in zip(shares, every, strict=True) if one and len(one) >= size) for size in sizes]
    np.testing.assert_allclose(found.counts["estimate"], truth, atol=1e-6)
    rows = [row for row in result_rows(found.blocks()) if row["value"] in {f"at least {size} apply" for size in sizes}]
    assert [row["estimate"] for row in rows] == found.counts["estimate"].tolist()
    assert all(row["low"] < row["estimate"] < row["high"] for row in rows)


def test_how_many_apply_is_not_shown_where_one_is_drawn():
    frozen = plan(survey(several=4), 1000)
    people = pa.table({"x": [["a"], ["b", "c"]] * 500})
    (found,) = estimate(frozen, aggregate(frozen, privatize(frozen, people))).results
    assert frozen.questions[0].by_category
    assert found.counts is None
    assert len(list(result_rows(found.blocks()))) == 5


def test_a_way_says_its_largest_error_and_how_much_a_report_weighs():
    choices = Choices(tuple(CATEGORIES), 2)
    for way in ways_alike(choices, Nats.of("1")):
        assert isinstance(way, SeveralWay)
        draws = np.random.default_rng(1).dirichlet(np.full(choices.k, 0.3), 200)
        most = max(way.variances(one, one @ choices.applies(choices.values)).max() for one in draws)
        assert most <= way.largest_variance() * (1 + 1e-9)
        assert way.leverage() > 1


def _variances_by_meeting(question, shares, ratios):
    """Of the share of a mark less a ratio times that of who was asked, of one report, by all codes.

    The codes of people of whom each has one mark: which others they have does not matter to either item.
    """
    choices, found = question.choices, []
    held = subsets(all_items(choices), question.mechanism.size)
    (low, high) = question.mechanism.answer.unbiased_rows(np.eye(2)).T
    for mark in range(len(choices.marks) - 1):
        has_mark, has_none = ({mark}, {mark + 1}) if mark + 1 < len(choices.labels) else ({mark}, {0})
        if mark == len(choices.labels):
            has_mark, has_none = set(), {0}
        own = np.array([shares[mark], shares[-1], 1 - shares[mark] - shares[-1]])
        laws = [[float(p) for p in distribution(question, answer)] for answer in (has_mark, None, has_none)]
        one, other = ([item_of(choices, which) in code for code in held] for which in (mark, len(choices.marks) - 1))
        added = np.where(one, high[1], low[1]) + ratios[mark] * np.where(other, high[1], low[1])
        law = own @ laws
        found.append(added**2 @ law - (added @ law) ** 2)
    return np.array(found)


@pytest.mark.parametrize("epsilon", ["1", "8"])
def test_shares_among_who_was_asked_are_ratios(epsilon):
    """By the ratio of two shares of all people, and by the delta method from the covariance of all codes."""
    tables = survey(epsilon, only_if={"y": "yes"})
    tables["attribute"]["y"] = {"categories": ["yes", "no"]}
    frozen = plan(tables, 8000)
    (question,) = frozen.questions
    rng = np.random.default_rng(11)
    asked_of = rng.random(8000) < 0.6
    lists = [["a"] if own and rng.random() < 0.5 else ["b", "c"] if own else None for own in asked_of]
    people = pa.table({"x": lists, "y": ["yes" if own else "no" for own in asked_of], "id": range(8000)})
    tally = aggregate(frozen, privatize(frozen, people, KeyedSource(bytes(32), "among"), id_column="id"))
    (found,) = estimate(frozen, tally).results
    told, numbers = found.among_asked, found.numbers
    whole = 1 - numbers["estimate"][-1]
    np.testing.assert_allclose(told.value, numbers["estimate"][:-1] / whole, rtol=1e-12)
    if question.by_meeting:
        variance = _variances_by_meeting(question, numbers["estimate"], told.value) / tally.n / whole**2
    elif question.by_category:
        variance = (numbers["stderr"][:-1] ** 2 + (told.value * numbers["stderr"][-1]) ** 2) / whole**2
    else:
        added = question.mechanism.contributions(question.asked_way.functionals)
        law = tally.counts / tally.n
        away = added[:-1] - told.value[:, None] * (1 - added[-1])
        variance = ((away**2) @ law - (away @ law) ** 2) / tally.n / whole**2
    # No standard error is below what its interval says.
    told_at_least = np.maximum(np.sqrt(variance), (told.high - told.low) / (2 * stats.norm.ppf(0.975)))
    # That of a share that is estimated below 0 is no smaller than nobody's, which is above what its reports vary by.
    np.testing.assert_allclose(told.stderr, told_at_least, rtol=1e-2 if question.by_meeting else 1e-3)
    for place, truth in enumerate((0.5, 0.5, 0.5, 0.0, 0.0)):
        assert told.low[place] - 0.02 < truth < told.high[place] + 0.02
    rows = list(result_rows(found.blocks()))
    given = [row for row in rows if row["kind"] == "conditional"]
    assert [row["value"] for row in given] == [*CATEGORIES, "none of them"]
    assert all(row["given"] == {"x": "asked"} for row in given)


def test_a_histogram_shows_shares_among_who_was_asked():
    packs = {"categories": ["1", "2"], "only_if": {"y": "yes"}}
    tables = {"version": 1, "epsilon": "4", "ask": [{"histogram": "packs"}]}
    tables["attribute"] = {"packs": packs, "y": {"categories": ["yes", "no"]}}
    frozen = plan(tables, 6000)
    rows = [("1", "yes"), ("2", "yes"), ("2", "yes"), (None, "no")]
    people = pa.table({"packs": [own for own, _ in rows] * 1500, "y": [own for _, own in rows] * 1500})
    (found,) = estimate(frozen, aggregate(frozen, privatize(frozen, people))).results
    for share, truth, stderr in zip(found.among_asked.value, (1 / 3, 2 / 3), found.among_asked.stderr, strict=True):
        assert abs(share - truth) < 5 * stderr
    assert found.with_coverage(Coverage(watched=True)).among_asked is None


def dense_variances(channel, functionals, shares):
    """Of unbiased estimates of functionals of shares, times the number of reports: by weighted least squares."""
    rows = channel.probabilities()
    mean = rows.mean(axis=0)
    scores = functionals @ np.linalg.pinv((rows / mean) @ rows.T) @ (rows / mean)
    law = shares @ rows
    return scores**2 @ law - (scores @ law) ** 2


def chances_of_holding(question):
    """How often a code of the first set holds its first item, and the last item, which it has not."""
    mechanism, choices = question.mechanism, question.choices
    held = subsets(all_items(choices), mechanism.size)
    law = [mechanism.weight(0, code) / mechanism.denominator for code in range(mechanism.outputs)]
    return tuple(sum(p for p, code in zip(law, held, strict=True) if item in code) for item in (0, choices.items - 1))


@pytest.mark.parametrize(("labels", "epsilon", "most"), [(8, "4", 6), (4, "2", 2), (12, "1", 5), (4, "4", 2)])
def test_the_people_that_fewer_names_save_are_those_of_the_plan_that_asks_so(labels, epsilon, most):
    """By the dense channels of both plans, for people who name at most so many; one name more saves too little."""

    def forecast_of(several):
        own = plan(survey(epsilon, [f"c{place}" for place in range(labels)], several), 100_000)
        return forecasts(own)[0]

    def marks_of(values):
        return np.stack([*(values >> place & 1 for place in range(labels)), values == 0]).astype(float)

    def part(fewer):
        smaller = forecast_of(fewer).question
        values, found = smaller.choices.values, []
        for question in (smaller, forecast.question):
            own = question.choices.values
            people = np.where(np.isin(own, values), 1 / len(values), 0.0)
            if question.part.way == "combination":
                found.append(dense_variances(question.mechanism, marks_of(own), people).mean())
                continue
            if question.part.way == "meeting":
                hit, miss = chances_of_holding(question)
                held = miss + (hit - miss) * (marks_of(own) @ people)
                found.append((held * (1 - held)).mean() / (hit - miss) ** 2)
                continue
            two = [np.array([1 - share, share]) for share in marks_of(own) @ people]
            each = [dense_variances(question.mechanism, np.array([[0.0, 1.0]]), one) for one in two]
            found.append((labels + 1) * np.mean(each))
        return found[0] / found[1]

    forecast = forecast_of(labels)
    several, own = forecast.fewer_names
    assert several == most
    # What a cyclic channel's codes count as is not quite least squares.
    assert own == pytest.approx(part(most), rel=0.01)
    assert most == labels - 1 or part(most + 1) > 0.9
    (said,) = [note for note in forecast.tables()[0].notes if "instead of" in note]
    assert said.startswith(f"At most {most} instead of {labels} names (several = {most}): ")
    assert forecast.json()["fewer_names"] == {"several": most, "part": own}


def test_fewer_names_than_one_are_not_offered():
    (forecast,) = forecasts(plan(survey(several=1), 100_000))
    assert forecast.json()["fewer_names"] is None
    assert not any("instead of" in note for note in forecast.tables()[0].notes)


def _changed(change, **more):
    """A plan that asks by groups, with a changed question under a right hash."""
    document = plan(survey(**more), 1000).document.dump()
    change(document["queries"][0])
    return Plan(seal({name: value for name, value in document.items() if name not in {"format", "version", "hash"}}))


def _with_mechanism(mechanism):
    return lambda part: part.update(mechanism=encode(mechanism))


@in_one(
    ("change", "rule"),
    [
        (lambda part: part["mechanism"].update(k=14), "mechanism.k must be as the mechanism's integers make it"),
        (lambda part: part["mechanism"].update(items=7), "mechanism.k must be as the mechanism's integers make it"),
        (lambda part: part["mechanism"].update(codes="7"), "mechanism.codes must be as"),
        (lambda part: part["mechanism"].update(chosen=0), "a set must hold 1 to 5 of 6 items"),
        (lambda part: part["mechanism"].update(size=6), "must hold 1 to 5 of 6 items"),
        (lambda part: part["mechanism"].update(least=2), "in at least 1 to 1; found 2"),
        (lambda part: part["mechanism"].update(least=0), "in at least 1 to 1; found 0"),
        (lambda part: part["mechanism"].update(least=True), "least must be a whole number"),
        (lambda part: part["mechanism"].update(threshold="0"), "threshold must lie in"),
        (lambda part: part["mechanism"].update(threshold=5), "threshold must be an integer"),
        (lambda part: part["mechanism"].update(draw=["below", "codes"]), "mechanism.draw must be as"),
        (lambda part: part["mechanism"].update(more=1), "known entries only"),
        (lambda part: part["mechanism"].pop("size"), "size"),
        # As many sets as the attribute has, of other items.
        (_with_mechanism(MeetingSubsets((6, 4, 1, 1), "1")), "must be about 2 of 6 items; found 4 of 6"),
        (_with_mechanism(MeetingSubsets((7, 2, 1, 1), "1")), "must be about 15 values; found 21"),
        (_with_mechanism(RandomizedResponse(15, "1")), "mechanism.name must be one of meeting; found 'randomized'"),
        (lambda part: part.update(way="combination"), "mechanism.name must be one of .*; found 'meeting'"),
        (lambda part: part.update(way="category"), "mechanism.name must be one of .*; found 'meeting'"),
        (lambda part: part.update(way="meet"), "way must be"),
    ],
)
def test_a_group_of_another_attribute_is_refused(change, rule):
    with pytest.raises(SordinoError, match=rule):
        _ = _changed(change).questions[0].certificate


def test_a_group_that_breaks_the_promise_is_refused(tmp_path):
    def bolder(part):
        part["mechanism"]["threshold"] = str(int(part["mechanism"]["threshold"]) + 1)

    frozen = _changed(bolder)
    assert not frozen.questions[0].certificate.holds
    (tmp_path / "plan.json").write_bytes(frozen.bytes)
    with pytest.raises(RefusedError, match="must keep its own promise"):
        Plan.load(tmp_path / "plan.json")


def test_a_filter_sees_the_weights_of_what_can_be_answered():
    """Of every code on every answer, in the order of their numbers; of very many codes the least epsilon that holds."""
    frozen = plan(survey(), 1000)
    (question,), (drawn,) = frozen.questions, all_queries(frozen)
    every = sorted(answers(question.choices), key=lambda one: number(question.choices, one))
    expected = np.log([[float(p) for p in distribution(question, one)] for one in every])
    seen = drawn.filter_query.mechanism
    found = np.array([seen.evidence(code).log for code in range(seen.outputs)]).T
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    columns = Columns.of(seen)
    np.testing.assert_allclose(columns.logs.T, expected - expected.max(), atol=1e-12)
    (large,) = all_queries(plan(survey("1/10", [f"c{place}" for place in range(40)], 2), 10**8))
    assert large.outputs > 1 << 30
    ratio = epsilon_ratio(large.filter_query.mechanism)
    assert float(ratio) <= np.exp(0.1) * (1 + 1e-15)
    assert float(ratio) == pytest.approx(np.exp(0.1), rel=1e-12)
