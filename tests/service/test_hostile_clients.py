"""Clients that hold a collector open: it keeps its memory, gives them up, and serves honest ones meanwhile."""

import json
import resource
import socket
from contextlib import ExitStack, contextmanager, suppress
from select import select
from time import monotonic, sleep

import psutil
import pytest

import reports_sent
from collectors import on_a_port
from commands import PATIENCE
from hostile_sockets import GONE, Drip, connected, header_lines, heard, held, poured, unread, upload_head
from reports_sent import NOTED, STARTED, STOPPED, is_problem, log_events, on_a_thread, served, uploaded
from sordino.service import server
from sordino.service import server as connection
from sordino.service.budget import MOST_BYTES, MOST_RECEIVED, UNCOUNTED
from sordino.service.storage.store import ReportStore
from sordino.service.uploads import pack

MIB = 1 << 20
MORE_MEMORY = 4 * MOST_RECEIVED
"""Bytes that the process may grow by, whatever comes: its budget, as reports too, and what libraries keep."""

SECRET = b"914173"


@pytest.fixture(scope="module")
def collector(tmp_path_factory, plan):
    """A collector in a process of its own, whose memory can be seen, and what it had at first."""
    with served(tmp_path_factory.mktemp("hostile"), plan) as (client, said):
        assert client.upload([1], first=1 << 90).status == 200
        yield client
    out, err, code = said
    assert (code, "stopped" in out) == (0, True)
    # Each warning once, in words of the server's own.
    assert len(err.splitlines()) < 20
    assert "Traceback" not in err


@pytest.fixture
def memory():
    """Bytes that the one child with a port holds, above those at the beginning of the test."""
    (process,) = [each for each in psutil.Process().children() if "serve" in each.cmdline()]
    before = process.memory_info().rss
    return lambda: process.memory_info().rss - before


@pytest.fixture
def many_files():
    """Files enough for a thousand sockets of ours."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def hurried(monkeypatch, tmp_path, plan, **limits):
    """A collector on a thread with limits that a test can wait for."""
    monkeypatch.setattr(server, "PAUSE", 0.05)
    for name, limit in limits.items():
        monkeypatch.setattr(connection, name, limit)
    with on_a_thread(ReportStore.open(tmp_path / "reports.sqlite", plan)) as client:
        yield client


def is_refusal(answer, status, words):
    """Whether what was heard is a problem that the door told."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), answer
    assert b"content-type: application/problem+json" in head
    assert b"X-Content-Type-Options: nosniff" in head or b"x-content-type-options: nosniff" in head
    assert words in json.loads(body)["detail"]
    return True


def test_half_uploads_take_a_budget_and_no_more(collector, plan, memory):
    most = []
    with held(collector.port, 60, upload_head(plan.hash, MOST_BYTES) + bytes(15 * MIB)) as halves:
        most.append(memory())
        # What a device sends is never kept out, and what a relay sends may come again.
        assert collector.upload([1, 2], first=1 << 91).json["accepted"] == 2
        codes = [0] * (5 * MIB // 17)
        refused = collector.upload(codes, first=1 << 92)
        assert is_problem(refused, 429, "must keep up; found too many bytes at once")
        assert int(refused.headers["retry-after"]) > 0
        most.append(memory())
        told, _, _ = select(halves, [], [], 0)
        assert len(told) > 40
        assert {half.recv(12) for half in told} == {b"HTTP/1.1 429"}
    while (answer := collector.upload(codes, first=1 << 92)).status == 429:
        sleep(0.05)
    assert answer.json["accepted"] == len(codes)
    assert max(most) < MORE_MEMORY


ENDLESS = {
    "header lines": (b"GET /plans HTTP/1.1\r\n", header_lines(MIB), 431),
    "one header": (b"GET /plans HTTP/1.1\r\nX: ", bytes(MIB).replace(b"\0", b"a"), 431),
    "a header's name": (b"GET /plans HTTP/1.1\r\n", bytes(MIB).replace(b"\0", b"a"), 431),
    "an address": (b"GET /", bytes(MIB).replace(b"\0", b"a"), 431),
    "empty lines": (b"", b"\r\n" * (MIB // 2), 431),
    "a method": (b"", bytes(MIB).replace(b"\0", b"G"), 400),
    "zeros": (b"", bytes(MIB), 400),
    "chunks": (upload_head("other"), b"100000\r\n" + bytes(MIB) + b"\r\n", 411),
    "another upgrade": (b"GET /livez HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", bytes(MIB), 400),
}


@pytest.mark.parametrize(("beginning", "piece", "status"), ENDLESS.values(), ids=ENDLESS)
def test_what_has_no_end_is_refused_where_it_is_too_long(collector, memory, beginning, piece, status):
    sent, answer = poured(collector.port, beginning, piece, 139 * MIB)
    # What the system holds on its way is sent too.
    assert sent < 16 * MIB
    assert answer == GONE or b"HTTP/1.1 %d " % status in answer
    assert memory() < 16 * MIB
    assert collector.ask("GET", "/livez").status == 200


def test_what_is_refused_at_the_door_is_a_problem(collector, plan):
    for said, status, words in (
        (b"no HTTP\r\n\r\n", 400, "must be one of HTTP/1.1"),
        (upload_head(plan.hash), 411, "a body must have a length; found a body without one: send Content-Length"),
        (b"GET /" + b"a" * connection.MOST_HEAD, 431, "must have at most 32768 bytes"),
    ):
        with connected(collector.port) as peer:
            peer.sendall(said)
            assert is_refusal(heard(peer), status, words)
    with connected(collector.port) as peer:
        peer.sendall(upload_head(plan.hash, MOST_BYTES + 1) + bytes(UNCOUNTED + 1))
        assert peer.recv(12) == b"HTTP/1.1 413"


def test_whoever_is_refused_reads_why(collector, plan):
    """Though they have sent more than was read."""
    for _ in range(20):
        with connected(collector.port) as peer:
            peer.sendall(upload_head(plan.hash) + b"10000\r\n" + bytes(1 << 16) + b"\r\n")
            assert is_refusal(heard(peer), 411, "a body must have a length")


def test_heads_up_to_the_bound_are_read(collector):
    assert collector.ask("GET", "/livez", X_Long="a" * 30_000).status == 200
    many = {f"X-{number}": "a" for number in range(90)}
    assert collector.ask("GET", "/livez", **many).status == 200


@pytest.mark.usefixtures("many_files")
def test_a_thousand_half_heads_keep_nobody_out(collector, memory):
    with held(collector.port, 1000, b"GET /plans HTTP/1.1\r\nX: " + SECRET):
        for _ in range(5):
            assert collector.ask("GET", "/livez").status == 200
        assert collector.upload([3], first=1 << 93).status == 200
    assert memory() < 64 * MIB


def test_requests_that_come_before_answers_are_few(collector, memory):
    request = b"GET /livez HTTP/1.1\r\nHost: here\r\n\r\n"
    with connected(collector.port) as peer:
        peer.sendall(3 * request)
        found = b""
        while found.count(b"HTTP/1.1 200") < 3:
            found += peer.recv(1000)
    sent, _ = poured(collector.port, b"", request * 20_000, 139 * MIB)
    assert sent < 32 * MIB
    assert memory() < 32 * MIB


def test_whoever_is_slow_is_given_up(monkeypatch, tmp_path, plan):
    head = upload_head(plan.hash, 17)
    with hurried(monkeypatch, tmp_path, plan, HEAD_SECONDS=0.4, BODY_SECONDS=0.4) as client:
        drips = [
            Drip(client.port, said + bytes(1000))
            for said in (head[:-2] + b"X: ", b"\r\n" * 1000, upload_head(plan.hash, 1000))
        ]
        for drip in drips:
            drip.start()
        for silent in (b"", head[:40], head + bytes(16)):
            with connected(client.port) as peer:
                peer.sendall(silent)
                assert is_refusal(heard(peer), 408, "must come whole in time")
        for drip in drips:
            drip.join(PATIENCE)
            assert drip.answer is not None
            assert drip.count < 900
        # Who is honest may meet a machine that is busy.
        for name in ("HEAD_SECONDS", "BODY_SECONDS"):
            monkeypatch.setattr(connection, name, PATIENCE)
        assert client.upload([1]).json["accepted"] == 1
        assert client.of_plan("GET", "/progress").json["reports"] == 1


class SlowLine:
    """A peer of a collector on a thread, by a clock of the test's own: what it sends is read before time goes on."""

    def __init__(self, monkeypatch):
        self.now, self.read, self.looks = 0.0, 0, 0
        own = connection.BoundedProtocol
        take, look = own.data_received, own.look

        def taking(protocol, data):
            take(protocol, data)
            self.read += len(data)

        def looking(protocol):
            look(protocol)
            self.looks += 1

        monkeypatch.setattr(own, "data_received", taking)
        monkeypatch.setattr(own, "look", looking)
        monkeypatch.setattr(connection, "monotonic", lambda: self.now)

    def send(self, peer, data, seconds):
        """Send some bytes, and let time go on by so much, until the collector has looked at it or answered."""
        until = self.read + len(data)
        with suppress(ConnectionError):
            peer.sendall(data)
        while self.read < until and not is_answered(peer):
            sleep(0.01)
        self.now += seconds
        seen = self.looks
        while self.looks < seen + 2 and not is_answered(peer):
            sleep(0.01)


def is_answered(peer):
    """Whether there is something to be heard."""
    return bool(select([peer], [], [], 0)[0])


def test_a_long_upload_by_a_slow_line_is_read_whole(monkeypatch, tmp_path, plan):
    """12 MiB, a tenth faster than the least rate: three minutes."""
    line, body = SlowLine(monkeypatch), pack(plan, uploaded([n % 4 for n in range(12 * MIB // 17)]))
    piece = int(1.1 * connection.LEAST_RATE * 10)
    with hurried(monkeypatch, tmp_path, plan) as client, connected(client.port) as peer:
        line.send(peer, upload_head(plan.hash, len(body)), 0)
        for place in range(0, len(body), piece):
            line.send(peer, body[place : place + piece], 10)
        assert line.now > 5 * connection.BODY_SECONDS
        assert b'"accepted":740171' in peer.recv(1000)


def test_a_body_that_comes_too_slowly_or_no_more_is_given_up(monkeypatch, tmp_path, plan):
    line, length = SlowLine(monkeypatch), 12 * MIB
    short, much = int(0.9 * connection.LEAST_RATE * 10), int(0.9 * length)
    with hurried(monkeypatch, tmp_path, plan) as client:
        # Steps are of ten seconds: more than thirty are over after four, and again after four more.
        for first, piece, seconds in ((0, short, 40), (much, 0, 80), (2 * much // 3, short, 80)):
            begun = line.now
            with connected(client.port) as peer:
                line.send(peer, upload_head(plan.hash, length), 0)
                line.send(peer, bytes(first), 0)
                while not is_answered(peer) and line.now - begun < 2 * seconds:
                    line.send(peer, bytes(piece), 10)
                assert line.now - begun == seconds
                assert is_refusal(heard(peer), 408, "must come whole in time")
        assert client.of_plan("GET", "/progress").json["reports"] == 0


def test_a_connection_that_is_used_again_has_its_time_anew(monkeypatch, tmp_path, plan):
    """By a clock of the test's own, which each request finds later by most of what a head may take."""
    now = [0.0]
    with (
        hurried(monkeypatch, tmp_path, plan, monotonic=lambda: now[0]) as client,
        connected(client.port) as peer,
    ):
        for _ in range(5):
            peer.sendall(b"GET /livez HTTP/1.1\r\nHost: here\r\n\r\n")
            answer = b""
            while b"alive" not in answer:
                answer += peer.recv(1000)
            assert b"200 OK" in answer
            now[0] += 0.9 * connection.HEAD_SECONDS
            sleep(0.2)
        now[0] += 0.2 * connection.HEAD_SECONDS
        assert is_refusal(heard(peer), 408, "must come whole in time")


def test_the_one_that_has_waited_longest_makes_room(monkeypatch, tmp_path, plan):
    with (
        hurried(monkeypatch, tmp_path, plan, MOST_CONNECTIONS=4) as client,
        held(client.port, 4, b"GET /") as first,
    ):
        assert client.ask("GET", "/livez").status == 200
        assert heard(first[0]) in (b"", GONE)
        first[3].sendall(b"livez HTTP/1.1\r\nHost: here\r\n\r\n")
        assert first[3].recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize(("method", "limit"), [("GET", "ANSWER_SECONDS"), ("POST", "RECEIPT_SECONDS")])
def test_an_answer_that_nobody_reads_is_given_up(monkeypatch, method, limit):
    for name in ("ANSWER_SECONDS", "RECEIPT_SECONDS"):
        monkeypatch.setattr(connection, name, PATIENCE)
    monkeypatch.setattr(server, "PAUSE", 0.05)
    monkeypatch.setattr(connection, limit, 0.3)
    ended = []

    async def application(scope, receive, send):
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % (64 * MIB))]})
        for _ in range(64):
            await send({"type": "http.response.body", "body": bytes(MIB), "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        ended.append(True)

    with on_a_port(server.BoundedServer(application, lifespan="off")) as port, connected(port) as peer:
        peer.sendall(f"{method} / HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n".encode())
        given_up = monotonic() + 20
        while not ended:
            assert monotonic() < given_up
            sleep(0.05)
        assert len(heard(peer)) < 64 * MIB


def failing(plan, reports):
    """An upload of reports that the plan cannot send, with its head."""
    body = pack(plan, uploaded([255] * reports, first=1 << 94))
    return upload_head(plan.hash, len(body)) + body


def test_unread_answers_to_long_uploads_that_fail_take_little(collector, plan, memory):
    """Each would be 84 MB if it named all failures."""
    said = failing(plan, 900_000)
    with ExitStack() as stack:
        for _ in range(6):
            (peer,) = stack.enter_context(unread(collector.port, 1, said))
            assert peer.recv(12) == b"HTTP/1.1 200"
        assert memory() < MORE_MEMORY
        assert collector.upload([1], first=1 << 95).status == 200


@pytest.mark.usefixtures("many_files")
@pytest.mark.parametrize(("peers", "pipelined"), [(400, 1), (200, 16)])
def test_unread_answers_to_many_uploads_that_fail_take_little_and_keep_nobody_waiting(
    collector, plan, memory, peers, pipelined
):
    with unread(collector.port, peers, pipelined * failing(plan, UNCOUNTED // 17)):
        for number in range(20):
            begun = monotonic()
            assert collector.upload([2], first=(1 << 96) + 100 * peers + number).json["accepted"] == 1
            assert monotonic() - begun < 10
            assert memory() < 2 * MOST_RECEIVED
            sleep(0.1)


def test_valid_uploads_that_are_pipelined_and_unread_take_little_and_keep_nobody_waiting(collector, plan, memory):
    body = pack(plan, uploaded([3] * (UNCOUNTED // 17), first=1 << 97))
    with unread(collector.port, 200, 16 * (upload_head(plan.hash, len(body)) + body)):
        for number in range(20):
            begun = monotonic()
            assert collector.upload([2], first=(1 << 98) + number).json["accepted"] == 1
            assert monotonic() - begun < 10
            assert memory() < 2 * MOST_RECEIVED
            sleep(0.1)


def test_every_answer_says_what_it_is(collector, plan):
    for method, path in (
        ("GET", "/livez"),
        ("GET", "/plans/"),
        ("GET", f"/plans/{plan.hash}"),
        ("GET", f"/plans/{plan.hash}/form"),
        ("GET", f"/plans/{plan.hash}/dashboard"),
        ("GET", f"/plans/{plan.hash}/estimates"),
        ("GET", "/client/form.js"),
        ("GET", "/openapi.json"),
        ("GET", "/nothing"),
        ("DELETE", "/plans"),
        ("POST", f"/plans/{plan.hash}/reports"),
    ):
        answer = collector.ask(method, path)
        assert [value for name, value in answer.headers.items() if name.lower() == "x-content-type-options"] == [
            "nosniff"
        ], path


def test_a_polite_end_with_half_an_upload_says_nothing_of_it(tmp_path, plan, monkeypatch):
    hurry = "import sordino.service.server as c; c.LAST_SECONDS = 1.0"
    program = [reports_sent.PROGRAM[0], "-c", f"{hurry}\n{reports_sent.PROGRAM[2]}"]
    monkeypatch.setattr(reports_sent, "PROGRAM", program)
    with served(tmp_path, plan, "--metrics-port", 0) as (client, said):
        assert client.upload([1]).status == 200
        peer = socket.create_connection(("127.0.0.1", client.port))
        peer.sendall(upload_head(plan.hash, MOST_BYTES) + bytes(MIB))
        for _ in range(20):
            with connected(client.port) as bad:
                bad.sendall(b"no HTTP\r\n\r\n")
                heard(bad)
    out, err, code = said
    peer.close()
    assert code == 0
    assert log_events(err) == [NOTED, STARTED, "Invalid HTTP request received.", STOPPED]
    assert "stopped" in out
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    assert store.collections[plan.hash].aggregate.n == 1
    store.close()
