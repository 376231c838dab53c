# SPDX-License-Identifier: Apache-2.0
"""Batches cross to and from pyarrow, Polars and DuckDB by the C interfaces, both ways."""

import ctypes
import datetime
import decimal

import libsluice
import pyarrow as pa
import pytest
from libsluice import Checksummer, Exchange, Partitioning

duckdb = pytest.importorskip("duckdb")
polars = pytest.importorskip("polars")

OUTPUTS = 5
ROWS = 1000


class Stream:
    """An exported output as any consumer of the Arrow PyCapsule interface wants it."""

    def __init__(self, exchange, output):
        self.stream = exchange.export_stream(output)
        self.is_taken = False

    def __arrow_c_stream__(self, requested_schema=None):
        new_capsule = ctypes.pythonapi.PyCapsule_New
        new_capsule.restype = ctypes.py_object
        new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        assert not self.is_taken, "a stream can be read once"
        self.is_taken = True
        return new_capsule(ctypes.addressof(self.stream), b"arrow_array_stream", None)


def source_table():
    """A table of types that all three know, with nulls."""
    numbers = range(ROWS)
    moment = datetime.datetime(2024, 2, 29, 12, 30)
    return pa.table({
        "id": pa.array(numbers, pa.int64()),
        "flag": pa.array([None if row % 5 == 0 else row % 2 == 0 for row in numbers]),
        "small": pa.array([None if row % 7 == 0 else row % 100 for row in numbers], pa.int8()),
        "ratio": pa.array([None if row % 3 == 0 else row / 8 for row in numbers], pa.float64()),
        "price": pa.array([decimal.Decimal(row) / 100 for row in numbers], pa.decimal128(12, 2)),
        "day": pa.array([datetime.date(2024, 1, 1 + row % 28) for row in numbers]),
        "at": pa.array([moment + datetime.timedelta(seconds=row) for row in numbers],
                       pa.timestamp("us")),
        "text": pa.array([None if row % 11 == 0 else "text %d é" % (row * row)
                          for row in numbers]),
        "bytes": pa.array([bytes([row % 256]) * (row % 20) for row in numbers]),
        "items": pa.array([None if row % 13 == 0 else list(range(row % 4)) for row in numbers],
                          pa.list_(pa.int32())),
        "pair": pa.array([{"x": row, "y": str(row)} for row in numbers],
                         pa.struct([("x", pa.int32()), ("y", pa.string())])),
    })


def exchange_of(reader, keys=("text", "small")):
    """An exchange that has read everything, to be read from its outputs."""
    exchange = Exchange(reader.schema, Partitioning.hash(list(keys), OUTPUTS),
                        validate_values=True, batch_rows_target=100,
                        batches_hungry_below=1000)
    for batch in reader:
        assert exchange.push(0, batch) == libsluice.OK
    exchange.finish(0)
    return exchange


def rows_of(table):
    return sorted(table.to_pylist(), key=lambda row: row["id"])


def check_checksum(table, parts):
    """Both sides have the same sum over rows: nothing was lost, changed or doubled."""
    with Checksummer(table.schema) as before, Checksummer(parts[0].schema) as after:
        assert before.sum(table.to_batches()) == after.sum(
            [batch for part in parts for batch in part.to_batches()])


def test_pyarrow_both_ways():
    table = source_table()
    with exchange_of(table.to_reader(max_chunksize=90)) as exchange:
        parts = [pa.table(Stream(exchange, output)) for output in range(OUTPUTS)]
    assert rows_of(pa.concat_tables(parts)) == table.to_pylist()
    check_checksum(table, parts)


def test_polars_reads_our_streams():
    table = source_table()
    with exchange_of(table.to_reader()) as exchange:
        frames = [polars.DataFrame(Stream(exchange, output)) for output in range(OUTPUTS)]
    assert polars.concat(frames).sort("id").rows() == polars.from_arrow(table).rows()


def test_we_read_polars():
    """Polars gives large lists and string views, in several chunks."""
    table = source_table()
    frame = polars.concat([polars.from_arrow(table[:400]), polars.from_arrow(table[400:])],
                          rechunk=False)
    reader = pa.RecordBatchReader.from_stream(frame)
    assert reader.schema.field("text").type in (pa.string_view(), pa.large_string())
    with exchange_of(reader) as exchange:
        parts = [pa.table(Stream(exchange, output)) for output in range(OUTPUTS)]
    assert rows_of(pa.concat_tables(parts)) == table.to_pylist()


def test_polars_categoricals_and_slices():
    frame = polars.DataFrame({
        "id": range(100),
        "text": polars.Series(["a", "b", None, "c"] * 25, dtype=polars.Categorical),
        "small": [None, 1] * 50})[3:77]
    reader = pa.RecordBatchReader.from_stream(frame)
    with exchange_of(reader) as exchange:
        frames = [polars.DataFrame(Stream(exchange, output)) for output in range(OUTPUTS)]
    together = polars.concat([part.with_columns(polars.col("text").cast(polars.String))
                              for part in frames])
    assert together.sort("id").rows() == frame.with_columns(
        polars.col("text").cast(polars.String)).rows()


def test_duckdb_reads_our_streams():
    table = source_table()
    connection = duckdb.connect()
    with exchange_of(table.to_reader()) as exchange:
        got = []
        for output in range(OUTPUTS):
            # DuckDB asks for the schema first, and again for the rows.
            part = pa.RecordBatchReader.from_stream(Stream(exchange, output))
            got += connection.sql("select * from part").fetchall()
    rows = [dict(zip(table.column_names, row)) for row in sorted(got, key=lambda row: row[0])]
    assert rows == table.to_pylist()


def test_we_read_duckdb():
    table = source_table()
    connection = duckdb.connect()
    connection.register("source", table)
    reader = connection.sql("select * from source").to_arrow_reader(256)
    with exchange_of(reader) as exchange:
        parts = [pa.table(Stream(exchange, output)) for output in range(OUTPUTS)]
    assert rows_of(pa.concat_tables(parts)) == table.to_pylist()


def test_the_same_rows_have_the_same_place_for_all():
    """D5: whoever made the batch, a row goes to the same output."""
    table = source_table()
    connection = duckdb.connect()
    connection.register("source", table)
    frame = polars.from_arrow(table)
    readers = [table.to_reader(), connection.sql("select * from source").to_arrow_reader(512),
               pa.RecordBatchReader.from_stream(frame)]
    places = []
    for reader in readers:
        with exchange_of(reader) as exchange:
            places.append([sorted(pa.table(Stream(exchange, output))["id"].to_pylist())
                           for output in range(OUTPUTS)])
    assert places[0] == places[1] == places[2]
    assert all(places[0])


def test_polars_and_duckdb_feed_one_exchange_by_run():
    """Two sources of one schema drive the two inputs with threads of the library."""
    schema = pa.schema([("id", pa.int64()), ("small", pa.int32())])
    table = pa.table({"id": range(500), "small": [row % 7 for row in range(500)]}, schema=schema)
    connection = duckdb.connect()
    connection.register("source", table)
    readers = [connection.sql("select id, small from source").to_arrow_reader(64),
               pa.RecordBatchReader.from_stream(polars.from_arrow(table))]
    assert [reader.schema.types for reader in readers] == [schema.types] * 2
    with Exchange(schema, Partitioning.hash(["small"], 3), input_count=2,
                  batches_hungry_below=1000) as exchange:
        exchange.run(readers)
        rows = [row for output in range(3)
                for row in pa.table(Stream(exchange, output))["id"].to_pylist()]
    assert sorted(rows) == sorted([*range(500)] * 2)
