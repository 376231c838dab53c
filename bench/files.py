#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare `sluice repartition` with DuckDB, Polars and pyarrow on the same file, whole process.

    bench/files.py [--runs 5] [--outputs 64] [--engines duckdb,polars] FILE.parquet

Every engine splits the file by a hash of one column into N Parquet files with zstd. The engines
take turns, each run in a process of its own that writes into an empty directory, and the median of
wall time, CPU time and peak memory is printed, with the ratio to sluice run by run. Rows are
counted in what was written: an engine that loses rows is said to be wrong, not fast.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

DUCKDB = """
import duckdb, sys
source, target, key, outputs = sys.argv[1:]
duckdb.sql(f"COPY (SELECT *, hash({key}) % {outputs} AS part FROM read_parquet('{source}')) "
           f"TO '{target}' (FORMAT parquet, PARTITION_BY (part), COMPRESSION zstd)")
"""

POLARS = """
import polars, sys
source, target, key, outputs = sys.argv[1:]
table = polars.scan_parquet(source).with_columns(part=polars.col(key).hash() % int(outputs))
table.sink_parquet(polars.PartitionBy(target, key="part", include_key=False),
                   compression="zstd", mkdir=True)
"""


def command_of(engine, source, target, key, outputs):
    """The command of one run."""
    if engine == "sluice":
        binary = os.environ.get("SLUICE_BIN", str(ROOT / "build" / "bin" / "sluice"))
        return [binary, "repartition", str(source), "--hash", key, "-n", str(outputs),
                "-o", str(target), "-q"]
    script = {"duckdb": DUCKDB, "polars": POLARS}[engine]
    return [sys.executable, "-c", script, str(source), str(target), key, str(outputs)]


def run(command):
    """Wall seconds, CPU seconds and peak MiB of one process."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]}: exit {process.returncode}: {message.decode()[-500:]}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def written(target):
    """Rows and bytes of all Parquet files below a folder."""
    import pyarrow.parquet

    files = sorted(target.rglob("*.parquet"))
    rows = sum(pyarrow.parquet.ParquetFile(file).metadata.num_rows for file in files)
    return rows, sum(file.stat().st_size for file in files)


def measure(engines, source, key, outputs, runs, scratch):
    """One list of (wall, cpu, peak, rows, bytes) per engine, taken in turn."""
    taken = {engine: [] for engine in engines}
    for _ in range(runs):
        for engine in engines:
            target = scratch / "out"
            shutil.rmtree(target, ignore_errors=True)
            figures = run(command_of(engine, source, target, key, outputs))
            taken[engine].append((*figures, *written(target)))
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--key", default="l_orderkey")
    parser.add_argument("--outputs", type=int, default=64)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--engines", default="duckdb,polars")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    import pyarrow.parquet

    rows = pyarrow.parquet.ParquetFile(arguments.source).metadata.num_rows
    engines = ["sluice", *filter(None, arguments.engines.split(","))]
    with tempfile.TemporaryDirectory(dir=arguments.source.parent) as scratch:
        taken = measure(engines, arguments.source, arguments.key, arguments.outputs,
                        arguments.runs, pathlib.Path(scratch))
    print(f"{arguments.source.name}: {rows} rows into {arguments.outputs} files, zstd, "
          f"{os.cpu_count()} CPUs, median of {arguments.runs} runs in turn", file=sys.stderr)
    for engine in engines:
        wall, cpu, peak, counted, size = (statistics.median(run[i] for run in taken[engine])
                                          for i in range(5))
        ratios = [other[0] / own[0] for other, own in zip(taken[engine], taken["sluice"])]
        figures = {"bench": "files", "engine": engine, "outputs": arguments.outputs,
                   "wall_s": round(wall, 3), "cpu_s": round(cpu, 3), "peak_mib": round(peak),
                   "out_mib": round(size / 2**20, 1),
                   "wall_over_sluice": round(statistics.median(ratios), 3),
                   "rows_right": counted == rows}
        if arguments.json:
            print(json.dumps(figures))
        else:
            print(f"{engine:8} wall {wall:7.3f} s   cpu {cpu:7.3f} s   peak {peak:7.0f} MiB   "
                  f"out {size / 2**20:7.1f} MiB   wall/sluice "
                  f"{figures['wall_over_sluice']:.3f}   "
                  f"{'rows right' if counted == rows else 'ROWS WRONG: ' + str(counted)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
