"""What a ledger promises and what is left of it, in plain words."""

from sordino.exact.nats import outward
from sordino.ledger.ledger import Ledger
from sordino.ledger.reading import LedgerLines
from sordino.words.explain_filter import left_sentences
from sordino.words.odds import beliefs, factor

ALWAYS = (
    "One ledger is of one person, for all collectors: a second one, or an older copy, would promise as much again.",
    "A changed record is another record: what was told about the earlier one stays told, and losses add.",
    "Refusals may show that, and when, the record changed.",
    "Whoever can read the ledger can try out records against the hash in it: keep it as secret as the record.",
    "What `sordino ledger export` writes holds neither a record nor a hash of one.",
)

WITHIN = "for whoever believes of the rest, before any answer, what the bounds on dependence allow"


def ledger_sentences(ledger: Ledger) -> tuple[str, ...]:
    """Sentences about a ledger."""
    epsilon = ledger.terms.epsilon
    most, least = beliefs(epsilon)
    reading = ledger.reading()
    damage = reading.trouble
    each = ledger.terms.deltas
    about = [
        f"About {name!r}: a factor of at most {factor(delta)}, {WITHIN}"
        f" (all other attributes together at most {outward(ledger.terms.rest[name], 4, up=True)})."
        for name, delta in each.items()
    ]
    odds = f"change the odds between any two records by a factor of at most {factor(epsilon)} (epsilon = {epsilon})."
    return (
        f"Whatever is asked and answered, all answers together {odds}",
        f"A suspicion of 1 in 10 becomes at most 1 in {most} and at least 1 in {least}.",
        *about,
        *(_damage_sentences(damage) if damage else _slack_sentences(reading)),
        *ALWAYS,
    )


def _slack_sentences(reading: LedgerLines) -> tuple[str, ...]:
    joint, accepted = reading.standing.joint, len(reading.book.entries)
    waiting = f"{len(joint.open_names)} answers may not have been sent: each counts as any that it may be."
    return (
        f"So far {accepted} {'query was' if accepted == 1 else 'queries were'} accepted.",
        *left_sentences(joint.worst),
        *([waiting] if joint.open_names else []),
    )


def _damage_sentences(damage: tuple[str, ...]) -> tuple[str, ...]:
    return (
        f"The ledger is damaged ({', '.join(damage)}): lines may be missing, so nothing new is asked.",
        "Answers that are whole are still sent again.",
    )
