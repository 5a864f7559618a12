"""Peers that hold an edge open: clients that send too much, too slowly or by halves, and servers that never finish.

Of a client's sockets whoever opened them closes them; `held` does it for a block. A server lives as long as its block.
"""

import socket
import struct
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread

from waits import joined

PACKED = "application/vnd.sordino-reports; version=1"
PIECE = 1 << 16
PAUSE = 0.2
"""Seconds between two bytes of whoever drips."""

PATIENCE = 600
"""Seconds after which a socket of a test gives up, however slow and busy the machine is."""

GONE = b"gone"
"""What is heard of a peer that broke the connection off."""


def upload_head(plan_hash, length=None, media=PACKED, more=""):
    """The head of an upload; without a length that of one in chunks."""
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    head = f"POST /plans/{plan_hash}/reports HTTP/1.1\r\nHost: here\r\nContent-Type: {media}\r\n{size}\r\n{more}\r\n"
    return head.encode()


def connected(port, source="127.0.0.1"):
    """A socket to a server of this machine."""
    return socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))


@contextmanager
def held(port, count, said=b"", source="127.0.0.1"):
    """Many sockets that each say the same and then nothing, until the block ends, also those that are refused."""
    with ExitStack() as stack:
        sockets = []
        for _ in range(count):
            sockets.append(stack.enter_context(connected(port, source)))
            with suppress(OSError):
                sockets[-1].sendall(said)
        yield sockets


@contextmanager
def unread(port, count, said):
    """Many sockets with little room for answers that each say the same, and hear nothing until the block ends.

    Each has a thread of its own: a server that reads no more holds up whoever says more.
    """

    def say(peer):
        with suppress(OSError):
            peer.sendall(said)

    sockets = [socket.socket() for _ in range(count)]
    threads = [Thread(target=say, args=(peer,), daemon=True) for peer in sockets]
    try:
        for peer, thread in zip(sockets, threads, strict=True):
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
            peer.settimeout(PATIENCE)
            peer.connect(("127.0.0.1", port))
            thread.start()
        yield sockets
    finally:
        for peer in sockets:
            with suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)
        joined(*(thread for thread in threads if thread.ident is not None))
        for peer in sockets:
            peer.close()


def break_off(peer):
    """Close a socket at once, whatever is on its way."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def poured(port, beginning, piece, most):
    """Say a beginning, then a piece again and again, until the server hangs up or so many bytes are said.

    Returns the bytes that were said, and what was heard: b"" where the server only closed, `GONE` where it broke off.
    """
    sent = 0
    with connected(port) as connection:
        with suppress(OSError):
            connection.sendall(beginning)
            while sent < most:
                connection.sendall(piece)
                sent += len(piece)
        return sent, heard(connection)


def heard(connection):
    """All that a server says until it hangs up."""
    found = b""
    try:
        while part := connection.recv(PIECE):
            found += part
    except ConnectionError:
        return found or GONE
    return found


def header_lines(length):
    """Header lines of about so many bytes together."""
    return b"".join(b"X-%06d: %s\r\n" % (number, bytes(50).replace(b"\0", b"a")) for number in range(length // 62))


class Drip(Thread):
    """Says one byte after the other, slowly, until the server hangs up or `stop` is called."""

    def __init__(self, port, said, pause=PAUSE):
        super().__init__(daemon=True)
        self.port, self.said, self.pause, self.over, self.count, self.answer = port, said, pause, Event(), 0, None

    def run(self):
        with connected(self.port) as connection:
            with suppress(OSError):
                for byte in self.said:
                    connection.sendall(bytes([byte]))
                    self.count += 1
                    if self.over.wait(self.pause):
                        return
            self.answer = heard(connection)

    def stop(self):
        self.over.set()
        joined(self)


@contextmanager
def lying(script):
    """A server that plays a script to each connection, on a thread of its own: its port, and how many came.

    The script gets the connection and an event that is set at the end; what the connection then raises is forgotten.
    """
    over, came, threads = Event(), [], []

    def play(connection):
        with connection, suppress(OSError):
            script(connection, over)

    def serve(listener):
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                came.append(connection)
                threads.append(Thread(target=play, args=(connection,), daemon=True))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1], came
        finally:
            over.set()
            for connection in came:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            # A listener that is closed wakes nobody who waits for it; one that is shut down does.
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            joined(thread, *threads)


def silence(connection, over):
    """Hears, and says nothing."""
    del connection
    over.wait()


def again_and_again(words, pause=0.0, beginning=b""):
    """A script: a beginning, then the same words without an end."""

    def script(connection, over):
        connection.recv(PIECE)
        connection.sendall(beginning)
        while not over.wait(pause):
            connection.sendall(words)

    return script


GOOD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

ENDLESS_ANSWERS = {
    "silence": silence,
    "100 Continue without an end": again_and_again(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "100 Continue, slowly": again_and_again(b"HTTP/1.1 100 Continue\r\n\r\n", PAUSE),
    "a byte of a status line now and then": again_and_again(b"1", PAUSE, b"HTTP/1.1 200 O"),
    "a byte of a header now and then": again_and_again(b"a", PAUSE, GOOD + b"X-Long: "),
    "a header line now and then": again_and_again(b"X: y\r\n", PAUSE, GOOD),
    "a byte of the body now and then": again_and_again(b" ", PAUSE, GOOD + b"Content-Length: 60000\r\n\r\n"),
    "a byte of a body without a length": again_and_again(b" ", PAUSE, GOOD + b"\r\n"),
    "a chunk now and then": again_and_again(b"1\r\n \r\n", PAUSE, GOOD + b"Transfer-Encoding: chunked\r\n\r\n"),
    "a byte of a chunk's size": again_and_again(b"0", PAUSE, GOOD + b"Transfer-Encoding: chunked\r\n\r\n"),
    "trailers without an end": again_and_again(b"X: y\r\n", PAUSE, GOOD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"),
}
"""Scripts of servers whose answer has no end, by what they do."""
