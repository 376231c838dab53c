# SPDX-License-Identifier: Apache-2.0
"""libsluice_io through ctypes, with pyarrow on the other side of the Arrow C interfaces."""

import ctypes
import os
import pathlib

import pyarrow as pa

ROOT = pathlib.Path(__file__).resolve().parents[2]

OK, INVALID, BAD_DATA, UNSUPPORTED, OUT_OF_MEMORY, IO_ERROR = 0, 3, 4, 5, 6, 7
DETECT, PARQUET, IPC_FILE, IPC_STREAM = 0, 1, 2, 3
IF_EXISTS_ERROR, IF_EXISTS_APPEND, IF_EXISTS_REPLACE = 0, 1, 2

pointer = ctypes.c_void_p
text = ctypes.c_char_p


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 1024)]


class CSchema(ctypes.Structure):
    _fields_ = [("storage", ctypes.c_byte * 72)]


class CArray(ctypes.Structure):
    _fields_ = [("storage", ctypes.c_byte * 80)]


class CStream(ctypes.Structure):
    pass


CStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CStream), pointer)),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CStream), pointer)),
    ("get_last_error", ctypes.CFUNCTYPE(text, ctypes.POINTER(CStream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(CStream))),
    ("private_data", pointer),
]


class ReadOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("columns", ctypes.POINTER(ctypes.c_uint32)),
        ("column_count", ctypes.c_size_t),
        ("batch_rows", ctypes.c_int64),
        ("dictionaries", pointer),
        ("validate_values", ctypes.c_bool),
    ]


class SinkOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("format", ctypes.c_int),
        ("compression", text),
        ("row_group_rows", ctypes.c_int64),
        ("logical_schema", pointer),
        ("metadata_keys", ctypes.POINTER(text)),
        ("metadata_values", ctypes.POINTER(text)),
        ("metadata_count", ctypes.c_size_t),
        ("sync", ctypes.c_bool),
    ]


class SinkStatistics(ctypes.Structure):
    _fields_ = [("rows", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("row_groups", ctypes.c_uint64)]


class SluiceError(Exception):
    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


def find_library():
    given = os.environ.get("SLUICE_IO_LIB")

    return given if given else str(ROOT / "build" / "lib" / "libsluice_io.so")


def load():
    library = ctypes.CDLL(find_library())
    results = {
        "sluice_source_get_path": text,
        "sluice_source_get_metadata": text,
        "sluice_source_get_bytes": ctypes.c_int64,
        "sluice_source_get_row_count": ctypes.c_int64,
        "sluice_source_get_piece_count": ctypes.c_uint32,
        "sluice_source_get_piece_rows": ctypes.c_int64,
        "sluice_source_get_piece_bytes": ctypes.c_int64,
        "sluice_dictionaries_get_column_count": ctypes.c_size_t,
        "sluice_sink_get_rows": ctypes.c_uint64,
        "sluice_sink_get_buffered_bytes": ctypes.c_uint64,
        "sluice_sink_get_encoded_bytes": ctypes.c_uint64,
        "sluice_io_get_memory_bytes": ctypes.c_uint64,
        "sluice_io_get_memory_bytes_max": ctypes.c_uint64,
        "sluice_output_directory_get_path": text,
        "sluice_output_directory_get_manifest": text,
        "sluice_output_directory_is_stepwise": ctypes.c_bool,
        "sluice_output_directory_has_file": ctypes.c_bool,
    }
    for name, result in results.items():
        getattr(library, name).restype = result
    return library


lib = load()


def call(name, *arguments):
    error = Error()
    status = getattr(lib, name)(*arguments, ctypes.byref(error))
    if status != OK:
        assert error.status == status
        raise SluiceError(status, error.message.decode())


def address(structure):
    return ctypes.addressof(structure)


def import_schema(c_schema):
    return pa.Schema._import_from_c(address(c_schema))


def through_c(schema):
    return import_schema(export_schema(schema))


class Dictionaries:
    def __init__(self, sources, columns=None):
        self.handle = pointer()
        handles = (pointer * len(sources))(*[source.handle for source in sources])
        names = None
        if columns is not None:
            names = (text * len(columns))(*[name.encode() for name in columns])
        call("sluice_dictionaries_new", handles, ctypes.c_size_t(len(sources)), names,
             ctypes.c_size_t(len(columns or [])), ctypes.byref(self.handle))

    @property
    def column_count(self):
        return lib.sluice_dictionaries_get_column_count(self.handle)

    def __del__(self):
        lib.sluice_dictionaries_free(self.handle)


class Stream:
    """A stream of the library, read through its C callbacks so that statuses are seen."""

    def __init__(self, c_stream):
        self.c_stream = c_stream
        c_schema = CSchema()
        self.check(c_stream.get_schema(c_stream, address(c_schema)))
        self.schema = import_schema(c_schema)

    def check(self, code):
        error = Error()
        status = lib.sluice_stream_get_status(ctypes.byref(self.c_stream), code,
                                              ctypes.byref(error))
        if status != OK:
            raise SluiceError(status, error.message.decode())

    def next_c(self):
        """The next batch as a C structure, or None."""
        array = CArray()
        self.check(self.c_stream.get_next(self.c_stream, address(array)))
        return array if any(array.storage[64:72]) else None

    def batches(self):
        while (array := self.next_c()) is not None:
            yield pa.RecordBatch._import_from_c(address(array), self.schema)

    def read_all(self):
        return pa.Table.from_batches(list(self.batches()), self.schema)

    def __del__(self):
        if self.c_stream.release:
            self.c_stream.release(self.c_stream)


class Source:
    def __init__(self, path, format=DETECT):
        self.handle = pointer()
        call("sluice_source_open", str(path).encode(), format, ctypes.byref(self.handle))

    @property
    def schema(self):
        c_schema = CSchema()
        call("sluice_source_get_schema", self.handle, ctypes.byref(c_schema))
        return import_schema(c_schema)

    @property
    def piece_count(self):
        return lib.sluice_source_get_piece_count(self.handle)

    @property
    def row_count(self):
        return lib.sluice_source_get_row_count(self.handle)

    def metadata(self, key):
        value = lib.sluice_source_get_metadata(self.handle, key.encode())
        return value.decode() if value is not None else None

    def open(self, first=0, count=None, columns=None, batch_rows=0, dictionaries=None,
             validate=True):
        numbers = None
        if columns is not None:
            numbers = (ctypes.c_uint32 * max(len(columns), 1))(*columns)
        options = ReadOptions(ctypes.sizeof(ReadOptions), numbers, len(columns or []), batch_rows,
                              dictionaries.handle if dictionaries else None, validate)
        stream = CStream()
        count = self.piece_count - first if count is None else count
        call("sluice_source_open_piece", self.handle, ctypes.c_uint32(first),
             ctypes.c_uint32(count), ctypes.byref(options), ctypes.byref(stream))
        return Stream(stream)

    def read_all(self, **options):
        return self.open(**options).read_all()

    def __del__(self):
        lib.sluice_source_free(self.handle)


def sink_options(format, compression=None, row_group_rows=0, logical=None, metadata=None,
                 sync=False):
    keys = list((metadata or {}).keys())
    values = [metadata[key] for key in keys]
    return SinkOptions(
        ctypes.sizeof(SinkOptions), format, compression.encode() if compression else None,
        row_group_rows, address(logical) if logical is not None else None,
        (text * len(keys))(*[key.encode() for key in keys]) if keys else None,
        (text * len(keys))(*[value and value.encode() for value in values]) if keys else None,
        len(keys), sync)


def export_schema(schema):
    c_schema = CSchema()
    schema._export_to_c(address(c_schema))
    return c_schema


def release_schema(c_schema):
    pa.Schema._import_from_c(address(c_schema))


def check_sink(schema, format, **options):
    c_schema = export_schema(schema)
    try:
        call("sluice_sink_check", ctypes.byref(c_schema),
             ctypes.byref(sink_options(format, **options)))
    finally:
        release_schema(c_schema)


class Sink:
    def __init__(self, path, schema, format, logical=None, **options):
        self.handle = pointer()
        c_schema = export_schema(schema)
        c_logical = export_schema(logical) if logical is not None else None
        try:
            call("sluice_sink_new", str(path).encode(), ctypes.byref(c_schema),
                 ctypes.byref(sink_options(format, logical=c_logical, **options)),
                 ctypes.byref(self.handle))
        finally:
            release_schema(c_schema)
            if c_logical is not None:
                release_schema(c_logical)

    def write(self, batch):
        array = CArray()
        batch._export_to_c(address(array))
        self.write_c(array)

    def write_c(self, array):
        try:
            call("sluice_sink_write", self.handle, ctypes.byref(array))
        finally:
            assert not any(array.storage[64:72])

    def flush(self):
        call("sluice_sink_flush", self.handle)

    def finish(self):
        statistics = SinkStatistics()
        call("sluice_sink_finish", self.handle, ctypes.byref(statistics))
        return statistics

    @property
    def buffered_bytes(self):
        return lib.sluice_sink_get_buffered_bytes(self.handle)

    def free(self):
        lib.sluice_sink_free(self.handle)
        self.handle = pointer()

    __del__ = free


def write_table(path, table, format, **options):
    sink = Sink(path, table.schema, format, **options)
    for batch in table.to_batches(max_chunksize=1000):
        sink.write(batch)
    return sink.finish()


class OutputDirectory:
    def __init__(self, path, if_exists=IF_EXISTS_ERROR):
        self.handle = pointer()
        call("sluice_output_directory_begin", str(path).encode(), if_exists,
             ctypes.byref(self.handle))

    @property
    def path(self):
        return pathlib.Path(lib.sluice_output_directory_get_path(self.handle).decode())

    @property
    def manifest(self):
        value = lib.sluice_output_directory_get_manifest(self.handle)
        return value.decode() if value is not None else None

    @property
    def is_stepwise(self):
        return lib.sluice_output_directory_is_stepwise(self.handle)

    def has_file(self, relative):
        return lib.sluice_output_directory_has_file(self.handle, relative.encode())

    def commit(self, manifest):
        call("sluice_output_directory_commit", self.handle, manifest.encode())

    def free(self):
        lib.sluice_output_directory_free(self.handle)
        self.handle = pointer()

    __del__ = free


def clean(path):
    removed = ctypes.c_uint32()
    call("sluice_output_directory_clean", str(path).encode(), ctypes.byref(removed))
    return removed.value
