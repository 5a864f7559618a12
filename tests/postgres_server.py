"""A real PostgreSQL server in a folder of its own, for the tests that ask for one. Debian's programs, nobody's data."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psycopg

from commands import PATIENCE

ACCOUNT = "postgres"
"""Debian's: the server refuses to run as root."""

SETTINGS = ("listen_addresses=", "shared_buffers=32MB", "max_connections=20", "logging_collector=off")


class PostgresServer:
    """A server that listens at a socket in its folder only.

    Attributes:
        address: of its database.
    """

    def __init__(self, folder):
        self._folder = folder
        self.address = f"postgresql:///postgres?host={folder}&user={ACCOUNT}"
        self._bin = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if os.geteuid() == 0:
            account = pwd.getpwnam(ACCOUNT)
            os.chown(folder, account.pw_uid, account.pw_gid)
            self._user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        else:
            self._user = {}
        words = ["-D", folder / "data", "-U", ACCOUNT, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", *words)
        self._process = None

    def _run(self, name, *words):
        subprocess.run(
            [self._bin / name, *words],
            check=True,
            capture_output=True,
            cwd=self._folder,
            timeout=PATIENCE,
            **self._user,
        )

    def start(self):
        """Run, and wait until it answers."""
        words = ["-D", self._folder / "data", "-k", self._folder]
        for setting in SETTINGS:
            words += ["-c", setting]
        self._process = subprocess.Popen(
            [self._bin / "postgres", *words], cwd=self._folder, stderr=subprocess.DEVNULL, **self._user
        )
        self._wait()

    def _wait(self):
        while True:
            try:
                psycopg.connect(self.address).close()
            except psycopg.OperationalError:
                assert self._process.poll() is None, "the server ended"
            else:
                return

    def stop(self, number=signal.SIGQUIT):
        """End at once, as a crash does; SIGINT ends politely."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(PATIENCE)
            self._process = None

    def do(self, statement):
        """Run a statement, as somebody beside the collector."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            found = connection.execute(statement)
            return found.fetchall() if found.description else None

    def forget(self):
        """Take all tables of a store away."""
        self.do("DROP SCHEMA IF EXISTS sordino CASCADE")


@contextmanager
def postgres_server():
    """A server that runs until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="sordino-postgres-"))
    server = PostgresServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)
