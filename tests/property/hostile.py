# SPDX-License-Identifier: Apache-2.0
"""Arrays and schemas that break their format, made by changing exported structures in place.

Run as a program, in a process of its own that may crash:

    hostile.py named NAME ...      each case, written out below
    hostile.py fuzz FIRST COUNT    random batches with random damage, one for each seed

For every case a line "begin NAME" and then a line "end NAME STATUS message" is printed.  Changes
are undone before the array is released, because the release callback is the exporter's and reads
the same structures.
"""

import ctypes
import random
import sys
from ctypes import POINTER, byref, c_void_p, cast

import pyarrow as pa

import generators
import libsluice
from libsluice import ArrowArray, ArrowSchema, Error, Exchange, Partitioning, lib

FAR = 2**62


class Damage:
    """Changes of C structures that can be taken back."""

    def __init__(self):
        self.undo = []
        self.keep = []

    def set(self, structure, field, value):
        old = getattr(structure, field)
        if isinstance(old, ctypes._Pointer):
            # A pointer field is a view of its place; its target has to be remembered.
            old = type(old).from_buffer_copy(old)
        self.undo.append(lambda: setattr(structure, field, old))
        setattr(structure, field, value)

    def set_buffer(self, array, index, data):
        """Let a buffer be these bytes; None is NULL."""
        old = array.buffers[index]
        self.undo.append(lambda: array.buffers.__setitem__(index, old))
        if data is None:
            array.buffers[index] = None
            return
        copy = ctypes.create_string_buffer(bytes(data), max(1, len(data)))
        self.keep.append(copy)
        array.buffers[index] = ctypes.addressof(copy)

    def set_child(self, structure, index, pointer):
        old = type(pointer).from_buffer_copy(structure.children[index])
        self.undo.append(lambda: structure.children.__setitem__(index, old))
        structure.children[index] = pointer

    def set_items(self, array, index, code, changes, size):
        """Overwrite items of a buffer of size items; changes: {place: value}."""
        width = {"b": 1, "h": 2, "i": 4, "q": 8, "B": 1, "Q": 8}[code]
        data = bytearray(ctypes.string_at(array.buffers[index], size * width))
        for place, value in changes.items():
            data[place * width:(place + 1) * width] = value.to_bytes(
                width, "little", signed=code.islower())
        self.set_buffer(array, index, data)

    def take_back(self):
        for function in reversed(self.undo):
            function()


def node(array, *path):
    """A descendant of the exported batch; path: child numbers, or "d" for the dictionary."""
    for step in path:
        array = array.dictionary.contents if step == "d" else array.children[step].contents
    return array


def null(type_):
    return POINTER(type_)()


INT = pa.array([1, 2, None, 4], pa.int32())
TEXT = pa.array(["ab", "", None, "cdé", "f"])
VIEW = pa.array(["ab", None, "a string that is longer than a view holds", "another long string"],
                pa.string_view())
LIST = pa.array([[1, 2], [], None, [3]], pa.list_(pa.int8()))
LIST_VIEW = pa.array([[1, 2], [], None, [3]], pa.list_view(pa.int8()))
FIXED_LIST = pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2))
STRUCT = pa.array([{"a": 1}, None, {"a": 3}], pa.struct([("a", pa.int8())]))
MAP = pa.array([[("a", 1)], None, [("b", 2)]], pa.map_(pa.utf8(), pa.int8()))
IDS = pa.array([0, 5, 0], pa.int8())
SPARSE = pa.UnionArray.from_sparse(IDS, [pa.array([1, 2, 3]), pa.array(list("abc"))], ["a", "b"],
                                   [0, 5])
DENSE = pa.UnionArray.from_dense(IDS, pa.array([0, 0, 1], pa.int32()),
                                 [pa.array([1, 2]), pa.array(["a"])], ["a", "b"], [0, 5])
DICTIONARY = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1], pa.int8()),
                                            pa.array(["x", "y"]))
WIDE = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1], pa.uint64()), pa.array(["x", "y"]))
RUNS = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5, 6], pa.int32()), pa.array([1, None, 3]))

# name -> (column, change(damage, batch, column)).  STRUCTURE is found whatever the options;
# VALUES needs validate_values.
STRUCTURE = {
    "batch: negative length": (INT, lambda d, b, c: d.set(b, "length", -1)),
    "batch: longer than its column": (INT, lambda d, b, c: d.set(b, "length", 5)),
    "batch: longer than anything": (INT, lambda d, b, c: d.set(b, "length", FAR)),
    "batch: negative offset": (INT, lambda d, b, c: d.set(b, "offset", -1)),
    "batch: offset beyond its column": (INT, lambda d, b, c: d.set(b, "offset", 2)),
    "batch: offset plus length overflow": (INT, lambda d, b, c: d.set(b, "offset", 2**63 - 2)),
    "batch: null count": (INT, lambda d, b, c: d.set(b, "null_count", -2)),
    "batch: no children": (INT, lambda d, b, c: d.set(b, "n_children", 0)),
    "batch: too many children": (INT, lambda d, b, c: d.set(b, "n_children", 2)),
    "batch: negative children": (INT, lambda d, b, c: d.set(b, "n_children", -1)),
    "batch: children NULL": (INT, lambda d, b, c: d.set(
        b, "children", null(POINTER(ArrowArray)))),
    "batch: child NULL": (INT, lambda d, b, c: d.set_child(b, 0, null(ArrowArray))),
    "batch: no buffers": (INT, lambda d, b, c: d.set(b, "n_buffers", 0)),
    "batch: buffers NULL": (INT, lambda d, b, c: d.set(b, "buffers", null(c_void_p))),
    "int: one buffer": (INT, lambda d, b, c: d.set(c, "n_buffers", 1)),
    "int: three buffers": (INT, lambda d, b, c: d.set(c, "n_buffers", 3)),
    "int: negative buffers": (INT, lambda d, b, c: d.set(c, "n_buffers", -2)),
    "int: buffers NULL": (INT, lambda d, b, c: d.set(c, "buffers", null(c_void_p))),
    "int: values NULL": (INT, lambda d, b, c: d.set_buffer(c, 1, None)),
    "int: too short": (INT, lambda d, b, c: d.set(c, "length", 3)),
    "int: negative length": (INT, lambda d, b, c: d.set(c, "length", -4)),
    "int: negative offset": (INT, lambda d, b, c: d.set(c, "offset", -1)),
    "int: offset plus length overflow": (INT, lambda d, b, c: d.set(c, "offset", 2**63 - 2)),
    "int: nulls without a bitmap": (INT, lambda d, b, c: d.set_buffer(c, 0, None)),
    "int: more nulls than rows": (INT, lambda d, b, c: d.set(c, "null_count", 5)),
    "int: children": (INT, lambda d, b, c: d.set(c, "n_children", 1)),
    "utf8: two buffers": (TEXT, lambda d, b, c: d.set(c, "n_buffers", 2)),
    "utf8: offsets NULL": (TEXT, lambda d, b, c: d.set_buffer(c, 1, None)),
    "utf8: bytes NULL": (TEXT, lambda d, b, c: d.set_buffer(c, 2, None)),
    "utf8: first offset negative": (TEXT, lambda d, b, c: d.set_items(c, 1, "i", {0: -8}, 6)),
    "utf8: last offset negative": (TEXT, lambda d, b, c: d.set_items(c, 1, "i", {5: -1}, 6)),
    "utf8: first offset after the last": (
        TEXT, lambda d, b, c: d.set_items(c, 1, "i", {0: 100}, 6)),
    "view: no sizes": (VIEW, lambda d, b, c: d.set(c, "n_buffers", 2)),
    "view: no buffers": (VIEW, lambda d, b, c: d.set(c, "n_buffers", 0)),
    "view: views NULL": (VIEW, lambda d, b, c: d.set_buffer(c, 1, None)),
    "view: sizes NULL": (VIEW, lambda d, b, c: d.set_buffer(c, 3, None)),
    "view: size negative": (VIEW, lambda d, b, c: d.set_items(c, 3, "q", {0: -1}, 1)),
    "view: bytes NULL": (VIEW, lambda d, b, c: d.set_buffer(c, 2, None)),
    "list: no child": (LIST, lambda d, b, c: d.set(c, "n_children", 0)),
    "list: child NULL": (LIST, lambda d, b, c: d.set_child(c, 0, null(ArrowArray))),
    "list: child too short": (LIST, lambda d, b, c: d.set(node(c, 0), "length", 2)),
    "list: child of negative length": (LIST, lambda d, b, c: d.set(node(c, 0), "length", -1)),
    "list: last offset beyond the child": (
        LIST, lambda d, b, c: d.set_items(c, 1, "i", {4: 4}, 5)),
    "list: offsets NULL": (LIST, lambda d, b, c: d.set_buffer(c, 1, None)),
    "list view: sizes NULL": (LIST_VIEW, lambda d, b, c: d.set_buffer(c, 2, None)),
    "list view: two buffers": (LIST_VIEW, lambda d, b, c: d.set(c, "n_buffers", 2)),
    "fixed list: child too short": (FIXED_LIST, lambda d, b, c: d.set(node(c, 0), "length", 5)),
    "fixed list: offset": (FIXED_LIST, lambda d, b, c: d.set(c, "offset", 1)),
    "fixed list: child offset overflow": (
        FIXED_LIST, lambda d, b, c: d.set(node(c, 0), "offset", 2**63 - 3)),
    "struct: child too short": (STRUCT, lambda d, b, c: d.set(node(c, 0), "length", 2)),
    "struct: two children": (STRUCT, lambda d, b, c: d.set(c, "n_children", 2)),
    "map: entries with one child": (MAP, lambda d, b, c: d.set(node(c, 0), "n_children", 1)),
    "map: entries too short": (MAP, lambda d, b, c: d.set(node(c, 0), "length", 1)),
    "map: keys too short": (MAP, lambda d, b, c: d.set(node(c, 0, 0), "length", 1)),
    "sparse union: child too short": (SPARSE, lambda d, b, c: d.set(node(c, 1), "length", 2)),
    "sparse union: one child": (SPARSE, lambda d, b, c: d.set(c, "n_children", 1)),
    "sparse union: ids NULL": (SPARSE, lambda d, b, c: d.set_buffer(c, 0, None)),
    "dense union: one buffer": (DENSE, lambda d, b, c: d.set(c, "n_buffers", 1)),
    "dense union: offsets NULL": (DENSE, lambda d, b, c: d.set_buffer(c, 1, None)),
    "dictionary: NULL": (DICTIONARY, lambda d, b, c: d.set(c, "dictionary", null(ArrowArray))),
    "dictionary: values of negative length": (
        DICTIONARY, lambda d, b, c: d.set(node(c, "d"), "length", -2)),
    "dictionary: values without offsets": (
        DICTIONARY, lambda d, b, c: d.set_buffer(node(c, "d"), 1, None)),
    "runs: one child": (RUNS, lambda d, b, c: d.set(c, "n_children", 1)),
    "runs: run ends NULL": (RUNS, lambda d, b, c: d.set_buffer(node(c, 0), 1, None)),
    "runs: fewer values than ends": (RUNS, lambda d, b, c: d.set(node(c, 1), "length", 2)),
    "runs: no runs": (RUNS, lambda d, b, c: [d.set(node(c, child), "length", 0)
                                             for child in (0, 1)]),
    "runs: nulls among the ends": (RUNS, lambda d, b, c: d.set(node(c, 0), "null_count", 1)),
    "runs: last end before the last row": (
        RUNS, lambda d, b, c: d.set_items(node(c, 0), 1, "i", {2: 5}, 3)),
}

VALUES = {
    "utf8: an offset goes back": (TEXT, lambda d, b, c: d.set_items(c, 1, "i", {3: 1}, 6)),
    "utf8: an offset beyond the last": (
        TEXT, lambda d, b, c: d.set_items(c, 1, "i", {2: 10**9}, 6)),
    "utf8: an offset of the least": (TEXT, lambda d, b, c: d.set_items(c, 1, "i", {2: -2**31}, 6)),
    "utf8: a lone continuation byte": (TEXT, lambda d, b, c: d.set_buffer(c, 2, b"\x80bcdef\xa9")),
    "utf8: a surrogate": (TEXT, lambda d, b, c: d.set_buffer(c, 2, b"ab\xed\xa0\x80ef")),
    "utf8: cut in the middle": (TEXT, lambda d, b, c: d.set_items(c, 1, "i", {4: 5}, 6)),
    "view: buffer number": (VIEW, lambda d, b, c: d.set_items(c, 1, "i", {2 * 4 + 2: 1}, 16)),
    "view: negative buffer number": (
        VIEW, lambda d, b, c: d.set_items(c, 1, "i", {2 * 4 + 2: -1}, 16)),
    "view: offset": (VIEW, lambda d, b, c: d.set_items(c, 1, "i", {3 * 4 + 3: 1000}, 16)),
    "view: negative offset": (VIEW, lambda d, b, c: d.set_items(c, 1, "i", {3 * 4 + 3: -1}, 16)),
    "view: length": (VIEW, lambda d, b, c: d.set_items(c, 1, "i", {3 * 4: 2**31 - 1}, 16)),
    "view: negative length": (VIEW, lambda d, b, c: d.set_items(c, 1, "i", {0: -2}, 16)),
    "view: shorter buffer": (VIEW, lambda d, b, c: d.set_items(c, 3, "q", {0: 50}, 1)),
    "list: an offset beyond the child": (
        LIST, lambda d, b, c: d.set_items(c, 1, "i", {1: 99}, 5)),
    "list: an offset goes back": (LIST, lambda d, b, c: d.set_items(c, 1, "i", {2: 1}, 5)),
    "list: an offset is negative": (LIST, lambda d, b, c: d.set_items(c, 1, "i", {1: -1}, 5)),
    "list view: offset": (LIST_VIEW, lambda d, b, c: d.set_items(c, 1, "i", {0: 3}, 4)),
    "list view: negative offset": (LIST_VIEW, lambda d, b, c: d.set_items(c, 1, "i", {0: -1}, 4)),
    "list view: size": (LIST_VIEW, lambda d, b, c: d.set_items(c, 2, "i", {3: 2}, 4)),
    "list view: negative size": (LIST_VIEW, lambda d, b, c: d.set_items(c, 2, "i", {0: -1}, 4)),
    "list view: overflow": (LIST_VIEW, lambda d, b, c: [
        d.set_items(c, index, "i", {0: 2**31 - 1}, 4) for index in (1, 2)]),
    "sparse union: type id": (SPARSE, lambda d, b, c: d.set_items(c, 0, "b", {1: 1}, 3)),
    "sparse union: negative id": (SPARSE, lambda d, b, c: d.set_items(c, 0, "b", {1: -1}, 3)),
    "dense union: type id": (DENSE, lambda d, b, c: d.set_items(c, 0, "b", {2: 127}, 3)),
    "dense union: offset": (DENSE, lambda d, b, c: d.set_items(c, 1, "i", {1: 1}, 3)),
    "dense union: negative offset": (DENSE, lambda d, b, c: d.set_items(c, 1, "i", {0: -1}, 3)),
    "dictionary: index": (DICTIONARY, lambda d, b, c: d.set_items(c, 1, "b", {0: 2}, 4)),
    "dictionary: negative index": (DICTIONARY, lambda d, b, c: d.set_items(c, 1, "b", {3: -1}, 4)),
    "dictionary: huge index": (WIDE, lambda d, b, c: d.set_items(c, 1, "Q", {1: 2**64 - 1}, 3)),
    "dictionary: empty": (DICTIONARY, lambda d, b, c: d.set(node(c, "d"), "length", 0)),
    "runs: an end goes back": (
        RUNS, lambda d, b, c: d.set_items(node(c, 0), 1, "i", {1: 1}, 3)),
    "runs: an end twice": (RUNS, lambda d, b, c: d.set_items(node(c, 0), 1, "i", {1: 2}, 3)),
    "runs: an end of zero": (RUNS, lambda d, b, c: d.set_items(node(c, 0), 1, "i", {0: 0}, 3)),
    "runs: a negative end": (RUNS, lambda d, b, c: d.set_items(node(c, 0), 1, "i", {0: -7}, 3)),
}


def long_format(count):
    return b"+us:" + b",".join(str(number).encode() for number in range(count))


# name -> (column, change(damage, schema of the batch, schema of the column))
SCHEMAS = {
    **{f"format {text!r}": (INT, lambda d, s, c, text=text: d.set(c, "format", text)) for text in (
        b"zz", b"", b"ii", b"+", b"+q", b"w:", b"w:-1", b"w:x", b"w:99999999999", b"d:", b"d:10",
        b"d:10,2,7", b"d:0,0", b"d:39,0", b"d:10,2,256,1", b"t", b"tt", b"tts!", b"tsx:", b"ts",
        b"tdX", b"tiX", b"tDx", b"v", b"vx", b"+w", b"+w:", b"+w:-1", b"+w:2", b"+l", b"+L",
        b"+vl", b"+m", b"+ud", b"+ud:0", b"+us:x", b"+us:0,0", b"+ud:128", b"+ud:-1", b"+r",
        b"d:9,2,16", b"\xff\xfe", b"e\n", long_format(200))},
    "format NULL": (INT, lambda d, s, c: d.set(c, "format", None)),
    "batch: no struct": (INT, lambda d, s, c: d.set(s, "format", b"i")),
    "batch: format NULL": (INT, lambda d, s, c: d.set(s, "format", None)),
    "batch: children NULL": (INT, lambda d, s, c: d.set(
        s, "children", null(POINTER(ArrowSchema)))),
    "batch: child NULL": (INT, lambda d, s, c: d.set_child(s, 0, null(ArrowSchema))),
    "batch: negative children": (INT, lambda d, s, c: d.set(s, "n_children", -1)),
    "int: negative children": (INT, lambda d, s, c: d.set(c, "n_children", -1)),
    "list: no child": (LIST, lambda d, s, c: d.set(c, "n_children", 0)),
    "list: child NULL": (LIST, lambda d, s, c: d.set_child(c, 0, null(ArrowSchema))),
    "list: children NULL": (LIST, lambda d, s, c: d.set(
        c, "children", null(POINTER(ArrowSchema)))),
    "map: entries are no struct": (MAP, lambda d, s, c: d.set(node(c, 0), "format", b"i")),
    "map: one child": (MAP, lambda d, s, c: d.set(node(c, 0), "n_children", 1)),
    "union: too few ids": (DENSE, lambda d, s, c: d.set(c, "format", b"+ud:0")),
    "union: too many ids": (DENSE, lambda d, s, c: d.set(c, "format", b"+ud:0,5,6")),
    "union: an id twice": (DENSE, lambda d, s, c: d.set(c, "format", b"+ud:5,5")),
    "dictionary: index is a float": (DICTIONARY, lambda d, s, c: d.set(c, "format", b"g")),
    "dictionary: index is text": (DICTIONARY, lambda d, s, c: d.set(c, "format", b"u")),
    "runs: ends of eight bits": (RUNS, lambda d, s, c: d.set(node(c, 0), "format", b"c")),
    "runs: ends are floats": (RUNS, lambda d, s, c: d.set(node(c, 0), "format", b"g")),
    "runs: one child": (RUNS, lambda d, s, c: d.set(c, "n_children", 1)),
    "metadata: negative count": (INT, lambda d, s, c: set_metadata(d, c, [-1])),
    "metadata: negative length": (INT, lambda d, s, c: set_metadata(d, c, [1, -5])),
    "nested for ever": (LIST, lambda d, s, c: d.set_child(c, 0, ctypes.pointer(c))),
    "dictionary of itself": (DICTIONARY, lambda d, s, c: d.set(c, "dictionary",
                                                               ctypes.pointer(c))),
}


def set_metadata(damage, schema, numbers):
    data = b"".join(number.to_bytes(4, "little", signed=True) for number in numbers)
    copy = ctypes.create_string_buffer(data, len(data))
    damage.keep.append(copy)
    damage.set(schema, "metadata", ctypes.addressof(copy))


def names():
    """Every named case, as the command line takes them."""
    cases = [f"structure/{flag}/{name}" for name in STRUCTURE for flag in ("plain", "values")]
    cases += [f"values/values/{name}" for name in VALUES]
    return cases + [f"schema/plain/{name}" for name in SCHEMAS]


def exchange_for(schema, validate_values):
    return Exchange(schema, Partitioning.round_robin(libsluice.ROUND_ROBIN_ROWS, 3),
                    validate_values=validate_values)


def push_damaged(batch, validate_values, change):
    """(status, message) of pushing the batch after the change; what is accepted is drained."""
    array, error, damage = ArrowArray(), Error(), Damage()
    batch._export_to_c(ctypes.addressof(array))
    with exchange_for(batch.schema, validate_values) as exchange:
        change(damage, array, array.children[0].contents if array.n_children else array)
        status = lib.sluice_exchange_try_push(exchange.pointer, 0, byref(array), byref(error))
        if status == libsluice.OK:
            drain(exchange)
    if status != libsluice.OK:
        # What was accepted is released by now, and had no wrong number of children.
        damage.take_back()
        libsluice.release(array)
    return status, error.message.decode("utf-8", "backslashreplace")


def drain(exchange):
    """Release everything without looking at it: the values may be wrong."""
    exchange.finish(0)
    for output in range(exchange.output_count):
        while True:
            array = ArrowArray()
            lib.sluice_exchange_try_pull(exchange.pointer, output, byref(array), None)
            if not array.release:
                break
            libsluice.release(array)


def open_damaged(schema, change):
    """(status, message) of making an exchange for the schema after the change."""
    structure, out, error, damage = ArrowSchema(), c_void_p(), Error(), Damage()
    schema._export_to_c(ctypes.addressof(structure))
    change(damage, structure, structure.children[0].contents)
    partitioning = Partitioning.round_robin(libsluice.ROUND_ROBIN_ROWS, 3)
    status = lib.sluice_exchange_new(byref(structure), partitioning.pointer, None, byref(out),
                                     byref(error))
    if status == libsluice.OK:
        lib.sluice_exchange_free(out)
    damage.take_back()
    libsluice.release(structure)
    return status, error.message.decode("utf-8", "backslashreplace")


def run_named(name):
    group, flag, case = name.split("/", 2)
    column, change = {"structure": STRUCTURE, "values": VALUES, "schema": SCHEMAS}[group][case]
    batch = pa.RecordBatch.from_arrays([column], ["c"])
    if group == "schema":
        return open_damaged(batch.schema, change)
    return push_damaged(batch, flag == "values", change)


def run_fuzz(seed):
    """A random batch with some wrong indices and perhaps a wrong number; any status will do."""
    coin = random.Random(seed)
    type_ = random_type(coin, 3)
    generator = generators.Generator(coin, coin.choice([0, 0.3]))
    batch = generator.batch(pa.schema([("a", type_), ("b", pa.utf8())]), coin.randrange(1, 20))

    def change(damage, array, _):
        # Structures come last, since the size of a buffer is told from them.
        for damage_node in [damage_indices] * coin.randrange(4) + [damage_structure]:
            field = coin.randrange(2)
            type_, chosen = random_node(coin, batch.schema.field(field).type,
                                        array.children[field].contents)
            damage_node(coin, damage, type_, chosen)

    return push_damaged(batch, True, change)


def random_type(coin, depth):
    """A type that has something to damage."""
    make = [lambda: coin.choice(generators.BYTES), lambda: pa.dictionary(
        coin.choice(generators.INTEGERS), coin.choice(generators.ORDERED))]
    if depth > 0:
        inner = lambda: random_type(coin, depth - 1)  # noqa: E731
        make += [lambda: pa.list_(inner()), lambda: pa.large_list(inner()),
                 lambda: pa.list_view(inner()), lambda: pa.large_list_view(inner()),
                 lambda: pa.list_(inner(), coin.randrange(3)),
                 lambda: pa.struct([("x", inner()), ("y", inner())]),
                 lambda: pa.map_(pa.utf8(), inner()),
                 lambda: generators.union_type([inner(), inner()], coin.random() < 0.5,
                                               [0, 5, 127]),
                 lambda: pa.run_end_encoded(pa.int32(), coin.choice(generators.ORDERED))]
    return coin.choice(make)()


def random_node(coin, type_, array):
    """A column or something below it, with its type."""
    while coin.random() < 0.6:
        children = [(type_.field(index).type, array.children[index].contents)
                    for index in range(array.n_children) if not pa.types.is_map(type_)]
        if pa.types.is_map(type_):
            entries = pa.struct([type_.key_field, type_.item_field])
            children = [(entries, array.children[0].contents)]
        if array.dictionary:
            children = [(type_.value_type, array.dictionary.contents)]
        if not children:
            break
        type_, array = coin.choice(children)
    return type_, array


def damage_indices(coin, damage, type_, array):
    if pa.types.is_run_end_encoded(type_) and coin.random() < 0.7:
        ends = array.children[0].contents
        if ends.length > 0:
            place = ends.offset + coin.randrange(ends.length)
            value = coin.choice([0, 1, -1, 5, 100, 2**31 - 1, -2**31])
            damage.set_items(ends, 1, "i", {place: value}, ends.offset + ends.length)
    for index, code, size, changeable in index_buffers(type_, array):
        if changeable > 0 and array.buffers[index] and coin.random() < 0.7:
            bits = {"b": 8, "h": 16, "i": 32, "q": 64}[code]
            value = coin.choice([0, 1, -1, 5, 100, 2**(bits - 1) - 1, -2**(bits - 1)])
            damage.set_items(array, index, code, {coin.randrange(changeable): value}, size)


def damage_structure(coin, damage, _, array):
    field, value = coin.choice([
        ("length", array.length - 1), ("length", -1), ("length", 0), ("offset", -1),
        ("null_count", 1), ("null_count", 99), ("n_buffers", array.n_buffers - 1),
        ("n_children", array.n_children + 1), ("n_children", -1), ("buffer", None),
        ("nothing", None), ("nothing", None), ("nothing", None), ("nothing", None)])
    if field == "buffer" and array.n_buffers:
        damage.set_buffer(array, coin.randrange(array.n_buffers), None)
    elif field == "length" and value >= 0 and damage.keep:
        return  # A wrong offset could become the last one, which nothing can tell.
    elif field not in ("nothing", "buffer"):
        damage.set(array, field, value)


def index_buffers(type_, array):
    """(buffer, code, items, items to change) of numbers that lead elsewhere.

    The last offset of a string is not changed: nothing says how many bytes there are but it.
    """
    name, rows = pa.types, array.length + array.offset
    if name.is_dictionary(type_):
        return [(1, {8: "b", 16: "h", 32: "i", 64: "q"}[type_.index_type.bit_width], rows, rows)]
    if name.is_union(type_):
        dense = [(1, "i", rows, rows)] if type_.mode == "dense" else []
        return [(0, "b", rows, rows), *dense]
    if name.is_list(type_) or name.is_map(type_):
        return [(1, "i", rows + 1, rows + 1)]
    if name.is_large_list(type_):
        return [(1, "q", rows + 1, rows + 1)]
    if name.is_list_view(type_):
        return [(1, "i", rows, rows), (2, "i", rows, rows)]
    if name.is_large_list_view(type_):
        return [(1, "q", rows, rows), (2, "q", rows, rows)]
    if name.is_string(type_) or name.is_binary(type_):
        return [(1, "i", rows + 1, rows)]
    if name.is_large_string(type_) or name.is_large_binary(type_):
        return [(1, "q", rows + 1, rows)]
    if type_ in (pa.string_view(), pa.binary_view()):
        return [(1, "i", 4 * rows, 4 * rows)]
    return []


def main(arguments):
    if arguments[0] == "fuzz":
        first, count = map(int, arguments[1:])
        cases = [(f"seed {seed}", lambda seed=seed: run_fuzz(seed))
                 for seed in range(first, first + count)]
    else:
        cases = [(name, lambda name=name: run_named(name)) for name in arguments[1:]]
    for name, run in cases:
        print(f"begin\t{name}", flush=True)
        status, message = run()
        print(f"end\t{name}\t{status}\t{message!r}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
