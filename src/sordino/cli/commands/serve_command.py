"""`sordino serve`: a collector of plans' reports."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from sordino.cli.options import FILE, Whole
from sordino.cli.say import say
from sordino.document.files import read_toml
from sordino.document.invitation_list import InvitationList
from sordino.errors import SordinoError, UnavailableError
from sordino.survey.planning.plan import Plan
from sordino.survey.schema.public_column import LEAST_REPORTS

if TYPE_CHECKING:
    from sordino.service.metrics import Metrics


def _read_config(ctx: click.Context, _: click.Parameter, path: Path | None) -> None:
    """Take the options of a file as defaults; what is given, or stands in the environment, counts more."""
    if path is None:
        return
    options = read_toml(path)
    known = {name for parameter in ctx.command.params if (name := parameter.name) not in (None, "config")}
    unknown = sorted(options.keys() - known)
    if unknown:
        step = f"use some of {', '.join(sorted(known))}"
        raise SordinoError(f"{path} must hold options of serve", found=", ".join(unknown), step=step)
    ctx.default_map = {**(ctx.default_map or {}), **options}


@click.command(context_settings={"auto_envvar_prefix": "SORDINO_SERVE"})
@click.option(
    "--config",
    type=FILE,
    is_eager=True,
    expose_value=False,
    callback=_read_config,
    help="Take options that are not given from this file (TOML), named as here, with _ for -.",
)
@click.argument("plans", metavar="PLAN...", type=FILE, nargs=-1, required=True, envvar="SORDINO_SERVE_PLANS")
@click.option(
    "--store",
    required=True,
    metavar="STORE",
    help="The SQLite file for the reports, made if missing, or postgresql://... for a database.",
)
@click.option("--add", is_flag=True, help="Add new plans to those in the store; its public list keeps them.")
@click.option("--key", type=FILE, help="Sign plans with the Ed25519 key in this PEM file, made if missing.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=Whole(0, 65535), default=8000, show_default=True, help="The port to listen on; 0 takes any free one."
)
@click.option(
    "--metrics-port", type=Whole(0, 65535), help="Serve health and OpenMetrics on this port; 0 takes any free one."
)
@click.option("--metrics-host", default="127.0.0.1", show_default=True, help="The address that --metrics-port is at.")
@click.option("--public-url", help="Print addresses below this one, where people reach the collector, https://...")
@click.option("--token-file", type=FILE, help="Write the first token to this new file of its owner's; print none.")
@click.option("--standby", is_flag=True, help="Wait while another collector has the store, and then take its place.")
@click.option(
    "--invitations",
    type=FILE,
    multiple=True,
    help="Take reports only by these invitations, a list of `sordino invite`; may be repeated.",
)
@click.option(
    "--least-people",
    type=Whole(1),
    default=LEAST_REPORTS,
    show_default=True,
    help="The number of reports below which no estimate is shown.",
)
@click.option(
    "--grace",
    type=Whole(0),
    default=3,
    show_default=True,
    help="The days after the end of a series' period in which its reports are still taken.",
)
@click.option(
    "--retain",
    type=Whole(1),
    metavar="DAYS",
    help="Scrub all codes every so many days after a plan was first served: none is kept longer.",
)
@click.option("--publish", is_flag=True, help="Publish tallies and estimates, once there are enough reports.")
def serve(
    plans: tuple[Path, ...],
    *,
    store: str,
    add: bool,
    invitations: tuple[Path, ...],
    key: Path | None,
    host: str,
    port: int,
    metrics_port: int | None,
    metrics_host: str,
    public_url: str | None,
    token_file: Path | None,
    standby: bool,
    least_people: int,
    grace: int,
    retain: int | None,
    publish: bool,
) -> None:
    """Collect the reports of each PLAN over HTTP until the process is ended.

    Devices fetch a plan and post reports, each counted once, acknowledged when it is on disk. The first token, which
    may do everything, is printed when the store is made, and never again. A proxy ends TLS; addresses are not kept.
    """
    from sordino.service.collector import Collector
    from sordino.service.log import start_log
    from sordino.service.server import BoundedServer
    from sordino.service.signing import Signer
    from sordino.service.storage.store import ReportStore, open_store

    public_url = None if public_url is None else _read_public_url(public_url)
    frozen = [Plan.load(path) for path in plans]
    lists = [_invitations_to(frozen, path) for path in invitations]
    signer = None if key is None else Signer.of_file(key)
    start_log()
    with (
        _bind(host, port) as listener,
        _serve_metrics(metrics_host, metrics_port) as metrics,
        closing(open_store(lambda: ReportStore.open(store, *frozen, add=add), standby=standby)) as held,
    ):
        for given in lists:
            new = held.collections[given.plan].invite(given.hashes)
            say(f"{len(given.hashes):,} invitations, {new:,} of them new, to {given.plan}")
        collector = Collector(held, least_people, signer, metrics, published=publish, retain_days=retain, grace=grace)
        _listen(listener, host, port)
        held.new_token(_say_secret if token_file is None else lambda: _store_secret(token_file))
        if signer is not None:
            say(f"Plans are signed by the Ed25519 key {signer.public}")
        # An interrupt ends the collector once what it took is written: who reads the address may do so at once.
        with suppress(KeyboardInterrupt):
            for plan in frozen:
                say(f"{public_url or f'http://{host}:{listener.getsockname()[1]}'}/plans/{plan.hash}")
            BoundedServer(collector.application).run([listener])
    say("stopped; all that was acknowledged is in the store")


def _say_secret() -> str:
    from sordino.service.storage.tokens import new_secret

    secret = new_secret()
    say(f"The first token, shown once: {secret}")
    return secret


def _store_secret(path: Path) -> str:
    from sordino.service.storage.tokens import secret_in

    secret = secret_in(path)
    say(f"{path}: the first token")
    return secret


def _read_public_url(url: str) -> str:
    """An address as addresses of plans begin.

    Raises:
        SordinoError: no address of a server, or more than one.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise SordinoError("--public-url must be an address", found=url, step="give it as https://collector.example")
    return url.rstrip("/")


def _invitations_to(plans: Sequence[Plan], path: Path) -> InvitationList:
    """A list of invitations.

    Raises:
        SordinoError: no list, or one of a plan that is not served.
    """
    found = InvitationList.load(path)
    if found.plan not in {plan.hash for plan in plans}:
        step = "serve that plan too, or invite to one of these"
        raise SordinoError(f"{path} must invite to a plan that is served", found="another plan's hash", step=step)
    return found


@contextmanager
def _serve_metrics(host: str, port: int | None) -> Iterator["Metrics | None"]:
    if port is None:
        yield None
        return
    from sordino.service.metrics import Metrics, MetricsServer

    metrics = Metrics()
    with _bind(host, port) as listener:
        _listen(listener, host, port)
        with MetricsServer(metrics, listener):
            say(f"Health and metrics: http://{host}:{listener.getsockname()[1]}/metrics")
            yield metrics


def _bind(host: str, port: int) -> socket.socket:
    """A socket that has an address, and refuses connections until it listens: on standby, for instance.

    Raises:
        UnavailableError: the port is taken, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Of a socket that does not say that it is TCP's, asyncio holds small answers back until the last one is confirmed.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise _cannot_listen(host, port, error) from None
    return listener


def _listen(listener: socket.socket, host: str, port: int) -> None:
    """Take connections from now on: who reads the address may connect at once.

    Raises:
        UnavailableError: somebody else listens there by now.
    """
    try:
        listener.listen()
    except OSError as error:
        raise _cannot_listen(host, port, error) from None


def _cannot_listen(host: str, port: int, error: OSError) -> UnavailableError:
    step = "choose another --port, or --port 0 for any that is free"
    rule = f"the collector must listen at {host}, port {port}"
    return UnavailableError(rule, found=(error.strerror or "a refusal").lower(), step=step)
