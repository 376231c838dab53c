# SPDX-License-Identifier: Apache-2.0
"""Ways to drive an exchange from its first batch to the end of its last output.

Each function takes an exchange and the batches of each input, and returns the batches of each
output.
"""

import threading

import pyarrow as pa

import libsluice

JOIN_SECONDS = 60


def run_threads(exchange, functions):
    """Run all at once; the first exception cancels the exchange and is raised here."""
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as error:  # Whatever it was, the other threads must be let go.
            errors.append(error)
            exchange.cancel()

    threads = [threading.Thread(target=guarded, args=(function,), daemon=True)
               for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(JOIN_SECONDS)
    if errors:
        raise errors[0]
    assert not any(thread.is_alive() for thread in threads), "a thread never came back"


def push_all(exchange, input_index, batches):
    for batch in batches:
        if exchange.push(input_index, batch) == libsluice.CLOSED:
            break
    exchange.finish(input_index)


def pull_all(exchange, output, target):
    while True:
        batch = exchange.pull(output)
        if batch is None:
            return
        target.append(batch)


def with_one_thread(exchange, inputs, random):
    """Random steps of the try_ calls, checking the gate at each refusal."""
    outputs = [[] for _ in range(exchange.output_count)]
    waiting = {index: list(batches) for index, batches in enumerate(inputs)}
    while waiting:
        index = random.choice(list(waiting))
        if not waiting[index]:
            exchange.finish(index)
            del waiting[index]
            continue
        status = exchange.try_push(index, waiting[index][0])
        if status == libsluice.OK:
            waiting[index].pop(0)
        if status == libsluice.WOULD_BLOCK or random.random() < 0.2:
            if status == libsluice.WOULD_BLOCK:
                assert is_gate_closed(exchange), "push refused although an output is hungry"
            output = random.randrange(len(outputs))
            status, batch = exchange.try_pull(output)
            if status == libsluice.OK:
                assert batch is not None, f"output {output} ended before its inputs"
                outputs[output].append(batch)
    for output in random.sample(range(len(outputs)), len(outputs)):
        drain(exchange, output, outputs[output])
    return outputs


def is_gate_closed(exchange, hungry_below=2):
    return all(exchange.output_metrics(output)["batches_queued"] >= hungry_below
               for output in range(exchange.output_count))


def drain(exchange, output, target):
    """Take what is there after all inputs have finished; that never has to wait."""
    while True:
        status, batch = exchange.try_pull(output)
        assert status == libsluice.OK, f"output {output} waits although all inputs have finished"
        if batch is None:
            break
        target.append(batch)
    assert exchange.try_pull(output) == (libsluice.OK, None), "an ended output stays ended"


def with_threads(exchange, inputs):
    """A thread for each input and each output."""
    outputs = [[] for _ in range(exchange.output_count)]
    pushers = [lambda index=index, batches=batches: push_all(exchange, index, batches)
               for index, batches in enumerate(inputs)]
    pullers = [lambda output=output: pull_all(exchange, output, outputs[output])
               for output in range(len(outputs))]
    run_threads(exchange, pushers + pullers)
    return outputs


def one_output_after_the_other(exchange, inputs):
    """One consumer, which takes each output whole before it looks at the next."""
    outputs = [[] for _ in range(exchange.output_count)]

    def pull_in_turn():
        for output, target in enumerate(outputs):
            pull_all(exchange, output, target)

    pushers = [lambda index=index, batches=batches: push_all(exchange, index, batches)
               for index, batches in enumerate(inputs)]
    run_threads(exchange, [*pushers, pull_in_turn])
    return outputs


def with_some_closed(exchange, inputs, closed):
    """One consumer of the outputs that have not been closed before."""
    outputs = [[] for _ in range(exchange.output_count)]
    pushers = [lambda index=index, batches=batches: push_all(exchange, index, batches)
               for index, batches in enumerate(inputs)]

    def pull_open():
        for output, target in enumerate(outputs):
            if output not in closed:
                pull_all(exchange, output, target)

    run_threads(exchange, [*pushers, pull_open])
    return outputs


def with_pull_any(exchange, inputs, consumer_count=3):
    """Consumers that take whichever output is ready."""
    outputs = [[] for _ in range(exchange.output_count)]
    ended = []

    def consume():
        output = libsluice.NO_OUTPUT
        while True:
            output, batch = exchange.pull_any(output)
            if batch is not None:
                outputs[output].append(batch)
            elif output == libsluice.NO_OUTPUT:
                return
            else:
                ended.append(output)

    pushers = [lambda index=index, batches=batches: push_all(exchange, index, batches)
               for index, batches in enumerate(inputs)]
    run_threads(exchange, pushers + [consume] * consumer_count)
    assert sorted(ended) == list(range(len(outputs))), "each output ends once"
    return outputs


def with_streams(exchange, inputs, schema):
    """sluice_exchange_run() over pyarrow readers; pyarrow reads the exported outputs."""
    outputs = [[] for _ in range(exchange.output_count)]
    readers = [pa.RecordBatchReader.from_batches(schema, batches) for batches in inputs]
    sources = [exchange.reader(output) for output in range(len(outputs))]

    def read(output):
        assert sources[output].schema.equals(exchange.schema, check_metadata=True)
        for batch in sources[output]:
            batch.validate(full=True)
            outputs[output].append(batch)

    run_threads(exchange, [lambda: exchange.run(readers),
                           *[lambda output=output: read(output)
                             for output in range(len(outputs))]])
    for source in sources:
        source.close()
    return outputs
