/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/bytes_template.h - strings to their ranks
 *
 * A template; see kernel/portable.c for its parameters.  Strings are short, and a call of memcpy()
 * costs more than the bytes it moves, so SLUICE_BYTES_SLACK bytes are copied at a time, more than
 * the string has.  What is too much is overwritten by the next string of the partition, which
 * comes later, or falls into the gap that the stage leaves behind each partition.  The last
 * strings of the source, behind which so many bytes may not be readable, are copied exactly.
 */

KERNEL_TARGET static void KERNEL(scatter_bytes)(const sluice_string_rows *rows,
                                                const uint32_t *restrict ranks,
                                                const uint32_t *restrict ids,
                                                const int64_t *restrict ends,
                                                uint8_t *restrict stage)
{
    const int32_t *offsets = rows->offsets;
    const int64_t readable_end = (int64_t)offsets[rows->row_count] - SLUICE_BYTES_SLACK;

    for (size_t row = 0; row < rows->row_count; row++) {
        const int64_t *end = ends + ranks[row];
        const int64_t byte_count = end[1] - end[0];
        const uint8_t *from = rows->bytes + offsets[row];
        uint8_t *to = stage + end[0] + (size_t)ids[row] * SLUICE_BYTES_SLACK;

        if (SLUICE_UNLIKELY(offsets[row] + byte_count > readable_end)) {
            memcpy(to, from, (size_t)byte_count);
            continue;
        }
        memcpy(to, from, SLUICE_BYTES_SLACK);
        for (int64_t byte = SLUICE_BYTES_SLACK; byte < byte_count; byte += SLUICE_BYTES_SLACK)
            memcpy(to + byte, from + byte, SLUICE_BYTES_SLACK);
    }
}
