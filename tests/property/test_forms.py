# SPDX-License-Identifier: Apache-2.0
"""D5: the same logical value has the same partition, whatever its physical form.
"""

import decimal
import random
import struct

import pyarrow as pa
import pytest

import drive
import generators
import libsluice
from libsluice import Checksummer, Exchange, Partitioner, Partitioning, SluiceError


def hashes_of(array, validate_values=True):
    """The sluice1 hash of each row of a column."""
    schema = pa.schema([("k", array.type)])
    batch = pa.RecordBatch.from_arrays([array], schema=schema)
    with Partitioner(schema, Partitioning.hash(["k"], 4),
                     validate_values=validate_values) as partitioner:
        return partitioner.hashes(batch)


def dictionary_of(values, index_type, value_type):
    """Shuffled, with doubles, a null and values that nobody uses."""
    distinct = list(dict.fromkeys(value for value in values if value is not None))
    pool = [*reversed(distinct), None, *distinct[:1]]
    coin = random.Random(len(values))
    picks = []
    for value in values:
        if value is None:
            picks.append(coin.choice([None, len(distinct)]))
        else:
            picks.append(coin.choice([place for place, item in enumerate(pool) if item == value]))
    return pa.DictionaryArray.from_arrays(pa.array(picks, index_type), pa.array(pool, value_type))


def run_ends_of(values, end_type, value_type):
    ends, runs = [], []
    for row, value in enumerate(values):
        if runs and runs[-1] == value and row % 3:
            ends[-1] = row + 1
        else:
            ends.append(row + 1)
            runs.append(value)
    return pa.RunEndEncodedArray.from_arrays(pa.array(ends, end_type), pa.array(runs, value_type))


def encodings(values, type_):
    """Plain, dictionary and run-end forms of a list of values of one type."""
    forms = [pa.array(values, type_)]
    forms += [dictionary_of(values, index, type_) for index in generators.INTEGERS]
    forms += [run_ends_of(values, ends, type_) for ends in (pa.int16(), pa.int32(), pa.int64())]
    inner = dictionary_of(values, pa.int8(), type_)
    forms.append(pa.RunEndEncodedArray.from_arrays(
        pa.array(range(1, len(values) + 1), pa.int32()), inner))
    return forms


def sliced_forms(make, values):
    """The array, and the same rows cut out of longer ones at offsets 1 and 7."""
    yield make(values)
    for before in (1, 7):
        filler = [values[row % len(values)] for row in range(before)]
        longer = make([*filler, *values, values[0]])
        yield longer.slice(before, len(values))


def check_same(types, values):
    """Every form of every type hashes alike, and equal values are the only collisions."""
    wanted = hashes_of(pa.array(values, types[0]))
    for row, value in enumerate(values):
        assert wanted[row] == wanted[values.index(value)]
    assert len(set(wanted)) == len({repr(value) for value in values})
    for type_ in types:
        for form in range(len(encodings(values, type_))):
            for array in sliced_forms(lambda some: encodings(some, type_)[form], values):
                array.validate(full=True)
                assert hashes_of(array) == wanted, array.type


def test_strings():
    """T05, H2, H3, N9."""
    values = ["a", "b", None, "c", "a", "", "é", "a string that is longer than a view holds",
              "x" * 300, "", "twelve bytes"]
    check_same([pa.string(), pa.large_string(), pa.string_view()], values)


def test_bytes():
    values = [b"a", b"\0", None, b"", b"\xff\xfe", b"a", b"y" * 20, b"\0\0", b"z" * 241]
    check_same([pa.binary(), pa.large_binary(), pa.binary_view()], values)


def test_fixed_size_binary_is_binary():
    values = [b"abc", b"abd", None, b"abc"]
    check_same([pa.binary(), pa.binary(3), pa.large_binary(), pa.binary_view()], values)


def test_integers():
    values = [0, 1, 127, None, 5, 1, 0]
    check_same(generators.INTEGERS, values)
    check_same([pa.int8(), pa.int16(), pa.int32(), pa.int64()], [-1, -128, None, 3, -1])
    check_same([pa.int64()], [2**63 - 1, -2**63, None, 0])


def test_floats():
    values = [0.0, 1.0, -2.5, None, float("inf"), float("-inf"), 1.0, 0.5]
    check_same([pa.float64(), pa.float32()], values)
    half = pa.array([0x0000, 0x3C00, 0xC100, None, 0x7C00, 0xFC00, 0x3C00, 0x3800],
                    pa.uint16()).view(pa.float16())
    assert hashes_of(half) == hashes_of(pa.array(values, pa.float64()))


@pytest.mark.parametrize("width,type_", [(2, pa.float16()), (4, pa.float32()), (8, pa.float64())])
def test_zeros_and_nans(width, type_):
    """N12, N13: both zeros are one key, and so are all NaNs; the bits of rows stay theirs."""
    code = {2: "h", 4: "i", 8: "q"}[width]
    bits = generators.FLOAT_BITS[width]
    array = pa.Array.from_buffers(type_, len(bits), [None, pa.py_buffer(struct.pack(
        f"<{len(bits)}{code.upper()}", *bits))])
    zero, minus_zero, one, minus_one, infinity, minus_infinity, *nans, tiny = hashes_of(array)
    assert zero == minus_zero
    assert len(set(nans)) == 1
    assert len({zero, one, minus_one, infinity, minus_infinity, nans[0], tiny}) == 7


def test_booleans():
    check_same([pa.bool_()], [True, False, None, True])


def test_decimals_of_any_width():
    values = [None if number is None else decimal.Decimal(number) / 100
              for number in (0, 1, -1, None, 12345, 99999, -99999, 1)]
    check_same([pa.decimal128(7, 2), pa.decimal32(7, 2), pa.decimal64(7, 2),
                pa.decimal256(7, 2), pa.decimal128(30, 2)], values)


def test_temporals():
    integers = [0, 1, 86399, None, 5, 1]
    for type_ in generators.TEMPORALS:
        factor = generators.DAY_MILLISECONDS if type_ == pa.date64() else 1
        storage = pa.int32() if type_.bit_width == 32 else pa.int64()
        array = pa.array([None if number is None else number * factor for number in integers],
                         storage).view(type_)
        plain = hashes_of(array)
        assert plain[1] == plain[5] and len(set(plain)) == 5
        assert hashes_of(pa.concat_arrays([array[3:], array]).slice(3)) == plain
        indices = pa.array([4, 3, 2, 1, 0, 4], pa.int8())
        pool = pa.concat_arrays([array[row:row + 1] for row in (4, 3, 2, 1, 0)])
        assert hashes_of(pa.DictionaryArray.from_arrays(indices, pool)) == [
            plain[row] for row in (0, 1, 2, 3, 4, 0)]


def test_time_zones_do_not_move_rows():
    """E25."""
    array = pa.array([0, 1, None], pa.timestamp("us"))
    for zone in ("UTC", "Asia/Tokyo"):
        assert hashes_of(array.cast(pa.timestamp("us", zone))) == hashes_of(array)


def test_lists():
    values = [[1, 2], [], None, [1, None], [None], [1, 2], [2, 1], [1], [0]]
    types = [make(pa.int32()) for make in (pa.list_, pa.large_list, pa.list_view,
                                           pa.large_list_view)]
    wanted = hashes_of(pa.array(values, types[0]))
    assert len(set(wanted)) == 8
    for type_ in types:
        for array in sliced_forms(lambda some: pa.array(some, type_), values):
            assert hashes_of(array) == wanted, array.type
    inner = pa.list_(pa.dictionary(pa.int8(), pa.int64()))
    assert hashes_of(pa.array(values, inner)) == wanted
    same_size = [[1, 2], None, [1, None], [1, 2]]
    assert hashes_of(pa.array(same_size, pa.list_(pa.int32(), 2))) == hashes_of(
        pa.array(same_size, types[0]))


def test_structs():
    """T08, H14, and null structs over any child values."""
    type_ = pa.struct([("x", pa.int32()), ("y", pa.string())])
    values = [{"x": 7, "y": "a"}, {"x": 7, "y": None}, None, {"x": None, "y": None},
              {"x": 7, "y": "a"}]
    wanted = hashes_of(pa.array(values, type_))
    assert wanted[0] == wanted[4]
    assert len(set(wanted)) == 4
    for array in sliced_forms(lambda some: pa.array(some, type_), values):
        assert hashes_of(array) == wanted
    garbage = pa.StructArray.from_arrays(
        [pa.array([7, 7, 99, None, 7], pa.int64()),
         pa.array(["a", None, "zz", None, "a"], pa.string_view())], names=["x", "y"],
        mask=pa.array([False, False, True, False, False]))
    assert hashes_of(garbage) == wanted


def test_random_columns_hash_alike_when_moved():
    """Any key type: what an exchange gives, compacted and realigned, hashes like the original."""
    coin = random.Random(11)
    for type_ in [*generators.FLAT, *generators.EXTENSIONS, pa.list_(pa.utf8()),
                  pa.map_(pa.utf8(), pa.int8()), pa.struct([("a", pa.list_view(pa.float64()))]),
                  generators.union_type([pa.int8(), pa.utf8()], True, [0, 5, 127]),
                  generators.union_type([pa.int8(), pa.utf8()], False, [0, 5, 127]),
                  pa.dictionary(pa.int8(), pa.float64()),
                  pa.run_end_encoded(pa.int16(), pa.utf8())]:
        array = generators.Generator(coin).sliced(type_, 50)
        batch = pa.RecordBatch.from_arrays([array], ["k"])
        partitioning = Partitioning.round_robin(libsluice.ROUND_ROBIN_ROWS, 2)
        with Exchange(batch.schema, partitioning) as exchange:
            outputs = drive.with_one_thread(exchange, [[batch]], coin)
        for output, (moved,) in enumerate(outputs):
            assert hashes_of(moved.column(0)) == hashes_of(array)[output::2], type_


def test_keys_that_are_all_null_stay_together():
    """E3, and D5: nulls are a value of their own."""
    for type_ in generators.FLAT:
        assert len(set(hashes_of(pa.nulls(20, type_)))) == 1


def test_key_columns_are_told_apart():
    schema = pa.schema([("a", pa.int64()), ("b", pa.int64())])
    batch = pa.RecordBatch.from_pydict({"a": [1, 2, None, 0], "b": [2, 1, 0, None]},
                                       schema=schema)
    with Partitioner(schema, Partitioning.hash(["a", "b"], 4)) as partitioner:
        assert len(set(partitioner.hashes(batch))) == 4


def test_checksums_forget_the_form():
    values = ["a", None, "b", "a", "", "x" * 100]
    sums = set()
    for type_ in (pa.string(), pa.large_string(), pa.string_view()):
        for array in encodings(values, type_):
            batch = pa.RecordBatch.from_arrays([array], ["k"])
            with Checksummer(batch.schema) as checksummer:
                sums.add(checksummer.sum([batch]))
    assert len(sums) == 1


def test_keys_do_not_move_when_nulls_join_them():
    """T06, H1: 42 and 7 stay where they are in a batch that has nulls."""
    first = hashes_of(pa.array([42, 7], pa.int64()))
    second = hashes_of(pa.array([42, None, 7], pa.int64()))
    assert first == [second[0], second[2]]


def test_dictionaries_that_change_between_batches():
    """T05: batch 1 [a, b], batch 2 [b, a, c]."""
    schema = pa.schema([("k", pa.dictionary(pa.int8(), pa.utf8()))])
    plain = dict(zip("abc", hashes_of(pa.array(list("abc")))))
    with Partitioner(schema, Partitioning.hash(["k"], 4)) as partitioner:
        for pool, picks in ((["a", "b"], [0, 1, 1]), (["b", "a", "c"], [0, 1, 2, 1])):
            column = pa.DictionaryArray.from_arrays(pa.array(picks, pa.int8()), pa.array(pool))
            batch = pa.RecordBatch.from_arrays([column], schema=schema)
            assert partitioner.hashes(batch) == [plain[pool[pick]] for pick in picks]
