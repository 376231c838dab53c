/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arrow_stream.c - streams of others: what they give, and how they fail
 */
#include "arrow/stream.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/arrays.h"

/* A stream of one batch, or of one error. */
typedef struct fake_stream {
    struct ArrowSchema schema;
    int error_number;
    const char *error_text;
    int batches_left;
} fake_stream;

static int get_fake_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    fake_stream *fake = stream->private_data;

    if (fake->error_number != 0) {
        /* What is left behind by a call that failed means nothing. */
        memset(out, 0xA5, sizeof(*out));
        return fake->error_number;
    }
    test_schema_copy(&fake->schema, out);
    return 0;
}

static int get_fake_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    fake_stream *fake = stream->private_data;

    if (fake->error_number != 0) {
        memset(out, 0xA5, sizeof(*out));
        return fake->error_number;
    }
    if (fake->batches_left-- > 0)
        test_batch(&fake->schema, "[[1]]", out);
    else
        out->release = NULL;
    return 0;
}

static const char *get_fake_error(struct ArrowArrayStream *stream)
{
    return ((fake_stream *)stream->private_data)->error_text;
}

static void release_fake(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static struct ArrowArrayStream make_stream(fake_stream *fake)
{
    return (struct ArrowArrayStream){.get_schema = get_fake_schema,
                                     .get_next = get_fake_next,
                                     .get_last_error = get_fake_error,
                                     .release = release_fake,
                                     .private_data = fake};
}

static void test_reading(void **state)
{
    fake_stream fake = {.batches_left = 1};
    struct ArrowArrayStream stream = make_stream(&fake);
    struct ArrowSchema schema;
    struct ArrowArray batch;

    (void)state;
    test_schema("a=i", &fake.schema);
    assert_int_equal(sluice_stream_get_schema(&stream, &schema, NULL), SLUICE_OK);
    assert_true(test_schemas_equal(&schema, &fake.schema));
    schema.release(&schema);
    assert_int_equal(sluice_stream_next(&stream, &batch, NULL), SLUICE_OK);
    assert_int_equal(batch.length, 1);
    batch.release(&batch);
    assert_int_equal(sluice_stream_next(&stream, &batch, NULL), SLUICE_OK);
    assert_null(batch.release);
    fake.schema.release(&fake.schema);
}

static void test_errors(void **state)
{
    static const struct {
        int number;
        sluice_status status;
    } cases[] = {{ENOMEM, SLUICE_OUT_OF_MEMORY}, {EINVAL, SLUICE_BAD_DATA},
                 {ENOSYS, SLUICE_UNSUPPORTED},   {ENOTSUP, SLUICE_UNSUPPORTED},
                 {ECANCELED, SLUICE_CANCELLED},  {EIO, SLUICE_IO_ERROR},
                 {-1, SLUICE_IO_ERROR},          {12345, SLUICE_IO_ERROR}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fake_stream fake = {.error_number = cases[i].number, .error_text = "the\ndisk is gone"};
        struct ArrowArrayStream stream = make_stream(&fake);
        struct ArrowSchema schema;
        struct ArrowArray batch;
        sluice_error error = {0};

        assert_int_equal(sluice_stream_get_schema(&stream, &schema, &error), cases[i].status);
        assert_string_equal(error.message, "the stream gave no schema: the disk is gone");
        assert_null(schema.release);
        assert_int_equal(sluice_stream_next(&stream, &batch, &error), cases[i].status);
        assert_string_equal(error.message, "the stream gave no batch: the disk is gone");
        assert_int_equal(error.status, cases[i].status);
        assert_null(batch.release);
    }
}

static void test_no_text(void **state)
{
    fake_stream fake = {.error_number = 5};
    struct ArrowArrayStream stream = make_stream(&fake);
    struct ArrowArray batch;
    sluice_error error;

    (void)state;
    assert_int_equal(sluice_stream_next(&stream, &batch, &error), SLUICE_IO_ERROR);
    assert_string_equal(error.message, "the stream gave no batch: error number 5");
    stream.get_last_error = NULL;
    assert_int_equal(sluice_stream_next(&stream, &batch, &error), SLUICE_IO_ERROR);
    assert_string_equal(error.message, "the stream gave no batch: error number 5");
}

static void test_released(void **state)
{
    fake_stream fake = {.error_number = 0};
    struct ArrowArrayStream stream = make_stream(&fake);
    struct ArrowSchema schema;
    struct ArrowArray batch;
    sluice_error error;

    (void)state;
    stream.release(&stream);
    assert_int_equal(sluice_stream_get_schema(&stream, &schema, &error), SLUICE_INVALID);
    assert_string_equal(error.message, "the stream is released");
    assert_int_equal(sluice_stream_next(NULL, &batch, &error), SLUICE_INVALID);
    assert_string_equal(error.message, "the stream is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_no_text),
        cmocka_unit_test(test_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
