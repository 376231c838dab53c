/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sluice/io.h - files: Parquet and Arrow IPC in and out, and directories that appear in one step
 *
 * The API of libsluice_io.  A source is one input file that is read in pieces, each piece as a
 * stream of its own, so that several threads can read one file.  A sink is one output file.  An
 * output directory collects the files of a run and takes its place when the run has succeeded.
 *
 *     sluice_source_open() ...                    one for each input file
 *     sluice_dictionaries_new()                   once for all of them (optional)
 *         sluice_source_open_piece()              pull batches from the stream, release it
 *     sluice_output_directory_begin()
 *         sluice_sink_new()                       path: below sluice_output_directory_get_path()
 *             sluice_sink_write() ...
 *             sluice_sink_finish()                or sluice_sink_free() alone: the file is removed
 *     sluice_output_directory_commit()
 *     sluice_output_directory_free()              without a commit: everything is as it was
 *
 * What a file holds is never trusted: whatever its bytes are, the calls end with SLUICE_OK or with
 * a status.  Messages name the file, and the row group and the column where they are known.
 *
 * Every options structure has a size: set it to the size of the structure, zero the rest, then set
 * what differs from a default.  Options and strings are read during the call and not kept.
 */
#ifndef SLUICE_IO_H
#define SLUICE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/arrow_abi.h"
#include "sluice/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sluice_file_format {
    SLUICE_FORMAT_DETECT = 0, /* Sources: by content, then by extension. */
    SLUICE_FORMAT_PARQUET = 1,
    SLUICE_FORMAT_IPC_FILE = 2,  /* Arrow IPC with a footer; also Feather version 2. */
    SLUICE_FORMAT_IPC_STREAM = 3 /* Arrow IPC messages one after the other. */
} sluice_file_format;

/* "parquet", "ipc" or "ipc-stream"; "detect" for anything else.  Never NULL. */
SLUICE_API const char *sluice_file_format_name(sluice_file_format format);

/* The usual extension without the dot: "parquet", "arrow" or "arrows".  Never NULL. */
SLUICE_API const char *sluice_file_format_extension(sluice_file_format format);

/* Bytes that sources, streams, sinks and dictionaries hold now, and the most they ever held. */
SLUICE_API uint64_t sluice_io_get_memory_bytes(void);
SLUICE_API uint64_t sluice_io_get_memory_bytes_max(void);

/* ---------------------------------------------------------------------------- sources */

typedef struct sluice_source sluice_source;
typedef struct sluice_dictionaries sluice_dictionaries;

/*
 * Open a file, read its footer or its schema, and find out its format.  The path "-" is standard
 * input, which must be an IPC stream.  format overrides what the content says.  On failure *out is
 * NULL.
 *
 * A source may be used by several threads at once.  Streams that were opened from it stay valid
 * after sluice_source_free().
 */
SLUICE_API sluice_status sluice_source_open(const char *path, sluice_file_format format,
                                            sluice_source **out, sluice_error *error);

/* The path it was opened with, owned by the source. */
SLUICE_API const char *sluice_source_get_path(const sluice_source *source);

/* Never SLUICE_FORMAT_DETECT. */
SLUICE_API sluice_file_format sluice_source_get_format(const sluice_source *source);

/* Bytes of the file; -1 when they are not known (standard input, a pipe). */
SLUICE_API int64_t sluice_source_get_bytes(const sluice_source *source);

/* Rows by the footer's word; -1 when there is none (IPC streams). */
SLUICE_API int64_t sluice_source_get_row_count(const sluice_source *source);

/*
 * Pieces that can be read on their own: row groups of a Parquet file, record batches of an IPC
 * file; an IPC stream is one piece.  0 for a file without rows, which has a schema nevertheless.
 */
SLUICE_API uint32_t sluice_source_get_piece_count(const sluice_source *source);

/* Rows of one piece by the footer's word; -1 when they are not known. */
SLUICE_API int64_t sluice_source_get_piece_rows(const sluice_source *source, uint32_t piece);

/* Encoded bytes of one piece by the footer's word; -1 when they are not known. */
SLUICE_API int64_t sluice_source_get_piece_bytes(const sluice_source *source, uint32_t piece);

/*
 * The logical schema of the file: all columns, with the types its writer had (so string_view stays
 * string_view), field metadata (field ids included) and, as the metadata of the schema, the file's
 * key-value metadata.  The caller releases it.
 */
SLUICE_API sluice_status sluice_source_get_schema(const sluice_source *source,
                                                  struct ArrowSchema *out, sluice_error *error);

/*
 * The value under a key of the file's key-value metadata, owned by the source; NULL when there is
 * no such key, or the value holds a zero byte.
 */
SLUICE_API const char *sluice_source_get_metadata(const sluice_source *source, const char *key);

typedef struct sluice_read_options {
    size_t size;
    const uint32_t *columns; /* Top-level columns to read, by index in the schema of the source, in
                                this order; none twice.  NULL: all of them. */
    size_t column_count;     /* Entries in columns; not read when columns is NULL. */
    int64_t batch_rows;      /* Rows in a batch of a Parquet file, at most.  0 means 32768. */
    const sluice_dictionaries *dictionaries; /* NULL: columns come as the logical schema says. */
    bool validate_values;    /* Check offsets, UTF-8 and dictionary indices of every batch.  Not
                                needed when they go into an exchange that does it. */
} sluice_read_options;

/*
 * The schema of the streams that sluice_source_open_piece() makes with these options: the logical
 * schema, projected, with the columns of the dictionaries as dictionaries with int32 indices.  The
 * caller releases it.  options may be NULL.
 */
SLUICE_API sluice_status sluice_source_get_read_schema(const sluice_source *source,
                                                       const sluice_read_options *options,
                                                       struct ArrowSchema *out,
                                                       sluice_error *error);

/*
 * Make a stream of the pieces piece_first .. piece_first + piece_count - 1, one after the other.
 * No more than a few batches and the encoded pages below them are in memory at a time.  Streams of
 * one source are independent of each other; one stream is driven by one thread at a time.  An IPC
 * stream can be opened once when it comes from standard input or a pipe.
 *
 * get_next returns EIO, ENOMEM, ENOTSUP or EINVAL with a message from get_last_error; use
 * sluice_stream_get_status() to make it a status again.  options may be NULL.
 */
SLUICE_API sluice_status sluice_source_open_piece(const sluice_source *source,
                                                  uint32_t piece_first, uint32_t piece_count,
                                                  const sluice_read_options *options,
                                                  struct ArrowArrayStream *out,
                                                  sluice_error *error);

/*
 * The status for a code that get_schema or get_next of a stream of this library returned: SLUICE_OK
 * for 0, SLUICE_IO_ERROR for EIO, SLUICE_OUT_OF_MEMORY for ENOMEM, SLUICE_UNSUPPORTED for ENOTSUP,
 * else SLUICE_BAD_DATA.  Also copies the stream's last error into error.
 */
SLUICE_API sluice_status sluice_stream_get_status(struct ArrowArrayStream *stream, int code,
                                                  sluice_error *error);

/* NULL is allowed. */
SLUICE_API void sluice_source_free(sluice_source *source);

/*
 * Decide which string and binary columns of a data set to read as dictionaries, and make one
 * dictionary for each: those that all row groups of all sources store as small dictionaries.  Reads
 * the footers and the dictionary pages.  Sources that are not Parquet take no part: their columns
 * come as they are, so one of them makes the result empty.  columns (NULL: all) names the columns
 * that may be chosen; they are looked up by name in each source.
 *
 * All batches then share one dictionary per column, so that writers can store it as it is.  The
 * sources may be freed before the dictionaries, which any number of threads may use.
 */
SLUICE_API sluice_status sluice_dictionaries_new(const sluice_source *const *sources,
                                                 size_t source_count,
                                                 const char *const *columns, size_t column_count,
                                                 sluice_dictionaries **out, sluice_error *error);

/* Columns that were chosen. */
SLUICE_API size_t sluice_dictionaries_get_column_count(const sluice_dictionaries *dictionaries);

/* Streams keep what they need.  NULL is allowed. */
SLUICE_API void sluice_dictionaries_free(sluice_dictionaries *dictionaries);

/* ------------------------------------------------------------------------------ sinks */

typedef struct sluice_sink sluice_sink;

typedef struct sluice_sink_options {
    size_t size;
    sluice_file_format format;  /* Required. */
    const char *compression;    /* "none", "snappy", "zstd", "zstd:LEVEL", "lz4" or "gzip"; IPC
                                   knows none, zstd, lz4.  NULL: zstd for Parquet, none for IPC. */
    int64_t row_group_rows;     /* Rows in a Parquet row group, at most.  0 means 1048576. */
    const struct ArrowSchema *logical_schema; /* What a reader of the file shall see: the schema of
                                   the batches, but for dictionary columns, which may stand here
                                   with the type of their values.  Its metadata goes into the file.
                                   NULL: the schema of the batches. */
    const char *const *metadata_keys;   /* Added to the metadata of the schema; replaces a key */
    const char *const *metadata_values; /* that is there, and a NULL value removes it. */
    size_t metadata_count;
    bool sync;                  /* Finish only when the bytes are on the disk. */
} sluice_sink_options;

typedef struct sluice_sink_statistics {
    uint64_t rows;       /* Written. */
    uint64_t bytes;      /* Of the file. */
    uint64_t row_groups; /* Of a Parquet file; record batches of an IPC file. */
} sluice_sink_statistics;

/*
 * Can a format store this schema with this compression?  SLUICE_UNSUPPORTED names the column and
 * its type, or the compression; SLUICE_INVALID is a compression that does not exist.  Writes
 * nothing.  options as for sluice_sink_new().
 */
SLUICE_API sluice_status sluice_sink_check(const struct ArrowSchema *schema,
                                           const sluice_sink_options *options,
                                           sluice_error *error);

/*
 * Create a file, which must not exist, and its missing parent directories, for batches of this
 * schema.  The path "-" is standard output, for IPC streams.  A sink is used by one thread at a
 * time.  No file descriptor is held between calls, so any number of sinks may be open.
 */
SLUICE_API sluice_status sluice_sink_new(const char *path, const struct ArrowSchema *schema,
                                         const sluice_sink_options *options, sluice_sink **out,
                                         sluice_error *error);

/*
 * Write a batch.  Takes it, whatever the status is: batch->release is NULL after the call.  After a
 * failure only sluice_sink_free() is allowed.
 */
SLUICE_API sluice_status sluice_sink_write(sluice_sink *sink, struct ArrowArray *batch,
                                           sluice_error *error);

/* Rows taken so far. */
SLUICE_API uint64_t sluice_sink_get_rows(const sluice_sink *sink);

/* Memory the sink holds: pages of the open row group, and its tables. */
SLUICE_API uint64_t sluice_sink_get_buffered_bytes(const sluice_sink *sink);

/* Bytes the file would have if it were finished now, about: written and buffered ones. */
SLUICE_API uint64_t sluice_sink_get_encoded_bytes(const sluice_sink *sink);

/* End the open row group and write it, which frees its memory.  For IPC nothing is to be done. */
SLUICE_API sluice_status sluice_sink_flush(sluice_sink *sink, sluice_error *error);

/*
 * Write what is left, and the footer.  statistics may be NULL.  The sink is still to be freed.  On
 * failure the file is removed when it is freed.
 */
SLUICE_API sluice_status sluice_sink_finish(sluice_sink *sink, sluice_sink_statistics *statistics,
                                            sluice_error *error);

/* Free a sink.  A file that is not finished is removed.  NULL is allowed. */
SLUICE_API void sluice_sink_free(sluice_sink *sink);

/* ----------------------------------------------------------------- output directories */

typedef struct sluice_output_directory sluice_output_directory;

typedef enum sluice_if_exists {
    SLUICE_IF_EXISTS_ERROR = 0,  /* A directory that is not empty is refused. */
    SLUICE_IF_EXISTS_APPEND = 1, /* All files stay. */
    SLUICE_IF_EXISTS_REPLACE = 2 /* Files that the manifest names go; all others stay. */
} sluice_if_exists;

/*
 * Start a run into the directory at path.  Removes what killed runs into it left behind, and
 * refuses (SLUICE_INVALID) a path where another run is at work, one that is no directory, and with
 * SLUICE_IF_EXISTS_ERROR one that is not empty.  The new files go into a staging folder that no
 * reader of data sets looks into; until sluice_output_directory_commit() the directory stays as it
 * is.  One thread at a time.
 */
SLUICE_API sluice_status sluice_output_directory_begin(const char *path,
                                                       sluice_if_exists if_exists,
                                                       sluice_output_directory **out,
                                                       sluice_error *error);

/* The staging folder, where the files of the run are to be made.  Owned by the directory. */
SLUICE_API const char *sluice_output_directory_get_path(const sluice_output_directory *directory);

/*
 * The finished directory cannot take its place in one step (it is a mount point, its parent is not
 * writable, the file system cannot exchange two directories): files will be moved one by one.  A
 * run says so.  The answer may change from false to true in commit.
 */
SLUICE_API bool sluice_output_directory_is_stepwise(const sluice_output_directory *directory);

/*
 * The text of the manifest that was there at the start, owned by the directory; NULL when there was
 * none.  With SLUICE_IF_EXISTS_APPEND the new manifest has to name its files too.
 */
SLUICE_API const char *
sluice_output_directory_get_manifest(const sluice_output_directory *directory);

/* Will a file stay under this relative path?  Then no new file may have it. */
SLUICE_API bool sluice_output_directory_has_file(const sluice_output_directory *directory,
                                                 const char *relative_path);

/*
 * Write the manifest (its text, not kept) and put everything in place.  On SLUICE_OK readers see
 * the new data set, complete and, where the system can, after a crash too.  On failure they see the
 * old one.  The directory is still to be freed.
 */
SLUICE_API sluice_status sluice_output_directory_commit(sluice_output_directory *directory,
                                                        const char *manifest,
                                                        sluice_error *error);

/* Free everything; what was not committed is removed.  NULL is allowed. */
SLUICE_API void sluice_output_directory_free(sluice_output_directory *directory);

/* Remove what killed runs into this path left behind.  *removed_out (may be NULL): how many. */
SLUICE_API sluice_status sluice_output_directory_clean(const char *path, uint32_t *removed_out,
                                                       sluice_error *error);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_IO_H */
