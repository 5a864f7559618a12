"""A form as the text of a survey file: what people read and may answer, and a marked place for each promise.

What a report may reveal stands in no form. So nothing is promised here: `epsilon`, and what protects each attribute,
are left to be chosen, and the survey is refused until they are. So are ends of numbers, and the cells of a map.

`relevant` of an XLSForm becomes conditions on earlier answers, where those can say it:

${smoker} = 'yes'                                      smoker is "yes"
${smoker} != 'yes'                                     smoker is another of its values
selected(${smoker}, 'yes') or selected(${smoker}, 'once')
${smoker} = 'yes' and ${age_group} = 'adult'           conditions on several hold together
"""

import re
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from math import nan

from sordino.domain.condition import NOT_ASKED
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.forms.form import PLACE, Form, FormQuestion, LeftOut, Texts
from sordino.forms.survey_draft import UNANSWERED
from sordino.forms.toml_text import comment, toml, toml_key
from sordino.survey.reading.open_choices import CHOOSE, open_choices
from sordino.survey.reading.survey_file import Survey

NUMBER = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"

ENDS = re.compile(rf"\.\s*(>=|<=)\s*({NUMBER})|({NUMBER})\s*(>=|<=)\s*\.")
"""A bound of a constraint, the answer on either side."""

END_NAMES = ("low", "high")

BETWEEN = re.compile(r"\s+and\s+")

AT_MOST = re.compile(r"count-selected\s*\(\s*\.\s*\)\s*<=\s*([0-9]{1,4})")

PARAMETER = re.compile(r"([^\s=,;]+)\s*=\s*([^\s=,;]+)")

RANGE = {"start": Decimal(1), "end": Decimal(10), "step": Decimal(1)}
"""Parameters of a range, as pyxform has them where a form has none."""

DIGITS = 16
"""Of the ends of a number before the point: a double holds no more."""

ASKS = {"select_one": "histogram", "select_multiple": "several", "geopoint": "histogram"}
"""What is asked about each type of question; of all others the mean."""

Conditions = dict[str, tuple[str, ...]]
"""Values by attribute, one of which must be answered."""

NAME = r"\$\{\s*([^\s{}]+)\s*\}"

VALUE = rf"(?:'([^']*)'|\"([^\"]*)\"|({NUMBER}))"

LONGEST = 2000
"""Characters of an expression that is read."""

SIGN = "(=|!=|<=|>=|<|>)"

COMPARED = re.compile(rf"{NAME}\s*{SIGN}\s*{VALUE}")

TURNED = re.compile(rf"{VALUE}\s*{SIGN}\s*{NAME}")

TURNED_SIGNS = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}

SELECTED = re.compile(rf"(not\s*\(\s*)?selected\s*\(\s*{NAME}\s*,\s*{VALUE}\s*\)(?(1)\s*\))")


def conditions_of(
    relevant: str, values: Mapping[str, Sequence[str]], conditional: Container[str] = ()
) -> Conditions | None:
    """What an expression asks of earlier answers; None where that cannot be said.

    Args:
        relevant: the expression; an empty one asks nothing.
        values: of each attribute that has named ones, of which a person has one.
        conditional: attributes that are not asked of all. Where one is not, it is empty in a form: what is true of that
            too no list of values says.

    Example:
        >>> conditions_of("${smoker} = 'yes'", {"smoker": ["yes", "no", "once"]})
        {'smoker': ('yes',)}
        >>> conditions_of("${smoker} != 'yes'", {"smoker": ["yes", "no", "once"]})
        {'smoker': ('no', 'once')}
        >>> conditions_of("${age} > 17", {"smoker": ["yes", "no"]}) is None
        True
    """
    relevant = relevant.strip()
    if not relevant:
        return {}
    return _read(relevant, values, conditional) if len(relevant) <= LONGEST else None


def _read(text: str, values: Mapping[str, Sequence[str]], conditional: Container[str]) -> Conditions | None:
    """The same of an expression that is not empty: of one attribute any of several values, of several all together."""
    text = _without_parentheses(text)
    either = _split(text, "or")
    parts = either if len(either) > 1 else _split(text, "and")
    if len(parts) == 1:
        return _term(text, values, conditional)
    found: Conditions | None = None
    for part in parts:
        own = _read(part, values, conditional)
        if own is None:
            return None
        if found is None:
            found = own
        elif parts is not either:
            found = narrow(found, own)
        elif len(found) == 1 and own.keys() == found.keys():
            found = {name: tuple(one for one in values[name] if one in found[name] + own[name]) for name in found}
        else:
            return None
        if found is None:
            return None
    return found


def narrow(first: Conditions, second: Conditions) -> Conditions | None:
    """Conditions that hold together; None where nobody can fulfil them."""
    both = dict(first)
    for name, allowed in second.items():
        both[name] = tuple(value for value in both.get(name, allowed) if value in allowed)
    return both if all(both.values()) else None


def _term(term: str, values: Mapping[str, Sequence[str]], conditional: Container[str]) -> Conditions | None:
    """One comparison with a value; what people skip is an empty text."""
    denied = None
    if match := COMPARED.fullmatch(term):
        name, sign, *value = match.groups()
    elif match := TURNED.fullmatch(term):
        *value, sign, name = match.groups()
        sign = TURNED_SIGNS.get(sign, sign)
    elif match := SELECTED.fullmatch(term):
        denied, name, *value = match.groups()
        sign = "selected"
    else:
        return None
    wanted = next(one for one in value if one is not None)
    if sign == "selected" and not wanted.strip():
        return None
    is_number = value[-1] is not None

    def holds(answer: str) -> bool:
        return _compare(answer, sign, wanted, is_number=is_number) != bool(denied)

    if name in conditional and holds(""):
        return None
    true = tuple(one for one in values.get(name, ()) if holds("" if one == UNANSWERED else one))
    return {name: true} if true else None


def _compare(answer: str, sign: str, wanted: str, *, is_number: bool) -> bool:
    """Whether an answer compares so, as XPath has it: with a number, or by order, as numbers."""
    if sign == "selected":
        return wanted.strip() in answer.split()
    if sign in ("=", "!=") and not is_number:
        return (answer == wanted) == (sign == "=")
    first, second = _number_of(answer), _number_of(wanted)
    match sign:
        case "=":
            return first == second
        case "!=":
            return first != second
        case "<" | "<=":
            return first < second or (sign == "<=" and first == second)
    return first > second or (sign == ">=" and first == second)


def _number_of(text: str) -> float:
    return float(text) if re.fullmatch(NUMBER, text.strip()) else nan


def _without_parentheses(text: str) -> str:
    text = text.strip()
    while text.startswith("(") and text.endswith(")") and 0 not in _depths(text[:-1]):
        text = text[1:-1].strip()
    return text


def _depths(text: str) -> list[int]:
    """How many brackets are open after each character; what stands in quotes counts as one more."""
    depth, quote, depths = 0, "", []
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            depth += (character in "({") - (character in ")}")
        depths.append(depth + bool(quote))
    return depths


def _split(text: str, word: str) -> list[str]:
    depths, parts, start = _depths(text), [], 0
    for match in re.finditer(rf"\b{word}\b", text):
        if depths[match.start()] == 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


@dataclass(frozen=True)
class ImportedSurvey:
    """What became of a form.

    Attributes:
        choices: how many places are left to be chosen.
        left_out: what is not in it.
    """

    text: str
    attributes: int
    choices: int
    left_out: tuple[LeftOut, ...]


@dataclass
class _Writing:
    """What is known while questions are written one after the other.

    Attributes:
        values: of each attribute that conditions can be about.
        conditional: attributes that are not asked of all.
        freed: attributes that are asked of more people than in the form.
    """

    languages: tuple[str, ...]
    by_numbers: bool
    values: dict[str, list[str]] = field(default_factory=dict)
    conditional: set[str] = field(default_factory=set)
    freed: set[str] = field(default_factory=set)
    left_out: list[LeftOut] = field(default_factory=list)
    lacking: dict[str, int] = field(default_factory=dict)

    def leave_out(self, question: FormQuestion, why: str) -> None:
        """Name what is not in the survey of a question."""
        self.left_out.append(LeftOut(question.where, why))


def survey_text(form: Form, name: str) -> ImportedSurvey:
    """The survey of a form.

    Args:
        form: as it was read.
        name: of its file.
    """
    readable, refused = [], []
    for question in form.questions:
        why = _refusal(question, form.languages)
        if why:
            refused.append(LeftOut(question.where, f"no survey takes it: {why}"))
        else:
            readable.append(question)
    form = replace(form, questions=tuple(readable), left_out=(*form.left_out, *refused))
    numbers = any(not question.choices and question.type != "geopoint" for question in form.questions)
    writing = _Writing(form.languages, numbers)
    attributes = [line for question in form.questions for line in (*_attribute(question, writing), "")]
    lines = [
        *comment(f"From {name}. Where {CHOOSE!r} stands, choose: nothing is planned before."),
        "version = 1",
        f"epsilon = {toml(CHOOSE)}  # a promise: no report changes anybody's odds by more than e^epsilon",
        "",
        *_about(form, writing),
        *_sections(form, writing),
        *attributes,
        *comment("A person answers one of these, drawn by their weights, whatever their answers are."),
        *(line for question in form.questions for line in _ask(question)),
    ]
    for language, count in writing.lacking.items():
        why = f"{count} that the form has not: texts in another language stand in their place"
        writing.left_out.append(LeftOut(f"the texts in {language}", why))
    left_out = (*form.left_out, *writing.left_out)
    if left_out:
        lines += comment("Left out, or otherwise than in the form:")
        lines += [line for one in left_out for line in comment(f"- {one.where}: {one.why}")]
    text = "\n".join(lines).rstrip("\n") + "\n"
    open_places = sum(1 for _ in open_choices(tomllib.loads(text)))
    return ImportedSurvey(text, len(form.questions), open_places, left_out)


def _refusal(question: FormQuestion, languages: tuple[str, ...]) -> str:
    """Why no survey takes a question, whatever is chosen in its open places; empty where one does."""
    if question.relevant and NOT_ASKED in {choice.name for choice in question.choices}:
        return f"{shown(NOT_ASKED)} is reserved for people who are not asked"
    alone = replace(question, relevant=())
    lines = list(_attribute(alone, _Writing(languages, by_numbers=False)))
    own = tomllib.loads("\n".join(lines))["attribute"][question.name]
    del own["protect"]
    number = own.get("number", {})
    low, high = (None if number.get(end) == CHOOSE else number.get(end) for end in END_NAMES)
    chosen = {"low": 0 if high is None else high - 1, "high": 1 if low is None else low + 1}
    own |= {"number": {end: chosen[end] if number[end] == CHOOSE else number[end] for end in number}} if number else {}
    own |= {name: value for name, value in (("missing", "0.1"), ("several", 1)) if own.get(name) == CHOOSE}
    if "grid" in own:
        own["grid"] = {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 2}
    about = {"about": {"languages": list(languages)}} if languages else {}
    asked = {"version": 1, "epsilon": "1", "attribute": {question.name: own}, **about}
    try:
        Survey.read({**asked, "ask": [{ASKS.get(question.type, "mean"): question.name}]})
    except SordinoError as error:
        return " ".join(str(error).split())
    return ""


def _about(form: Form, writing: _Writing) -> Iterator[str]:
    if not form.title and not form.languages:
        return
    yield "[about]"
    if form.title:
        yield f"title = {toml(form.title)}"
    if form.languages:
        yield f"languages = {toml(writing.languages)}"
    yield ""


def _sections(form: Form, writing: _Writing) -> Iterator[str]:
    """Groups in their order, where there are any; what stands between two has a section without a heading."""
    headed = {question.group for question in form.questions}
    for row, group in form.groups.items():
        if group.labels and row not in headed:
            writing.left_out.append(LeftOut(group.where, "its heading: no question stands right below it"))
    if not any(headed):
        return
    runs: list[tuple[int, list[str]]] = []
    for question in form.questions:
        if not runs or runs[-1][0] != question.group:
            runs.append((question.group, []))
        runs[-1][1].append(question.name)
    for row, names in runs:
        yield "[[section]]"
        yield from _texts("title", form.groups[row].labels if row else {}, writing)
        yield f"attributes = {toml(names)}"
        yield ""


def _attribute(question: FormQuestion, writing: _Writing) -> Iterator[str]:
    yield f"[attribute.{toml_key(question.name)}]"
    yield from _texts("text", question.labels, writing)
    yield from _texts("help", question.hints, writing)
    for why in _unread(question):
        writing.leave_out(question, why)
    conditions = _conditions(question, writing)
    match question.type:
        case "select_one" | "select_multiple":
            yield from _categories(question, writing)
        case "geopoint":
            places = ", ".join(f"{name} = {toml(CHOOSE)}" for name in ("south", "north", "west", "east"))
            yield f"grid = {{ {places}, rows = {toml(CHOOSE)}, columns = {toml(CHOOSE)} }}"
            yield f"column = {toml([column.format(question.name) for column in PLACE])}  # as exports of ODK call them"
            if not question.required:
                writing.leave_out(question, "that it may be skipped: a map has no value for that")
        case _:
            yield from _number(question, writing, sometimes=bool(conditions))
    if conditions:
        writing.conditional.add(question.name)
        parts = (f"{toml_key(name)} = {_value(values)}" for name, values in conditions.items())
        yield f"only_if = {{ {', '.join(parts)} }}"
    if writing.by_numbers:
        yield f"delta = {toml(CHOOSE)}  # a promise about this attribute; without this line it is epsilon"
    else:
        yield f"protect = {toml(CHOOSE)}  # a promise; without this line all values are protected alike"


def _categories(question: FormQuestion, writing: _Writing) -> Iterator[str]:
    names = [choice.name for choice in question.choices]
    one = question.type == "select_one"
    skipped = [UNANSWERED] if one and not question.required and UNANSWERED not in names else []
    yield f"categories = {toml([*names, *skipped])}"
    labels = [
        f"{toml_key(choice.name)} = {text}"
        for choice in question.choices
        if (text := _text(choice.labels, writing)) is not None and text != toml(choice.name)
    ]
    if labels:
        yield f"labels = {{ {', '.join(labels)} }}"
    if one:
        if UNANSWERED not in names and question.is_named_once:
            writing.values[question.name] = [*names, *skipped]
        if UNANSWERED in names and not question.required:
            writing.leave_out(
                question, f"that skipping it differs from {shown(UNANSWERED)}, which is one of its choices"
            )
        if not question.required:
            yield f"missing = {toml(UNANSWERED)}"
        return
    if question.required:
        writing.leave_out(question, "that at least one must apply")
    most = AT_MOST.fullmatch(question.settings.get("constraint", ""))
    if most and 1 <= int(most[1]) <= len(names):
        yield f"several = {int(most[1])}"
    else:
        yield f"several = {toml(CHOOSE)}  # how many of the {len(names)} apply to one person at most"


def _number(question: FormQuestion, writing: _Writing, *, sometimes: bool) -> Iterator[str]:
    step = None
    if question.type == "range":
        given = RANGE | _parameters(question)
        ends = dict(zip(END_NAMES, sorted((given["start"], given["end"])), strict=True))
        if given["step"] > 0 and (ends["high"] - ends["low"]) % given["step"] == 0:
            step = given["step"]
        else:
            writing.leave_out(question, "its steps, which do not lead from one end to the other")
    else:
        ends = _ends(question)
    if len(ends) == len(END_NAMES) and ends["low"] >= ends["high"]:
        what = "no number meets" if ends["low"] > ends["high"] else "one number alone meets"
        writing.leave_out(question, f"its bounds, which {what}: at least {ends['low']:f}, at most {ends['high']:f}")
        ends, step = {}, None
    low, high = (f"{ends[name]:f}" if name in ends else toml(CHOOSE) for name in END_NAMES)
    yield f"number = {{ low = {low}, high = {high} }}"
    if question.type == "date":
        yield 'input = "date"'
    elif step is not None:
        yield 'input = "slider"'
        yield f"step = {step:f}"
    if sometimes:
        yield f"missing = {toml(CHOOSE)}  # the part of the people expected to skip it, or not to be asked"
    elif not question.required:
        yield f"missing = {toml(CHOOSE)}  # the part of the people expected to skip it; without this line nobody may"


def _parameters(question: FormQuestion) -> dict[str, Decimal]:
    """The numbers of a range's parameters by their names."""
    given = dict(PARAMETER.findall(question.settings.get("parameters", "").lower()))
    return {name: number for name in RANGE if (number := _decimal(given.get(name, ""))) is not None}


def _decimal(text: str) -> Decimal | None:
    """A number of at most so many digits; None of another text."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number + 0 if number.is_finite() and abs(number.adjusted()) < DIGITS else None


def _unread(question: FormQuestion) -> Iterator[str]:
    """What a row says that the survey does not: its constraint, and its parameters."""
    constraint = question.settings.get("constraint", "")
    most = AT_MOST.fullmatch(constraint) if question.type == "select_multiple" else None
    is_read = 1 <= int(most[1]) <= len(question.choices) if most else bool(_ends(question))
    if constraint and not is_read:
        yield f"its constraint, {shown(constraint)}"
    parameters = question.settings.get("parameters", "")
    known = _parameters(question) if question.type == "range" else {}
    others = [f"{name}={value}" for name, value in PARAMETER.findall(parameters) if name.lower() not in known]
    if others or PARAMETER.sub("", parameters).strip(" ,;"):
        yield f"its parameters, {shown(', '.join(others) or parameters)}"


def _ends(question: FormQuestion) -> dict[str, Decimal]:
    """The ends of a number's constraint that says nothing else."""
    found: dict[str, Decimal] = {}
    if question.type not in ("integer", "decimal"):
        return found
    for part in BETWEEN.split(question.settings.get("constraint", "").strip()):
        match = ENDS.fullmatch(part.strip())
        bound = _decimal(match[2] or match[3]) if match else None
        if match is None or bound is None:
            return {}
        is_low = match[1] == ">=" if match[1] else match[4] == "<="
        end, tighter = ("low", max) if is_low else ("high", min)
        found[end] = tighter(found.get(end, bound), bound)
    return found


def _conditions(question: FormQuestion, writing: _Writing) -> Conditions:
    found: Conditions = {}
    for relevant in question.relevant:
        own = conditions_of(relevant, writing.values, writing.conditional)
        together = None if own is None else narrow(found, own)
        if question.type != "geopoint" and together is not None:
            found = together
            continue
        reason = "no earlier answers from a list say that" if own is None else "nobody fulfils that with the others"
        reason = "a map is asked of all" if question.type == "geopoint" else reason
        writing.leave_out(question, f"that it is asked only where {shown(relevant)}: {reason}")
        writing.freed.add(question.name)
    always = {name for name, values in found.items() if len(values) == len(writing.values[name])} - writing.conditional
    for name in sorted(always & writing.freed):
        writing.leave_out(question, f"that it is asked only where {shown(name)} is: that is asked of more people here")
        writing.freed.add(question.name)
    return {name: values for name, values in found.items() if name not in always}


def _ask(question: FormQuestion) -> Iterator[str]:
    word = ASKS.get(question.type, "mean")
    yield "[[ask]]"
    yield f"{word} = {toml(question.name)}" + ("  # or: distribution" if word == "mean" else "")


def _texts(setting: str, texts: Texts, writing: _Writing) -> Iterator[str]:
    text = _text(texts, writing)
    if text is not None:
        yield f"{setting} = {text}"


def _text(texts: Texts, writing: _Writing) -> str | None:
    """A text once, or in each language of the survey: where one lacks, the first that there is."""
    if not texts:
        return None
    found = [texts[language] for language in writing.languages if language in texts]
    if not found:
        # Written once it is that of all languages.
        return toml(next(iter(texts.values())))
    for language in writing.languages:
        if language not in texts:
            writing.lacking[language] = writing.lacking.get(language, 0) + 1
    parts = (f"{toml_key(language)} = {toml(texts.get(language, found[0]))}" for language in writing.languages)
    return f"{{ {', '.join(parts)} }}"


def _value(values: tuple[str, ...]) -> str:
    return toml(values[0]) if len(values) == 1 else toml(values)
