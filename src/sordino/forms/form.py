"""The questions of an XLSForm, in their order: what each asks, in which words, of whom; and what cannot be asked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from sordino.exact.messages import shown
from sordino.forms.workbook import Row

Texts = Mapping[str, str]
"""Texts by language, as BCP 47 has it; the empty language is of texts that name none."""

Sheets = Mapping[str, list[tuple[int, Row]]]

LANGUAGES = {
    "english": "en", "deutsch": "de", "german": "de", "français": "fr", "francais": "fr", "french": "fr",
    "español": "es", "espanol": "es", "spanish": "es", "português": "pt", "portuguese": "pt", "italian": "it",
    "dutch": "nl", "arabic": "ar", "swahili": "sw", "kiswahili": "sw", "hindi": "hi", "nepali": "ne", "somali": "so",
    "russian": "ru", "ukrainian": "uk", "turkish": "tr", "bengali": "bn", "urdu": "ur", "amharic": "am",
}  # fmt: skip
"""Names that forms give languages instead of their codes."""

CODE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")

ASKED = ("select_one", "select_multiple", "integer", "decimal", "range", "geopoint", "date")
"""Types of questions whose answers are one of finitely many values, or numbers within ends."""

REASONS = {
    "text": "free text has no list of values that a report could be one of",
    "note": "a note asks nothing; write it as [about] or as a section's text",
    "calculate": "what is worked out from other answers is not asked",
    "acknowledge": "what people agree to is [about.consent]",
    "rank": "an order of all choices is not asked",
    "time": "a time of day is not asked; ask for a number of hours",
    "datetime": "a moment is not asked; ask for a date",
    "select_one_from_file": "its choices are in another file",
    "select_multiple_from_file": "its choices are in another file",
    **dict.fromkeys(("geotrace", "geoshape"), "a line or an area is not asked; a place is"),
    **dict.fromkeys(("image", "audio", "video", "file", "barcode"), "what is recorded has no list of values"),
    **dict.fromkeys(
        ("start", "end", "today", "deviceid", "phonenumber", "username", "email", "simserial", "subscriberid", "audit"),
        "it could say who answered, and when",
    ),
}
"""Why others are left out."""

SPACED = re.compile(r"^(begin|end) (group|repeat|loop)\b", re.IGNORECASE)

SELECT = re.compile(
    r"^(?:add )?select(?:1|[ _]one|( all that apply|[ _]multiple))(?: prompt)?(?: (?:from|using))?(?=\s|$)",
    re.IGNORECASE,
)

OTHER = re.compile(r"\bor specify other\b", re.IGNORECASE)
"""Types as forms of old spell them."""

NOBODY = re.compile(r"false|false\s*\(\s*\)|0", re.IGNORECASE)
"""Conditions that nobody fulfils."""

PLACE = ("latitude", "longitude")
"""Columns that a place is read from."""

READ = {
    "survey": {
        "type", "name", "label", "hint", "required", "relevant", "constraint", "parameters", "choice_filter",
        "disabled", "calculation", "readonly", "appearance",
    },
    "choices": {"list_name", "name", "label"},
}  # fmt: skip
"""Columns that are read, or whose meaning is listed where it is not taken over."""

TRUE = frozenset({"yes", "true", "true()", "1"})


@dataclass(frozen=True)
class LeftOut:
    """Something of a form that is not in the survey.

    Attributes:
        where: it stands in the form.
        why: it is left out, or what is there instead.
    """

    where: str
    why: str


@dataclass(frozen=True)
class FormChoice:
    """One of the choices of a question, as data hold it and as people read it."""

    name: str
    labels: Texts


@dataclass(frozen=True)
class FormQuestion:
    """A question that can be asked.

    Attributes:
        type: one of `ASKED`.
        name: of the answer in data.
        required: whether it must be answered.
        relevant: expressions that must all hold, of the groups around it first.
        settings: of a range, and the constraint.
        group: the number of the group around it, 0 of none.
    """

    row: int
    type: str
    name: str
    labels: Texts
    hints: Texts
    choices: tuple[FormChoice, ...]
    required: bool
    relevant: tuple[str, ...]
    settings: Row
    group: int

    @property
    def where(self) -> str:
        """Where it stands, in words."""
        return f"row {self.row}, {shown(self.name)}"


@dataclass(frozen=True)
class Form:
    """What is read of a form.

    Attributes:
        languages: the default first; none of a form that names none.
        questions: in their order.
        left_out: what could not be read as a question.
    """

    title: str
    languages: tuple[str, ...]
    questions: tuple[FormQuestion, ...]
    groups: Mapping[int, Texts]
    left_out: tuple[LeftOut, ...]


@dataclass
class _OpenGroup:
    """A group or a repetition that is open while rows are read."""

    number: int
    relevant: str
    left_out: bool


@dataclass
class _FormReading:
    """What is known while rows are read one after the other."""

    choices: dict[str, list[FormChoice]]
    questions: list[FormQuestion] = field(default_factory=list)
    groups: dict[int, Texts] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    columns: set[str] = field(default_factory=set)


def read_form(sheets: Sheets) -> Form:
    """The form of a workbook's sheets."""
    reading = _FormReading({})
    _read_choices(reading, sheets.get("choices", []))
    numbers, within = count(1), list[_OpenGroup]()
    for row, cells in sheets["survey"]:
        spelled = SPACED.sub(r"\1_\2", OTHER.sub("or_other", " ".join(cells.get("type", "").split())))
        spelled = SELECT.sub(lambda match: "select_multiple" if match[1] else "select_one", spelled)
        kind, *rest = spelled.split() or [""]
        kind = kind.lower()
        if kind.startswith("begin_"):
            why = _reason_unasked(cells)
            if kind != "begin_group":
                why = "answers that repeat would be several reports of one person"
            group = _OpenGroup(next(numbers), cells.get("relevant", ""), bool(why))
            within.append(group)
            reading.groups[group.number] = _texts(cells, "label")
            if why:
                reading.left_out.append(LeftOut(f"row {row}, {shown(cells.get('name', ''))}", why))
        elif kind.startswith("end_"):
            del within[-1:]
        elif kind and not any(group.left_out for group in within):
            _read_question(reading, row, kind, rest, cells, within)
    settings = sheets["settings"][0][1] if sheets.get("settings") else {}
    languages = _languages(reading, sheets, settings.get("default_language", ""))
    title = settings.get("form_title", "")
    for sheet, read in READ.items():
        columns = {name.partition("::")[0] for _, cells in sheets.get(sheet, []) for name in cells} - read
        if columns:
            why = f"columns that are not read: {', '.join(sorted(map(shown, columns)))}"
            reading.left_out.append(LeftOut(f"sheet {sheet}", why))
    return Form(title, languages, tuple(reading.questions), reading.groups, tuple(reading.left_out))


def _read_question(
    reading: _FormReading, row: int, kind: str, rest: list[str], cells: Row, within: list[_OpenGroup]
) -> None:
    name = cells.get("name", "")
    where = f"row {row}, {shown(name or kind)}"
    columns = PLACE if kind == "geopoint" else (name.lower(),)
    choices = reading.choices.get(rest[0], []) if rest else []
    why = _no_question(reading, kind, name, choices, columns, cells)
    if why:
        reading.left_out.append(LeftOut(where, why))
        return
    if not kind.startswith("select_"):
        choices = []
    elif "or_other" in rest[1:]:
        if "other" not in {choice.name for choice in choices}:
            choices = [*choices, FormChoice("other", {})]
        reading.left_out.append(LeftOut(where, "what people write as another answer; the choice `other` is there"))
    if "choice_filter" in cells:
        reading.left_out.append(LeftOut(where, "its choice_filter: all choices are offered"))
    relevant = tuple(one for one in (*(group.relevant for group in within), cells.get("relevant", "")) if one)
    texts, hints = _texts(cells, "label"), _texts(cells, "hint")
    labels = (text for choice in choices for text in choice.labels.values())
    if any("${" in text for text in (*texts.values(), *hints.values(), *labels)):
        reading.left_out.append(LeftOut(where, "answers within its texts, which stay as they are written"))
    reading.columns.update(columns)
    required = cells.get("required", "").lower() in TRUE
    group = within[-1].number if within else 0
    reading.questions.append(
        FormQuestion(row, kind, name, texts, hints, tuple(choices), required, relevant, cells, group)
    )


def _no_question(
    reading: _FormReading, kind: str, name: str, choices: list[FormChoice], columns: tuple[str, ...], cells: Row
) -> str:
    """Why a row is no question of a survey; empty where it is one."""
    if kind not in ASKED:
        return REASONS.get(kind, f"questions of the type {shown(kind)} are not asked")
    if why := _reason_unasked(cells):
        return why
    if not name:
        return "it has no name"
    if name in {question.name for question in reading.questions}:
        return "another question has its name"
    if not reading.columns.isdisjoint(columns):
        return "another question reads the same column: names differ only in case, or both are places"
    return "its list has no two choices" if kind.startswith("select_") and len(choices) < 2 else ""


def _reason_unasked(cells: Row) -> str:
    """Why nobody answers a row, whatever its type; empty where somebody may."""
    if cells.get("disabled", "").lower() in TRUE:
        return "it is disabled"
    if NOBODY.fullmatch(cells.get("relevant", "").strip()):
        return "it is asked of nobody"
    if "calculation" in cells:
        return REASONS["calculate"]
    if cells.get("readonly", "").lower() in TRUE:
        return "it is only read"
    return "it is the heading of a table of questions" if "label" in cells.get("appearance", "").lower().split() else ""


def _read_choices(reading: _FormReading, rows: list[tuple[int, Row]]) -> None:
    for row, cells in rows:
        own = reading.choices.setdefault(cells.get("list_name", ""), [])
        name = cells.get("name", "")
        if name and name not in {choice.name for choice in own}:
            own.append(FormChoice(name, _texts(cells, "label")))
        elif "list_name" in cells:
            why = "another choice of its list has its name" if name else "it has no name"
            reading.left_out.append(LeftOut(f"row {row} of choices, {shown(name)}", why))


def _texts(cells: Row, column: str) -> Texts:
    found: dict[str, str] = {}
    for name, text in cells.items():
        own, _, language = name.partition("::")
        code = language_code(language)
        if own == column and code is not None:
            found.setdefault(code, text)
    return found


def language_code(language: str) -> str | None:
    """The code of a language as a column names it; None where that names none.

    Example:
        >>> [language_code(name) for name in ("English (EN)", "pt-BR", "Deutsch", "", "Klingon")]
        ['en', 'pt-BR', 'de', '', None]
    """
    language = language.strip()
    if not language:
        return ""
    in_brackets = re.search(r"\(([^()]*)\)$", language)
    code = in_brackets[1].strip() if in_brackets else language
    first, *rest = code.split("-")
    known = "-".join((first.lower(), *rest)) if CODE.fullmatch(code) else None
    return LANGUAGES.get(code.lower()) or known


def _languages(reading: _FormReading, sheets: Sheets, default: str) -> tuple[str, ...]:
    """The languages of labels, the default first; those without a code are left out."""
    names = dict.fromkeys(
        name.partition("::")[2]
        for sheet in ("survey", "choices")
        for _, cells in sheets.get(sheet, [])
        for name in cells
        if name.startswith("label::")
    )
    codes = dict.fromkeys(code for code in map(language_code, names) if code)
    for name in names:
        if language_code(name) is None:
            why = "a language whose code is not known: name the column label::NAME (code)"
            reading.left_out.append(LeftOut(f"the texts in {shown(name)}", why))
    first = language_code(default)
    if first in codes:
        codes = {first: None, **codes}
    return tuple(codes)
