/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/stream_template.h - copies to memory that will not be read soon
 *
 * A template; see kernel/portable.c for its parameters.  Whole cache lines of the target are
 * written past the cache, which saves reading them first; what is left at both ends goes through
 * the cache.  The caller fences before it lets others read the target.
 */

KERNEL_TARGET static void KERNEL(copy_stream)(void *restrict target, const void *restrict source,
                                              size_t bytes)
{
#if KERNEL_LANES == 8
    uint8_t *to = target;
    const uint8_t *from = source;
    const size_t head = (0 - (uintptr_t)to) & 63;

    if (bytes < 128) {
        memcpy(to, from, bytes);
        return;
    }
    if (head != 0) {
        const __mmask64 mask = (UINT64_C(1) << head) - 1;

        _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
        to += head;
        from += head;
        bytes -= head;
    }
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64)
        _mm512_stream_si512((__m512i *)(void *)to, _mm512_loadu_si512(from));
    if (bytes != 0) {
        const __mmask64 mask = (UINT64_C(1) << bytes) - 1;

        _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
    }
#elif KERNEL_LANES == 4
    uint8_t *to = target;
    const uint8_t *from = source;
    const size_t head = (0 - (uintptr_t)to) & 63;

    if (bytes < 192) {
        memcpy(to, from, bytes);
        return;
    }
    memcpy(to, from, head);
    to += head;
    from += head;
    bytes -= head;
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64) {
        const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)from);
        const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(from + 32));

        _mm256_stream_si256((__m256i *)(void *)to, low);
        _mm256_stream_si256((__m256i *)(void *)(to + 32), high);
    }
    memcpy(to, from, bytes);
#else
    memcpy(target, source, bytes);
#endif
}

/* What was streamed is there for every processor that sees later stores of this one. */
KERNEL_TARGET static void KERNEL(fence_stream)(void)
{
#if KERNEL_LANES > 1
    _mm_sfence();
#endif
}
