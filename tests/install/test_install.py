# SPDX-License-Identifier: Apache-2.0
"""What `make install` leaves works for a user who has nothing else of the project.

The tree is installed under DESTDIR and then moved: whatever works after that does not depend on
where it was built or installed.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SLUICE_LIB"]).parent.parent
EXAMPLE = ROOT / "examples" / "repartition.c"
EXPECTED = "all: 1000000 rows"


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False, **options)
    assert result.returncode == 0, result.stdout
    return result.stdout


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """An installed tree, moved away from where it was installed."""
    stage = tmp_path_factory.mktemp("stage")
    run("cmake", "--install", BUILD, "--prefix", "/usr/local",
        env=dict(os.environ, DESTDIR=str(stage)))
    moved = tmp_path_factory.mktemp("moved") / "sluice"
    shutil.move(stage / "usr" / "local", moved)
    return moved


def library_folder(prefix):
    return next(prefix.rglob("libsluice.so")).parent


def pkg_config(prefix, *arguments):
    path = library_folder(prefix) / "pkgconfig"
    environment = dict(os.environ, PKG_CONFIG_PATH=str(path))
    return run("pkg-config", *arguments, env=environment).split()


def test_pkg_config_shared(prefix, tmp_path):
    program = tmp_path / "program"
    flags = pkg_config(prefix, "--cflags", "--libs", "sluice")
    run("cc", EXAMPLE, "-o", program, *flags, "-lpthread")
    environment = dict(os.environ, LD_LIBRARY_PATH=str(library_folder(prefix)))
    assert EXPECTED in run(program, env=environment)


def test_pkg_config_static(prefix, tmp_path):
    program = tmp_path / "program"
    cflags = pkg_config(prefix, "--cflags", "sluice")
    libraries = pkg_config(prefix, "--static", "--libs-only-l", "sluice")
    libraries.remove("-lsluice")
    run("cc", EXAMPLE, "-o", program, *cflags, library_folder(prefix) / "libsluice.a", *libraries)
    assert EXPECTED in run(program)


def test_cmake_package(prefix, tmp_path):
    run("cmake", "-S", ROOT / "tests" / "install", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DEXAMPLE={EXAMPLE}")
    run("cmake", "--build", tmp_path)
    for program in ("shared", "static"):
        assert EXPECTED in run(tmp_path / program)


def test_installed_command_runs_without_settings(prefix):
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    assert "sluice" in run(prefix / "bin" / "sluice", "--version", env=environment)


def test_symbols_are_those_of_the_map(prefix):
    for library, map_name in (("libsluice.so", "sluice.map"), ("libsluice_io.so", "sluice_io.map")):
        symbols = run("nm", "-D", "--defined-only", library_folder(prefix) / library)
        exported = {line.split()[2].split("@")[0] for line in symbols.splitlines()
                    if line.split()[1] != "A"}
        listed = set(re.findall(r"^\s+(sluice_\w+);", (ROOT / map_name).read_text(), re.M))
        assert exported == listed


@pytest.mark.parametrize("compiler, language, standard", [
    ("cc", "c", "c99"), ("cc", "c", "c11"), ("cc", "c", "c17"), ("cc", "c", "c2x"),
    ("c++", "c++", "c++11"), ("c++", "c++", "c++14"), ("c++", "c++", "c++17"),
    ("c++", "c++", "c++20")])
def test_headers_are_clean_and_complete(prefix, compiler, language, standard):
    """Each header alone, and twice."""
    for header in sorted((prefix / "include" / "sluice").glob("*.h")):
        run(compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic",
            "-Werror", f"-I{prefix / 'include'}", "-fsyntax-only", "-",
            input=f"#include <sluice/{header.name}>\n#include <sluice/{header.name}>\n")
