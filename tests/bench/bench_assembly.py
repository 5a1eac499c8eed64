#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One in-process assembly (nvJitLink) compared with one spawned ptxas, on the same PTX.

    bench_assembly.py PTXGUARD PTXAS LIBNVJITLINK [-n 40] [--arch sm_80]

The library is loaded once in a child and called N times, ptxas is started N times; both in turns of ten, so that the
load of the machine is the same for both. Prints medians, and the ratio.
"""
from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

TURN = 10


def in_process(ptxguard: str, library: str, ptx: str, arch: str) -> tuple[list[float], float]:
    """Milliseconds of each assembly, and of the whole child."""
    start = time.perf_counter()
    done = subprocess.run([ptxguard, "--child", "nvjitlink", library, *[arch] * TURN], input=ptx, capture_output=True, text=True,
                          check=True)
    whole = (time.perf_counter() - start) * 1000
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    answers = [line for line in lines if line["event"] == "compile"]
    assert len(answers) == TURN and all(line["made"] for line in answers), done.stdout[:500]
    return [line["ms"] for line in answers], whole


def spawned(ptxas: str, source: Path, arch: str) -> list[float]:
    times = []
    for _ in range(TURN):
        start = time.perf_counter()
        subprocess.run([ptxas, "-arch=" + arch, str(source), "-o", str(source.with_suffix(".cubin"))], check=True)
        times.append((time.perf_counter() - start) * 1000)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ptxguard")
    parser.add_argument("ptxas")
    parser.add_argument("library")
    parser.add_argument("-n", type=int, default=40)
    parser.add_argument("--arch", default="sm_80")
    options = parser.parse_args()
    ptx = (f".version 7.0\n.target {options.arch}\n.address_size 64\n"
           ".visible .entry k(.param .u64 p) {\n .reg .u64 %a; .reg .f32 %f;\n ld.param.u64 %a, [p];\n"
           " ld.global.f32 %f, [%a];\n sqrt.rn.f32 %f, %f;\n st.global.f32 [%a], %f;\n ret;\n}\n")
    library: list[float] = []
    children: list[float] = []
    programs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "k.ptx")
        source.write_text(ptx)
        in_process(options.ptxguard, options.library, ptx, options.arch)  # the disk's cache
        for _ in range(max(1, options.n // TURN)):
            times, whole = in_process(options.ptxguard, options.library, ptx, options.arch)
            library += times
            children.append(whole)
            programs += spawned(options.ptxas, source, options.arch)
    one, other = statistics.median(library), statistics.median(programs)
    print(f"nvJitLink, in process   {one:8.1f} ms   ({len(library)} assemblies)")
    print(f"child with {TURN} of them    {statistics.median(children):8.1f} ms")
    print(f"ptxas, spawned          {other:8.1f} ms   ({len(programs)} runs)")
    print(f"ratio                   {other / one:8.1f}")


if __name__ == "__main__":
    main()
