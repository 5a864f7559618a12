"""What the processes of one run tell each other: a test that went well is one message, not six.

With ten thousand tests, telling that each began, was set up, taken down and ended took a tenth of a run.
"""

import pytest

SILENT = ("logstart", "logfinish")
"""Events that only show which test begins and ends, where each is a line (-v)."""


def worth_telling(name, facts):
    """Whether the process that collects results must hear of an event: results, and whatever went wrong."""
    report = facts.get("data", {})
    return not (name in SILENT or (report.get("outcome") == "passed" and report.get("when") in {"setup", "teardown"}))


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    """In a process of a run of several, unless durations or single tests are to be shown."""
    if hasattr(config, "workerinput") and config.option.durations is None and config.option.verbose < 1:
        tellers = [plugin for plugin in config.pluginmanager.get_plugins() if hasattr(plugin, "sendevent")]
        for teller in tellers:
            teller.sendevent = telling_less(teller.sendevent)


def telling_less(send):
    """The same way to send, which keeps to itself what is not worth telling."""
    return lambda name, **facts: send(name, **facts) if worth_telling(name, facts) else None
