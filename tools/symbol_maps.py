# SPDX-License-Identifier: Apache-2.0
"""The symbol maps of the two libraries against what the public headers declare.

sluice.map lists what libsluice.so exports, sluice_io.map what libsluice_io.so does.  A function
that is declared SLUICE_API and not listed cannot be linked; one that is listed and not declared is
a secret interface.  `python3 tools/symbol_maps.py` writes the maps; tidy.py only compares.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECLARATION = re.compile(r"^SLUICE_API\b[^;(]*?\b(sluice_\w+)\s*\(", re.MULTILINE)
MAPS = {"sluice.map": "SLUICE_0", "sluice_io.map": "SLUICE_IO_0"}


def declared(root, map_name):
    of_io = map_name == "sluice_io.map"
    headers = (root / "include" / "sluice").glob("*.h")
    return sorted(name for path in headers if (path.name == "io.h") == of_io
                  for name in DECLARATION.findall(path.read_text()))


def listed(root, map_name):
    path = root / map_name
    if not path.exists():
        return []
    return re.findall(r"^\s+(sluice_\w+);", path.read_text(), re.MULTILINE)


def problems(root):
    """One (file, message) for each symbol that is in one place only."""
    for map_name in MAPS:
        in_headers, in_map = declared(root, map_name), listed(root, map_name)
        for name in sorted(set(in_headers) - set(in_map)):
            yield map_name, f"{name} is declared SLUICE_API but not listed"
        for name in sorted(set(in_map) - set(in_headers)):
            yield map_name, f"{name} is listed but no public header declares it"
        if in_map != sorted(in_map):
            yield map_name, "the names are not in alphabetical order"


def write():
    for map_name, node in MAPS.items():
        names = "".join(f"    {name};\n" for name in declared(ROOT, map_name))
        (ROOT / map_name).write_text(
            "/* SPDX-License-Identifier: Apache-2.0 */\n"
            "/* Made by tools/symbol_maps.py from the public headers. */\n"
            f"{node} {{\nglobal:\n{names}local:\n    *;\n}};\n")


if __name__ == "__main__":
    write()
