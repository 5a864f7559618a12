"""Memoised answers: what a series of them can reveal, exactly, once a value may change.

RAPPOR and its successors draw one permanent answer for each value, keep it, and send it with fresh noise each time.
Their bound is for each value: two values that were answered permanently count twice, whatever the number of reports.
But when a value changed is a secret too, and the reports show it. Here the hypotheses are the histories of one yes/no
value with at most c changes, and the loss is the largest log-ratio of the probabilities of any reports under any two
of them, in nats.

How it is computed: reports y_t = -1 or 1 with fresh noise of log-odds L about permanent answers m_v that are v with
odds e^permanent. Given a history the reports at which the value was v enter by their sum S alone,

    ln P(y | history) = const + h(S of value 1) + h(-S of value -1),   h(u) = ln(p e^(L u / 2) + (1 - p) e^(-L u / 2)),

so two histories are compared by four sums, over the reports at which they have (no, no), (no, yes), (yes, no) and
(yes, yes). With c = 0 one of these four kinds occurs; with c = 1 any three, each as often as one likes; with two
changes and more all four, so that more than two changes reveal nothing further. Floats, to some 1e-12.
Sources: Erlingsson, Pihur and Korolova 2014 (RAPPOR); Arcolezi et al. 2023 (a bound for each value that occurs).
Cost: about a second for 52 answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import atanh, exp, log1p, tanh

import numpy as np

from sordino.errors import SordinoError
from sordino.exact.floats import Floats
from sordino.exact.nats import Nats, NatsLike

PERMANENT, FIRST = "1", "1/2"
ANSWERS = 52
CHANGES = (0, 1, 3)

MOST = 40
"""Beyond it permanent answers are the values, to the accuracy of a float."""

SHOWN = (1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 52)
"""Numbers of answers that a table has room for."""


@dataclass(frozen=True)
class MemoisedRow:
    """Losses in nats after some answers.

    Attributes:
        losses: between any two histories with at most 0, 1 and 3 changes.
        never_or_once: between no change and at most one.
        by_value: what a bound for each value says, for histories without and with a change.
        added: what adding the loss of a first report for each report says.
    """

    answers: int
    losses: tuple[float, ...]
    never_or_once: float
    by_value: tuple[float, float]
    added: float


def memoised_losses(
    permanent: NatsLike = PERMANENT, first: NatsLike = FIRST, advance: Callable[[int], None] = lambda _: None
) -> tuple[MemoisedRow, ...]:
    """The losses after 1 to 52 answers.

    Args:
        first: epsilon of a first report, both kinds of noise together; below `permanent`.
    """
    lifetime, one = float(Nats.of(permanent)), float(Nats.of(first))
    if not 0 < one < lifetime <= MOST:
        rule = f"a first report must lose more than 0 and less than a permanent answer, which loses {MOST} at most"
        raise SordinoError(rule, found=f"{first} and {permanent}", step="choose losses in this order")
    never, once, any_history, never_or_once = _largest(lifetime, one, advance)
    return tuple(
        MemoisedRow(
            answers,
            tuple(float(worst[answers]) for worst in (never, once, any_history)),
            float(never_or_once[answers]),
            (lifetime, 2 * lifetime),
            answers * one,
        )
        for answers in range(1, ANSWERS + 1)
    )


def _largest(permanent: float, first: float, advance: Callable[[int], None]) -> tuple[Floats, ...]:
    right, wrong = -log1p(exp(-permanent)), -log1p(exp(permanent))
    noise = 2 * atanh(tanh(first / 2) / tanh(permanent / 2))
    sums = np.arange(-ANSWERS, ANSWERS + 1)
    # ln(p e^(L u / 2) + (1 - p) e^(-L u / 2)) for each sum u.
    evidence = np.logaddexp(right + noise * sums / 2, wrong - noise * sums / 2)
    worst = np.full((4, ANSWERS + 1), -np.inf)
    for both in sums:
        # Sums over the reports at which the value is yes in both histories, in the first only, in the second only, in
        # neither. Where they leave no room for one another nothing is looked up.
        others = np.arange(abs(both) - ANSWERS, ANSWERS - abs(both) + 1)
        one, other, neither = (grid.ravel() for grid in np.meshgrid(others, others, others, indexing="ij"))
        least = abs(both) + abs(one) + abs(other) + abs(neither)
        one, other, neither, least = (values[least <= ANSWERS] for values in (one, other, neither, least))
        ratio = evidence[both + one + ANSWERS] + evidence[ANSWERS - neither - other]
        ratio -= evidence[both + other + ANSWERS] + evidence[ANSWERS - neither - one]
        unchanged = (both == 0) & (neither == 0) & ((one == 0) | (other == 0))
        # One of the histories has always the same value.
        constant = ((neither == 0) & ((one == 0) | (other == 0))) | ((both == 0) & ((one == 0) | (other == 0)))
        changed_once = (both == 0) | (one == 0) | (other == 0) | (neither == 0)
        for place, possible in enumerate((unchanged, changed_once, np.ones_like(unchanged), constant)):
            np.maximum.at(worst[place], least[possible], ratio[possible])
        advance(1)
    # Two more reports of one kind may cancel out.
    for answers in range(2, ANSWERS + 1):
        worst[:, answers] = np.maximum(worst[:, answers], worst[:, answers - 2])
    return tuple(worst)
