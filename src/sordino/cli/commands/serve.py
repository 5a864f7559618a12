"""`sordino serve`: a collector of plans' reports."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sordino.cli.options import FILE
from sordino.cli.say import say
from sordino.cli.whole_numbers import Whole
from sordino.errors import SordinoError, UnavailableError
from sordino.survey.frozen.public_part import LEAST_REPORTS
from sordino.survey.planning.plan import Plan

if TYPE_CHECKING:
    from sordino.service.metrics import Metrics


@click.command()
@click.argument("plans", metavar="PLAN...", type=FILE, nargs=-1, required=True)
@click.option(
    "--store",
    required=True,
    metavar="STORE",
    help="The SQLite file that holds the reports, a new one if none, or postgresql://... for a database.",
)
@click.option("--add", is_flag=True, help="Serve new plans beside those of the store; its public list keeps them.")
@click.option("--key", type=FILE, help="Sign plans by the Ed25519 key of this PEM file, a new one if none.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=Whole(0, 65535), default=8000, show_default=True, help="0: any that is free.")
@click.option("--metrics-port", type=Whole(0, 65535), help="Health and OpenMetrics here; 0: any that is free.")
@click.option(
    "--least-people",
    type=Whole(1),
    default=LEAST_REPORTS,
    show_default=True,
    help="Reports without which no estimate is shown.",
)
@click.option("--publish", is_flag=True, help="Show everybody tallies and estimates, from so many reports on.")
def serve(
    plans: tuple[Path, ...],
    *,
    store: str,
    add: bool,
    key: Path | None,
    host: str,
    port: int,
    metrics_port: int | None,
    least_people: int,
    publish: bool,
) -> None:
    """Collect the reports of each PLAN over HTTP until the process is ended.

    Devices fetch a plan and post reports, each counted once, acknowledged when it is on disk. The analyst's token is
    printed when the store is made, and never again. Behind a proxy that ends TLS; addresses are not kept.
    """
    try:
        from sordino.service.collector import Collector
        from sordino.service.server import BoundedServer
    except ImportError:
        raise _missing_package("FastAPI, uvicorn and httptools") from None
    from sordino.service.signing import Signer
    from sordino.service.storage.store import ReportStore

    frozen = [Plan.load(path) for path in plans]
    signer = None if key is None else Signer.of_file(key)
    with (
        _listen(host, port) as listener,
        _serve_metrics(host, metrics_port) as metrics,
        closing(ReportStore.open(store, *frozen, add=add)) as held,
    ):
        token = held.new_token()
        application = Collector(held, least_people, signer, metrics, published=publish).application
        if token is not None:
            say(f"The analyst's token, shown once: {token}")
        if signer is not None:
            say(f"Plans are signed by the Ed25519 key {signer.public}")
        for plan in frozen:
            say(f"http://{host}:{listener.getsockname()[1]}/plans/{plan.hash}")
        # An interrupt ends the collector once what it took is written.
        with suppress(KeyboardInterrupt):
            BoundedServer(application).run([listener])
    say("stopped; all that was acknowledged is in the store")


@contextmanager
def _serve_metrics(host: str, port: int | None) -> Iterator["Metrics | None"]:
    """Metrics at a port of their own, if they are asked for."""
    if port is None:
        yield None
        return
    from sordino.service.metrics import Metrics, MetricsServer

    try:
        metrics = Metrics()
    except ImportError:
        raise _missing_package("prometheus_client for --metrics-port") from None
    with _listen(host, port) as listener, MetricsServer(metrics, listener):
        say(f"Health and metrics: http://{host}:{listener.getsockname()[1]}/metrics")
        yield metrics


def _missing_package(what: str) -> SordinoError:
    step = 'install them: pip install "sordino[server]"'
    return SordinoError(f"serve needs {what}", found="none installed", step=step)


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        UnavailableError: the port is taken, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Of a socket that does not say that it is TCP's, asyncio holds small answers back until the last one is confirmed.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        # Who reads the address may connect at once.
        listener.listen()
    except OSError as error:
        listener.close()
        step = "choose another --port, or --port 0 for any that is free"
        rule = f"the collector must listen at {host}, port {port}"
        raise UnavailableError(rule, found=(error.strerror or "a refusal").lower(), step=step) from None
    return listener
