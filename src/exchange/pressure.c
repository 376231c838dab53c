/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange/pressure.c - the single answer to "the pool said no"
 *
 * A smaller batch is tried before the refusal is passed on.
 */
#include "exchange/exchange.h"

/* A batch of fewer rows than this is not worth having. */
enum { ROWS_MIN = 64 };

sluice_status sluice_pressure_open_batch(sluice_exchange *exchange, int64_t rows_max,
                                         sluice_open_batch **out, sluice_error *error)
{
    sluice_status status = sluice_open_batch_new(exchange->shelf, rows_max, out, error);

    while (status == SLUICE_OUT_OF_MEMORY && rows_max / 4 >= ROWS_MIN) {
        rows_max /= 4;
        status = sluice_open_batch_new(exchange->shelf, rows_max, out, error);
    }
    return status;
}
