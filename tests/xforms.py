"""What pyxform makes of a workbook: its questions, their choices, and of whom each is asked.

Conditions are evaluated here by the rules of XPath that forms need, apart from what import reads of them.
"""

import re
from dataclasses import dataclass, field
from math import isnan, nan
from xml.etree import ElementTree as ET

from pyxform.xls2xform import convert

MODEL, JAVAROSA = "{http://www.w3.org/2002/xforms}", "{http://openrosa.org/javarosa}"
INPUTS = {"int": "integer", "decimal": "decimal", "date": "date", "geopoint": "geopoint"}
TAGS = {"select1": "select_one", "select": "select_multiple", "range": "range"}
TOKEN = re.compile(
    r"""\s*('[^']*'|"[^"]*"|[0-9]+(?:\.[0-9]+)?|/[^\s()=!<>,'"]+|[a-z-]+(?=\s*\()|and\b|or\b|[<>!]?=|[()<>,-])"""
)
ROUNDS = 12


@dataclass(frozen=True)
class XFormQuestion:
    """A question with a control, under its path in the instance."""

    path: str
    type: str
    choices: tuple[str, ...]
    required: bool
    relevant: tuple[str, ...]
    repeats: bool
    calculated: bool
    ends: tuple[float, ...]
    texts: dict[str, str]

    @property
    def name(self):
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class XForm:
    """The questions of a form in their order."""

    questions: tuple[XFormQuestion, ...]
    warnings: tuple[str, ...] = field(default=())

    def asked(self, answers):
        """The paths that are asked of who gives some answers, wherever asked; None where conditions lead in circles."""
        asked = {question.path for question in self.questions}
        for _ in range(ROUNDS):
            given = {path: answer if path in asked else "" for path, answer in answers.items()}
            again = {question.path for question in self.questions
                     if all(truth(evaluate(own, given)) for own in question.relevant)}  # fmt: skip
            if again == asked:
                return asked
            asked = again
        return None


def read_xform(path):
    """The form as pyxform reads it; PyXFormError where it refuses it."""
    converted = convert(path)
    root = ET.fromstring(converted.xform)
    binds = {one.get("nodeset"): one for one in root.iter(f"{MODEL}bind")}
    lists = {one.get("id"): [item.findtext(f"{MODEL}name") for item in one.iter(f"{MODEL}item")]
             for one in root.iter(f"{MODEL}instance") if one.get("id")}  # fmt: skip
    texts = {}
    for language in root.iter(f"{MODEL}translation"):
        for text in language.iter(f"{MODEL}text"):
            values = [value.text for value in text.iter(f"{MODEL}value") if value.get("form") is None]
            texts.setdefault(text.get("id"), {}).update({language.get("lang"): value for value in values})
    found = []

    def walk(element, *, repeats):
        for one in element:
            tag = one.tag.removeprefix(MODEL)
            if tag in ("group", "repeat"):
                walk(one, repeats=repeats or tag == "repeat")
            elif one.get("ref"):
                found.append(question(one, tag, repeats=repeats))

    def question(control, tag, *, repeats):
        path = control.get("ref")
        bind = binds.get(path, {})
        parts = path.split("/")
        above = [binds.get("/".join(parts[:n])) for n in range(2, len(parts) + 1)]
        relevant = [own.get("relevant") for own in above if own is not None and own.get("relevant")]
        # What pyxform adds to a question with another answer names that by the group around both.
        relevant = tuple(own.replace("../", f"{path.rpartition('/')[0]}/") for own in relevant)
        itemset = control.find(f"{MODEL}itemset")
        choices = [value.text for item in control.iter(f"{MODEL}item") for value in item.iter(f"{MODEL}value")]
        if itemset is not None:
            listed = re.search(r"instance\('([^']+)'\)", itemset.get("nodeset"))
            choices = lists.get(listed[1], []) if listed else []
        label = control.find(f"{MODEL}label")
        if label is not None and label.get("ref"):
            own = texts.get(label.get("ref").removeprefix("jr:itext('").removesuffix("')"), {})
        else:
            own = {} if label is None or not label.text else {"default": label.text}
        ends = tuple(float(control.get(end)) for end in ("start", "end")) if tag == "range" else ()
        return XFormQuestion(
            path,
            INPUTS.get(bind.get("type"), bind.get("type")) if tag == "input" else TAGS.get(tag, tag),
            tuple(choices),
            bind.get("required") == "true()",
            relevant,
            repeats,
            bind.get("calculate") is not None,
            ends,
            {language: text for language, text in own.items() if text != "-"},
        )

    walk(next(root.iter("{http://www.w3.org/1999/xhtml}body")), repeats=False)
    return XForm(tuple(found), tuple(converted.warnings))


def truth(value):
    """A value as XPath's boolean()."""
    return bool(value) and not (isinstance(value, float) and isnan(value))


def number(value):
    """A value as XPath's number()."""
    try:
        return float(value)
    except ValueError:
        return nan


def evaluate(expression, answers):
    """The value of an expression: a text, a number or a truth.

    Args:
        answers: the text at each path, empty where nothing is asked.
    """
    parts, place = [], 0
    while expression[place:].strip():
        match = TOKEN.match(expression, place)
        assert match, expression[place:]
        parts.append(match[1])
        place = match.end()
    reading = Evaluation([*parts, ""], answers)
    value = reading.either()
    assert reading.parts == [""], expression
    return value


@dataclass
class Evaluation:
    """An expression while it is read from the left, each method a level of precedence."""

    parts: list[str]
    answers: dict[str, str]

    def either(self):
        value = self.both()
        while self.parts[0] == "or":
            self.parts.pop(0)
            right = self.both()
            value = truth(value) or truth(right)
        return value

    def both(self):
        value = self.compared()
        while self.parts[0] == "and":
            self.parts.pop(0)
            right = self.compared()
            value = truth(value) and truth(right)
        return value

    def compared(self):
        value = self.operand()
        while self.parts[0] in ("=", "!=", "<", ">", "<=", ">="):
            value = compare(value, self.parts.pop(0), self.operand())
        return value

    def operand(self):
        part = self.parts.pop(0)
        if part == "-":
            return -number(self.operand())
        if part[0] in "'\"":
            return part[1:-1]
        if part[0].isdigit():
            return float(part)
        if part[0] == "/":
            return self.answers.get(part, "")
        if part == "(":
            return self.given()[0]
        self.parts.pop(0)
        return FUNCTIONS[part](*self.given())

    def given(self):
        """What stands between parentheses, of which the first is read."""
        found = []
        while self.parts[0] != ")":
            found.append(self.either())
            if self.parts[0] == ",":
                self.parts.pop(0)
        self.parts.pop(0)
        return found


FUNCTIONS = {
    "true": lambda: True,
    "false": lambda: False,
    "not": lambda value: not truth(value),
    "selected": lambda value, choice: choice in value.split(),
    "count-selected": lambda value: float(len(value.split())),
}


def compare(left, sign, right):
    """Two values by a sign, as XPath compares those of single nodes."""
    if isinstance(left, bool) or isinstance(right, bool):
        left, right = truth(left), truth(right)
    elif isinstance(left, float) or isinstance(right, float) or sign not in ("=", "!="):
        left, right = number(left), number(right)
    return {"=": left == right, "!=": left != right, "<": left < right, ">": left > right,
            "<=": left <= right, ">=": left >= right}[sign]  # fmt: skip
