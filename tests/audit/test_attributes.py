"""Certificates of definitions of single attributes: verdict, slack and witness against all averages and pairs."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import (
    LDP,
    BayesianCoordinateDP,
    ChannelTable,
    CoordinateDP,
    HadamardResponse,
    Nats,
    RandomizedResponse,
    SordinoError,
    SubsetSelection,
)
from sordino.audit.certificate import Witness, certify
from sordino.evidence.finite import ColumnClass, ValueClass

SHAPE = (2, 3)
RECORDS = [*product(range(2), range(3))]
PRIOR = np.array([[Fraction(1, 3), Fraction(1, 6), 0], [Fraction(1, 12), Fraction(1, 4), Fraction(1, 6)]], dtype=object)
AMOUNTS = ["0", "0.1", "ln 2", "1", "2.5"]
BOUNDS = (Fraction(1, 5), Fraction(2, 3))


@st.composite
def channels(draw, least=0):
    codes = draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(st.integers(least, 6), min_size=codes, max_size=codes), min_size=6, max_size=6))
    total = max(1, *map(sum, rows))
    return ChannelTable([[*row, total - sum(row)] for row in rows])


def dense(mechanism):
    """Shape (2, 3, outputs), in fractions."""
    chances = [
        [Fraction(mechanism.weight(x, y), mechanism.denominator) for y in range(mechanism.outputs)] for x in range(6)
    ]
    return np.array(chances, dtype=object).reshape(*SHAPE, -1)


def ratios_by_prior(table, i):
    """(ratio or None, value, other, code) of all conditional averages."""
    weighted = (PRIOR[:, :, None] * table).sum(axis=1 - i)
    means = weighted / PRIOR.sum(axis=1 - i)[:, None]
    for a, b in product(range(len(means)), repeat=2):
        for y in range(table.shape[2]):
            if a != b and means[a, y]:
                yield (means[a, y] / means[b, y] if means[b, y] else None), a, b, y


def ratios_by_bound(table, i):
    """The same for the worst prior within the bound."""
    rows, q = np.moveaxis(table, i, 0), BOUNDS[i]
    for a, b, u, y in product(range(len(rows)), range(len(rows)), range(rows.shape[1]), range(rows.shape[2])):
        if a != b:
            heavy = (1 - q) * rows[a, u, y] + q * max(rows[a, :, y])
            light = (1 - q) * rows[b, u, y] + q * min(rows[b, :, y])
            if heavy:
                yield (heavy / light if light else None), a, b, y


def ratios_of_records(table):
    flat = table.reshape(6, -1)
    for x, z, y in product(range(6), range(6), range(flat.shape[1])):
        if x != z and flat[x, y]:
            yield (flat[x, y] / flat[z, y] if flat[z, y] else None), x, z, y


def left_of(bound, ratio):
    return Nats.log(0) if ratio is None else Nats.of(bound) - Nats.log(ratio)


def require(certificate, candidates):
    """The verdict, and a witness among the tightest candidates: (slack, attribute, value, other, code)."""
    least = min(candidate[0] for candidate in candidates)
    assert certificate.slack == least
    assert certificate.holds == (least.sign() >= 0)
    found = certificate.witness
    tightest = [candidate[1:] for candidate in candidates if candidate[0] == least]
    assert (found.attribute, found.value, found.other, found.code) in tightest
    if found.loss is not None:
        assert certificate.slack + found.loss in {Nats.of(a) for a in AMOUNTS}


@given(channels(), st.lists(st.sampled_from([*AMOUNTS, "inf"]), min_size=2, max_size=2))
def test_certificates_under_a_prior(mechanism, deltas):
    certificate = certify(mechanism, BayesianCoordinateDP.with_prior(deltas, PRIOR))
    table = dense(mechanism)
    candidates = [
        (left_of(delta, ratio), i, a, b, y)
        for i, delta in enumerate(deltas)
        if delta != "inf"
        for ratio, a, b, y in ratios_by_prior(table, i)
    ]
    if candidates:
        require(certificate, candidates)
    else:
        assert (certificate.holds, certificate.witness, certificate.slack) == (True, None, 0)


@given(channels(), st.lists(st.sampled_from(AMOUNTS[:4]), min_size=2, max_size=2), st.sampled_from(AMOUNTS[3:]))
def test_certificates_within_a_bound_cover_whole_records(mechanism, deltas, epsilon):
    definition = BayesianCoordinateDP.bounded(deltas, epsilon, BOUNDS).on(SHAPE)
    table = dense(mechanism)
    candidates = [
        (left_of(delta, ratio), i, a, b, y)
        for i, delta in enumerate(deltas)
        for ratio, a, b, y in ratios_by_bound(table, i)
    ]
    candidates += [(left_of(epsilon, ratio), None, x, z, y) for ratio, x, z, y in ratios_of_records(table)]
    require(certify(mechanism, definition), candidates)


@given(channels(), st.lists(st.sampled_from([*AMOUNTS, "inf"]), min_size=2, max_size=2))
def test_certificates_of_budgets(mechanism, budgets):
    certificate = certify(mechanism, CoordinateDP(budgets).on(SHAPE))
    candidates = []
    for ratio, x, z, y in ratios_of_records(dense(mechanism)):
        differing = [i for i in range(2) if RECORDS[x][i] != RECORDS[z][i]]
        if len(differing) == 1 and budgets[differing[0]] != "inf":
            candidates.append((left_of(budgets[differing[0]], ratio), None, x, z, y))
    if candidates:
        require(certificate, candidates)
    else:
        assert (certificate.holds, certificate.witness) == (True, None)


@given(channels(least=1), st.data())
def test_post_processing_never_lowers_the_slack(mechanism, data):
    group = data.draw(st.lists(st.integers(0, 1), min_size=mechanism.outputs, max_size=mechanism.outputs))
    merged = ChannelTable(
        [[sum(mechanism.weight(x, y) for y, g in enumerate(group) if g == to) for to in range(2)] for x in range(6)]
    )
    for definition in (
        CoordinateDP(["0.1", "1"]).on(SHAPE),
        BayesianCoordinateDP.with_prior(["0.1", "1"], PRIOR),
        BayesianCoordinateDP.bounded(["0.1", "1"], "1", BOUNDS).on(SHAPE),
    ):
        assert certify(merged, definition).slack >= certify(mechanism, definition).slack


@given(channels(least=1))
def test_certificates_agree_with_the_slack_of_each_report(mechanism):
    for definition in (
        CoordinateDP(["0.1", "1"]).on(SHAPE),
        BayesianCoordinateDP.with_prior(["0.1", "1"], PRIOR),
        BayesianCoordinateDP.bounded(["0.1", "1"], "1", BOUNDS).on(SHAPE),
    ):
        slack = certify(mechanism, definition).slack
        codes = [y for y in range(mechanism.outputs) if any(mechanism.weight(x, y) for x in range(6))]
        found = min(definition.slack(mechanism.evidence(code)) for code in codes)
        assert slack.floor() - 1e-12 <= found <= slack.ceil()


@pytest.mark.parametrize("build", [RandomizedResponse, HadamardResponse, SubsetSelection])
def test_mechanisms_in_classes_are_read_output_by_output(build):
    mechanism = build(6, "1")
    table = dense(mechanism)
    for budgets in (["1", "1"], ["0.9", "1"], ["inf", "0.1"]):
        certificate = certify(mechanism, CoordinateDP(budgets).on(SHAPE))
        near = [
            left_of(budgets[i], ratio)
            for ratio, x, z, _ in ratios_of_records(table)
            for i in [[j for j in range(2) if RECORDS[x][j] != RECORDS[z][j]]]
            if len(i) == 1 and budgets[i[0]] != "inf"
            for i in i
        ]
        assert certificate.slack == min(near)
    for i in range(2):
        deltas = ["1" if j == i else "inf" for j in range(2)]
        certificate = certify(mechanism, BayesianCoordinateDP.with_prior(deltas, PRIOR))
        assert certificate.slack == min(left_of("1", ratio) for ratio, *_ in ratios_by_prior(table, i))


@dataclass(frozen=True, init=False)
class InOneClass(ChannelTable):
    """All outputs told as one class: values with the same weights, each in its own order of the outputs."""

    def columns(self) -> Iterator[ColumnClass]:
        rows = np.sort(np.array(self.weights), axis=1)
        parts = [
            ValueClass(np.flatnonzero((rows == row).all(axis=1)), tuple((weight, 1) for weight in row))
            for row in sorted({*map(tuple, rows.tolist())})
        ]
        yield ColumnClass(self.k, self.outputs, 0, tuple(parts))


def test_a_class_does_not_blame_an_attribute_that_its_outputs_do_not_tell():
    # An answer about the first of two bits: each record has both weights in the class, but neighbours have the same.
    mechanism = InOneClass([[3, 1], [3, 1], [1, 3], [1, 3]])
    assert certify(mechanism, LDP("ln 3")).slack == 0
    certificate = certify(mechanism, CoordinateDP(["ln 3", "0"]).on((2, 2)))
    assert (certificate.holds, certificate.slack) == (True, 0)
    fair = np.full((2, 2), 0.25)
    assert certify(mechanism, BayesianCoordinateDP.with_prior(["ln 3", "0"], fair)).slack == 0
    assert not certify(mechanism, BayesianCoordinateDP.with_prior(["1", "0"], fair)).holds


def test_large_mechanisms_are_certified_by_classes_or_refused():
    d, shape = 11, (2,) * 11
    mechanism = HadamardResponse(2**d, "1")
    whole = certify(mechanism, LDP("1"))
    certificate = certify(mechanism, CoordinateDP(["1"] * d).on(shape))
    assert (certificate.holds, certificate.slack) == (True, whole.slack)
    first, second = certificate.witness.value, certificate.witness.other
    assert (first ^ second).bit_count() == 1
    broken = certify(mechanism, CoordinateDP(["1"] * (d - 1) + ["0.9"]).on(shape))
    assert not broken.holds
    heavy, light = (mechanism.weight(x, broken.witness.code) for x in (broken.witness.value, broken.witness.other))
    assert certificate.witness.loss == broken.witness.loss == Nats.log(Fraction(heavy, light))
    with pytest.raises(SordinoError, match="one by one"):
        certify(mechanism, BayesianCoordinateDP.bounded(["1"] * d, "1", 0.1).on(shape))


def test_definitions_without_sizes_or_with_others_are_refused():
    mechanism = ChannelTable([[1], [1], [1], [1]])
    for definition in (CoordinateDP(["1", "1"]), BayesianCoordinateDP.bounded(["1", "1"], "1", 0)):
        with pytest.raises(SordinoError, match=r"call .on\(record\)"):
            certify(mechanism, definition)
        with pytest.raises(SordinoError, match="6 values; found 4"):
            certify(mechanism, definition.on((2, 3)))
    with pytest.raises(SordinoError, match="6 values; found 4"):
        certify(mechanism, BayesianCoordinateDP.with_prior(["1", "1"], PRIOR))


def test_a_single_record_has_nothing_to_tell():
    mechanism = ChannelTable([[1, 2]])
    for definition in (
        CoordinateDP(["1", "1"]).on((1, 1)),
        BayesianCoordinateDP.with_prior(["1", "1"], [[1]]),
        BayesianCoordinateDP.bounded(["1", "1"], "1", 0.5).on((1, 1)),
    ):
        certificate = certify(mechanism, definition)
        assert (certificate.holds, certificate.witness) == (True, None)


def test_witnesses_of_values_name_no_attribute():
    assert certify(RandomizedResponse(3, "1"), LDP("1")).witness.attribute is None
    assert Witness(0, 1, 2, None) == Witness(0, 1, 2, None, None)
    assert math.isclose(float(certify(RandomizedResponse(3, "1"), LDP("1")).slack), 0, abs_tol=1e-18)
