"""A part of the people between 0 and 1, as a survey writes it and a plan holds it: a decimal text of bounded length."""

from decimal import Decimal, InvalidOperation

from sordino.errors import SordinoError
from sordino.exact.messages.brief import shown

DIGITS = 12
"""After the point, at most."""


def read_part_of_people(given: object, what: str, step: str) -> str:
    """A part of the people between 0 and 1, as a decimal text without an exponent.

    Args:
        given: a number, or its text.
        what: it is, for messages.
        step: the advice then.

    Raises:
        SordinoError: something else, one of the ends, or too many digits.
    """
    try:
        number = Decimal(given if isinstance(given, str) else repr(given))
    except InvalidOperation:
        raise SordinoError(f"{what} must be a number between 0 and 1", found=shown(given), step=step) from None
    if not (number.is_finite() and 0 < number < 1):
        raise SordinoError(f"{what} must lie between 0 and 1, neither of them itself", found=shown(given), step=step)
    if -int(number.normalize().as_tuple().exponent) > DIGITS:
        raise SordinoError(f"{what} must have at most {DIGITS} digits", found=shown(given), step="round it")
    return f"{number.normalize():f}"
