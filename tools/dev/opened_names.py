#!/usr/bin/env python3
"""Which libraries of NVIDIA a library opens by name, from its own strings, and which of them no row of the tables names.

    opened_names.py FILE|FOLDER...      for each shared library below: NAME  needed | driver | listed | NOT LISTED

A maintainer runs it on the wheels of a new release and writes what is not listed into facts/loading.json (`opens`), with the
release that has it. Names that are put together at run time ("libnvrtc.so.%d") are shown as they are.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import sys
from pathlib import Path

FACTS = Path(__file__).resolve().parents[1] / "ptxguard/facts/loading.json"
NAME = re.compile(rb"lib((?:cu|nv|nccl|cutensor)[A-Za-z0-9_-]*?)\.so((?:\.(?:[0-9]+|%d))*)(?![A-Za-z0-9])")
RELEASE = re.compile(r"\.so\.(\d+)")


def library_of(name: str) -> str:
    """libcudnn_ops.so.9 -> cudnn_ops"""
    return name[3 : name.index(".so")]


def names_in(path: Path) -> set[str]:
    return {match.group(0).decode() for match in NAME.finditer(path.read_bytes())}


def needed_by(path: Path) -> set[str]:
    """The names of .dynamic: the same string table holds no others of this kind."""
    data, found = path.read_bytes(), set()
    if data[:5] != b"\x7fELF\x02":
        return found
    number = lambda at, size: int.from_bytes(data[at : at + size], "little")
    headers = [number(32, 8) + i * number(54, 2) for i in range(number(56, 2))]
    loads = [(number(h + 16, 8), number(h + 8, 8), number(h + 32, 8)) for h in headers if number(h, 4) == 1]
    place = lambda address: next((offset + address - start for start, offset, size in loads if start <= address < start + size), 0)
    for header in (h for h in headers if number(h, 4) == 2):
        at, entries = number(header + 8, 8), []
        while number(at, 8) not in (0,) and at + 16 <= len(data):
            entries.append((number(at, 8), number(at + 8, 8)))
            at += 16
        strings = place(dict(entries).get(5, 0))
        for tag, value in entries:
            if tag == 1:
                found.add(data[strings + value : data.index(b"\0", strings + value)].decode(errors="replace"))
    return found


def listed_for(opener: str, release: str) -> set[str]:
    """The libraries that rows of the tables name for this opener; a release may be only a major."""
    major, listed = int(release or 0), set()
    for row in json.loads(FACTS.read_text())["opens"]:
        below = row.get("below")
        in_range = not release or (int(row.get("from", "0").split(".")[0]) <= major and (not below or major <= int(below.split(".")[0])))
        if row.get("opener") == opener and in_range:
            listed |= set(row["opens"])
    return listed


def judge(path: Path) -> dict[str, str]:
    drivers = [name for row in json.loads(FACTS.read_text())["names"] if row.get("driver") for name in row.get("linux", [])]
    own = re.match(r"lib([A-Za-z0-9_-]+?)\.so\.?(\d*)", path.name)
    if not own:
        return {}
    needed, listed = needed_by(path), listed_for(own.group(1), own.group(2))
    judged = {}
    for name in sorted(names_in(path)):
        library = library_of(name)
        if library == own.group(1):
            continue
        is_driver = any(re.fullmatch(driver.replace("*", ".*"), "lib" + library) for driver in drivers)
        judged[name] = "needed" if name in needed else "driver" if is_driver else "listed" if library in listed else "NOT LISTED"
    return judged


def main(places: list[str]) -> int:
    if not places:
        print(__doc__)
        return 2
    for place in map(Path, places):
        for path in sorted(place.rglob("lib*.so*")) if place.is_dir() else [place]:
            judged = judge(path) if path.is_file() and not path.is_symlink() else {}
            if judged:
                print(path)
            for name, how in judged.items():
                print(f"    {name:44} {how}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
