"""What is given to a public name where something else is meant: one clear error instead of whatever fails inside.

A call that fails for a reason of Python's own is looked at again: an argument that is not of the kind that its
annotation names is what was wrong. Calls that succeed cost nothing more, and a failure with fitting arguments is a
defect of ours, and stays what it is.
"""

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from itertools import islice
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from sordino.errors import SordinoError
from sordino.extras import missing_extra

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
    """The first argument that does not fit, or a call with too many or too few."""
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
    """What a protocol asks for."""
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
