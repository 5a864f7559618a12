"""What bodies take of a collector's memory, without a network: parts that come in any order, and any end."""

import asyncio
from contextlib import suppress

import pytest
from starlette.requests import ClientDisconnect, Request

from sordino.service.budget import UNCOUNTED, BodyBudget
from sordino.service.problems import ProblemError
from sordino.service.writer import FullQueueError

MOST = 10 * UNCOUNTED


def request(*parts):
    """A request whose body comes in parts; None is a sender who goes away."""
    messages = [
        {"type": "http.disconnect"} if part is None else {"type": "http.request", "body": part, "more_body": True}
        for part in parts
    ]
    messages.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive():
        return messages.pop(0)

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


async def taken(budget, *parts, most=MOST):
    with budget.share() as share:
        return bytes(await share.body_of(request(*parts), most)), budget.held


def test_bytes_are_counted_beyond_the_first_of_each():
    whole = bytes(range(256)) * 1024
    for size in (1, 1000, UNCOUNTED, len(whole)):
        parts = [whole[place : place + size] for place in range(0, 4000 if size == 1 else len(whole), size)]
        body, held = asyncio.run(taken(BodyBudget(MOST), *parts))
        assert body == b"".join(parts)
        assert held == max(len(body) - UNCOUNTED, 0)


def test_what_a_device_sends_is_taken_while_others_hold_all():
    async def work():
        budget = BodyBudget(MOST)
        with budget.share() as share:
            await share.body_of(request(bytes(MOST + UNCOUNTED)))
            assert budget.held == MOST
            assert await taken(budget, b"report") == (b"report", MOST)
            with pytest.raises(FullQueueError, match="too many bytes at once"):
                await taken(budget, bytes(UNCOUNTED), b"x")
            assert budget.held == MOST
        assert (await taken(budget, bytes(UNCOUNTED), b"x"))[1] == 1

    asyncio.run(work())


def test_a_body_gives_back_what_it_took_however_it_ends():
    async def work():
        budget, half = BodyBudget(MOST), bytes(MOST // 2)
        for error, parts, settings in (
            (ClientDisconnect, (half, None), {}),
            (ProblemError, (half, half, b"x"), {}),
            (FullQueueError, (half, half, half), {"most": 2 * MOST}),
        ):
            with pytest.raises(error):
                await taken(budget, *parts, **settings)
            assert budget.held == 0
        with suppress(ZeroDivisionError), budget.share() as share:
            await share.body_of(request(half))
            assert budget.held == len(half) - UNCOUNTED
            _ = 1 // 0
        assert budget.held == 0

    asyncio.run(work())
