#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetch what building, testing and the demo need, and say what goes where.

    tools/setup.py [build] [test] [demo] [clang]

Everything that can lie in the checkout does: in .deps/.  The few packages of the system are
installed when run as root; otherwise the one line to run as root is printed, and nothing happens.
Each part leaves a stamp with the digest of what it was made from, so a second run fetches nothing.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / "tools"
DEPS = ROOT / ".deps"
VENV = DEPS / "venv"
PYTHON = VENV / "bin" / "python"
STAMPS = DEPS / "stamps"
CMAKE_MIN = (3, 25)

# Debian package, and the header or the program that shows that it is there.
SYSTEM_PACKAGES = {
    "build": [
        ("gcc", "cc", None), ("g++", "c++", None),
        ("libxxhash-dev", None, "xxhash.h"), ("libjansson-dev", None, "jansson.h"),
    ],
    "test": [("libcmocka-dev", None, "setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n"
              "#include <stdint.h>\n#include <cmocka.h"),
             ("pkg-config", "pkg-config", None)],
    "demo": [],
    "clang": [("clang", "clang", None)],
}
PARTS = {"build": ["build"], "test": ["build", "test"], "demo": ["build", "demo"],
         "clang": ["build", "test", "clang"]}

# pip wants the metadata of a source package before it hands it out, and asks the package's build
# system, which needs a compiled toolchain and the headers of Python for the answer.  This stands in
# for that build system: the answer lies in the package, and none of its code is run.
METADATA_BACKEND = '''
import pathlib
import re


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    text = pathlib.Path("PKG-INFO").read_text(encoding="utf-8")
    name, version = (re.search(f"^{key}: (.+)$", text, re.M).group(1)
                     for key in ("Name", "Version"))
    folder = pathlib.Path(metadata_directory) / f"{name}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(text, encoding="utf-8")
    return folder.name
'''


class SetupError(Exception):
    """Something a person has to do first; the message says what."""


def say(message):
    print(f"setup: {message}", file=sys.stderr, flush=True)


def run(*command, **options):
    command = [str(word) for word in command]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            **options)
    if result.returncode != 0:
        raise SetupError(f"`{' '.join(command)}` failed:\n{result.stdout}")
    return result.stdout


class Stamp:
    """Remembers that a part was made, and from what."""

    def __init__(self, name, *sources):
        self.path = STAMPS / name
        self.digest = hashlib.sha256("\0".join(sources).encode()).hexdigest()

    def is_current(self):
        return self.path.exists() and self.path.read_text() == self.digest

    def set(self):
        STAMPS.mkdir(parents=True, exist_ok=True)
        self.path.write_text(self.digest)


def has_header(header):
    """Whether the C compiler finds a header."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return False
    source = f"#include <{header}>\n"
    return subprocess.run([compiler, "-E", "-x", "c", "-"], input=source, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def is_present(program, header):
    return shutil.which(program) is not None if program else has_header(header)


def can_make_venv():
    probe = [sys.executable, "-c", "import venv, ensurepip"]
    return subprocess.run(probe, stderr=subprocess.DEVNULL).returncode == 0


def set_up_system(part):
    """Install the missing packages of the system, or say how."""
    wanted = SYSTEM_PACKAGES[part]
    stamp = Stamp(f"system-{part}", repr(wanted))
    if stamp.is_current():
        return
    missing = [name for name, program, header in wanted if not is_present(program, header)]
    if part == "build" and not can_make_venv():
        missing.append("python3-venv")
    if missing:
        install = f"apt-get install -y --no-install-recommends {' '.join(missing)}"
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            raise SetupError(f"run this as root, then try again:\n\n    {install}\n")
        say(f"installing packages of the system: {' '.join(missing)}")
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        run("apt-get", "update", env=environment)
        run(*install.split(), env=environment)
    stamp.set()


def set_up_venv():
    """A Python environment inside the checkout; its programs know where it lies."""
    stamp = Stamp("venv", sys.version, str(VENV))
    if stamp.is_current() and PYTHON.exists():
        return
    say(f"making a Python environment in {VENV.relative_to(ROOT)}/")
    shutil.rmtree(VENV, ignore_errors=True)
    for old in STAMPS.glob("pip-*"):
        old.unlink()
    run(sys.executable, "-m", "venv", VENV)
    stamp.set()


def pip(*arguments, **options):
    run(PYTHON, "-m", "pip", "--disable-pip-version-check", *arguments, **options)


def set_up_requirements(name):
    """Install one requirements file into the environment."""
    path = TOOLS / f"{name}.txt"
    stamp = Stamp(f"pip-{name}", path.read_text())
    if stamp.is_current():
        return
    lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
    say(f"installing into {VENV.relative_to(ROOT)}/: {' '.join(lines)}")
    pip("install", "--only-binary", ":all:", "-r", path)
    stamp.set()


def version_of(program):
    if shutil.which(program) is None:
        return ()
    match = re.search(r"(\d+)\.(\d+)", run(program, "--version"))
    return tuple(int(number) for number in match.groups()) if match else ()


def set_up_build_programs():
    """CMake, and Ninja to run it fast, unless the system has them."""
    stamp = Stamp("pip-build-programs", "1")
    if stamp.is_current():
        return
    wanted = []
    if version_of("cmake") < CMAKE_MIN:
        wanted.append("cmake==3.31.6")
    if not version_of("ninja"):
        wanted.append("ninja==1.13.2")
    if wanted:
        say(f"installing into {VENV.relative_to(ROOT)}/: {' '.join(wanted)}")
        pip("install", "--only-binary", ":all:", *wanted)
    stamp.set()


def unpack(archive, target):
    """Unpack a source package beside the target and rename, so that the target is whole."""
    staging = target.parent / f".{target.name}.unpacking"
    shutil.rmtree(staging, ignore_errors=True)
    with tarfile.open(archive) as package:
        options = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        package.extractall(staging, **options)
    shutil.rmtree(target, ignore_errors=True)
    (staging / target.name).rename(target)
    staging.rmdir()


def set_up_nanoarrow():
    """The sources of nanoarrow, checked against the pinned hash by pip."""
    requirements = TOOLS / "requirements-nanoarrow.txt"
    version = re.search(r"nanoarrow==([\d.]+)", requirements.read_text()).group(1)
    target = DEPS / f"nanoarrow-{version}"
    stamp = Stamp("nanoarrow", requirements.read_text())
    if stamp.is_current() and target.exists():
        return
    say(f"fetching the sources of nanoarrow {version} into {target.relative_to(ROOT)}/")
    downloads = DEPS / "downloads"
    backend = DEPS / "backend"
    backend.mkdir(parents=True, exist_ok=True)
    (backend / "mesonpy.py").write_text(METADATA_BACKEND)
    pip("download", "--no-deps", "--no-build-isolation", "--no-binary", ":all:",
        "--require-hashes", "-d", downloads, "-r", requirements,
        env=dict(os.environ, PYTHONPATH=str(backend)))
    unpack(downloads / f"nanoarrow-{version}.tar.gz", target)
    stamp.set()


def set_up(part):
    set_up_system(part)
    if part == "build":
        set_up_venv()
        set_up_build_programs()
        set_up_requirements("requirements")
        set_up_nanoarrow()
    elif part == "test":
        set_up_requirements("requirements-test")
    elif part == "demo":
        set_up_requirements("requirements-demo")


def main(arguments):
    unknown = [word for word in arguments if word not in PARTS]
    if unknown:
        print(__doc__, file=sys.stderr)
        return 2
    wanted = dict.fromkeys(part for word in arguments or ["build"] for part in PARTS[word])
    try:
        for part in wanted:
            set_up(part)
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
