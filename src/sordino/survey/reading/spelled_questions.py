"""The questions of a survey in natural spellings, read into the settings that they declare.

histogram = "recommend"                                 # distribution
ranges = [[0, 6], [9, 10]]                              # [[-0.5, 6.5], [8.5, 10.5]]
by = "region"                                           # nothing to ask: every report shows it

What is asked of an attribute may stand at it, as `mean = true`, or what belongs to the question about it, as `ranges`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from sordino.document.schema.nearest import nearest
from sordino.domain.bins import HALF, MOST_BINS
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.reading.ask_table import WORDS, AskTable, named_attributes
from sordino.survey.reading.declared_tables import DeclaredTables, rename_settings
from sordino.survey.reading.spelled_attribute import ATTRIBUTE_SPELLINGS, ATTRIBUTE_WORDS, is_dated
from sordino.survey.reading.survey_dates import as_dates
from sordino.survey.schema.attribute_table import AttributeTable

ASK_WORDS = {
    **dict.fromkeys(("share", "shares", "frequency", "frequencies", "counts", "percent", "percentages"), "histogram"),
    **dict.fromkeys(("average", "averages", "means"), "mean"),
    **dict.fromkeys(("crosstab", "cross", "joint", "crosstable", "cross_table"), "table"),
    **dict.fromkeys(("group_by", "groups", "split_by"), "by"),
    **dict.fromkeys(("quantile", "percentile", "percentiles"), "quantiles"),
}
"""Words for a question's settings, each with the declared one or one of `ASK_SPELLINGS`."""

QUANTILES = {"median": [0.5], "quartiles": [0.25, 0.5, 0.75]}
"""Words for a distribution of which quantiles are asked."""

NPS = "nps"
"""Word for the share of promoters less that of detractors, among the answers to how likely one is to recommend."""

PROMOTERS = [[0, 6], [9, 10]]
"""Ranges of these: detractors and promoters."""

ASK_SPELLINGS = (
    "question",
    "attribute",
    *QUANTILES,
    NPS,
    "by",
    "at",
    "bins",
    "edges",
    "bin_width",
    "accuracy",
    "people",
)
"""Further settings of a question that stand for declared ones, or say nothing of it."""

OF_ONE = ("histogram", "several", "distribution", "mean", "above", *QUANTILES, NPS)
"""Words that ask something of one attribute."""

OF_DISTRIBUTION = ("histogram", "distribution", *QUANTILES)
"""Words that ask for the distribution of a number."""

OF_SHARES = ("histogram", "several", "distribution")
"""Words that ask for the shares of one attribute's values."""

OF_BINS = ("bins", "edges", "bin_width")
"""Settings of a question that are those of its number."""

OF_PLAN = ("accuracy", "people")
"""Settings that a plan is made with, and no part of a survey."""

PARTS = {
    "ranges": OF_DISTRIBUTION,
    "quantiles": OF_DISTRIBUTION,
    "threshold": ("above",),
    "by": (*WORDS, *QUANTILES, NPS),
    "weight": (*WORDS, *QUANTILES, NPS),
}
"""Settings that belong to a question, each with the words beside one of which it can stand."""

AT_ATTRIBUTES = frozenset({*ASK_WORDS, *QUANTILES, NPS, *AskTable.settings_table(), "by", *OF_PLAN}) - {
    *AttributeTable.settings_table(),
    *ATTRIBUTE_WORDS,
    *ATTRIBUTE_SPELLINGS,
}
"""Settings of an attribute that are those of a question about it."""

Ask: TypeAlias = dict[str, Any]
Place: TypeAlias = int | str
"""The number of a question that is written, or the name of the attribute at which it is."""


def own_question(name: str, table: Any) -> Ask:
    """What is asked of an attribute where a survey asks nothing: shares of categories, the mean of a number."""
    return {"mean" if isinstance(table, dict) and "number" in table else "histogram": name}


def asked_words(asks: Any, attributes: Mapping[str, Any]) -> dict[str, set[str]]:
    """Words of what is asked of each attribute, at it or below [[ask]], unchecked."""
    found: dict[str, set[str]] = {}
    for ask in asks if isinstance(asks, list) else ():
        for given, value in ask.items() if isinstance(ask, dict) else ():
            word = str(ASK_WORDS.get(given, given))
            own = value.get("of") if isinstance(value, dict) else value
            for name in own if isinstance(own, list) else [own]:
                if isinstance(name, str):
                    said = {"table"} if word == "by" else {"histogram"} if word in ("question", "attribute") else set()
                    found.setdefault(name, set()).update({word, *said}, (part for part in PARTS if part in ask))
    for name, table in attributes.items():
        if not isinstance(table, dict):
            continue
        own = [str(word) for word in table if word in AT_ATTRIBUTES and table[word] is not False]
        found.setdefault(name, set()).update(str(ASK_WORDS.get(word, word)) for word in own)
        for other in _condition_names(table, attributes):
            found.setdefault(other, set()).add("only_if")
    return found


def _condition_names(table: Mapping[Any, Any], attributes: Mapping[str, Any]) -> set[str]:
    """The attributes of which a condition speaks, in whatever words."""
    given = [own for word, own in table.items() if ATTRIBUTE_WORDS.get(word, word) == "only_if"]
    said = {one for own in given for one in (own if isinstance(own, dict) else re.findall(r"[\w-]+", str(own)))}
    return said & {*attributes}


def take_question(table: dict[Any, Any]) -> Ask:
    """Take what is asked of an attribute out of its table. Ranges with names are its categories."""
    words = [word for word in table if word in AT_ATTRIBUTES]
    return {word: table.pop(word) for word in words if word != "ranges" or not _are_names(table[word])}


def _are_names(given: Any) -> bool:
    return isinstance(given, list) and bool(given) and all(isinstance(one, str) for one in given)


def _is_about(ask: Any, name: str) -> bool:
    """Whether a question is about one attribute alone."""
    words = ("question", "attribute", *OF_ONE)
    return isinstance(ask, dict) and any(ask.get(word) in (name, [name]) for word in words)


def place_bins(read: DeclaredTables, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes with the bins that a question about them gives, which are those of the number."""
    changed = dict(attributes)
    for i, ask in enumerate(read.tables.get("ask") or ()):
        bins = {word: ask[word] for word in OF_BINS if word in ask} if isinstance(ask, dict) else {}
        names = [name for name, own in changed.items() if bins and isinstance(own, dict) and _is_about(ask, name)]
        if not bins:
            continue
        if len(names) == 1 and not bins.keys() & changed[names[0]].keys():
            changed[names[0]] = {**changed[names[0]], **bins}
        else:
            word, value = next(iter(bins.items()))
            step = f"write {word} once, at the number that it cuts"
            read.mistakes.append(SordinoError(f"ask.{i}.{word} must be of one number", found=shown(value), step=step))
    return changed


INSTEAD = {
    **dict.fromkeys(
        ("filter", "where", "if", "when", "only_if", "among"), 'write only_if at the attribute, or by = "NAME"'
    ),
    **dict.fromkeys(("confidence", "interval", "error"), "leave it out, and give it to `sordino.estimate`"),
    **dict.fromkeys(
        ("text", "label", "prompt"), 'write question = "..." in place of it, or text = "..." at the attribute'
    ),
    **dict.fromkeys(("name", "title"), "leave it out: a question is named by its attributes"),
}
"""Of settings that are none, what to write in place of them."""


def plan_note(where: str, value: Any, argument: str) -> str:
    """What is said of a number in a survey that a plan is made with."""
    return f"{where} = {shown(value)} is no part of a survey: give it when you make the plan, as `{argument}`."


class SpelledQuestions:
    """The questions of a survey while their spellings are read.

    Attributes:
        read: what is read so far; the attributes stand in their declared form.
        own: what is asked at attributes, by their names.
        by_public: places of questions by public columns, which are those about all people.
    """

    def __init__(self, read: DeclaredTables, own: Mapping[str, Ask]) -> None:
        self.read, self.scales, self.own = read, read.scales, own
        self.attributes: Mapping[str, Any] = read.tables["attribute"]
        public = read.tables.get("public")
        self.public: Mapping[str, Any] = public if isinstance(public, dict) else {}
        self.by_public: set[Place] = set()

    def read_all(self) -> None:
        """Put each question into its declared form, or several."""
        given = self.read.tables.get("ask")
        written: list[Any] = [dict(one) if isinstance(one, dict) else one for one in given or ()]
        for i, one in enumerate(written):
            if isinstance(one, dict):
                rename_settings(f"ask.{i}.", one, ASK_WORDS, self.read.mistakes)
        asked: list[tuple[Place, Any]] = [*enumerate(written)]
        for name in [*self.attributes, *self.public]:
            own = self._own_questions(name, dict(self.own.get(name, {})), written)
            is_open = given is None and not own and name in self.attributes
            asked += [(name, one) for one in (own or [own_question(name, self.attributes[name])] if is_open else own)]
        self._read_pairs(asked)
        found: list[tuple[Place, Any]] = []
        for place, one in asked:
            where = f"ask.{place}" if isinstance(place, int) else f"attribute.{place}"
            self.by_public |= {place} if isinstance(one, dict) and self._is_by_public(one) else set()
            found += [(place, each) for each in (self._questions(where, one) if isinstance(one, dict) else [one])]
        asks: list[Any] = []
        about: dict[str, list[int]] = {}
        for place, one in found:
            number = one.get("distribution") if isinstance(one, dict) else None
            others = about.setdefault(number, []) if isinstance(number, str) else []
            before = next((i for i in others if self._join(asks[i], one)), None)
            if before is None and one in asks and {place, self.read.asked_at[asks.index(one)]} & self.by_public:
                # By groups that every report shows, it is the same question.
                before = asks.index(one)
            if before is None:
                others.append(len(asks))
                asks.append(one)
                self.read.asked_at.append(place)
            elif isinstance(place, int):
                self.read.joined[place] = before
        self._ask_others(asks, given)
        self._note_whole_tables(asks)
        # Nothing more is said about questions that were none.
        self.read.tables["ask"] = asks or [{"histogram": name} for name in [*self.attributes][:1]]

    def _ask_others(self, asks: list[Any], given: Any) -> None:
        """What a survey describes is asked, though no question is about it: nobody answers it again."""
        named = {name for _, _, name in named_attributes(asks)}
        tables = [own for own in self.attributes.values() if isinstance(own, dict)]
        deciding = {one for own in tables if isinstance(own.get("only_if"), dict) for one in own["only_if"]}
        is_bounded = "dependence" in self.read.tables or any("delta" in own for own in tables)
        if given is None or is_bounded or not named <= {*self.attributes}:
            return
        for name in [name for name in self.attributes if name not in named | deciding]:
            (word,) = ask = own_question(name, self.attributes[name])
            asks.append(self._of_kind(ask))
            self.read.asked_at.append(name)
            told = "as it is described; leave the attribute out to have more answers to the others"
            self.read.notes.append(f"attribute.{name} has no question: {word} = {shown(name)} is asked, {told}.")

    def _note_whole_tables(self, asks: Sequence[Any]) -> None:
        """Say of tables that they protect more than an attribute of theirs asks for, which costs people."""
        for i, ask in enumerate(asks):
            names = ask.get("table") if isinstance(ask, dict) else None
            names = names if isinstance(names, list) else ()
            tables = {name: self.attributes.get(name) for name in names if isinstance(name, str)}
            own = {name: table.get("protect") or {} for name, table in tables.items() if isinstance(table, dict)}
            partly = [name for name, one in own.items() if isinstance(one, dict) and one.get("sensitive")]
            whole = [name for name, one in own.items() if isinstance(one, dict) and not {*one} - {"epsilon"}]
            if partly and whole:
                where, place = "ask", self.read.asked_at[i]
                where = f"ask.{place}" if isinstance(place, int) else f"attribute.{place}"
                said = f"protects all values of {partly[0]!r}, since all of {whole[0]!r} are protected"
                instead = (
                    f'public = true at attribute.{whole[0]} and by = "{whole[0]}" protect the sensitive ones alone'
                )
                self.read.remarks.append(f"{where}.table {said}; {instead}.")

    def _read_pairs(self, asked: Sequence[tuple[Place, Any]]) -> None:
        """The shares of two, of which one is asked elsewhere, can only be those of both together: a table."""
        found: list[tuple[int, str]] = []
        for i, (_, ask) in enumerate(asked):
            pair = ask.get("histogram") if isinstance(ask, dict) and {*ask} <= {"histogram", "weight"} else None
            if not isinstance(pair, list) or len(pair) != 2 or pair[0] == pair[1]:
                continue
            if not all(isinstance(name, str) and name in self.attributes for name in pair):
                continue
            others = [other for j, (_, other) in enumerate(asked) if j != i]
            again = next((name for name in pair if any(self._has_shares(other, name) for other in others)), None)
            found += [(i, again)] if again is not None else []
        for i, again in found:
            place, ask = asked[i]
            pair = shown(ask["histogram"])
            ask["table"] = ask.pop("histogram")
            where = f"ask.{place}" if isinstance(place, int) else f"attribute.{place}"
            told = f"is read as table = {pair}: another question has the shares of {again!r}"
            self.read.notes.append(f"{where}.histogram = {pair} {told}.")

    def _has_shares(self, ask: Any, name: str) -> bool:
        """Whether a question asks for the shares of an attribute's values by themselves, and for nothing more of it."""
        if not isinstance(ask, dict) or {"quantiles", "ranges"} & ask.keys():
            return False
        by = ask.get("by", [])
        is_named = any(own == name or (isinstance(own, list) and name in own) for own in map(ask.get, OF_SHARES))
        return is_named and {*map(str, by if isinstance(by, list) else [by])} <= self.public.keys()

    def _join(self, ask: Any, other: Any) -> bool:
        """Whether a question answers another too, as quantiles and ranges of one number; it then has its parts."""
        name = ask.get("distribution") if isinstance(ask, dict) and isinstance(other, dict) else None
        if name is None or name != other.get("distribution") or ask.get("weight") != other.get("weight"):
            return False
        for part in [part for part in ("quantiles", "ranges") if isinstance(other.get(part), list)]:
            own = ask.get(part)
            if own is not None and not isinstance(own, list):
                return False
            ask[part] = [*(own or ()), *(one for one in other[part] if one not in (own or ()))]
        return bool({"quantiles", "ranges"} & {*ask, *other})

    def _own_questions(self, name: str, own: Ask, written: Sequence[Any]) -> list[Ask]:
        """What is asked at an attribute; its parts belong to that, or to the only question about it elsewhere."""
        if not own or name in self.public:
            # Every report shows a public column.
            return []
        where = f"attribute.{name}"
        rename_settings(f"{where}.", own, ASK_WORDS, self.read.mistakes)
        self._leave_plan_words(where, own)
        parts = {word: own.pop(word) for word in PARTS if word in own}
        elsewhere = [one for one in written if _is_about(one, name)]
        asks = [ask for word, value in own.items() for ask in self._own_question(name, word, value)]
        asks = [one for one in asks if not any({*one} <= {*each} for each in elsewhere)]
        for part, value in parts.items():
            for one in self._asks_with(where, name, part, asks, elsewhere):
                if one.setdefault(part, value) != value:
                    found, step = (
                        f"{shown(value)}, and {shown(one[part])} in [[ask]]",
                        f"leave {part} out in one of both",
                    )
                    self._wrong(f"{where}.{part}", "must be said once", found, step)
        return asks

    def _asks_with(self, where: str, name: str, part: str, asks: list[Ask], elsewhere: Sequence[Ask]) -> Sequence[Ask]:
        """The questions to which a part at an attribute belongs; a new one among those at it where there is none."""
        fitting, others = (
            [one for one in each if any(word in one for word in PARTS[part])] for each in (asks, elsewhere)
        )
        is_of_all = set(PARTS[part]) > set(OF_ONE)
        if fitting:
            return fitting if is_of_all else fitting[:1]
        if is_of_all and len(others) > 1:
            step = f"write {part} = ... below the [[ask]] that is meant"
            self._wrong(f"{where}.{part}", "must be of one question", f"{len(others)} about {name}", step)
            return ()
        if not others:
            words = {"ranges": "distribution", "quantiles": "distribution", "threshold": "above"}
            asks.append({words[part]: name} if part in words else own_question(name, self.attributes[name]))
            return asks[-1:]
        return others[:1]

    def _own_question(self, name: str, word: str, value: Any) -> Iterator[Ask]:
        others = [value] if isinstance(value, str) else value
        if word == "table" and _are_names(others):
            yield {"table": [name, *(one for one in others if one != name)]}
        elif word in OF_ONE and (value is True or value in (name, [name])):
            yield {word: name}
        elif word == "above" and isinstance(value, int | float):
            yield {"above": name, "threshold": value}
        elif word in OF_ONE and value is not False:
            step = f"write {word} = true to ask it of {name}, or [[ask]] with {word} = {shown(value)}"
            self._wrong(f"attribute.{name}.{word}", "must be true", shown(value), step)
        elif word not in OF_ONE:
            step = f'write [[ask]], and below it {word} = ... with "{name}" in it'
            self._wrong(f"attribute.{name}.{word}", "must be a question of its own", shown(value), step)

    def _wrong(self, where: str, rule: str, found: str, step: str) -> None:
        self.read.mistakes.append(SordinoError(f"{where} {rule}", found=found, step=step))

    def _leave_plan_words(self, where: str, ask: Ask) -> None:
        """What a plan is made with says nothing in a survey."""
        for word in [word for word in OF_PLAN if word in ask]:
            self.read.notes.append(plan_note(f"{where}.{word}", ask.pop(word), word))

    def _questions(self, where: str, ask: Ask) -> list[Ask]:
        before = len(self.read.mistakes)
        self._leave_plan_words(where, ask)
        if self._is_shown_anyway(ask):
            public = shown(next(iter(ask.values())))
            self.read.notes.append(f"{where} asks of nothing: every report shows {public}, and results can be by it.")
            return []
        for word in OF_BINS:
            ask.pop(word, None)
        for word in [word for word in ("question", "attribute") if word in ask]:
            self._name_kind(where, word, ask)
        if "epsilon" in ask:
            found = shown(ask.pop("epsilon"))
            step = f'write protect = {{ epsilon = "{found.strip(chr(39))}" }} there, or delta in a survey with deltas'
            self._wrong(f"{where}.epsilon", "must stand at the attribute that it protects", found, step)
        self._read_parts(where, ask)
        self._unknown(where, ask)
        return [one for each in self._each_kind(ask) for one in self._of_one_kind(where, each, before)]

    def _is_by_public(self, ask: Ask) -> bool:
        """Whether a question names a public column, as a group or in a table."""
        named = [
            name
            for word in ("by", "table")
            for name in (ask[word] if isinstance(ask.get(word), list) else [ask.get(word)])
        ]
        return any(isinstance(name, str) and name in self.public for name in named)

    def _is_shown_anyway(self, ask: Ask) -> bool:
        """Whether a question asks for nothing but the shares of public columns, and something else is asked."""
        words = {*ask} - {"weight"}
        named = ask.get("histogram")
        names = named if isinstance(named, list) else [named]
        return words == {"histogram"} and bool(names) and all(str(name) in self.public for name in names)

    def _each_kind(self, ask: Ask) -> list[Ask]:
        """A question of each kind that one asks for; what belongs to a distribution with it, whatever else is asked."""
        kinds = [word for word in (*QUANTILES, *WORDS) if word in ask]
        names = [ask[word] for word in kinds if isinstance(ask[word], str)]
        of_number = [word for word in kinds if word in OF_DISTRIBUTION]
        parts = [part for part in ("ranges", "quantiles") if part in ask]
        if parts and not of_number and len(names) == len(kinds) == 1 and names[0] in self.numbers and "mean" in ask:
            ask, kinds, of_number = {**ask, "distribution": names[0]}, [*kinds, "distribution"], ["distribution"]
        if len(kinds) < 2:
            return [self._with_quantiles(ask)]
        rest = {word: value for word, value in ask.items() if word not in (*kinds, *PARTS)}
        found: list[Ask] = []
        for word in kinds:
            own = {part: ask[part] for part, words in PARTS.items() if part in ask and word in words}
            if word in of_number and any(ask[other] == ask[word] for other in of_number[: of_number.index(word)]):
                own = {part: value for part, value in own.items() if part not in parts}
            found.append({word: ask[word], **own, **rest})
        # What belongs to none of them is told as it is of one.
        found[0] |= {part: ask[part] for part in PARTS if part in ask and not any(part in one for one in found)}
        return [*map(self._with_quantiles, found)]

    @staticmethod
    def _with_quantiles(ask: Ask) -> Ask:
        """A median or quartiles as a distribution with quantiles."""
        word = next((word for word in QUANTILES if word in ask), None)
        if word is None:
            return ask
        own = ask.get("quantiles")
        more = [one for one in own if one not in QUANTILES[word]] if isinstance(own, list) else []
        rest = {name: value for name, value in ask.items() if name != word}
        return {**rest, "distribution": ask[word], "quantiles": [*QUANTILES[word], *more]}

    def _of_one_kind(self, where: str, ask: Ask, before: int) -> list[Ask]:
        by = ask.pop("by", None)
        if "table" in ask and isinstance(ask["table"], list):
            self._leave_public_out(where, ask)
        if len(self.read.mistakes) > before and not any(word in ask for word in WORDS):
            return []
        names = [] if by is None else by if isinstance(by, list) else [by]
        asks = self._each(ask, by_protected=any(name not in self.public for name in map(str, names)))
        if len(asks) > 1 and "histogram" in ask:
            both = f"table = {shown(ask['histogram'])}"
            self.read.notes.append(f"{where}.histogram asks of each by itself; {both} asks of them together.")
        if by is not None:
            asks = [one for ask in asks if (one := self._group_question(where, ask, names))]
        return [self._of_kind(one) for one in asks]

    def _unknown(self, where: str, ask: Ask) -> None:
        """Words of a question that nobody knows, each with the line to write."""
        known = {*AskTable.settings_table(), *ASK_SPELLINGS}
        for word in [word for word in ask if word not in known]:
            near = nearest([str(word)], [*known, *ASK_WORDS])
            step = (
                "" if near else INSTEAD.get(str(word).lower(), 'write histogram = "NAME", mean = "NAME" or by = "NAME"')
            )
            self._wrong(f"{where}.{word}", f"must be a known setting{near}", shown(ask.pop(word)), step)

    def _read_parts(self, where: str, ask: Ask) -> None:
        """Ranges by their ends, as they have no names, and quantiles are those of a distribution."""
        ranges, quantiles = ask.get("ranges"), ask.get("quantiles")
        if isinstance(ranges, dict):
            ask["ranges"] = [*ranges.values()]
            self.read.notes.append(f"{where}.ranges are shown by their ends: ranges have no names.")
        at = ask.get("at")
        probabilities: list[Any] = at if isinstance(at, list) else [at]
        is_at = isinstance(quantiles, str) and all(isinstance(one, int | float) for one in probabilities)
        if is_at and ask.setdefault("distribution", quantiles) == quantiles:
            is_per_cent = any(one > 1 for one in probabilities) and all(one >= 1 for one in probabilities)
            ask["quantiles"] = [one / 100 for one in probabilities] if is_per_cent else probabilities
            if is_per_cent:
                self.read.notes.append(f"{where}.at is read in per cent: quantiles = {ask['quantiles']}.")
            del ask["at"]
        elif isinstance(quantiles, str):
            ask["quantiles"] = QUANTILES["quartiles"]
            ask.setdefault("distribution", quantiles)
            self.read.notes.append(f"{where}.quantiles are read as {QUANTILES['quartiles']}, of {quantiles!r}.")
        if NPS in ask:
            self._net_promoters(where, ask)

    def _net_promoters(self, where: str, ask: Ask) -> None:
        """Promoters less detractors, of a scale from 0 to 10, are two ranges of its distribution."""
        name = ask.pop(NPS)
        number = self.attributes[name].get("number") if isinstance(name, str) and name in self.scales else None
        if not isinstance(number, dict) or (number["low"], number["high"]) != (-HALF, 10 + HALF):
            step = 'write scale = [0, 10] at the attribute, and nps = "NAME"'
            self._wrong(f"{where}.{NPS}", "must name a scale from 0 to 10", shown(name), step)
            name = ask.get("distribution", name)
        elif "ranges" in ask or ask.setdefault("distribution", name) != name:
            step = f'write [[ask]] and {NPS} = "{name}" by itself'
            self._wrong(f"{where}.{NPS}", "must not stand beside ranges or another number", shown(name), step)
        else:
            ask["ranges"] = PROMOTERS

    def _name_kind(self, where: str, word: str, ask: dict[str, Any]) -> None:
        """A question that only names an attribute asks for its shares; of a number it could ask for two things."""
        name = ask.pop(word)
        if any(kind in ask for kind in WORDS):
            self._take_text(where, word, name, ask)
            return
        table = self.attributes.get(name) if isinstance(name, str) else None
        if isinstance(table, dict) and "number" in table and name not in self.scales:
            step = f'write mean = "{name}", or distribution = "{name}"'
            self._wrong(f"{where}.{word}", "must say what is asked of a number", shown(name), step)
            ask["mean"] = name
        elif table is None and isinstance(name, str) and name not in self.public:
            step = 'write [attribute.NAME] with text = "...", and here histogram = "NAME"'
            found = shown(name) + nearest([name], [*self.attributes])
            self._wrong(f"{where}.{word}", "must name an attribute", found, step)
        else:
            ask["histogram"] = name

    def _take_text(self, where: str, word: str, text: Any, ask: Ask) -> None:
        """What people read beside what is asked is the text of its attribute, where that is one and has no other."""
        about = [ask[kind] for kind in (*WORDS, *QUANTILES) if kind in ask]
        name = about[0] if isinstance(about[0], str) and all(one == about[0] for one in about) else None
        table = self.attributes.get(name) if name is not None else None
        is_text = word == "question" and isinstance(text, str | dict) and text not in [*self.attributes, *self.public]
        if is_text and isinstance(table, dict) and table.setdefault("text", text) == text:
            return
        if is_text:
            rule = "must be the text of one attribute, which has no other"
            step = f"write text = ... below [attribute.{name or 'NAME'}], once, and leave {word} out here"
        else:
            rule, step = "must be a text that people read", f"leave {word} out: what is asked names its attribute"
        self._wrong(f"{where}.{word}", rule, shown(text), step)

    def _each(self, ask: dict[str, Any], *, by_protected: bool) -> list[dict[str, Any]]:
        """A question of each attribute that is listed, where a kind is about one; public ones are there anyway."""
        for word in ("histogram", "several", "distribution", *(("mean",) if by_protected else ())):
            if isinstance(ask.get(word), list) and ask[word]:
                names = [name for name in ask[word] if not (isinstance(name, str) and name in self.public)]
                return [{**ask, word: name} for name in names or ask[word]]
        return [ask]

    def _leave_public_out(self, where: str, ask: dict[str, Any]) -> None:
        """A table by a public column is about the others: every report shows which group it is of."""
        names = [name for name in ask["table"] if not (isinstance(name, str) and name in self.public)]
        if len(names) == len(ask["table"]):
            return
        del ask["table"]
        if len(names) == 1:
            ask["histogram"] = names[0]
        elif names:
            ask["table"] = names
        else:
            step = "leave the question out: `sordino.estimate` has its groups (`by`)"
            self._wrong(f"{where}.table", "must be about what is not public", "public columns alone", step)

    def _group_question(self, where: str, ask: dict[str, Any], names: Sequence[Any]) -> dict[str, Any] | None:
        """A question by groups: by public ones it is itself, by protected ones a table."""
        known = {**self.attributes, **self.public}
        if unknown := [name for name in names if not isinstance(name, str) or name not in known]:
            found = shown(unknown[0]) + nearest([str(unknown[0])], [*known])
            step = (
                'write by = "region", and [attribute.region] with its categories, and public = true if it may be known'
            )
            self._wrong(f"{where}.by", "must name a public column, or an attribute", found, step)
            return ask
        protected = [name for name in names if name not in self.public]
        if not protected:
            return ask
        ask = self._table_instead(where, ask, protected) or ask
        of = ask.get("histogram", None if {"quantiles", "ranges"} & ask.keys() else ask.get("distribution"))
        table = [of] if isinstance(of, str) else ask.get("table")
        if isinstance(table, list) and not any(
            name in self.numbers - self.binned_numbers for name in (*table, *protected)
        ):
            kept = {word: value for word, value in ask.items() if word not in ("histogram", "distribution")}
            return kept | {"table": [*protected, *table]}
        if "mean" in ask and len(protected) == 1 and protected[0] not in self.numbers:
            # Means of groups are a regression on them: a mean of one, and how much the others differ.
            own = f"public = true at attribute.{protected[0]} gives the mean of each"
            said = f"is a regression on it: the mean of one group, and how much others differ; {own}"
            self.read.notes.append(f"{where}: the mean of {ask['mean']!r} by {protected[0]!r} {said}.")
            return {word: value for word, value in ask.items() if word != "mean"} | {
                "regression": {"target": ask["mean"], "features": protected}
            }
        asked = [ask[word] for word in ("mean", "distribution", "histogram") if isinstance(ask.get(word), str)]
        unbinned = next(
            (name for name in (*(table or ()), *protected) if name in self.numbers - self.binned_numbers), None
        )
        if isinstance(table, list) and unbinned is not None:
            step = f"write bins = 5 at attribute.{unbinned}, or edges = [...] that suit it"
            self._wrong(f"{where}.by", "must be of values that can be counted", shown(unbinned), step)
            return ask
        compared = f'regression = {{ target = "{(*asked, "age")[0]}", features = ["{protected[0]}"] }}'
        step = f"write public = true at attribute.{protected[0]} if it may be known, or ask for {compared}"
        self._wrong(f"{where}.by", "must name a public column where a number is asked", shown(protected[0]), step)
        return ask

    def _table_instead(self, where: str, ask: Ask, protected: Sequence[str]) -> Ask | None:
        """Of names that a mean is asked of, and bins that quantiles are asked of, their shares, to be told by group."""
        number = ask.get("mean", ask.get("distribution"))
        named = {number, *protected} if isinstance(number, str) else set()
        is_none = "mean" in ask and number not in self.numbers
        is_curve = "mean" not in ask and "quantiles" in ask and "ranges" not in ask
        cannot_count = named & (self.numbers - self.binned_numbers)
        if not named or not named <= {*self.attributes} or not (is_none or is_curve) or cannot_count:
            return None
        asked, group = "mean" if is_none else "quantiles", protected[0]
        why = f"public = true at attribute.{group} gives those of each group"
        why = f"{number!r} has names in place of numbers" if is_none else why
        self.read.notes.append(f"{where}: the {asked} of {number!r} by {group!r} is read as a table of both; {why}.")
        kept = {word: value for word, value in ask.items() if word not in ("mean", "distribution", "quantiles")}
        return {**kept, "histogram": number}

    @property
    def binned_numbers(self) -> set[str]:
        """Numbers that a table can count, by their bins."""
        tables = {name: self.attributes[name]["number"] for name in self.numbers}
        known = {name: table for name, table in tables.items() if isinstance(table, dict)}
        few = {name for name, one in known.items() if type(one.get("bins")) is int and one["bins"] <= MOST_BINS}
        return few | {name for name, one in known.items() if isinstance(one.get("edges"), list)}

    @property
    def numbers(self) -> set[str]:
        """The attributes that are numbers."""
        return {name for name, table in self.attributes.items() if isinstance(table, dict) and "number" in table}

    def _of_kind(self, ask: dict[str, Any]) -> dict[str, Any]:
        """The shares of a number's values are its distribution, those of several categories each one's."""
        name = ask.get("histogram")
        table = self.attributes.get(name) if isinstance(name, str) else None
        if isinstance(table, dict):
            word = "distribution" if "number" in table else "several" if "several" in table else "histogram"
            ask = {word if own == "histogram" else own: value for own, value in ask.items()}
        number = ask.get("distribution", ask.get("above"))
        if isinstance(number, str) and is_dated(self.attributes.get(number, {}).get("number")):
            ask |= {word: as_dates(ask[word]) for word in ("ranges", "threshold") if word in ask}
        if isinstance(number, str) and number in self.scales and isinstance(ask.get("ranges"), list):
            ask = {**ask, "ranges": [_around(pair) for pair in ask["ranges"]]}
        return ask


def _around(pair: Any) -> Any:
    """From half below the first value of a range to half above its last one; what holds no whole numbers stays."""
    ends = pair if isinstance(pair, list) else [pair]
    if len(ends) not in (1, 2) or not all(type(end) is int for end in ends) or ends[0] > ends[-1]:
        return pair
    return [ends[0] - HALF, ends[-1] + HALF]
