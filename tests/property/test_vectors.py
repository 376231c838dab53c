# SPDX-License-Identifier: Apache-2.0
"""The golden vectors of sluice1, in every physical form that pyarrow can give their values."""

import json
import pathlib
import re

import pyarrow as pa
import pytest

import generators
from libsluice import Checksummer, Partitioner, Partitioning

VECTORS = json.loads((pathlib.Path(__file__).resolve().parents[1] / "vectors" /
                      "sluice1.json").read_text())

FLAT = {"n": pa.null(), "b": pa.bool_(), "c": pa.int8(), "s": pa.int16(), "i": pa.int32(),
        "l": pa.int64(), "L": pa.uint64(), "e": pa.float16(), "f": pa.float32(),
        "g": pa.float64(), "u": pa.string(), "z": pa.binary(), "tdD": pa.date32(),
        "tsu:UTC": pa.timestamp("us", "UTC"), "tin": pa.month_day_nano_interval()}
DECIMALS = {"32": pa.decimal32, "64": pa.decimal64, "128": pa.decimal128, "256": pa.decimal256}
MISSING = ("tiM", "tiD")  # Intervals that pyarrow cannot make.


def parse_type(text):
    """The notation of the vectors: a format, and the children of nested types in <>."""
    text = text.removesuffix("!")
    format_, _, inner = text.partition("<")
    if format_ in FLAT:
        return FLAT[format_]
    if format_.startswith("d:"):
        precision, scale, *width = format_[2:].split(",")
        return DECIMALS[(width or ["128"])[0]](int(precision), int(scale))
    if format_.startswith("w:"):
        return pa.binary(int(format_[2:]))
    fields = parse_fields(inner[:-1])
    if format_ == "+l":
        return pa.list_(fields[0])
    if format_ == "+s":
        return pa.struct(fields)
    if format_ == "+m":
        entries = fields[0].type
        return pa.map_(entries.field(0).type, entries.field(1).type)
    codes = [int(code) for code in format_[4:].split(",")]
    return pa.union(fields, "dense" if format_.startswith("+ud") else "sparse", codes)


def parse_fields(text):
    parts = re.findall(r"(?:[^;<]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)+", text)
    pairs = [part.strip().split("=", 1) for part in parts]
    return [pa.field(name, parse_type(type_)) for name, type_ in pairs]


def column_of(type_, values):
    """Values in the notation of the vectors: floats and decimals are their bits."""
    name = pa.types
    if name.is_floating(type_) or name.is_decimal(type_):
        width = type_.bit_width // 8
        bits = b"".join(int(value or "0", 16).to_bytes(width, "little") for value in values)
        return pa.Array.from_buffers(type_, len(values), [
            generators.bitmap([value is not None for value in values]), pa.py_buffer(bits)])
    if name.is_union(type_):
        return union_of(type_, values)
    if name.is_struct(type_):
        values = [value if value is None else dict(zip([field.name for field in type_], value))
                  for value in values]
    elif name.is_map(type_):
        values = [value if value is None else [tuple(pair) for pair in value] for value in values]
    elif name.is_fixed_size_binary(type_):
        values = [value if value is None else value.encode() for value in values]
    elif type_ == pa.month_day_nano_interval():
        values = [value if value is None else pa.MonthDayNano(value) for value in values]
    elif name.is_temporal(type_):
        storage = pa.int32() if type_.bit_width == 32 else pa.int64()
        return pa.array(values, storage).view(type_)
    elif name.is_integer(type_):
        values = [value if value is None else int(value) for value in values]
    return pa.array(values, type_)


def union_of(type_, values):
    codes = type_.type_codes
    ids = pa.array([code for code, _ in values], pa.int8())
    names = [type_.field(index).name for index in range(len(codes))]
    if type_.mode == "sparse":
        children = [column_of(type_.field(index).type,
                              [value if code == mine else None for code, value in values])
                    for index, mine in enumerate(codes)]
        return pa.UnionArray.from_sparse(ids, children, names, codes)
    children = [column_of(type_.field(index).type,
                          [value for code, value in values if code == mine])
                for index, mine in enumerate(codes)]
    offsets = [sum(earlier == code for earlier, _ in values[:row])
               for row, (code, _) in enumerate(values)]
    return pa.UnionArray.from_dense(ids, pa.array(offsets, pa.int32()), children, names, codes)


def forms_of(column):
    """The column as it is, and in every other form of the same values."""
    rows = len(column)
    yield column
    if not pa.types.is_union(column.type):
        yield pa.concat_arrays([column, column]).slice(rows)
    for index_type in generators.INTEGERS:
        if not pa.types.is_null(column.type):
            yield pa.DictionaryArray.from_arrays(pa.array(range(rows), index_type), column)
    for end_type in (pa.int16(), pa.int32(), pa.int64()):
        yield pa.RunEndEncodedArray.from_arrays(pa.array(range(1, rows + 1), end_type), column)
    for other in wider_types(column.type):
        yield pa.array(column.to_pylist(), other)


def wider_types(type_):
    if type_ == pa.string():
        return [pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(),
                pa.binary_view()]  # All of them take text, as its UTF-8.
    if pa.types.is_fixed_size_binary(type_) and not pa.types.is_decimal(type_):
        return [pa.binary(), pa.large_binary()]
    if pa.types.is_integer(type_) and type_ != pa.uint64():
        return [pa.int64()]
    if pa.types.is_list(type_):
        return [pa.large_list(type_.value_type), pa.list_view(type_.value_type),
                pa.large_list_view(type_.value_type)]
    return []


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["schema"] for vector in VECTORS])
def test_golden_vector(vector):
    if any(missing in vector["schema"] for missing in MISSING):
        pytest.skip("pyarrow cannot make this type")
    fields = parse_fields(vector["schema"])
    columns = [column_of(field.type, [row[index] for row in vector["rows"]])
               for index, field in enumerate(fields)]
    for first in forms_of(columns[0]):
        first.validate(full=True)
        batch = pa.RecordBatch.from_arrays([first, *columns[1:]], [field.name for field in fields])
        check_vector(vector, batch)


def check_vector(vector, batch):
    names = batch.schema.names
    with Partitioner(batch.schema, Partitioning.hash(names, 1)) as partitioner:
        assert [f"{number:016x}" for number in partitioner.hashes(batch)] == vector["hashes"]
    for count, partitions in vector["partitions"].items():
        with Partitioner(batch.schema, Partitioning.hash(names, int(count))) as partitioner:
            assert partitioner.ids(batch) == partitions
    with Checksummer(batch.schema) as checksummer:
        assert f"{checksummer.sum([batch]):032x}" == vector["checksum"]
