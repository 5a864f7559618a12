"""Holm's correction against its own steps."""

import numpy as np

from sordino.estimation.tests import adjust_p_values


def test_holm_rejects_what_the_steps_reject():
    generator = np.random.default_rng(1)
    for count in (1, 2, 7):
        values = generator.random(count) ** 3
        order, rejected = np.argsort(values), np.zeros(count, dtype=np.bool_)
        for step, place in enumerate(order):
            if values[place] > 0.05 / (count - step):
                break
            rejected[place] = True
        assert ((adjust_p_values(values) <= 0.05) == rejected).all()
    assert len(adjust_p_values([])) == 0
