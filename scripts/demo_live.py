"""A collection that runs: a collector, a thousand simulated devices, a form for one more, and a dashboard to watch.

make demo-live

Each device has a store of its own, draws its answer there and sends it over HTTP by its invitation, as `sordino answer`
does. All files are in a temporary folder that goes with the demo, which ends with Ctrl-C.
"""

import argparse
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sordino import Plan, Survey
from sordino.agent.answer import answer
from sordino.agent.answer_store import AnswerStore
from sordino.agent.collector_address import CollectorAddress
from sordino.agent.exchange import send_report
from sordino.document.invitation_list import InvitationList, new_secret

SURVEY = Path(__file__).parents[1] / "examples" / "travel" / "survey.toml"
CITIES = (40.7, -74.0), (34.1, -118.2), (41.9, -87.6), (29.8, -95.4), (33.4, -112.1), (47.6, -122.3), (39.7, -105.0)

AT_ONCE = 8
"""Devices that send at the same time."""


def main() -> None:
    """Run the demo until it is stopped."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--devices", type=int, default=1000, help="how many answer")
    arguments.add_argument("--port", type=int, default=0, help="of the collector; any that is free by default")
    arguments.add_argument("--once", action="store_true", help="end when all have answered")
    told = arguments.parse_args()
    # A polite end is like Ctrl-C, which a shell has ignored in what it runs in the background.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    with TemporaryDirectory(prefix="sordino-live-") as name:
        try:
            run(Path(name), told.devices, told.port, once=told.once)
        except KeyboardInterrupt:
            print("\nThe demo has ended; nothing of it is left.")


def run(folder: Path, devices: int, port: int, *, once: bool) -> None:
    """Collect in a folder."""
    survey = Survey.load(SURVEY)
    plan = Plan.of(survey, devices)
    plan.save(folder / "plan.json")
    links = [new_secret() for _ in range(devices + 1)]
    InvitationList.of(plan.hash, links).save(folder / "invitations.json")
    with collector(folder, port) as (address, token):
        print(f"A form for one more answer:  {CollectorAddress.of(address).link(links.pop())}")
        print(f"The dashboard:               {address}/dashboard")
        print(f"The analyst's token for it:  {token}", flush=True)
        begun = time.monotonic()
        answer_all(
            folder,
            plan,
            [CollectorAddress.of(f"{address}#invitation={link}") for link in links],
            records(survey, devices),
        )
        print(f"{devices} devices have answered in {time.monotonic() - begun:.0f} seconds.", flush=True)
        if not once:
            print("Ctrl-C ends the demo.", flush=True)
            signal.pause()


@contextmanager
def collector(folder: Path, port: int) -> Iterator[tuple[str, str]]:
    """`sordino serve` in a process of its own, which ends with the block: its plan's address, and the token."""
    command = [sys.executable, "-c", "from sordino.cli.start import main; main()", "serve", "plan.json"]
    command += ["--store", "reports.sqlite", "--port", str(port), "--invitations", "invitations.json"]
    # Ctrl-C is for this process, which ends the other one.
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            said = ""
            while not (address := re.search(r"^(http://\S+/plans/\S+)$", said, re.MULTILINE)):
                line = process.stdout.readline() if process.stdout else ""
                if not line:
                    sys.exit("The collector did not start.")
                said += line
            token = re.search(r"token, shown once: (\S+)", said)
            yield address[1], token[1] if token else ""
        finally:
            process.terminate()


def answer_all(
    folder: Path, plan: Plan, links: Sequence[CollectorAddress], people: Iterator[Mapping[str, Any]]
) -> None:
    """Have a device of each person answer by a link, some at a time."""

    def device(number: int, record: Mapping[str, Any]) -> None:
        store = AnswerStore.open(folder / f"device-{number}.sqlite")
        answer(store, plan.hash, lambda: (plan, record), lambda body: send_report(links[number], body))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for done, _ in enumerate(pool.map(device, count(), people), start=1):
                if done % 100 == 0:
                    print(f"{done} devices have answered", flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def records(survey: Survey, people: int) -> Iterator[Mapping[str, Any]]:
    """What simulated people would answer: they live near some cities, most of them drive, and some do not work."""
    draw = np.random.default_rng(14)
    ways, lines = (survey.attribute[name].categories for name in ("way", "line"))
    for _ in range(people):
        latitude, longitude = np.clip(draw.choice(CITIES) + draw.normal(0, 2, 2), (25.1, -129.9), (49.9, -60.1))
        home = {"latitude": float(latitude), "longitude": float(longitude)}
        record: dict[str, Any] = {
            "home": home,
            "way": str(draw.choice(ways, p=(0.1, 0.2, 0.55, 0.1, 0.05))),
            "line": str(draw.choice(lines)) if draw.random() < 0.5 else "none",
            "age": float(draw.integers(16, 90)),
        }
        if draw.random() < 0.8:
            record["minutes"] = float(np.clip(np.round(draw.gamma(3, 10)), 0, 240))
            record["moved"] = float(draw.integers(7000, 20_000))
        yield {"version": 1, "record": record}


if __name__ == "__main__":
    main()
