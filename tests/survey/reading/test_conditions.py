"""Conditions of a survey: what they may name, and that no promise is broken by what they make certain."""

import json

import numpy as np
import pytest

from golden_people import sealed
from in_one import in_one
from sordino import Plan, SordinoError, SordinoErrors, Survey, dependence, explain, plan

GRID = {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 2}
READINGS = pytest.mark.filterwarnings("ignore:attribute:sordino.SordinoWarning")
"""What may surprise was read as a warning says."""

YES = {"categories": ["yes", "no"]}
PACKS = {"categories": ["1", "2"], "only_if": {"smoker": "yes"}}


def survey(packs=(), smoker=(), ask=({"histogram": "packs"},), **more):
    attributes = {"smoker": YES | dict(smoker), "packs": PACKS | dict(packs)}
    return {"version": 1, "epsilon": "1", "attribute": attributes | more.pop("attribute", {}), "ask": [*ask], **more}


def test_a_number_of_categories_does_not_hide_what_else_is_wrong():
    with pytest.raises(SordinoErrors) as refused:
        Survey.read(survey({"categories": 3, "protect": {"blocks": [[0, 1], [2]]}}))
    assert "must have names" in str(refused.value)
    assert "protected as a whole" in str(refused.value)


@in_one(
    ("packs", "rule"),
    [
        ({"only_if": {}}, "must name attributes, each with one of its categories"),
        ({"only_if": 7}, "must name attributes, each with one of its categories"),
        ({"only_if": {"smoker": []}}, "must name attributes, each with one of its categories"),
        ({"only_if": {"smoker": 1}}, "must name attributes, each with one of its categories"),
        ({"only_if": {"smoker": "maybe"}}, "must name categories of 'smoker'"),
        ({"only_if": {"drinker": "yes"}}, "'drinker', which is not there"),
        ({"only_if": {"packs": "1"}}, "must not lead back"),
        ({"categories": 3}, "must have names"),
        ({"not_asked": "1"}, "each category must be named once"),
        ({"protect": {"blocks": [["1", "2", "not asked"]]}}, "protected as a whole"),
        ({"protect": {"epsilon": "2"}}, "at least as well as attribute.smoker"),
        ({"missing": "3"}, "missing must name one of the categories"),
    ],
)
def test_conditions_that_mean_nothing_or_reveal_more_are_refused(packs, rule):
    with pytest.raises(SordinoErrors) as refused:
        Survey.read(survey(packs))
    assert rule in str(refused.value)


@in_one(
    ("changes", "rule"),
    [
        (
            {
                "attribute": {
                    "home": {
                        "grid": GRID,
                        "only_if": {"smoker": "yes"},
                    }
                }
            },
            "must be no map",
        ),
        (
            {"attribute": {"pay": {"number": {"low": 0, "high": 1}, "only_if": {"smoker": ["yes", "no"]}}}},
            "`missing` must say of how many",
        ),
        ({"attribute": {"visits": {"categories": ["1", "2"], "not_asked": "none"}}}, "must stand beside only_if"),
        ({"smoker": {"categories": 2}}, "'smoker', which has none"),
        ({"smoker": {"several": 1}}, "'smoker', of which several may apply"),
        ({"smoker": {"only_if": {"packs": "1"}}}, "must not lead back"),
        ({"smoker": {"protect": {"matrix": [["0", "1"], ["1", "0"]]}}}, "by distances or a matrix"),
        ({"dependence": {"rest": 0.5}}, "dependence.rest must be 1 for 'smoker'"),
        ({"dependence": {"rest": {"packs": 0.5}}}, "dependence.rest must be 1 for 'packs'"),
    ],
)
def test_what_goes_with_conditions_is_looked_at(changes, rule):
    with pytest.raises(SordinoErrors) as refused:
        Survey.read(survey(**changes))
    assert rule in str(refused.value)


@READINGS
def test_what_is_sensitive_is_protected_as_a_whole():
    """So is it from reports about what decides: whether somebody was asked is no secret of its own."""
    packs = {"protect": {"sensitive": ["1"]}}
    assert plan(survey(packs), 1000).bytes == plan(survey({"protect": {"epsilon": "1"}}), 1000).bytes


CHAIN = {"c": {"categories": ["u", "v"], "only_if": {"packs": "1"}, "sensitive": ["u"]}}


@READINGS
@in_one(
    ("smoker", "packs", "others"),
    [
        ({"sensitive": ["yes"]}, {"sensitive": ["1"]}, {}),
        ({"sensitive": ["yes"]}, {"sensitive": ["1"]}, CHAIN),
        ({"sensitive": ["yes"]}, {}, CHAIN),
        ({"sensitive": ["yes", "no"]}, {"sensitive": ["2"]}, CHAIN),
    ],
)
def test_no_report_favours_a_sensitive_answer_of_who_was_asked_because_of_a_sensitive_one(smoker, packs, others):
    """Looked at record by record, in the probabilities of all codes of all questions."""
    sensitive = {"smoker": smoker.get("sensitive", []), "packs": packs.get("sensitive", []), "c": ["u"]}
    asks = [{"histogram": name} for name in ("smoker", "packs", *others)]
    frozen = plan(survey(packs, smoker, asks, attribute=others), 1000)
    records = [("yes", "1", "u"), ("yes", "1", "v"), ("yes", "2", "not asked"), ("no", "not asked", "not asked")]
    for at, name in enumerate(("smoker", "packs", *others)):
        for question in frozen.questions:
            place = ("smoker", "packs", "c").index(question.name)
            domain = frozen.attributes[question.name].finite
            values = [[*map(domain.label, range(domain.k))].index(record[place]) for record in records]
            own = question.mechanism
            rows = [[own.weight(value, code) for code in range(own.outputs)] for value in values]
            for record, row in zip(records, rows, strict=True):
                if record[at] in sensitive[name]:
                    bound = np.e * (1 + 1e-12)
                    pairs = [(a, b) for other in rows for a, b in zip(row, other, strict=True)]
                    assert all(a <= bound * b for a, b in pairs), (name, question.name, record)


@in_one(
    ("smoker", "packs", "others"),
    [
        ({"sensitive": ["no"]}, {"sensitive": ["1"]}, {}),
        ({"categories": ["yes", "y", "n", "no"], "protect": {"blocks": [["yes", "y"], ["n", "no"]]}}, {}, {}),
        ({"sensitive": ["yes"]}, {"protect": {"sensitive": ["1"], "epsilon": "1/2"}}, {}),
        ({"categories": ["yes", "no", "?"], "sensitive": ["yes"]}, {"only_if": {"smoker": ["yes", "?"]}}, {}),
        ({"categories": ["yes", "no", "?"], "sensitive": ["yes"]}, {"only_if": "smoker != no", "sensitive": ["1"]}, {}),
    ],
)
def test_what_may_show_that_somebody_was_asked_is_refused_beside_sensitive_answers(smoker, packs, others):
    asks = [{"histogram": name} for name in ("smoker", "packs")]
    packs = {**packs} if "sensitive" in {**packs, **packs.get("protect", {})} else {**packs, "sensitive": ["1"]}
    with pytest.raises(SordinoErrors, match="must hold for reports about what decides"):
        Survey.read(survey(packs, smoker, asks, attribute=others))


def test_others_may_be_bounded():
    others = {"other": {"categories": ["a", "b"]}}
    asks = {"histogram": "packs"}, {"histogram": "other"}
    asked = survey(ask=asks, attribute=others, dependence={"rest": {"other": 0.5}})
    assert plan(asked, 1000).promise.holds


def test_less_is_promised_of_what_decides_by_blocks_or_as_sensitive_too():
    for protect in ({"sensitive": ["yes"]}, {"epsilon": "3"}):
        assert plan(
            survey(smoker={"protect": protect}, ask=({"histogram": "packs"}, {"histogram": "smoker"})), 1000
        ).certificate.holds
    with pytest.raises(SordinoErrors, match="at least as well"):
        Survey.read(survey(smoker={"protect": {"sensitive": ["yes"], "epsilon": "1/2"}}))


def test_a_sample_tells_nothing_of_what_is_not_asked_of_all():
    with pytest.raises(SordinoError, match="everybody is asked for one value"):
        dependence(survey(), {"smoker": ["yes"], "packs": ["1"]})


BOUNDS = {
    "rest": {"rest": {"smoker": "1/2", "packs": "1", "other": "1"}},
    "of what is asked": {"statistics": [{"attribute": "smoker", "statistic": ["packs"], "bound": "1/2"}]},
    "of another": {"statistics": [{"attribute": "other", "statistic": ["packs"], "bound": "1/2"}]},
}


@in_one("bound", [*BOUNDS])
def test_plans_that_bound_what_is_certain_are_refused(bound):
    asks = {"histogram": "packs"}, {"histogram": "other"}
    others = {"other": {"categories": ["a", "b"], "delta": "1/2"}}
    document = json.loads(plan(survey(ask=asks, attribute=others), 1000).bytes)
    whole = {"rest": dict.fromkeys(("smoker", "packs", "other"), "1"), "statistics": [], "ground": ["declared"]}
    assert Plan.of_text(sealed({**document, "dependence": whole}), "the plan")
    with pytest.raises(SordinoError, match="nothing bounds what others say"):
        Plan.of_text(sealed({**document, "dependence": whole | BOUNDS[bound]}), "the plan")


def changed(**changes):
    """The text of a plan, changed and sealed again."""
    frozen = plan(survey(), 1000)
    document = json.loads(frozen.bytes)
    for name, own in changes.items():
        document["attributes"][name].update(own)
    return sealed(document)


@in_one(
    "changes",
    [
        {"packs": {"only_if": {"smoker": ["maybe"]}}},
        {"packs": {"only_if": {"nobody": ["yes"]}}},
        {"packs": {"only_if": {"packs": ["1"]}}},
        {"packs": {"not_asked": "1"}},
        {"packs": {"not_asked": "other"}},
        {"packs": {"only_if": {}}},
        {"smoker": {"protect": {"epsilon": "1/2"}}},
        {"smoker": {"not_asked": "no"}},
        {"smoker": {"several": 1}},
        {"smoker": {"none": "neither"}},
    ],
)
def test_plans_with_other_conditions_are_refused(changes):
    assert Plan.of_text(changed(), "the plan")
    with pytest.raises(SordinoError):
        Plan.of_text(changed(**changes), "the plan")


def answers_of(d, others=(), ask=("p", "d"), epsilon="1/4", p=None):
    """A survey of whether somebody is asked for p because of d."""
    own = {"categories": ["x", "y"], "only_if": {"d": ["a", "b"]}} | ({} if p is None else {"protect": p})
    decides = {"categories": ["a", "b", "c", "e"]} | ({} if d is None else {"protect": d})
    asks = [{"table": [*one]} if isinstance(one, tuple) else {"histogram": one} for one in ask]
    attributes = {"d": decides, "p": own, **dict(others)}
    return {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": asks}


BLOCKS = {"blocks": [["a", "b"], ["c", "e"]]}
OTHER = {"q": {"categories": ["u", "v"]}}
APART = {"q": {"categories": ["u", "v"], "protect": {"metric": [0, 1], "epsilon": "1/8"}}}
FAR = {"q": {"categories": ["u", "v"], "protect": {"matrix": [["0", "3"], ["3", "0"]]}}}
SIBLING = {"r": {"categories": ["u", "v"], "only_if": {"d": "a"}, "protect": {"epsilon": "1"}}}


def ratio_of_being_asked(frozen, question):
    """The largest ratio between probabilities of a code of who was asked and who was not, from the integers alone."""
    records = [
        {"d": d, "p": p, "q": q, "r": r}
        for d in "abce"
        for p in (["x", "y"] if d in "ab" else ["not asked"])
        for q in "uv"
        for r in (["u", "v"] if d == "a" else ["not asked"])
    ]
    names = list(question.attribute_names)
    shape = [frozen.attributes[name].finite for name in names]
    places = [
        [[*map(one.label, range(one.k))].index(record[n]) for one, n in zip(shape, names, strict=True)]
        for record in records
    ]
    cells = [int(np.ravel_multi_index(place, [one.k for one in shape])) for place in places]
    own = question.mechanism
    rows = np.array([[own.weight(cell, code) for code in range(own.outputs)] for cell in cells], dtype=float)
    asked = np.array([record["d"] in "ab" for record in records])
    # What does not depend on d is the same in both.
    alike = np.array([[one["q"] == other["q"] for other in records] for one in records])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = rows[asked][:, None] / rows[~asked][None]
        ratios = np.where(alike[np.ix_(asked, ~asked)][..., None], ratios, np.nan)
        return float(np.nanmax(np.maximum(ratios, 1 / ratios)))


@in_one(
    ("d", "others", "ask"),
    [
        (None, {}, ("p", "d")),
        (BLOCKS, {}, ("p", "d")),
        (BLOCKS, {}, ("p",)),
        ({"epsilon": "2"}, {}, ("p", "d")),
        ({"sensitive": ["a"], "epsilon": "1"}, {}, ("p", "d")),
        (BLOCKS, OTHER, ("p", ("d", "q"))),
        ({"epsilon": "2"}, OTHER, ("p", ("d", "q"))),
        ({"epsilon": "2"}, SIBLING, ("p", "r")),
        ({"epsilon": "2"}, APART, ("p", ("d", "q"))),
        ({"sensitive": ["a"]}, OTHER, ("p", ("d", "q"))),
        ({"blocks": [["a", "b", "c", "e"]]}, {}, ("p", "d")),
        # Cells by their own bounds: what decides and the answer change together, and their bounds add up.
        (None, FAR, ("p", ("d", "p", "q"))),
        (None, {"r": {"categories": ["u", "v"], "only_if": {"d": "a"}}} | FAR, ("p", ("p", "r", "q"))),
    ],
)
def test_explain_names_every_report_that_reveals_more_of_who_was_asked_than_the_answer_does(d, others, ask):
    frozen = plan(answers_of(d, others, ask), 10_000)
    said = " ".join(explain(frozen))
    own, *rest = sorted(frozen.questions, key=lambda one: one.name != "p")
    allowed = ratio_of_being_asked(frozen, own)
    assert allowed <= 1.2841  # e^(1/4)
    weaker = [one for one in rest if ratio_of_being_asked(frozen, one) > allowed * 1.001]
    for one in rest:
        found = [text for text in said.split("A report about ")[1:] if text.startswith(repr(one.name))]
        found = [text for text in found if "'p' was asked" in text]
        assert bool(found) == (one in weaker), one.name
        ratio = ratio_of_being_asked(frozen, one)
        if ratio == np.inf:
            assert "can show for certain" in found[0]
        elif found and "factor of up to" in found[0]:
            factor = float(found[0].partition("factor of up to ")[2].partition(",")[0])
            assert ratio <= factor
            assert factor <= 1.01 * ratio + 0.01
    assert ("by reports about 'p' whether" in said) == bool(weaker)


@in_one(
    ("d", "others", "ask", "refused"),
    [
        (BLOCKS, {}, ("p", "d"), "'d', which can show for certain who was asked"),
        (BLOCKS, {}, ("p",), ""),
        (BLOCKS, OTHER, ("p", ("d", "q")), "'d', which can show for certain who was asked"),
        ({"epsilon": "2"}, {}, ("p", "d"), "at epsilon 2 above 1/4"),
        ({"epsilon": "1/4"}, {}, ("p", "d"), ""),
        ({"epsilon": "2"}, SIBLING, ("p", "r"), "'r' at epsilon 1 above 1/4"),
        ({"epsilon": "2"}, APART, ("p", ("d", "q")), "'d' at epsilon 2 above 1/4"),
        ({"sensitive": ["a"]}, OTHER, ("p", ("d", "q")), ""),
        ({"blocks": [["a", "b", "c", "e"]]}, {}, ("p", "d"), ""),
    ],
)
def test_a_declared_protection_holds_for_reports_about_what_decides_too(d, others, ask, refused):
    asked = answers_of(d, others, ask, p={"epsilon": "1/4"})
    if not refused:
        Survey.read(asked)
        return
    with pytest.raises(SordinoErrors, match=r"attribute\.p\.protect must hold for reports about what decides") as found:
        Survey.read(asked)
    assert refused in str(found.value)


@in_one("asked", [["a", "b", "g"], ["b", "g", "c"]])
def test_bounds_that_add_up_along_what_changes_together_are_refused(asked):
    """Whether somebody was asked changes both an answer and what decides it, by twice what is declared."""
    whole = {"categories": ["yes", "no"], "protect": {"epsilon": "1"}}
    matrix = {"categories": ["p", "q"], "protect": {"matrix": [["0", "5"], ["5", "0"]]}}
    because = {**whole, "categories": ["1", "2"], "only_if": {"a": "yes"}}
    attributes = {"a": whole, "b": because, "c": because, "g": matrix}
    tables = {"version": 1, "epsilon": "1", "attribute": attributes, "ask": [{"table": asked}]}
    with pytest.raises(SordinoErrors, match=r"attribute\.b\.protect must hold for reports about what decides"):
        plan(tables, 1000)


def test_plans_hide_no_promise_behind_what_is_not_asked():
    """What decides is asked, what that decides is not, and says something for certain of both."""
    attributes = {
        "smoker": {"categories": ["yes", "no"], "protect": {"epsilon": "1/2"}},
        "packs": {"categories": ["few", "many"], "only_if": {"smoker": "yes"}, "protect": {"epsilon": "1/2"}},
        "brand": {"categories": ["x", "y"], "only_if": {"packs": "many"}, "protect": {"epsilon": "1/2"}},
    }
    asks = [{"histogram": "smoker"}, {"histogram": "brand"}]
    frozen = plan({"version": 1, "attribute": attributes, "ask": asks, "epsilon": "1/2"}, 1000)
    document = json.loads(frozen.bytes)
    document["attributes"]["packs"].pop("protect", None)
    assert Plan.of_text(sealed(document), "the plan")
    document["attributes"]["brand"]["protect"]["epsilon"] = "2"
    with pytest.raises(SordinoError, match="'brand' must be protected at least as well as 'smoker'"):
        Plan.of_text(sealed(document), "the plan")
