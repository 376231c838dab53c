# SPDX-License-Identifier: Apache-2.0
"""Settings of the property tests.

SLUICE_PROPERTY_EXAMPLES multiplies the number of examples of every property (default 1).  At 1 the
examples are always the same; above, they are new at each run, and pytest's --hypothesis-seed=N
repeats one.  A failure prints the example, and with it the seed of the values.
"""

import faulthandler
import os

import hypothesis
import pytest

import libsluice
from scale import SCALE, TEST_SECONDS_MAX

hypothesis.settings.register_profile(
    "ci", derandomize=SCALE == 1, deadline=None, database=None, print_blob=True,
    max_examples=max(1, int(60 * SCALE)),
    suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("ci")


def pytest_configure(config):
    """Keep the real standard error, which pytest takes away while a test runs."""
    config.sluice_stderr = os.fdopen(os.dup(2), "w")


def pytest_report_header():
    return f"sluice: {libsluice.library_path()}, property examples x {SCALE:g}"


@pytest.fixture(autouse=True)
def end_when_hanging(request):
    """A lost wake-up would hang for ever: show where every thread stands, and end."""
    faulthandler.dump_traceback_later(TEST_SECONDS_MAX, exit=True,
                                      file=request.config.sluice_stderr)
    yield
    faulthandler.cancel_dump_traceback_later()
