"""A collection that runs, from a survey to what an analyst reads: by region, weighted to totals, tested, in files.

make demo-live

A collector, invitations, 2,500 simulated devices, a form in four languages for one more, and a dashboard to watch.
Each device has a store of its own, draws its answer there and sends it over HTTP by its invitation, as `sordino answer`
does. All files are in a temporary folder that goes with the demo, which ends with Ctrl-C.
"""

import argparse
import csv
import json
import re
import shutil
import signal
import socket
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
from urllib.request import Request, urlopen

import numpy as np

from sordino import Plan, Survey
from sordino.once.agent.answer import answer
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.agent.collector_address import CollectorAddress
from sordino.once.agent.exchange import send_report

TRAVEL = Path(__file__).parents[1] / "examples" / "travel"
SURVEY = TRAVEL / "survey.toml"
NORTH, SOUTH = 40.5, 34.0
"""Latitudes that part the regions."""

USED = {"bicycle": 0.2, "bus": 0.3, "car": 0.6, "train": 0.15}
"""What people used last week, each by itself."""

MOST_USED = 3

CITIES = (40.7, -74.0), (34.1, -118.2), (41.9, -87.6), (29.8, -95.4), (33.4, -112.1), (47.6, -122.3), (39.7, -105.0)

COMMAND = (sys.executable, "-c", "from sordino.cli.start import main; main()")

AT_ONCE = 8
"""Devices that send at the same time."""

LEAST_SHOWN = 0.05
"""Shares of the whole country below which none is printed here: the files have all."""


def main() -> None:
    """Run the demo until it is stopped."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--devices", type=int, default=2500, help="how many answer")
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
    port = port or free_port()
    url = f"http://127.0.0.1:{port}/plans/{plan.hash}"
    invited = ["--count", str(devices + 1), "--url", url, "-o", "links.csv", "--hashes", "hashes.json"]
    sordino(folder, "invite", "plan.json", *invited)
    with (folder / "links.csv").open(encoding="utf-8") as file:
        links = [row["link"] for row in csv.DictReader(file)]
    with collector(folder, port) as (address, token):
        print(f"A form for one more answer:  {links.pop()}")
        print(f"The dashboard:               {address}/dashboard")
        print(f"The analyst's token for it:  {token}", flush=True)
        begun = time.monotonic()
        answer_all(folder, plan, [CollectorAddress.of(link) for link in links], records(survey, devices))
        print(f"{devices} devices have answered in {time.monotonic() - begun:.0f} seconds.", flush=True)
        analyse(folder, address, token)
        if not once:
            print("Ctrl-C ends the demo.", flush=True)
            signal.pause()


def free_port() -> int:
    """A port that nobody listens on: links name it before the collector runs."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def sordino(folder: Path, *arguments: str) -> str:
    """What a command prints, which is shown before it runs; the demo ends where it fails."""
    print(f"$ sordino {' '.join(arguments)}", flush=True)
    done = subprocess.run([*COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


@contextmanager
def collector(folder: Path, port: int) -> Iterator[tuple[str, str]]:
    """`sordino serve` in a process of its own, which ends with the block: its plan's address, and the token."""
    command = [*COMMAND, "serve", "plan.json"]
    command += ["--store", "reports.sqlite", "--port", str(port), "--invitations", "hashes.json"]
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


def analyse(folder: Path, address: str, token: str) -> None:
    """What an analyst does then: fetch the tally, estimate by region, weighted to the known totals, and write files."""
    asked = Request(f"{address}/aggregate", headers={"Authorization": f"Bearer {token}"})  # noqa: S310 - our own collector
    with urlopen(asked) as answer:  # noqa: S310
        (folder / "tally.json").write_bytes(answer.read())
    written = ["--html", "travel.html", "-o", "travel.csv", "-o", "homes.geojson", "--json"]
    found = json.loads(sordino(folder, "estimate", "plan.json", "tally.json", "--by", "region", *written))
    print("How people travel and whether they work, weighted to the totals of regions and settlements:")
    for row in found["weighted"]:
        if row.get("attributes") == ["way", "works"] and row["estimate"] >= LEAST_SHOWN:
            low, high = 100 * row["low"], 100 * row["high"]
            print(f"  {', '.join(row['value']):14} {100 * row['estimate']:5.1f} %  ({low:.1f} to {high:.1f} %)")
    for row in found["associations"]:
        p_value = row.get("why") or f"p = {row['p']:.2g}"
        print(f"Does how they travel go with whether they work?  {p_value}")
    for row in found["group_tests"]:
        print(f"Are the regions equal?  {row['tested']:42} p = {row['p_value']:.2g}")
    if rscript := shutil.which("Rscript"):
        print("$ Rscript travel.R travel.csv travel.pdf", flush=True)
        subprocess.run([rscript, TRAVEL / "travel.R", "travel.csv", "travel.pdf"], cwd=folder, check=True)
    for path in (*sorted(folder.glob("travel.*")), folder / "homes.geojson"):
        print(path, flush=True)


def answer_all(
    folder: Path, plan: Plan, links: Sequence[CollectorAddress], people: Iterator[Mapping[str, Any]]
) -> None:
    """Have a device of each person answer by a link, some at a time."""

    def device(number: int, record: Mapping[str, Any]) -> None:
        store = AnswerStore.open(folder / f"device-{number}.sqlite")
        link = links[number]
        given = {"collector": link.collector, "is_invited": True}
        answer(store, plan.hash, lambda: (plan, record), lambda body: send_report(link, body), **given)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for done, _ in enumerate(pool.map(device, count(), people), start=1):
                if done % 100 == 0:
                    print(f"{done} devices have answered", flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def records(survey: Survey, people: int) -> Iterator[Mapping[str, Any]]:
    """What simulated people would answer: they live near some cities, most of those who work drive."""
    draw = np.random.default_rng(14)
    ways, lines = (survey.attribute[name].categories for name in ("way", "line"))
    for _ in range(people):
        latitude, longitude = np.clip(draw.choice(CITIES) + draw.normal(0, 2, 2), (25.1, -129.9), (49.9, -60.1))
        in_town, works = draw.random() < 0.6, draw.random() < 0.7
        # Who works drives more, and so does the country.
        car = 0.25 + 0.3 * works + 0.15 * (not in_town)
        shares = np.array([0.2, 0.35, 0, 0.35, 0.1]) * (1 - car) + np.array([0, 0, car, 0, 0])
        record: dict[str, Any] = {
            "region": "north" if latitude > NORTH else "south" if latitude < SOUTH else "middle",
            "settlement": "town" if in_town else "country",
            "home": {"latitude": float(latitude), "longitude": float(longitude)},
            "used": [name for name, share in USED.items() if draw.random() < share][:MOST_USED],
            "way": str(draw.choice(ways, p=shares)),
            "line": str(draw.choice(lines)) if draw.random() < 0.5 else "none",
            "works": "yes" if works else "no",
            "age": float(draw.integers(16, 90)),
        }
        if works and draw.random() < 0.9:
            record["minutes"] = float(np.clip(np.round(draw.gamma(3, 10)), 0, 240))
        if draw.random() < 0.8:
            record["moved"] = float(draw.integers(7000, 20_000))
        yield {"version": 1, "record": record}


if __name__ == "__main__":
    main()
