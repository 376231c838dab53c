#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sluice1 again, from docs/sluice1.md alone: whole numbers and XXH3, nothing of the library.

    python3 tests/vectors/sluice1_reference.py           writes sluice1.json next to this file
    python3 tests/vectors/sluice1_reference.py --check   says whether it would change

Needs the package xxhash.  The file is checked in; the tests read it and need no Python.

Types here are Arrow's names as sluice describes them.  Values are what JSON values are in sluice
(sluice-format(5)), but floats are given as the bits of their own width ("0x7fc00000"), decimals
and times as their unscaled number, and unions as [type id, value].
"""

import json
import pathlib
import struct
import sys

import xxhash

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def xxh3(data):
    return xxhash.xxh3_64_intdigest(data)


NULL, LIST, STRUCT, UNION = (xxh3(b"sluice1 " + word) for word in (
    b"null", b"list", b"struct", b"union"))
SEEDS = [xxh3(b"sluice1 checksum low"), xxh3(b"sluice1 checksum high")]


def mix(bits):
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & MASK
    return bits ^ bits >> 31


def fold(state, value):
    return mix((state + GOLDEN + value) & MASK)


def float_value(bits, width):
    """A float's own bits as those of the canonical double."""
    value = struct.unpack({2: "<e", 4: "<f", 8: "<d"}[width], bits.to_bytes(width, "little"))[0]
    if value != value:
        return 0x7FF8000000000000
    if value == 0:
        return 0
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def decimal_value(number):
    if -(1 << 63) <= number < 1 << 63:
        return number & MASK
    words = 2
    while not -(1 << 64 * words - 1) <= number < 1 << 64 * words - 1:
        words += 1
    return xxh3(number.to_bytes(8 * words, "little", signed=True))


def canonical(type_, value):
    """The canonical value: type_ is a name, or [name, child types ...] for nested types."""
    name = type_ if isinstance(type_, str) else type_[0]
    if value is None and name != "union":
        return NULL
    if name == "bool":
        return int(value)
    if name.startswith("decimal"):
        return decimal_value(int(value))
    if name in ("float16", "float32", "float64"):
        return float_value(int(value, 16), int(name[5:]) // 8)
    if name == "interval[day_time]":
        days, milliseconds = value
        return (days & 0xFFFFFFFF) << 32 | milliseconds & 0xFFFFFFFF
    if name == "interval[month_day_nano]":
        return xxh3(struct.pack("<iiq", *value))
    if name == "utf8":
        return xxh3(value.encode())
    if name == "binary":
        return xxh3(bytes.fromhex(value))
    if name == "list":
        state = mix((LIST + len(value)) & MASK)
        for element in value:
            state = fold(state, canonical(type_[1], element))
        return state
    if name == "struct":
        state = STRUCT
        for child, member in zip(type_[1:], value):
            state = fold(state, canonical(child, member))
        return state
    if name == "union":
        type_id, member = value
        return fold(mix((UNION + type_id) & MASK), canonical(type_[1 + type_id], member))
    return int(value) & MASK


def row_hash(types, values, seed=0):
    state = seed
    for type_, value in zip(types, values):
        state = fold(state, canonical(type_, value))
    return state


def checksum(types, rows):
    total = 0
    for row in rows:
        low, high = (row_hash(types, row, seed) for seed in SEEDS)
        total += high << 64 | low
    return total & (1 << 128) - 1


# (columns as the text of test_schema() in tests/support/arrays.h, their types here, rows)
CASES = [
    ("k=l", ["int64"], [[0], [1], [-1], [42], [2**63 - 1], [-2**63], [None], [7]]),
    ("k=i", ["int32"], [[0], [1], [-1], [42], [2**31 - 1], [None]]),
    ("k=L", ["uint64"], [[0], [1], [str(2**64 - 1)], [None]]),
    ("k=b", ["bool"], [[False], [True], [None]]),
    ("k=e", ["float16"], [["0x0000"], ["0x8000"], ["0x3c00"], ["0x0001"], ["0x7c00"], ["0xfe01"],
                          ["0x7c01"], ["0xc100"], [None]]),
    ("k=f", ["float32"], [["0x00000000"], ["0x80000000"], ["0x3f800000"], ["0x00000001"],
                          ["0xff800000"], ["0x7f800001"], ["0xffc00000"], [None]]),
    ("k=g", ["float64"], [["0x0000000000000000"], ["0x8000000000000000"], ["0x3ff0000000000000"],
                          ["0x0000000000000001"], ["0x7ff0000000000000"], ["0x7ff8000000000001"],
                          ["0xfff0000000000001"], [None]]),
    ("k=tdD", ["date32"], [[0], [19782], [-1], [None]]),
    ("k=tsu:UTC", ["timestamp[us, UTC]"], [[0], [1709210096789012], [-1], [None]]),
    ("k=d:9,2,32", ["decimal32"], [[0], [12345], [-12345], [None]]),
    ("k=d:38,2", ["decimal128"], [[0], [12345], [-12345], [str(2**63)], [str(-2**63)],
                                  [str(-2**63 - 1)], [str(10**38 - 1)], [None]]),
    ("k=d:76,0,256", ["decimal256"], [[0], [-1], [str(2**63)], [str(2**127)], [str(-2**127)],
                                      [str(2**191)], [str(10**76 - 1)], [str(1 - 10**76)]]),
    ("k=tiM", ["interval[months]"], [[0], [-7], [None]]),
    ("k=tiD", ["interval[day_time]"], [[[0, 0]], [[1, -2]], [[-1, 2]], [None]]),
    ("k=tin", ["interval[month_day_nano]"], [[[0, 0, 0]], [[1, -2, 3]], [None]]),
    ("k=u", ["utf8"], [[""], ["a"], ["foo"], ["héllo"], ["twelve bytes"], ["sixteen bytes ..."],
                       ["x" * 17], ["y" * 129], ["z" * 241], [None]]),
    ("k=w:4", ["binary"], [["61626364"], ["20202020"], [None]]),
    ("k=n", ["null"], [[None], [None]]),
    ("k=+l<item=i>", [["list", "int32"]], [[[]], [[1]], [[1, 2]], [[2, 1]], [[None]], [None],
                                           [[0]], [list(range(40))]]),
    ("k=+l<item=+l<item=u>>", [["list", ["list", "utf8"]]], [
        [[]], [[[]]], [[[], []]], [[["a"], ["b", None]]], [[None]], [None]]),
    ("k=+s<a=i; b=u>", [["struct", "int32", "utf8"]], [
        [[1, "a"]], [[None, None]], [None], [[1, None]], [[7, ""]]]),
    ("k=+m<entries=+s<key=u!; value=i>!>", [["list", ["struct", "utf8", "int32"]]], [
        [[]], [[["a", 1]]], [[["a", 1], ["b", None]]], [None]]),
    ("k=+ud:0,1<a=i; b=u>", [["union", "int32", "utf8"]], [
        [[0, 1]], [[1, "a"]], [[0, None]], [[1, None]]]),
    ("k=+us:0,1<a=i; b=u>", [["union", "int32", "utf8"]], [
        [[0, 1]], [[1, "a"]], [[0, None]], [[1, None]]]),
    ("a=l; b=u; c=g", ["int64", "utf8", "float64"], [
        [1, "a", "0x3ff0000000000000"], [None, None, None], [1, "a", None],
        [None, "a", "0x3ff0000000000000"], [2, "", "0x7ff8000000000000"]]),
    ("a=s; b=s", ["int16", "int16"], [[1, 2], [2, 1], [None, 1], [1, None]]),
]

COUNTS = [1, 2, 3, 7, 64, 1000, 16777216]


def printable(type_, value):
    """What tests/support/arrays.h reads: binary as text, decimals by their bits."""
    if value is None or not isinstance(type_, str):
        return value
    if type_ == "binary":
        return bytes.fromhex(value).decode()
    if type_.startswith("decimal"):
        width = int(type_[7:])
        return f"0x{int(value) % (1 << width):0{width // 4}x}"
    return value


def make():
    cases = []
    for schema, types, rows in CASES:
        hashes = [row_hash(types, row) for row in rows]
        cases.append({
            "schema": schema,
            "rows": [[printable(*pair) for pair in zip(types, row)] for row in rows],
            "hashes": [f"{value:016x}" for value in hashes],
            "partitions": {str(count): [(value >> 32) * count >> 32 for value in hashes]
                           for count in COUNTS},
            "checksum": f"{checksum(types, rows):032x}"})
    return "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n"


def main():
    # The published outputs of SplitMix64 with seed 1234567: the hash of an int64 key is one step.
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423,
                 4593380528125082431, 16408922859458223821]
    for step, wanted in enumerate(published):
        state = (1234567 + step * GOLDEN) & MASK
        assert row_hash(["int64"], [state]) == wanted
    path = pathlib.Path(__file__).with_name("sluice1.json")
    text = make()
    if "--check" in sys.argv[1:]:
        sys.exit(0 if path.read_text() == text else f"{path}: is not what the reference gives")
    path.write_text(text)


if __name__ == "__main__":
    main()
