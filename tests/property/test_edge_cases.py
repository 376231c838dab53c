# SPDX-License-Identifier: Apache-2.0
"""Edge cases of the reference system (E..) that no other file has by name.

What concerns spilling (E17 to E21) has no counterpart yet, and what concerns expressions and plans
(E14 as an expression, E23) none in an exchange; the rest of the list is in test_reference.py,
test_lifecycle.py and the tests in C.
"""

import decimal
import random

import pyarrow as pa
import pytest

import drive
import libsluice
from libsluice import Exchange, Partitioner, Partitioning, SluiceError
from test_reference import batch_of, exchange_rows, range_of, route

KEYS = Partitioning.hash(["k"], 8)


def numbers(count, first=0):
    return batch_of(k=(pa.int64(), range(first, first + count)))


def test_e1_one_partition_gets_everything():
    rows, _ = exchange_rows([[numbers(100)]], Partitioning.hash(["k"], 1))
    assert [row["k"] for row in rows[0]] == list(range(100))


def test_e2_more_partitions_than_rows():
    rows, outputs = exchange_rows([[numbers(3)]], Partitioning.hash(["k"], 1000))
    assert sorted(row["k"] for some in rows for row in some) == [0, 1, 2]
    assert all(batch.num_rows > 0 for batches in outputs for batch in batches)


@pytest.mark.parametrize("count", [0, 1])
def test_e6_an_input_without_rows_ends_every_output(count):
    with Exchange(numbers(0).schema, KEYS) as exchange:
        for _ in range(count):
            exchange.push(0, numbers(0))
        exchange.finish(0)
        assert all(exchange.pull(output) is None for output in range(8))


def test_e7_slices_are_honoured_at_every_depth():
    lists = [[1, 2], None, [3], [], [4, 5, 6], [None]]
    batch = batch_of(k=(pa.int64(), range(6)), l=(pa.list_(pa.int64()), lists),
                     d=(pa.dictionary(pa.int8(), pa.utf8()), ["a", "b", None, "a", "c", "b"]),
                     s=(pa.struct([("b", pa.bool_())]), [{"b": row % 2 == 0} for row in range(6)]))
    rows, _ = exchange_rows([[batch.slice(2, 3)]], KEYS)
    got = sorted((row for some in rows for row in some), key=lambda row: row["k"])
    assert got == batch.to_pylist()[2:5]


def test_e8_a_split_point_may_be_null():
    # Nulls last: the null split parts the numbers from the nulls, which equal it and go right.
    assert range_of(pa.int64(), [10, None], [5, 10, 99, None]) == [0, 1, 1, 2]


def test_e12_decimals_of_another_precision_are_compared_by_value():
    split = batch_of(k=(pa.decimal128(10, 2), [decimal.Decimal("10.00")]))
    rows = batch_of(k=(pa.decimal128(20, 2), [decimal.Decimal("9.99"), decimal.Decimal("10.00")]))
    assert route(Partitioning.range([("k", False, True)], split), rows) == [0, 1]


def test_e13_a_constant_key_sends_all_rows_to_one_output():
    rows, _ = exchange_rows([[batch_of(k=(pa.int64(), [7] * 500))]], KEYS)
    assert sorted(map(len, rows)) == [0] * 7 + [500]


def test_e14_an_error_of_one_input_reaches_every_output():
    with Exchange(numbers(0).schema, Partitioning.hash(["k"], 3), input_count=2) as exchange:
        exchange.push(0, numbers(10))
        exchange.fail(libsluice.IO_ERROR, "input 1: the disk is gone")
        for output in range(3):
            with pytest.raises(SluiceError) as caught:
                exchange.pull(output)
            assert caught.value.status == libsluice.IO_ERROR
            assert "the disk is gone" in caught.value.message


def test_e22_a_pull_that_would_wait_may_be_repeated():
    with Exchange(numbers(0).schema, Partitioning.hash(["k"], 1), batch_rows_target=10) as exchange:
        for _ in range(100):
            assert exchange.try_pull(0) == (libsluice.WOULD_BLOCK, None)
        exchange.push(0, numbers(10))
        exchange.finish(0)
        assert exchange.pull(0).num_rows == 10
        assert exchange.pull(0) is None
        assert exchange.pull(0) is None


def test_e24_an_input_that_has_finished_takes_nothing_more():
    with Exchange(numbers(0).schema, KEYS) as exchange:
        exchange.finish(0)
        for again in (lambda: exchange.finish(0), lambda: exchange.push(0, numbers(1))):
            with pytest.raises(SluiceError) as caught:
                again()
            assert caught.value.status == libsluice.INVALID
            assert "input 0" in caught.value.message


def test_e29_an_endless_input_hands_its_rows_on_at_once():
    with Exchange(numbers(0).schema, KEYS, flush_each_batch=True) as exchange:
        exchange.push(0, numbers(50))
        pulled = 0
        for output in range(8):
            _, batch = exchange.try_pull(output)
            pulled += 0 if batch is None else batch.num_rows
        assert pulled == 50


def test_e30_a_thousand_outputs():
    rows, _ = exchange_rows([[numbers(20000)]], Partitioning.hash(["k"], 1000))
    assert sum(map(len, rows)) == 20000
    with Partitioner(numbers(0).schema, Partitioning.hash(["k"], 1000)) as partitioner:
        for output, some in enumerate(rows):
            if some:
                batch = batch_of(k=(pa.int64(), [row["k"] for row in some]))
                assert set(partitioner.ids(batch)) == {output}


def test_e31_rows_are_placed_by_what_they_are_not_by_what_is_claimed():
    """A source may say that it is sorted or ranged: every row is looked at all the same."""
    partitioning = Partitioning.range([("k", False, True)],
                                      batch_of(k=(pa.int64(), [10, 20])))
    schema = numbers(0).schema.with_metadata({"sluice.partitioning": '{"kind":"range"}'})
    batch = pa.RecordBatch.from_arrays([pa.array([25, 5, 15])], schema=schema)
    with Exchange(schema, partitioning) as exchange:
        outputs = drive.with_one_thread(exchange, [[batch]], random.Random(1))
    assert [[row["k"] for part in some for row in part.to_pylist()] for some in outputs] == [
        [5], [15], [25]]
