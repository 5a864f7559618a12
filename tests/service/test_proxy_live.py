"""A collector behind nginx, by the very lines of docs/collecting.md: what passes, what is refused, what is written."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

import pytest

from certificates import self_signed
from commands import PATIENCE, PROGRAM, started
from hostile_sockets import GONE, Drip, header_lines, heard, upload_head
from reports_sent import BINARY, NOTED, STARTED, STOPPED, log_events, served, uploaded
from sordino.service.uploads import pack

pytestmark = pytest.mark.live

PAGE = Path(__file__).parents[2] / "docs" / "collecting.md"
SOURCE = "127.0.0.77"
"""Where the peers of these tests come from."""

NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
AROUND = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/errors.log;
{user}
events {{}}
http {{
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u;
    scgi_temp_path {folder}/s;
    {server}
}}
"""


def configured(folder, port, collector):
    """The page's lines with names of this machine, and with waits that a test can wait for."""
    (text,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for own, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/collector.pem", str(folder / "own.pem")),
        ("/etc/ssl/collector.key", str(folder / "own.pem")),
        ("http://127.0.0.1:8000", f"http://127.0.0.1:{collector}"),
        ("client_header_timeout 10s", "client_header_timeout 1s"),
        ("client_body_timeout 10s", "client_body_timeout 1s"),
    ):
        assert text.count(own) == 1
        text = text.replace(own, here)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=user, server=text))
    return folder / "nginx.conf"


@contextmanager
def behind_nginx(folder, collector):
    """The port of a proxy to a collector."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    self_signed(folder / "own.pem")
    words = [NGINX, "-p", str(folder), "-c", str(configured(folder, port, collector))]
    subprocess.run([*words, "-t"], check=True, capture_output=True, timeout=PATIENCE)
    with started(words) as process:
        while True:
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
            assert process.poll() is None, process.stderr.read()
            sleep(0.05)
        yield port
        process.terminate()
        process.wait(PATIENCE)


class Proxied:
    """Connections with TLS to a proxy."""

    def __init__(self, folder, port, plan, collector):
        self.port, self.plan, self.collector, self.folder = port, plan, collector, folder
        self._context = ssl.create_default_context(cafile=folder / "own.pem")

    def connected(self):
        plain = socket.create_connection(("127.0.0.1", self.port), PATIENCE, (SOURCE, 0))
        return self._context.wrap_socket(plain, server_hostname="127.0.0.1")

    def told(self, said):
        """What is heard until the proxy hangs up."""
        with self.connected() as peer:
            with suppress(OSError):
                peer.sendall(said)
            try:
                return heard(peer)
            except ssl.SSLError:
                return GONE

    def upload(self, codes, first):
        body = pack(self.plan, uploaded(codes, first))
        head = upload_head(self.plan.hash, len(body), more="Connection: close\r\nX-Forwarded-For: 203.0.113.77\r\n")
        return self.told(head + body)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("proxy")


@pytest.fixture(scope="module")
def proxied(folder, plan):
    (folder / "collector").mkdir()
    with served(folder / "collector", plan) as (client, said), behind_nginx(folder, client.port) as port:
        yield Proxied(folder, port, plan, client)
    out, err, code = said
    assert (code, log_events(err)) == (0, [NOTED, STARTED, STOPPED])
    # Nobody's address stands anywhere, not even beside the refusals of these tests.
    written = out.encode() + b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())
    assert SOURCE.encode() not in written
    assert b"203.0.113.77" not in written
    assert socket.inet_aton(SOURCE) not in written


def test_a_device_answers_through_it(proxied, tmp_path):
    (tmp_path / "me.toml").write_text("version = 1\n[record]\nx = 2\n")
    url = f"https://127.0.0.1:{proxied.port}/plans/{proxied.plan.hash}"
    words = [*PROGRAM, "answer", "--yes", url, "me.toml", "--store", "answers.sqlite"]
    trusting = os.environ | {"SSL_CERT_FILE": str(proxied.folder / "own.pem")}
    done = subprocess.run(
        words, cwd=tmp_path, env=trusting, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "has your answer" in done.stdout
    assert proxied.collector.of_plan("GET", "/progress").json["reports"] >= 1


def test_large_uploads_pass_and_larger_ones_do_not(proxied):
    assert b'"accepted":100000,' in proxied.upload([1] * 100_000, 1 << 80)
    for length, status in ((16 << 20, b" 100 "), ((16 << 20) + 1, b" 413 ")):
        with proxied.connected() as peer:
            peer.sendall(upload_head(proxied.plan.hash, length, BINARY, "Expect: 100-continue\r\n"))
            assert status in peer.recv(20)


def test_long_heads_are_refused(proxied):
    request = b"GET /livez HTTP/1.1\r\nHost: here\r\nConnection: close\r\n"
    assert b" 200 " in proxied.told(request + header_lines(8000) + b"\r\n")
    assert b" 400 " in proxied.told(request + header_lines(1 << 20) + b"\r\n")
    assert b" 414 " in proxied.told(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n")


def test_the_slow_are_given_up(proxied):
    assert proxied.told(b"GET /livez HTTP/1.1\r\nX: ").partition(b"\r\n")[0] in (
        b"",
        GONE,
        b"HTTP/1.1 408 Request Time-out",
    )
    said = upload_head(proxied.plan.hash, 1000) + bytes(100)
    assert proxied.told(said).partition(b"\r\n")[0] in (b"", GONE, b"HTTP/1.1 408 Request Time-out")
    # A byte now and then is no head either; this one has not even begun TLS.
    drip = Drip(proxied.port, bytes([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]) + bytes(500))
    drip.start()
    drip.join(PATIENCE)
    assert drip.answer is not None


def test_one_address_has_so_many_connections_and_others_are_served(proxied):
    peers, told = [proxied.connected() for _ in range(40)], []
    try:
        for peer in peers:
            with suppress(OSError):
                peer.sendall(upload_head(proxied.plan.hash, 1000) + bytes(100))
        assert proxied.collector.ask("GET", "/livez").status == 200
        for peer in peers:
            with suppress(OSError):
                told.append(peer.recv(20))
    finally:
        for peer in peers:
            peer.close()
    assert sum(b" 503 " in answer for answer in told) >= 8
    assert json.loads(proxied.collector.ask("GET", "/livez").body) == {"status": "alive"}
