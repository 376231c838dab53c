/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/job_prepare.c - everything about a repartition that can be known before a row is read
 *
 * Whatever is wrong with the command is found here, so that it ends with exit code 2 and nothing
 * written.
 */
#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "job.h"
#include "memory.h"
#include "message.h"
#include "schema.h"

/* Small record batches of an IPC file are read several at a time. */
enum { PIECE_ROWS_MIN = 131072 };

/* Of all open batches together, about: larger ones are no faster to write, and hold more memory. */
static const uint64_t open_bytes_max = 32 << 20;

enum { BATCH_ROWS_MAX = 8192, PUSHED_ROWS_MAX = 2 * CLI_READ_ROWS };

static bool is_ipc_file(const char *path)
{
    char magic[6] = "";
    FILE *const file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    if (!file)
        return false;
    const size_t bytes = fread(magic, 1, sizeof magic, file);
    fclose(file);
    return bytes == sizeof magic && memcmp(magic, "ARROW1", sizeof magic) == 0;
}

/* "ipc" means files and streams; all inputs of a run are then taken for what the first one is. */
static sluice_file_format input_format(const cli_arguments *arguments,
                                       const cli_input_list *inputs)
{
    if (cli_is_choice(arguments, OPTION_INPUT_FORMAT, "parquet"))
        return SLUICE_FORMAT_PARQUET;
    if (!cli_is_choice(arguments, OPTION_INPUT_FORMAT, "ipc"))
        return SLUICE_FORMAT_DETECT;
    return inputs->count > 0 && is_ipc_file(inputs->paths[0]) ? SLUICE_FORMAT_IPC_FILE
                                                              : SLUICE_FORMAT_IPC_STREAM;
}

static void add_index(uint32_t **indexes, size_t *count, uint32_t index)
{
    *indexes = cli_make_room(*indexes, *count, sizeof **indexes);
    (*indexes)[(*count)++] = index;
}

static int64_t position_of(const uint32_t *indexes, size_t count, uint32_t index)
{
    for (size_t i = 0; i < count; i++)
        if (indexes[i] == index)
            return (int64_t)i;
    return -1;
}

/* Read the columns that are written, in their order, and behind them the keys that are not. */
static int choose_columns(cli_job *job)
{
    const struct ArrowSchema *const schema = &job->sources.schema;
    cli_key_list names = {0};
    const char *const list = cli_get_text(job->arguments, OPTION_COLUMNS, NULL);
    int code = list ? cli_keys_parse("columns", list, false, &names) : CLI_DONE;
    for (size_t i = 0; i < names.count && code == CLI_DONE; i++) {
        const int64_t column = cli_schema_find(schema, names.keys[i].name);
        if (column < 0)
            code = cli_refuse_column("columns", schema, names.keys[i].name);
        else
            add_index(&job->read_columns, &job->read_count, (uint32_t)column);
    }
    cli_keys_deinit(&names);
    if (code != CLI_DONE)
        return code;
    for (int64_t i = 0; !list && i < schema->n_children; i++)
        add_index(&job->read_columns, &job->read_count, (uint32_t)i);
    for (size_t i = 0; i < job->read_count; i++)
        add_index(&job->write_columns, &job->write_count, (uint32_t)i);

    job->has_claim = true;
    for (size_t i = 0; i < job->routing.keys.count; i++) {
        const char *const name = job->routing.keys.keys[i].name;
        const uint32_t column = (uint32_t)cli_schema_find(schema, name);
        if (position_of(job->read_columns, job->read_count, column) >= 0)
            continue;
        add_index(&job->read_columns, &job->read_count, column);
        job->is_projecting = true;
        job->has_claim = false;
    }
    return CLI_DONE;
}

static int choose_dictionaries(cli_job *job)
{
    sluice_error error;
    const char **const names = cli_allocate((job->read_count + 1) * sizeof *names);
    for (size_t i = 0; i < job->read_count; i++)
        names[i] = job->sources.schema.children[job->read_columns[i]]->name;
    sluice_status status = sluice_dictionaries_new(
        (const sluice_source *const *)job->sources.sources, job->sources.count, names,
        job->read_count, &job->dictionaries, &error);
    cli_free(names);
    const sluice_read_options options = {
        .size = sizeof options,
        .columns = job->read_columns,
        .column_count = job->read_count,
        .dictionaries = job->dictionaries,
    };
    if (status == SLUICE_OK)
        status = sluice_source_get_read_schema(job->sources.sources[0], &options,
                                               &job->read_schema, &error);
    return status == SLUICE_OK ? CLI_DONE : cli_error_of("", &error);
}

/* Keys that the columns do not allow are found before anything is begun. */
static int check_routing(const cli_job *job)
{
    sluice_error error;
    sluice_partitioner *partitioner = NULL;
    const sluice_status status = sluice_partitioner_new(
        &job->read_schema, job->routing.partitioning, NULL, &partitioner, &error);
    sluice_partitioner_free(partitioner);
    if (status == SLUICE_INVALID || status == SLUICE_UNSUPPORTED)
        return cli_error(CLI_USAGE, "%s", error.message);
    return status == SLUICE_OK ? CLI_DONE : cli_error_of("", &error);
}

static void list_pieces(cli_job *job)
{
    for (size_t s = 0; s < job->sources.count; s++) {
        const sluice_source *const source = job->sources.sources[s];
        const uint32_t count = sluice_source_get_piece_count(source);
        const bool is_joining = sluice_source_get_format(source) == SLUICE_FORMAT_IPC_FILE;
        cli_piece *last = NULL;
        for (uint32_t piece = 0; piece < count; piece++) {
            const int64_t rows = sluice_source_get_piece_rows(source, piece);
            const int64_t bytes = sluice_source_get_piece_bytes(source, piece);
            if (!last || !is_joining || rows < 0 || last->rows + rows > PIECE_ROWS_MIN) {
                job->pieces = cli_make_room(job->pieces, job->piece_count, sizeof *job->pieces);
                last = &job->pieces[job->piece_count++];
                *last = (cli_piece){.source = source, .first = piece};
            }
            last->count++;
            last->rows = rows < 0 ? -1 : last->rows + rows;
            last->bytes += bytes > 0 ? (uint64_t)bytes : 0;
        }
    }
}

static void divide_memory(cli_job *job)
{
    uint64_t piece_bytes_max = 0;
    for (size_t i = 0; i < job->piece_count; i++)
        if (job->pieces[i].bytes > piece_bytes_max)
            piece_bytes_max = job->pieces[i].bytes;
    const uint64_t total = cli_has(job->arguments, OPTION_MEMORY)
                               ? cli_get_number(job->arguments, OPTION_MEMORY, 0)
                               : cli_memory_default();
    job->budget = cli_budget_split(total, job->thread_count * (piece_bytes_max + CLI_READER_BYTES));
}

/*
 * The exchange holds an open batch per output and rows that wait for a writer.  Blocks are larger
 * than what lies in them, and some are kept for reuse: four times the rows is what was seen.
 */
static void choose_batches(cli_job *job)
{
    for (int64_t i = 0; i < job->read_schema.n_children; i++)
        job->row_bytes += cli_field_bytes(job->read_schema.children[i]);
    job->row_bytes += job->row_bytes == 0;
    const uint64_t held_max = job->budget.exchange / 4;
    const uint64_t open_max = held_max / 2 < open_bytes_max ? held_max / 2 : open_bytes_max;
    job->batch_rows = BATCH_ROWS_MAX;
    while (job->batch_rows > CLI_BATCH_ROWS_MIN &&
           job->row_bytes * job->routing.count * (uint64_t)job->batch_rows > open_max)
        job->batch_rows /= 2;
    job->rows_waiting_max = job->batch_rows * job->routing.count;
    job->rows_waiting_max += (int64_t)job->thread_count * PUSHED_ROWS_MAX;
    if ((uint64_t)job->rows_waiting_max > held_max / job->row_bytes)
        job->rows_waiting_max = (int64_t)(held_max / job->row_bytes);
}

static int make_exchange(cli_job *job)
{
    sluice_error error;
    const sluice_exchange_options options = {
        .size = sizeof options,
        .input_count = cli_job_is_ordered(job) ? 1 : job->thread_count,
        .batch_rows_target = job->batch_rows,
        .memory_bytes_max = (int64_t)job->budget.exchange,
        .validate_values = true,
    };
    sluice_status status = sluice_exchange_new(&job->read_schema, job->routing.partitioning,
                                               &options, &job->exchange, &error);
    if (status == SLUICE_OK)
        status = sluice_exchange_get_schema(job->exchange, &job->exchange_schema, &error);
    if (status == SLUICE_INVALID || status == SLUICE_UNSUPPORTED)
        return cli_error(CLI_USAGE, "%s", error.message);
    if (status == SLUICE_OUT_OF_MEMORY)
        return cli_error(CLI_LIMIT, "--memory %llu is too little: %s; twice as much may do",
                         (unsigned long long)job->budget.total, error.message);
    return status == SLUICE_OK ? CLI_DONE : cli_error_of("", &error);
}

/*
 * A reader of the files sees the input's own types where dictionaries are only our way of reading,
 * and the input's metadata.
 */
static void describe_files(cli_job *job)
{
    job->batch_children = cli_allocate_zeroed(job->write_count, sizeof *job->batch_children);
    job->file_children = cli_allocate_zeroed(job->write_count, sizeof *job->file_children);
    job->batch_schema = cli_schema_view(&job->exchange_schema, job->write_columns,
                                        job->write_count, job->batch_children);
    job->file_schema = job->batch_schema;
    job->file_schema.children = job->file_children;
    job->file_schema.metadata = job->sources.schema.metadata;
    for (size_t i = 0; i < job->write_count; i++) {
        struct ArrowSchema *const batch = job->batch_children[i];
        struct ArrowSchema *const source = job->sources.schema.children[job->read_columns[i]];
        job->file_children[i] = batch->dictionary && !source->dictionary ? source : batch;
    }
}

/* A key of another type would lie in the wrong partition, and no checksum would hold. */
static int check_types(const cli_job *job)
{
    for (size_t i = 0; i < job->write_count && job->format == SLUICE_FORMAT_PARQUET; i++) {
        const struct ArrowSchema *const column = job->file_children[i];
        const struct ArrowSchema *const changed = cli_field_changed_by_parquet(column);
        if (!changed)
            continue;
        char *const type = cli_type_text(changed);
        const int code = cli_error(CLI_USAGE,
                                   "column %s: Parquet has no %s and would store another type; "
                                   "--format ipc keeps it",
                                   column->name ? column->name : "", type);
        cli_free(type);
        return code;
    }
    return CLI_DONE;
}

static int check_sink(const cli_job *job)
{
    sluice_error error;
    const sluice_sink_options options = {
        .size = sizeof options,
        .format = job->format,
        .compression = cli_get_text(job->arguments, OPTION_COMPRESSION, NULL),
        .logical_schema = &job->file_schema,
    };
    const sluice_status status = sluice_sink_check(&job->batch_schema, &options, &error);
    if (status == SLUICE_INVALID || status == SLUICE_UNSUPPORTED)
        return cli_error(CLI_USAGE, "%s", error.message);
    return status == SLUICE_OK ? CLI_DONE : cli_error_of("", &error);
}

static void choose_format(cli_job *job)
{
    const sluice_file_format first = sluice_source_get_format(job->sources.sources[0]);
    const bool is_parquet = cli_has(job->arguments, OPTION_FORMAT)
                                ? cli_is_choice(job->arguments, OPTION_FORMAT, "parquet")
                                : first == SLUICE_FORMAT_PARQUET;
    job->format = is_parquet ? SLUICE_FORMAT_PARQUET : SLUICE_FORMAT_IPC_FILE;
}

static int open_inputs(cli_job *job)
{
    const cli_arguments *const arguments = job->arguments;
    const char *const output = cli_get_text(arguments, OPTION_OUTPUT, "");
    cli_input_list inputs = {0};
    int code = cli_inputs_expand(arguments->operands, arguments->operand_count,
                                 cli_get_text(arguments, OPTION_FILES_FROM, NULL), &inputs);
    if (code == CLI_DONE)
        code = cli_inputs_check_output(arguments->operands, arguments->operand_count, &inputs,
                                       output);
    if (code == CLI_DONE)
        code = cli_sources_open(&inputs, input_format(arguments, &inputs),
                                cli_is_choice(arguments, OPTION_ON_BAD_FILE, "skip"),
                                &job->sources);
    cli_inputs_deinit(&inputs);
    return code;
}

static int check_output_name(const cli_arguments *arguments)
{
    const char *const output = cli_get_text(arguments, OPTION_OUTPUT, NULL);
    if (!output)
        return cli_error(CLI_USAGE, "-o: missing; where shall the partitions go?");
    if (strcmp(output, "-") == 0)
        return cli_error(CLI_USAGE, "-o -: not in this version; standard output does not work yet");
    return CLI_DONE;
}

int cli_job_prepare(cli_job *job, const cli_arguments *arguments)
{
    *job = (cli_job){.arguments = arguments};
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->turn_came, NULL);
    job->thread_count = (uint32_t)cli_get_number(arguments, OPTION_THREADS, cli_core_count());

    int code = check_output_name(arguments);
    if (code == CLI_DONE)
        code = cli_routing_parse(arguments, &job->routing);
    if (code == CLI_DONE)
        code = open_inputs(job);
    if (code == CLI_DONE)
        code = cli_routing_resolve(arguments, &job->sources.schema, &job->routing);
    if (code == CLI_DONE)
        code = choose_columns(job);
    if (code == CLI_DONE)
        code = choose_dictionaries(job);
    if (code == CLI_DONE)
        code = check_routing(job);
    if (code != CLI_DONE)
        return code;
    choose_format(job);
    list_pieces(job);
    divide_memory(job);
    choose_batches(job);
    code = make_exchange(job);
    if (code != CLI_DONE)
        return code;
    describe_files(job);
    job->outputs = cli_allocate_zeroed(job->routing.count, sizeof *job->outputs);
    code = check_types(job);
    return code == CLI_DONE ? check_sink(job) : code;
}
