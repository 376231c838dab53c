# SPDX-License-Identifier: Apache-2.0
"""libsluice seen from Python: a thin ctypes binding of the whole public C interface.

The binding adds nothing to the library but lifetimes and exceptions: every call here is one call
there.  Batches are pyarrow objects; they cross by the C Data and C Stream interfaces, without a
copy.  A call that fails raises SluiceError with the status and the message; WOULD_BLOCK and CLOSED
are answers, not errors, and are returned.  The library is $SLUICE_LIB, else build/lib/libsluice.so.
"""

import ctypes
import os
import pathlib
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint32
from ctypes import c_uint64, c_void_p

import pyarrow as pa

OK, WOULD_BLOCK, CLOSED, INVALID, BAD_DATA = 0, 1, 2, 3, 4
UNSUPPORTED, OUT_OF_MEMORY, IO_ERROR, CANCELLED = 5, 6, 7, 8

HASH, RANGE, ROUND_ROBIN_BATCHES, ROUND_ROBIN_ROWS, VALUE, IDS = 1, 2, 3, 4, 5, 6
HASH_SLUICE1 = 1
NO_OUTPUT = 0xFFFFFFFF
PARTITIONS_MAX = 16777216
ERROR_BYTES = 1024


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class ArrowArrayStream(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64),
    ("n_children", c_int64), ("children", POINTER(POINTER(ArrowSchema))),
    ("dictionary", POINTER(ArrowSchema)),
    ("release", ctypes.CFUNCTYPE(None, POINTER(ArrowSchema))), ("private_data", c_void_p)]

ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(ArrowArray))), ("dictionary", POINTER(ArrowArray)),
    ("release", ctypes.CFUNCTYPE(None, POINTER(ArrowArray))), ("private_data", c_void_p)]

ArrowArrayStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))),
    ("get_next", ctypes.CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))),
    ("get_last_error", ctypes.CFUNCTYPE(c_char_p, POINTER(ArrowArrayStream))),
    ("release", ctypes.CFUNCTYPE(None, POINTER(ArrowArrayStream))), ("private_data", c_void_p)]


class Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("message", c_char * ERROR_BYTES)]


class SortKey(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("descending", c_bool), ("nulls_first", c_bool)]


class PartitionerOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("input_index", c_uint32), ("input_count", c_uint32),
                ("validate_values", c_bool), ("allocator", c_void_p)]


class ExchangeOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("input_count", c_uint32), ("batches_hungry_below", c_uint32),
                ("batch_rows_target", c_int64), ("batch_bytes_max", c_int64),
                ("memory_bytes_max", c_int64), ("flush_each_batch", c_bool),
                ("validate_values", c_bool), ("allocator", c_void_p), ("memory", c_void_p)]


class Counters(ctypes.Structure):
    """A structure of uint64 counters, which can be turned into a dictionary."""

    def as_dict(self):
        return {name: getattr(self, name) for name, _ in self._fields_}


class InputMetrics(Counters):
    _fields_ = [(name, c_uint64) for name in (
        "rows", "batches", "bytes_copied", "batches_passed", "rows_dropped", "route_nanoseconds",
        "place_nanoseconds", "wait_nanoseconds")]


class OutputMetrics(Counters):
    _fields_ = [(name, c_uint64) for name in (
        "rows", "batches", "batches_queued", "batches_queued_max", "wait_nanoseconds")]


class MemoryMetrics(Counters):
    _fields_ = [(name, c_uint64) for name in ("bytes", "bytes_max", "limit")]


class Checksum(ctypes.Structure):
    _fields_ = [("low", c_uint64), ("high", c_uint64)]


PartitionCallback = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint32, POINTER(ArrowArray))

_SCHEMA, _ARRAY, _STREAM = POINTER(ArrowSchema), POINTER(ArrowArray), POINTER(ArrowArrayStream)
_HANDLE, _NEW, _ERROR = c_void_p, POINTER(c_void_p), POINTER(Error)

# name -> (result, arguments), in the order of the headers.
PROTOTYPES = {
    "sluice_version": (c_char_p, []),
    "sluice_status_name": (c_char_p, [c_int]),
    "sluice_partitioning_new_hash": (
        c_int, [POINTER(c_char_p), c_size_t, c_uint32, c_int, _NEW, _ERROR]),
    "sluice_partitioning_new_range": (
        c_int, [POINTER(SortKey), c_size_t, _SCHEMA, _ARRAY, c_bool, _NEW, _ERROR]),
    "sluice_partitioning_new_range_from_text": (
        c_int, [POINTER(SortKey), POINTER(c_char_p), c_size_t, _SCHEMA, c_bool, _NEW, _ERROR]),
    "sluice_partitioning_new_round_robin": (c_int, [c_int, c_uint32, _NEW, _ERROR]),
    "sluice_partitioning_new_value": (
        c_int, [POINTER(c_char_p), c_size_t, c_uint32, _NEW, _ERROR]),
    "sluice_partitioning_new_ids": (c_int, [c_char_p, c_uint32, _NEW, _ERROR]),
    "sluice_partitioning_get_kind": (c_int, [_HANDLE]),
    "sluice_partitioning_get_count": (c_uint32, [_HANDLE]),
    "sluice_partitioning_get_key_count": (c_size_t, [_HANDLE]),
    "sluice_partitioning_get_key_name": (c_char_p, [_HANDLE, c_size_t]),
    "sluice_partitioning_equal": (c_bool, [_HANDLE, _HANDLE]),
    "sluice_partitioning_copy": (c_int, [_HANDLE, _NEW, _ERROR]),
    "sluice_partitioning_to_json": (c_int, [_HANDLE, _SCHEMA, POINTER(c_void_p), _ERROR]),
    "sluice_partitioning_from_json": (c_int, [c_char_p, _NEW, _ERROR]),
    "sluice_string_free": (None, [c_void_p]),
    "sluice_partitioning_free": (None, [_HANDLE]),
    "sluice_partitioner_new": (
        c_int, [_SCHEMA, _HANDLE, POINTER(PartitionerOptions), _NEW, _ERROR]),
    "sluice_partitioner_get_schema": (c_int, [_HANDLE, _SCHEMA, _ERROR]),
    "sluice_partitioner_get_count": (c_uint32, [_HANDLE]),
    "sluice_partitioner_ids": (c_int, [_HANDLE, _ARRAY, POINTER(c_uint32), _ERROR]),
    "sluice_partitioner_hashes": (c_int, [_HANDLE, _ARRAY, POINTER(c_uint64), _ERROR]),
    "sluice_partitioner_permutation": (
        c_int, [_HANDLE, _ARRAY, POINTER(c_uint32), POINTER(c_uint64), _ERROR]),
    "sluice_partitioner_split": (c_int, [_HANDLE, _ARRAY, _ARRAY, _ERROR]),
    "sluice_partitioner_for_each": (c_int, [_HANDLE, _ARRAY, PartitionCallback, c_void_p, _ERROR]),
    "sluice_partitioner_get_values": (c_int, [_HANDLE, _SCHEMA, _ARRAY, _ERROR]),
    "sluice_partitioner_free": (None, [_HANDLE]),
    "sluice_exchange_new": (c_int, [_SCHEMA, _HANDLE, POINTER(ExchangeOptions), _NEW, _ERROR]),
    "sluice_exchange_get_schema": (c_int, [_HANDLE, _SCHEMA, _ERROR]),
    "sluice_exchange_get_input_count": (c_uint32, [_HANDLE]),
    "sluice_exchange_get_output_count": (c_uint32, [_HANDLE]),
    "sluice_exchange_push": (c_int, [_HANDLE, c_uint32, _ARRAY, _ERROR]),
    "sluice_exchange_try_push": (c_int, [_HANDLE, c_uint32, _ARRAY, _ERROR]),
    "sluice_exchange_finish": (c_int, [_HANDLE, c_uint32, _ERROR]),
    "sluice_exchange_fail": (None, [_HANDLE, c_int, c_char_p]),
    "sluice_exchange_pull": (c_int, [_HANDLE, c_uint32, _ARRAY, _ERROR]),
    "sluice_exchange_try_pull": (c_int, [_HANDLE, c_uint32, _ARRAY, _ERROR]),
    "sluice_exchange_pull_any": (c_int, [_HANDLE, POINTER(c_uint32), _ARRAY, _ERROR]),
    "sluice_exchange_try_pull_any": (c_int, [_HANDLE, POINTER(c_uint32), _ARRAY, _ERROR]),
    "sluice_exchange_close_output": (None, [_HANDLE, c_uint32]),
    "sluice_exchange_cancel": (None, [_HANDLE]),
    "sluice_exchange_export_stream": (c_int, [_HANDLE, c_uint32, _STREAM, _ERROR]),
    "sluice_exchange_run": (c_int, [_HANDLE, _STREAM, c_uint32, _ERROR]),
    "sluice_exchange_get_input_metrics": (None, [_HANDLE, c_uint32, POINTER(InputMetrics)]),
    "sluice_exchange_get_output_metrics": (None, [_HANDLE, c_uint32, POINTER(OutputMetrics)]),
    "sluice_exchange_get_memory_metrics": (None, [_HANDLE, POINTER(MemoryMetrics)]),
    "sluice_exchange_free": (None, [_HANDLE]),
    "sluice_memory_new": (c_int, [c_uint64, c_void_p, _NEW, _ERROR]),
    "sluice_memory_get_metrics": (None, [_HANDLE, POINTER(MemoryMetrics)]),
    "sluice_memory_free": (None, [_HANDLE]),
    "sluice_checksummer_new": (c_int, [_SCHEMA, _NEW, _ERROR]),
    "sluice_checksummer_add": (c_int, [_HANDLE, _ARRAY, POINTER(Checksum), _ERROR]),
    "sluice_checksum_add": (None, [POINTER(Checksum), POINTER(Checksum)]),
    "sluice_checksummer_free": (None, [_HANDLE]),
}


def library_path():
    """Where the library is expected to be."""
    root = pathlib.Path(__file__).resolve().parents[2]
    return os.environ.get("SLUICE_LIB") or str(root / "build" / "lib" / "libsluice.so")


def load_library():
    loaded = ctypes.CDLL(library_path())
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = arguments
    return loaded


lib = load_library()


class SluiceError(Exception):
    """A call that failed: its status and its sentence."""

    def __init__(self, status, message):
        super().__init__(f"{lib.sluice_status_name(status).decode()}: {message}")
        self.status = status
        self.message = message


def check(status, error):
    """Return OK, WOULD_BLOCK and CLOSED; raise for every other status."""
    if status <= CLOSED:
        return status
    message = error.message.decode("utf-8", "replace")
    assert error.status == status, f"error holds status {error.status}, the call gave {status}"
    assert message, f"status {status} came without a message"
    raise SluiceError(status, message)


def release(structure):
    """Call the release callback of a C structure that still has one."""
    if structure.release:
        structure.release(byref(structure))
    assert not structure.release, "release() must mark the structure as released"


class Exported:
    """A pyarrow schema, batch or struct array as a C structure, released when the block ends."""

    def __init__(self, value):
        self.value = value

    def __enter__(self):
        if isinstance(self.value, ctypes.Structure):
            self.structure = self.value
            return self.structure
        self.structure = ArrowSchema() if isinstance(self.value, pa.Schema) else ArrowArray()
        self.value._export_to_c(ctypes.addressof(self.structure))
        return self.structure

    def __exit__(self, *_):
        release(self.structure)


def import_schema(structure):
    return pa.Schema._import_from_c(ctypes.addressof(structure))


def import_batch(structure, schema):
    """The batch, fully validated; None for a released array."""
    if not structure.release:
        return None
    batch = pa.RecordBatch._import_from_c(ctypes.addressof(structure), schema)
    batch.validate(full=True)
    return batch


def pointer_to_names(names):
    return (c_char_p * max(1, len(names)))(*[name.encode() for name in names])


class Handle:
    """Owns one object of the library."""

    free_function = None

    def __init__(self, pointer):
        self.pointer = pointer

    def free(self):
        pointer, self.pointer = self.pointer, None
        if pointer:
            getattr(lib, self.free_function)(pointer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free()

    def __del__(self):
        if getattr(self, "pointer", None):
            self.free()


class Partitioning(Handle):
    free_function = "sluice_partitioning_free"

    @classmethod
    def make(cls, function, *arguments):
        out, error = c_void_p(), Error()
        try:
            check(function(*arguments, byref(out), byref(error)), error)
        except SluiceError:
            assert not out.value, "*out must be NULL after a failure"
            raise
        return cls(out)

    @classmethod
    def hash(cls, names, count, scheme=HASH_SLUICE1):
        return cls.make(lib.sluice_partitioning_new_hash, pointer_to_names(names), len(names),
                        count, scheme)

    @classmethod
    def range(cls, keys, splits, is_total_order=False):
        """keys: (name, descending, nulls_first) each; splits: a batch with a column per key."""
        array = (SortKey * max(1, len(keys)))()
        for index, (name, descending, nulls_first) in enumerate(keys):
            array[index] = SortKey(name.encode(), descending, nulls_first)
        with Exported(splits.schema) as schema, Exported(splits) as rows:
            return cls.make(lib.sluice_partitioning_new_range, array, len(keys), byref(schema),
                            byref(rows), is_total_order)

    @classmethod
    def range_from_text(cls, key, texts, schema, is_total_order=False):
        """One key, (name, descending, nulls_first), and split points as texts; None is null."""
        name, descending, nulls_first = key
        sort_key = SortKey(name.encode(), descending, nulls_first)
        values = (c_char_p * max(1, len(texts)))(
            *[None if text is None else text.encode() for text in texts])
        with Exported(schema) as exported:
            return cls.make(lib.sluice_partitioning_new_range_from_text, byref(sort_key), values,
                            len(texts), byref(exported), is_total_order)

    @classmethod
    def round_robin(cls, kind, count):
        return cls.make(lib.sluice_partitioning_new_round_robin, kind, count)

    @classmethod
    def by_value(cls, names, count_max):
        return cls.make(lib.sluice_partitioning_new_value, pointer_to_names(names), len(names),
                        count_max)

    @classmethod
    def ids(cls, name, count):
        return cls.make(lib.sluice_partitioning_new_ids, name.encode(), count)

    @classmethod
    def from_json(cls, text):
        return cls.make(lib.sluice_partitioning_from_json, text.encode())

    def copy(self):
        return self.make(lib.sluice_partitioning_copy, self.pointer)

    def to_json(self, schema=None):
        out, error = c_void_p(), Error()
        if schema is None:
            check(lib.sluice_partitioning_to_json(self.pointer, None, byref(out), byref(error)),
                  error)
        else:
            with Exported(schema) as exported:
                check(lib.sluice_partitioning_to_json(self.pointer, byref(exported), byref(out),
                                                      byref(error)), error)
        text = ctypes.string_at(out).decode()
        lib.sluice_string_free(out)
        return text

    def equal(self, other):
        return lib.sluice_partitioning_equal(self.pointer, other.pointer)

    @property
    def kind(self):
        return lib.sluice_partitioning_get_kind(self.pointer)

    @property
    def count(self):
        return lib.sluice_partitioning_get_count(self.pointer)

    @property
    def key_names(self):
        count = lib.sluice_partitioning_get_key_count(self.pointer)
        assert lib.sluice_partitioning_get_key_name(self.pointer, count) is None
        return [lib.sluice_partitioning_get_key_name(self.pointer, key).decode()
                for key in range(count)]


class Partitioner(Handle):
    free_function = "sluice_partitioner_free"

    def __init__(self, schema, partitioning, input_index=0, input_count=0, validate_values=False):
        options = PartitionerOptions(ctypes.sizeof(PartitionerOptions), input_index, input_count,
                                     validate_values, None)
        out, error = c_void_p(), Error()
        with Exported(schema) as exported:
            check(lib.sluice_partitioner_new(byref(exported), partitioning.pointer,
                                             byref(options), byref(out), byref(error)), error)
        super().__init__(out)
        self.count_max = partitioning.count

    @property
    def schema(self):
        out, error = ArrowSchema(), Error()
        check(lib.sluice_partitioner_get_schema(self.pointer, byref(out), byref(error)), error)
        return import_schema(out)

    @property
    def count(self):
        return lib.sluice_partitioner_get_count(self.pointer)

    def numbers(self, function, item, batch):
        error = Error()
        with Exported(batch) as array:
            out = (item * max(1, array.length))()
            check(function(self.pointer, byref(array), out, byref(error)), error)
            return list(out[:array.length])

    def ids(self, batch):
        return self.numbers(lib.sluice_partitioner_ids, c_uint32, batch)

    def hashes(self, batch):
        return self.numbers(lib.sluice_partitioner_hashes, c_uint64, batch)

    def permutation(self, batch):
        """Row numbers grouped by partition, and where each partition starts."""
        error = Error()
        offsets = (c_uint64 * (self.count_max + 1))()
        with Exported(batch) as array:
            rows = (c_uint32 * max(1, array.length))()
            check(lib.sluice_partitioner_permutation(self.pointer, byref(array), rows, offsets,
                                                     byref(error)), error)
            return list(rows[:array.length]), list(offsets[:self.count + 1])

    def split(self, batch):
        """One batch, or None, for each partition."""
        error = Error()
        slices = (ArrowArray * self.count_max)()
        with Exported(batch) as array:
            check(lib.sluice_partitioner_split(self.pointer, byref(array), slices, byref(error)),
                  error)
            assert not array.release, "split must take the batch"
        schema = self.schema
        return [import_batch(slices[partition], schema) for partition in range(self.count)]

    def for_each(self, batch, handle):
        """Call handle(partition, batch) for each partition; what it returns is the status."""
        schema = self.schema

        def callback(_, partition, array):
            return handle(partition, import_batch(array.contents, schema))

        error = Error()
        with Exported(batch) as array:
            status = lib.sluice_partitioner_for_each(self.pointer, byref(array),
                                                     PartitionCallback(callback), None,
                                                     byref(error))
        return status

    def values(self):
        """The keys of the value scheme, one row per partition."""
        schema, array, error = ArrowSchema(), ArrowArray(), Error()
        check(lib.sluice_partitioner_get_values(self.pointer, byref(schema), byref(array),
                                                byref(error)), error)
        return import_batch(array, import_schema(schema))


class Exchange(Handle):
    free_function = "sluice_exchange_free"

    def __init__(self, schema, partitioning, **options):
        """options: the fields of sluice_exchange_options."""
        settings = ExchangeOptions(size=ctypes.sizeof(ExchangeOptions), **options)
        out, error = c_void_p(), Error()
        with Exported(schema) as exported:
            check(lib.sluice_exchange_new(byref(exported), partitioning.pointer, byref(settings),
                                          byref(out), byref(error)), error)
        super().__init__(out)
        self.schema = self.read_schema()

    def read_schema(self):
        out, error = ArrowSchema(), Error()
        check(lib.sluice_exchange_get_schema(self.pointer, byref(out), byref(error)), error)
        return import_schema(out)

    @property
    def input_count(self):
        return lib.sluice_exchange_get_input_count(self.pointer)

    @property
    def output_count(self):
        return lib.sluice_exchange_get_output_count(self.pointer)

    def push_with(self, function, input_index, batch):
        """Push; the array must be taken when the status is OK, and may be when it is an error."""
        error = Error()
        with Exported(batch) as array:
            status = function(self.pointer, input_index, byref(array), byref(error))
            if array.length >= 0:
                assert not (bool(array.release) and status == OK), "taken on SLUICE_OK"
                assert bool(array.release) or status not in (WOULD_BLOCK, CLOSED), "left else"
            return check(status, error)

    def push(self, input_index, batch):
        return self.push_with(lib.sluice_exchange_push, input_index, batch)

    def try_push(self, input_index, batch):
        return self.push_with(lib.sluice_exchange_try_push, input_index, batch)

    def finish(self, input_index):
        error = Error()
        return check(lib.sluice_exchange_finish(self.pointer, input_index, byref(error)), error)

    def fail(self, status, message):
        lib.sluice_exchange_fail(self.pointer, status, message.encode())

    def pull(self, output):
        """The next batch, None after the last one."""
        array, error = ArrowArray(), Error()
        check(lib.sluice_exchange_pull(self.pointer, output, byref(array), byref(error)), error)
        return import_batch(array, self.schema)

    def try_pull(self, output):
        """(status, batch)."""
        array, error = ArrowArray(), Error()
        status = lib.sluice_exchange_try_pull(self.pointer, output, byref(array), byref(error))
        check(status, error)
        return status, import_batch(array, self.schema)

    def pull_any(self, output=NO_OUTPUT):
        """(output, batch): batch is None at the end of output, and of all with NO_OUTPUT."""
        array, error, number = ArrowArray(), Error(), c_uint32(output)
        check(lib.sluice_exchange_pull_any(self.pointer, byref(number), byref(array),
                                           byref(error)), error)
        return number.value, import_batch(array, self.schema)

    def try_pull_any(self, output=NO_OUTPUT):
        """(status, output, batch)."""
        array, error, number = ArrowArray(), Error(), c_uint32(output)
        status = lib.sluice_exchange_try_pull_any(self.pointer, byref(number), byref(array),
                                                  byref(error))
        check(status, error)
        return status, number.value, import_batch(array, self.schema)

    def close_output(self, output):
        lib.sluice_exchange_close_output(self.pointer, output)

    def cancel(self):
        lib.sluice_exchange_cancel(self.pointer)

    def export_stream(self, output):
        """The output as a C stream, which the caller releases or imports."""
        out, error = ArrowArrayStream(), Error()
        check(lib.sluice_exchange_export_stream(self.pointer, output, byref(out), byref(error)),
              error)
        return out

    def reader(self, output):
        stream = self.export_stream(output)
        return pa.RecordBatchReader._import_from_c(ctypes.addressof(stream))

    def run(self, readers):
        """Drive all inputs from pyarrow readers, one for each."""
        streams, error = (ArrowArrayStream * max(1, len(readers)))(), Error()
        for stream, reader in zip(streams, readers):
            reader._export_to_c(ctypes.addressof(stream))
        status = lib.sluice_exchange_run(self.pointer, streams, len(readers), byref(error))
        assert not any(stream.release for stream in streams), "run must take the streams"
        return check(status, error)

    def input_metrics(self, input_index):
        out = InputMetrics()
        lib.sluice_exchange_get_input_metrics(self.pointer, input_index, byref(out))
        return out.as_dict()

    def output_metrics(self, output):
        out = OutputMetrics()
        lib.sluice_exchange_get_output_metrics(self.pointer, output, byref(out))
        return out.as_dict()

    def memory_metrics(self):
        out = MemoryMetrics()
        lib.sluice_exchange_get_memory_metrics(self.pointer, byref(out))
        return out.as_dict()


class Memory(Handle):
    """A budget that exchanges share: Exchange(..., memory=memory.pointer)."""

    free_function = "sluice_memory_free"

    def __init__(self, bytes_max=0):
        out, error = c_void_p(), Error()
        check(lib.sluice_memory_new(bytes_max, None, byref(out), byref(error)), error)
        super().__init__(out)

    def metrics(self):
        out = MemoryMetrics()
        lib.sluice_memory_get_metrics(self.pointer, byref(out))
        return out.as_dict()


class Checksummer(Handle):
    free_function = "sluice_checksummer_free"

    def __init__(self, schema):
        out, error = c_void_p(), Error()
        with Exported(schema) as exported:
            check(lib.sluice_checksummer_new(byref(exported), byref(out), byref(error)), error)
        super().__init__(out)

    def sum(self, batches):
        """The checksum of all the batches, as one integer."""
        total, error = Checksum(), Error()
        for batch in batches:
            with Exported(batch) as array:
                check(lib.sluice_checksummer_add(self.pointer, byref(array), byref(total),
                                                 byref(error)), error)
        return total.high << 64 | total.low
