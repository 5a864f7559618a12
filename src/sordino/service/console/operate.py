"""What whoever may open a store does with it, served or not: tokens, keys, the record, a backup. A command is JSON.

    {"do": "token add", "name": "ada", "role": "reader", "expires": "2027-01-31"}

The answer is {"ok": ...} or {"error": facts of the error}: an error of a command is none of the store.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sordino.document.key_chain import KeyLink
from sordino.errors import SordinoError
from sordino.service.storage.store import ReportStore
from sordino.service.storage.tokens import CONSOLE


def operate(store: ReportStore, command: Mapping[str, Any]) -> dict[str, Any]:
    """Run a command on a store: what it answers."""
    try:
        return {"ok": _DEEDS[command["do"]](store, command)}
    except SordinoError as error:
        return {"error": error.facts()}


def _add(store: ReportStore, command: Mapping[str, Any]) -> dict[str, Any]:
    return {"token": store.add_token(command["name"], command["role"], command["expires"])}


def _list(store: ReportStore, _: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [asdict(holder) for holder in store.tokens.holders()]


def _revoke(store: ReportStore, command: Mapping[str, Any]) -> None:
    store.revoke_token(command["name"])


def _show_record(store: ReportStore, _: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{**json.loads(act.line), "hash": act.hash} for act in store.acts.acts()]


def _rotate(store: ReportStore, command: Mapping[str, Any]) -> None:
    store.rotate_key(KeyLink(**command["link"]))


def _close_period(store: ReportStore, command: Mapping[str, Any]) -> dict[str, Any]:
    return {"plan": store.close_period(command["plan"], command["period"], CONSOLE)}


def _back_up(store: ReportStore, command: Mapping[str, Any]) -> None:
    store.back_up(Path(command["path"]))


_DEEDS: Mapping[str, Callable[[ReportStore, Mapping[str, Any]], Any]] = {
    "token add": _add,
    "token list": _list,
    "token revoke": _revoke,
    "key rotate": _rotate,
    "period close": _close_period,
    "record": _show_record,
    "backup": _back_up,
}
"""Each command by its name."""
