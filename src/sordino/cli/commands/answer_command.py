"""`sordino answer`: one person's answer by a plan, from their own device to its collector, once."""

import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click

from sordino.cli.exits import EXIT_CODES
from sordino.cli.options import FILE, Whole, as_json_option
from sordino.cli.output import print_json, print_lines
from sordino.cli.say import say
from sordino.document.record_file import load_tables
from sordino.errors import SordinoError
from sordino.once.agent.answer import Answered, own_question, require_own_collector
from sordino.once.agent.answer import answer as answer_once
from sordino.once.agent.answer import take_back as take_answer_back
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.agent.collector_address import CollectorAddress
from sordino.once.agent.exchange import Waiting, fetch_plan, send_report, take_report_back
from sordino.once.agent.turn import Turn, own_turn, utc_today
from sordino.once.ledger.ledger import Ledger
from sordino.survey.planning.plan import Plan
from sordino.words.condition_sentences import weaker_report_sentences
from sordino.words.explain_questionnaire import consent_text, in_clear_sentence, reveal_sentences, survey_title


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
@click.option("--ledger", type=FILE, help="Answer only what this ledger accepts, and store the answer there.")
@click.option(
    "--signed-by", type=PublicKey(), help="Answer only a plan signed by this Ed25519 key (64 hexadecimal digits)."
)
@click.option("--patience", type=Whole(0), default=60, show_default=True, help="How long to keep trying, in seconds.")
@click.option("--yes", is_flag=True, help="Send it without asking: you agree to what the survey asks you to agree to.")
@click.option("--take-back", is_flag=True, help="Have the collector forget your answer; needs no RECORD.")
@click.option("--question", is_flag=True, help="Say what a question that is drawn first needs; needs no RECORD.")
@as_json_option
def answer(
    url: str,
    record: Path | None,
    store: Path | None,
    ledger: Path | None,
    signed_by: str | None,
    patience: int,
    *,
    yes: bool,
    take_back: bool,
    question: bool,
    as_json: bool,
) -> None:
    """Answer the plan at URL from a RECORD (TOML), once.

    Shows the survey's title, what you agree to and what a report can reveal, and asks before the answer is drawn.
    That happens on this device; it is stored, and sent until the collector acknowledges it. Answering again sends the
    stored answer, if it was not acknowledged, and draws no other one. It goes to the host that it was drawn for: at
    another one, or if it was taken back, nothing is sent, and the command ends with exit code 3. A key that stands in
    URL, behind #key=, must have signed the plan, as one of --signed-by; an invitation that stands there goes with the
    answer. With a LEDGER the plan's query is drawn first, and answered only if the ledger accepts it, about the RECORD
    of that ledger; then no other ledger answers the plan, nor this store.

    Of a survey that draws its question first, RECORD needs only what that question is about. The question is drawn once
    on this device, before RECORD is read, and stays for every record, ledger and try; --question says what it needs.

    Of a plan with a series you answer in one period, drawn on this device or named by your invitation, whatever your
    answers are: before it the command says when your turn is and ends with exit code 5, after it with 3.
    """
    address = CollectorAddress.of(url)
    own, journal = _journals(store, ledger)
    if take_back:
        _take_back(address, journal, patience, as_json=as_json)
        return
    record_file = None if question else _require_record(record)
    signed_by = _only_key(address, signed_by)

    @cache
    def fetch_once() -> Plan:
        return fetch_plan(address, signed_by)

    # Before another collector is asked for the plan.
    require_own_collector(journal, address.plan, address.collector)
    _leave_unless_turn(address, journal, own, fetch_once, as_json=as_json)
    if record_file is None:
        _say_question(fetch_once(), own, as_json=as_json)
        return

    def fetch() -> tuple[Plan, Mapping[str, Any]]:
        asks = not yes
        if asks and (as_json or not (sys.stdin.isatty() and sys.stdout.isatty())):
            found = "--json" if as_json else "no terminal to ask on"
            step = "run it on a terminal, or give --yes once you have read what the form shows"
            raise SordinoError("whoever answers must agree first", found=found, step=step)
        plan = fetch_once()
        # Drawn before the record is read, and said before anybody agrees: it is public, as are the names.
        drawn = own_question(own, plan)
        tables = load_tables(record_file)
        if not as_json:
            _show(plan, drawn, asks=asks)
        return plan, tables

    sent = list[bytes]()

    def send(body: bytes) -> None:
        if signed_by is not None:
            # An answer that was drawn before, perhaps without a key, goes no further than a new one.
            fetch_once()
        send_report(address, body, Waiting(patience))
        sent.append(body)

    made = answer_once(
        journal,
        address.plan,
        fetch,
        send,
        collector=address.collector,
        is_invited=address.invitation is not None,
        beside=own,
        period=address.period,
    )
    # By another process while this one sent it: it may have arrived after that one's word.
    for body in sent if made.taken_back else ():
        take_report_back(address, body, Waiting(patience))
    _say_answered(address, made, as_json=as_json)


def _say_question(plan: Plan, own: AnswerStore, *, as_json: bool) -> None:
    """What a record must have for the person's question."""
    question = own_question(own, plan)
    if question is None:
        step = "give a RECORD with all that the survey asks"
        raise SordinoError("the survey must draw its question first", found="one that reads whole records", step=step)
    if as_json:
        print_json({"plan": plan.hash, "question": question, "needs": _needed_names(plan, question)})
    else:
        say(_question_line(plan, question))


def _question_line(plan: Plan, question: int) -> str:
    names = ", ".join(map(repr, _needed_names(plan, question)))
    return f"Your question is drawn, and stays the same. It needs {names}."


def _needed_names(plan: Plan, question: int) -> list[str]:
    return [*plan.asked_names(question), *(part.name for part in plan.document.asked_public)]


def _say_answered(address: CollectorAddress, made: Answered, *, as_json: bool) -> None:
    """What became of the answer; the end where it was taken back."""
    if as_json:
        acknowledged = {"taken_back": made.taken_back, "acknowledged": not made.taken_back}
        print_json({"plan": made.plan, "again": made.again, **acknowledged})
    elif made.taken_back:
        say("You took this answer back: it is not sent, and no other one is drawn.")
        say("If the collector did not confirm that, run this again with --take-back.")
    else:
        open_to_all = address.invitation is None
        kept = "The collector has your answer." if open_to_all else "One answer is counted by your invitation."
        say(kept + (" It was drawn before; no other one was drawn." if made.again else ""))
    if made.taken_back:
        raise SystemExit(EXIT_CODES["refused"])


def _leave_unless_turn(
    address: CollectorAddress,
    journal: AnswerStore | Ledger,
    own: AnswerStore,
    fetch_once: Callable[[], Plan],
    *,
    as_json: bool,
) -> None:
    """Where nothing was drawn yet: say that the person's period has not come, or is over, and end."""
    turn = None if journal.find_answer(address.plan) else _own_turn(address, own, fetch_once())
    today = utc_today()
    state = "now" if turn is None else turn.state(today)
    if turn is None or state == "now":
        return
    if as_json:
        days = {"from": turn.label, "until": turn.series.ends(turn.period).isoformat()}
        print_json({"plan": address.plan, "turn": state, "period": days, "acknowledged": False})
    else:
        say(turn.sentence(today))
    raise SystemExit(EXIT_CODES["unavailable" if state == "later" else "refused"])


def _own_turn(address: CollectorAddress, own: AnswerStore, plan: Plan) -> Turn | None:
    """The person's period, which the store of answers keeps; of a plan that asks at one time nothing is kept.

    Raises:
        SordinoError: see `own_turn`; or an invitation to a series without a period, in which nothing would be counted.
    """
    if plan.series is not None and address.invitation is not None and address.period is None:
        step = "give the whole link that you were sent"
        raise SordinoError("an invitation must name a period of the plan", found="no period", step=step)
    is_timed = plan.series is not None or address.period is not None
    return own_turn(own, plan, address.period) if is_timed else None


def _journals(store: Path | None, ledger: Path | None) -> tuple[AnswerStore, AnswerStore | Ledger]:
    """The store of answers, and the journal in which the answer is stored: with a ledger no store may be named."""
    if ledger is not None and store is not None:
        raise click.UsageError("--store and --ledger: an answer is stored in one of them.")
    own = AnswerStore.open(store or _own_store())
    return own, own if ledger is None else Ledger.open(ledger)


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


def _take_back(address: CollectorAddress, journal: AnswerStore | Ledger, patience: int, *, as_json: bool) -> None:
    def send(body: bytes) -> None:
        take_report_back(address, body, Waiting(patience))

    is_invited = address.invitation is not None
    take_answer_back(journal, address.plan, send, collector=address.collector, is_invited=is_invited)
    if as_json:
        print_json({"plan": address.plan, "url": address.url, "taken_back": True})
        return
    say(f"Your answer is taken back at {address.url}")
    say("It is counted no more, unless the collector had forgotten all codes before.")
    say("No other answer to this plan will be drawn here.")


def _show(plan: Plan, question: int | None, *, asks: bool) -> None:
    """What a person reads before the answer is drawn, and whether they agree."""
    if title := survey_title(plan):
        say(title, bold=True)
    if consent := consent_text(plan):
        say("You agree to this:")
        print_lines(tuple(consent.splitlines()))
    if in_clear := in_clear_sentence(plan):
        print_lines((in_clear,))
        say("What your report can reveal of all other answers:")
    else:
        say("What your report can reveal:")
    print_lines((*reveal_sentences(plan), *weaker_report_sentences(plan)))
    if question is not None:
        say(_question_line(plan, question))
    if asks and not click.confirm("Send it?"):
        say("Nothing was drawn or sent." if question is None else "Nothing was sent. Your question stays the same.")
        raise click.Abort


def _own_store() -> Path:
    told = os.environ.get("XDG_DATA_HOME", "")
    folder = Path(told) if Path(told).is_absolute() else Path.home() / ".local" / "share"
    return folder / "sordino" / "answers.sqlite"
