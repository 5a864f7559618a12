"""Ten thousand reports of every golden plan: browser client and package give the same codes for the same words."""

import numpy as np
import pytest

from client_codes import compare_codes
from golden_people import NAMES, golden_text
from sordino import Plan

pytestmark = pytest.mark.live


@pytest.mark.parametrize("name", NAMES)
def test_the_same_words_give_the_same_codes(tmp_path, name):
    plan = Plan.of_text(golden_text(name), name)
    compare_codes(plan, tmp_path, np.random.default_rng(len(name)))
