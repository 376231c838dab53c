#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run groups of tests and add up what passed and failed.

    .deps/venv/bin/python tools/run_tests.py GROUP...

A group is `ctest:PRESET`, the programs in C of that build, or `python` or `python:PRESET`, the
tests in Python against the command and the libraries of the release build or of that preset.  The
last line is `N passed, N failed, N skipped`.  The exit code is 0 when all passed and some ran.
"""

import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".deps" / "venv" / "bin" / "python"

# Folders of tests in Python.  Some look at the build itself and run against the release build only.
PYTHON_FOLDERS = ["cli", "io", "interop", "property", "install", "tools"]
RELEASE_ONLY_FOLDERS = ["install", "tools"]

SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "allocator_may_return_null=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}


class Counts:
    """Tests that passed, failed and were skipped."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add_junit(self, path):
        for suite in xml.etree.ElementTree.parse(path).getroot().iter("testsuite"):
            number = {key: int(suite.get(key, "0"))
                      for key in ("tests", "failures", "errors", "skipped", "disabled")}
            failed = number["failures"] + number["errors"]
            skipped = number["skipped"] + number["disabled"]
            self.passed += number["tests"] - failed - skipped
            self.failed += failed
            self.skipped += skipped


def build_folder(preset):
    return ROOT / "build" if preset == "release" else ROOT / "build" / preset


def library_of_compiler(name):
    compiler = os.environ.get("CC", "cc")
    return subprocess.run([compiler, f"-print-file-name={name}"], stdout=subprocess.PIPE,
                          text=True, check=True).stdout.strip()


def environment_of(preset, folder):
    """What the tests of a folder are told: what to test, and how the sanitizers shall act."""
    build = build_folder(preset)
    environment = dict(os.environ, **SANITIZER_OPTIONS)
    environment["SLUICE_BIN"] = str(build / "bin" / "sluice")
    environment["SLUICE_LIB"] = str(build / "lib" / "libsluice.so")
    environment["SLUICE_IO_LIB"] = str(build / "lib" / "libsluice_io.so")
    environment["SLUICE_PRESET"] = preset
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    if preset != "asan":
        return environment
    # All of Arrow's memory then comes from an allocator that the sanitizer watches.
    environment["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    if folder == "cli":
        # Only processes of the command are under test, and they bring the sanitizer themselves.
        return environment
    # Python did not start with the sanitizer, so it is loaded first, with the C++ runtime whose
    # throw it intercepts; and what Python leaves allocated at its end is not our leak.
    environment["LD_PRELOAD"] = " ".join(map(library_of_compiler, ["libasan.so", "libstdc++.so"]))
    environment["ASAN_OPTIONS"] += ":detect_leaks=0"
    return environment


def run_ctest(preset, counts):
    report = build_folder(preset) / "ctest.xml"
    report.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", build_folder(preset), "--output-on-failure",
               "--no-tests=error", "--output-junit", report, "-j", os.environ.get("JOBS", "2")]
    result = subprocess.run(list(map(str, command)), env=environment_of(preset, "ctest"),
                            check=False)
    count_report(report, result.returncode, counts)


def run_python(preset, counts):
    for folder in PYTHON_FOLDERS:
        path = ROOT / "tests" / folder
        if not any(path.glob("test_*.py")):
            continue
        if preset != "release" and folder in RELEASE_ONLY_FOLDERS:
            continue
        print(f"\n-- tests/{folder}, {preset} build", flush=True)
        report = build_folder(preset) / f"pytest-{folder}.xml"
        report.unlink(missing_ok=True)
        command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5",
                   f"--junitxml={report}", f"--rootdir={path}", path]
        result = subprocess.run(list(map(str, command)), env=environment_of(preset, folder),
                                cwd=ROOT, check=False)
        count_report(report, result.returncode, counts)


def count_report(report, exit_code, counts):
    """A runner that died, or failed without a failed test, counts as one failed test."""
    failed_before = counts.failed
    if report.exists():
        counts.add_junit(report)
    if exit_code != 0 and counts.failed == failed_before:
        counts.failed += 1


def main(groups):
    if not groups or not all(re.fullmatch(r"(ctest:\w+|python(:\w+)?)", name) for name in groups):
        print(__doc__, file=sys.stderr)
        return 2
    counts = Counts()
    for group in groups:
        kind, _, preset = group.partition(":")
        if kind == "ctest":
            run_ctest(preset, counts)
        else:
            run_python(preset or "release", counts)
    print(f"\n{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped", flush=True)
    return 0 if counts.failed == 0 and counts.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
