"""The days on which the codes of a collection are scrubbed, so that none is kept longer than a number of days.

When a report came is kept nowhere, not even its day, so no report can be forgotten at its own age. What holds without
that: all codes are scrubbed together on each day that is a multiple of the number after the day when the plan was first
served, which is public. So every code is gone at that age at the latest, most earlier, and everybody can work out when.
"""

from datetime import date, timedelta


def last_scrub_day(since: str, days: int, now: str) -> str | None:
    """The last day until now on which codes are to be scrubbed; None before the first one.

    Args:
        since: the day when the plan was first served, as 2027-01-31.
        days: between two scrubbings, 1 or more.
        now: today.

    Example:
        >>> last_scrub_day("2027-01-01", 30, "2027-03-05"), last_scrub_day("2027-01-01", 30, "2027-01-30")
        ('2027-03-02', None)
    """
    first = date.fromisoformat(since)
    times = (date.fromisoformat(now) - first).days // days
    return (first + timedelta(days * times)).isoformat() if times > 0 else None


def next_scrub_day(since: str, days: int, now: str) -> str:
    """The first day after today on which codes are scrubbed.

    Example:
        >>> next_scrub_day("2027-01-01", 30, "2027-01-31")
        '2027-03-02'
    """
    last = last_scrub_day(since, days, now) or since
    return (date.fromisoformat(last) + timedelta(days)).isoformat()
