#!/usr/bin/env python3
"""How long `ptxguard deps` takes compared with `ldd` and `ldd -r` on the same file, in one run.

    python3 tests/bench/bench_deps.py --ptxguard build/release/bin/ptxguard .../torch/lib/libtorch_cuda.so [--runs 21]

Rows are run in turn, so that a drift of the machine's speed is the same for all; the page cache is warm after one turn
that does not count. Processor time separates work from waiting for other processes. Not a test: it only prints.
"""
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import time


def measure(command: list) -> tuple:
    """Wall and processor time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1e3, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxguard", required=True)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("file")
    arguments = parser.parse_args()
    deps = [arguments.ptxguard, "deps", "--isolated", "--format", "json"]
    rows = {
        "ptxguard deps": [*deps, arguments.file],
        "ldd": ["ldd", arguments.file],
        "ptxguard deps --undefined": [*deps, "--undefined", arguments.file],
        "ldd -r": ["ldd", "-r", arguments.file],
    }
    times = {name: [] for name in rows}
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    except PermissionError:
        pass
    for run in range(arguments.runs + 1):
        for name, command in rows.items():
            taken = measure(command)
            if run:
                times[name].append(taken)
    print("| | wall, ms | least | processor, ms |\n| --- | ---: | ---: | ---: |")
    for name, taken in times.items():
        walls, cpus = zip(*taken)
        print(f"| `{name}` | {statistics.median(walls):.1f} | {min(walls):.1f} | {statistics.median(cpus):.1f} |")


if __name__ == "__main__":
    main()
