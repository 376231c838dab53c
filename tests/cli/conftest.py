# SPDX-License-Identifier: Apache-2.0
"""Running the command, and looking at what it wrote with pyarrow."""

import json
import os
import pathlib
import subprocess

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("SLUICE_BIN", str(ROOT / "build" / "bin" / "sluice"))


def clean_environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SLUICE_")}
    return {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm"}


class Sluice:
    """The command, run in one directory."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)

    def arguments(self, words):
        return [BINARY, *map(str, words)]

    def environment(self, changes=None):
        return {**clean_environment(), **(changes or {})}

    def run(self, *words, env=None, input=None, **more):
        return subprocess.run(self.arguments(words), cwd=self.directory, input=input,
                              env=self.environment(env), capture_output=True, timeout=300, **more)

    def __call__(self, *words, **more):
        """Run it, expect success, return what it printed on standard output."""
        done = self.run(*words, **more)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def fails(self, code, *words, **more):
        """Run it, expect an exit code and one line of error, return the line."""
        done = self.run(*words, **more)
        message = done.stderr.decode()
        assert done.returncode == code, (done.returncode, message)
        assert done.stdout == b""
        assert message.count("\n") == 1, message
        assert message.startswith("sluice: ")
        return message

    def json(self, *words, **more):
        return json.loads(self(*words, "--json", **more))

    def path(self, name):
        return self.directory / name


@pytest.fixture
def sluice(tmp_path):
    return Sluice(tmp_path)


def write_parquet(path, table, **more):
    pq.write_table(table, path, **more)
    return path


def write_ipc(path, batches, schema=None):
    """An IPC stream of batches, dictionaries replaced when they change."""
    schema = schema or batches[0].schema
    with pa.ipc.new_stream(path, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return path


def write_ipc_file(path, batches, schema=None):
    with pa.ipc.new_file(path, schema or batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return path


def read_file(path):
    path = pathlib.Path(path)
    if path.suffix == ".parquet":
        return pq.ParquetFile(path).read()
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def manifest_of(directory):
    return json.loads((pathlib.Path(directory) / "_sluice.json").read_text())


def read_partitions(directory):
    """The partitions of a data set as tables, in order, by its manifest."""
    directory = pathlib.Path(directory)
    tables = []
    for index, partition in enumerate(manifest_of(directory)["partitions"]):
        assert partition["index"] == index
        parts = [read_file(directory / file["path"]) for file in partition["files"]]
        tables.append(pa.concat_tables(parts))
    return tables


def partition_of_rows(directory, column="x"):
    """Where each row went, by a column that numbers the rows."""
    found = {}
    for index, table in enumerate(read_partitions(directory)):
        for number in table[column].to_pylist():
            assert number not in found
            found[number] = index
    return [found[number] for number in sorted(found)]


def in_order(table, column="x"):
    """The table sorted by a column that numbers the rows."""
    order = sorted(range(table.num_rows), key=table[column].to_pylist().__getitem__)
    return table.take(order)


def values_in_order(table, column, numbers="x"):
    """The values of a column, sorted by the numbers of the rows; for types that cannot be taken."""
    pairs = zip(table[numbers].to_pylist(), table[column].to_pylist())
    return [value for _, value in sorted(pairs, key=lambda pair: pair[0])]


def tree_of(directory):
    """Every file below a directory with its bytes."""
    directory = pathlib.Path(directory)
    return {str(path.relative_to(directory)): path.read_bytes()
            for path in sorted(directory.rglob("*")) if path.is_file()}
