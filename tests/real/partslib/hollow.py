# SPDX-License-Identifier: Apache-2.0
"""Libraries without what no loader reads: code, device code and constants become holes.

What is left is true, byte for byte and in its place: headers, section and symbol tables, versions,
relocations, imports and exports, resources, data. So a loader's answer (`ldd -r` included) is that
of the whole file, at a hundredth of its size on the disk. Such a file cannot be run.
"""

from __future__ import annotations

import re
import struct
from typing import BinaryIO

Range = tuple[int, int]  # offset, length

# What a program runs or computes with, in ELF's and PE's section names.
_DROPPED = re.compile(
    rb"__nv_relfatbin|\.(text|ltext|nv_fatb|nvFatBi|cask_resource|lrodata|ldata|eh_frame|gcc_except_table"
    rb"|debug|symtab$|strtab$|pdata)"
)
# Of constants those blocks stay that name a library: a program opens it by that name later.
_CONSTANTS = (b".rodata",)
_NAMES = re.compile(rb"\.so\b|\.dll\b")
_BLOCK = 4096
_SMALL = 1 << 16  # sections below stay whole


def kept_ranges(file: BinaryIO, size: int) -> list[Range] | None:
    """What stays of an ELF or PE file, in order; None where it is neither or its tables are odd."""
    file.seek(0)
    head = file.read(4)
    try:
        if head == b"\x7fELF":
            sections = _elf_sections(file)
        elif head[:2] == b"MZ":
            sections = _pe_sections(file)
        else:
            return None
    except (struct.error, ValueError):
        return None
    holes: list[Range] = []
    for name, offset, length in sorted(sections, key=lambda section: section[1]):
        if length < _SMALL or offset + length > size:
            continue
        if _DROPPED.match(name):
            holes.append((offset, length))
        elif name.startswith(_CONSTANTS):
            holes += _nameless_blocks(file, offset, length)
    return _without(holes, size)


def _elf_sections(file: BinaryIO) -> list[tuple[bytes, int, int]]:
    file.seek(0)
    header = file.read(64)
    if header[4:6] != b"\x02\x01":
        raise ValueError("not a little-endian ELF64 file")
    (table,) = struct.unpack_from("<Q", header, 40)
    entry, count, names_at = struct.unpack_from("<HHH", header, 58)
    if entry != 64 or names_at >= count:
        raise ValueError("no section headers")
    file.seek(table)
    raw = file.read(entry * count)
    headers = [struct.unpack_from("<IIQQQQIIQQ", raw, entry * i) for i in range(count)]
    file.seek(headers[names_at][4])
    names = file.read(headers[names_at][5])
    found = []
    for name, kind, _, _, offset, length, *_ in headers:
        if kind in (0, 8):  # SHT_NULL, SHT_NOBITS: nothing in the file
            continue
        found.append((names[name : names.index(b"\0", name)], offset, length))
    return found


def _pe_sections(file: BinaryIO) -> list[tuple[bytes, int, int]]:
    file.seek(60)
    (at,) = struct.unpack("<I", file.read(4))
    file.seek(at)
    signature, _, count, _, _, _, optional, _ = struct.unpack("<IHHIIIHH", file.read(24))
    if signature != 0x4550:
        raise ValueError("no PE header")
    file.seek(at + 24 + optional)
    raw = file.read(40 * count)
    found = []
    for i in range(count):
        name, _, _, length, offset = struct.unpack_from("<8sIIII", raw, 40 * i)
        found.append((name.rstrip(b"\0"), offset, length))
    return found


def _nameless_blocks(file: BinaryIO, offset: int, length: int) -> list[Range]:
    """Runs of blocks that name no library, with a block left on either side of one that does."""
    file.seek(offset)
    data = file.read(length)
    blocks = -(-length // _BLOCK)
    named = {place.start() // _BLOCK + step for place in _NAMES.finditer(data) for step in (-1, 0, 1)}
    holes: list[Range] = []
    for number in range(blocks):
        if number in named:
            continue
        start, end = number * _BLOCK, min(length, (number + 1) * _BLOCK)
        if holes and holes[-1][0] + holes[-1][1] == offset + start:
            holes[-1] = (holes[-1][0], holes[-1][1] + end - start)
        else:
            holes.append((offset + start, end - start))
    return holes


def _without(holes: list[Range], size: int) -> list[Range]:
    kept: list[Range] = []
    place = 0
    for offset, length in holes:
        if offset > place:
            kept.append((place, offset - place))
        place = max(place, offset + length)
    if place < size:
        kept.append((place, size - place))
    return kept
