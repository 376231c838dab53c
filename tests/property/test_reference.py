# SPDX-License-Identifier: Apache-2.0
"""Named cases with written-out answers: the vectors of the reference system and of its users.

The numbers (F.., E.., T..) are those of the reference rules that the design follows.  Where the
reference's float order differs (F22), the design holds: NaN is greatest and -0.0 equals 0.0.
"""

import decimal
import math
import random

import pyarrow as pa
import pytest

import drive
import libsluice
from libsluice import Exchange, Partitioner, Partitioning, SluiceError

ROWS, BATCHES = libsluice.ROUND_ROBIN_ROWS, libsluice.ROUND_ROBIN_BATCHES
NAN, INFINITY = math.nan, math.inf


def batch_of(**columns):
    """Columns by name, each (type, values)."""
    return pa.RecordBatch.from_arrays([pa.array(values, type_) for type_, values in
                                       columns.values()], names=list(columns))


def route(partitioning, *batches):
    """Ids of the rows of the batches, one after the other."""
    with Partitioner(batches[0].schema, partitioning) as partitioner:
        return [number for batch in batches for number in partitioner.ids(batch)]


def range_of(type_, splits, values, descending=False, nulls_first=False, total=False):
    """Where values go when k is split at splits."""
    partitioning = Partitioning.range([("k", descending, nulls_first)],
                                      batch_of(k=(type_, splits)), total)
    assert partitioning.count == len(splits) + 1
    return route(partitioning, batch_of(k=(type_, values)))


def exchange_rows(batches_per_input, partitioning, **options):
    """The rows of each output as a list of dictionaries, and the batches."""
    schema = batches_per_input[0][0].schema
    with Exchange(schema, partitioning, input_count=len(batches_per_input),
                  **options) as exchange:
        outputs = drive.with_one_thread(exchange, batches_per_input, random.Random(1))
    return [[row for batch in batches for row in batch.to_pylist()] for batches in outputs], outputs


def fifty_batches(first=1):
    """Fifty batches of eight rows 1..8, as the reference's tests have them."""
    return [batch_of(k=(pa.uint32(), range(first, first + 8))) for _ in range(50)]


def test_t2_round_robin_one_to_four():
    rows, _ = exchange_rows([fifty_batches()], Partitioning.round_robin(BATCHES, 4))
    assert [len(some) for some in rows] == [13 * 8, 13 * 8, 12 * 8, 12 * 8]


def test_t2_round_robin_three_to_one_and_to_five():
    three = [fifty_batches() for _ in range(3)]
    rows, _ = exchange_rows(three, Partitioning.round_robin(BATCHES, 1))
    assert [len(some) for some in rows] == [1200]
    rows, _ = exchange_rows(three, Partitioning.round_robin(BATCHES, 5))
    assert [len(some) for some in rows] == [240] * 5


def test_t2_hash_three_to_eight():
    rows, outputs = exchange_rows([fifty_batches() for _ in range(3)],
                                  Partitioning.hash(["k"], 8))
    assert len(outputs) == 8
    assert sum(map(len, rows)) == 1200


def test_t2_range_three_to_three():
    partitioning = Partitioning.range([("k", False, False)], batch_of(k=(pa.uint32(), [3, 6])))
    rows, _ = exchange_rows([fifty_batches() for _ in range(3)], partitioning)
    assert [len(some) for some in rows] == [300, 450, 450]
    assert [{row["k"] for row in some} for some in rows] == [{1, 2}, {3, 4, 5}, {6, 7, 8}]


def test_t2_one_row_leaves_an_output_without_a_batch():
    _, outputs = exchange_rows([[batch_of(k=(pa.uint32(), [1]))]], Partitioning.hash(["k"], 2))
    assert sorted(map(len, outputs)) == [0, 1]


def test_t3_every_batch_is_full():
    _, outputs = exchange_rows([fifty_batches(), fifty_batches()],
                               Partitioning.hash(["k"], 1), batch_rows_target=200)
    assert [batch.num_rows for batch in outputs[0]] == [200] * 4


def test_t6_a_closed_output_changes_nothing_for_the_other():
    """E15: output 1 gets input 0's second and input 1's first batch: a staggered start (F2)."""
    inputs = [[batch_of(k=(pa.utf8(), values)) for values in some] for some in (
        [["foo"], ["bar"]], [["frob"], ["baz"]])]
    with Exchange(inputs[0][0].schema, Partitioning.round_robin(BATCHES, 2),
                  input_count=2) as exchange:
        exchange.close_output(0)
        outputs = drive.with_some_closed(exchange, inputs, [0])
    assert sorted(row for batch in outputs[1] for row in batch["k"].to_pylist()) == ["bar", "frob"]


def test_t4_ascending_and_descending():
    """F7, F9, F21: a row equal to a split goes right of it."""
    values = [5, 10, 15, 20, 25]
    assert range_of(pa.int32(), [10, 20], values) == [0, 1, 1, 2, 2]
    assert range_of(pa.int32(), [20, 10], values, descending=True) == [2, 2, 1, 1, 0]


def test_t4_compound_keys():
    """F11."""
    order = [("a", False, False), ("b", False, False)]
    splits = batch_of(a=(pa.int32(), [10, 10]), b=(pa.int32(), [1, 5]))
    rows = batch_of(a=(pa.int32(), [5, 10, 10, 10, 10, 15]),
                    b=(pa.int32(), [1, 1, 3, 5, 7, 0]))
    assert route(Partitioning.range(order, splits), rows) == [0, 1, 1, 2, 2, 2]


def test_t4_nulls():
    """F10, E11: first or last, whatever the direction."""
    values = [None, 5, 10, 15]
    for descending, others in ((False, [0, 1, 1]), (True, [1, 1, 0])):
        assert range_of(pa.int64(), [10], values, descending) == [1, *others]
        assert range_of(pa.int64(), [10], values, descending, nulls_first=True) == [0, *others]


@pytest.mark.parametrize("type_", [pa.utf8(), pa.large_utf8(), pa.string_view()], ids=str)
def test_t4_strings(type_):
    assert range_of(type_, ["foo"], ["bar", "baz", "foo", "qux"]) == [0, 0, 1, 1]
    assert range_of(type_, ["d", "m", "s"], ["a", "d", "f", "m", "o", "s", "z", None],
                    nulls_first=True) == [0, 1, 1, 2, 2, 3, 3, 0]


def test_t4_router_vectors():
    ascending = [5, 10, 15, 20, 25, 30, 35, None]
    assert range_of(pa.int64(), [10, 20, 30], ascending, nulls_first=True) == [
        0, 1, 1, 2, 2, 3, 3, 0]
    descending = [35, 30, 25, 20, 15, 10, 5, None]
    assert range_of(pa.int64(), [30, 20, 10], descending, descending=True) == [
        0, 1, 1, 2, 2, 3, 3, 3]
    assert range_of(pa.float64(), [0, 100], [-10, 0, 50, 100, 200, None]) == [0, 1, 1, 2, 2, 2]
    order = [("a", False, False), ("b", False, False)]
    splits = batch_of(a=(pa.int32(), [1, 1, 2]), b=(pa.utf8(), ["b", "d", "a"]))
    rows = batch_of(a=(pa.int32(), [1, 1, 1, 1, 2, 2, 3]),
                    b=(pa.utf8(), ["a", "b", "c", "d", "a", "z", "a"]))
    assert route(Partitioning.range(order, splits), rows) == [0, 1, 1, 2, 3, 3, 3]
    assert range_of(pa.int64(), [], ascending) == [0] * 8


FAST_PATH = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(),
             pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.decimal32(5, 0),
             pa.decimal64(12, 0), pa.decimal128(20, 0), pa.decimal256(50, 0)]


@pytest.mark.parametrize("type_", FAST_PATH, ids=str)
def test_f20_f29_numbers_of_every_width(type_):
    """The same vector over every numeric type, up and down, with and without nulls."""
    def cast(values):
        if pa.types.is_decimal(type_):
            return [None if value is None else decimal.Decimal(value) for value in values]
        if type_ == pa.float16():
            import numpy
            return [None if value is None else numpy.float16(value) for value in values]
        return values

    values = [0, 9, 10, 11, 19, 20, 21, 29, 30, 31, 100]
    wanted = [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert range_of(type_, cast([10, 20, 30]), cast(values)) == wanted
    assert range_of(type_, cast([10, 20, 30]), cast([*values, None])) == [*wanted, 3]
    assert range_of(type_, cast([10, 20, 30]), cast([*values, None]), nulls_first=True) == [
        *wanted, 0]
    down = [3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0]
    assert range_of(type_, cast([30, 20, 10]), cast(values), descending=True) == down


@pytest.mark.parametrize("type_", [pa.int8(), pa.int16(), pa.int32(), pa.int64(),
                                   pa.decimal128(38, 0)], ids=str)
def test_f21_signs_and_extremes(type_):
    low, high = ((-10**38 + 1, 10**38 - 1) if pa.types.is_decimal(type_)
                 else (-2**(type_.bit_width - 1), 2**(type_.bit_width - 1) - 1))
    values = [low, -1, 0, 1, high]
    if pa.types.is_decimal(type_):
        decimal.getcontext().prec = 40
        values = list(map(decimal.Decimal, values))
    assert range_of(type_, values, values) == [1, 2, 3, 4, 5]
    assert range_of(type_, values[::-1], values, descending=True) == [5, 4, 3, 2, 1]


@pytest.mark.parametrize("type_", [pa.float32(), pa.float64()], ids=str)
def test_e32_floats(type_):
    """D6: NaN above every number, -0.0 equal to 0.0, infinities are fine as splits."""
    values = [-INFINITY, -1.0, -0.0, 0.0, 1.0, INFINITY, NAN]
    assert range_of(type_, [-INFINITY, 0.0, INFINITY, NAN], values) == [1, 1, 2, 2, 2, 3, 4]
    assert range_of(type_, [NAN, INFINITY, -0.0], values, descending=True) == [
        3, 3, 3, 3, 2, 2, 1]


def test_f22_total_order_on_request():
    minus_nan = pa.array([0xFFF8000000000000], pa.uint64()).view(pa.float64())
    values = pa.concat_arrays([minus_nan, pa.array([-INFINITY, -0.0, 0.0, INFINITY, NAN])])
    partitioning = Partitioning.range([("k", False, False)], pa.RecordBatch.from_arrays(
        [values], ["k"]), is_total_order=True)
    assert route(partitioning, pa.RecordBatch.from_arrays([values], ["k"])) == [1, 2, 3, 4, 5, 6]


def test_f23_booleans_and_bytes():
    assert range_of(pa.bool_(), [True], [False, True, None]) == [0, 1, 1]
    assert range_of(pa.bool_(), [False, True], [False, True, None], nulls_first=True) == [1, 2, 0]
    values = [b"", b"\0", b"\0\0", b"\x01", b"a", b"a\0", b"b", b"\xff"]
    assert range_of(pa.binary(), values, values) == list(range(1, 9))
    assert range_of(pa.binary(), values[::-1], values, descending=True) == list(range(8, 0, -1))
    fixed = [b"aa", b"ab", b"ba"]
    assert range_of(pa.binary(2), fixed[1:], fixed) == [0, 1, 2]


def test_f23_a_prefix_sorts_before_what_it_begins():
    """Compound byte keys: the end of one string must not run into the next column."""
    order = [("a", False, False), ("b", False, False)]
    splits = batch_of(a=(pa.utf8(), ["a", "a", "aa"]), b=(pa.utf8(), ["", "z", ""]))
    rows = batch_of(a=(pa.utf8(), ["", "a", "a", "a", "aa", "a\0", "b"]),
                    b=(pa.utf8(), ["z", "", "a", "z", "", "", ""]))
    assert route(Partitioning.range(order, splits), rows) == [0, 1, 1, 2, 3, 2, 3]


def test_f20_temporal_types():
    """The integers decide: dates, times, timestamps with any zone, durations."""
    for type_ in [pa.date32(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
                  *[pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns")
                    for zone in (None, "UTC")], pa.duration("us")]:
        storage = pa.int32() if type_.bit_width == 32 else pa.int64()
        splits, values = (pa.array(numbers, storage).view(type_)
                          for numbers in ([10, 20], [9, 10, 11, 20, None]))
        partitioning = Partitioning.range([("k", False, True)],
                                          pa.RecordBatch.from_arrays([splits], ["k"]))
        assert route(partitioning, pa.RecordBatch.from_arrays([values], ["k"])) == [0, 1, 1, 2, 0]


def test_f26_f27_splits_that_do_not_fit():
    rows = batch_of(k=(pa.int64(), [1]))
    with pytest.raises(SluiceError):
        route(Partitioning.range([("k", False, False)], batch_of(k=(pa.utf8(), ["a"]))), rows)
    with pytest.raises(SluiceError) as caught:
        Partitioning.range([("k", False, False)],
                           batch_of(k=(pa.int64(), [1]), j=(pa.int64(), [1])))
    assert caught.value.status == libsluice.INVALID


def test_f31_e10_splits_must_increase_strictly():
    for splits, descending, nulls_first in (
            ([1, 1], False, False), ([2, 1], False, False), ([1, 2], True, False),
            ([None, 1], False, False), ([1, None], False, True), ([None, None], False, True)):
        with pytest.raises(SluiceError) as caught:
            range_of(pa.int64(), splits, [1], descending, nulls_first)
        assert caught.value.status == libsluice.INVALID
    with pytest.raises(SluiceError):
        range_of(pa.float64(), [-0.0, 0.0], [1.0])
    with pytest.raises(SluiceError):
        range_of(pa.float64(), [NAN, NAN], [1.0])


def test_e1_one_partition():
    rows = batch_of(k=(pa.int64(), [1, 2, None]))
    assert route(Partitioning.hash(["k"], 1), rows) == [0, 0, 0]


def test_e2_more_outputs_than_rows():
    _, outputs = exchange_rows([[batch_of(k=(pa.int64(), range(10)))]],
                               Partitioning.hash(["k"], 300))
    assert len(outputs) == 300
    assert 1 <= sum(1 for batches in outputs if batches) <= 10


def test_e3_all_null_keys():
    rows = batch_of(k=(pa.int64(), [None] * 100))
    assert len(set(route(Partitioning.hash(["k"], 64), rows))) == 1


def test_e4_no_columns():
    empty = pa.RecordBatch.from_struct_array(pa.Array.from_buffers(pa.struct([]), 10, [None]))
    for kind in (ROWS, BATCHES):
        _, outputs = exchange_rows([[empty] * 4], Partitioning.round_robin(kind, 4))
        assert [sum(batch.num_rows for batch in some) for some in outputs] == [10] * 4


def test_e8_e9_null_splits():
    """A null split is legal where it is in order; a null row is right of it."""
    assert range_of(pa.int64(), [None, 10], [None, 5, 10], nulls_first=True) == [1, 1, 2]
    assert range_of(pa.int64(), [10, None], [None, 5, 10]) == [2, 0, 1]


def test_t05_forms_by_the_exchange():
    """The forms meet in one output across exchanges; a null inside a dictionary is a null."""
    forms = [pa.array(["a", "b", None, "c", "a"], type_)
             for type_ in (pa.utf8(), pa.large_utf8(), pa.string_view())]
    forms.append(pa.DictionaryArray.from_arrays(pa.array([1, 2, None, 0, 1], pa.int8()),
                                                pa.array(["c", "a", "b"])))
    forms.append(pa.DictionaryArray.from_arrays(pa.array([1, 2, 3, 0, 1], pa.int8()),
                                                pa.array(["c", "a", "b", None])))
    forms.append(pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3, 4, 5], pa.int16()),
                                                   pa.array(["a", "b", None, "c", "a"])))
    placed = set()
    for form in forms:
        for partitioning in (Partitioning.hash(["k"], 4), Partitioning.range(
                [("k", False, True)], batch_of(k=(pa.utf8(), ["b", "c"])))):
            batch = pa.RecordBatch.from_arrays([form], ["k"])
            rows, _ = exchange_rows([[batch]], partitioning)
            placed.add((partitioning.kind, str([[row["k"] for row in some] for some in rows])))
    assert len(placed) == 2
    assert (libsluice.RANGE, "[[None, 'a', 'a'], ['b'], ['c']]") not in placed
    assert (libsluice.RANGE, "[['a', None, 'a'], ['b'], ['c']]") in placed


def test_t06_keys_stay_when_nulls_come():
    first = batch_of(k=(pa.int64(), [42, 7]))
    second = batch_of(k=(pa.int64(), [42, None, 7]))
    ids = route(Partitioning.hash(["k"], 8), first, second)
    assert ids[:2] == [ids[2], ids[4]]


@pytest.mark.parametrize("by_hash", [True, False])
def test_t08_a_sliced_struct(by_hash):
    values = pa.array([{"x": 7}, {"x": 7}, None, {"x": None}, {"x": 7}],
                      pa.struct([("x", pa.int32())]))
    batch = pa.RecordBatch.from_arrays([values.slice(1, 3)], ["s"])
    partitioning = (Partitioning.hash(["s"], 4) if by_hash else Partitioning.round_robin(ROWS, 4))
    rows, _ = exchange_rows([[batch]], partitioning)
    got = [row["s"] for some in rows for row in some]
    assert len(got) == 3
    assert all(wanted in got for wanted in ({"x": 7}, None, {"x": None}))


def test_t11_round_robin_by_rows():
    batches = [batch_of(x=(pa.int64(), [2 * number, 2 * number + 1])) for number in range(50)]
    first, _ = exchange_rows([batches], Partitioning.round_robin(ROWS, 4))
    for output, rows in enumerate(first):
        assert [row["x"] for row in rows] == list(range(output, 100, 4))
    for _ in range(20):
        with Exchange(batches[0].schema, Partitioning.round_robin(ROWS, 4)) as exchange:
            outputs = drive.with_threads(exchange, [batches])
        assert [[row for batch in some for row in batch.to_pylist()] for some in outputs] == first


def test_t12_range_with_nulls():
    keys = [5, 1, None, 3, None, 9]
    batch = batch_of(k=(pa.int32(), keys), x=(pa.int32(), range(6)))
    splits = batch_of(k=(pa.int32(), [3, 6]))
    rows, _ = exchange_rows([[batch]], Partitioning.range([("k", False, True)], splits))
    assert [[row["x"] for row in some] for some in rows] == [[1, 2, 4], [0, 3], [5]]
    rows, _ = exchange_rows([[batch]], Partitioning.range([("k", False, False)], splits))
    assert [[row["x"] for row in some] for some in rows] == [[1], [0, 3], [2, 4, 5]]


def test_t15_range_of_floats():
    batch = batch_of(k=(pa.float64(), [NAN, -INFINITY, -0.0, 0.0, INFINITY, None, 1e300]))
    partitioning = Partitioning.range([("k", False, True)], batch_of(k=(pa.float64(), [0.0])))
    rows, _ = exchange_rows([[batch]], partitioning)
    assert [row["k"] for row in rows[0]] == [-INFINITY, None]
    numbers = [row["k"] for row in rows[1]]
    assert math.isnan(numbers[0]) and numbers[1:] == [-0.0, 0.0, INFINITY, 1e300]
    assert math.copysign(1, numbers[1]) == -1


def test_t24_offsets_stay_below_their_limit():
    """D1, D3, D6: three batches of 900 MB of text, in small: a limit of 65 536 bytes."""
    text = batch_of(k=(pa.int8(), [1] * 30), s=(pa.utf8(), ["x" * 1000] * 30))
    # Two keys, so that no batch may be passed on whole.
    mixed = batch_of(k=(pa.int8(), [2]), s=(pa.utf8(), ["y"]))
    joined = pa.concat_batches([text, mixed])
    _, outputs = exchange_rows([[joined] * 9], Partitioning.hash(["k"], 1000),
                               batch_bytes_max=65536)
    sizes = [[len("".join(batch["s"].to_pylist())) for batch in batches] for batches in outputs
             if batches]
    assert sum(map(sum, sizes)) == 9 * 30001
    assert max(map(max, sizes)) <= 65536
    assert max(map(len, sizes)) == 5  # 270 values of 1000 bytes, 65 in a batch.
