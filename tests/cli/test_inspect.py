# SPDX-License-Identifier: Apache-2.0
"""inspect, report and demo: what they say, and that they say it in every terminal."""

import json
import statistics

import pyarrow as pa
import pytest

from conftest import manifest_of, write_ipc_file, write_parquet


@pytest.fixture
def table(sluice):
    return write_parquet(sluice.path("in.parquet"), pa.table({
        "k": pa.array(range(100), pa.int32()), "s": [f"{row}" for row in range(100)]}))


def repartition(sluice, name, column, values, *way):
    path = write_ipc_file(sluice.path(f"{name}.arrow"),
                          pa.table({column: values}).to_batches())
    sluice("repartition", path, *way, "-o", name)


def meets(sluice, left, right):
    done = sluice.run("inspect", "--co-partitioned", left, right)
    text = done.stdout.decode()
    assert (done.returncode, text.split(":")[0]) in ((0, "yes"), (3, "no"))
    found = json.loads(sluice.run("inspect", "--co-partitioned", left, right, "--json").stdout)
    assert found["co_partitioned"] == (done.returncode == 0)
    assert found["reason"] in text
    return found["co_partitioned"], found["reason"]


def test_a_file_shows_its_columns_and_rows(sluice, table):
    text = sluice("inspect", table)
    assert "int32" in text and "utf8" in text and "rows          100" in text
    found = sluice.json("inspect", table)
    assert found["rows"] == 100
    assert found["bytes"] == table.stat().st_size
    assert found["partitioning"] is None
    assert [column["name"] for column in found["schema"]] == ["k", "s"]


def test_a_data_set_shows_what_it_declares(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 3, "-o", "out")
    assert "hash (sluice1) of k: int32, 3 partitions" in sluice("inspect", "out")
    found = sluice.json("inspect", "out")
    assert found["partitioning"] == manifest_of(sluice.path("out"))["partitioning"]
    assert (found["files"], found["rows"]) == (3, 100)
    part = sluice.json("inspect", "out/part-00002-000.parquet")
    assert part["partitioning"]["index"] == 2


def test_several_paths_make_one_object(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 3, "-o", "out")
    found = sluice.json("inspect", table, "out")
    assert [entry["kind"] for entry in found["paths"]] == ["parquet", "data-set"]


def test_hashes_of_types_that_are_treated_alike_meet(sluice):
    hashed = ["--hash", "k", "-n", "4"]
    repartition(sluice, "narrow", "k", pa.array([1, 2], pa.int32()), *hashed)
    repartition(sluice, "wide", "key", pa.array([1, 2], pa.uint64()), "--hash", "key", "-n", "4")
    repartition(sluice, "text", "k", pa.array(["1"]), *hashed)
    repartition(sluice, "coded", "k", pa.array(["1"]).dictionary_encode(), *hashed)
    repartition(sluice, "five", "k", pa.array([1], pa.int32()), "--hash", "k", "-n", "5")
    repartition(sluice, "dealt", "k", pa.array([1], pa.int32()), "--round-robin", "-n", "4")
    repartition(sluice, "range", "k", pa.array([1], pa.int32()), "--range", "k", "--splits",
                "1,2,3")
    assert meets(sluice, "narrow", "wide")[0]
    assert meets(sluice, "text", "coded")[0]
    assert meets(sluice, "narrow", "text") == (False, "key 1: k is int32, k is utf8")
    assert "4 and 5" in meets(sluice, "narrow", "five")[1]
    assert "by hash" in meets(sluice, "narrow", "range")[1]
    assert not meets(sluice, "dealt", "dealt")[0]
    assert "no partitioning" in meets(sluice, "narrow", "wide.arrow")[1]


def test_ranges_meet_when_order_and_splits_are_equal(sluice):
    values = pa.array([1, 5, None], pa.int64())
    for name, keys, splits in [("a", "k", "1,3"), ("b", "k", "1,3"), ("c", "k", "1,4"),
                               ("d", "k:desc", "3,1"), ("e", "k:nulls-last", "1,3")]:
        repartition(sluice, name, "k", values, "--range", keys, "--splits", splits)
    assert meets(sluice, "a", "b")[0]
    assert meets(sluice, "a", "c") == (False, "the split points differ")
    assert "descending" in meets(sluice, "a", "d")[1]
    assert "nulls_first" in meets(sluice, "a", "e")[1]


def test_files_meet_only_when_they_are_the_same_partition(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 3, "-o", "out")
    assert meets(sluice, "out/part-00001-000.parquet", "out/part-00001-000.parquet")[0]
    assert not meets(sluice, "out/part-00001-000.parquet", "out/part-00002-000.parquet")[0]


def skewed(sluice):
    """100 partitions; partition i has i rows, and the last one 2000."""
    rows = [i for i in range(99) for _ in range(i)] + [99] * 2000
    path = write_parquet(sluice.path("in.parquet"), pa.table({"k": rows}))
    splits = ",".join(map(str, range(1, 100)))
    sluice("repartition", path, "--range", "k", "--splits", splits, "-o", "out")
    return [*range(99), 2000]


def test_report_has_the_numbers_of_the_skew(sluice):
    rows = skewed(sluice)
    found = sluice.json("report", "out")
    assert [part["rows"] for part in found["partitions"]] == rows
    skew = found["skew"]
    assert skew["max_over_mean"] == pytest.approx(2000 / statistics.mean(rows), abs=1e-4)
    assert skew["max_over_median"] == pytest.approx(2000 / statistics.median_low(rows), abs=1e-4)
    assert skew["p99_over_median"] == pytest.approx(98 / statistics.median_low(rows), abs=1e-4)
    assert skew["empty"] == 1


def test_report_draws_bars_with_numbers_and_never_hides_a_hot_spot(sluice):
    skewed(sluice)
    text = sluice("report", "out", env={"COLUMNS": "80"})
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    bars = [line for line in lines if "█" in line and "%" in line]
    assert bars[0].split()[0] == "99" and "2,000" in bars[0]
    assert any(line.split()[:2] == ["80", "other"] for line in lines)
    narrow = sluice("report", "out", env={"COLUMNS": "50"}).splitlines()
    assert len(narrow[-1].strip()) <= 48
    assert narrow[-1].rstrip().endswith("█")


@pytest.mark.parametrize("changes", [{"LC_ALL": "C"}, {"TERM": "dumb"}])
def test_report_is_plain_where_the_terminal_is(sluice, changes):
    skewed(sluice)
    text = sluice("report", "out", env=changes)
    assert text.isascii()
    assert "#" in text


def test_report_of_no_rows_and_of_no_data_set(sluice):
    path = write_parquet(sluice.path("in.parquet"), pa.table({"k": pa.array([], pa.int32())}))
    sluice("repartition", path, "--hash", "k", "-n", 3, "-o", "out")
    assert "empty 3" in sluice("report", "out")
    assert sluice.json("report", "out")["skew"]["max_over_mean"] == 1
    assert "no data set" in sluice.fails(1, "report", "in.parquet")


def test_demo_runs_twice_and_replaces_only_its_own(sluice):
    for _ in range(2):
        text = sluice("demo", "--rows", 20_000, "d")
        assert "ok: 20,000 rows in 16 files" in text
        assert "sluice repartition d/orders.parquet --hash customer -n 16" in text
    sluice("demo", "--rows", 100, "e", "-n", 3, "--format", "ipc")
    assert len(list(sluice.path("e/out").glob("*.arrow"))) == 3
    sluice.path("f").mkdir()
    write_parquet(sluice.path("f/orders.parquet"), pa.table({"mine": [1]}))
    done = sluice.run("demo", "f")
    assert done.returncode == 1 and b"not made by a demo" in done.stderr
