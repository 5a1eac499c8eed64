#!/usr/bin/env python3
"""How long `ptxguard inspect` takes and how much memory, compared with NVIDIA's `cuobjdump --list-elf`, in one run.

    python3 tests/bench/bench_inspect.py --ptxguard build/release/bin/ptxguard --cuobjdump DIR/cuobjdump LIBRARY...

Every row is a whole process; the page cache is warm after one turn that is not counted. Rows are run in turn (A B C, A
B C, ...), so that a drift of the machine's speed is the same for all. Wall is the median, with the fastest next to it,
since other load can only add time. Memory is what the system reports for the ended process (largest resident set); this
includes the memory of the starting process, so a small one starts it, and its own size is printed as the floor. The
slow rows (cuobjdump, and --deep, which decompresses) are run fewer times. Not a test: it only prints and never fails
for being slow.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path


# Run by an interpreter with nothing loaded: starts the command, waits, prints the largest resident set in KiB.
SMALL_PARENT = """import os, sys
null = os.open(os.devnull, os.O_WRONLY)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
print(os.wait4(pid, 0)[2].ru_maxrss)"""


def resident_mib(command: list) -> float:
    out = subprocess.run([sys.executable, "-I", "-S", "-c", SMALL_PARENT, *command], check=True, capture_output=True, text=True)
    return int(out.stdout) / 1024


@dataclass
class Row:
    """One command, and the time and memory of each of its processes."""
    name: str
    command: list
    turns: int
    wall: list = field(default_factory=list)
    cpu: list = field(default_factory=list)
    resident: float = 0.0

    def measure(self, keep: bool) -> None:
        start = time.perf_counter()
        with subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - start
        if child.returncode not in (0, 1):
            raise SystemExit(f"{self.command} ended with {child.returncode}")
        if keep:
            self.wall.append(wall * 1e3)
            self.cpu.append((usage.ru_utime + usage.ru_stime) * 1e3)


def rows_for(options) -> list:
    guard, files = str(options.ptxguard.resolve()), [str(file) for file in options.libraries]
    rows = []
    for file in files:
        name = Path(file).name
        rows.append(Row(f"inspect {name}", [guard, "inspect", file], options.runs))
        rows.append(Row(f"inspect --deep {name}", [guard, "inspect", "--deep", file], max(3, options.runs // 4)))
        if options.cuobjdump:
            rows.append(Row(f"cuobjdump --list-elf {name}", [str(options.cuobjdump), "--list-elf", file], options.slow_runs))
    if len(files) > 1:
        rows.append(Row(f"inspect, all {len(files)} in one call", [guard, "inspect", *files], options.runs))
    rows.append(Row("--version (the process alone; MiB: the floor)", [guard, "--version"], options.runs))
    return rows


def print_rows(rows: list) -> None:
    print(f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, load {os.getloadavg()[0]:.1f}")
    print(f"{'':52}{'wall, ms':>10}{'fastest':>10}{'processor':>10}{'MiB':>8}")
    for row in rows:
        print(f"{row.name:52}{statistics.median(row.wall):10.1f}{min(row.wall):10.1f}{min(row.cpu):10.1f}{row.resident:8.1f}")


def print_aims(rows: list) -> None:
    named = {row.name: row for row in rows}
    for name, row in named.items():
        if name.startswith("inspect lib"):
            file = name.split()[1]
            print(f"{file}: {min(row.wall):.1f} ms (aim: 10), {row.resident:.1f} MiB (aim: 16)", end="")
            other = named.get(f"cuobjdump --list-elf {file}")
            print(f", {min(other.wall) / min(row.wall):.0f} times less time than cuobjdump" if other else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True, type=Path)
    parser.add_argument("--cuobjdump", type=Path, help="from the wheel nvidia-cuda-cuobjdump, for instance")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--slow-runs", type=int, default=3)
    parser.add_argument("libraries", nargs="+", type=Path)
    options = parser.parse_args()
    rows = rows_for(options)
    for turn in range(options.runs + 1):
        for row in rows:
            if turn <= row.turns:
                row.measure(turn > 0)
    for row in rows:
        row.resident = resident_mib(row.command)
    print_rows(rows)
    print()
    print_aims(rows)


if __name__ == "__main__":
    main()
