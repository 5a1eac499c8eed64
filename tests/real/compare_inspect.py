"""Compares what `ptxguard inspect` reads in real libraries with what NVIDIA's cuobjdump prints, entry by entry.

    compare_inspect.py --ptxguard EXE --parts DIR [--set small|all] [--markdown]
    compare_inspect.py --ptxguard EXE --parts DIR FILE...

`cuobjdump -all -ptx` prints a block of header lines for every entry: kind, architecture with its suffix, version, host,
width, compression. Blocks and entries must be equal, in order. cuobjdump unpacks every payload, which takes up to 6 GB
of memory and a minute for one library, so one runs at a time and everything but its header lines is discarded. It
cannot read DLLs on Linux: sections of PE files are carved into a .fatbin first. If release 13.5 refuses a file, 12.8 is
tried.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import parts

# Less than 300 MB in total; enough for every container variant except the largest libraries.
SMALL = ("binary-jax", "binary-xformers", "binary-faiss", "binary-bitsandbytes", "binary-bitsandbytes-win", "binary-cupy")
LARGE = ("binary-cublas-11", "binary-cublas-12", "binary-cublas-13", "binary-cudnn-8", "binary-cudnn-9", "binary-nccl",
         "binary-cusparselt", "binary-torch", "binary-onnxruntime", "binary-onnxruntime-win")

# Differences that are cuobjdump's own, by file name: pattern -> reason. The headers that it prints with -ptx have none;
# those of its --list-elf have the name from the cubin, which has no 'f'.
EXCEPTIONS: dict[str, str] = {}

BLOCK = re.compile(rb"^Fatbin (\w+(?: \w+)?) code:")
LINE = re.compile(rb"^(arch|code version|host|compile_size|identifier|compressed|has debug info)\b(?: = (.*))?")
KINDS = {"elf": "cubin", "ptx": "ptx", "nvvm": "ltoir", "lto ir": "ltoir", "reloc ptx": "ptx", "relocatable ptx": "ptx"}
# cuobjdump prints the registered code before the relocatable one, regardless of the order of the sections.
ORDER = {".nv_fatbin": 0, ".nv_fatb": 0, "__nv_relfatbin": 1, "__nv_rel": 1}


@dataclass(frozen=True)
class Entry:
    kind: str
    arch: str
    version: str        # of PTX, or 1.ABI of a cubin
    compressed: bool
    debug: bool


@dataclass
class Compared:
    file: Path
    entries: int = 0
    kinds: dict = field(default_factory=dict)
    oracle: str = ""
    differences: list = field(default_factory=list)
    seconds: float = 0.0        # of cuobjdump
    own_seconds: float = 0.0
    excuse: str = ""

    @property
    def equal(self) -> bool:
        return not self.differences


class Refused(Exception):
    """cuobjdump could not read the file to its end."""


def blocks(lines: Iterator[bytes]) -> Iterator[Entry]:
    """Entries of cuobjdump's output; a block ends before the first line that does not belong to it."""
    kind, fields = "", {}
    for line in lines:
        start = BLOCK.match(line)
        if start:
            if kind:
                yield entry(kind, fields)
            kind, fields = start[1].decode(), {}
            continue
        found = LINE.match(line) if kind else None
        if found:
            fields.setdefault(found[1].decode(), (found[2] or b"").decode().strip())
        elif kind and not line.startswith(b"====") and fields:
            yield entry(kind, fields)
            kind = ""
    if kind:
        yield entry(kind, fields)


def entry(kind: str, fields: dict) -> Entry:
    kind = KINDS.get(kind, kind)
    version = ".".join(re.findall(r"\d+", fields.get("code version", ""))) if kind in ("ptx", "cubin") else ""
    return Entry(kind, fields.get("arch", ""), version, "compressed" in fields, "has debug info" in fields)


def ask_cuobjdump(tool: Path, file: Path) -> list[Entry]:
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen([str(tool), "-all", "-ptx", str(file)], stdout=subprocess.PIPE, stderr=errors) as running:
            assert running.stdout is not None
            found = list(blocks(iter(running.stdout)))
        errors.seek(0)
        words = errors.read().decode(errors="replace").strip()
    if "does not contain device code" in words and not found:
        return []
    if running.returncode != 0 or "fatal" in words:
        raise Refused(f"exit code {running.returncode}: {words.splitlines()[0] if words else 'no message'}")
    return found


def ask_ptxguard(program: str, file: Path) -> list[Entry]:
    command = [program, "inspect", "--isolated", "--entries", "--format", "json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    whole = json.loads(done.stdout)["files"][0]
    if whole.get("trouble"):
        raise SystemExit(f"{file}: {whole['trouble']}")
    registered = [e for e in whole["entries"] if e.get("registered", True)]
    registered.sort(key=lambda e: ORDER.get(e.get("section", ""), 2))
    versions = {"ptx": lambda e: e["ptx"], "cubin": lambda e: f"1.{e.get('abi', 0)}"}
    return [Entry(e["kind"], e.get("arch", ""), versions.get(e["kind"], lambda e: "")(e),
                  e.get("compressed", False), e.get("debug", False)) for e in registered]


def carve(file: Path, folder: Path) -> Path | None:
    """The device code of a PE file, one section after the other, as a .fatbin."""
    with open(file, "rb") as handle:
        head = handle.read(4096)
        if head[:2] != b"MZ":
            return None
        at = struct.unpack_from("<I", head, 0x3C)[0]
        count, optional = struct.unpack_from("<H", head, at + 6)[0], struct.unpack_from("<H", head, at + 20)[0]
        sections = {}
        for i in range(count):
            name, virtual, _, raw, offset = struct.unpack_from("<8sIIII", head, at + 24 + optional + 40 * i)
            sections[name.rstrip(b"\0")] = (offset, min(virtual, raw))
        target = folder / (file.stem + ".fatbin")
        with open(target, "wb") as out:
            for name in (b".nv_fatb", b"__nv_rel"):
                offset, size = sections.get(name, (0, 0))
                handle.seek(offset)
                out.write(handle.read(size))
    return target


def compare(program: str, tools: dict[str, Path], file: Path) -> Compared:
    result = Compared(file)
    started = time.monotonic()
    own = ask_ptxguard(program, file)
    result.own_seconds = time.monotonic() - started
    result.entries = len(own)
    for one in own:
        result.kinds[one.kind] = result.kinds.get(one.kind, 0) + 1
    refusals = []
    with tempfile.TemporaryDirectory(prefix="ptxguard-carved-") as folder:
        carved = carve(file, Path(folder))
        if carved and carved.stat().st_size == 0:
            theirs, result.oracle = [], "no section"
        else:
            for release, tool in tools.items():
                started = time.monotonic()
                try:
                    theirs = ask_cuobjdump(tool, carved or file)
                except Refused as why:
                    refusals.append(f"cuobjdump {release}: {why}")
                    continue
                result.seconds, result.oracle = time.monotonic() - started, release
                break
            else:
                result.differences = refusals
                return result
    if len(own) != len(theirs):
        result.differences.append(f"{len(own)} entries, cuobjdump {result.oracle} prints {len(theirs)}")
    for number, (a, b) in enumerate(itertools.zip_longest(own, theirs)):
        if a != b and len(result.differences) < 10:
            result.differences.append(f"entry {number}: {a}, cuobjdump: {b}")
    if result.differences and (excuse := next((why for name, why in EXCEPTIONS.items() if name in file.name), "")):
        result.excuse, result.differences = excuse, []
    return result


def cuobjdumps(folder: Path) -> dict[str, Path]:
    """By release, in the order in which they are tried."""
    tools = {}
    for release in ("13.5", "12.8"):
        laid = parts.lay(f"cuobjdump-{release}", folder)
        tools[release] = laid / parts.info(laid)["cuobjdump"] / "cuobjdump"
    return tools


def device_files(laid: Path) -> list[Path]:
    """Libraries of a set, by name."""
    return sorted(path for path in laid.rglob("*") if re.search(r"\.(so|dll|pyd)(\.[\d.]+)?$", path.name) and path.is_file())


def row(result: Compared) -> str:
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(result.kinds.items())) or "none"
    verdict = "equal" if result.equal and not result.excuse else result.excuse or "DIFFERENT"
    return (f"| {result.file.name} | {result.file.stat().st_size / 1e6:.1f} | {kinds} | {verdict} | {result.oracle} | "
            f"{result.seconds:.1f} | {result.own_seconds:.2f} |")


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    reader.add_argument("--ptxguard", default=os.environ.get("PTXGUARD", "ptxguard"))
    reader.add_argument("--parts", type=Path, default=Path(os.environ.get("PTXGUARD_PARTS", "parts")))
    reader.add_argument("--set", choices=("small", "all"), default="small")
    reader.add_argument("files", nargs="*", type=Path)
    arguments = reader.parse_args()
    tools = cuobjdumps(arguments.parts)
    sets = SMALL if arguments.set == "small" else SMALL + LARGE
    bad = compared = entries = 0
    print("| file | MB | entries | compared | cuobjdump | its seconds | ours |\n|---|---|---|---|---|---|---|", flush=True)
    for name in sets if not arguments.files else [""]:
        for file in arguments.files or device_files(parts.lay(name, arguments.parts)):
            result = compare(arguments.ptxguard, tools, file)
            if result.entries or not result.equal or arguments.files:
                print(row(result), flush=True)
            for difference in result.differences:
                print(f"{file}: {difference}", file=sys.stderr, flush=True)
            bad, compared, entries = bad + (not result.equal), compared + 1, entries + result.entries
    print(f"\n{compared} files, {entries} entries, {bad} files differ", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
