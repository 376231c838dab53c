/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_io_faults.c - each call to the system, and each allocation of a buffer, fails once
 *
 * The same run - two files written into an output directory, committed, read back - goes on again
 * and again while the n-th call fails, for n = 0, 1, 2 ... until none was left to fail.  Each time
 * the directory is the old one or the new one, whole, and nothing lies beside it.
 *
 * The functions below stand before those of the C library, for Arrow too.  Of allocations only
 * large ones fail, those that grow with the data: Arrow does not look whether it got the small
 * ones, for example the first table of a hash map.
 */
#define _GNU_SOURCE /* RTLD_NEXT, renameat2() */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sluice/io.h"
#include "support/arrays.h"

enum { BATCH_COUNT = 3, NEVER = -1, ALLOCATION_BYTES_LARGE = 64 * 1024 };

static const char schema_text[] = "k=l; s=u; v=vu; l=+l<item=u>; d=i{u}; f=g";
static const char row_text[] =
    "[%d, \"a text %d\", \"a view of a longer text %d\", [\"x\", null], \"red\", null]";

static int rows_per_batch;

static int calls_until_failure = NEVER;
static bool allocations_fail; /* Else calls to the system do. */
static bool is_paused;        /* While the test itself needs memory. */

static bool fails_now(bool is_allocation)
{
    if (is_paused || is_allocation != allocations_fail || calls_until_failure == NEVER)
        return false;
    if (calls_until_failure > 0) {
        calls_until_failure--;
        return false;
    }
    calls_until_failure = NEVER;
    return true;
}

#define REAL(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))
#define FAIL_OR(result, ...)                                                                       \
    do {                                                                                           \
        if (fails_now(false)) {                                                                    \
            errno = EIO;                                                                           \
            return (result);                                                                       \
        }                                                                                          \
        return __VA_ARGS__;                                                                        \
    } while (0)

/* SLUICE_API makes them visible to the libraries. */
SLUICE_API int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    if (bytes >= ALLOCATION_BYTES_LARGE && fails_now(true))
        return ENOMEM;
    return REAL(posix_memalign)(out, alignment, bytes);
}

SLUICE_API ssize_t write(int file, const void *data, size_t bytes)
{
    FAIL_OR(-1, REAL(write)(file, data, bytes));
}

SLUICE_API ssize_t pread(int file, void *out, size_t bytes, off_t offset)
{
    FAIL_OR(-1, REAL(pread)(file, out, bytes, offset));
}

SLUICE_API ssize_t pread64(int file, void *out, size_t bytes, off64_t offset)
{
    FAIL_OR(-1, REAL(pread64)(file, out, bytes, offset));
}

SLUICE_API int fsync(int file)
{
    FAIL_OR(-1, REAL(fsync)(file));
}

SLUICE_API int mkdir(const char *path, mode_t mode)
{
    FAIL_OR(-1, REAL(mkdir)(path, mode));
}

SLUICE_API int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    FAIL_OR(-1, REAL(linkat)(from_folder, from, to_folder, to, flags));
}

SLUICE_API int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                         unsigned int flags)
{
    FAIL_OR(-1, REAL(renameat2)(from_folder, from, to_folder, to, flags));
}

SLUICE_API int rename(const char *from, const char *to)
{
    FAIL_OR(-1, REAL(rename)(from, to));
}

/* A folder for the test, removed at its end. */
static char *make_folder(void)
{
    char *path = strdup("/tmp/sluice-io-faults-XXXXXX");

    assert_non_null(path);
    assert_non_null(mkdtemp(path));
    return path;
}

static void remove_folder(char *path)
{
    char command[256];

    snprintf(command, sizeof(command), "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
    free(path);
}

/* Make a batch of rows_per_batch rows. */
static void make_batch(const struct ArrowSchema *schema, struct ArrowArray *out)
{
    const size_t bytes = (sizeof(row_text) + 40) * (size_t)rows_per_batch;
    size_t used = 0;

    is_paused = true;
    char *text = malloc(bytes);
    assert_non_null(text);
    for (int row = 0; row < rows_per_batch; row++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s", row == 0 ? "[" : ",");
        used += (size_t)snprintf(text + used, bytes - used, row_text, row, row, row);
    }
    snprintf(text + used, bytes - used, "]");
    test_batch(schema, text, out);
    free(text);
    is_paused = false;
}

static sluice_status write_file(const char *folder, const char *name, sluice_file_format format,
                                sluice_error *error)
{
    struct ArrowSchema schema;
    sluice_sink *sink = NULL;
    char path[512];
    const sluice_sink_options options = {.size = sizeof(options), .format = format, .sync = true};

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    is_paused = true;
    test_schema(schema_text, &schema);
    is_paused = false;
    sluice_status status = sluice_sink_new(path, &schema, &options, &sink, error);
    for (int index = 0; index < BATCH_COUNT && status == SLUICE_OK; index++) {
        struct ArrowArray batch;

        make_batch(&schema, &batch);
        status = sluice_sink_write(sink, &batch, error);
        assert_null(batch.release);
        if (status == SLUICE_OK && index == 0)
            status = sluice_sink_flush(sink, error);
    }
    if (status == SLUICE_OK)
        status = sluice_sink_finish(sink, NULL, error);
    sluice_sink_free(sink);
    schema.release(&schema);
    return status;
}

static sluice_status read_stream(struct ArrowArrayStream *stream, int64_t *rows,
                                 sluice_error *error)
{
    for (;;) {
        struct ArrowArray batch;
        const sluice_status status =
            sluice_stream_get_status(stream, stream->get_next(stream, &batch), error);

        if (status != SLUICE_OK || batch.release == NULL)
            return status;
        *rows += batch.length;
        batch.release(&batch);
    }
}

static sluice_status read_file(const char *folder, const char *name, int64_t *rows,
                               sluice_error *error)
{
    sluice_source *source = NULL;
    sluice_dictionaries *dictionaries = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    sluice_read_options options = {.size = sizeof(options), .validate_values = true};
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    sluice_status status = sluice_source_open(path, SLUICE_FORMAT_DETECT, &source, error);
    if (status == SLUICE_OK) {
        const sluice_source *const sources[] = {source};
        status = sluice_dictionaries_new(sources, 1, NULL, 0, &dictionaries, error);
    }
    options.dictionaries = dictionaries;
    if (status == SLUICE_OK)
        status = sluice_source_open_piece(source, 0, sluice_source_get_piece_count(source),
                                          &options, &stream, error);
    if (status == SLUICE_OK)
        status = read_stream(&stream, rows, error);
    if (stream.release != NULL)
        stream.release(&stream);
    sluice_dictionaries_free(dictionaries);
    sluice_source_free(source);
    return status;
}

static const char manifest_text[] =
    "{\"partitions\": [{\"files\": [{\"path\": \"one.parquet\"}, {\"path\": \"k/two.arrow\"}]}]}";

/* Write, commit, read back. */
static sluice_status run(const char *out, sluice_error *error)
{
    sluice_output_directory *directory = NULL;
    int64_t rows = 0;

    sluice_status status =
        sluice_output_directory_begin(out, SLUICE_IF_EXISTS_REPLACE, &directory, error);
    if (status == SLUICE_OK) {
        const char *staging = sluice_output_directory_get_path(directory);
        status = write_file(staging, "one.parquet", SLUICE_FORMAT_PARQUET, error);
        if (status == SLUICE_OK)
            status = write_file(staging, "k/two.arrow", SLUICE_FORMAT_IPC_FILE, error);
    }
    if (status == SLUICE_OK)
        status = sluice_output_directory_commit(directory, manifest_text, error);
    sluice_output_directory_free(directory);
    if (status == SLUICE_OK)
        status = read_file(out, "one.parquet", &rows, error);
    if (status == SLUICE_OK)
        status = read_file(out, "k/two.arrow", &rows, error);
    if (status == SLUICE_OK)
        assert_int_equal(rows, 2 * BATCH_COUNT * rows_per_batch);
    return status;
}

static bool exists(const char *folder, const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* The directory is as it was, or as it should be; nothing lies beside it. */
static void check_whole(const char *folder, const char *out, bool has_old)
{
    uint32_t removed;
    sluice_error error;
    const bool is_new = exists(out, "one.parquet");

    assert_int_equal(sluice_output_directory_clean(out, &removed, &error), SLUICE_OK);
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            assert_string_equal(entry->d_name, "out");
    }
    closedir(listing);
    assert_int_equal(exists(out, "k/two.arrow"), is_new);
    assert_int_equal(exists(out, "old"), has_old && !is_new);
    assert_int_equal(exists(out, "mine"), has_old);
    assert_int_equal(exists(out, "_sluice.json"), has_old || is_new);
    if (is_new) {
        int64_t rows = 0;
        assert_int_equal(read_file(out, "one.parquet", &rows, &error), SLUICE_OK);
        assert_int_equal(read_file(out, "k/two.arrow", &rows, &error), SLUICE_OK);
        assert_int_equal(rows, 2 * BATCH_COUNT * rows_per_batch);
    }
}

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* An older data set, and a file that is not of it. */
static void put_old(const char *out)
{
    assert_int_equal(mkdir(out, 0777), 0);
    put_file(out, "old", "old");
    put_file(out, "mine", "mine");
    put_file(out, "_sluice.json", "{\"partitions\": [{\"files\": [{\"path\": \"old\"}]}]}");
}

/* Fail call after call until a run has none left to fail. */
static void sweep(bool of_allocations, bool has_old)
{
    const uint64_t bytes_before = sluice_io_get_memory_bytes();
    int failures = 0;

    for (int call = 0;; call++) {
        char *folder = make_folder();
        char out[512];
        sluice_error error = {0};

        snprintf(out, sizeof(out), "%s/out", folder);
        if (has_old)
            put_old(out);
        allocations_fail = of_allocations;
        calls_until_failure = call;
        const sluice_status status = run(out, &error);
        const bool was_reached = calls_until_failure == NEVER;
        calls_until_failure = NEVER;
        if (status != SLUICE_OK) {
            failures++;
            assert_int_equal(error.status, status);
            assert_true(error.message[0] != '\0');
            if (of_allocations)
                assert_int_equal(status, SLUICE_OUT_OF_MEMORY);
        }
        check_whole(folder, out, has_old);
        remove_folder(folder);
        assert_int_equal(sluice_io_get_memory_bytes(), bytes_before);
        if (!was_reached) {
            assert_int_equal(status, SLUICE_OK);
            assert_true(failures > 0);
            assert_true(failures > call / 2);
            return;
        }
    }
}

static void every_call_fails_once_for_a_new_directory(void **state)
{
    (void)state;
    rows_per_batch = 3;
    sweep(false, false);
}

static void every_call_fails_once_for_an_old_directory(void **state)
{
    (void)state;
    rows_per_batch = 3;
    sweep(false, true);
}

static void every_large_buffer_fails_once(void **state)
{
    (void)state;
    rows_per_batch = 3000;
    sweep(true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once_for_a_new_directory),
        cmocka_unit_test(every_call_fails_once_for_an_old_directory),
        cmocka_unit_test(every_large_buffer_fails_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
