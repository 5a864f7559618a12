"""The questions of an XLSForm, in their order: what each asks, in which words, of whom; and what cannot be asked."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.forms.workbook import READ, Row
from sordino.survey.schema.own_columns import looks

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

BORDER = re.compile(r"(begin|end)[ _](?:(group)|lgroup|repeat|looped group|loop)\b.*", re.IGNORECASE)
"""Types of rows where a group or a repetition begins or ends."""

FROM_FILE = re.compile(r"^select (one|multiple) from file (?=\S)", re.IGNORECASE)

SELECT = re.compile(
    r"^(?:add )?select(?:1|[ _]one|( all that apply|[ _]multiple))(?: prompt)?(?: (?:from|using))?(?=\s|$)",
    re.IGNORECASE,
)

OTHER = re.compile(r" or[ _](?:specify )?other$", re.IGNORECASE)

PLAIN = re.compile(r"(?:q |add )?(int(?:eger)?|decimal|date|geopoint|location|gps)(?: prompt)?", re.IGNORECASE)
"""Types as forms of old spell them."""

TYPES = {"int": "integer", "location": "geopoint", "gps": "geopoint"}

NOBODY = re.compile(r"no|false|false\s*\(\s*\)|0", re.IGNORECASE)
"""Conditions that nobody fulfils."""

ALL = re.compile(r"yes|true|true\s*\(\s*\)|1", re.IGNORECASE)
"""Conditions that everybody fulfils."""

PLACE = ("{}-Latitude", "{}-Longitude")
"""Columns that a place is read from, as the exports of ODK call them."""

TRUE = frozenset({"yes", "true", "true()", "1"})
FALSE = frozenset({"", "no", "false", "false()", "0"})


@dataclass(frozen=True)
class LeftOut:
    """Something of a form that is not in the survey.

    Attributes:
        where: it stands in the form, its row first.
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
        settings: all cells of its row.
        group: the row where the group around it begins, 0 of none.
        is_named_once: whether no other row has its name, so that conditions can be about it.
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
    is_named_once: bool

    @property
    def where(self) -> str:
        """Where it stands, in words."""
        return f"row {self.row}, {shown(self.name)}"


@dataclass(frozen=True)
class LabelledGroup:
    """A group of questions: where it stands, in words, and its heading."""

    where: str
    labels: Texts


@dataclass(frozen=True)
class Form:
    """What is read of a form.

    Attributes:
        languages: the default first; none of a form that names none.
        questions: in their order.
        groups: by the rows where they begin.
        left_out: what could not be read as a question.
    """

    title: str
    languages: tuple[str, ...]
    questions: tuple[FormQuestion, ...]
    groups: Mapping[int, LabelledGroup]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class _FormRow:
    """A row of questions.

    Attributes:
        kind: its type, one word; or `begin group`, `end group`, `begin repeat`, `end repeat`.
        rest: the words after the type.
    """

    row: int
    kind: str
    rest: Sequence[str]
    cells: Row

    @property
    def where(self) -> str:
        """Where it stands, in words."""
        return f"row {self.row}, {shown(self.cells.get('name', '') or self.kind)}"

    @property
    def is_disabled(self) -> bool:
        """Whether it is as if it were not there."""
        return self.cells.get("disabled", "").lower() in TRUE


@dataclass(frozen=True)
class _OpenGroup:
    """A group or a repetition that is open while rows are read.

    Attributes:
        left_out: the place of its line in the list of what is left out, if it is.
    """

    row: int
    where: str
    labels: Texts
    repeats: bool
    relevant: str
    left_out: int | None


@dataclass
class _FormReading:
    """What is known while rows are read one after the other.

    Attributes:
        default: the language of texts that name none; empty where the settings name none.
        lists: the choices of each list by their names; `list_rows` the rows that hold them.
        unused_texts: the rows of texts that are not taken, by their sheet, their column and the reason.
    """

    default: str
    lists: dict[str, dict[str, FormChoice]] = field(default_factory=dict)
    list_rows: dict[str, list[int]] = field(default_factory=dict)
    questions: list[FormQuestion] = field(default_factory=list)
    groups: list[_OpenGroup] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    columns: set[str] = field(default_factory=set)
    names: Counter[str] = field(default_factory=Counter)
    unused_texts: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)


def read_form(sheets: Sheets) -> Form:
    """The form of a workbook's sheets.

    Raises:
        SordinoError: a group that is not closed, or closed twice.
    """
    settings = sheets["settings"][0][1] if sheets.get("settings") else {}
    reading = _FormReading(language_code(settings.get("default_language", "")) or "")
    rows = [_FormRow(row, *_type_of(cells), cells) for row, cells in sheets["survey"]]
    _read_choices(reading, sheets.get("choices", []))
    _offer_others(reading, rows)
    reading.names.update(row.cells.get("name", "") for row in rows if not row.is_disabled)
    within = list[_OpenGroup]()
    for row in rows:
        _read_row(reading, row, within)
    if within:
        _refuse_border(within[-1].row, "a group begins that does not end")
    _name_unused(reading, sheets, rows)
    languages = _languages(reading, sheets)
    title = settings.get("form_title", "")
    groups = {group.row: LabelledGroup(group.where, group.labels) for group in reading.groups}
    return Form(title, languages, tuple(reading.questions), groups, tuple(reading.left_out))


def _offer_others(reading: _FormReading, rows: Sequence[_FormRow]) -> None:
    """Add `other` to the lists whose questions take another answer: for all their questions, as pyxform has it."""
    for row in rows:
        own = reading.lists.get(row.rest[0]) if row.rest and row.kind.startswith("select_") else None
        if own and "or_other" in row.rest[1:] and not row.is_disabled:
            own.setdefault("other", FormChoice("other", {}))


def _read_row(reading: _FormReading, row: _FormRow, within: list[_OpenGroup]) -> None:
    """One row; those within what is left out are named by its rows."""
    is_left_out = any(group.left_out is not None for group in within)
    if row.is_disabled:
        why = "it is disabled"
    elif row.kind.startswith("begin "):
        within.append(_open_group(reading, row, is_left_out=is_left_out))
        return
    elif row.kind.startswith("end "):
        _close_group(reading, row, within)
        return
    elif not row.kind:
        why = "it has no type"
    else:
        if not is_left_out:
            _read_question(reading, row, within)
        return
    if not is_left_out:
        reading.left_out.append(LeftOut(row.where, why))


def _type_of(cells: Row) -> tuple[str, list[str]]:
    """The type of a row in lower case, as it is spelled today, and the words after it."""
    spelled = " ".join(cells.get("type", "").split())
    if border := BORDER.fullmatch(spelled):
        return f"{border[1].lower()} {'group' if border[2] else 'repeat'}", []
    if plain := PLAIN.fullmatch(spelled):
        kind = plain[1].lower()
        return TYPES.get(kind, kind), []
    spelled = FROM_FILE.sub(r"select_\1_from_file ", OTHER.sub(" or_other", spelled))
    spelled = SELECT.sub(lambda match: "select_multiple" if match[1] else "select_one", spelled)
    kind, *rest = spelled.split() or [""]
    return kind.lower(), rest


def _open_group(reading: _FormReading, row: _FormRow, *, is_left_out: bool) -> _OpenGroup:
    repeats = row.kind == "begin repeat"
    why = "answers that repeat would be several reports of one person" if repeats else _reason_unasked(row.cells)
    left_out = len(reading.left_out) if why and not is_left_out else None
    if left_out is not None:
        reading.left_out.append(LeftOut(row.where, why))
    labels = {} if why or is_left_out else _texts(reading, row.row, row.cells, "label")
    group = _OpenGroup(row.row, row.where, labels, repeats, _condition(row.cells), left_out)
    reading.groups.append(group)
    return group


def _close_group(reading: _FormReading, row: _FormRow, within: list[_OpenGroup]) -> None:
    if not within or within[-1].repeats != (row.kind == "end repeat"):
        _refuse_border(row.row, "a group ends that did not begin")
    group = within.pop()
    if group.left_out is not None:
        rows = f"rows {group.row} to {row.row}, {group.where.partition(', ')[2]}"
        reading.left_out[group.left_out] = replace(reading.left_out[group.left_out], where=rows)


def _refuse_border(row: int, found: str) -> None:
    rule = "each group and each repetition of a form must begin and end"
    raise SordinoError(rule, found=f"row {row}, where {found}", step="put the other row in, or take this one out")


def _condition(cells: Row) -> str:
    """The condition of a row, empty where everybody fulfils it."""
    condition = cells.get("relevant", "")
    return "" if ALL.fullmatch(condition) else condition


def _name_unused(reading: _FormReading, sheets: Sheets, rows: Sequence[_FormRow]) -> None:
    """Name the texts, the lists and the columns that nothing is made of."""
    mentioned = {row.rest[0] for row in rows if row.rest}
    for (sheet, column, why), numbers in reading.unused_texts.items():
        reading.left_out.append(LeftOut(f"{row_numbers(numbers)}{sheet}, the text in {shown(column)}", why))
    for name, numbers in reading.list_rows.items():
        if name not in mentioned:
            where = f"{row_numbers(numbers)} of choices, {shown(name)}"
            reading.left_out.append(LeftOut(where, "no question has this list"))
    for sheet, read in READ.items():
        columns = {name.partition("::")[0] for _, cells in sheets.get(sheet, []) for name in cells} - read
        columns |= {"appearance"} & {name for _, cells in sheets.get(sheet, []) for name in cells}
        if columns:
            named = (shown(name) if name else "one without a name" for name in sorted(columns))
            reading.left_out.append(LeftOut(f"sheet {sheet}", f"columns that are not taken over: {', '.join(named)}"))


def row_numbers(numbers: Iterable[int]) -> str:
    """Rows in words.

    Example:
        >>> row_numbers([3]), row_numbers([2, 3, 4, 7])
        ('row 3', 'rows 2 to 4, 7')
    """
    runs: list[list[int]] = []
    for number in sorted({*numbers}):
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    word = "row" if len(runs) == len(runs[0]) == 1 else "rows"
    return f"{word} {', '.join(' to '.join(map(str, run)) for run in runs)}"


def _read_question(reading: _FormReading, row: _FormRow, within: list[_OpenGroup]) -> None:
    kind, rest, cells = row.kind, row.rest, row.cells
    name = cells.get("name", "")
    columns = tuple(looks(column.format(name)) for column in (PLACE if kind == "geopoint" else ("{}",)))
    choices = [*reading.lists.get(rest[0], {}).values()] if rest and kind.startswith("select_") else []
    why = _no_question(reading, kind, name, choices, columns, cells)
    if why:
        reading.left_out.append(LeftOut(row.where, why))
        return

    def leave_out(why: str) -> None:
        reading.left_out.append(LeftOut(row.where, why))

    if "or_other" in rest[1:]:
        leave_out("what people write as another answer; the choice `other` is there")
    if "choice_filter" in cells:
        leave_out("its choice_filter: all choices are offered")
    for column, what in (("required", "must be answered"), ("readonly", "is only read")):
        if (given := cells.get(column, "")).lower() not in TRUE | FALSE:
            leave_out(f"that it {what} only where {shown(given)}")
    relevant = tuple(one for one in (*(group.relevant for group in within), _condition(cells)) if one)
    texts, hints = (_texts(reading, row.row, cells, column) for column in ("label", "hint"))
    labels = (text for choice in choices for text in choice.labels.values())
    if any("${" in text for text in (*texts.values(), *hints.values(), *labels)):
        leave_out("answers within its texts, which stay as they are written")
    reading.columns.update(columns)
    required = cells.get("required", "").lower() in TRUE
    group = within[-1].row if within else 0
    once = reading.names[name] == 1
    reading.questions.append(
        FormQuestion(row.row, kind, name, texts, hints, tuple(choices), required, relevant, cells, group, once)
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
        return "another question reads the same column (case does not count)"
    return "its list has no two choices" if kind.startswith("select_") and len(choices) < 2 else ""


def _reason_unasked(cells: Row) -> str:
    """Why nobody answers a row, whatever its type; empty where somebody may."""
    if NOBODY.fullmatch(cells.get("relevant", "")):
        return "it is asked of nobody"
    if "calculation" in cells:
        return REASONS["calculate"]
    if cells.get("readonly", "").lower() in TRUE:
        return "it is only read"
    return "it is the heading of a table of questions" if "label" in cells.get("appearance", "").lower().split() else ""


def _read_choices(reading: _FormReading, rows: list[tuple[int, Row]]) -> None:
    for row, cells in rows:
        listed, name = cells.get("list_name", ""), cells.get("name", "")
        own = reading.lists.setdefault(listed, {})
        why = "" if name else "it has no name"
        if name in own:
            why = "another choice of its list has its name"
        if not listed:
            why = "it names no list"
        if why:
            reading.left_out.append(LeftOut(f"row {row} of choices, {shown(name)}", why))
        else:
            own[name] = FormChoice(name, _texts(reading, row, cells, "label", " of choices"))
            reading.list_rows.setdefault(listed, []).append(row)


def _texts(reading: _FormReading, row: int, cells: Row, column: str, sheet: str = "") -> Texts:
    """The texts of a column of a row by language; of two of one language that whose column names it, as in pyxform."""
    by_code: dict[str, list[str]] = {}
    for name in sorted(cells, key=lambda name: name == column):
        own, _, language = name.partition("::")
        if own == column and (code := language_code(language)) is not None:
            by_code.setdefault(code or reading.default, []).append(name)
    if len(by_code) > 1 and "" in by_code:
        why = "it names no language: name one in settings, as default_language"
        _leave_text(reading, row, sheet, by_code.pop("")[0], why)
    for first, *others in by_code.values():
        for other in others:
            _leave_text(reading, row, sheet, other, f"another column of its language is taken, {shown(first)}")
    return {code: cells[names[0]] for code, names in by_code.items()}


def _leave_text(reading: _FormReading, row: int, sheet: str, column: str, why: str) -> None:
    reading.unused_texts.setdefault((sheet, column, why), []).append(row)


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
    return LANGUAGES.get(code.lower()) or (_canonical_code(code) if CODE.fullmatch(code) else None)


def _canonical_code(code: str) -> str:
    """A code as people write it: `pt-BR`, `zh-Hant`."""
    language, *rest = code.lower().split("-")
    return "-".join((language, *(part.upper() if len(part) == 2 else part.title() for part in rest)))


def _languages(reading: _FormReading, sheets: Sheets) -> tuple[str, ...]:
    """The languages of labels and hints, the default first; those without a code are left out."""
    columns = dict.fromkeys(
        name for sheet in ("survey", "choices") for _, cells in sheets.get(sheet, []) for name in cells
    )
    read = [name.partition("::") for name in columns if name.partition("::")[0] in ("label", "hint")]
    names = dict.fromkeys(language for _, _, language in read if language)
    codes = dict.fromkeys(code for code in map(language_code, names) if code)
    for name in names:
        if language_code(name) is None:
            why = "a language whose code is not known: name the column label::NAME (code)"
            reading.left_out.append(LeftOut(f"the texts in {shown(name)}", why))
    if reading.default in codes or (codes and reading.default and any(not language for _, _, language in read)):
        codes = {reading.default: None, **codes}
    return tuple(codes)
