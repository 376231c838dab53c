# SPDX-License-Identifier: Apache-2.0
"""The partitioner routes exactly as the exchange does, and its forms agree with each other."""

import json
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
from libsluice import Checksummer, Partitioner, Partitioning, SluiceError

ONE_INPUT = cases.cases(inputs_max=1)


def partitioner_of(case, input_index=0):
    return Partitioner(case.schema, case.partitioning, input_index, len(case.inputs))


def batch_lists_of(case, kind):
    """Ids by sluice_partitioner_ids() for every batch of every input."""
    ids = []
    for index, batches in enumerate(case.inputs):
        with partitioner_of(case, index) as partitioner:
            ids.append([partitioner.ids(batch) for batch in batches])
    return ids


@given(cases.cases())
def test_ids_are_what_the_rules_say(case):
    ids = batch_lists_of(case, case.kind)
    if case.expected_ids is not None and case.kind != "value":
        assert ids == case.expected_ids
    for batches in ids:
        assert all(number < case.partitioning.count for some in batches for number in some)


@given(cases.cases(kinds=("hash", "range", "rows", "batches", "ids")), st.integers(0, 99))
def test_ids_are_what_the_exchange_does(case, seed):
    """I15."""
    ids = batch_lists_of(case, case.kind)
    with case.exchange(batch_rows_target=32) as exchange:
        outputs = drive.with_one_thread(exchange, case.inputs, random.Random(seed))
    homes = {(row[-1], row[0]): output for output, batches in enumerate(outputs)
             for batch in batches for row in oracle.rows_of(batch)}
    for input_index, batches in enumerate(ids):
        row = 0
        for some in batches:
            for number in some:
                assert homes[input_index, row] == number
                row += 1


@given(cases.cases(inputs_max=1, kinds=("value",)))
def test_values_are_numbered_as_they_appear(case):
    with partitioner_of(case) as partitioner:
        assert partitioner.count == 0
        ids = [partitioner.ids(batch) for batch in case.inputs[0]]
        assert ids == case.expected_ids[0]
        values = partitioner.values()
        distinct = len({number for some in ids for number in some})
        assert values.num_rows == distinct == partitioner.count
        keys = oracle.keys_of(values, case.key_names)
    if "union" in str(values.schema):
        return  # A union has no nulls of its own to show a null dictionary index by.
    wanted = dict(zip((number for some in ids for number in some),
                      (key for batch in case.inputs[0]
                       for key in oracle.keys_of(batch, case.key_names))))
    assert keys == [wanted[number] for number in range(distinct)]


@given(ONE_INPUT)
def test_permutation_is_stable_and_complete(case):
    with partitioner_of(case) as by_ids, partitioner_of(case) as partitioner:
        for batch in case.inputs[0]:
            ids = by_ids.ids(batch)
            rows, offsets = partitioner.permutation(batch)
            assert rows == sorted(range(batch.num_rows), key=lambda row: ids[row])
            assert offsets[-1] == batch.num_rows
            for partition in range(partitioner.count):
                mine = rows[offsets[partition]:offsets[partition + 1]]
                assert all(ids[row] == partition for row in mine)


@given(ONE_INPUT)
def test_split_and_for_each_give_the_rows_of_each_partition(case):
    with partitioner_of(case) as by_ids, partitioner_of(case) as first, partitioner_of(
            case) as second:
        assert first.schema.equals(cases.expected_schema(case.schema), check_metadata=True) or (
            case.kind == "batches" and first.schema.equals(case.schema, check_metadata=True))
        for batch in case.inputs[0]:
            rows = list(zip(by_ids.ids(batch), oracle.rows_of(batch)))
            slices = first.split(batch)
            handed = {}
            assert second.for_each(batch, lambda *pair: handed.update([pair]) or 0) == 0
            assert list(handed) == sorted(handed), "partitions come in order"
            for partition, piece in enumerate(slices):
                wanted = [row for number, row in rows if number == partition]
                got = oracle.rows_of(piece) if piece is not None else []
                assert got == wanted
                assert (piece is None) == (not wanted) == (partition not in handed)
                if wanted:
                    assert oracle.rows_of(handed[partition]) == wanted


def test_for_each_ends_with_the_status_of_the_callback():
    batch = pa.RecordBatch.from_pydict({"k": list(range(100))})
    called = []

    def handle(partition, _):
        called.append(partition)
        return libsluice.CANCELLED if len(called) == 3 else libsluice.OK

    with Partitioner(batch.schema, Partitioning.hash(["k"], 8)) as partitioner:
        assert partitioner.for_each(batch, handle) == libsluice.CANCELLED
    assert len(called) == 3


@given(cases.cases(kinds=("hash",)))
def test_high_bits_of_the_hash_choose_the_partition(case):
    """D5: multiply-shift, so that the low half stays fresh for the table behind."""
    count = case.partitioning.count
    with partitioner_of(case) as partitioner:
        for batch in (batch for batches in case.inputs for batch in batches):
            hashes = partitioner.hashes(batch)
            assert partitioner.ids(batch) == [
                (number >> 32) * count >> 32 for number in hashes]


@given(cases.cases(kinds=("range", "rows", "ids", "value")))
def test_only_hash_partitionings_have_hashes(case):
    with partitioner_of(case) as partitioner, pytest.raises(SluiceError) as caught:
        partitioner.hashes(generators.Generator(random.Random(1)).batch(case.schema, 5))
    assert caught.value.status == libsluice.INVALID


def test_get_values_is_for_the_value_scheme_only():
    schema = pa.schema([("k", pa.int8())])
    with Partitioner(schema, Partitioning.hash(["k"], 2)) as partitioner:
        with pytest.raises(SluiceError) as caught:
            partitioner.values()
    assert caught.value.status == libsluice.INVALID


@given(cases.cases())
def test_a_partitioning_is_a_value(case):
    """D7: copies and what JSON gives back are equal, and route alike."""
    made = case.partitioning
    copy = made.copy()
    assert made.equal(copy) and copy.equal(made) and made.equal(made)
    assert copy.kind == made.kind == cases.KINDS[case.kind]
    assert copy.key_names == made.key_names == case.key_names
    text = made.to_json(case.schema)
    assert isinstance(json.loads(text), dict)
    read = Partitioning.from_json(text)
    assert read.equal(made), text
    assert read.to_json(case.schema) == text
    if case.kind != "range":
        assert Partitioning.from_json(made.to_json()).equal(made)
    batches = case.inputs[0]
    with partitioner_of(case) as left, Partitioner(case.schema, read, 0,
                                                   len(case.inputs)) as right:
        assert [left.ids(batch) for batch in batches] == [right.ids(batch) for batch in batches]


def test_different_partitionings_are_not_equal():
    splits = [pa.RecordBatch.from_pydict({"k": pa.array(values, pa.int64())})
              for values in ([1, 2], [1, 3], [1])]
    different = [
        Partitioning.hash(["k"], 4), Partitioning.hash(["k"], 5), Partitioning.hash(["j"], 4),
        Partitioning.hash(["k", "j"], 4), Partitioning.hash(["j", "k"], 4),
        Partitioning.by_value(["k"], 4), Partitioning.ids("k", 4),
        Partitioning.round_robin(libsluice.ROUND_ROBIN_ROWS, 4),
        Partitioning.round_robin(libsluice.ROUND_ROBIN_BATCHES, 4),
        Partitioning.range([("k", False, True)], splits[0]),
        Partitioning.range([("k", False, False)], splits[0]),
        Partitioning.range([("k", False, True)], splits[0], is_total_order=True),
        Partitioning.range([("k", False, True)], splits[1]),
        Partitioning.range([("k", False, True)], splits[2])]
    for left_index, left in enumerate(different):
        for right_index, right in enumerate(different):
            assert left.equal(right) == (left_index == right_index)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", '{"kind":7}', "{}",
                                  '{"kind":"hash"}', '{"kind":"hash","partitions":-1}'])
def test_broken_json_is_an_error(text):
    with pytest.raises(SluiceError):
        Partitioning.from_json(text)


@given(cases.cases(inputs_max=3, outputs_max=20), st.integers(0, 99))
def test_the_checksum_does_not_depend_on_order_or_form(case, seed):
    """The sum over all outputs is the sum over all inputs, and one lost row changes it."""
    source = [batch for batches in case.inputs for batch in batches]
    with case.exchange(batch_rows_target=16) as exchange:
        outputs = drive.with_one_thread(exchange, case.inputs, random.Random(seed))
        out_schema = exchange.schema
    pulled = [batch for batches in outputs for batch in batches]
    with Checksummer(case.schema) as before, Checksummer(out_schema) as after:
        total = before.sum(source)
        assert after.sum(pulled) == total
        assert after.sum(reversed(pulled)) == total
        if pulled:
            assert after.sum([*pulled[:-1], pulled[-1].slice(1)]) != total
            assert after.sum([*pulled, pulled[0]]) != total
        else:
            assert total == 0
