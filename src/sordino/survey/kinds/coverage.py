"""What intervals are to hold against: chance alone, many at once, many looks, forged reports; any of these together.

Watched limits hold at all times together, not only at one chosen before: of estimates that are means of what each
report says, or nearly are, an asymptotic confidence sequence, by mixing the exponential martingales
exp(m S - m^2 t / 2) of a random walk S over a normal law of m. It is narrowest about when the expected number of
reports has come: there 1.55 times as wide as an interval for one time, at a confidence of 95%. Whoever looks as often
as they like, and stops when they like, is right as often as is said, once reports are many enough for a normal law.

Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Time-uniform central limit theory and asymptotic
confidence sequences, theorem 2.2 and appendix B.2; Robbins 1970.
"""

from dataclasses import dataclass, replace
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.sentence import Purpose, Sentence
from sordino.errors import SordinoError
from sordino.estimation.intervals.forged import Limits, forged_limits
from sordino.estimation.intervals.share_interval import errors_to_either_side, require_confidence
from sordino.estimation.intervals.simultaneous import bonferroni
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.exact.messages import shown

WATCHED = "at all times together: you may watch them while reports come in, and they are wider than for one look"


@dataclass(frozen=True)
class Coverage:
    """How often intervals hold, and in spite of what.

    Attributes:
        confidence: how often, in (0, 1): each by itself, or all of a question together.
        simultaneous: whether all intervals of a question hold together.
        watched: whether they hold at all times together, for whoever looks while reports come in.
        forged: how many reports may be forged, whatever these say.
        fitted: whether what is fitted has intervals too; they hold each by itself, at one time, of honest reports.
        finite: of how many people shares are: all who reported, to any question; 0 for a population that they are drawn
            from.
        parts: by which the people are parted who are expected, as by the periods of a series: watched intervals are
            narrowest when those of one part have come. Any number is sound, as long as no report chooses it.
        clusters: the public column by whose values people were drawn in groups, as schools; empty where they were drawn
            one by one.

    Raises:
        SordinoError: a confidence outside (0, 1), fewer than no forged reports, or intervals of what is fitted, of
            finitely many people or by clusters that are to hold against more than chance.
    """

    confidence: float = 0.95
    simultaneous: bool = False
    watched: bool = False
    forged: int = 0
    fitted: bool = False
    finite: int = 0
    parts: int = 1
    clusters: str = ""

    def __post_init__(self) -> None:
        """Refuse what is none."""
        require_confidence(self.confidence)
        if self.forged < 0:
            raise SordinoError(
                "forged reports must be a number from 0 on", found=shown(self.forged), step="say how many, 0 for none"
            )
        if self.fitted and (self.simultaneous or self.watched or self.forged):
            rule = "intervals of what is fitted hold each by itself, at one time and of honest reports"
            found = "intervals together, watched or against forged reports"
            raise SordinoError(rule, found=found, step="ask for one or the other")
        if self.finite and (self.watched or self.forged or self.fitted):
            rule = "intervals about the people who reported are of unbiased estimates, at one time, of honest reports"
            found = "watched ones, ones against forged reports, or of what is fitted"
            raise SordinoError(rule, found=found, step="ask for one or the other")
        if self.clusters and (self.watched or self.forged or self.fitted or self.finite):
            rule = "intervals by clusters are of unbiased estimates, at one time, of honest reports from a population"
            found = "watched ones, ones against forged reports, of what is fitted, or about the people who reported"
            raise SordinoError(rule, found=found, step="ask for one or the other")

    def sentence(self, of: str, together: str = "Bonferroni", *, counts_finite: bool = False) -> Sentence:
        """What the intervals of a table promise.

        Args:
            of: what each is about.
            together: how they are made to hold together, if they do.
            counts_finite: whether they are about finitely many people, if that is asked for.

        Example:
            >>> print(Coverage(0.9).sentence("value").text)
            Intervals hold for each value by itself with 90 % confidence.
            >>> print(Coverage(simultaneous=True, forged=20).sentence("value", "max-|z|").text)
            Intervals hold for all values together with 95 % confidence (max-|z|), even if up to 20 reports are forged.
        """
        which = f"for all {of}s together" if self.simultaneous else f"for each {of} by itself"
        how = f" ({together})" if self.simultaneous else ""
        said = f"Intervals hold {which} with {100 * self.confidence:.15g} % confidence{how}"
        if self.watched:
            said += f", {WATCHED}"
        if self.forged:
            reports = "report is" if self.forged == 1 else "reports are"
            said += f", even if up to {self.forged:,} {reports} forged"
        if self.finite and counts_finite:
            said += f", for the {self.finite:,} people who reported, not for a population that they are drawn from"
        elif self.finite:
            said += ", for a population that the people who reported are drawn from"
        said += self.drawn_in_words
        plain = not (self.clusters or self.finite or self.simultaneous or self.watched or self.forged)
        return Sentence(f"{said}.", Purpose.CONFIDENCE if plain else Purpose.INTERVALS)

    @property
    def drawn_in_words(self) -> str:
        """How people were drawn, at the end of a sentence; nothing where that was one by one."""
        return f", for people who were drawn by {self.clusters!r} (Student's t)" if self.clusters else ""

    def step(self, otherwise: str) -> str:
        """What to do where reports are too few: while they are watched more may come."""
        return "wait for more reports" if self.watched else f"ask more people, or {otherwise}"

    def each(self, count: int) -> float:
        """The confidence of each of some intervals, whatever their errors have to do with each other."""
        return bonferroni(self.confidence, count) if self.simultaneous else self.confidence

    def for_all(self, count: int) -> "Coverage":
        """The same with intervals that hold together, so many of them (Bonferroni), whatever question they are of."""
        return replace(self, confidence=bonferroni(self.confidence, count), simultaneous=False)

    def errors(self, n: int, expected: int, each: float) -> float:
        """How many standard errors limits are from an estimate that errs as a normal distribution does.

        Args:
            n: reports so far.
            expected: reports at which watched limits are to be narrowest.
            each: the confidence of each interval.
        """
        return standard_errors(n, expected / self.parts, each) if self.watched else errors_to_either_side(each)

    def normal_limits(self, found: NormalEstimate, *, each: float, expected: int) -> Limits:
        """Limits of numbers whose errors are near normal, each with this confidence; not against forged reports.

        Args:
            found: the numbers.
            each: the confidence of each interval.
            expected: reports at which watched limits are to be narrowest.
        """
        nothing, fixed = np.zeros_like(found.value), found.interval(each)
        of_found = found.value, found.stderr
        return self.limits(fixed, *of_found, each=each, n=found.n, expected=expected, moved=nothing, part=0.0)

    def limits(
        self,
        fixed: Limits,
        value: NDArray[np.float64],
        stderr: NDArray[np.float64],
        *,
        each: float,
        n: int,
        expected: int,
        moved: NDArray[np.float64],
        part: float,
    ) -> Limits:
        """Limits against many looks and forged reports, from those for one look at honest ones.

        Args:
            fixed: for one look, with the confidence `each`.
            value: the estimates.
            stderr: their standard errors.
            each: the confidence of each interval.
            n: reports so far.
            expected: reports at which watched limits are to be narrowest.
            moved: how far the forged reports can have moved each estimate.
            part: what these are of all reports.
        """
        if self.watched:
            fixed = watched_limits(fixed, value, stderr, n=n, expected=expected / self.parts, confidence=each)
        if self.forged:
            fixed = forged_limits(fixed, value, stderr, moved, forged=self.forged, part=part)
        return fixed


def standard_errors(n: int, expected: float, confidence: float) -> float:
    """How many standard errors the limits are from the estimate.

    Args:
        n: reports so far, 1 or more.
        expected: reports at which the limits are to be narrowest.
        confidence: in (0, 1).

    Example:
        >>> round(standard_errors(1000, 1000, 0.95), 2)
        3.04
    """
    error = 1 - confidence
    # The variance of m, times the reports so far; any is sound.
    spread = n / expected * (2 * log(1 / error) + log(1 + 2 * log(1 / error)) + 1)
    return sqrt(2 * (spread + 1) / spread * (log(spread + 1) / 2 + log(1 / error)))


def watched_limits(
    fixed: Limits,
    value: NDArray[np.float64],
    stderr: NDArray[np.float64],
    *,
    n: int,
    expected: float,
    confidence: float,
) -> Limits:
    """Limits that hold at all times together, nowhere inside those for one time.

    Args:
        fixed: limits for one time, which know of small numbers.
        value: the estimates.
        stderr: their standard errors.
        n: reports so far.
        expected: reports at which the limits are to be narrowest.
        confidence: in (0, 1); how often each covers at all times, each by itself.
    """
    reach = standard_errors(n, expected, confidence) * stderr
    low, high = fixed
    return np.minimum(low, value - reach), np.maximum(high, value + reach)
