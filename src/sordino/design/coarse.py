"""Numbers without their last digits, so that a plan seldom depends on the processor that it was made on.

What is solved (by LAPACK, in whatever order it adds) ends in digits that differ between machines. A design is rounded
to fewer before its integers are made: two machines then make the same plan unless a number lies just between two.
No guarantee depends on it: integers are certified as they are.
"""

from decimal import Context, Decimal, localcontext

import numpy as np

from sordino.exact.floats import Floats

DIGITS = 36
"""Binary, of what is kept of a number."""

PRECISION = 40
"""Of decimals, so that floats made of them are rightly rounded, whatever precision the caller has set."""


def coarse(values: Floats) -> Floats:
    """The values in 36 binary digits: what other libraries found in their own order is one number again.

    Rounding takes differences away unless a value lies just between two of these numbers. Those that a symmetry makes
    equal stay equal, so that ties are broken by their order. A design loses about 1e-10 of its accuracy by it.
    """
    mantissa, exponent = np.frexp(values)
    found: Floats = np.ldexp(np.rint(np.ldexp(mantissa, DIGITS)), exponent - DIGITS)
    return found


def coarse_number(value: float) -> float:
    return float(coarse(np.array(value)))


def exponential(values: Floats) -> Floats:
    """e^x, each correctly rounded; for few values."""
    with localcontext(Context(prec=PRECISION)):
        flat = [float(Decimal(x).exp()) for x in values.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(values.shape)
