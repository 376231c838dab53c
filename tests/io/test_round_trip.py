# SPDX-License-Identifier: Apache-2.0
"""What is written is what is read: by libsluice_io and by pyarrow, in both directions."""

import decimal
import io
import os
import subprocess
import sys

import libsluice_io as sluice
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

FORMATS = [sluice.PARQUET, sluice.IPC_FILE, sluice.IPC_STREAM]


def read_with_pyarrow(path, format):
    if format == sluice.PARQUET:
        return pq.read_table(path)
    if format == sluice.IPC_FILE:
        return pa.ipc.open_file(path).read_all()
    return pa.ipc.open_stream(path).read_all()


def write_with_pyarrow(path, table, format):
    if format == sluice.PARQUET:
        pq.write_table(table, path, row_group_size=700)
        return
    make = pa.ipc.new_file if format == sluice.IPC_FILE else pa.ipc.new_stream
    with make(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=700)


def stored_form(table, format):
    """Parquet has no seconds, and days only as int32."""
    changes = {"date64[ms]": pa.date32(), "time32[s]": pa.time32("ms"),
               "timestamp[s]": pa.timestamp("ms")}
    for name, type in changes.items() if format == sluice.PARQUET else ():
        index = table.schema.get_field_index(name)
        field = table.schema.field(name).with_type(type)
        table = table.set_column(index, field, table[name].cast(type))
    return table


def assert_same(actual, expected, check_metadata=True):
    assert actual.schema.remove_metadata().equals(expected.schema.remove_metadata())
    if check_metadata:
        assert (actual.schema.metadata or {}) == (expected.schema.metadata or {})
    actual.validate(full=True)
    for name in expected.column_names:
        left, right = actual[name].combine_chunks(), expected[name].combine_chunks()
        assert left.to_pylist() == right.to_pylist(), name


@pytest.mark.parametrize("format", FORMATS)
def test_every_type_written(tmp_path, every_type, format):
    path = tmp_path / "file"
    statistics = sluice.write_table(path, every_type, format)
    assert statistics.rows == every_type.num_rows
    assert statistics.bytes == path.stat().st_size
    expected = read_with_pyarrow(path, format)
    assert_same(expected, stored_form(every_type, format))
    for field in every_type.schema:
        found = expected.schema.field(field.name).metadata
        assert found[b"note"] == field.metadata[b"note"]


@pytest.mark.parametrize("format", FORMATS)
def test_every_type_read(tmp_path, every_type, format):
    path = tmp_path / "file"
    write_with_pyarrow(path, every_type, format)
    source = sluice.Source(path)
    expected = read_with_pyarrow(path, format)
    assert lib_format(source) == format
    # The C interface itself changes the names inside of maps.
    assert source.schema.equals(sluice.through_c(expected.schema), check_metadata=True)
    assert_same(source.read_all(batch_rows=300), expected)
    assert source.metadata("a") == "b"
    assert source.metadata("nothing") is None
    if format != sluice.IPC_STREAM:
        assert source.row_count == every_type.num_rows
        assert source.piece_count == 4
        pieces = [source.read_all(first=piece, count=1) for piece in (0, 1, 2, 3)]
        assert_same(pa.concat_tables(pieces), expected)


def lib_format(source):
    return sluice.lib.sluice_source_get_format(source.handle)


@pytest.mark.parametrize("format", [sluice.IPC_FILE, sluice.IPC_STREAM])
def test_types_of_ipc_alone(tmp_path, only_ipc, format):
    path = tmp_path / "file"
    sluice.write_table(path, only_ipc, format)
    assert_same(read_with_pyarrow(path, format), only_ipc)
    assert_same(sluice.Source(path).read_all(), only_ipc)


def test_types_that_parquet_lacks(tmp_path, only_ipc):
    for name in only_ipc.column_names:
        table = only_ipc.select([name])
        with pytest.raises(sluice.SluiceError) as caught:
            sluice.check_sink(table.schema, sluice.PARQUET)
        assert caught.value.status == sluice.UNSUPPORTED
        assert f"'{name}'" in caught.value.message
        with pytest.raises(sluice.SluiceError):
            sluice.write_table(tmp_path / name, table, sluice.PARQUET)
        assert not (tmp_path / name).exists()


def test_check_accepts_what_can_be_written(every_type):
    for format in FORMATS:
        sluice.check_sink(every_type.schema, format)


@pytest.mark.parametrize("format", FORMATS)
def test_projection(tmp_path, every_type, format):
    path = tmp_path / "file"
    write_with_pyarrow(path, every_type, format)
    source = sluice.Source(path)
    names = ["string", "int8", "deep", "struct"]
    columns = [source.schema.get_field_index(name) for name in names]
    result = source.read_all(columns=columns)
    assert result.column_names == names
    assert_same(result, read_with_pyarrow(path, format).select(names))
    assert source.read_all(columns=[]).num_columns == 0
    for wrong in ([0, 0], [10000]):
        with pytest.raises(sluice.SluiceError) as caught:
            source.open(columns=wrong)
        assert caught.value.status == sluice.INVALID


@pytest.mark.parametrize("format", FORMATS)
def test_no_rows(tmp_path, every_type, format):
    path = tmp_path / "file"
    sink = sluice.Sink(path, every_type.schema, format, metadata={"k": "v"})
    assert sink.finish().rows == 0
    result = read_with_pyarrow(path, format)
    assert result.num_rows == 0
    assert_same(result, stored_form(every_type, format).slice(0, 0), check_metadata=False)
    assert result.schema.metadata == {b"a": b"b", b"empty": b"", b"k": b"v"}
    assert sluice.Source(path).read_all().num_rows == 0


@pytest.mark.parametrize("format", FORMATS)
def test_metadata_is_changed_and_removed(tmp_path, format):
    table = pa.table({"x": [1]}).replace_schema_metadata({"keep": "1", "drop": "2", "new": "3"})
    path = tmp_path / "file"
    sluice.write_table(path, table, format, metadata={"drop": None, "new": "4", "add": "5"})
    assert read_with_pyarrow(path, format).schema.metadata == {
        b"keep": b"1", b"new": b"4", b"add": b"5"}


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "zstd:9", "lz4", "gzip"])
def test_compression_of_parquet(tmp_path, every_type, compression):
    path = tmp_path / "file"
    sluice.write_table(path, every_type, sluice.PARQUET, compression=compression)
    name = pq.read_metadata(path).row_group(0).column(5).compression
    assert name == {"none": "UNCOMPRESSED"}.get(compression, compression.split(":")[0].upper())
    assert_same(pq.read_table(path), stored_form(every_type, sluice.PARQUET))


@pytest.mark.parametrize("compression", ["none", "zstd", "lz4"])
@pytest.mark.parametrize("format", [sluice.IPC_FILE, sluice.IPC_STREAM])
def test_compression_of_ipc(tmp_path, every_type, compression, format):
    path = tmp_path / "file"
    sluice.write_table(path, every_type, format, compression=compression)
    assert_same(read_with_pyarrow(path, format), every_type)


@pytest.mark.parametrize("format, compression, status", [
    (sluice.PARQUET, "brotl", sluice.INVALID), (sluice.PARQUET, "zstd:0", sluice.INVALID),
    (sluice.PARQUET, "zstd:x", sluice.INVALID), (sluice.PARQUET, "gzip:3", sluice.INVALID),
    (sluice.IPC_FILE, "snappy", sluice.UNSUPPORTED),
])
def test_compression_that_cannot_be(format, compression, status):
    with pytest.raises(sluice.SluiceError) as caught:
        sluice.check_sink(pa.schema([("x", pa.int64())]), format, compression=compression)
    assert caught.value.status == status


def test_row_groups_and_flush(tmp_path):
    table = pa.table({"x": list(range(10_000))})
    path = tmp_path / "file"
    statistics = sluice.write_table(path, table, sluice.PARQUET, row_group_rows=3000)
    assert statistics.row_groups == 4
    assert pq.read_table(path).equals(table)
    sink = sluice.Sink(tmp_path / "flushed", table.schema, sluice.PARQUET)
    for batch in table.to_batches(max_chunksize=2500):
        sink.write(batch)
        held = sink.buffered_bytes
        sink.flush()
        assert sink.buffered_bytes < held
    sink.flush()
    assert sink.finish().row_groups == 5
    assert pq.read_table(tmp_path / "flushed").equals(table)


def test_field_ids_stay(tmp_path):
    schema = pa.schema([pa.field("x", pa.int64(), metadata={"PARQUET:field_id": "17"})])
    source = tmp_path / "source"
    pq.write_table(pa.table({"x": [1, 2]}, schema), source)
    read = sluice.Source(source)
    sluice.write_table(tmp_path / "copy", read.read_all(), sluice.PARQUET)
    assert pq.read_schema(tmp_path / "copy").equals(pq.read_schema(source), check_metadata=True)
    assert pq.ParquetFile(tmp_path / "copy").schema.column(0).name == "x"
    assert pq.read_schema(tmp_path / "copy").field("x").metadata == {b"PARQUET:field_id": b"17"}


def test_encodings_follow_the_values(tmp_path):
    rows = 20_000
    table = pa.table({
        "few": [row % 5 for row in range(rows)],
        "many": [(row * 2654435761) % 1_000_000_007 for row in range(rows)],
        "sorted": [row // 100 for row in range(rows)],
        "few_texts": [f"name {row % 20}" for row in range(rows)],
        "many_texts": [f"text {row}" for row in range(rows)],
        "with.dot": [row for row in range(rows)],
        "price": pa.array([decimal.Decimal(row * 7) for row in range(rows)],
                          pa.decimal128(15, 2)),
    })
    path = tmp_path / "file"
    sluice.write_table(path, table, sluice.PARQUET)
    columns = pq.read_metadata(path).row_group(0)
    encodings = {columns.column(i).path_in_schema: set(columns.column(i).encodings)
                 for i in range(columns.num_columns)}
    for name in ("few", "few_texts"):
        assert "RLE_DICTIONARY" in encodings[name]
    for name in ("many", "sorted", "price", "with.dot"):
        assert "DELTA_BINARY_PACKED" in encodings[name]
    assert "DELTA_LENGTH_BYTE_ARRAY" in encodings["many_texts"]
    assert pq.read_table(path).equals(table)


def test_names_that_are_one_path(tmp_path):
    """A column 'a.b' and a member b of a struct a have the same dotted path."""
    table = pa.table({
        "a.b": [f"text {row}" for row in range(3000)],
        "a": [{"b": row} for row in range(3000)],
    })
    sluice.write_table(tmp_path / "file", table, sluice.PARQUET)
    assert pq.read_table(tmp_path / "file").equals(table)


def test_a_failed_sink_leaves_no_file(tmp_path):
    path = tmp_path / "file"
    sink = sluice.Sink(path, pa.schema([("x", pa.int64())]), sluice.PARQUET)
    assert path.exists()
    with pytest.raises(sluice.SluiceError):
        sink.write(pa.record_batch({"x": ["not", "numbers"]}))
    with pytest.raises(sluice.SluiceError) as caught:
        sink.finish()
    assert caught.value.status == sluice.INVALID
    sink.free()
    assert not path.exists()


def test_an_existing_file_is_not_overwritten(tmp_path):
    path = tmp_path / "file"
    path.write_text("mine")
    with pytest.raises(sluice.SluiceError) as caught:
        sluice.Sink(path, pa.schema([("x", pa.int64())]), sluice.PARQUET)
    assert caught.value.status == sluice.IO_ERROR
    assert path.read_text() == "mine"


def test_thousands_of_sinks_hold_no_descriptors(tmp_path):
    schema = pa.schema([("x", pa.int64())])
    batch = pa.record_batch({"x": [1, 2, 3]})
    before = len(os.listdir("/proc/self/fd"))
    for format in (sluice.PARQUET, sluice.IPC_FILE):
        sinks = [sluice.Sink(tmp_path / f"{format}-{i}", schema, format) for i in range(500)]
        for sink in sinks:
            sink.write(batch)
        assert len(os.listdir("/proc/self/fd")) == before
        assert all(sink.finish().rows == 3 for sink in sinks)


def test_standard_input_and_output(tmp_path, every_type):
    """A stream in on standard input, and out on standard output, in another process."""
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, every_type.schema) as writer:
        writer.write_table(every_type, max_chunksize=1000)
    program = f"""
import sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import libsluice_io as sluice
source = sluice.Source("-")
stream = source.open()
try:
    source.open()
except sluice.SluiceError as error:
    assert "only once" in error.message
else:
    raise AssertionError
sink = sluice.Sink("-", source.schema, sluice.IPC_STREAM)
while (batch := stream.next_c()) is not None:
    sink.write_c(batch)
sink.finish()
"""
    done = subprocess.run([sys.executable, "-c", program], input=stream.getvalue(),
                          stdout=subprocess.PIPE, check=True)
    assert_same(pa.ipc.open_stream(done.stdout).read_all(), every_type)


def test_a_full_disk():
    """Standard output that cannot take anything ends in an error with the reason."""
    program = f"""
import sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import libsluice_io as sluice
import pyarrow as pa
batch = pa.record_batch({{"x": list(range(100000))}})
sink = sluice.Sink("-", batch.schema, sluice.IPC_STREAM)
try:
    sink.write(batch)
    sink.finish()
except sluice.SluiceError as error:
    assert error.status == sluice.IO_ERROR, error
    print(error.message, file=sys.stderr)
else:
    raise AssertionError
"""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-c", program], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=True)
    assert "standard output" in done.stderr
    assert "No space left" in done.stderr


def test_memory_is_given_back(tmp_path, every_type):
    before = sluice.lib.sluice_io_get_memory_bytes()
    for format in FORMATS:
        path = tmp_path / str(format)
        sluice.write_table(path, every_type, format)
        source = sluice.Source(path)
        table = source.read_all()
        assert sluice.lib.sluice_io_get_memory_bytes() > before
        del table, source
    assert sluice.lib.sluice_io_get_memory_bytes() == before
