"""`sordino serve`: a collector of one plan's reports."""

import socket
from contextlib import suppress
from pathlib import Path

import click

from sordino.cli.options import FILE
from sordino.cli.say import say
from sordino.cli.whole_numbers import Whole
from sordino.errors import SordinoError, UnavailableError
from sordino.survey.planning.plan import Plan


@click.command()
@click.argument("plan", type=FILE)
@click.option("--store", type=FILE, required=True, help="The SQLite file that holds the reports; a new one if none.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=Whole(0, 65535), default=8000, show_default=True, help="0: any that is free.")
@click.option(
    "--least-people",
    type=Whole(1),
    default=100,
    show_default=True,
    help="Reports without which no estimate is told.",
)
def serve(plan: Path, store: Path, host: str, port: int, least_people: int) -> None:
    """Collect the reports of a PLAN over HTTP until the process is ended.

    Devices fetch the plan and post reports, each counted once, acknowledged when it is on disk. The analyst's token is
    printed when the store is made, and never again. Behind a proxy that ends TLS; addresses are not kept.
    """
    try:
        import uvicorn

        from sordino.service.collector import Collector
    except ImportError:
        step = 'install them: pip install "sordino[server]"'
        raise SordinoError("serve needs FastAPI and uvicorn", found="none installed", step=step) from None
    from sordino.service.store import ReportStore

    frozen = Plan.load(plan)
    with _listening(host, port) as listener:
        held = ReportStore.open(store, frozen)
        token = held.new_token()
        if token is not None:
            say(f"The analyst's token, told once: {token}")
        say(f"http://{host}:{listener.getsockname()[1]}/plans/{frozen.hash}")
        application = Collector(held, least_people).application
        config = uvicorn.Config(application, log_level="warning", access_log=False, server_header=False)
        # An interrupt ends the collector once what it took is written.
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run([listener])
    say("stopped; all that was acknowledged is in the store")


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        UnavailableError: the port is taken, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
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
