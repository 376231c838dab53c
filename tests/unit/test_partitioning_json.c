/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_partitioning_json.c - partitionings to JSON and from it, and split points from texts
 */
#include "test_route.h"

#define KEY(type) "{\"name\":\"k\",\"type\":\"" type "\",\"descending\":false,\"nulls_first\":true}"
#define RANGE(type, splits, count)                                                                 \
    "{\"kind\":\"range\",\"order\":[" KEY(type) "],\"splits\":" splits ",\"count\":" count "}"

static sluice_partitioning *read_json(const char *json)
{
    sluice_partitioning *made = NULL;
    sluice_error error;

    if (sluice_partitioning_from_json(json, &made, &error) != SLUICE_OK)
        fail_msg("%s: %s", json, error.message);
    return made;
}

static char *write_json(const sluice_partitioning *partitioning, const struct ArrowSchema *schema)
{
    char *text = NULL;
    sluice_error error;

    if (sluice_partitioning_to_json(partitioning, schema, &text, &error) != SLUICE_OK)
        fail_msg("%s", error.message);
    return text;
}

/* What is written is what the command's contract says, word by word. */
static const char *const texts[] = {
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"},{\"name\":\"é\"}],"
    "\"count\":64}",
    "{\"kind\":\"value\",\"keys\":[{\"name\":\"k\"}],\"count\":16777216}",
    "{\"kind\":\"ids\",\"column\":\"k\",\"count\":1}",
    "{\"kind\":\"round-robin\",\"unit\":\"rows\",\"count\":4}",
    "{\"kind\":\"round-robin\",\"unit\":\"batches\",\"count\":4}",
    RANGE("int64", "[[3],[6]]", "3"),
    RANGE("int64", "[]", "1"),
    RANGE("int64", "[[null],[-9007199254740992],[\"9007199254740993\"],"
                   "[\"9223372036854775807\"]]", "5"),
    RANGE("uint64", "[[0],[\"18446744073709551615\"]]", "3"),
    RANGE("bool", "[[false],[true]]", "3"),
    RANGE("float64", "[[\"-Infinity\"],[-0.5],[0.1],[1e300],[\"Infinity\"],[\"NaN\"]]", "7"),
    RANGE("float32", "[[-0.5],[3.4028234663852886e38]]", "3"),
    RANGE("float16", "[[5.9604644775390625e-8],[0.5],[65504.0]]", "4"),
    RANGE("decimal128(15,2)",
          "[[\"-12.50\"],[\"0.00\"],[\"0.05\"],[\"9999999999999.99\"]]", "5"),
    RANGE("decimal32(9,0)", "[[\"7\"]]", "2"),
    RANGE("decimal64(18,18)", "[[\"0.000000000000000001\"]]", "2"),
    RANGE("decimal128(5,-2)", "[[\"125E2\"]]", "2"),
    RANGE("decimal256(76,0)", "[[\"-9999999999999999999999999999999999999999999999999999999999"
                              "999999999999999999\"],[\"1\"]]", "3"),
    RANGE("date32", "[[\"-0001-03-01\"],[\"1969-12-31\"],[\"2024-02-29\"],[\"+10000-01-01\"]]",
          "5"),
    RANGE("date64", "[[\"2024-02-29\"]]", "2"),
    RANGE("time32[s]", "[[\"00:00:00\"],[\"23:59:59\"]]", "3"),
    RANGE("time32[ms]", "[[\"00:00:00.001\"]]", "2"),
    RANGE("time64[ns]", "[[\"12:34:56.000000789\"]]", "2"),
    RANGE("timestamp[s]", "[[\"2024-02-29T12:34:56\"]]", "2"),
    RANGE("timestamp[us, UTC]",
          "[[\"1969-12-31T23:59:59.999999Z\"],[\"1970-01-01T00:00:00Z\"]]", "3"),
    RANGE("timestamp[ns, Asia/Tokyo]", "[[\"2024-02-29T12:34:56.000000001Z\"]]", "2"),
    RANGE("duration[us]", "[[-5],[5]]", "3"),
    RANGE("interval[months]", "[[-5],[5]]", "3"),
    RANGE("interval[day_time]", "[[{\"days\":1,\"milliseconds\":-2}]]", "2"),
    RANGE("interval[month_day_nano]", "[[{\"months\":1,\"days\":-2,\"nanoseconds\":3}]]", "2"),
    RANGE("utf8", "[[\"\"],[\"a\\u0000b\"],[\"é\"]]", "4"),
    RANGE("large_utf8", "[[\"x\"]]", "2"),
    RANGE("binary", "[[\"\"],[\"AA==\"],[\"AAE=\"],[\"AAEC\"],[\"/+8=\"]]", "6"),
    RANGE("fixed_size_binary(3)", "[[\"AAEC\"]]", "2"),
    RANGE("list<item: int32>", "[[[]],[[null]],[[1,2]]]", "4"),
    RANGE("large_list<item: utf8>", "[[[\"a\"]]]", "2"),
    RANGE("fixed_size_list<item: int8>[2]", "[[[1,2]]]", "2"),
    RANGE("struct<a: int32, b: list<x: utf8>>",
          "[[null],[{\"a\":null,\"b\":[]}],[{\"a\":1,\"b\":[\"y\"]}]]", "4"),
    RANGE("struct<a: int32, a: struct<>>", "[[[1,{}]]]", "2"),
    RANGE("null", "[[null]]", "2"),
    "{\"kind\":\"range\",\"order\":[{\"name\":\"a\",\"type\":\"int8\",\"descending\":true,"
    "\"nulls_first\":false},{\"name\":\"b\",\"type\":\"utf8\",\"descending\":false,"
    "\"nulls_first\":true}],\"splits\":[[5,null],[5,\"x\"],[null,\"x\"]],\"count\":4}",
    "{\"kind\":\"range\",\"order\":[" KEY("float64") "],\"splits\":[[\"-NaN\"],[-0.0],[0.0],"
    "[\"NaN\"]],\"total_order\":true,\"count\":5}",
};

static void test_texts_stay(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        sluice_partitioning *made = read_json(texts[i]);
        char *written = write_json(made, NULL);
        sluice_partitioning *again = read_json(written);

        assert_string_equal(written, texts[i]);
        assert_true(sluice_partitioning_equal(made, again));
        sluice_string_free(written);
        sluice_partitioning_free(made);
        sluice_partitioning_free(again);
    }
    sluice_string_free(NULL);
}

static void test_types_of_keys_come_from_the_schema(void **state)
{
    sluice_partitioning *made = new_hash(64, "k", "s", NULL);
    struct ArrowSchema schema;
    sluice_error error;
    char *text;

    (void)state;
    test_schema("s=c{vu}; k=tsu:UTC", &schema);
    text = write_json(made, &schema);
    assert_string_equal(
        text, "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\",\"type\":"
              "\"timestamp[us, UTC]\"},{\"name\":\"s\",\"type\":\"dictionary<values=utf8_view, "
              "indices=int8>\"}],\"count\":64}");
    sluice_string_free(text);
    schema.release(&schema);
    test_schema("k=l", &schema);
    assert_int_equal(sluice_partitioning_to_json(made, &schema, &text, &error), SLUICE_INVALID);
    assert_null(text);
    schema.release(&schema);
    sluice_partitioning_free(made);
}

/* Members nobody knows, members left out, other ways to say the same. */
static void test_what_is_read_too(void **state)
{
    static const char *const pairs[][2] = {
        {"{\"order\":[{\"name\":\"k\",\"type\":\"int64\"}],\"splits\":[[3],[6]],\"samples\":[[1]],"
         "\"rows_sampled\":9,\"seed\":0}",
         RANGE("int64", "[[3],[6]]", "3")},
        {"{\"kind\":\"range\",\"keys\":[{\"name\":\"k\",\"type\":\"int64\"}],\"splits\":[[\"3\"]],"
         "\"index\":1}",
         RANGE("int64", "[[3]]", "2")},
        {RANGE("string", "[[\"a\"]]", "2"), RANGE("utf8", "[[\"a\"]]", "2")},
        {RANGE("double", "[[1]]", "2"), RANGE("float64", "[[1.0]]", "2")},
        {RANGE("decimal128(15, 2)", "[[5]]", "2"), RANGE("decimal128(15,2)", "[[\"5.00\"]]", "2")},
        {RANGE("decimal128(15,2)", "[[\"+1.5e1\"]]", "2"),
         RANGE("decimal128(15,2)", "[[\"15.00\"]]", "2")},
        {RANGE("date32[day]", "[[1]]", "2"), RANGE("date32", "[[\"1970-01-02\"]]", "2")},
        {RANGE("timestamp[ms, tz=UTC]", "[[\"2024-02-29 01:00:00.5+01:00\"]]", "2"),
         RANGE("timestamp[ms, UTC]", "[[\"2024-02-29T00:00:00.500Z\"]]", "2")},
        {RANGE("timestamp[ms]", "[[\"2024-02-29\"]]", "2"),
         RANGE("timestamp[ms]", "[[\"2024-02-29T00:00:00.000\"]]", "2")},
        {RANGE("dictionary<values=utf8, indices=int8>", "[[\"a\"]]", "2"),
         RANGE("utf8", "[[\"a\"]]", "2")},
        {RANGE("run_end_encoded<run_ends: int32, values: date32>", "[[\"1970-01-02\"]]", "2"),
         RANGE("date32", "[[\"1970-01-02\"]]", "2")},
        {RANGE("struct<a: int8, b: int8>", "[[[1,2]],[{\"b\":3,\"a\":1}],[{\"a\":2}]]", "4"),
         RANGE("struct<a: int8, b: int8>",
               "[[{\"a\":1,\"b\":2}],[{\"a\":1,\"b\":3}],[{\"a\":2,\"b\":null}]]", "4")},
        {"{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\",\"type\":7}],"
         "\"count\":2,\"index\":1,\"more\":{}}",
         "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"}],\"count\":2}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        sluice_partitioning *given = read_json(pairs[i][0]);
        sluice_partitioning *meant = read_json(pairs[i][1]);

        if (!sluice_partitioning_equal(given, meant))
            fail_msg("%s", pairs[i][0]);
        sluice_partitioning_free(given);
        sluice_partitioning_free(meant);
    }
}

static const char *const broken_texts[] = {
    "", " ", "{", "[]", "null", "3", "\"hash\"", "{}", "{\"kind\":3}", "{\"kind\":null}",
    "nonsense", "{\"kind\":\"hash\"}", "{\"kind\":\"hash\\u0000\"}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice2\"}",
    "{\"kind\":\"spiral\"}", "{\"kind\":\"hash\",\"kind\":\"hash\"}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":{},\"count\":1}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[],\"count\":1}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[\"k\"],\"count\":1}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{}],\"count\":1}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":1}],\"count\":1}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"a\\u0000b\"}],\"count\":1}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"},{\"name\":\"k\"}],"
    "\"count\":1}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"}]}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"}],\"count\":0}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"}],\"count\":-1}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"}],\"count\":16777217}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"}],\"count\":4294967297}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"}],\"count\":1e3}",
    "{\"kind\":\"hash\",\"scheme\":\"sluice1\",\"keys\":[{\"name\":\"k\"}],"
    "\"count\":99999999999999999999}",
    "{\"kind\":\"value\",\"count\":3}", "{\"kind\":\"ids\",\"count\":3}",
    "{\"kind\":\"ids\",\"column\":[],\"count\":3}", "{\"kind\":\"round-robin\",\"count\":3}",
    "{\"kind\":\"round-robin\",\"unit\":\"years\",\"count\":3}", "{\"kind\":\"range\"}",
    "{\"kind\":\"range\",\"order\":[],\"splits\":[]}",
    "{\"kind\":\"range\",\"order\":[{\"name\":\"k\"}],\"splits\":[]}",
    "{\"kind\":\"range\",\"order\":[{\"name\":\"k\",\"type\":\"int64\",\"descending\":1}],"
    "\"splits\":[]}",
    "{\"kind\":\"range\",\"order\":[" KEY("int64") "]}",
    "{\"kind\":\"range\",\"order\":[" KEY("int64") "],\"splits\":{}}",
    "{\"kind\":\"range\",\"order\":[" KEY("int64") "],\"splits\":[[1]],\"total_order\":0}",
    RANGE("int64", "[3]", "2"), RANGE("int64", "[[3]]", "3"), RANGE("int64", "[[]]", "2"),
    RANGE("int64", "[[1,2]]", "2"), RANGE("int64", "[[2],[1]]", "3"),
    RANGE("int64", "[[1],[1]]", "3"), RANGE("int64", "[[1.0]]", "2"), RANGE("int64", "[[{}]]", "2"),
    RANGE("int64", "[[\"x\"]]", "2"), RANGE("int64", "[[\"\"]]", "2"),
    RANGE("int64", "[[true]]", "2"),
    RANGE("int64", "[[\"9223372036854775808\"]]", "2"), RANGE("int8", "[[128]]", "2"),
    RANGE("int8", "[[-129]]", "2"), RANGE("uint8", "[[-1]]", "2"), RANGE("uint8", "[[256]]", "2"),
    RANGE("int64", "[[\"1\\u00002\"]]", "2"), RANGE("bool", "[[1]]", "2"),
    RANGE("float16", "[[65520]]", "2"), RANGE("float32", "[[1e39]]", "2"),
    RANGE("float64", "[[\"one\"]]", "2"), RANGE("float64", "[[\"[1]\"]]", "2"),
    RANGE("float64", "[[1e999]]", "2"), RANGE("decimal32(9,2)", "[[\"99999999.99\"]]", "2"),
    RANGE("decimal128(9,2)", "[[\"1.234\"]]", "2"),
    RANGE("decimal128(9,2)", "[[\"1e9999999999\"]]", "2"),
    RANGE("decimal128(9,2)", "[[\"1e99999999999999\"]]", "2"),
    RANGE("decimal128(9,2)", "[[\".\"]]", "2"), RANGE("decimal128(9,2)", "[[1.5]]", "2"),
    RANGE("decimal128(99,2)", "[]", "1"), RANGE("decimal99(9,2)", "[]", "1"),
    RANGE("decimal128(9)", "[]", "1"), RANGE("decimal128(9999999999,2)", "[]", "1"),
    RANGE("date32", "[[\"2023-02-29\"]]", "2"), RANGE("date32", "[[\"2023-13-01\"]]", "2"),
    RANGE("date32", "[[\"2023-1-1\"]]", "2"), RANGE("date32", "[[\"999999999999-01-01\"]]", "2"),
    RANGE("timestamp[ns]", "[[\"3000-01-01\"]]", "2"),
    RANGE("timestamp[s]", "[[\"2024-02-29T00:00:00Z\"]]", "2"),
    RANGE("timestamp[s, UTC]", "[[\"2024-02-29T00:00:00+1\"]]", "2"),
    RANGE("timestamp[s]", "[[\"2024-02-29T24:00:00\"]]", "2"),
    RANGE("timestamp[s]", "[[\"2024-02-29T00:00:00.5\"]]", "2"),
    RANGE("time32[s]", "[[\"25:00:00\"]]", "2"), RANGE("time32[us]", "[]", "1"),
    RANGE("timestamp[x]", "[]", "1"), RANGE("timestamp[us", "[]", "1"),
    RANGE("binary", "[[\"A\"]]", "2"), RANGE("binary", "[[\"A===\"]]", "2"),
    RANGE("binary", "[[\"AA=A\"]]", "2"), RANGE("binary", "[[\"????\"]]", "2"),
    RANGE("fixed_size_binary(3)", "[[\"AA==\"]]", "2"), RANGE("fixed_size_binary(-3)", "[]", "1"),
    RANGE("fixed_size_binary(2000000)", "[]", "1"), RANGE("fixed_size_binary(", "[]", "1"),
    RANGE("utf8", "[[5]]", "2"), RANGE("list<item: int8>", "[[5]]", "2"),
    RANGE("list<item: int8>", "[[\"x\"]]", "2"), RANGE("list<item: int8>", "[[[[1]]]]", "2"),
    RANGE("fixed_size_list<item: int8>[2]", "[[[1]]]", "2"),
    RANGE("fixed_size_list<a: fixed_size_list<b: fixed_size_list<c: int8>[999]>[999]>[999]",
          "[[null]]", "2"),
    RANGE("struct<a: int8>", "[[[1,2]]]", "2"), RANGE("struct<a: int8>", "[[5]]", "2"),
    RANGE("struct<a: int8, a: int8>", "[[{\"a\":5}]]", "2"), RANGE("struct<a: int8", "[]", "1"),
    RANGE("struct<a>", "[]", "1"), RANGE("list<int8>", "[]", "1"),
    RANGE("map<utf8, int8>", "[]", "1"),
    RANGE("dense_union<0=a: int8>", "[]", "1"), RANGE("int", "[]", "1"), RANGE("int64x", "[]", "1"),
    RANGE("", "[]", "1"), RANGE(" int64", "[]", "1"), RANGE("null", "[[0]]", "2"),
    RANGE("interval[day_time]", "[[{\"days\":1}]]", "2"),
    RANGE("interval[day_time]", "[[{\"days\":1,\"milliseconds\":2147483648}]]", "2"),
    RANGE("interval[month_day_nano]", "[[{\"months\":1,\"days\":1,\"nanoseconds\":"
                                      "\"9223372036854775808\"}]]", "2"),
    RANGE("interval[months]", "[[2147483648]]", "2"),
};

static void test_broken_texts_are_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(broken_texts) / sizeof(broken_texts[0]); i++) {
        sluice_partitioning *made = NULL;
        sluice_error error = {0};
        const sluice_status status =
            sluice_partitioning_from_json(broken_texts[i], &made, &error);

        if (status != SLUICE_INVALID && status != SLUICE_BAD_DATA && status != SLUICE_UNSUPPORTED)
            fail_msg("%s: %s", broken_texts[i], sluice_status_name(status));
        assert_null(made);
        assert_int_equal(error.status, status);
        assert_true(strlen(error.message) > 10);
        assert_null(strchr(error.message, '\n'));
    }
}

/* Every text that is cut, or has one byte changed, is read or refused; nothing else happens. */
static void test_texts_with_bytes_changed(void **state)
{
    static const char text[] = RANGE("struct<a: decimal128(9,2), b: list<x: timestamp[us, UTC]>>",
                                     "[[{\"a\":\"1.5\",\"b\":[\"2024-02-29T00:00:00Z\"]}]]", "2");
    static const char bytes[] = "\"[]{},:<>0-\x01\xff";

    (void)state;
    for (size_t place = 0; place < sizeof(text) - 1; place++) {
        for (size_t i = 0; i < sizeof(bytes); i++) {
            char changed[sizeof(text)];
            sluice_partitioning *made = NULL;

            memcpy(changed, text, sizeof(text));
            changed[place] = bytes[i]; /* The last one cuts the text. */
            if (sluice_partitioning_from_json(changed, &made, NULL) == SLUICE_OK)
                sluice_partitioning_free(made);
            else
                assert_null(made);
        }
    }
}

static void test_types_nested_too_deep(void **state)
{
    enum { DEPTH = 100 };
    char type[DEPTH * 12 + 16];
    char json[sizeof(type) + 200];
    size_t end = 0;
    sluice_partitioning *made = NULL;
    sluice_error error;

    (void)state;
    for (int i = 0; i < DEPTH; i++)
        end += (size_t)snprintf(type + end, sizeof(type) - end, "list<i: ");
    end += (size_t)snprintf(type + end, sizeof(type) - end, "int8");
    for (int i = 0; i < DEPTH; i++)
        end += (size_t)snprintf(type + end, sizeof(type) - end, ">");
    snprintf(json, sizeof(json), "{\"kind\":\"range\",\"order\":[{\"name\":\"k\",\"type\":\"%s\"}],"
                                 "\"splits\":[]}", type);
    assert_int_equal(sluice_partitioning_from_json(json, &made, &error), SLUICE_UNSUPPORTED);
    assert_null(made);
}

/* Every ordered type: random split points come back bit for bit. */
static void test_random_split_points_come_back(void **state)
{
    static const char *const schemas[] = {
        "k=b", "k=c", "k=L", "k=e", "k=f", "k=g", "k=tdD", "k=tdm", "k=tts", "k=ttm", "k=ttu",
        "k=ttn", "k=tss:", "k=tsm:UTC", "k=tsn:", "k=tDs", "k=tiM", "k=tiD", "k=tin", "k=d:9,2,32",
        "k=d:18,0,64", "k=d:38,38", "k=d:76,3,256", "k=d:30,-4", "k=w:3", "k=w:0", "k=z", "k=Z",
        "k=u", "k=vu", "k=vz", "k=c{u}", "k=+r<run_ends=i; values=g>", "k=+l<item=g>",
        "k=+vL<item=u>", "k=+w:2<item=z>", "k=+s<a=tsu:UTC; b=+l<x=d:9,2>>"};

    (void)state;
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            const test_random_options options = {
                .seed = seed, .null_percent = 10, .size_max = 5, .is_sliced = true};
            const sluice_sort_key key = {"k", seed % 2 == 0, seed % 3 == 0};
            struct ArrowSchema schema;
            struct ArrowArray split;
            sluice_partitioning *made = NULL;
            sluice_error error;

            test_schema(schemas[i], &schema);
            test_random_batch(&schema, 1, &options, &split);
            if (sluice_partitioning_new_range(&key, 1, &schema, &split, true, &made, &error) !=
                SLUICE_OK)
                fail_msg("%s: %s", schemas[i], error.message);
            char *text = write_json(made, NULL);
            sluice_partitioning *read = read_json(text);
            char *again = write_json(read, NULL);

            assert_string_equal(text, again);
            /* Payloads of NaNs are not in the text. */
            if (strstr(text, "NaN") == NULL)
                assert_true(sluice_partitioning_equal(made, read));
            sluice_string_free(text);
            sluice_string_free(again);
            sluice_partitioning_free(made);
            sluice_partitioning_free(read);
            split.release(&split);
            schema.release(&schema);
        }
    }
}

static const sluice_sort_key key_k = {"k", false, true};

static sluice_status make_from_text(const char *schema_text, const char *const *values,
                                    size_t count, sluice_partitioning **out, sluice_error *error)
{
    struct ArrowSchema schema;

    test_schema(schema_text, &schema);
    const sluice_status status =
        sluice_partitioning_new_range_from_text(&key_k, values, count, &schema, false, out, error);

    schema.release(&schema);
    return status;
}

static void test_split_points_from_texts(void **state)
{
    static const struct {
        const char *schema;
        const char *values[2];
        const char *json;
    } cases[] = {
        {"x=u; k=l", {"3", "+6"}, RANGE("int64", "[[3],[6]]", "3")},
        {"k=l", {"", "-9223372036854775808"},
         RANGE("int64", "[[null],[\"-9223372036854775808\"]]", "3")},
        {"k=L", {NULL, "18446744073709551615"},
         RANGE("uint64", "[[null],[\"18446744073709551615\"]]", "3")},
        {"k=u", {"", "a,b"}, RANGE("utf8", "[[\"\"],[\"a,b\"]]", "3")},
        {"k=c{vu}", {"3", "null"}, RANGE("large_utf8", "[[\"3\"],[\"null\"]]", "3")},
        {"k=z", {"abc", "abd"}, RANGE("binary", "[[\"YWJj\"],[\"YWJk\"]]", "3")},
        {"k=g", {"-inf", "NaN"}, RANGE("float64", "[[\"-Infinity\"],[\"NaN\"]]", "3")},
        {"k=f", {"0.5", "1e3"}, RANGE("float32", "[[0.5],[1000.0]]", "3")},
        {"k=d:9,2", {"1", "1.25"}, RANGE("decimal128(9,2)", "[[\"1.00\"],[\"1.25\"]]", "3")},
        {"k=tdD", {"1970-01-02", "2024-02-29"},
         RANGE("date32", "[[\"1970-01-02\"],[\"2024-02-29\"]]", "3")},
        {"k=b", {"false", "TRUE"}, RANGE("bool", "[[false],[true]]", "3")},
        {"k=+r<run_ends=i; values=tsm:UTC>", {"2024-02-29", "2024-02-29T00:00:01Z"},
         RANGE("timestamp[ms, UTC]",
               "[[\"2024-02-29T00:00:00Z\"],[\"2024-02-29T00:00:01Z\"]]", "3")},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sluice_partitioning *made = NULL;
        sluice_error error;

        if (make_from_text(cases[i].schema, cases[i].values, 2, &made, &error) != SLUICE_OK)
            fail_msg("%s: %s", cases[i].json, error.message);
        char *text = write_json(made, NULL);

        assert_string_equal(text, cases[i].json);
        sluice_string_free(text);
        sluice_partitioning_free(made);
    }
}

static void test_texts_that_are_no_values(void **state)
{
    static const struct {
        const char *schema, *value, *words;
        sluice_status status;
    } cases[] = {
        {"k=l", "3.5", "split 0 of key k: \"3.5\" is no int64", SLUICE_INVALID},
        {"k=l", " 3", "int64", SLUICE_INVALID},
        {"k=l", "x", "\"x\"", SLUICE_INVALID},
        {"k=c", "200", "int8", SLUICE_INVALID},
        {"k=g", "0x10", "float64", SLUICE_INVALID},
        {"k=u", "\xff", "utf8", SLUICE_INVALID},
        {"k=w:3", "ab", "fixed_size_binary(3)", SLUICE_INVALID},
        {"k=tin", "1", "interval[month_day_nano]", SLUICE_INVALID},
        {"k=+l<item=i>", "1", "list", SLUICE_INVALID},
        {"k=n", "1", "null", SLUICE_INVALID},
        {"j=l", "1", "k", SLUICE_INVALID},
        {"k=+ud:0<a=i>", "", "no order", SLUICE_UNSUPPORTED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sluice_partitioning *made = NULL;
        sluice_error error;

        assert_int_equal(
            make_from_text(cases[i].schema, &cases[i].value, 1, &made, &error), cases[i].status);
        assert_null(made);
        if (strstr(error.message, cases[i].words) == NULL)
            fail_msg("\"%s\" does not have %s", error.message, cases[i].words);
    }
}

/* Names of fields that would make a type's name mean another type. */
static void test_names_that_cannot_be_written(void **state)
{
    sluice_partitioning *made = new_range(&key_k, 1, "k=+s<a=i>", "[[[1]]]");
    char *text = write_json(made, NULL);

    (void)state;
    sluice_string_free(text);
    sluice_partitioning_free(made);
    struct ArrowSchema schema;
    struct ArrowArray splits;
    sluice_error error;
    static const char odd_name[] = "a: utf8, b";
    const char *name;

    test_schema("k=+s<a=i>", &schema);
    test_batch(&schema, "[[[1]]]", &splits);
    name = schema.children[0]->children[0]->name;
    schema.children[0]->children[0]->name = odd_name;
    assert_int_equal(sluice_partitioning_new_range(&key_k, 1, &schema, &splits, false, &made, NULL),
                     SLUICE_OK);
    assert_int_equal(sluice_partitioning_to_json(made, NULL, &text, &error), SLUICE_UNSUPPORTED);
    assert_null(text);
    sluice_partitioning_free(made);
    schema.children[0]->children[0]->name = name;
    splits.release(&splits);
    schema.release(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_stay),
        cmocka_unit_test(test_types_of_keys_come_from_the_schema),
        cmocka_unit_test(test_what_is_read_too),
        cmocka_unit_test(test_broken_texts_are_errors),
        cmocka_unit_test(test_texts_with_bytes_changed),
        cmocka_unit_test(test_types_nested_too_deep),
        cmocka_unit_test(test_random_split_points_come_back),
        cmocka_unit_test(test_split_points_from_texts),
        cmocka_unit_test(test_texts_that_are_no_values),
        cmocka_unit_test(test_names_that_cannot_be_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
