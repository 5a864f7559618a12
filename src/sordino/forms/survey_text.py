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
from decimal import Decimal

from sordino.domain.condition import NOT_ASKED
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.forms.form import Form, FormQuestion, LeftOut, Texts
from sordino.forms.survey_draft import UNANSWERED
from sordino.forms.toml_text import comment, toml, toml_key
from sordino.survey.reading.open_choices import CHOOSE, open_choices
from sordino.survey.reading.survey_file import Survey

ENDS = re.compile(r"\.\s*(>=|<=)\s*(-?[0-9]+(?:\.[0-9]+)?)|(-?[0-9]+(?:\.[0-9]+)?)\s*(>=|<=)\s*\.")
"""A bound of a constraint, the answer on either side."""

END_NAMES = ("low", "high")

BETWEEN = re.compile(r"\s+and\s+")

AT_MOST = re.compile(r"count-selected\s*\(\s*\.\s*\)\s*<=\s*([0-9]+)")

PARAMETER = re.compile(r"\b(start|end|step)\s*=\s*(-?[0-9]+(?:\.[0-9]+)?)")

ASKS = {"select_one": "histogram", "select_multiple": "several", "geopoint": "histogram"}
"""What is asked about each type of question; of all others the mean."""

Conditions = dict[str, tuple[str, ...]]
"""Values by attribute, one of which must be answered."""

NAME = r"\$\{\s*([^\s{}]+)\s*\}"

VALUE = r"(?:'([^']*)'|\"([^\"]*)\"|(-?[0-9.]+))"

LONGEST = 2000
"""Characters of an expression that is read."""

EQUAL = re.compile(rf"{NAME}\s*(=|!=)\s*{VALUE}")

TURNED = re.compile(rf"{VALUE}\s*(=|!=)\s*{NAME}")

SELECTED = re.compile(rf"(not\s*\(\s*)?selected\s*\(\s*{NAME}\s*,\s*{VALUE}\s*\)(?(1)\s*\))")


def conditions_of(
    relevant: str, values: Mapping[str, Sequence[str]], conditional: Container[str] = ()
) -> Conditions | None:
    """What an expression asks of earlier answers; None where that cannot be said.

    Args:
        relevant: the expression; an empty one asks nothing.
        values: of each attribute that has named ones, of which a person has one.
        conditional: attributes that are not asked of all: where one is not, it differs from each of its values, which
            no list of these says.

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
    if match := EQUAL.fullmatch(term):
        name, sign, *value = match.groups()
    elif match := TURNED.fullmatch(term):
        *value, sign, name = match.groups()
    elif match := SELECTED.fullmatch(term):
        denied, name, *value = match.groups()
        sign = "!=" if denied else "="
    else:
        return None
    asked = next((one for one in value if one is not None), "")
    if asked not in values.get(name, ()) or (sign == "!=" and name in conditional):
        return None
    return {name: tuple(one for one in values[name] if (one == asked) == (sign == "="))}


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
    """What is known while questions are written one after the other."""

    languages: tuple[str, ...]
    by_numbers: bool
    values: dict[str, list[str]] = field(default_factory=dict)
    conditional: set[str] = field(default_factory=set)
    left_out: list[LeftOut] = field(default_factory=list)
    lacking: dict[str, int] = field(default_factory=dict)


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
    if not any(question.group for question in form.questions):
        return
    runs: list[tuple[int, list[str]]] = []
    for question in form.questions:
        if not runs or runs[-1][0] != question.group:
            runs.append((question.group, []))
        runs[-1][1].append(question.name)
    for group, names in runs:
        yield "[[section]]"
        yield from _texts("title", form.groups.get(group, {}), writing)
        yield f"attributes = {toml(names)}"
        yield ""


def _attribute(question: FormQuestion, writing: _Writing) -> Iterator[str]:
    yield f"[attribute.{toml_key(question.name)}]"
    yield from _texts("text", question.labels, writing)
    yield from _texts("help", question.hints, writing)
    conditions = _conditions(question, writing)
    match question.type:
        case "select_one" | "select_multiple":
            yield from _categories(question, writing)
        case "geopoint":
            places = ", ".join(f"{name} = {toml(CHOOSE)}" for name in ("south", "north", "west", "east"))
            yield f"grid = {{ {places}, rows = {toml(CHOOSE)}, columns = {toml(CHOOSE)} }}"
            if not question.required:
                writing.left_out.append(LeftOut(question.where, "that it may be skipped: a map has no value for that"))
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
        writing.values[question.name] = [*names, *skipped]
        if not question.required:
            yield f"missing = {toml(UNANSWERED)}"
        return
    most = AT_MOST.fullmatch(question.settings.get("constraint", ""))
    if most and 1 <= int(most[1]) <= len(names):
        yield f"several = {int(most[1])}"
    else:
        if "constraint" in question.settings:
            writing.left_out.append(LeftOut(question.where, "its constraint"))
        yield f"several = {toml(CHOOSE)}  # how many of the {len(names)} apply to one person at most"


def _number(question: FormQuestion, writing: _Writing, *, sometimes: bool) -> Iterator[str]:
    given = dict(PARAMETER.findall(question.settings.get("parameters", "")))
    constraint = question.settings.get("constraint", "")
    if question.type == "range":
        ends = {"low": given.get("start", "0"), "high": given.get("end", "10")}
    else:
        ends = {} if question.type == "date" else _ends(constraint)
        if constraint and not ends:
            writing.left_out.append(LeftOut(question.where, "its constraint, of which no ends can be read"))
    if len(ends) == len(END_NAMES) and float(ends["low"]) >= float(ends["high"]):
        ends = {}
    if question.type == "range" and ends and not _has_whole_steps(ends, given.get("step", "1")):
        writing.left_out.append(LeftOut(question.where, "its steps, which do not lead from one end to the other"))
    low, high = (ends.get(name, toml(CHOOSE)) for name in END_NAMES)
    yield f"number = {{ low = {low}, high = {high} }}"
    if question.type == "date":
        yield 'input = "date"'
    elif question.type == "range" and ends and _has_whole_steps(ends, given.get("step", "1")):
        yield 'input = "slider"'
        yield f"step = {given.get('step', '1')}"
    if sometimes:
        yield f"missing = {toml(CHOOSE)}  # the part of the people expected to skip it, or not to be asked"
    elif not question.required:
        yield f"missing = {toml(CHOOSE)}  # the part of the people expected to skip it; without this line nobody may"


def _has_whole_steps(ends: Mapping[str, str], step: str) -> bool:
    low, high, size = map(Decimal, (*(ends[name] for name in END_NAMES), step))
    return size > 0 and (high - low) % size == 0


def _ends(constraint: str) -> dict[str, str]:
    """The ends of a constraint that says nothing else."""
    found: dict[str, str] = {}
    for part in BETWEEN.split(constraint.strip()):
        match = ENDS.fullmatch(part.strip())
        if match is None:
            return {}
        sign, after, before, turned = match.groups()
        is_low = sign == ">=" if sign else turned == "<="
        end, bound = "low" if is_low else "high", after or before
        tighter = max if is_low else min
        found[end] = tighter(found.get(end, bound), bound, key=float)
    return found


def _conditions(question: FormQuestion, writing: _Writing) -> Conditions:
    found: Conditions = {}
    for relevant in question.relevant:
        own = None if question.type == "geopoint" else conditions_of(relevant, writing.values, writing.conditional)
        together = None if own is None else narrow(found, own)
        if together is None:
            reason = (
                "a map is asked of all" if question.type == "geopoint" else "no earlier answers from a list say that"
            )
            why = f"that it is asked only where {shown(relevant)}: {reason}"
            writing.left_out.append(LeftOut(question.where, why))
        else:
            found = together
    always = {name for name, values in found.items() if len(values) == len(writing.values[name])} - writing.conditional
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
