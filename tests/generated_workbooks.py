"""Workbooks of forms as people have made them over many years and with many tools, by random draws.

Most are such that pyxform takes them too: groups are closed, names stand once in their group, lists are there.
"""

import re
from dataclasses import dataclass

NAMES = ["a", "b", "c", "d", "A", "latitude", "other", "home", "home-Latitude", "e.f", "é", "labels", "text", "x_other"]
LISTS = {
    "l": ["x", "y", "z"],
    "yn": ["yes", "no"],
    "n": ["1", "01", "2.0", "3"],
    "blanks": ["x", "x y", "not answered"],
    "kept": ["not asked", "x"],
    "one": ["x"],
    "long": [f"c{number}" for number in range(70)],
    "cut": ["x;y", "x"],
    "others": ["x", "other"],
}
FREQUENT_LISTS = [*["l"] * 6, *["yn"] * 6, *["n"] * 3]
NO_BLANKS = [name for name, choices in LISTS.items() if not any(" " in choice for choice in choices)]
"""Lists of which several may apply: choices with blanks could not be told apart."""

LIST_NAMES = ["list_name", "list name", "List Name"]

COLUMNS = {
    "type": ["type", "Type", "command"],
    "name": ["name", "value", "tag", "Name"],
    "label": ["label", "caption", "Label", "label::English (en)", "label:English", "label::EN", "label::Klingon"],
    "second label": ["label::Deutsch (de)", "label::German", "Label::en", "label :: pt-BR", "label::pt-br"],
    "hint": ["hint", "hint::English (en)", "hint::fr"],
    "relevant": ["relevant", "relevance", "Relevant", "bind::relevant"],
    "required": ["required", "Required", "bind::required"],
    "constraint": ["constraint", "Constraint"],
    "calculation": ["calculation", "calculate"],
    "readonly": ["readonly", "read_only", "Read Only"],
    "disabled": ["disabled"],
    "appearance": ["appearance", "control::appearance"],
    "parameters": ["parameters"],
    "choice_filter": ["choice_filter", "Choice Filter"],
    "notes": ["notes", "constraint_message", "media::image::English (en)"],
}
"""Columns of questions, each under one of some names."""

SELECT_ONE = ["select_one {}", "select one {}", "select one from {}", "select1 {}", "add select one prompt using {}"]
SELECT_SEVERAL = ["select_multiple {}", "select all that apply from {}", "add select multiple prompt using {}"]
OTHERS = ["", "", "", " or_other", " or specify other", " or other"]
PLAIN = [
    "integer", "integer", "int", "decimal", "range", "range", "range", "date", "geopoint", "gps", "date", "text",
    "note", "calculate", "time", "image", "select_one_from_file a.csv", "today", "acknowledge", "rank l", "end",
    "start",
]  # fmt: skip
PARAMETERS = [
    "start=0 end=10 step=3", "start=1;end=5", "start=-1, end=1, step=0.5", "start=5 end=1", "start=1e1 end=30",
    "start=1 end=10 tick_interval=3", "end=.5 step=.1",
]  # fmt: skip
FREQUENT = {
    "required": ["yes", "yes", "no", "TRUE", True, "1 = 1"],
    "constraint": [
        ". >= 0 and . <= 9", ". >= 18 and . >= 0 and . <= 99 and . <= 120", ". >= 10 and . <= 5", ". > 0", ". <= 4",
        "3 <= .", ". >= 5 and . <= 5", ".>=0 and .<=5 or .=9", "count-selected(.) <= 2", ". != 'x'", ". >= 018",
    ],
    "second label": ["Zwei", "Three"],
    "hint": ["Help"],
}  # fmt: skip
RARE = {
    "disabled": ["yes", "no", True],
    "calculation": ["1 + 1"],
    "readonly": ["yes", "no"],
    "appearance": ["label", "minimal", "w1 label"],
    "choice_filter": ["region = 'x'"],
    "notes": ["of no use"],
}
"""Cells of a question: what stands in one of three, and in one of fifteen."""


VALUES = ["x", "x", "y", "z", "yes", "yes", "no", "1", "other", "x y", "not answered", "not", ""]
NUMBERS = ["1", "2", "3.0", "-1", "'2'"]
SIGNS = ["=", " = ", " = ", "!=", " != ", "=", "<=", " > "]
COMPARISONS = [
    "{0}{4}'{2}'", "{0}{4}'{2}'", "'{2}'{4}{0}", "selected({0}, '{2}')", "not(selected({0}, '{2}'))", "{0}{1}{3}",
    "{3}{1}{0}", "count-selected({0}) > 1", "not({0} = '{2}')",
]  # fmt: skip
WORDS = ["{} and {}", "{} or {}", "({} or {})", "{} and ({} or {})", "{} or {} and {}"]
ON_ONE = [
    "{0} = '{1}' or {0} = '{2}'", "{0} != '{1}' and {0} != '{2}'", "({0} = 1 or {0} = '{1}')", "{0} = '{1}'",
    "{0} != '{1}'", "{0} != ''", "{0} = ''",
]  # fmt: skip
CHOSEN = re.compile(r"^(?:add )?select(?: one|_one|1)(?: from| prompt using)? (\w+)(?: or.*)?$")
FIXED = ["TRUE", "true()", "yes", "FALSE", "false()", "no", False, True, "0", "1", "1 = 1"]
"""Conditions, of a name, a sign, a value and a number."""

MOST_DEPTH = 2
"""Of groups in groups."""


@dataclass(frozen=True)
class GeneratedWorkbook:
    """The sheets of a workbook.

    Attributes:
        rows: the cells of the sheet of questions by their columns' plain names, from row 2 on.
        lists: names of choices by list, each with its row.
    """

    sheets: dict[str, list[list[object]]]
    rows: list[dict[str, object]]
    choices: list[tuple[str, str]]


def generated_workbook(draw):
    """One workbook, by random draws."""
    rows = []
    _add_block(draw, rows, depth=0)
    names = [row["name"] for row in rows if "name" in row and not row["type"].startswith("begin")]
    once = [name for name in names if names.count(name) == 1] or ["a"]
    earlier = {}
    for row in rows:
        if row.get("type", "end ").startswith("end "):
            continue
        if draw.random() < 0.4:
            # Most conditions are about the choices of earlier questions.
            on_choices = earlier and draw.random() < 0.8
            row["relevant"] = _condition(draw, earlier if on_choices else dict.fromkeys(once, VALUES))
        if row["name"] in once and (own := CHOSEN.search(row["type"])):
            earlier[row["name"]] = [*LISTS[own[1]], draw.choice(VALUES)]
        if not row["type"].startswith("begin"):
            _fill(draw, row)
    header = {column: draw.choice(others) for column, others in COLUMNS.items()}
    columns = [column for column in COLUMNS if any(column in row for row in rows)]
    survey = [[header[column] for column in columns], *([row.get(column) for column in columns] for row in rows)]
    choices = [(name, choice) for name, own in LISTS.items() for choice in own]
    twice = draw.random() < 0.2
    if twice:
        choices.insert(draw.randrange(len(choices)), ("l", "x"))
    listed = [draw.choice(one) for one in (LIST_NAMES, ["name", "value"], COLUMNS["label"])]
    sheets = {
        "survey": survey,
        "choices": [[*listed, "tag"], *([name, choice, choice.upper(), "x"] for name, choice in choices)],
    }
    if twice or draw.random() < 0.5:
        default = draw.choice(["en", "English (en)", "Deutsch (de)"])
        settings = {"form_title": "A form", "default_language": default, "allow_choice_duplicates": "yes"}
        sheets["settings"] = [[*settings], [*settings.values()]]
    return GeneratedWorkbook(sheets, rows, choices)


def _add_block(draw, rows, depth):
    """The rows of a group, or of the form."""
    # Names in groups are mostly others: where two questions have one, pyxform refuses to compare it.
    inside = f"_{len(rows)}" if depth and draw.random() < 0.9 else ""
    for name in draw.sample(NAMES, draw.randint(1, 3) if depth else draw.randint(5, 11)):
        kind = draw.random()
        if kind < 0.1:
            rows += draw.choice([[{}], [{"notes": "a remark"}], []])
        elif kind < 0.25 and depth < MOST_DEPTH:
            word = draw.choice([*["group"] * 9, "repeat", "lgroup", "looped group"])
            between = draw.choice("_ ")
            label = {"label": name} if draw.random() < 0.5 else {}
            rows.append({"type": f"begin{between}{word}", "name": f"{name}{inside}_group", **label})
            _add_block(draw, rows, depth + 1)
            rows.append({"type": f"end {word}"})
        else:
            label = {"label": f"What is {name}?"} if draw.random() < 0.98 else {}
            rows.append({"type": _type(draw), "name": f"{name}{inside}", **label})


def _type(draw):
    kind = draw.random()
    if kind < 0.65:
        return draw.choice(SELECT_ONE).format(draw.choice([*LISTS, *FREQUENT_LISTS])) + draw.choice(OTHERS)
    if kind < 0.72:
        return draw.choice(SELECT_SEVERAL).format(draw.choice(NO_BLANKS)) + draw.choice(OTHERS)
    return draw.choice(PLAIN)


def _fill(draw, row):
    """The cells of a question but for its type, its name and its condition."""
    for often, cells in ((0.4, FREQUENT), (0.04, RARE)):
        for column, values in cells.items():
            if draw.random() < often:
                row[column] = draw.choice(values)
    if row["type"].endswith("other"):
        row.pop("choice_filter", None)
    if row["type"] == "range" and draw.random() < 0.5:
        row["parameters"] = draw.choice(PARAMETERS)
    elif row["type"].startswith("select") and draw.random() < 0.06:
        row["parameters"] = "randomize=true"
    if row["type"] == "calculate":
        row["calculation"] = "1 + 1"


def _condition(draw, values):
    """A condition on some answers, or one that all or none fulfil.

    Args:
        values: what each question may be compared with.
    """
    kind = draw.random()
    if kind < 0.07:
        return draw.choice(FIXED)
    if kind < 0.55:
        name = draw.choice([*values])
        return draw.choice(ON_ONE).format(f"${{{name}}}", *(draw.choice(values[name]) for _ in range(2)))
    if kind < 0.7:
        return draw.choice(WORDS).format(*(_comparison(draw, values) for _ in range(3)))
    return _comparison(draw, values)


def _comparison(draw, values):
    name = draw.choice([*values])
    value = draw.choice(values[name])
    return draw.choice(COMPARISONS).format(
        f"${{{name}}}", draw.choice(SIGNS), value, draw.choice(NUMBERS), draw.choice(SIGNS[:6])
    )
