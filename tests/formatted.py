"""Surveys as texts in many layouts, with comments, and what `format` makes of them, looked at from all sides."""

import re
import tomllib
from collections import Counter
from copy import deepcopy

from sordino.forms.survey_format import format_survey
from sordino.forms.toml_text import toml, toml_key
from sordino.survey.reading import spelled_attribute, spelled_questions, spellings
from sordino.survey.reading.spellings import declared_tables
from sordino.survey.reading.survey_file import Survey


class Written:
    """The text of a survey in some layout, with a comment wherever one can stand.

    Args:
        layout: chooses one of several ways to write what comes next.
    """

    def __init__(self, layout):
        self.layout = layout
        self.count = 0

    def comment(self):
        self.count += 1
        return f"# comment {self.count}"

    def text(self, tables):
        tables = deepcopy(tables)
        simple = {key: own for key, own in tables.items() if not self.is_tables(own)}
        lines = [self.comment(), ""]
        for key, own in simple.items():
            lines += self.setting(key, own)
        for key, own in tables.items():
            if key not in simple:
                lines += self.tables(key, own)
        return "\n".join([*lines, self.comment(), ""])

    @staticmethod
    def is_tables(own):
        return isinstance(own, dict) or (
            isinstance(own, list) and bool(own) and all(isinstance(one, dict) for one in own)
        )

    def setting(self, key, value):
        """A setting on a line of its own."""
        above = [self.comment()] if self.layout(2) else []
        beside = f"  {self.comment()}" if self.layout(2) else ""
        text = toml(value)
        if isinstance(value, list) and value and self.layout(2):
            text = "[" + "".join(f" {self.comment()}\n  {toml(one)}," for one in value) + f" {self.comment()}\n]"
        return [*above, *f"{toml_key(key)} = {text}{beside}".split("\n")]

    def tables(self, key, own):
        lines = [""]
        if isinstance(own, list):
            for one in own:
                lines += [self.comment(), f"[[{key}]]  {self.comment()}", *self.settings((key,), one), ""]
            return lines
        if not any(isinstance(one, dict) for one in own.values()):
            return [*lines, f"[{key}] {self.comment()}", *self.settings((key,), own)]
        if self.layout(6) == 5:
            # All of them by one header.
            return [
                *lines,
                f"[{key}] {self.comment()}",
                *(line for name, one in own.items() for line in self.setting(name, one)),
            ]
        alone = {name: one for name, one in own.items() if not isinstance(one, dict)}
        if alone:
            lines += [f"[{key}]", *(line for name, one in alone.items() for line in self.setting(name, one))]
        for name, one in own.items():
            if name not in alone:
                lines += [
                    self.comment(),
                    f"[{key}.{toml_key(name)}]  {self.comment()}",
                    *self.settings((key, name), one),
                    "",
                ]
        return lines

    def settings(self, path, table):
        """Those of a table; tables within it on one line, by dotted keys, or with headers of their own."""
        lines, inner = [], []
        for key, value in table.items():
            way = self.layout(3) if isinstance(value, dict) and value else 0
            if way == 0:
                lines += self.setting(key, value)
            elif way == 1:
                for name, one in value.items():
                    lines += [f"{toml_key(key)}.{toml_key(name)} = {toml(one)}  {self.comment()}"]
            else:
                header = ".".join(map(toml_key, (*path, key)))
                inner += [
                    self.comment(),
                    f"[{header}] {self.comment()}",
                    *(line for name, one in value.items() for line in self.setting(name, one)),
                ]
        return [*lines, *inner]


def comments(text):
    """No text of these surveys has a number sign."""
    return Counter(re.findall(r"#.*", text))


def other_spellings(text):
    """Settings of a survey that are no declared ones, but scales, which the docs write by their values."""
    tables = tomllib.loads(text)
    found = {*tables} & {*spellings.SURVEY_WORDS, *spellings.ABOUT_WORDS, "survey"}
    words = {*spelled_attribute.ATTRIBUTE_WORDS} - {"scale"}
    for one in (*tables["attribute"].values(), *tables.get("public", {}).values()):
        found |= {*one} & words
        if "scale" in one:
            low, high = one.pop("scale")
            one["number"] = {"low": low - 0.5, "high": high + 0.5, "bins": high - low + 1}
            one.setdefault("input", "slider")
    for one in tables["ask"]:
        found |= {*one} & {*spelled_questions.ASK_WORDS}
    asks = [{key: own for key, own in one.items() if key != "ranges"} for one in tables["ask"]]
    declared = declared_tables({**tables, "ask": asks})
    assert not declared.mistakes
    return found if declared.tables == {**tables, "ask": asks} else found | {"another form"}


def formatted(text):
    """What `format` writes, looked at from all sides."""
    written = format_survey(text, "survey.toml")
    before, after = (tomllib.loads(one) for one in (text, written))
    assert Survey.read(after) == Survey.read(before)
    # The order of attributes and columns is that of the form, and of reports.
    for part in ("attribute", "public", "section"):
        assert str(getattr(Survey.read(after), part)) == str(getattr(Survey.read(before), part))
    more = comments(written) - comments(text)
    assert not comments(text) - comments(written)
    assert all(
        re.match("# (people|population|respondents|participants|sample_size|accuracy|decimals|ordered) = ", one)
        for one in more
    )
    assert other_spellings(written) == set()
    assert format_survey(written, "survey.toml") == written
    return written
