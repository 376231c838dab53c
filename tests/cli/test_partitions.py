# SPDX-License-Identifier: Apache-2.0
"""Which row goes where, and that every row gets there: blocks T05 to T24 of the reference."""

import itertools
import json
import math
import random
import struct

import duckdb
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from conftest import (in_order, manifest_of, partition_of_rows, read_partitions, tree_of,
                      values_in_order, write_ipc, write_ipc_file, write_parquet)

LETTERS = ["a", "b", None, "c", "a"]


def with_numbers(column):
    return pa.record_batch({"k": column, "x": pa.array(range(len(column)), pa.int64())})


def dictionary_of(type, values, indices):
    return pa.DictionaryArray.from_arrays(pa.array(indices, type), values)


def runs_of(values):
    ends = pa.array(range(1, len(values) + 1), pa.int32())
    return pa.RunEndEncodedArray.from_arrays(ends, pa.array(values, pa.utf8()))


FORMS = {
    "utf8": lambda values: pa.array(values, pa.utf8()),
    "large_utf8": lambda values: pa.array(values, pa.large_utf8()),
    "utf8_view": lambda values: pa.array(values, pa.string_view()),
    "dictionary": lambda values: dictionary_of(
        pa.int8(), ["c", "a", "b"],
        [None if value is None else "cab".index(value) for value in values]),
    "null in the dictionary": lambda values: dictionary_of(
        pa.int8(), pa.array(["c", None, "a", "b"]),
        [["c", None, "a", "b"].index(value) for value in values]),
    "run ends": runs_of,
}
def sliced(form, offset):
    filler = ["c", "b", "a", None, "b", "a", "c"]
    column = FORMS[form](filler[:offset] + LETTERS + ["b", "a"])
    return column.slice(offset, len(LETTERS))


@pytest.mark.parametrize("offset", [0, 1, 7])
@pytest.mark.parametrize("form", FORMS)
def test_t05_equal_values_meet_whatever_their_form(sluice, form, offset):
    plain = write_ipc(sluice.path("plain.arrows"), [with_numbers(pa.array(LETTERS))])
    sluice("repartition", plain, "--hash", "k", "-n", 4, "-o", "plain")
    other = write_ipc(sluice.path("other.arrows"), [with_numbers(sliced(form, offset))])
    sluice("repartition", other, "--hash", "k", "-n", 4, "-o", "other")
    expected = partition_of_rows(sluice.path("plain"))
    assert partition_of_rows(sluice.path("other")) == expected
    assert expected[0] == expected[4]
    found = pa.concat_tables(read_partitions(sluice.path("other")))
    assert values_in_order(found, "k") == LETTERS
    sluice("verify", "other")


def test_t05_a_dictionary_may_change_between_batches(sluice):
    type = pa.dictionary(pa.int8(), pa.utf8())
    first = dictionary_of(pa.int8(), ["a", "b"], [0, 1, None])
    second = dictionary_of(pa.int8(), ["b", "a", "c"], [2, 1, 0])
    schema = pa.schema({"k": type, "x": pa.int64()})
    batches = [pa.record_batch([first, pa.array([0, 1, 2])], schema=schema),
               pa.record_batch([second, pa.array([3, 4, 5])], schema=schema)]
    changing = write_ipc(sluice.path("in.arrows"), batches)
    plain = write_ipc(sluice.path("plain.arrows"),
                      [with_numbers(pa.array(["a", "b", None, "c", "a", "b"]))])
    sluice("repartition", changing, "--hash", "k", "-n", 4, "-o", "out")
    sluice("repartition", plain, "--hash", "k", "-n", 4, "-o", "plain")
    assert partition_of_rows(sluice.path("out")) == partition_of_rows(sluice.path("plain"))
    rows = pa.concat_tables(read_partitions(sluice.path("out")))
    assert values_in_order(rows, "k") == ["a", "b", None, "c", "a", "b"]


def test_t06_a_null_in_one_batch_moves_no_value_of_another(sluice):
    path = write_ipc(sluice.path("in.arrows"), [
        pa.record_batch({"k": pa.array([42, 7], pa.int64()), "x": pa.array([0, 1])}),
        pa.record_batch({"k": pa.array([42, None, 7], pa.int64()), "x": pa.array([2, 3, 4])})])
    sluice("repartition", path, "--hash", "k", "-n", 8, "-o", "out")
    places = partition_of_rows(sluice.path("out"))
    assert places[0] == places[2]
    assert places[1] == places[4]


@pytest.mark.parametrize("way", [["--hash", "s", "-n", "4"], ["--round-robin", "-n", "4"]])
def test_t08_null_structs_stay_null_and_structs_of_null_stay_structs(sluice, way):
    type = pa.struct({"x": pa.int32()})
    rows = pa.array([{"x": 7}, {"x": 7}, None, {"x": None}, {"x": 7}], type)
    column = rows.slice(1, 3)
    path = write_ipc(sluice.path("in.arrows"), [
        pa.record_batch({"s": column, "x": pa.array([0, 1, 2])})])
    sluice("repartition", path, *way, "-o", "out")
    found = in_order(pa.concat_tables(read_partitions(sluice.path("out"))))
    assert found["s"].to_pylist() == [{"x": 7}, None, {"x": None}]
    sluice("verify", "out")


def test_t11_round_robin_is_the_same_for_any_number_of_threads(sluice):
    batches = [pa.record_batch({"x": pa.array([row, row + 1])}) for row in range(0, 100, 2)]
    path = write_ipc(sluice.path("in.arrows"), batches)
    trees = []
    for run in range(20):
        threads = 1 if run % 2 == 0 else 8
        sluice("repartition", path, "--round-robin", "-n", 4, "-o", "out", "-j", threads,
               "--if-exists", "replace")
        trees.append(tree_of(sluice.path("out")))
    assert all(tree == trees[0] for tree in trees)
    tables = read_partitions(sluice.path("out"))
    assert [table.num_rows for table in tables] == [25, 25, 25, 25]
    assert partition_of_rows(sluice.path("out")) == [row % 4 for row in range(100)]


@pytest.mark.parametrize("write", [write_parquet, write_ipc_file])
def test_round_robin_counts_rows_over_all_files_and_row_groups(sluice, write):
    rows = 150_000
    files = []
    for part in range(3):
        table = pa.table({"x": pa.array(range(part * rows, (part + 1) * rows), pa.int64())})
        name = sluice.path(f"{part}.in")
        if write is write_parquet:
            write_parquet(name, table, row_group_size=11_000)
        else:
            write_ipc_file(name, table.to_batches(max_chunksize=7_000))
        files.append(name)
    trees = []
    for threads in (1, 2, 8):
        sluice("repartition", *files, "--round-robin", "-n", 7, "-o", "out", "-j", threads,
               "--if-exists", "replace")
        trees.append(tree_of(sluice.path("out")))
    assert trees[0] == trees[1] == trees[2]
    for index, table in enumerate(read_partitions(sluice.path("out"))):
        assert table["x"].to_pylist() == list(range(index, 3 * rows, 7))
    sluice("verify", "out")


T12_KEYS = [5, 1, None, 3, None, 9]


@pytest.mark.parametrize("keys, expected", [
    ("k", [[None, None, 1], [5, 3], [9]]),
    ("k:nulls-last", [[1], [5, 3], [None, None, 9]]),
    ("k:asc:nulls-first", [[None, None, 1], [5, 3], [9]]),
])
def test_t12_nulls_lie_at_the_end_that_was_named(sluice, keys, expected):
    table = pa.table({"k": pa.array(T12_KEYS, pa.int32()), "x": range(6)})
    path = write_parquet(sluice.path("in.parquet"), table)
    sluice("repartition", path, "--range", keys, "--splits", "3,6", "-o", "out")
    found = [table["k"].to_pylist() for table in read_partitions(sluice.path("out"))]
    order = lambda values: sorted(values, key=str)
    assert list(map(order, found)) == list(map(order, expected))
    sluice("verify", "out")


def test_ranges_may_descend(sluice):
    table = pa.table({"k": pa.array(T12_KEYS, pa.int32()), "x": range(6)})
    path = write_parquet(sluice.path("in.parquet"), table)
    sluice("repartition", path, "--range", "k:desc", "--splits", "6,3", "-o", "out")
    found = [set(table["k"].to_pylist()) for table in read_partitions(sluice.path("out"))]
    assert found == [{None, 9}, {5}, {3, 1}]
    sluice("verify", "out")


def test_t15_nan_is_the_greatest_and_zero_has_no_sign(sluice):
    keys = [math.nan, -math.inf, -0.0, 0.0, math.inf, None, 1e300]
    path = write_parquet(sluice.path("in.parquet"),
                         pa.table({"k": pa.array(keys, pa.float64()), "x": range(7)}))
    sluice("repartition", path, "--range", "k", "--splits", "0.0", "-o", "out")
    assert partition_of_rows(sluice.path("out")) == [1, 0, 1, 1, 1, 0, 1]
    right = in_order(read_partitions(sluice.path("out"))[1])["k"].to_pylist()
    assert math.copysign(1, right[1]) == -1.0
    assert math.copysign(1, right[2]) == 1.0
    sluice("verify", "out")


def test_splits_come_from_a_file_for_several_keys(sluice):
    rows = list(itertools.product([1, 2, 3], ["a", "b", None]))
    table = pa.table({"k": [row[0] for row in rows], "s": [row[1] for row in rows],
                      "x": range(len(rows))})
    path = write_parquet(sluice.path("in.parquet"), table)
    order = [{"name": "k", "type": "int64", "descending": False, "nulls_first": True},
             {"name": "s", "type": "utf8", "descending": True, "nulls_first": False}]
    splits = sluice.path("splits.json")
    splits.write_text(json.dumps({"order": order, "splits": [[1, "a"], [2, None]]}))
    sluice("repartition", path, "--range", "k,s", "--splits", splits, "-o", "out")
    # In the order (k ascending, s descending, nulls last): 1b 1a 1- 2b 2a 2- 3b 3a 3-.
    expected = [{(1, "b")}, {(1, "a"), (1, None), (2, "b"), (2, "a")},
                {(2, None), (3, "b"), (3, "a"), (3, None)}]
    found = [set(zip(table["k"].to_pylist(), table["s"].to_pylist()))
             for table in read_partitions(sluice.path("out"))]
    assert found == expected
    sluice("verify", "out")
    message = sluice.fails(2, "repartition", path, "--range", "k,s:asc", "--splits", splits,
                           "-o", "again")
    assert "s is descending" in message


@pytest.mark.parametrize("type, values, splits, expected", [
    (pa.utf8(), ["a", "b", "b,c", "d", ""], 'b,"b,c"', [0, 1, 2, 2, 0]),
    (pa.date32(), [0, 19000, 20000], "2022-01-08", [0, 1, 1]),
    (pa.timestamp("us"), [0, 86_400_000_000, 86_400_000_001], "1970-01-02 00:00:00", [0, 1, 1]),
    (pa.decimal128(5, 2), ["1.00", "1.50", "2.00"], "1.50", [0, 1, 1]),
    (pa.uint64(), [0, 2**63, 2**64 - 1], "9223372036854775809", [0, 0, 1]),
    (pa.bool_(), [False, True], "true", [0, 1]),
    (pa.binary(), [b"a", b"b", b"\xff"], "b", [0, 1, 1]),
])
def test_a_list_of_splits_has_the_type_of_the_key(sluice, type, values, splits, expected):
    if pa.types.is_decimal(type):
        column = pa.array(values).cast(type)
    elif pa.types.is_date(type) or pa.types.is_timestamp(type):
        column = pa.array(values, pa.int32() if pa.types.is_date(type) else pa.int64()).cast(type)
    else:
        column = pa.array(values, type)
    path = write_parquet(sluice.path("in.parquet"),
                         pa.table({"k": column, "x": range(len(values))}))
    sluice("repartition", path, "--range", "k", "--splits", splits, "-o", "out")
    assert partition_of_rows(sluice.path("out")) == expected
    sluice("verify", "out")


def test_t21_no_rows_make_empty_files_with_schema_and_metadata(sluice):
    schema = pa.schema([pa.field("k", pa.int32(), nullable=False), pa.field("s", pa.utf8())],
                       metadata={"a": "b"})
    path = write_parquet(sluice.path("in.parquet"), schema.empty_table())
    sluice("repartition", path, "--hash", "k", "-n", 4, "-o", "out")
    files = sorted(sluice.path("out").glob("part-*"))
    assert len(files) == 4
    for file in files:
        found = pq.ParquetFile(file)
        assert found.metadata.num_rows == 0
        assert found.schema_arrow.field("k") == schema.field("k")
        assert found.schema_arrow.field("s") == schema.field("s")
        assert found.metadata.metadata[b"a"] == b"b"
    assert pq.read_table(files).num_rows == 0
    assert manifest_of(sluice.path("out"))["rows"] == 0
    sluice("verify", "out")


def test_t24_many_long_strings_of_one_key_keep_every_offset(sluice):
    # 3 x 24 MiB in one partition; the limit itself is lowered in a unit test of the library.
    text = "x" * 4096
    batches = [pa.record_batch({"k": [7] * 6000, "s": pa.array([text] * 6000, pa.utf8())})
               for _ in range(3)]
    path = write_ipc(sluice.path("in.arrows"), batches)
    sluice("repartition", path, "--hash", "k", "-n", 2, "-o", "out")
    tables = read_partitions(sluice.path("out"))
    assert sorted(table.num_rows for table in tables) == [0, 18_000]
    full = max(tables, key=lambda table: table.num_rows)
    assert pc.all(pc.equal(full["s"], text)).as_py()
    sluice("verify", "out")


def mixed_table(rows, seed):
    numbers = random.Random(seed)
    maybe = lambda value: None if numbers.random() < 0.1 else value
    return pa.table({
        "x": pa.array(range(rows), pa.int64()),
        "k": pa.array([maybe(numbers.randrange(-50, 50)) for _ in range(rows)], pa.int32()),
        "s": pa.array([maybe("ä" * numbers.randrange(20)) for _ in range(rows)], pa.utf8()),
        "f": pa.array([maybe(numbers.choice([0.5, -0.0, math.inf])) for _ in range(rows)]),
        "l": pa.array([maybe([numbers.randrange(9)] * numbers.randrange(4))
                       for _ in range(rows)], pa.list_(pa.int16())),
        "m": pa.array([maybe([("a", 1), ("b", None)][:numbers.randrange(3)])
                       for _ in range(rows)], pa.map_(pa.utf8(), pa.int64())),
        "t": pa.array([maybe({"a": numbers.randrange(5), "b": "z"}) for _ in range(rows)],
                      pa.struct({"a": pa.int8(), "b": pa.utf8()})),
        "e": pa.array([maybe(struct.pack(">q", numbers.randrange(2**40)))
                       for _ in range(rows)], pa.binary(8)),
    })


@pytest.mark.parametrize("way", [["--hash", "k", "-n", "13"], ["--hash", "s,k,t", "-n", "5"],
                                 ["--range", "k", "--splits=-20,0,1"],
                                 ["--range", "s:desc", "--splits", "ääää,ä"],
                                 ["--round-robin", "-n", "6"]])
@pytest.mark.parametrize("format", ["parquet", "ipc"])
def test_what_comes_out_is_what_went_in(sluice, way, format):
    table = mixed_table(30_000, seed=len(way[1]))
    paths = [write_parquet(sluice.path("a.parquet"), table.slice(0, 20_000), row_group_size=3000),
             write_parquet(sluice.path("b.parquet"), table.slice(20_000), row_group_size=9000)]
    sluice("repartition", *paths, *way, "-o", "out", "--format", format, "-j", 4)
    found = in_order(pa.concat_tables(read_partitions(sluice.path("out"))))
    assert found.schema.equals(table.schema)
    assert found.equals(table)
    sluice("verify", "out")


def test_duckdb_and_polars_read_back_the_input(sluice):
    table = mixed_table(20_000, seed=5).drop_columns(["m"])
    path = write_parquet(sluice.path("in.parquet"), table)
    sluice("repartition", path, "--hash", "k", "-n", 8, "-o", "out")
    glob = str(sluice.path("out") / "*.parquet")
    columns = "x, k, s, f, l, t, e"
    query = "SELECT count(*) FROM (FROM {a} EXCEPT ALL FROM {b})"
    left = f"(SELECT {columns} FROM read_parquet('{glob}'))"
    right = f"(SELECT {columns} FROM read_parquet('{path}'))"
    assert duckdb.sql(f"SELECT count(*) FROM {left}").fetchall() == [(20_000,)]
    for a, b in [(left, right), (right, left)]:
        assert duckdb.sql(query.format(a=a, b=b)).fetchall() == [(0,)]
    # No key is in two files.
    spread = duckdb.sql(f"SELECT max(n) FROM (SELECT count(DISTINCT filename) n FROM "
                        f"read_parquet('{glob}', filename=true) GROUP BY k)").fetchall()
    assert spread == [(1,)]
    back = polars.read_parquet(glob).sort("x")
    assert back.equals(polars.read_parquet(path).sort("x"))


def test_columns_are_chosen_and_ordered_and_a_dropped_key_removes_the_claim(sluice):
    table = pa.table({"k": [1, 2, 3, 4], "v": ["a", "b", "c", "d"], "x": range(4)})
    path = write_parquet(sluice.path("in.parquet"), table)
    sluice("repartition", path, "--hash", "k", "-n", 3, "-o", "whole")
    sluice("repartition", path, "--hash", "k", "-n", 3, "-o", "kept", "--columns", "x,k")
    sluice("repartition", path, "--hash", "k", "-n", 3, "-o", "dropped", "--columns", "x,v")
    places = partition_of_rows(sluice.path("whole"))
    assert partition_of_rows(sluice.path("kept")) == places
    assert partition_of_rows(sluice.path("dropped")) == places
    assert read_partitions(sluice.path("kept"))[0].column_names == ["x", "k"]
    assert read_partitions(sluice.path("dropped"))[0].column_names == ["x", "v"]
    assert manifest_of(sluice.path("kept"))["partitioning"]["kind"] == "hash"
    assert manifest_of(sluice.path("dropped"))["partitioning"] is None
    metadata = pq.ParquetFile(sluice.path("dropped") / "part-00000-000.parquet").metadata.metadata
    assert b"sluice.partitioning" not in metadata
    sluice("verify", "kept", "dropped")


def test_a_claim_of_the_input_is_not_carried_into_files_that_break_it(sluice):
    path = write_parquet(sluice.path("in.parquet"), pa.table({"k": range(100), "x": range(100)}))
    sluice("repartition", path, "--hash", "k", "-n", 3, "-o", "first")
    sluice("repartition", "first", "--round-robin", "-n", 2, "-o", "second", "--columns", "x")
    for file in sluice.path("second").glob("part-*"):
        claim = json.loads(pq.ParquetFile(file).metadata.metadata[b"sluice.partitioning"])
        assert claim["kind"] == "round-robin"
    sluice("verify", "second")


def test_each_file_declares_its_partition(sluice):
    path = write_parquet(sluice.path("in.parquet"),
                         pa.table({"k": pa.array([1, 2], pa.int64())}))
    sluice("repartition", path, "--hash", "k", "-n", 3, "-o", "out")
    for index in range(3):
        file = pq.ParquetFile(sluice.path("out") / f"part-{index:05}-000.parquet")
        assert json.loads(file.metadata.metadata[b"sluice.partitioning"]) == {
            "kind": "hash", "scheme": "sluice1", "keys": [{"name": "k", "type": "int64"}],
            "count": 3, "index": index}


def test_memory_that_is_too_little_exits_with_5_and_says_what_would_do(sluice):
    table = pa.table({"k": range(200_000), "s": ["x" * 100] * 200_000})
    path = write_parquet(sluice.path("in.parquet"), table, compression="none",
                         use_dictionary=False)
    message = sluice.fails(5, "repartition", path, "--hash", "k", "-n", 64, "-o", "out",
                           "--memory", "1M")
    assert "--memory" in message
    assert not sluice.path("out").exists()
    sluice("repartition", path, "--hash", "k", "-n", 64, "-o", "out", "--memory", "128M")


def test_a_small_budget_gives_the_same_rows(sluice):
    table = mixed_table(40_000, seed=9)
    path = write_parquet(sluice.path("in.parquet"), table)
    sluice("repartition", path, "--hash", "k", "-n", 32, "-o", "small", "--memory", "96M")
    sluice("repartition", path, "--hash", "k", "-n", 32, "-o", "large", "--memory", "4G")
    sums = [[part["checksum"] for part in manifest_of(sluice.path(name))["partitions"]]
            for name in ("small", "large")]
    assert sums[0] == sums[1]
