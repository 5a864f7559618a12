"""What is said first: never more than the intervals hold, and nothing where they hold nothing."""

import asyncio
import re

import numpy as np
import pyarrow as pa
import pytest

from sordino import KeyedSource, aggregate, estimate, plan, privatize
from sordino.blocks.charts import Shares
from sordino.service.analyst import DashboardPages
from sordino.show.findings import BY_ITSELF, MOST_QUESTIONS, finding_blocks
from sordino.survey.kinds.shares.largest_share import share_of_two

FALSE = 0.05


def survey(ask, epsilon="2", **attributes):
    return {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": ask}


def found_in(asked, people, key="found", **options):
    n = len(next(iter(people.values())))
    frozen = plan(asked, people=n)
    table = pa.table(people | {"id": [str(at) for at in range(n)]})
    reports = privatize(frozen, table, KeyedSource(bytes(32), key), id_column="id")
    return estimate(frozen, aggregate(frozen, reports), **options)


def sentences(estimated):
    groups = finding_blocks(estimated.results, estimated.views)
    return [part.text for group in groups for part in group.parts]


def numbers_in(text):
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)]


def test_a_clear_majority_is_named_with_the_interval_of_its_table():
    asked = survey([{"histogram": "way"}], way={"categories": ["car", "bus", "bike"]})
    estimated = found_in(asked, {"way": ["bus", "bus", "bus", "car", "bike"] * 1000})
    (text,) = sentences(estimated)
    assert text.startswith("way: 'bus' has the largest share, ")
    low, high = (100 * end[1] for end in estimated.results[0].interval)
    assert numbers_in(text)[1:] == pytest.approx([low, high], abs=0.06)
    assert "(95 % interval " in text


@pytest.mark.parametrize(
    ("protect", "said"), [({}, 0), ({"protect": {"sensitive": ["no"]}}, 1), ({"protect": {"sensitive": ["yes"]}}, 0)]
)
def test_of_two_answers_the_first_is_told_or_the_sensitive_one(protect, said):
    """Though it is the rarer one: whoever asks who smokes wants to know who does."""
    asked = survey([{"histogram": "smoker"}], smoker={"categories": ["yes", "no"], **protect})
    estimated = found_in(asked, {"smoker": ["no", "no", "no", "yes"] * 1000})
    (result,) = estimated.results
    (finding,) = result.findings()
    assert finding.is_sure
    assert finding.text.startswith(f"smoker: the share of {['yes', 'no'][said]!r} is ")
    low, high = (100 * end[said] for end in result.interval)
    assert numbers_in(finding.text)[1:] == pytest.approx([low, high], abs=0.06)


def test_a_follow_up_is_told_of_those_who_were_asked():
    """Of everybody few answered yes: of those who were asked most, by the rows about these."""
    reported = {"categories": ["yes", "no"], "only_if": {"harmed": "yes"}}
    asked = survey(
        [{"histogram": "harmed"}, {"histogram": "reported"}], harmed={"categories": ["yes", "no"]}, reported=reported
    )
    harmed = ["yes", "yes", "no", "no", "no"] * 4000
    people = {"harmed": harmed, "reported": ["yes" if at % 10 else "no" for at in range(20_000)]}
    people["reported"] = [said if own == "yes" else None for said, own in zip(people["reported"], harmed, strict=True)]
    _, result = found_in(asked, people).results
    (finding,) = result.findings()
    assert finding.text.startswith("reported, among those who were asked: the share of 'yes' is ")
    own = result.among_asked
    assert numbers_in(finding.text) == pytest.approx([100 * one[0] for one in (own.value, own.low, own.high)], abs=0.06)
    assert own.value[0] > 0.65
    assert result.estimate.value[0] < 0.4


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ((-0.04, 0.0, 0.06), "the share of 'yes' is at most 6.0 % (95 % interval 0.0 % to 6.0 %)"),
        ((1.02, 0.91, 1.0), "the share of 'yes' is at least 91.0 % (95 % interval 91.0 % to 100.0 %)"),
        ((0.4, 0.0, 1.0), "the 95 % interval of the share of 'yes' goes from 0 % to 100 %; more reports are needed"),
        ((1.3, 0.0, 1.0), "the 95 % interval of the share of 'yes' goes from 0 % to 100 %; more reports are needed"),
    ],
)
def test_no_share_is_told_that_none_can_be(shares, said):
    value, low, high = shares
    both = Shares(*(np.array(each) for each in ((value, 1 - value), (low, 1 - high), (high, 1 - low))))
    finding = share_of_two("smoker", ["'yes'", "'no'"].__getitem__, both, (both.low, both.high), 0.95, 0)
    assert finding.text.replace("\N{NO-BREAK SPACE}", " ") == f"smoker: {said}."


def test_halves_are_not_sure():
    asked = survey([{"histogram": "smoker"}], smoker={"categories": ["yes", "no"]})
    (finding,) = found_in(asked, {"smoker": ["no", "yes"] * 1000}).results[0].findings()
    assert not finding.is_sure


def test_of_many_values_those_that_may_be_the_largest_are_counted():
    asked = survey([{"histogram": "a"}], epsilon="1", a={"categories": [*"abcdef"]})
    (text,) = sentences(found_in(asked, {"a": [*"abcdef"] * 500}))
    assert re.search(r", or of [1-4] other values?; intervals", text)
    assert "intervals that hold for all 6 values together overlap" in text


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_few_reports_say_nothing():
    asked = survey([{"histogram": "a"}], epsilon="0.1", a={"categories": 20})
    (text,) = sentences(found_in(asked, {"a": [str(at) for at in range(20)]}))
    assert text.startswith("a: no value is known to have a share above 0, by the intervals that hold for all 20 ")


@pytest.mark.parametrize("runs", [50, pytest.param(150, marks=pytest.mark.long)])
def test_a_wrong_value_is_seldom_said_to_have_the_largest_share(runs):
    """Of four values two are as frequent and most so: any claim is wrong, and at most 5 % may be made."""
    asked = survey([{"histogram": "a"}], a={"categories": [*"abcd"]})
    people = {"a": [*"aaabbbcd"] * 40}
    claims = ["has the largest" in sentences(found_in(asked, people, f"tie {run}"))[0] for run in range(runs)]
    # A fair number of chances to err, and the share that Bonferroni promises with room for luck.
    assert np.mean(claims) <= FALSE + 3 * np.sqrt(FALSE * (1 - FALSE) / len(claims))


def test_a_mean_and_a_median_are_given_in_their_units():
    number = {"number": {"low": 0, "high": 100}}
    ask = [{"mean": ["age"]}, {"distribution": "pulse", "quantiles": [0.25]}]
    people = {"age": [40.0] * 8000, "pulse": [60.0] * 8000}
    estimated = found_in(survey(ask, age=number, pulse=number), people)
    text, second, note = sentences(estimated)
    assert note == BY_ITSELF
    assert re.fullmatch(r"age: the mean is \d+\.\d+ \(95 % interval \d+\.\d+ to \d+\.\d+\)\.", text)
    (finding,) = estimated.results[1].findings()
    assert second == finding.text
    low, value, high = (numbers_in(finding.text)[at] for at in (1, 0, 2))
    assert low <= value <= high
    assert estimated.results[1].quantile(0.5) == pytest.approx((value, low, high), abs=0.6)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_coefficient_is_said_to_be_beyond_noise_only_with_all_others():
    number = {"number": {"low": 0, "high": 1}}
    rng = np.random.default_rng(3)
    a, b = rng.random(60_000), rng.random(60_000)
    asked = survey([{"regression": {"target": "y", "features": ["a", "b"]}}], "8", a=number, b=number, y=number)
    clear = {"a": a.tolist(), "b": b.tolist(), "y": (a > 0.5).astype(float).tolist()}
    (text,) = sentences(found_in(asked, clear))
    assert "the coefficient of a is above 0, " in text
    assert "interval for all 2 coefficients together" in text
    unclear = clear | {"y": rng.random(60_000).tolist()}
    (text,) = sentences(found_in(asked, unclear))
    assert text.endswith("none of 2 coefficients is beyond noise: every interval contains 0.")


def test_of_tables_the_surest_association_is_named_and_the_others_counted():
    names = ("a", "b", "c")
    attributes = {name: {"categories": ["yes", "no"]} for name in names}
    same, other = ["yes", "no"] * 4000, ["yes"] * 4000 + ["no"] * 4000
    estimated = found_in(survey([{"tables": {"of": list(names)}}], **attributes), {"a": same, "b": same, "c": other})
    associated, *shares, note = sentences(estimated)
    assert [text.partition(": ")[0] for text in shares] == ["a, b", "a, c", "b, c"]
    assert note == BY_ITSELF
    assert associated.startswith("a and b are related: Cramér's V is ")
    assert "Of all 3 pairs 1 is related, corrected for looking at all of them." in associated
    watched = found_in(
        survey([{"tables": {"of": list(names)}}], **attributes), {"a": same, "b": same, "c": other}, watched=True
    )
    assert len(sentences(watched)) == len(names) + 1


@pytest.mark.parametrize("differ", [True, False])
def test_a_group_is_said_to_differ_only_by_limits_of_all_groups(differ):
    asked = survey([{"histogram": "smoker"}], smoker={"categories": ["yes", "no"]})
    asked["public"] = {"region": {"categories": ["north", "south", "west"]}}
    regions = ["north", "south", "west"] * 4000
    smokers = ["yes" if region == "north" and differ else ("yes", "no")[at % 2] for at, region in enumerate(regions)]
    estimated = found_in(asked, {"smoker": smokers, "region": regions}, by=["region"])
    (text,) = (said for said in sentences(estimated) if said.startswith("By region: "))
    if differ:
        assert re.match(
            r"By region: the share of (yes|no) \(smoker\) is (higher|lower) in north than among all other", text
        )
        assert "percentage points" in text
        value, low, high = numbers_in(text)
        assert low < value < high
        assert value == pytest.approx(50, abs=8)
    else:
        assert text == (
            "By region: no group differs from all other people beyond noise: the 95 % intervals that hold for all 6"
            " differences together all contain 0."
        )


def test_where_no_group_differs_it_is_said_how_many_do_by_their_own_intervals():
    """A table, or a test, may tell one difference from 0 that no interval for all of them together does."""
    asked = survey([{"histogram": "smoker"}], smoker={"categories": ["yes", "no"]})
    asked["public"] = {"region": {"categories": ["north", "south", "west"]}}
    regions = ["north", "south", "west"] * 400
    smokers = ["yes" if at % 20 < (11 if region == "north" else 10) else "no" for at, region in enumerate(regions)]
    seen = set()
    for run in range(20):
        estimated = found_in(asked, {"smoker": smokers, "region": regions}, f"alone {run}", by=["region"])
        (text,) = (said for said in sentences(estimated) if said.startswith("By region: "))
        rows = [row for one in estimated.views["groups"].differences for _, _, row in one.rows()]
        own = sum(row["low"] > 0 or row["high"] < 0 for row in rows)
        if "no group differs" in text:
            told = re.search(r" (\d) of them (?:differs|differ) from 0 by (?:its|their) own", text)
            assert own == (int(told[1]) if told else 0)
            seen.add(own > 0)
    assert seen == {True, False}


def test_groups_are_neither_compared_nor_tested_while_they_are_watched():
    """Differences and tests hold for one look."""
    asked = survey([{"histogram": "smoker"}], smoker={"categories": ["yes", "no"]})
    asked["public"] = {"region": {"categories": ["north", "south"]}}
    people = {"smoker": ["yes", "no"] * 1000, "region": ["north"] * 1000 + ["south"] * 1000}
    groups = found_in(asked, people, by=["region"], watched=True).views["groups"]
    assert groups.with_results
    assert groups.differences == groups.tests == ()


def test_all_questions_have_a_sentence_the_sure_ones_first():
    clear, unclear = ["yes", "yes", "yes", "no"] * 3000, ["yes", "no"] * 6000
    people = {"a": unclear, "b": clear, "c": unclear, "d": clear}
    asked = survey([{"histogram": name} for name in people], **{key: {"categories": ["yes", "no"]} for key in people})
    *said, note = sentences(found_in(asked, people))
    assert [text[0] for text in said] == ["b", "d", "a", "c"]
    low = [numbers_in(text)[1] for text in said]
    assert [each > 50 for each in low] == [True, True, False, False]
    assert note == BY_ITSELF


def test_of_many_questions_the_first_of_the_survey_have_a_sentence_tables_last():
    """Which these are does not depend on the reports: no sentence was chosen because it is extreme."""
    names = [f"a{at}" for at in range(MOST_QUESTIONS + 3)]
    people = {name: [("yes", "yes", "no")[(at + place) % 3] for at in range(9000)] for place, name in enumerate(names)}
    # Of the first question nothing can be claimed; it is not left out for that.
    people[names[0]] = ["yes", "no"] * 4500
    ask = [{"table": names[:2]}, *({"histogram": name} for name in names)]
    asked = survey(ask, **{key: {"categories": ["yes", "no"]} for key in names})
    said = sentences(found_in(asked, people))
    own = {text.partition(":")[0] for text in said if text.partition(":")[0] in names}
    assert own == set(names[:MOST_QUESTIONS])
    assert said[-1] == "The findings of 4 more questions stand with their estimates."
    assert len(said) <= MOST_QUESTIONS + 5


def test_before_there_are_reports_it_is_said_that_nothing_is_known():
    asked = survey(
        [{"histogram": "smoker"}, {"mean": ["age"]}], smoker={"categories": 2}, age={"number": {"low": 0, "high": 1}}
    )
    frozen = plan(asked, people=1000)
    nobody = frozen.sampled.tally(np.empty(0, dtype=np.uint64))
    page = asyncio.run(DashboardPages().estimates(frozen, nobody, b"", 0.95))
    assert re.findall(r'<h2 id="section-\d+">([^<]+)</h2>', page)[0] == "What was found"
    assert "Nothing can be estimated yet: 0 reports are too few." in page
