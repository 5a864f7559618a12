"""One code for each plan and browser: windows that draw at the same instant, a browser that is killed."""

import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest

from collectors import collecting
from commands import PATIENCE
from sordino import Plan, Survey

pytestmark = pytest.mark.live

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {"habit": {"categories": ["zebrafish", "quokka", "narwhal"]}},
    "ask": [{"histogram": "habit"}],
}
TRIES, WINDOWS = 300, 3

RACE = """async ([tries, start, place]) => {
  const { Outbox, pack } = await import("/client/index.js");
  const found = [];
  globalThis.fetch = async (address, { body }) => {
    found.push([address, [...body].join()]);
    return new Response('{"accepted": 1, "repeated": 0}');
  };
  for (let i = 0; i < tries; i += 1) {
    const at = start + 40 * i + (place * (i % 30)) / 4;
    await new Promise((resume) => setTimeout(resume, at - Date.now() - 3));
    while (Date.now() < at);
    const outbox = new Outbox(`plan ${i}`, `https://${i}.example`);
    await outbox.reserve(() => pack(0n, 1));
    await outbox.send();
  }
  return found;
}"""
"""Answers so many plans, some ms earlier or later than other windows; tells what was sent of which."""

HELD = """
const own = globalThis.fetch;
globalThis.fetch = (address, options) => {
  if (options.method !== "POST") return own(address, options);
  console.log(JSON.stringify([...options.body]));
  return new Promise(() => {});
};
"""
"""A page that is about to send, and does not come to it."""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    plan = Plan.of(Survey.read(SURVEY), 1000)
    with collecting(plan, tmp_path_factory.mktemp("store") / "reports.sqlite") as (found, _):
        yield found


@contextmanager
def browsing(driver, folder):
    """A browser with a profile in a folder: its one context, and a function that kills it."""
    command = [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    # Windows that nobody sees run as fast as others.
    command += ["--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"]
    command += ["--disable-background-timer-throttling"]
    command += ["--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    port = folder / "DevToolsActivePort"
    port.unlink(missing_ok=True)
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)

    def kill():
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)

    try:
        end = time.monotonic() + PATIENCE
        while not port.exists() or "\n" not in port.read_text():
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        address = f"http://127.0.0.1:{port.read_text().split()[0]}"
        browser = driver.chromium.connect_over_cdp(address, timeout=1000 * PATIENCE)
        yield browser.contexts[0], kill
    finally:
        if process.poll() is None:
            kill()


def test_windows_that_draw_at_the_same_instant_send_one_code(driver, address, tmp_path):
    with browsing(driver, tmp_path) as (context, _):
        pages = [context.new_page() for _ in range(WINDOWS)]
        for page in pages:
            page.goto(f"{address}/verify")
        start = 1000 * time.time() + 1000
        for i, page in enumerate(pages):
            page.evaluate(f"(given) => {{ window.race = ({RACE})(given); }}", [TRIES, start, i])
        sent = [each for page in pages for each in page.evaluate("window.race")]
    codes = [{body for place, body in sent if place == f"https://{i}.example/reports"} for i in range(TRIES)]
    assert [len(each) for each in codes] == [1] * TRIES


def test_a_browser_that_is_killed_before_it_sends_sends_what_it_kept(driver, address, tmp_path):
    with browsing(driver, tmp_path) as (context, kill):
        page = context.new_page()
        page.add_init_script(HELD)
        page.goto(f"{address}/form")
        page.get_by_label("quokka").check()
        with page.expect_console_message(lambda said: said.text.startswith("[")) as held:
            page.get_by_role("button", name="Send my report").click()
        kept = bytes(json.loads(held.value.text))
        kill()
    with browsing(driver, tmp_path) as (context, _):
        page = context.new_page()
        with page.expect_request(f"{address}/reports") as sent:
            page.goto(f"{address}/form")
        assert sent.value.post_data_buffer == kept
        page.get_by_role("status").filter(has_text="is counted once").wait_for()
