"""What the worst believer concludes, by linear programs: a witness for losses under bounds on dependence."""

import numpy as np
import pytest
from scipy.optimize import linprog


def worst_beliefs(first, second, q):
    """The largest ratio P . first / Q . second of laws P and Q within total variation q, by one linear program.

    Charnes and Cooper: P, Q and their distance are scaled so that Q . second is 1.
    """
    # The ratio is that of a code sent more often: of one that is hardly ever sent a solver sees zeros.
    first, second = (np.asarray(part, dtype=float) / np.max(second) for part in (first, second))
    n = len(first)
    # P, Q, the parts by which P is above Q, the scale.
    aim = np.concatenate([-first, np.zeros(2 * n + 1)])
    equal = np.zeros((3, 3 * n + 1))
    equal[0, n : 2 * n] = second
    equal[1, :n], equal[1, -1] = 1, -1
    equal[2, n : 2 * n], equal[2, -1] = 1, -1
    below = np.zeros((n + 1, 3 * n + 1))
    below[:n, :n], below[:n, n : 2 * n], below[:n, 2 * n : 3 * n] = np.eye(n), -np.eye(n), -np.eye(n)
    below[n, 2 * n : 3 * n], below[n, -1] = 1, -q
    found = linprog(aim, A_ub=below, b_ub=np.zeros(n + 1), A_eq=equal, b_eq=[1, 0, 0], method="highs")
    assert found.status == 0
    return -found.fun


@pytest.fixture
def worst_loss():
    """What codes tell of attribute i to the worst believer within q of the rest.

    Takes the probabilities of the codes, shape (2, ..., 2, codes), by the signs of the numbers of a record (0 for -1),
    i and q. Two values of the attribute can have the same sign; and of an attribute that is known by a bin alone the
    sign may go with the others in any way, so that each belief has the one that suits it.
    """

    def loss(law, i, q):
        by_own = np.moveaxis(law, i, 0).reshape(2, -1, law.shape[-1])
        # Codes whose probabilities are those of another, but for the names of signs, have the same loss.
        alike = {}
        for code in range(law.shape[-1]):
            column = by_own[:, :, code]
            pairs = np.round(column / column.min(), 9).T.tolist()
            alike[repr(sorted(map(sorted, pairs)))] = column
        return float(np.log(max(worst_beliefs(column.max(axis=0), column.min(axis=0), q) for column in alike.values())))

    return loss
