# SPDX-License-Identifier: Apache-2.0
"""Every type travels through Parquet and IPC, as payload and, where it can be one, as a key."""

import datetime
import decimal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from conftest import (partition_of_rows, read_partitions, values_in_order, write_ipc,
                      write_ipc_file, write_parquet)

ROWS = 300
DAY = datetime.date(2020, 2, 29)
MOMENT = datetime.datetime(2021, 3, 4, 5, 6, 7)


def number(row):
    return row * 7919 % 23


LEAVES = {
    "null": (pa.null(), lambda row: None),
    "bool": (pa.bool_(), lambda row: row % 3 == 0),
    **{str(type): (type, number) for type in [
        pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(),
        pa.uint64(), pa.float16(), pa.float32(), pa.float64()]},
    **{str(type): (type, lambda row: decimal.Decimal(number(row)).scaleb(-2)) for type in [
        pa.decimal32(7, 2), pa.decimal64(15, 2), pa.decimal128(30, 2), pa.decimal256(60, 2)]},
    **{str(type): (type, lambda row: DAY + datetime.timedelta(number(row)))
       for type in [pa.date32(), pa.date64()]},
    **{str(type): (type, lambda row: datetime.time(number(row), 30))
       for type in [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")]},
    **{str(type): (type, lambda row: MOMENT + datetime.timedelta(number(row)))
       for type in [pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us"),
                    pa.timestamp("ns"), pa.timestamp("us", "Europe/Vienna")]},
    **{str(type): (type, lambda row: datetime.timedelta(seconds=number(row)))
       for type in [pa.duration("s"), pa.duration("ms"), pa.duration("us"), pa.duration("ns")]},
    "interval": (pa.month_day_nano_interval(),
                 lambda row: pa.MonthDayNano([number(row), 1, 2])),
    "fixed": (pa.binary(3), lambda row: bytes([number(row)] * 3)),
    **{str(type): (type, lambda row: b"\xff" * number(row))
       for type in [pa.binary(), pa.large_binary(), pa.binary_view()]},
    **{str(type): (type, lambda row: "ö" * number(row))
       for type in [pa.utf8(), pa.large_utf8(), pa.string_view()]},
}
NESTED = {
    "list": (pa.list_(pa.int32()), lambda row: [number(row), None] * (row % 3)),
    "large_list": (pa.large_list(pa.utf8()), lambda row: ["a" * number(row)] * (row % 3)),
    "list_view": (pa.list_view(pa.int8()), lambda row: [number(row)] * (row % 4)),
    "large_list_view": (pa.large_list_view(pa.int8()), lambda row: [number(row)] * (row % 4)),
    "fixed_list": (pa.list_(pa.int16(), 2), lambda row: [number(row), row % 5]),
    "struct": (pa.struct({"a": pa.int32(), "b": pa.struct({"c": pa.utf8()})}),
               lambda row: {"a": number(row), "b": None if row % 4 == 0 else {"c": "z"}}),
    "map": (pa.map_(pa.utf8(), pa.int32()), lambda row: [("k", number(row))] * (row % 2)),
    "dictionary": (pa.dictionary(pa.int16(), pa.utf8()), lambda row: "v" * number(row)),
    "list of dictionaries": (pa.list_(pa.dictionary(pa.int8(), pa.utf8())),
                             lambda row: ["v" * number(row)]),
}
ALL = {**LEAVES, **NESTED}
NOT_IN_PARQUET = {"interval", "float16", "list_view", "large_list_view", "decimal32(7, 2)",
                  "decimal64(15, 2)"}


# Parquet has no seconds and no dates in milliseconds.
CHANGED_BY_PARQUET = {"date64[ms]", "time32[s]", "timestamp[s]"}


def value_type(schema):
    type = schema.field("k").type
    return type.value_type if pa.types.is_dictionary(type) else type


def column_of(type, value):
    values = [None if row % 11 == 0 else value(row) for row in range(ROWS)]
    if pa.types.is_dictionary(type):
        return pa.array(values, type.value_type).dictionary_encode().cast(type)
    if isinstance(type, pa.ListType) and pa.types.is_dictionary(type.value_type):
        flat = pa.array(["v" * length for length in range(23)])
        kept = [value for value in values if value is not None]
        items = pa.DictionaryArray.from_arrays(
            pa.array([len(value[0]) for value in kept], pa.int8()), flat)
        offsets = []
        end = 0
        for value in values:
            offsets.append(None if value is None else end)
            end += value is not None
        return pa.ListArray.from_arrays(pa.array([*offsets, end], pa.int32()), items)
    return pa.array(values, type)


def table_of(name):
    type, value = ALL[name]
    return pa.table({"x": pa.array(range(ROWS), pa.int64()), "k": column_of(type, value)})


@pytest.mark.parametrize("name", ALL)
def test_every_type_travels_through_ipc_and_is_verified(sluice, name):
    table = table_of(name)
    stream = write_ipc(sluice.path("in.arrows"), table.to_batches(max_chunksize=64))
    file = write_ipc_file(sluice.path("in.arrow"), table.to_batches(max_chunksize=64))
    for path, output in [(stream, "a"), (file, "b")]:
        sluice("repartition", path, "--hash", "x", "-n", 5, "-o", output)
        found = pa.concat_tables(read_partitions(sluice.path(output)))
        assert values_in_order(found, "k") == table["k"].to_pylist()
        if "dictionary" not in str(table.schema.field("k").type):
            assert found.schema == table.schema
    sluice("verify", "a", "b")
    assert sluice.json("inspect", "a")["checksum"] == sluice.json("inspect", "b")["checksum"]


@pytest.mark.parametrize("name", [name for name in ALL if name not in NOT_IN_PARQUET])
def test_every_type_of_parquet_travels_and_is_verified(sluice, name):
    table = table_of(name)
    path = write_parquet(sluice.path("in.parquet"), table, row_group_size=64)
    sluice("repartition", path, "--hash", "x", "-n", 5, "-o", "out")
    found = pa.concat_tables(read_partitions(sluice.path("out")))
    assert values_in_order(found, "k") == table["k"].to_pylist()
    if name != "list of dictionaries":  # Whose indices are int32 behind an exchange.
        assert value_type(found.schema) == value_type(pq.read_schema(path))
    sluice("verify", "out")


@pytest.mark.parametrize("name", ALL)
def test_a_file_in_parquet_holds_what_came_from_ipc_or_is_refused(sluice, name):
    table = table_of(name)
    path = write_ipc_file(sluice.path("in.arrow"), table.to_batches())
    words = ["repartition", path, "--hash", "k", "-n", 4, "-o", "out", "--format", "parquet"]
    if name in CHANGED_BY_PARQUET or name in NOT_IN_PARQUET and sluice.run(*words).returncode != 0:
        assert "k" in sluice.fails(2, *words)
        assert not sluice.path("out").exists()
        return
    sluice(*words, "--if-exists", "replace")
    found = pa.concat_tables(read_partitions(sluice.path("out")))
    assert values_in_order(found, "k") == table["k"].to_pylist()
    sluice("verify", "out")


@pytest.mark.parametrize("name", ALL)
def test_equal_values_of_every_type_meet(sluice, name):
    table = table_of(name)
    path = write_ipc_file(sluice.path("in.arrow"), table.to_batches())
    sluice("repartition", path, "--hash", "k", "-n", 4, "-o", "out")
    places = {}
    for value, place in zip(table["k"].to_pylist(), partition_of_rows(sluice.path("out"))):
        assert places.setdefault(repr(value), place) == place
    if name not in ("null", "bool"):
        assert len(set(places.values())) > 1
    sluice("verify", "out")


@pytest.mark.parametrize("name", ["dense", "sparse"])
def test_unions_travel_through_ipc(sluice, name):
    kinds = pa.array([row % 2 for row in range(ROWS)], pa.int8())
    if name == "dense":
        union = pa.UnionArray.from_dense(
            kinds, pa.array([row // 2 for row in range(ROWS)], pa.int32()),
            [pa.array(range(ROWS // 2)), pa.array(["s"] * (ROWS // 2))])
    else:
        union = pa.UnionArray.from_sparse(kinds, [pa.array(range(ROWS)), pa.array(["s"] * ROWS)])
    table = pa.table({"x": range(ROWS), "k": union})
    path = write_ipc_file(sluice.path("in.arrow"), table.to_batches())
    sluice("repartition", path, "--hash", "x", "-n", 4, "-o", "out")
    found = pa.concat_tables(read_partitions(sluice.path("out")))
    assert values_in_order(found, "k") == union.to_pylist()
    sluice("verify", "out")
    message = sluice.fails(2, "repartition", path, "--hash", "x", "-n", 4, "-o", "p",
                           "--format", "parquet")
    assert "k" in message


def test_run_ends_travel_through_ipc(sluice):
    values = [row // 10 for row in range(ROWS)]
    runs = pc.run_end_encode(pa.array(values))
    table = pa.table({"x": range(ROWS), "k": runs})
    path = write_ipc_file(sluice.path("in.arrow"), table.to_batches())
    sluice("repartition", path, "--hash", "x", "-n", 4, "-o", "out")
    found = pa.concat_tables(read_partitions(sluice.path("out")))
    assert values_in_order(found, "k") == values
    sluice("verify", "out")


def test_one_hundred_columns_and_no_columns(sluice):
    wide = pa.table({f"c{i}": pa.array(range(50)) for i in range(100)})
    path = write_parquet(sluice.path("wide.parquet"), wide)
    sluice("repartition", path, "--hash", "c99,c0", "-n", 3, "-o", "wide")
    found = pa.concat_tables(read_partitions(sluice.path("wide")))
    assert found.sort_by("c0").equals(wide)
