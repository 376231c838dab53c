#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The main job on real data: TPC-H lineitem at scale factor 1 into 64 partitions of equal order
# keys, checked, and shown.  `make demo` builds first and then runs this.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly demo=build/demo
readonly table=$demo/lineitem.parquet
readonly python=.deps/venv/bin/python
PATH="$PWD/build/bin:$PATH"

step() {
    printf '\n== %s\n' "$*"
}

# Show a command as a person would type it, and run it in the folder of the demo.
exec 3>&1
run() {
    printf '   $ %s\n' "$*" >&3
    (cd "$demo" && "$@")
}

mkdir -p "$demo"
if [ -f "$table" ]; then
    step "1/4  The table is there: $table, $(du -h "$table" | cut -f1)"
else
    step "1/4  Making TPC-H lineitem at scale factor 1 in $demo/ (about 230 MB, once)"
    rm -rf "$demo/new"
    .deps/venv/bin/tpchgen-cli parquet -s 1 --tables=lineitem --output-dir "$demo/new"
    mv "$demo/new/lineitem.parquet" "$table"
    rmdir "$demo/new"
fi

step "2/4  Every row to one of 64 partitions, rows of one order together"
run sluice repartition lineitem.parquet --hash l_orderkey -n 64 -o out --if-exists replace \
    --json >"$demo/repartition.json"

step "3/4  Is every row where the manifest says, and is every row there?"
run sluice verify out

step "4/4  The partitions"
run sluice report out

step "Done"
"$python" - "$demo/repartition.json" <<'END'
import json
import sys

run = json.load(open(sys.argv[1], encoding="utf-8"))
print(f"   {run['rows']:,} rows in {run['seconds']:.2f} s: "
      f"{run['rows'] / run['seconds'] / 1e6:.2f} million rows per second, "
      f"peak memory {run['peak_memory'] / 2**20:.0f} MiB")
END
cat <<END

Try next:
   build/bin/sluice repartition $table --range l_shipdate \\
       --splits 1994-01-01,1996-01-01 -o $demo/by_date
   build/bin/sluice inspect $demo/out
   $python -c \\
       'import duckdb; print(duckdb.sql("select count(*) from \"$demo/out/*.parquet\""))'
END
