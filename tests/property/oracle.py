# SPDX-License-Identifier: Apache-2.0
"""What an exchange must do, written from the rules alone, slow and obvious.

Rows are compared as cells: Python values that keep every bit (floats are their bit patterns) and
forget the physical form (dictionaries, run-ends, views, offsets).  Routing is decided on keys:
cells in which equal values are equal, so -0.0 is 0.0 and every NaN is one NaN.
"""

import decimal
import math
import struct

import pyarrow as pa

FLOAT_CODES = {16: "<e", 32: "<f", 64: "<d"}


def cells(array):
    """The rows of any array as hashable Python values; None is null."""
    name, type_ = pa.types, array.type
    if isinstance(type_, pa.BaseExtensionType):
        return cells(array.storage)
    if name.is_null(type_):
        return [None] * len(array)
    if name.is_dictionary(type_):
        values = cells(array.dictionary)
        return [None if index is None else values[index] for index in array.indices.to_pylist()]
    if name.is_run_end_encoded(type_):
        values, ends = cells(array.values), array.run_ends.to_pylist()
        return [next(value for end, value in zip(ends, values) if end > array.offset + row)
                for row in range(len(array))]
    if name.is_union(type_):
        return union_cells(array)
    valid = array.is_valid().to_pylist()
    rows = nested_cells(array) if name.is_nested(type_) else flat_cells(array)
    return [row if is_valid else None for row, is_valid in zip(rows, valid)]


def flat_cells(array):
    type_ = array.type
    if pa.types.is_decimal(type_) or type_ == pa.month_day_nano_interval():
        width = type_.byte_width
        data = array.buffers()[1].to_pybytes() if len(array) else b""
        return [data[(array.offset + row) * width:(array.offset + row + 1) * width]
                for row in range(len(array))]
    if pa.types.is_floating(type_) or pa.types.is_temporal(type_):
        return array.view({16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[type_.bit_width]
                          ).to_pylist()
    return array.to_pylist()


def nested_cells(array):
    name, type_, rows = pa.types, array.type, range(len(array))
    if name.is_struct(type_):
        columns = [cells(array.field(index)) for index in range(type_.num_fields)]
        return [tuple(column[row] for column in columns) for row in rows]
    if name.is_fixed_size_list(type_):
        values, size = cells(array.values), type_.list_size
        starts = [(array.offset + row) * size for row in rows]
        return [tuple(values[start:start + size]) for start in starts]
    if name.is_map(type_):
        values = list(zip(cells(array.keys), cells(array.items)))
    else:
        values = cells(array.values)
    offsets = array.offsets.to_pylist()
    if name.is_list_view(type_) or name.is_large_list_view(type_):
        sizes = array.sizes.to_pylist()
    else:
        sizes = [offsets[row + 1] - offsets[row] for row in rows]
    return [tuple(values[offsets[row]:offsets[row] + sizes[row]]) for row in rows]


def union_cells(array):
    """A row of a union is its type id and its value.  (pyarrow's own accessors of type ids and
    offsets crash on arrays without rows.)"""
    rows = len(array)
    if rows == 0:
        return []
    _, ids, offsets = (array.buffers() + [None])[:3]
    codes = struct.unpack_from(f"<{rows}b", ids, array.offset)
    children = {code: cells(array.field(index))
                for index, code in enumerate(array.type.type_codes)}
    places = range(rows)
    if array.type.mode == "dense":
        places = struct.unpack_from(f"<{rows}i", offsets, 4 * array.offset)
    return [(code, children[code][place]) for code, place in zip(codes, places)]


def rows_of(batch):
    columns = [cells(column) for column in batch.columns]
    return [tuple(column[row] for column in columns) for row in range(batch.num_rows)]


def key(cell, type_):
    """A cell as a key: equal keys are equal Python values."""
    name = pa.types
    if cell is None:
        return None
    if isinstance(type_, pa.BaseExtensionType):
        return key(cell, type_.storage_type)
    if name.is_dictionary(type_) or name.is_run_end_encoded(type_):
        return key(cell, type_.value_type)
    if name.is_union(type_):
        child = type_.field(type_.type_codes.index(cell[0])).type
        return cell[0], key(cell[1], child)
    if name.is_floating(type_):
        number = float_of(cell, type_)
        return "NaN" if math.isnan(number) else number + 0.0
    if name.is_decimal(type_):
        unscaled = int.from_bytes(cell, "little", signed=True)
        return decimal.Decimal((unscaled < 0, [int(digit) for digit in str(abs(unscaled))],
                                -type_.scale))
    if type_ == pa.month_day_nano_interval():
        return struct.unpack("<iiq", cell)
    if name.is_struct(type_):
        return tuple(key(item, type_.field(index).type) for index, item in enumerate(cell))
    if name.is_map(type_):
        return tuple((key(left, type_.key_type), key(right, type_.item_type))
                     for left, right in cell)
    if name.is_nested(type_):
        return tuple(key(item, type_.value_type) for item in cell)
    return cell


def float_of(bits, type_):
    width = type_.bit_width
    return struct.unpack(FLOAT_CODES[width],
                         (bits % (1 << width)).to_bytes(width // 8, "little"))[0]


def keys_of(batch, names):
    """The key tuple of each row."""
    columns = []
    for name in names:
        column = batch.column(name)
        columns.append([key(cell, column.type) for cell in cells(column)])
    return [tuple(column[row] for column in columns) for row in range(batch.num_rows)]


def compare(left, right, descending, nulls_first):
    """-1, 0 or 1 for two keys of one column in its declared order."""
    if left is None or right is None:
        placed = (left is not None) - (right is not None)
        return placed if nulls_first else -placed
    if isinstance(left, tuple):
        return compare_nested(left, right, descending, nulls_first)
    left, right = (("NaN" == item, 0 if item == "NaN" else as_bytes(item))
                   for item in (left, right))
    result = (left > right) - (left < right)
    return -result if descending else result


def compare_nested(left, right, descending, nulls_first):
    """Element by element, a shorter list first; nulls inside are placed like those outside."""
    for left_item, right_item in zip(left, right):
        result = compare(left_item, right_item, descending, nulls_first)
        if result:
            return result
    result = (len(left) > len(right)) - (len(left) < len(right))
    return -result if descending else result


def as_bytes(item):
    return item.encode() if isinstance(item, str) else item


def compare_tuples(left, right, order):
    """order: (name, descending, nulls_first) of each key."""
    for left_item, right_item, (_, descending, nulls_first) in zip(left, right, order):
        result = compare(left_item, right_item, descending, nulls_first)
        if result:
            return result
    return 0


def range_ids(batch, order, splits):
    """The number of split tuples that are not greater than the row."""
    names = [name for name, _, _ in order]
    tuples = keys_of(splits, names)
    return [sum(compare_tuples(split, row, order) <= 0 for split in tuples)
            for row in keys_of(batch, names)]


def round_robin_row_ids(first_row, row_count, outputs):
    return [(first_row + row) % outputs for row in range(row_count)]


def round_robin_batch_id(input_index, input_count, batch_index, outputs):
    return (input_index * outputs // input_count + batch_index) % outputs


def value_ids(batches, names):
    """Partition ids by first appearance; one list for each batch."""
    numbers = {}
    return [[numbers.setdefault(row, len(numbers)) for row in keys_of(batch, names)]
            for batch in batches]
