"""One row of the table of use, walked from its survey to its rows and page, and what must be so of them."""

import math
import resource
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import numpy as np
from asked import Row
from drawn import Survey
from truths import Truths

from sordino import change, estimate, plan
from sordino.errors import SordinoError, SordinoWarning

FAR = 7.0
"""Standard errors by which no estimate of many reports is off: one in 10^11."""

MANY = 300_000
"""Reports from which on intervals are nearly normal."""

ACCURACY = 0.1
"""In parts of all that is possible."""

SHARE_KINDS = {"share", "cell", "bin", "range", "margin", "conditional", "missing", "complete", "part"}

MOMENTS = {"mean": 100.0, "standard deviation": 50.0}
"""Of a distribution between 0 and 100, and the largest that each can be."""


def stream(*words: object) -> np.random.Generator:
    """Random numbers by name, the same in every run."""
    return np.random.default_rng(crc32(" ".join(map(str, words)).encode()))


def user_time() -> float:
    """Of this process, in seconds."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


@dataclass
class Walked:
    """What came of a row.

    Attributes:
        rows: of the tidy file; None where the survey was refused, with `refused` its reason.
        seconds: of the processor.
    """

    rows: list[dict] | None
    truths: Truths
    plan: object = None
    found: object = None
    refused: str = ""
    seconds: float = 0.0
    mistakes: list[str] = field(default_factory=list)


def walk(row: Row, folder: Path | None = None) -> Walked:
    """From survey through plan, tally and estimate to rows, page and change."""
    truths = Truths(row.people)
    start = user_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SordinoWarning)
        try:
            frozen = plan_of(row)
        except SordinoError as reason:
            return Walked(None, truths, refused=str(reason), seconds=user_time() - start)
        people = Survey(frozen, row.people)
        tallies = [people.tally(row.reports, stream(row, "now")), people.later(row.reports, stream(row, "later"))]
        by = ["g"] if row.option == "groups" else []
        try:
            found = estimate(frozen, tallies[0], simultaneous=row.option == "simultaneous", by=by)
        except SordinoError as reason:  # of a plan of one question, which so few reports do not answer
            assert row.reports < MANY
            return Walked(None, truths, refused=str(reason), seconds=user_time() - start)
        rows = found.to_tidy().to_pylist()
        try:
            changed = change(frozen, tallies[0], frozen, tallies[1]).to_arrow().to_pylist()
        except SordinoError:  # one of the surveys has no answer
            assert found.untold or row.reports < MANY
            changed = []
        if folder is not None:
            found.page(folder / "page.html", overwrite=True)
            assert (folder / "page.html").stat().st_size > 1000
    walked = Walked(rows, truths, frozen, found, seconds=user_time() - start)
    truths.note(rows)
    walked.mistakes += [mistake for one in rows for mistake in interval_mistakes(one)]
    walked.mistakes += [mistake for one in changed for mistake in change_mistakes(one)]
    walked.mistakes += sum_mistakes(rows)
    if row.reports >= MANY:
        walked.mistakes += changed_mistakes(changed, rows, row)
        walked.mistakes += fitted_mistakes(rows, truths)
        walked.mistakes += [mistake for one in rows for mistake in truth_mistakes(one, truths, row)]
    return walked


def plan_of(row: Row):
    """Of so many people, or of as many as make it so accurate."""
    if row.option == "accuracy":
        return plan(row.survey, accuracy=ACCURACY)
    return plan(row.survey, row.reports)


def domain_of(row: dict) -> tuple[float, float]:  # noqa: PLR0911  # a case a kind of row
    """What the number of a row can be."""
    kind = row["kind"]
    if (most := MOMENTS.get(row["term"])) is not None:
        return (0.0 if row["minus"] is None else -most), most
    if row["minus"] is not None:
        if kind == "difference" or not (row["question"] + row["term"]).startswith(("mean", "cov", "reg", "nquant")):
            return -1.0, 1.0
        return -math.inf, math.inf
    if kind in SHARE_KINDS or (kind in ("pooled", "weighted") and row["term"] not in ("n", "m")):
        return 0.0, 1.0
    if kind in ("mean", "quantile", "pooled", "weighted"):
        return 0.0, 100.0
    if kind == "covariance":
        return (-2500.0, 2500.0) if ", " in row["term"] else (0.0, 2500.0)
    return -math.inf, math.inf


def interval_mistakes(row: dict):
    """Limits that are not finite, not in order, not within what is possible, or that leave out their estimate."""
    value, low, high = row["estimate"], row["conf.low"], row["conf.high"]
    if low is None:
        if value is not None and row["kind"] not in ("association", "equality"):
            yield f"no interval: {row}"
        return
    least, most = domain_of(row)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        yield f"limits {low} to {high}: {row}"
    elif value is not None and not low <= min(max(value, least), most) <= high:
        yield f"an estimate {value} beyond {low} to {high}: {row}"
    elif not (least <= low and high <= most):
        yield f"limits {low} to {high} beyond {least} to {most}: {row}"
    error = row["std.error"]
    if error is not None and not (math.isfinite(error) and error >= 0):
        yield f"a standard error {error}: {row}"


def largest_change(row: dict) -> float:
    """Of what is possible."""
    kind, _, _ = row["question"].partition(" of ")
    if kind == "regression":
        return math.inf
    if row["label"] in MOMENTS:
        return MOMENTS[row["label"]]
    if kind == "covariance":
        return 5000.0 if ", " in row["label"] else 2500.0
    is_number = kind == "mean" or row["label"].startswith("quantile ")
    return 100.0 if is_number and "missing" not in row["label"] else 1.0


def change_mistakes(row: dict):
    """Limits of a change that are not finite, not in order, or that leave it out."""
    low, high, most = row["low"], row["high"], largest_change(row)
    if not (-most <= low <= min(max(row["change"], -most), most) <= high <= most):
        yield f"limits of a change: {row}"
    if abs(row["after"] - row["before"] - row["change"]) > 1e-9 * max(1.0, abs(row["before"])):
        yield f"no difference of both: {row}"


def changed_mistakes(changed: list[dict], rows: list[dict], asked: Row):
    """Changes of many reports that are far from the true ones."""
    later = Truths(asked.people, asked.people.later)
    now = Truths(asked.people)
    plain = {(one["question"], one["term"]): one for one in rows if one["group"] is None and one["minus"] is None}
    for one in changed:
        row = plain.get((one["question"], one["label"]))
        if row is None or row["kind"] in ("weighted", "quantile", "coefficient"):
            continue
        true = later.of(row)[0] - now.of(row)[0]
        if not abs(one["change"] - true) <= FAR * one["stderr"] + 1e-9:
            yield f"a change that is {true}: {one}"


def fitted_mistakes(rows: list[dict], truths: Truths):
    """Fitted shares that are none, do not add up to 1, or are far from the truth."""
    of_question: dict[tuple, list[dict]] = {}
    for row in rows:
        if row["kind"] in ("share", "cell") and row["fitted"] is not None:
            of_question.setdefault((row["question"], row["attribute"], row["group"]), []).append(row)
    for name, own in of_question.items():
        if any(not 0 <= row["fitted"] <= 1 for row in own):
            yield f"fitted shares beyond 0 to 1: {name}"
        if own[0]["attribute"] != "s" and abs(sum(row["fitted"] for row in own) - 1) > 1e-6:
            yield f"fitted shares of {name} add up to {sum(row['fitted'] for row in own)}"
        # The nearest shares are no farther from the truth than all estimates together.
        off = math.sqrt(sum((row["fitted"] - truths.of(row)[0]) ** 2 for row in own))
        if off > FAR * math.sqrt(sum(row["std.error"] ** 2 for row in own)) + 1e-9:
            yield f"fitted shares of {name} are off by {off}"


def sum_mistakes(rows: list[dict]):
    """Shares of all values that do not add up to 1."""
    whole: dict[tuple, float] = {}
    for row in rows:
        if (
            row["kind"] in ("share", "cell")
            and row["group"] is None
            and row["attribute"] != "s"
            and ": " not in row["term"]
        ):
            key = row["question"], row["attribute"], row["kind"]
            whole[key] = whole.get(key, 0.0) + row["estimate"]
    return [f"shares of {key} add up to {total}" for key, total in whole.items() if abs(total - 1) > 1e-6]


def truth_mistakes(row: dict, truths: Truths, asked: Row):
    """Estimates of many reports that are far from the truth, and intervals that are not as wide as errors say."""
    low, high, error, value = row["conf.low"], row["conf.high"], row["std.error"], row["estimate"]
    if low is None or error is None or value is None:
        return
    least, most = truths.of(row)
    if math.isnan(least):
        return
    off = max(least - value, value - most, 0.0)
    if off > FAR * error + 1e-9:
        yield f"off by {off / error if error else math.inf:.1f} standard errors of {error}, true is {least}: {row}"
    # At an epsilon of .1 errors reach over all that is possible; from 10 on few reports are no person's own value.
    ends = domain_of(row)
    is_clipped = low <= ends[0] or high >= ends[1]
    # Under a metric limits know that no share is below 0, and that most of a report tells of the block.
    is_plain = asked.option != "simultaneous" and asked.kind not in ("shares in blocks", "shares on a line")
    if is_plain and asked.epsilon not in ("0.1", "10", "12") and error > 0 and not is_clipped:
        width = (high - low) / error
        # Limits of what bins tell add 1.73 standard deviations of where in them numbers lie to 1.96 of the reports:
        # from 3.46 standard errors of both to 5.23; those of a square, seen through its root, lie unevenly.
        narrow, wide = (3.4, 5.5) if row["term"] in MOMENTS else (3.6, 4.4)
        if not narrow < width < wide:
            yield f"{width:.2f} standard errors wide: {row}"
