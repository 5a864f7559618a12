"""`sordino collector`: what whoever operates a collector does with its store, while it is served or not."""

import json
from pathlib import Path
from typing import Any

import click

from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json
from sordino.cli.say import say
from sordino.errors import SordinoError

STORE = click.argument("store")


@click.group()
def collector() -> None:
    """Operate a collector: its tokens, keys, periods, acts, and backups. STORE is what `sordino serve` has."""


@collector.group("token")
def tokens() -> None:
    """Say who may look at estimates (reader), take reports away (analyst), scrub and close (operator)."""


@tokens.command()
@STORE
@click.argument("name")
@click.option("--role", type=click.Choice(["reader", "analyst", "operator"]), required=True, help="What it allows.")
@click.option("--expires", metavar="DAY", help="The last day on which it is valid, as 2027-01-31.")
@as_json_option
def add(store: str, name: str, *, role: str, expires: str | None, as_json: bool) -> None:
    """Make a token for STORE under a new NAME, and print it once; only its hash is kept."""
    made = _run(store, {"do": "token add", "name": name, "role": role, "expires": expires})
    if as_json:
        print_json({"name": name, "role": role, "expires": expires, **made})
        return
    say(f"The token {name}, shown once: {made['token']}")


@tokens.command(name="list")
@STORE
@as_json_option
def list_tokens(store: str, *, as_json: bool) -> None:
    """List the tokens of STORE by their names, those too that are not valid any more."""
    holders = _run(store, {"do": "token list"})
    if as_json:
        print_json({"tokens": holders})
        return
    for holder in holders:
        ends = [f"{name} {holder[name]}" for name in ("expires", "revoked") if holder[name]]
        say(", ".join([f"{holder['name']}: {holder['role']}", f"since {holder['since']}", *ends]))


@tokens.command()
@STORE
@click.argument("name")
@as_json_option
def revoke(store: str, name: str, *, as_json: bool) -> None:
    """Have the token NAME of STORE allow nothing from now on."""
    _run(store, {"do": "token revoke", "name": name})
    if as_json:
        print_json({"name": name, "revoked": True})
        return
    say(f"The token {name} is revoked.")


@collector.group()
def key() -> None:
    """Change the key that signs plans."""


@key.command()
@STORE
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@as_json_option
def rotate(store: str, old: Path, new: Path, *, as_json: bool) -> None:
    """Have the key in the file OLD name the one in the file NEW, made if missing, which signs from now on.

    The collector serves the chain of keys: a device that knows an old one follows it. Then serve with --key NEW.
    """
    from sordino.service.signing import Signer

    if not old.is_file():
        raise SordinoError(f"{old} must be the file of the newest key", found="no file", step="name that of --key")
    first, second = Signer.of_file(old), Signer.of_file(new)
    link = first.sign_key(second.public)
    _run(store, {"do": "key rotate", "link": link.document})
    if as_json:
        print_json({"store": store, **link.document})
        return
    say(f"{link.old} names {link.new}")
    say(f"Serve with --key {new} from now on, publish the new key, and destroy {old} once nobody needs it.")
    say(f"Make a backup now: a store restored from an earlier one needs {old} to have {new} named again.")


@collector.command()
@STORE
@as_json_option
def record(store: str, *, as_json: bool) -> None:
    """Check and print who closed, scrubbed, exported, and who may, as STORE has it.

    Each act's hash follows from all acts before it. Keep the last one elsewhere: it shows whether the end is missing.
    """
    from sordino.service.storage.acts import find_unended

    acts = _run(store, {"do": "record"})
    if as_json:
        print_json({"acts": acts})
        return
    for act in acts:
        known = {key: text for key, text in act.items() if key not in ("number", "day", "by", "act", "hash")}
        about = ", ".join(f"{key} {text}" for key, text in known.items() if text is not None)
        say(f"{act['number']}. {act['day']} {act['by']}: {act['act']}{about and f' ({about})'} {act['hash']}")
    say(f"{len(acts)} act{'' if len(acts) == 1 else 's'}: each hash follows from all acts before it.")
    if open_ends := find_unended(acts):
        numbers = ", ".join(map(str, open_ends))
        say(f"Begun, and without an end: {numbers}. It still runs, or its process ended: it may have been done.")


@collector.command(name="close-period")
@STORE
@click.argument("day")
@click.option("--plan", "hashed", metavar="HASH", help="The plan, in a store of several.")
@as_json_option
def close_period(store: str, day: str, hashed: str | None, *, as_json: bool) -> None:
    """Take no more reports of the period that begins on DAY, for ever: of a plan of STORE with a series.

    Late reports are refused, with the reason; those already there may still be taken back.
    """
    found = _run(store, {"do": "period close", "plan": hashed, "period": day})
    if as_json:
        print_json({"period": day, **found})
        return
    say(f"The period from {day} of {found['plan']} is closed.")


@collector.command()
@STORE
@click.option("-o", "--output", type=FILE, required=True, help="The file to write, never over another one.")
@as_json_option
def backup(store: str, *, output: Path, as_json: bool) -> None:
    """Copy a SQLite STORE into a new file, also while it is served: all that was acknowledged until now."""
    _run(store, {"do": "backup", "path": str(output.absolute())})
    if not output.exists():
        rule = f"{output} must be a place that the collector and you both see"
        step = "name one below the folder of the store; a unit of systemd has a /tmp of its own"
        raise SordinoError(rule, found="a file that only the collector sees", step=step)
    if as_json:
        print_json({"store": store, "backup": str(output)})
        return
    say(f"{output}: all that {store} had acknowledged; as secret as the store")


@collector.command()
@click.argument("backup", type=FILE)
@click.argument("store", type=FILE)
@as_json_option
def restore(backup: Path, store: Path, *, as_json: bool) -> None:
    """Make a new SQLite STORE of a BACKUP. Never serve both: reports that came after the backup are not in it."""
    from sordino.service.storage.sqlite import restore_backup

    restore_backup(backup, store)
    if as_json:
        print_json({"backup": str(backup), "store": str(store)})
        return
    say(f"{store}: a store as it was at the backup; devices that send again are counted")


def _run(store: str, command: dict[str, Any]) -> Any:
    from sordino.service.console import run_command

    return run_command(store, json.loads(json.dumps(command)))
