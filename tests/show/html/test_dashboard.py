"""The dashboard's page: public words only, one script that its policy names, nothing from anywhere else."""

import re
from base64 import b64encode
from hashlib import sha256

from sordino import Plan, Survey
from sordino.show.html.estimate_page import dashboard

LABEL = "</script><script>alert(1)</script>"


def test_one_script_runs_and_nothing_comes_from_elsewhere():
    attributes = {LABEL: {"categories": ["yes", "no"]}}
    tables = {"version": 1, "epsilon": "1", "attribute": attributes, "ask": [{"histogram": LABEL}]}
    page = dashboard(Plan.of(Survey.read(tables), 5000))
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert policy.replace("&#39;", "'").split("; ") == [
        "default-src 'none'",
        "img-src data:",
        "style-src 'unsafe-inline'",
        f"script-src 'sha256-{digest}'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert not re.findall(r"https?://", page)
    # A token is never kept, nor is a text made elements of this page but by the parser of pages.
    assert not re.findall(r"localStorage|sessionStorage|cookie|innerHTML|document\.write|eval", script)
    assert "What one report can reveal" in page
    assert 'max="5000"' in page
