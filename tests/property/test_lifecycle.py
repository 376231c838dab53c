# SPDX-License-Identifier: Apache-2.0
"""What an exchange does besides moving rows: errors, closing, cancelling, memory, lifetimes."""

import gc
import random
import re
import threading
import time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import drive
import generators
import libsluice
import oracle
from libsluice import Exchange, Memory, Partitioning, SluiceError

SCHEMA = pa.schema([("k", pa.int64()), ("s", pa.string())])
WAIT_SECONDS = 30


def batch_of(rows, first=0):
    return pa.RecordBatch.from_arrays(
        [pa.array(range(first, first + rows), pa.int64()),
         pa.array([str(row) for row in range(first, first + rows)])], schema=SCHEMA)


def hash_exchange(outputs, **options):
    return Exchange(SCHEMA, Partitioning.hash(["k"], outputs), **options)


@given(cases.cases(rows_max=100), st.integers(0, 2**32 - 1))
def test_batches_outlive_the_exchange(case, seed):
    exchange = case.exchange(batch_rows_target=50)
    outputs = drive.with_one_thread(exchange, case.inputs, random.Random(seed))
    exchange.free()
    del exchange
    gc.collect()
    cases.check_outputs(case, outputs)


def test_streams_keep_the_exchange_alive():
    exchange = hash_exchange(3)
    readers = [exchange.reader(output) for output in range(3)]
    exchange.push(0, batch_of(1000))
    exchange.finish(0)
    exchange.free()
    gc.collect()
    assert sorted(row for reader in readers for row in reader.read_all()["k"].to_pylist()) == list(
        range(1000))


def test_a_released_stream_closes_its_output():
    with hash_exchange(1) as exchange:
        stream = exchange.export_stream(0)
        libsluice.release(stream)
        assert exchange.push(0, batch_of(10)) == libsluice.CLOSED


def test_nothing_of_the_input_is_kept():
    gc.collect()
    before = pa.total_allocated_bytes()
    with hash_exchange(7, batch_rows_target=100, batches_hungry_below=1000) as exchange:
        for number in range(20):
            exchange.push(0, batch_of(1000, number * 1000))
        exchange.finish(0)
        for output in range(3):
            exchange.pull(output)
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_memory_is_used_again():
    """I11: what was released serves the next batches, and the next exchange of one memory."""
    with Memory() as memory:
        high = []
        for _ in range(5):
            with hash_exchange(5, batch_rows_target=100, memory=memory.pointer) as exchange:
                outputs = drive.with_one_thread(exchange, [[batch_of(1000)] * 10],
                                                random.Random(1))
                assert exchange.memory_metrics() == memory.metrics()
                assert sum(batch.num_rows for some in outputs for batch in some) == 10000
            del outputs
            gc.collect()
            high.append(memory.metrics()["bytes_max"])
        assert high == [high[0]] * 5
        assert memory.metrics()["bytes"] <= memory.metrics()["bytes_max"]
        assert memory.metrics()["limit"] == 0


def test_a_memory_outlives_its_owner():
    memory = Memory(10**9)
    exchange = hash_exchange(2, memory=memory.pointer)
    memory.free()
    outputs = drive.with_one_thread(exchange, [[batch_of(1000)]], random.Random(1))
    exchange.free()
    assert sum(batch.num_rows for some in outputs for batch in some) == 1000


def test_a_shared_memory_has_one_limit():
    """The second exchange gets what the first one has left."""
    with Memory(20_000_000) as memory:
        with hash_exchange(3, memory=memory.pointer, batches_hungry_below=10**6) as first:
            with pytest.raises(SluiceError) as caught:
                for _ in range(10000):
                    first.push(0, batch_of(5000))
            assert caught.value.status == libsluice.OUT_OF_MEMORY
            assert "20000000" in caught.value.message
        gc.collect()
        with hash_exchange(3, memory=memory.pointer) as second:
            outputs = drive.with_one_thread(second, [[batch_of(5000)] * 10], random.Random(1))
            assert sum(batch.num_rows for some in outputs for batch in some) == 50000
        assert memory.metrics()["bytes_max"] <= memory.metrics()["limit"] == 20_000_000


def test_a_memory_limit_that_suffices_is_kept():
    batches = [[batch_of(1000, 1000 * number) for number in range(30)]]
    with hash_exchange(4, batch_rows_target=500) as exchange:
        drive.with_one_thread(exchange, batches, random.Random(1))
        needed = exchange.memory_metrics()["bytes_max"]
    with hash_exchange(4, batch_rows_target=500, memory_bytes_max=2 * needed) as exchange:
        outputs = drive.with_one_thread(exchange, batches, random.Random(1))
        metrics = exchange.memory_metrics()
        assert metrics["limit"] == 2 * needed
        assert 0 < metrics["bytes_max"] <= metrics["limit"]
    assert sum(batch.num_rows for some in outputs for batch in some) == 30000


@pytest.mark.parametrize("limit", [1, 4096, 100_000, 1_000_000])
def test_a_memory_limit_ends_in_an_error_with_the_numbers(limit):
    """Output 1 stays hungry, so the gate is open and the queue of output 0 can only grow."""
    with pytest.raises(SluiceError) as caught:
        schema = pa.schema([("p", pa.int8())])
        with Exchange(schema, Partitioning.ids("p", 2), memory_bytes_max=limit,
                      batch_rows_target=1000) as exchange:
            uneven = pa.RecordBatch.from_arrays([pa.array([0] * 4999 + [1], pa.int8())],
                                                schema=schema)
            for _ in range(900):
                assert exchange.try_push(0, uneven) == libsluice.OK
    assert caught.value.status == libsluice.OUT_OF_MEMORY
    assert len(re.findall(r"\d+", caught.value.message)) >= 2, caught.value.message
    assert str(limit) in caught.value.message


def test_the_first_error_reaches_every_output_and_every_call():
    """I9, D12."""
    with hash_exchange(3, input_count=2) as exchange:
        exchange.push(0, batch_of(100))
        exchange.fail(libsluice.IO_ERROR, "source lineitem.parquet: 17 bytes are missing")
        exchange.fail(libsluice.BAD_DATA, "a later error")
        for output in range(3):
            with pytest.raises(SluiceError, match="17 bytes are missing") as caught:
                exchange.pull(output)
            assert caught.value.status == libsluice.IO_ERROR
        with pytest.raises(SluiceError, match="17 bytes are missing"):
            exchange.push(1, batch_of(1))
        with pytest.raises(SluiceError, match="17 bytes are missing"):
            exchange.try_push(0, batch_of(1))
        with pytest.raises(SluiceError, match="17 bytes are missing"):
            exchange.finish(0)


def test_an_error_wakes_those_who_wait():
    with hash_exchange(3) as exchange:
        caught = []

        def wait(pull):
            try:
                pull()
            except SluiceError as error:
                caught.append(error)

        pulls = [lambda output=output: exchange.pull(output) for output in range(2)]
        threads = [threading.Thread(target=wait, args=(pull,), daemon=True)
                   for pull in [*pulls, exchange.pull_any]]
        for thread in threads:
            thread.start()
        time.sleep(0.05)
        exchange.fail(libsluice.UNSUPPORTED, "no")
        join_all(threads)
        assert [error.status for error in caught] == [libsluice.UNSUPPORTED] * 3


def join_all(threads):
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert not any(thread.is_alive() for thread in threads), "somebody was not woken"


def test_cancel_wakes_pull_and_push():
    with hash_exchange(2) as exchange:
        statuses = []

        def push_for_ever():
            try:
                while True:
                    exchange.push(0, batch_of(20000))
            except SluiceError as error:
                statuses.append(error.status)

        thread = threading.Thread(target=push_for_ever, daemon=True)
        thread.start()
        time.sleep(0.2)
        assert thread.is_alive(), "push must wait while no output is hungry"
        exchange.cancel()
        join_all([thread])
        assert statuses == [libsluice.CANCELLED]
        for call in (lambda: exchange.pull(0), lambda: exchange.pull_any(),
                     lambda: exchange.try_pull(1), lambda: exchange.try_push(0, batch_of(1)),
                     lambda: exchange.finish(0)):
            with pytest.raises(SluiceError) as caught:
                call()
            assert caught.value.status == libsluice.CANCELLED


def test_a_waiting_push_goes_on_when_an_output_is_pulled_or_closed():
    for let_go in (lambda exchange: exchange.pull(0), lambda exchange: exchange.close_output(0)):
        with hash_exchange(1, batches_hungry_below=1) as exchange:
            exchange.push(0, batch_of(10000))
            assert exchange.try_push(0, batch_of(10)) == libsluice.WOULD_BLOCK
            thread = threading.Thread(target=exchange.push, args=(0, batch_of(10)), daemon=True)
            thread.start()
            time.sleep(0.1)
            assert thread.is_alive()
            let_go(exchange)
            join_all([thread])


def test_push_says_closed_when_every_output_is():
    with hash_exchange(3) as exchange:
        exchange.push(0, batch_of(100))
        for output in range(3):
            exchange.close_output(output)
            exchange.close_output(output)
        assert exchange.push(0, batch_of(1)) == libsluice.CLOSED
        assert exchange.try_push(0, batch_of(1)) == libsluice.CLOSED
        assert exchange.finish(0) in (libsluice.OK, libsluice.CLOSED)


def test_consumers_that_leave_early_stop_the_inputs():
    """F67: LIMIT over every output; run returns without reading its endless sources."""
    def endless():
        number = 0
        while True:
            yield batch_of(1000, number)
            number += 1000

    with hash_exchange(4, input_count=2, batch_rows_target=100) as exchange:
        sources = [pa.RecordBatchReader.from_batches(SCHEMA, endless()) for _ in range(2)]

        def take_three(output):
            with exchange.reader(output) as reader:
                for _ in range(3):
                    assert reader.read_next_batch().num_rows == 100

        drive.run_threads(exchange, [lambda: exchange.run(sources),
                                     *[lambda output=output: take_three(output)
                                       for output in range(4)]])


def test_an_error_of_a_source_reaches_every_output():
    """T2: good data, then an error in the middle of a stream."""
    def broken():
        yield batch_of(100)
        raise ValueError("the disk is on fire")

    with hash_exchange(2, input_count=2, batch_rows_target=10) as exchange:
        sources = [pa.RecordBatchReader.from_batches(SCHEMA, batches)
                   for batches in (broken(), iter([batch_of(50)]))]
        messages = []

        def run():
            with pytest.raises(SluiceError, match="the disk is on fire"):
                exchange.run(sources)

        def read(output):
            try:
                for _ in exchange.reader(output):
                    pass
            except (pa.ArrowException, OSError) as error:
                messages.append(str(error))

        drive.run_threads(exchange, [run, lambda: read(0), lambda: read(1)])
        assert len(messages) == 2
        assert all("the disk is on fire" in message for message in messages)


def test_a_stream_of_another_schema_is_refused():
    with hash_exchange(2) as exchange:
        other = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int8())]), [])
        with pytest.raises(SluiceError):
            exchange.run([other])


def test_run_wants_one_stream_for_each_input():
    with hash_exchange(2, input_count=2) as exchange:
        reader = pa.RecordBatchReader.from_batches(SCHEMA, [])
        with pytest.raises(SluiceError) as caught:
            exchange.run([reader])
        assert caught.value.status == libsluice.INVALID


def test_no_rows_at_all():
    """T21: every output ends without a batch."""
    with hash_exchange(4, input_count=3) as exchange:
        exchange.push(1, batch_of(0))
        for index in range(3):
            exchange.finish(index)
        for output in range(4):
            assert exchange.pull(output) is None
            assert exchange.pull(output) is None
        assert exchange.pull_any()[1] is None


def test_pull_any_reports_each_end_once():
    with hash_exchange(3, batch_rows_target=10) as exchange:
        exchange.push(0, batch_of(100))
        exchange.finish(0)
        ends, output = [], libsluice.NO_OUTPUT
        while True:
            output, batch = exchange.pull_any(output)
            if batch is None and output == libsluice.NO_OUTPUT:
                break
            if batch is None:
                ends.append(output)
        assert sorted(ends) == [0, 1, 2]
        assert exchange.pull_any() == (libsluice.NO_OUTPUT, None)


def test_wrong_calls_are_invalid():
    with hash_exchange(2) as exchange:
        wrong = [lambda: exchange.push(1, batch_of(1)), lambda: exchange.pull(2),
                 lambda: exchange.try_pull(2), lambda: exchange.finish(1),
                 lambda: exchange.export_stream(9)]
        for call in wrong:
            with pytest.raises(SluiceError) as caught:
                call()
            assert caught.value.status == libsluice.INVALID
            assert re.search(r"\d", caught.value.message), caught.value.message
        exchange.close_output(99)
        exchange.finish(0)
        with pytest.raises(SluiceError) as caught:
            exchange.push(0, batch_of(1))
        assert caught.value.status == libsluice.INVALID


@pytest.mark.parametrize("options", [
    {"batch_rows_target": -1}, {"batch_rows_target": 2**30 + 1}, {"batch_bytes_max": -5},
    {"batch_bytes_max": 2**31}, {"memory_bytes_max": -1}])
def test_wrong_options_are_invalid(options):
    with pytest.raises(SluiceError) as caught:
        hash_exchange(2, **options)
    assert caught.value.status == libsluice.INVALID
    assert str(next(iter(options.values()))) in caught.value.message


def test_a_batch_of_another_schema_is_refused_and_stays_the_callers():
    with hash_exchange(2) as exchange:
        other = pa.RecordBatch.from_pydict({"x": pa.array([1], pa.int8())})
        with pytest.raises(SluiceError) as caught:
            exchange.push(0, other)
        assert caught.value.status == libsluice.BAD_DATA


def test_nulls_at_the_top_are_bad_data():
    array = pa.StructArray.from_arrays([pa.array([1, 2]), pa.array(["a", "b"])],
                                       fields=list(SCHEMA), mask=pa.array([True, False]))
    with hash_exchange(2) as exchange, pytest.raises(SluiceError) as caught:
        exchange.push(0, array)
    assert caught.value.status == libsluice.BAD_DATA


@pytest.mark.parametrize("make", [
    lambda: Partitioning.hash([], 4), lambda: Partitioning.hash(["k"], 0),
    lambda: Partitioning.hash(["k"], libsluice.PARTITIONS_MAX + 1),
    lambda: Partitioning.hash(["k", "k"], 4),
    lambda: Partitioning.round_robin(libsluice.ROUND_ROBIN_ROWS, 0),
    lambda: Partitioning.round_robin(libsluice.HASH, 4),
    lambda: Partitioning.by_value(["k"], 0), lambda: Partitioning.by_value([], 3),
    lambda: Partitioning.ids("k", 0)])
def test_wrong_partitionings_are_invalid(make):
    with pytest.raises(SluiceError) as caught:
        make()
    assert caught.value.status == libsluice.INVALID


def test_an_unknown_key_column_is_named():
    with pytest.raises(SluiceError, match="missing_column") as caught:
        Exchange(SCHEMA, Partitioning.hash(["missing_column"], 2))
    assert caught.value.status == libsluice.INVALID


@pytest.mark.parametrize("value", [-1, 4, None, 2**62])
def test_ids_outside_their_range_are_errors(value):
    schema = pa.schema([("p", pa.int64())])
    with Exchange(schema, Partitioning.ids("p", 4)) as exchange:
        batch = pa.RecordBatch.from_arrays([pa.array([0, 1, value], pa.int64())], schema=schema)
        with pytest.raises(SluiceError) as caught:
            exchange.push(0, batch)
        assert caught.value.status in (libsluice.BAD_DATA, libsluice.INVALID)
        assert "p" in caught.value.message


def test_more_values_than_partitions_is_an_error():
    with Exchange(SCHEMA, Partitioning.by_value(["k"], 3)) as exchange:
        with pytest.raises(SluiceError, match="3"):
            exchange.push(0, batch_of(10))


@given(st.integers(0, 2**32 - 1), st.integers(40, 400), st.integers(1, 5))
def test_batches_are_cut_at_batch_bytes_max(seed, bytes_max, outputs):
    """T24, E26: no batch has more than so many bytes in one column of varying length."""
    coin = random.Random(seed)
    schema = pa.schema([("k", pa.int8()), ("s", pa.string()), ("b", pa.large_binary()),
                        ("l", pa.list_(pa.string()))])
    rows = [(coin.randrange(3), "s" * coin.randrange(40), b"b" * coin.randrange(40),
             ["l" * coin.randrange(9)] * coin.randrange(4)) for _ in range(200)]
    batch = pa.RecordBatch.from_pylist([dict(zip("ksbl", row)) for row in rows], schema=schema)
    options = {"batch_bytes_max": bytes_max, "batch_rows_target": 50}
    with Exchange(schema, Partitioning.hash(["k"], outputs), **options) as exchange:
        pulled = drive.with_one_thread(exchange, [[batch]], coin)
        passed = exchange.input_metrics(0)["batches_passed"]
    got = [tuple(row.values()) for some in pulled for part in some for row in part.to_pylist()]
    assert sorted(map(repr, got)) == sorted(map(repr, rows))
    for part in (part for some in pulled for part in some if not passed):
        assert 0 < part.num_rows <= 50
        assert sum(map(len, part["s"].to_pylist())) <= bytes_max
        assert sum(len(item) for items in part["l"].to_pylist() for item in items) <= bytes_max


def test_one_value_above_batch_bytes_max_is_an_error():
    schema = pa.schema([("k", pa.int8()), ("s", pa.string())])
    batch = pa.RecordBatch.from_pydict({"k": [1, 2], "s": ["x" * 101, "y"]}, schema=schema)
    partitioning = Partitioning.round_robin(libsluice.ROUND_ROBIN_ROWS, 2)
    with Exchange(schema, partitioning, batch_bytes_max=100) as exchange:
        with pytest.raises(SluiceError, match="100"):
            exchange.push(0, batch)
            exchange.finish(0)


def test_many_dictionaries_become_one():
    """E27, D4: int8 indices with a new dictionary in every batch; together far above 127."""
    schema = pa.schema([("d", pa.dictionary(pa.int8(), pa.string())), ("k", pa.int32())])
    batches, wanted = [], []
    for number in range(50):
        texts = [f"value {number * 60 + item}" for item in range(100)]
        picks = [(item * 7) % 100 for item in range(300)]
        column = pa.DictionaryArray.from_arrays(pa.array(picks, pa.int8()), pa.array(texts))
        batches.append(pa.RecordBatch.from_arrays([column, pa.array(picks, pa.int32())],
                                                  schema=schema))
        wanted += [(texts[pick], pick) for pick in picks]
    with Exchange(schema, Partitioning.hash(["d"], 4)) as exchange:
        assert exchange.schema.field("d").type == pa.dictionary(pa.int32(), pa.string())
        outputs = drive.with_one_thread(exchange, [batches], random.Random(1))
    got = [row for some in outputs for batch in some for row in oracle.rows_of(batch)]
    assert sorted(got) == sorted(wanted)
    for some in outputs:
        for batch in some:
            values = batch["d"].dictionary.to_pylist()
            assert len(set(values)) == len(values), "a value stands twice in the dictionary"


def test_views_do_not_pin_what_they_do_not_use():
    """E28: a small slice of a large view array comes out small."""
    texts = pa.array(["a string that is longer than a view holds %d" % row
                      for row in range(10000)], pa.string_view())
    schema = pa.schema([("v", pa.string_view())])
    piece = pa.RecordBatch.from_arrays([texts.slice(5000, 10)], schema=schema)
    with Exchange(schema, Partitioning.hash(["v"], 2)) as exchange:
        outputs = drive.with_one_thread(exchange, [[piece]], random.Random(1))
    batches = [batch for some in outputs for batch in some]
    assert sum(batch.num_rows for batch in batches) == 10
    held = sum(buffer.size for batch in batches for buffer in batch["v"].buffers()[2:])
    assert held < 10000


def test_very_many_outputs():
    """E30: cost per output must not explode."""
    with hash_exchange(20000, batch_rows_target=64) as exchange:
        outputs = drive.with_one_thread(exchange, [[batch_of(5000)] * 2], random.Random(1))
        assert sum(batch.num_rows for some in outputs for batch in some) == 10000


def test_every_status_has_a_name():
    names = [libsluice.lib.sluice_status_name(status).decode() for status in range(9)]
    assert names == ["SLUICE_OK", "SLUICE_WOULD_BLOCK", "SLUICE_CLOSED", "SLUICE_INVALID",
                     "SLUICE_BAD_DATA", "SLUICE_UNSUPPORTED", "SLUICE_OUT_OF_MEMORY",
                     "SLUICE_IO_ERROR", "SLUICE_CANCELLED"]
    assert libsluice.lib.sluice_status_name(99)
    assert re.fullmatch(r"\d+\.\d+\.\d+", libsluice.lib.sluice_version().decode())
