/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_repartition.c - sluice repartition: split every row of the inputs into partitions
 *
 * The run goes into a staging folder; the manifest is written last and the folder takes OUT's place
 * in one step.  Whatever goes wrong before that leaves OUT as it was.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "job.h"
#include "json.h"
#include "manifest.h"
#include "memory.h"
#include "message.h"
#include "progress.h"
#include "schema.h"
#include "skew.h"
#include "watch.h"

/* The staging folder of this run, for the hooks of a sudden end; NULL when there is none. */
static _Atomic(sluice_output_directory *) staging_directory;

static void remove_staging(void)
{
    sluice_output_directory_free(atomic_exchange(&staging_directory, NULL));
}

static void stop_job(void *job)
{
    cli_job_stop(job);
}

static json_t *inputs_to_json(const cli_job *job)
{
    json_t *const inputs = json_array();
    for (size_t i = 0; i < job->sources.count; i++) {
        const sluice_source *const source = job->sources.sources[i];
        const int64_t rows = sluice_source_get_row_count(source);
        const int64_t bytes = sluice_source_get_bytes(source);
        json_t *const input = json_object();
        json_object_set_new(input, "path", cli_json_text(sluice_source_get_path(source)));
        if (rows >= 0)
            json_object_set_new(input, "rows", cli_json_count((uint64_t)rows));
        if (bytes >= 0)
            json_object_set_new(input, "bytes", cli_json_count((uint64_t)bytes));
        json_array_append_new(inputs, input);
    }
    return inputs;
}

/* What shapes the data; how many threads there were does not. */
static json_t *options_to_json(const cli_arguments *arguments)
{
    json_t *const options = json_object();
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const cli_option *const option = &cli_options[i];
        const char *const text = arguments->settings[i].text;
        if (!text || option->group == GROUP_RUNNING || option->group == GROUP_MESSAGES ||
            option->id == OPTION_OUTPUT)
            continue;
        json_object_set_new(options, option->name,
                            option->kind == VALUE_NONE ? json_true() : cli_json_text(text));
    }
    return options;
}

/* NULL after a message. */
static char *manifest_of(const cli_job *job)
{
    cli_manifest manifest = {
        .rows = job->rows,
        .checksum = job->checksum,
        .has_checksum = true,
        .partition_count = job->routing.count,
        .partitions = cli_allocate_zeroed(job->routing.count, sizeof *manifest.partitions),
        .schema = cli_schema_to_json(&job->file_schema),
        .inputs = inputs_to_json(job),
        .options = options_to_json(job->arguments),
        .skipped = json_incref(job->sources.skipped),
    };
    for (uint32_t i = 0; i < job->routing.count; i++) {
        const cli_output *const output = &job->outputs[i];
        cli_file_entry *const file = cli_allocate_zeroed(1, sizeof *file);
        *file = (cli_file_entry){cli_copy_string(output->name), output->rows, output->bytes};
        manifest.partitions[i] = (cli_partition_entry){.index = i,
                                                       .rows = output->rows,
                                                       .checksum = output->checksum,
                                                       .has_checksum = true,
                                                       .files = file,
                                                       .file_count = 1};
    }
    if (job->has_claim)
        manifest.partitioning =
            cli_routing_declare(job->routing.partitioning, &job->sources.schema, -1);
    char *const text =
        job->has_claim && !manifest.partitioning ? NULL : cli_manifest_to_text(&manifest);
    cli_manifest_deinit(&manifest);
    return text;
}

static int commit(cli_job *job, sluice_output_directory *directory)
{
    sluice_error error;
    char *const manifest = manifest_of(job);
    if (!manifest)
        return CLI_FAILED;
    const sluice_status status = sluice_output_directory_commit(directory, manifest, &error);
    cli_free(manifest);
    return status == SLUICE_OK ? CLI_DONE : cli_error_of("", &error);
}

static int explain_failure(const cli_job *job)
{
    char number[CLI_NUMBER_BYTES];
    if (job->failure.status != SLUICE_OUT_OF_MEMORY)
        return cli_error_of("", &job->failure);
    return cli_error(CLI_LIMIT, "%s; --memory %s may do", job->failure.message,
                     cli_bytes_text(cli_job_memory_needed(job), number));
}

static sluice_if_exists if_exists(const cli_arguments *arguments)
{
    return cli_is_choice(arguments, OPTION_IF_EXISTS, "replace") ? SLUICE_IF_EXISTS_REPLACE
                                                                 : SLUICE_IF_EXISTS_ERROR;
}

/* From the staging folder to the commit. */
static int write_output(cli_job *job)
{
    const char *const output = cli_get_text(job->arguments, OPTION_OUTPUT, "");
    sluice_output_directory *directory = NULL;
    sluice_error error;
    const sluice_status status =
        sluice_output_directory_begin(output, if_exists(job->arguments), &directory, &error);
    if (status != SLUICE_OK)
        return status == SLUICE_INVALID ? cli_error(CLI_USAGE, "%s", error.message)
                                        : cli_error_of("", &error);
    atomic_store(&staging_directory, directory);
    cli_on_out_of_memory(remove_staging);
    cli_watch watch = {.stop = stop_job, .last_hook = remove_staging, .opaque = job};
    if (!cli_watch_start(&watch)) {
        remove_staging();
        return cli_error(CLI_FAILED, "the system cannot start a thread");
    }

    cli_progress_start(job->arguments, "partition", job->sources.bytes);
    const bool is_whole = cli_job_run(job, sluice_output_directory_get_path(directory));
    cli_progress_stop();
    /* From here on a signal is too late: what is left to do is short, and must not be cut off. */
    const int signal_code = cli_watch_stop(&watch);
    cli_on_out_of_memory(NULL);
    int code;
    if (signal_code != 0)
        code = cli_error(signal_code, "%s; %s is as it was",
                         signal_code == CLI_INTERRUPTED ? "interrupted" : "terminated", output);
    else
        code = is_whole ? cli_job_check(job) : explain_failure(job);
    if (code == CLI_DONE)
        code = commit(job, directory);
    if (code == CLI_DONE && sluice_output_directory_is_stepwise(directory))
        cli_note("%s: the files were moved into place one by one, not in one step", output);
    cli_job_close_sinks(job);
    remove_staging();
    return code;
}

static json_t *partitions_to_json(const cli_job *job)
{
    json_t *const partitions = json_array();
    for (uint32_t i = 0; i < job->routing.count; i++)
        json_array_append_new(partitions, json_pack("{s:I, s:o, s:o}", "index", (json_int_t)i,
                                                    "rows", cli_json_count(job->outputs[i].rows),
                                                    "bytes",
                                                    cli_json_count(job->outputs[i].bytes)));
    return partitions;
}

static void print_json(const cli_job *job, uint64_t bytes, const cli_skew *skew, double seconds)
{
    json_t *const root = json_object();
    json_object_set_new(root, "rows", cli_json_count(job->rows));
    json_object_set_new(root, "bytes_in", cli_json_count(job->sources.bytes));
    json_object_set_new(root, "bytes_out", cli_json_count(bytes));
    json_object_set_new(root, "files", cli_json_count(job->routing.count));
    json_object_set_new(root, "partitions", partitions_to_json(job));
    json_object_set_new(root, "seconds", cli_json_seconds(seconds));
    json_object_set_new(root, "peak_memory", cli_json_count(cli_peak_memory()));
    json_object_set_new(root, "spilled_bytes", json_integer(0));
    json_object_set_new(root, "skew", cli_skew_to_json(skew));
    json_object_set(root, "skipped", job->sources.skipped);
    json_object_set_new(root, "output",
                        cli_json_text(cli_get_text(job->arguments, OPTION_OUTPUT, "")));
    cli_json_print(root);
    json_decref(root);
}

static void print_summary(const cli_job *job, uint64_t bytes, double seconds)
{
    char rows[CLI_NUMBER_BYTES];
    char files[CLI_NUMBER_BYTES];
    char size[CLI_NUMBER_BYTES];
    char time[CLI_NUMBER_BYTES];
    char rate[CLI_NUMBER_BYTES];
    char peak[CLI_NUMBER_BYTES];
    const double rows_per_second = (double)job->rows / (seconds > 1e-3 ? seconds : 1e-3);
    cli_note("%s rows in %s files of %s, %s, %s rows/s, peak memory %s",
             cli_count_text(job->rows, rows), cli_count_text(job->routing.count, files),
             cli_bytes_text(bytes, size), cli_seconds_text(seconds, time),
             cli_count_text((uint64_t)rows_per_second, rate),
             cli_bytes_text(cli_peak_memory(), peak));
}

/* Where the time and the memory went. */
static void print_metrics(const cli_job *job)
{
    char exchange[CLI_NUMBER_BYTES];
    char files[CLI_NUMBER_BYTES];
    sluice_memory_metrics memory;
    uint64_t route = 0;
    uint64_t place = 0;
    uint64_t wait = 0;
    sluice_exchange_get_memory_metrics(job->exchange, &memory);
    for (uint32_t i = 0; i < sluice_exchange_get_input_count(job->exchange); i++) {
        sluice_input_metrics input;
        sluice_exchange_get_input_metrics(job->exchange, i, &input);
        route += input.route_nanoseconds;
        place += input.place_nanoseconds;
        wait += input.wait_nanoseconds;
    }
    cli_note("the readers routed for %.2f s, placed for %.2f s, waited for %.2f s; most memory of "
             "the exchange %s, of files %s",
             (double)route / 1e9, (double)place / 1e9, (double)wait / 1e9,
             cli_bytes_text(memory.bytes_max, exchange),
             cli_bytes_text(sluice_io_get_memory_bytes_max(), files));
}

static void print_results(const cli_job *job, double seconds)
{
    uint64_t bytes = 0;
    uint64_t *const rows = cli_allocate_zeroed(job->routing.count, sizeof *rows);
    for (uint32_t i = 0; i < job->routing.count; i++) {
        rows[i] = job->outputs[i].rows;
        bytes += job->outputs[i].bytes;
    }
    const cli_skew skew = cli_skew_of(rows, job->routing.count);
    if (cli_has(job->arguments, OPTION_JSON))
        print_json(job, bytes, &skew, seconds);
    if (cli_has(job->arguments, OPTION_VERBOSE))
        print_metrics(job);
    print_summary(job, bytes, seconds);
    cli_free(rows);
}

static void print_plan(const cli_job *job)
{
    char memory[CLI_NUMBER_BYTES];
    char bytes[CLI_NUMBER_BYTES];
    cli_note("%zu input files of %s in %zu pieces, %u partitions, %u threads, memory %s, "
             "%zu columns read as dictionaries",
             job->sources.count, cli_bytes_text(job->sources.bytes, bytes), job->piece_count,
             job->routing.count, job->thread_count, cli_bytes_text(job->budget.total, memory),
             sluice_dictionaries_get_column_count(job->dictionaries));
}

int cli_repartition(const cli_arguments *arguments)
{
    const double started_at = cli_now_seconds();
    cli_job job;
    int code = cli_job_prepare(&job, arguments);
    if (code != CLI_DONE)
        goto done;
    if (cli_has(arguments, OPTION_VERBOSE))
        print_plan(&job);
    cli_watch_block_signals();
    code = write_output(&job);
    if (code != CLI_DONE)
        goto done;
    print_results(&job, cli_now_seconds() - started_at);
    if (json_array_size(job.sources.skipped) > 0)
        code = CLI_SKIPPED;

done:
    cli_job_deinit(&job);
    return code;
}
