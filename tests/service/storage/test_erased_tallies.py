"""Tallies between collectors after reports were taken back: the newest counts, whatever was erased, whoever repeats."""

import json

import numpy as np
import pytest

from reports_sent import erasures, ids_from, uploaded
from sordino import RefusedError, SordinoError
from sordino.service.storage.collection import TallyTable
from sordino.service.storage.store import ReportStore
from sordino.survey.results.aggregate_file import aggregate_of, aggregate_text
from sordino.survey.results.sourced_aggregate import erased_of, join, sources_of, with_sources

FIRST = "a" * 32


def handed_out(collection):
    """What another collector reads of a collector's file."""
    text = aggregate_text(collection.plan, collection.sourced_aggregate)
    return aggregate_of(collection.plan, json.loads(text), "a file")


def counts(collection):
    return collection.aggregate.counts.tolist()


@pytest.fixture
def theirs(tmp_path, plan):
    """Opens the other collector's store, again if it ended."""
    stores = []

    def open_it():
        for store in stores:
            store.close()
        stores.append(ReportStore.open(tmp_path / "theirs.sqlite", plan))
        return stores[-1].collections[plan.hash]

    yield open_it
    for store in stores:
        store.close()


def test_a_report_that_is_taken_back_leaves_the_other_collectors_too(opened, plan, theirs, monkeypatch):
    own, other = opened(plan).collections[plan.hash], theirs()
    other.add([uploaded([0, 1, 2, 2])])
    own.add([uploaded([3], first=50)])
    early = handed_out(other)
    assert [part.added for part in own.merge(early)] == [4]
    other.erase(erasures(ids_from(2, 1)))
    (part,) = own.merge(handed_out(other))
    assert (part.added, "some of these were taken back" in part.outcome) == (-1, True)
    assert counts(own) == [1, 1, 1, 1]
    # As many are there again, and of other kinds: neither of both tallies holds the other.
    other.add([uploaded([0], first=10)])
    middle = handed_out(other)
    other = theirs()
    other.erase(erasures(ids_from(0, 1), ids_from(0, 1)))
    other.add([uploaded([1], first=11)])
    late = handed_out(other)
    assert erased_of(late) == {other.source: 2}

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(TallyTable, "require_few_sources", crash)
        with pytest.raises(KeyboardInterrupt):
            own.merge(late)
    for again in range(2):
        own = opened(plan).collections[plan.hash] if again else own
        for tally, new in ((late, 0 if again else 1), (early, 0), (middle, 0), (late, 0)):
            assert [part.added for part in own.merge(tally)] == [new]
            # What the store holds now, and what a new start finds.
            assert counts(own) == [1, 2, 1, 1]
    assert handed_out(own).counts.tolist() == [1, 2, 1, 1]
    # Handed on by this one, too.
    assert erased_of(handed_out(own)) == {other.source: 2}
    (part,) = (part for part in other.merge(handed_out(own)) if part.source == other.source)
    assert "nothing was added" in part.outcome
    assert "lost" not in part.outcome


def test_all_reports_that_are_taken_back_leave_nothing(opened, plan, theirs):
    own, other = opened(plan).collections[plan.hash], theirs()
    other.add([uploaded([0, 1])])
    own.add([uploaded([3], first=50)])
    own.merge(handed_out(other))
    other.erase(erasures(ids_from(0, 1), ids_from(1, 1)))
    own.merge(handed_out(other))
    assert counts(own) == [0, 0, 0, 1]
    assert counts(opened(plan).collections[plan.hash]) == [0, 0, 0, 1]


def test_ids_that_are_made_up_hide_no_lost_reports(opened, plan, theirs):
    """Anybody can erase ids that nobody sent: they are no report that was taken back."""
    own, other = opened(plan).collections[plan.hash], theirs()
    other.add([uploaded([0, 1, 2])])
    before = handed_out(other)
    own.merge(before)
    other.erase(erasures(*[ids_from(number, 1) for number in range(70, 76)]))
    assert erased_of(handed_out(other)) == erased_of(handed_out(theirs())) == {}
    lost = with_sources(plan.sampled.tally([]), {other.source: plan.sampled.tally(np.array([3], dtype=np.uint64))})
    with pytest.raises(RefusedError, match="neither holds the other"):
        own.merge(lost)
    other = theirs()
    other.add([uploaded([2], first=80), uploaded([2], first=70)])
    assert [part.added for part in own.merge(handed_out(other))] == [1]
    assert counts(own) == [1, 1, 2, 0]


def test_ids_that_nobody_knew_and_codes_that_are_scrubbed_are_no_reports_that_are_missing(opened, plan, theirs):
    own, other = opened(plan).collections[plan.hash], theirs()
    other.add([uploaded([0, 1])])
    own.merge(handed_out(other))
    other.erase(erasures(ids_from(70, 1), ids_from(70, 1)))
    assert sum(other.scrub()) == 2
    other.erase(erasures(ids_from(0, 1)))
    other = theirs()
    other.add([uploaded([2, 2], first=70)])
    tally = handed_out(other)
    assert erased_of(tally) == {}
    assert [part.added for part in own.merge(tally)] == [1]
    assert counts(own) == [1, 1, 1, 0]


def test_reports_that_are_missing_without_being_taken_back_were_lost(opened, plan):
    own = opened(plan).collections[plan.hash]

    def of_first(codes, erased):
        tally = plan.sampled.tally(np.array(codes, dtype=np.uint64))
        return with_sources(plan.sampled.tally([]), {FIRST: tally}, {FIRST: erased})

    own.merge(of_first([0, 1, 2], 1))
    for codes, erased in (([0], 2), ([0, 1, 1], 1), ([0, 1, 2, 3, 3], 0)):
        with pytest.raises(RefusedError, match="neither holds the other: its store was copied"):
            own.merge(of_first(codes, erased))
    assert [part.added for part in own.merge(of_first([3, 3], 2))] == [-1]
    assert counts(own) == [0, 0, 0, 2]


def test_files_that_are_put_together_have_the_newest_of_each_collector(plan):
    none, tally = plan.sampled.tally([]), lambda *codes: plan.sampled.tally(np.array(codes, dtype=np.uint64))
    early, late = with_sources(none, {FIRST: tally(0, 1)}), with_sources(none, {FIRST: tally(1, 3)}, {FIRST: 1})
    for first, second in ((early, late), (late, early)):
        found = join(plan.sampled, join(plan.sampled, tally(2), first), second)
        assert (found.counts.tolist(), erased_of(found)) == ([0, 1, 1, 1], {FIRST: 1})
        assert sources_of(found)[FIRST].n == 2


@pytest.mark.parametrize(
    "erased", [[], {FIRST: 0}, {FIRST: -1}, {FIRST: True}, {FIRST: 1.0}, {FIRST: 2**53}, {"b" * 32: 1}, None]
)
def test_a_file_that_says_anything_else_of_erasures_is_damaged(plan, erased):
    tally = plan.sampled.tally(np.array([1], dtype=np.uint64))
    document = json.loads(aggregate_text(plan, with_sources(plan.sampled.tally([]), {FIRST: tally}, {FIRST: 3})))
    assert document["erased"] == {FIRST: 3}
    with pytest.raises(SordinoError, match="how many reports were taken back"):
        aggregate_of(plan, {**document, "erased": erased}, "a file")
