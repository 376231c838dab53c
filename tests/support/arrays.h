/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/arrays.h - Arrow schemas and arrays for tests
 *
 * Nothing here uses src/: arrays are made, read and compared through the C Data interface alone,
 * so that they can serve as the other side of what is tested.  Misuse and a lack of memory abort.
 *
 *     struct ArrowSchema schema;
 *     struct ArrowArray batch;
 *
 *     test_schema("id=l; name=u; tags=+l<item=u>", &schema);
 *     test_batch(&schema, "[[1, \"a\", [\"x\", null]], [2, null, []]]", &batch);
 *     ... test_row_text(&schema, &batch, 0) is {id:1,name:"a",tags:["x",null]} ...
 *     batch.release(&batch);
 *     schema.release(&schema);
 *
 * schemas.c, arrays.c, random_arrays.c, random_schemas.c and array_text.c hold what is below.
 */
#ifndef TEST_ARRAYS_H
#define TEST_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/arrow_abi.h"

/*
 * Make the schema of a batch from a text:
 *
 *     fields := [ field { ";" field } ]
 *     field  := name "=" type [ "!" ]                           "!": not nullable
 *     type   := format [ "<" fields ">" ] [ "{" type "}" ]      children; the dictionary's values
 *
 * format is an Arrow format string, which has none of ; < > { } ! in it.  Spaces may stand
 * anywhere but in names and formats.
 *
 *     "d=c{u}"                           dictionary of utf8 with int8 indices
 *     "r=+r<run_ends=i; values=u>"       run-end encoded utf8
 *     "m=+m<entries=+s<key=u!; value=i>!>"
 *     "u=+ud:5,7<a=i; b=u>"              dense union with type ids 5 and 7
 */
void test_schema(const char *text, struct ArrowSchema *out);

/* One column of each type and layout there is, nested ones included, as a text of that kind. */
extern const char *const test_every_type;

/* A deep copy, metadata included. */
void test_schema_copy(const struct ArrowSchema *schema, struct ArrowSchema *out);

/* Everything is the same: format, name, flags, metadata, children, dictionary. */
bool test_schemas_equal(const struct ArrowSchema *left, const struct ArrowSchema *right);

/*
 * Make an array of one field (not a batch) from a JSON array of values:
 *
 *     null                any type
 *     true, false         bool
 *     integers            integers, decimals (unscaled), dates, times, durations, months
 *     "0x..."             the same and floats, by their bits; "18446744073709551615" also works
 *     numbers             float32 and float64; also "nan", "inf", "-inf".  float16: "0x..." only
 *     [days, millis]      day-time intervals
 *     [months, days, ns]  month-day-nano intervals
 *     strings             binary and utf8 of all layouts, fixed-size binary
 *     arrays              lists of all layouts; [key, value] pairs for maps
 *     arrays or objects   structs: by order or by name (what is not named is null)
 *     [type id, value]    unions
 *
 * Dictionaries and run-ends take plain values; equal ones share an entry or a run.  Arrays have
 * offset 0, an exact null count, and no bitmap where nothing is null.
 */
void test_array(const struct ArrowSchema *field, const char *json, struct ArrowArray *out);

/* The same for a batch: an array of rows, each an array or an object as for structs. */
void test_batch(const struct ArrowSchema *schema, const char *json, struct ArrowArray *out);

/* What random arrays look like.  Zero is a fair default but for the seed. */
typedef struct test_random_options {
    uint64_t seed;
    int null_percent;     /* Of the rows of each array that can have nulls.  0: no nulls. */
    int size_max;         /* Bytes in a string, elements in a list.  0 means 20. */
    uint64_t value_count; /* Plain values are drawn from so many, the same for every seed, so that
                             keys meet across batches.  0: from all there are. */
    bool is_sliced;       /* Offsets, unused rows before and behind, at every depth. */
} test_random_options;

/*
 * Make a random array of a field, valid by Arrow's rules.  Null rows hold rubbish where the rules
 * allow it.  With is_sliced it is the column as others leave it: offsets everywhere.
 */
void test_random_array(const struct ArrowSchema *field, int64_t row_count,
                       const test_random_options *options, struct ArrowArray *out);

/* The same for a batch, whose rows are never null as a whole. */
void test_random_batch(const struct ArrowSchema *schema, int64_t row_count,
                       const test_random_options *options, struct ArrowArray *out);

/* A schema of column_count random columns, nested up to depth_max levels. */
void test_random_schema(uint64_t seed, size_t column_count, int depth_max,
                        struct ArrowSchema *out);

/* The next of a sequence of random numbers; *state is the seed and moves on (splitmix64). */
uint64_t test_random_next(uint64_t *state);

/*
 * The logical value of a row as text, the same for all physical forms: dictionaries, run-ends,
 * views, list views and slices are looked through.  Floats are given by their bits, so that -0.0,
 * 0.0 and every NaN differ.  The caller frees it with free().
 */
char *test_row_text(const struct ArrowSchema *field, const struct ArrowArray *array, int64_t row);

/* Every row of left is the row of right with the same number. */
bool test_arrays_equal(const struct ArrowSchema *left_field, const struct ArrowArray *left,
                       const struct ArrowSchema *right_field, const struct ArrowArray *right);

/* A growing list of rows as text, to compare what went in with what came out. */
typedef struct test_rows {
    char **texts;
    size_t count;
    size_t capacity;
} test_rows;

/* Append all rows of an array.  Begin with a zeroed test_rows. */
void test_rows_append(test_rows *rows, const struct ArrowSchema *field,
                      const struct ArrowArray *array);

/* Order the rows, so that two lists can be compared as multisets. */
void test_rows_sort(test_rows *rows);

/* The same texts in the same order. */
bool test_rows_equal(const test_rows *left, const test_rows *right);

void test_rows_free(test_rows *rows);

/*
 * For the parts of this library, and for tests that break an array on purpose: an array with room
 * for what is asked, all of it zeroed and owned, released like any other.  Children and dictionary
 * are released arrays until they are filled.  Buffer i has buffer_bytes[i] bytes; 0 makes it NULL.
 */
void test_array_new(int64_t row_count, int64_t buffer_count, const size_t *buffer_bytes,
                    int64_t child_count, bool has_dictionary, struct ArrowArray *out);

/* A buffer of an array that test_array_new() made, to be written. */
void *test_array_buffer(const struct ArrowArray *array, int64_t index);

/* Abort with a sentence when a condition does not hold. */
void test_require(bool condition, const char *sentence);

#endif /* TEST_ARRAYS_H */
