# SPDX-License-Identifier: Apache-2.0
"""Files that are cut short, damaged or not what they say: an error each, or valid data; no crash.

SLUICE_HOSTILE_FILES sets how many damaged files are tried for each good one (default 150).  The
seed of a file is its number, so a failure names the file to look at.
"""

import os
import random

import libsluice_io as sluice
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

COUNT = int(os.environ.get("SLUICE_HOSTILE_FILES", "150"))
ERRORS = (sluice.BAD_DATA, sluice.UNSUPPORTED, sluice.OUT_OF_MEMORY, sluice.IO_ERROR)


def write_parquet(path, table, **options):
    pq.write_table(table, path, row_group_size=900, **options)


def write_ipc(make, **options):
    def write(path, table):
        with make(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            writer.write_table(table, max_chunksize=900)
    return write


WRITERS = {
    "parquet-zstd": lambda path, table: write_parquet(path, table, compression="zstd"),
    "parquet-none": lambda path, table: write_parquet(path, table, compression="none"),
    "parquet-v2": lambda path, table: write_parquet(
        path, table, compression="snappy", data_page_version="2.0", use_dictionary=False),
    "parquet-sluice": lambda path, table: sluice.write_table(path, table, sluice.PARQUET),
    "ipc-file": write_ipc(pa.ipc.new_file),
    "ipc-file-zstd": write_ipc(pa.ipc.new_file, compression="zstd"),
    "ipc-stream": write_ipc(pa.ipc.new_stream),
    "ipc-stream-lz4": write_ipc(pa.ipc.new_stream, compression="lz4"),
}
FORMATS = {"parquet": sluice.PARQUET, "ipc-file": sluice.IPC_FILE, "ipc-stream": sluice.IPC_STREAM}


def format_of(name):
    return next(format for start, format in FORMATS.items() if name.startswith(start))


def read_everything(path, format):
    """Read all, with and without dictionaries; the number of rows, or the error."""
    source = sluice.Source(path, format)
    dictionaries = sluice.Dictionaries([source])
    rows = []
    for chosen in (None, dictionaries):
        stream = source.open(dictionaries=chosen, validate=True, batch_rows=500)
        rows.append(sum(batch.num_rows for batch in stream.batches()))
    return rows


def try_file(path, data, format):
    path.write_bytes(data)
    try:
        read_everything(path, format)
    except sluice.SluiceError as error:
        assert error.status in ERRORS, error
        assert str(path) in error.message, error
        return error
    return None


@pytest.fixture(scope="session")
def originals(tmp_path_factory, every_type, only_ipc):
    folder = tmp_path_factory.mktemp("originals")
    result = {}
    for name, write in WRITERS.items():
        table = every_type
        if name.startswith("ipc"):
            for column in only_ipc.column_names:
                table = table.append_column(column, only_ipc[column])
        write(folder / name, table)
        result[name] = (folder / name).read_bytes()
        assert read_everything(folder / name, format_of(name))[0] == table.num_rows
    return result


def flip_bits(data, random_source):
    damaged = bytearray(data)
    for _ in range(random_source.choice([1, 1, 2, 5, 50])):
        damaged[random_source.randrange(len(damaged))] ^= 1 << random_source.randrange(8)
    return damaged


def flip_near_the_end(data, random_source):
    """Footers are a small part of a file, and the most interesting one."""
    damaged = bytearray(data)
    span = min(len(damaged), random_source.choice([64, 1024, 16384]))
    for _ in range(random_source.choice([1, 2, 4])):
        damaged[len(damaged) - 1 - random_source.randrange(span)] = random_source.randrange(256)
    return damaged


def overwrite(data, random_source):
    damaged = bytearray(data)
    start = random_source.randrange(len(damaged))
    length = random_source.choice([4, 8, 64, 4096])
    value = random_source.choice([b"\x00", b"\xff", b"\x7f", None])
    piece = random_source.randbytes(length) if value is None else value * length
    damaged[start:start + length] = piece[:len(damaged) - start]
    return damaged


def cut_out(data, random_source):
    start = random_source.randrange(len(data))
    return data[:start] + data[start + random_source.choice([1, 8, 1000]):]


def repeat(data, random_source):
    start = random_source.randrange(len(data))
    end = min(len(data), start + random_source.choice([1, 8, 1000]))
    return data[:end] + data[start:]


DAMAGES = [flip_bits, flip_bits, flip_near_the_end, flip_near_the_end, overwrite, cut_out, repeat]


@pytest.mark.parametrize("name", WRITERS)
def test_damaged(tmp_path, originals, name):
    data = originals[name]
    errors = 0
    for number in range(COUNT):
        random_source = random.Random(number)
        damaged = random_source.choice(DAMAGES)(data, random_source)
        errors += try_file(tmp_path / f"{number}", damaged, format_of(name)) is not None
        (tmp_path / f"{number}").unlink()
    assert errors > COUNT // 4


@pytest.mark.parametrize("name", WRITERS)
def test_cut_short(tmp_path, originals, name):
    data = originals[name]
    random_source = random.Random(1)
    lengths = list(range(0, 40)) + [random_source.randrange(len(data)) for _ in range(60)]
    for length in lengths + [len(data) - step for step in range(1, 20)]:
        error = try_file(tmp_path / "file", data[:length], format_of(name))
        if format_of(name) == sluice.IPC_STREAM:
            continue  # A stream may end after any batch.
        assert error is not None, length
        if length >= 8:
            assert "footer" in error.message, error


@pytest.mark.parametrize("head", [b"", b"PAR1", b"PAR1PAR1", b"PARE" + bytes(100), b"ARROW1\0\0",
                                  b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\xff\xff\xff\x7f",
                                  b"FEA1" + bytes(20), b"text,and\nmore,text\n", bytes(1000)])
@pytest.mark.parametrize("extension", ["", ".parquet", ".arrow", ".arrows"])
def test_what_is_no_file_at_all(tmp_path, head, extension):
    error = try_file(tmp_path / f"file{extension}", head, sluice.DETECT)
    assert error is not None
    if not head:
        assert "empty" in error.message


def test_no_file(tmp_path):
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(sluice.SluiceError) as caught:
            sluice.Source(path)
        assert caught.value.status in (sluice.IO_ERROR, sluice.INVALID)
        assert str(path) in caught.value.message


def test_the_column_and_the_row_group_are_named(tmp_path):
    table = pa.table({"first": list(range(5000)), "second": [f"text {n}" for n in range(5000)]})
    path = tmp_path / "file"
    pq.write_table(table, path, row_group_size=1000, use_dictionary=False, compression="zstd")
    chunk = pq.read_metadata(path).row_group(3).column(1)
    data = bytearray(path.read_bytes())
    middle = chunk.data_page_offset + chunk.total_compressed_size // 2
    data[middle:middle + 64] = bytes(64)
    error = try_file(path, data, sluice.DETECT)
    assert "row group 3" in error.message
    assert "'second'" in error.message


def test_text_that_is_no_utf8(tmp_path):
    path = tmp_path / "file"
    pq.write_table(pa.table({"text": ["0123456789"] * 10}), path, use_dictionary=False,
                   compression="none", store_schema=False, write_statistics=False)
    data = path.read_bytes().replace(b"0123456789", b"01234\xff6789", 3)
    error = try_file(path, data, sluice.DETECT)
    assert error.status == sluice.BAD_DATA
    assert "'text'" in error.message


def test_a_file_that_changes_is_refused(tmp_path):
    path = tmp_path / "file"
    pq.write_table(pa.table({"x": [1, 2, 3]}), path)
    source = sluice.Source(path)
    pq.write_table(pa.table({"x": list(range(1000))}), path)
    with pytest.raises(sluice.SluiceError) as caught:
        source.open()
    assert "changed" in caught.value.message


def test_rows_that_the_footer_does_not_know(tmp_path):
    """A footer with another number of rows than the pages have loses or invents rows: an error."""
    path = tmp_path / "file"
    pq.write_table(pa.table({"x": list(range(100))}), path, store_schema=False)
    data = path.read_bytes()
    # The zigzag varint of 100 is c8 01; of 99 it is c6 01.
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    places = [place for place in range(footer, len(data) - 8)
              if data[place:place + 2] == b"\xc8\x01"]
    errors = 0
    for place in places:
        changed = data[:place] + b"\xc6\x01" + data[place + 2:]
        if try_file(path, changed, sluice.DETECT) is not None:
            errors += 1
        else:
            assert read_everything(path, sluice.DETECT) == [100, 100]
    assert errors >= 3  # Of the file, of the row group, of the column.


def test_offsets_in_ipc_are_checked(tmp_path):
    column = pa.array(["aa", "bb", "cc"])
    offsets = pa.py_buffer(bytes(pa.array([0, 2, 1_000_000, 6], pa.int32()).buffers()[1]))
    bad = pa.Array.from_buffers(pa.string(), 3, [None, offsets, column.buffers()[2]])
    for make, format in ((pa.ipc.new_file, sluice.IPC_FILE), (pa.ipc.new_stream,
                                                             sluice.IPC_STREAM)):
        path = tmp_path / f"{format}"
        schema = pa.schema([("text", pa.string())])
        with make(path, schema) as writer:
            writer.write_batch(pa.RecordBatch.from_arrays([bad], schema=schema))
        with pytest.raises(sluice.SluiceError) as caught:
            read_everything(path, format)
        assert caught.value.status == sluice.BAD_DATA
        assert "'text'" in caught.value.message


