"""A page in Chromium, and all that it sends."""

import json
from dataclasses import dataclass, field

import pytest


@dataclass
class Traffic:
    """Everything that a page sent."""

    requests: list = field(default_factory=list)

    def watch(self, page):
        # Playwright takes no built-in function.
        page.on("request", lambda request: self.requests.append(request))  # noqa: PLW0108
        page.on("websocket", lambda socket: pytest.fail(f"a socket to {socket.url}"))

    @property
    def uploads(self):
        return [request.post_data_buffer for request in self.requests if request.method == "POST"]

    @property
    def text(self):
        """Addresses, headers and bodies."""
        parts = [(one.url, json.dumps(one.all_headers()), repr(one.post_data_buffer)) for one in self.requests]
        return "\n".join(" ".join(part) for part in parts)


@pytest.fixture
def page(chromium, request):
    """A browser that has kept nothing, in which nothing goes wrong; it lets axe in where a file says `LETS_AXE_IN`."""
    axe = getattr(request.module, "LETS_AXE_IN", False)
    context = chromium.new_context(viewport={"width": 390, "height": 844}, bypass_csp=axe)
    found = context.new_page()
    found.set_default_timeout(60_000)
    wrong = []
    found.on("pageerror", lambda error: wrong.append(error))  # noqa: PLW0108 - Playwright takes no built-in function
    yield found
    context.close()
    assert wrong == []


@pytest.fixture
def traffic(page):
    found = Traffic()
    found.watch(page)
    return found
