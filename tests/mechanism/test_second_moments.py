"""What reports add to linear functionals of the shares, alone and two together: against every code by itself."""

import numpy as np
import pytest
from tests.conftest import KINDS, kinds, make_channel

from sordino.estimation.unbiased import estimate_shares

SIZES = (2, 3, 5, 9)

LEFT_OUT = ("linear", "window", "window-3")
"""Channels that tell a mean otherwise than by its values."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in LEFT_OUT])
def test_functionals_and_their_products_are_those_of_every_code(kind):
    rng = np.random.default_rng(7)
    for k in kinds(SIZES)[kind]:
        mechanism = make_channel(kind, k, "1").mechanism
        if not mechanism.informative or mechanism.outputs > 1 << 12:
            continue
        channel, functionals = mechanism.probabilities(), rng.normal(size=(3, k))
        sent = np.flatnonzero(channel.any(axis=0))
        law = rng.dirichlet(np.ones(k)) @ channel[:, sent]
        tallies = [mechanism.tally(np.array([code], dtype=np.uint64)).counts for code in sent]
        for subtract_totals in {False, mechanism.excess is not None}:
            added = np.stack(
                [estimate_shares(mechanism, one, subtract_totals=subtract_totals) for one in tallies], axis=1
            )
            codes = functionals @ added
            found = mechanism.second_moments(functionals, law @ tallies, subtract_totals=subtract_totals)
            np.testing.assert_allclose(found, (codes * law) @ codes.T, rtol=1e-8, atol=1e-8)
            weights = mechanism.square_weights(functionals, subtract_totals=subtract_totals)
            np.testing.assert_allclose(weights @ (law @ tallies), codes**2 @ law, rtol=1e-8, atol=1e-8)
            each = mechanism.adjoint(weights)
            np.testing.assert_allclose(each, codes**2 @ channel[:, sent].T, rtol=1e-8, atol=1e-8)
        if mechanism.counts_codes:
            plain = np.stack([estimate_shares(mechanism, one) for one in tallies], axis=1)
            np.testing.assert_allclose(mechanism.code_values(functionals[0])[sent], functionals[0] @ plain, atol=1e-8)
