"""Products of channels against the Kronecker product of their dense channels."""

from fractions import Fraction

import numpy as np
import pytest

from sordino import (
    ChannelTable,
    MetricLDP,
    Nats,
    ProductResponse,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
    TreeResponse,
)
from sordino.audit.certificate import certify
from sordino.document.codec import decode, encode
from sordino.estimation.share_estimate import estimate
from sordino.mechanism.base import Mechanism
from sordino.testing import check_mechanism

LINE = MetricLDP.line([0, 2, 3], "1")
STAR = MetricLDP.tree([None, 0, 0], "ln 2")
TABLE = ChannelTable([[5, 2, 1], [2, 4, 2], [1, 2, 5]])
PRODUCTS = {
    "grid": (MetricLDP.grid(3, 4, "1/2", "ln 2"), lambda a, b: [TreeResponse(a), TreeResponse(b)]),
    "one row": (MetricLDP.grid(1, 4, 1, 1), lambda _, b: [RandomizedResponse(1, 1), TreeResponse(b)]),
    "one column": (MetricLDP.grid(4, 1, 1, 1), lambda a, _: [TreeResponse(a), RandomizedResponse(1, 1)]),
    "three axes": (
        MetricLDP.product([LINE, STAR, MetricLDP.line(2, 1)]),
        lambda a, b, c: [TreeResponse(a), TreeResponse(b), TreeResponse(c)],
    ),
    "of several kinds": (
        MetricLDP.product([MetricLDP.line(3, "ln 2.5"), STAR]),
        lambda _, b: [TABLE, RandomizedResponse(3, b.least)],
    ),
}


def made(name):
    metric, parts = PRODUCTS[name]
    return metric, ProductResponse(parts(*(MetricLDP((axis,)) for axis in metric.axes)))


@pytest.fixture(params=PRODUCTS)
def both(request):
    return made(request.param)


def test_all_parts_are_those_of_its_weights(both):
    metric, mechanism = both
    check_mechanism(mechanism, metric)


def test_it_is_the_kronecker_product(both):
    _, mechanism = both
    dense = np.ones((1, 1))
    for part in mechanism.parts:
        dense = np.kron(dense, part.probabilities())
    codes, whole = range(mechanism.outputs), mechanism.denominator
    found = [[mechanism.weight(value, code) / whole for code in codes] for value in range(mechanism.k)]
    np.testing.assert_allclose(found, dense, rtol=1e-14)


def test_estimates_are_those_of_the_dense_channel(both):
    _, mechanism = both
    dense = np.linalg.inv(mechanism.probabilities()).T
    scale = np.abs(dense).max()
    for found, expected in zip(mechanism.contribution_range, (dense.min(axis=1), dense.max(axis=1)), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9 * scale)
    numbers = np.arange(mechanism.k) ** 2.0
    np.testing.assert_allclose(mechanism.code_values(numbers), numbers @ dense, rtol=1e-9, atol=1e-7 * scale)
    np.testing.assert_allclose(mechanism.excess, (dense.sum(axis=0) - 1) / mechanism.k, atol=1e-9 * scale)
    expected = Mechanism.squares.func(mechanism)
    for name in ("own", "least", "most"):
        np.testing.assert_allclose(getattr(mechanism.squares, name), getattr(expected, name), rtol=1e-8)


def test_its_certificate_is_that_of_the_dense_table(both):
    metric, mechanism = both
    certificate = certify(mechanism, metric)
    rows = [[mechanism.weight(x, y) for y in range(mechanism.outputs)] for x in range(mechanism.k)]
    first, second, place = metric.edges
    least = min(
        metric.bounds[kind] + Nats.log(Fraction(min(rows[x][y], rows[z][y]), max(rows[x][y], rows[z][y])))
        for x, z, kind in zip(first.tolist(), second.tolist(), place.tolist(), strict=True)
        for y in range(mechanism.outputs)
    )
    assert certificate.holds
    assert certificate.slack == least
    witness = certificate.witness
    assert Nats.log(Fraction(rows[witness.value][witness.code], rows[witness.other][witness.code])) == witness.loss
    assert metric.bound(witness.value, witness.other) - witness.loss == least


def test_a_part_that_is_too_bold_is_found_along_its_axis():
    metric, mechanism = made("grid")
    rows, columns = mechanism.parts
    for place, part, axis in ((0, rows, metric.axes[0]), (1, columns, metric.axes[1])):
        bold = [rows, columns]
        bold[place] = TreeResponse.from_factors(MetricLDP((axis,)), (part.factors[0] - (1 << 40),))
        certificate = certify(ProductResponse(bold), metric)
        assert not certificate.holds
        ends = np.unravel_index([certificate.witness.value, certificate.witness.other], metric.shape)
        assert [abs(int(a - b)) for a, b in ends] == [int(place == 0), int(place == 1)]


class Liar(ProductResponse):
    """Says that it is a product, and is none where its last value sends its last code."""

    def weight(self, value, code):
        weight = super().weight(value, code)
        return 3 * weight if (value, code) == (self.k - 1, self.outputs - 1) else weight


def test_what_only_says_that_it_is_a_product_is_refused():
    metric, mechanism = made("grid")
    with pytest.raises(SordinoError, match="products of its parts'"):
        certify(Liar(mechanism.parts), metric)


def test_a_plan_holds_the_parts_and_the_promise_the_edges(both):
    metric, mechanism = both
    assert decode(encode(mechanism), metric).fingerprint == mechanism.fingerprint
    with pytest.raises(SordinoError, match="promise by distances"):
        decode(encode(mechanism), None)
    with pytest.raises(SordinoError, match="channel for each of 1 axes"):
        decode(encode(mechanism), LINE)


def test_parts_are_about_the_values_of_their_axes():
    _, row = made("one row")
    with pytest.raises(SordinoError, match="values of its axis"):
        decode(encode(row), MetricLDP.grid(2, 4, 1, 1))


def test_what_is_no_product_is_refused():
    with pytest.raises(SordinoError, match=r"among TreeResponse.*found SubsetSelection"):
        ProductResponse([SubsetSelection(6, 1)])
    with pytest.raises(SordinoError, match="must have parts"):
        ProductResponse([])
    with pytest.raises(SordinoError, match="4194304 values and codes"):
        ProductResponse([RandomizedResponse(4000, 1), RandomizedResponse(4000, 1)])


def test_likelihood_goes_along_the_axes():
    metric, mechanism = made("grid")
    shares = np.random.default_rng(2).dirichlet(np.ones(metric.k))
    counts = np.round(1e5 * mechanism.forward(shares)).astype(int)
    aggregate = mechanism.tally(np.repeat(np.arange(12, dtype=np.uint64), counts))
    np.testing.assert_allclose(estimate(mechanism, aggregate, method="likelihood").value, shares, atol=2e-3)
