"""Evidence by factors against the whole table: every small product, with impossible records, and outer bounds."""

import itertools
import math

import numpy as np
import pytest

from sordino import SordinoError
from sordino.evidence import elimination, factored
from sordino.evidence.elimination import best_sum, combine_tables, gather_tables
from sordino.evidence.factored import Factor, FactoredEvidence


def random_evidence(rng):
    """Factors on some attributes, and the table that they add up to."""
    d = int(rng.integers(1, 5))
    shape = tuple(int(size) for size in rng.integers(1, 4, d))
    evidence, table = FactoredEvidence(shape), np.zeros(shape)
    for _ in range(rng.integers(1, 6)):
        places = tuple(sorted(rng.choice(d, rng.integers(1, d + 1), replace=False).tolist()))
        log = np.log(rng.random([shape[place] for place in places]))
        if rng.random() < 0.4:
            log[rng.random(log.shape) < 0.15] = -np.inf
        evidence = evidence.plus(Factor(places, log, 1e-15))
        table = table + log.reshape([shape[place] if place in places else 1 for place in range(d)])
    return evidence, table


def whole_loss(table):
    return math.inf if np.isneginf(table).any() else float(table.max() - table.min())


def coordinate_loss(table, place):
    most = 0.0
    for column in np.moveaxis(table, place, 0).reshape(table.shape[place], -1).T:
        for heavy, light in itertools.permutations(column.tolist(), 2):
            if heavy > -math.inf:
                most = max(most, heavy - light)
    return most


def eliminated(monkeypatch):
    """Attributes one by one, also where it is less work to list all that they can be."""
    monkeypatch.setattr(factored, "LISTED", 0)
    monkeypatch.setattr(factored, "work", lambda *_: 0)


@pytest.mark.parametrize("rounds", [60, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("limit", [1 << 20, 4])
def test_losses_are_those_of_the_whole_table(limit, listed, rounds, monkeypatch):
    monkeypatch.setattr(factored, "LARGEST_SUM", limit)
    if not listed:
        eliminated(monkeypatch)
    rng, seen = np.random.default_rng(limit), 0
    for _ in range(rounds):
        evidence, table = random_evidence(rng)
        assert evidence.is_impossible <= bool(np.isneginf(table).all())
        if np.isneginf(table).all():
            continue
        seen += 1
        found = [(evidence.loss, whole_loss(table))]
        found += [(evidence.coordinate_loss(place), coordinate_loss(table, place)) for place in range(table.ndim)]
        for (lower, upper), true in found:
            assert lower <= true <= upper
            if limit > 4:
                assert upper == true == math.inf or upper - lower < 1e-12
    assert seen > 3 / 4 * rounds


@pytest.mark.parametrize("rounds", [100, pytest.param(400, marks=pytest.mark.long)])
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("limit", [1 << 20, 4])
def test_one_search_bounds_the_loss_with_each_of_many_factors(limit, listed, rounds, monkeypatch):
    """As the whole table with each of them; outward where sums are too large, or nothing."""
    monkeypatch.setattr(factored, "LARGEST_SUM", limit)
    if not listed:
        eliminated(monkeypatch)
    rng, seen = np.random.default_rng(limit), 0
    for _ in range(rounds):
        evidence, table = random_evidence(rng)
        places = tuple(sorted(rng.choice(table.ndim, rng.integers(1, table.ndim + 1), replace=False).tolist()))
        sizes = [table.shape[place] for place in places]
        logs = [np.log(rng.random(sizes)) for _ in range(3)]
        found = evidence.losses_with([Factor(places, log, 1e-15) for log in logs])
        if found is None:
            assert limit == 4 or np.isneginf(table).any()
            continue
        seen += 1
        wide = [size if place in places else 1 for place, size in enumerate(table.shape)]
        for (lower, upper), log in zip(found, logs, strict=True):
            true = whole_loss(table + log.reshape(wide))
            assert lower <= true <= upper
            if limit > 4:
                assert true == upper == math.inf or upper <= lower + 1e-12
    assert seen > rounds / 4


def test_small_tables_bound_outward_and_large_ones_attain():
    rng = np.random.default_rng(5)
    tables = [((i, j), rng.normal(size=(2, 2))) for i, j in itertools.combinations(range(6), 2)]
    total = sum(array.reshape([2 if place in places else 1 for place in range(6)]) for places, array in tables)
    exact = [best_sum(tables, side) for side in ("max", "min")]
    assert [found.exact for found in exact] == [True, True]
    np.testing.assert_allclose([found.value for found in exact], [total.max(), total.min()], rtol=1e-12)
    loose = [best_sum(tables, side, limit=4) for side in ("max", "min")]
    assert [found.exact for found in loose] == [False, False]
    assert loose[0].value > total.max() + 0.1
    assert loose[1].value < total.min() - 0.1


def test_fifty_attributes_in_a_chain():
    """A chain's largest sum by passing the best along it, value by value."""
    rng = np.random.default_rng(7)
    links = [np.log(rng.random((2, 2))) for _ in range(49)]
    evidence = FactoredEvidence((2,) * 50)
    for i, link in enumerate(links):
        evidence = evidence.plus(Factor((i, i + 1), link, 1e-16))
    best = [np.zeros(2), np.zeros(2)]
    for link in links:
        best = [(best[0][:, None] + link).max(axis=0), (best[1][:, None] + link).min(axis=0)]
    lower, upper = evidence.loss
    assert lower <= best[0].max() - best[1].min() <= upper <= lower + 1e-9
    assert len(evidence.components) == 1


def test_factors_on_the_same_attributes_are_one_and_cancel():
    told = np.log([0.75, 0.25])
    evidence = FactoredEvidence((2, 2, 2))
    for step in range(100):
        evidence = evidence.plus(Factor((1,), told if step % 2 else told[::-1], 1e-16))
    ((only,),) = [part.factors for part in evidence.components]
    assert only.places == (1,)
    assert evidence.loss[1] < 1e-12
    assert evidence.coordinate_loss(0) == (0.0, 0.0)


def test_factors_that_do_not_fit_are_refused():
    evidence = FactoredEvidence((2, 3))
    for places, shape in (((0,), (3,)), ((1, 0), (3, 2)), ((0, 0), (2, 2)), ((2,), (2,)), ((0, 1), (2,))):
        with pytest.raises(SordinoError, match="axis for each"):
            evidence.plus(Factor(places, np.zeros(shape), 0.0))


def test_many_tables_are_summed_in_any_order(monkeypatch):
    """As numpy adds them all, one after the other."""
    rng = np.random.default_rng(8)
    sizes = (3, 2, 2, 3, 1, 2, 2)
    scopes = [places for n in range(4) for places in itertools.combinations(range(7), n)]
    tables = [(places, rng.integers(-9, 9, [sizes[place] for place in places])) for places in scopes[::2]]
    whole = sum(
        array.reshape([sizes[place] if place in places else 1 for place in range(7)]) for places, array in tables
    )
    for large in (0, 8, 1 << 20):
        monkeypatch.setattr(elimination, "LARGE", large)
        scope, total = combine_tables(tables)
        assert scope == tuple(range(7))
        np.testing.assert_array_equal(total, whole)


def test_the_work_is_that_of_the_sums_of_an_elimination(monkeypatch):
    rng, done = np.random.default_rng(9), []
    tables = [(places, rng.random([2] * len(places))) for places in itertools.combinations(range(9), 2)][::3]

    def counted(group):
        scope, total = combine_tables(group)
        done.append(total.size)
        return scope, total

    monkeypatch.setattr(elimination, "combine_tables", counted)
    for kept in ((), (0, 3)):
        done.clear()
        elimination.best_table(tables, kept, np.maximum.reduce)
        # The last sum is of what is left.
        assert elimination.work(tables, kept, 10**6) == sum(done[:-1]) > 9
        sizes = {places: array.shape for places, array in tables}
        assert elimination.fits(sizes, kept, max(done[:-1]))
        assert not elimination.fits(sizes, kept, max(done[:-1]) - 1)
    assert elimination.work(tables, (), 10) > 10


def test_the_loss_that_is_carried_is_no_less():
    """By what each report can tell, and from what is known of the loss so far."""
    rng = np.random.default_rng(31)
    for _ in range(40):
        evidence, table = random_evidence(rng)
        assert evidence.most >= whole_loss(table)
        assert evidence.loss[1] >= whole_loss(table)
        if math.isfinite(evidence.most):
            own = np.log(rng.random(evidence.shape[:1]))
            after = evidence.below(evidence.loss[1]).plus(Factor((0,), own, 1e-15))
            assert after.most >= whole_loss(table + own.reshape(-1, *[1] * (table.ndim - 1)))


def test_gathered_tables_have_the_same_sum():
    """Whatever the sizes of the attributes and of the sums; no sum is larger than was allowed."""
    rng = np.random.default_rng(32)
    for entries in (4, 16, 64):
        sizes = rng.integers(2, 4, 7)
        tables = []
        for _ in range(30):
            places = tuple(sorted(rng.choice(7, rng.integers(1, 4), replace=False).tolist()))
            tables.append((places, rng.random([sizes[place] for place in places])))
        found = gather_tables(tables, entries)
        assert len(found) <= len(tables)
        np.testing.assert_allclose(combine_tables(found)[1], combine_tables(tables)[1], atol=1e-12)
        assert all(array.size <= max(entries, 9) for places, array in found if len(places) < 3)


def test_many_tables_are_bounded_outward(monkeypatch):
    """Where no exact result can be afforded, with small tables put together first: against all records."""
    monkeypatch.setattr(factored, "LARGEST_SUM", 1 << 8)
    monkeypatch.setattr(factored, "AFFORDED", 1)
    monkeypatch.setattr(factored, "MANY", 2)
    monkeypatch.setattr(factored, "GATHERED", 16)
    monkeypatch.setattr(factored, "ROUGH", 16)
    rng = np.random.default_rng(33)
    evidence, table = FactoredEvidence((2,) * 10), np.zeros((2,) * 10)
    for places in itertools.combinations(range(10), 2):
        log = np.log(rng.random((2, 2)))
        evidence = evidence.plus(Factor(places, log, 0.0))
        table = table + log.reshape([2 if place in places else 1 for place in range(10)])
    lower, upper = evidence.loss
    assert lower <= whole_loss(table) <= upper
    for span in evidence.losses_with([Factor((0, 1), np.zeros((2, 2)), 0.0)]):
        assert span[0] <= whole_loss(table) <= span[1]
