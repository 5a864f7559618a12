"""Clear errors for wrong arguments, short texts of large objects, and numbers as people write them.

A call that fails for a reason of Python's own is looked at again: an argument that is not of the kind that its
annotation names is what was wrong. Calls that succeed cost nothing more, and a failure with fitting arguments is a
defect of ours, and stays what it is.

Numbers as people write them, read exactly, and refused at once where they are absurd.

"1e999999999" has eleven characters, and a billion digits as a whole number. Every amount of loss and every bound on
dependence is read here, whether it comes from a survey, a plan, a ledger or a program. What is read can be written, and
be read again.
"""

import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from itertools import islice
from math import isfinite
from numbers import Rational, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from sordino.errors import SordinoError
from sordino.extras import missing_extra
from sordino.printable import shorten_text

P = ParamSpec("P")

R = TypeVar("R")

C = TypeVar("C", bound=type)

RAW = (TypeError, AttributeError, ValueError, KeyError, IndexError, OverflowError)
"""What Python says of an argument of another kind."""

MOST_ITEMS = 1000
"""Items of a collection that are looked at."""

KINDS: dict[Any, Any] = {float: (float, int, np.floating, np.integer), int: (int, np.integer)}
"""What counts as a number."""

NAMES = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "True or False",
    Path: "a path",
    NoneType: "None",
    Sequence: "a sequence",
    Mapping: "a table",
    dict: "a table",
    list: "a list",
}
"""Kinds as people call them."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """A public function whose arguments of another kind are named.

    Example:
        >>> @checked
        ... def double(k: int) -> int:
        ...     return k.bit_length() * 2
        >>> double("x")
        Traceback (most recent call last):
            ...
        sordino.errors.SordinoError: k of double must be a whole number; found a str.
    """
    return _watch(function, function.__qualname__)


def checked_class(cls: C) -> C:
    """A public class whose constructor names arguments of another kind."""
    constructor: Callable[..., None] = vars(cls).get("__init__") or inspect.getattr_static(cls, "__init__")
    setattr(cls, "__init__", _watch(constructor, cls.__name__))  # noqa: B010 - mypy forbids the plain assignment
    return cls


def _watch(function: Callable[P, R], name: str) -> Callable[P, R]:
    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except SordinoError:
            raise
        except ModuleNotFoundError as error:
            if missing := missing_extra(error):
                raise missing from None
            raise
        except RAW:
            wrong = _wrong(function, name, args, kwargs)
            if wrong is None:
                raise
            raise wrong from None

    return call


def _wrong(function: Callable[..., Any], name: str, args: Any, kwargs: Any) -> SordinoError | None:
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        taken = [parameter for parameter in signature.parameters if parameter not in ("self", "cls")]
        return SordinoError(f"{name} takes {', '.join(taken)}", found=str(error))
    for parameter, value in given.items():
        hint = _hint(function, parameter)
        if not _fits(value, hint):
            rule = f"{parameter} of {name} must be {_words(hint)}"
            return SordinoError(rule, found="None" if value is None else f"a {type(value).__name__}")
    return None


def _hint(function: Callable[..., Any], parameter: str) -> Any:
    """What a parameter is declared as; anything where that cannot be told."""
    inner = inspect.unwrap(function)

    def only() -> None: ...

    only.__annotations__ = {name: hint for name, hint in inspect.get_annotations(inner).items() if name == parameter}
    try:
        return get_type_hints(only, getattr(inner, "__globals__", {})).get(parameter, Any)
    except NameError:
        return Any


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the kind that an annotation names, as far as that can be seen."""
    hint = _alias_value(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    kind = KINDS.get(hint, origin or hint)
    if hint is Any or not isinstance(kind, type | tuple):
        return True
    if isinstance(value, bool):
        return kind is bool or kind is object
    if getattr(kind, "_is_protocol", False):
        return _members(kind) <= {*dir(type(value)), *getattr(value, "__dict__", ())}
    return isinstance(value, kind) and _items_fit(value, origin, inner)


def _alias_value(hint: Any) -> Any:
    """What an alias by the statement `type` of Python 3.12 stands for, as numpy has them there."""
    kind = getattr(typing, "TypeAliasType", None)
    while kind is not None and kind in (type(hint), type(get_origin(hint))):
        whole = hint.__value__
        hint = whole if type(hint) is kind else whole[get_args(hint)]
    return hint


def _members(protocol: Any) -> set[str]:
    own = [cls for cls in protocol.__mro__ if getattr(cls, "_is_protocol", False) and cls.__module__ != "typing"]
    names = {name for cls in own for name in (*vars(cls), *inspect.get_annotations(cls))}
    return {name for name in names if not name.startswith("_")}


def _items_fit(value: Any, origin: Any, inner: tuple[Any, ...]) -> bool:
    if origin is None or not inner or isinstance(value, np.ndarray):
        return True
    if isinstance(value, Mapping) and len(inner) == 2:
        return all(_fits(key, inner[0]) and _fits(item, inner[1]) for key, item in islice(value.items(), MOST_ITEMS))
    if isinstance(value, tuple) and origin is tuple and inner[-1] is not Ellipsis:
        return len(value) == len(inner) and all(map(_fits, value, inner))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return all(_fits(item, inner[0]) for item in islice(value, MOST_ITEMS))
    return True


def _words(hint: Any) -> str:
    hint = _alias_value(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_words, inner)))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is np.ndarray:
        return "an array"
    kind = origin or hint
    name = NAMES.get(kind) or f"a {getattr(kind, '__name__', str(kind))}"
    return f"{name} of {_words(inner[0]).split(' ', 1)[-1]}s" if kind in (Sequence, list) and inner else name


MOST_DIGITS = 401
"""Largest number of decimal digits of a numerator or denominator: from 1e-400 to 1e400."""

LONGEST_TEXT = 1000
"""Largest number of characters of a number; with more it has more digits than are read, or zeros that say nothing."""

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?", re.ASCII)
"""A decimal number as everybody reads it: no underscores, no digits of other scripts."""

_TOO_LARGE = 10**MOST_DIGITS


def read_rational(number: object) -> Fraction:
    """A number exactly: a text like "0.25", "1e-6" or "1/3", a whole number, a fraction, a float's shortest decimal.

    Example:
        >>> read_rational("1/3"), read_rational(0.1), read_rational("1e-6")
        (Fraction(1, 3), Fraction(1, 10), Fraction(1, 1000000))
    """
    if isinstance(number, bool):
        raise _absurd(number)
    if isinstance(number, Rational):
        # Another library's whole numbers may be of 64 bits only.
        value = Fraction(int(number.numerator), int(number.denominator))
    elif isinstance(number, Real):
        value = _quotient(repr(float(number)))
    elif isinstance(number, str | Decimal):
        value = _quotient(str(number))
    else:
        raise _absurd(number)
    return require_short(value)


def exact_value(number: object) -> Fraction:
    """A float as the binary fraction that it is, anything else as it is written.

    Raises:
        SordinoError: another thing, no finite number, or one of more than 401 digits.
    """
    if isinstance(number, float) and isfinite(number):
        return Fraction(number)
    return read_rational(number)


def require_short(number: Fraction) -> Fraction:
    """The same number, if it can be written and read again."""
    if abs(number.numerator) >= _TOO_LARGE or number.denominator >= _TOO_LARGE:
        digits = max(abs(number.numerator), number.denominator).bit_length() * 30103 // 100000 + 1
        step = "round it"
        raise SordinoError(f"a number must have at most {MOST_DIGITS} digits", found=f"about {digits:,}", step=step)
    return number


def _quotient(text: str) -> Fraction:
    """A decimal, or a quotient of two."""
    parts = [part.strip() for part in text.split("/", 2)]
    if len(parts) > 2 or not all(len(part) <= LONGEST_TEXT and NUMBER.fullmatch(part) for part in parts):
        raise _absurd(text)
    numbers = [Decimal(part) for part in parts]
    if not all(abs(number.adjusted()) < MOST_DIGITS for number in numbers) or (len(numbers) > 1 and not numbers[1]):
        raise _absurd(text)
    return Fraction(numbers[0]) / (Fraction(numbers[1]) if len(numbers) > 1 else 1)


def _absurd(number: object) -> SordinoError:
    return SordinoError(f"a number must be finite, of at most {MOST_DIGITS} digits", found=shown(number))


MOST = 6
"""Items that are printed of a collection; of a longer one the first three."""

LONGEST_REPR = 200
"""Characters of one item."""

MOST_SHOWN = 80
"""Characters of what was found in a message."""


class Brief:
    """A dataclass whose text leaves out what is long; it is declared with `repr=False`."""

    def __repr__(self) -> str:
        shown = (f"{own.name}={brief(getattr(self, own.name))}" for own in fields(self) if own.repr)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(shown)})"


def brief(value: Any) -> str:
    """A value as `repr` has it, without what is long.

    Example:
        >>> brief(np.zeros(400)), brief((1, 2)), brief(tuple(range(100)))
        ('<400 float64>', '(1, 2)', '(0, 1, 2, ... 100 in all)')
    """
    if isinstance(value, np.ndarray) and value.size > MOST:
        return f"<{' x '.join(map(str, value.shape))} {value.dtype}>"
    if isinstance(value, Mapping) and len(value) > MOST:
        return f"<{len(value)} entries>"
    if type(value) in (tuple, list):
        items = [brief(item) for item in islice(value, 3 if len(value) > MOST else None)]
        rest = [f"... {len(value)} in all"] if len(value) > MOST else []
        text = ", ".join(items + rest) + ("," if len(value) == 1 and isinstance(value, tuple) else "")
        return f"({text})" if isinstance(value, tuple) else f"[{text}]"
    return shorten_text(_text_of(repr, value), LONGEST_REPR)


def shown(thing: Any) -> str:
    """What was found, for a message: a text in quotation marks, numbers as people write them, long collections in part.

    Every message that says what a caller gave says it by this: it fails for nothing, and is never long.

    Example:
        >>> from fractions import Fraction
        >>> shown("x" * 100)[-5:], shown(Fraction(1, 3)), shown(10**5000), shown([1, 2])
        ('xx...', '1/3', 'a number of thousands of digits', '[1, 2]')
    """
    inside = isinstance(thing, str | bytes | tuple | list | Mapping | np.ndarray)
    return shorten_text(brief(thing) if inside else _text_of(str, thing), MOST_SHOWN)


def _text_of(write: Callable[[Any], str], value: Any) -> str:
    try:
        return write(value)
    except ValueError:
        return "a number of thousands of digits"


def kind(thing: object) -> str:
    return "None" if thing is None else f"a {type(thing).__name__}"
