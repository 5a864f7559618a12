"""Workbooks of forms for tests, as people make them in a spreadsheet."""

from datetime import date

from openpyxl import Workbook

from sordino.survey.reading.open_choices import CHOOSE


def write_form(path, **sheets):
    """A workbook of some sheets, each a list of rows of which the first has the names of the columns."""
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def chosen(tables):
    """The tables of a survey with its open places filled in."""
    for own in tables.get("attribute", {}).values():
        own.pop("protect", None)
        own.pop("delta", None)
        if CHOOSE in (number := own.get("number", {})).values():
            if own.get("input") == "date":
                low, high = date(2000, 1, 1), date(2030, 1, 1)
            else:
                low = number["high"] - 1 if number["low"] == CHOOSE != number["high"] else 0
                high = (low if number["low"] == CHOOSE else number["low"]) + 1
            number |= {end: one for end, one in (("low", low), ("high", high)) if number[end] == CHOOSE}
        own |= {name: value for name, value in (("missing", "0.1"), ("several", 1)) if own.get(name) == CHOOSE}
        if "grid" in own:
            own["grid"] = {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 2}
    return tables | {"epsilon": "1"}


SURVEY = [
    ["type", "name", "label::English (en)", "label::Deutsch (de)", "hint::English (en)", "required", "relevant",
     "constraint", "parameters", "media::image::English (en)"],
    ["start", "start"],
    ["note", "welcome", "Welcome", "Willkommen"],
    ["begin_group", "about", "About you", "Über Sie"],
    ["select_one yes_no", "smoker", "Do you smoke?", "Rauchen Sie?", "E-cigarettes count.", "yes"],
    ["select_one packs", "packs", "How many packs?", "Wie viele Schachteln?", None, "true", "${smoker} = 'yes'"],
    ["integer", "age", "How old are you?", "Wie alt sind Sie?", None, "yes", None, ". >= 18 and . <= 120"],
    ["decimal", "weight", "Your weight", None, None, None, None, ". > 0"],
    [],
    ["end_group"],
    ["range", "mood", "Your mood", "Ihre Stimmung", None, "yes", None, None, "start=1 end=5 step=0.5"],
    ["select_multiple symptoms", "symptoms", "What applies?", "Was trifft zu?", None, None, None,
     "count-selected(.) <= 2"],
    ["begin group", "place", "Where", "Wo", None, None, "${smoker} != 'no'"],
    ["geopoint", "home", "Your home", "Ihr Zuhause"],
    ["date", "moved", "Moved in", "Eingezogen", None, "yes", "${age} > 20"],
    ["end group"],
    ["begin_repeat", "children", "Children", "Kinder"],
    ["integer", "child_age", "Age", "Alter"],
    ["end_repeat"],
    ["text", "remarks", "Remarks", "Bemerkungen"],
]  # fmt: skip
CHOICES = [
    ["list_name", "name", "label::English (en)", "label::Deutsch (de)"],
    ["yes_no", "yes", "Yes", "Ja"],
    ["yes_no", "no", "No", "Nein"],
    ["packs", 1, "One", "Eine"],
    ["packs", 2, "Two", "Zwei"],
    ["symptoms", "cough", "Cough", "Husten"],
    ["symptoms", "fever", 'High "fever"', "Fieber"],
    ["symptoms", "pain", "Pain", "Schmerzen"],
]
SETTINGS = [["form_title", "default_language"], ["Health", "Deutsch (de)"]]
