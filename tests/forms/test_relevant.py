"""`relevant` is read as conditions, or not at all: held against what Python makes of the same expressions."""

import random
import re
from itertools import product

import pytest

from sordino.forms.survey_text import conditions_of

VALUES = {"a": ["x", "y", "z"], "b": ["1", "2"], "or": ["and", "or"], "n": ["1", "2", "2.0", "not answered"]}
VALUES["two"] = ["x y", "x", "z"]


@pytest.mark.parametrize(
    ("relevant", "found"),
    [
        ("", {}),
        ("${a}='x'", {"a": ("x",)}),
        ('( "x" = ${a} )', {"a": ("x",)}),
        ("${b} = 1", {"b": ("1",)}),
        ("selected( ${a}, 'y') or (${a} = 'x')", {"a": ("x", "y")}),
        ("not(selected(${a},'y'))", {"a": ("x", "z")}),
        ("${a} != 'x' and ${a} != 'y'", {"a": ("z",)}),
        ("(${a} = 'x' or ${a} = 'y') and ${b} = '2'", {"a": ("x", "y"), "b": ("2",)}),
        ("${or} = 'and' and ${a} = 'x'", {"or": ("and",), "a": ("x",)}),
        ("${or} != 'or'", {"or": ("and",)}),
        # Numbers by their size, orders too; an empty text is what people skip; names with blanks are several.
        ("${n} >= 2", {"n": ("2", "2.0")}),
        ("2.0 = ${n}", {"n": ("2", "2.0")}),
        ("'2' > ${n}", {"n": ("1",)}),
        ("${n} != 2", {"n": ("1", "not answered")}),
        ("${n} = '2'", {"n": ("2",)}),
        ("${n} != ''", {"n": ("1", "2", "2.0")}),
        ("${n} = ''", {"n": ("not answered",)}),
        ("selected(${two}, 'x')", {"two": ("x y", "x")}),
        ("selected(${n}, 'not')", None),
        ("selected(${n}, '')", None),
        # Nobody, a number, two attributes of which one is enough, an unknown value, another attribute, a function.
        ("${a} = 'x' and ${a} = 'y'", None),
        ("${c} > 5", None),
        ("${a} = 'x' or ${b} = '1'", None),
        ("${a} = 'x' and ${b} = '1' or ${a} = 'y'", None),
        ("${a} = 'w'", None),
        ("${c} = 'x'", None),
        ("${a} = 'x' or", None),
        ("count-selected(${a}) > 1", None),
        ("(${a} = 'x'", None),
        ("${a} = ${b}", None),
        ("true()", None),
        ("(" * 3000 + ")" * 3000, None),
        ("(" * 900 + ")" * 900, None),
    ],
)
def test_what_can_be_said_is_and_nothing_else(relevant, found):
    assert conditions_of(relevant, VALUES) == found


def expression(draw, depth=0):
    if depth == 2 or draw.random() < 0.4:
        name = draw.choice(["a", "b"])
        value = draw.choice(VALUES[name])
        forms = "${%s} = '%s'", "${%s} != '%s'", "selected(${%s}, '%s')", "not(selected(${%s},'%s'))"
        return draw.choice(forms) % (name, value)
    parts = [expression(draw, depth + 1) for _ in range(draw.randrange(2, 4))]
    word = draw.choice([" and ", " or "])
    # Without parentheses now and then: `and` binds more tightly.
    return word.join(part if draw.random() < 0.3 else f"({part})" for part in parts)


def test_conditions_are_true_of_the_same_people_as_the_expression():
    draw, said = random.Random(5), 0
    for _ in range(3000):
        text = expression(draw)
        found = conditions_of(text, VALUES)
        python = re.sub(r"selected\(\$\{(\w+)\}, ?'(\w+)'\)", r"(\1 == '\2')", text)
        python = re.sub(r"\$\{(\w+)\} (!?)=", lambda match: f"{match[1]} {match[2] or '='}=", python)
        python = re.sub(r"not\(", "(not ", python)
        people = [dict(zip("ab", values, strict=True)) for values in product(VALUES["a"], VALUES["b"])]
        truth = [eval(python, {}, person) for person in people]  # noqa: S307 - ours
        if found is None:
            continue
        said += 1
        assert [all(person[name] in allowed for name, allowed in found.items()) for person in people] == truth, text
    assert said > 1000
