# SPDX-License-Identifier: Apache-2.0
#
# Names for what people type; CMake does the work.  `make help` lists them.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
PYTHON3 ?= python3
SETUP := $(PYTHON3) tools/setup.py
RUN_TESTS := $(PYTHON3) tools/run_tests.py

# CMake and Ninja of the system come first, those that tools/setup.py fetched second.
export PATH := $(PATH):$(CURDIR)/.deps/venv/bin
export CMAKE_GENERATOR ?= Ninja
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

.DEFAULT_GOAL := all
.NOTPARALLEL:
.PHONY: all build-debug build-asan build-ubsan build-tsan build-clang demo test test-asan test-ubsan \
        test-tsan bench install check-style setup-build setup-test setup-demo setup-clang clean help

## all           build build/bin/sluice and the libraries in build/lib (the default)
all: setup-build build/CMakeCache.txt
	cmake --build build

## build-PRESET  build debug, asan, ubsan or tsan into build/PRESET, tests and examples included
build-debug build-asan build-ubsan build-tsan: build-%: build/%/CMakeCache.txt
	cmake --build build/$*

## build-clang   build with clang, warnings are errors
build-clang: setup-clang build/clang/CMakeCache.txt
	cmake --build build/clang

## demo          make TPC-H lineitem, repartition it, verify it, show the report
demo: setup-demo all
	tools/demo.sh

## test          everything: unit tests, property, command and interoperation tests, style
test: setup-test all build-debug
	$(RUN_TESTS) ctest:debug python

## test-asan     the tests in C and the tests in Python under AddressSanitizer
test-asan: setup-test build-asan
	$(RUN_TESTS) ctest:asan python:asan

## test-ubsan    the tests in C under UndefinedBehaviorSanitizer
test-ubsan: setup-test build-ubsan
	$(RUN_TESTS) ctest:ubsan python:ubsan

## test-tsan     the tests in C under ThreadSanitizer
test-tsan: setup-test build-tsan
	$(RUN_TESTS) ctest:tsan

## bench         the benchmarks, one JSON line per case; BENCH_ARGS= goes to them
bench: all
	cmake --build build --target benches
	bench/run.sh $(BENCH_ARGS)

## check-style   the rules that a program can check
check-style:
	$(PYTHON3) tools/tidy.py

## install       library, headers, command, pkg-config and CMake package: PREFIX=, DESTDIR=
install: all
	cmake --install build --prefix "$(PREFIX)"

## clean         remove what was built; .deps/ with what was fetched stays
clean:
	rm -rf build

## help          this list
help:
	@sed -n 's/^## //p' Makefile

setup-build setup-test setup-demo setup-clang: setup-%:
	@$(SETUP) $*

# A configuration that failed must not look like one that can be built.
build/CMakeCache.txt: CMakePresets.json | setup-build
	cmake --preset release || { rm -f $@; exit 1; }
	@touch $@

build/%/CMakeCache.txt: CMakePresets.json | setup-test
	cmake --preset $* || { rm -f $@; exit 1; }
	@touch $@
