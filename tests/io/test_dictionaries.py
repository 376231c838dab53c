# SPDX-License-Identifier: Apache-2.0
"""String columns that are read as dictionaries, and come out as what they were."""

import pathlib
import subprocess
import sys

import libsluice_io as sluice
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

WORDS = ["red", "green", "blue", "", "väl", "yellow", "black"]


def make_table(rows, first=0, type=pa.string()):
    numbers = range(first, first + rows)
    return pa.table({
        "number": pa.array(numbers, pa.int64()),
        "color": pa.array([None if n % 11 == 5 else WORDS[(n // 500) % len(WORDS)]
                           for n in numbers], type),
        "text": pa.array([f"text {n}" for n in numbers], type),
    })


@pytest.fixture
def file(tmp_path):
    pq.write_table(make_table(10_000), tmp_path / "file", row_group_size=1000)
    return tmp_path / "file"


def test_low_cardinality_columns_are_chosen(file):
    source = sluice.Source(file)
    dictionaries = sluice.Dictionaries([source])
    stream = source.open(dictionaries=dictionaries)
    schema = stream.schema
    assert schema.field("color").type == pa.dictionary(pa.int32(), pa.string())
    assert schema.field("text").type in (pa.string(), pa.dictionary(pa.int32(), pa.string()))
    batches = list(stream.batches())
    first = batches[0].column("color").dictionary
    assert all(batch.column("color").dictionary.equals(first) for batch in batches)
    assert len(first) == len(WORDS)
    expected = make_table(10_000)
    read = pa.Table.from_batches(batches, schema)
    assert read["color"].to_pylist() == expected["color"].to_pylist()
    assert read["number"].equals(expected["number"])


def test_the_caller_may_allow_columns(file):
    source = sluice.Source(file)
    assert sluice.Dictionaries([source], []).column_count == 0
    assert sluice.Dictionaries([source], ["color"]).column_count == 1
    assert sluice.Dictionaries([source], ["nothing"]).column_count == 0


def test_a_column_must_qualify_in_every_file(tmp_path):
    pq.write_table(make_table(5000), tmp_path / "with")
    pq.write_table(make_table(5000), tmp_path / "without", use_dictionary=False)
    both = [sluice.Source(tmp_path / "with"), sluice.Source(tmp_path / "without")]
    assert sluice.Dictionaries(both[:1], ["color"]).column_count == 1
    assert sluice.Dictionaries(both, ["color"]).column_count == 0


def test_one_dictionary_for_several_files(tmp_path):
    parts = [make_table(3000, first) for first in (0, 3000, 6000)]
    for number, part in enumerate(parts):
        pq.write_table(part, tmp_path / f"{number}", row_group_size=700)
    sources = [sluice.Source(tmp_path / f"{number}") for number in range(3)]
    dictionaries = sluice.Dictionaries(sources, ["color"])
    tables = [source.read_all(dictionaries=dictionaries) for source in sources]
    values = {tuple(chunk.dictionary.to_pylist())
              for table in tables for chunk in table["color"].chunks}
    assert len(values) == 1
    read = [value for table in tables for value in table["color"].to_pylist()]
    assert read == [value for part in parts for value in part["color"].to_pylist()]


def test_a_file_of_another_format_ends_it(tmp_path, file):
    with pa.ipc.new_file(tmp_path / "ipc", make_table(10).schema) as writer:
        writer.write_table(make_table(10))
    sources = [sluice.Source(file), sluice.Source(tmp_path / "ipc")]
    assert sluice.Dictionaries(sources).column_count == 0
    assert sluice.Dictionaries([]).column_count == 0


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(),
                                  pa.large_binary(), pa.binary_view()])
@pytest.mark.parametrize("format", [sluice.PARQUET, sluice.IPC_FILE, sluice.IPC_STREAM])
def test_the_copy_has_the_schema_of_the_original(tmp_path, type, format):
    table = make_table(6000, type=pa.string())
    if type != pa.string():
        for name in ("color", "text"):
            index = table.schema.get_field_index(name)
            values = [None if v is None else v.encode() if "binary" in str(type) else v
                      for v in table[name].to_pylist()]
            table = table.set_column(index, name, pa.array(values, type))
    pq.write_table(table, tmp_path / "original", row_group_size=900)
    source = sluice.Source(tmp_path / "original")
    assert source.schema.equals(table.schema)
    dictionaries = sluice.Dictionaries([source], ["color"])
    assert dictionaries.column_count == 1
    stream = source.open(dictionaries=dictionaries)
    sink = sluice.Sink(tmp_path / "copy", stream.schema, format, logical=source.schema)
    while (batch := stream.next_c()) is not None:
        sink.write_c(batch)
    sink.finish()
    copy = sluice.Source(tmp_path / "copy")
    assert copy.schema.equals(source.schema, check_metadata=True)
    assert copy.read_all().to_pylist() == table.to_pylist()
    if format == sluice.PARQUET:
        column = pq.read_metadata(tmp_path / "copy").row_group(0).column(1)
        assert "RLE_DICTIONARY" in column.encodings
        assert pq.read_table(tmp_path / "copy").schema.equals(table.schema)


def growing_batches():
    """One dictionary that grows from batch to batch, as those of an exchange do."""
    values = ["a", "b", "c", "d", "e"]
    for size in range(1, 6):
        indices = pa.array([row % size for row in range(300)] + [None], pa.int32())
        column = pa.DictionaryArray.from_arrays(indices, values[:size])
        yield pa.record_batch({"x": column, "n": pa.array(range(301))})


@pytest.mark.parametrize("format", [sluice.PARQUET, sluice.IPC_FILE, sluice.IPC_STREAM])
@pytest.mark.parametrize("logical_type", [None, pa.string(), pa.string_view()])
def test_a_growing_dictionary(tmp_path, format, logical_type):
    batches = list(growing_batches())
    logical = None
    if logical_type is not None:
        logical = pa.schema([("x", logical_type), ("n", pa.int64())])
    sink = sluice.Sink(tmp_path / "file", batches[0].schema, format, logical=logical)
    for batch in batches:
        sink.write(batch)
    sink.finish()
    expected = [value for batch in batches for value in batch.column("x").to_pylist()]
    source = sluice.Source(tmp_path / "file")
    assert source.schema.field("x").type == (logical_type or batches[0].schema.field("x").type)
    assert source.read_all()["x"].to_pylist() == expected
    if format == sluice.IPC_FILE:
        assert pa.ipc.open_file(tmp_path / "file").read_all()["x"].to_pylist() == expected


def test_a_dictionary_cannot_stand_for_another_type(tmp_path):
    schema = pa.schema([("x", pa.dictionary(pa.int32(), pa.string()))])
    for logical in (pa.int64(), pa.binary(), pa.dictionary(pa.int32(), pa.int64())):
        with pytest.raises(sluice.SluiceError) as caught:
            sluice.Sink(tmp_path / "x", schema, sluice.PARQUET,
                        logical=pa.schema([("x", logical)]))
        assert caught.value.status == sluice.INVALID
    assert not (tmp_path / "x").exists()


def test_lists_and_structs_are_left_alone(tmp_path):
    table = pa.table({
        "list": [["a", "b"]] * 1000, "struct": [{"s": "x"}] * 1000, "number": [1] * 1000,
        "word": ["w"] * 1000,
    })
    pq.write_table(table, tmp_path / "file")
    source = sluice.Source(tmp_path / "file")
    dictionaries = sluice.Dictionaries([source])
    assert dictionaries.column_count == 1
    assert source.read_all(dictionaries=dictionaries).to_pylist() == table.to_pylist()


def test_lineitem(tmp_path):
    """The four columns of lineitem that have few values, and its schema with string views."""
    program = pathlib.Path(sys.executable).parent / "tpchgen-cli"
    if not program.exists():
        pytest.skip("tpchgen-cli is not installed")
    subprocess.run([program, "parquet", "-s", "0.01", "--tables=lineitem", "--output-dir",
                    tmp_path], check=True, capture_output=True)
    source = sluice.Source(tmp_path / "lineitem.parquet")
    dictionaries = sluice.Dictionaries([source])
    stream = source.open(dictionaries=dictionaries)
    chosen = {field.name for field in stream.schema if pa.types.is_dictionary(field.type)}
    assert chosen == {"l_returnflag", "l_linestatus", "l_shipinstruct", "l_shipmode"}
    sink = sluice.Sink(tmp_path / "copy", stream.schema, sluice.PARQUET, logical=source.schema)
    while (batch := stream.next_c()) is not None:
        sink.write_c(batch)
    assert sink.finish().rows == source.row_count
    original = pq.read_table(tmp_path / "lineitem.parquet")
    copy = pq.read_table(tmp_path / "copy")
    assert copy.schema.equals(original.schema, check_metadata=True)
    assert copy.equals(original)
