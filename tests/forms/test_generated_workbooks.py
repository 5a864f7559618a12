"""Generated workbooks: each gives a survey that is planned, and asks what pyxform asks, of whom it asks it."""

import random
import re
import tomllib
import warnings

from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as some
from pyxform.errors import PyXFormError

from generated_workbooks import LISTS, generated_workbook
from sordino import Plan, Survey
from sordino.domain.condition import NOT_ASKED
from sordino.errors import SordinoError
from sordino.forms.form import read_form
from sordino.forms.survey_text import survey_text
from sordino.forms.workbook import read_workbook
from xforms import read_xform
from xlsforms import chosen, write_form

ASKS = {"select_one": "histogram", "select_multiple": "several", "geopoint": "histogram"}
CODES = {"English (en)": "en", "EN": "en", "en": "en", "Deutsch (de)": "de", "German": "de"}
CODES |= dict.fromkeys(("pt-BR", "pt-br"), "pt-BR")
CONDITION = "that it is asked only where"
PEOPLE = 20


def rows_named(left_out, sheet=""):
    """The rows of a sheet that a list of what is left out names."""
    named = set()
    for one in left_out:
        match = re.match(rf"rows? ((?:[0-9]+(?: to |, | and )?)+){sheet}(?:,|$)", one.where)
        for first, last in re.findall(r"([0-9]+)(?: to ([0-9]+))?", match[1]) if match else ():
            named |= {*range(int(first), int(last or first) + 1)}
    return named


def require_named(workbook, tables, left_out):
    """Each row is a question of the survey, the border of a group, or named."""
    taken, named = {*tables.get("attribute", {})}, rows_named(left_out)
    sections = sum("title" in section for section in tables.get("section", ()))
    headings = 0
    for number, row in enumerate(workbook.rows, 2):
        if not row or number in named or row.get("type", "").startswith("end"):
            continue
        if row.get("type", "").startswith("begin"):
            headings += "label" in row and "label::Klingon" not in workbook.sheets["survey"][0]
            continue
        assert row.get("name") in taken, (number, row)
    assert headings <= sections
    listed = rows_named(left_out, " of choices")
    used = {choice for own in tables.get("attribute", {}).values() for choice in own.get("categories", ())}
    mentioned = {name for name in LISTS for row in workbook.rows if re.search(rf"\b{name}\b", row.get("type", ""))}
    for number, (name, choice) in enumerate(workbook.choices, 2):
        assert number in listed or choice in used or name in mentioned, (number, name, choice)


def condition_of(own):
    """The values of each attribute that decides whether one is asked."""
    return {name: [values] if isinstance(values, str) else values for name, values in own.get("only_if", {}).items()}


def require_same_people(tables, left_out, questions, xform):
    """Each question is asked of the people of whom pyxform asks it, or of more where a condition is named."""
    names = {one.where.partition(", ")[2] for one in left_out if CONDITION in one.why}
    freed = {name for name in tables["attribute"] if f"'{name}'" in names}
    draw = random.Random(1)
    for _ in range(PEOPLE):
        answers = {question.path: drawn(draw, question) for question in xform.questions}
        asked = xform.asked(answers)
        if asked is None:
            continue
        values, comparable = {}, set()
        for name, own in tables["attribute"].items():
            deciding = condition_of(own)
            path = questions[name].path
            here = all(values[other] in allowed for other, allowed in deciding.items())
            if deciding.keys() <= comparable:
                assert here or path not in asked, (name, deciding, answers)
                if name not in freed:
                    assert here == (path in asked), (name, deciding, answers)
                if here == (path in asked):
                    comparable.add(name)
            values[name] = (answers[path] or own.get("missing")) if here else NOT_ASKED


def drawn(draw, question):
    """One person's answer, should it be asked for."""
    if question.type == "select_one" and question.choices:
        return draw.choice([*question.choices, *([] if question.required else [""])])
    if question.type == "select_multiple":
        return " ".join(choice for choice in question.choices if draw.random() < 0.5)
    return str(draw.randrange(5)) if question.type in ("integer", "decimal", "range") else ""


def require_same_texts(name, tables, asked, *, is_named):
    """An attribute has the question's text of each language that has a code, or its row is named."""
    own = tables["attribute"][name].get("text", {})
    for language, text in asked.texts.items():
        code = CODES.get(language)
        if code is not None and not is_named:
            assert text == (own if isinstance(own, str) else own[code]), (name, language)


def require_same_question(name, tables, asked):
    """An attribute has the type, the values and the ends of the question."""
    own = tables["attribute"][name]
    assert tables["ask"][[*tables["attribute"]].index(name)].keys() == {ASKS.get(asked.type, "mean")}
    if asked.type.startswith("select"):
        names = [choice for choice in own["categories"] if choice in asked.choices or choice != own.get("missing")]
        assert names == [*dict.fromkeys(asked.choices)]
        assert asked.required == ("missing" not in own) or asked.type == "select_multiple"
    elif asked.type == "geopoint":
        assert own["column"] == [f"{name}-Latitude", f"{name}-Longitude"]
    else:
        assert (own.get("input") == "date") == (asked.type == "date")
        assert asked.required <= ("missing" not in own or "only_if" in own)
    if asked.type == "range":
        assert {float(own["number"][end]) for end in ("low", "high")} == {*asked.ends}
    assert not asked.calculated


# To shrink a workbook takes minutes, and draws that shrink are too much alike: a seed makes all of one.
@given(some.randoms(use_true_random=True))
@settings(max_examples=80, phases=[Phase.generate], suppress_health_check=[*HealthCheck])
def test_a_workbook_that_is_taken_gives_a_plan_names_what_it_lacks_and_asks_what_pyxform_asks(tmp_path, draw):
    workbook = generated_workbook(draw)
    path = write_form(tmp_path / "form.xlsx", **workbook.sheets)
    try:
        found = survey_text(read_form(read_workbook(path)), path.name)
    except SordinoError as error:
        event(f"refused: {error.rule}")
        return
    tables = tomllib.loads(found.text)
    require_named(workbook, tables, found.left_out)
    if "attribute" not in tables:
        event("no question")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Plan.of(Survey.read(chosen(tables)), 10_000)
    try:
        xform = read_xform(path)
    except PyXFormError as error:
        event(f"pyxform refuses: {str(error)[:60]}")
        return
    asked = [question for question in xform.questions if not question.repeats]
    questions = {question.name: question for question in asked}
    if len(questions) < len(asked):
        event("two of one name")
        return
    assert tables["attribute"].keys() <= questions.keys()
    rows = {row.get("name"): number for number, row in enumerate(workbook.rows, 2)}
    named = rows_named(found.left_out)
    for name in tables["attribute"]:
        require_same_question(name, tables, questions[name])
        require_same_texts(name, tables, questions[name], is_named=rows[name] in named)
    require_same_people(tables, found.left_out, questions, xform)
    event("the same")
