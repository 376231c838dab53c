# SPDX-License-Identifier: Apache-2.0
"""Arrays and schemas that break their format end in an error, never in a crash."""

import os
import pathlib
import subprocess
import sys

import pytest

import hostile
import libsluice
from scale import SCALE, TEST_SECONDS_MAX

WORKER = pathlib.Path(__file__).with_name("hostile.py")
FUZZ_COUNT = int(400 * SCALE)
FUZZ_FIRST = int(os.environ.get("SLUICE_FUZZ_SEED", "0"))


def run_worker(*arguments):
    """{name: (status, message)} of the cases that ended, and what went wrong, if anything."""
    worker = subprocess.run([sys.executable, "-X", "faulthandler", str(WORKER), *arguments],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            timeout=TEST_SECONDS_MAX, check=False)
    results, last = {}, None
    for line in worker.stdout.splitlines():
        step, *fields = line.split("\t")
        if step == "begin":
            last = fields[0]
        else:
            results[fields[0]] = (int(fields[1]), fields[2])
            last = None
    if worker.returncode == 0:
        return results, None, ""
    return results, last, f"exit code {worker.returncode}\n{worker.stderr[-3000:]}"


@pytest.fixture(scope="module")
def outcomes():
    """All named cases; after a crash the next process goes on behind the case that crashed."""
    waiting, outcomes = hostile.names(), {}
    while waiting:
        results, crashed, reason = run_worker("named", *waiting)
        outcomes.update(results)
        if crashed is None and reason:
            pytest.fail(reason)
        if crashed is not None:
            outcomes[crashed] = (None, reason)
        waiting = [name for name in waiting if name not in outcomes]
    return outcomes


@pytest.mark.parametrize("name", hostile.names())
def test_named_damage_is_an_error(name, outcomes):
    status, message = outcomes[name]
    assert status is not None, f"crash: {message}"
    assert status in (libsluice.BAD_DATA, libsluice.UNSUPPORTED, libsluice.INVALID), message
    assert message.strip("'\""), "an error needs a sentence"


def test_random_damage_never_crashes():
    """Seeds SLUICE_FUZZ_SEED and on."""
    results, crashed, reason = run_worker("fuzz", str(FUZZ_FIRST), str(FUZZ_COUNT))
    assert not reason, f"{crashed}: {reason}"
    assert len(results) == FUZZ_COUNT
    refused = sum(status != libsluice.OK for status, _ in results.values())
    assert refused > FUZZ_COUNT / 4, "the damage does not hit anything"
