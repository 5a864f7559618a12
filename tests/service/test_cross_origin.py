"""Pages from elsewhere read what everybody may read, send reports, and can send no token; HEAD answers as GET does."""

import base64
import hashlib

import pytest

from reports_sent import BINARY, on_a_thread, uploaded
from sordino.service.storage.store import ReportStore
from sordino.service.uploads import pack

ORIGIN = "https://institute.example"


@pytest.fixture(scope="module")
def client(tmp_path_factory, plan):
    with on_a_thread(ReportStore.open(tmp_path_factory.mktemp("web") / "reports.sqlite", plan)) as client:
        yield client


def test_what_is_public_is_open_to_pages_from_elsewhere(client, plan):
    own = f"/plans/{plan.hash}"
    for path in ("/plans", "/key", own, f"{own}/signature", f"{own}/progress", "/client/index.js", "/plans/unknown"):
        answer = client.ask("GET", path, Origin=ORIGIN)
        assert answer.headers["access-control-allow-origin"] == "*", path
        assert "access-control-allow-credentials" not in answer.headers
    body = pack(plan, uploaded([1], first=7))
    for headers, status in (({"Content_Type": BINARY}, 200), ({"Content_Type": "text/plain"}, 415)):
        answer = client.of_plan("POST", "/reports", body, Origin=ORIGIN, **headers)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, "*")


def test_a_browser_that_asks_first_is_allowed_these_and_no_token(client, plan):
    for path, method in (("/reports", "POST"), ("/erase", "POST"), ("", "GET")):
        answer = client.of_plan(
            "OPTIONS", path, Origin=ORIGIN, Access_Control_Request_Method=method,
            Access_Control_Request_Headers="content-type,sordino-invitation,authorization",
        )  # fmt: skip
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["access-control-allow-methods"] == method
        assert answer.headers["access-control-allow-headers"].lower() == "content-type, sordino-invitation"


def test_what_needs_a_token_or_is_a_page_is_open_to_no_page_from_elsewhere(client):
    for method, path in (
        *(
            ("GET", path)
            for path in ("/estimates", "/aggregate", "/reports", "/page", "/dashboard", "/form", "/verify")
        ),
        *(("POST", path) for path in ("/aggregate", "/scrub", "/close")),
    ):
        assert "access-control-allow-origin" not in client.of_plan(method, path, Origin=ORIGIN).headers, path
        answer = client.of_plan("OPTIONS", path, Origin=ORIGIN, Access_Control_Request_Method=method)
        if path != "/reports":
            assert (answer.status, "access-control-allow-origin" in answer.headers) == (405, False), path
    assert "access-control-allow-methods" not in client.ask("OPTIONS", "/livez").headers


def test_head_answers_as_get_does_without_a_body(client, plan):
    for path, status in (("/livez", 200), ("/readyz", 200), (f"/plans/{plan.hash}", 200), ("/nothing", 404)):
        answer, whole = client.ask("HEAD", path), client.ask("GET", path)
        assert (answer.status, answer.body) == (status, b"")
        assert answer.headers["content-length"] == whole.headers["content-length"] == str(len(whole.body))
    assert client.of_plan("HEAD", "/estimates").status == 401


def test_each_file_of_the_client_has_the_hash_that_is_published(client):
    hashes = client.ask("GET", "/client/integrity.json").json
    assert {"element.js", "index.js", "style.js", "outline.json", "inputs/place.js"} <= hashes.keys()
    for name, own in hashes.items():
        digest = hashlib.sha384(client.ask("GET", f"/client/{name}").body).digest()
        assert own == f"sha384-{base64.b64encode(digest).decode()}", name
