# SPDX-License-Identifier: Apache-2.0
"""The command line itself: help, mistakes, environment, exit codes."""

import pyarrow as pa
import pytest

from conftest import write_parquet

COMMANDS = ["repartition", "inspect", "verify", "report", "demo"]
LATER = ["plan", "bounds", "merge", "explain", "map", "reduce", "commit"]


@pytest.fixture
def table(sluice):
    return write_parquet(sluice.path("in.parquet"), pa.table({"k": [1, 2, 3], "v": [4, 5, 6]}))


def test_alone_shows_the_commands_and_exits_with_2(sluice):
    done = sluice.run()
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"repartition" in done.stderr


def test_version_is_on_standard_output(sluice):
    assert sluice("--version").startswith("sluice 0.")


@pytest.mark.parametrize("command", COMMANDS)
def test_short_help_fits_and_long_help_has_examples_first(sluice, command):
    short = sluice(command, "-h")
    long = sluice(command, "--help")
    assert short.startswith(f"Usage: sluice {command}")
    assert max(map(len, short.splitlines())) <= 80
    assert len(long) > len(short)
    assert long.index("Examples:") < long.index("Exit codes:") < long.index("Environment:")
    assert long.index("Examples:") < long.index("Messages:")
    assert f"sluice {command}" in long[long.index("Examples:"):]


@pytest.mark.parametrize("command", LATER)
def test_a_command_of_later_says_that_it_does_not_work_yet(sluice, command):
    assert f"{command}: not in this version" in sluice.fails(2, command, "in.parquet", "-n", 4)


def test_a_mistyped_command_is_answered_with_the_nearest(sluice):
    assert "did you mean sluice repartition?" in sluice.fails(2, "repatition")


def test_a_mistyped_flag_is_answered_with_the_nearest(sluice, table):
    message = sluice.fails(2, "repartition", table, "--hash", "k", "-n", 2, "-o", "out",
                           "--compresion", "zstd")
    assert "did you mean --compression?" in message


@pytest.mark.parametrize("words", [
    ["--sort", "k"], ["--by", "k"], ["--preserve-order"], ["--hash-scheme", "spark"],
    ["--format", "csv"], ["--if-exists", "append"], ["--schema", "union"], ["--dry-run"],
    ["--spill-dir", "/tmp"], ["--name", "x"], ["--target-file-size", "1M"], ["--split-heavy=3"],
])
def test_a_flag_of_later_is_refused_by_name(sluice, table, words):
    message = sluice.fails(2, "repartition", table, "--hash", "k", "-n", 2, "-o", "out", *words)
    assert words[0].split("=")[0] in message
    assert "not in this version" in message
    assert not sluice.path("out").exists()


@pytest.mark.parametrize("words, part", [
    (["--hash", "k", "-n", "0"], "between 1 and"),
    (["--hash", "k", "-n", "x"], "not a whole number"),
    (["--hash", "k", "-n", "-3"], "not a whole number"),
    (["--hash", "k"], "-n"),
    (["-n", "4"], "--hash"),
    (["--hash", "k", "--round-robin", "-n", "4"], "two ways at once"),
    (["--hash", "k,k", "-n", "4"], "named twice"),
    (["--hash", "k:desc", "-n", "4"], "only range keys"),
    (["--hash", "year(k)", "-n", "4"], "not in this version"),
    (["--hash", "kk", "-n", "4"], "did you mean k?"),
    (["--hash", "k", "-n", "4", "--columns", "w"], "column w"),
    (["--hash", "k", "-n", "4", "--splits", "3"], "--splits"),
    (["--range", "k", "-n", "4"], "not in this version"),
    (["--range", "k", "--splits", "3,6", "-n", "4"], "make 3 partitions"),
    (["--range", "k", "--splits", "6,3"], "increas"),
    (["--range", "k", "--splits", "3,3"], "increas"),
    (["--range", "k", "--splits", "three"], "three is no valid int64"),
    (["--range", "k:down", "--splits", "3"], "asc, desc"),
    (["--range", "k,v", "--splits", "3"], "JSON file"),
    (["--hash", "k", "-n", "4", "--memory", "lots"], "not a size"),
    (["--hash", "k", "-n", "4", "-j", "0"], "between 1 and"),
    (["--hash", "k", "-n", "4", "--compression", "brotli"], "must be one of"),
    (["--hash", "k", "-n", "4", "--threads"], "value is missing"),
    (["--hash", "k", "-n", "4", "--json=yes"], "takes no value"),
])
def test_a_command_that_cannot_be_carried_out_exits_with_2_and_writes_nothing(
        sluice, table, words, part):
    assert part in sluice.fails(2, "repartition", table, "-o", "out", *words)
    assert sorted(path.name for path in sluice.directory.iterdir()) == ["in.parquet"]


def test_output_and_input_are_required(sluice, table):
    assert "-o" in sluice.fails(2, "repartition", table, "--hash", "k", "-n", 2)
    assert "no input" in sluice.fails(2, "repartition", "--hash", "k", "-n", 2, "-o", "out")


def test_a_compression_that_the_format_lacks_exits_with_2(sluice, table):
    message = sluice.fails(2, "repartition", table, "--hash", "k", "-n", 2, "-o", "out",
                           "--format", "ipc", "--compression", "gzip")
    assert "gzip" in message
    assert not sluice.path("out").exists()


def test_flags_come_in_every_form_and_place(sluice, table):
    sluice("repartition", "--hash=k", "-n2", "-qo", "out", "--", table)
    assert sluice.json("report", "out")["rows"] == 3


def test_a_flag_has_an_environment_variable_and_wins_over_it(sluice, table):
    sluice("repartition", table, "--hash", "k", "-o", "a", env={"SLUICE_PARTITIONS": "3"})
    assert len(sluice.json("report", "a")["partitions"]) == 3
    sluice("repartition", table, "--hash", "k", "-n", 5, "-o", "b",
           env={"SLUICE_PARTITIONS": "3", "SLUICE_RANGE": "k"})
    assert len(sluice.json("report", "b")["partitions"]) == 5
    message = sluice.fails(2, "repartition", table, "--hash", "k", "-o", "c",
                           env={"SLUICE_PARTITIONS": "many"})
    assert "SLUICE_PARTITIONS many" in message
    message = sluice.fails(2, "repartition", table, "--hash", "k", "-n", 5, "-o", "c",
                           env={"SLUICE_SORT": "k"})
    assert "SLUICE_SORT" in message


def test_sizes_are_written_as_people_write_them(sluice, table):
    for size in ["1GiB", "1G", "1g", "1000MB", "1048576k", "2147483648"]:
        sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "out", "--if-exists", "replace",
               "--memory", size)


def test_quiet_says_nothing_and_the_summary_is_one_line(sluice, table):
    done = sluice.run("repartition", table, "--hash", "k", "-n", 2, "-o", "a", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = sluice.run("repartition", table, "--hash", "k", "-n", 2, "-o", "b")
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert b"3 rows in 2 files" in done.stderr
    assert b"peak memory" in done.stderr


def test_standard_output_that_is_full_is_an_error(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "out")
    with open("/dev/full", "wb") as full:
        import subprocess
        done = subprocess.run(sluice.arguments(["report", "out"]), cwd=sluice.directory,
                              env=sluice.environment(), stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"standard output" in done.stderr
