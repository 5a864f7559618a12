"""Real proxies before a collector, by the lines of deploy/ and of the docs with names of this machine."""

import os
import re
import shutil
import socket
import ssl
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

from certificates import self_signed
from commands import PATIENCE, started
from hostile_sockets import GONE, heard, upload_head
from reports_sent import uploaded
from sordino.service.uploads import pack

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "collecting.md"
CADDYFILE = ROOT / "deploy" / "Caddyfile"
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
    with listening(words, port):
        yield port


@contextmanager
def behind_caddy(folder, collector):
    """The same with Caddy."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    self_signed(folder / "own.pem")
    text = CADDYFILE.read_text(encoding="utf-8")
    for own, here in (
        ("{\n\tlog {", "{\n\tadmin off\n\tauto_https disable_redirects\n\tlog {"),
        ("collector.example {\n", f"https://:{port} {{\n\tbind 127.0.0.1\n\ttls {folder}/own.pem {folder}/own.pem\n"),
        ("read_header 10s", "read_header 1s"),
        ("read_body 60s", "read_body 2s"),
    ):
        assert text.count(own) == 1, own
        text = text.replace(own, here)
    told = subprocess.run(["caddy", "version"], check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    if tuple(map(int, re.findall(r"[0-9]+", told)[:2])) < (2, 7):
        text = text.replace("request_buffers 16MiB", "buffer_requests\n\t\tmax_buffer_size 16MiB")
    (folder / "Caddyfile").write_text(text, encoding="utf-8")
    own = {"COLLECTOR": f"127.0.0.1:{collector}", "HOME": str(folder)}
    place = {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    words, env = ["--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"], os.environ | own | place
    subprocess.run(["caddy", "validate", *words], check=True, capture_output=True, timeout=PATIENCE, env=env)
    with listening(["caddy", "run", *words], port, env=env):
        yield port


@contextmanager
def listening(words, port, **options):
    """A process that listens at a port until the block ends."""
    with started(words, **options) as process:
        while True:
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
            assert process.poll() is None, process.stderr.read()
            sleep(0.05)
        yield
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
