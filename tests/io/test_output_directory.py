# SPDX-License-Identifier: Apache-2.0
"""A directory changes in one step, or not at all."""

import json
import os
import signal
import subprocess
import sys
import threading

import libsluice_io as sluice
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


def manifest(*files):
    return json.dumps({"sluice": 1, "partitions": [
        {"index": number, "files": [{"path": file}]} for number, file in enumerate(files)]})


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def contents(path):
    return {str(file.relative_to(path)): file.read_text()
            for file in sorted(path.rglob("*")) if file.is_file()}


def run(out, files, if_exists=sluice.IF_EXISTS_ERROR):
    directory = sluice.OutputDirectory(out, if_exists)
    for name, text in files.items():
        put(directory.path / name, text)
    directory.commit(manifest(*files))
    return directory


def assert_alone(out):
    """Nothing is left beside out but what was there."""
    assert [name for name in os.listdir(out.parent) if ".sluice-" in name] == []
    assert [name for name in os.listdir(out) if ".sluice-" in name] == []


@pytest.fixture(params=["new", "empty", "deep"])
def out(request, tmp_path):
    path = tmp_path / "a" / "b" / "out" if request.param == "deep" else tmp_path / "out"
    if request.param == "empty":
        path.mkdir()
    return path


def test_commit_makes_the_directory(out):
    was_there = out.exists()
    directory = sluice.OutputDirectory(out)
    assert directory.path.parent == out.parent.resolve()
    assert directory.path.name.startswith(".out.sluice-")
    assert directory.manifest is None
    put(directory.path / "k=1" / "part", "one")
    assert out.exists() == was_there
    directory.commit(manifest("k=1/part"))
    assert contents(out) == {"k=1/part": "one", "_sluice.json": manifest("k=1/part")}
    assert not directory.is_stepwise
    assert_alone(out)


def test_without_a_commit_nothing_changes(out):
    was_there = out.exists()
    parent_was_there = out.parent.exists()
    directory = sluice.OutputDirectory(out)
    put(directory.path / "part", "one")
    directory.free()
    assert out.exists() == was_there
    assert out.parent.exists() == parent_was_there


def test_what_is_not_empty_is_refused(tmp_path):
    put(tmp_path / "out" / "file", "mine")
    with pytest.raises(sluice.SluiceError) as caught:
        sluice.OutputDirectory(tmp_path / "out")
    assert caught.value.status == sluice.INVALID
    assert "not empty" in caught.value.message
    assert contents(tmp_path / "out") == {"file": "mine"}
    put(tmp_path / "plain", "mine")
    for path in (tmp_path / "plain", tmp_path / "plain" / "below", "/", ""):
        with pytest.raises(sluice.SluiceError):
            sluice.OutputDirectory(path, sluice.IF_EXISTS_REPLACE)


def test_replace_removes_only_what_a_manifest_names(tmp_path):
    out = tmp_path / "out"
    run(out, {"part-0": "old", "k=1/part": "old", "both": "old"})
    put(out / "mine", "mine")
    put(out / "k=1" / "mine", "mine")
    (out / "empty").mkdir()
    (out / "link").symlink_to("nowhere")
    os.chmod(out, 0o750)
    directory = sluice.OutputDirectory(out, sluice.IF_EXISTS_REPLACE)
    assert json.loads(directory.manifest)["sluice"] == 1
    assert directory.has_file("mine") and directory.has_file("k=1/./mine")
    assert not directory.has_file("part-0") and not directory.has_file("nothing")
    put(directory.path / "both", "new")
    before = contents(out)
    put(directory.path / "part-1", "new")
    assert contents(out) == before
    directory.commit(manifest("both", "part-1"))
    assert contents(out) == {"both": "new", "part-1": "new", "mine": "mine", "k=1/mine": "mine",
                             "_sluice.json": manifest("both", "part-1")}
    assert (out / "empty").is_dir()
    assert os.readlink(out / "link") == "nowhere"
    assert out.stat().st_mode & 0o7777 == 0o750
    assert_alone(out)


def test_append_keeps_everything(tmp_path):
    out = tmp_path / "out"
    run(out, {"part-0": "old"})
    put(out / "mine", "mine")
    inode = (out / "part-0").stat().st_ino
    directory = sluice.OutputDirectory(out, sluice.IF_EXISTS_APPEND)
    assert directory.has_file("part-0")
    put(directory.path / "part-1", "new")
    directory.commit(manifest("part-0", "part-1"))
    assert contents(out) == {"part-0": "old", "part-1": "new", "mine": "mine",
                             "_sluice.json": manifest("part-0", "part-1")}
    assert (out / "part-0").stat().st_ino == inode
    assert_alone(out)


@pytest.mark.parametrize("policy, name", [(sluice.IF_EXISTS_APPEND, "part"),
                                          (sluice.IF_EXISTS_REPLACE, "mine")])
def test_a_file_that_stays_is_never_overwritten(tmp_path, policy, name):
    out = tmp_path / "out"
    run(out, {"part": "old"})
    put(out / "mine", "mine")
    before = contents(out)
    directory = sluice.OutputDirectory(out, policy)
    put(directory.path / name, "new")
    with pytest.raises(sluice.SluiceError) as caught:
        directory.commit(manifest(name))
    assert name in caught.value.message
    directory.free()
    assert contents(out) == before
    assert_alone(out)


def test_a_manifest_cannot_reach_out(tmp_path):
    out = tmp_path / "out"
    victim = tmp_path / "victim"
    victim.write_text("mine")
    out.mkdir()
    (out / "_sluice.json").write_text(manifest("../victim", str(victim), "a/../../victim", "."))
    run(out, {"part": "new"}, sluice.IF_EXISTS_REPLACE)
    assert victim.read_text() == "mine"
    for text in ("", "{", "[]", '{"partitions": 3}', '{"partitions": [{"files": [{"path": 1}]}]}'):
        (out / "_sluice.json").write_text(text)
        run(out, {f"part-{len(text)}": "new"}, sluice.IF_EXISTS_REPLACE)
    assert victim.read_text() == "mine"


def test_files_that_came_meanwhile_stay(tmp_path):
    out = tmp_path / "out"
    run(out, {"part": "old"})
    directory = sluice.OutputDirectory(out, sluice.IF_EXISTS_REPLACE)
    put(out / "late", "mine")
    put(directory.path / "part", "new")
    directory.commit(manifest("part"))
    assert contents(out) == {"part": "new", "late": "mine", "_sluice.json": manifest("part")}


@pytest.mark.parametrize("exists", [False, True])
def test_two_runs_at_once(tmp_path, exists):
    out = tmp_path / "out"
    if exists:
        run(out, {"part": "old"})
    first = sluice.OutputDirectory(out, sluice.IF_EXISTS_REPLACE)
    for begin in (lambda: sluice.OutputDirectory(out, sluice.IF_EXISTS_REPLACE),
                  lambda: sluice.clean(out)):
        with pytest.raises(sluice.SluiceError) as caught:
            begin()
        assert caught.value.status == sluice.INVALID
        assert "another run" in caught.value.message
    other = sluice.OutputDirectory(tmp_path / "other")
    other.free()
    put(first.path / "part", "new")
    first.commit(manifest("part"))
    first.free()
    assert contents(out)["part"] == "new"
    sluice.OutputDirectory(out, sluice.IF_EXISTS_REPLACE).free()


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import libsluice_io as sluice
directory = sluice.OutputDirectory(sys.argv[2], int(sys.argv[3]))
(directory.path / "part").write_text("half")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("exists", [False, True])
def test_what_a_killed_run_left_is_removed(tmp_path, exists):
    out = tmp_path / "out"
    if exists:
        run(out, {"old": "old"})

    def kill_one():
        done = subprocess.run([sys.executable, "-c", KILLED, HERE, str(out), "2"])
        assert done.returncode == -signal.SIGKILL
        assert out.exists() == exists
        left = [name for name in os.listdir(tmp_path) if name.startswith(".out.sluice-")]
        assert len(left) == 1

    kill_one()
    assert sluice.clean(out) == 1
    assert sluice.clean(out) == 0
    kill_one()
    run(out, {"part": "new"}, sluice.IF_EXISTS_REPLACE)
    assert contents(out) == {"part": "new", "_sluice.json": manifest("part")}
    assert_alone(out)


def test_readers_see_the_old_or_the_new(tmp_path):
    """A reader that lists the directory all the time never meets half a data set."""
    out = tmp_path / "out"
    run(out, {"a-0": "0", "b-0": "0"})
    stop = threading.Event()
    seen = set()

    def read():
        while not stop.is_set():
            handle = os.open(out, os.O_RDONLY)
            seen.add(tuple(sorted(os.listdir(handle))))
            os.close(handle)

    reader = threading.Thread(target=read)
    reader.start()
    for step in range(1, 40):
        run(out, {f"a-{step}": "x", f"b-{step}": "x"}, sluice.IF_EXISTS_REPLACE)
    stop.set()
    reader.join()
    for names in seen - {()}:
        parts = [name for name in names if name != "_sluice.json"]
        # A directory that was replaced while it was read may lose names, but mixes nothing.
        assert len({name.split("-")[1] for name in parts}) <= 1, names


class TestStepwise:
    """With a parent that cannot be written; root needs a mount, others a permission."""

    @pytest.fixture
    def out(self, tmp_path):
        out = tmp_path / "parent" / "out"
        out.mkdir(parents=True)
        if os.geteuid() != 0:
            os.chmod(out.parent, 0o500)
            yield out
            os.chmod(out.parent, 0o700)
            return
        if subprocess.run(["mount", "-t", "tmpfs", "none", str(out)],
                          stderr=subprocess.DEVNULL).returncode != 0:
            pytest.skip("this place does not allow mounts")
        yield out
        subprocess.run(["umount", str(out)], check=True)

    def test_commit(self, out):
        directory = run(out, {"part": "1", "k=1/part": "1"})
        assert directory.is_stepwise
        assert contents(out) == {"part": "1", "k=1/part": "1",
                                 "_sluice.json": manifest("part", "k=1/part")}
        put(out / "mine", "mine")
        run(out, {"part": "2"}, sluice.IF_EXISTS_REPLACE)
        assert contents(out) == {"part": "2", "mine": "mine", "_sluice.json": manifest("part")}
        run(out, {"more": "3"}, sluice.IF_EXISTS_APPEND)
        assert contents(out) == {"part": "2", "more": "3", "mine": "mine",
                                 "_sluice.json": manifest("more")}
        assert_alone(out)

    def test_refused_and_abandoned(self, out):
        run(out, {"part": "1"})
        put(out / "mine", "mine")
        before = contents(out)
        directory = sluice.OutputDirectory(out, sluice.IF_EXISTS_REPLACE)
        put(directory.path / "mine", "2")
        with pytest.raises(sluice.SluiceError):
            directory.commit(manifest("mine"))
        directory.free()
        assert contents(out) == before


def test_a_run_killed_between_its_moves_is_undone(tmp_path):
    """The state in the middle of a stepwise commit, made by hand, as staging.h describes it."""
    out = tmp_path / "out"
    staging = out / ".sluice-0123456789abcdef"
    put(out / "mine", "mine")
    put(out / "both", "new")
    put(out / "k=1" / "new", "new")
    put(staging / "not-yet-moved", "new")
    put(staging / "_sluice.json", manifest("both", "k=1/new", "not-yet-moved"))
    put(staging / ".journal", "both\nk=1/new\nnot-yet-moved\n")
    put(staging / ".replaced" / "both", "old")
    put(staging / ".replaced" / "_sluice.json", manifest("both"))
    assert sluice.clean(out) == 1
    assert contents(out) == {"mine": "mine", "both": "old", "_sluice.json": manifest("both")}
