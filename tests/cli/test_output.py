# SPDX-License-Identifier: Apache-2.0
"""OUT appears in one step or stays as it was, whatever happens to the run."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import manifest_of, read_partitions, tree_of, write_ipc, write_parquet


@pytest.fixture
def table(sluice):
    return write_parquet(sluice.path("in.parquet"),
                         pa.table({"k": range(1000), "s": [f"row {row}" for row in range(1000)]}),
                         row_group_size=100)


@pytest.fixture
def big(sluice):
    """Enough to be killed in the middle of."""
    rows = 3_000_000
    return write_parquet(sluice.path("big.parquet"), pa.table({
        "k": pa.array(range(rows)), "s": pa.array([str(row * 7919) for row in range(rows)])}))


def names(sluice):
    return sorted(path.name for path in sluice.directory.iterdir())


def test_the_manifest_says_what_is_there(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 3, "-o", "out", "--row-group-rows", 50)
    manifest = manifest_of(sluice.path("out"))
    assert manifest["sluice"] == 1
    assert manifest["rows"] == 1000
    assert manifest["schema"] == [{"name": "k", "type": "int64", "nullable": True},
                                  {"name": "s", "type": "utf8", "nullable": True}]
    assert [entry["rows"] for entry in manifest["inputs"]] == [1000]
    assert manifest["options"] == {"hash": "k", "partitions": "3", "row-group-rows": "50"}
    assert manifest["skipped"] == []
    assert len(manifest["checksum"]) == 32
    total = 0
    for index, part in enumerate(manifest["partitions"]):
        assert part["index"] == index
        (file,) = part["files"]
        path = sluice.path("out") / file["path"]
        assert file["path"] == f"part-{index:05}-000.parquet"
        assert file["bytes"] == path.stat().st_size
        metadata = pq.ParquetFile(path).metadata
        assert file["rows"] == part["rows"] == metadata.num_rows
        assert all(metadata.row_group(i).num_rows <= 50 for i in range(metadata.num_row_groups))
        total = (total + int(part["checksum"], 16)) % 2**128
    assert total == int(manifest["checksum"], 16)
    assert names(sluice) == ["in.parquet", "out"]


def test_json_has_the_fields_of_the_contract(sluice, table):
    found = sluice.json("repartition", table, "--hash", "k", "-n", 4, "-o", "out", "-q")
    assert found["rows"] == 1000
    assert found["bytes_in"] == table.stat().st_size
    files = list(sluice.path("out").glob("part-*"))
    assert found["bytes_out"] == sum(file.stat().st_size for file in files)
    assert found["files"] == 4
    rows = [part["rows"] for part in found["partitions"]]
    assert rows == [part.num_rows for part in read_partitions(sluice.path("out"))]
    assert found["skew"]["max_over_mean"] == pytest.approx(max(rows) / 250, abs=1e-4)
    assert found["skew"]["empty"] == 0
    assert found["output"] == "out"
    assert found["spilled_bytes"] == 0
    assert found["seconds"] > 0 and found["peak_memory"] > 2**20
    assert found["skipped"] == []


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "zstd:3", "lz4", "gzip"])
def test_compression_is_what_was_asked_for(sluice, table, codec):
    sluice("repartition", table, "--hash", "k", "-n", 1, "-o", "out", "--compression", codec)
    column = pq.ParquetFile(sluice.path("out") / "part-00000-000.parquet").metadata.row_group(0)
    expected = {"none": "UNCOMPRESSED", "zstd:3": "ZSTD"}.get(codec, codec.upper())
    assert column.column(0).compression == expected


def test_the_format_is_that_of_the_first_input(sluice, table):
    stream = write_ipc(sluice.path("in.arrows"), pa.table({"k": [1, 2]}).to_batches())
    sluice("repartition", stream, "--hash", "k", "-n", 2, "-o", "a")
    assert len(list(sluice.path("a").glob("*.arrow"))) == 2
    sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "b")
    assert len(list(sluice.path("b").glob("*.parquet"))) == 2


def test_standard_input_is_read_as_a_stream(sluice):
    path = write_ipc(sluice.path("in.arrows"),
                     pa.table({"k": range(10_000)}).to_batches(max_chunksize=100))
    sluice("repartition", "-", "--hash", "k", "-n", 4, "-o", "out", input=path.read_bytes())
    assert sum(table.num_rows for table in read_partitions(sluice.path("out"))) == 10_000
    sluice("verify", "out")


def test_an_output_that_exists_is_refused_and_left_alone(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "out")
    before = tree_of(sluice.path("out"))
    assert "out" in sluice.fails(2, "repartition", table, "--hash", "k", "-n", 3, "-o", "out")
    assert tree_of(sluice.path("out")) == before
    assert names(sluice) == ["in.parquet", "out"]


def test_replace_removes_only_what_the_manifest_names(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 5, "-o", "out")
    (sluice.path("out") / "notes.txt").write_text("mine")
    sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "out", "--if-exists", "replace")
    assert sorted(tree_of(sluice.path("out"))) == [
        "_sluice.json", "notes.txt", "part-00000-000.parquet", "part-00001-000.parquet"]


@pytest.mark.parametrize("inside", [".", "a", "a/b"])
def test_an_output_inside_an_input_is_refused(sluice, table, inside):
    folder = sluice.path("folder")
    (folder / "a").mkdir(parents=True)
    table.rename(folder / "in.parquet")
    before = tree_of(folder)
    message = sluice.fails(2, "repartition", "folder", "--hash", "k", "-n", 2, "-o",
                           folder / inside, "--if-exists", "replace")
    assert "inside the input" in message
    assert tree_of(folder) == before


def test_an_input_inside_the_output_is_refused(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "out")
    message = sluice.fails(2, "repartition", "out/part-00000-000.parquet", "--hash", "k", "-n", 2,
                           "-o", "out", "--if-exists", "replace")
    assert "inside the output" in message


def test_a_file_that_is_cut_off_in_the_middle_leaves_nothing(sluice, table):
    data = bytearray(table.read_bytes())
    data[200:1200] = bytes(1000)
    sluice.path("bad.parquet").write_bytes(data)
    message = sluice.fails(1, "repartition", table, "bad.parquet", "--hash", "k", "-n", 2,
                           "-o", "out")
    assert "bad.parquet" in message
    assert names(sluice) == ["bad.parquet", "in.parquet"]


def test_an_earlier_output_survives_a_failed_replacement(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "out")
    before = tree_of(sluice.path("out"))
    data = bytearray(table.read_bytes())
    data[200:1200] = bytes(1000)
    sluice.path("bad.parquet").write_bytes(data)
    sluice.fails(1, "repartition", "bad.parquet", "--hash", "k", "-n", 3, "-o", "out",
                 "--if-exists", "replace")
    assert tree_of(sluice.path("out")) == before
    assert names(sluice) == ["bad.parquet", "in.parquet", "out"]


def test_inputs_of_different_types_name_both_files(sluice):
    write_parquet(sluice.path("a.parquet"), pa.table({"k": pa.array([1], pa.int32())}))
    write_parquet(sluice.path("b.parquet"), pa.table({"k": pa.array([1], pa.int64())}))
    message = sluice.fails(1, "repartition", "a.parquet", "b.parquet", "--hash", "k", "-n", 2,
                           "-o", "out")
    assert "k: int32 in a.parquet, int64 in b.parquet" in message
    write_parquet(sluice.path("c.parquet"), pa.table({"k": pa.array([1], pa.int32()), "v": [1]}))
    message = sluice.fails(1, "repartition", "a.parquet", "c.parquet", "--hash", "k", "-n", 2,
                           "-o", "out")
    assert "v: in c.parquet, not in a.parquet" in message


def bad_folder(sluice):
    folder = sluice.path("dir")
    folder.mkdir()
    good = write_parquet(folder / "good.parquet", pa.table({"k": [1, 2, 3]}))
    (folder / "cut.parquet").write_bytes(good.read_bytes()[:-10])
    (folder / "zero.parquet").write_bytes(b"")
    (folder / "_SUCCESS").write_bytes(b"never read")
    (folder / ".good.parquet.crc").write_bytes(b"never read")
    return folder


def test_t26_a_bad_file_is_an_error_that_names_it(sluice):
    bad_folder(sluice)
    message = sluice.fails(1, "repartition", "dir", "--hash", "k", "-n", 4, "-o", "out")
    assert "cut.parquet" in message and "footer" in message
    assert names(sluice) == ["dir"]


def test_t26_a_bad_file_may_be_skipped_and_is_listed(sluice):
    bad_folder(sluice)
    done = sluice.run("repartition", "dir", "--hash", "k", "-n", 4, "-o", "out",
                      "--on-bad-file", "skip", "--json")
    assert done.returncode == 4
    skipped = json.loads(done.stdout)["skipped"]
    assert skipped == manifest_of(sluice.path("out"))["skipped"]
    assert [entry["path"] for entry in skipped] == ["dir/cut.parquet", "dir/zero.parquet"]
    assert all(entry["reason"] for entry in skipped)
    assert sum(table.num_rows for table in read_partitions(sluice.path("out"))) == 3


def without_rights_of_root():
    """A command in front of the command that makes even root obey the mode of a file."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root may read every file, and there is no setpriv")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]


@pytest.mark.parametrize("rule", ["error", "skip"])
def test_t26_a_file_that_may_not_be_read_is_an_error(sluice, rule):
    folder = bad_folder(sluice)
    for name in ("cut.parquet", "zero.parquet"):
        (folder / name).unlink()
    (folder / "secret.parquet").write_bytes((folder / "good.parquet").read_bytes())
    (folder / "secret.parquet").chmod(0)
    words = ["repartition", "dir", "--hash", "k", "-n", 4, "-o", "out", "--on-bad-file", rule]
    done = subprocess.run(without_rights_of_root() + sluice.arguments(words), cwd=sluice.directory,
                          env=sluice.environment(), capture_output=True)
    assert done.returncode == 1
    assert b"secret.parquet" in done.stderr
    assert names(sluice) == ["dir"]


def test_inputs_are_files_folders_globs_and_lists(sluice):
    for name in ["a/1.parquet", "a/b/2.parquet", "a/b/c/3.parquet", "a/_x/4.parquet",
                 "a/.h/5.parquet", "a/_6.parquet", "z/7.parquet"]:
        path = sluice.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(path, pa.table({"k": [int(path.stem.strip("_"))]}))

    def rows(*words, **more):
        sluice("repartition", *words, "--round-robin", "-n", 1, "-o", "out", "--if-exists",
               "replace", **more)
        return read_partitions(sluice.path("out"))[0]["k"].to_pylist()

    assert rows("a/1.parquet", "z/7.parquet") == [1, 7]
    assert rows("z/7.parquet", "a/1.parquet") == [7, 1]
    assert rows("a") == [1, 2, 3]
    assert rows("a/*.parquet") == [1]
    assert rows("a/**/*.parquet") == [1, 2, 3]
    assert rows("**/[1-3].parquet") == [1, 2, 3]
    assert rows("a/_*.parquet") == [6]
    assert rows("?/?.parquet") == [1, 7]
    sluice.path("list").write_text("z/7.parquet\n\na/b\n")
    assert rows("a/1.parquet", "--files-from", "list") == [1, 7, 2, 3]
    assert rows("--files-from", "-", input=b"a/1.parquet\n") == [1]
    assert "no file matches" in sluice.fails(1, "repartition", "a/*.csv", "--round-robin", "-n", 1,
                                             "-o", "none")
    assert "No such file" in sluice.fails(1, "repartition", "none.parquet", "--round-robin", "-n",
                                          1, "-o", "none")


def test_a_data_set_of_ours_is_read_by_its_manifest(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 3, "-o", "first")
    (sluice.path("first") / "left-over.parquet").write_bytes(b"not named by the manifest")
    sluice("repartition", "first", "--round-robin", "-n", 2, "-o", "second")
    assert manifest_of(sluice.path("second"))["rows"] == 1000
    assert (manifest_of(sluice.path("first"))["checksum"]
            == manifest_of(sluice.path("second"))["checksum"])


def start_and_wait(sluice, *words):
    """Start a run and wait until files lie in its staging folder."""
    process = subprocess.Popen(sluice.arguments(words), cwd=sluice.directory,
                               env=sluice.environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    for _ in range(2000):
        if any(sluice.directory.glob(".out.sluice-*/part-*")):
            return process
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.002)
    raise AssertionError("no staging folder appeared")


@pytest.mark.parametrize("exists", [False, True])
def test_kill_9_leaves_no_part_files_and_an_earlier_output_untouched(sluice, table, big, exists):
    before = {}
    if exists:
        sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "out")
        before = tree_of(sluice.path("out"))
    process = start_and_wait(sluice, "repartition", big, "--hash", "k", "-n", 8, "-o", "out",
                             "--if-exists", "replace")
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert sluice.path("out").exists() == exists
    if exists:
        assert tree_of(sluice.path("out")) == before
        sluice("verify", "out")
    assert any(name.startswith(".out.sluice-") for name in names(sluice))
    sluice("repartition", table, "--hash", "k", "-n", 3, "-o", "out", "--if-exists", "replace")
    assert names(sluice) == ["big.parquet", "in.parquet", "out"]
    sluice("verify", "out")


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_removes_what_was_begun(sluice, table, big, number, code):
    sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "out")
    before = tree_of(sluice.path("out"))
    process = start_and_wait(sluice, "repartition", big, "--hash", "k", "-n", 8, "-o", "out",
                             "--if-exists", "replace")
    process.send_signal(number)
    output, message = process.communicate(timeout=30)
    assert process.returncode == code
    assert output == b""
    assert message.count(b"\n") == 1 and b"as it was" in message
    assert tree_of(sluice.path("out")) == before
    assert names(sluice) == ["big.parquet", "in.parquet", "out"]


def test_a_signal_ends_a_run_that_waits_for_standard_input(sluice):
    read, write = os.pipe()
    process = subprocess.Popen(
        sluice.arguments(["repartition", "-", "--hash", "k", "-n", 2, "-o", "out"]),
        cwd=sluice.directory, env=sluice.environment(), stdin=read, stderr=subprocess.PIPE)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    os.close(read)
    os.close(write)
    assert process.returncode in (143, -signal.SIGTERM)
    assert names(sluice) == []


def test_a_second_run_into_the_same_output_is_refused(sluice, table, big):
    process = start_and_wait(sluice, "repartition", big, "--hash", "k", "-n", 8, "-o", "out")
    message = sluice.fails(2, "repartition", table, "--hash", "k", "-n", 2, "-o", "out")
    assert "out" in message
    process.communicate(timeout=60)
    assert process.returncode == 0
    sluice("verify", "out")
    assert manifest_of(sluice.path("out"))["rows"] == 3_000_000


def test_a_file_that_may_not_grow_is_an_error_and_leaves_nothing(sluice, big):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    message = sluice.fails(1, "repartition", big, "--hash", "k", "-n", 2, "-o", "out",
                           preexec_fn=limit)
    assert "part-0000" in message
    assert names(sluice) == ["big.parquet"]


def test_few_file_descriptors_are_enough_for_many_partitions(sluice, table):
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    sluice("repartition", table, "--hash", "k", "-n", 300, "-o", "out", preexec_fn=limit)
    sluice("verify", "out")


def test_an_output_below_folders_that_are_not_there_is_made(sluice, table):
    sluice("repartition", table, "--hash", "k", "-n", 2, "-o", "x/y/out/")
    sluice("verify", "x/y/out")


def test_progress_is_not_shown_where_there_is_no_terminal(sluice, big):
    done = sluice.run("repartition", big, "--hash", "k", "-n", 2, "-o", "out")
    assert b"\r" not in done.stderr
