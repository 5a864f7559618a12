"""One answer by a plan, whatever is killed: the bytes that anybody heard are those that stand in the store."""

import os
import random
import re
import signal
import time

import pytest

from commands import in_child
from sordino.once.agent.answer import answer
from sordino.once.agent.answer_store import AnswerStore
from waits import ended

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

POINTS = "drawing", "drawn", "storing", "stored", "settled", "sending", "delivered", "noting", "noted"

LONGEST = 0.02
"""Seconds within which an undisturbed answer is over, more or less."""


class Device:
    """A device that is killed, and a collector that notes what it hears, and keeps some of it."""

    def __init__(self, folder, plan, record):
        self.path, self.heard_at, self.plan, self.record = folder / "answers", folder / "heard", plan, record
        self.heard_at.write_bytes(b"")

    def answer(self, point=None, *, acknowledges=True):
        """Answer in this process, dying at a point."""

        def step(name):
            if name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        def send(body):
            handle = os.open(self.heard_at, os.O_WRONLY | os.O_APPEND)
            os.write(handle, body + b"\n")
            os.close(handle)
            if not acknowledges:
                raise BrokenPipeError

        fetch = lambda: (self.plan, self.record)
        return answer(AnswerStore.open(self.path, step), self.plan.hash, fetch, send, collector="c.example")

    @property
    def heard(self):
        return self.heard_at.read_bytes().splitlines()


@pytest.fixture
def device(tmp_path, plan, record):
    return Device(tmp_path, plan, record)


def test_an_answer_is_drawn_once_sent_until_it_is_kept_and_never_again(device):
    for _ in range(3):
        with pytest.raises(BrokenPipeError):
            device.answer(acknowledges=False)
    assert device.answer().again
    assert device.answer().again
    assert len(device.heard) == 4
    (body,) = set(device.heard)
    assert re.fullmatch(rb'\{"reports": \[\{"code": "[0-9]+", "id": "[0-9a-f]{32}"\}\]\}', body)


def test_a_kill_at_each_step_is_resumed_there(tmp_path, plan, record):
    for point in POINTS:
        (tmp_path / point).mkdir()
        device = Device(tmp_path / point, plan, record)
        child = in_child(lambda: device.answer(point))  # noqa: B023 - runs at once
        assert os.WTERMSIG(ended(child)) == signal.SIGKILL
        stored = AnswerStore.open(device.path).find_answer(plan.hash)
        assert (stored is None) == (point in POINTS[:3])
        assert (stored is not None and stored.sent) == (point == "noted")
        assert len(device.heard) == (point in POINTS[6:])
        assert device.answer().again == (stored is not None)
        assert stored is None or AnswerStore.open(device.path).find_answer(plan.hash).upload == stored.upload
        assert len(set(device.heard)) == 1


@pytest.mark.parametrize("kills", [6, pytest.param(1000, marks=pytest.mark.long)])
def test_kills_give_no_two_answers(tmp_path, plan, record, kills):
    """At a step or after a while, two at once on one store too; some answers are heard and not acknowledged."""
    dice, killed, devices = random.Random(kills), 0, 0
    while killed < kills:
        (tmp_path / str(devices)).mkdir()
        device = Device(tmp_path / str(devices), plan, record)
        devices += 1
        done = False
        while not done:
            children = [
                in_child(lambda: device.answer(point, acknowledges=kept))  # noqa: B023 - runs at once
                for point, kept in [
                    (dice.choice([*POINTS, None, None]), dice.random() < 0.7) for _ in range(dice.choice([1, 1, 2]))
                ]
            ]
            time.sleep(dice.uniform(0, LONGEST))
            for child in children:
                if dice.random() < 0.5:
                    os.kill(child, signal.SIGKILL)
            statuses = [ended(child) for child in children]
            killed += sum(map(os.WIFSIGNALED, statuses))
            stored = AnswerStore.open(device.path).find_answer(plan.hash)
            assert set(device.heard) <= ({stored.upload} if stored else set())
            done = stored is not None and stored.sent
    assert devices > kills / 30


def test_devices_that_answer_at_once_on_one_store_send_one_answer(device):
    children = [in_child(device.answer) for _ in range(6)]
    assert [ended(child) for child in children] == [0] * 6
    assert len(set(device.heard)) == 1
