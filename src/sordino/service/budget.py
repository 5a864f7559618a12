"""Bytes of bodies that a collector holds at most, from the first that comes until what they say is written."""

from http import HTTPStatus
from typing import Self

from fastapi import Request
from starlette.requests import ClientDisconnect

from sordino.errors import SordinoError
from sordino.service.problems import ProblemError
from sordino.service.writer import FullQueueError

MOST_BYTES = 1 << 24
"""Largest body of a request."""

UNCOUNTED = 1 << 16
"""First bytes of each body that are not counted: the number of connections bounds them, and all that a device sends is
shorter, so that nobody who sends much keeps a device out."""

MOST_RECEIVED = 1 << 26
"""Bytes of all bodies together beyond those."""


class BodyBudget:
    """What bodies take of one process's memory. Use it from one event loop.

    Attributes:
        most: bytes that it holds at most.
        held: bytes that are counted now.
    """

    def __init__(self, most: int = MOST_RECEIVED) -> None:
        self.most, self.held = most, 0

    def share(self) -> "BudgetShare":
        """What one request takes of it until the block ends."""
        return BudgetShare(self)


class BudgetShare:
    """Bytes of one request, which are given back when its block ends."""

    def __init__(self, budget: BodyBudget) -> None:
        self._budget, self._counted = budget, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._budget.held -= self._counted

    async def body_of(self, request: Request, most: int = MOST_BYTES) -> bytearray:
        """A request's body, which is given up as soon as it is too long.

        Args:
            request: whose body it is.
            most: bytes that it may have, no fewer than those that are not counted.

        Raises:
            ProblemError: more than `most` bytes, found or declared.
            FullQueueError: other bodies have taken the budget.
            ClientDisconnect: the sender has gone away.
        """
        content, is_whole = bytearray(), False
        while not is_whole:
            message = await request.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            content += message.get("body", b"")
            is_whole = not message.get("more_body", False)
            if len(content) > UNCOUNTED:
                # The server's parser has refused what are no digits.
                length = max(len(content), int(request.headers.get("content-length", 0)))
                if length > most:
                    rule, step = f"an upload must have at most {most} bytes", "send it in parts"
                    error = SordinoError(rule, found=f"at least {length:,}", step=step)
                    raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, error)
                self._count(len(content) - UNCOUNTED - self._counted)
        return content

    def _count(self, more: int) -> None:
        if self._budget.held + more > self._budget.most:
            rule, found = "the collector must keep up", "too many bytes at once"
            raise FullQueueError(rule, found=found, step="send again a little later")
        self._budget.held += more
        self._counted += more
