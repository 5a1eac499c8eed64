#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count.py [PROGRAM]: how large the program is, to compare before and after a change.

Functions are measured by lizard (python3 -m pip install lizard), which counts each condition, && and || and ?: of them, and each
loop and case as one.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tools/ptxguard"
CODE = re.compile(r'"(CC\d{3})"')


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.?pp") if path.suffix in (".cpp", ".hpp"))


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def codes_as_text(path: Path) -> int:
    """Rules that a line of code names in quotes, outside of their folders: a wrong one compiles."""
    own = next((part[:5] for part in path.parts if re.match(r"CC\d{3}_", part)), "")
    return sum(code != own for line in lines_of(path) for code in CODE.findall(line.split("//")[0]))


def functions() -> list[str]:
    try:
        import lizard  # type: ignore[import-not-found]
    except ImportError:
        return ["functions: not counted, lizard is not installed"]
    found = [function for file in lizard.analyze_files([str(path) for path in sources(SOURCES)])
             for function in file.function_list]
    complexity = sorted((function.cyclomatic_complexity for function in found), reverse=True)
    return [f"functions of a complexity above 15: {sum(one > 15 for one in complexity)} of {len(found)}, "
            f"above 25: {sum(one > 25 for one in complexity)}, highest {complexity[0]}",
            f"functions of more than 60 lines: {sum(one.length > 60 for one in found)}"]


def stripped(program: Path) -> int:
    with tempfile.NamedTemporaryFile() as copy:
        subprocess.run(["strip", "-o", copy.name, program], check=True)
        return Path(copy.name).stat().st_size


def main() -> None:
    for name, folder in (("tools", SOURCES), ("tests", ROOT / "tests")):
        lengths = {path: len(lines_of(path)) for path in sources(folder)}
        long = [f"{path.relative_to(ROOT)} {length}" for path, length in lengths.items() if length > 400]
        print(f"C++ in {name}: {sum(lengths.values()):,} lines, {len(lengths)} files; of more than 400 lines: {', '.join(long)}")
    print(f"facts: {sum(len(lines_of(path)) for path in (SOURCES / 'facts').rglob('*.json')):,} lines")
    print(f"rule codes as text outside of their rule: {sum(map(codes_as_text, sources(SOURCES)))}")
    print("\n".join(functions()))
    if len(sys.argv) > 1:
        print(f"program, stripped: {stripped(Path(sys.argv[1])) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
