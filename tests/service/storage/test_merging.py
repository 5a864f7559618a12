"""Tallies of several collectors: each collector's reports count once, whoever hands them on, and however often."""

import json
import sys
from contextlib import contextmanager
from itertools import permutations

import numpy as np
import pytest

from commands import started
from reports_sent import uploaded
from sordino import RefusedError
from sordino.errors import UnavailableError
from sordino.service.storage import collection as tally_table
from sordino.service.storage.store import ReportStore
from sordino.survey.results.aggregate_file import aggregate_of, aggregate_text
from sordino.survey.results.sourced_aggregate import counts_hash, sources_of, unsourced_of, with_sources
from waits import line_of

FIRST, SECOND, THIRD = (digit * 32 for digit in "abc")


def tally(plan, codes):
    return plan.sampled.tally(np.array(codes, dtype=np.uint64))


def of_sources(plan, unsourced=(), **sources):
    """A tally of collectors, by the codes of each."""
    return with_sources(tally(plan, unsourced), {source: tally(plan, codes) for source, codes in sources.items()})


def handed_out(collection):
    """What another collector reads of a collector's file."""
    document = json.loads(aggregate_text(collection.plan, collection.sourced_aggregate))
    return aggregate_of(collection.plan, document, "a file")


def added(parts):
    return sum(part.added for part in parts)


@pytest.fixture
def held(opened, plan):
    return opened(plan).collections[plan.hash]


@pytest.fixture
def several(tmp_path, plan):
    """Makes collectors of one plan, each with a store of its own."""
    stores = []

    def make(count):
        for _ in range(count):
            stores.append(ReportStore.open(tmp_path / f"{len(stores)}.sqlite", plan))
        return [store.collections[plan.hash] for store in stores[-count:]]

    yield make
    for store in stores:
        store.close()


def test_a_later_tally_takes_the_place_of_an_earlier_one(opened, plan, held):
    held.add([uploaded([0, 0])])
    for codes, new, words in (
        ([1, 2, 2], 3, "reports that were not known"),
        ([1, 2, 2], 0, "the tally that is known: nothing was added"),
        ([1, 2, 2, 2, 3], 2, "a later tally than the 3 reports that were known, whose place it takes"),
        ([1, 2, 2], 0, "an earlier tally than the 5 reports that are known: nothing was added"),
    ):
        (part,) = held.merge(of_sources(plan, **{FIRST: codes}))
        assert (part.source, part.reports, part.added, part.outcome) == (FIRST, len(codes), new, words)
    assert held.aggregate.counts.tolist() == [2, 1, 3, 1]
    again = opened(plan).collections[plan.hash]
    assert added(again.merge(of_sources(plan, **{FIRST: [1, 2, 2, 2, 3]}))) == 0
    assert added(again.merge(of_sources(plan, **{FIRST: [0, 1, 2, 2, 2, 3]}))) == 1
    assert again.aggregate.counts.tolist() == [3, 1, 3, 1]


def test_collectors_with_equal_counts_are_both_counted(opened, plan, held):
    held.add([uploaded([1, 2])])
    for source in (FIRST, SECOND):
        assert added(held.merge(of_sources(plan, **{source: [1, 2]}))) == 2
    assert opened(plan).collections[plan.hash].aggregate.counts.tolist() == [0, 3, 3, 0]


def test_a_collectors_own_reports_are_not_taken_back(opened, plan, held):
    held.add([uploaded([0, 0, 1])])
    earlier = held.sourced_aggregate
    held.add([uploaded([3], first=3)])
    for own in (earlier, held.sourced_aggregate):
        with pytest.raises(RefusedError, match="must be of other reports; found this collector's own"):
            held.merge(own)
    handed_back = of_sources(plan, **{held.source: [0, 0, 1], FIRST: [2, 2]})
    parts = {part.source: (part.added, part.outcome) for part in held.merge(handed_back)}
    assert parts[FIRST][0] == 2
    assert parts[held.source] == (0, "this collector's own reports: nothing was added")
    restored = of_sources(plan, **{held.source: [0, 0, 1, 1, 3], FIRST: [2, 2]})
    parts = {part.source: (part.added, part.outcome) for part in held.merge(restored)}
    assert parts[held.source][0] == 0
    assert "more of this collector's own reports than its store has" in parts[held.source][1]
    assert opened(plan).collections[plan.hash].aggregate.counts.tolist() == [2, 1, 2, 1]


def test_a_store_keeps_a_random_id_of_its_own(tmp_path, opened, plan, several, held):
    others = several(2)
    assert len({held.source, *(other.source for other in others)}) == 3
    assert all(len(one.source) == 32 and int(one.source, 16) > 0 for one in (held, *others))
    assert opened(plan).collections[plan.hash].source == held.source


def test_what_is_handed_on_by_several_collectors_is_counted_once(several):
    for order in permutations(range(3)):
        a, b, c = several(3)
        for place, (one, codes) in enumerate(((a, [0, 1]), (b, [1, 1, 2]), (c, [3]))):
            one.add([uploaded(codes, first=10 * place)])
        early = handed_out(b)
        a.merge(early)
        b.add([uploaded([3, 3], first=20)])
        # What A hands on has the earlier tally of B.
        files = [handed_out(a), handed_out(b), early]
        for place in order:
            c.merge(files[place])
        whole = [1, 3, 1, 3]
        assert c.aggregate.counts.tolist() == whole, order
        for one in (a, b):
            one.merge(handed_out(c))
            assert one.aggregate.counts.tolist() == whole
            assert handed_out(one).sources.keys() == {a.source, b.source, c.source}


def test_reports_and_tallies_that_go_any_way_are_counted_once(several):
    """Uploads and merges in random order: at any time each counts no more than there are, and at the end all."""
    rng = np.random.default_rng(5)
    collectors, sent = several(5), np.zeros(4, dtype=np.int64)
    files = []
    for step in range(150):
        one = collectors[rng.integers(5)]
        match rng.integers(3):
            case 0:
                codes = rng.integers(0, 4, size=3)
                one.add([uploaded(codes, first=1000 * step)])
                sent += np.bincount(codes, minlength=4)
            case 1:
                files.append((one, handed_out(one)))
            case 2 if files:
                origin, file = files[rng.integers(len(files))]
                if origin is not one and file.n:
                    one.merge(file)
        assert (one.aggregate.counts <= sent).all()
    for one in collectors:
        for other in collectors:
            if one is not other:
                one.merge(handed_out(other))
        assert one.aggregate.counts.tolist() == sent.tolist()
        assert unsourced_of(one.sourced_aggregate).n == 0


def test_a_tally_that_neither_holds_the_known_one_nor_is_held_by_it_is_refused_whole(opened, plan, held):
    held.merge(of_sources(plan, **{SECOND: [1, 2]}))
    split = of_sources(plan, **{FIRST: [0], SECOND: [1, 3, 3], THIRD: [0]})
    with pytest.raises(
        RefusedError, match=r"found 2 and 3 reports of b+, of which neither holds the other: its store was copied"
    ):
        held.merge(split)
    for again in (False, True):
        one = opened(plan).collections[plan.hash] if again else held
        assert one.aggregate.counts.tolist() == [0, 1, 1, 0]
        assert sources_of(one.sourced_aggregate).keys() == {SECOND}


def test_a_tally_that_no_collector_took_is_known_by_its_counts_also_where_it_is_handed_on(opened, plan, held, several):
    file = tally(plan, [1, 2, 2])
    (other,) = several(1)
    assert [added(held.merge(file)), added(held.merge(file)), added(other.merge(file))] == [3, 0, 3]
    assert sources_of(held.sourced_aggregate).keys() == {counts_hash(file)}
    other.add([uploaded([0])])
    assert added(held.merge(handed_out(other))) == 1
    held = opened(plan).collections[plan.hash]
    assert held.aggregate.counts.tolist() == [1, 1, 2, 0]
    # Beside those of a collector too.
    assert added(held.merge(of_sources(plan, unsourced=[1, 2, 2], **{THIRD: [3]}))) == 1


def test_a_tally_without_reports_changes_nothing(plan, held):
    assert held.merge(tally(plan, [])) == []
    (part,) = held.merge(of_sources(plan, **{FIRST: []}))
    assert (part.added, part.outcome) == (0, "no reports")
    assert sources_of(held.sourced_aggregate) == {}


def test_more_than_can_be_counted_is_refused_and_reports_still_find_room(opened, plan, held):
    held.add([uploaded([1])])
    one = tally(plan, [0])

    def many(count):
        return with_sources(tally(plan, []), {FIRST: type(one)(one.fingerprint, count, one.counts * count)})

    for count in (2**52 - 1, 2**53, 2**62, 2**63 - 1):
        with pytest.raises(RefusedError, match=r"counts of tallies must add up to less than 2\^52; found \d+: see"):
            held.merge(many(count))
    assert held.aggregate.counts.tolist() == [0, 1, 0, 0]
    assert added(held.merge(many(2**52 - 2))) == 2**52 - 2
    with pytest.raises(RefusedError, match=r"less than 2\^52"):
        held.merge(of_sources(plan, **{SECOND: [0]}))
    again = opened(plan).collections[plan.hash]
    assert again.add([uploaded([1, 2], first=1)])[0].accepted == 2
    assert handed_out(again).counts.tolist() == [2**52 - 2, 2, 1, 0]


def test_a_collector_keeps_a_number_of_sources(plan, held, monkeypatch):
    monkeypatch.setattr(tally_table, "MOST_SOURCES", 2)
    held.merge(of_sources(plan, **{FIRST: [0], SECOND: [1]}))
    with pytest.raises(
        RefusedError, match="at most 2 other sources; found 3: add the tallies up by `sordino aggregate`"
    ):
        held.merge(of_sources(plan, **{THIRD: [2]}))
    assert added(held.merge(of_sources(plan, **{SECOND: [1, 1]}))) == 1
    assert held.aggregate.counts.tolist() == [1, 2, 0, 0]


def test_scrubbed_codes_stay_this_collectors_own(opened, plan, held):
    held.add([uploaded([0, 1, 1])])
    held.merge(of_sources(plan, **{FIRST: [2]}))
    before = handed_out(held)
    assert sum(held.scrub()) == 3
    again = opened(plan).collections[plan.hash]
    again.add([uploaded([3], first=3)])
    assert not again.whole
    own, theirs = (sources_of(again.sourced_aggregate)[source].counts.tolist() for source in (held.source, FIRST))
    assert (own, theirs) == ([1, 2, 0, 1], [0, 0, 1, 0])
    assert sources_of(before)[held.source].counts.tolist() == [1, 2, 0, 0]


def test_a_merge_whose_commit_nobody_knows_is_looked_up(opened, plan, held, monkeypatch):
    database = held._database
    transaction = type(database).transaction

    @contextmanager
    def told_too_late(self):
        with transaction(self):
            yield
        raise UnavailableError("the commit", found="on disk, and no answer")

    monkeypatch.setattr(type(database), "transaction", told_too_late)
    with pytest.raises(UnavailableError):
        held.merge(of_sources(plan, **{FIRST: [1, 1]}))
    monkeypatch.undo()
    assert held.aggregate.counts.tolist() == [0, 2, 0, 0]
    assert added(held.merge(of_sources(plan, **{FIRST: [1, 1]}))) == 0
    assert held.aggregate.counts.tolist() == [0, 2, 0, 0]


MERGING = """
import sys
from pathlib import Path
from sordino.service.storage.store import ReportStore
from sordino.survey.planning.plan import Plan
from sordino.survey.results.sourced_aggregate import with_sources
plan = Plan.load(sys.argv[2])
(held,) = ReportStore.open(Path(sys.argv[1]), plan).collections.values()
none, each = plan.sampled.tally([]), plan.sampled.tally([0, 1])
total = none
for n in range(1, 10**9):
    total += each
    held.merge(with_sources(none, {"a" * 32: total, "b" * 32: total}))
    print(n, flush=True)
"""


def test_a_kill_leaves_a_merge_whole_or_nothing_of_it(tmp_path, plan):
    plan.save(tmp_path / "plan.json")
    path = tmp_path / "reports.sqlite"
    with started([sys.executable, "-c", MERGING, str(path), str(tmp_path / "plan.json")], stderr=None) as process:
        said = [int(line_of(process)) for _ in range(4)]
        process.kill()
        said += [int(line) for line in process.stdout.read().split()]
    store = ReportStore.open(path, plan)
    held = store.collections[plan.hash]
    merged = [own.counts.tolist() for own in sources_of(held.sourced_aggregate).values()]
    assert merged[0] == merged[1]
    assert merged[0] in ([said[-1] + more] * 2 + [0, 0] for more in (0, 1))
    assert held.aggregate.n == 2 * sum(merged[0])
    store.close()
