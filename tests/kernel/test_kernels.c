/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_kernels.c - every kernel table against plain loops in this file
 *
 * All lengths from 0 to 299, sources at every alignment within eight bytes, random values among
 * which extremes are frequent.  A table that the processor cannot run is skipped and said so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kernels.h"
#include "support/arrays.h"

enum { ROWS_END = 300, GUARD_BYTES = 64, GUARD = 0xa5 };

static uint64_t random_state = 1;

/* One value in five is an extreme. */
static uint64_t random_value(void)
{
    const uint64_t drawn = test_random_next(&random_state);

    if (drawn % 5 != 0)
        return test_random_next(&random_state);
    return drawn % 2 == 0 ? 0 : UINT64_MAX;
}

/* SplitMix64 as published by Vigna: the state goes up by the golden ratio, then is mixed. */
static uint64_t splitmix64(uint64_t state)
{
    uint64_t mixed = state + UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static void each_table(void (*check)(const sluice_kernels *table))
{
    for (size_t index = 0; sluice_kernels_get(index) != NULL; index++) {
        const sluice_kernels *table = sluice_kernels_get(index);

        if (!sluice_kernels_can_run(table)) {
            print_message("skipped: this processor cannot run %s\n", table->name);
            continue;
        }
        check(table);
    }
}

/* The first outputs of SplitMix64 for the seed 1234567, as published with it. */
static void check_published_hashes(const sluice_kernels *table)
{
    static const uint64_t published[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821)};
    uint64_t values[5], hashes[5] = {0};

    for (uint64_t i = 0; i < 5; i++)
        values[i] = 1234567 + i * UINT64_C(0x9e3779b97f4a7c15);
    table->hash_fold(values, 5, hashes);
    assert_memory_equal(hashes, published, sizeof(published));
}

static void hashes_are_the_published_ones(void **state)
{
    (void)state;
    each_table(check_published_hashes);
}

static void check_hash_fold(const sluice_kernels *table)
{
    for (size_t rows = 0; rows < ROWS_END; rows++) {
        uint64_t values[ROWS_END], hashes[ROWS_END], expected[ROWS_END];

        for (size_t row = 0; row < rows; row++) {
            values[row] = random_value();
            hashes[row] = random_value();
            expected[row] = splitmix64(hashes[row] + values[row]);
        }
        table->hash_fold(values, rows, hashes);
        assert_memory_equal(hashes, expected, rows * sizeof(*hashes));
    }
}

static void hashes_fold_values(void **state)
{
    (void)state;
    each_table(check_hash_fold);
}

static void check_reduce(const sluice_kernels *table)
{
    static const uint32_t counts[] = {1, 2, 3, 7, 64, 1000, 4096, 65536, 65537, 16777216};

    for (size_t rows = 0; rows < ROWS_END; rows++) {
        const uint32_t count = counts[rows % (sizeof(counts) / sizeof(*counts))];
        uint64_t hashes[ROWS_END];
        uint32_t ids[ROWS_END];

        for (size_t row = 0; row < rows; row++)
            hashes[row] = random_value();
        table->reduce(hashes, rows, count, ids);
        for (size_t row = 0; row < rows; row++) {
            /* The id is the largest whose share of the range of 2^32 begins at or below the
             * upper half of the hash. */
            const uint64_t scaled = (hashes[row] >> 32) * count;

            assert_true((uint64_t)ids[row] << 32 <= scaled);
            assert_true(scaled < ((uint64_t)ids[row] + 1) << 32);
            assert_true(ids[row] < count);
        }
    }
}

static void reductions_are_the_high_part_of_a_product(void **state)
{
    (void)state;
    each_table(check_reduce);
}

static int compare_values(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static void check_search(const sluice_kernels *table)
{
    for (uint32_t bound_count = 0; bound_count < 140; bound_count++) {
        uint64_t bounds[140], keys[ROWS_END];
        uint32_t ids[ROWS_END];

        for (uint32_t bound = 0; bound < bound_count; bound++)
            bounds[bound] = random_value();
        qsort(bounds, bound_count, sizeof(*bounds), compare_values);
        for (size_t row = 0; row < ROWS_END; row++) {
            const bool is_bound = bound_count > 0 && row % 3 == 0;

            keys[row] = is_bound ? bounds[row % bound_count] : random_value();
        }
        table->search(keys, ROWS_END - bound_count, bounds, bound_count, ids);
        for (size_t row = 0; row < ROWS_END - bound_count; row++) {
            uint32_t expected = 0;

            for (uint32_t bound = 0; bound < bound_count; bound++)
                expected += bounds[bound] <= keys[row];
            assert_int_equal(ids[row], expected);
        }
    }
}

static void searches_count_the_bounds_that_are_not_greater(void **state)
{
    (void)state;
    each_table(check_search);
}

static void check_rank(const sluice_kernels *table)
{
    for (size_t rows = 0; rows < ROWS_END; rows++) {
        const uint32_t partitions = 1 + (uint32_t)(random_value() % 40);
        uint32_t ids[ROWS_END], ranks[ROWS_END], counts[41] = {0}, cursors[41] = {0};

        for (size_t row = 0; row < rows; row++)
            ids[row] = (uint32_t)(random_value() % partitions);
        table->count(ids, rows, counts);
        for (uint32_t partition = 1; partition < partitions; partition++)
            cursors[partition] = cursors[partition - 1] + counts[partition - 1];
        table->rank(ids, rows, cursors, ranks);
        for (size_t row = 0; row < rows; row++) {
            uint32_t expected = 0;

            /* Rows before it: of smaller partitions, and earlier ones of its own. */
            for (size_t other = 0; other < rows; other++)
                expected += ids[other] < ids[row] || (ids[other] == ids[row] && other < row);
            assert_int_equal(ranks[row], expected);
        }
    }
}

static void ranks_are_stable(void **state)
{
    (void)state;
    each_table(check_rank);
}

/* A random order of rows. */
static void shuffle(uint32_t *ranks, size_t rows)
{
    for (size_t row = 0; row < rows; row++)
        ranks[row] = (uint32_t)row;
    for (size_t row = rows; row > 1; row--) {
        const size_t other = (size_t)(random_value() % row);
        const uint32_t kept = ranks[row - 1];

        ranks[row - 1] = ranks[other];
        ranks[other] = kept;
    }
}

typedef void scatter_kernel(const void *source, const uint32_t *restrict ranks, size_t row_count,
                            void *target);

static void check_scatter_of(scatter_kernel *scatter, size_t width)
{
    static uint8_t source[ROWS_END * 32 + 8], target[ROWS_END * 32 + GUARD_BYTES];

    for (size_t byte = 0; byte < sizeof(source); byte++)
        source[byte] = (uint8_t)random_value();
    for (size_t rows = 0; rows < ROWS_END; rows++) {
        const uint8_t *from = source + rows % 8;
        uint32_t ranks[ROWS_END];

        shuffle(ranks, rows);
        memset(target, GUARD, sizeof(target));
        scatter(from, ranks, rows, target);
        for (size_t row = 0; row < rows; row++)
            assert_memory_equal(target + ranks[row] * width, from + row * width, width);
        for (size_t byte = rows * width; byte < rows * width + GUARD_BYTES; byte++)
            assert_int_equal(target[byte], GUARD);
    }
}

static void check_scatter(const sluice_kernels *table)
{
    check_scatter_of(table->scatter1, 1);
    check_scatter_of(table->scatter2, 2);
    check_scatter_of(table->scatter4, 4);
    check_scatter_of(table->scatter8, 8);
    check_scatter_of(table->scatter16, 16);
    check_scatter_of(table->scatter32, 32);
}

static void values_go_to_their_ranks(void **state)
{
    (void)state;
    each_table(check_scatter);
}

static void check_scatter_bits(const sluice_kernels *table)
{
    uint8_t source[ROWS_END / 8 + 16];

    for (size_t byte = 0; byte < sizeof(source); byte++)
        source[byte] = (uint8_t)random_value();
    for (size_t rows = 0; rows < ROWS_END; rows++) {
        const int64_t first = (int64_t)(rows % 67);
        uint32_t ranks[ROWS_END];
        uint8_t target[ROWS_END];

        shuffle(ranks, rows);
        table->scatter_bits(source, first, ranks, rows, target);
        for (size_t row = 0; row < rows; row++) {
            const size_t bit = (size_t)first + row;

            assert_int_equal(target[ranks[row]], (source[bit / 8] >> (bit % 8)) & 1);
        }
    }
}

static void bits_go_to_their_ranks(void **state)
{
    (void)state;
    each_table(check_scatter_bits);
}

enum { STRINGS_PARTITIONS = 7, STRING_BYTES_MAX = 70 };

/* Random strings, some shorter than their offsets say, staged by partition and compared. */
static void check_strings_of(const sluice_kernels *table, size_t rows)
{
    static uint8_t stage[ROWS_END * STRING_BYTES_MAX + (STRINGS_PARTITIONS + 1) * 32];
    int32_t offsets[ROWS_END + 1] = {0};
    uint32_t ids[ROWS_END], ranks[ROWS_END], counts[STRINGS_PARTITIONS + 1] = {0};
    int64_t ends[ROWS_END + 1] = {0};

    for (size_t row = 0; row < rows; row++) {
        offsets[row + 1] = offsets[row] + (int32_t)(random_value() % STRING_BYTES_MAX);
        ids[row] = (uint32_t)(random_value() % STRINGS_PARTITIONS);
        counts[ids[row] + 1]++;
    }
    for (uint32_t partition = 0; partition < STRINGS_PARTITIONS; partition++)
        counts[partition + 1] += counts[partition];
    for (size_t row = 0; row < rows; row++) {
        ranks[row] = counts[ids[row]]++;
        ends[ranks[row] + 1] = row % 11 == 0 ? 0 : offsets[row + 1] - offsets[row];
    }
    for (size_t rank = 0; rank < rows; rank++)
        ends[rank + 1] += ends[rank];

    /* Exactly as long as the strings, so that a sanitizer sees what is read behind them. */
    uint8_t *bytes = malloc((size_t)offsets[rows] + 1);

    assert_non_null(bytes);
    for (int32_t byte = 0; byte < offsets[rows]; byte++)
        bytes[byte] = (uint8_t)random_value();
    const sluice_string_rows strings = {.bytes = bytes, .offsets = offsets, .row_count = rows};

    table->scatter_bytes(&strings, ranks, ids, ends, stage);
    for (size_t row = 0; row < rows; row++) {
        const int64_t *end = ends + ranks[row];

        assert_memory_equal(stage + end[0] + ids[row] * SLUICE_BYTES_SLACK, bytes + offsets[row],
                            (size_t)(end[1] - end[0]));
    }
    free(bytes);
}

static void check_strings(const sluice_kernels *table)
{
    for (size_t rows = 0; rows < ROWS_END; rows++)
        check_strings_of(table, rows);
}

static void strings_go_to_their_ranks(void **state)
{
    (void)state;
    each_table(check_strings);
}

static void check_copy_stream(const sluice_kernels *table)
{
    static uint8_t source[1100], target[1300];

    for (size_t byte = 0; byte < sizeof(source); byte++)
        source[byte] = (uint8_t)random_value();
    for (size_t bytes = 0; bytes <= 1024; bytes++) {
        const size_t before = GUARD_BYTES + bytes % 71;

        memset(target, GUARD, sizeof(target));
        table->copy_stream(target + before, source + bytes % 13, bytes);
        table->fence_stream();
        assert_memory_equal(target + before, source + bytes % 13, bytes);
        assert_int_equal(target[before - 1], GUARD);
        assert_int_equal(target[before + bytes], GUARD);
    }
}

static void streamed_copies_touch_nothing_else(void **state)
{
    (void)state;
    each_table(check_copy_stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_the_published_ones),
        cmocka_unit_test(hashes_fold_values),
        cmocka_unit_test(reductions_are_the_high_part_of_a_product),
        cmocka_unit_test(searches_count_the_bounds_that_are_not_greater),
        cmocka_unit_test(ranks_are_stable),
        cmocka_unit_test(values_go_to_their_ranks),
        cmocka_unit_test(bits_go_to_their_ranks),
        cmocka_unit_test(strings_go_to_their_ranks),
        cmocka_unit_test(streamed_copies_touch_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
