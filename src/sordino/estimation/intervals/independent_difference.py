"""The difference of two independent estimates, with an interval made of those of both.

Each side's limits say how far it may be off in either direction; of independent estimates the squares of these
distances add. For limits that are as many standard errors away on both sides that is the normal interval; for others,
as those of shares near 0, it keeps on each side what they know. Where a limit is cut to what is possible the standard
error counts instead.
Source: Zou and Donner 2008 (method of variance estimates recovery); Newcombe 1998 for two shares.
"""

from dataclasses import dataclass, replace
from math import hypot, inf, isnan, nan

from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.intervals.share_interval import errors_to_either_side


@dataclass(frozen=True)
class WithInterval:
    """An estimate with its interval.

    Attributes:
        stderr: of it; not a number where it has none, as a quantile.
        low, high: its limits; not numbers where nothing is known at their confidence, as of a quotient.
        least, most: what is possible: limits there are cut.
    """

    value: float
    stderr: float
    low: float
    high: float
    least: float = -float("inf")
    most: float = float("inf")

    @property
    def possible(self) -> "WithInterval":
        """The same, with limits around all that is possible where nothing is known."""
        return replace(self, low=self.least, high=self.most) if isnan(self.low) else self

    def reach(self, errors: float) -> tuple[float, float]:
        """How far the limits are below and above the estimate; so many standard errors where they are cut."""
        if isnan(self.low):
            return inf, inf
        enough = 0.0 if isnan(self.stderr) else errors * self.stderr
        nearest = min(max(self.value, self.least), self.most)
        below, above = self.value - self.low, self.high - self.value
        # Limits of an estimate beyond what is possible may be about the nearest that is: no farther than errors go.
        if nearest > self.value:
            above = max(self.high - nearest, min(above, enough))
        elif nearest < self.value:
            below = max(nearest - self.low, min(below, enough))
        return (
            below if below > 0 and self.low > self.least else max(below, enough),
            above if above > 0 and self.high < self.most else max(above, enough),
        )


def difference(before: WithInterval, after: WithInterval, confidence: float) -> WithInterval:
    """What was after minus what was before.

    Example:
        >>> found = difference(WithInterval(0.3, 0.03, 0.24, 0.36), WithInterval(0.5, 0.04, 0.42, 0.58), 0.95)
        >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
        (0.2, 0.1, 0.3)
    """
    errors = errors_to_either_side(confidence)
    (down, up), (down_before, up_before) = after.reach(errors), before.reach(errors)
    value = after.value - before.value
    least, most = after.least - before.most, after.most - before.least
    known = not (isnan(before.stderr) or isnan(after.stderr))
    stderr = hypot(before.stderr, after.stderr) if known else nan
    limits = value - hypot(down, up_before), value + hypot(up, down_before)
    low, high = map(float, possible_limits(value, limits, (least, most)))
    return WithInterval(value, stderr, low, high, least, most)
