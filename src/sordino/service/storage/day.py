"""Time as a collector keeps it: the day. When exactly something came or was served is nobody's business."""

from datetime import UTC, datetime


def today() -> str:
    """The day in Greenwich, as 2026-11-22."""
    return datetime.now(UTC).date().isoformat()
