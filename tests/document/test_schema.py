"""Tables by their annotations: each type takes its own values and no others, and every mistake has its place."""

from abc import ABC, abstractmethod
from fractions import Fraction
from pickle import dumps, loads
from typing import Annotated, Any, ClassVar, Literal

import pytest

from in_one import in_one
from sordino import SordinoError, SordinoErrors
from sordino.document.checked_tables import try_tables
from sordino.document.schema.limits import Convert, OneOf, Parse, ValueLimits
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.exact.messages import shown

MARK = "9141"
"""Stands for what is in a file."""


def _half(found):
    if found == "half":
        return 0.5
    if found == "wrong":
        raise SordinoErrors("the number", [SordinoError("first", found=MARK), SordinoError("second")])
    return found


class Inner(StrictTable):
    low: float
    high: float = 1.0

    def _check(self):
        if not self.low < self.high:
            raise SordinoError("low must be below high", found=shown(self.low))


class Wider(Inner):
    noun: str = "range"


class Lettered(StrictTable, ABC):
    letter: str

    @property
    @abstractmethod
    def name(self):
        """Something."""


class First(Lettered):
    name = "first"


class Second(Lettered):
    second: int
    name = "second"


def _class_of(found):
    letter = found.get("letter") if isinstance(found, dict) else None
    return {"a": First, "b": Second}.get(letter)


class Whole(StrictTable):
    NOT_A_SETTING: ClassVar[int] = 3

    text: str | None = None
    count: Annotated[int, ValueLimits(ge=1, le=9)] | None = None
    number: float | None = None
    finite: float = setting(default=0.0, finite=True, lt=5)
    right: bool = True
    word: Literal["one", "two"] | None = None
    only: Literal[True] | None = None
    names: list[Annotated[str, ValueLimits(min_length=1)]] | None = setting(default=None, min_length=1, max_length=3)
    table: dict[str, int] | None = setting(default=None, min_length=2)
    either: list[str] | int | None = None
    inner: Inner | None = None
    inners: list[Inner] | None = None
    part: Annotated[float, Convert(_half)] | None = None
    share: Annotated[Fraction, Parse(Fraction)] | None = None
    exact: Fraction | None = None
    day: Annotated[str, ValueLimits(pattern=r"^[0-9]{2}$")] | None = None
    letters: list[Annotated[Lettered, OneOf(_class_of, lambda: [First, Second], "a letter")]] | None = None
    anything: Any = None
    fresh: dict[str, int] = setting(default_factory=dict)


def errors(tables, *, private=False):
    read, found = try_tables(Whole, tables, private=private)
    assert read is None
    return [str(error) for error in found]


@in_one(
    "name, value",
    [
        ("text", ""),
        ("count", 9),
        ("number", float("inf")),
        ("right", False),
        ("word", "two"),
        ("only", True),
        ("names", ["a", "b"]),
        ("table", {"a": 1, "b": 2}),
        ("either", ["a"]),
        ("either", 4),
        ("share", Fraction(1, 3)),
        ("exact", Fraction(1, 3)),
        ("day", "07"),
        ("anything", object),
    ],
)
def test_each_type_takes_its_values_as_they_are(name, value):
    read, found = try_tables(Whole, {name: value})
    assert (getattr(read, name), found) == (value, [])


def test_a_whole_number_is_a_number():
    read, _ = try_tables(Whole, {"number": 3, "part": "half", "inner": {"low": 0}})
    assert (read.number, type(read.number), read.part, read.inner.low) == (3.0, float, 0.5, 0.0)
    assert type(read.inner.low) is float


@in_one(
    "name, value, rule",
    [
        ("text", 5, "text must be a text; found 5."),
        ("text", "\ud800", "text must be a text that UTF-8 can hold; found "),
        ("count", True, "count must be a whole number; found True"),
        ("count", 1.0, "count must be a whole number; found 1"),
        ("count", "1", "count must be a whole number"),
        ("count", 0, "count must be at least 1; found 0."),
        ("count", 10, "count must be at most 9; found 10."),
        ("number", True, "number must be a number"),
        ("number", 10**400, "number must be a number"),
        ("number", "1", "number must be a number"),
        ("finite", float("nan"), "finite must be a finite number"),
        ("finite", 5, "finite must be below 5"),
        ("right", 1, "right must be true or false; found 1."),
        ("right", None, "right must be true or false"),
        ("word", "three", "word must be 'one' or 'two'; found 'three'."),
        ("only", 1, "only must be True; found 1."),
        ("names", ("a",), "names must be a list"),
        ("names", [], "names must not be empty; found []"),
        ("names", ["a"] * 4, "names must have at most 3 entries"),
        ("names", ["a", "", 3], "names.1 must not be empty"),
        ("table", [], "table must be a table"),
        ("table", {"a": 1}, "table must have at least 2 entries"),
        ("table", {"a": 1, "b": "c"}, "table.b must be a whole number; found 'c'."),
        ("table", {"a": 1, 2: 3}, "table.2 must be a text; found 2."),
        ("either", "a", "either must be a list or a whole number; found 'a'."),
        ("either", ["a", 5], "either.1 must be a text; found 5."),
        ("inner", 5, "inner must be a table; found 5."),
        ("inner", {}, "inner.low must be given."),
        ("inner", {"low": 4}, "inner: low must be below high; found 4"),
        ("inners", [{"low": 0}, {"low": 4}], "inners.1: low must be below high"),
        ("part", "wrong", "part: first; found 9141."),
        ("exact", 0.5, "exact must be of the type Fraction"),
        ("day", "7", "day must be a text of the form ^[0-9]{2}$; found '7'."),
        ("day", "07\n", "day must be a text of the form"),
        ("day", "\u0660\u0667", "day must be a text of the form"),
        ("letters", [{"letter": "c"}], "letters.0 must be a letter; found {'letter': 'c'}."),
        ("letters", ["a"], "letters.0 must be a letter; found 'a'."),
        ("letters", [{"letter": "b"}], "letters.0.second must be given."),
        ("letters", [{"letter": "a", "second": 1}], "letters.0.second must be a known setting"),
        ("NOT_A_SETTING", 5, "NOT_A_SETTING must be a known setting"),
    ],
)
def test_each_type_refuses_what_it_is_not(name, value, rule):
    first = errors({name: value})[0]
    assert first.startswith(rule), first
    # Of a private file no word is told.
    (quiet, *_) = errors({name: value}, private=True)
    assert "found" not in quiet.replace("found an unknown one", "")


def test_all_mistakes_are_found_and_unknown_settings_come_first():
    tables = {"count": 0, "wrong": 1, "names": ["", 5], "inner": {"low": 4, "more": 2}, "part": "wrong"}
    found = errors(tables)
    assert [text.split(";")[0].split(":")[0] for text in found] == [
        "inner.more must be a known setting",
        "wrong must be a known setting",
        "count must be at least 1",
        "names.0 must not be empty",
        "names.1 must be a text",
        "inner",
        "part",
        "part",
    ]
    private = errors({**tables, "table": {MARK: MARK, "b": 1}}, private=True)
    assert MARK not in " ".join(private)
    assert "table must be a whole number." in private


def test_a_table_is_made_and_refused_like_any_class():
    table = Whole(text="a", inner={"low": 0}, inners=[Wider(low=0)])
    assert table == Whole(text="a", inner=Inner(low=0.0), inners=[Wider(low=0)])
    assert table != Whole(text="a")
    assert repr(table) == (
        "Whole(text='a', finite=0.0, right=True, inner=Inner(low=0.0, high=1.0), "
        "inners=[Wider(low=0.0, high=1.0, noun='range')], fresh={})"
    )
    assert loads(dumps(table)) == table  # noqa: S301
    assert Whole().fresh is not Whole().fresh
    with pytest.raises(SordinoErrors) as caught:
        Whole(text=5, wrong=1)
    assert [str(error).split(" must")[0] for error in caught.value.errors] == ["wrong", "text"]
    with pytest.raises(AttributeError, match="frozen"):
        table.text = "b"
    with pytest.raises(AttributeError, match="frozen"):
        del table.text
    # A table of another class is none of these, one that extends it is.
    assert errors({"inner": First(letter="a")})[0].startswith("inner must be a table")
    with pytest.raises(TypeError, match="abstract"):
        Lettered(letter="a")


def test_what_is_dumped_is_read_again():
    table = Whole(text="a", inner=Wider(low=0), letters=[{"letter": "b", "second": 2}], table={"a": 1, "b": 2})
    words = table.dump(exclude={"inner"})
    assert words == {
        "text": "a",
        "finite": 0.0,
        "right": True,
        "table": {"a": 1, "b": 2},
        "letters": [{"letter": "b", "second": 2}],
        "fresh": {},
    }
    assert Whole(**words) == table.replace(inner=None)
    assert table.dump(include={"inner"}) == {"inner": {"low": 0.0, "high": 1.0, "noun": "range"}}
    assert Whole.from_settings(count=0).count == 0
    assert hash(Inner(low=0)) == hash(Inner(low=0.0))


def test_of_very_many_mistakes_a_message_has_some_and_says_how_many():
    found = SordinoErrors("the file", [SordinoError(f"row {place} must be a number") for place in range(100_000)])
    assert len(found.errors) == 100_000
    assert str(found).startswith("the file has 100000 mistakes:\n  - row 0 must")
    assert str(found).endswith("  - row 99 must be a number.\n  - and 99,900 more")
