"""Intervals of what is fitted, where they are known to hold, else the reason; and intervals about these people."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sordino
from sordino import Aggregate, SordinoError
from sordino.papers.simulation import SimulationSource, simulate_tally
from sordino.show.estimate_rows import tables_of

CATEGORIES = {"diet": ["all", "vegetarian", "vegan", "other"], "smoker": ["yes", "no"], "sex": ["f", "m"]}


def estimated(*ask, even=False, **settings):
    """Of 3,000 people a question, most of whom have the first value of all attributes, or who have all alike."""
    asked_of = [names["of"] if isinstance(names, dict) else names for one in ask for names in one.values()]
    used = {name for names in asked_of for name in ([names] if isinstance(names, str) else names)}
    attributes = {name: {"categories": labels} for name, labels in CATEGORIES.items() if name in used}
    asked = {"version": 1, "epsilon": "2", "attribute": attributes, "ask": list(ask)}
    plan, counts = sordino.plan(asked, 9000), []
    for question in plan.questions:
        k = question.domain.k
        shares = np.full(k, 1 / k) if even else [0.9, 0.1, *[0.0] * (k - 2)]
        people = np.random.default_rng(4).multinomial(3000, shares)
        counts.append(simulate_tally(question.mechanism, people, SimulationSource(2)).counts)
    tally = Aggregate(plan.sampled.fingerprint, 3000 * len(counts), np.concatenate(counts))
    return sordino.estimate(plan, tally, **settings)


def sentences(found):
    return [one.text for blocks in found.blocks for table in tables_of(blocks) for one in table.sentences]


@pytest.mark.parametrize("ask", [{"histogram": "diet"}, {"table": ["smoker", "diet"]}])
def test_a_histogram_and_a_table_have_them_in_rows_and_files(ask, tmp_path):
    found = estimated(ask, fitted_intervals=True)
    rows = found.to_arrow().to_pylist()
    assert all(0 <= row["fitted_low"] <= row["fitted"] <= row["fitted_high"] <= 1 for row in rows)
    assert any("Intervals of fitted shares hold" in text for text in sentences(found))
    found.save(tmp_path / "rows.csv")
    header = (tmp_path / "rows.csv").read_text().splitlines()[0].split(",")
    assert header[14:17] == ["fitted", "fitted.low", "fitted.high"]


def test_margins_of_a_table_have_them_and_conditional_shares_have_none(tmp_path):
    found = estimated({"table": ["smoker", "diet"]}, fitted_intervals=True)
    rows = found.table("smoker", "diet").margin("diet")
    assert all(0 <= row["fitted_low"] <= row["fitted"] <= row["fitted_high"] <= 1 for row in rows)
    assert "fitted_low" not in found.table("smoker", "diet").conditional("diet", given="smoker")[0]
    found.save(tmp_path / "rows.parquet")
    written = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    given = {row["kind"] for row in written if row["fitted.low"] is not None}
    assert given == {"cell", "margin"}


def test_nothing_that_is_not_asked_for_is_there():
    found = estimated({"histogram": "diet"})
    assert "fitted_low" not in found.to_arrow().column_names
    assert not any("fitted shares" in text.lower() for text in sentences(found) if "nterval" in text)


@pytest.mark.parametrize(
    ("ask", "method", "why"),
    [
        ([{"tables": {"of": ["smoker", "diet", "sex"]}}], None, "how attributes depend on each other"),
        ([{"histogram": "diet"}], "likelihood", "only the nearest distribution"),
    ],
)
def test_where_none_is_known_to_hold_it_is_said_why(ask, method, why):
    found = estimated(*ask, even=method is None, method=method, fitted_intervals=True)
    assert "fitted_low" not in found.to_arrow().column_names
    assert any(why in text for text in sentences(found))


def test_of_a_distribution_it_is_said_why():
    number = {"age": {"number": {"low": 0, "high": 64, "bins": 32}}}
    plan = sordino.plan({"version": 1, "epsilon": "2", "attribute": number, "ask": [{"distribution": "age"}]}, 2000)
    tally = simulate_tally(plan.questions[0].mechanism, np.full(32, 60), SimulationSource(1))
    found = sordino.estimate(plan, Aggregate(plan.sampled.fingerprint, tally.n, tally.counts), fitted_intervals=True)
    assert any("fitted curve has no interval" in text for text in sentences(found))
    assert "fitted_low" not in found.to_arrow().column_names


@pytest.mark.parametrize("other", [{"simultaneous": True}, {"watched": True}, {"forged": 3}])
def test_they_hold_against_chance_alone(other):
    with pytest.raises(SordinoError, match="hold each by itself"):
        estimated({"histogram": "diet"}, fitted_intervals=True, **other)


def test_errors_about_these_people_are_without_those_of_drawing_them():
    asked = {"histogram": "diet"}, {"histogram": "smoker"}
    drawn, these = (estimated(*asked, finite=finite).to_arrow() for finite in (False, True))
    share, errors, fewer = (
        np.array(one.column(name)) for one, name in ((drawn, "estimate"), (drawn, "stderr"), (these, "stderr"))
    )
    inside = np.clip(share, 0, 1)
    # 3,000 of 6,000 people were asked each question.
    np.testing.assert_allclose(errors**2 - fewer**2, inside * (1 - inside) / 6000)
    assert any("6,000 people who reported" in text for text in sentences(estimated(*asked, finite=True)))


def test_tables_of_which_only_the_noise_is_not_known_say_that_they_are_about_a_population():
    """The draw of people is left out of the shares of values and cells, and of nothing else."""
    attributes = {"a": {"categories": ["yes", "no"]}, "age": {"number": {"low": 0, "high": 90}}}
    ask = [{"histogram": "a"}, {"mean": "age"}, {"distribution": "age"}]
    plan = sordino.plan({"version": 1, "epsilon": "2", "attribute": attributes, "ask": ask}, 6000)
    people = pa.table({"a": ["yes", "no"] * 3000, "age": [3.0, 4.0] * 3000})
    found = sordino.estimate(plan, sordino.privatize(plan, people), finite=True)
    of_these, of_all = (
        "for the 6,000 people who reported",
        "for a population that the people who reported are drawn from",
    )
    for result, blocks in zip(found.results, found.blocks, strict=True):
        said = [one.text for table in tables_of(blocks) for one in table.sentences if one.text.startswith("Intervals")]
        assert said
        wanted = of_these if result.question.name == "a" else of_all
        assert all(wanted in text for text in said), result.question.name


def test_they_are_not_watched():
    with pytest.raises(SordinoError, match="about the people who reported"):
        estimated({"histogram": "diet"}, finite=True, watched=True)
