"""Dates are read as dates wherever people read numbers, and stay days where programs do."""

import re
from datetime import date

import pyarrow as pa
import pytest

from sordino import KeyedSource, aggregate, change, estimate, plan, privatize
from sordino.blocks.block import blocks_of
from sordino.blocks.digits import round_dates
from sordino.blocks.tables import QuantityTable, readable_rows
from sordino.domain.calendar import DATES, iso_date
from sordino.show.findings import finding_blocks
from sordino.views.collection_changes import change_cells

ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
ENDS = {"low": date(1990, 1, 1), "high": date(2026, 12, 31)}


@pytest.fixture(scope="module")
def found():
    """Everybody moved on the last day of 2000, and paid half of what was possible."""
    attributes = {"moved": {"number": ENDS}, "paid": {"number": {"low": 0, "high": 100}}}
    ask = [{"mean": ["moved", "paid"]}, {"distribution": "moved", "quantiles": [0.5]}]
    frozen = plan({"version": 1, "epsilon": "4", "attribute": attributes, "ask": ask}, people=4000)
    day = float((date(2000, 12, 31) - date(1970, 1, 1)).days)
    people = pa.table({"moved": [day] * 4000, "paid": [50.0] * 4000, "id": [str(at) for at in range(4000)]})
    reports = privatize(frozen, people, KeyedSource(bytes(32), "days"), id_column="id")
    return estimate(frozen, aggregate(frozen, reports))


def rows(result):
    return {row[0]: row[1:] for table in blocks_of(QuantityTable, result.blocks()) for row in readable_rows(table)}


def test_a_mean_of_dates_is_a_date_and_its_error_is_in_days(found):
    value, error, low, high = rows(found.results[0])["moved"]
    assert all(ISO.fullmatch(text) for text in (value, low, high))
    assert re.fullmatch(r"\d+ days", error)
    assert low <= "2000-12-31" <= high
    # Beside it stands a number that is none.
    assert not any(ISO.search(text) for text in rows(found.results[0])["paid"])


def test_quantiles_and_the_names_of_bins_are_dates_and_shares_are_not(found):
    told = rows(found.results[1])
    assert all(ISO.fullmatch(text) for text in told["quantile 0.5"])
    bins = [label for label in told if " to " in label]
    assert bins[0].startswith("1990-01-01 to ")
    assert not any(ISO.search(text) for label in bins for text in told[label])


@pytest.fixture(scope="module")
def north_and_south():
    """In the south everybody moved 4,000 days later; in the second collection both did so 1,000 days later still."""
    attributes = {"moved": {"number": ENDS}, "paid": {"number": {"low": 0, "high": 100}}}
    ask = [{"mean": ["moved"]}, {"mean": ["paid", "moved"]}, {"distribution": "moved", "quantiles": [0.5]}]
    public = {"region": {"categories": ["north", "south"]}}
    frozen = plan({"version": 1, "epsilon": "6", "public": public, "attribute": attributes, "ask": ask}, people=6000)
    ids, source = [str(at) for at in range(6000)], KeyedSource(bytes(32), "days")

    def collect(later):
        days = [8000.0 + 4000 * (at % 2) + later for at in range(6000)]
        columns = {"moved": days, "paid": [50.0] * 6000, "region": ["north", "south"] * 3000, "id": ids}
        return privatize(frozen, pa.table(columns), source, id_column="id")

    first, second = collect(0), collect(1000)
    return estimate(frozen, first, by=["region"]), change(frozen, first, frozen, second)


def test_differences_and_changes_of_dates_are_in_days(north_and_south):
    found, changed = north_and_south
    tables = [table for table in blocks_of(QuantityTable, found.views["groups"].blocks()) if table.noun == "difference"]
    texts = {row[0]: row[1:] for table in tables for row in readable_rows(table)}
    assert all(re.fullmatch(r"-?\d+ days", text) for text in texts["north: moved"])
    assert not any("days" in text for text in texts["north: paid"])
    cells = {row.label: change_cells(row, together=False) for one in changed.changed for row in one.first()}
    _, before, after, *others, _ = cells["moved"]
    assert ISO.fullmatch(before)
    assert ISO.fullmatch(after)
    assert all(re.fullmatch(r"-?\d+ days", text) for text in others)
    assert not any(ISO.search(text) or "days" in text for text in cells["paid"])
    assert any(re.fullmatch(rf"{ISO.pattern} to {ISO.pattern}", label) for label in cells)
    assert not any(re.search(r"\d{4}\.\d", test.name) for test in found.views["groups"].tests)
    # A quantile has no standard error: an empty cell has no unit.
    assert cells["quantile 0.5"][4] == ""


def test_pooled_means_of_dates_are_dates(north_and_south):
    found, _ = north_and_south
    (pooled,) = found.views["pooled"].each
    ((label, value, error, low, high),) = readable_rows(pooled.table())
    assert label == "moved"
    assert all(ISO.fullmatch(text) for text in (value, low, high))
    assert error.endswith(" days")
    assert all(type(row["estimate"]) is float for row in pooled.rows())


def test_a_group_is_found_to_be_earlier_by_days(north_and_south):
    found, _ = north_and_south
    texts = [part.text for group in finding_blocks(found.results, found.views) for part in group.parts]
    (said,) = (text for text in texts if text.startswith("By region"))
    assert re.match(
        r"By region: .*moved.* is (earlier|later) in (north|south) than among all other people, by \d+ days ", said
    )


def test_a_page_of_changes_draws_dates(north_and_south, tmp_path):
    _, changed = north_and_south
    changed.page(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert re.search(r"[+]\d+ days", text)
    assert "change in own units" not in text


def test_sentences_and_pages_have_dates(found, tmp_path):
    text, *_ = (part.text for group in finding_blocks(found.results, found.views) for part in group.parts)
    assert re.match(rf"moved: the mean is {ISO.pattern} \(95 % interval {ISO.pattern} to {ISO.pattern}\)", text)
    found.page(tmp_path / "page.html")
    assert "2000-01-01" in (tmp_path / "page.html").read_text("utf-8")


def test_frames_name_bins_by_dates_and_keep_days_as_numbers(found):
    frame = found.to_tidy(derived=False).to_pylist()
    (mean,) = (row for row in frame if row["kind"] == "mean" and row["term"] == "moved")
    assert 7305 < mean["conf.low"] < mean["estimate"] < mean["conf.high"] < 20818
    assert all(ISO.match(row["term"]) for row in frame if row["kind"] == "bin")


def test_what_is_no_date_is_written_as_the_number_it_is():
    assert iso_date(DATES[0]) == "0001-01-01"
    assert iso_date(DATES[1]) == "9999-12-31"
    assert iso_date(DATES[1] + 1.0) == "2.9329e+06"
    assert round_dates({"estimate": -1.0, "low": float("-inf"), "high": 3.4})["low"] == "-inf"
