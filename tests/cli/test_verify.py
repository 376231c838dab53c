# SPDX-License-Identifier: Apache-2.0
"""verify finds what was moved, changed, lost, added or broken, and nothing else."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import manifest_of, read_file, write_parquet

ROWS = 2000


@pytest.fixture
def out(sluice):
    table = pa.table({"k": range(ROWS), "v": [f"v{row % 7}" for row in range(ROWS)]})
    path = write_parquet(sluice.path("in.parquet"), table)
    sluice("repartition", path, "--hash", "k", "-n", 4, "-o", "out")
    return sluice.path("out")


def rewrite(path, change):
    """Write a file again with other rows and the same metadata."""
    table = read_file(path)
    metadata = pq.ParquetFile(path).metadata.metadata
    kept = {key: value for key, value in metadata.items() if key != b"ARROW:schema"}
    write_parquet(path, change(table).replace_schema_metadata(kept))


def problems(sluice, *paths, **more):
    done = sluice.run("verify", *paths, "--json", **more)
    found = json.loads(done.stdout)
    assert done.returncode == (0 if found["ok"] else 3)
    assert found["ok"] == (not found["problems"])
    return found["problems"]


def kinds(found):
    return {problem["kind"] for problem in found}


def test_nothing_is_found_where_nothing_is_wrong(sluice, out):
    assert problems(sluice, out) == []
    assert problems(sluice, out, "--quick") == []
    assert problems(sluice, *sorted(out.glob("part-*"))) == []
    assert sluice.json("verify", out)["rows"] == ROWS
    assert "ok: 2,000 rows in 4 files" in sluice("verify", out)
    assert sluice("verify", out, "-q") == ""


def test_files_written_again_with_the_same_rows_are_right(sluice, out):
    path = out / "part-00001-000.parquet"
    rewrite(path, lambda table: table.sort_by([("k", "descending")]))
    assert problems(sluice, out) == []


def test_a_row_in_the_wrong_partition_is_found_with_its_number(sluice, out):
    first, second = out / "part-00001-000.parquet", out / "part-00002-000.parquet"
    moved = read_file(first).slice(0, 1)
    rewrite(second, lambda table: pa.concat_tables([table.slice(0, 5), moved, table.slice(5)]))
    rewrite(first, lambda table: table.slice(1))
    found = problems(sluice, out)
    assert kinds(found) == {"misplaced", "missing", "extra"}
    (misplaced,) = [problem for problem in found if problem["kind"] == "misplaced"]
    assert misplaced["file"].endswith("part-00002-000.parquet")
    assert misplaced["row"] == 5
    assert "belongs to partition 1" in misplaced["detail"]
    alone = problems(sluice, second)
    assert [(problem["kind"], problem["row"]) for problem in alone] == [("misplaced", 5)]


def test_a_changed_value_is_found(sluice, out):
    def change(table):
        values = table["v"].to_pylist()
        values[3] = "other"
        return table.set_column(1, "v", pa.array(values))

    rewrite(out / "part-00003-000.parquet", change)
    found = problems(sluice, out)
    assert kinds(found) == {"changed"}
    assert found[0]["file"].endswith("part-00003-000.parquet")


def test_a_row_that_is_doubled_in_place_of_another_is_found(sluice, out):
    rewrite(out / "part-00000-000.parquet",
            lambda table: pa.concat_tables([table.slice(0, 1), table.slice(0, 1), table.slice(2)]))
    assert kinds(problems(sluice, out)) == {"changed"}


def test_a_lost_row_is_found_by_the_footer_too(sluice, out):
    rewrite(out / "part-00000-000.parquet", lambda table: table.slice(1))
    assert kinds(problems(sluice, out)) == {"missing"}
    assert "missing" in kinds(problems(sluice, out, "--quick"))


def test_a_missing_file_is_found(sluice, out):
    (out / "part-00002-000.parquet").unlink()
    found = problems(sluice, out)
    assert [(problem["kind"], problem["file"]) for problem in found] == [
        ("missing", str(out / "part-00002-000.parquet"))]
    assert kinds(problems(sluice, out, "--quick")) == {"missing"}


def test_an_extra_file_is_found_and_hidden_ones_are_not(sluice, out):
    shutil.copy(out / "part-00002-000.parquet", out / "part-00002-001.parquet")
    (out / "_SUCCESS").write_bytes(b"")
    (out / ".crc").write_bytes(b"")
    found = problems(sluice, out)
    assert [(problem["kind"], problem["file"]) for problem in found] == [
        ("extra", str(out / "part-00002-001.parquet"))]


@pytest.mark.parametrize("kept", [0, 4, 100, -10])
def test_a_file_that_is_cut_off_is_unreadable(sluice, out, kept):
    path = out / "part-00001-000.parquet"
    path.write_bytes(path.read_bytes()[:kept])
    found = problems(sluice, out)
    assert [problem["kind"] for problem in found] == ["unreadable"]
    assert kinds(problems(sluice, out, "--quick")) == {"unreadable"}


def test_swapped_files_are_found(sluice, out):
    first, second = out / "part-00001-000.parquet", out / "part-00002-000.parquet"
    first.rename(out / "x")
    second.rename(first)
    (out / "x").rename(second)
    found = problems(sluice, out)
    assert {"claim", "misplaced"} <= kinds(found)
    assert "claim" in kinds(problems(sluice, out, "--quick"))


def test_a_file_without_a_claim_is_found(sluice, out):
    path = out / "part-00001-000.parquet"
    write_parquet(path, read_file(path).replace_schema_metadata(None))
    assert kinds(problems(sluice, out)) == {"claim"}
    assert kinds(problems(sluice, path)) == {"claim"}


@pytest.mark.parametrize("change", [
    lambda manifest: manifest.update(rows=manifest["rows"] + 1),
    lambda manifest: manifest["partitions"][1].update(rows=3),
    lambda manifest: manifest.update(checksum="0" * 32),
])
def test_a_manifest_that_does_not_add_up_is_found(sluice, out, change):
    manifest = manifest_of(out)
    change(manifest)
    (out / "_sluice.json").write_text(json.dumps(manifest))
    assert "claim" in kinds(problems(sluice, out))
    assert "claim" in kinds(problems(sluice, out, "--quick"))


def test_another_number_of_partitions_in_the_claim_is_found(sluice, out):
    manifest = manifest_of(out)
    manifest["partitioning"]["count"] = 5
    (out / "_sluice.json").write_text(json.dumps(manifest))
    assert {"claim", "misplaced"} <= kinds(problems(sluice, out))


def test_many_misplaced_rows_are_counted(sluice, out):
    first, second = out / "part-00001-000.parquet", out / "part-00002-000.parquet"
    rows = read_file(first)
    rewrite(second, lambda table: rows)
    found = [problem for problem in problems(sluice, out) if problem["kind"] == "misplaced"]
    assert len(found) == 11
    assert sum(problem["row"] is None for problem in found) == 1
    assert f"{rows.num_rows - 10} rows more" in [
        problem["detail"] for problem in found if problem["row"] is None][0]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"sluice":1}', '{"sluice":2,"rows":0}',
                                  '{"sluice":1,"rows":-1,"partitions":[]}',
                                  '{"sluice":1,"rows":0,"partitions":[{"index":0,"rows":0,'
                                  '"files":[{"path":"../x","rows":0,"bytes":0}]}]}'])
def test_a_manifest_that_is_broken_is_an_error(sluice, out, text):
    (out / "_sluice.json").write_text(text)
    assert "_sluice.json" in sluice.fails(1, "verify", out)


def test_a_path_that_is_not_there_is_an_error(sluice):
    assert "nowhere" in sluice.fails(1, "verify", "nowhere")
    assert "which data set" in sluice.fails(2, "verify")


@pytest.mark.parametrize("way", [["--range", "k", "--splits", "500,900"],
                                 ["--round-robin", "-n", "3"]])
def test_a_moved_file_is_found_for_other_ways_too(sluice, out, way):
    sluice("repartition", sluice.path("in.parquet"), *way, "-o", "other")
    assert problems(sluice, "other") == []
    other = sluice.path("other")
    rows = read_file(other / "part-00000-000.parquet")
    rewrite(other / "part-00001-000.parquet",
            lambda table: pa.concat_tables([table, rows.slice(0, 3)]))
    assert problems(sluice, "other") != []
