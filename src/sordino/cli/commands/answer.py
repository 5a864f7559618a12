"""`sordino answer`: one person's answer by a plan, from their own device to its collector, once."""

import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click

from sordino.agent.answer import answer as answer_once
from sordino.agent.answer import take_back as take_answer_back
from sordino.agent.answer_store import AnswerStore
from sordino.agent.collector_address import CollectorAddress
from sordino.agent.exchange import Waiting, fetch_plan, send_report, take_report_back
from sordino.agent.turn import own_turn, utc_today
from sordino.cli.exits import EXIT_CODES
from sordino.cli.options import FILE, as_json_option
from sordino.cli.output import print_json, print_lines
from sordino.cli.say import say
from sordino.cli.whole_numbers import Whole
from sordino.document.record_file import load_tables
from sordino.errors import SordinoError
from sordino.survey.planning.plan import Plan
from sordino.words.explain_questionnaire import consent_text, reveal_sentences, survey_title


class PublicKey(click.types.StringParamType):
    """An Ed25519 public key as `sordino serve` and `GET /key` give it: 64 hexadecimal digits."""

    name = "key"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The digits in lower case."""
        if not re.fullmatch("[0-9a-f]{64}", value.lower()):
            self.fail("a public key must be 64 hexadecimal digits, as the collector shows it", param, ctx)
        return value.lower()


@click.command()
@click.argument("url")
@click.argument("record", type=FILE, required=False)
@click.option("--store", type=FILE, help="The file that stores your answers; by default in your own data folder.")
@click.option(
    "--signed-by", type=PublicKey(), help="Answer only a plan signed by this Ed25519 key (64 hexadecimal digits)."
)
@click.option("--patience", type=Whole(0), default=60, show_default=True, help="How long to keep trying, in seconds.")
@click.option("--yes", is_flag=True, help="Send it without asking: you agree to what the survey asks you to agree to.")
@click.option("--take-back", is_flag=True, help="Have the collector forget your answer; needs no RECORD.")
@as_json_option
def answer(
    url: str,
    record: Path | None,
    store: Path | None,
    signed_by: str | None,
    patience: int,
    *,
    yes: bool,
    take_back: bool,
    as_json: bool,
) -> None:
    """Answer the plan at URL from a RECORD (TOML), once.

    Shows the survey's title, what you agree to and what a report can reveal, and asks before anything is drawn. The
    answer is drawn on this device, stored, and sent until the collector acknowledges it. Answering again sends the
    stored answer, if it was not acknowledged, and draws no other one. A key that stands in URL, behind #key=, must have
    signed the plan, as one of --signed-by; an invitation that stands there goes with the answer.

    Of a plan with a series you answer in one period, drawn on this device or named by your invitation, whatever your
    answers are: before it the command says when your turn is and ends with exit code 5, after it with 3.
    """
    address = CollectorAddress.of(url)
    if take_back:
        _take_back(address, store or _own_store(), patience, as_json=as_json)
        return
    record_file = _require_record(record)
    signed_by = _only_key(address, signed_by)

    @cache
    def fetch_once() -> Plan:
        return fetch_plan(address, signed_by)

    def fetch() -> tuple[Plan, Mapping[str, Any]]:
        asks = not yes
        if asks and (as_json or not (sys.stdin.isatty() and sys.stdout.isatty())):
            found = "--json" if as_json else "no terminal to ask on"
            step = "run it on a terminal, or give --yes once you have read what the form shows"
            raise SordinoError("whoever answers must agree first", found=found, step=step)
        plan = fetch_once()
        tables = load_tables(record_file)
        if not as_json:
            _show(plan)
        if asks and not click.confirm("Send it?"):
            say("Nothing was drawn or sent.")
            raise click.Abort
        return plan, tables

    def send(body: bytes) -> None:
        if signed_by is not None:
            # An answer that was drawn before, perhaps without a key, goes no further than a new one.
            fetch_once()
        send_report(address, body, Waiting(patience))

    own = AnswerStore.open(store or _own_store())
    _leave_unless_turn(own, address, fetch_once, as_json=as_json)
    made = answer_once(own, address.plan, fetch, send, period=address.period)
    if as_json:
        print_json({"plan": made.plan, "again": made.again, "acknowledged": True})
        return
    open_to_all = address.invitation is None
    kept = "The collector has your answer." if open_to_all else "One answer is counted by your invitation."
    say(kept + (" It was drawn before; no other one was drawn." if made.again else ""))


def _leave_unless_turn(
    store: AnswerStore, address: CollectorAddress, fetch_once: Callable[[], Plan], *, as_json: bool
) -> None:
    """Where nothing was drawn yet: say that the person's period has not come, or is over, and end."""
    turn = None if store.find(address.plan) else own_turn(store, fetch_once(), address.period)
    today = utc_today()
    when = "now" if turn is None else turn.when(today)
    if turn is None or when == "now":
        return
    if as_json:
        days = {"from": turn.label, "until": turn.series.ends(turn.period).isoformat()}
        print_json({"plan": address.plan, "turn": when, "period": days, "acknowledged": False})
    else:
        say(turn.sentence(today))
    raise SystemExit(EXIT_CODES["unavailable" if when == "later" else "refused"])


def _require_record(record: Path | None) -> Path:
    if record is None:
        raise click.MissingParameter(param_type="argument", param_hint="RECORD")
    return record


def _only_key(address: CollectorAddress, signed_by: str | None) -> str | None:
    """The key that must have signed the plan, if one is asked for."""
    if signed_by is not None and address.key not in (None, signed_by):
        step = "leave one of them out"
        raise SordinoError(
            "--signed-by must be the key of the address, if that names one", found="two different keys", step=step
        )
    return signed_by or address.key


def _take_back(address: CollectorAddress, path: Path, patience: int, *, as_json: bool) -> None:
    """Have the collector forget the stored answer."""
    take_answer_back(
        AnswerStore.open(path), address.plan, lambda body: take_report_back(address, body, Waiting(patience))
    )
    if as_json:
        print_json({"plan": address.plan, "taken_back": True})
        return
    say("Your answer is taken back: it is counted no more, unless the collector had forgotten all codes before.")
    say("No other answer to this plan will be drawn here.")


def _show(plan: Plan) -> None:
    """What a person reads before anything is drawn."""
    if title := survey_title(plan):
        say(title, bold=True)
    if consent := consent_text(plan):
        say("You agree to this:")
        print_lines(tuple(consent.splitlines()))
    say("What your answer can reveal:")
    print_lines(reveal_sentences(plan))


def _own_store() -> Path:
    """Where a person's programs keep their data, by the XDG base directories."""
    told = os.environ.get("XDG_DATA_HOME", "")
    folder = Path(told) if Path(told).is_absolute() else Path.home() / ".local" / "share"
    return folder / "sordino" / "answers.sqlite"
