"""Words that are the same in every run."""

import numpy as np
import pytest

from sordino import KeyedSource


@pytest.fixture(scope="session")
def fixed():
    """A function of a number of people, and of a task, to words for each of them."""
    return lambda n, task="test": KeyedSource(bytes(range(32)), task).for_records(np.arange(n))
