# SPDX-License-Identifier: Apache-2.0
"""Properties of the exchange against the oracle, however it is driven."""

import bisect
import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import drive
import generators
import libsluice
import oracle
from libsluice import Exchange, Partitioning

TARGETS = st.sampled_from([1, 2, 7, 8, 9, 64, 100, 8192])


@given(cases.cases(), TARGETS, st.integers(0, 2**32 - 1))
def test_one_thread_drives_everything(case, target, seed):
    with case.exchange(batch_rows_target=target) as exchange:
        outputs = drive.with_one_thread(exchange, case.inputs, random.Random(seed))
        cases.check_all(case, exchange, outputs, target)


@given(cases.cases(outputs_max=8, inputs_max=8), TARGETS)
def test_a_thread_for_each_input_and_output(case, target):
    with case.exchange(batch_rows_target=target) as exchange:
        outputs = drive.with_threads(exchange, case.inputs)
        cases.check_all(case, exchange, outputs, target)


@given(cases.cases(inputs_max=8), TARGETS)
def test_one_consumer_takes_outputs_in_turn(case, target):
    with case.exchange(batch_rows_target=target) as exchange:
        outputs = drive.one_output_after_the_other(exchange, case.inputs)
        cases.check_all(case, exchange, outputs, target)


@given(cases.cases(inputs_max=8), TARGETS, st.integers(1, 4))
def test_consumers_pull_any_output(case, target, consumer_count):
    with case.exchange(batch_rows_target=target) as exchange:
        outputs = drive.with_pull_any(exchange, case.inputs, consumer_count)
        cases.check_all(case, exchange, outputs, target)


@given(cases.cases(outputs_max=8), TARGETS)
def test_streams_on_both_ends(case, target):
    with case.exchange(batch_rows_target=target) as exchange:
        outputs = drive.with_streams(exchange, case.inputs, case.schema)
        cases.check_all(case, exchange, outputs, target)


@given(cases.cases(inputs_max=2, outputs_max=8, rows_max=300), st.integers(1, 3))
def test_values_are_checked_when_asked(case, hungry_below):
    options = {"validate_values": True, "batches_hungry_below": hungry_below}
    with case.exchange(**options) as exchange:
        outputs = drive.with_pull_any(exchange, case.inputs)
        cases.check_all(case, exchange, outputs, 8192)


@given(cases.cases(inputs_max=1, depth=2), TARGETS, st.integers(0, 99))
def test_output_is_a_function_of_the_input(case, target, seed):
    """With one input, content and batch boundaries do not depend on threads or timing."""
    with case.exchange(batch_rows_target=target) as exchange:
        first = drive.with_one_thread(exchange, case.inputs, random.Random(seed))
    with case.exchange(batch_rows_target=target) as exchange:
        second = drive.with_pull_any(exchange, case.inputs)
    assert [[oracle.rows_of(batch) for batch in batches] for batches in first] == [
        [oracle.rows_of(batch) for batch in batches] for batches in second]


@given(cases.cases(outputs_max=20), st.integers(0, 2**32 - 1))
def test_flush_each_batch_hands_rows_on_at_once(case, seed):
    with case.exchange(batch_rows_target=100, flush_each_batch=True) as exchange:
        outputs = [[] for _ in range(exchange.output_count)]
        pushed = 0
        for index, batches in enumerate(case.inputs):
            for batch in batches:
                assert exchange.push(index, batch) == libsluice.OK
                pushed += batch.num_rows
                for output, target in enumerate(outputs):
                    take_ready(exchange, output, target)
                pulled = sum(batch.num_rows for batches in outputs for batch in batches)
                assert pulled == pushed, "rows were held back"
            exchange.finish(index)
        for output, target in enumerate(outputs):
            drive.drain(exchange, output, target)
        cases.check_all(case, exchange, outputs, 100, flushed=True)


def take_ready(exchange, output, target):
    while True:
        status, batch = exchange.try_pull(output)
        if status == libsluice.WOULD_BLOCK:
            return
        assert batch is not None, "an output ended before its inputs"
        target.append(batch)


@given(cases.cases(outputs_max=12), st.data())
def test_closed_outputs_change_nothing_for_the_others(case, data):
    """E15, E16: rows of a closed output are dropped; nothing is routed anew."""
    with case.exchange(batch_rows_target=16) as exchange:
        undisturbed = drive.with_pull_any(exchange, case.inputs)
    closed = data.draw(st.lists(st.integers(0, case.partitioning.count - 1), min_size=1,
                                unique=True))
    with case.exchange(batch_rows_target=16) as exchange:
        for output in closed:
            exchange.close_output(output)
        outputs = drive.with_some_closed(exchange, case.inputs, closed)
        cases.check_outputs(case, outputs, closed)
        for output, batches in enumerate(outputs):
            if output in closed:
                assert not batches
            elif case.kind != "value" or len(case.inputs) == 1:
                assert row_set(batches) == row_set(undisturbed[output])
        pulled = sum(batch.num_rows for batches in outputs for batch in batches)
        metrics = [exchange.input_metrics(index) for index in range(exchange.input_count)]
        if len(closed) < case.partitioning.count:
            assert sum(some["rows_dropped"] for some in metrics) == case.row_count - pulled
            assert sum(some["rows"] for some in metrics) == case.row_count


def row_set(batches):
    return sorted((row[-1], row[0]) for batch in batches for row in oracle.rows_of(batch))


@given(generators.schemas(), st.integers(0, 2**32 - 1), st.lists(st.integers(0, 50), max_size=5),
       st.integers(1, 9), TARGETS)
def test_any_schema_even_without_columns(schema, seed, sizes, outputs, target):
    """E4, E5: no columns of ours are added, so a batch may have none at all."""
    generator = generators.Generator(random.Random(seed))
    batches = [generator.batch(schema, rows) for rows in sizes]
    partitioning = Partitioning.round_robin(libsluice.ROUND_ROBIN_ROWS, outputs)
    rows = [row for batch in batches for row in oracle.rows_of(batch)]
    with Exchange(schema, partitioning, batch_rows_target=target) as exchange:
        assert exchange.schema.equals(cases.expected_schema(schema), check_metadata=True)
        pulled = drive.with_one_thread(exchange, [batches], random.Random(seed))
        for output, batches in enumerate(pulled):
            assert [row for batch in batches for row in oracle.rows_of(batch)] == rows[
                output::outputs]
        cases.check_sizes(exchange, pulled, target)


@given(generators.schemas(), st.integers(0, 2**32 - 1), st.lists(st.integers(1, 30), max_size=9),
       st.integers(1, 12))
def test_round_robin_passes_batches_by_reference(schema, seed, sizes, outputs):
    generator = generators.Generator(random.Random(seed))
    batches = [generator.batch(schema, rows) for rows in sizes]
    partitioning = Partitioning.round_robin(libsluice.ROUND_ROBIN_BATCHES, outputs)
    with Exchange(schema, partitioning) as exchange:
        assert exchange.schema.equals(schema, check_metadata=True)
        pulled = drive.with_one_thread(exchange, [batches], random.Random(seed))
        assert exchange.input_metrics(0)["batches_passed"] == len(batches)
        assert exchange.input_metrics(0)["bytes_copied"] == 0
    for output, received in enumerate(pulled):
        assert [oracle.rows_of(batch) for batch in received] == [
            oracle.rows_of(batch) for batch in batches[output::outputs]]


EVERY_TYPE = [*generators.FLAT, *generators.EXTENSIONS,
              pa.binary(0), pa.list_(pa.int8()), pa.large_list(pa.string()),
              pa.list_view(pa.bool_()), pa.large_list_view(pa.string_view()),
              pa.list_(pa.bool_(), 3), pa.list_(pa.int16(), 0), pa.struct([]),
              pa.struct([pa.field("a", pa.int64()), pa.field("b", pa.string())]),
              pa.map_(pa.string(), pa.float32()),
              pa.dense_union([pa.field("a", pa.int8()), pa.field("b", pa.string())], [3, 9]),
              pa.sparse_union([pa.field("a", pa.bool_()), pa.field("b", pa.binary())], [0, 100]),
              *[pa.dictionary(index, pa.string()) for index in generators.INTEGERS],
              *[pa.run_end_encoded(ends, pa.string())
                for ends in (pa.int16(), pa.int32(), pa.int64())],
              pa.list_(pa.list_(pa.struct([pa.field("x", pa.dictionary(pa.int8(), pa.utf8()))])))]


@pytest.mark.parametrize("null_rate", [0, 0.3, 1])
@pytest.mark.parametrize("type_", EVERY_TYPE, ids=str)
def test_every_type_travels(type_, null_rate):
    schema = pa.schema([("c", type_)])
    generator = generators.Generator(random.Random(7), null_rate)
    inputs = generators.tagged_inputs(generator, schema, [[50, 0, 1, 333], [64, 128]])
    case = cases.build("rows", generators.tagged_schema(schema), inputs, [], 5, generator)
    with case.exchange(batch_rows_target=50) as exchange:
        outputs = drive.with_one_thread(exchange, inputs, random.Random(3))
        cases.check_all(case, exchange, outputs, 50)


def test_offset_of_the_struct_at_the_top():
    """A struct array that was sliced as a whole has an offset above those of its children."""
    generator = generators.Generator(random.Random(5))
    for number in range(30):
        schema = pa.schema([("a", pa.int32()), ("b", pa.utf8()), ("c", pa.bool_()),
                            ("d", pa.list_(pa.int8())), ("e", pa.run_end_encoded(
                                pa.int32(), pa.int8())), ("f", generators.union_type(
                                    [pa.int8(), pa.utf8()], number % 2 == 0, [0, 5, 127]))])
        batch = generator.batch(schema, 60)
        whole = pa.StructArray.from_arrays(batch.columns, fields=list(schema))
        first = generator.random.randrange(60)
        piece = whole.slice(first, generator.random.randrange(1, 61 - first))
        partitioning = Partitioning.hash(["a", "b"], 3)
        with Exchange(schema, partitioning) as exchange:
            outputs = drive.with_one_thread(exchange, [[piece]], generator.random)
        got = [row for batches in outputs for part in batches for row in oracle.rows_of(part)]
        wanted = oracle.rows_of(batch)[first:first + len(piece)]
        assert sorted(map(repr, got)) == sorted(map(repr, wanted))


@pytest.mark.parametrize("outputs", [1, 3, 64, 300, 4096])
@pytest.mark.parametrize("kind", ["hash", "range", "rows"])
def test_large_batches_and_many_outputs(kind, outputs):
    """Blocks of several batches, batches of several blocks, long runs, threads."""
    coin = random.Random(outputs)
    sizes = [[8192, 30000, 1], [20000, 5000], [coin.randrange(200) for _ in range(100)]]
    schema = pa.schema([("k0", pa.int64()), ("c", pa.string()), ("d", pa.list_(pa.int16()))])
    inputs = [[large_batch(schema, rows, index * 10**9 + 10**6 * number)
               for number, rows in enumerate(batch_rows)]
              for index, batch_rows in enumerate(sizes)]
    key = pa.table({"k0": pa.array(range(-5 * (outputs - 1), 5 * (outputs - 1), 10), pa.int64())})
    partitioning = {"hash": Partitioning.hash(["k0"], outputs),
                    "range": Partitioning.range([("k0", False, True)],
                                                key.combine_chunks().to_batches()[0]
                                                if outputs > 1 else empty_splits()),
                    "rows": Partitioning.round_robin(libsluice.ROUND_ROBIN_ROWS, outputs)}[kind]
    schema = inputs[0][0].schema
    with Exchange(schema, partitioning, input_count=3, batch_rows_target=1000) as exchange:
        pulled = drive.with_pull_any(exchange, inputs, 2)
        cases.check_sizes(exchange, pulled, 1000)
    check_large(kind, inputs, pulled)


def empty_splits():
    return pa.RecordBatch.from_pydict({"k0": pa.array([], pa.int64())})


def large_batch(schema, rows, first_row):
    numbers = pa.array(range(first_row, first_row + rows), pa.int64())
    keys = pa.array([(row * 7919) % 10007 - 5000 for row in range(rows)], pa.int64())
    texts = pa.array([None if row % 11 == 0 else "t" * (row % 20) for row in range(rows)],
                     pa.string())
    lists = pa.array([None if row % 13 == 0 else [row % 100] * (row % 4) for row in range(rows)],
                     schema.field("d").type)
    return pa.RecordBatch.from_arrays([numbers, keys, texts, lists], ["row", "k0", "c", "d"])


def check_large(kind, inputs, pulled):
    source = pa.concat_tables([pa.Table.from_batches(batches) for batches in inputs])
    tables = [pa.Table.from_batches(batches) for batches in pulled if batches]
    together = pa.concat_tables(tables)
    assert together.sort_by("row").equals(source.sort_by("row"))
    homes = {}
    for output, batches in enumerate(pulled):
        last = {}
        for row, key in zip(*[[value for batch in batches for value in batch[name].to_pylist()]
                              for name in ("row", "k0")]):
            assert last.get(row // 10**9, -1) < row
            last[row // 10**9] = row
            if kind != "rows":
                assert homes.setdefault(key, output) == output
    if kind == "range":
        edges = range(-5 * (len(pulled) - 1), 5 * (len(pulled) - 1), 10)
        for key, output in homes.items():
            assert output == bisect.bisect_right(edges, key)
