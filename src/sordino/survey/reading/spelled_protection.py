"""How sensitive an attribute of a survey is, in natural spellings, read into the settings that it declares.

sensitive = ["yes"]                                     # protect = { sensitive = ["yes"] }
visibility = "private"                                  # nothing: all values are protected alike
public = true                                           # [public.NAME]

Where a word could promise two things, the one that keeps both is read, and a note says so.
"""

import re
from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

from sordino.document.schema.nearest import nearest
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.survey.reading.spelled_bins import names_by_distance
from sordino.survey.schema.protect_table import ProtectTable

PROTECT_SPELLINGS = ("public", "distance", "per", "unit")
"""Further settings of a protection that stand for declared ones."""

ALL = ("all", "everything")
"""Words for all values of an attribute."""

SECRET = ("secret", "private", "hidden", "protected", "confidential")

YES, NO = ("yes", "true"), ("no", "false")
"""Names of the two values of what is true or false."""

UNREAD: Mapping[str, Mapping[str, Any]] = {
    "categories": {"categories": 2},
    "number": {"number": {"low": 0, "high": 1}},
}
"""What stands for an attribute of which nothing more is said."""

OF_VALUES = frozenset(
    {
        "number",
        "grid",
        "categories",
        "several",
        "none",
        "unit",
        "input",
        "step",
        "missing",
        "protect",
        "labels",
        "expected",
    }
)
"""Settings that belong to the values of an attribute."""

UNPROTECTED = ("none", "no", "nothing", False)
"""Values of `protect` that say that nothing is: nobody's values are sent in clear for one word."""

MOST_RANGES_WRITTEN = 24
"""Bins of a number of which a message names each."""

NUMERIC = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def label_of(value: Any) -> Any:
    """The name of a category that is written as a number, as true or as false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else value


def value_of(value: Any, table: Mapping[str, Any]) -> Any:
    """The category of an attribute that a written value means: true is yes where its values are called so."""
    label, labels = label_of(value), labels_of(table)
    if not isinstance(label, str) or label in labels:
        return label
    same = next((names for names in (YES, NO) if label.lower() in names), ())
    return next((name for name in same if name in labels), value)


def labels_of(table: Mapping[str, Any]) -> Sequence[Any]:
    labels = table.get("categories")
    return labels if isinstance(labels, list) else ()


def _tenth(width: float) -> float:
    """A tenth of a width, as 1, 2 or 5 times a power of ten that is no smaller."""
    power = 10.0 ** floor(log10(width / 10))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= width / 10 * (1 - 1e-9))


class SpelledProtection:
    """What says how sensitive an attribute is, while its spellings are read.

    Attributes:
        where: it stands.
        table: its settings.
        mistakes: in them.
        notes: how what may surprise was read.
        is_ordered: whether its values are said to be in order.
        is_scale: whether its numbers are whole ones, each with a bin.
        is_public: whether it is sent in clear.
        is_private: whether it is said not to be.
        is_sensitive: whether it is said to be.
        is_partly_sensitive: whether values of it are named as such, beside the attribute's other settings.
        skipped: the category of whoever leaves it out, which the survey does not name; empty without one.
    """

    def __init__(self, where: str, table: dict[str, Any]) -> None:
        self.where, self.table = where, table
        self.mistakes: list[SordinoError] = []
        self.notes: list[str] = []
        self.is_scale = self.is_public = self.is_private = self.is_sensitive = self.is_partly_sensitive = False
        self.is_ordered = False
        self.skipped = ""

    def _wrong(self, setting: str, rule: str, step: str, unread: str = "") -> None:
        """Note a mistake, and take the setting away.

        Args:
            setting: that is wrong.
            rule: for it.
            step: with the line to write.
            unread: what the attribute is, of whose values nothing more is said; empty if they are known.
        """
        found = shown(self.table.pop(setting))
        self.mistakes.append(SordinoError(f"{self.where}.{setting} {rule}", found=found, step=step))
        if unread:
            self.table = {name: own for name, own in self.table.items() if name not in OF_VALUES}
            self.table.update(UNREAD[unread])

    def _protect(self) -> None:
        """What stands in a protection and says that there is none, or how far values lie apart."""
        if self.table.get("protect") == "public":
            self.table["protect"] = {"public": True}
        elif self.table.get("protect") in UNPROTECTED:
            given, clear = self.table.pop("protect"), "public = true sends it in clear"
            found = "false" if given is False else shown(given)
            self.notes.append(f"{self.where}.protect = {found} leaves all its values protected alike; {clear}.")
        protect = self.table.get("protect")
        if not isinstance(protect, dict):
            return
        said = {*protect}
        self._length(protect)
        self._known_words(protect)
        if "public" in protect:
            self._public_within(protect)
        if protect.get("sensitive") is True or protect.get("sensitive") in ALL:
            del protect["sensitive"]
            self.is_sensitive = True
        for word in [word for word in ("distance", "metric") if word in protect]:
            self._distance(word, protect)
        if said and not protect:
            del self.table["protect"]

    def _length(self, protect: dict[Any, Any]) -> None:
        """A distance in other words: as `per`, which stands in a metric; on a map with its unit beside it."""
        if "per" in protect and not {"distance", "metric"} & protect.keys():
            protect["distance"] = protect.pop("per")
        length, unit = protect.get("distance"), protect.get("unit")
        is_length = isinstance(length, int | float) and not isinstance(length, bool)
        if "grid" in self.table and is_length and isinstance(unit, str):
            protect["distance"] = f"{label_of(length)} {protect.pop('unit')}"

    def _known_words(self, protect: dict[Any, Any]) -> None:
        """Words of a protection that nobody knows, each with the line to write."""
        # What is left of a distance's parts belongs to none.
        known = [*{*PROTECT_SPELLINGS, *ProtectTable.settings_table()} - {"per", "unit"}]
        labels = labels_of(self.table)
        step = "leave it out to protect all values alike"
        if labels:
            some = f'protect = {{ sensitive = ["{labels[0]}"] }} to protect that value alone'
            step = f"leave protect out to protect all values alike, or write {some}, or {self._places()} by distance"
        for word in [word for word in protect if word not in known]:
            rule = f"{self.where}.protect.{word} must be a known setting{nearest([str(word)], known)}"
            self.mistakes.append(SordinoError(rule, found=shown(protect.pop(word)), step=step))

    def _public_within(self, protect: dict[Any, Any]) -> None:
        if isinstance(shows := protect["public"], list):
            others = ", ".join(f'"{label}"' for label in labels_of(self.table) if label not in shows)
            step = f"write protect = {{ sensitive = [{others}] }}: the others can show"
            place = f"{self.where}.protect.public"
            self.mistakes.append(SordinoError(f"{place} must be true", found=shown(protect.pop("public")), step=step))
        if "public" in protect and self.table.setdefault("public", protect["public"]) is not protect["public"]:
            self._wrong("public", "must be said once", "leave it out here, or in protect")
        protect.pop("public", None)

    def _distance(self, word: str, protect: dict[Any, Any]) -> None:
        """A distance at which two values are protected by epsilon is that of a metric, where values have one."""
        given, where = protect[word], f"{self.where}.protect.{word}"
        labels, is_length = labels_of(self.table), isinstance(given, int | float) and not isinstance(given, bool)
        if word == "distance":
            del protect[word]
        if word == "distance" and "metric" in protect:
            rule = f"{where} must be said once: metric means the same"
            self.mistakes.append(SordinoError(rule, found=shown(given), step="leave distance out"))
        elif "number" in self.table:
            protect.pop(word, None)
            self._refuse_distance(where, given)
        elif isinstance(given, bool):
            protect.pop(word, None)
            is_numeric = labels and all(map(NUMERIC.fullmatch, map(str, labels)))
            one = "protect = { distance = 1 }, of values 1 apart" if is_numeric else self._places()
            one = one if labels else 'protect = { distance = "10 km" }'
            rule = f"{where} must be the distance at which two values are protected by epsilon"
            step = f"write {one}, or leave it out to protect all values alike"
            self.mistakes.append(SordinoError(rule, found=shown(given), step=step))
        elif word == "distance" and is_length and labels and not all(map(NUMERIC.fullmatch, map(str, labels))):
            rule = f"{where} must be a list of where each name lies"
            self.mistakes.append(SordinoError(rule, found=shown(given), step=f"write {self._places()}"))
        elif word == "distance":
            protect["metric"] = given if isinstance(given, list) else {"per": given}

    def _places(self) -> str:
        """The line by which categories lie at equal distances, in their order."""
        return f"protect = {{ metric = {[*range(len(labels_of(self.table)))]} }}"

    def _refuse_distance(self, where: str, given: Any) -> None:
        """Say what to write where near values of a number are to be protected more than far ones."""
        number: dict[str, Any] = own if isinstance(own := self.table.get("number"), dict) else {}
        distance: Any = given.get("per") if isinstance(given, dict) else given
        low, high, step = number.get("low"), number.get("high"), "leave it out"
        if isinstance(low, int | float) and isinstance(high, int | float) and low < high:
            is_length = type(distance) in (int, float) and 0 < distance < high - low
            unit = distance if is_length else _tenth(high - low)
            edges, bins = number.get("edges"), number.get("bins")
            if type(bins) is int and 1 < bins <= MOST_RANGES_WRITTEN and edges is None:
                edges = [low + i * (high - low) / bins for i in range(bins)] + [high]
            names, places = names_by_distance(low, high, unit, edges)
            listed = ", ".join(f'"{name}"' for name in names)
            step += (
                "; or, to protect near values more than far ones, ask for ranges: write"
                f" categories = [{listed}] and protect = {{ metric = [{', '.join(places)}] }}"
            )
        rule = f"{where} must not be of a number, whose values are all protected from each other alike"
        self.mistakes.append(SordinoError(rule, found=shown(given), step=step))

    def _one_sensitive(self, given: Any) -> Any:
        """What one word or value beside `sensitive` says: all values, or that one.

        Where it could say either, all values are protected: that keeps both promises.
        """
        label, labels = label_of(given), labels_of(self.table)
        if isinstance(given, bool) or given in ALL or str(label).lower() not in (*YES, *NO):
            return [label] if label in labels and not isinstance(given, bool) else given
        if label in labels:
            alone = f'sensitive = ["{label}"] protects "{label}" alone: the others can then show'
            self.notes.append(f"{self.where} is protected, all its values alike; {alone}.")
        return True

    def _sensitive(self) -> None:
        """Sensitive values beside those of the attribute, or within its protection."""
        if self.table.get("protect") in (True, *ALL):
            # All its values alike, as they are without it.
            del self.table["protect"]
            self.is_sensitive = True
        elif "protect" in self.table and not isinstance(self.table["protect"], dict):
            step = "leave it out to protect all its values alike, or write public = true to send it in clear"
            self._wrong("protect", "must be a table", step)
        is_empty = self.table.get("protect") == {}
        own = self.table.pop("protect", {})
        self.is_sensitive |= "sensitive" in self.table and self.table["sensitive"] is not False
        if "sensitive" in self.table and own:
            self._wrong("sensitive", "must be said once", "leave out `sensitive`, or `protect`")
        elif "sensitive" in self.table:
            own = self._sensitive_beside()
        elif isinstance(own.get("sensitive"), str):
            own["sensitive"] = self._one_sensitive(own["sensitive"])
            if own["sensitive"] is True:
                del own["sensitive"]
                self.is_sensitive = True
        if isinstance(own.get("sensitive"), list):
            if self._is_one_answer(own["sensitive"]) or self._are_all(own["sensitive"]):
                del own["sensitive"]
                self.is_sensitive = True
            else:
                self._name_sensitive(own)
        if own or is_empty:
            self.table["protect"] = own

    def _sensitive_beside(self) -> dict[str, Any]:
        """The protection that a setting beside the values gives; empty where all are protected alike."""
        given = self._one_sensitive(self.table["sensitive"])
        if isinstance(given, bool) or given in ALL or self._are_all(given):
            # All its values alike, as they are without it; what need not be protected is public.
            del self.table["sensitive"]
        elif not isinstance(given, list):
            one = label_of(given) if isinstance(given, str | int | float) else "yes"
            step = (
                "write sensitive = true to protect all its values alike, or"
                f' sensitive = ["{one}"] to protect this value alone: the others can then show'
            )
            self._wrong("sensitive", "must be true, or a list of the values that are sensitive", step)
        else:
            del self.table["sensitive"]
            self.is_partly_sensitive = True
            return {"sensitive": given}
        return {}

    def _are_all(self, given: Any) -> bool:
        """Whether all values are named; whoever answers nothing is not said to be sensitive, and is protected then."""
        names, labels = {*map(str, map(label_of, given))} if isinstance(given, list) else set(), labels_of(self.table)
        return bool(names and labels) and names >= {*map(str, labels)} - {self.skipped}

    def _is_one_answer(self, given: Sequence[Any]) -> bool:
        """Whether sensitive values are some of several that may apply: these are protected as one answer."""
        is_known = {*map(str, map(label_of, given))} <= {*map(str, labels_of(self.table))}
        if not self.table.get("several") or not given or not is_known:
            return False
        said = "which of several apply, and how many, is protected as one answer"
        self.notes.append(f"{self.where} is protected, all its values alike: {said}.")
        return True

    def _name_sensitive(self, own: dict[str, Any]) -> None:
        """Sensitive values by their names, with what stands for no answer."""
        if not own["sensitive"]:
            # Nobody's values are sent in clear because none is named.
            del own["sensitive"]
            self.is_sensitive = self.is_partly_sensitive = False
            clear = "public = true sends it in clear"
            if self.table.get("public") is not True:
                self.notes.append(f"{self.where}.sensitive = [] leaves all its values protected alike; {clear}.")
            return
        labels = labels_of(self.table)
        named = [value_of(one, self.table) if one is True else label_of(one) for one in own["sensitive"]]
        listed = [name if name in labels else one for name, one in zip(named, own["sensitive"], strict=True)]
        own["sensitive"] = [*listed, self.skipped] if self.skipped and listed and self.skipped not in listed else listed

    def _visibility(self) -> None:
        given = self.table.get("visibility")
        if given == "public" and "public" not in self.table:
            del self.table["visibility"]
            self.table["public"] = True
        elif isinstance(given, str) and given in SECRET and self.is_partly_sensitive:
            step = "leave visibility out, or write sensitive = true"
            self._wrong("visibility", "must not stand beside values that alone are sensitive", step)
        elif isinstance(given, str) and given in SECRET:
            del self.table["visibility"]
            self.is_sensitive = True
        elif "visibility" in self.table:
            step = "leave it out to protect all its values, or write public = true to send it in clear"
            self._wrong("visibility", 'must be "public" or "private"', step)

    def _public(self) -> None:
        given = self.table.get("public")
        if given is not None and not isinstance(given, bool):
            self._wrong("public", "must be true or false", "write public = true to send it in clear with each report")
        self.is_private = given is False
        self.is_public = self.table.pop("public", False)

    def _epsilon(self) -> None:
        """An epsilon of its own is a protection."""
        protect = self.table.get("protect", {})
        if "epsilon" not in self.table or not isinstance(protect, dict):
            return
        if "epsilon" in protect:
            self._wrong("epsilon", "must be said once", "leave out `epsilon`, or that of `protect`")
        else:
            self.table["protect"] = {**protect, "epsilon": self.table.pop("epsilon")}
