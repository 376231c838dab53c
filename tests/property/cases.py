# SPDX-License-Identifier: Apache-2.0
"""A case: batches for some inputs, a partitioning, and what the oracle says must come out."""

import functools
import random

import pyarrow as pa
from hypothesis import strategies as st

import generators
import libsluice
import oracle
from libsluice import Partitioning

KINDS = {"hash": libsluice.HASH, "range": libsluice.RANGE, "value": libsluice.VALUE,
         "rows": libsluice.ROUND_ROBIN_ROWS, "batches": libsluice.ROUND_ROBIN_BATCHES,
         "ids": libsluice.IDS}


class Case:
    """schema and inputs carry the columns __row and __input of generators.tagged()."""

    def __init__(self, kind, schema, inputs, partitioning, expected_ids, key_names):
        self.kind = kind
        self.schema = schema
        self.inputs = inputs
        self.partitioning = partitioning
        self.expected_ids = expected_ids  # Of each row of each batch of each input, or None.
        self.key_names = key_names

    def __repr__(self):
        sizes = [[batch.num_rows for batch in batches] for batches in self.inputs]
        return (f"Case({self.kind} on {self.key_names}, {self.partitioning.count} outputs, "
                f"rows {sizes}, schema:\n{self.schema})")

    @property
    def row_count(self):
        return sum(batch.num_rows for batches in self.inputs for batch in batches)

    def exchange(self, **options):
        return libsluice.Exchange(self.schema, self.partitioning,
                                  input_count=len(self.inputs), **options)


@st.composite
def cases(draw, inputs_max=4, outputs_max=300, kinds=tuple(KINDS), depth=3, rows_max=60,
          batches_max=5):
    kind = draw(st.sampled_from(kinds))
    outputs = draw(st.one_of(st.integers(1, min(8, outputs_max)), st.integers(1, outputs_max)))
    sizes = draw(generators.batch_sizes(inputs_max, batches_max, rows_max))
    payload = draw(generators.schemas(columns_max=3, depth=depth))
    keys = draw(key_fields(kind))
    seed = draw(st.integers(0, 2**32 - 1))
    null_rate = draw(st.sampled_from([0.2, 0.2, 0, 1]))
    distinct = draw(st.sampled_from([None, None, 3, 1]))
    generator = generators.Generator(random.Random(seed), null_rate, distinct)
    fields = [*keys, *payload] if seed % 2 else [*payload, *keys]
    schema = pa.schema(fields, metadata=payload.metadata)
    if kind == "ids":
        inputs = id_inputs(generator, schema, sizes, outputs)
    else:
        inputs = generators.tagged_inputs(generator, schema, sizes)
    tagged = generators.tagged_schema(schema)
    return build(kind, tagged, inputs, [field.name for field in keys], outputs, generator)


def key_fields(kind):
    """Key columns for a kind of partitioning."""
    if kind == "range":
        type_lists = st.lists(generators.ordered_keys(), min_size=1, max_size=3)
    elif kind in ("hash", "value"):
        type_lists = st.lists(st.one_of(generators.flat_keys(), generators.types(2)), min_size=1,
                              max_size=3)
    elif kind == "ids":
        type_lists = st.lists(st.sampled_from(generators.INTEGERS), min_size=1, max_size=1)
    else:
        type_lists = st.just([])
    return type_lists.map(lambda types: [pa.field(f"k{index}", type_)
                                         for index, type_ in enumerate(types)])


def id_inputs(generator, schema, sizes, outputs):
    """Batches whose column k0 holds valid partition numbers."""
    index = schema.get_field_index("k0")
    inputs = generators.tagged_inputs(generator, schema, sizes)
    for batches in inputs:
        for number, batch in enumerate(batches):
            ids = pa.array([generator.random.randrange(min(outputs, 127))
                            for _ in range(batch.num_rows)], schema.field(index).type)
            batches[number] = batch.set_column(index + 1, schema.field(index), ids)
    return inputs


def build(kind, schema, inputs, names, outputs, generator):
    """Make the partitioning and say where every row must go, where the rules say so."""
    expected = None
    if kind == "hash":
        partitioning = Partitioning.hash(names, outputs)
    elif kind == "range":
        order, splits = range_splits(schema, names, outputs, generator)
        partitioning = Partitioning.range(order, splits)
        expected = [[oracle.range_ids(batch, order, splits) for batch in batches]
                    for batches in inputs]
    elif kind == "value":
        everything = [batch for batches in inputs for batch in batches]
        ids = oracle.value_ids(everything, names)
        count = max((max(some, default=0) for some in ids), default=0) + 1
        partitioning = Partitioning.by_value(names, count)
        if len(inputs) == 1:
            expected = [ids]
    elif kind == "ids":
        partitioning = Partitioning.ids(names[0], outputs)
        expected = [[batch.column(names[0]).to_pylist() for batch in batches]
                    for batches in inputs]
    else:
        partitioning = Partitioning.round_robin(KINDS[kind], outputs)
        expected = [round_robin_ids(kind, index, inputs, outputs) for index in range(len(inputs))]
    return Case(kind, schema, inputs, partitioning, expected, names)


def sorted_splits(batch, order):
    """The rows of the batch as split points: sorted in the declared order, no two equal."""
    names = [name for name, _, _ in order]
    tuples = oracle.keys_of(batch, names)
    compare_rows = functools.cmp_to_key(
        lambda left, right: oracle.compare_tuples(tuples[left], tuples[right], order))
    chosen = []
    for row in sorted(range(batch.num_rows), key=compare_rows):
        if not chosen or oracle.compare_tuples(tuples[chosen[-1]], tuples[row], order) < 0:
            chosen.append(row)
    return chosen


def range_splits(schema, names, outputs, generator):
    """An order, and at most outputs - 1 split tuples that increase strictly in it."""
    coin = generator.random
    order = [(name, coin.random() < 0.5, coin.random() < 0.5) for name in names]
    fields = [pa.field(name, plain_type(schema.field(name).type)) for name in names]
    source = generators.Generator(coin, generator.null_rate / 2).batch(
        pa.schema(fields), min(outputs - 1, 40))
    chosen = sorted_splits(source, order)
    rows = [source.slice(row, 1) for row in chosen]
    return order, pa.concat_batches(rows) if rows else source.slice(0, 0)


def plain_type(type_):
    """A type for split points of a key: without dictionaries and run-ends, at any depth."""
    name = pa.types
    if name.is_dictionary(type_) or name.is_run_end_encoded(type_):
        return plain_type(type_.value_type)
    if name.is_struct(type_):
        return pa.struct([field.with_type(plain_type(field.type)) for field in type_])
    if name.is_fixed_size_list(type_):
        return pa.list_(plain_type(type_.value_type), type_.list_size)
    if name.is_nested(type_):
        return pa.list_(plain_type(type_.value_type))
    return type_


def round_robin_ids(kind, input_index, inputs, outputs):
    ids, first_row, batch_index = [], 0, 0
    for batch in inputs[input_index]:
        rows = batch.num_rows
        if kind == "rows":
            ids.append(oracle.round_robin_row_ids(first_row, rows, outputs))
            first_row += rows
        else:
            turn = oracle.round_robin_batch_id(input_index, len(inputs), batch_index, outputs)
            ids.append([turn] * rows)
            batch_index += rows > 0  # A batch without rows is dropped before its turn.
    return ids


def check_outputs(case, outputs, closed=()):
    """Every row once, unchanged, at the right output, in order; closed outputs gave up theirs."""
    source, wanted, keys = {}, {}, {}
    for input_index, batches in enumerate(case.inputs):
        for batch_index, batch in enumerate(batches):
            key_rows = oracle.keys_of(batch, case.key_names)
            for row, cells in enumerate(oracle.rows_of(batch)):
                tag = (cells[-1], cells[0])
                source[tag] = cells
                keys[tag] = key_rows[row]
                if case.expected_ids is not None:
                    wanted[tag] = case.expected_ids[input_index][batch_index][row]
    seen = {}
    for output, batches in enumerate(outputs):
        last = {}
        for batch in batches:
            for cells in oracle.rows_of(batch):
                tag = (cells[-1], cells[0])
                assert tag not in seen, f"row {tag} came twice: outputs {seen[tag]} and {output}"
                assert cells == source[tag], f"row {tag} changed on its way to output {output}"
                assert last.get(tag[0], -1) < tag[1], f"row {tag} overtook in output {output}"
                last[tag[0]] = tag[1]
                seen[tag] = output
                assert wanted.get(tag, output) == output, f"row {tag}: output {wanted[tag]} wanted"
    lost = set(source) - set(seen)
    if closed:
        assert all(wanted.get(tag, closed[0]) in closed for tag in lost), "rows lost"
    else:
        assert not lost, f"{len(lost)} rows lost, one of them {min(lost)}"
    check_classes(case, seen, keys)


def check_classes(case, seen, keys):
    """Rows with equal keys are together; with the value scheme other rows are elsewhere."""
    if case.kind not in ("hash", "value"):
        return
    homes = {}
    for tag, output in seen.items():
        assert homes.setdefault(keys[tag], output) == output, f"equal keys apart: {keys[tag]}"
    if case.kind == "value":
        assert len(set(homes.values())) == len(homes), "two keys share a partition"


def check_sizes(exchange, outputs, target, flushed=False):
    """No batch without rows, none above the target; with one input all but the last are full."""
    passed = sum(exchange.input_metrics(index)["batches_passed"]
                 for index in range(exchange.input_count))
    for output, batches in enumerate(outputs):
        rows = [batch.num_rows for batch in batches]
        assert 0 not in rows, f"output {output} gave a batch without rows"
        if not passed:
            assert all(count <= target for count in rows), f"output {output}: {rows}"
            if exchange.input_count == 1 and not flushed:
                assert all(count == target for count in rows[:-1]), f"output {output}: {rows}"


def check_metrics(exchange, case, outputs):
    """What went in and came out is what the counters say."""
    for index, batches in enumerate(case.inputs):
        metrics = exchange.input_metrics(index)
        assert metrics["rows"] == sum(batch.num_rows for batch in batches)
        assert metrics["rows_dropped"] == 0
    for output, batches in enumerate(outputs):
        metrics = exchange.output_metrics(output)
        assert metrics["rows"] == sum(batch.num_rows for batch in batches)
        assert metrics["batches"] == len(batches)
        assert metrics["batches_queued"] == 0
        assert metrics["batches_queued_max"] <= len(batches)


def check_all(case, exchange, outputs, target, flushed=False):
    check_outputs(case, outputs)
    if case.kind != "batches":
        check_sizes(exchange, outputs, target, flushed)
    check_metrics(exchange, case, outputs)


def expected_schema(schema, kind=None):
    """What comes out: dictionary indices of fewer than 32 bits have become int32."""
    if kind == "batches":
        return schema
    fields = [field.with_type(widened(field.type)) for field in schema]
    return pa.schema(fields, metadata=schema.metadata)


def widened(type_):
    name = pa.types
    if name.is_dictionary(type_):
        narrow = type_.index_type.bit_width < 32
        return pa.dictionary(pa.int32() if narrow else type_.index_type,
                             widened(type_.value_type), type_.ordered)
    if name.is_run_end_encoded(type_):
        return pa.run_end_encoded(type_.run_end_type, widened(type_.value_type))
    if isinstance(type_, pa.BaseExtensionType) or not name.is_nested(type_):
        return type_
    if name.is_map(type_):
        return pa.map_(widened_field(type_.key_field), widened_field(type_.item_field),
                       type_.keys_sorted)
    fields = [widened_field(type_.field(index)) for index in range(type_.num_fields)]
    if name.is_struct(type_):
        return pa.struct(fields)
    if name.is_union(type_):
        return pa.union(fields, type_.mode, type_.type_codes)
    if name.is_fixed_size_list(type_):
        return pa.list_(fields[0], type_.list_size)
    make = {name.is_list: pa.list_, name.is_large_list: pa.large_list,
            name.is_list_view: pa.list_view, name.is_large_list_view: pa.large_list_view}
    return next(build_type for is_type, build_type in make.items() if is_type(type_))(fields[0])


def widened_field(field):
    return field.with_type(widened(field.type))
