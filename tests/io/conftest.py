# SPDX-License-Identifier: Apache-2.0
"""Tables that hold every type which a format can store."""

import datetime
import decimal

import pyarrow as pa
import pytest

ROWS = 2500


def make_column(type, seed):
    """ROWS values of a type, every seventh of them null."""
    kind = pa.types
    if kind.is_null(type):
        return pa.nulls(ROWS)

    def value(row):
        number = (row * 7919 + seed) % 1000
        if kind.is_boolean(type):
            return number % 2 == 0
        if kind.is_unsigned_integer(type) or kind.is_signed_integer(type):
            return number % 128
        if kind.is_floating(type):
            return number / 4
        if kind.is_decimal(type):
            return decimal.Decimal(number).scaleb(-type.scale)
        if kind.is_date(type):
            return datetime.date(2000, 1, 1) + datetime.timedelta(days=number)
        if kind.is_time(type):
            return datetime.time(number % 24, number % 60)
        if kind.is_timestamp(type):
            return datetime.datetime(2001, 2, 3) + datetime.timedelta(seconds=number)
        if kind.is_duration(type):
            return datetime.timedelta(seconds=number)
        if kind.is_interval(type):
            return pa.MonthDayNano([number, number + 1, number + 2])
        if kind.is_fixed_size_binary(type):
            return number.to_bytes(type.byte_width, "little")
        if kind.is_binary(type) or kind.is_large_binary(type) or kind.is_binary_view(type):
            return b"\xff" * (number % 30)
        return "väl" * (number % 9) + str(number)

    return pa.array([None if row % 7 == 3 else value(row) for row in range(ROWS)], type)


FLAT_TYPES = [
    pa.null(), pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(),
    pa.uint32(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.decimal32(7, 2),
    pa.decimal64(15, 2), pa.decimal128(15, 2), pa.decimal128(38, 10), pa.decimal256(50, 3),
    pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
    pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us", "UTC"),
    pa.timestamp("ns", "Europe/Vienna"), pa.duration("s"), pa.duration("ns"), pa.binary(),
    pa.binary(5), pa.large_binary(), pa.binary_view(), pa.string(), pa.large_string(),
    pa.string_view(),
]


def nested_columns():
    numbers = make_column(pa.int32(), 1)
    strings = make_column(pa.string(), 2)
    offsets = pa.array(range(ROWS + 1), pa.int32())
    pairs = pa.array(list(range(0, ROWS // 2)) + [ROWS // 2], pa.int32())
    columns = {
        "struct": pa.StructArray.from_arrays([numbers, strings], ["n", "s"]),
        "list": pa.ListArray.from_arrays(offsets, strings),
        "large_list": pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), numbers),
        "fixed_list": pa.FixedSizeListArray.from_arrays(
            pa.array(range(2 * ROWS), pa.int64()), 2),
        "map": pa.MapArray.from_arrays(offsets, strings.fill_null("?"), numbers),
        "dictionary": strings.dictionary_encode(),
        "list_view": pa.array([[row, row + 1][: row % 3] for row in range(ROWS)],
                              pa.list_view(pa.int64())),
        "large_list_view": pa.array([["x"] * (row % 4) for row in range(ROWS)],
                                    pa.large_list_view(pa.string())),
        "deep": pa.array([[{"a": [str(row)] * (row % 3)}] * (row % 2) for row in range(ROWS)]),
    }
    assert len(pairs) == ROWS // 2 + 1
    return columns


@pytest.fixture(scope="session")
def every_type():
    columns = {str(type): make_column(type, seed) for seed, type in enumerate(FLAT_TYPES)}
    columns.update(nested_columns())
    metadata = {"a": "b", "empty": ""}
    fields = [pa.field(name, column.type, metadata={"note": name})
              for name, column in columns.items()]
    return pa.table(list(columns.values()), pa.schema(fields, metadata))


@pytest.fixture(scope="session")
def only_ipc():
    """Types that Parquet does not have."""
    numbers = make_column(pa.int32(), 3).fill_null(0)
    texts = make_column(pa.string(), 4)
    kinds = pa.array([row % 2 for row in range(ROWS)], pa.int8())
    places = pa.array([row // 2 for row in range(ROWS)], pa.int32())
    return pa.table({
        "interval": make_column(pa.month_day_nano_interval(), 5),
        "run_end": pa.RunEndEncodedArray.from_arrays([1000, ROWS], ["x", "y"]),
        "sparse": pa.UnionArray.from_sparse(kinds, [numbers, texts]),
        "dense": pa.UnionArray.from_dense(kinds, places, [numbers, texts]),
    })


def pytest_report_header():
    import libsluice_io
    return f"sluice_io: {libsluice_io.find_library()}"
