# SPDX-License-Identifier: Apache-2.0
"""Arbitrary schemas and batches over every Arrow type that pyarrow can make.

A type is drawn by hypothesis, so that a failure shrinks to a small schema; the values come from a
random.Random, whose seed is drawn by hypothesis too, so that large batches stay cheap.  Arrays are
built from their buffers, with garbage under nulls, offsets that do not start at zero, unreferenced
list elements and dictionary values, and are then cut out of a longer array at any offset.
"""

import struct

import pyarrow as pa
from hypothesis import strategies as st

NESTING_MAX = 3
DAY_MILLISECONDS = 86_400_000

UNITS = ["s", "ms", "us", "ns"]
INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(),
            pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
DECIMALS = [pa.decimal32(9, 2), pa.decimal32(1, 0), pa.decimal64(18, 3), pa.decimal128(38, 10),
            pa.decimal128(5, -2), pa.decimal256(76, 20), pa.decimal256(1, 1)]
TEMPORALS = [pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"),
             pa.time64("ns"), *[pa.timestamp(unit) for unit in UNITS],
             *[pa.timestamp(unit, "UTC") for unit in UNITS], pa.timestamp("us", "Asia/Tokyo"),
             *[pa.duration(unit) for unit in UNITS]]
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view(), pa.string(), pa.large_string(),
         pa.string_view(), pa.binary(1), pa.binary(3), pa.binary(16), pa.binary(40)]
# Types that have an order, which range keys need.
ORDERED = [pa.bool_(), *INTEGERS, *FLOATS, *DECIMALS, *TEMPORALS, *BYTES]
FLAT = [pa.null(), *ORDERED, pa.month_day_nano_interval()]
EXTENSIONS = [pa.uuid(), pa.json_(), pa.bool8()]

FLOAT_BITS = {  # The values that comparisons go wrong on: zeros, infinities, NaNs, subnormals.
    2: [0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 1],
    4: [0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001,
        0x7F800001, 1],
    8: [0, 1 << 63, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000,
        0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001, 1]}
TEXTS = ["", "a", "b", "ab", "é", "日本", "😁", "a\0b", "twelve bytes", "thirteen byte",
         "a string that is longer than a view holds", "x" * 200]


def types(depth=NESTING_MAX):
    """A strategy for types, nested at most depth levels."""
    if depth == 0:
        return st.sampled_from(FLAT)
    inner = st.deferred(lambda: types(depth - 1))
    item = st.builds(pa.field, st.just("item"), inner)
    fields = st.lists(inner, max_size=3).map(
        lambda drawn: [pa.field(f"f{index}", type_) for index, type_ in enumerate(drawn)])
    not_null = st.sampled_from(ORDERED)
    return st.one_of(
        st.sampled_from(FLAT), st.sampled_from(FLAT), st.sampled_from(EXTENSIONS),
        item.map(pa.list_), item.map(pa.large_list), item.map(pa.list_view),
        item.map(pa.large_list_view), st.builds(pa.list_, item, st.integers(0, 3)),
        fields.map(pa.struct), st.builds(pa.map_, not_null, inner, st.booleans()),
        st.builds(union_type, st.lists(inner, min_size=1, max_size=3), st.booleans(),
                  st.permutations([0, 5, 127])),
        st.builds(pa.dictionary, st.sampled_from(INTEGERS), dictionary_values(inner),
                  st.booleans()),
        st.builds(pa.run_end_encoded, st.sampled_from([pa.int16(), pa.int32(), pa.int64()]),
                  st.one_of(st.sampled_from(FLAT), inner.filter(has_no_run_ends))))


def has_no_run_ends(type_):
    """pyarrow cannot import run-ends within run-ends."""
    return "run_end_encoded" not in str(type_)


def dictionary_values(inner):
    """Mostly flat values; pyarrow has no dictionaries of dictionaries or of run-ends."""
    nested = inner.filter(lambda type_: not pa.types.is_dictionary(type_)
                          and not pa.types.is_run_end_encoded(type_))
    return st.one_of(st.sampled_from(FLAT[1:]), st.sampled_from(FLAT[1:]), nested)


def union_type(inner, is_dense, codes):
    fields = [pa.field(f"u{index}", type_) for index, type_ in enumerate(inner)]
    return pa.union(fields, "dense" if is_dense else "sparse", sorted(codes[:len(inner)]))


def flat_keys():
    """Types that every kind of key can have, in every physical form they come in."""
    plain = st.sampled_from(ORDERED)
    return st.one_of(plain, plain, st.builds(pa.dictionary, st.sampled_from(INTEGERS), plain),
                     st.builds(pa.run_end_encoded, st.sampled_from([pa.int16(), pa.int32()]),
                               plain))


def ordered_keys(depth=2):
    """Types that a range can have as its key."""
    others = st.sampled_from([pa.month_day_nano_interval(), pa.null()])
    if depth == 0:
        return st.one_of(flat_keys(), others)
    nested = st.deferred(lambda: ordered_keys(depth - 1))
    item = st.builds(pa.field, st.just("item"), nested)
    pairs = st.lists(nested, min_size=1, max_size=2).map(
        lambda drawn: pa.struct([pa.field(f"f{index}", type_)
                                 for index, type_ in enumerate(drawn)]))
    return st.one_of(flat_keys(), flat_keys(), others,
                     item.map(pa.list_), item.map(pa.list_view), item.map(pa.large_list), pairs,
                     st.builds(pa.list_, item, st.integers(0, 3)))


def schemas(columns_max=4, depth=NESTING_MAX):
    """Schemas, some without columns, some with metadata and columns that take no nulls."""
    def build(drawn):
        fields = []
        for index, (type_, has_metadata) in enumerate(drawn):
            metadata = {"unit": "m", "": ""} if has_metadata else None
            fields.append(pa.field(f"c{index}", type_, metadata=metadata))
        return pa.schema(fields, metadata={"origin": "test"} if len(drawn) % 2 else None)
    return st.lists(st.tuples(types(depth), st.booleans()), max_size=columns_max).map(build)


def bitmap(bits):
    packed = bytearray((len(bits) + 7) // 8)
    for index, bit in enumerate(bits):
        packed[index // 8] |= bool(bit) << index % 8
    return pa.py_buffer(bytes(packed))


def packed(code, numbers):
    return pa.py_buffer(struct.pack(f"<{len(numbers)}{code}", *numbers))


INTEGER_CODES = {(8, True): "b", (16, True): "h", (32, True): "i", (64, True): "q",
                 (8, False): "B", (16, False): "H", (32, False): "I", (64, False): "Q"}


def is_signed(type_):
    return pa.types.is_signed_integer(type_)


class Generator:
    """Makes arrays of any type.  distinct bounds the different values of a column, if it is set."""

    def __init__(self, random, null_rate=0.2, distinct=None):
        self.random = random
        self.null_rate = null_rate
        self.distinct = distinct

    def batch(self, schema, rows):
        """A batch whose columns are cut from longer arrays, each at an offset of its own."""
        if not schema:
            array = pa.Array.from_buffers(pa.struct([]), rows, [None])
            return pa.RecordBatch.from_struct_array(array).replace_schema_metadata(schema.metadata)
        return pa.RecordBatch.from_arrays([self.sliced(field.type, rows) for field in schema],
                                          schema=schema)

    def sliced(self, type_, rows):
        before = self.random.choice([0, 0, 1, 3, 7, 8, 9, 65])
        after = self.random.choice([0, 0, 1, 5])
        if rows == 0 and type_ in (pa.string_view(), pa.binary_view()):
            before = 0  # pyarrow finds its own import of such an array invalid.
        return self.array(type_, before + rows + after).slice(before, rows)

    def array(self, type_, rows):
        if isinstance(type_, pa.BaseExtensionType):
            return pa.ExtensionArray.from_storage(type_, self.array(type_.storage_type, rows))
        if self.distinct and not pa.types.is_nested(type_) and rows > self.distinct:
            pool = self.plain(type_, self.distinct)
            picks = [self.random.randrange(self.distinct) for _ in range(rows)]
            return self.repeated(pool, picks)
        return self.plain(type_, rows)

    def repeated(self, pool, picks):
        if pa.types.is_run_end_encoded(pool.type) or pa.types.is_dictionary(pool.type):
            return self.plain(pool.type, len(picks))
        if pa.types.is_null(pool.type):
            return pa.nulls(len(picks))
        return take_bits(pool, picks)

    def plain(self, type_, rows):
        name = pa.types
        if name.is_null(type_):
            return pa.nulls(rows)
        if name.is_dictionary(type_):
            return self.dictionary(type_, rows)
        if name.is_run_end_encoded(type_):
            return self.run_ends(type_, rows)
        if name.is_union(type_):
            return self.union(type_, rows)
        if name.is_nested(type_):
            return self.nested(type_, rows)
        if name.is_fixed_size_binary(type_) and not name.is_decimal(type_):
            width = type_.byte_width
            return pa.array([None if self.is_null() else self.bytes_of(width)
                             for _ in range(rows)], type_)
        if type_ in BYTES:
            return pa.array([None if self.is_null() else self.text(type_) for _ in range(rows)],
                            type_)
        return self.fixed(type_, rows)

    def is_null(self):
        return self.random.random() < self.null_rate

    def validity(self, rows):
        """A bitmap, or None when there are no nulls (sometimes a bitmap all the same)."""
        if self.null_rate == 0 and self.random.random() < 0.5:
            return None
        return bitmap([not self.is_null() for _ in range(rows)])

    def bytes_of(self, count):
        return bytes(self.random.choice([0, 1, 127, 255]) for _ in range(count))

    def text(self, type_):
        text = self.random.choice(TEXTS)
        if self.random.random() < 0.3:
            text = "".join(self.random.choice("abcé") for _ in range(self.random.randrange(30)))
        is_text = type_ in (pa.string(), pa.large_string(), pa.string_view())
        return text if is_text else text.encode() + self.bytes_of(self.random.randrange(3))

    def integer(self, bits, signed):
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        choice = self.random.random()
        if choice < 0.5:
            return self.random.randrange(max(low, -3), 12)
        if choice < 0.7:
            return self.random.choice([low, high, 0, high - 1])
        return self.random.randint(low, high)

    def fixed(self, type_, rows):
        """Everything that has values of a fixed width, from its buffers."""
        validity = self.validity(rows)
        if pa.types.is_boolean(type_):
            values = bitmap([self.random.random() < 0.5 for _ in range(rows)])
        elif type_ == pa.month_day_nano_interval():
            values = pa.py_buffer(b"".join(struct.pack(
                "<iiq", self.integer(32, True), self.integer(32, True), self.integer(64, True))
                for _ in range(rows)))
        elif pa.types.is_decimal(type_):
            values = pa.py_buffer(b"".join(
                self.unscaled(type_).to_bytes(type_.byte_width, "little", signed=True)
                for _ in range(rows)))
        else:
            code, numbers = self.numbers(type_, rows)
            values = packed(code, numbers)
        return pa.Array.from_buffers(type_, rows, [validity, values])

    def unscaled(self, type_):
        most = 10 ** type_.precision - 1
        return self.random.choice([0, 1, -1, 5 % (most + 1), most, -most,
                                   self.random.randint(-most, most)])

    def numbers(self, type_, rows):
        """(struct code, values) of integers, floats and the types stored as integers."""
        bits = type_.bit_width
        if pa.types.is_floating(type_):
            special = FLOAT_BITS[bits // 8]
            return INTEGER_CODES[bits, False], [
                self.random.choice(special) if self.random.random() < 0.6
                else self.random.getrandbits(bits) for _ in range(rows)]
        if pa.types.is_date64(type_):
            return "q", [self.random.randint(-50, 20000) * DAY_MILLISECONDS for _ in range(rows)]
        if pa.types.is_time(type_):
            per_second = 1000 ** UNITS.index(type_.unit)
            return INTEGER_CODES[bits, True], [
                self.random.choice([0, 1, 86400 * per_second - 1,
                                    self.random.randrange(86400 * per_second)])
                for _ in range(rows)]
        signed = not pa.types.is_unsigned_integer(type_)
        return INTEGER_CODES[bits, signed], [self.integer(bits, signed) for _ in range(rows)]

    def dictionary(self, type_, rows):
        """Indices into a dictionary of its own: doubles, nulls and unused values are in it."""
        size = self.random.choice([0, 1, 2, 5, 20, 100])
        values = self.array(type_.value_type, size)
        indices = [None if size == 0 or self.is_null() else self.random.randrange(size)
                   for _ in range(rows)]
        return pa.DictionaryArray.from_arrays(pa.array(indices, type_.index_type), values,
                                              ordered=type_.ordered)

    def run_ends(self, type_, rows):
        ends = []
        while not ends or ends[-1] < rows:
            ends.append((ends[-1] if ends else 0) + self.random.choice([1, 1, 2, 5, 30]))
        if rows == 0:
            ends = []
        values = self.array(type_.value_type, len(ends))
        array = pa.RunEndEncodedArray.from_arrays(pa.array(ends, type_.run_end_type), values)
        return array.slice(0, rows)

    def union(self, type_, rows):
        codes = type_.type_codes
        picks = [self.random.randrange(len(codes)) for _ in range(rows)]
        ids = pa.array([codes[pick] for pick in picks], pa.int8())
        names = [type_.field(index).name for index in range(len(codes))]
        inner = [type_.field(index).type for index in range(len(codes))]
        if type_.mode == "sparse":
            children = [self.sliced(child, rows) for child in inner]
            return pa.UnionArray.from_sparse(ids, children, names, codes)
        used = [0] * len(codes)
        offsets = []
        for pick in picks:
            used[pick] += self.random.choice([0, 1, 1, 2])
            offsets.append(used[pick])
        children = [self.sliced(child, most + 1) for child, most in zip(inner, used)]
        return pa.UnionArray.from_dense(ids, pa.array(offsets, pa.int32()), children, names, codes)

    def nested(self, type_, rows):
        validity = self.validity(rows)
        if pa.types.is_struct(type_):
            children = [self.sliced(type_.field(index).type, rows)
                        for index in range(type_.num_fields)]
            return pa.Array.from_buffers(type_, rows, [validity], children=children)
        if pa.types.is_fixed_size_list(type_):
            child = self.sliced(type_.value_type, rows * type_.list_size)
            return pa.Array.from_buffers(type_, rows, [validity], children=[child])
        sizes = [self.random.choice([0, 0, 1, 2, 3, 6]) for _ in range(rows)]
        is_large = pa.types.is_large_list(type_) or pa.types.is_large_list_view(type_)
        code = "q" if is_large else "i"
        if pa.types.is_list_view(type_) or pa.types.is_large_list_view(type_):
            child = self.sliced(type_.value_type, self.random.randrange(6, 40))
            offsets = [self.random.randrange(len(child) - size + 1) for size in sizes]
            buffers = [validity, packed(code, offsets), packed(code, sizes)]
            return pa.Array.from_buffers(type_, rows, buffers, children=[child])
        offsets = [self.random.choice([0, 0, 4])]
        for size in sizes:
            offsets.append(offsets[-1] + size)
        unused = self.random.choice([0, 0, 3])
        child = self.list_child(type_, offsets[-1] + unused)
        return pa.Array.from_buffers(type_, rows, [validity, packed(code, offsets)],
                                     children=[child])

    def list_child(self, type_, rows):
        if not pa.types.is_map(type_):
            return self.sliced(type_.value_type, rows)
        keys = Generator(self.random, 0, self.distinct).sliced(type_.key_type, rows)
        items = self.sliced(type_.item_type, rows)
        entries = pa.struct([type_.key_field, type_.item_field])
        return pa.Array.from_buffers(entries, rows, [None], children=[keys, items])


def take_bits(pool, picks):
    """pool.take(picks), without pyarrow touching the bits of a NaN or lacking a type's kernel."""
    type_ = pool.type
    if type_ in BYTES and not pa.types.is_fixed_size_binary(type_):
        values = pool.to_pylist()
        return pa.array([values[pick] for pick in picks], type_)
    if pa.types.is_boolean(type_):
        return pool.take(pa.array(picks, pa.int32()))
    width = type_.byte_width
    if width == 0 or len(pool) == 0:
        return pool.take(pa.array(picks, pa.int32()))
    validity, values = pool.buffers()
    data = values.to_pybytes()
    chosen = b"".join(data[(pool.offset + pick) * width:(pool.offset + pick + 1) * width]
                      for pick in picks)
    nulls = pool.is_valid().to_pylist()
    return pa.Array.from_buffers(type_, len(picks),
                                 [bitmap([nulls[pick] for pick in picks]), pa.py_buffer(chosen)])


def tagged(batch, input_index, first_row):
    """The batch with two columns more, which say where each row came from."""
    rows = batch.num_rows
    inputs = pa.array([input_index] * rows, pa.int32())
    numbers = pa.array(range(first_row, first_row + rows), pa.int64())
    fields = [pa.field("__row", pa.int64()), *batch.schema, pa.field("__input", pa.int32())]
    return pa.RecordBatch.from_arrays([numbers, *batch.columns, inputs],
                                      schema=pa.schema(fields, metadata=batch.schema.metadata))


def tagged_inputs(generator, schema, sizes):
    """sizes: rows of each batch of each input.  The batches, with rows numbered per input."""
    inputs = []
    for input_index, batch_rows in enumerate(sizes):
        first, batches = 0, []
        for rows in batch_rows:
            batches.append(tagged(generator.batch(schema, rows), input_index, first))
            first += rows
        inputs.append(batches)
    return inputs


def tagged_schema(schema):
    fields = [pa.field("__row", pa.int64()), *schema, pa.field("__input", pa.int32())]
    return pa.schema(fields, metadata=schema.metadata)


def batch_sizes(inputs_max=4, batches_max=5, rows_max=60):
    """Rows of each batch of each input; batches may be empty, and so may inputs."""
    one = st.lists(st.integers(0, rows_max), max_size=batches_max)
    return st.lists(one, min_size=1, max_size=inputs_max)
