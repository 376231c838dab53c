#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The benchmarks, one JSON line per case.  Arguments go to the benchmark of the exchange.
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
exec "$root/build/bench/bench_exchange" "$@"
