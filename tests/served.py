"""A collector that `sordino serve` runs in a process of its own, for pages that ask it."""

import json
import re
import subprocess
import sys
import urllib.request

from commands import PATIENCE


class Collecting:
    """A collector in a process of its own."""

    def __init__(self, folder, plan, *options):
        plan.save(folder / "plan.json")
        words = [sys.executable, "-c", "from sordino.cli.start import main; main()", "serve", folder / "plan.json"]
        words += ["--store", folder / "reports.sqlite", "--port", "0", "--key", folder / "key.pem", *options]
        self.plan = plan
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = None
        for line in self.process.stdout:
            if found := re.search(r"http://127.0.0.1:\d+/plans/\S+", line):
                self.address = found.group()
                break

    def told(self, path):
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:  # noqa: S310 - it is this machine
            return json.load(answer)

    @property
    def count(self):
        return self.told("/progress")["reports"]

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()
