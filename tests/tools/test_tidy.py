# SPDX-License-Identifier: Apache-2.0
"""tools/tidy.py finds what it is for, in a small tree with one fault each, and nothing else.

And the tree itself is tidy.
"""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import tidy  # noqa: E402

LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */\n"
CLEAN = {
    "src/LAYERS": "base:\narrow: base\nroute: base arrow/batch.h\n",
    "src/base/alloc.h": LICENCE,
    "src/base/alloc.c": LICENCE + '#include "base/alloc.h"\n\nint a(void)\n{\n    return 1;\n}\n',
    "src/arrow/batch.h": LICENCE,
    "src/arrow/column.h": LICENCE,
    "include/sluice/status.h": LICENCE + "/* Says it. */\nSLUICE_API int sluice_say(void);\n",
    "include/sluice/io.h": LICENCE,
    "sluice.map": "SLUICE_0 {\nglobal:\n    sluice_say;\nlocal:\n    *;\n};\n",
    "sluice_io.map": "SLUICE_IO_0 {\nlocal:\n    *;\n};\n",
}

# A file, what stands in it, and a part of the message that it must lead to.
FAULTS = [
    ("src/base/x.c", LICENCE + "int a;" + " " * 95 + "int b;\n", "columns"),
    ("src/base/x.c", LICENCE + "int a;\n" * 600, "the file has 601 lines"),
    ("src/base/x.c", LICENCE + "int f(void)\n{\n" + "    g();\n" * 68 + "}\n", "function has 71"),
    ("tools/x.py", "# SPDX-License-Identifier: Apache-2.0\n\ndef f():\n" + "    g()\n" * 70,
     "function has 71"),
    ("src/base/x.c", LICENCE + "\tint a;\n", "a tab"),
    ("src/base/x.c", "int a;\n", "SPDX"),
    ("src/base/x.c", LICENCE + "/* TO" + "DO: later */\n", "number of an issue"),
    ("src/base/x.c", LICENCE + "int *a = malloc(1);\n", "malloc()"),
    ("src/base/x.c", LICENCE + "int a = assert(1);\n", "SLUICE_ASSERT"),
    ("cli/x.c", LICENCE + "int a = sprintf(b, c);\n", "sprintf()"),
    ("src/base/x.c", LICENCE + '#include "arrow/batch.h"\n', "layer base may not include"),
    ("src/route/x.c", LICENCE + '#include "arrow/column.h"\n', "layer route may not include"),
    ("src/other/x.c", LICENCE, "not in src/LAYERS"),
    ("cli/x.c", LICENCE + '#include "base/alloc.h"\n', "cli/ may not include"),
    ("src/base/alloc.c", LICENCE + "#include <stddef.h>\n", "the first include"),
    ("include/sluice/status.h", LICENCE + "/* Says it. */\n\nSLUICE_API int sluice_say(void);\n",
     "without a comment"),
    ("include/sluice/x.h", LICENCE + "/* New. */\nSLUICE_API int sluice_new(void);\n",
     "not listed"),
    ("sluice.map", "SLUICE_0 {\nglobal:\n    sluice_say;\n    sluice_tell;\n};\n",
     "no public header declares it"),
    ("docs/x.md", "See /wo" + "rk/main.\n", "does not belong"),
]


def make_tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_this_tree_is_tidy():
    assert [f"{path}:{line}: {text}" for path, line, text in tidy.problems(ROOT)] == []


def test_a_clean_tree_has_no_problems(tmp_path):
    fine = {
        "src/route/x.c": LICENCE + '#include "arrow/batch.h"\n/* free() and assert() */\n'
                                   'const char *a = "malloc(1)";\n',
        "src/base/x.c": LICENCE + "int f(void)\n{\n" + "    g();\n" * 67 + "}\n",
    }
    make_tree(tmp_path, CLEAN | fine)
    assert list(tidy.problems(tmp_path)) == []


@pytest.mark.parametrize("name, text, message", FAULTS)
def test_a_fault_is_found(tmp_path, name, text, message):
    make_tree(tmp_path, CLEAN | {name: text})
    found = list(tidy.problems(tmp_path))
    place = "sluice.map" if message == "not listed" else name
    assert [path for path, _, text in found if message in text] == [place], found
