#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the rules of style that a program can check; one line per problem, exit 1 if there are any.

    tools/tidy.py [ROOT]

Lengths, tabs, licence lines, layers of src/ (as src/LAYERS has them), the first include, calls that
are banned, exports without a comment or without a line in a symbol map, and left-over notes.
"""

import ast
import pathlib
import re
import sys

import symbol_maps

COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 600

FOLDERS = ["src", "include", "io", "cli", "tests", "bench", "examples", "tools", "docs", "cmake"]
ROOT_FILES = ["CMakeLists.txt", "Makefile", "README.md", "CONTRIBUTING.md", "CHANGELOG.md",
              ".ci/run"]
C_SUFFIXES = {".c", ".h", ".cc"}
CODE_SUFFIXES = C_SUFFIXES | {".py", ".sh", ".cmake"}
TEXT_SUFFIXES = CODE_SUFFIXES | {".md", ".txt", ".in"}

# Folders: calls that may not stand there, what to do instead.
BANNED = [
    (("src",), r"malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup|strndup",
     "use sluice_allocate() and sluice_free() of base/alloc.h"),
    (("src",), r"assert", "use SLUICE_ASSERT()"),
    (("src",), r"printf|fprintf|puts|fputs|perror|exit|_exit|abort",
     "the library never prints and never ends the program"),
    (("src", "include", "io", "cli", "tests", "bench", "examples"),
     r"strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol", "use a call that knows the size"),
]
BANNED_EXCEPT = {"src/base/alloc.c", "src/base/compiler.h"}

# What other folders than src/ may include between quotes: their own headers and these.
OUTER_LAYERS = {"io": ("sluice/",), "cli": ("sluice/",), "examples": ("sluice/",)}

NOTE = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!.*(#|issue )\d+)")

# Nothing of the workplace belongs in the tree.  The brackets keep this file from finding itself.
FOREIGN = re.compile(
    r"\bcl[a]ude\b|\banthr[o]pic\b|\bchat[g]pt\b|\b[o]penai\b|\bAI [a]ssistant|\b[t]his session\b"
    r"|/w[o]rk/|/r[o]ot/|/tm[p]/na|/h[o]me/\w"
    r"|https?://(f[i]les|st[a]tic|[i]ndex|r[e]gistry|r[e]po|pr[o]xy|d[e]b)\.|p[y]pi\.org",
    re.IGNORECASE)


class File:
    """One file of the tree, with its comments and strings blanked for the rules about code."""

    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        self.suffix = path.suffix
        self.folder = self.path.split("/")[0]
        self.text = path.read_text(errors="replace")
        self.lines = self.text.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()
        self.code_lines = blank(self.text).split("\n") if self.suffix in C_SUFFIXES else []


def blank(text):
    """C text with comments, strings and characters replaced by spaces; lines stay lines."""
    pattern = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"

    def spaces(match):
        if match.group().startswith('"') and is_include(text, match.start()):
            return match.group()
        return re.sub(r"[^\n]", " ", match.group())

    return re.sub(pattern, spaces, text, flags=re.DOTALL)


def is_include(text, position):
    start = text.rfind("\n", 0, position) + 1
    return re.match(r"\s*#\s*include\b", text[start:position]) is not None


def check_lines(file):
    if file.suffix in CODE_SUFFIXES and len(file.lines) > FILE_LINES_MAX:
        yield 1, f"the file has {len(file.lines)} lines, {FILE_LINES_MAX} are allowed"
    for number, line in enumerate(file.lines, 1):
        if file.suffix in CODE_SUFFIXES:
            if len(line) > COLUMNS_MAX:
                yield number, f"{len(line)} columns, {COLUMNS_MAX} are allowed"
            if "\t" in line:
                yield number, "a tab"
            if line != line.rstrip():
                yield number, "spaces at the end of the line"
            if NOTE.search(line) and file.path != "tools/tidy.py":
                yield number, "a note without the number of an issue"
        if FOREIGN.search(line):
            yield number, f"does not belong in the tree: {FOREIGN.search(line).group()}"


def check_licence(file):
    if file.suffix not in CODE_SUFFIXES:
        return
    first = file.lines[1:2] if file.lines[:1] and file.lines[0].startswith("#!") else file.lines[:1]
    if not first or "SPDX-License-Identifier: Apache-2.0" not in first[0]:
        yield 1, "the first line is not the SPDX line"


def check_function_lengths(file):
    if file.suffix == ".py":
        for node in ast.walk(ast.parse(file.text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from check_function_length(node.lineno, node.end_lineno)
        return
    start = None
    for number, line in enumerate(file.code_lines, 1):
        if line.startswith("{") and start is None:
            start = number
        elif line.startswith("}") and start is not None:
            yield from check_function_length(signature_line(file, start), number)
            start = None


def signature_line(file, brace):
    """The line on which the declaration before an opening brace starts."""
    number = brace - 1
    while number > 1 and file.code_lines[number - 1].startswith((" ", ")")):
        number -= 1
    return number


def check_function_length(first, last):
    if last - first + 1 > FUNCTION_LINES_MAX:
        yield first, f"the function has {last - first + 1} lines, {FUNCTION_LINES_MAX} are allowed"


def check_banned(file):
    if file.path in BANNED_EXCEPT:
        return
    for folders, calls, instead in BANNED:
        if file.folder not in folders:
            continue
        pattern = re.compile(rf"(?<![\w.>])({calls})\s*\(")
        for number, line in enumerate(file.code_lines, 1):
            match = pattern.search(line)
            if match:
                yield number, f"{match.group(1)}(): {instead}"


def includes(file):
    for number, line in enumerate(file.code_lines, 1):
        match = re.match(r'\s*#\s*include\s+("([^"]+)"|<([^>]+)>)', line)
        if match:
            yield number, match.group(2) or match.group(3), match.group(2) is not None


def check_first_include(file, headers):
    if file.suffix not in {".c", ".cc"}:
        return
    own = re.sub(r"\.\w+$", ".h", file.path)
    if own not in headers:
        return
    own = own.split("/", 1)[1]
    found = next(includes(file), None)
    if found is not None and found[1] not in (own, own.rsplit("/", 1)[-1]):
        yield found[0], f"the first include is {found[1]} and not the file's own {own}"


def read_layers(root):
    """src/LAYERS: layer -> the layers and single headers it may include."""
    layers = {}
    for line in (root / "src" / "LAYERS").read_text().splitlines():
        name, colon, allowed = line.partition(":")
        if colon and not line.startswith("#"):
            layers[name.strip()] = set(allowed.split()) | {name.strip()}
    return layers


def check_layers(file, layers):
    if file.folder == "src":
        layer = file.path.split("/")[1]
        if layer not in layers:
            yield 1, f"the layer {layer} is not in src/LAYERS"
            return
    for number, name, is_quoted in includes(file):
        if file.folder == "src" and is_quoted:
            other = name.split("/")[0]
            if other in layers and not {other, name} & layers[layer]:
                yield number, f"the layer {layer} may not include {name}"
        elif file.folder in OUTER_LAYERS and is_quoted:
            if "/" in name and not name.startswith(OUTER_LAYERS[file.folder]):
                yield number, f"{file.folder}/ may not include {name}"


def check_documented(file):
    """A comment stands above each export, or above the block of lines that it belongs to."""
    if file.folder != "include":
        return
    for number, line in enumerate(file.lines):
        if not line.startswith("SLUICE_API"):
            continue
        above = number - 1
        while above > 0 and file.lines[above] and not file.lines[above].rstrip().endswith("*/"):
            above -= 1
        if not file.lines[above].rstrip().endswith("*/"):
            yield number + 1, "an export without a comment"


def files_of(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in TEXT_SUFFIXES and path.is_file() and "__pycache__" not in path.parts:
                yield File(root, path)
    for name in ROOT_FILES:
        if (root / name).is_file():
            yield File(root, root / name)


def problems(root):
    """All problems of a tree as (path, line, message)."""
    layers = read_layers(root)
    files = list(files_of(root))
    headers = {file.path for file in files if file.suffix == ".h"}
    for file in files:
        checks = [check_lines(file), check_licence(file), check_function_lengths(file)]
        if file.suffix in C_SUFFIXES:
            checks += [check_banned(file), check_first_include(file, headers),
                       check_layers(file, layers), check_documented(file)]
        for check in checks:
            for number, message in check:
                yield file.path, number, message
    for path, message in symbol_maps.problems(root):
        yield path, 1, message


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else symbol_maps.ROOT).resolve()
    count = 0
    for path, number, message in problems(root):
        print(f"{path}:{number}: {message}")
        count += 1
    print(f"tidy: {count} problems" if count else "tidy: nothing to mend")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
