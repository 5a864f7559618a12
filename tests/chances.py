"""What one-bit questions about records answer, from the whole numbers that their words are compared with."""

import numpy as np


def chances(query, records):
    """Pr(1 | record) of each record, exactly."""
    return [query.law(record)[1] for record in np.asarray(records, dtype=np.float64)]
